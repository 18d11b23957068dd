#include "simulator/program.h"

#include <fmt/format.h>

#include "isa_tables/mc.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {
using isa::Access, isa::File, isa::Format, isa::Kind;

int vector_reg(const isa::Operand& o, int k = 0) { return o.index + k + (o.file == File::a ? 256 : 0); }
int joint_reg(const isa::Operand& o, int k) { return o.file == File::s ? scalar_base + o.index + k : vector_reg(o, k); }
void add(RegSet& set, const isa::Operand& o) {
  if (o.is_reg() && !(o.file == File::s && o.index == sreg::null))
    for (int k = 0; k < o.dwords; ++k) set.add(joint_reg(o, k));
}

constexpr f32 inline_floats[] = {0.5f, 1.f, 2.f, 4.f, -0.5f, -1.f, -2.f, -4.f};
constexpr u32 inline_1_2pi = 0x3e22f983;
bool inlined(u32 bits) {                                   // has a code of its own; assemblers use a literal for nothing that has
  const i32 n = static_cast<i32>(bits);
  return (n >= -16 && n <= 64) || bits == inline_1_2pi || std::ranges::any_of(inline_floats, [&](f32 x) { return std::bit_cast<u32>(x) == bits; });
}

// A constant as a 64-bit operand reads it: inline integers are sign-extended, inline floats are doubles (CDNA3 ISA 3.8.?).
u64 wide_constant(u32 bits, bool literal) {
  if (literal) return bits;
  const f32 f = std::bit_cast<f32>(bits);
  for (const f32 x : inline_floats)
    if (f == x) return std::bit_cast<u64>(static_cast<f64>(x));
  if (bits == inline_1_2pi) return 0x3fc45f306dc9c882;
  return static_cast<u64>(static_cast<i64>(static_cast<i32>(bits)));
}

Source source(const Step& st, const isa::Operand& o, const isa::OperandSpec& spec, int position) {
  Source s;
  const isa::Mods& m = st.inst.mods;
  s.dwords = std::max<u8>(1, spec.dwords);
  s.neg = o.neg, s.abs = o.abs, s.sext = o.sext;
  if (st.row->format == Format::vop3p) s.neg ^= m.neg_lo >> position & 1;
  s.neg_hi = m.neg_hi >> position & 1;
  s.sel_lo = (m.op_sel >> position & 1) || o.part == 2;
  s.sel_hi = m.op_sel_hi >> position & 1;
  switch (o.file) {
    case File::v: case File::a: s.from = Source::From::vector; s.reg = static_cast<u16>(vector_reg(o)); break;
    case File::s: s.from = Source::From::scalar; s.reg = o.index; break;
    case File::imm: {
      s.from = Source::From::constant;
      s.literal = o.dwords != 2 && st.row->format != Format::vop3p && spec.dwords == 2 && !inlined(o.bits);
      const u64 wide = o.dwords == 2 ? o.bits | u64{o.high} << 32 : spec.dwords == 2 && st.row->format != Format::vop3p ? wide_constant(o.bits, s.literal) : o.bits;
      s.bits[0] = static_cast<u32>(wide), s.bits[1] = static_cast<u32>(wide >> 32);
      break;
    }
    default: break;
  }
  return s;
}

// Why no gfx942 wave could execute it with this kernel's registers; empty: it could.
std::string refusal(const Step& st, const isa::Target& t, const Kernel& k) {
  const int agprs = t.agprs ? std::min(t.agprs, k.vgprs - k.accum_offset) : 0, vgprs = t.unified ? std::min(k.accum_offset, t.vgprs) : k.vgprs;
  for (int i = 0; i < isa::max_operands && st.row->operands[i].kind != Kind::none; ++i) {
    const isa::Operand& o = st.inst.operands[i];
    if (o.file != File::v && o.file != File::a) continue;
    const int limit = o.file == File::v ? vgprs : agprs;
    if (o.index + o.dwords > limit) return fmt::format("{} is beyond the {} {}s the kernel descriptor allocates", isa::print(o), limit, o.file == File::v ? "VGPR" : "AGPR");
    if (t.tuple_align > 1 && o.dwords > 1 && o.index % t.tuple_align) return fmt::format("{} does not start at a multiple of {}", isa::print(o), t.tuple_align);
  }
  return {};
}

