// Barriers of a workgroup and of a cluster: who has arrived, and what that orders in LDS.
#pragma once
#include "simulator/access.h"

namespace wavesmith::sim {

inline bool held(const Wave& w) {
  return w.waiting != absent && barrier_of(*w.group, w.waiting).phase == w.seen_phase[static_cast<size_t>(w.waiting)];
}

// What the workgroup's waves have released to each other by signaling the cluster's barrier, for the phase the signals
// count for and for the one before. Signals of other workgroups do not order its LDS.
Races::Clock& cluster_clock(Workgroup&, u32 phase);
// Ends an interval: reads that no atomic operation of their wave followed become plain reads.
FaultReason unordered_read(const Races::Suspect&);

}  // namespace wavesmith::sim
