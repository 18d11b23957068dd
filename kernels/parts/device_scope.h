// Results that one workgroup leaves in memory for another of the same launch, by LLVM's memory model for the target
// (AMDGPUUsage, "Memory Model"; agent scope): stores past the caches that workgroups do not share, a wait, an atomic
// addition; then, in the workgroup that the addition tells to go on, loads that miss the same caches.
#pragma once
#include "generator/dsl/block.h"

namespace wavesmith {

isa::Mods device_load(Arch, int offset = 0);
isa::Mods device_store(Arch, int offset = 0);
isa::Mods device_atomic(Arch);  // of atomic operations that return
// All stores of the wave are complete.
void wait_for_stores(Block&, Where = Where::current());

}  // namespace wavesmith
