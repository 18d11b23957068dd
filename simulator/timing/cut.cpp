// A loop's head is a step that a wave reaches many times with the same instructions in between; of several the one with
// the longest trips, the outermost loop, is taken. 24 trips remain on either side of the cut: those before it fill the
// pipes, those after it are the tail.
#include "simulator/timing/cut.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wavesmith::timing {
namespace {

constexpr size_t stay = 24;  // trips, on either side

struct TracePosition {
  size_t step = 0, data = 0;
};
// Trips of one wave that are alike: where each begins.
struct Trips {
  u32 head = 0;
  u64 barriers = 0;  // of a trip
  std::vector<TracePosition> at;
  size_t alike() const { return at.empty() ? 0 : at.size() - 1; }
};

bool same(const std::vector<u32>& s, size_t a, size_t b, size_t n) {
  return std::equal(s.begin() + static_cast<long>(a), s.begin() + static_cast<long>(a + n),
                    s.begin() + static_cast<long>(b));
}

// The longest run of equal trips from `head`.
std::vector<size_t> row_of(const std::vector<u32>& steps, const std::vector<size_t>& at) {
  size_t best = 0, best_length = 0, from = 0;
  for (size_t i = 1; i < at.size(); ++i) {
    const bool goes_on =
        i + 1 < at.size() && at[i + 1] - at[i] == at[i] - at[i - 1] && same(steps, at[i - 1], at[i], at[i] - at[i - 1]);
    if (goes_on) continue;
    if (i - from > best_length) best = from, best_length = i - from;
    from = i;
  }
  return {at.begin() + static_cast<long>(best),
          at.begin() + static_cast<long>(std::min(best + best_length + 1, at.size()))};
}

Trips trips_of(const WaveTrace& w, const std::vector<Static>& list) {
  std::vector<std::vector<size_t>> at(list.size());
  for (size_t i = 1; i < w.steps.size(); ++i)
    if (list[w.steps[i]].pc < list[w.steps[i - 1]].pc) at[w.steps[i]].push_back(i);  // jumped back to
  Trips best;
  std::vector<size_t> rows;
  for (u32 head = 0; head < at.size(); ++head) {
    if (at[head].size() < 3 * stay) continue;
    auto row = row_of(w.steps, at[head]);
    if (row.size() < 3 * stay || (!rows.empty() && row.back() - row.front() <= rows.back() - rows.front())) continue;
    rows = std::move(row), best.head = head;
  }
  if (rows.empty()) return {};
  size_t data = 0, next = 0;
  for (size_t i = 0; i < w.steps.size() && next < rows.size(); ++i) {
    if (i == rows[next]) best.at.push_back({i, data}), ++next;
    if (list[w.steps[i]].data) data += 1 + (w.data[data] >> 16);
  }
  for (size_t i = rows[0]; i < rows[1]; ++i) best.barriers += list[w.steps[i]].wait;
  return best;
}

struct Hits {
  double l2 = 0, all = 0;
  void add(const WaveTrace& w, size_t from, size_t to) {
    for (size_t i = from; i < to && i < w.level.size();) {
      const size_t n = w.data[i] >> 16;
      for (size_t k = 1; k <= n; ++k) l2 += in_l2(w.level[i + k]), all += 1;
      i += n + 1;
    }
  }
  double share() const { return all > 0 ? l2 / all : 1; }
};

template <class T>
void drop(std::vector<T>& v, size_t from, size_t to) {
  if (to <= v.size()) v.erase(v.begin() + static_cast<long>(from), v.begin() + static_cast<long>(to));
}

}  // namespace

