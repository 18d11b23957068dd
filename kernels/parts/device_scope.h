// Results that one workgroup leaves in memory for another of the same launch, by LLVM's memory model for the target
// (AMDGPUUsage, "Memory Model"; agent scope): stores past the caches that workgroups do not share, a wait, an atomic
// addition; then, in the workgroup that the addition tells to go on, loads that miss the same caches.
#pragma once
#include "generator/dsl/kernel.h"

namespace wavesmith {

isa::Mods device_load(Arch, int offset = 0);
isa::Mods device_store(Arch, int offset = 0);
isa::Mods device_atomic(Arch);  // of atomic operations that return
// All stores of the wave are complete.
void wait_for_stores(Block&, Where = Where::current());

// The wave counts itself at `counter`, a buffer resource whose first dword is zero before the first of `expected`
// waves comes and again after the last of them. SCC is 1 in that one. All its stores are complete first. EXEC must be
// full, and is again; `x`, `y`, `t`: scratch, a register each; counter[0] is overwritten.
struct Arrival {
  Sgpr counter, expected;
  Vgpr x, y;
  Sgpr t;
};
void count_arrival(Kernel&, const Arrival&);

}  // namespace wavesmith
