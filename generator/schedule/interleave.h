// Merging Blocks by counting: anchors keep their order and sides are placed between them, each in its own order.
// Nothing here looks at dependencies; the author decides what may run beside what.
#pragma once
#include <vector>

#include "generator/dsl/block.h"

namespace wavesmith {

// Behind anchors number after + every, after + 2 * every, ... (counted from 1) up to `until` (-1: the last), `count`
// instructions.
struct Slots {
  int every = 1;
  int count = 1;
  int after = 0;
  int until = -1;
};
struct Side {
  Block block;
  Slots slots = {};
};

// Directives take no slot: a side's move together with the instruction behind them, an anchor's stay before theirs. A
// side's instructions cross a sched_barrier among the anchors only if its mask lets them (isa::may_cross). Error:
// IsaError saying which side left how many instructions, and where.
Block interleave(const Block& anchors, const std::vector<Side>& sides);

// Slots from the tables instead of by hand: behind every matrix anchor as many issue slots as it hides
// (isa::hidden_slots: three under 16 clocks on gfx942), a transcendental taking several, any other instruction one; the
// sides take turns. What no anchor can hide (v_exp_f32 under 16 clocks and packed f32 always on gfx942, every VALU
// instruction on RDNA3 and RDNA4) gets a gap of its own. Without a report it is an error if something does not fit;
// with one it follows the last anchor and the report says how much.
struct FillReport {
  int slots = 0, used = 0;  // issue slots that the anchors hide; taken by sides
  int unhidden = 0;         // instructions placed although no anchor hides them
  std::vector<int> left;    // by side: instructions that did not fit
};
Block fill(const Block& anchors, const std::vector<Block>& sides, FillReport* report = nullptr);

// Every side evenly over all gaps on its own: the fine interleave of one wave a SIMD, in which matrix, LDS and global
// instructions keep their proportion everywhere. No gap has more than ceil(instructions of the sides / anchors).
Block evenly(const Block& anchors, const std::vector<Block>& sides);

// Part number i of n of a block's instructions, as even as can be, the first never empty, directives with the
// instruction behind them.
Block part(const Block&, int i, int n);

// Spreads the sides, one behind the other, evenly over the gaps behind the anchors; every instruction finds a place.
Block spread(const Block& anchors, const std::vector<Block>& sides);

}  // namespace wavesmith
