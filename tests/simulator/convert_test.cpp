// Conversions against definitions written here: exhaustive where the input has 16 bits or less, else random and edge
// values.
#include <cmath>
#include <functional>
#include <random>

#include "tests/support/lane_program.h"

using namespace simtest;
using isa::Arch;

namespace {

// A small float from its definition. special: 'i' IEEE, 'o' only the top code is NaN (OCP E4M3), 'z' minus zero is NaN
// (FNUZ), 'n' no specials.
struct Small {
  const char* name;
  int exponent_bits, mantissa_bits, bias;
  char special;
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  double value(uint32_t code) const {
    const uint32_t sign = code >> (bits() - 1) & 1, body = code & ((1u << (bits() - 1)) - 1), e = body >> mantissa_bits,
                   m = body & ((1u << mantissa_bits) - 1);
    const uint32_t top = (1u << exponent_bits) - 1;
    if (special == 'i' && e == top) return m ? NAN : sign ? -INFINITY : INFINITY;
    if (special == 'o' && body == (1u << (bits() - 1)) - 1) return NAN;
    if (special == 'z' && sign && !body) return NAN;
    const double a = e ? std::ldexp(1.0 + std::ldexp(m, -mantissa_bits), static_cast<int>(e) - bias)
                       : std::ldexp(m, 1 - bias - mantissa_bits);
    return sign ? -a : a;
  }
  // The finite code nearest to a finite x of no more than the largest; ties to the even mantissa. By looking at all of
  // them.
  uint32_t nearest(double x) const {
    uint32_t best = 0;
    double distance = INFINITY;
    for (uint32_t c = 0; c < 1u << (bits() - 1); ++c) {
      const double v = value(c);
      if (!std::isfinite(v)) continue;
      const double away = std::fabs(std::fabs(x) - v);
      if (away < distance || (away == distance && c % 2 == 0)) best = c, distance = away;
    }
    return std::signbit(x) && !(special == 'z' && best == 0) ? best | 1u << (bits() - 1) : best;
  }
  double largest() const {
    double m = 0;
    for (uint32_t c = 0; c < 1u << (bits() - 1); ++c)
      if (std::isfinite(value(c))) m = std::max(m, value(c));
    return m;
  }
};
constexpr Small fp8{"fp8", 4, 3, 7, 'o'}, bf8{"bf8", 5, 2, 15, 'i'}, fp8_fnuz{"fp8", 4, 3, 8, 'z'},
    bf8_fnuz{"bf8", 5, 2, 16, 'z'}, fp6{"fp6", 2, 3, 1, 'n'}, bf6{"bf6", 3, 2, 3, 'n'}, fp4{"fp4", 2, 1, 1, 'n'};
constexpr Small half{"f16", 5, 10, 15, 'i'};

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::vector<In> all(uint32_t count) {
  std::vector<In> in(count);
  for (uint32_t i = 0; i < count; ++i) in[i] = {i};
  return in;
}
std::vector<In> random_floats(size_t n, unsigned seed, int least_exponent, int exponents) {
  std::mt19937 r(seed);
  std::vector<In> in(n);
  for (auto& x : in) {
    for (auto& b : x)
      b = (r() & 0x807fffff) | static_cast<uint32_t>(127 + least_exponent + static_cast<int>(r() % exponents)) << 23;
    x[7] = r();
  }
  return in;
}
// What truncation to an integer gives.
int64_t truncated(double x, int64_t least, int64_t most) {
  return std::isnan(x)                     ? 0
         : x <= static_cast<double>(least) ? least
         : x >= static_cast<double>(most)  ? most
                                           : static_cast<int64_t>(x);
}

}  // namespace

