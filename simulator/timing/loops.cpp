// A loop is the code from the target of a backward branch to the branch; its trips are how often its first instruction
// was issued.
#include "simulator/timing/loops.h"

#include <algorithm>

namespace wavesmith::timing {
namespace {

u64 clocks_of(const StepStats& s, u64 issue) {
  u64 n = s.issued * issue;
  for (const u64 x : s.stalled) n += x;
  return n;
}

Loop measure(u64 first, u64 last, const sim::DecodedKernel& p, const std::vector<Static>& list,
             const std::vector<StepStats>& stats, u64 issue) {
  Loop l{first, last};
  double clocks = 0, matrix = 0, valu = 0, lds = 0, others = 0;
  std::array<double, stalls> stalled{};
  for (size_t i = 0; i < list.size(); ++i) {
    if (p.steps[i].pc < first || p.steps[i].pc > last) continue;
    const double n = static_cast<double>(stats[i].issued);
    if (p.steps[i].pc == first) l.trips += stats[i].issued;
    clocks += static_cast<double>(clocks_of(stats[i], issue));
    const IssueUnit u = list[i].unit;
    if (u == IssueUnit::matrix) matrix += n * list[i].busy;
    else others += n;
    if (u == IssueUnit::valu || u == IssueUnit::trans) valu += n * list[i].busy;
    if (u == IssueUnit::lds) lds += n * list[i].lds_clocks + static_cast<double>(stats[i].conflicts);
    for (size_t k = 0; k < stalled.size(); ++k) stalled[k] += static_cast<double>(stats[i].stalled[k]);
  }
  if (!l.trips) return l;
  const double n = static_cast<double>(l.trips);
  l.clocks = clocks / n, l.matrix_clocks = matrix / n, l.valu_clocks = valu / n, l.lds_clocks = lds / n,
  l.other_issues = others / n, l.share = clocks;
  for (size_t k = 0; k < stalled.size(); ++k) l.stalled[k] = stalled[k] / n;
  return l;
}

}  // namespace

std::vector<Loop> find_loops(const sim::DecodedKernel& p, const std::vector<Static>& list,
                             const std::vector<StepStats>& stats, u64 issue) {
  double all = 0;
  for (const StepStats& s : stats) all += static_cast<double>(clocks_of(s, issue));
  std::vector<Loop> found;
  for (size_t i = 0; i < list.size(); ++i) {
    const int target = p.steps[i].target;
    if (target == absent || !stats[i].issued || p.steps[static_cast<size_t>(target)].pc > p.steps[i].pc) continue;
    Loop l = measure(p.steps[static_cast<size_t>(target)].pc, p.steps[i].pc, p, list, stats, issue);
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Loop& o) { return o.first == l.first && o.last == l.last; });
    if (l.trips && !known) l.share /= all, found.push_back(l);
  }
  std::vector<Loop> kept;
  for (const Loop& l : found) {
    const bool mostly_inner = std::any_of(found.begin(), found.end(), [&](const Loop& o) {
      return (o.first != l.first || o.last != l.last) && o.first >= l.first && o.last <= l.last &&
             o.share > 0.8 * l.share && o.trips > 1;
    });
    if (!mostly_inner) kept.push_back(l);
  }
  std::sort(kept.begin(), kept.end(), [](const Loop& a, const Loop& b) { return a.share > b.share; });
  return kept;
}

}  // namespace wavesmith::timing
