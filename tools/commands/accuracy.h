// How far a computed number may be from its reference, by the format it is stored in.
#pragma once
#include <cmath>

#include "isa_tables/isa.h"
#include "simulator/simulator.h"

namespace wavesmith::tools {

struct Precision {
  double roundoff, half_smallest, overflows_at;
};  // overflows_at: largest number plus half a step
Precision precision(isa::Type);  // f16, bf16, f32; results below the normal numbers of the last two may flush

// The least number that a target's matrix unit tells from zero in a factor of this type; 0 where denormals count.
double least_factor(const isa::Target&, isa::Type);
// What such a unit sees of a number.
inline double seen(double x, double least) { return std::fabs(x) < least ? 0 : x; }

// The share of the allowed error that was used; infinity: of the wrong kind altogether (NaN or infinity where the
// reference has none).
double share_of_allowed(double got, double want, double allowed, const Precision&);

// What the commands that verify say of a run that a fault ended; their exit status.
int report_fault(const sim::Fault&, bool json);

}  // namespace wavesmith::tools
