// Step i runs every phase for iteration i + its lookahead. Steps before 0 (prologue) run those phases that have an iteration by then;
// then come steps that run all (steady), none of them guarded; then (drain) those phases that have an iteration left. The steady loop
// tests for its end after every slot, and each exit has a drain of its own, so slots are known everywhere; drains that are the same
// are one. Trips too few for a steady step run one after another.
#include "generator/pipeline.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "generator/cfg.h"

namespace wavesmith {
namespace {

using Stage = Pipeline::Stage;

bool same(const Node& a, const Node& b) {
  return a.inst == b.inst && a.directive == b.directive && a.buffer == b.buffer && a.number == b.number && a.count == b.count && a.sync == b.sync;
}

struct Emitter {
  const Pipeline& p;
  Stream& k;
  const std::vector<Pipeline::Leg>& legs;
  int lookahead = 0, lag = 0;                              // the largest of each
  int drained = 0;                                         // iterations whose last steps are the drain's
  int unroll = 1;                                          // iterations until all slots come round
  Ahead count = ahead(0);                                  // of the phase that counts; by default the end of a step

  template <class F>
  void each_stage(F f) const {
    for (const auto& g : p.groups) {
      for (const Stage& s : g.anchors) f(s);
      for (const auto& side : g.sides) for (const Stage& s : side) f(s);
    }
  }
  int slots_of(const Stage& s) const { return s.by.slots ? s.by.slots : p.slots; }
  void check(const Stage& s) {
    const Ahead& a = s.by;
    if (p.slots < 1 || a.slots < 0 || (!a.slots && a.iterations >= p.slots))
      throw isa::IsaError(fmt::format("pipeline of {} slots: a phase runs {} iterations ahead; legal are 0 to {}", p.slots, a.iterations, p.slots - 1));
    if (a.leg >= static_cast<int>(legs.size()) || (a.leg >= 0 && a.iterations))
      throw isa::IsaError(fmt::format("pipeline of {} legs: a phase only in leg {} runs {} iterations ahead; legal is 0, and a leg there is", legs.size(), a.leg, a.iterations));
    if (a.counts && (!p.past_end || legs.size() > 1)) throw isa::IsaError("pipeline: a phase counts; legal with past_end and one leg");
    unroll = std::lcm(unroll, slots_of(s));
    lookahead = std::max(lookahead, a.iterations), lag = std::max(lag, -a.iterations);
    if (a.counts) count = a;
  }

