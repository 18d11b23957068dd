// A kernel's LDS tile as listings show it (`wavesmith layout gemm`).
#pragma once
#include <string>
#include <vector>

#include "isa_tables/lds_swizzle.h"

namespace wavesmith {

struct LdsTileInfo {
  std::string name;                          // "A", "K"
  isa::LinearLayout plain, layout;           // an element's axes -> "byte" of the tile, before and after the swizzle
  std::vector<isa::LdsTileAccess> accesses;  // of a wave
  std::vector<int> offsets;                  // of the tile's buffers in LDS, bytes
};

}  // namespace wavesmith
