// What a matrix unit does between A, B, C and one element of D: the order of the sum, where it is cut and where it is
// rounded. The rules of CDNA1-3 are those of MMA-Sim (arXiv 2511.10909), which its authors validated on silicon bit for
// bit; those of RDNA3 and RDNA4 were measured on gfx1100, gfx1151 and gfx1201 (ROCm/rocm-systems issue 12056); the
// others are inferred, as the rows of the table say.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "isa_tables/isa.h"

namespace wavesmith::sim {

enum class Sum : uint8_t {
  fma,         // one fused multiply-add after the other in k order
  complement,  // products and accumulator are cut at one place and added; one against the accumulator's sign counts one
               // unit too many
  floored,     // products are floored at one place in pairs (of 8 bits: all of a group), then their sums and the
               // accumulator; one rounding
  pairs,       // f32 multiplies, then a tree of f32 additions over a group, then the accumulator
  flushed,     // as pairs, but a denormal is zero, going in and coming out of every step
  truncated,   // a group's products are cut at the largest one's exponent - 24, and the sum meets the accumulator with
               // floors
  halves,      // as truncated, but even and odd products are aligned apart first
  integer,     // exact; wraps at 32 bits, or saturates where the instruction clamps
};

// Whether products are aligned by their factors' exponents.
constexpr bool aligns(Sum s) {
  return s == Sum::truncated || s == Sum::halves || s == Sum::complement || s == Sum::floored;
}

struct Summation {
  Sum how = Sum::fma;
  int group = 1;                      // products that are summed before the accumulator is rounded
  int together = 1;                   // floored: of a group, how many are aligned to one another first
  isa::Type result = isa::Type::f32;  // what the accumulator is narrowed to after every group: f16 or bf16, else f32
  const char* source = "";            // "inferred: ..." where no document or measurement says so
};
// `a`: the format of A's elements; `depth`: products of one element of D; `per_lane`: elements of A that one lane
// holds, the width of the CDNA1 and CDNA2 units.
struct Products {
  isa::Type a;
  int depth, per_lane;
};
Summation summation(isa::Family, const isa::Matrix&, Products);
// Whether the unit takes denormals of this format for zeros in A and B, and makes zeros of its f32 results below 2^-126
// on the way.
bool flushes_denormals(isa::Family, isa::Type of_a);
// Of V_DOT2 and V_DOT4 with floating-point results: `products` of A's format, accumulator and result of `result`.
Summation dot_summation(isa::Family, isa::Type a, int products, isa::Type result);

// A factor of a product: its value, and the exponent by which it is aligned: of its leading bit, but never below
// `least_exponent`.
struct Factor {
  float value;
  int exponent;
};
int least_exponent(isa::Type, bool fnuz);  // of the format's normal numbers
int exponent_of(float, int least);         // `least` for zeros and whatever is smaller; unspecified for inf and NaN

inline constexpr int nan_scale = std::numeric_limits<int>::max();
// D = C + sum(a[i] * b[i]) * 2^scale of all products, group after group. nan_scale gives NaN.
float accumulate(const Summation&, std::span<const Factor> a, std::span<const Factor> b, float c, int scale = 0);

// Two to the n, exactly, for n of a normal double.
inline double power_of_two(int n) { return std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52); }

}  // namespace wavesmith::sim
