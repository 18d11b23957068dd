// Details that emulators are known to get wrong, those of them that no other test file is about;
// docs/reference/machine.md lists all with their tests.
#include <cmath>
#include <limits>

#include "isa_tables/opcodes.h"
#include "tests/support/lane_program.h"
#include "tests/support/matrix_bench.h"
#include "tests/support/memory_kernel.h"
#include "tests/support/one_wave.h"

using namespace simtest;
using isa::Arch;

TEST_CASE("LDS ends where the kernel's does, not at the granule it is allocated in, and M0 does not limit it",
          "[sim][details][lds]") {
  Bench b;
  const auto at = [](int address) {
    return fmt::format("s_mov_b32 m0, 0\n v_mov_b32 v1, {}\n ds_write_b32 v1, v1\n s_endpgm\n", address);
  };
  CHECK(fault_of(b.run(at(516), 520)) == "none");
  const auto r = b.run(at(520), 520);  // of the 1024 bytes granted
  REQUIRE(r.fault);
  CHECK(r.fault->kind == sim::Fault::Kind::out_of_bounds);
}

TEST_CASE("without the check of LDS bounds, LDS beyond the kernel's reads as 0 and keeps nothing",
          "[sim][details][lds]") {
  Bench b;
  b.options.checks.lds_bounds = false;
  const auto r = b.run(
      "s_load_dwordx2 s[6:7], s[0:1], 0x8\nv_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 7\nv_mov_b32 v3, "
      "0x80000000\ns_mov_b32 m0, -1\n"
      "ds_write_b32 v1, v2\nds_write_b32 v3, v2\nds_read_b32 v4, v3\nds_add_rtn_u32 v5, v3, v2\nds_read_b32 v6, "
      "v1\ns_waitcnt lgkmcnt(0)\n"
      "v_lshl_add_u32 v4, v4, 8, v5\nv_lshl_add_u32 v4, v4, 8, v6\nglobal_store_dword v1, v4, s[6:7]\ns_endpgm\n",
      256);
  CHECK(fault_of(r) == "none");
  CHECK(b.result<uint32_t>(64) == std::vector<uint32_t>(64, 7));
}

TEST_CASE("matrix instructions round to nearest and keep denormals whatever MODE says", "[sim][details][matrix]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx950}) {
    OneWave w(arch);
    const auto run = [&](int round, int denorm) {
      for (int r = 0; r < 4; ++r)
        for (int l = 0; l < 64; ++l)
          w.v(r)[l] = static_cast<uint32_t>(l * 0x12345 + r * 0x9e37) & 0x3bff3bff;  // f16 from denormals to 1
      for (int r = 4; r < 8; ++r) w.fill(r, u(0x1p-3f));
      w.wave.round = static_cast<uint8_t>(round), w.wave.denorm_f32 = w.wave.denorm_f16 = static_cast<uint8_t>(denorm);
      w.run("v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], v[4:7]");
      return std::vector<uint32_t>(w.v(8), w.v(12));
    };
    const auto usual = run(0, 3);
    CHECK(run(15, 0) == usual);
  }
}

TEST_CASE("only the f32 inputs of MFMA obey MODE's denormal bits", "[sim][details][matrix]") {
  OneWave w(Arch::gfx942);
  for (const int denorm : {3, 0}) {
    w.fill(0, u(0x1p-130f)), w.fill(1, u(0x1p20f)), w.fill(2, u(0x1p-130f));
    w.wave.denorm_f32 = static_cast<uint8_t>(denorm);
    w.run("v_mfma_f32_16x16x4_f32 v[8:11], v0, v1, 0");
    CHECK(f(w.v(8)[5]) == (denorm ? 0x1p-108f : 0));
    for (int r = 4; r < 8; ++r) w.fill(r, u(0x1p-130f));  // C is kept
    w.fill(0, 0);
    w.run("v_mfma_f32_16x16x4_f32 v[8:11], v0, v0, v[4:7]");
    CHECK(f(w.v(8)[5]) == 0x1p-130f);
  }
}

