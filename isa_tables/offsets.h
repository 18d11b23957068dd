// Ranges of immediate offsets of memory instructions, by encoding and target (offsets.def).
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

struct OffsetRange {
  int low = 0, high = 0;  // both legal
};
// None for a format without such an offset.
std::optional<OffsetRange> offset_range(Format, Arch);
// Bytes from an address on that these offsets reach. Error: IsaError for a format without them.
int reach(Format, Arch);

}  // namespace wavesmith::isa
