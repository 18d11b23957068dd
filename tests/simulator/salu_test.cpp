// Scalar instructions against values worked by hand from the ISA guides' pseudo-code, and against plain formulas over
// edge values.
#include <cmath>

#include "tests/support/bit_casts.h"
#include "tests/support/one_wave.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using isa::Arch;

namespace {

struct ScalarCase {
  const char* text;
  uint64_t a, b;
  uint64_t result;
  int scc;
};  // s[2:3] = a, s[4:5] = b, result in s0 or s[0:1]; scc -1: kept

void check_scalar(Arch arch, std::initializer_list<ScalarCase> cases) {
  OneWave m(arch);
  for (const ScalarCase& c : cases) {
    for (const bool scc : {false, true}) {
      if (c.scc == 2 && scc) continue;  // reads SCC: 0 before
      m.s(0) = 0xdead0000, m.s(1) = 0;
      m.wave.set_pair(2, c.a), m.wave.set_pair(4, c.b);
      m.wave.scc = scc;
      m.run(c.text);
      CAPTURE(c.text, c.a, c.b, scc);
      CHECK(m.fault() == "");
      const bool wide = std::string(c.text).find(" s[0:1]") != std::string::npos;
      CHECK((wide ? m.wave.pair(0) : m.s(0)) == c.result);
      if (c.scc == -1) CHECK(m.wave.scc == scc);
      else if (c.scc < 2) CHECK(m.wave.scc == static_cast<bool>(c.scc));
    }
  }
}

}  // namespace

