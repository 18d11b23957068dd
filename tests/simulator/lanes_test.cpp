// Data between lanes: DPP, SDWA, permutations, relative registers, v_cmpx and pairs. Every lane starts with its own
// number, so that a result says where it came from.
#include "tests/support/one_wave.h"

using namespace simtest;
using isa::Arch;

namespace {

constexpr uint32_t kept = 0xeeee;  // what a result register held before

std::vector<uint32_t> moved(OneWave& m, const std::string& text) {
  m.lanes(1), m.fill(0, kept);
  m.run(text);
  return {m.v(0), m.v(0) + m.width()};
}

}  // namespace

TEST_CASE("DPP16 reads the lane its control names", "[sim][lanes]") {
  struct Control {
    const char* text;
    int (*source)(int lane);
  };  // -1: out of range
  const Control rows[] = {
      {"quad_perm:[3,2,1,0]", [](int l) { return l ^ 3; }},
      {"row_shl:3", [](int l) { return l % 16 + 3 < 16 ? l + 3 : -1; }},
      {"row_shr:15", [](int l) { return l % 16 == 15 ? l - 15 : -1; }},
      {"row_ror:5", [](int l) { return l / 16 * 16 + (l + 11) % 16; }},
      {"row_mirror", [](int l) { return l ^ 15; }},
      {"row_half_mirror", [](int l) { return l ^ 7; }},
  };
  const Control gfx9[] = {
      {"wave_shl:1", [](int l) { return l < 63 ? l + 1 : -1; }},
      {"wave_rol:1", [](int l) { return (l + 1) % 64; }},
      {"wave_shr:1", [](int l) { return l - 1; }},
      {"wave_ror:1", [](int l) { return (l + 63) % 64; }},
      {"row_bcast:15", [](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }},
      {"row_bcast:31", [](int l) { return l < 32 ? -1 : 31; }},
  };
  const Control rdna[] = {{"row_share:9", [](int l) { return l / 16 * 16 + 9; }},
                          {"row_xmask:6", [](int l) { return l ^ 6; }}};
  const auto check = [](OneWave& m, const Control& c) {
    for (const bool bound : {false, true}) {
      CAPTURE(c.text, bound);
      const auto got = moved(
          m, fmt::format("v_mov_b32_dpp v0, v1 {} row_mask:0xf bank_mask:0xf{}", c.text, bound ? " bound_ctrl:1" : ""));
      for (int l = 0; l < m.width(); ++l) {
        const int from = c.source(l);
        CAPTURE(l);
        CHECK(got[static_cast<size_t>(l)] == (from >= 0 ? static_cast<uint32_t>(from) : bound ? 0 : kept));
      }
    }
  };
  OneWave cdna(Arch::gfx942), rdna32(Arch::gfx1100), rdna64(Arch::gfx1201, 64);
  for (OneWave* m : {&cdna, &rdna32, &rdna64})
    for (const Control& c : rows) check(*m, c);
  for (const Control& c : gfx9) check(cdna, c);
  for (const Control& c : rdna) check(rdna32, c), check(rdna64, c);
}

TEST_CASE("DPP leaves rows and banks outside of its masks alone and obeys EXEC", "[sim][lanes]") {
  OneWave m(Arch::gfx1100);
  auto got = moved(m, "v_mov_b32_dpp v0, v1 quad_perm:[0,0,0,0] row_mask:0x2 bank_mask:0x5");
  for (uint32_t l = 0; l < 32; ++l)
    CHECK(got[l] == (l / 16 == 1 && (l / 4 % 4 == 0 || l / 4 % 4 == 2) ? (l & ~3u) : kept));
  m.wave.set_exec(0xfffffffe);  // lane 0 disabled
  const char* controls = "v_mov_b32_dpp v0, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf";
  CHECK(moved(m, controls)[1] == kept);
  CHECK(moved(m, std::string(controls) + " bound_ctrl:1")[1] == 0);
  m.lanes(1), m.v(1)[0] = 77, m.fill(0, kept);
  m.run(std::string(controls) + " fi:1");
  CHECK(m.v(0)[1] == 77);                                                                   // a disabled lane is read
  CHECK(m.v(0)[0] == kept);                                                                 // but not written
  const std::string shifted = "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf";  // lane 16: out of range
  CHECK(moved(m, shifted + " fi:1")[16] == kept);
  CHECK(moved(m, shifted + " bound_ctrl:1 fi:1")[16] == 0);
}

