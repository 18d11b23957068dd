// Any bytes for code: every encoding is an instruction whose registers exist, or is refused. LLVM's disassembler is
// part of what is held to that.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstring>
#include <random>

#include "isa_tables/mc/mc.h"

namespace wavesmith::isa {

namespace {

using Words = std::array<uint32_t, 8>;

int registers(File f, const Target& t) {
  return f == File::v ? t.vgprs : f == File::a ? t.agprs : f == File::s ? 128 : 1 << 16;
}  // s: VCC, TTMP, M0 and EXEC included

void decode(Mc& mc, const Words& words, uint64_t& decoded) {
  const std::span code(reinterpret_cast<const uint8_t*>(words.data()), sizeof words);
  const auto d = mc.disassemble(code, 0x1000);
  if (d.size == 0) return;
  try {
    const Inst i = mc.instruction(d, code);
    ++decoded;
    for (const Operand& o : i.operands)
      if (o.is_reg() && o.index + o.dwords > registers(o.file, target(mc.arch())) && o.index < sreg::vcc) {
        INFO(fmt::format("{}: {:08x} {:08x} {:08x}: {}", target(mc.arch()).name, words[0], words[1], words[2], d.text));
        CHECK(o.index + o.dwords <= registers(o.file, target(mc.arch())));
      }
  } catch (const IsaError&) {}
}

// Uniform words; in half of them fields that formats share hold what is special: literals, DPP and SDWA in the places
// of the sources.
void sample(const Target& t, int count) {
  INFO(t.name);
  Mc mc(*find_arch(t.name));
  std::mt19937_64 random(t.elf_mach);
  uint64_t decoded = 0;
  constexpr uint32_t special[] = {255, 254, 253, 249, 250, 233, 234, 235, 124, 125, 126, 127};
  for (int i = 0; i < count; ++i) {
    Words w{};
    for (size_t k = 0; k < (i % 4 == 3 ? w.size() : 2); ++k) w[k] = static_cast<uint32_t>(random());
    if (i % 2) {
      const uint32_t x = special[random() % std::size(special)], y = special[random() % std::size(special)];
      if (random() % 2) w[0] = (w[0] & ~0x1ffu) | x;
      if (random() % 2) w[1] = (w[1] & ~(0x1ffu << 9 * (random() % 3))) | y << 9 * (random() % 3);
    }
    decode(mc, w, decoded);
  }
  CHECK(decoded > static_cast<uint64_t>(count) / 10);
}

}  // namespace

TEST_CASE("every encoding of a random sample decodes or is refused", "[isa][mc][hostile]") {
  for (const Target& t : all_targets()) sample(t, 10'000);
}

TEST_CASE("every encoding of a random million a target decodes or is refused", "[isa][mc][hostile][.slow]") {
  for (const Target& t : all_targets()) sample(t, 1'000'000);
}

TEST_CASE("encodings that LLVM's disassembler and printer do not survive are no instructions", "[isa][mc][hostile]") {
  struct Row {
    const char* target;
    uint32_t first, second;
    const char* what;
  };
  const Row rows[] = {{"gfx908", 0xd1ed000a, 0x000000ff, "VOP3 with a literal"},
                      {"gfx90a", 0xd3e85c10, 0x543336ff, "VOP3P with a literal"},
                      {"gfx908", 0xd04c60ff, 0x02769f07, "v_cmp into a literal"},
                      {"gfx90a", 0xd28900ff, 0x00010101, "v_readlane_b32 into a literal"},
                      {"gfx942", 0xe02a6c2b, 0xff987bff, "MUBUF with a literal"},
                      {"gfx942", 0xea87fc41, 0xffac275d, "MTBUF with a literal"},
                      {"gfx908", 0x5cb426f9, 0xc74222de, "SRC1_SEL 7 of SDWA"},
                      {"gfx950", 0x01680cf9, 0x00070600, "SRC0_SEL 7 of SDWA"},
                      {"gfx90a", 0x02020cf9, 0x00060700, "DST_SEL 7 of SDWA"},
                      {"gfx90a", 0x02020cf9, 0x00061e00, "DST_UNUSED 3 of SDWA"},
                      {"gfx1200", 0xbe9e4eff, 0, "s_barrier_signal of a literal"},
                      {"gfx1250", 0xbea957ff, 0, "s_wakeup_barrier of a literal"}};
  for (const Row& r : rows) {
    INFO(r.target << ": " << r.what);
    Mc mc(*find_arch(r.target));
    const uint32_t words[8] = {r.first, r.second};
    CHECK(mc.disassemble({reinterpret_cast<const uint8_t*>(words), sizeof words}, 0).size == 0);
  }
  Mc mc(Arch::gfx942);  // beside them: what they are mistaken for
  for (const char* text :
       {"v_add_f16_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:BYTE_3",
        "v_cmp_eq_u32_sdwa s[6:7], v1, v2 src0_sel:WORD_1 src1_sel:DWORD", "v_mad_legacy_u16 v10, v1, v2, v254",
        "buffer_load_dword v1, v2, s[4:7], m0 offen"}) {
    INFO(text);
    auto bytes = mc.assemble(text);
    CHECK(mc.disassemble(bytes, 0).size == static_cast<int>(bytes.size()));
  }
}

TEST_CASE("the literal that LLVM's disassembler does not survive where it is legal is decoded", "[isa][mc][hostile]") {
  struct Row {
    const char *target, *text;
  };
  const Row rows[] = {{"gfx908", "v_madmk_f16 v0, v1, 0xfd, v2"},   {"gfx942", "v_madak_f16 v0, v3, v2, 0xfd"},
                      {"gfx90a", "v_madak_f16 v0, 0xfd, v2, 0xfd"}, {"gfx1100", "v_fmamk_f16 v0, v1, 0xfd, v2"},
                      {"gfx1200", "v_fmaak_f16 v0, v1, v2, 0xfd"},  {"gfx1250", "v_fmaak_f16 v0, v1, v2, 0xfd"}};
  for (const Row& r : rows) {
    INFO(r.target << ": " << r.text);
    Mc mc(*find_arch(r.target));
    auto bytes = mc.assemble(r.text);
    REQUIRE(bytes.size() == 8);
    std::string expected = mc.disassemble(bytes, 0).text;
    for (size_t at = 0; (at = expected.find("0xfd", at)) != expected.npos;) expected.replace(at, 4, "0xff");
    bytes[4] = 0xff;
    const auto d = mc.disassemble(bytes, 0);
    CHECK(d.text == expected);
    CHECK(d.size == 8);
    CHECK_NOTHROW(mc.instruction(d, bytes));
  }
}

}  // namespace wavesmith::isa
