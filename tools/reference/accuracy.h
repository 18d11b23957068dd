// The error bound of a computed number, by the format in which it is stored.
#pragma once
#include <cmath>

#include "isa_tables/isa.h"
#include "simulator/simulator.h"

namespace wavesmith::tools {

struct Precision {
  double roundoff, half_smallest, overflows_at;
};  // overflows_at: largest number plus half a unit in the last place
// f16, bf16, f32, f64, fp8, bf8, i8; results below the normal numbers of f32 and f64 may flush. fnuz: the kind of the
// 8-bit floats.
Precision precision(isa::Type, bool fnuz = false);

// The smallest number that a target's matrix unit distinguishes from zero in a factor of this type; 0 if it keeps
// denormals.
double least_factor(const isa::Target&, isa::Type);
// What a denormal factor counts as where an instruction aligns products by their factors' exponents; 0 if it does not.
double least_aligned(const isa::Target&, const isa::Matrix&, isa::Type);
// A number as such a unit reads it.
inline double seen(double x, double least) { return std::fabs(x) < least ? 0 : x; }

// The fraction of the allowed error that was used; infinity: a NaN or infinity where the reference has none.
double share_of_allowed(double got, double want, double allowed, const Precision&);

// Prints the fault that ended a verify run; returns the exit status.
int report_fault(const std::string& fault, bool json);

}  // namespace wavesmith::tools
