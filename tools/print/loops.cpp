#include "tools/print/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace wavesmith::tools {
namespace {

using Steps = std::vector<sim::Step>;

// The steps that reach one of `from` without passing `header`, and `header` itself.
std::set<int> body(const std::vector<std::vector<int>>& before, int header, std::vector<int> from) {
  std::set<int> all{header};
  while (!from.empty()) {
    const int step = from.back();
    from.pop_back();
    if (!all.insert(step).second) continue;
    const auto& more = before[static_cast<size_t>(step)];
    from.insert(from.end(), more.begin(), more.end());
  }
  return all;
}

CodeLoop describe(const sim::CodeObject& co, const Steps& steps, const std::set<int>& body, int header) {
  CodeLoop l;
  l.pc = steps[static_cast<size_t>(header)].pc;
  l.label = co.name_at(l.pc), l.where = co.where(l.pc);
  for (const int i : body) {
    const sim::Step& s = steps[static_cast<size_t>(i)];
    ++l.instructions;
    if (!s.row) continue;
    ++l.by_unit[static_cast<size_t>(s.row->unit)];
    if (s.row->is_matrix()) l.matrix_clocks += isa::clocks(s.inst, co.arch());
  }
  return l;
}

}  // namespace

std::vector<CodeLoop> loops_of(const sim::CodeObject& co, const sim::KernelInfo& k) {
  const sim::DecodedKernel program = sim::decode(co, k);
  const Steps& steps = program.steps;
  std::vector<std::vector<int>> before(steps.size());
  std::map<int, std::vector<int>> back;  // by header: the branches back to it
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const sim::Step& s = steps[static_cast<size_t>(i)];
    for (const int to : {s.next, s.target}) {
      if (to == absent) continue;
      before[static_cast<size_t>(to)].push_back(i);
      if (steps[static_cast<size_t>(to)].pc <= s.pc) back[to].push_back(i);
    }
  }
  std::vector<CodeLoop> all;
  std::vector<std::set<int>> bodies;
  for (const auto& [header, branches] : back) {
    const std::set<int> in = body(before, header, branches);
    if (in.contains(0) && header != 0) continue;  // entered elsewhere too: a branch back that makes no loop
    all.push_back(describe(co, steps, in, header));
    for (const int b : branches) all.back().last = std::max(all.back().last, steps[static_cast<size_t>(b)].pc);
    bodies.push_back(in);
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t outer = 0; outer < all.size(); ++outer)
      if (outer != i && bodies[outer].size() > bodies[i].size() && std::ranges::includes(bodies[outer], bodies[i]))
        ++all[i].depth;
  std::ranges::sort(all, {}, &CodeLoop::pc);
  return all;
}

}  // namespace wavesmith::tools
