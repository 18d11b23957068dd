// Splits the Block into regions and list-schedules each with the issue model: among the instructions whose predecessors
// have issued it takes the one that can start first, then the one with the longest chain after it, then the first in
// the author's order.
#include "generator/schedule/schedule.h"

#include <algorithm>
#include <bit>

#include "generator/passes/cfg.h"
#include "generator/schedule/issue_model.h"
#include "generator/schedule/sched_groups.h"

namespace wavesmith {
namespace {

using Region = std::vector<const Node*>;

bool ends_region(const Node& n) {
  if (n.is_instruction()) return isa::is_fence(n.inst);
  if (const auto* barrier = n.as<directive::SchedBarrier>()) return barrier->mask == 0;
  return !n.as<directive::SchedGroup>() && !n.as<directive::IglpOpt>();
}

class Scheduler {
 public:
  Scheduler(const Block& in, ScheduleReport* report) : in_(in), report_(report), out_(in.arch()), model_(in.arch()) {
    out_.nodes.reserve(in.nodes.size());
  }

  Block run() {
    for (const Node& n : in_.nodes) {
      if (ends_region(n)) {
        region();
        emit(n, model_);
      } else if (const auto* g = n.as<directive::SchedGroup>()) {
        groups_.push_back({g->mask, g->count, g->sync, static_cast<int>(region_.size()), &n});
      } else if (n.as<directive::IglpOpt>()) {
        iglp_ = &n;
      } else {
        region_.push_back(&n);
      }
    }
    region();
    return std::move(out_);
  }

 private:
  void emit(const Node& n, IssueModel& m) {
    if (n.is_instruction()) m.issue(n.inst, isa::effects(n.inst, in_.arch()));
    out_.nodes.push_back(n);
  }
  void region() {
    if (report_ && !region_.empty()) ++report_->regions;
    const bool ordered = !groups_.empty() || iglp_;
    Dependences d = dependences(region_, in_.arch());
    if (iglp_) predefined(d);
    form_groups(region_, groups_, d);
    for (const InstructionGroup& g : groups_)
      if (const int filled = static_cast<int>(g.members.size()); report_ && g.directive && filled < g.size)
        report_->unfilled.push_back({g.directive->where, g.mask, g.sync, g.size, filled});
    const std::vector<int> order = list(d);
    if (!ordered && finish_of(order) >= finish_of(identity()))
      for (const Node* n : region_) emit(*n, model_);
    else
      for (int i : order) emit(*region_[i], model_);
    region_.clear(), groups_.clear(), iglp_ = nullptr;
  }
  void predefined(const Dependences& d) {
    const bool barriers = std::ranges::any_of(region_, [](const Node* n) { return n->as<directive::SchedBarrier>(); });
    if (barriers || !groups_.empty())
      throw isa::IsaError(
          fmt::format("{}: iglp_opt in a region with sched barriers or groups; legal: one of the two", place(*iglp_)));
    groups_ = iglp_groups(*iglp_, region_, d);
  }
  std::vector<int> identity() const {
    std::vector<int> all(region_.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return all;
  }
  int finish_of(const std::vector<int>& order) const {
    IssueModel m = model_;
    for (int i : order)
      if (region_[i]->is_instruction()) m.issue(region_[i]->inst, isa::effects(region_[i]->inst, in_.arch()));
    return m.finished();
  }

  std::vector<int> list(const Dependences& d) const {
    const int n = d.size();
    std::vector<int> waiting(n, 0), height(n, 0), ready, order;
    std::vector<isa::Effects> effects(n);
    for (int i = 0; i < n; ++i) {
      if (region_[i]->is_instruction()) effects[i] = isa::effects(region_[i]->inst, in_.arch());
      for (const auto& e : d.next[i]) ++waiting[e.to];
    }
    for (int i : backwards(d))
      for (const auto& e : d.next[i])
        height[i] = std::max(height[i], height[e.to] + std::max(e.clocks, isa::slot_clocks(in_.arch())));
    for (int i = 0; i < n; ++i)
      if (!waiting[i]) ready.push_back(i);
    IssueModel m = model_;
    while (!ready.empty()) {
      const auto start = [&](int i) {
        return region_[i]->is_instruction() ? m.earliest(region_[i]->inst, effects[i]) : m.clock();
      };
      size_t best = 0;
      int best_start = start(ready[0]);
      for (size_t k = 1; k < ready.size(); ++k) {
        const int s = start(ready[k]), a = ready[k], b = ready[best];
        if (s < best_start || (s == best_start && (height[a] > height[b] || (height[a] == height[b] && a < b))))
          best = k, best_start = s;
      }
      const int i = ready[best];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(best));
      if (region_[i]->is_instruction()) m.issue(region_[i]->inst, effects[i]);
      order.push_back(i);
      for (const auto& e : d.next[i])
        if (--waiting[e.to] == 0) ready.push_back(e.to);
    }
    return order;
  }
  // Reverse topological order: nodes that reach more nodes come later.
  static std::vector<int> backwards(const Dependences& d) {
    std::vector<int> followers(d.size(), 0), order(d.size());
    for (int i = 0; i < d.size(); ++i) {
      for (size_t w = 0; w < d.words; ++w) followers[i] += std::popcount(d.reach[i * d.words + w]);
      order[i] = i;
    }
    std::ranges::stable_sort(order, {}, [&](int i) { return followers[i]; });
    return order;
  }

  const Block& in_;
  ScheduleReport* report_;
  Block out_;
  IssueModel model_;
  Region region_;
  std::vector<InstructionGroup> groups_;
  const Node* iglp_ = nullptr;
};

}  // namespace

Block scheduled(const Block& block, ScheduleReport* report) {
  if (report) *report = {};
  Block out = Scheduler(block, report).run();
  if (report) report->clocks_before = predicted_clocks(block), report->clocks_after = predicted_clocks(out);
  return out;
}

std::string ScheduleReport::text() const {
  std::string out = fmt::format("{} region{}, {} clocks before, {} after (one wave, no other waves)\n", regions,
                                regions == 1 ? "" : "s", clocks_before, clocks_after);
  for (const Group& g : unfilled) {
    Node n;
    n.where = g.where;
    out += fmt::format("{}: sched_group_barrier(0x{:x}, {}, {}) found {} instruction{}\n", place(n), g.mask, g.wanted,
                       g.sync, g.filled, g.filled == 1 ? "" : "s");
  }
  return out;
}

}  // namespace wavesmith
