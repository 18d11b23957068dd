// Constants and helpers for waves and 16-byte accesses.
#pragma once
#include "generator/dsl/kernel.h"
#include "isa_tables/linear_layout.h"

namespace wavesmith {

constexpr int wave_lanes = 64;   // of CDNA
constexpr int chunk_bytes = 16;  // the widest load, store or LDS access of a lane

using isa::log2;

// wave = number of the wave in its workgroup.
inline void wave_number(Kernel& kernel, Sgpr wave) {
  kernel.k.v_readfirstlane_b32(wave, kernel.workitem);
  kernel.k.s_lshr_b32(wave, wave, log2(isa::target(kernel.arch).wave_size));
}

}  // namespace wavesmith
