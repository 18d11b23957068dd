// The kernel that empties the instruction cache of the compute unit that runs it, as hipblaslt-bench's --flush does.
#pragma once
#include "generator/dsl/program.h"

namespace wavesmith {

constexpr int flushing_lanes = 64;  // of its workgroups; it has no arguments
// Error: IsaError: a target without the instruction.
Program build_icache_flush(isa::Arch);

}  // namespace wavesmith
