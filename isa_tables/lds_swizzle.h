// Solver for LDS layouts without bank conflicts. The address bits that select the bank are exclusive-or'ed with higher
// ones: a permutation within each span of all banks, so that immediate offsets beyond a span are unaffected. Extents
// that are not powers of two are power-of-two blocks at a stride: one swizzle serves them all.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "isa_tables/lds.h"
#include "isa_tables/linear_layout.h"

namespace wavesmith::isa {

// One access of a wave: `lane` -> the tile's axes. What all lanes share (the fragment, the step) is irrelevant: it
// moves all lanes equally.
struct LdsTileAccess {
  std::string name;
  LdsAccess kind = LdsAccess::read;
  int bytes = 16;  // of one lane, consecutive in the tile
  LinearLayout lanes;
};

// Cycles beyond one per phase, by the rows of lds.def. `tile`: its axes -> "byte".
int conflict_cycles(const LinearLayout& tile, const LdsTileAccess&, Family);

struct SwizzleLimits {
  // log2 of the bytes that stay together; lower address bits are unchanged. Parts of a wider access may change places,
  // for all of its lanes alike.
  int lowest = 4;
  uint32_t sources =
      ~0u;  // address bits that may be mixed into the bank bits; the others stay free for immediate offsets
};
// `tile` with the fewest exclusive ors that make all accesses free of conflicts; none: there is no such swizzle. Exact:
// swizzles are tried in order of their number of exclusive ors. Error: IsaError for accesses of no power of two bytes.
std::optional<LinearLayout> swizzled_for(const LinearLayout& tile, Family, std::span<const LdsTileAccess>,
                                         SwizzleLimits = {});

// The fewest padding bytes after each row of `row_bytes`, a multiple of `unit`, that make all accesses free of
// conflicts; none if up to one span of all banks there are none. Accesses take "row" and "byte".
std::optional<int> padding_for(int row_bytes, Family, std::span<const LdsTileAccess>, int unit = 16);

}  // namespace wavesmith::isa
