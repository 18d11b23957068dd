// LLVM assembly text -> Inst, for what the disassembler prints and for tests. The row decides what each operand may be;
// everything behind the last operand is a modifier.
#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "isa_tables/names.h"

namespace wavesmith::isa {
namespace {

struct Text {
  std::string_view all, rest;
  [[noreturn]] void fail(const std::string& what) const { throw IsaError(fmt::format("{}: {}", all, what)); }
  void skip() { while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0]))) rest.remove_prefix(1); }
  bool eat(std::string_view s) {
    skip();
    if (!rest.starts_with(s)) return false;
    rest.remove_prefix(s.size());
    return true;
  }
  void expect(std::string_view s) { if (!eat(s)) fail(fmt::format("expected '{}' before '{}'", s, rest)); }
  std::string_view word() {
    skip();
    size_t n = 0;
    while (n < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[n])) || rest[n] == '_' || rest[n] == '.')) ++n;
    const auto w = rest.substr(0, n);
    rest.remove_prefix(n);
    return w;
  }
  int64_t integer() {
    skip();
    const bool negative = eat("-");
    const bool hex = eat("0x");
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, hex ? 16 : 10);
    if (error != std::errc{}) fail(fmt::format("expected a number at '{}'", rest));
    rest.remove_prefix(end - rest.data());
    return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  }
};

uint16_t half_bits(float f) {                              // exact for the inline constants, the only floats that reach here
  const auto b = std::bit_cast<uint32_t>(f);
  if ((b & 0x7fffffff) == 0) return static_cast<uint16_t>(b >> 16);
  const int exponent = static_cast<int>(b >> 23 & 255) - 112;
  return static_cast<uint16_t>((b >> 16 & 0x8000) | exponent << 10 | (b >> 13 & 0x3ff));
}

bool number_ahead(std::string_view s) {
  if (s.starts_with("-")) s.remove_prefix(1);
  return !s.empty() && std::isdigit(static_cast<unsigned char>(s[0]));
}

Operand parse_number(Text& t, const OperandSpec& spec) {
  size_t n = t.rest.starts_with("-") ? 1 : 0;
  const bool hex = t.rest.substr(n).starts_with("0x");
  while (n < t.rest.size() && std::isdigit(static_cast<unsigned char>(t.rest[n]))) ++n;
  if (hex || n >= t.rest.size() || t.rest[n] != '.') return imm(static_cast<int32_t>(t.integer()));
  std::string digits(t.rest.substr(0, t.rest.find_first_of(", |)")));
  t.rest.remove_prefix(digits.size());
  const float value = std::stof(digits);
  return spec.half ? imm(half_bits(value)) : immf(value);
}

Operand parse_tuple(Text& t, File file) {                  // after the file letter
  if (t.eat("[")) {
    const int first = static_cast<int>(t.integer()), last = t.eat(":") ? static_cast<int>(t.integer()) : first;
    t.expect("]");
    if (last < first || last - first > 31) t.fail(fmt::format("register range [{}:{}] is not a tuple of 1 to 32", first, last));
    return reg(file, first, last - first + 1);
  }
  return reg(file, static_cast<int>(t.integer()));
}

Operand parse_operand(Text& t, const OperandSpec& spec);

Operand parse_register(Text& t, const OperandSpec& spec) {
  const std::string_view before = t.rest;
  if (before.size() > 1 && (std::isdigit(static_cast<unsigned char>(before[1])) || before[1] == '[')) {
    const char c = before[0];
    if (c == 'v' || c == 'a' || c == 's') {
      t.rest.remove_prefix(1);
      return parse_tuple(t, c == 'v' ? File::v : c == 'a' ? File::a : File::s);
    }
  }
  if (t.eat("ttmp")) {
    Operand o = parse_tuple(t, File::s);
    o.index += sreg::ttmp0;
    return o;
  }
  const auto name = t.word();
  if (name == "off") return off();
  for (const auto& s : special_names)
    if (s.name == name) return reg(File::s, s.index, name == "null" && spec.dwords ? spec.dwords : s.dwords);
  t.fail(fmt::format("'{}' is no operand; legal are v0, a0, s0, tuples as v[0:3], vcc, exec, m0, null, off and numbers", name.empty() ? before : name));
}

