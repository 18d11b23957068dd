// Merging Blocks by counting: anchors keep their order and sides are placed between them, each in its own order. Nothing here looks
// at dependencies; the author decides what may run beside what.
#pragma once
#include <vector>

#include "generator/block.h"

namespace wavesmith {

// Behind anchors number after + every, after + 2 * every, ... (counted from 1) up to `until` (-1: the last), `count` instructions.
struct Slots { int every = 1; int count = 1; int after = 0; int until = -1; };
struct Side { Block block; Slots slots = {}; };

// Directives take no slot: a side's move together with the instruction behind them, an anchor's stay before theirs. A side's
// instructions cross a sched_barrier among the anchors only if its mask lets them (isa::may_cross).
// Error: IsaError saying which side left how many instructions, and where.
Block interleave(const Block& anchors, const std::vector<Side>& sides);

// Spreads the block evenly over the gaps behind the anchors; every instruction finds a place.
Block spread(const Block& anchors, const Block& block);

}  // namespace wavesmith
