// Rounding, denormals, and conversions of narrow formats for inner loops.
#pragma once
#include "isa_tables/half.h"
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

// A NaN keeps its sign and the upper bits of its payload, and becomes quiet (measured on gfx1100 and gfx1201: rocjitsu,
// bjacob/goc; inferred on the others).
inline uint16_t nan_f16(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  return static_cast<uint16_t>(bits >> 48 & 0x8000) | 0x7e00 | static_cast<uint16_t>(bits >> 42 & 0x1ff);
}
inline uint16_t to_f16(double x, Round round = Round::nearest_even) {
  if (x != x) return nan_f16(x);
  return static_cast<uint16_t>(encode(format::f16, x, {.round = round}));
}

inline uint16_t nearest_f16(float x) { return isa::half_bits(x); }

inline uint16_t flush_f16(uint16_t h) { return (h & 0x7c00) ? h : h & 0x8000; }

inline float from_bf16(uint16_t b) { return std::bit_cast<float>(uint32_t{b} << 16); }
inline uint16_t to_bf16(float f) { return isa::bfloat_bits(f); }  // nearest even

inline float from_fp8(uint8_t x, bool fnuz) {
  return static_cast<float>(decode(fnuz ? format::fp8_fnuz : format::fp8, x));
}
inline float from_bf8(uint8_t x, bool fnuz) {
  return static_cast<float>(decode(fnuz ? format::bf8_fnuz : format::bf8, x));
}

// xf32: f32 truncated to 10 explicit mantissa bits.
inline float to_xf32(float f) { return std::bit_cast<float>(std::bit_cast<uint32_t>(f) & 0xffffe000u); }

}  // namespace wavesmith::sim
