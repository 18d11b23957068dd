// Wait states that the hardware does not interlock. Tracker states are merged over the control flow until no block's
// entry state changes. When a block is walked again, the walk stops once no producer from before the block can still
// matter: the rest cannot change.
#include <algorithm>
#include <optional>

#include "generator/passes/cfg.h"
#include "generator/passes/passes.h"
#include "generator/passes/rewrite.h"
#include "isa_tables/hazards/hazards.h"

namespace wavesmith {
namespace {

using isa::HazardTracker;
constexpr int longest = 20;  // the most wait states of any row (hazards.def)

struct Walk {
  const std::vector<Node>& nodes;
  std::vector<uint8_t>& nops;  // result: wait states missing before each node

  // False if the exit state is that of the previous walk.
  bool block(HazardTracker& t, const Cfg::Span& b, bool again) const {
    int since_change = 0;  // wait states since the last point at which a producer from before the block mattered
    for (int i = b.begin; i < b.end; ++i) {
      const Node& n = nodes[i];
      if (!n.is_instruction()) continue;
      if (again && since_change > longest && t.resolved_by_wait_states()) return false;
      const int missing = t.missing(n.inst);
      if (missing != nops[i]) since_change = 0;
      nops[i] = static_cast<uint8_t>(missing);
      if (missing && t.resolved_by_wait_states()) t.advance(missing), since_change += missing;
      else if (missing) t.resolve(n.inst);
      t.issue(n.inst);
      ++since_change;
    }
    return true;
  }
};

struct Solution {
  std::vector<uint8_t> nops;
  std::vector<HazardTracker> in;
};

// States are recomputed each round: wait states inserted earlier reduce those needed later.
Solution solve(const std::vector<Node>& nodes, const Cfg& cfg, Arch arch) {
  Solution s{std::vector<uint8_t>(nodes.size(), 0), {}};
  const Walk walk{nodes, s.nops};
  s.in = *isa::solve_anew(
      cfg.edges(), HazardTracker(arch), {},
      [&](HazardTracker& t, size_t b, bool again) { return walk.block(t, cfg.blocks[b], again); },
      [](HazardTracker& into, const HazardTracker& from, size_t) { into.merge(from); });
  return s;
}

// Walks the block once more to find the producer for the message.
[[noreturn]] void refuse(const std::vector<Node>& nodes, HazardTracker t, int begin, int at, Arch arch) {
  for (int i = begin; i < at; ++i) {
    if (!nodes[i].is_instruction()) continue;
    t.resolve(nodes[i].inst);
    t.issue(nodes[i].inst);
  }
  const auto need = t.check(nodes[at].inst);
  throw HazardError(fmt::format("{}: {}: {} needs {} after {} ({}); legal in a hot loop: other instructions in between",
                                place(nodes[at]), isa::print(nodes[at].inst, arch), need.rule->name, need.missing(),
                                isa::print(need.producer, arch), need.rule->source));
}

}  // namespace

void resolve_hazards(std::vector<Node>& nodes, Arch arch, bool hot_nops) {
  if (nodes.empty()) return;
  const Cfg cfg = build_cfg(nodes);
  const Solution s = solve(nodes, cfg, arch);
  std::vector<std::pair<int, isa::Few<Inst, 24>>> fixes;  // node, instructions to insert before it; in program order
  for (size_t b = 0; b < cfg.blocks.size(); ++b) {
    const int begin = cfg.blocks[b].begin;
    int last = cfg.blocks[b].end - 1;
    while (last >= begin && !s.nops[last]) --last;
    HazardTracker t = s.in[b];
    for (int i = begin; i <= last;
         ++i) {  // walked again: wait states inserted for one instruction also count for the next
      if (!nodes[i].is_instruction()) continue;
      if (s.nops[i]) {
        if (nodes[i].hot && !hot_nops) refuse(nodes, s.in[b], begin, i, arch);
        fixes.emplace_back(i, t.resolve(nodes[i].inst));
      }
      t.issue(nodes[i].inst);
    }
  }
  Rewrite rewrite(nodes);
  for (const auto& [i, added] : fixes)
    for (const Inst& inst : added) rewrite.insert(i, nodes[i].beside(inst));
  rewrite.apply(is_instruction_or_label);
}

}  // namespace wavesmith
