// Inst -> LLVM assembly text. Modifiers print in the order LLVM prints them; defaults print nothing.
#include <fmt/format.h>

#include <algorithm>

#include "isa_tables/inst.h"
#include "isa_tables/names.h"

namespace wavesmith::isa {
namespace {

std::string tuple(char file, int index, int dwords) {
  return dwords == 1 ? fmt::format("{}{}", file, index) : fmt::format("{}[{}:{}]", file, index, index + dwords - 1);
}

std::string bit_list(const char* name, unsigned bits, int n) {
  std::string out = fmt::format(" {}:[", name);
  for (int i = 0; i < n; ++i) out += fmt::format("{}{}", i ? "," : "", bits >> i & 1);
  return out + "]";
}

std::string immediate(uint32_t bits) {
  const auto value = static_cast<int32_t>(bits);
  return value >= -16 && value <= 64 ? fmt::format("{}", value) : fmt::format("0x{:x}", bits);
}

std::string wait_fields(const Inst& inst) {
  const Waits w = waits_of(inst);
  std::string out;
  if (w.vm >= 0) out += fmt::format(" vmcnt({})", w.vm);
  if (w.exp >= 0) out += fmt::format(" expcnt({})", w.exp);
  if (w.lgkm >= 0) out += fmt::format(" lgkmcnt({})", w.lgkm);
  return out.empty() ? fmt::format(" 0x{:x}", inst.operands[0].bits) : out;
}

int source_count(const Info& row) {
  int n = 0;
  for (const auto& o : row.operands) n += o.kind != Kind::none && o.access == Access::read && o.kind != Kind::mask;
  return n;
}

void print_packed(const Inst& inst, std::string& out) {
  const Mods& m = inst.mods;
  const Info& row = inst.info();
  if (row.format == Format::mai) return;
  const int n = row.is_matrix() ? std::min(3, source_count(row)) : source_count(row);   // scales have modifiers of their own
  const bool packed = row.format == Format::vop3p;
  if (m.op_sel) out += bit_list("op_sel", m.op_sel, packed ? n : n + 1);
  if (packed && (m.op_sel_hi & ((1 << n) - 1)) != (1 << n) - 1) out += bit_list("op_sel_hi", m.op_sel_hi, n);
  if (packed && m.neg_lo) out += bit_list("neg_lo", m.neg_lo, n);
  if (packed && m.neg_hi) out += bit_list("neg_hi", m.neg_hi, n);
}

void print_mods(const Inst& inst, std::string& out) {
  const Mods& m = inst.mods;
  const Format f = inst.info().format;
  if (m.has(idxen)) out += " idxen";
  if (m.has(offen)) out += " offen";
  if (m.offset && f != Format::smem) out += fmt::format(" offset:{}", m.offset);
  if (m.offset0) out += fmt::format(" offset0:{}", m.offset0);
  if (m.offset1) out += fmt::format(" offset1:{}", m.offset1);
  print_packed(inst, out);
  if (m.has(clamp)) out += " clamp";
  if (m.omod) out += m.omod == 1 ? " mul:2" : m.omod == 2 ? " mul:4" : " div:2";
  if (m.cbsz) out += fmt::format(" cbsz:{}", m.cbsz);
  if (m.abid) out += fmt::format(" abid:{}", m.abid);
  if (m.blgp && f == Format::mai) out += fmt::format(" blgp:{}", m.blgp);
  if (m.dpp) out += " " + dpp_name(m.dpp_ctrl) + fmt::format(" row_mask:0x{:x} bank_mask:0x{:x}{}", m.row_mask, m.bank_mask, m.bound_ctrl ? " bound_ctrl:1" : "");
  if (m.sdwa) {
    if (f != Format::vopc) out += fmt::format(" dst_sel:{} dst_unused:{}", sdwa_names[static_cast<int>(m.dst_sel)], dst_unused_names[m.dst_unused]);
    out += fmt::format(" src0_sel:{}", sdwa_names[static_cast<int>(m.src0_sel)]);
    if (f != Format::vop1) out += fmt::format(" src1_sel:{}", sdwa_names[static_cast<int>(m.src1_sel)]);
  }
  for (const auto& [flag, name] : flag_names)
    if (flag != idxen && flag != offen && flag != clamp && m.has(flag)) out += fmt::format(" {}", name);
}

}  // namespace

std::string print(const Operand& o) {
  std::string s;
  switch (o.file) {
    case File::none: return "";
    case File::off: return "off";
    case File::label: return fmt::format(".L{}", o.index);
    case File::imm: s = immediate(o.bits); break;
    case File::v: s = tuple('v', o.index, o.dwords); break;
    case File::a: s = tuple('a', o.index, o.dwords); break;
    case File::s: s = o.index < sreg::vcc ? tuple('s', o.index, o.dwords) : special_name(o.index, o.dwords); break;
  }
  if (o.sext) s = "sext(" + s + ")";
  if (o.abs) s = "|" + s + "|";
  return o.neg ? "-" + s : s;
}

std::string print(const Inst& inst, Arch arch, std::string_view label_prefix) {
  const Info& row = inst.info();
  std::string out = mnemonic(inst.op, arch);
  if (inst.mods.dpp) out += "_dpp";
  else if (inst.mods.sdwa) out += "_sdwa";
  else if (inst.mods.e64) out += "_e64";
  if (inst.op == Opcode::s_waitcnt) return out + wait_fields(inst);
  const int n = row.count();
  for (int i = 0; i < n; ++i) {
    out += i ? ", " : " ";
    const Operand& o = inst.operands[i];
    out += o.file == File::label ? fmt::format("{}{}", label_prefix, o.index) : print(o);
  }
  print_mods(inst, out);
  return out;
}

}  // namespace wavesmith::isa
