// gfx1250's addition followed by a maximum or minimum, plain and packed (CDNA5 ISA, V_ADD_MAX_I32, V_PK_ADD_MAX_I16).
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace wavesmith::sim {

inline constexpr auto max_of = [](auto a, auto b) { return std::max(a, b); };
inline constexpr auto min_of = [](auto a, auto b) { return std::min(a, b); };

// select(a + b, c). The sum always saturates; clamp means "not below zero".
template <auto select, class T>
T add_select(T a, T b, T c, bool clamp) {
  const auto sum = static_cast<T>(
      std::clamp<int64_t>(int64_t{a} + int64_t{b}, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  const T x = select(sum, c);
  return clamp ? std::max(x, T{0}) : x;
}

}  // namespace wavesmith::sim
