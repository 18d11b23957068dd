#include "simulator/numerics/dot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "simulator/numerics/formats.h"
#include "simulator/numerics/numerics.h"

namespace wavesmith::sim {
namespace {
using isa::Type;

constexpr int none = -1024;  // the exponent of zero: below all others
int leading(double x) { return x == 0 ? none : std::ilogb(x); }
double product(const Factor& x, const Factor& y) { return double{x.value} * y.value; }
// The exponent by which a product is aligned: the sum of its factors' exponents, not that of the product.
int aligned_at(const Factor& x, const Factor& y) { return product(x, y) == 0 ? none : x.exponent + y.exponent; }
double units(double x, int unit) { return x * power_of_two(-unit); }

// Infinities and NaNs, in order of precedence: a NaN factor, an invalid product or sum (0 x inf, inf - inf), a NaN
// accumulator.
constexpr uint32_t nan_of_factor = 0xffc00a3d, nan_of_sum = 0xffc00000, quiet_bit = 0x00400000;
std::optional<float> special(std::span<const Factor> a, std::span<const Factor> b, float c, uint32_t invalid) {
  bool up = false, down = false, zero_times_infinity = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const float x = a[i].value, y = b[i].value;
    if (std::isnan(x) || std::isnan(y)) return std::bit_cast<float>(nan_of_factor);
    if (!std::isinf(x) && !std::isinf(y)) continue;
    zero_times_infinity |= x == 0 || y == 0;
    (std::signbit(x) != std::signbit(y) ? down : up) = true;
  }
  if (zero_times_infinity || (up && down)) return std::bit_cast<float>(invalid);
  if (std::isnan(c)) return std::bit_cast<float>(std::bit_cast<uint32_t>(c) | quiet_bit);
  if (std::isinf(c)) (std::signbit(c) ? down : up) = true;
  if (up && down) return std::bit_cast<float>(invalid);
  if (up || down) return up ? INFINITY : -INFINITY;
  return {};
}

// Rounds the exact sum to nearest; zeros are positive. flushes: results that would round to an f32 denormal are zero.
float narrowed(double sum, Type result, bool flushes) {
  if (result == Type::f16) {
    const float r = from_f16(static_cast<uint16_t>(encode(format::f16, sum)));
    return r == 0 ? 0.f : r;
  }
  constexpr double rounds_to_normal = 0x1p-126 - 0x1p-151;
  const float r = flushes && std::fabs(sum) < rounds_to_normal ? 0.f : static_cast<float>(sum);
  const uint32_t mask =
      result == Type::bf16
          ? 0xffff0000
          : 0xffffffff;  // chosen as an integer: g++ 12 loses `c ? bit_cast<float>(bits & 0xffff0000) : x`
  const float kept = std::bit_cast<float>(std::bit_cast<uint32_t>(r) & mask);
  return kept == 0 ? 0.f : kept;
}

}  // namespace

float complement_dot(std::span<const Factor> a, std::span<const Factor> b, float c, Type result) {
  Factor x[2], y[2];
  for (size_t i = 0; i < 2; ++i) x[i] = i < a.size() ? a[i] : Factor{}, y[i] = i < a.size() ? b[i] : Factor{};
  for (Factor* f : {&x[0], &x[1], &y[0], &y[1]}) f->value = flush(f->value);
  if (const auto s = special(x, y, c, nan_of_sum)) return *s;
  c = flush(c);
  const double terms[] = {c, product(x[0], y[0]), product(x[1], y[1])};
  int most = result == Type::f16 ? std::max(-14, leading(c)) : leading(c);
  for (const double t : {terms[1], terms[2]}) most = std::max(most, leading(t));
  if (std::ranges::all_of(terms, [](double t) { return t == 0; })) return 0;
  const int unit = std::max(std::max(aligned_at(x[0], y[0]), aligned_at(x[1], y[1])) - 24, most - 26);
  double sum = 0;  // relative to the accumulator's sign
  for (const double t : terms) {
    const double whole = std::trunc(std::fabs(units(t, unit)));
    sum += std::signbit(t) == std::signbit(c) ? whole : -whole - 1;
  }
  return narrowed((std::signbit(c) ? -sum : sum) * power_of_two(unit), result, true);
}

float floored_dot(std::span<const Factor> a, std::span<const Factor> b, float c, int together, Type result) {
  if (const auto s = special(a, b, c, together == 2 ? nan_of_sum : nan_of_factor)) return *s;
  const size_t n = a.size(), part = static_cast<size_t>(together);
  const int least = result == Type::f16 ? -14 : -126;  // lower bound of the accumulator's alignment
  int part_unit[4], unit = std::max(least, leading(c)) - 26;
  for (size_t i = 0; i < n; i += part) {
    int most = none;
    for (size_t j = i; j < std::min(i + part, n); ++j) most = std::max(most, aligned_at(a[j], b[j]));
    unit = std::max(unit, part_unit[i / part] = most - 24);
  }
  const double whole = std::floor(units(c, unit));
  double sum = unit > least && std::fabs(units(c, unit)) < 1
                   ? 0
                   : whole;  // an accumulator below one unit is lost where units are coarse
  for (size_t i = 0; i < n; i += part) {
    const int of_part = part_unit[i / part];
    double products = 0;
    for (size_t j = i; j < std::min(i + part, n); ++j)
      if (product(a[j], b[j]) != 0) products += std::floor(units(product(a[j], b[j]), of_part));
    if (products != 0) sum += std::floor(units(products, unit - of_part));
  }
  return narrowed(sum * power_of_two(unit), result, false);
}

}  // namespace wavesmith::sim