TEST_CASE("DPP sources are negated and made absolute after they have moved", "[sim][details][lanes]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx1100, Arch::gfx1250}) {
    OneWave w(arch);
    for (int l = 0; l < 64; ++l)
      w.v(0)[l] = u(static_cast<float>(l) - 8), w.v(1)[l] = u(-100.f - static_cast<float>(l)), w.v(2)[l] = u(0.5f);
    w.run("v_add_f32_dpp v2, -|v0|, |v1| row_shr:1 row_mask:0xf bank_mask:0xf");
    for (int l = 0; l < w.width(); ++l)
      CHECK(f(w.v(2)[l]) == (l % 16 == 0 ? 0.5f : -std::fabs(static_cast<float>(l) - 9) + 100 + static_cast<float>(l)));
  }
}

TEST_CASE("the mixed multiply-add is fused", "[sim][details][float]") {
  for (const Arch arch : {Arch::gfx908, Arch::gfx942, Arch::gfx1100, Arch::gfx1250}) {
    OneWave w(arch);
    w.fill(0, u(1 + 0x1p-23f)), w.fill(1, u(-1 - 0x1p-22f));
    w.run("v_fma_mix_f32 v2, v0, v0, v1");
    CHECK(f(w.v(2)[3]) == 0x1p-46f);
  }
}

TEST_CASE("AGPRs are as good as VGPRs for A and B", "[sim][details][matrix]") {
  for (const auto& [arch, mnemonic] : {std::pair{Arch::gfx908, "v_mfma_f32_16x16x16f16"},
                                       {Arch::gfx90a, "v_mfma_f32_16x16x16f16"},
                                       {Arch::gfx942, "v_mfma_f32_16x16x16_f16"},
                                       {Arch::gfx950, "v_mfma_f32_16x16x16_f16"}}) {
    OneWave w(arch);
    for (int r = 0; r < 4; ++r)
      for (int l = 0; l < 64; ++l) w.v(r)[l] = w.v(256 + r)[l] = 0x3c003800 + static_cast<uint32_t>(l * 16 + r);
    w.run(fmt::format("{} a[8:11], v[0:1], v[2:3], a[12:15]", mnemonic));
    const std::vector<uint32_t> expected(w.v(256 + 8), w.v(256 + 12));
    w.fill(256 + 8, 0);
    for (int r = 0; r < 4; ++r) w.fill(r, 0);
    w.run(fmt::format("{} a[8:11], a[0:1], a[2:3], a[12:15]", mnemonic));
    CHECK(std::vector<uint32_t>(w.v(256 + 8), w.v(256 + 12)) == expected);
    CHECK(f(expected[0]) > 0.5f);
  }
}

TEST_CASE("an inline constant as C is that number in C's type in every element", "[sim][details][matrix]") {
  struct Row {
    Arch arch;
    const char* text;
    uint32_t d;
  };
  const Row rows[] = {
      {Arch::gfx1100, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:7], v[8:15], 1.0", 0x41880000},  // 17
      {Arch::gfx1100, "v_wmma_f16_16x16x16_f16 v[32:39], v[0:7], v[8:15], 1.0", 0x4c40},
      {Arch::gfx1200, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:3], v[8:11], -4.0", 0x41400000},  // 12
      {Arch::gfx1200, "v_wmma_f16_16x16x16_f16 v[32:35], v[0:3], v[8:11], 1.0", 0x4c404c40},
      {Arch::gfx1250, "v_wmma_f32_16x16x32_f16 v[32:39], v[0:7], v[8:15], 1.0", 0x42040000},  // 33
      {Arch::gfx1250, "v_wmma_f16_16x16x32_f16 v[32:35], v[0:7], v[8:15], 1.0", 0x50205020},
      {Arch::gfx1250, "v_wmma_i32_16x16x64_iu8 v[32:39], v[40:47], v[40:47], 5", 5},
      {Arch::gfx942, "v_mfma_f32_16x16x16_f16 v[32:35], v[0:1], v[8:9], 0.5", 0x41840000},  // 16.5
      {Arch::gfx942, "v_mfma_f64_16x16x4_f64 v[32:39], v[40:41], v[40:41], 2.0", 0},  // low half; the high one below
      {Arch::gfx942, "v_mfma_i32_16x16x32_i8 v[32:35], v[40:41], v[40:41], -3", 0xfffffffd},
  };
  for (const Row& r : rows) {
    INFO(r.text);
    OneWave w(r.arch);
    for (int i = 0; i < 32; ++i) w.fill(i, 0x3c003c00);  // f16 ones
    for (int i = 32; i < 48; ++i) w.fill(i, 0);
    w.run(r.text);
    const uint32_t mask = r.d == 0x4c40 ? 0xffff : ~0u;  // gfx11: a half a register
    CHECK((w.v(32)[7] & mask) == r.d);
    if (std::string_view(r.text).find("f64") != std::string_view::npos) CHECK(w.v(33)[7] == 0x40000000);
  }
}

