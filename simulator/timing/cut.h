// Long loops: repeated trips are left out of the traces and added back as a number of clocks each.
#pragma once
#include "simulator/timing/decode.h"
#include "simulator/timing/unit.h"

namespace wavesmith::timing {

// Whole trips of one loop per wave, the same number in every wave; waves may run different loops.
struct Cut {
  u64 trips = 0;                           // per wave, left out; 0: none
  u32 head = 0;                            // first step of a trip of the first wave of the first workgroup
  std::vector<std::vector<u64>> left_out;  // by workgroup and step: number of executions
  double lds_kept = 1, memory_kept = 1;    // fraction of the accessed bytes that remains
  double levels_differ = 0;                // L2 hit rate of the trips left out minus that of the trips kept
};
// Does nothing for workgroups of up to `longest` instructions, where trips differ in their instructions, where waves
// would no longer match at their barriers, where a CU holds several workgroups, and where trips have no barrier.
Cut cut_trips(std::vector<GroupTrace>&, const std::vector<Static>&, u64 longest);

// Clocks of a trip in steady state from the issue times of its head, and the relative difference of the two halves of
// them.
struct TripClocks {
  double each = 0, error = 0;
};
TripClocks trip_clocks(const std::vector<u64>& heads);
// Corrects the result as if nothing had been left out. held: workgroups of one round of the queue.
void put_back(UnitResult&, const Cut&, const TripClocks&, const std::vector<Static>&, size_t held);

}  // namespace wavesmith::timing
