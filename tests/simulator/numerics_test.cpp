// Number formats against an independent derivation: all representable values are enumerated from the format's
// definition in powers of two, and a conversion must find the nearest, or the one on the right side, by searching them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

#include "simulator/numerics/valu.h"

namespace wavesmith::sim {

namespace {

struct Named {
  const char* name;
  FloatFormat format;
  double largest, least_normal, least;
  int numbers;
};
// Largest, least normal and least subnormal numbers as the format documents state them; how many codes are finite.
const Named formats[] = {
    {"f16", format::f16, 65504, 0x1p-14, 0x1p-24, 63488},
    {"bf16", format::bf16, 0x1.fep127, 0x1p-126, 0x1p-133, 65280},
    {"fp8", format::fp8, 448, 0x1p-6, 0x1p-9, 254},
    {"bf8", format::bf8, 57344, 0x1p-14, 0x1p-16, 248},
    {"fp8 fnuz", format::fp8_fnuz, 240, 0x1p-7, 0x1p-10, 255},
    {"bf8 fnuz", format::bf8_fnuz, 57344, 0x1p-15, 0x1p-17, 255},
    {"fp6", format::fp6, 7.5, 1, 0.125, 64},
    {"bf6", format::bf6, 28, 0.25, 0.0625, 64},
    {"fp4", format::fp4, 6, 1, 0.5, 16},
};

// Ascending magnitudes of a format, from its least number, its mantissa width and its largest: no use of the decoder.
std::vector<double> magnitudes(const Named& n) {
  std::vector<double> out{0};
  const int per_binade = static_cast<int>(n.least_normal / n.least);
  for (int m = 1; m < per_binade; ++m) out.push_back(m * n.least);
  for (double binade = n.least_normal; binade <= n.largest; binade *= 2)
    for (int m = 0; m < per_binade; ++m)
      if (const double x = binade * (1 + static_cast<double>(m) / per_binade); x <= n.largest) out.push_back(x);
  return out;
}

// Nearest in the list, ties to the even index: subnormals and normals of rising exponents alternate even and odd
// mantissas.
size_t nearest(const std::vector<double>& all, double a) {
  const size_t above = static_cast<size_t>(std::lower_bound(all.begin(), all.end(), a) - all.begin());
  if (above == 0 || all[above] == a) return above;
  const double up = all[above] - a, down = a - all[above - 1];
  return up < down ? above : down < up ? above - 1 : above % 2 ? above - 1 : above;
}

}  // namespace

TEST_CASE("every code of a narrow format has the value of its definition and comes back", "[numerics]") {
  for (const Named& n : formats) {
    CAPTURE(n.name);
    const auto all = magnitudes(n);
    int finite = 0, wrong = 0;
    for (uint32_t code = 0; code < 1u << n.format.bits(); ++code) {
      const double x = decode(n.format, code);
      if (!std::isfinite(x)) {
        const uint32_t back = encode(n.format, x);
        wrong += std::isnan(x) ? !std::isnan(decode(n.format, back)) : back != code;
        continue;
      }
      ++finite;
      const uint32_t body = code & (n.format.sign() - 1);
      wrong += body >= all.size() || std::fabs(x) != all[body] || std::signbit(x) != ((code & n.format.sign()) != 0) ||
               encode(n.format, x) != code;
    }
    CHECK(wrong == 0);
    CHECK(finite == n.numbers);
    CHECK(all.back() == n.largest);
  }
}

TEST_CASE("conversion to a narrow format finds the nearest value, or the next one toward zero, up or down",
          "[numerics]") {
  std::mt19937 random(3);
  for (const Named& n : formats) {
    CAPTURE(n.name);
    const auto all = magnitudes(n);
    std::vector<double> inputs;
    for (size_t i = 0; i + 1 < all.size(); ++i) {  // every value, every tie, and either side of both
      const double tie = (all[i] + all[i + 1]) / 2;
      for (const double x : {all[i], tie})
        inputs.insert(inputs.end(), {x, std::nextafter(x, 1e300), std::nextafter(x, 0)});
    }
    for (int i = 0; i < 2000; ++i)
      inputs.push_back(std::ldexp(std::generate_canonical<double, 53>(random), static_cast<int>(random() % 24) - 20) *
                       n.largest / 16);
    int wrong = 0;
    for (const double a : inputs)
      for (const double x : {a, -a}) {
        if (a > n.largest) continue;
        const size_t above = static_cast<size_t>(std::lower_bound(all.begin(), all.end(), a) - all.begin()),
                     below = all[above] == a ? above : above - 1;
        const auto check = [&](Round r, size_t want) {
          const double got = decode(n.format, encode(n.format, x, {.round = r}));
          wrong += std::fabs(got) != all[want] || (got != 0 && std::signbit(got) != std::signbit(x));
        };
        check(Round::nearest_even, nearest(all, a));
        check(Round::zero, below);
        check(Round::up, std::signbit(x) ? below : above);
        check(Round::down, std::signbit(x) ? above : below);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("beyond the largest number a format saturates, or has infinity, or NaN", "[numerics]") {
  for (const Named& n : formats) {
    CAPTURE(n.name);
    const double half_step = n.largest - magnitudes(n).end()[-2], past = n.largest + half_step;
    const bool none = n.format.special == FloatFormat::Special::none,
               infinity = n.format.special == FloatFormat::Special::ieee;
    const auto value = [&](double x, Encoding how = {}) { return decode(n.format, encode(n.format, x, how)); };
    CHECK(value(n.largest + 0.49 * half_step) == n.largest);  // still nearest
    CHECK(value(past, {.saturate = true}) == n.largest);
    CHECK(value(-past, {.saturate = true}) == -n.largest);
    CHECK(value(past, {.round = Round::zero}) == n.largest);
    if (none) CHECK(value(past) == n.largest);
    else if (infinity) CHECK(value(past) == INFINITY);
    else CHECK(std::isnan(value(past)));
    if (none) CHECK(value(-INFINITY) == -n.largest);
    else if (infinity) CHECK(value(-INFINITY, {.saturate = true}) == -INFINITY);
    else CHECK(std::isnan(value(-INFINITY)));
  }
  CHECK(encode(format::fp8_fnuz, -0.0) == 0);  // no negative zero
  CHECK(encode(format::fp8_fnuz, -0x1p-12) == 0);
  CHECK(encode(format::fp8, -0x1p-12) == 0x80);
}

TEST_CASE("f16 and bf16 to f32 agree with the decoder on all codes", "[numerics]") {
  int wrong = 0;
  for (uint32_t code = 0; code < 65536; ++code) {
    const auto same = [](double x, float y) {
      return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
    };
    wrong += !same(decode(format::f16, code), from_f16(static_cast<uint16_t>(code)));
    wrong += !same(decode(format::bf16, code), from_bf16(static_cast<uint16_t>(code)));
    const float f =
        std::bit_cast<float>(code << 16 | (code * 40503u & 0xffff));  // every upper half with some lower half
    wrong += !same(decode(format::bf16, encode(format::bf16, f)), from_bf16(to_bf16(f)));
  }
  CHECK(wrong == 0);
}

TEST_CASE("f32 to f16 without branches agrees with the search-tested encoder on every neighbourhood of a result",
          "[numerics]") {
  int wrong = 0;
  for (uint32_t code = 0; code < 0x7c00; ++code) {
    const float low = from_f16(static_cast<uint16_t>(code)),
                high = code == 0x7bff ? 65536.f : from_f16(static_cast<uint16_t>(code + 1)),
                tie = low + (high - low) / 2;
    for (const float x : {low, std::nextafter(low, 1e9f), tie, std::nextafter(tie, 0.f), std::nextafter(tie, 1e9f)})
      for (const float y : {x, -x}) wrong += nearest_f16(y) != to_f16(y);
  }
  for (const float x : {1e30f, -1e30f, INFINITY, NAN, 0x1p-140f}) wrong += nearest_f16(x) != to_f16(x);
  CHECK(wrong == 0);
}

TEST_CASE("stochastic rounding goes up as often as the value lies above the lower neighbour", "[numerics]") {
  for (const auto& f : {format::fp8, format::bf8, format::fp8_fnuz, format::bf8_fnuz, format::fp6, format::bf6,
                        format::fp4, format::f16, format::bf16}) {
    const float low = 1.f, step = std::ldexp(1.f, -f.mantissa_bits);
    for (const float fraction : {0.f, 0.25f, 0.5f, 0.875f}) {
      const float x = low + fraction * step;
      int up = 0;
      constexpr int draws = 64;
      for (uint32_t i = 0; i < draws; ++i) {  // the random bits that count, in equal steps
        const double y = decode(f, encode_stochastic(f, x, i << 26));
        CHECK((y == low || y == low + step));
        up += y != low;
      }
      CHECK(up == static_cast<int>(fraction * draws));
      CHECK(decode(f, encode_stochastic(f, -x, 0)) == -low);
    }
  }
}

TEST_CASE("an E8M0 scale is a power of two and 0xff is no number", "[numerics]") {
  for (int code = 0; code < 255; ++code) {
    CHECK(decode_e8m0(static_cast<uint8_t>(code)) == std::ldexp(1.0, code - 127));
  }
  CHECK(std::isnan(decode_e8m0(255)));
}

namespace {

// The host's own FPU in the same rounding mode.
template <class F>
float on_host(Round r, F f) {
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::fesetround(modes[static_cast<int>(r)]);
  const volatile float x = f();
  std::fesetround(FE_TONEAREST);
  return x;
}

}  // namespace

TEST_CASE("f32 sums and products round as the host's FPU does in every mode", "[numerics]") {
  std::mt19937 random(5);
  const auto draw = [&]() -> float {
    const uint32_t r = random();
    switch (random() % 8) {
      case 0: return std::bit_cast<float>(r & 0x807fffff);  // denormals and zeros
      case 1: return r & 1 ? 0.f : -0.f;
      case 2: return std::bit_cast<float>((r & 0x80ffffff) | 0x7e800000);  // near the largest
      default: return std::bit_cast<float>((r & 0x83ffffff) | 0x3c000000);
    }
  };
  int wrong = 0;
  for (int i = 0; i < 40000; ++i) {
    const volatile float a = draw(), b = draw(), c = i % 5 ? draw() : -a * b;
    for (const Round r : {Round::nearest_even, Round::up, Round::down, Round::zero}) {
      const auto same = [](float x, float y) { return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y); };
      wrong += !same(add_f32(a, b, r), on_host(r, [&] { return a + b; }));
      wrong += !same(mul_f32(a, b, r), on_host(r, [&] { return a * b; }));
      wrong += !same(fma_f32(a, b, c, r), on_host(r, [&] { return std::fma(a, b, c); }));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("minimum, maximum, median and clamp treat NaN and signed zeros as the ISA says", "[numerics]") {
  const float snan = std::bit_cast<float>(0x7f800001u), qnan = std::bit_cast<float>(0x7fc00000u);
  const auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  CHECK(bits(min_f32(0.f, -0.f, true)) == 0x80000000);  // as gfx1100 gives
  CHECK(bits(max_f32(0.f, -0.f, true)) == 0);
  for (const bool ieee : {false, true}) {
    CHECK(min_f32(qnan, 3.f, ieee) == 3);
    CHECK(max_f32(3.f, qnan, ieee) == 3);
  }
  CHECK(min_f32(snan, 3.f, false) == 3);
  CHECK(bits(min_f32(snan, 3.f, true)) == 0x7fc00001);
}

TEST_CASE("integer dot products and packed conversions give what gfx1100 gives",
          "[numerics]") {  // expectations: tests/facts/vectors/hw_vectors.jsonl
  CHECK(dot_i32(4264885812u, 286331153, 0, {4, true, true, false}) == 8);
  CHECK(dot_i32(0xffffffff, 286331153, 0, {4, true, true, false}) == -8);
  CHECK(dot_i32(0xffffffff, 0x02020202, 0, {8, true, false, false}) == -8);
  CHECK(dot_i32(0x7f7f7f7f, 0x7f7f7f7f, INT32_MAX - 5, {8, true, true, true}) == INT32_MAX);
  CHECK(dot_u32(0xffffffff, 0xffffffff, 1, {8, false, false, false}) == 4u * 255 * 255 + 1);
  CHECK((norm_i16(1.0) == 0x7fff && norm_i16(-1.0) == -0x7fff && norm_i16(NAN) == 0));
  CHECK((to_u8(128.0) == 128 && to_u8(300) == 255 && to_u8(-3) == 0 && to_u8(2.5) == 2));
  CHECK((to_i32(42.7) == 42 && to_i32(-1.5) == -1 && to_i32(3e9) == INT32_MAX && to_i32(NAN) == 0));
  CHECK((to_u32(-1) == 0 && to_u32(5e9) == UINT32_MAX));
  CHECK(to_f16(1.5) == 15872);
  CHECK(to_f16(static_cast<double>(std::bit_cast<float>(1203982336u))) == 31744);  // overflows to infinity
}

TEST_CASE("scaled conversions take the exponent of their scale alone", "[numerics]") {
  CHECK(scale_of(5.f) == 4);
  CHECK(std::isnan(scale_of(INFINITY)));
}

}  // namespace wavesmith::sim
