// Results of single instructions that differ from what the ISA documents say or leave open, from public captures of
// hardware: rows marked gfx1201 of bjacob/goc (README.md, "GPU captures") and ROCm/rocm-systems (emulation/rocjitsu).
#include "tests/support/one_wave.h"

using namespace simtest;
using isa::Arch;

namespace {

struct Mode {
  uint8_t denorm_f32 = 3, denorm_f16 = 3, round = 0;
  bool fp16_overflow = false;
};
constexpr Mode usual, flushing{0, 0}, flushing_results{1, 1}, saturating{3, 3, 0, true}, down{3, 3, 10};
struct Measured {
  const char* text;
  std::array<uint32_t, 6> in;  // v1 to v6
  uint32_t out;                // v10
  Mode mode = usual;
};

void check(Arch arch, const Measured& x) {
  OneWave m(arch);
  m.wave.ieee = false;
  m.wave.denorm_f32 = x.mode.denorm_f32, m.wave.denorm_f16 = x.mode.denorm_f16, m.wave.round = x.mode.round,
  m.wave.fp16_overflow = x.mode.fp16_overflow;
  for (int i = 0; i < 6; ++i) m.fill(i + 1, x.in[static_cast<size_t>(i)]);
  m.fill(10, 0xdddddddd);
  m.run(x.text);
  INFO(fmt::format("{}: {:x}, not {:x}", x.text, m.v(10)[5], x.out));
  CHECK(m.v(10)[5] == x.out);
}

}  // namespace

