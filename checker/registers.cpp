// Rules about allocated and written registers: dataflow over one set of bits.
#include "checker/rules.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

constexpr const char* initial_state = "AMDGPUUsage, Initial Kernel Execution State";
constexpr const char* descriptor = "AMDGPUUsage, Kernel Descriptor";

void set(RegBits& bits, int from, int to) {
  for (int r = from; r < to; ++r) bits[static_cast<size_t>(r / 64)] |= uint64_t{1} << r % 64;
}

// Registers that are defined at entry on every target: EXEC, trap temporaries, apertures and constants.
void set_fixed(RegBits& bits) {
  set(bits, scalar_base + isa::sreg::ttmp0, scalar_base + isa::sreg::m0);
  set(bits, scalar_base + isa::sreg::null, scalar_base + isa::sreg::scc);
  set(bits, scalar_base + isa::sreg::lds_direct, scalar_base + 256);
}

void all(RegBits& bits) { bits.fill(~uint64_t{0}); }

}  // namespace

Entry entry_of(const sim::KernelInfo& k, Arch arch) {
  const isa::Target& t = isa::target(arch);
  Entry e;
  e.name = k.name;
  set_fixed(e.written);
  int scalars = k.user_sgprs;
  const bool offset = (k.private_offset || k.dynamic_stack) && !t.architected_scratch();
  if (!t.workgroup_ids_in_ttmp())
    scalars += k.workgroup_id[0] + k.workgroup_id[1] + k.workgroup_id[2] + k.workgroup_info + offset;
  if (k.private_segment_buffer && !offset) e.unset_offset = scalar_base + scalars;
  set(e.written, scalar_base, scalar_base + scalars);
  set(e.written, 0, t.packed_work_item_ids() ? 1 : k.workitem_id_dims);
  e.vgprs = std::min(k.vgprs, t.vgprs);
  e.agprs = !t.agprs ? 0 : t.unified ? std::clamp(k.vgprs - k.accum_offset, 0, t.agprs) : std::min(k.vgprs, t.agprs);
  // gfx9 grants SGPRs by 16; the descriptor counts 8 and leaves out the last half (LLVM: granulated count 2 * (granules
  // - 1)).
  e.sgprs = k.sgprs_counted ? std::min(t.sgprs, (k.sgprs_counted / 8 + 1) / 2 * 16) : t.sgprs;
  const bool dynamic = k.lds_bytes == 0 || std::any_of(k.args.begin(), k.args.end(), [](const auto& a) {
                         return a.value_kind == "hidden_dynamic_lds_size";
                       });
  e.lds_bytes = dynamic ? t.lds_bytes : static_cast<int>(k.lds_bytes);
  e.workgroup_size = k.max_workgroup_size;
  return e;
}

void check_limits(const Code& code, const Entry& entry, Report& report) {
  if (entry.function) return;  // the calling kernel's descriptor applies
  if (code.some.v_end <= entry.vgprs && code.some.a_end <= entry.agprs && code.some.s_end <= entry.sgprs) return;
  const auto beyond = [&](int line, int end, int limit, const char* file) {
    if (end <= limit) return;
    Finding& f = report.at(line, fmt::format("{} beyond the descriptor", file));
    f.source = descriptor;
    f.what = fmt::format("names {}{}, the descriptor allocates {} {}s",
                         file[0] == 'V'   ? "v"
                         : file[0] == 'A' ? "a"
                                          : "s",
                         end - 1, limit, file);
    f.legal = limit ? fmt::format("registers 0 to {}, or a larger count in the descriptor", limit - 1)
                    : "a larger count in the descriptor";
  };
  for (int i = 0; i < static_cast<int>(code.lines.size()); ++i) {
    const Item& item = *code.lines[static_cast<size_t>(i)].item;
    beyond(i, item.v_end, entry.vgprs, "VGPR");
    beyond(i, item.a_end, entry.agprs, "AGPR");
    beyond(i, item.s_end, entry.sgprs, "SGPR");
  }
}

