// Solver for LDS layouts without bank conflicts. The address bits that select the bank are XORed with higher ones,
// which permutes addresses within each span of all banks; immediate offsets beyond a span are unaffected. Extents that
// are not powers of two consist of power-of-two blocks at a stride and share one swizzle.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "isa_tables/lds.h"
#include "isa_tables/linear_layout.h"

namespace wavesmith::isa {

// One access of a wave: `lane` -> the tile's axes. Offsets common to all lanes (fragment, step) do not matter.
struct LdsTileAccess {
  std::string name;
  LdsAccess kind = LdsAccess::read;
  int bytes = 16;  // of one lane, consecutive in the tile
  LinearLayout lanes;
};

// Cycles beyond one per phase, by the rows of lds.def. `tile`: its axes -> "byte".
int conflict_cycles(const LinearLayout& tile, const LdsTileAccess&, Family);

struct SwizzleLimits {
  // log2 of the bytes that stay together; lower address bits are unchanged. Parts of a wider access may be swapped,
  // equally for all of its lanes.
  int lowest = 4;
  uint32_t sources =
      ~0u;  // address bits that may be mixed into the bank bits; the others stay free for immediate offsets
  bool operator==(const SwizzleLimits&) const = default;
};
// `tile` swizzled with the fewest XORs that make all accesses free of conflicts; nullopt if there is no such swizzle.
// Exact: swizzles are tried in order of their number of XORs. Error: IsaError for accesses of no power of two bytes.
std::optional<LinearLayout> swizzled_for(const LinearLayout& tile, Family, std::span<const LdsTileAccess>,
                                         SwizzleLimits = {});

// The fewest padding bytes after each row of `row_bytes`, a multiple of `unit`, that make all accesses free of
// conflicts; nullopt if no padding up to one span of all banks suffices. Accesses take "row" and "byte".
std::optional<int> padding_for(int row_bytes, Family, std::span<const LdsTileAccess>, int unit = 16);

}  // namespace wavesmith::isa
