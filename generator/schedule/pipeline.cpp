// Step i runs each phase for iteration i + its lookahead. Steps before 0 (prologue) run only phases whose iteration is
// at least 0; steady steps run all phases without guards; the drain runs phases that have iterations left. The steady
// loop tests for its end after every slot, and each exit has its own drain, so that slots are constants everywhere;
// identical drains are emitted once. Iterations too few for a steady step run one after another, and so does a tail,
// which is entered at the next slot.
#include "generator/schedule/pipeline.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "generator/schedule/interleave.h"

namespace wavesmith {
namespace {

using Stage = Pipeline::Stage;

bool same(const Node& a, const Node& b) {
  return a.inst == b.inst && a.directive == b.directive && a.buffer == b.buffer;
}

struct Emitter {
  const Pipeline& p;
  Stream& k;
  const std::vector<Pipeline::Segment>& segments;
  int lookahead = 0, lag = 0;  // the largest of each
  int drained = 0;             // iterations that the drain completes
  int unroll = 1;              // iterations until all slots repeat
  int top = 0, joins = 0;      // labels in the last steady loop: of its first step, and of the one behind first_steps()
  std::vector<int>
      ends;  // label to continue at, by number of iterations modulo the slots: a step of the tail, or `done`

  bool tail() const { return segments.back().tail; }
  int overlapped() const { return static_cast<int>(segments.size()) - tail(); }  // segments
  int end(int iterations) const { return ends[iterations % ends.size()]; }
  static bool in(const Stage& s, int segment) { return s.by.segment.value_or(segment) == segment; }

  template <class F>
  static void each_stage_of(const Pipeline::Group& g, F f) {
    for (const Stage& s : g.anchors) f(s);
    for (const auto& side : g.sides)
      for (const Stage& s : side) f(s);
  }
  template <class F>
  void each_stage(F f) const {
    for (const auto& g : p.groups) each_stage_of(g, f);
  }
  int first_steps() const { return std::min(unroll, p.next->most_first_steps); }
  int slots_of(const Stage& s) const { return s.by.slots ? s.by.slots : p.slots; }
  void check(const Stage& s, Where w) {
    const Ahead& a = s.by;
    if (p.slots < 1 || a.slots < 0 || (!a.slots && a.iterations >= p.slots))
      throw isa::IsaError(fmt::format("{}: pipeline of {} slots: a phase runs {} iterations ahead; legal: 0 to {}",
                                      place(w), p.slots, a.iterations, p.slots - 1));
    if (a.segment && (*a.segment >= static_cast<int>(segments.size()) || (a.iterations < 0 && !tail())))
      throw isa::IsaError(fmt::format(
          "{}: pipeline of {} segments: a phase only in segment {} runs {} iterations ahead; legal: 0 and more, and an "
          "existing segment",
          place(w), segments.size(), *a.segment, a.iterations));
    unroll = std::lcm(unroll, slots_of(s));
    lookahead = std::max(lookahead, a.iterations), lag = std::max(lag, -a.iterations);
  }

  void count_drained() {
    if (!p.past_end) drained = lookahead;
    if (p.next) each_stage([&](const Stage& s) { drained = std::max(drained, s.by.iterations + s.further); });
  }

