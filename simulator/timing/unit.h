// One CU (a WGP from gfx11 on) with its waves: which wave issues which instruction at which clock. SIMDs are served in
// turn where the target does so; each issue opportunity takes at most one instruction per category, from the wave with
// the highest priority; waves of equal priority are served in turn or by age (timing.def).
#pragma once
#include <deque>

#include "simulator/timing/pipes.h"

namespace wavesmith::timing {

struct UnitSetup {
  isa::Arch arch;
  const sim::DecodedKernel* program;
  const std::vector<Static>* list;
  const isa::Timing* t;
  Share share;
  int wave_size = 64, slots = 1;  // slots: resident workgroups
  bool timeline = false;
  bool cold_code = true;  // the instruction cache is empty
  u64 most_events = 0;
  u64 group_interval = 0;   // clocks between two workgroups dispatched to this CU
  int head = absent;        // step whose issues by the first wave of the first workgroup are recorded
  std::vector<u64> starts;  // of the waves of a workgroup, all on one SIMD, as in a trace; empty: as dispatched
};

struct StepStats {
  u64 issued = 0;
  std::array<u64, stalls> stalled{};
  u64 conflicts = 0;
};
struct UnitResult {
  std::vector<u64> begun, done;  // when each workgroup began and ended, in the given order
  std::vector<u64> issued;       // by its unit until then: instructions
  std::vector<u64> heads;        // when UnitSetup::head was issued
  u64 cycles = 0, instructions = 0;
  u64 drained = 0;                         // clock at which all that was written has left the L2; at least `cycles`
  u64 matrix_clocks = 0, valu_clocks = 0;  // SIMD-clocks
  double flops = 0;
  Traffic traffic;
  std::vector<StepStats> steps;
  std::vector<Event> events;
  std::vector<WavePlace> waves;
  UnitResult& operator+=(const UnitResult&);  // units beside each other
};
// Runs the workgroups in sequence, `slots` at a time. Several units take them from one queue; the result is their sum,
// and `cycles` when the last of them ends.
UnitResult simulate(const UnitSetup&, const std::vector<const GroupTrace*>& groups, size_t units = 1);

}  // namespace wavesmith::timing
