// Inst -> LLVM assembly text. Modifiers print in the order LLVM prints them; defaults print nothing.
#include <fmt/format.h>

#include <algorithm>

#include "isa_tables/inst.h"
#include "isa_tables/names.h"
#include "isa_tables/opcodes.h"

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

std::string wait_fields(const Inst& inst, Arch arch) {
  const Waits w = waits_of(inst, arch);
  std::string out;
  if (w.vm != absent) out += fmt::format(" vmcnt({})", w.vm);
  if (w.exp != absent) out += fmt::format(" expcnt({})", w.exp);
  if (w.lgkm != absent) out += fmt::format(" lgkmcnt({})", w.lgkm);
  return out.empty() ? fmt::format(" 0x{:x}", inst.operands[0].bits) : out;
}

void print_packed(const Inst& inst, std::string& out) {
  const Mods& m = inst.mods;
  const Info& row = inst.info();
  if (row.format == Format::mai && !row.matrix.scale_block) return;
  const int n =
      row.is_matrix() ? std::min(3, source_count(row)) : source_count(row);  // scales have modifiers of their own
  const bool packed = row.format == Format::vop3p ||
                      row.format == Format::mai;  // op_sel and op_sel_hi of a scaled MFMA choose the scale's byte
  if (m.op_sel)
    out += packed ? bit_list("op_sel", m.op_sel, n)
                  : bit_list("op_sel", (m.op_sel & 7) | (m.op_sel & 8 ? 1 << n : 0), n + 1);  // the destination's last
  const int standard = row.implicit & mix ? 0 : (1 << n) - 1;
  if (packed && (m.op_sel_hi & ((1 << n) - 1)) != standard) out += bit_list("op_sel_hi", m.op_sel_hi, n);
  if (packed && m.neg_lo) out += bit_list("neg_lo", m.neg_lo, n);
  if (packed && m.neg_hi) out += bit_list("neg_hi", m.neg_hi, n);
}

void print_dpp(const Mods& m, Arch arch, std::string& out) {
  if (m.dpp8) {
    out += " dpp8:[";
    for (int i = 0; i < 8; ++i) out += fmt::format("{}{}", i ? "," : "", m.dpp_ctrl >> 3 * i & 7);
    out += "]";
  } else
    out += " " + dpp_name(static_cast<int>(m.dpp_ctrl), !target(arch).agprs) +
           fmt::format(" row_mask:0x{:x} bank_mask:0x{:x}{}", m.row_mask, m.bank_mask,
                       m.bound_ctrl ? " bound_ctrl:1" : "");
  if (m.has(fetch_inactive)) out += " fi:1";
}

// CDNA names formats by number, gfx1250 by name.
void print_matrix(const Mods& m, const Info& row, std::string& out) {
  if (row.format == Format::mai) {
    if (m.cbsz) out += fmt::format(" cbsz:{}", m.cbsz);
    if (m.abid) out += fmt::format(" abid:{}", m.abid);
    if (m.blgp) out += fmt::format(" blgp:{}", m.blgp);
    return;
  }
  const auto name = [](auto& names, int i) {
    return names[std::min<size_t>(static_cast<size_t>(i), std::size(names) - 1)];
  };
  if (m.cbsz) out += fmt::format(" matrix_a_fmt:{}", name(matrix_format_names, m.cbsz));
  if (m.blgp) out += fmt::format(" matrix_b_fmt:{}", name(matrix_format_names, m.blgp));
  if (m.scale & 15) out += fmt::format(" matrix_a_scale:{}", name(matrix_scale_names, m.scale & 15));
  if (m.scale >> 4) out += fmt::format(" matrix_b_scale:{}", name(matrix_scale_names, m.scale >> 4));
  if (m.scale_fmt & 15) out += fmt::format(" matrix_a_scale_fmt:{}", name(matrix_scale_format_names, m.scale_fmt & 15));
  if (m.scale_fmt >> 4) out += fmt::format(" matrix_b_scale_fmt:{}", name(matrix_scale_format_names, m.scale_fmt >> 4));
  if (m.index_key) out += fmt::format(" index_key:{}", m.index_key);
}

