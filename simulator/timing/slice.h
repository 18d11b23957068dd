// What of a program has to be computed so that its work-groups take the same way and touch the same addresses.
#pragma once
#include "simulator/program.h"

namespace wavesmith::timing {

using sim::u64, sim::u8;
// Puts empty semantics in place of steps whose results reach no address, branch, EXEC or scalar register. How many
// there are.
u64 skip_unneeded(sim::Program&);

}  // namespace wavesmith::timing
