// The rules (membership of groups, predefined groups) are those of LLVM 22's AMDGPUIGroupLP.cpp.
#include "generator/schedule/sched_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include "generator/passes/cfg.h"
#include "isa_tables/timing/issue.h"

namespace wavesmith {
namespace {

using Region = std::vector<const Node*>;
namespace sched = isa::sched;

// One pipeline: the groups of a sync id in their order.
struct SyncPipe {
  const Region& region;
  std::vector<InstructionGroup*> groups{};

  int violations(const Dependences& d, size_t place, int node) const {
    int count = 0;
    for (size_t g = 0; g < groups.size(); ++g)
      for (int m : groups[g]->members) count += g < place ? d.before(node, m) : g > place && d.before(m, node);
    return count;
  }
  // Nearest groups first: their edges imply most of the others.
  void order(Dependences& d, size_t place, int node) const {
    for (size_t g = place; g-- > 0;)
      for (int m : groups[g]->members) d.add(m, node);
    for (size_t g = place + 1; g < groups.size(); ++g)
      for (int m : groups[g]->members) d.add(node, m);
  }
  void assign(Dependences& d, int node) const {
    std::optional<int> fewest;
    size_t best = 0;
    for (size_t g = 0; g < groups.size() && fewest != 0; ++g) {
      const InstructionGroup& s = *groups[g];
      if (node >= s.until || static_cast<int>(s.members.size()) >= s.size || !in_class(*region[node], s.mask)) continue;
      if (!std::ranges::all_of(s.rules, [&](const auto& rule) { return rule(groups, g, node); })) continue;
      if (const int v = violations(d, g, node); !fewest || v < *fewest) fewest = v, best = g;
    }
    if (!fewest) return;
    groups[best]->members.push_back(node);
    order(d, best, node);
  }
};

}  // namespace

bool in_class(const Node& n, int mask) { return n.is_instruction() && (isa::sched_classes(n.inst) & mask); }

void form_groups(const Region& region, std::vector<InstructionGroup>& groups, Dependences& d) {
  std::map<int, SyncPipe> pipes;
  for (InstructionGroup& g : groups) pipes.try_emplace(g.sync, SyncPipe{region}).first->second.groups.push_back(&g);
  for (auto& [sync, pipe] :
       std::views::reverse(pipes))  // LLVM's order, also for the two sync ids of its predefined pipelines
    for (int i = 0; i < d.size(); ++i) pipe.assign(d, i);
}

namespace {

struct Iglp {
  const Region& region;
  const Dependences& d;
  std::vector<InstructionGroup> groups{};

  void group(int mask, int size) { groups.push_back({mask, size, 0, d.size()}); }
  int count(int mask) const {
    return static_cast<int>(std::ranges::count_if(region, [&](const Node* n) { return in_class(*n, mask); }));
  }
  void in_turn(int mask, int size) {
    for (int i = 3 * count(sched::matrix); i > 0; --i) group(sched::matrix, 1), group(mask, size);
  }
};

}  // namespace

std::vector<InstructionGroup> iglp_groups(const Node& directive, const Region& region, const Dependences& d) {
  Iglp o{region, d};
  const int option = directive.as<directive::IglpOpt>()->option;
  if (option == 0) o.in_turn(sched::ds, 2);
  else if (option == 1) return single_wave_gemm(region, d);
  else if (option == 2) return exp_interleave(directive, region, d);
  else if (option == 3) o.in_turn(sched::trans, 1);
  else throw isa::IsaError(fmt::format("{}: iglp_opt({}); legal: 0 to 3", place(directive), option));
  return std::move(o.groups);
}

}  // namespace wavesmith
