#include "simulator/numerics/matrix.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "simulator/numerics/dot.h"
#include "simulator/numerics/numerics.h"

namespace wavesmith::sim {
namespace {
using isa::Family, isa::Type;

// group: the elements of A that a lane holds (`lane`), the elements that fill 128 bits (`bits128`; 16 for formats below
// 8 bits), or a number.
enum : int { lane = -1, bits128 = -2 };
struct Rule {
  Family first, last;
  Sum f16, narrow, xf32;
  int group;
  const char* source;
};
constexpr Rule rules[] = {
    // families                     16 bit          8 bit and less  xf32            group
    {Family::cdna1, Family::cdna1, Sum::pairs, Sum::pairs, Sum::pairs, lane,
     "MMA-Sim, CDNA1, as of the first edition (a later one adds a group exactly and rounds once)"},
    {Family::cdna2, Family::cdna2, Sum::flushed, Sum::flushed, Sum::flushed, lane, "MMA-Sim, CDNA2"},
    {Family::cdna3, Family::cdna3, Sum::truncated, Sum::halves, Sum::truncated, bits128, "MMA-Sim, CDNA3"},
    {Family::cdna4, Family::cdna4, Sum::truncated, Sum::halves, Sum::truncated, bits128,
     "inferred: as CDNA3, whose unit it widens"},
    {Family::rdna3, Family::rdna35, Sum::complement, Sum::complement, Sum::complement, 2,
     "measured on gfx1100 and gfx1151: rocm-systems issue 12056"},
    {Family::rdna4, Family::rdna4, Sum::floored, Sum::floored, Sum::floored, 4,
     "16 bits: measured on gfx1201, rocm-systems issue 12056; WMMA of 8 bits inferred to be V_DOT4, measured there"},
    {Family::gfx1250, Family::gfx1250, Sum::truncated, Sum::halves, Sum::truncated, bits128, "inferred: as CDNA3"},
};

// Pairwise sum: (p0 + p1) + (p2 + p3). A zero product is +0.
float pairs_group(std::span<const Factor> a, std::span<const Factor> b, float c) {
  float p[32];
  size_t n = a.size();
  for (size_t i = 0; i < n; ++i) p[i] = a[i].value * b[i].value + 0.f;
  for (; n > 1; n /= 2)
    for (size_t i = 0; i < n / 2; ++i) p[i] = p[2 * i] + p[2 * i + 1];
  return c + p[0];
}

float flushed_group(std::span<const Factor> a, std::span<const Factor> b, float c) {
  float p[32];
  size_t n = a.size();
  const auto normal = [](const Factor& f) { return std::fabs(f.value) < power_of_two(f.exponent) ? 0.f : f.value; };
  for (size_t i = 0; i < n; ++i) p[i] = flush(normal(a[i]) * normal(b[i]) + 0.f);
  for (; n > 1; n /= 2)
    for (size_t i = 0; i < n / 2; ++i) p[i] = flush(p[2 * i] + p[2 * i + 1]);
  return flush((flush(c) + 0.f) + p[0]);
}

// Products truncated toward zero to multiples of 2^(top - 24), and their sum. `top`: the largest exponent of a nonzero
// product, else the smallest exponent of f32.
struct Aligned {
  double sum = 0;
  int top = -126;
};
Aligned aligned_sum(std::span<const Factor> a, std::span<const Factor> b, int scale, size_t first, size_t step) {
  Aligned r;
  bool any = false;
  for (size_t i = first; i < a.size(); i += step)
    if (a[i].value != 0 && b[i].value != 0) {
      const int e = a[i].exponent + b[i].exponent + scale;
      r.top = any ? std::max(r.top, e) : e;
      any = true;
    }
  const double unit = power_of_two(24 - r.top), s = power_of_two(scale);
  for (size_t i = first; i < a.size(); i += step) {
    const double p = double{a[i].value} * b[i].value * s;
    r.sum += std::trunc((std::fabs(p) >= 0x1p128 ? p * INFINITY : p) * unit);
  }
  r.sum *= power_of_two(r.top - 24);
  return r;
}

double floor_at(double x, int exponent) { return std::floor(x * power_of_two(-exponent)) * power_of_two(exponent); }

// The plain sum, for infinities and NaNs: a finite product that overflows must not cancel an infinite accumulator.
std::optional<float> special_sum(std::span<const Factor> a, std::span<const Factor> b, float c) {
  double sum = c;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i].value} * b[i].value;
  if (std::isfinite(sum)) return {};
  return static_cast<float>(sum);
}

