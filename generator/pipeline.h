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

struct Ahead {
  int iterations;
  int slots = 0;                                           // 0: the pipeline's
  // This phase's registers or buffers cycle over `n` slots of their own. What frees them in time is the author's to arrange: a load
  // two ahead needs one set of registers if the phase that empties them runs before it in the same step.
  constexpr Ahead over(int n) const { return {iterations, n}; }
};
constexpr Ahead ahead(int iterations) { return {iterations}; }

struct Pipeline {
  using Phase = std::function<Block(int slot)>;
  int slots = 1;                                           // the loop is unrolled until every phase's slot is known when emitting
  struct Stage { Ahead by; Phase phase; };
  std::vector<Stage> stages{};

  // Phases of one step run in the order of their declaration; of one iteration, furthest ahead first. A phase may be a wait and a
  // barrier: with LDS buffers, "publish" (wait_for_lds, s_barrier) comes before the phases that fill the buffer read a step ago.
  Pipeline& at(Ahead by, Phase phase) { stages.push_back({by, std::move(phase)}); return *this; }
  // `trips` counts down to zero and is scratch afterwards. Clobbers SCC. A hot steady loop makes hazards errors in it.
  // Error: IsaError if a phase without slots of its own runs `slots` or more iterations ahead: it would overwrite what later phases
  // still need.
  void emit(Stream& k, Sgpr trips, Stream::LoopOptions = {}) const;
};

}  // namespace wavesmith