Operand parse_operand(Text& t, const OperandSpec& spec) {
  t.skip();
  if (number_ahead(t.rest)) return parse_number(t, spec);
  if (t.eat("-")) { Operand o = parse_operand(t, spec); o.neg = true; return o; }
  if (t.eat("|")) { Operand o = parse_operand(t, spec); t.expect("|"); o.abs = true; return o; }
  if (t.rest.starts_with("neg(")) { t.eat("neg("); Operand o = parse_operand(t, spec); t.expect(")"); o.neg = true; return o; }
  if (t.rest.starts_with("abs(")) { t.eat("abs("); Operand o = parse_operand(t, spec); t.expect(")"); o.abs = true; return o; }
  if (t.eat("sext(")) { Operand o = parse_operand(t, spec); t.expect(")"); o.sext = true; return o; }
  if (spec.kind == Kind::label && t.eat(".L")) return label(static_cast<int>(t.integer()));
  return parse_register(t, spec);
}

Inst parse_waits(Text& t) {
  Waits w;
  t.skip();
  if (number_ahead(t.rest)) { Inst i{Opcode::s_waitcnt}; i.operands[0] = imm(static_cast<int32_t>(t.integer())); return i; }
  while (t.skip(), !t.rest.empty()) {
    const auto name = t.word();
    int* field = name == "vmcnt" ? &w.vm : name == "lgkmcnt" ? &w.lgkm : name == "expcnt" ? &w.exp : nullptr;
    if (!field) t.fail(fmt::format("'{}' is no wait counter; legal are vmcnt, lgkmcnt, expcnt", name));
    t.expect("(");
    *field = static_cast<int>(t.integer());
    t.expect(")");
    t.eat("&");
  }
  return waitcnt(w);
}

uint8_t parse_bits(Text& t) {
  t.expect("[");
  uint8_t bits = 0;
  for (int i = 0; i < 8; ++i) {
    bits |= static_cast<uint8_t>((t.integer() & 1) << i);
    if (!t.eat(",")) break;
  }
  t.expect("]");
  return bits;
}

Sdwa parse_selector(Text& t) {
  const auto name = t.word();
  for (size_t i = 0; i < std::size(sdwa_names); ++i)
    if (sdwa_names[i] == name) return static_cast<Sdwa>(i);
  t.fail(fmt::format("'{}' is no SDWA selector", name));
}

bool parse_dpp(Text& t, std::string_view name, Mods& m) {
  struct Range { std::string_view name; int base; };
  static constexpr Range counted[] = {{"row_shl", 0x100}, {"row_shr", 0x110}, {"row_ror", 0x120}, {"row_newbcast", 0x150}};
  for (const auto& r : counted)
    if (name == r.name) { t.expect(":"); m.dpp_ctrl = static_cast<uint16_t>(r.base + t.integer()); return true; }
  static constexpr Range fixed[] = {{"wave_shl", 0x130}, {"wave_rol", 0x134}, {"wave_shr", 0x138}, {"wave_ror", 0x13c}, {"row_mirror", 0x140}, {"row_half_mirror", 0x141}};
  for (const auto& r : fixed)
    if (name == r.name) { if (t.eat(":")) t.integer(); m.dpp_ctrl = static_cast<uint16_t>(r.base); return true; }
  if (name == "row_bcast") { t.expect(":"); m.dpp_ctrl = t.integer() == 15 ? 0x142 : 0x143; return true; }
  if (name != "quad_perm") return false;
  t.expect(":");
  t.expect("[");
  m.dpp_ctrl = 0;
  for (int i = 0; i < 4; ++i) { m.dpp_ctrl |= static_cast<uint16_t>((t.integer() & 3) << 2 * i); t.eat(","); }
  t.expect("]");
  return true;
}

