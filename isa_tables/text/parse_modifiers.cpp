// Modifiers after the last operand, and immediates with names. Both are parsed without regard to the instruction: the
// assembler refuses those that it does not have.
#include <algorithm>

#include "isa_tables/dpp.h"
#include "isa_tables/names.h"
#include "isa_tables/text/text.h"

namespace wavesmith::isa {
namespace {

uint8_t parse_bits(Text& t, int& count) {
  t.expect("[");
  uint8_t bits = 0;
  for (count = 0; count < 8;) {
    bits |= static_cast<uint8_t>((t.integer() & 1) << count++);
    if (!t.eat(",")) break;
  }
  t.expect("]");
  return bits;
}

template <size_t N>
int choose(Text& t, const std::string_view (&names)[N], const char* what) {
  const auto name = t.word();
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<int>(i);
  t.fail(fmt::format("'{}' is not a {}; legal: {}", name, what, fmt::join(names, ", ")));
}

uint32_t lane_list(Text& t, int lanes, int bits) {  // [a,b,...], one field per lane
  uint32_t out = 0;
  t.expect("[");
  for (int i = 0; i < lanes; ++i) {
    if (i) t.expect(",");
    out |= static_cast<uint32_t>(t.integer() & ((1 << bits) - 1)) << bits * i;
  }
  t.expect("]");
  return out;
}

bool parse_dpp(Text& t, std::string_view name, Mods& m) {
  struct Control {
    std::string_view name;
    uint32_t code;
  };
  static constexpr Control counted[] = {{"row_shl", dpp_ctrl::row_shl},     {"row_shr", dpp_ctrl::row_shr},
                                        {"row_ror", dpp_ctrl::row_ror},     {"row_newbcast", dpp_ctrl::row_newbcast},
                                        {"row_share", dpp_ctrl::row_share}, {"row_xmask", dpp_ctrl::row_xmask}};
  static constexpr Control fixed[] = {
      {"wave_shl", dpp_ctrl::wave_shl},     {"wave_rol", dpp_ctrl::wave_rol},
      {"wave_shr", dpp_ctrl::wave_shr},     {"wave_ror", dpp_ctrl::wave_ror},
      {"row_mirror", dpp_ctrl::row_mirror}, {"row_half_mirror", dpp_ctrl::row_half_mirror}};
  m.dpp = true;
  for (const auto& r : counted)
    if (name == r.name) {
      t.expect(":");
      m.dpp_ctrl = r.code + static_cast<uint32_t>(t.integer());
      return true;
    }
  for (const auto& r : fixed)
    if (name == r.name) {
      if (t.eat(":")) t.integer();
      m.dpp_ctrl = r.code;
      return true;
    }
  if (name == "row_bcast") {
    t.expect(":");
    m.dpp_ctrl = t.integer() == 15 ? dpp_ctrl::row_bcast15 : dpp_ctrl::row_bcast31;
    return true;
  }
  if (name == "quad_perm") {
    t.expect(":");
    m.dpp_ctrl = lane_list(t, 4, 2);
    return true;
  }
  if (name == "dpp8") {
    t.expect(":");
    m.dpp8 = true;
    m.dpp_ctrl = lane_list(t, 8, 3);
    return true;
  }
  return false;
}

// ds_swizzle_b32's offset by name (ISA guides, DS_SWIZZLE_B32): 0x8000 quads, 0xc000 rotation, 0xe000 FFT, else
// and/or/xor masks of 5 bits.
int32_t parse_swizzle(Text& t) {
  const auto next = [&] {
    t.expect(",");
    return static_cast<int32_t>(t.integer());
  };
  const auto masks = [](int32_t keep, int32_t set, int32_t flip) { return keep | set << 5 | flip << 10; };
  t.expect("(");
  const auto mode = t.word();
  int32_t bits = 0;
  if (mode == "QUAD_PERM") {
    bits = 0x8000;
    for (int i = 0; i < 4; ++i) bits |= next() << 2 * i;
  } else if (mode == "BITMASK_PERM") {
    int32_t keep = 0, set = 0, flip = 0;
    t.expect(",");
    t.expect("\"");
    for (int i = 4; i >= 0; --i) {
      if (t.eat("1")) set |= 1 << i;
      else if (t.eat("p")) keep |= 1 << i;
      else if (t.eat("i")) keep |= 1 << i, flip |= 1 << i;
      else t.expect("0");
    }
    t.expect("\"");
    bits = masks(keep, set, flip);
  } else if (mode == "BROADCAST") {
    const int32_t size = next();
    bits = masks(32 - size, next(), 0);
  } else if (mode == "REVERSE") bits = masks(31, 0, next() - 1);
  else if (mode == "SWAP") bits = masks(31, 0, next());
  else if (mode == "FFT") bits = 0xe000 | next();
  else if (mode == "ROTATE") {
    const int32_t right = next();
    bits = 0xc000 | right << 10 | next() << 5;
  } else
    t.fail(fmt::format("'{}' is not a swizzle; legal: QUAD_PERM, BITMASK_PERM, BROADCAST, REVERSE, SWAP, FFT, ROTATE",
                       mode));
  t.expect(")");
  return bits;
}

bool parse_number_modifier(Text& t, std::string_view name, Mods& m) {
  const auto value = [&] {
    t.expect(":");
    return t.integer();
  };
  static constexpr std::pair<std::string_view, uint8_t Mods::*> bytes[] = {
      {"offset0", &Mods::offset0},     {"offset1", &Mods::offset1},     {"cbsz", &Mods::cbsz},
      {"abid", &Mods::abid},           {"blgp", &Mods::blgp},           {"row_mask", &Mods::row_mask},
      {"bank_mask", &Mods::bank_mask}, {"bitop3", &Mods::bitop3},       {"byte_sel", &Mods::byte_sel},
      {"scale_sel", &Mods::scale_sel}, {"index_key", &Mods::index_key}, {"format", &Mods::format}};
  for (const auto& [byte, member] : bytes)
    if (byte == name) {
      m.*member = static_cast<uint8_t>(value());
      return true;
    }
  if (name == "offset") {
    t.expect(":");
    m.offset = t.eat("swizzle") ? parse_swizzle(t) : static_cast<int32_t>(t.integer());
  } else if (name == "bound_ctrl") m.bound_ctrl = value() >= 0;
  else if (name == "fi") {
    if (value()) m.flags |= fetch_inactive;
  } else if (name == "mul") m.omod = value() == 2 ? 1 : 2;
  else if (name == "div") {
    value();
    m.omod = 3;
  } else return false;
  return true;
}

bool parse_matrix_modifier(Text& t, std::string_view name, Mods& m) {
  if (!name.starts_with("matrix_")) return false;
  const bool b = name.starts_with("matrix_b");
  const auto put = [&](uint8_t& field, int value) { field |= static_cast<uint8_t>(b ? value << 4 : value); };
  t.expect(":");
  const auto what = name.substr(9);
  if (what == "fmt") (b ? m.blgp : m.cbsz) = static_cast<uint8_t>(choose(t, matrix_format_names, "matrix format"));
  else if (what == "scale") put(m.scale, choose(t, matrix_scale_names, "scale row"));
  else if (what == "scale_fmt") put(m.scale_fmt, choose(t, matrix_scale_format_names, "scale format"));
  else return false;
  return true;
}

uint32_t parse_message(Text& t, Arch arch) {
  t.expect("(");
  const auto number = [&](auto named) {
    t.skip();
    if (t.number_ahead()) return static_cast<int>(t.integer());
    const auto name = t.word();
    const std::optional<int> n = named(name);
    if (!n) t.fail(fmt::format("'{}' is not a message or operation of {}", name, target(arch).name));
    return *n;
  };
  int bits = number([&](std::string_view n) { return number_of(message_names(), n, arch); });
  if (t.eat(","))
    bits |= number([](std::string_view n) -> std::optional<int> {
              for (const auto& [name, op] : message_operations)
                if (name == n) return op;
              return {};
            })
            << 4;
  if (t.eat(",")) bits |= static_cast<int>(t.integer()) << 8;
  t.expect(")");
  return static_cast<uint32_t>(bits);
}

// hwreg(id, first bit, bits)
uint32_t parse_hwreg(Text& t, Arch arch) {
  t.expect("(");
  t.skip();
  HwregField field{};
  if (t.number_ahead()) field.number = static_cast<int>(t.integer());
  else {
    const auto name = t.word();
    const auto n = number_of(hwreg_names(), name, arch);
    if (!n) t.fail(fmt::format("{} has no hardware register '{}'", target(arch).name, name));
    field.number = *n;
  }
  if (t.eat(",")) {
    field.first_bit = static_cast<int>(t.integer());
    t.expect(",");
    field.bits = static_cast<int>(t.integer());
  }
  t.expect(")");
  return static_cast<uint32_t>(field.encoded());
}

uint32_t parse_version(Text& t) {  // s_version: names of microcode versions, combined by or
  uint32_t bits = 0;
  do {
    const auto name = t.word();
    const auto* found = std::find_if(std::begin(version_names), std::end(version_names),
                                     [&](const auto& v) { return v.first == name; });
    if (found == std::end(version_names)) t.fail(fmt::format("'{}' is not a microcode version", name));
    bits |= found->second;
  } while (t.eat("|"));
  return bits;
}

uint32_t parse_delay(Text& t) {  // instid0 in 3:0, instskip in 6:4, instid1 in 10:7
  uint32_t bits = 0;
  while (t.skip(), !t.rest.empty()) {
    const auto field = t.word();
    t.expect("(");
    if (field == "instskip") bits |= static_cast<uint32_t>(choose(t, delay_skips, "instskip")) << 4;
    else if (field == "instid0" || field == "instid1")
      bits |= static_cast<uint32_t>(choose(t, delay_ids, "instid")) << (field == "instid1" ? 7 : 0);
    else t.fail(fmt::format("'{}' is not a field of s_delay_alu; legal: instid0, instskip, instid1", field));
    t.expect(")");
    t.eat("|");
  }
  return bits;
}

uint32_t parse_depctr(Text& t) {  // fields not named stay at "no wait", all ones
  uint32_t bits = 0xffff;
  for (const auto& f : depctr_fields) bits |= ((1u << f.bits) - 1) << f.shift;
  while (t.skip(), !t.rest.empty()) {
    const auto name = t.word();
    const DepctrField* field = nullptr;
    for (const auto& f : depctr_fields)
      if (f.name == name) field = &f;
    if (!field) t.fail(fmt::format("'{}' is not a dependency counter", name));
    const uint32_t mask = ((1u << field->bits) - 1) << field->shift;
    t.expect("(");
    bits = (bits & ~mask) | (static_cast<uint32_t>(t.integer()) << field->shift & mask);
    t.expect(")");
    if (!t.eat("&")) t.eat(",");
  }
  return bits;
}

}  // namespace

uint32_t parse_named_immediate(Text& t, Kind kind, Arch arch) {
  t.skip();
  if (t.number_ahead()) return static_cast<uint32_t>(t.integer());
  if (kind == Kind::delay) return parse_delay(t);
  if (kind == Kind::depctr) return parse_depctr(t);
  if (kind == Kind::version) return parse_version(t);
  if (t.eat("gpr_idx(")) {
    uint32_t bits = 0;
    while (!t.eat(")")) {
      bits |= 1u << choose(t, gpr_index_names, "source of an indexed move");
      t.eat(",");
    }
    return bits;
  }
  if (t.eat("hwreg")) return parse_hwreg(t, arch);
  if (t.eat("sendmsg")) return parse_message(t, arch);
  t.fail(fmt::format("expected a number, hwreg(...) or sendmsg(...) at '{}'", t.rest));
}

void parse_modifier(Text& t, Inst& inst) {
  Mods& m = inst.mods;
  const auto name = t.word();
  if (name.empty()) t.fail(fmt::format("unexpected '{}'", t.rest));
  for (const auto& [flag, flag_name] : flag_names)
    if (flag_name == name) {
      m.flags |= flag;
      return;
    }
  const bool dpp = m.dpp;
  if (parse_dpp(t, name, m)) return;
  m.dpp = dpp;
  if (parse_number_modifier(t, name, m) || parse_matrix_modifier(t, name, m)) return;
  t.expect(":");
  int count = 0;
  if (name == "op_sel") {
    m.op_sel = parse_bits(t, count);
    const Format f = inst.info().format;
    if (const int n = source_count(inst.info());
        f != Format::vop3p && f != Format::mai && count == n + 1 && n < 3 && (m.op_sel >> n & 1))
      m.op_sel ^= 1 << n | 8;
  } else if (name == "op_sel_hi") {
    m.op_sel_hi = parse_bits(t, count);
    m.op_sel_hi |= inst.info().implicit & mix ? 0 : 0xf << count & 0xf;
  } else if (name == "neg_lo") m.neg_lo = parse_bits(t, count);
  else if (name == "neg_hi") m.neg_hi = parse_bits(t, count);
  else if (name == "dst_sel") m.dst_sel = static_cast<Sdwa>(choose(t, sdwa_names, "SDWA selector"));
  else if (name == "src0_sel") m.src0_sel = static_cast<Sdwa>(choose(t, sdwa_names, "SDWA selector"));
  else if (name == "src1_sel") m.src1_sel = static_cast<Sdwa>(choose(t, sdwa_names, "SDWA selector"));
  else if (name == "dst_unused") m.dst_unused = static_cast<uint8_t>(choose(t, dst_unused_names, "dst_unused value"));
  else if (name == "scope") m.scope = static_cast<uint8_t>(choose(t, scope_names, "scope"));
  else if (name == "th") {
    const auto hint = t.word();
    const auto th = hint_of(hint);
    if (!th) t.fail(fmt::format("'{}' is not a temporal hint", hint));
    m.th = static_cast<uint8_t>(*th);
  } else t.fail(fmt::format("'{}' is not a known modifier", name));
}

}  // namespace wavesmith::isa