TEST_CASE("DPP8 permutes groups of eight", "[sim][lanes]") {
  OneWave m(Arch::gfx1200);
  auto got = moved(m, "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == (l ^ 7));
  m.wave.set_exec(0xffffff7f);  // lane 7 disabled
  CHECK(moved(m, "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]")[0] == 0);
  CHECK(moved(m, "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1")[0] == 7);
}

TEST_CASE("DPP works on two sources, on comparisons and on VOP3", "[sim][lanes]") {
  OneWave m(Arch::gfx1100);
  m.fill(2, 100);
  CHECK(moved(m, "v_add_nc_u32_dpp v0, v1, v2 row_share:3 row_mask:0xf bank_mask:0xf")[20] == 119);
  m.fill(3, 7);
  CHECK(moved(m, "v_add3_u32_e64_dpp v0, v1, v2, v3 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf")[8] == 116);
  m.lanes(1), m.lanes(2);
  m.run("v_cmp_eq_u32_dpp vcc_lo, v1, v2 row_shr:1 row_mask:0x1 bank_mask:0xf bound_ctrl:1");
  CHECK(m.s(isa::sreg::vcc) == 1);  // lane 0 reads 0; the row that is masked off gets zeros
}

TEST_CASE("SDWA selects, extends and merges parts of registers", "[sim][lanes]") {
  OneWave m(Arch::gfx90a);
  m.fill(1, 0x80ff7f01), m.fill(2, 0x00000010);
  const auto result = [&](const std::string& text) {
    m.fill(0, 0x11223344);
    m.run(text);
    return m.v(0)[33];
  };
  CHECK(result("v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD src0_sel:BYTE_3 src1_sel:DWORD") == 0x90);
  CHECK(result("v_add_u32_sdwa v0, sext(v1), v2 dst_sel:DWORD src0_sel:BYTE_3 src1_sel:DWORD") == 0xffffff90);
  CHECK(result("v_add_u32_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:DWORD") ==
        0x7f113344);
  CHECK(result("v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:BYTE_1") ==
        0x0000ff00);
  CHECK(result("v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_2 src1_sel:BYTE_1") ==
        0xffffff00);
  m.lanes(1), m.fill(2, 5);
  m.run("v_cmp_eq_u32_sdwa s[4:5], v1, v2 src0_sel:BYTE_0 src1_sel:BYTE_0");
  CHECK(m.wave.pair(4) == 1u << 5);
}

TEST_CASE("v_readlane, v_writelane and v_readfirstlane address one lane", "[sim][lanes]") {
  OneWave m(Arch::gfx942);
  m.lanes(1);
  m.s(2) = 64 + 9;  // the lane number wraps
  m.run("v_readlane_b32 s0, v1, s2");
  CHECK(m.s(0) == 9);
  m.wave.set_exec(0xff00);
  m.run("v_readfirstlane_b32 s0, v1");
  CHECK(m.s(0) == 8);
  m.wave.set_exec(0);
  m.run("v_readfirstlane_b32 s0, v1");
  CHECK(m.s(0) == 0);
  m.run("v_writelane_b32 v1, 42, s2");  // EXEC does not matter
  CHECK(m.v(1)[9] == 42);
}

TEST_CASE("v_mbcnt counts the mask below each lane", "[sim][lanes]") {
  OneWave m(Arch::gfx942);
  m.s(2) = 0xaaaaaaaa, m.s(3) = 0xffff0000;
  m.run("v_mbcnt_lo_u32_b32 v0, s2, 3");
  m.run("v_mbcnt_hi_u32_b32 v0, s3, v0");
  for (int l : {0, 5, 31, 32, 47, 48, 63})
    CHECK(m.v(0)[l] == 3u + static_cast<uint32_t>(std::min(l, 32) / 2 + std::max(0, l - 48)));
}

TEST_CASE("v_permlane16 gathers within a row, v_permlanex16 from the other one", "[sim][lanes]") {
  OneWave m(Arch::gfx1100);
  m.s(2) = 0x87654321, m.s(3) = 0x0fedcba9;  // rotation by one
  auto got = moved(m, "v_permlane16_b32 v0, v1, s2, s3");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == (l & 16) + (l + 1) % 16);
  got = moved(m, "v_permlanex16_b32 v0, v1, s2, s3");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == ((l & 16) ^ 16) + (l + 1) % 16);
  m.wave.set_exec(0xfffffffd);  // lane 1, which lane 0 reads, is disabled
  CHECK(moved(m, "v_permlane16_b32 v0, v1, s2, s3")[0] == kept);
  CHECK(moved(m, "v_permlane16_b32 v0, v1, s2, s3 op_sel:[0,1]")[0] == 0);
  CHECK(moved(m, "v_permlane16_b32 v0, v1, s2, s3 op_sel:[1,0]")[0] == 1);
  OneWave n(Arch::gfx1201);
  for (uint32_t l = 0; l < 32; ++l) n.v(2)[l] = 15 - l % 16;
  got = moved(n, "v_permlanex16_var_b32 v0, v1, v2");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == ((l ^ 15) ^ 16));
}

