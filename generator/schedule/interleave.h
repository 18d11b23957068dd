// Merging Blocks by counting: anchors keep their order and sides are placed between them, each in its own order.
// Dependences are not checked; the author decides what may overlap.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "generator/dsl/block.h"

namespace wavesmith {

// Places `count` instructions after anchors number after + every, after + 2 * every, ... (counted from 1), up to
// `until`, or the last.
struct Slots {
  int every = 1;
  int count = 1;
  int after = 0;
  std::optional<int> until;
};
struct Side {
  Block block;
  Slots slots = {};
};

// Directives take no slot: a side's directives move with the next instruction, those of the anchors stay before the
// next anchor. A side's instructions cross a sched_barrier among the anchors only if its mask permits (isa::may_cross).
// Error: IsaError for Slots that place nothing, and for instructions that are left: which side, how many, and where.
Block interleave(const Block& anchors, const std::vector<Side>& sides, Where = Where::current());

// Takes the slots from the tables: each matrix anchor is followed by as many issue slots as it hides
// (isa::hidden_slots: three under 16 clocks on gfx942). A transcendental takes several slots, any other instruction
// one; the sides alternate. An instruction that no anchor can hide (v_exp_f32 under 16 clocks and packed f32 always on
// gfx942, every VALU instruction on RDNA3 and RDNA4) gets its own gap. Without a report, instructions that do not fit
// are an error; with one they follow the last anchor and are counted.
struct FillReport {
  int slots = 0, used = 0;  // issue slots that the anchors hide; taken by sides
  int unhidden = 0;         // instructions placed although no anchor hides them
  std::vector<int> left;    // by side: instructions that did not fit
};
Block fill(const Block& anchors, const std::vector<Block>& sides, FillReport* report = nullptr);

// Spreads every side evenly over all gaps on its own: fine interleaving for one wave per SIMD, with the same proportion
// of matrix, LDS and global instructions everywhere. No gap has more than ceil(instructions of the sides / anchors).
Block evenly(const Block& anchors, const std::vector<Block>& sides);

// As evenly, by the issue slots of all other instructions, those among the anchors included: the same number follows
// each matrix instruction, as far as the order within each block permits. Sides may have matrix instructions.
Block level(const Block& anchors, const std::vector<Block>& sides);

// Spreads the sides, one after the other, over the matrix instructions of the anchors by the issue slots that they
// take: a transcendental counts as several. They follow what else stands before the next matrix instruction, and none
// stands before its side's matrix instruction number `after`.
struct PacedSide {
  Block block;
  int after = 0;
};
Block paced(const Block& anchors, const std::vector<PacedSide>& sides);

// Part i of n of a block's instructions, as equal as possible, the first never empty, directives together with the next
// instruction.
Block part(const Block&, int i, int n);

// Spreads the sides, concatenated, evenly over the gaps after the anchors; all instructions are placed.
Block spread(const Block& anchors, const std::vector<Block>& sides);

// What runs before loads, between them: some instructions of `aside` behind each one that is_load(), at the latest
// those that what follows depends on, by registers and SCC. While a wave issues them the loads of the other waves pass,
// so that no wave's later loads precede another's first. If either is no straight-line code: aside, then loads; without
// loads: `loads`, then aside.
Block between_loads(const Block& aside, const Block& loads, const std::function<bool(const Node&)>& is_load);

// `aside`, which follows `code`, is spread over earlier instructions: over the most that follow each other, share no
// register with it but to read both, and with what follows them do not depend on it, nor it on them. Behind `aside`
// nothing reads what it leaves in SCC and `scratch`. Where there are none, or `aside` is no straight-line code, it
// stays behind.
Block spread_before(const Block& code, const Block& aside, const std::vector<isa::Operand>& scratch);

}  // namespace wavesmith
