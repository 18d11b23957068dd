// 16-bit constants from floats, rounded to the nearest, ties to even.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace wavesmith::isa {

inline uint16_t half_bits(float f) {
  const auto bits = std::bit_cast<uint32_t>(f), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  const auto with_sign = [&](uint32_t half) { return static_cast<uint16_t>(sign | half); };
  if (size > 0x7f800000) return with_sign(0x7e00);   // a NaN
  if (size >= 0x477ff000) return with_sign(0x7c00);  // 65520 and above
  if (size < 0x38800000)                             // below 2^-14: multiples of 2^-24
    return with_sign(static_cast<uint32_t>(std::nearbyint(std::fabs(f) * 0x1p24f)));
  return with_sign((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}
inline uint16_t bfloat_bits(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace wavesmith::isa