// LLVM adds the wave's scratch offset to the scratch resource in the first SGPRs even if the kernel has no scratch and
// that register is undefined.
static bool adds_unset_offset(const Entry& entry, const Inst& i, int reg) {
  return reg == entry.unset_offset && i.op == Opcode::s_add_u32 && i.operands[0].file == File::s &&
         i.operands[0].index == 0;
}

void check_written(const Code& code, const Entry& entry, Report& report) {
  if (entry.function || code.indirect) return;
  const auto has = [](const RegBits& bits, int r) { return (bits[static_cast<size_t>(r / 64)] >> r % 64 & 1) != 0; };
  const auto unwritten = [&](int line, const Item& item, const RegBits& written) {
    const Required required = required_by(item, code.arch, code.lanes);
    std::optional<int> r = required.registers.first(written, true);
    for (const Operand& o : required.wide) {
      bool any = r.has_value();
      for (int k = 0; k < o.dwords && !any; ++k) any = has(written, number_of(o) + k);
      if (!any) r = number_of(o);
    }
    if (!r || adds_unset_offset(entry, item.inst, *r)) return;
    const bool m0 = r == scalar_base + isa::sreg::m0;
    Finding& f = report.at(line, m0 ? "M0 never set" : "register never written");
    f.source = initial_state;
    f.what = fmt::format("reads {}, which no path from the entry writes", named_register(code, *r));
    f.legal = fmt::format("write {} first", register_name(*r, code.arch));
  };
  // The registers a block writes do not depend on its input, so each block is checked once, after the joins.
  const auto apply = [&](int line, RegBits& bits) {
    const Item& item = *code.lines[static_cast<size_t>(line)].item;
    item.writes.add_to(bits);
    for (const Base& b : item.bases)
      if (b.writes) set(bits, number_of(b.reg), b.reg.file == File::s ? scalar_base + isa::sreg::vcc : scalar_base);
    const auto call = item.flow == Flow::call ? code.calls.find(line) : code.calls.end();
    if (call != code.calls.end() && call->second.known) isa::unite(bits, call->second.writes);
    else if (item.flow == Flow::call || !item.refusal.empty()) all(bits);
  };
  std::vector<RegBits> writes(code.blocks.size());
  for (size_t b = 0; b < code.blocks.size(); ++b)
    for (int i = code.blocks[b].begin; i < code.blocks[b].end; ++i) apply(i, writes[b]);
  const auto in = fixpoint(
      code, entry.written,
      [&](RegBits& st, const Span& span, bool) {
        isa::unite(st, writes[static_cast<size_t>(&span - code.blocks.data())]);
        return true;
      },
      isa::unite);
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    RegBits st = in[b].value_or(RegBits{});
    for (int i = code.blocks[b].begin; i < code.blocks[b].end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.reads.inside(st) || item.inst.mods.has(isa::lds)) unwritten(i, item, st);
      apply(i, st);
    }
  }
}

void check_flow(const Code& code, const Entry&, Report& report) {
  if (!code.some.refused && !code.some.undefined_product && !code.some.lost) return;
  int without_row = 0;
  std::optional<int> first;
  for (int i = 0; i < static_cast<int>(code.lines.size()); ++i) {
    const CodeLine& l = code.lines[static_cast<size_t>(i)];
    if (!l.item->refusal.empty() && without_row++ == 0) first = i;
    if (l.item->undefined_product) {
      Finding& f = report.at(i, "undefined broadcast");
      f.source = "CDNA3 ISA 7.1", f.what = isa::undefined_product(l.item->inst),
      f.legal = "CBSZ and ABID that select existing blocks";
    }
    if (!l.lost) continue;
    Finding& f = report.at(i, "runs off its end");
    f.source = "ISA guide, Program Flow: a wave ends with S_ENDPGM";
    f.what = fmt::format("execution continues at {}", l.lost);
    f.legal = "s_endpgm or a branch to code";
  }
  if (!first) return;
  Finding& f = report.at(*first, "instruction without a row");
  f.advice = true, f.source = "isa_tables", f.legal = "a row in isa_tables";
  f.what = fmt::format("{} in this kernel, the first of them {}; nothing is concluded from them", without_row,
                       code.lines[static_cast<size_t>(*first)].item->refusal);
}

}  // namespace wavesmith::checker
