// One CU (a WGP from gfx11 on), full of waves: which of them issues what at which clock. SIMDs are served in turn where
// the target does so; each chance takes at most one instruction a category, of the wave with the highest priority; of
// one priority they go in turn or by age (timing.def).
#pragma once
#include <deque>

#include "simulator/timing/pipes.h"

namespace wavesmith::timing {

struct UnitSetup {
  isa::Arch arch;
  const sim::Program* program;
  const std::vector<Static>* list;
  const isa::Timing* t;
  Share share;
  int wave_size = 64, slots = 1;  // slots: resident work-groups
  bool timeline = false;
  bool cold_code = true;  // nothing is in the instruction cache
  u64 most_events = 0;
  u64 group_interval = 0;  // clocks between two work-groups that the dispatcher sends here
  int head = -1;           // step whose issues by the first wave of the first work-group are noted
  std::vector<u64>
      starts;  // of the waves of a work-group, all on one SIMD, as a trace has them; empty: as the dispatcher does it
};

struct StepStats {
  u64 issued = 0;
  std::array<u64, stalls> stalled{};
  u64 conflicts = 0;
};
struct UnitResult {
  std::vector<u64> done;   // when each work-group ended, in the order they were given
  std::vector<u64> heads;  // when UnitSetup::head was issued
  u64 cycles = 0, instructions = 0;
  u64 matrix_clocks = 0, valu_clocks = 0;  // SIMD-clocks
  double flops = 0;
  Traffic traffic;
  std::vector<StepStats> steps;
  std::vector<Event> events;
  std::vector<WavePlace> waves;
};
// Runs the work-groups one behind the other, `slots` at a time.
UnitResult simulate(const UnitSetup&, const std::vector<const GroupTrace*>& groups);

}  // namespace wavesmith::timing