float truncated_group(std::span<const Factor> a, std::span<const Factor> b, float c, int scale) {
  if (const auto special = special_sum(a, b, c)) return *special;
  const Aligned p = aligned_sum(a, b, scale, 0, 1);
  const int top = std::max(p.top, exponent_of(c, -126));
  return static_cast<float>(floor_at(p.sum, top - 31) + floor_at(c, top - 24));
}

float halves_group(std::span<const Factor> a, std::span<const Factor> b, float c, int scale) {
  if (const auto special = special_sum(a, b, c)) return *special;
  const Aligned even = aligned_sum(a, b, scale, 0, 2), odd = aligned_sum(a, b, scale, 1, 2);
  const int both = std::max(even.top, odd.top), ec = exponent_of(c, -126), top = std::max(both, ec);
  const double products = floor_at(even.sum, both - 24) + floor_at(odd.sum, both - 24);
  return static_cast<float>(floor_at(products, top - 31) + (ec < top - 25 ? 0 : floor_at(c, top - 24)));
}

Sum how(const Rule& r, Type a) { return a == Type::xf32 ? r.xf32 : isa::bits(a) == 16 ? r.f16 : r.narrow; }

}  // namespace

bool flushes_denormals(Family family, Type a) {
  if (a == Type::f32 || a == Type::f64) return false;  // fused multiply-adds
  return std::ranges::any_of(rules, [&](const Rule& r) {
    return family >= r.first && family <= r.last &&
           (how(r, a) == Sum::flushed || (how(r, a) == Sum::complement && a == Type::bf16));
  });
}
static int together(Type a) { return isa::bits(a) == 16 ? 2 : 4; }

Summation summation(Family family, const isa::Matrix& x, Products p) {
  if (x.d == Type::i32) return {.how = Sum::integer, .source = "two's complement"};
  if (p.a == Type::f64 || p.a == Type::f32) return {.source = "MMA-Sim, CDNA1-3"};
  for (const Rule& r : rules) {
    if (family < r.first || family > r.last) continue;
    const int group = r.group == lane ? p.per_lane : r.group == bits128 ? 128 / std::max(8, isa::bits(p.a)) : r.group;
    const Sum sum = how(r, p.a);
    const bool steps = sum == Sum::complement || sum == Sum::floored;
    return {sum, std::min(group, p.depth), steps ? together(p.a) : 1, steps ? x.d : Type::f32, r.source};
  }
  return {};
}

Summation dot_summation(Family family, Type a, int products, Type result) {
  for (const Rule& r : rules)
    if (family >= r.first && family <= r.last && (r.f16 == Sum::complement || r.f16 == Sum::floored))
      return {r.f16, products, together(a), result, r.source};
  return {Sum::fma, 1, 1, result,
          "inferred: one product after the other, each multiply-add fused, as the pseudo-code of V_DOT2_F32_F16 lists "
          "them"};
}

int least_exponent(Type t, bool fnuz) {
  switch (t) {
    case Type::f16: return -14;
    case Type::fp8: return fnuz ? -7 : -6;
    case Type::bf8: return fnuz ? -15 : -14;
    case Type::fp6:
    case Type::fp4: return 0;
    case Type::bf6: return -2;
    default: return -126;
  }
}

int exponent_of(float x, int least) {
  return std::max(static_cast<int>(std::bit_cast<uint32_t>(x) >> 23 & 255) - 127, least);
}

float accumulate(const Summation& s, std::span<const Factor> a, std::span<const Factor> b, float c, int scale) {
  if (scale == nan_scale) return std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 0; i < a.size(); i += static_cast<size_t>(s.group)) {
    const size_t n = std::min(a.size() - i, static_cast<size_t>(s.group));
    const auto x = a.subspan(i, n), y = b.subspan(i, n);
    switch (s.how) {
      case Sum::complement: c = complement_dot(x, y, c, s.result); break;
      case Sum::floored: c = floored_dot(x, y, c, s.together, s.result); break;
      case Sum::pairs: c = pairs_group(x, y, c); break;
      case Sum::flushed: c = flushed_group(x, y, c); break;
      case Sum::truncated: c = truncated_group(x, y, c, scale); break;
      case Sum::halves: c = halves_group(x, y, c, scale); break;
      default:
        c = std::fma(static_cast<float>(x[0].value * power_of_two(scale)), y[0].value, c);
        if (s.result == Type::f16) c = from_f16(nearest_f16(c));
        if (s.result == Type::bf16) c = from_bf16(to_bf16(c));
    }
  }
  return c;
}

}  // namespace wavesmith::sim
