// LLVM assembly text -> Inst, for the disassembler's output and for tests. The row determines the legal operands;
// everything after the last operand is a modifier.
#include <algorithm>

#include "isa_tables/half.h"
#include "isa_tables/names.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/text/text.h"

namespace wavesmith::isa {
namespace {

// The value of a literal of a 64-bit operand. LLVM writes lit64() for a literal encoded in 64 bits although 32 would
// suffice.
Operand wide_literal(uint64_t value, const OperandSpec& spec, bool has_64) {
  if (!has_64 && value >> 32 == 0 && spec.constant == Constant::f64) value <<= 32;
  if (!has_64 && value >> 32 == 0 && spec.constant == Constant::i64)
    value = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
  Operand o = imm(static_cast<int32_t>(static_cast<uint32_t>(value)));
  o.dwords = 2, o.high = static_cast<uint32_t>(value >> 32);
  return o;
}

// Inline floats of a 64-bit operand are kept as f32.
enum class Literal : uint8_t { if_not_inline, yes, of_64_bits };
Operand parse_number(Text& t, const OperandSpec& spec, Literal literal = Literal::if_not_inline) {
  size_t n = t.rest.starts_with("-") ? 1 : 0;
  const bool hex = t.rest.substr(n).starts_with("0x");
  while (n < t.rest.size() && std::isdigit(static_cast<unsigned char>(t.rest[n]))) ++n;
  if (hex || n >= t.rest.size() || t.rest[n] != '.') {
    const auto value = static_cast<uint64_t>(t.integer());
    const auto wide = static_cast<int64_t>(value);
    const bool takes_64 = spec.dwords == 2 && spec.constant != Constant::f32_pair &&
                          (spec.kind == Kind::any || spec.kind == Kind::ssrc || spec.kind == Kind::imm);
    if (takes_64 && (literal != Literal::if_not_inline || spec.kind == Kind::imm || wide < -16 || wide > 64))
      return wide_literal(value, spec, literal == Literal::of_64_bits);
    return imm(static_cast<int32_t>(value));
  }
  std::string digits(t.rest.substr(0, t.rest.find_first_of(", |)")));
  t.rest.remove_prefix(digits.size());
  const float value = std::stof(digits);
  if (spec.kind == Kind::imm && spec.constant == Constant::f64)
    return wide_literal(std::bit_cast<uint64_t>(std::stod(digits)), spec, true);
  if (spec.constant == Constant::bf16) return imm(static_cast<int32_t>(std::bit_cast<uint32_t>(value) >> 16));
  return spec.constant == Constant::f16 ? imm(half_bits(value)) : immf(value);
}

Operand parse_tuple(Text& t, File file) {  // after the file letter
  if (t.eat("[")) {
    const int first = static_cast<int>(t.integer()), last = t.eat(":") ? static_cast<int>(t.integer()) : first;
    t.expect("]");
    if (last < first || last - first > 31)
      t.fail(fmt::format("register range [{}:{}] is not a tuple of 1 to 32", first, last));
    return reg(file, first, last - first + 1);
  }
  Operand o = reg(file, static_cast<int>(t.integer()));
  if (t.rest.starts_with(".l") || t.rest.starts_with(".h")) o.part = t.rest[1] == 'h' ? 2 : 1, t.rest.remove_prefix(2);
  return o;
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
  t.fail(
      fmt::format("'{}' is not an operand; legal: v0, a0, s0, tuples as v[0:3], vcc, exec, m0, null, off and numbers",
                  name.empty() ? before : name));
}

Operand parse_operand(Text& t, const OperandSpec& spec) {
  t.skip();
  if (t.number_ahead()) return parse_number(t, spec);
  if (t.eat("lit64(")) {
    Operand o = parse_number(t, spec, Literal::of_64_bits);
    t.expect(")");
    return o;
  }
  if (t.eat("lit(")) {
    Operand o = parse_number(t, spec, Literal::yes);
    t.expect(")");
    return o;
  }
  if (t.eat("-")) {
    Operand o = parse_operand(t, spec);
    o.neg = true;
    return o;
  }
  if (t.eat("|")) {
    Operand o = parse_operand(t, spec);
    t.expect("|");
    o.abs = true;
    return o;
  }
  if (t.rest.starts_with("neg(")) {
    t.eat("neg(");
    Operand o = parse_operand(t, spec);
    t.expect(")");
    o.neg = true;
    return o;
  }
  if (t.rest.starts_with("abs(")) {
    t.eat("abs(");
    Operand o = parse_operand(t, spec);
    t.expect(")");
    o.abs = true;
    return o;
  }
  if (t.eat("sext(")) {
    Operand o = parse_operand(t, spec);
    t.expect(")");
    o.sext = true;
    return o;
  }
  if (spec.kind == Kind::label && t.eat(".L")) return label(static_cast<int>(t.integer()));
  return parse_register(t, spec);
}

Inst parse_waits(Text& t, Arch arch) {
  Waits w;
  t.skip();
  if (t.number_ahead()) {
    Inst i{Opcode::s_waitcnt};
    i.operands[0] = imm(static_cast<int32_t>(t.integer()));
    return i;
  }
  while (t.skip(), !t.rest.empty()) {
    const auto name = t.word();
    int* field = name == "vmcnt" ? &w.vm : name == "lgkmcnt" ? &w.lgkm : name == "expcnt" ? &w.exp : nullptr;
    if (!field) t.fail(fmt::format("'{}' is not a wait counter; legal: vmcnt, lgkmcnt, expcnt", name));
    t.expect("(");
    *field = static_cast<int>(t.integer());
    t.expect(")");
    t.eat("&");
  }
  return wait_instruction(Opcode::s_waitcnt, w, arch);
}

struct Mnemonic {
  std::string_view full, name;
};

// The name without the suffix of an encoding, which becomes a modifier.
Mnemonic parse_mnemonic(Text& t, Mods& m) {
  Mnemonic n{t.word(), {}};
  n.name = n.full;
  if (!find_opcodes(n.name).empty()) return n;
  const auto strip = [&](std::string_view suffix) {
    if (!n.name.ends_with(suffix)) return false;
    n.name.remove_suffix(suffix.size());
    return true;
  };
  if (strip("_e64_dpp")) m.e64 = m.dpp = true;
  else if (strip("_e64")) m.e64 = true;
  else if (strip("_dpp")) m.dpp = true;
  else if (strip("_sdwa")) m.sdwa = true;
  else strip("_e32");
  return n;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto at = text.rfind(word);
  return at != text.npos && at > 0 && text[at - 1] == ' ' &&
         (at + word.size() == text.size() || text[at + word.size()] == ' ');
}
bool asks_return(std::string_view text) {
  return has_word(text, "glc") || has_word(text, "sc0") || text.find("_RETURN") != text.npos;
}

int operand_count(std::string_view rest) {  // commas outside of brackets; the empty text has none
  int depth = 0, commas = 0;
  for (const char c : rest) depth += (c == '[' || c == '(') - (c == ']' || c == ')'), commas += c == ',' && depth == 0;
  return rest.find_first_not_of(' ') == rest.npos ? 0 : commas + 1;
}

bool loads_to_lds(const Info& row, std::string_view text) {
  return has_word(text, "lds") && row.unit == Unit::vmem && row.operands[0].access != Access::read;
}

// Of the rows with one spelling, the one that fits the operands and the "return the old value" flag best.
Opcode choose_row(const Text& t, const Mnemonic& n, Arch arch) {
  const auto known = find_opcodes(n.name);
  if (known.empty()) {
    const auto close = nearest(n.name);
    t.fail(fmt::format("unknown instruction '{}'{}", n.full, close.empty() ? "" : "; did you mean " + close + "?"));
  }
  std::vector<Opcode> here;
  std::copy_if(known.begin(), known.end(), std::back_inserter(here), [&](Opcode op) { return info(op).on(arch); });
  if (here.empty())
    t.fail(fmt::format("not available on {} ({} has it)", target(arch).name, archs_with(info(known[0]))));
  const auto keep_if = [&](auto fits) {
    if (here.size() > 1 && std::any_of(here.begin(), here.end(), fits))
      here.erase(std::remove_if(here.begin(), here.end(), [&](Opcode op) { return !fits(op); }), here.end());
  };
  const bool returning = asks_return(t.all);
  const int given = operand_count(t.rest);
  keep_if([&](Opcode op) { return static_cast<bool>(info(op).implicit & returns) == returning; });
  keep_if([&](Opcode op) { return info(op).count() - loads_to_lds(info(op), t.all) == given; });
  return here[0];
}

std::string without_comments(std::string_view text) {
  std::string out(text.substr(0, std::min(text.find("//"), text.find(';'))));
  for (size_t at; (at = out.find("/*v")) !=
                  out.npos;) {  // a register extended by s_set_vgpr_msb; LLVM's other remarks are errors and stay
    const auto end = out.find("*/", at);
    out.erase(at, end == out.npos ? out.npos : end + 2 - at);
    if (at > 0 && out[at - 1] == ' ' && (at == out.size() || out[at] == ',' || out[at] == ' ')) out.erase(at - 1, 1);
  }
  while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back()))) out.pop_back();
  out.erase(0, std::min(out.find_first_not_of(" \t"), out.size()));
  return out;
}