TEST_CASE("the f8f6f4 WMMA negates C and takes its absolute value", "[sim][details][matrix]") {
  using enum isa::MatrixOperand;
  for (const auto& [lo, hi, sign] : {std::tuple{4, 0, 0}, {0, 4, 1}, {4, 4, -1}}) {
    MatrixBench b(isa::Opcode::v_wmma_f32_16x16x128_f8f6f4, Arch::gfx1250,
                  {.neg_lo = static_cast<uint8_t>(lo), .neg_hi = static_cast<uint8_t>(hi)});
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) b.put(c, {0, i, j}, u(static_cast<float>(i - j)));
    b.run();
    int wrong = 0;
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        const float x = static_cast<float>(i - j);
        wrong +=
            f(static_cast<uint32_t>(b.get({0, i, j}))) != (sign == 0 ? -x : static_cast<float>(sign) * std::fabs(x));
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("SWMMAC takes the index set that index_key names", "[sim][details][matrix]") {
  for (const int key : {0, 1}) {
    OneWave w(Arch::gfx1200);
    for (int i = 0; i < 8; ++i) w.fill(i, 0x3c003c00);
    for (int i = 8; i < 16; ++i) w.fill(i, i % 2 ? 0x44004200 : 0x40003c00);  // B: 1 2 3 4 along k
    for (int i = 32; i < 40; ++i) w.fill(i, 0);
    w.fill(50, 0xeeee4444);  // the lower set keeps columns 0 and 1, the upper one 2 and 3
    w.run(fmt::format("v_swmmac_f32_16x16x32_f16 v[32:39], v[0:3], v[8:15], v50 index_key:{}", key));
    CHECK(f(w.v(32)[3]) == static_cast<float>(8 * (key ? 7 : 3)));
  }
}

TEST_CASE("scaled WMMA takes its scales from the row of lanes and in the format that it names",
          "[sim][details][matrix]") {
  const auto d = [](const std::string& text, uint32_t low_lanes, uint32_t high_lanes) {
    OneWave w(Arch::gfx1250);
    for (int i = 0; i < 32; ++i) w.fill(i, 0x22222222);                                                  // FP4 ones
    for (int l = 0; l < 32; ++l) w.v(48)[l] = l < 16 ? low_lanes : high_lanes, w.v(49)[l] = 0x38383838;  // 1 in E4M3
    w.fill(50, 0x7f7f7f7f);
    w.run(text);
    return f(w.v(64)[4]);
  };
  const std::string fp4 = " matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4",
                    base = "v_wmma_scale_f32_16x16x128_f8f6f4 v[64:71], v[0:7], v[8:15], 0, v48, ";
  CHECK(d(base + "v50" + fp4, 0x80808080, 0x7d7d7d7d) == 256);
  CHECK(d(base + "v50" + fp4 + " matrix_a_scale:MATRIX_SCALE_ROW1", 0x80808080, 0x7d7d7d7d) == 32);
  const std::string e4m3 = " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3";
  CHECK(d(base + "v49" + fp4 + e4m3, 0x3a3a3a3a, 0) == 160);    // 1.25
  CHECK(d(base + "v49" + fp4 + e4m3, 0x01010101, 0) == 0.25f);  // the least denormal, 2^-9
  CHECK(std::isnan(d(base + "v49" + fp4 + e4m3, 0x7f7f7f7f, 0)));
  CHECK(d(base + "v49" + fp4 + e4m3, 0x00003838, 0) == 64);  // two blocks of four have scale 0
  const std::string e5m3 = " matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3";
  CHECK(d("v_wmma_scale_f32_16x16x128_f8f6f4 v[64:71], v[0:7], v[8:15], 0, v48, v48" + fp4 + e5m3, 0x7b7b7b7b, 0) ==
        128 * 1.375f * 1.375f);
  OneWave w(Arch::gfx1250);
  for (int i = 0; i < 64; ++i) w.fill(i, 0);
  w.run("v_wmma_scale_f32_16x16x128_f8f6f4 v[64:71], v[0:15], v[16:31], 0, v48, v49" + e4m3);
  CHECK(w.fault().find("legal: E8M0") != std::string::npos);  // FP8 elements have E8M0 alone
}

TEST_CASE(
    "FP16_OVFL keeps conversions to 8 bits finite, infinities included except on RDNA4, but for those with a scale",
    "[sim][details][convert]") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Arch arch : {Arch::gfx942, Arch::gfx950, Arch::gfx1200, Arch::gfx1250}) {
    OneWave w(arch);
    w.fill(0, u(inf)), w.fill(1, u(-inf)), w.fill(2, 0), w.fill(3, 0);
    w.wave.fp16_overflow = true;
    w.run("v_cvt_pk_fp8_f32 v2, v0, v1");
    w.run("v_cvt_pk_bf8_f32 v3, v0, v1");
    const bool fnuz = arch == Arch::gfx942, stay = arch == Arch::gfx1200;
    CHECK((w.v(2)[0] & 0xffff) == (fnuz || stay ? 0xff7f : 0xfe7e));
    CHECK((w.v(3)[0] & 0xffff) == (fnuz ? 0xff7f : stay ? 0xfc7c : 0xfb7b));
    w.fill(2, 0);
    w.wave.fp16_overflow = false;
    w.run("v_cvt_pk_fp8_f32 v2, v0, v1");
    CHECK((w.v(2)[0] & 0xffff) == (fnuz ? 0x8080 : 0xff7f));
  }
}