TEST_CASE("gfx1201 computes what was captured of it", "[sim][numerics]") {
  for (const Measured& x : std::initializer_list<Measured>{
           // halves of VGPRs in long and short encodings
           {"v_add_f16_e64 v10.h, v1.h, v2.l", {0x3c001111, 0x22223c00}, 0x4000dddd},
           {"v_add_f16_e32 v10.h, v1.h, v2.l", {0x3c001111, 0x22223c00}, 0x4000dddd},
           // integer clamps
           {"v_mul_i32_i24_e64 v10, v1, v2 clamp", {0x7fffff, 0x7fffff}, 0x7fffffff},
           {"v_mul_u32_u24_e64 v10, v1, v2 clamp", {0xffffff, 0xffffff}, 0xffffffff},
           {"v_mul_i32_i24_e64 v10, v1, v2", {0x7fffff, 0x7fffff}, 0xff000001},
           // output modifiers act with denormals on, too
           {"v_add_f32_e64 v10, v1, v2 mul:2", {0x3f800000, 0}, 0x40000000},
           {"v_add_f32_e64 v10, v1, v2 mul:4", {0x00400000, 0}, 0},
           {"v_add_f32_e64 v10, v1, v2 mul:4", {0x80000000, 0x80000000}, 0},
           {"v_mul_f32_e64 v10, v1, v2 div:2", {0x80c00000, 0x3f800000}, 0x80000000},
           {"v_add_f16_e64 v10.l, v1.l, v2.l mul:2", {0x7bff, 0}, 0xdddd7bff, saturating},
           // narrow floats
           {"v_cvt_sr_fp8_f32 v10, v1, v2", {0x3a800000, 0xffffffff}, 0xdddddd01},
           {"v_cvt_sr_fp8_f32 v10, v1, v2", {0x3a800000, 0}, 0xdddddd00},
           {"v_cvt_sr_fp8_f32 v10, v1, v2", {0x7fc00000, 0}, 0xddddddff},
           {"v_cvt_sr_bf8_f32 v10, v1, v2", {0x7fc00000, 0}, 0xddddddfe},
           {"v_cvt_sr_bf8_f32 v10, v1, v2", {0x7f800000, 0}, 0xdddddd7c, saturating},
           {"v_cvt_sr_bf8_f32 v10, v1, v2", {0x7f7fffff, 0}, 0xdddddd7b, saturating},
           {"v_cvt_f32_fp8_e32 v10, v1", {0x7f}, 0xffc00000},
           {"v_cvt_f32_bf8_e32 v10, v1", {0x7e}, 0xffc00000},
           // NaNs and zeros
           {"v_cvt_floor_i32_f32_e32 v10, v1", {0x7fc00000}, 0x7fffffff},
           {"v_cvt_floor_i32_f32_e32 v10, v1", {0xffc00000}, 0x80000000},
           {"v_cvt_nearest_i32_f32_e32 v10, v1", {0x7fc00000}, 0x7fffffff},
           {"v_cvt_i32_f32_e32 v10, v1", {0x7fc00000}, 0},  // toward zero: as documented
           {"v_fma_dx9_zero_f32 v10, v1, v2, v3", {0, 0x3f800000, 0x80000000}, 0},
           {"v_fma_dx9_zero_f32 v10, v1, v2, v3", {5, 0x3f800000, 0}, 0},
           {"v_pack_b32_f16 v10, v1.l, v2.l", {0x7c01, 0xfd00}, 0xff007e01},
           {"v_fract_f32_e32 v10, v1", {0x40000000}, 0, down},
           {"v_fract_f32_e32 v10, v1", {0x80000000}, 0, down},
           {"v_frexp_mant_f32_e32 v10, v1", {0x7f800001}, 0x7fc00001},
           {"v_cvt_pk_rtz_f16_f32 v10, v1, v2", {0xb7b442df, 0xc4ecc000}, 0xe7668000, flushing_results},
           {"v_div_fixup_f16 v10.l, v1.l, v2.l, v3.l", {0x7c01, 0x3c00, 0x3c00}, 0xdddd7c00},
           {"v_div_fixup_f16 v10.l, v1.l, v2.l, v3.l", {0x7c00, 0x3c00, 0x3c00}, 0xdddd7bff, saturating},
           {"v_fma_mixlo_f16 v10, v1, v2, v3", {0x35800000, 0x35800000, 0x3f801000}, 0xdddd3c01},
           // NaNs of f16: the first operand's, with its payload; a product that is none before an addend
           {"v_pk_add_f16 v10, v1, v2", {0x7fc17fc1, 0xff80ff80}, 0x7fc17fc1},
           {"v_pk_add_f16 v10, v1, v2", {0xff80ff80, 0x7fc17fc1}, 0xff80ff80},
           {"v_cvt_f16_f32_e32 v10.l, v1", {0x7fc12345}, 0xdddd7e09},
           {"v_cvt_pk_rtz_f16_f32 v10, v1, v2", {0x7fc12345, 0}, 0x00007e09},
           {"v_fma_mixlo_f16 v10, v1, v2, v3", {0, 0x7f800000, 0x7fc00000}, 0xddddfe00},
           {"v_div_fixup_f16 v10.l, v1.l, v2.l, v3.l", {0x3c00, 0x3c00, 0xfc2a}, 0xddddfe2a},
           {"v_max_num_f16_e32 v10.l, v1.l, v2.l", {0x7e01, 0xfe02}, 0xdddd7e01},
           // what clamp and omod do not change
           {"v_cvt_pk_rtz_f16_f32 v10, v1, v2 clamp", {0x3fc00000, 0xbfc00000}, 0xbe003e00},
           {"v_cvt_pk_rtz_f16_f32 v10, v1, v2 mul:2", {0x3fc00000, 0xbfc00000}, 0xbe003e00},
           {"v_dot2_f32_f16 v10, v1, v2, v3 clamp", {0x3c003c00, 0x3c003c00, 0x3f800000}, 0x40400000},
           // modifiers of both halves
           {"v_dot2_f16_f16 v10.l, -v1, v2, v3.l", {0x3c003c00, 0x3c003c00, 0}, 0xddddc000},
           {"v_dot2_f16_f16 v10.l, |v1|, v2, v3.l", {0xbc00bc00, 0x3c003c00, 0}, 0xdddd4000},
           // halves of what has the least exponent are 0
           {"v_mul_f32_e64 v10, v1, v2 div:2", {0x00ffffff, 0x3f800000}, 0},
           {"v_sin_f32_e32 v10, v1", {0x80000000}, 0x80000000},
           {"v_sin_f16_e32 v10.l, v1.l", {0x8000}, 0xdddd8000},
           // the transcendental unit: nearest in every mode; finite results of finite sources with FP16_OVFL
           {"v_rcp_f32_e32 v10, v1", {0x40400000}, 0x3eaaaaab, down},
           {"v_rcp_f16_e32 v10.l, v1.l", {0x8000}, 0xddddfbff, saturating},
           {"v_exp_f16_e32 v10.l, v1.l", {0x7c00}, 0xdddd7c00, saturating},
           // directions
           {"v_cubeid_f32 v10, v1, v2, v3", {0, 0, 0x80000001}, 0x40800000},
           {"v_cubema_f32 v10, v1, v2, v3", {0, 0x007fffff, 0}, 0},
           {"v_cubema_f32 v10, v1, v2, v3", {0, 0, 0x80000000}, 0},
           // turns
           {"v_sin_f32_e32 v10, v1", {0x3f000000}, 0},
           {"v_cos_f32_e32 v10, v1", {0x3e800000}, 0},
           {"v_cos_f32_e32 v10, v1", {0x3f400000}, 0},
       })
    check(Arch::gfx1201, x);
}

