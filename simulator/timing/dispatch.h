// Which CU runs which workgroup, and when: workgroups go round robin to the dies, and there in order to the CU that has
// a free slot, as the hardware dispatches them. A CU's workgroups share it: fewer of them run faster.
#pragma once
#include <functional>

#include "simulator/timing/trace.h"

namespace wavesmith::timing {

struct DispatchShape {
  u64 dies = 1, units = 1;         // units: CUs (WGPs) of a die
  u64 slots = 1;                   // workgroups that a CU holds at once
  std::vector<double> speed = {};  // of each of n + 1 workgroups that share a CU, relative to a full one; empty: they
                                   // share what it can do
};
struct Dispatched {
  double end = 0;               // clock at which the last workgroup ends
  std::vector<u64> workgroups;  // of the CU that ends last, in the order in which it got them
  std::vector<double> clocks;   // likewise: how long each was there
};
// clocks(n): of workgroup n on a full CU.
Dispatched dispatch(u64 workgroups, const DispatchShape&, const std::function<double(u64)>& clocks);

// A workgroup that was simulated.
struct Stay {
  size_t kind = 0;
  double instructions = 0, clocks = 0;
};
// By kind, the clocks of an instruction on a full CU with which dispatch() has the workgroups of one CU stay as long as
// they did. Kinds that were not there have the pace of the nearest one.
std::vector<double> find_pace(size_t kinds, u64 slots, const std::vector<double>& speed, const std::vector<Stay>&);

}  // namespace wavesmith::timing
