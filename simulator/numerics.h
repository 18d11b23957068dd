// Rounding, denormals and the narrow float formats, one function each.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace wavesmith::sim {

inline float flush(float x) { return (std::bit_cast<uint32_t>(x) & 0x7f800000) ? x : std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x80000000u); }

// IEEE binary16. Exact.
inline float from_f16(uint16_t h) {
  const uint32_t sign = uint32_t{h & 0x8000u} << 16, body = h & 0x7fff;
  if (body >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (body & 0x3ff) << 13);
  if (body >= 0x0400) return std::bit_cast<float>(sign | ((body << 13) + (112u << 23)));
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(body) * 0x1p-24f));
}

enum class Round : uint8_t { nearest_even, up, down, zero };       // as MODE.fp_round

// To binary16 from double, so that one rounding suffices for what was computed exactly in double.
inline uint16_t to_f16(double x, Round round = Round::nearest_even) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return static_cast<uint16_t>(sign | 0x7e00);
  const double a = std::fabs(x);
  if (std::isinf(x)) return static_cast<uint16_t>(sign | 0x7c00);
  int e = 0;
  std::frexp(a, &e);
  const int lsb = std::max(e - 11, -24);                   // exponent of the last place
  const double scaled = std::ldexp(a, -lsb);
  double n = std::floor(scaled);
  const double rest = scaled - n;
  const bool away = round == Round::nearest_even ? rest > 0.5 || (rest == 0.5 && std::fmod(n, 2) != 0)
                  : round == Round::up ? rest > 0 && !sign : round == Round::down ? rest > 0 && sign : false;
  n += away;
  const double value = std::ldexp(n, lsb);
  if (value >= 65536.0) {
    const bool to_max = round == Round::zero || (round == Round::up && sign) || (round == Round::down && !sign);
    return static_cast<uint16_t>(sign | (to_max ? 0x7bff : 0x7c00));
  }
  if (value == 0) return sign;
  std::frexp(value, &e);
  if (e - 1 < -14) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::ldexp(value, 24)));
  return static_cast<uint16_t>(sign | (e - 1 + 15) << 10 | (static_cast<uint32_t>(std::ldexp(value, 10 - (e - 1))) & 0x3ff));
}

inline uint16_t flush_f16(uint16_t h) { return (h & 0x7c00) ? h : h & 0x8000; }

inline float from_bf16(uint16_t b) { return std::bit_cast<float>(uint32_t{b} << 16); }
inline uint16_t to_bf16(float f) {                         // nearest even
  const uint32_t b = std::bit_cast<uint32_t>(f);
  if (std::isnan(f)) return static_cast<uint16_t>(b >> 16 | 0x40);
  return static_cast<uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

// An 8-bit float with `mantissa` bits. fnuz (gfx942): bias one higher, no infinities, 0x80 is the NaN. CDNA3 ISA 7.1.
inline float from_fp8(uint8_t x, int mantissa, bool fnuz) {
  const int exponent_bits = 7 - mantissa, bias = (1 << (exponent_bits - 1)) - (fnuz ? 0 : 1);
  const float sign = x & 0x80 ? -1.f : 1.f;
  const int e = (x & 0x7f) >> mantissa, m = x & ((1 << mantissa) - 1);
  if (fnuz && x == 0x80) return std::numeric_limits<float>::quiet_NaN();
  if (!fnuz && mantissa == 2 && e == 31) return m ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  if (!fnuz && mantissa == 3 && (x & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
  if (e == 0) return sign * std::ldexp(static_cast<float>(m), 1 - bias - mantissa);
  return sign * std::ldexp(static_cast<float>(m + (1 << mantissa)), e - bias - mantissa);
}

// xf32: f32 cut to 10 explicit mantissa bits.
inline float to_xf32(float f) { return std::bit_cast<float>(std::bit_cast<uint32_t>(f) & 0xffffe000u); }

}  // namespace wavesmith::sim