TEST_CASE("v_permlane64 changes the halves of wave64 and does nothing in wave32", "[sim][lanes]") {
  OneWave wide(Arch::gfx1100, 64), narrow(Arch::gfx1100);
  const auto got = moved(wide, "v_permlane64_b32 v0, v1");
  for (uint32_t l = 0; l < 64; ++l) CHECK(got[l] == (l ^ 32));
  CHECK(moved(narrow, "v_permlane64_b32 v0, v1")[3] == kept);
  OneWave later(Arch::gfx1250);  // waves of 32 lanes alone
  CHECK(moved(later, "v_permlane64_b32 v0, v1")[3] == kept);
}

TEST_CASE("gfx1250's permutations work in groups of a power of two", "[sim][lanes]") {
  OneWave m(Arch::gfx1250);
  m.s(2) = 3, m.s(3) = 8;
  const auto group = [](uint32_t l) { return l & ~7u; };
  auto got = moved(m, "v_permlane_bcast_b32 v0, v1, s2, s3");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == group(l) + 3);
  got = moved(m, "v_permlane_up_b32 v0, v1, s2, s3");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == (l % 8 < 3 ? l : l - 3));
  got = moved(m, "v_permlane_down_b32 v0, v1, s2, s3");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == (l % 8 + 3 < 8 ? l + 3 : l));
  got = moved(m, "v_permlane_xor_b32 v0, v1, s2, s3");
  for (uint32_t l = 0; l < 32; ++l) CHECK(got[l] == (l ^ 3));
  m.lanes(1);
  m.run("v_permlane_idx_gen_b32 v0, v1, s3");
  CHECK(m.v(0)[13] == 13 * 4);
  m.wave.set_exec(0xffff0000);
  CHECK(moved(m, "v_permlane_bcast_b32 v0, v1, s2, s3")[0] == kept);
  m.s(3) = 12;
  m.run("v_permlane_up_b32 v0, v1, s2, s3");
  CHECK(m.fault() == "lane groups of 12; legal: powers of two up to 32");
}

