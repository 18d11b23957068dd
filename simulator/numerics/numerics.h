// Rounding and denormals, and the narrow formats in the forms that inner loops use.
#pragma once
#include "simulator/numerics/formats.h"

namespace wavesmith::sim {

inline float flush(float x) {
  return (std::bit_cast<uint32_t>(x) & 0x7f800000) ? x : std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x80000000u);
}

// IEEE binary16. Exact.
inline float from_f16(uint16_t h) {
  const uint32_t sign = uint32_t{h & 0x8000u} << 16, body = h & 0x7fff;
  if (body >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (body & 0x3ff) << 13);
  if (body >= 0x0400) return std::bit_cast<float>(sign | ((body << 13) + (112u << 23)));
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(body) * 0x1p-24f));
}

inline uint16_t to_f16(double x, Round round = Round::nearest_even) {
  return static_cast<uint16_t>(encode(format::f16, x, {.round = round}));
}

// The same from f32, to nearest, without branches: half of the last place is added to the bits; small numbers are
// aligned by an addition.
inline uint16_t nearest_f16(float x) {
  const uint32_t b = std::bit_cast<uint32_t>(x), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
  // Below 2^-14 the last place is 2^-24, that of 0.5 in f32. All three are computed: without branches a loop over lanes
  // is vectorised.
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(a) + 0.5f) - 0x3f000000,
                 normal = (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13;
  const uint32_t finite = a < 0x38800000 ? small : normal, special = a > 0x7f800000 ? 0x7e00 : 0x7c00;
  return static_cast<uint16_t>(sign | (a >= 0x477ff000 ? special : finite));  // 65520 and more
}

inline uint16_t flush_f16(uint16_t h) { return (h & 0x7c00) ? h : h & 0x8000; }

inline float from_bf16(uint16_t b) { return std::bit_cast<float>(uint32_t{b} << 16); }
inline uint16_t to_bf16(float f) {  // nearest even
  const uint32_t b = std::bit_cast<uint32_t>(f);
  if (std::isnan(f)) return static_cast<uint16_t>(b >> 16 | 0x40);
  return static_cast<uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

inline float from_fp8(uint8_t x, bool fnuz) {
  return static_cast<float>(decode(fnuz ? format::fp8_fnuz : format::fp8, x));
}
inline float from_bf8(uint8_t x, bool fnuz) {
  return static_cast<float>(decode(fnuz ? format::bf8_fnuz : format::bf8, x));
}

// xf32: f32 truncated to 10 explicit mantissa bits.
inline float to_xf32(float f) { return std::bit_cast<float>(std::bit_cast<uint32_t>(f) & 0xffffe000u); }

}  // namespace wavesmith::sim