TEST_CASE("every f16 converts to f32, to integers and to normalized integers", "[sim][convert]") {
  const auto in = all(65536);
  for (const Arch arch : {Arch::gfx942, Arch::gfx1100}) {
    const bool nine = arch == Arch::gfx942;
    const auto out =
        run_lanes(arch,
                  fmt::format("v_cvt_f32_f16 v12, v4\n v_cvt_i16_f16 v13, v4\n v_cvt_u16_f16 v14, v4\n {} v15, v4, v4",
                              nine ? "v_cvt_pknorm_i16_f16" : "v_cvt_pk_norm_i16_f16"),
                  in);
    int wrong = 0;
    for (uint32_t h = 0; h < 65536; ++h) {
      const double x = half.value(h);
      wrong += !same_number(f(out[h][0]), x);
      wrong += static_cast<int16_t>(out[h][1]) != truncated(x, INT16_MIN, INT16_MAX);
      wrong += static_cast<uint16_t>(out[h][2]) != truncated(x, 0, UINT16_MAX);
      const double n = std::isnan(x) ? 0 : std::nearbyint(std::min(1.0, std::max(-1.0, x)) * 32767);
      wrong += static_cast<int16_t>(out[h][3]) != static_cast<int16_t>(n) ||
               static_cast<int16_t>(out[h][3] >> 16) != static_cast<int16_t>(n);
    }
    INFO(isa::target(arch).name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("every 16-bit integer converts to the nearest f16", "[sim][convert]") {
  const auto in = all(65536);
  const auto out =
      run_lanes(Arch::gfx1100,
                "v_cvt_f16_i16 v12, v4\n v_cvt_f16_u16 v13, v4\n v_cvt_i32_i16 v14, v4\n v_cvt_u32_u16 v15, v4", in);
  std::vector<double> values;
  for (uint32_t h = 0; h < 0x7c00; ++h) values.push_back(half.value(h));
  const auto nearest = [&](double x) {
    const double a = std::fabs(x);
    if (a >= 65520) return x < 0 ? 0xfc00u : 0x7c00u;
    const auto above = std::upper_bound(values.begin(), values.end(), a) - values.begin();
    const double down = a - values[above - 1],
                 up = (above < static_cast<long>(values.size()) ? values[above] : 65536) - a;
    return static_cast<uint32_t>((down < up || (down == up && above % 2) ? above - 1 : above) | (x < 0 ? 0x8000 : 0));
  };
  int wrong = 0;
  for (uint32_t i = 0; i < 65536; ++i) {
    wrong += (out[i][0] & 0xffff) != nearest(static_cast<int16_t>(i)) || (out[i][1] & 0xffff) != nearest(i);
    wrong += static_cast<int32_t>(out[i][2]) != static_cast<int16_t>(i) || out[i][3] != i;
  }
  CHECK(wrong == 0);
}

TEST_CASE("every code of the 8-bit formats widens to its value, in each target's flavour", "[sim][convert]") {
  struct Case {
    Arch arch;
    Small fp8, bf8;
  };
  for (const Case& c :
       {Case{Arch::gfx942, fp8_fnuz, bf8_fnuz}, Case{Arch::gfx950, fp8, bf8}, Case{Arch::gfx1200, fp8, bf8}}) {
    auto in = all(256);
    for (auto& x : in) x[1] = x[0] << 24 | 0x00123456;
    const bool sdwa = c.arch != Arch::gfx1200;
    const auto out = run_lanes(c.arch,
                               fmt::format("v_cvt_f32_fp8 v12, v4\n v_cvt_f32_bf8 v13, v4\n v_cvt_f32_fp8{} v14, v5 "
                                           "{}\n v_cvt_pk_f32_fp8{} v[20:21], v5 {}\n v_mov_b32 v15, v21",
                                           sdwa ? "_sdwa" : "_e64", sdwa ? "src0_sel:BYTE_3" : "byte_sel:3",
                                           sdwa ? "_sdwa" : "_e64", sdwa ? "src0_sel:WORD_1" : "op_sel:[1,0]"),
                               in);
    int wrong = 0;
    for (uint32_t i = 0; i < 256; ++i)
      wrong += !same_number(f(out[i][0]), c.fp8.value(i)) + !same_number(f(out[i][1]), c.bf8.value(i)) +
               !same_number(f(out[i][2]), c.fp8.value(i)) + !same_number(f(out[i][3]), c.fp8.value(i));
    INFO(isa::target(c.arch).name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("f32 narrows to the nearest 8-bit float and keeps the other half", "[sim][convert]") {
  struct Case {
    Arch arch;
    Small fp8, bf8;
  };
  for (const Case& c : {Case{Arch::gfx942, fp8_fnuz, bf8_fnuz}, Case{Arch::gfx950, fp8, bf8},
                        Case{Arch::gfx1200, fp8, bf8}, Case{Arch::gfx1250, fp8, bf8}}) {
    auto in = random_floats(1024, 7, -12, 20);
    for (uint32_t k = 0; k < 126; ++k)
      in.push_back({u(static_cast<float>((c.fp8.value(k) + c.fp8.value(k + 1)) / 2)),
                    u(-static_cast<float>(c.fp8.value(k)))});  // ties
    const auto out = run_lanes(c.arch,
                               "v_mov_b32 v12, 0x12345678\n v_cvt_pk_fp8_f32 v12, v4, v5\n v_mov_b32 v13, 0x12345678\n "
                               "v_cvt_pk_bf8_f32 v13, v4, v5 op_sel:[0,0,1]",
                               in);
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      wrong += out[i][0] >> 16 != 0x1234 || (out[i][1] & 0xffff) != 0x5678;
      for (int k = 0; k < 2; ++k) {
        const float x = f(in[i][k]);
        if (std::fabs(x) <= c.fp8.largest()) wrong += (out[i][0] >> 8 * k & 0xff) != c.fp8.nearest(x);
        wrong += (out[i][1] >> (16 + 8 * k) & 0xff) != c.bf8.nearest(x);
      }
    }
    INFO(isa::target(c.arch).name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("overflow to an 8-bit float is NaN or infinity, or the largest where MODE says so", "[sim][convert]") {
  const In in{u(1e9f), u(-1e9f)};
  const std::string body = "v_cvt_pk_fp8_f32 v12, v4, v5\n v_cvt_pk_bf8_f32 v13, v4, v5";
  const auto get = [&](Arch a, bool saturate) {
    const auto o = run_lanes(a, body, {in}, {.fp16_overflow = saturate})[0];
    return std::pair{o[0] & 0xffff, o[1] & 0xffff};
  };
  CHECK(get(Arch::gfx942, false) == std::pair{0x8080u, 0x8080u});
  CHECK(get(Arch::gfx942, true) == std::pair{0xff7fu, 0xff7fu});
  CHECK(get(Arch::gfx1200, false) == std::pair{0xff7fu, 0xfc7cu});
  CHECK(get(Arch::gfx1200, true) == std::pair{0xfe7eu, 0xfb7bu});
}

TEST_CASE("stochastic rounding adds the random bits to what is cut off", "[sim][convert]") {
  const auto in = random_floats(2048, 8, -5, 10);
  const auto out = run_lanes(
      Arch::gfx950,
      "v_cvt_sr_bf16_f32 v12, v4, v11\n v_cvt_sr_f16_f32 v13, v4, v11 op_sel:[0,0,1]\n v_mov_b32 v14, 0x12345678\n "
      "v_cvt_sr_fp8_f32 v14, v4, v11 op_sel:[0,0,0,1]\n v_mov_b32 v15, 0\n v_cvt_sr_bf8_f32 v15, v4, v11",
      in);
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const uint32_t x = in[i][0], r = in[i][7];
    const auto cut = [&](int dropped) { return f((x + (r >> (32 - dropped))) & ~((1u << dropped) - 1)); };
    wrong += out[i][0] != u(cut(16)) >> 16;
    wrong += out[i][1] >> 16 != half.nearest(cut(13));
    wrong += (out[i][2] >> 16 & 0xff) != fp8.nearest(cut(20)) || (out[i][2] & 0xff00ffff) != 0x12005678;
    wrong += out[i][3] != bf8.nearest(cut(21));
  }
  CHECK(wrong == 0);
}

TEST_CASE("scaled conversions widen by the exponent of the scale and narrow by its inverse", "[sim][convert]") {
  auto in = all(256);
  for (auto& x : in) x[1] = u(8.f * 1.75f), x[2] = x[0] << 16 | x[0] << 24;  // the scale's mantissa does not count
  const auto wide =
      run_lanes(Arch::gfx950,
                "v_cvt_scalef32_f32_fp8 v12, v6, v5 op_sel:[1,1]\n v_cvt_scalef32_pk_f32_bf8 v[20:21], v6, v5 "
                "op_sel:[1,0]\n v_mov_b32 v13, v21\n v_cvt_scalef32_pk_f32_fp4 v[14:15], v6, v5 op_sel:[0,1]",
                in);
  int wrong = 0;
  for (uint32_t i = 0; i < 256; ++i)
    wrong += !same_number(f(wide[i][0]), fp8.value(i) * 8) + !same_number(f(wide[i][1]), bf8.value(i) * 8) +
             (f(wide[i][2]) != fp4.value(i & 15) * 8) + (f(wide[i][3]) != fp4.value(i >> 4) * 8);
  CHECK(wrong == 0);

  auto floats = random_floats(1024, 9, -3, 5);
  for (auto& x : floats) x[2] = u(0.25f);
  const auto narrow =
      run_lanes(Arch::gfx950,
                "v_mov_b32 v12, 0x12345678\n v_cvt_scalef32_pk_fp8_f32 v12, v4, v5, v6 op_sel:[0,0,0,1]\n v_mov_b32 "
                "v13, 0x12345678\n v_cvt_scalef32_pk_fp4_f32 v13, v4, v5, v6 op_sel:[0,0,1,0]",
                floats);
  wrong = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    const double a = f(floats[i][0]) * 4.0, b = f(floats[i][1]) * 4.0;
    const auto four = [](double x) { return fp4.nearest(std::clamp(x, -6.0, 6.0)); };
    wrong += narrow[i][0] != (0x5678 | fp8.nearest(a) << 16 | fp8.nearest(b) << 24);
    wrong += narrow[i][1] != (0x12340078 | four(a) << 8 | four(b) << 12);
  }
  CHECK(wrong == 0);
}

TEST_CASE("tuples of 6-bit floats are dense, little-endian arrays", "[sim][convert]") {
  auto in = random_floats(256, 10, -2, 4);
  for (auto& x : in) x[6] = u(2.f);
  std::string load;  // v[16:31] and v[32:47]: six inputs over and over, the second tuple negated
  for (int i = 0; i < 16; ++i)
    load += fmt::format("v_mov_b32 v{}, v{}\n v_xor_b32 v{}, 0x80000000, v{}\n", 16 + i, 4 + i % 6, 32 + i, 4 + i % 6);
  for (const Small& t : {fp6, bf6})
    for (int part = 0; part < 2; ++part) {
      const auto out =
          run_lanes(Arch::gfx950,
                    load + fmt::format("v_cvt_scalef32_2xpk16_{0}_f32 v[48:53], v[16:31], v[32:47], v10\n v_mov_b32 "
                                       "v12, v{1}\n v_mov_b32 v13, v{2}\n v_mov_b32 v14, v{3}\n"
                                       "v_cvt_scalef32_pk32_f32_{0} v[56:87], v[48:53], v10\n v_mov_b32 v15, v{4}",
                                       t.name, 48 + 3 * part, 49 + 3 * part, 50 + 3 * part, 56 + 16 * part + 5),
                    in);
      int wrong = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        unsigned __int128 want = 0;
        const auto code = [&](int k) {
          const double x = f(in[i][k / 2 % 6]) / 2.0 * (k % 2 ? -1 : 1);
          return t.nearest(std::clamp(x, -t.largest(), t.largest()));
        };
        for (int k = 0; k < 16; ++k) want |= static_cast<unsigned __int128>(code(16 * part + k)) << 6 * k;
        for (int k = 0; k < 3; ++k) wrong += out[i][k] != static_cast<uint32_t>(want >> 32 * k);
        wrong += f(out[i][3]) != t.value(code(16 * part + 5)) * 2;
      }
      INFO(t.name << ", dwords " << 3 * part << " and on");
      CHECK(wrong == 0);
    }
}

TEST_CASE("gfx1250 packs and unpacks eight and sixteen numbers at once", "[sim][convert]") {
  auto in = random_floats(128, 11, -2, 4);
  for (auto& x : in) x[7] = 0x7f7e8081;  // E8M0: 4, 2, 1/2, 1
  const auto eight = run_lanes(
      Arch::gfx1250,
      "v_mov_b32 v20, 1.0\n v_mov_b32 v11, 0x7f7e8081\n v_mov_b32 v28, v4\n v_mov_b32 v29, v5\n v_mov_b32 v30, v6\n "
      "v_mov_b32 v31, v7\n v_mov_b32 v32, v8\n v_mov_b32 v33, v9\n v_mov_b32 v34, v10\n v_mov_b32 v35, v4\n"
      "v_cvt_scalef32_pk8_fp8_f32 v[12:13], v[28:35], v20\n v_cvt_scalef32_pk8_fp4_f32 v14, v[28:35], v20\n "
      "v_cvt_scale_pk8_f32_fp8 v[40:47], v[12:13], v11 scale_sel:4\n v_mov_b32 v15, v42",
      in);
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    uint64_t want = 0;
    uint32_t four = 0;
    for (int k = 0; k < 8; ++k) {
      const double x = f(in[i][k == 7 ? 0 : k]);
      want |= uint64_t{fp8.nearest(x)} << 8 * k, four |= fp4.nearest(std::clamp(x, -6.0, 6.0)) << 4 * k;
    }
    wrong += eight[i][0] != static_cast<uint32_t>(want) || eight[i][1] != static_cast<uint32_t>(want >> 32) ||
             eight[i][2] != four;
    wrong += f(eight[i][3]) != fp8.value(want >> 16 & 0xff) * 2;
  }
  CHECK(wrong == 0);
}

TEST_CASE("scale_sel of gfx1250 chooses the scale's byte and half of the wave, as the guide's tables 36 and 37",
          "[sim][convert]") {
  std::vector<In> in(32);
  for (uint32_t l = 0; l < 32; ++l)
    in[l] = {0x38383838, 0x01010101 * (100 + l) + 0x30201000};  // E4M3: ones; E8M0: each byte of each lane another
  const auto scale = [&](const char* load, const char* select) {
    return run_lanes(Arch::gfx1250,
                     fmt::format("v_mov_b32 v16, {}\nv_mov_b32 v17, v16\nv_cvt_scale_pk8_f32_{} v[40:47], {}, v5 "
                                 "scale_sel:{}\nv_mov_b32 v12, v40",
                                 load[0] == '8' ? "v4" : "0x22222222", load[0] == '8' ? "fp8" : "fp4",
                                 load[0] == '8' ? "v[16:17]" : "v16", select),
                     in);
  };
  const auto power = [&](uint32_t lane, int byte) {
    return static_cast<uint32_t>(in[lane][1] >> 8 * byte & 255) << 23;
  };
  const int bytes[] = {0, 0, 2, 2, 1, 1, 3, 3};
  for (int select = 0; select < 8; ++select) {
    const auto out = scale("8", std::to_string(select).c_str());
    for (uint32_t l = 0; l < 32; ++l) CHECK(out[l][0] == power(l % 16 + (select & 1 ? 16 : 0), bytes[select]));
  }
  for (int select = 0; select < 4; ++select) {
    const auto out = scale("4", std::to_string(select).c_str());
    for (uint32_t l = 0; l < 32; ++l)
      CHECK(out[l][0] == power(l % 16 + (select & 1 ? 16 : 0), (select & 2) + (l >= 16)));
  }
}

TEST_CASE("both halves of a packed stochastic rounding have random bits of their own", "[sim][convert]") {
  auto in = random_floats(512, 21, -5, 10);
  const auto out =
      run_lanes(Arch::gfx1250, "v_cvt_sr_pk_bf16_f32 v12, v4, v5, v11\n v_cvt_sr_pk_f16_f32 v13, v4, v5, v11", in);
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const uint32_t a = in[i][0], b = in[i][1], r = in[i][7];
    wrong += out[i][0] != ((a + (r & 0xffff)) >> 16 | ((b + (r >> 16)) & 0xffff0000));
    const auto cut = [&](uint32_t x, uint32_t random) { return f((x + (random >> 3)) & ~0x1fffu); };
    wrong += out[i][1] != (half.nearest(cut(a, r & 0xffff)) | half.nearest(cut(b, r >> 16)) << 16);
  }
  CHECK(wrong == 0);
}

TEST_CASE("packed bf16 rounds to nearest and keeps denormals whatever MODE says, v_fma_mix does as MODE says",
          "[sim][convert]") {
  // CDNA5 ISA 7.7: 1 + 2^-8 is a tie; 2^-127 a denormal.
  const std::vector<In> in{{0x3f803f80, 0x3b803b80, 0x00400040, 0x00000000, 0x3f800000, 0x3b800000}};
  const auto run = [&](int round, int denorm) {
    return run_lanes(Arch::gfx1250,
                     "v_pk_add_bf16 v12, v4, v5\n v_pk_add_bf16 v13, v6, v7\n v_mov_b32 v14, 0\n v_fma_mixlo_bf16 v14, "
                     "v8, 1.0, v9\n v_pk_max_num_bf16 v15, v6, v7",
                     in, {.round_f16_64 = round, .denorm_f16_64 = denorm})[0];
  };
  CHECK(run(0, 3) == Out{0x3f803f80, 0x00400040, 0x3f80, 0x00400040});
  CHECK(run(1, 0) == Out{0x3f803f80, 0x00400040, 0x3f81, 0x00400040});
}

TEST_CASE("f32 and f64 convert to integers toward zero, saturated, NaN to zero", "[sim][convert]") {
  auto in = random_floats(2048, 12, -3, 40);
  for (const float x :
       {0.f, -0.f, 0.5f, -0.5f, 2147483648.f, -2147483648.f, 4294967296.f, -1.f, INFINITY, -INFINITY, NAN, 1e-40f})
    in.push_back({u(x), u(1.f)});
  const auto out = run_lanes(
      Arch::gfx942,
      "v_cvt_i32_f32 v12, v4\n v_cvt_u32_f32 v13, v4\n v_cvt_rpi_i32_f32 v14, v4\n v_cvt_flr_i32_f32 v15, v4", in);
  const auto wide = run_lanes(Arch::gfx1100,
                              "v_cvt_f64_f32 v[20:21], v4\n v_cvt_i32_f64 v12, v[20:21]\n v_cvt_u32_f64 v13, "
                              "v[20:21]\n v_cvt_pk_i16_f32 v14, v4, v5\n v_cvt_pk_u16_f32 v15, v4, v5",
                              in);
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const double x = f(in[i][0]), y = f(in[i][1]);
    const auto i32 = [](double v) { return static_cast<uint32_t>(truncated(v, INT32_MIN, INT32_MAX)); };
    const auto u32 = [](double v) { return static_cast<uint32_t>(truncated(v, 0, UINT32_MAX)); };
    wrong += (out[i][0] != i32(x)) + (out[i][1] != u32(x)) + (out[i][2] != i32(std::floor(x + 0.5))) +
             (out[i][3] != i32(std::floor(x)));
    wrong += (wide[i][0] != i32(x)) + (wide[i][1] != u32(x));
    wrong += wide[i][2] != (static_cast<uint32_t>(truncated(x, INT16_MIN, INT16_MAX) & 0xffff) |
                            static_cast<uint32_t>(truncated(y, INT16_MIN, INT16_MAX)) << 16);
    wrong += wide[i][3] != static_cast<uint32_t>(truncated(x, 0, UINT16_MAX) | truncated(y, 0, UINT16_MAX) << 16);
  }
  CHECK(wrong == 0);
}

TEST_CASE("the byte conversions take and place one byte", "[sim][convert]") {
  const auto in = all(256);
  const auto out = run_lanes(Arch::gfx942,
                             "v_lshlrev_b32 v20, 16, v4\n v_or_b32 v20, 0x55005555, v20\n v_cvt_f32_ubyte2 v12, v20\n "
                             "v_cvt_off_f32_i4 v13, v4\n v_mov_b32 v21, 0x12345678\n v_cvt_pk_u8_f32 v14, v12, 1, "
                             "v21\n v_mov_b32 v15, 0x12345678\n v_cvt_pkaccum_u8_f32 v15, v12, 2",
                             in);
  int wrong = 0;
  for (uint32_t i = 0; i < 256; ++i) {
    wrong += f(out[i][0]) != static_cast<float>(i);
    wrong += f(out[i][1]) != ((i & 15) < 8 ? static_cast<int>(i & 15) : static_cast<int>(i & 15) - 16) / 16.0;
    wrong += out[i][2] != (0x12340078 | i << 8) || out[i][3] != (0x12005678 | i << 16);
  }
  CHECK(wrong == 0);
}

TEST_CASE("bf16 results are the nearest, ties to even", "[sim][convert]") {
  auto in = random_floats(1024, 13, -20, 40);
  for (uint32_t k = 0; k < 64; ++k) in.push_back({0x3f808000 + (k << 16), 0xbf808001 + (k << 16)});
  const auto out = run_lanes(Arch::gfx950,
                             "v_cvt_pk_bf16_f32 v12, v4, v5\n v_cvt_f32_bf16 v13, v12\n v_cvt_pk_f16_f32 v14, v4, v5\n "
                             "v_cvt_pkrtz_f16_f32 v15, v4, v5",
                             in);
  const auto brain = [](uint32_t b) {  // by comparing the two neighbours
    const uint32_t down = b & 0xffff0000, up = down + 0x10000;
    const double below = std::fabs(static_cast<double>(f(b)) - f(down)),
                 above = std::fabs(static_cast<double>(f(up)) - f(b));
    return (below < above || (below == above && !(down >> 16 & 1)) ? down : up) >> 16;
  };
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    wrong += out[i][0] != (brain(in[i][0]) | brain(in[i][1]) << 16) || out[i][1] != out[i][0] << 16;
    const double x = f(in[i][0]), cut = half.value(out[i][3] & 0xffff);
    if (std::fabs(x) < 65504)
      wrong += std::fabs(cut) > std::fabs(x) || std::fabs(half.value((out[i][3] & 0xffff) + 1)) <= std::fabs(x) ||
               std::signbit(cut) != std::signbit(x);
    if (i < 64 && std::fabs(x) < 65504) wrong += (out[i][2] & 0xffff) != half.nearest(x);
  }
  CHECK(wrong == 0);
}