TEST_CASE("row swaps exchange odd rows with even ones and write enabled lanes only", "[sim][lanes]") {
  OneWave m(Arch::gfx950);
  const auto start = [&] {
    for (uint32_t l = 0; l < 64; ++l) m.v(0)[l] = l, m.v(1)[l] = 100 + l;
  };
  start();
  m.run("v_permlane16_swap_b32 v0, v1");
  for (uint32_t l = 0; l < 64; ++l) {
    CHECK(m.v(0)[l] == (l & 16 ? 100 + l - 16 : l));
    CHECK(m.v(1)[l] == (l & 16 ? 100 + l : l + 16));
  }
  start();
  m.run("v_permlane32_swap_b32 v0, v1");
  for (uint32_t l = 0; l < 64; ++l) CHECK(m.v(0)[l] == (l & 32 ? 100 + l - 32 : l));
  start();
  m.wave.set_exec(1);
  m.run("v_permlane16_swap_b32 v0, v1");
  CHECK(m.v(1)[0] == 16);
  CHECK(m.v(0)[16] == 16);
  m.wave.set_exec(0xf0);
  start();
  m.run("v_swap_b32 v0, v1");
  for (uint32_t l = 0; l < 64; ++l) CHECK(m.v(0)[l] == (l >= 4 && l < 8 ? 100 + l : l));
}

TEST_CASE("M0 makes vector moves relative, within the registers there are", "[sim][lanes]") {
  OneWave m(Arch::gfx1100);
  m.lanes(17), m.fill(25, kept);
  m.s(isa::sreg::m0) = 10;
  m.run("v_movrels_b32 v5, v7");
  CHECK(m.v(5)[12] == 12);
  m.run("v_movreld_b32 v15, v17");
  CHECK(m.v(25)[9] == 9);
  m.s(isa::sreg::m0) = 20 << 16 | 10;
  m.fill(25, kept);
  m.run("v_swaprel_b32 v5, v7");  // the guide's example: v25 and v17
  CHECK(m.v(25)[4] == 4);
  CHECK(m.v(17)[4] == kept);
  m.run("v_movrelsd_2_b32 v5, v7");
  CHECK(m.v(25)[4] == kept);
  m.s(isa::sreg::m0) = 300;
  m.run("v_movrels_b32 v5, v7");
  CHECK(m.fault() == "M0 selects v307, the kernel descriptor allocates 256 VGPRs");
}

TEST_CASE("v_cmpx writes its mask and EXEC on gfx9, EXEC alone on RDNA", "[sim][lanes]") {
  OneWave m(Arch::gfx942), r(Arch::gfx1100);
  m.lanes(1), r.lanes(1);
  m.wave.set_exec(0xffff);
  m.run("v_cmpx_gt_u32 s[4:5], 4, v1");
  CHECK(m.wave.pair(4) == 0xf);
  CHECK(m.wave.exec() == 0xf);
  r.s(0) = 123, r.s(isa::sreg::vcc) = 456;
  r.run("v_cmpx_gt_u32 4, v1");
  CHECK(r.wave.exec() == 0xf);
  CHECK(r.s(0) == 123);
  CHECK(r.s(isa::sreg::vcc) == 456);
  m.wave.set_exec(~uint64_t{0});
  m.run("v_cmp_t_i16 vcc, v1, v1");
  CHECK(m.wave.pair(isa::sreg::vcc) == ~uint64_t{0});
  m.run("v_cmp_f_u64 vcc, v[2:3], v[2:3]");
  CHECK(m.wave.pair(isa::sreg::vcc) == 0);
}

