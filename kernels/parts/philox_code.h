// Philox (philox.h) as instructions.
#pragma once
#include "generator/dsl/registers.h"

namespace wavesmith {

class Block;

struct PhiloxCode {
  Sgpr factors, seed, key;                         // two each; factors: of set_factors(); key: scratch
  Vgpr words, scratch;                             // four each, from an even register on
  Vgpr word(int i) const { return words[3 - i]; }  // of the counter, then of the random numbers
  void set_factors(Block&) const;
  void rounds(Block&) const;  // VCC is overwritten
};

}  // namespace wavesmith