TEST_CASE("sines of small angles keep their digits on every target", "[sim][numerics]") {
  for (const Arch arch : {Arch::gfx908, Arch::gfx942, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250}) {
    OneWave m(arch);
    m.fill(1, std::bit_cast<uint32_t>(-1e-24f));
    m.run("v_sin_f32_e32 v10, v1");
    const float got = std::bit_cast<float>(m.v(10)[0]);
    CHECK(got == Approx(-1e-24 * 2 * M_PI).epsilon(1e-6));
  }
}

TEST_CASE("the integer v_subrev reads its second source from other lanes on gfx1201", "[sim][lanes]") {
  for (const auto& [arch, out] : {std::pair{Arch::gfx1201, 3u - 5u}, {Arch::gfx1100, 5u - 3u}}) {
    OneWave m(arch);
    m.lanes(1), m.lanes(2);
    m.run("v_subrev_nc_u32_dpp v10, v1, v2 row_share:3 row_mask:0xf bank_mask:0xf");
    CHECK(m.v(10)[5] == out);
  }
}

TEST_CASE("scalar floats of gfx1201 saturate, keep selected denormals and make NaNs quiet", "[sim][numerics]") {
  OneWave m(Arch::gfx1201);
  m.wave.fp16_overflow = true;
  m.s(8) = 0x47800000, m.run("s_cvt_f16_f32 s9, s8");
  CHECK(m.s(9) == 0x7bff);
  m.wave.denorm_f32 = 1;
  m.s(8) = 1, m.s(9) = 0x3f800000, m.run("s_min_num_f32 s10, s8, s9");
  CHECK(m.s(10) == 1);
  m.s(8) = 0xff800123, m.run("s_ceil_f32 s9, s8");
  CHECK(m.s(9) == 0xffc00123);
}

TEST_CASE("quotients that become denormal are rounded once", "[sim][numerics]") {
  OneWave m(Arch::gfx1201);
  m.fill_pair(2, 0x9fad5a05ec6ba2bb), m.fill_pair(4, 0x06eb4f1aa951ee13), m.fill_pair(6, 0x07ff036c8e0f2b5e);
  m.wave.set_mask(isa::sreg::vcc, 0xffffffff);
  m.run("v_div_fmas_f64 v[10:11], v[2:3], v[4:5], v[6:7]");
  CHECK(m.pair(10) == 0x0007c0db2383cad7);
}

TEST_CASE("gfx1100 computes what was captured of it", "[sim][numerics]") {
  for (const Measured& x : std::initializer_list<Measured>{
           {"v_fma_mixlo_f16 v10, v1, v2, v3", {0x3b333333, 0x42b90000, 0}, 0xdddd340b, {3, 3, 12}},
           {"v_pk_add_f16 v10, v1, v2", {0x7fc17fc1, 0xff80ff80}, 0x7fc17fc1},
           {"v_rcp_f32_e64 v10, v1 mul:2", {0x3f800000}, 0x40000000},
       })
    check(Arch::gfx1100, x);
}

TEST_CASE("LDS permutes of wave64 stay in their half of the wave on gfx11 alone", "[sim][lanes]") {
  for (const auto& [arch, other] : {std::pair{Arch::gfx942, 32u}, {Arch::gfx1100, 0u}, {Arch::gfx1201, 32u}})
    for (const char* text : {"ds_bpermute_b32 v10, v1, v2", "ds_permute_b32 v10, v1, v2"}) {
      OneWave m(arch, 64);
      m.lanes(2);
      for (uint32_t l = 0; l < 64; ++l) m.v(1)[l] = (l ^ 33) * 4;
      m.run(text);
      for (const uint32_t l : {0u, 5u, 40u}) CHECK(m.v(10)[l] == (l ^ 1 ^ other));
      m.wave.set_exec(~uint64_t{0} >> 1);  // not all lanes
      m.run(text);
      for (const uint32_t l : {1u, 5u, 40u}) CHECK(m.v(10)[l] == (l ^ 1 ^ other));
    }
}

TEST_CASE("of equal operands s_max has SCC 1, on gfx1201 0", "[sim][salu]") {
  for (const auto& [arch, want] : {std::pair{Arch::gfx942, 1u}, {Arch::gfx1100, 1u}, {Arch::gfx1201, 0u}})
    for (const char* text : {"s_max_i32 s10, s8, s9", "s_max_u32 s10, s8, s9"}) {
      OneWave m(arch);
      m.s(8) = m.s(9) = 7;
      m.run(text);
      CHECK(m.wave.scc == (want != 0));
      m.s(9) = 6, m.run(text);
      CHECK(m.wave.scc);
    }
}

