// Loops of the timed program, by what they cost.
#pragma once
#include "simulator/timing/unit.h"

namespace wavesmith::timing {

// Innermost loops first by their share; a loop that is mostly another one is left out. issue: clocks of an issue slot.
std::vector<Loop> find_loops(const sim::Program&, const std::vector<Static>&, const std::vector<StepStats>&, u64 issue);

}  // namespace wavesmith::timing