bool named_immediate(Kind k) {
  return k == Kind::hwreg || k == Kind::message || k == Kind::delay || k == Kind::depctr || k == Kind::gpr_index ||
         k == Kind::version;
}

// The target's "return the old value" flag belongs to the row, not to the modifiers.
void drop_return_flag(Inst& inst) {
  if (!(inst.info().implicit & returns)) return;
  inst.mods.flags &= ~(glc | sc0);
  if (inst.mods.th & 1) inst.mods.th &= ~1;
}

void parse_operands(Text& t, Inst& inst, Arch arch) {
  const Info& row = inst.info();
  const int n = row.count(), first = loads_to_lds(row, t.all) ? 1 : 0;
  for (int i = first; i < n; ++i) {
    const OperandSpec& spec = row.operands[i];
    if (i > first && !t.eat(",")) {
      if (!spec.optional) t.fail(fmt::format("takes {} operands, got {}", n, i));
      inst.operands[i] = off();
      continue;
    }
    inst.operands[i] = named_immediate(spec.kind) ? imm(static_cast<int32_t>(parse_named_immediate(t, spec.kind, arch)))
                                                  : parse_operand(t, spec);
  }
}

// v_dual_add_f32 is v_add_f32 as one half of a pair.
Inst parse_half(std::string_view text, Arch arch, bool second) {
  Text t{text, text};
  const std::string full(t.word());
  if (!full.starts_with("v_dual_")) t.fail("half of a pair, which starts with v_dual_");
  Inst inst;
  bool found = false;
  for (const Opcode op : find_opcodes("v_" + full.substr(7)))
    if (const Pairing p = pairing(op);
        !found && ((second ? p.second | p.long_second : p.first | p.long_first) & bit(arch)))
      inst.op = op, found = true;
  if (!found)
    t.fail(
        fmt::format("'{}' is not the {} half of a pair on {}", full, second ? "second" : "first", target(arch).name));
  for (int i = 0, n = inst.info().count(); i < n; ++i) {
    const OperandSpec& spec = inst.info().operands[i];
    const bool more = i == 0 || t.eat(",");
    if (!more && spec.kind == Kind::mask) {
      inst.operands[i] = reg(File::s, sreg::vcc, 1);
      continue;
    }
    if (!more) t.fail(fmt::format("takes {} operands, got {}", n, i));
    inst.operands[i] = parse_operand(t, spec);
    inst.mods.e64 |= spec.kind == Kind::mask;
  }
  while (t.skip(), !t.rest.empty()) parse_modifier(t, inst);
  return inst;
}

