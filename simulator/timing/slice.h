// Program slicing: what must be computed for workgroups to take the same branches, and to access the same addresses.
#pragma once
#include "simulator/decoded_kernel.h"

namespace wavesmith::timing {

using sim::u64, sim::u8;
// Replaces the semantics of steps whose results reach no address, branch, EXEC or scalar register by empty ones.
// Returns their number.
u64 skip_unneeded(sim::DecodedKernel&);

// Leaves what decides branches; every other step is passed over, but for the first of each basic block. Returns for
// each step the first one of its block: it is executed as often. Branches that results of matrix instructions decide
// (the rescale slow path of attention) go where `usually_taken` says, by step. Empty: branches depend on what atomics
// return, on register indices or on VSKIP, products decide a loop's end, or a jump's targets are unknown. Memory that
// decides branches is assumed not to be written by the launch itself.
std::vector<sim::u32> keep_branches(sim::DecodedKernel&, const std::vector<bool>& usually_taken);

}  // namespace wavesmith::timing
