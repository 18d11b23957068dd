// What units, stalls and limits are called in text, JSON and reports.
#include "simulator/timing/timing.h"

namespace wavesmith::timing {

const char* name(IssueUnit u) {
  constexpr const char* names[] = {"matrix", "valu", "trans", "salu", "smem", "lds", "vmem", "branch", "internal"};
  return names[static_cast<int>(u)];
}
const char* name(Stall s) {
  constexpr const char* names[] = {"dependency",  "matrix busy", "valu busy",  "lds queue",   "vmem queue",
                                   "barrier",     "nop",         "fetch",      "branch",      "arbitration",
                                   "wait vm",     "wait lgkm",   "wait exp",   "wait vs",     "wait km",
                                   "wait sample", "wait bvh",    "wait async", "wait tensor", "wait x"};
  return names[static_cast<int>(s)];
}
const char* name(Limit l) {
  constexpr const char* names[] = {"matrix pipes",      "VALU",   "LDS",   "vector L1", "L2",    "fabric",
                                   "memory-side cache", "memory", "issue", "latency",   "launch"};
  return names[static_cast<int>(l)];
}

}  // namespace wavesmith::timing
