// Philox (philox.h) as instructions.
#pragma once
#include <array>

#include "generator/dsl/registers.h"

namespace wavesmith {

class Block;

struct PhiloxCode {
  Sgpr factors, steps, seed, key;  // two each; factors and steps: of set_constants(); key: scratch
  std::array<Vgpr, 4> words;       // the counter, then the random numbers
  Vgpr x, y;                       // scratch
  void set_constants(Block&) const;
  void rounds(Block&) const;
};

}  // namespace wavesmith
