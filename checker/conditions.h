// Correlated branches: two that compare the same scalar values are one condition, and a path that takes them
// inconsistently is infeasible.
#pragma once
#include <optional>

#include "checker/code.h"

namespace wavesmith::checker {

// The same lines, with one copy of each block per known state of the conditions that several branches use, and with the
// successors that are feasible in that state. Copies of a block are adjacent, in the order of the code. None: no edge
// was found infeasible. Scalars have value numbers: equal operations on equal numbers give equal numbers; loads, VALU
// results, calls and joins of different values give new ones. At most four times the blocks (and 64): beyond that no
// more states are tracked.
std::optional<Code> at_conditions(const Code&);

}  // namespace wavesmith::checker
