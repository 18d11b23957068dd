// Loops of the timed program, by cost.
#pragma once
#include "simulator/timing/unit.h"

namespace wavesmith::timing {

// Innermost loops first, by share; a loop that mostly consists of another one is left out. issue: clocks of an issue
// slot.
std::vector<Loop> find_loops(const sim::DecodedKernel&, const std::vector<Static>&, const std::vector<StepStats>&,
                             u64 issue);

}  // namespace wavesmith::timing
