// Long loops: trips that repeat are left out of the traces, and put back as so many clocks each.
#pragma once
#include "simulator/timing/decode.h"
#include "simulator/timing/unit.h"

namespace wavesmith::timing {

// Whole trips of one loop a wave, as many in every wave; waves may run loops of their own.
struct Cut {
  u64 trips = 0;                           // of a wave, left out; 0: nothing was
  u32 head = 0;                            // of the first wave of the first work-group: the step its trips begin with
  std::vector<std::vector<u64>> left_out;  // by work-group and step: times
  double lds_kept = 1, memory_kept = 1;    // of the bytes accessed, the part that is still there
  double levels_differ = 0;                // share of L2 hits: in the trips left out less in those kept
};
// `longest`: instructions of a work-group up to which nothing is done. Nothing is done either where trips differ in
// their instructions or where waves would no longer meet at their barriers, where a CU holds several work-groups, and
// where trips have no barrier.
Cut cut_trips(std::vector<GroupTrace>&, const std::vector<Static>&, u64 longest);

// Clocks of a trip in its steady state from the issue times of its head, and how far the two halves of them lie apart
// (relative).
struct TripClocks {
  double each = 0, error = 0;
};
TripClocks trip_clocks(const std::vector<u64>& heads);
// The result as if nothing had been left out. held: work-groups of the queue's one round.
void put_back(UnitResult&, const Cut&, const TripClocks&, const std::vector<Static>&, size_t held);

}  // namespace wavesmith::timing
