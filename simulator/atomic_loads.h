// Loads of LDS that are atomic in the source. Compiled atomic loads look like plain ones; what surrounds these tells.
#pragma once
#include <vector>

#include "simulator/wave.h"

namespace wavesmith::sim {

// By step, the loads
// - that a loop repeats which does nothing else, from an address that does not change, until what one returns ends the
//   loop; a load that precedes such a one as well, since compilers take the first turn out of a loop;
// - that precede a compare-and-swap on the same address, as in the search of a hash table.
// Empty: none, or the kernel has no atomic operation on LDS.
std::vector<bool> atomic_loads(const std::vector<Step>&);

}  // namespace wavesmith::sim
