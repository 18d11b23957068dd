// The CUs that are simulated, and the extrapolation from them to the whole device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "simulator/timing/launch_timing.h"

namespace wavesmith::timing {

// Where few workgroups have nearly all the work (a mixture of experts of which most have no token), the others have
// ended long before and leave them the L2 and memory. As many have it as there would be of the longest with all of the
// instructions, or, if that is more, of an average sector's workgroup with all of the sectors.
double LaunchTiming::at_once() const {
  const double most = static_cast<double>(std::min<u64>(static_cast<u64>(r.units), r.workgroups));
  if (!unlike()) return most;
  const auto busy = [&](double workgroups) {
    constexpr double nearly_alike = 0.85;
    if (workgroups > nearly_alike * most && workgroups <= most) return most;
    // More than one of them on some CUs: on the average of the time so many CUs are busy.
    if (slots() == 1 && workgroups > most) return workgroups / std::ceil(workgroups / most);
    return std::clamp(workgroups, 1.0, most);
  };
  return std::max(busy(instructions() / static_cast<double>(std::ranges::max(kinds->instructions))), busy(by_sectors));
}

double LaunchTiming::workgroups_by_sectors() const {
  double all = 0, squares = 0, workgroups = 0;
  for (size_t i = 0; i < traced.groups.size(); ++i) {
    u64 sectors = 0;
    for (const WaveTrace& w : traced.groups[i].waves)
      for (const WaveTrace::Access& a : w.accesses) sectors += w.data[a.data] >> 16;
    const auto of_each = static_cast<double>(sectors);
    all += stands_for(i) * of_each, squares += stands_for(i) * of_each * of_each, workgroups += stands_for(i);
  }
  return all > 0 ? all * all / squares * static_cast<double>(r.workgroups) / workgroups : 0;
}

Share LaunchTiming::share() const {
  const double clock_ns = r.clock_mhz * 1e-3, busy_units = at_once();
  const double busy_per_die = std::max(1.0, busy_units / device.dies);
  Share s;
  const double paths = busy_per_die * t.vmem_paths,
               whole = busy_units * t.vmem_paths;  // address paths that share a die's L2, and the memory
  s.port = 1 / t.l2_port_bytes, s.l2 = paths / t.l2_bytes, s.fabric = paths / t.fabric_bytes;
  const double peak = whole * clock_ns / (gpu.tb_per_s * 1e3),  // clocks per byte
      turns = turned();
  s.memory = turns * peak / t.memory_read, s.memory_write = turns * peak / t.memory_write;
  s.mall = device.mall_tb_per_s > 0 ? whole * clock_ns / (device.mall_tb_per_s * 1e3) : 0;
  s.l2_write = paths / t.l2_write_bytes, s.mall_write = s.mall / t.mall_write;
  s.mall_clocks = t.mall_ns * clock_ns, s.memory_clocks = t.memory_ns * clock_ns;
  s.coming_clocks = gpu.mall_mb ? s.mall_clocks : s.memory_clocks;
  return s;
}

// Where reads and writes alternate, memory turns its bus around: a copy takes longer than reading and writing alone
// would. Here in proportion to what is both read and written.
double LaunchTiming::turned() const {
  const double read = 2 * static_cast<double>(footprint_.fetched_here),
               written = static_cast<double>(footprint_.written_here),
               alone = read / t.memory_read + written / t.memory_write,
               turn = 2 / t.memory_copy - 1 / t.memory_read - 1 / t.memory_write;
  return alone > 0 ? 1 + turn * std::min(read, written) / alone : 1;
}

std::pair<double, double> LaunchTiming::channel_loads() {
  const double clocks = std::max(1.0, static_cast<double>(detailed.cycles) * t.vmem_paths);
  const auto load = [&](const char* what, double busy, double contention, int channels) {
    const double part = std::min(1.0, busy / clocks);
    if (contention < 1.1 || part * contention <= 1) return 0.0;
    r.assumptions.push_back(fmt::format(
        "channels of the {}: outstanding lines use {:.1f} of {} channels; evenly spread, they would keep them busy "
        "{:.0f} % of the time",
        what, channels / contention, channels, 100 * part));
    return part;
  };
  return {load("L2", detailed.traffic.l2_clocks, footprint_.l2_contention, footprint_.l2_channels),
          load("memory", detailed.traffic.outside_clocks, footprint_.memory_contention, footprint_.memory_channels)};
}

u64 LaunchTiming::in_detail() const {
  const u64 each = std::max<u64>(1, traced.groups[0].instructions()), held = traced.groups.size();
  if (on_unit() * each <= o.detail / 2) return on_unit();
  u64 n = std::min(on_unit(), 3 * held);
  while (n > 2 * held && n * each > o.detail) --n;
  return n;
}

void LaunchTiming::put_trips_back(const Cut& cut, size_t held, size_t groups) {
  const TripClocks trip = trip_clocks(detailed.heads);
  put_back(detailed, cut, trip, list, held);
  const double clocks =
      trip.each * static_cast<double>(cut.trips) * std::ceil(static_cast<double>(groups) / static_cast<double>(held));
  const double error = std::max(0.01, trip.error) * clocks / static_cast<double>(std::max<u64>(1, detailed.cycles)) +
                       std::abs(cut.levels_differ);
  r.assumptions.push_back(
      fmt::format("loop at {:#x}: {} iterations of a wave with the same instructions are assumed to take {:.0f} clocks "
                  "each, like those before them (+- {:.1f} %)",
                  list[cut.head].pc, cut.trips, trip.each, 100 * error));
  cut_error = std::max(cut_error, error);
}

double LaunchTiming::first_clock() const {
  constexpr double usual = 0.75;  // use of the matrix pipes
  return r.clock.kind == Clock::Kind::load ? isa::load_mhz(gpu, r.clock.mhz, usual) : r.clock.mhz;
}

void LaunchTiming::simulate_at_clock() {
  constexpr double near = 0.03;  // part of the clock; the cycles that wait for memory are wrong by as much
  constexpr int most_turns = 3;
  if (list.empty()) list = decode(*traced.program, object.arch(), kernel.wave_size);
  whole_group = static_cast<double>(traced.groups[0].instructions());
  if (unlike()) by_sectors = workgroups_by_sectors();
  cut = cut_trips(traced.groups, list, o.longest);
  if (one_by_one())
    for (GroupTrace& g : traced.groups) {
      kind_instructions.push_back(static_cast<double>(g.instructions()));
      std::vector<GroupTrace> one;
      one.push_back(std::move(g));
      kind_cuts.push_back(cut_trips(one, list, o.longest));
      g = std::move(one[0]);
    }
  const bool load = r.clock.kind == Clock::Kind::load;
  if (load && std::ranges::none_of(list, [](const Static& s) { return s.unit == IssueUnit::matrix; }))
    r.clock_mhz = gpu.mhz;
  const size_t said = r.assumptions.size();
  for (int turn = 1;; ++turn) {
    r.assumptions.resize(said), r.error = 0, r.cycles = 0, r.simulated = 0, cut_error = 0;
    simulate_unit();
    extrapolate();
    sums();
    if (!load) break;
    const double simulated_at = std::exchange(r.clock_mhz, isa::load_mhz(gpu, r.clock.mhz, r.matrix_utilisation));
    if (turn == most_turns || std::abs(r.clock_mhz / simulated_at - 1) < near) break;
  }
  r.seconds = r.cycles / (r.clock_mhz * 1e6) + r.launch_seconds;
}

bool LaunchTiming::cold_code() const {
  std::vector<bool> executed(list.size());
  for (const WaveTrace& w : traced.groups[0].waves)
    for (const u32 step : w.steps) executed[step] = true;
  std::vector<u32> lines;
  for (size_t i = 0; i < list.size(); ++i)
    if (executed[i] && (lines.empty() || lines.back() != list[i].line)) lines.push_back(list[i].line);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return !o.warm_code || static_cast<double>(lines.size()) * t.icache_line > t.icache_kib * 1024;
}

void LaunchTiming::simulate_unit() {
  const auto begin = HostClock::now();
  const u64 dies = static_cast<u64>(device.dies), busy = std::min(per_die(), (r.workgroups + dies - 1) / dies);
  UnitSetup setup{.arch = object.arch(),
                  .program = traced.program.get(),
                  .list = &list,
                  .t = &t,
                  .share = share(),
                  .wave_size = kernel.wave_size,
                  .slots = static_cast<int>(slots()),
                  .timeline = o.timeline,
                  .cold_code = cold_code(),
                  .most_events = o.most_events,
                  .group_interval = static_cast<u64>(t.group_launch_clocks * static_cast<double>(busy)),
                  .head = cut->trips ? static_cast<int>(cut->head) : absent,
                  .starts = {}};
  if (unlike()) {
    if (whole()) simulate_whole(setup);
    else if (one_by_one()) simulate_kinds(setup);
    else simulate_unlike(setup);
    if (!one_by_one()) r.simulated = detailed.instructions;
  } else {
    std::vector<const GroupTrace*> queue;
    for (u64 i = 0; i < in_detail(); ++i) queue.push_back(&traced.groups[i % traced.groups.size()]);
    simulate_queue(setup, queue);
    r.simulated = detailed.instructions;
    if (cut->trips) put_trips_back(*cut, traced.groups.size(), queue.size());
    simulated_groups = static_cast<double>(queue.size());
  }
  r.model_seconds += since(begin);
}

void LaunchTiming::simulate_queue(UnitSetup& setup, const std::vector<const GroupTrace*>& queue) {
  detailed = simulate(setup, queue);
  if (const auto [l2, memory] = channel_loads(); l2 > 0 || memory > 0) {
    setup.share.l2_load = l2, setup.share.memory_load = memory;
    detailed = simulate(setup, queue);
  }
}

void LaunchTiming::simulate_whole(const UnitSetup& setup) {
  for (u64 die = 0; die < std::min(static_cast<u64>(device.dies), r.workgroups); ++die) {
    std::vector<const GroupTrace*> queue;
    for (u64 i = die; i < r.workgroups; i += static_cast<u64>(device.dies)) queue.push_back(&traced.groups[cluster(i)]);
    UnitResult one = simulate(setup, queue, std::min<u64>(per_die(), queue.size()));
    if (die == 0) detailed = std::move(one);
    else detailed += one;
  }
  simulated_groups = static_cast<double>(r.workgroups);
  simulated_units = static_cast<double>(std::min<u64>(static_cast<u64>(r.units), r.workgroups));
  r.cycles = static_cast<double>(detailed.drained);
}

// What is written back after the last workgroup has ended. The CU simulated is the fullest one: the others have drained
// before, and memory is then its own.
double LaunchTiming::tail() const {
  const double busy = static_cast<double>(std::min<u64>(static_cast<u64>(r.units), r.workgroups)),
               ahead = unlike() ? 0 : 1 - static_cast<double>(r.workgroups) / busy / static_cast<double>(on_unit());
  return std::max(0.0, static_cast<double>(detailed.drained - detailed.cycles) - ahead * r.cycles);
}

void LaunchTiming::simulate_unlike(UnitSetup& setup) {
  std::vector<double> pace(kinds->kinds.size(), 1);
  const DispatchShape shape{static_cast<u64>(device.dies), per_die(), slots(), speeds(setup)};
  const auto clocks = [&](u64 i) { return pace[kind_of(i)] * instructions_of(i); };
  Dispatched d = dispatch_all(shape, clocks);
  const int most_turns = long_ones() ? 2 : 4;
  const size_t fewest = (long_ones() ? 2 : 3) * slots();
  std::vector<bool> seen(pace.size());  // by kind: simulated
  for (int turn = 0; turn < most_turns; ++turn) {
    std::vector<const GroupTrace*> queue;
    u64 instructions = 0;
    for (const u64 i : d.workgroups) {
      if (queue.size() >= fewest && instructions > o.detail) break;
      queue.push_back(&traced.groups[kind_of(i)]);
      seen[kind_of(i)] = true;
      instructions += queue.back()->instructions();
    }
    simulate_queue(setup, queue);
    simulated_groups = static_cast<double>(queue.size());
    std::vector<Stay> stays;
    for (size_t k = 0; k < queue.size(); ++k)
      stays.push_back({kind_of(d.workgroups[k]), static_cast<double>(queue[k]->instructions()),
                       static_cast<double>(detailed.done[k] - detailed.begun[k])});
    pace = find_pace(pace.size(), slots(), shape.speed, stays);
    const double modelled = dispatch(queue.size(), {.slots = slots(), .speed = shape.speed}, [&](u64 k) {
                              return pace[stays[k].kind] * stays[k].instructions;
                            }).end;
    const double off = static_cast<double>(detailed.cycles) / modelled;
    const Dispatched next = dispatch_all(shape, clocks);
    const bool settled =
        std::abs(off * next.end / std::max(1.0, r.cycles) - 1) < 0.005 ||
        std::ranges::equal(
            next.workgroups, d.workgroups, {}, [&](u64 i) { return kind_of(i); }, [&](u64 i) { return kind_of(i); });
    const bool all = queue.size() == d.workgroups.size();
    d = next, r.cycles = off * d.end;
    r.error = (all ? 0.02 : 0.05 + std::abs(off - 1)) + (settled ? 0 : 0.05);
    if (settled) break;
  }
  // The kind that was simulated, because it was taken to end last, may not be the one that does most of the work. With
  // parts of K, for example, only the workgroups that combine the sums were simulated, and set the pace of all.
  const size_t main_kind = static_cast<size_t>(
      std::ranges::max_element(kinds->kinds, {}, [](const WorkgroupKind& k) { return k.workgroups * k.instructions; }) -
      kinds->kinds.begin());
  if (!seen[main_kind]) {
    const std::vector<const GroupTrace*> queue(std::min(slots(), on_unit()), &traced.groups[main_kind]);
    UnitResult before = std::exchange(detailed, {});
    simulate_queue(setup, queue);
    std::vector<Stay> stays;
    for (size_t k = 0; k < queue.size(); ++k)
      stays.push_back({main_kind, static_cast<double>(queue[k]->instructions()),
                       static_cast<double>(detailed.done[k] - detailed.begun[k])});
    const double assumed =
        std::exchange(pace[main_kind], find_pace(pace.size(), slots(), shape.speed, stays)[main_kind]);
    if (Dispatched next = dispatch_all(shape, clocks); next.end > r.cycles)
      d = std::move(next), r.cycles = d.end, simulated_groups = static_cast<double>(queue.size());
    else pace[main_kind] = assumed, detailed = std::move(before);
  }
  const auto [mean, spread] = by_chance(shape, clocks);
  r.cycles = r.cycles * mean / d.end + tail();
  r.error += spread;
  constexpr double shared = 0.03;  // calibration: eight skewed launches with several workgroups to a CU
  if (slots() > 1) r.error += shared;
  say_kinds(d.workgroups.size(), fmt::format("simulated up to {}", simulated_groups));
}

void LaunchTiming::say_kinds(size_t last, const std::string& simulated) {
  r.assumptions.push_back(fmt::format(
      "workgroups differ: {} kinds with {} to {} instructions; the {} of the {} that ends last are {}, the device at "
      "their pace",
      kinds->kinds.size(), kinds->kinds.front().instructions, kinds->kinds.back().instructions, last,
      isa::target(gpu.arch).cu(), simulated));
}

Dispatched LaunchTiming::dispatch_all(const DispatchShape& shape, const std::function<double(u64)>& clocks) const {
  constexpr u64 most = u64{1} << 17;
  if (r.workgroups <= most) return dispatch(r.workgroups, shape, clocks);
  const u64 before = (r.workgroups - most) / shape.dies * shape.dies;
  Dispatched d = dispatch(r.workgroups - before, shape, [&](u64 i) { return clocks(before + i); });
  for (u64& i : d.workgroups) i += before;
  double sum = 0;
  const u64 looks = kinds->kind.size();
  for (u64 i = 0; i < looks; ++i) sum += clocks(i * kinds->every);
  d.end += sum / static_cast<double>(looks) * static_cast<double>(before) /
           static_cast<double>(shape.dies * shape.units * shape.slots);
  return d;
}

std::pair<double, double> LaunchTiming::by_chance(const DispatchShape& shape,
                                                  const std::function<double(u64)>& clocks) const {
  constexpr u64 dispatches = 8;
  constexpr double jitter = 0.02;
  std::vector<double> ends;
  for (u64 seed = 1; seed <= dispatches; ++seed)
    ends.push_back(dispatch_all(shape, [&](u64 i) {
                     const u64 noise = (i * dispatches + seed) * 0x9e3779b97f4a7c15u >> 40;
                     return clocks(i) * (1 + jitter * (static_cast<double>(noise) / (1 << 23) - 1));
                   }).end);
  const double mean = std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(dispatches);
  return {mean, std::max(std::ranges::max(ends) / mean - 1, 1 - std::ranges::min(ends) / mean)};
}

void LaunchTiming::simulate_kinds(UnitSetup& setup) {
  std::vector<double> pace(kinds->kinds.size());
  UnitResult sum;
  u64 clocks_of_all = 0;
  for (size_t k = 0; k < pace.size(); ++k) {
    setup.head = kind_cuts[k].trips ? static_cast<int>(kind_cuts[k].head) : absent;
    simulate_queue(setup, {&traced.groups[k]});
    r.simulated += detailed.instructions;
    if (kind_cuts[k].trips) put_trips_back(kind_cuts[k], 1, 1);
    pace[k] = static_cast<double>(detailed.cycles) / std::max(1.0, kind_instructions[k]);
    clocks_of_all += detailed.cycles;
    if (k == 0) sum = std::move(detailed);
    else sum += detailed;
    setup.timeline = false;
  }
  const u64 left = sum.drained - sum.cycles;
  detailed = std::move(sum);
  detailed.cycles = clocks_of_all, detailed.drained = clocks_of_all + left;
  simulated_groups = static_cast<double>(pace.size());
  const DispatchShape shape{static_cast<u64>(device.dies), per_die(), 1};
  const auto clocks = [&](u64 i) { return pace[kind_of(i)] * instructions_of(i); };
  const auto [mean, spread] = by_chance(shape, clocks);
  r.cycles = mean + tail();
  constexpr double neighbours_differ = 0.02;
  r.error = neighbours_differ + cut_error + spread;
  say_kinds(dispatch_all(shape, clocks).workgroups.size(), "timed one kind at a time");
}

std::vector<double> LaunchTiming::speeds(UnitSetup setup) const {
  if (slots() == 1) return {};
  setup.timeline = false;
  std::vector<u64> shared;  // so many workgroups at a time; the clocks of numbers between them are interpolated
  for (u64 n = 1; n < slots(); n += std::max<u64>(1, n / 3)) shared.push_back(n);
  shared.push_back(slots());
  const u64 budget = o.detail / 2 / std::accumulate(shared.begin(), shared.end(), u64{0});
  GroupTrace start = traced.groups.back();
  const u64 waves = std::max<u64>(1, start.waves.size());
  for (WaveTrace& w : start.waves)
    w.steps.resize(std::min<size_t>(w.steps.size(), std::max<u64>(2000, budget / waves)));
  std::vector<double> clocks(slots());
  for (size_t i = 0; i < shared.size(); ++i) {
    const u64 n = shared[i];
    clocks[n - 1] = static_cast<double>(simulate(setup, std::vector<const GroupTrace*>(n, &start)).cycles);
    const u64 before = i ? shared[i - 1] : n;
    for (u64 k = before + 1; k < n; ++k)
      clocks[k - 1] = std::lerp(clocks[before - 1], clocks[n - 1],
                                static_cast<double>(k - before) / static_cast<double>(n - before));
  }
  std::vector<double> speed;
  for (const double c : clocks) speed.push_back(std::max(1.0, clocks.back() / c));
  return speed;
}

GroupClocks LaunchTiming::clocks_of_group() const {
  std::vector<size_t> by_end(detailed.done.size());
  std::iota(by_end.begin(), by_end.end(), size_t{0});
  std::ranges::sort(by_end, {}, [&](size_t i) { return detailed.done[i]; });
  const size_t first = by_end.front(), last = by_end[by_end.size() - traced.groups.size()];
  const double of_group = static_cast<double>(detailed.instructions) / static_cast<double>(by_end.size());
  const auto clocks = [&](u64 begin, u64 issued) {
    return static_cast<double>(detailed.done[last] - begin) / static_cast<double>(detailed.issued[last] - issued) *
           of_group;
  };
  const double each = clocks(detailed.done[first], detailed.issued[first]);
  return {each, traced.groups.size() > 1 ? std::abs(clocks(0, 0) / each - 1) : 0};
}

void LaunchTiming::extrapolate() {
  if (unlike()) return;
  const double n = static_cast<double>(on_unit()), m = simulated_groups;
  r.cycles = static_cast<double>(*std::max_element(detailed.done.begin(), detailed.done.end()));
  double stays = 0;
  for (size_t i = 0; i < detailed.done.size(); ++i) stays += static_cast<double>(detailed.done[i] - detailed.begun[i]);
  r.stay = stays / m;
  if (n > m) {
    // Calibration: 87 launches with all workgroups simulated, of 1 to 8 workgroups to a CU. One is off by more if three
    // rounds are simulated, two if two are.
    constexpr double later_differ = 0.05;
    const auto [each, with_first_differs] = clocks_of_group();
    r.cycles += (n - m) * each;
    r.error = std::max(later_differ, with_first_differs) * (n - m) / n;
    r.assumptions.push_back(
        fmt::format("workgroups: {:.0f} of the {:.0f} of one {} are simulated, the others are assumed to take "
                    "{:.0f} clocks each",
                    m, n, isa::target(gpu.arch).cu(), each));
  }
  r.error = std::max(r.error, cut_error);
  if (!kinds) {
    r.cycles += tail();
    return;
  }
  const double mean = instructions() / static_cast<double>(r.workgroups);
  if (std::abs(mean / whole_group - 1) <= 0.02) {
    r.cycles += tail();
    return;
  }
  r.assumptions.push_back(
      fmt::format("workgroups differ: they have on average {:.2f} of the simulated one's instructions, the time is "
                  "scaled by that",
                  mean / whole_group));
  if (n > 1) r.cycles *= mean / whole_group;
  r.cycles += tail();
  r.error = std::max(r.error, 0.05);
}

}  // namespace wavesmith::timing
