// Program slicing: what must be computed for workgroups to take the same branches and access the same addresses.
#pragma once
#include "simulator/decoded_kernel.h"

namespace wavesmith::timing {

using sim::u64, sim::u8;
// Replaces the semantics of steps whose results reach no address, branch, EXEC or scalar register by empty ones.
// Returns their number.
u64 skip_unneeded(sim::DecodedKernel&);

}  // namespace wavesmith::timing