TEST_CASE("integer comparisons agree with the host's on edge values", "[sim][lanes]") {
  OneWave m(Arch::gfx942);
  const uint64_t edges[] = {0,
                            1,
                            0x7fff,
                            0x8000,
                            0xffff,
                            0x7fffffff,
                            0x80000000,
                            0xffffffff,
                            0x7fffffffffffffff,
                            0x8000000000000000,
                            ~uint64_t{0}};
  const size_t n = std::size(edges);
  const auto expect = [&]<class T>(const std::string& type, T) {
    for (size_t shift = 0; shift < n; ++shift) {
      for (size_t l = 0; l < 64; ++l) {
        const uint64_t a = edges[l % n], b = edges[(l + shift) % n];
        m.v(2)[l] = static_cast<uint32_t>(a), m.v(3)[l] = static_cast<uint32_t>(a >> 32),
        m.v(4)[l] = static_cast<uint32_t>(b), m.v(5)[l] = static_cast<uint32_t>(b >> 32);
      }
      for (const std::string op : {"lt", "eq", "le", "gt", "ne", "ge"}) {
        uint64_t mask = 0;
        for (size_t l = 0; l < 64; ++l) {
          const T a = static_cast<T>(edges[l % n]), b = static_cast<T>(edges[(l + shift) % n]);
          mask |= uint64_t{op == "lt"   ? a < b
                           : op == "eq" ? a == b
                           : op == "le" ? a <= b
                           : op == "gt" ? a > b
                           : op == "ne" ? a != b
                                        : a >= b}
                  << l;
        }
        m.run("v_cmp_" + op + "_" + type + (sizeof(T) == 8 ? " vcc, v[2:3], v[4:5]" : " vcc, v2, v4"));
        CAPTURE(op, type, shift);
        CHECK(m.wave.pair(isa::sreg::vcc) == mask);
      }
    }
  };
  expect("i16", int16_t{}), expect("u16", uint16_t{}), expect("i32", int32_t{}), expect("u32", uint32_t{}),
      expect("i64", int64_t{}), expect("u64", uint64_t{});
}

TEST_CASE("both halves of a pair read before either writes", "[sim][lanes]") {
  OneWave m(Arch::gfx1100);
  m.lanes(1), m.fill(2, 500);
  m.run("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1");  // exchanges them
  for (uint32_t l = 0; l < 32; ++l) {
    CHECK(m.v(1)[l] == 500);
    CHECK(m.v(2)[l] == l);
  }
  m.wave.set_exec(1);
  m.run("v_dual_mov_b32 v1, v2 :: v_dual_add_nc_u32 v2, v1, v2");
  CHECK(m.v(2)[0] == 500);
  CHECK(m.v(1)[1] == 500);
}

TEST_CASE("a result may lie over any part of its sources", "[sim]") {
  struct Form {
    const char* text;
    int registers;
  };  // {0}: D; sources v[8:13], of which D may hold any registers
  const Form forms[] = {{"v_add_f64 {0}, v[8:9], v[10:11]", 2}, {"v_fma_f64 {0}, v[8:9], v[10:11], v[12:13]", 2},
                        {"v_lshlrev_b64 {0}, v8, v[9:10]", 2},  {"v_mad_u64_u32 {0}, vcc, v8, v9, v[10:11]", 2},
                        {"v_add_u32 {0}, v8, v9", 1},           {"v_fma_f32 {0}, v8, v9, v10", 1},
                        {"v_perm_b32 {0}, v8, v9, v10", 1},     {"v_cvt_f64_f32 {0}, v8", 2},
                        {"v_cvt_f32_f64 {0}, v[8:9]", 1}};
  for (const Form& f : forms)
    for (int d = 7; d <= 13; ++d) {
      const auto result = [&](int dst) {
        simtest::OneWave one(isa::Arch::gfx908);  // pairs may begin anywhere
        for (int r = 7; r < 15; ++r)
          for (uint32_t l = 0; l < 64; ++l)
            one.v(r)[l] = 0x3f800000 + (static_cast<uint32_t>(r) * 0x01234567 ^ l * 0x00654321);
        one.run(fmt::format(fmt::runtime(f.text),
                            f.registers == 2 ? fmt::format("v[{}:{}]", dst, dst + 1) : fmt::format("v{}", dst)));
        return std::vector<uint32_t>(one.v(dst), one.v(dst) + 64 * f.registers);
      };
      INFO(f.text << " to v" << d);
      CHECK(result(d) == result(20));
    }
}