Inst parse_pair(std::string_view text, size_t middle, Arch arch) {
  const Inst first = parse_half(text.substr(0, middle), arch, false),
             second = parse_half(text.substr(middle + 2), arch, true);
  Inst pair = paired(first, second);
  const PairForm form = pair_form(first.op, second.op, arch);
  if (form == PairForm::none) throw IsaError(fmt::format("{}: {} does not pair these two", text, target(arch).name));
  if (form == PairForm::vopd3) pair.mods.e64 = false;  // the only form that fits
  return pair;
}

}  // namespace

Inst parse(std::string_view original, Arch arch) {
  const std::string text = without_comments(original);
  if (const auto middle = text.find("::"); middle != text.npos) return parse_pair(text, middle, arch);
  Text t{text, text};
  Inst inst;
  const Mnemonic name = parse_mnemonic(t, inst.mods);
  inst.op = choose_row(t, name, arch);
  if (inst.op == Opcode::s_waitcnt) return parse_waits(t, arch);
  if (inst.info().implicit & mix) inst.mods.op_sel_hi = 0;
  parse_operands(t, inst, arch);
  while (t.skip(), !t.rest.empty()) parse_modifier(t, inst);
  drop_return_flag(inst);
  if (inst.info().format == Format::gws) inst.mods.flags &= ~gds;
  return inst;
}

}  // namespace wavesmith::isa
