// The registers that an instruction reads and writes, from its table row: the operands, less those that modifiers
// disable, and the fixed registers that the implicit bits stand for.
#include "isa_tables/inst.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "isa_tables/dpp.h"

namespace wavesmith::isa {

Inst half(const Inst& pair, int which) {
  Inst h{which ? pair.second : pair.op};
  for (int i = 0; i < max_operands / 2; ++i) h.operands[i] = pair.operands[which * max_operands / 2 + i];
  if (which) h.mods.bitop3 = pair.mods.bitop3;
  return h;
}

Inst paired(const Inst& first, const Inst& second) {
  Inst pair = first;
  pair.dual = true;
  pair.second = second.op;
  pair.mods.bitop3 = second.mods.bitop3;
  pair.mods.e64 |= second.mods.e64;
  for (int i = 0; i < max_operands / 2; ++i) pair.operands[max_operands / 2 + i] = second.operands[i];
  return pair;
}

namespace {
constexpr float inline_floats[] = {0.5f, 1.f, 2.f, 4.f, -0.5f, -1.f, -2.f, -4.f};
constexpr uint32_t inline_1_2pi = 0x3e22f983;
constexpr uint64_t inline_1_2pi_f64 = 0x3fc45f306dc9c882;
bool inline_integer(uint32_t bits) { return static_cast<int32_t>(bits) >= -16 && static_cast<int32_t>(bits) <= 64; }
std::optional<uint64_t> as_double(uint32_t bits) {  // an inline float constant, given as f32
  if (bits == inline_1_2pi) return inline_1_2pi_f64;
  for (const float f : inline_floats)
    if (bits == std::bit_cast<uint32_t>(f)) return std::bit_cast<uint64_t>(static_cast<double>(f));
  return {};
}
}  // namespace

bool inline_constant(uint32_t bits) { return inline_integer(bits) || as_double(bits); }

uint64_t constant(const Operand& o, const OperandSpec& spec) {
  if (o.dwords == 2) return o.bits | uint64_t{o.high} << 32;
  if (spec.constant == Constant::f32_pair) return o.bits | uint64_t{o.bits} << 32;
  if (spec.dwords != 2 && spec.constant != Constant::f64) return o.bits;  // f64 also for matrix operands
  if (const auto f = as_double(o.bits)) return *f;
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(o.bits)));
}

Operand immd(double value) {
  const auto wide = std::bit_cast<uint64_t>(value);
  const auto narrow = static_cast<float>(value);
  if (wide == 0) return imm(0);
  if (wide == inline_1_2pi_f64 || (narrow == value && as_double(std::bit_cast<uint32_t>(narrow))))
    return {File::imm, 1, 0, wide == inline_1_2pi_f64 ? inline_1_2pi : std::bit_cast<uint32_t>(narrow)};
  Operand o = imm(static_cast<int32_t>(static_cast<uint32_t>(wide)));
  o.dwords = 2, o.high = static_cast<uint32_t>(wide >> 32);
  return o;
}

int tuple_align(const Info& row, int operand, Arch arch) {
  return operand == 0 && (row.implicit & odd_result) ? 1 : target(arch).tuple_align;
}

Access access(const Info& row, int operand, Arch arch) {
  const Access stated = row.operands[operand].access;
  const bool half_load =
      stated == Access::both && (row.unit == Unit::vmem || row.unit == Unit::lds) && !(row.implicit & atomic);
  return half_load && target(arch).sram_ecc() ? Access::write : stated;
}