TEST_CASE("clamp makes gfx1250's fp8 conversions ones of the unsigned E5M3", "[sim][details][convert]") {
  OneWave w(Arch::gfx1250);
  w.fill(0, u(1.4f)), w.fill(1, u(200000.f)), w.fill(2, 0), w.fill(3, 0xff017c7b);
  w.run("v_cvt_pk_fp8_f32 v2, v0, v1 clamp");
  CHECK((w.v(2)[0] & 0xffff) == 0xff7b);  // 1.375; too much is NaN
  w.wave.fp16_overflow = true;
  w.run("v_cvt_pk_fp8_f32 v2, v0, v1 clamp");
  CHECK((w.v(2)[0] & 0xffff) == 0xfe7b);  // or 114688
  w.run("v_cvt_f32_fp8 v4, v3 byte_sel:0 clamp");
  CHECK(f(w.v(4)[0]) == 1.375f);
  w.run("v_cvt_f32_fp8 v4, v3 byte_sel:2 clamp");
  CHECK(f(w.v(4)[0]) == 0x1p-17f);
  w.run("v_cvt_f32_fp8 v4, v3 byte_sel:3 clamp");
  CHECK(std::isnan(f(w.v(4)[0])));
}

TEST_CASE("FP16_OVFL keeps bf16 finite from gfx12 on", "[sim][details][convert]") {
  for (const auto& [arch, b] : {std::pair{Arch::gfx950, 0x7f80u}, {Arch::gfx1250, 0x7f7fu}}) {
    OneWave w(arch);
    w.fill(0, 0x7f7fffff), w.fill(1, 0x7f800000);
    w.wave.fp16_overflow = true;
    w.run("v_cvt_pk_bf16_f32 v2, v0, v1");
    CHECK(w.v(2)[0] == (b | 0x7f800000));  // what was infinite stays so
  }
}

