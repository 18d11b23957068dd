// Wait states that the hardware does not interlock. Trackers are joined over the control flow until no block's in-state changes; a
// block is walked again only until its first instructions have outlived every producer that came in, the rest cannot change.
#include <algorithm>
#include <optional>

#include "generator/cfg.h"
#include "generator/passes.h"
#include "generator/rewrite.h"
#include "isa_tables/hazards.h"

namespace wavesmith {
namespace {

using isa::HazardTracker;
constexpr int longest = 20;                                // wait states any row asks for (hazards.def)
constexpr int nop_limit = 8;                               // wait states of one s_nop: what LLVM emits on every gfx9

struct Walk {
  const std::vector<Node>& nodes;
  std::vector<uint8_t>& nops;                              // result: wait states missing in front of each node

  // False if the out-state is the one of the last walk.
  bool block(HazardTracker& t, const Cfg::Span& b, bool again) const {
    int since_change = 0;                                  // wait states since an inherited producer could still count
    for (int i = b.begin; i < b.end; ++i) {
      const Node& n = nodes[i];
      if (n.directive != Directive::none) continue;
      if (again && since_change > longest) return false;
      const int missing = t.missing(n.inst);
      if (missing != nops[i]) since_change = 0;
      nops[i] = static_cast<uint8_t>(missing);
      if (missing) t.advance(missing), since_change += missing;
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

// From the eighth round on in-states only grow: inserted wait states could otherwise make two blocks take turns.
Solution solve(const std::vector<Node>& nodes, const Cfg& cfg, Arch arch) {
  const size_t count = cfg.blocks.size();
  Solution s{std::vector<uint8_t>(nodes.size(), 0), std::vector<HazardTracker>(count, HazardTracker(arch))};
  std::vector<HazardTracker> out(count, HazardTracker(arch));
  std::vector<char> walked(count, false);
  const Walk walk{nodes, s.nops};
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (size_t b = 0; b < count; ++b) {
      HazardTracker t = round >= 8 ? s.in[b] : HazardTracker(arch);
      for (int p : cfg.blocks[b].from)
        if (walked[p]) t.merge(out[p]);
      if (walked[b] && t == s.in[b]) continue;
      s.in[b] = t;
      if (walk.block(t, cfg.blocks[b], walked[b])) {
        out[b] = t;
        changed = cfg.loops;
      }
      walked[b] = true;
    }
  }
  return s;
}

// Walks the block once more, for the message only.
[[noreturn]] void refuse(const std::vector<Node>& nodes, HazardTracker t, int begin, int at, Arch arch) {
  for (int i = begin; i < at; ++i) {
    if (nodes[i].directive != Directive::none) continue;
    t.advance(t.missing(nodes[i].inst));
    t.issue(nodes[i].inst);
  }
  const auto need = t.check(nodes[at].inst);
  throw HazardError(fmt::format("{}: {}: {} needs {} more wait state{} after {} ({}); legal in a hot loop are other instructions in between", place(nodes[at]),
                                isa::print(nodes[at].inst, arch), need.rule->name, need.wait_states, need.wait_states == 1 ? "" : "s",
                                isa::print(need.producer, arch), need.rule->source));
}

}  // namespace

void resolve_hazards(std::vector<Node>& nodes, Arch arch) {
  if (nodes.empty()) return;
  if (std::ranges::none_of(isa::hazard_rules(), [&](const auto& r) { return r.archs & isa::bit(arch); }))
    throw isa::IsaError(fmt::format("{} has no hazard rows yet, so its wait states cannot be proven; legal are targets named in isa_tables/hazards.def", isa::target(arch).name));
  const Cfg cfg = build_cfg(nodes);
  const Solution s = solve(nodes, cfg, arch);
  Rewrite rewrite(nodes);
  for (size_t b = 0; b < cfg.blocks.size(); ++b)
    for (int i = cfg.blocks[b].begin; i < cfg.blocks[b].end; ++i) {
      if (!s.nops[i]) continue;
      if (nodes[i].hot) refuse(nodes, s.in[b], cfg.blocks[b].begin, i, arch);
      for (int left = s.nops[i]; left > 0; left -= nop_limit) {
        Node nop;
        nop.inst.op = Opcode::s_nop;
        nop.inst.operands[0] = isa::imm(std::min(left, nop_limit) - 1);
        nop.block = nodes[i].block, nop.where = nodes[i].where, nop.iteration = nodes[i].iteration, nop.ahead = nodes[i].ahead;
        rewrite.insert(i, std::move(nop));
      }
    }
  rewrite.apply(is_instruction_or_label);
}

}  // namespace wavesmith
