// Integer vector instructions: plain formulas over random and edge lanes, and values worked by hand from the ISA
// guides' pseudo-code.
#include <random>

#include "tests/support/one_wave.h"

using namespace simtest;
using isa::Arch;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;
using u16 = uint16_t;
using i16 = int16_t;

// v[2:3], v[4:5] and v[6:7] hold edge values and random ones, different in each lane.
void scatter(OneWave& m, uint32_t seed) {
  static constexpr u32 edges[] = {0,          1,          2,          0x7f,       0x80,      0xff,     0x7fff,
                                  0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,  0xffffff, 0x7fffffff,
                                  0x80000000, 0xffffffff, 0x80008000, 0x7fff7fff, 0xffff0001};
  std::mt19937 random(seed);
  for (int r = 2; r < 8; ++r)
    for (int l = 0; l < 64; ++l)
      m.v(r)[l] = random() % 2 ? edges[random() % std::size(edges)] : static_cast<u32>(random());
}

struct LaneOperands {
  u32 a, b, c;
  u64 wa, wb, wc;
};
using Formula = u64 (*)(const LaneOperands&);
struct Row {
  const char* text;
  Formula expected;
};  // of v0 or v[0:1]: a, b, c are v2, v4, v6, or the pairs from there

void agree(Arch arch, std::initializer_list<Row> rows) {
  OneWave m(arch);
  for (const Row& r : rows) {
    const bool wide = std::string(r.text).find(" v[0:1]") != std::string::npos;
    for (uint32_t seed = 1; seed <= 4; ++seed) {
      scatter(m, seed);
      m.fill(0, 0xabcd1234), m.fill(1, 0);
      m.run(r.text);
      for (int l = 0; l < m.width(); ++l) {
        const LaneOperands o{m.v(2)[l], m.v(4)[l], m.v(6)[l], m.pair(2, l), m.pair(4, l), m.pair(6, l)};
        const u64 got = wide ? m.pair(0, l) : m.v(0)[l],
                  expected = wide ? r.expected(o) : static_cast<u32>(r.expected(o));
        if (got == expected) continue;
        CAPTURE(r.text, l, o.a, o.b, o.c, o.wa, o.wb, o.wc, got, expected);
        CHECK(got == expected);
        return;
      }
    }
  }
  SUCCEED();
}

struct VectorCase {
  const char* text;
  u64 a, b, c, result;
};  // the same in all lanes; v[0:1] was 0xabcd1234
void check_vector(Arch arch, std::initializer_list<VectorCase> cases) {
  OneWave m(arch);
  for (const VectorCase& c : cases) {
    m.fill_pair(0, 0xabcd1234), m.fill_pair(2, c.a), m.fill_pair(4, c.b), m.fill_pair(6, c.c);
    m.run(c.text);
    CAPTURE(c.text, c.a, c.b, c.c);
    const bool wide = std::string(c.text).find(" v[0:1]") != std::string::npos;
    CHECK((wide ? m.pair(0, 5) : m.v(0)[5]) == c.result);
  }
}

u64 clamped(i64 x, i64 low, i64 high) { return static_cast<u64>(x < low ? low : x > high ? high : x); }
constexpr i64 u32_max = 0xffffffff;
i64 s24(u32 a) { return static_cast<i32>(a << 8) >> 8; }

}  // namespace

TEST_CASE("from gfx11 on the count of v_alignbit and v_alignbyte may be the upper half of its register",
          "[sim][valu_int]") {
  // LLVM 22 assembles v6.h as op_sel:[0,0,1,0]; gfx9 has no OPSEL here.
  for (const Arch arch : {Arch::gfx1100, Arch::gfx1201, Arch::gfx1250})
    check_vector(arch,
                 {{"v_alignbit_b32 v0, v2, v4, v6", 0x12345678, 0x9abcdef0, 0x00100004, 0x89abcdef},
                  {"v_alignbit_b32 v0, v2, v4, v6 op_sel:[0,0,1,0]", 0x12345678, 0x9abcdef0, 0x00100004, 0x56789abc},
                  {"v_alignbyte_b32 v0, v2, v4, v6 op_sel:[0,0,1,0]", 0x12345678, 0x9abcdef0, 0x00030001, 0x3456789a}});
}

