// Where the elements of a tile lie in LDS so that none of its accesses conflicts. The address bits that choose the bank
// are exclusive-or'ed with higher ones: a permutation of each span of all banks, so that immediate offsets beyond it
// stay what they are. Extents that are no powers of two are blocks of a power of two at a stride: one swizzle serves
// them all.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "isa_tables/lds.h"
#include "isa_tables/linear_layout.h"

namespace wavesmith::isa {

// One access of a wave: `lane` -> the tile's axes. What all lanes share (the fragment, the step) does not matter: it
// moves them alike.
struct LdsTileAccess {
  std::string name;
  LdsAccess kind = LdsAccess::read;
  int bytes = 16;  // of one lane, consecutive in the tile
  LinearLayout lanes;
};

// Cycles beyond one a phase, by the rows of lds.def. `tile`: its axes -> "byte".
int conflict_cycles(const LinearLayout& tile, const LdsTileAccess&, Family);

struct SwizzleLimits {
  int lowest = 4;  // address bits below it stay: log2 of the widest access, 16 bytes
  uint32_t sources =
      ~0u;  // address bits that may be mixed into the bank's; those left out stay free for immediate offsets
};
// `tile` with the fewest exclusive ors that leave no access a conflict; none: there is no such swizzle. Exact: every
// swizzle is tried in order of its exclusive ors. Error: IsaError for accesses wider than 2^lowest.
std::optional<LinearLayout> swizzled_for(const LinearLayout& tile, Family, std::span<const LdsTileAccess>,
                                         SwizzleLimits = {});

// Bytes after each row of `row_bytes` that leave no access a conflict, the fewest, a multiple of `unit`; none up to one
// span of all banks: there are none. Accesses take "row" and "byte".
std::optional<int> padding_for(int row_bytes, Family, std::span<const LdsTileAccess>, int unit = 16);

}  // namespace wavesmith::isa
