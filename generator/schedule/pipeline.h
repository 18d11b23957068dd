// A software pipeline by declaration: which phase runs how many iterations ahead, and what is merged with what inside a
// step. Prologue, steady loop, drain and tail follow from it, for any trip count from zero up, known only at run time.
//
//   Pipeline p{.slots = 3};
//   p.at(ahead(2), [&](int slot) { return load(slot); });      // registers or LDS buffers of iteration i are those of
//   slot i % 3 p.merge(spread, {{ahead(0), multiply}}, {{{ahead(1), read}}});   // reads of the next iteration between
//   this one's multiplications p.emit(k, trips);
#pragma once
#include <functional>

#include "generator/dsl/stream.h"

namespace wavesmith {

struct Ahead {
  int iterations;
  int slots = 0;     // 0: the pipeline's
  int segment = -1;  // -1: in all of them
  // This phase's registers or buffers cycle over `n` slots of their own. What frees them in time is the author's to
  // arrange: a load two ahead needs one set of registers if the phase that empties them runs before it in the same
  // step.
  constexpr Ahead over(int n) const {
    Ahead a = *this;
    a.slots = n;
    return a;
  }
  // Only for iterations of segment number `n`. Segments that overlap share what runs ahead: there `n` is for phases of
  // ahead(0).
  constexpr Ahead in_segment(int n) const {
    Ahead a = *this;
    a.segment = n;
    return a;
  }
};
constexpr Ahead ahead(int iterations) { return {iterations}; }
// So many iterations late. In the first steps it runs for iterations before the first, which has to be harmless.
constexpr Ahead behind(int iterations) { return {-iterations}; }

struct Pipeline {
  using Phase = std::function<Block(int slot)>;
  using Merge = std::function<Block(const Block& anchors, const std::vector<Block>& sides)>;
  struct Stage {
    Ahead by;
    Phase phase;
  };
  using Stages = std::vector<Stage>;
  struct Group {
    Merge how;
    Stages anchors;
    std::vector<Stages> sides{};
  };
  // A tail's iterations run one after another, each phase in the order in which an iteration reaches it, behind the
  // drain of the segment before: the rest that does not fill a tile. Slots go on in it where the iteration before it
  // left them.
  struct Segment {
    Sgpr trips;
    bool hot = false, tail = false;
  };

  int slots = 1;  // the loop is unrolled until every phase's slot is known when emitting
  // Phases that run ahead also run for iterations behind the last, which has to be harmless: loads that are bounded,
  // results nobody uses. Then only what is behind is drained. Without it the steady loop ends early, and a drain
  // without those phases follows.
  bool past_end = false;
  std::vector<Group> groups{};  // of a step, in order

  // Phases of one step run in the order of their declaration; of one iteration, furthest ahead first. A phase may be a
  // wait and a barrier: with LDS buffers, "publish" (wait_for_lds, s_barrier) comes before the phases that fill the
  // buffer read a step ago.
  Pipeline& at(Stage s) {
    groups.push_back({nullptr, {std::move(s)}});
    return *this;
  }
  Pipeline& at(Ahead by, Phase phase) { return at({by, std::move(phase)}); }
  // Merges the anchors' Blocks, one behind the other, with each side's. In the prologue and the drain those of them
  // that run; without anchors the sides follow each other.
  Pipeline& merge(Merge how, Stages anchors, std::vector<Stages> sides) {
    groups.push_back({std::move(how), std::move(anchors), std::move(sides)});
    return *this;
  }

  // `trips` counts down and is scratch afterwards. Clobbers SCC. A hot steady loop makes hazards errors in it.
  // Error: IsaError if a phase without slots of its own runs `slots` or more iterations ahead: it would overwrite what
  // later phases still need.
  void emit(Stream& k, Sgpr trips, LoopOptions options = {}) const { emit(k, {{trips, options.hot}}); }
  // Steady loops one behind the other between one prologue and one drain: steps that differ in the phases that are
  // in_segment(). The trips of each but the last count turns, in which every slot comes round. Behind one of them that
  // does not run past its end, a tail. Error: IsaError too for more than one without past_end, and for a tail
  // elsewhere.
  void emit(Stream& k, const std::vector<Segment>&) const;
};

}  // namespace wavesmith