void resolve(Step& st, isa::Arch arch, int wave_size) {
  const isa::Info& row = *st.row;
  const isa::Mods& m = st.inst.mods;
  st.plain = !m.dpp && !m.sdwa;
  st.all_lanes = row.is_matrix();
  int position = 0;
  const bool memory = row.counter != isa::Counter::none;
  const bool one_lane = row.format == Format::vop3 && row.operands[0].kind == Kind::s;         // v_readlane
  const bool first_lane = row.format == Format::vop1 && row.operands[0].kind == Kind::s;       // v_readfirstlane
  for (const bool tied : {false, true}) {
    for (int i = 0; i < isa::max_operands && row.operands[i].kind != Kind::none; ++i) {
      const isa::OperandSpec& spec = row.operands[i];
      if (spec.access == Access::write || (spec.access == Access::both) != tied) continue;
      const isa::Operand& o = st.inst.operands[i];
      st.src[st.sources++] = source(st, o, spec, position++);
      if (o.file == File::v && (one_lane || first_lane)) continue;       // checks its one lane itself
      if (spec.access == Access::both && (memory || row.operands[1].kind == Kind::ssrc)) continue;   // d16 and v_writelane keep what they do not write
      if (!memory || spec.kind != Kind::vaddr || o.is_reg()) add(st.reads, o);
    }
  }
  int outputs = 0, untied = 0;
  for (const isa::OperandSpec& spec : row.operands) untied += spec.kind != Kind::none && spec.access == Access::read;
  for (int i = 0; i < isa::max_operands && row.operands[i].kind != Kind::none; ++i) {
    if (row.operands[i].access == Access::read) continue;
    const isa::Operand& o = st.inst.operands[i];
    if (outputs == 0) st.dst_high = (m.op_sel >> untied & 1) || o.part == 2;       // the destination's bit follows the sources'
    (outputs++ == 0 ? st.dst : st.mask_dst) = static_cast<u16>(o.file == File::s ? o.index : vector_reg(o));
  }
  const isa::Effects e = isa::effects(st.inst, arch);
  for (const auto& o : e.reads) add(st.touched, o);
  for (const auto& o : e.writes) add(st.touched, o), add(st.writes, o);
  if (row.implicit & isa::scc_r) st.reads.add(scalar_base + sreg::scc);
  if (row.implicit & isa::vcc_r) for (int k = 0; k < wave_size / 32; ++k) st.reads.add(scalar_base + sreg::vcc + k);
  if ((row.implicit & isa::m0_r) || m.has(isa::lds)) st.reads.add(scalar_base + sreg::m0);
}

std::string no_instruction(std::span<const u8> code) {
  std::string s = "(no instruction:";
  for (const u8 b : code.first(std::min<size_t>(code.size(), 8))) s += fmt::format(" {:02x}", b);
  return s + ")";
}

}  // namespace

Execute semantics(isa::Opcode op) {
  static const auto table = [] {
    std::vector<Execute> all(isa::table().size());
    for (const auto part : {salu_semantics(), valu_semantics(), float_semantics(), transcendental_semantics(), half_semantics(), float_compare_semantics(), convert_semantics(), scaled_convert_semantics(), lds_semantics(), global_semantics(), global_atomics(), wait_semantics()})
      for (const Semantics& s : part) all[static_cast<size_t>(s.op)] = s.run;
    for (size_t i = 0; i < all.size(); ++i)
      if (isa::table()[i].is_matrix()) all[i] = multiply_matrices;
    return all;
  }();
  return table[static_cast<size_t>(op)];
}

Program decode(const CodeObject& object, const Kernel& kernel) {
  Program p;
  isa::Mc mc(object.arch());
  const isa::Target& t = isa::target(object.arch());
  std::vector<u64> todo{kernel.entry};
  struct Link { u64 next = 0, target = 0; };
  std::vector<Link> links;
  bool indirect = false;
  const auto follow = [&](u64 pc) {
    while (!p.by_address.contains(pc)) {
      Step st;
      st.pc = pc;
      Link link;
      bool falls_through = true;
      const auto code = object.code(pc);
      const auto d = code.empty() ? isa::Mc::Decoded{} : mc.disassemble(code, pc);
      st.text = d.size ? d.text : code.empty() ? "(outside of the code)" : no_instruction(code);
      st.size = static_cast<u8>(d.size);
      if (const auto first = st.text.find_first_not_of(" \t"); first != std::string::npos) st.text.erase(0, first);
      std::replace(st.text.begin(), st.text.end(), '\t', ' ');
      falls_through = d.size != 0;
      try {
        if (d.size) {
          st.inst = isa::parse(st.text, object.arch());
          st.row = &st.inst.info();
          st.run = semantics(st.inst.op);
          if (!st.run) st.refusal = "has no semantics";
          resolve(st, object.arch(), kernel.wave_size);
          if (const auto why = refusal(st, t, kernel); !why.empty()) st.run = nullptr, st.refusal = why, st.refused = Fault::Kind::illegal;
          if (st.row->implicit & isa::ends) falls_through = false;
          if (st.row->implicit & isa::pc_w) {
            if (st.row->operands[0].kind == Kind::label) {
              link.target = pc + d.size + 4 * static_cast<u64>(static_cast<i64>(static_cast<i16>(st.inst.operands[0].bits)));
              todo.push_back(link.target);
              falls_through = st.row->implicit & (isa::scc_r | isa::vcc_r | isa::exec_r);
            } else {
              indirect = true;
              falls_through = st.row->operands[1].kind != Kind::none;      // a call returns
            }
          }
          for (const Semantics& a : global_atomics()) p.orders_workgroups |= a.op == st.inst.op;
        }
      } catch (const isa::IsaError& e) {
        st.run = nullptr, st.refusal = e.what();
      }
      st.number = static_cast<u32>(p.steps.size());
      if (falls_through) link.next = pc + d.size;
      p.by_address.emplace(pc, static_cast<int>(st.number));
      p.steps.push_back(std::move(st));
      links.push_back(link);
      if (!falls_through) break;
      pc += d.size;
    }
  };
  for (bool functions = false;;) {
    while (!todo.empty()) {
      const u64 pc = todo.back();
      todo.pop_back();
      follow(pc);
    }
    if (!indirect || functions) break;
    functions = true;                                      // callees are only known at run time: decode every function
    for (const Symbol& s : object.symbols())
      if (s.function) todo.push_back(s.address);
  }
  for (size_t i = 0; i < p.steps.size(); ++i) {
    if (links[i].next) p.steps[i].next = p.find(links[i].next);
    if (links[i].target) p.steps[i].target = p.find(links[i].target);
  }
  return p;
}

}  // namespace wavesmith::sim
