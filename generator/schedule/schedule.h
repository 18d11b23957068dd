// List scheduling of a Block, on request by name: `k << scheduled(block)`. Dependences (dependences.h) and the author's
// sched_barrier, sched_group_barrier and iglp_opt are obeyed; the rest is ordered by predicted clocks.
//
//   Block b = reads(1) << multiply(0);
//   for (int i = 0; i < 8; ++i) {
//     b.sched_group_barrier(0x100, 1, 0);  // 1 LDS read
//     b.sched_group_barrier(0x8, 2, 0);    // 2 MFMA
//   }
//   ScheduleReport report;
//   k << scheduled(b, &report);
#pragma once
#include "generator/dsl/block.h"

namespace wavesmith {

struct ScheduleReport {
  struct Group {
    std::source_location where;
    int mask, sync, wanted, filled;
  };
  std::vector<Group> unfilled;              // sched_group_barriers that found too few instructions
  int regions = 0;                          // stretches between fences
  int clocks_before = 0, clocks_after = 0;  // of the whole Block, by issue_model.h
  std::string text() const;                 // lines for people
};

// Nothing moves across a fence: labels, branches, s_barrier, s_waitcnt, s_setprio and every other instruction without
// an operand result (isa::is_fence), wait_for directives, and sched_barrier(0). A sched_barrier with a mask is crossed
// by its classes only. A region without groups keeps the author's order if the model does not find a faster one. The
// result depends on the Block alone. Group directives are consumed. Error: IsaError for a target without rows in
// issue.def, an illegal iglp option, or iglp_opt in a region with sched barriers or groups (LLVM ignores it there).
Block scheduled(const Block&, ScheduleReport* = nullptr);

}  // namespace wavesmith
