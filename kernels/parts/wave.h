// Constants and helpers for waves and 16-byte accesses.
#pragma once
#include "generator/dsl/kernel.h"
#include "isa_tables/counters.h"
#include "isa_tables/linear_layout.h"
#include "isa_tables/names.h"

namespace wavesmith {

constexpr int chunk_bytes = 16;  // the widest load, store or LDS access of a lane

using isa::log2;

// lower() inserts the waits for XCNT. Without this, the hardware waits for all translations before every instruction
// that does not access memory as well (docs/reference/check.md).
inline void wait_for_xcnt_alone(Kernel& kernel) {
  if (isa::counter(isa::WaitCounter::x, kernel.arch).name)
    kernel.k.s_setreg_imm32_b32(isa::mode_replay.encoded(), 1).note = "MODE.REPLAY_MODE";
}
// wave = number of the wave in its workgroup.
inline void wave_number(Kernel& kernel, Sgpr wave) {
  kernel.k.v_readfirstlane_b32(wave, kernel.workitem);
  kernel.k.s_lshr_b32(wave, wave, log2(isa::target(kernel.arch).wave_size));
}

}  // namespace wavesmith
