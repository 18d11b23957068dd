// Which wait counter an instruction moves on a target family. A counter is in order for a class if its events of that class
// complete in issue order; an event that is not in order is covered by a wait for zero only (facts/waitcnt.csv; CDNA3 ISA 4.4).
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

enum WaitCounter : uint8_t { vm, lgkm, wait_counters };
inline constexpr int counter_max[wait_counters] = {63, 15};   // gfx9: 6 and 4 bits

struct CounterEvent { bool counts = false, in_order = false; };
struct CounterRow {
  Counter kind;
  CounterEvent moves[wait_counters];
};
// clang-format off
inline constexpr CounterRow gfx9_counters[] = {            // index = Counter
    {Counter::none,  {{false, false}, {false, false}}},
    {Counter::load,  {{true,  true},  {false, false}}},    // LDS-DMA loads too
    {Counter::store, {{true,  true},  {false, false}}},    // no separate store counter before gfx10
    {Counter::lds,   {{false, false}, {true,  true}}},
    {Counter::smem,  {{false, false}, {true,  false}}},    // counts 2 from two dwords on; zero is the only usable wait either way
    {Counter::flat,  {{true,  false}, {true,  false}}},
};
// clang-format on
constexpr bool gfx9_waits(Family f) { return f == Family::cdna1 || f == Family::cdna2 || f == Family::cdna3 || f == Family::cdna4; }

}  // namespace wavesmith::isa