// gfx12's temporal hint and scope; on older targets the flag "return the old value".
void print_cache(const Inst& inst, Arch arch, std::string& out) {
  const Mods& m = inst.mods;
  const Info& row = inst.info();
  const bool returning = row.implicit & returns, by_hint = target(arch).cache_hints();
  const Hint kind = row.implicit & atomic ? Hint::atomic
                    : row.counter == Counter::store || row.counter == Counter::async_store || (row.implicit & stores) ||
                            (row.counter == Counter::flat && row.operands[0].access == Access::read)
                        ? Hint::store
                        : Hint::load;
  if (by_hint && (m.th || returning)) out += " th:" + hint_name(m.th | returning, kind, m.scope == 3);
  else if (returning) out += row.format != Format::smem && target(arch).returns_by_sc0() ? " sc0" : " glc";
  if (m.scope) out += fmt::format(" scope:{}", scope_names[m.scope & 3]);
}

void print_mods(const Inst& inst, Arch arch, std::string& out) {
  const Mods& m = inst.mods;
  const Format f = inst.info().format;
  if (m.has(idxen)) out += " idxen";
  if (m.has(offen)) out += " offen";
  if (m.format) out += fmt::format(" format:{}", m.format);
  if (m.offset)
    out += f == Format::smem ? fmt::format(" offset:0x{:x}", m.offset) : fmt::format(" offset:{}", m.offset);
  if (m.offset0) out += fmt::format(" offset0:{}", m.offset0);
  if (m.offset1) out += fmt::format(" offset1:{}", m.offset1);
  if (m.bitop3) out += fmt::format(" bitop3:0x{:x}", m.bitop3);
  print_packed(inst, out);
  if (m.has(clamp)) out += " clamp";
  if (m.omod) out += m.omod == 1 ? " mul:2" : m.omod == 2 ? " mul:4" : " div:2";
  if (m.byte_sel) out += fmt::format(" byte_sel:{}", m.byte_sel);
  if (m.scale_sel) out += fmt::format(" scale_sel:{}", m.scale_sel);
  print_matrix(m, inst.info(), out);
  if (m.dpp) print_dpp(m, arch, out);
  if (m.sdwa) {
    if (f != Format::vopc && inst.info().operands[0].dwords == 1)
      out += fmt::format(" dst_sel:{} dst_unused:{}", sdwa_names[static_cast<int>(m.dst_sel)],
                         dst_unused_names[m.dst_unused]);
    out += fmt::format(" src0_sel:{}", sdwa_names[static_cast<int>(m.src0_sel)]);
    if (f != Format::vop1) out += fmt::format(" src1_sel:{}", sdwa_names[static_cast<int>(m.src1_sel)]);
  }
  print_cache(inst, arch, out);
  if (f == Format::gws) out += " gds";
  for (const auto& [flag, name] : flag_names)
    if (flag != idxen && flag != offen && flag != clamp && m.has(flag)) out += fmt::format(" {}", name);
}

std::string named_immediate(uint32_t bits, Kind kind, Arch arch) {
  if (kind == Kind::hwreg) {
    const HwregField field = HwregField::of(bits);
    const auto name = number_name(hwreg_names(), field.number, arch);
    const std::string reg = name.empty() ? fmt::format("{}", field.number) : std::string(name);
    return field == HwregField{field.number} ? fmt::format("hwreg({})", reg)
                                             : fmt::format("hwreg({}, {}, {})", reg, field.first_bit, field.bits);
  }
  if (kind == Kind::message) {
    const auto name = number_name(message_names(), static_cast<int>(bits), arch);
    if (!name.empty() && name != "MSG_GS" && name != "MSG_GS_DONE" && name != "MSG_SYSMSG")
      return fmt::format("sendmsg({})", name);  // those need an operation
  }
  if (kind == Kind::delay && (bits & 15) < std::size(delay_ids) && (bits >> 4 & 7) < std::size(delay_skips) &&
      bits >> 7 < std::size(delay_ids)) {
    std::string out = fmt::format("instid0({})", delay_ids[bits & 15]);
    if (bits >> 4 & 7) out += fmt::format(" | instskip({})", delay_skips[bits >> 4 & 7]);
    if (bits >> 7) out += fmt::format(" | instid1({})", delay_ids[bits >> 7]);
    return out;
  }
  if (kind == Kind::gpr_index) {
    std::string out;
    for (int i = 0; i < 4; ++i)
      if (bits >> i & 1) out += (out.empty() ? "" : ",") + std::string(gpr_index_names[i]);
    return "gpr_idx(" + out + ")";
  }
  if (kind == Kind::depctr) {
    std::string out;
    uint32_t rest = bits;
    for (const auto& f : depctr_fields) {
      const uint32_t all = (1u << f.bits) - 1, value = bits >> f.shift & all;
      rest |= all << f.shift;
      if (value != all) out += fmt::format("{}{}({})", out.empty() ? "" : " ", f.name, value);
    }
    if (rest == 0xffff && !out.empty()) return out;
  }
  return fmt::format("0x{:x}", bits);
}