  // The phase at a step. Its nodes are marked with the iteration they belong to, relative to the loop's current one or
  // absolute.
  Block of(const Stage& s, int step, bool relative) const {
    const int n = slots_of(s), iteration = step + s.by.iterations;
    Block b = s.phase((iteration % n + n) % n);
    for (Node& x : b.nodes) x.iteration = {relative ? s.by.iterations : iteration, relative};
    return b;
  }
  template <class Runs>
  Block part_of_step(const Pipeline::Group& g, int number, bool relative, Runs runs) const {
    const auto all = [&](const Pipeline::Stages& stages) {
      Block out(k.arch());
      for (const Stage& s : stages)
        if (runs(s)) out << of(s, number, relative);
      return out;
    };
    Block anchors = all(g.anchors);
    std::vector<Block> sides;
    for (const auto& side : g.sides) sides.push_back(all(side));
    if (g.how && anchors.size()) return g.how(anchors, sides);
    for (const Block& b : sides) anchors << b;
    return anchors;
  }
  template <class Runs>
  Block step(int number, bool relative, Runs runs) const {
    Block out(k.arch());
    for (const auto& g : p.groups) out << part_of_step(g, number, relative, runs);
    return out;
  }
  // The drain after `done` steady steps, or after `done` plus a multiple of `unroll`.
  Block drain(int done) const {
    Block out(k.arch());
    for (int i = 0; i < drained + lag; ++i)
      out << step(done + i, true,
                  [&](const Stage& s) { return in(s, overlapped() - 1) && i + s.by.iterations < drained; });
    return out;
  }
  // One iteration without overlap: its phases run in the order in which a pipelined iteration meets them, furthest
  // ahead first.
  void alone(int iteration, int segment) {
    std::vector<Stage> stages;
    each_stage([&](const Stage& s) {
      if (in(s, segment)) stages.push_back(s);
    });
    std::ranges::stable_sort(stages, std::ranges::greater{}, [](const Stage& s) { return s.by.iterations; });
    for (const Stage& s : stages) k << of(s, iteration - s.by.iterations, false);
  }
  void few_trips(Sgpr trips) {
    for (int iteration = 0; iteration < drained; ++iteration) {
      k.s_cmp_gt_u32(trips, iteration);
      k.s_cbranch_scc0(LabelArg{isa::label(end(iteration))});
      alone(iteration, 0);
    }
  }
  void tail_loop(Sgpr trips, int done) {
    for (int u = 0; u < unroll; ++u) {
      k.bind(end(u));
      k.s_sub_u32(trips, trips, 1);
      k.s_cbranch_scc1(LabelArg{isa::label(done)});
      alone(u, overlapped());
    }
    k.s_branch(LabelArg{isa::label(end(0))});
  }
  // The steady loop. Leaves through `exits`, one per next slot; the last exit falls through.
  void steady(int segment, const std::vector<int>& exits) {
    top = k.new_label("pipeline");
    const size_t first = k.nodes.size();
    k.bind(top);
    for (int u = 0; u < unroll; ++u) {
      k << step(u, true, [&](const Stage& s) { return in(s, segment); });
      const bool last = u + 1 == unroll;
      if (!last && exits.empty()) continue;
      k.s_sub_u32(segments[segment].trips, segments[segment].trips, 1);  // borrows in the last step
      if (last) k.s_cbranch_scc0(LabelArg{isa::label(top)});
      else k.s_cbranch_scc1(LabelArg{isa::label(exits[u])});
      if (p.next && u + 1 == first_steps() && !last) k.bind(joins = k.new_label("pipeline_joins"));
    }
    for (size_t i = first; segments[segment].hot && i < k.nodes.size(); ++i) k.nodes[i].hot = true;
  }
  // What begins of the next problem before this group of a step: if it needs any, all that from here on no phase of the
  // step needs of the one before.
  std::vector<int> begin_at(int step, size_t group, const std::vector<int>& begun) const {
    std::vector<int> kinds, of_before;
    bool needed = false;
    const auto add = [](std::vector<int>& to, int what) {
      if (std::ranges::find(to, what) == to.end()) to.push_back(what);
    };
    for (size_t g = group; g < p.groups.size(); ++g)
      each_stage_of(p.groups[g], [&](const Stage& s) {
        if (!s.begins || std::ranges::find(begun, s.begins) != begun.end()) return;
        const bool of_next = step + s.by.iterations + s.further >= drained;
        needed |= of_next && g == group;
        add(of_next ? kinds : of_before, s.begins);
      });
    std::erase_if(kinds, [&](int what) { return std::ranges::find(of_before, what) != of_before.end(); });
    return needed ? kinds : std::vector<int>{};
  }
  // The last iterations after `done` steady steps, and the first ones of the next problem, if there is one.
  void go_on(int done, const std::vector<int>& exits) {
    const int none = k.new_label(std::string(pipeline_ends_label));
    p.next->test(none, drained + (p.next->first ? first_steps() : 1));
    Block steps(k.arch());
    std::vector<int> begun;
    for (int i = 0; i < drained; ++i)
      for (size_t g = 0; g < p.groups.size(); ++g) {
        if (const std::vector<int> kinds = begin_at(i, g, begun); !kinds.empty()) {
          Block aside(k.arch());
          for (const int what : kinds) aside << p.next->begin(what), begun.push_back(what);
          steps = spread_before(steps, aside, p.next->scratch);
        }
        steps << part_of_step(p.groups[g], done + i, true, [&](const Stage& s) { return in(s, 0); });
      }
    k << spread_before(steps, p.next->prepare(), p.next->scratch);
    p.next->between();
    k.s_add_u32(segments[0].trips, segments[0].trips, -1 - drained);
    if (p.next->first) {
      Block first(k.arch());
      for (int i = 0; i < first_steps(); ++i) first << step(i, true, [&](const Stage& s) { return in(s, 0); });
      k << p.next->first(first);
      k.s_sub_u32(segments[0].trips, segments[0].trips, first_steps());
      k.s_cbranch_scc1(LabelArg{isa::label(exits[static_cast<size_t>(first_steps() - 1)])});
    }
    k.s_branch(LabelArg{isa::label(p.next->first && unroll > first_steps() ? joins : top)});
    k.bind(none);
  }
  void drains(const std::vector<int>& exits) {
    std::vector<Block> blocks;
    for (int u = 0; u < unroll; ++u) {
      blocks.push_back(p.before_drain ? p.before_drain((u + 1) % unroll) : Block(k.arch()));
      blocks.back() << drain(u + 1);
    }
    const bool one = ends.size() == 1 && std::ranges::all_of(blocks, [&](const Block& b) {
                       return std::ranges::equal(b.nodes, blocks[0].nodes, same);
                     });
    for (int u = unroll - 1; u >= 0; --u) {  // the last slot falls through
      k.bind(exits[u]);
      const bool goes_on = p.next && drained && (u + 1 + drained) % unroll == 0;
      if (goes_on) go_on(u + 1, exits);
      if (one && u) continue;
      k << blocks[u];
      if (u || drained || tail()) k.s_branch(LabelArg{isa::label(end(u + 1 + drained))});
    }
  }
  void prologue() {
    Block all(k.arch());
    for (int i = -lookahead; i < 0; ++i)
      all << step(i, false, [&](const Stage& s) {
        return (in(s, 0) || (*s.by.segment < overlapped() && s.by.iterations)) && i + s.by.iterations >= 0;
      });
    const auto waits = [](const Node& n) {
      return n.as<directive::WaitRegister>() || n.as<directive::WaitLds>() ||
             (n.is_instruction() && n.inst.info().unit == isa::Unit::lds);
    };
    if (p.beside_first_loads && drained) {
      auto first_wait = std::ranges::find_if(all.nodes, waits);
      if (first_wait == all.nodes.end()) first_wait = all.nodes.begin();
      Block loads(k.arch());
      loads.nodes.assign(all.nodes.begin(), first_wait);
      all.nodes.erase(all.nodes.begin(), first_wait);
      k << between_loads(*p.beside_first_loads, loads, [](const Node& n) {  // direct ones
        return n.buffer && n.inst.info().unit == isa::Unit::vmem && n.inst.info().counter != isa::Counter::tensor;
      });
    }
    k << all;
  }
  void emit() {
    if (p.beside_first_loads && !drained) k << *p.beside_first_loads;
    const int few = k.new_label("pipeline_few_trips"), go = k.new_label("pipeline_starts"),
              done = k.new_label("pipeline_done");
    std::vector<int> exits;
    for (int u = 0; u < unroll; ++u) exits.push_back(k.new_label(fmt::format("{}{}", pipeline_exit_label, u)));
    ends.assign(tail() ? unroll : 1, done);
    if (tail()) std::ranges::generate(ends, [&] { return k.new_label("pipeline_tail"); });
    for (int segment = 0; segment < overlapped(); ++segment) {
      k.s_cmp_gt_u32(segments[segment].trips, drained);
      if (segment + 1 == overlapped()) k.s_cbranch_scc0(LabelArg{isa::label(drained ? few : end(0))});
      else k.s_cbranch_scc1(LabelArg{isa::label(go)});
    }
    k.bind(go);
    for (int segment = 0; segment < overlapped(); ++segment)
      k.s_add_u32(segments[segment].trips, segments[segment].trips,
                  -1 - drained);  // from here on -1 means that the segment has no iterations
    prologue();
    for (int segment = 0; segment < overlapped(); ++segment) {
      const bool last = segment + 1 == overlapped();
      const int next = last ? exits.back() : k.new_label("pipeline_next_segment");
      if (overlapped() > 1) k.s_cmp_eq_u32(segments[segment].trips, -1), k.s_cbranch_scc1(LabelArg{isa::label(next)});
      steady(segment, last ? exits : std::vector<int>{});
      if (!last) k.bind(next);
    }
    drains(exits);
    if (drained) {
      k.bind(few);
      if (p.beside_first_loads) k << *p.beside_first_loads;
      few_trips(segments[0].trips);
      if (tail() && end(drained) != end(0)) k.s_branch(LabelArg{isa::label(end(drained))});
    }
    if (tail()) tail_loop(segments.back().trips, done);
    k.bind(done);
  }
};

}  // namespace

void Pipeline::emit(Stream& k, const std::vector<Segment>& segments, Where w) const {
  const auto tails = std::ranges::count_if(segments, &Segment::tail);
  if (segments.empty() || (segments.size() > 1 && !past_end && !tails))
    throw isa::IsaError(
        fmt::format("{}: pipeline: {} segments; legal: one, or more with past_end", place(w), segments.size()));
  if (tails && (segments.size() != 2 || !segments[1].tail || tails != 1 || past_end))
    throw isa::IsaError(
        fmt::format("{}: pipeline: a tail; legal: one tail after one segment, without past_end", place(w)));
  Emitter e{*this, k, segments};
  const size_t first = k.nodes.size();
  e.each_stage([&](const Stage& s) { e.check(s, w); });
  e.count_drained();
  if (next && (past_end || e.lag || e.overlapped() > 1))
    throw isa::IsaError(
        fmt::format("{}: pipeline: another problem follows; legal: one segment and a tail, without past_end and "
                    "delayed phases",
                    place(w)));
  e.emit();
  name_caller(k.nodes, first, w);
}

}  // namespace wavesmith
