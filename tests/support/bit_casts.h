// Floats and their bits. The names are short because tables of expected values are full of them.
#pragma once
#include <bit>
#include <cstdint>

namespace simtest {

inline uint32_t u(float x) { return std::bit_cast<uint32_t>(x); }
inline float f(uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace simtest