TEST_CASE("signs of a sparse product's B go by the pair of A that they meet", "[sim][matrix]") {
  OneWave m(Arch::gfx1201);  // 16 products of ones, of which 8 are negated, and 2
  for (int r = 2; r < 16; ++r) m.fill(r, 0x3c003c00);
  m.fill(16, 0x44444444);
  for (int r = 20; r < 28; ++r) m.fill(r, 0x40000000);
  m.run("v_swmmac_f32_16x16x32_f16 v[20:27], v[2:5], v[6:13], v16 neg_lo:[0,1,0]");
  CHECK(m.v(20)[0] == 0x40000000);
}

TEST_CASE("odd rows of a product of gfx11 are those of A's and B's second copies", "[sim][matrix]") {
  OneWave m(Arch::gfx1100);
  const char* const text = "v_wmma_f32_16x16x16_f16 v[20:27], v[2:9], v[10:17], v[20:27]";
  const auto set = [&] {
    for (int r = 2; r < 10; ++r) m.fill(r, 0x3c003c00);
    for (int r = 20; r < 28; ++r) m.fill(r, 0);
    for (int r = 10; r < 18; ++r)
      for (int l = 0; l < 32; ++l) m.v(r)[l] = l < 16 ? 0x3c003c00 : 0x40004000;  // 1, then 2
  };
  set(), m.run(text);
  CHECK(m.v(20)[3] == 0x41800000);
  CHECK(m.v(20)[19] == 0x42000000);
  // Row 3 of A has two zeros in its second copy, row 2 in both its second copy, which is not read, and no other.
  set(), m.v(5)[19] = 0, m.v(5)[18] = 0, m.run(text);
  CHECK(m.v(21)[3] == 0x41800000);   // row 2
  CHECK(m.v(21)[19] == 0x41e00000);  // row 3: 14 products of 2
  // rocWMMA: another order of k in the second copies of both.
  for (const int half : {0, 1})
    for (int r = 0; r < 8; ++r)
      for (int l = 0; l < 16; ++l) {
        const uint32_t pair = static_cast<uint32_t>(half ? r ^ 1 : r);
        m.v(2 + r)[16 * half + l] = m.v(10 + r)[16 * half + l] = 0x3c000000u + (pair << 8);  // 0 and a power of two
      }
  for (int r = 20; r < 28; ++r) m.fill(r, 0);
  m.run(text);
  CHECK(m.v(20)[0] == m.v(20)[16]);
  CHECK(m.fault().empty());
}

TEST_CASE("integer matrix sums of gfx1201 saturate by halves of the wave that hold A", "[sim][matrix]") {
  OneWave m(Arch::gfx1201);  // 7fffffff + 8 - 8: A is 1 for k below 8, else -1
  // A lane has k 0 to 7 of its row in the first half of the wave, 8 to 15 in the second.
  for (int r : {2, 3})
    for (int l = 0; l < 32; ++l) m.v(r)[l] = l < 16 ? 0x01010101 : 0xffffffff;
  m.fill(4, 0x01010101), m.fill(5, 0x01010101);
  for (int r = 10; r < 18; ++r) m.fill(r, 0x7fffffff);
  m.run("v_wmma_i32_16x16x16_iu8 v[10:17], v[2:3], v[4:5], v[10:17] neg_lo:[1,1,0] clamp");
  CHECK(m.v(10)[0] == 0x7ffffff7);

  OneWave sparse(Arch::gfx1201);  // 4 bits, 64 k: A is 1 in the first half of the wave, else -1
  for (int r = 2; r < 4; ++r)
    for (int l = 0; l < 32; ++l) sparse.v(r)[l] = l < 16 ? 0x11111111 : 0xffffffff;
  for (int r = 4; r < 8; ++r) sparse.fill(r, 0x11111111);
  sparse.fill(8, 0x44444444);
  for (int r = 10; r < 18; ++r) sparse.fill(r, 0x7fffffff);
  sparse.run("v_swmmac_i32_16x16x64_iu4 v[10:17], v[2:3], v[4:7], v8 neg_lo:[1,0,0] clamp");
  CHECK(sparse.v(10)[0] == 0x7fffffef);
}

TEST_CASE("each element of a stochastic conversion has a random number of its own (CDNA4 ISA)", "[sim][numerics]") {
  OneWave m(Arch::gfx950);  // 1.25 is half-way to 1.5; the second number is 0xc5, which adds nothing
  m.fill(2, 0x3fa00000), m.fill(3, 0x3fa00000), m.fill(4, 0x80000000), m.fill(5, 0x3f800000), m.fill(10, 0);
  m.run("v_cvt_scalef32_sr_pk_fp4_f32 v10, v[2:3], v4, v5");
  CHECK(m.v(10)[0] == 0x23);
}
