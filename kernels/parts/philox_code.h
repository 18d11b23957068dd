// Philox (philox.h) as instructions.
#pragma once
#include <array>

#include "generator/dsl/registers.h"

namespace wavesmith {

class Block;

struct PhiloxCode {
  Sgpr factors, seed;         // two each; factors: of set_factors()
  std::array<Vgpr, 4> words;  // the counter, then the random numbers
  Vgpr x, y;                  // scratch
  void set_factors(Block&) const;
  void rounds(Block&) const;  // VCC is overwritten
};

}  // namespace wavesmith
