// Immediate offsets of memory instructions: what an encoding holds, by target (offsets.def).
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

struct OffsetRange {
  int low = 0, high = 0;  // both legal
};
// Nothing for a format whose instructions have no such offset.
std::optional<OffsetRange> offset_range(Format, Arch);

}  // namespace wavesmith::isa