  // The phase at a step, its nodes marked with the iteration they work for: counted from the loop's own, or from the first.
  Block of(const Stage& s, int step, bool relative) const {
    const int n = slots_of(s), iteration = step + s.by.iterations;
    Block b = s.phase((iteration % n + n) % n);
    for (Node& x : b.nodes) x.iteration = static_cast<int16_t>(relative ? s.by.iterations : iteration), x.ahead = relative;
    return b;
  }
  template <class Runs>
  Block step(int number, bool relative, Runs runs) const {
    const auto all = [&](const Pipeline::Stages& stages) {
      Block out(k.arch());
      for (const Stage& s : stages) if (runs(s)) out << of(s, number, relative);
      return out;
    };
    Block out(k.arch());
    for (const auto& g : p.groups) {
      const Block anchors = all(g.anchors);
      std::vector<Block> sides;
      for (const auto& side : g.sides) sides.push_back(all(side));
      if (g.how && anchors.size()) { out << g.how(anchors, sides); continue; }
      out << anchors;
      for (const Block& b : sides) out << b;
    }
    return out;
  }
  // What runs behind steady steps whose number is `done`, or a multiple of all slots more.
  Block drain(int done) const {
    Block out(k.arch());
    for (int i = 0; i < drained + lag; ++i) out << step(done + i, true, [&](const Stage& s) { return i + s.by.iterations < drained; });
    return out;
  }
  // An iteration on its own runs its phases in the order in which they reach it: furthest ahead first.
  void few_trips(Sgpr trips) {
    std::vector<Stage> stages;
    each_stage([&](const Stage& s) { stages.push_back(s); });
    std::ranges::stable_sort(stages, std::ranges::greater{}, [](const Stage& s) { return s.by.iterations; });
    for (int iteration = 0; iteration < drained; ++iteration) {
      k.s_cmp_gt_u32(trips, iteration);
      k.when_scc(true, "pipeline_few", [&] {
        for (const Stage& s : stages) k << of(s, iteration - s.by.iterations, false);
      });
    }
  }
  // SCC at the end of a step is that of `s_sub_u32 trips, trips, 1`: a borrow in the last one.
  void count_down(Sgpr trips, size_t first) {
    if (!count.counts) return void(k.s_sub_u32(trips, trips, 1));
    for (size_t i = k.nodes.size(); i-- > first;) {
      const Node& n = k.nodes[i];
      if (n.directive != Directive::none || !(n.inst.info().implicit & isa::scc_w)) continue;
      if (n.inst.op == Opcode::s_sub_u32 && n.inst.operands[0] == trips.operand()) return;
      throw isa::IsaError(fmt::format("{}: pipeline: {} writes SCC behind the phase that counts; legal is in front of it", place(n), n.inst.info().mnemonic));
    }
    throw isa::IsaError("pipeline: the phase that counts has no s_sub_u32 of the trips");
  }
  // Ends at `exits` by the slot that comes next, the last of them by falling through.
  void steady(int leg, const std::vector<int>& exits) {
    const int top = k.new_label("pipeline");
    const size_t first = k.nodes.size();
    k.bind(top);
    for (int u = 0; u < unroll; ++u) {
      const size_t begin = k.nodes.size();
      k << step(u, true, [&](const Stage& s) { return s.by.leg < 0 || s.by.leg == leg; });
      const bool last = u + 1 == unroll;
      if (!last && exits.empty()) continue;
      count_down(legs[leg].trips, begin);
      if (last) k.s_cbranch_scc0(LabelArg{isa::label(top)}); else k.s_cbranch_scc1(LabelArg{isa::label(exits[u])});
    }
    for (size_t i = first; legs[leg].hot && i < k.nodes.size(); ++i) k.nodes[i].hot = true;
  }
  void drains(const std::vector<int>& exits, int done) {
    std::vector<Block> blocks;
    for (int u = 0; u < unroll; ++u) blocks.push_back(drain(u + 1));
    const bool one = std::ranges::all_of(blocks, [&](const Block& b) { return std::ranges::equal(b.nodes, blocks[0].nodes, same); });
    for (int u = unroll - 1; u >= 0; --u) {                // the last slot falls through
      k.bind(exits[u]);
      if (one && u) continue;
      k << blocks[u];
      if (u || drained) k.s_branch(LabelArg{isa::label(done)});
    }
  }
  void emit() {
    const int few = k.new_label("pipeline_few_trips"), go = k.new_label("pipeline_starts"), done = k.new_label("pipeline_done");
    const bool several = legs.size() > 1;
    std::vector<int> exits;
    for (int u = 0; u < unroll; ++u) exits.push_back(k.new_label(fmt::format("pipeline_exit_{}", u)));
    for (const auto& leg : legs) {
      k.s_cmp_gt_u32(leg.trips, drained);
      if (&leg == &legs.back()) k.s_cbranch_scc0(LabelArg{isa::label(drained ? few : done)}); else k.s_cbranch_scc1(LabelArg{isa::label(go)});
    }
    k.bind(go);
    for (const auto& leg : legs)                           // -1 from here on: none of that leg
      if (const int more = count.iterations - 1 - drained) k.s_add_u32(leg.trips, leg.trips, more);
    for (int i = -lookahead; i < 0; ++i) k << step(i, false, [&](const Stage& s) { return i + s.by.iterations >= 0; });
    for (size_t leg = 0; leg < legs.size(); ++leg) {
      const bool last = leg + 1 == legs.size();
      const int next = last ? exits.back() : k.new_label("pipeline_next_leg");
      if (several) k.s_cmp_eq_u32(legs[leg].trips, -1), k.s_cbranch_scc1(LabelArg{isa::label(next)});
      steady(static_cast<int>(leg), last ? exits : std::vector<int>{});
      if (!last) k.bind(next);
    }
    drains(exits, done);
    if (drained) {
      k.bind(few);
      few_trips(legs[0].trips);
    }
    k.bind(done);
  }
};

}  // namespace

void Pipeline::emit(Stream& k, const std::vector<Leg>& legs) const {
  Emitter e{*this, k, legs};
  e.each_stage([&](const Stage& s) { e.check(s); });
  if (!past_end) e.drained = e.lookahead;
  if (legs.empty() || (legs.size() > 1 && !past_end)) throw isa::IsaError(fmt::format("pipeline: {} legs; legal are one, and more with past_end", legs.size()));
  e.emit();
}

}  // namespace wavesmith