bool parse_number_mod(Text& t, std::string_view name, Mods& m) {
  const auto value = [&] { t.expect(":"); return t.integer(); };
  if (name == "offset") m.offset = static_cast<int32_t>(value());
  else if (name == "offset0") m.offset0 = static_cast<uint8_t>(value());
  else if (name == "offset1") m.offset1 = static_cast<uint8_t>(value());
  else if (name == "cbsz") m.cbsz = static_cast<uint8_t>(value());
  else if (name == "abid") m.abid = static_cast<uint8_t>(value());
  else if (name == "blgp") m.blgp = static_cast<uint8_t>(value());
  else if (name == "row_mask") m.row_mask = static_cast<uint8_t>(value());
  else if (name == "bank_mask") m.bank_mask = static_cast<uint8_t>(value());
  else if (name == "bound_ctrl") m.bound_ctrl = value() >= 0;
  else if (name == "mul") m.omod = value() == 2 ? 1 : 2;
  else if (name == "div") { value(); m.omod = 3; }
  else return false;
  return true;
}

void parse_mod(Text& t, Mods& m) {
  const auto name = t.word();
  if (name.empty()) t.fail(fmt::format("unexpected '{}'", t.rest));
  for (const auto& [flag, flag_name] : flag_names)
    if (flag_name == name) { m.flags |= flag; return; }
  if (parse_number_mod(t, name, m) || parse_dpp(t, name, m)) return;
  t.expect(":");
  if (name == "op_sel") m.op_sel = parse_bits(t);
  else if (name == "op_sel_hi") m.op_sel_hi = parse_bits(t);
  else if (name == "neg_lo") m.neg_lo = parse_bits(t);
  else if (name == "neg_hi") m.neg_hi = parse_bits(t);
  else if (name == "dst_sel") m.dst_sel = parse_selector(t);
  else if (name == "src0_sel") m.src0_sel = parse_selector(t);
  else if (name == "src1_sel") m.src1_sel = parse_selector(t);
  else if (name == "dst_unused") {
    const auto w = t.word();
    for (uint8_t i = 0; i < 3; ++i) if (dst_unused_names[i] == w) m.dst_unused = i;
  } else t.fail(fmt::format("'{}' is no modifier known here", name));
}

Opcode parse_mnemonic(Text& t, Mods& m, Arch arch) {
  std::string_view name = t.word();
  const std::string_view full = name;
  if (auto op = find_opcode(name, arch)) return *op;
  const auto strip = [&](std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.remove_suffix(suffix.size());
    return true;
  };
  if (strip("_e64")) m.e64 = true;
  else if (strip("_dpp")) m.dpp = true;
  else if (strip("_sdwa")) m.sdwa = true;
  else strip("_e32");
  if (auto op = find_opcode(name, arch)) return *op;
  const auto close = nearest(full);
  t.fail(fmt::format("unknown instruction '{}'{}", full, close.empty() ? "" : "; did you mean " + close + "?"));
}

}  // namespace

Inst parse(std::string_view text, Arch arch) {
  if (const auto comment = text.find("//"); comment != text.npos) text = text.substr(0, comment);
  if (const auto comment = text.find(';'); comment != text.npos) text = text.substr(0, comment);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  Text t{text, text};
  Inst inst;
  inst.op = parse_mnemonic(t, inst.mods, arch);
  const Info& row = inst.info();
  if (!row.on(arch)) t.fail(fmt::format("not available on {} ({} has it)", target(arch).name, archs_with(row)));
  if (inst.op == Opcode::s_waitcnt) return parse_waits(t);
  const bool to_lds = text.ends_with(" lds") || text.find(" lds ") != text.npos;
  for (int i = to_lds ? 1 : 0, n = row.count(), first = i; i < n; ++i) {
    if (i > first && !t.eat(",")) t.fail(fmt::format("takes {} operands, got {}", n, i));
    inst.operands[i] = parse_operand(t, row.operands[i]);
  }
  inst.mods.op_sel_hi = 0xf;
  while (t.skip(), !t.rest.empty()) parse_mod(t, inst.mods);
  return inst;
}

}  // namespace wavesmith::isa