TEST_CASE("32-bit integer instructions agree with their formulas on every lane", "[sim][valu_int]") {
  agree(
      Arch::gfx942,
      {
          {"v_add_u32 v0, v2, v4", [](const LaneOperands& o) -> u64 { return o.a + o.b; }},
          {"v_add_u32 v0, v2, v4 clamp", [](const LaneOperands& o) { return clamped(i64{o.a} + o.b, 0, u32_max); }},
          {"v_sub_u32 v0, v2, v4 clamp", [](const LaneOperands& o) { return clamped(i64{o.a} - o.b, 0, u32_max); }},
          {"v_subrev_u32 v0, v2, v4", [](const LaneOperands& o) -> u64 { return o.b - o.a; }},
          {"v_add_i32 v0, v2, v4 clamp",
           [](const LaneOperands& o) {
             return clamped(i64{static_cast<i32>(o.a)} + static_cast<i32>(o.b), INT32_MIN, INT32_MAX);
           }},
          {"v_sub_i32 v0, v2, v4 clamp",
           [](const LaneOperands& o) {
             return clamped(i64{static_cast<i32>(o.a)} - static_cast<i32>(o.b), INT32_MIN, INT32_MAX);
           }},
          {"v_mul_lo_u32 v0, v2, v4", [](const LaneOperands& o) -> u64 { return o.a * o.b; }},
          {"v_mul_hi_u32 v0, v2, v4", [](const LaneOperands& o) { return u64{o.a} * o.b >> 32; }},
          {"v_mul_hi_i32 v0, v2, v4",
           [](const LaneOperands& o) {
             return static_cast<u64>(i64{static_cast<i32>(o.a)} * static_cast<i32>(o.b) >> 32);
           }},
          {"v_mul_u32_u24 v0, v2, v4", [](const LaneOperands& o) { return u64{o.a & 0xffffff} * (o.b & 0xffffff); }},
          {"v_mul_hi_u32_u24 v0, v2, v4",
           [](const LaneOperands& o) { return u64{o.a & 0xffffff} * (o.b & 0xffffff) >> 32; }},
          {"v_mul_i32_i24 v0, v2, v4", [](const LaneOperands& o) { return static_cast<u64>(s24(o.a) * s24(o.b)); }},
          {"v_mul_hi_i32_i24 v0, v2, v4",
           [](const LaneOperands& o) { return static_cast<u64>(s24(o.a) * s24(o.b) >> 32); }},
          {"v_mad_u32_u24 v0, v2, v4, v6 clamp",
           [](const LaneOperands& o) {
             return static_cast<u64>(
                 std::min<unsigned __int128>(u64{o.a & 0xffffff} * (o.b & 0xffffff) + o.c, 0xffffffff));
           }},
          {"v_mad_i32_i24 v0, v2, v4, v6 clamp",
           [](const LaneOperands& o) {
             return clamped(s24(o.a) * s24(o.b) + static_cast<i32>(o.c), INT32_MIN, INT32_MAX);
           }},
          {"v_mad_i32_i16 v0, v2, v4, v6",
           [](const LaneOperands& o) {
             return static_cast<u64>(i64{static_cast<i16>(o.a)} * static_cast<i16>(o.b) + static_cast<i32>(o.c));
           }},
          {"v_mad_u32_u16 v0, v2, v4, v6 op_sel:[1,0,0,0]",
           [](const LaneOperands& o) { return u64{o.a >> 16} * (o.b & 0xffff) + o.c; }},
          {"v_lshl_add_u32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return (o.a << (o.b & 31)) + o.c; }},
          {"v_and_or_b32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return (o.a & o.b) | o.c; }},
          {"v_xad_u32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return (o.a ^ o.b) + o.c; }},
          {"v_bfi_b32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return (o.a & o.b) | (~o.a & o.c); }},
          {"v_alignbit_b32 v0, v2, v4, v6", [](const LaneOperands& o) { return (u64{o.a} << 32 | o.b) >> (o.c & 31); }},
          {"v_alignbyte_b32 v0, v2, v4, v6",
           [](const LaneOperands& o) { return (u64{o.a} << 32 | o.b) >> 8 * (o.c & 3); }},
          {"v_bcnt_u32_b32 v0, v2, v4",
           [](const LaneOperands& o) -> u64 { return static_cast<u32>(__builtin_popcount(o.a)) + o.b; }},
          {"v_min3_i32 v0, v2, v4, v6",
           [](const LaneOperands& o) {
             return static_cast<u64>(std::min({static_cast<i32>(o.a), static_cast<i32>(o.b), static_cast<i32>(o.c)}));
           }},
          {"v_max3_u32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return std::max({o.a, o.b, o.c}); }},
          {"v_med3_i32 v0, v2, v4, v6",
           [](const LaneOperands& o) {
             i32 x[] = {static_cast<i32>(o.a), static_cast<i32>(o.b), static_cast<i32>(o.c)};
             std::sort(x, x + 3);
             return static_cast<u64>(x[1]);
           }},
          {"v_med3_u32 v0, v2, v4, v6",
           [](const LaneOperands& o) -> u64 {
             u32 x[] = {o.a, o.b, o.c};
             std::sort(x, x + 3);
             return x[1];
           }},
          {"v_sad_u32 v0, v2, v4, v6",
           [](const LaneOperands& o) -> u64 { return (o.a > o.b ? o.a - o.b : o.b - o.a) + o.c; }},
          {"v_xnor_b32 v0, v2, v4", [](const LaneOperands& o) -> u64 { return ~(o.a ^ o.b); }},
          {"v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]",
           [](const LaneOperands& o) { return (o.wa >> 32) | o.wb << 32; }},
      });
  agree(Arch::gfx1250,
        {
            {"v_add_max_i32 v0, v2, v4, v6",
             [](const LaneOperands& o) {
               return static_cast<u64>(std::max(
                   static_cast<i64>(clamped(i64{static_cast<i32>(o.a)} + static_cast<i32>(o.b), INT32_MIN, INT32_MAX)),
                   i64{static_cast<i32>(o.c)}));
             }},
            {"v_add_min_u32 v0, v2, v4, v6",
             [](const LaneOperands& o) { return std::min(clamped(i64{o.a} + o.b, 0, u32_max), u64{o.c}); }},
            {"v_xor3_b32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return o.a ^ o.b ^ o.c; }},
            {"v_maxmin_i32 v0, v2, v4, v6",
             [](const LaneOperands& o) {
               return static_cast<u64>(
                   std::min(std::max(static_cast<i32>(o.a), static_cast<i32>(o.b)), static_cast<i32>(o.c)));
             }},
            {"v_minmax_u32 v0, v2, v4, v6",
             [](const LaneOperands& o) -> u64 { return std::max(std::min(o.a, o.b), o.c); }},
            {"v_mad_u32 v0, v2, v4, v6", [](const LaneOperands& o) -> u64 { return o.a * o.b + o.c; }},
        });
}

TEST_CASE("64-bit integer instructions agree with their formulas on every lane", "[sim][valu_int]") {
  agree(Arch::gfx942,
        {
            {"v_lshlrev_b64 v[0:1], v2, v[4:5]", [](const LaneOperands& o) { return o.wb << (o.a & 63); }},
            {"v_lshrrev_b64 v[0:1], v2, v[4:5]", [](const LaneOperands& o) { return o.wb >> (o.a & 63); }},
            {"v_ashrrev_i64 v[0:1], v2, v[4:5]",
             [](const LaneOperands& o) { return static_cast<u64>(static_cast<i64>(o.wb) >> (o.a & 63)); }},
            {"v_lshl_add_u64 v[0:1], v[2:3], 3, v[6:7]", [](const LaneOperands& o) { return (o.wa << 3) + o.wc; }},
            {"v_mad_u64_u32 v[0:1], vcc, v2, v4, v[6:7]", [](const LaneOperands& o) { return u64{o.a} * o.b + o.wc; }},
            {"v_mad_i64_i32 v[0:1], vcc, v2, v4, v[6:7]",
             [](const LaneOperands& o) {
               return static_cast<u64>(i64{static_cast<i32>(o.a)} * static_cast<i32>(o.b)) + o.wc;
             }},
            {"v_mov_b64 v[0:1], v[4:5]", [](const LaneOperands& o) { return o.wb; }},
        });
  agree(Arch::gfx1250,
        {
            {"v_add_nc_u64 v[0:1], v[2:3], v[4:5]", [](const LaneOperands& o) { return o.wa + o.wb; }},
            {"v_sub_nc_u64 v[0:1], v[2:3], v[4:5]", [](const LaneOperands& o) { return o.wa - o.wb; }},
            {"v_mul_u64 v[0:1], v[2:3], v[4:5]", [](const LaneOperands& o) { return o.wa * o.wb; }},
            {"v_min_i64 v[0:1], v[2:3], v[4:5]",
             [](const LaneOperands& o) {
               return static_cast<u64>(std::min(static_cast<i64>(o.wa), static_cast<i64>(o.wb)));
             }},
            {"v_max_u64 v[0:1], v[2:3], v[4:5]", [](const LaneOperands& o) { return std::max(o.wa, o.wb); }},
            {"v_mad_nc_u64_u32 v[0:1], v2, v4, v[6:7]", [](const LaneOperands& o) { return u64{o.a} * o.b + o.wc; }},
        });
}

TEST_CASE("a 16-bit result clears the other half on gfx9 and keeps it on RDNA and in VOP3's own instructions",
          "[sim][valu_int]") {
  check_vector(Arch::gfx942,
               {
                   {"v_add_u16 v0, v2, v4", 0x1111ffff, 0x22220002, 0, 0x00000001},
                   {"v_sub_u16 v0, v2, v4 clamp", 1, 2, 0, 0},
                   {"v_mul_lo_u16 v0, v2, v4", 0x100, 0x101, 0, 0x0100},
                   {"v_ashrrev_i16 v0, v2, v4", 17, 0x8000, 0, 0xc000},
                   {"v_lshlrev_b16 v0, v2, v4", 4, 0x1234, 0, 0x2340},
                   {"v_min_i16 v0, v2, v4", 0x8000, 1, 0, 0x8000},
                   {"v_max_u16 v0, v2, v4", 0x8000, 1, 0, 0x8000},
                   {"v_add_i16 v0, v2, v4 clamp", 0x7fff, 1, 0, 0xabcd7fff},
                   {"v_sub_i16 v0, v2, v4 clamp", 0x8000, 1, 0, 0xabcd8000},
                   {"v_mad_u16 v0, v2, v4, v6", 0x0100, 0x0100, 5, 0xabcd0005},
                   {"v_mad_u16 v0, v2, v4, v6 clamp", 0x0100, 0x0100, 5, 0xabcdffff},
                   {"v_mad_i16 v0, v2, v4, v6 op_sel:[1,0,0,1]", 0xfffe0000, 3, 1, 0xfffb1234},
                   {"v_mad_legacy_u16 v0, v2, v4, v6", 2, 3, 4, 10},
                   {"v_med3_i16 v0, v2, v4, v6", 0xffff, 5, 2, 0xabcd0002},
                   {"v_min3_u16 v0, v2, v4, v6 op_sel:[1,1,1,0]", 0x00050000, 0x00030000, 0x00090000, 0xabcd0003},
               });
  check_vector(Arch::gfx1100, {
                                  {"v_add_nc_u16 v0, v2, v4", 0xffff, 2, 0, 0xabcd0001},
                                  {"v_add_nc_u16 v0, v2, v4 op_sel:[1,0,1]", 0x00070000, 2, 0, 0x00091234},
                                  {"v_not_b16 v0, v2", 0x00ff, 0, 0, 0xabcdff00},
                                  {"v_not_b16 v0.h, v2.l", 0x00ff, 0, 0, 0xff001234},
                                  {"v_and_b16 v0, v2, v4", 0x0ff0, 0x00ff, 0, 0xabcd00f0},
                                  {"v_xor_b16 v0.l, v2.l, v4.h", 0x0ff0, 0x00ff0000, 0, 0xabcd0f0f},
                                  {"v_lshrrev_b16 v0, v2, v4", 4, 0x8000, 0, 0xabcd0800},
                              });
}

TEST_CASE("byte sums, averages and permutations give the ISA guide's values", "[sim][valu_int]") {
  check_vector(Arch::gfx942, {
                                 {"v_sad_u8 v0, v2, v4, v6", 0x01020304, 0x04030201, 100, 108},
                                 {"v_sad_hi_u8 v0, v2, v4, v6", 0x01020304, 0x04030201, 100, (8u << 16) + 100},
                                 {"v_sad_u16 v0, v2, v4, v6", 0xffff0000, 0x00000001, 1, 0x10001},
                                 {"v_sad_u8 v0, v2, v4, v6 clamp", 0xff, 0, 0xffffffff, 0xffffffff},
                                 {"v_msad_u8 v0, v2, v4, v6", 0x0a0a0a0a, 0x00010000, 7, 16},
                                 {"v_lerp_u8 v0, v2, v4, v6", 0x01ff0003, 0x02ff0004, 0x01000001, 0x02ff0004},
                                 {"v_perm_b32 v0, v2, v4, v6", 0x80000000, 0x000000ff, 0x0d0c0b07, 0xff00ff80},
                                 {"v_bfe_i32 v0, v2, v4, v6", 0x0000f000, 12, 4, 0xffffffff},
                                 {"v_bfe_u32 v0, v2, v4, v6", 0xf0000000, 28, 8, 0xf},
                                 {"v_bfm_b32 v0, v2, v4", 5, 8, 0, 0x1f00},
                                 {"v_ffbh_i32 v0, v2", 0xffff0000, 0, 0, 16},
                                 {"v_ffbh_i32 v0, v2", 0xffffffff, 0, 0, 0xffffffff},
                                 {"v_ffbh_u32 v0, v2", 0x0000cccc, 0, 0, 16},
                                 {"v_ffbl_b32 v0, v2", 0x00000010, 0, 0, 4},
                                 {"v_bfrev_b32 v0, v2", 0x00000003, 0, 0, 0xc0000000},
                                 {"v_sat_pk_u8_i16 v0, v2", 0xffff0100, 0, 0, 0x00ff},
                             });
  OneWave m(Arch::gfx942);
  m.fill_pair(2, 0x0706050403020100), m.fill(4, 0x03020100), m.fill_pair(6, 0x0001000100010001);
  m.run("v_qsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]");  // slices at bytes 0 to 3 differ by 0, 1, 2, 3 in each of four
                                                         // bytes
  CHECK(m.pair(0) == 0x000d000900050001);
  m.run("v_mqsad_pk_u16_u8 v[0:1], v[2:3], v4, v[6:7]");  // byte 0 of the reference is zero: three bytes count
  CHECK(m.pair(0) == 0x000a000700040001);
  for (int r = 8; r < 12; ++r) m.fill(r, 1000);
  m.run("v_mqsad_u32_u8 v[12:15], v[2:3], v4, v[8:11]");
  for (int k = 0; k < 4; ++k) CHECK(m.v(12 + k)[9] == 1000u + 3u * static_cast<u32>(k));
}

TEST_CASE("bitop3 follows its table: source bits {a, b, c} select a bit of it", "[sim][valu_int]") {
  OneWave m(Arch::gfx950);
  m.fill(2, 0xf0f0f0f0), m.fill(4, 0xcccccccc), m.fill(6, 0xaaaaaaaa);
  for (const u32 table : {0x00u, 0x96u, 0xcau, 0xe8u, 0x2du, 0xffu}) {
    m.run(fmt::format("v_bitop3_b32 v0, v2, v4, v6 bitop3:{:#x}", table));
    CHECK(m.v(0)[0] == table * 0x01010101);  // each byte runs through the eight combinations
    m.fill(0, 0xabcd1234);
    m.run(fmt::format("v_bitop3_b16 v0, v2, v4, v6 bitop3:{:#x}", table));
    CHECK(m.v(0)[0] == (0xabcd0000 | table * 0x0101));
  }
}

TEST_CASE("gfx950 and gfx1250 pack with saturation, step the generator and look up tables", "[sim][valu_int]") {
  check_vector(Arch::gfx950, {
                                 {"v_ashr_pk_i8_i32 v0, v2, v4, v6", 0x7fffffff, 0xffffff00, 4, 0xabcdf07f},
                                 {"v_ashr_pk_u8_i32 v0, v2, v4, v6", 0x7fffffff, 0xffffff00, 4, 0xabcd00ff},
                                 {"v_prng_b32 v0, v2", 1, 0, 0, 2},
                                 {"v_prng_b32 v0, v2", 0x80000001, 0, 0, 2 ^ 0xc5},
                             });
  check_vector(
      Arch::gfx1250,
      {
          {"v_sat_pk4_i4_i8 v0, v2", 0x80ff077f, 0, 0, 0xabcd8f77},
          {"v_sat_pk4_u4_u8 v0, v2", 0x80ff0705, 0, 0, 0xabcdff75},
          {"v_perm_pk16_b4_u4 v[0:1], v2, v4, v[6:7]", 0xfedcba98, 0x76543210, 0x0123456789abcdef, 0x0123456789abcdef},
          {"v_perm_pk16_b4_u4 v[0:1], v2, v4, v[6:7]", 0x0000000a, 0x00000005, 0x8080808080808080, 0xa5a5a5a5a5a5a5a5},
      });
  OneWave m(Arch::gfx1250);
  m.fill_pair(2, 0xffeeddccbbaa9988), m.fill_pair(4, 0x7766554433221100), m.fill_pair(6, 0xfedcba9876543210);
  m.run("v_perm_pk16_b8_u4 v[8:11], v[2:3], v[4:5], v[6:7]");
  CHECK(m.pair(8) == 0x7766554433221100);
  CHECK(m.pair(10) == 0xffeeddccbbaa9988);
}

TEST_CASE("carries run through chains in both wave sizes and stay clear of disabled lanes", "[sim][valu_int]") {
  for (const auto& [arch, lanes] : {std::pair(Arch::gfx942, 64), {Arch::gfx1100, 32}, {Arch::gfx1100, 64}}) {
    OneWave m(arch, lanes);
    const bool rdna = arch == Arch::gfx1100;
    const std::string vcc = lanes == 32 ? "vcc_lo" : "vcc";
    scatter(m, 7);
    m.run("v_add_co_u32 v0, " + vcc + ", v2, v4");
    m.run(std::string(rdna ? "v_add_co_ci_u32 v1, " : "v_addc_co_u32 v1, ") + vcc + ", v3, v5, " + vcc);
    for (int l = 0; l < lanes; ++l) CHECK(m.pair(0, l) == m.pair(2, l) + m.pair(4, l));
    m.run("v_sub_co_u32 v0, " + vcc + ", v2, v4");
    m.run(std::string(rdna ? "v_sub_co_ci_u32 v1, " : "v_subb_co_u32 v1, ") + vcc + ", v3, v5, " + vcc);
    for (int l = 0; l < lanes; ++l) CHECK(m.pair(0, l) == m.pair(2, l) - m.pair(4, l));
    m.fill(2, 0xffffffff), m.fill(4, 1);
    m.wave.set_exec(0x0f0f);
    m.s(isa::sreg::vcc + 1) = 0x5555;
    m.run("v_add_co_u32 v0, " + vcc + ", v2, v4");
    CHECK(m.wave.mask(isa::sreg::vcc) == 0x0f0f);
    CHECK(m.s(isa::sreg::vcc + 1) == (lanes == 32 ? 0x5555u : 0u));
  }
}

TEST_CASE("packed 16-bit instructions compute both halves, choose them by op_sel and clamp each", "[sim][valu_int]") {
  check_vector(Arch::gfx942,
               {
                   {"v_pk_add_u16 v0, v2, v4", 0xffff0001, 0x00020003, 0, 0x00010004},
                   {"v_pk_add_u16 v0, v2, v4 clamp", 0xffff0001, 0x00020003, 0, 0xffff0004},
                   {"v_pk_add_i16 v0, v2, v4 clamp", 0x7fff8000, 0x0001ffff, 0, 0x7fff8000},
                   {"v_pk_sub_i16 v0, v2, v4", 0x00000005, 0x00010002, 0, 0xffff0003},
                   {"v_pk_sub_u16 v0, v2, v4 clamp", 0x00000005, 0x00010002, 0, 0x00000003},
                   {"v_pk_mul_lo_u16 v0, v2, v4", 0x01000003, 0x01010004, 0, 0x0100000c},
                   {"v_pk_mad_i16 v0, v2, v4, v6", 0xffff0002, 0x00030004, 0x00010001, 0xfffe0009},
                   {"v_pk_mad_u16 v0, v2, v4, v6 clamp", 0x01000002, 0x01000004, 0x00010001, 0xffff0009},
                   {"v_pk_min_i16 v0, v2, v4", 0x8000ffff, 0x00010001, 0, 0x8000ffff},
                   {"v_pk_max_u16 v0, v2, v4", 0x8000ffff, 0x00010001, 0, 0x8000ffff},
                   {"v_pk_lshlrev_b16 v0, v2, v4", 0x00040008, 0x12345678, 0, 0x23407800},
                   {"v_pk_ashrrev_i16 v0, v2, v4", 0x00040011, 0x80008000, 0, 0xf800c000},
                   {"v_pk_lshrrev_b16 v0, 1, v4 op_sel_hi:[0,1]", 0, 0x80028004, 0, 0x40014002},
                   {"v_pk_add_u16 v0, v2, v4 op_sel:[1,0] op_sel_hi:[0,1]", 0x00100001, 0x02000100, 0, 0x02010110},
               });
  check_vector(Arch::gfx1250, {
                                  {"v_pk_min3_i16 v0, v2, v4, v6", 0x00010005, 0xffff0006, 0x00030004, 0xffff0004},
                                  {"v_pk_max3_u16 v0, v2, v4, v6", 0x00010005, 0xffff0006, 0x00030004, 0xffff0006},
                                  {"v_pk_add_max_i16 v0, v2, v4, v6", 0x7fff8000, 0x0001ffff, 0x0000fff0, 0x7ffffff0},
                                  {"v_pk_add_min_u16 v0, v2, v4, v6", 0xffff0001, 0x00020003, 0x80000100, 0x80000004},
                              });
}

TEST_CASE("integer dot products sign their sources as the instruction or neg_lo says, and clamp the sum",
          "[sim][valu_int]") {
  check_vector(Arch::gfx942, {
                                 {"v_dot4_i32_i8 v0, v2, v4, v6", 0xff020304, 0x01020304, 10, 10 + 16 + 9 + 4 - 1},
                                 {"v_dot4_u32_u8 v0, v2, v4, v6", 0xff020304, 0x01020304, 10, 10 + 16 + 9 + 4 + 255},
                                 {"v_dot4_i32_i8 v0, v2, v4, v6 clamp", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff, 0x7fffffff},
                                 {"v_dot4_u32_u8 v0, v2, v4, v6 clamp", 0xff, 0xff, 0xffffffff, 0xffffffff},
                                 {"v_dot8_i32_i4 v0, v2, v4, v6", 0xf0000002, 0x10000003, 0, 5},
                                 {"v_dot8_u32_u4 v0, v2, v4, v6", 0xf0000002, 0x10000003, 0, 21},
                                 {"v_dot2_i32_i16 v0, v2, v4, v6", 0xffff0002, 0x00030004, 100, 105},
                                 {"v_dot2_u32_u16 v0, v2, v4, v6", 0xffff0002, 0x00030004, 0, 3 * 65535 + 8},
                                 {"v_dot4c_i32_i8 v0, v2, v4", 0x02, 0x03, 0, 0xabcd1234 + 6},
                             });
  check_vector(Arch::gfx1201,
               {
                   {"v_dot4_i32_iu8 v0, v2, v4, v6 neg_lo:[0,0,0]", 0xff, 0xff, 0, 255 * 255},
                   {"v_dot4_i32_iu8 v0, v2, v4, v6 neg_lo:[1,0,0]", 0xff, 0xff, 0, static_cast<u32>(-255)},
                   {"v_dot4_i32_iu8 v0, v2, v4, v6 neg_lo:[1,1,0]", 0xff, 0xff, 0, 1},
                   {"v_dot8_i32_iu4 v0, v2, v4, v6 neg_lo:[0,1,0]", 0xf, 0xf, 0, static_cast<u32>(-15)},
               });
}
