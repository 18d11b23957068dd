// Program slicing: what must be computed for workgroups to take the same branches, and to access the same addresses.
#pragma once
#include "simulator/decoded_kernel.h"

namespace wavesmith::timing {

using sim::u64, sim::u8;
// What of a kernel is computed: all of it; what reaches an address, a branch, EXEC or a scalar register, and where such
// a value is loaded from LDS or memory all that is stored there; of this not what matrix instructions made, which is
// taken not to be loaded as such a value.
enum class Computed : u8 { all, needed, needed_but_products };
struct Skipped {
  u64 steps = 0;                     // arithmetic ones
  std::vector<bool> stores;          // by step: it does not write
  bool lds = false, memory = false;  // they have to be checked
};
// Replaces the semantics of the other steps by empty ones, and of accesses to memory by their addresses alone. Whoever
// runs the program without its products has to check that no load that is executed reads what `stores` should have
// written.
Skipped skip_unneeded(sim::DecodedKernel&, Computed);

// Leaves what decides branches; every other step is passed over, but for the first of each basic block. Returns for
// each step the first one of its block: it is executed as often. Branches that results of matrix instructions decide
// (the rescale slow path of attention) go where `usually_taken` says, by step. Empty: branches depend on what atomics
// of the LDS return or on register indices, products decide a loop's end, or a jump's targets are unknown. Memory that
// decides branches is assumed not to be written by the launch itself.
std::vector<sim::u32> keep_branches(sim::DecodedKernel&, const std::vector<bool>& usually_taken);

}  // namespace wavesmith::timing