TEST_CASE("FP16_OVFL keeps matrix results finite where the guide says so", "[sim][details][matrix]") {
  const auto d = [](Arch arch, const char* text, bool mode, uint32_t a, uint32_t c) {
    OneWave w(arch);
    for (int i = 0; i < 32; ++i) w.fill(i, a);
    for (int i = 32; i < 64; ++i) w.fill(i, c);
    w.wave.fp16_overflow = mode;
    w.run(text);
    return w.v(64)[9];
  };
  const uint32_t big = 0x7f7f7f7f, f32_most = 0x7f7fffff, f32_inf = 0x7f800000;  // bf16: 3.4e38
  for (const Arch arch : {Arch::gfx942, Arch::gfx950}) {
    const char* bf16 = "v_mfma_f32_16x16x16_bf16 v[64:67], v[0:1], v[2:3], v[32:35]";
    CHECK(d(arch, bf16, false, big, 0) == f32_inf);
    CHECK(d(arch, bf16, true, big, 0) == f32_most);
    CHECK(d(arch, bf16, true, big, f32_inf) == f32_inf);  // C's infinity stays
    const char* i8 = "v_mfma_i32_16x16x32_i8 v[64:67], v[0:1], v[2:3], v[32:35]";
    CHECK(d(arch, i8, true, 0x7f7f7f7f, INT32_MAX - 5) == INT32_MAX);
    CHECK(d(arch, i8, false, 0x7f7f7f7f, INT32_MAX - 5) == static_cast<uint32_t>(INT32_MAX) - 5 + 32 * 127 * 127);
  }
  CHECK(d(Arch::gfx90a, "v_mfma_f32_16x16x16bf16_1k v[64:67], v[0:1], v[2:3], v[32:35]", true, big, 0) == f32_inf);
  const char* f16 = "v_wmma_f16_16x16x32_f16 v[64:67], v[0:7], v[8:15], v[32:35]";
  CHECK(d(Arch::gfx1250, f16, false, 0x7bff7bff, 0) == 0x7c007c00);
  CHECK(d(Arch::gfx1250, f16, true, 0x7bff7bff, 0) == 0x7bff7bff);
  CHECK(d(Arch::gfx1250, "v_wmma_f32_16x16x32_bf16 v[64:71], v[0:7], v[8:15], v[32:39]", true, big, 0) == f32_inf);
  CHECK(d(Arch::gfx1200, "v_wmma_f16_16x16x16_f16 v[64:67], v[0:3], v[4:7], v[32:35]", true, 0x7bff7bff, 0) ==
        0x7c007c00);
}

TEST_CASE("a gfx1250 buffer ends after its bytes, whatever the index", "[sim][details][memory][buffer]") {
  const auto& m = machine("gfx1250");
  std::vector<uint32_t> in(256);
  for (uint32_t i = 0; i < 256; ++i) in[i] = 1000 + i;
  // {base 56:0, bytes 101:57, stride 125:108}; 74 bytes, stride 8: index = lane.
  const auto r = run_on(m,
                        "s_or_b32 s9, s5, 74 << 25\ns_mov_b32 s8, s4\ns_mov_b32 s10, 0\ns_mov_b32 s11, 8 << "
                        "12\nbuffer_load_b32 v6, v0, s[8:11], null idxen offset:4\n" +
                            std::string(m.load) + "\nglobal_store_b32 v1, v6, s[6:7]\n",
                        in);
  REQUIRE(r.fault() == "none");
  const auto out = r.out<uint32_t>(32);
  for (uint32_t l = 0; l < 32; ++l) CHECK(out[l] == (8 * l + 8 <= 74 ? 1001 + 2 * l : 0));
}