Effects effects(const Inst& inst, Arch arch, int lanes) {
  if (!lanes) lanes = target(arch).wave_size;
  Effects e;
  if (inst.dual) {
    for (int which : {0, 1}) {
      const Effects h = effects(half(inst, which), arch, lanes);
      for (const Operand& o : h.reads) e.reads.push_back(o);
      for (const Operand& o : h.writes) e.writes.push_back(o);
    }
    return e;
  }
  const Info& row = inst.info();
  for (int i = 0; i < max_operands && row.operands[i].kind != Kind::none; ++i) {
    const Operand o = read_from(inst, i, arch);
    if (!o.is_reg() || (o.file == File::s && o.index == sreg::null)) continue;
    if (access(row, i, arch) != Access::write) e.reads.push_back(o);
    if (row.operands[i].access != Access::read) e.writes.push_back(o);
    if (inst.mods.sdwa && inst.mods.dst_unused == 2 && row.operands[i].access == Access::write) e.reads.push_back(o);
    if ((inst.mods.op_sel & 8) && row.is_vector() && row.format != Format::vop3p && row.format != Format::mai &&
        row.operands[i].access == Access::write)
      e.reads.push_back(o);  // the other half keeps its value
    if (keeps_lanes(inst.mods) && row.operands[i].access == Access::write) e.reads.push_back(o);
  }
  const auto lane_mask = [&](int index) { return reg(File::s, index, lanes == 64 ? 2 : 1); };
  const auto add = [&](uint32_t bit, bool write, const Operand& o) {
    if (!(row.implicit & bit)) return;
    if (write) e.writes.push_back(o);
    else e.reads.push_back(o);
  };
  add(scc_r, false, reg(File::s, sreg::scc));
  add(scc_w, true, reg(File::s, sreg::scc));
  add(vcc_r, false, lane_mask(sreg::vcc));
  add(vcc_w, true, lane_mask(sreg::vcc));
  add(exec_w, true, lane_mask(sreg::exec));
  add(m0_r, false, reg(File::s, sreg::m0));
  add(m0_w, true, reg(File::s, sreg::m0));
  add(mode_r, false, reg(File::s, sreg::mode));
  add(mode_w, true, reg(File::s, sreg::mode));
  add(flat_scr_r, false, reg(File::s, sreg::flat_scratch, 2));
  if (inst.mods.has(lds)) e.reads.push_back(reg(File::s, sreg::m0));
  const bool masked =
      (row.is_vector() || row.unit == Unit::lds || row.unit == Unit::vmem) && !(row.implicit & every_lane);
  if (masked || (row.implicit & exec_r)) e.reads.push_back(lane_mask(sreg::exec));
  return e;
}

int dwords(const Inst& inst, int operand, Arch arch, int lanes) {
  const OperandSpec& spec = inst.spec(operand);
  if (spec.kind == Kind::mask) return (lanes ? lanes : target(arch).wave_size) / 32;
  if (spec.follows == Follows::nothing) return spec.dwords;
  const Type format = narrow_format(spec.follows == Follows::format_a ? inst.mods.cbsz : inst.mods.blgp);
  return spec.dwords * bits(format) / 8;
}

std::string undefined_product(const Inst& inst) {
  const Matrix& x = inst.info().matrix;
  if (x.kind != MatrixKind::mfma) return {};
  const Operand &d = inst.operands[0], &c = inst.operands[3];
  const bool overlap = c.file == d.file && c.index < d.index + d.dwords && d.index < c.index + c.dwords;
  if (overlap && c.index != d.index && d.dwords > 4)  // LLVM's assembler: AMDGPUAsmParser, validateMFMA
    return fmt::format("C, {}, overlaps D, {}, in part; legal: the same registers, or others", isa::print(c),
                       isa::print(d));
  if (x.a == Type::f64 || x.a == Type::f8f6f4) return {};  // ignored; formats
  const int cbsz = inst.mods.cbsz, abid = inst.mods.abid, most = std::bit_width(unsigned{x.blocks}) - 1;
  if (cbsz > most)
    return fmt::format("cbsz:{} broadcasts a block of A to {} blocks, but the instruction has {}; legal: cbsz:0{}",
                       cbsz, 1 << cbsz, x.blocks, most ? fmt::format(" to cbsz:{}", most) : "");
  if (abid >= 1 << cbsz)
    return fmt::format("abid:{} is beyond the {} blocks that cbsz:{} selects from; legal: abid:0{}", abid, 1 << cbsz,
                       cbsz, cbsz ? fmt::format(" to abid:{}", (1 << cbsz) - 1) : "");
  return {};
}

// CDNA4 ISA: an 8-bit operand doubles the passes. gfx1250: two fp4 operands halve them (facts of the guide's rate
// table).
int clocks(const Inst& inst, Arch arch) {
  const Info& row = inst.info();
  if (row.matrix.a != Type::f8f6f4) return row.clocks(arch);
  const int a = bits(narrow_format(inst.mods.cbsz)), b = bits(narrow_format(inst.mods.blgp));
  const bool fast = target(arch).wave_size == 64 ? a < 8 && b < 8 : a == 4 && b == 4;
  return fast ? row.clocks(arch) / 2 : row.clocks(arch);
}

std::array<int8_t, max_operands> register_slots(const Info& row) {
  std::array<int8_t, max_operands> slots;
  slots.fill(absent);
  const bool buffer = row.format == Format::mubuf || row.format == Format::mtbuf,
             into_lds = row.counter == Counter::async_load;
  int8_t position = 0, outputs = 0;
  for (size_t i = 0; i < slots.size() && row.operands[i].kind != Kind::none; ++i) {
    const OperandSpec& spec = row.operands[i];
    const bool destination = buffer     ? spec.kind != Kind::vaddr
                             : into_lds ? i == 0
                                        : spec.access != Access::read && outputs == 0;
    outputs += spec.access != Access::read;
    const int8_t slot = destination ? int8_t{3} : buffer ? int8_t{0} : position++;
    if (destination || slot < 3) slots[i] = slot;
  }
  return slots;
}

}  // namespace wavesmith::isa