TEST_CASE("scalar bit instructions give the ISA guide's values", "[sim][salu]") {
  check_scalar(Arch::gfx942,
               {
                   {"s_not_b64 s[0:1], s[2:3]", 0x00000000ffffffff, 0, 0xffffffff00000000, 1},
                   {"s_brev_b32 s0, s2", 0x00000001, 0, 0x80000000, -1},
                   {"s_brev_b64 s[0:1], s[2:3]", 0x1, 0, 0x8000000000000000, -1},
                   {"s_wqm_b32 s0, s2", 0x00010020, 0, 0x000f00f0, 1},
                   {"s_wqm_b64 s[0:1], s[2:3]", 0x8000000000000000, 0, 0xf000000000000000, 1},
                   {"s_quadmask_b32 s0, s2", 0x40000001, 0, 0x81, 1},
                   {"s_quadmask_b64 s[0:1], s[2:3]", 0x1000000000000010, 0, 0x8002, 1},
                   {"s_quadmask_b32 s0, s2", 0, 0, 0, 0},
                   {"s_bcnt0_i32_b32 s0, s2", 0xffffffff, 0, 0, 0},
                   {"s_bcnt0_i32_b64 s0, s[2:3]", 0xffffffff, 0, 32, 1},
                   {"s_bcnt1_i32_b64 s0, s[2:3]", 0x8000000000000001, 0, 2, 1},
                   {"s_ff0_i32_b32 s0, s2", 0xffffffff, 0, 0xffffffff, -1},
                   {"s_ff0_i32_b32 s0, s2", 0x0000ffff, 0, 16, -1},
                   {"s_ff1_i32_b64 s0, s[2:3]", 0x100000000, 0, 32, -1},
                   {"s_flbit_i32_b32 s0, s2", 0x0000cccc, 0, 16, -1},
                   {"s_flbit_i32_b32 s0, s2", 0, 0, 0xffffffff, -1},
                   {"s_flbit_i32_b64 s0, s[2:3]", 1, 0, 63, -1},
                   {"s_flbit_i32 s0, s2", 0xffff3333, 0, 16, -1},
                   {"s_flbit_i32 s0, s2", 0x80000000, 0, 1, -1},
                   {"s_flbit_i32 s0, s2", 0xffffffff, 0, 0xffffffff, -1},
                   {"s_flbit_i32_i64 s0, s[2:3]", 0xfffffffffffffffe, 0, 63, -1},
                   {"s_sext_i32_i8 s0, s2", 0x1280, 0, 0xffffff80, -1},
                   {"s_bitreplicate_b64_b32 s[0:1], s2", 0x80000005, 0, 0xc000000000000033, -1},
                   {"s_bitset1_b32 s0, s2", 36, 0, 0xdead0010, -1},
                   {"s_bitset0_b32 s0, s2", 16, 0, 0xdeac0000, -1},
                   {"s_bitset1_b64 s[0:1], s2", 33, 0, 0x2dead0000, -1},
                   {"s_abs_i32 s0, s2", 0x80000000, 0, 0x80000000, 1},
                   {"s_abs_i32 s0, s2", 0xffffffff, 0, 1, 1},
                   {"s_absdiff_i32 s0, s2, s4", 0x2, 0x5, 3, 1},
                   {"s_absdiff_i32 s0, s2, s4", 0x80000000, 1, 0x7fffffff, 1},
                   {"s_bfe_u32 s0, s2, s4", 0x12345678, 0x00080008, 0x56, 1},
                   {"s_bfe_i32 s0, s2, s4", 0x00008000, 0x0008000c, 8, 1},
                   {"s_bfe_i32 s0, s2, s4", 0x0000f000, 0x0004000c, 0xffffffff, 1},
                   {"s_bfe_u64 s[0:1], s[2:3], s4", 0x123456789abcdef0, 0x00100024, 0x4567, 1},
                   {"s_bfe_i64 s[0:1], s[2:3], s4", 0x8000000000000000, 0x0004003c, 0xfffffffffffffff8, 1},
                   {"s_bfe_u32 s0, s2, s4", 0xffffffff, 0x00000004, 0, 0},
                   {"s_bfm_b32 s0, s2, s4", 5, 8, 0x1f00, -1},
                   {"s_bfm_b64 s[0:1], s2, s4", 4, 62, 0xc000000000000000, -1},
                   {"s_andn2_b32 s0, s2, s4", 0xff, 0x0f, 0xf0, 1},
                   {"s_orn2_b64 s[0:1], s[2:3], s[4:5]", 0, ~uint64_t{0}, 0, 0},
                   {"s_nand_b32 s0, s2, s4", 0xffffffff, 0xffffffff, 0, 0},
                   {"s_nor_b64 s[0:1], s[2:3], s[4:5]", 1, 2, 0xfffffffffffffffc, 1},
                   {"s_xnor_b32 s0, s2, s4", 0xf0f0f0f0, 0x0f0f0f0f, 0, 0},
                   {"s_lshl_b64 s[0:1], s[2:3], s4", 1, 63 + 64, 0x8000000000000000, 1},
                   {"s_ashr_i64 s[0:1], s[2:3], s4", 0x8000000000000000, 63, ~uint64_t{0}, 1},
                   {"s_pack_ll_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 0x44442222, -1},
                   {"s_pack_lh_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 0x33332222, -1},
                   {"s_pack_hh_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 0x33331111, -1},
                   {"s_and_b64 s[0:1], s[2:3], 0.5", ~uint64_t{0}, 0, 0x3fe0000000000000,
                    1},  // inline floats are doubles in 64-bit operands
                   {"s_or_b64 s[0:1], s[2:3], -16", 0, 0, 0xfffffffffffffff0, 1},
               });
  check_scalar(Arch::gfx1100, {{"s_pack_hl_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 0x44441111, -1},
                               {"s_cls_i32 s0, s2", 0x7fffffff, 0, 1, -1},
                               {"s_ctz_i32_b32 s0, s2", 8, 0, 3, -1}});
}

TEST_CASE("scalar arithmetic carries, overflows and selects as SCC says", "[sim][salu]") {
  check_scalar(Arch::gfx942, {
                                 {"s_add_u32 s0, s2, s4", 0xffffffff, 1, 0, 1},
                                 {"s_add_i32 s0, s2, s4", 0x7fffffff, 1, 0x80000000, 1},
                                 {"s_add_i32 s0, s2, s4", 0xffffffff, 1, 0, 0},
                                 {"s_sub_u32 s0, s2, s4", 1, 2, 0xffffffff, 1},
                                 {"s_sub_i32 s0, s2, s4", 0x80000000, 1, 0x7fffffff, 1},
                                 {"s_addc_u32 s0, s2, s4", 0xffffffff, 0, 0xffffffff, 2},
                                 {"s_min_i32 s0, s2, s4", 0x80000000, 1, 0x80000000, 1},
                                 {"s_min_u32 s0, s2, s4", 7, 7, 7, 0},
                                 {"s_max_u32 s0, s2, s4", 8, 7, 8, 1},
                                 {"s_max_i32 s0, s2, s4", 0x80000000, 1, 1, 0},
                                 {"s_mul_hi_u32 s0, s2, s4", 0xffffffff, 0xffffffff, 0xfffffffe, -1},
                                 {"s_mul_hi_i32 s0, s2, s4", 0xffffffff, 0xffffffff, 0, -1},
                                 {"s_lshl3_add_u32 s0, s2, s4", 0x20000000, 5, 5, 1},
                                 {"s_addk_i32 s0, 0x8000", 0, 0, 0xdeac8000, 0},
                                 {"s_mulk_i32 s0, -2", 0, 0, 0x42a60000, -1},
                                 {"s_movk_i32 s0, 0x8000", 0, 0, 0xffff8000, -1},
                             });
  check_scalar(Arch::gfx1201,
               {
                   {"s_add_nc_u64 s[0:1], s[2:3], s[4:5]", ~uint64_t{0}, 2, 1, -1},
                   {"s_sub_nc_u64 s[0:1], s[2:3], s[4:5]", 0, 1, ~uint64_t{0}, -1},
                   {"s_mul_u64 s[0:1], s[2:3], s[4:5]", 0x100000001, 0x100000001, 0x0000000200000001, -1},
               });
}

TEST_CASE("scalar comparisons agree with the host's on edge values", "[sim][salu]") {
  OneWave m(Arch::gfx942);
  const uint32_t edges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffff8000, 0xffffffff};
  const auto holds = [](const std::string& op, auto a, auto b) {
    return op == "eq"   ? a == b
           : op == "lg" ? a != b
           : op == "gt" ? a > b
           : op == "ge" ? a >= b
           : op == "lt" ? a < b
                        : a <= b;
  };
  for (const std::string op : {"eq", "lg", "gt", "ge", "lt", "le"})
    for (const uint32_t a : edges)
      for (const uint32_t b : edges) {
        CAPTURE(op, a, b);
        m.s(2) = a, m.s(4) = b;
        m.run("s_cmp_" + op + "_i32 s2, s4");
        CHECK(m.wave.scc == holds(op, static_cast<int32_t>(a), static_cast<int32_t>(b)));
        m.run("s_cmp_" + op + "_u32 s2, s4");
        CHECK(m.wave.scc == holds(op, a, b));
        if (b > 0xffff) continue;
        m.run(fmt::format("s_cmpk_{}_i32 s2, {:#x}", op, b));
        CHECK(m.wave.scc == holds(op, static_cast<int32_t>(a), static_cast<int32_t>(static_cast<int16_t>(b))));
        m.run(fmt::format("s_cmpk_{}_u32 s2, {:#x}", op, b));
        CHECK(m.wave.scc == holds(op, a, b));
      }
  m.wave.set_pair(2, uint64_t{1} << 40), m.s(4) = 40 + 64;
  m.run("s_bitcmp1_b64 s[2:3], s4");
  CHECK(m.wave.scc);
  m.run("s_bitcmp0_b64 s[2:3], s4");
  CHECK_FALSE(m.wave.scc);
}

TEST_CASE("conditional moves keep their destination when SCC is 0", "[sim][salu]") {
  OneWave m(Arch::gfx90a);
  for (const bool scc : {false, true}) {
    m.wave.scc = scc;
    m.wave.set_pair(0, 7), m.wave.set_pair(2, 0x500000009);
    m.run("s_cmov_b64 s[0:1], s[2:3]");
    CHECK(m.wave.pair(0) == (scc ? 0x500000009 : 7));
    m.s(0) = 7;
    m.run("s_cmovk_i32 s0, 0xfffe");
    CHECK(m.s(0) == (scc ? 0xfffffffe : 7));
    m.run("s_cselect_b64 s[0:1], s[2:3], 1");
    CHECK(m.wave.pair(0) == (scc ? 0x500000009 : 1));
  }
}

TEST_CASE("saveexec and wrexec change EXEC as wide as the wave", "[sim][salu]") {
  OneWave wide(Arch::gfx942), narrow(Arch::gfx1100), rdna64(Arch::gfx1100, 64);
  const uint64_t e = 0x00ff00ff00ff00ff, x = 0x0f0f0f0f0f0f0f0f;
  const std::tuple<const char*, const char*, uint64_t> families[] = {
      {"s_and_saveexec", "", x & e},
      {"s_or_saveexec", "", x | e},
      {"s_xor_saveexec", "", x ^ e},
      {"s_nand_saveexec", "", ~(x & e)},
      {"s_nor_saveexec", "", ~(x | e)},
      {"s_xnor_saveexec", "", ~(x ^ e)},
      {"s_andn1_saveexec", "s_and_not0_saveexec", ~x & e},
      {"s_andn2_saveexec", "s_and_not1_saveexec", x & ~e},
      {"s_orn1_saveexec", "s_or_not0_saveexec", ~x | e},
      {"s_orn2_saveexec", "s_or_not1_saveexec", x | ~e}};
  for (const auto& [name, rdna, expected] : families) {
    const std::string now = *rdna ? rdna : name;
    CAPTURE(name);
    for (OneWave* m : {&wide, &rdna64}) {
      m->wave.set_exec(e), m->wave.set_pair(2, x);
      m->run((m == &wide ? std::string(name) : now) + "_b64 s[0:1], s[2:3]");
      CHECK(m->wave.exec() == expected);
      CHECK(m->wave.pair(0) == e);
      CHECK(m->wave.scc);
    }
    narrow.wave.set_exec(e), narrow.s(2) = static_cast<uint32_t>(x), narrow.s(1) = 77;
    narrow.run(now + "_b32 s0, s2");
    CHECK(narrow.wave.exec() == (expected & 0xffffffff));
    CHECK(narrow.s(0) == static_cast<uint32_t>(e));
    CHECK(narrow.s(1) == 77);
  }
  wide.wave.set_exec(e), wide.wave.set_pair(2, e);
  wide.run("s_andn1_wrexec_b64 s[0:1], s[2:3]");
  CHECK(wide.wave.exec() == 0);
  CHECK(wide.wave.pair(0) == 0);
  CHECK_FALSE(wide.wave.scc);
}

TEST_CASE("M0 makes scalar moves relative, within the registers there are", "[sim][salu]") {
  OneWave m(Arch::gfx942);
  m.s(17) = 1700, m.s(18) = 1800;
  m.s(isa::sreg::m0) = 10;
  m.run("s_movrels_b32 s5, s7");
  CHECK(m.s(5) == 1700);
  m.run("s_movreld_b32 s9, s17");
  CHECK(m.s(19) == 1700);
  m.s(isa::sreg::m0) = 12;
  m.run("s_movrels_b64 s[2:3], s[6:7]");
  CHECK(m.wave.pair(2) == (1800 | uint64_t{1700} << 32));
  m.s(isa::sreg::m0) = 100;
  m.run("s_movrels_b32 s5, s7");
  CHECK(m.fault() == "M0 selects s107, legal: s0 to s101");
  OneWave r(Arch::gfx1100);
  r.s(17) = 42, r.s(isa::sreg::m0) = 20 << 16 | 10;
  r.run("s_movrelsd_2_b32 s5, s7");  // the guide's example: s25 <= s17
  CHECK(r.s(25) == 42);
}

TEST_CASE("scalar float arithmetic rounds, flushes and orders as the vector unit", "[sim][salu]") {
  const float inf = INFINITY, tiny = 0x1p-140f;
  OneWave m(Arch::gfx1150);
  const auto result = [&](const std::string& text, float a, float b) {
    m.s(2) = u(a), m.s(4) = u(b);
    m.run(text);
    return m.s(0);
  };
  CHECK(result("s_add_f32 s0, s2, s4", 1.f, 0x1p-24f) == u(1.f));
  m.wave.round = 1;  // up
  CHECK(result("s_add_f32 s0, s2, s4", 1.f, 0x1p-24f) == u(1.f + 0x1p-23f));
  m.wave.round = 3;  // toward zero
  CHECK(result("s_sub_f32 s0, s2, s4", 1.f, 0x1p-30f) == u(1.f - 0x1p-24f));
  m.wave.round = 0;
  CHECK(result("s_mul_f32 s0, s2, s4", tiny, 2.f) == u(2 * tiny));
  m.wave.denorm_f32 = 0;
  CHECK(result("s_mul_f32 s0, s2, s4", tiny, 0x1p100f) == 0);
  m.wave.denorm_f32 = 3;
  m.s(0) = u(-1.f);
  CHECK(result("s_fmac_f32 s0, s2, s4", 1.f + 0x1p-23f, 1.f - 0x1p-23f) == u(-0x1p-46f));
  CHECK(result("s_fmaak_f32 s0, s2, s4, 0x40400000", 2.f, 5.f) == u(13.f));
  CHECK(result("s_fmamk_f32 s0, s2, 0x40400000, s4", 2.f, 5.f) == u(11.f));
  CHECK(result("s_min_f32 s0, s2, s4", NAN, 3.f) == u(3.f));
  CHECK(result("s_max_f32 s0, s2, s4", -0.f, 0.f) == u(0.f));
  CHECK(result("s_rndne_f32 s0, s2", 2.5f, 0) == u(2.f));
  CHECK(result("s_ceil_f32 s0, s2", -0.5f, 0) == u(-0.f));
  CHECK(result("s_cvt_i32_f32 s0, s2", -3e9f, 0) == 0x80000000);
  CHECK(result("s_cvt_u32_f32 s0, s2", -1.f, 0) == 0);
  CHECK(result("s_cvt_i32_f32 s0, s2", NAN, 0) == 0);
  CHECK(result("s_cvt_f16_f32 s0, s2", 65520.f, 0) == 0x7c00);
  CHECK(result("s_cvt_pk_rtz_f16_f32 s0, s2, s4", 65520.f, -1.f) == 0xbc007bff);
  m.s(2) = 0x40003c00;
  m.run("s_cvt_hi_f32_f16 s0, s2");
  CHECK(m.s(0) == u(2.f));
  m.run("s_add_f16 s0, s2, 1.0");  // the low half; the result clears the upper one
  CHECK(m.s(0) == 0x4000);
  m.s(2) = 0x80000000;
  m.run("s_cvt_f32_i32 s0, s2");
  CHECK(m.s(0) == u(-0x1p31f));
  m.run("s_cvt_f32_u32 s0, s2");
  CHECK(m.s(0) == u(0x1p31f));
  const struct {
    const char* op;
    bool less, equal, greater, nan;
  } relations[] = {{"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},  {"gt", 0, 0, 1, 0},
                   {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"o", 1, 1, 1, 0},   {"u", 0, 0, 0, 1},
                   {"nge", 1, 0, 0, 1}, {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1}, {"nle", 0, 0, 1, 1},
                   {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}};
  for (const auto& r : relations) {
    CAPTURE(r.op);
    const auto holds = [&](float a, float b) {
      m.s(2) = u(a), m.s(4) = u(b);
      m.run(std::string("s_cmp_") + r.op + "_f32 s2, s4");
      return m.wave.scc;
    };
    CHECK(holds(-inf, 1.f) == r.less);
    CHECK(holds(-0.f, 0.f) == r.equal);
    CHECK(holds(inf, 1.f) == r.greater);
    CHECK(holds(NAN, 1.f) == r.nan);
  }
  OneWave n(Arch::gfx1200);
  n.s(2) = u(-0.f), n.s(4) = u(0.f);
  n.run("s_minimum_f32 s0, s2, s4");
  CHECK(n.s(0) == u(-0.f));
  n.s(4) = u(NAN);
  n.run("s_maximum_f32 s0, s2, s4");
  CHECK(std::isnan(std::bit_cast<float>(n.s(0))));
}

TEST_CASE("MODE is read and written field by field", "[sim][salu]") {
  OneWave m(Arch::gfx942);
  m.wave.round = 0, m.wave.denorm_f32 = 3, m.wave.denorm_f16 = 3, m.wave.ieee = m.wave.dx10_clamp = true;
  m.run("s_getreg_b32 s0, hwreg(HW_REG_MODE)");
  CHECK(m.s(0) == 0x3f0);
  m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0");
  CHECK(m.wave.denorm_f32 == 0);
  CHECK(m.wave.denorm_f16 == 3);
  m.s(2) = 0xffffffff;
  m.run("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s2");
  CHECK(m.wave.round == 15);
  m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0");
  CHECK_FALSE(m.wave.ieee);
  m.run("s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 6)");
  CHECK(m.s(0) == 0b011100);
  OneWave r(Arch::gfx1100);
  r.run("s_round_mode 0x7");
  CHECK(r.wave.round == 7);
  r.run("s_denorm_mode 0x6");
  CHECK(r.wave.denorm_f32 == 2);
  CHECK(r.wave.denorm_f16 == 1);
}

TEST_CASE("hardware registers without a model are refused by name", "[sim][salu]") {
  OneWave m(Arch::gfx942);
  m.run("s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)");
  CHECK(m.s(0) << 16 == sim::shared_aperture);
  m.wave.scc = true;
  m.run("s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)");
  CHECK(m.s(0) == 1);
  m.run("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)");
  CHECK(m.fault() == "accesses HW_REG_GPR_ALLOC: not modelled");
  m.run("s_setreg_imm32_b32 hwreg(HW_REG_STATUS), 1");
  CHECK(m.fault() == "writes HW_REG_STATUS, which is read-only in the simulator");
}

TEST_CASE("traps, halts and messages that nothing answers are faults", "[sim][salu]") {
  OneWave m(Arch::gfx1100);
  for (const char* text : {"s_trap 2", "s_sethalt 1", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_rfe_b64 s[0:1]",
                           "s_code_end", "s_setkill 1", "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)"}) {
    m.run(text);
    CAPTURE(text);
    CHECK(m.fault() != "");
  }
  for (const char* text :
       {"s_nop 7", "s_sleep 3", "s_setprio 2", "s_clause 0x3", "s_delay_alu instid0(VALU_DEP_1)",
        "s_waitcnt_depctr 0xfffe", "s_sethalt 0", "s_icache_inv", "s_wakeup", "s_version UC_VERSION_GFX11",
        "s_ttracedata_imm 0x1", "s_set_inst_prefetch_distance 0x3", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"}) {
    m.run(text);
    CAPTURE(text);
    CHECK(m.fault() == "");
  }
  CHECK(m.wave.written[0] == 0);  // deallocated registers hold nothing any more
}

TEST_CASE("a subvector loop runs its body for each half of EXEC that has lanes", "[sim][salu]") {
  for (const uint64_t exec : {uint64_t{0}, uint64_t{0xff}, uint64_t{0xff} << 32, uint64_t{0xf0000000ffff}}) {
    OneWave m(Arch::gfx1100, 64);
    m.wave.set_exec(exec);
    m.wave.next = 1;
    std::vector<uint64_t> passes;
    const auto taken = [&](const char* text) {
      m.wave.next = 1;
      m.run(text);
      return m.wave.next != 1;
    };
    if (!taken("s_subvector_loop_begin s0, 8")) do
        passes.push_back(m.wave.exec());
      while (taken("s_subvector_loop_end s0, -8"));
    std::vector<uint64_t> expected;
    for (const uint64_t half : {exec & 0xffffffff, exec & ~uint64_t{0xffffffff}})
      if (half) expected.push_back(half);
    CHECK(passes == expected);
    CHECK(m.wave.exec() == exec);
  }
}
