// Memoises the hazard tracker. Its result for a step depends only on its state, and waves in loops repeat the same
// states: each state is kept with the steps that were clean in it and the states that follow.
#pragma once
#include <vector>

#include "simulator/wave.h"

namespace wavesmith::sim {

class HazardStates {
 public:
  static constexpr int none = absent;
  explicit HazardStates(isa::HazardTracker start) { states_.push_back({std::move(start), {}, none}); }
  // The state after the step, from a state in which it has no hazard; none: not recorded yet.
  int after(int state, u32 step) const {
    const State& s = states_[static_cast<size_t>(state)];
    if (s.first.step == step) return s.first.to;  // without a first one: none
    for (int e = s.more; e != none; e = others_[static_cast<size_t>(e)].next)
      if (others_[static_cast<size_t>(e)].edge.step == step) return others_[static_cast<size_t>(e)].edge.to;
    return none;
  }
  const isa::HazardTracker& tracker(int state) const { return states_[static_cast<size_t>(state)].tracker; }
  // The number of a state after the step. None: there are too many; the wave keeps its own tracker.
  int number(u32 step, const isa::HazardTracker& after) {
    constexpr size_t most_after_one_step = 32, most = 1 << 14;
    if (by_step_.size() <= step) by_step_.resize(step + 1);
    std::vector<int>& alike = by_step_[step];
    for (const int s : alike)
      if (tracker(s).identical(after)) return s;
    if (alike.size() == most_after_one_step || states_.size() == most) return none;
    alike.push_back(static_cast<int>(states_.size()));
    states_.push_back({after, {}, none});
    return alike.back();
  }
  // Records that the step, clean in this state, leads to that one.
  void link(int state, u32 step, int to) {
    State& from = states_[static_cast<size_t>(state)];
    if (from.first.to == none) from.first = {step, to};
    else others_.push_back({{step, to}, from.more}), from.more = static_cast<int>(others_.size()) - 1;
  }

 private:
  struct Edge {
    u32 step = 0;
    int to = none;
  };
  struct Other {
    Edge edge;
    int next;
  };
  struct State {
    isa::HazardTracker tracker;
    Edge first;
    int more;
  };
  std::vector<State> states_;  // the first: at a wave's start
  std::vector<Other> others_;
  std::vector<std::vector<int>> by_step_;  // states after each step
};

}  // namespace wavesmith::sim
