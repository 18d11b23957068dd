// A software pipeline by declaration: which phase runs how many iterations ahead. Prologue, steady loop and drain follow from it,
// for any trip count from zero up, known only at run time.
//
//   Pipeline p{.slots = 3};
//   p.at(ahead(2), [&](int slot) { return load(slot); });      // registers or LDS buffers of iteration i are those of slot i % 3
//   p.at(ahead(0), [&](int slot) { return use(slot); });
//   p.emit(k, trips);
#pragma once
#include <functional>

#include "generator/stream.h"

namespace wavesmith {

struct Ahead { int iterations; };
constexpr Ahead ahead(int iterations) { return {iterations}; }

struct Pipeline {
  using Phase = std::function<Block(int slot)>;
  int slots = 1;                                           // the loop is unrolled so often that a slot is known when emitting
  struct Stage { Ahead by; Phase phase; };
  std::vector<Stage> stages{};

  // Phases of one step run in the order of their declaration.
  Pipeline& at(Ahead by, Phase phase) { stages.push_back({by, std::move(phase)}); return *this; }
  // `trips` counts down to zero and is scratch afterwards. Clobbers SCC. A hot steady loop makes hazards errors in it.
  // Error: IsaError if a phase runs `slots` or more iterations ahead: it would overwrite what later phases still need.
  void emit(Stream& k, Sgpr trips, Stream::LoopOptions = {}) const;
};

}  // namespace wavesmith
