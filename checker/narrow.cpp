// Advice: two consecutive loads of adjacent bytes into adjacent registers, where one wider load suffices. Scalar and
// vector loads of dwords need no more than a dword's alignment (SMEM: any ISA guide; vector: HSA runs unaligned), nor
// does ds_read2.
#include "checker/rules.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

struct Wider {
  Opcode narrow, wide;
  int dwords;
};  // of the narrow one
constexpr Wider table[] = {
    {Opcode::s_load_dword, Opcode::s_load_dwordx2, 1},
    {Opcode::s_load_dwordx2, Opcode::s_load_dwordx4, 2},
    {Opcode::s_load_dwordx4, Opcode::s_load_dwordx8, 4},
    {Opcode::global_load_dword, Opcode::global_load_dwordx2, 1},
    {Opcode::global_load_dwordx2, Opcode::global_load_dwordx4, 2},
    {Opcode::buffer_load_dword, Opcode::buffer_load_dwordx2, 1},
    {Opcode::buffer_load_dwordx2, Opcode::buffer_load_dwordx4, 2},
    {Opcode::ds_read_b32, Opcode::ds_read2_b32, 1},
    {Opcode::ds_read_b64, Opcode::ds_read2_b64, 2},
};

// The immediate offset from the address that both loads share. SMEM has it as an operand.
std::optional<int64_t> offset(const Inst& i) {
  if (i.info().format != isa::Format::smem) return i.mods.offset;
  if (i.operands[2].file != File::imm || i.mods.offset) return {};
  return static_cast<int32_t>(i.operands[2].bits);
}

bool same_address(Inst a, Inst b) {
  a.operands[0] = b.operands[0];
  a.mods.offset = b.mods.offset;
  if (a.info().format == isa::Format::smem) a.operands[2] = b.operands[2];
  return a == b;
}

const Wider* wider(const Inst& a, const Inst& b, Arch arch) {
  const auto row = std::find_if(std::begin(table), std::end(table), [&](const Wider& w) { return w.narrow == a.op; });
  if (row == std::end(table) || a.op != b.op || a.mods.has(isa::lds) || !isa::info(row->wide).on(arch) ||
      !same_address(a, b))
    return nullptr;
  const auto x = offset(a), y = offset(b);
  const Operand &first = a.operands[0], &second = b.operands[0];
  if (!x || !y || first.file != second.file || *x + 4 * row->dwords != *y || first.index + row->dwords != second.index)
    return nullptr;
  const int align = first.file == File::s ? std::min(2 * row->dwords, 4) : isa::target(arch).tuple_align;
  if (first.index % align || (row->wide == Opcode::ds_read2_b32 && (*x % 4 || *y / 4 > 255)) ||
      (row->wide == Opcode::ds_read2_b64 && (*x % 8 || *y / 8 > 255)))
    return nullptr;
  for (int k = 1; k < a.info().count(); ++k)  // the first result must not be the second's address
    if (a.operands[k].is_reg() && a.operands[k].file == first.file && a.operands[k].index < first.index + row->dwords &&
        first.index < a.operands[k].index + a.operands[k].dwords)
      return nullptr;
  return row;
}

}  // namespace

void check_narrow(const Code& code, Report& report) {
  for (const Span& b : code.blocks)
    for (int i = b.begin; i + 1 < b.end; ++i) {
      const Item &x = *code.lines[static_cast<size_t>(i)].item, &y = *code.lines[static_cast<size_t>(i + 1)].item;
      if (!x.counted || !y.counted) continue;
      const Wider* w = wider(x.inst, y.inst, code.arch);
      if (!w) continue;
      Finding& f = report.at(i, "load narrower than it could be");
      f.advice = true;
      f.source = "ISA guide, memory alignment";
      f.what = fmt::format("the following {} loads the next {} bytes into the next registers",
                           isa::print(y.inst, code.arch), 4 * w->dwords);
      f.legal = fmt::format("{} for both", isa::mnemonic(w->wide, code.arch));
    }
}

}  // namespace wavesmith::checker