// Constants of 64-bit operands: an inline float by its name; a literal in 32 bits where LLVM reads that as the same
// value.
std::string wide_immediate(const Operand& o, const Inst& inst, const OperandSpec& spec, Arch arch) {
  const Format f = inst.info().format;
  const bool has_64 = target(arch).has_64_bit_literals() && !inst.mods.e64 && f != Format::vop3 && f != Format::vop3p;
  if (o.dwords == 2) {
    if (spec.constant == Constant::f64 && o.bits == 0) return fmt::format("0x{:x}", o.high);
    if ((spec.constant == Constant::f64 && o.high == 0) ||
        (spec.constant == Constant::i64 && has_64 && o.high == 0 && o.bits >> 31))
      return fmt::format("lit64(0x{:x})", o.bits);
    if (o.high == 0 || (spec.constant == Constant::i64 && !has_64 && o.high == 0xffffffff && o.bits >> 31))
      return fmt::format("0x{:x}", o.bits);
    return fmt::format("0x{:x}", static_cast<uint64_t>(o.high) << 32 | o.bits);
  }
  for (const float f : {0.5f, 1.0f, 2.0f, 4.0f})
    for (const float x : {f, -f})
      if (o.bits == std::bit_cast<uint32_t>(x)) return fmt::format("{:.1f}", x);
  return o.bits == 0x3e22f983 ? "0.15915494309189532" : immediate(o.bits);
}

std::string with_signs(const Operand& o, std::string s) {
  if (o.sext) s = "sext(" + s + ")";
  if (o.abs) s = "|" + s + "|";
  if (o.neg && o.file == File::imm && !o.abs) return "neg(" + s + ")";
  return o.neg ? "-" + s : s;
}

std::string print_operand(const Inst& inst, int i, Arch arch) {
  const Operand& o = inst.operands[i];
  const OperandSpec& spec = inst.info().operands[i];
  if (o.file != File::imm) return print(o);
  switch (spec.kind) {
    case Kind::hwreg:
    case Kind::message:
    case Kind::delay:
    case Kind::depctr:
    case Kind::gpr_index: return named_immediate(o.bits, spec.kind, arch);
    case Kind::any:
    case Kind::ssrc:
      if (spec.dwords == 2 || o.dwords == 2) return with_signs(o, wide_immediate(o, inst, spec, arch));
      [[fallthrough]];
    default: return o.dwords == 2 ? wide_immediate(o, inst, spec, arch) : print(o);
  }
}

std::string print_half(const Inst& inst, Arch arch, bool long_form) {
  const Info& row = inst.info();
  std::string out = fmt::format("v_dual_{}", mnemonic(inst.op, arch) + 2);
  for (int i = 0, n = row.count(); i < n; ++i) {
    const bool vcc = inst.operands[i].file == File::s && inst.operands[i].index == sreg::vcc;
    if (row.operands[i].kind == Kind::mask && vcc && !long_form) continue;
    out += (i ? ", " : " ") + print_operand(inst, i, arch);
  }
  return inst.mods.bitop3 ? out + fmt::format(" bitop3:0x{:x}", inst.mods.bitop3) : out;
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
  if (o.part) s += o.part == 2 ? ".h" : ".l";
  return with_signs(o, std::move(s));
}

std::string print(const Inst& inst, Arch arch, std::string_view label_prefix) {
  if (inst.dual) {
    const bool long_form = inst.mods.e64 || pair_form(inst.op, inst.second, arch) == PairForm::vopd3;
    return print_half(half(inst, 0), arch, long_form) + " :: " + print_half(half(inst, 1), arch, long_form);
  }
  const Info& row = inst.info();
  const Mods& m = inst.mods;
  std::string out = mnemonic(inst.op, arch);
  if (m.e64) out += "_e64";
  if (m.dpp) out += "_dpp";
  if (m.sdwa) out += "_sdwa";
  if (inst.op == Opcode::s_waitcnt) return out + wait_fields(inst, arch);
  bool first = true;
  for (int i = 0, n = row.count(); i < n; ++i) {
    const Operand& o = inst.operands[i];
    if (row.operands[i].optional && (o.file == File::off || o.file == File::none)) continue;
    if (o.file == File::none && m.has(lds)) continue;  // a load into LDS has no data register
    out += first ? " " : ", ";
    first = false;
    out += o.file == File::label ? fmt::format("{}{}", label_prefix, o.index) : print_operand(inst, i, arch);
  }
  print_mods(inst, arch, out);
  return out;
}

}  // namespace wavesmith::isa
