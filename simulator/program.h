// A kernel decoded for execution: every instruction reachable from its entry, once, with operands resolved.
#pragma once
#include <unordered_map>

#include "simulator/wave.h"

namespace wavesmith::sim {

struct Program {
  std::vector<Step> steps;                                 // steps[0] is the entry
  std::unordered_map<u64, int> by_address;
  bool orders_workgroups = false;                          // has global atomics whose order shows: workgroups run in order, one by one
  int find(u64 address) const { const auto it = by_address.find(address); return it == by_address.end() ? -1 : it->second; }
};

// Instructions that cannot be decoded become steps that fault when executed.
Program decode(const CodeObject&, const Kernel&);

}  // namespace wavesmith::sim
