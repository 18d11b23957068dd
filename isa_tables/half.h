// 16-bit floats from f32, rounded to the nearest, ties to even.
#pragma once
#include <bit>
#include <cstdint>

namespace wavesmith::isa {

// Normal results: adds half a unit in the last place to the bits. Denormal results (below 2^-14, unit 2^-24): aligned
// by adding 0.5, whose f32 unit is 2^-24. Both are computed and selected without branches, so that loops over lanes are
// vectorised.
inline uint16_t half_bits(float x) {
  const uint32_t b = std::bit_cast<uint32_t>(x), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(a) + 0.5f) - 0x3f000000,
                 normal = (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13;
  const uint32_t finite = a < 0x38800000 ? small : normal, special = a > 0x7f800000 ? 0x7e00 : 0x7c00;
  return static_cast<uint16_t>(sign | (a >= 0x477ff000 ? special : finite));  // 65520 and more
}
inline uint16_t bfloat_bits(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace wavesmith::isa
