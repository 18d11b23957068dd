// Step i runs every phase for iteration i + its lookahead. With more trips than the largest lookahead: steps before 0 (prologue),
// steps in which every phase still has an iteration (steady), the rest (drain), none of them guarded. The steady loop tests for
// its end after every slot, and each exit has a drain of its own, so slots are known everywhere. Fewer trips run one after another.
#include "generator/pipeline.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace wavesmith {
namespace {

struct Emitter {
  const Pipeline& p;
  Stream& k;
  Sgpr left;                                               // iterations from the current step's on
  int lookahead = 0;                                       // the largest
  int unroll = 1;                                          // iterations until all slots come round


  void put(const Pipeline::Stage& s, int of, int iteration, bool ahead) {   // `of`: an iteration of the same slot
    const size_t first = k.nodes.size();
    k << s.phase(of % (s.by.slots ? s.by.slots : p.slots));
    for (size_t i = first; i < k.nodes.size(); ++i) k.nodes[i].iteration = static_cast<int16_t>(iteration), k.nodes[i].ahead = ahead;
  }
  void prologue() {
    for (int step = -lookahead; step < 0; ++step)
      for (const auto& s : p.stages)
        if (const int iteration = step + s.by.iterations; iteration >= 0) put(s, iteration, iteration, false);
  }
  void drain(int from) {
    for (int step = 0; step < lookahead; ++step)
      for (const auto& s : p.stages)
        if (const int offset = step + s.by.iterations; offset < lookahead) put(s, from + offset, offset, true);
  }
  // An iteration on its own runs its phases in the order in which they reach it: furthest ahead first.
  void few_trips() {
    std::vector<Pipeline::Stage> stages = p.stages;
    std::ranges::stable_sort(stages, std::ranges::greater{}, [](const Pipeline::Stage& s) { return s.by.iterations; });
    for (int iteration = 0; iteration < lookahead; ++iteration) {
      k.s_cmp_gt_u32(left, iteration);
      k.when_scc(true, "pipeline_few", [&] {
        for (const auto& s : stages) put(s, iteration, iteration, false);
      });
    }
  }
  void emit(bool hot) {
    const int top = k.new_label("pipeline"), few = k.new_label("pipeline_few_trips"), done = k.new_label("pipeline_done");
    std::vector<int> exits;
    k.s_cmp_gt_u32(left, lookahead);
    k.s_cbranch_scc0(LabelArg{isa::label(few)});
    prologue();
    const size_t first = k.nodes.size();
    k.bind(top);
    for (int u = 0; u < unroll; ++u) {
      for (const auto& s : p.stages) put(s, u + s.by.iterations, s.by.iterations, true);
      k.s_sub_u32(left, left, 1);
      k.s_cmp_gt_u32(left, lookahead);
      const bool last = u + 1 == unroll;
      exits.push_back(k.new_label(fmt::format("pipeline_exit_{}", u)));
      if (last) k.s_cbranch_scc1(LabelArg{isa::label(top)}); else k.s_cbranch_scc0(LabelArg{isa::label(exits.back())});
    }
    if (hot)
      for (size_t i = first; i < k.nodes.size(); ++i) k.nodes[i].hot = true;
    for (int u = unroll - 1; u >= 0; --u) {               // the last slot falls through
      k.bind(exits[u]);
      drain(u + 1);
      k.s_branch(LabelArg{isa::label(done)});
    }
    k.bind(few);
    few_trips();
    k.bind(done);
  }
};

}  // namespace

void Pipeline::emit(Stream& k, Sgpr trips, Stream::LoopOptions options) const {
  Emitter e{*this, k, trips};
  for (const Stage& s : stages) {
    if (slots < 1 || s.by.slots < 0 || s.by.iterations < 0 || (!s.by.slots && s.by.iterations >= slots))
      throw isa::IsaError(fmt::format("pipeline of {} slots: a phase runs {} iterations ahead; legal are 0 to {}", slots, s.by.iterations, slots - 1));
    e.unroll = std::lcm(e.unroll, s.by.slots ? s.by.slots : slots);
    e.lookahead = std::max(e.lookahead, s.by.iterations);
  }
  e.emit(options.hot);
}

}  // namespace wavesmith