Cut cut_trips(std::vector<GroupTrace>& groups, const std::vector<Static>& list, u64 longest) {
  Cut cut;
  // Several workgroups on one CU run at different paces: the first one's trips do not stand for the others'.
  if (groups.size() != 1 || groups[0].instructions() <= longest) return cut;
  std::vector<std::vector<Trips>> trips;
  u64 fewest = ~u64{0}, barriers = ~u64{0};
  for (const GroupTrace& g : groups) {
    auto& of_group = trips.emplace_back();
    for (const WaveTrace& w : g.waves) {
      of_group.push_back(trips_of(w, list));
      const Trips& t = of_group.back();
      if (t.alike() < 3 * stay || (barriers != ~u64{0} && t.barriers != barriers)) return cut;
      fewest = std::min<u64>(fewest, t.alike()), barriers = t.barriers;
    }
  }
  if (!barriers && groups[0].waves.size() > 1) return cut;  // nor do those of waves without barriers
  cut.trips = fewest - 2 * stay, cut.head = trips[0][0].head;
  double lds = 0, lds_out = 0, memory = 0, memory_out = 0;
  Hits out, kept;
  for (size_t g = 0; g < groups.size(); ++g) {
    auto& left = cut.left_out.emplace_back(list.size(), 0);
    for (size_t i = 0; i < groups[g].waves.size(); ++i) {
      WaveTrace& w = groups[g].waves[i];
      const TracePosition from = trips[g][i].at[stay], to = trips[g][i].at[stay + cut.trips];
      const auto count = [&](size_t a, size_t b, double& in_lds, double& in_memory) {
        for (size_t k = a; k < b; ++k)
          (list[w.steps[k]].unit == IssueUnit::lds ? in_lds : in_memory) += list[w.steps[k]].bytes;
      };
      count(0, w.steps.size(), lds, memory), count(from.step, to.step, lds_out, memory_out);
      for (size_t k = from.step; k < to.step; ++k) ++left[w.steps[k]];
      out.add(w, from.data, to.data), kept.add(w, trips[g][i].at[stay / 3].data, from.data);
      drop(w.steps, from.step, to.step), drop(w.level, from.data, to.data), drop(w.data, from.data, to.data);
    }
  }
  cut.lds_kept = lds > 0 ? 1 - lds_out / lds : 1, cut.memory_kept = memory > 0 ? 1 - memory_out / memory : 1;
  cut.levels_differ = out.share() - kept.share();
  return cut;
}

TripClocks trip_clocks(const std::vector<u64>& heads) {
  constexpr size_t first = stay / 3, half = (2 * stay - 2 * first) / 2;
  if (heads.size() < first + 2 * half + 1) return {};
  const auto mean = [&](size_t from) { return static_cast<double>(heads[from + half] - heads[from]) / half; };
  const double a = mean(first), b = mean(first + half);
  return {(a + b) / 2, std::abs(a - b) / (a + b)};
}

void put_back(UnitResult& r, const Cut& cut, const TripClocks& trip, const std::vector<Static>& list, size_t held) {
  if (!cut.trips) return;
  const u64 more = static_cast<u64>(trip.each * static_cast<double>(cut.trips));
  for (size_t i = 0; i < r.done.size(); ++i) r.begun[i] += more * (i / held), r.done[i] += more * (i / held + 1);
  const u64 tail = r.drained - r.cycles;
  r.cycles = *std::max_element(r.done.begin(), r.done.end()), r.drained = r.cycles + tail;
  std::vector<u64> left(list.size(), 0);
  for (size_t i = 0; i < r.done.size(); ++i)
    for (size_t k = 0; k < left.size(); ++k) left[k] += cut.left_out[i % held][k];
  const u64 left_of_group = std::accumulate(left.begin(), left.end(), u64{0}) / r.done.size();
  for (size_t i = 0; i < r.done.size(); ++i) r.issued[i] += left_of_group * held * (i / held + 1);
  for (size_t k = 0; k < left.size(); ++k) {
    StepStats& s = r.steps[k];
    if (!left[k] || !s.issued) continue;
    const double times = static_cast<double>(s.issued + left[k]) / static_cast<double>(s.issued);
    for (u64& x : s.stalled) x = static_cast<u64>(static_cast<double>(x) * times);
    s.conflicts = static_cast<u64>(static_cast<double>(s.conflicts) * times), s.issued += left[k],
    r.instructions += left[k];
    const u64 busy = left[k] * static_cast<u64>(list[k].busy);
    if (list[k].unit == IssueUnit::matrix) r.matrix_clocks += busy;
    if (list[k].unit == IssueUnit::valu || list[k].unit == IssueUnit::trans) r.valu_clocks += busy;
  }
  const auto scale = [](auto& x, double kept) {
    x = static_cast<std::remove_reference_t<decltype(x)>>(static_cast<double>(x) / kept);
  };
  Traffic& t = r.traffic;
  for (u64* x : {&t.lds_bytes, &t.lds_clocks, &t.lds_conflicts}) scale(*x, cut.lds_kept);
  for (u64* x : {&t.l1_bytes, &t.l2_bytes, &t.memory_bytes, &t.mall_bytes, &t.written_bytes})
    scale(*x, cut.memory_kept);
  for (double* x :
       {&t.l2_clocks, &t.l2_write_clocks, &t.fabric_clocks, &t.mall_clocks, &t.memory_clocks, &t.outside_clocks})
    scale(*x, cut.memory_kept);
}

}  // namespace wavesmith::timing
