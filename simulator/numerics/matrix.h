// Arithmetic of the matrix units for one element of D: the order of the sum, where it is truncated and where it is
// rounded. The rules of CDNA1-3 are those of MMA-Sim (arXiv 2511.10909), which its authors validated on silicon bit for
// bit; those of RDNA3 and RDNA4 were measured on gfx1100, gfx1151 and gfx1201 (ROCm/rocm-systems issue 12056); the
// others are inferred, as noted in the table's rows.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "isa_tables/isa.h"
#include "simulator/numerics/formats.h"

namespace wavesmith::sim {

enum class Sum : uint8_t {
  fma,         // sequential fused multiply-adds in k order
  complement,  // products and accumulator are truncated to one unit and added; a product of the other sign is one
               // unit too large in magnitude
  floored,     // products of a pair (8 bits: of a group) are floored to one unit, then the sums and the
               // accumulator to another; rounded once
  pairs,       // f32 multiplies, then a tree of f32 additions over a group, then the accumulator
  flushed,     // as pairs, with denormal inputs and results of every step flushed to zero
  truncated,   // a group's products are truncated at the largest exponent - 24; the sum with the accumulator is
               // floored
  halves,      // as truncated, but even and odd products are aligned separately first
  integer,     // exact; wraps at 32 bits, or saturates where the instruction clamps
};

// Whether products are aligned by their factors' exponents.
constexpr bool aligns(Sum s) {
  return s == Sum::truncated || s == Sum::halves || s == Sum::complement || s == Sum::floored;
}

struct Summation {
  Sum how = Sum::fma;
  int group = 1;                      // products that are summed before the accumulator is rounded
  int together = 1;                   // floored: products of a group that are aligned with each other first
  isa::Type result = isa::Type::f32;  // type to which the accumulator is narrowed after every group: f16, bf16 or f32
  const char* source = "";            // "inferred: ..." where no document or measurement says so
};
// `a`: the format of A's elements; `depth`: products of one element of D; `per_lane`: elements of A that one lane
// holds, the width of the CDNA1 and CDNA2 units.
struct Products {
  isa::Type a;
  int depth, per_lane;
};
Summation summation(isa::Family, const isa::Matrix&, Products);
// Whether the unit flushes denormals of this format in A and B, and intermediate f32 results below 2^-126.
bool flushes_denormals(isa::Family, isa::Type of_a);
// Of V_DOT2 and V_DOT4 with floating-point results: `products` of A's format, accumulator and result of `result`.
Summation dot_summation(isa::Family, isa::Type a, int products, isa::Type result);

// A factor of a product: its value and the exponent used for alignment, that of its leading bit but at least
// `least_exponent`.
struct Factor {
  float value;
  int exponent;
};
int least_exponent(isa::Type, bool fnuz);  // of the format's normal numbers
int exponent_of(float, int least);         // `least` for zeros and smaller values; unspecified for inf and NaN

inline constexpr int nan_scale = std::numeric_limits<int>::max();
// D = C + sum(a[i] * b[i]) * 2^scale over all products, one group at a time. nan_scale gives NaN.
float accumulate(const Summation&, std::span<const Factor> a, std::span<const Factor> b, float c, int scale = 0);

}  // namespace wavesmith::sim
