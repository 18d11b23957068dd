// Branches on conditions that are known: two that compare the same scalar values are one condition, and a path that
// takes them differently is none.
#pragma once
#include <optional>

#include "checker/code.h"

namespace wavesmith::checker {

// The same lines, with blocks in as many copies as there are things to know of conditions that several branches ask
// for, each with the successors that execution can reach from it. Copies of a block stand together, in the order of the
// code. None: every edge can be taken, as far as can be told. Scalars have value numbers: what is computed alike from
// equal numbers is equal; loads, VALU results, calls and joins of different values make new ones. At most four times
// the blocks (and 64): beyond that nothing more is known.
std::optional<Code> at_conditions(const Code&);

}  // namespace wavesmith::checker
