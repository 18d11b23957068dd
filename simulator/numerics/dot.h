// The floating-point dot products of RDNA: V_DOT2, V_DOT4 and the steps of WMMA. All products are exact; results differ
// from a sum rounded once by the alignment of products and accumulator. Measured on silicon (gfx1100, gfx1151, gfx1201:
// ROCm/rocm-systems issue 12056 and the arithmetic derived from it); NaNs of f32 results have the bits reported there.
#pragma once
#include <span>

#include "simulator/numerics/matrix.h"

namespace wavesmith::sim {

// `result`: the type to which a step's sum is narrowed: f32, f16 (rounded once) or bf16 (a truncated f32). Infinities
// and NaNs are handled before any sum. RDNA3: two products. All terms are truncated to whole units, relative to the
// accumulator's sign; a term of the other sign is one's-complemented, which makes its magnitude one unit too large. The
// unit is 2^-24 of the larger product (by its factors' exponents), at least 2^-26 of the largest term. Denormal bf16
// factors, accumulators and f32 results are zero.
float complement_dot(std::span<const Factor> a, std::span<const Factor> b, float c, isa::Type result);
// RDNA4: two or four products. Groups of `together` products are floored to units of 2^-24 of the group's largest; the
// groups' sums and the accumulator are then floored to the largest of these units (at least 2^-26 of the accumulator's
// power of two). Denormals are kept.
float floored_dot(std::span<const Factor> a, std::span<const Factor> b, float c, int together, isa::Type result);

}  // namespace wavesmith::sim
