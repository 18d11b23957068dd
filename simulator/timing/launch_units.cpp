// The CUs that are simulated, and the extrapolation from them to the whole device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "simulator/timing/launch_timing.h"

namespace wavesmith::timing {

Share LaunchTiming::share() const {
  const double clock_ns = r.clock_mhz * 1e-3,
               busy_units = static_cast<double>(std::min<u64>(static_cast<u64>(r.units), r.workgroups));
  const double busy_per_die = std::max(1.0, busy_units / device.dies);
  Share s;
  const double paths = busy_per_die * t.vmem_paths,
               whole = busy_units * t.vmem_paths;  // address paths that share a die's L2, and the memory
  s.port = 1 / t.l2_port_bytes, s.l2 = paths / t.l2_bytes, s.fabric = paths / t.fabric_bytes;
  s.memory = whole * clock_ns / (gpu.tb_per_s * 1e3 * t.memory_efficiency);  // clocks per byte
  s.mall = device.mall_tb_per_s > 0 ? whole * clock_ns / (device.mall_tb_per_s * 1e3) : 0;
  s.mall_clocks = t.mall_ns * clock_ns, s.memory_clocks = t.memory_ns * clock_ns;
  s.coming_clocks = gpu.mall_mb ? s.mall_clocks : s.memory_clocks;
  s.walk = t.walk_ns * clock_ns * paths, s.walk_clocks = t.walk_latency_ns * clock_ns;
  return s;
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

void LaunchTiming::put_trips_back(size_t groups) {
  const TripClocks trip = trip_clocks(detailed.heads);
  const size_t held = traced.groups.size();
  put_back(detailed, *cut, trip, list, held);
  const double clocks =
      trip.each * static_cast<double>(cut->trips) * std::ceil(static_cast<double>(groups) / static_cast<double>(held));
  cut_error = std::max(0.01, trip.error) * clocks / static_cast<double>(std::max<u64>(1, detailed.cycles)) +
              std::abs(cut->levels_differ);
  r.assumptions.push_back(
      fmt::format("loop at {:#x}: {} iterations of a wave with the same instructions are assumed to take {:.0f} clocks "
                  "each, like those before them (+- {:.1f} %)",
                  list[cut->head].pc, cut->trips, trip.each, 100 * cut_error));
}

double LaunchTiming::first_clock() const {
  constexpr double usual = 0.75;  // use of the matrix pipes
  return r.clock.kind == Clock::Kind::load ? isa::load_mhz(gpu, r.clock.mhz, usual) : r.clock.mhz;
}

void LaunchTiming::simulate_at_clock() {
  constexpr double near = 0.03;  // what of it memory takes is the error of the cycles
  constexpr int most_turns = 3;
  list = decode(traced.program, object.arch(), kernel.wave_size);
  whole_group = static_cast<double>(traced.groups[0].instructions());
  cut = cut_trips(traced.groups, list, o.longest);
  const bool load = r.clock.kind == Clock::Kind::load;
  if (load && std::ranges::none_of(list, [](const Static& s) { return s.unit == Unit::matrix; })) r.clock_mhz = gpu.mhz;
  const size_t said = r.assumptions.size();
  for (int turn = 1;; ++turn) {
    r.assumptions.resize(said), r.error = 0, r.cycles = 0;
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
  std::set<u32> lines;
  for (size_t i = 0; i < list.size(); ++i)
    if (executed[i]) lines.insert(list[i].line);
  return !o.warm_code || static_cast<double>(lines.size()) * t.icache_line > t.icache_kib * 1024;
}

void LaunchTiming::simulate_unit() {
  const auto begin = HostClock::now();
  const u64 dies = static_cast<u64>(device.dies), busy = std::min(per_die(), (r.workgroups + dies - 1) / dies);
  UnitSetup setup{.arch = object.arch(),
                  .program = &traced.program,
                  .list = &list,
                  .t = &t,
                  .share = share(),
                  .wave_size = kernel.wave_size,
                  .slots = static_cast<int>(slots()),
                  .timeline = o.timeline,
                  .cold_code = cold_code(),
                  .most_events = o.most_events,
                  .group_interval = static_cast<u64>(t.group_launch_clocks * static_cast<double>(busy)),
                  .head = cut->trips ? static_cast<int>(cut->head) : -1,
                  .starts = {}};
  if (unlike()) {
    if (whole()) simulate_whole(setup);
    else simulate_unlike(setup);
    r.simulated = detailed.instructions;
  } else {
    std::vector<const GroupTrace*> queue;
    for (u64 i = 0; i < in_detail(); ++i) queue.push_back(&traced.groups[i % traced.groups.size()]);
    simulate_queue(setup, queue);
    r.simulated = detailed.instructions;
    if (cut->trips) put_trips_back(queue.size());
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
    for (u64 i = die; i < r.workgroups; i += static_cast<u64>(device.dies))
      queue.push_back(&traced.groups[i % traced.groups.size()]);
    UnitResult one = simulate(setup, queue, std::min<u64>(per_die(), queue.size()));
    if (die == 0) detailed = std::move(one);
    else detailed += one;
  }
  simulated_groups = static_cast<double>(r.workgroups);
  simulated_units = static_cast<double>(std::min<u64>(static_cast<u64>(r.units), r.workgroups));
  r.cycles = static_cast<double>(detailed.cycles);
}

void LaunchTiming::simulate_unlike(UnitSetup& setup) {
  Pace pace{std::vector<double>(kinds->kinds.size(), 1)};
  DispatchShape shape{static_cast<u64>(device.dies), per_die(), slots()};
  const auto clocks = [&](u64 i) { return pace.clocks[kind_of(i)] * instructions_of(i); };
  Dispatched d = dispatch(r.workgroups, shape, clocks);
  constexpr int most_turns = 4;
  for (int turn = 0; turn < most_turns; ++turn) {
    std::vector<const GroupTrace*> queue;
    u64 instructions = 0;
    for (const u64 i : d.workgroups) {
      if (queue.size() >= 3 * slots() && instructions > o.detail) break;
      queue.push_back(&traced.groups[kind_of(i)]);
      instructions += queue.back()->instructions();
    }
    simulate_queue(setup, queue);
    simulated_groups = static_cast<double>(queue.size());
    std::vector<Stay> stays;
    for (size_t k = 0; k < queue.size(); ++k)
      stays.push_back({kind_of(d.workgroups[k]), static_cast<double>(queue[k]->instructions()),
                       static_cast<double>(detailed.done[k] - detailed.begun[k])});
    pace = find_pace(pace.clocks.size(), slots(), stays, slots() > 1 ? alone(setup) : Stay{});
    shape.alone = pace.alone;
    const double modelled = dispatch(queue.size(), {.slots = slots(), .alone = pace.alone}, [&](u64 k) {
                              return pace.clocks[stays[k].kind] * stays[k].instructions;
                            }).end;
    const double off = static_cast<double>(detailed.cycles) / modelled;
    const Dispatched next = dispatch(r.workgroups, shape, clocks);
    const bool settled =
        std::abs(off * next.end / std::max(1.0, r.cycles) - 1) < 0.005 ||
        std::ranges::equal(
            next.workgroups, d.workgroups, {}, [&](u64 i) { return kind_of(i); }, [&](u64 i) { return kind_of(i); });
    const bool all = queue.size() == d.workgroups.size();
    d = next, r.cycles = off * d.end;
    r.error = (all ? 0.02 : 0.05 + std::abs(off - 1)) + (settled ? 0 : 0.05);
    if (settled) break;
  }
  // Workgroups that end at nearly the same time get their CU by chance, and long ones may meet on one: the mean of
  // several dispatches with slightly different clocks, and how far they are from it.
  constexpr u64 dispatches = 8;
  constexpr double jitter = 0.02;
  std::vector<double> ends;
  for (u64 seed = 1; seed <= dispatches; ++seed)
    ends.push_back(dispatch(r.workgroups, shape, [&](u64 i) {
                     const u64 noise = (i * dispatches + seed) * 0x9e3779b97f4a7c15u >> 40;
                     return clocks(i) * (1 + jitter * (static_cast<double>(noise) / (1 << 23) - 1));
                   }).end);
  const double mean = std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(dispatches);
  r.cycles *= mean / d.end;
  r.error += std::max(std::ranges::max(ends) / mean - 1, 1 - std::ranges::min(ends) / mean);
  constexpr double shared = 0.2;  // calibration: few long ones among short ones came out 20 % too fast
  if (slots() > 1) r.error += shared;
  r.assumptions.push_back(
      fmt::format("workgroups differ: {} kinds with {} to {} instructions; the {} of the {} that ends last are "
                  "simulated up to {}, the device at their pace",
                  kinds->kinds.size(), kinds->kinds.front().instructions, kinds->kinds.back().instructions,
                  d.workgroups.size(), isa::target(gpu.arch).wave_size == 64 ? "CU" : "WGP", simulated_groups));
}

Stay LaunchTiming::alone(UnitSetup setup) const {
  setup.timeline = false;
  const UnitResult one = simulate(setup, {&traced.groups.back()});
  return {kinds->kinds.size() - 1, static_cast<double>(traced.groups.back().instructions()),
          static_cast<double>(one.cycles)};
}

std::pair<double, double> LaunchTiming::rounds() const {
  std::vector<u64> done = detailed.done;
  const size_t held = std::min(traced.groups.size(), done.size());
  const auto sum = [&](size_t from, size_t to) {
    return std::accumulate(done.begin() + static_cast<long>(from), done.begin() + static_cast<long>(to), 0.0);
  };
  const double first = sum(0, held) / static_cast<double>(held);
  const size_t later = std::min(2 * held, done.size()) - held;
  if (!later) return {first, first};
  if (done.size() < 3 * held) return {first, (sum(held, held + later) - sum(0, later)) / static_cast<double>(later)};
  std::sort(done.begin(), done.end());
  return {first, static_cast<double>(done[2 * held - 1] - done[held - 1])};
}

void LaunchTiming::extrapolate() {
  if (unlike()) return;
  const double n = static_cast<double>(on_unit()), m = simulated_groups,
               held = static_cast<double>(traced.groups.size());
  r.cycles = static_cast<double>(*std::max_element(detailed.done.begin(), detailed.done.end()));
  if (n > m) {
    const auto [first, later] = rounds();
    const double each = later / held;
    r.cycles += (n - m) * each;
    r.error = std::max(0.01, m > held ? std::abs(later / first - 1) : 0.05) * (n - m) / n;
    r.assumptions.push_back(
        fmt::format("workgroups: {:.0f} of the {:.0f} of one {} are simulated, the others are assumed to take "
                    "{:.0f} clocks each",
                    m, n, isa::target(gpu.arch).wave_size == 64 ? "CU" : "WGP", each));
  }
  r.error = std::max(r.error, cut_error);
  if (!kinds) return;
  const double mean = instructions() / static_cast<double>(r.workgroups);
  if (std::abs(mean / whole_group - 1) <= 0.02) return;
  r.assumptions.push_back(
      fmt::format("workgroups differ: they have on average {:.2f} of the simulated one's instructions, the time is "
                  "scaled by that",
                  mean / whole_group));
  if (n > 1) r.cycles *= mean / whole_group;
  r.error = std::max(r.error, 0.05);
}

}  // namespace wavesmith::timing
