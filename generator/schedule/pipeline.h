// A software pipeline by declaration: which phase runs how many iterations ahead, and what is merged with what inside a
// step. Prologue, steady loop, drain and tail follow from it, for any trip count from zero up, known only at run time.
//
//   Pipeline p{.slots = 3};
//   p.at(ahead(2), [&](int slot) { return load(slot); });
//   p.merge(spread, {{ahead(0), multiply}}, {{{ahead(1), read}}});
//   p.emit(k, trips);
//
// Iteration i uses the registers or LDS buffers of slot i % 3; the reads of the next iteration are placed between this
// one's multiplications.
#pragma once
#include <functional>
#include <optional>

#include "generator/dsl/stream.h"

namespace wavesmith {

struct Ahead {
  int iterations;
  int slots = 0;                 // 0: the pipeline's
  std::optional<int> segment{};  // none: in all of them
  // This phase's registers or buffers cycle over its own `n` slots. The author must ensure that they are free in time:
  // a load two ahead needs one set of registers if the phase that reads them runs before it in the same step.
  constexpr Ahead over(int n) const {
    Ahead a = *this;
    a.slots = n;
    return a;
  }
  // Only in steps of segment number `n`, if there is one: where the phase runs ahead, for iterations that may be the
  // next segment's, and in the prologue for the first ones, whichever segment they are of.
  constexpr Ahead in_segment(std::optional<int> n) const {
    Ahead a = *this;
    a.segment = n;
    return a;
  }
};
constexpr Ahead ahead(int iterations) { return {iterations}; }
// Runs this number of iterations late. In the first steps it runs for iterations before the first, which must be
// harmless.
constexpr Ahead delayed(int iterations) { return {-iterations}; }

// Labels: behind the last steady loop, with the number of its slot; behind what begins another problem.
constexpr std::string_view pipeline_exit_label = "pipeline_exit_", pipeline_ends_label = "pipeline_ends";

struct Pipeline {
  using Phase = std::function<Block(int slot)>;
  using Merge = std::function<Block(const Block& anchors, const std::vector<Block>& sides)>;
  struct Stage {
    Ahead by;
    Phase phase;
    int begins = 0;   // something of the next problem (see Next), if not 0,
    int further = 0;  // so many iterations behind the one that it runs for
  };
  using Stages = std::vector<Stage>;
  struct Group {
    Merge how;
    Stages anchors;
    std::vector<Stages> sides{};
  };
  // A tail's iterations run one after another, with the phases in the order in which an iteration passes through them,
  // after the drain of the previous segment: for the rest that does not fill a tile. The slots continue from the
  // previous iteration.
  struct Segment {
    Sgpr trips;
    bool hot = false, tail = false;
  };

  int slots = 1;  // the loop is unrolled until every phase's slot is known when emitting
  // Phases that run ahead also run for iterations after the last, which must be harmless: bounded loads, unused
  // results. Then only delayed phases are drained. Without it the steady loop ends early, followed by a drain
  // without those phases.
  bool past_end = false;
  std::vector<Group> groups{};  // of a step, in order
  // Runs once before the phases that read what it writes, where the prologue first waits or accesses LDS: beside the
  // first loads; before them if it does neither. No phase that loads may depend on it, except direct loads to LDS: it
  // stands between those as far as registers permit, or before them if it is no straight-line code.
  std::optional<Block> beside_first_loads{};
  // Another problem of as many trips may follow, whose first iterations are begun in place of the drain: steady steps
  // go on, and then the loop begins again. Of one segment, or with a tail that has no trips; not where the last slot is
  // another one than before the first iteration.
  struct Next {
    // Branches to the label if none follows, and for fewer trips than these.
    std::function<void(int label, int least_trips)> test;
    // Once each, before the first phase that begins it for the next problem: where possible beside what precedes.
    std::function<Block(int what)> begin;
    std::function<Block()> prepare;  // for between(): where possible beside the last phases
    std::function<void()> between;   // behind the last phases of the one before; sets `trips` if begin() does not
    // The next one's first steady steps, if they are others than in the loop: at most one of one slot, two of more.
    std::function<Block(const Block& steps)> first{};
    int most_first_steps = 2;
    std::vector<isa::Operand> scratch{};  // registers that begin() leaves and no phase reads before it writes them
  };
  std::optional<Next> next{};
  // Between the last steady loop and the drain, by the slot of the first iteration that is drained: may branch to code
  // that completes the remaining iterations itself.
  Phase before_drain{};

  // Phases of one step run in the order of their declaration; of one iteration, furthest ahead first. A phase may be a
  // wait and a barrier: with LDS buffers, a stage barrier (wait_for_lds, s_barrier) comes before the phases that fill
  // the buffer read one step ago.
  Pipeline& at(Stage s) {
    groups.push_back({nullptr, {std::move(s)}});
    return *this;
  }
  Pipeline& at(Ahead by, Phase phase) { return at({by, std::move(phase)}); }
  // Merges the concatenated Blocks of the anchors with those of each side; in the prologue and the drain only those
  // that run. Without anchors the sides are concatenated.
  Pipeline& merge(Merge how, Stages anchors, std::vector<Stages> sides) {
    groups.push_back({std::move(how), std::move(anchors), std::move(sides)});
    return *this;
  }

  // `trips` is counted down and undefined afterwards. Clobbers SCC. With a hot steady loop, hazards in it are errors.
  // Error: IsaError if a phase without its own slots runs `slots` or more iterations ahead: it would overwrite what
  // later phases still need.
  void emit(Stream& k, Sgpr trips, LoopOptions options = {}, Where w = Where::current()) const {
    emit(k, {{trips, options.hot}}, w);
  }
  // Consecutive steady loops between one prologue and one drain, whose steps differ in the phases that are
  // in_segment(). The trips of each segment except the last count whole cycles of the slots. A tail may follow a single
  // segment without past_end. Error: IsaError also for several segments without past_end, and for a tail elsewhere.
  void emit(Stream& k, const std::vector<Segment>&, Where = Where::current()) const;
};

}  // namespace wavesmith
