// From a launch to its time: traces the workgroups that one CU holds first and their neighbours on the die, determines
// which of their lines hit in the L2, simulates the CU for a few rounds of workgroups, and extrapolates to the whole
// grid.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "isa_tables/timing/work.h"
#include "simulator/launch.h"
#include "simulator/occupancy.h"
#include "simulator/timing/cut.h"
#include "simulator/timing/dispatch.h"
#include "simulator/timing/kinds.h"
#include "simulator/timing/limit.h"
#include "simulator/timing/loops.h"

namespace wavesmith::timing {
namespace {

using Clocks = std::chrono::steady_clock;
double since(Clocks::time_point t) { return std::chrono::duration<double>(Clocks::now() - t).count(); }

const isa::Gpu& gpu_of(const Options& o, isa::Arch arch) {
  if (o.gpu) {
    if (o.gpu->arch != arch)
      throw isa::IsaError(fmt::format("{} is a {}, the code object is for {}", o.gpu->name,
                                      isa::target(o.gpu->arch).name, isa::target(arch).name));
    return *o.gpu;
  }
  const isa::Family family = isa::target(arch).family;
  for (const isa::Gpu& g : isa::gpus())
    if (g.arch == arch) return g;
  for (const isa::Gpu& g : isa::gpus())  // a smaller part of the family: timed as the one in the table
    if (isa::target(g.arch).family == family) return g;
  throw isa::IsaError(fmt::format("no GPU of {} in isa_tables/timing/peaks.def", isa::target(arch).name));
}

double megahertz(const Options& o, const isa::Gpu& g) {
  switch (o.clock.kind) {
    case Clock::Kind::fixed: return o.clock.mhz;
    case Clock::Kind::sustained: return isa::device(g).sustained_mhz;
    default: return g.mhz;
  }
}

u64 work_items(const sim::Launch& l) { return u64{l.block[0]} * l.block[1] * l.block[2]; }

struct Work {
  const sim::CodeObject& object;
  const sim::KernelInfo& kernel;
  sim::Memory& memory;
  const sim::Launch& launch;
  const Options& o;
  const isa::Gpu& gpu;
  const isa::Timing& t;
  const isa::Device& device;
  Result r;
  Traced traced;
  std::vector<Static> list;

  u64 per_die() const { return static_cast<u64>(std::max(1, r.units / device.dies)); }
  // Workgroups go round robin over the dies, and there over the units.
  u64 linear(u64 unit, u64 nth) const { return static_cast<u64>(device.dies) * (unit + per_die() * nth); }
  std::array<u32, 3> id(u64 i) const {
    const auto c =
        sim::cluster_of(kernel, launch);  // workgroups of a cluster run together: its first one stands for them
    const std::array<u64, 3> g{launch.grid[0] / c[0], launch.grid[1] / c[1], launch.grid[2] / c[2]};
    const u64 n = i % (g[0] * g[1] * g[2]);
    return {static_cast<u32>(n % g[0]) * c[0], static_cast<u32>(n / g[0] % g[1]) * c[1],
            static_cast<u32>(n / g[0] / g[1]) * c[2]};
  }
  u64 slots() const { return static_cast<u64>(std::max(1, r.groups_per_unit)); }
  u64 on_unit() const {
    return std::max<u64>(1, (r.workgroups + static_cast<u64>(r.units) - 1) / static_cast<u64>(r.units));
  }  // workgroups of the fullest unit

  static void add(std::vector<std::array<u32, 3>>& list, const std::array<u32, 3>& id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }
  // The workgroups that the first CU holds at first; fewer than fit if the grid does not fill the device.
  std::vector<std::array<u32, 3>> residents() const {
    std::vector<std::array<u32, 3>> out;
    for (u64 n = 0; n < std::min(slots(), on_unit()); ++n)
      if (const u64 i = linear(0, n); i < r.workgroups) add(out, id(i));
    return out;
  }
  std::vector<std::array<u32, 3>> neighbours(u64 most, const std::vector<std::array<u32, 3>>& without) const {
    std::vector<std::array<u32, 3>> out;
    for (u64 n = 0; n < slots() && out.size() < most; ++n)
      for (u64 u = unlike() ? 0 : 1; u < per_die() && out.size() < most; ++u)
        if (const u64 i = linear(u, n); i < r.workgroups && std::ranges::find(without, id(i)) == without.end())
          add(out, id(i));
    return out;
  }

  // -- Workgroups that differ --
  std::optional<Kinds> kinds;
  u64 kinds_of_launch() const {  // workgroups that `kinds` numbers: those with a place of their own in id()
    const auto c = sim::cluster_of(kernel, launch);
    return r.workgroups / (u64{c[0]} * c[1] * c[2]);
  }
  double instructions_of(u64 i) const { return kinds->instructions_of(i % kinds_of_launch()); }
  double instructions() const {  // of the launch
    double sum = 0;
    for (const u64 n : kinds->instructions) sum += static_cast<double>(n);
    return sum / static_cast<double>(kinds->instructions.size()) * static_cast<double>(r.workgroups);
  }
  bool unlike() const {
    constexpr double alike = 1.03;
    if (!kinds) return false;
    const auto [fewest, most] = std::ranges::minmax(kinds->instructions);
    return most <= o.longest && static_cast<double>(most) > alike * static_cast<double>(fewest);
  }
  bool whole() const { return unlike() && instructions() <= static_cast<double>(o.detail); }
  std::vector<std::array<u32, 3>> representatives() const {
    std::vector<std::array<u32, 3>> out;
    if (whole())
      for (u64 i = 0; i < kinds_of_launch(); ++i) out.push_back(id(i));
    else
      for (const Kind& k : kinds->kinds) out.push_back(id(k.example));
    return out;
  }

  void run_functionally() {
    const auto begin = Clocks::now();
    constexpr u64 endless =
        u64{1} << 25;  // instructions of a wave: a launch that waits for workgroups that are not traced
    TraceRequest q{residents(), false, endless, o.jobs};
    traced = trace(object, kernel, memory, launch, q);
    r.fault = traced.fault;
    if (r.fault) return;
    kinds = find_kinds(object, kernel, memory, launch, traced, o.jobs);
    if (unlike()) {
      q.groups = representatives();
      traced = trace(object, kernel, memory, launch, q);
      r.fault = traced.fault;
      if (r.fault) return;
    }
    const u64 each = traced.groups.empty() ? 1 : std::max<u64>(1, traced.groups[0].instructions()),
              waves = std::max<u64>(1, traced.groups[0].waves.size());
    constexpr u64 budget = 8'000'000, most_groups = 512;  // instructions of all neighbours: a few seconds
    const auto beside = whole() ? std::vector<std::array<u32, 3>>{} : neighbours(most_groups, q.groups);
    if (!beside.empty()) {
      const u64 share = budget / beside.size();
      TraceRequest n{beside, true, share < each ? std::max<u64>(1000, share / waves) : 0, o.jobs};
      Traced more = trace(object, kernel, memory, launch, n);
      if (n.most_instructions)
        r.assumptions.push_back(
            fmt::format("L2: neighbouring workgroups are traced for {} instructions per wave, then the L2 is assumed "
                        "to behave as before",
                        n.most_instructions));
      beside_ = std::move(more.groups), followed_ = n.most_instructions;
    }
    trace_other_dies();
    r.trace_seconds = since(begin);
  }
  // The start of one workgroup of each other die: for the lines it shares with the first die, and their channels.
  void trace_other_dies() {
    TraceRequest q{{}, true, 4000, o.jobs};
    for (u64 i = 1; i < std::min(static_cast<u64>(device.dies), r.workgroups); ++i) add(q.groups, id(i));
    if (!q.groups.empty() && (gpu.mall_mb || memory_channels.count() > 1))
      on_other_dies = trace(object, kernel, memory, launch, q).groups;
  }
  isa::Channels memory_channels{object.arch(), isa::channels_of::memory};
  std::vector<GroupTrace> on_other_dies;
  std::vector<GroupTrace> beside_;
  u64 followed_ = 0;  // instructions of a wave, of those beside; 0: all

  Footprint footprint_;
  // Of a launch that is traced whole: of the workgroups that a die holds at once, round after round.
  Footprint levels_of_rounds(std::vector<GroupTrace>& all, const DeviceShape& shape, double footprint) const {
    Footprint sum, f;
    double missed = 0, missed_in_cache = 0;
    for (u64 die = 0; die < static_cast<u64>(device.dies); ++die)
      for (u64 from = die; from < all.size();) {
        std::vector<size_t> places;
        for (; from < all.size() && places.size() < per_die() * slots(); from += static_cast<u64>(device.dies))
          places.push_back(from);
        std::vector<GroupTrace> round;
        for (const size_t i : places) round.push_back(std::move(all[i]));
        f = find_levels(round, traced.program, object.arch(), shape, footprint, 0);
        for (size_t k = 0; k < places.size(); ++k) all[places[k]] = std::move(round[k]);
        const double n = static_cast<double>(f.l2_misses);
        sum.l2_lines += f.l2_lines, sum.l2_misses += f.l2_misses;
        missed_in_cache += n * (1 - f.memory_share), missed += n;
      }
    f.l2_lines = sum.l2_lines, f.l2_misses = sum.l2_misses;
    f.memory_share = missed > 0 ? 1 - missed_in_cache / missed : 1;
    return f;
  }
  void levels() {
    double footprint = 0;
    for (const auto& a : memory.allocations()) footprint += static_cast<double>(a.size);
    const size_t own = traced.groups.size();
    std::vector<GroupTrace> all = std::move(traced.groups);
    all.insert(all.end(), std::make_move_iterator(beside_.begin()), std::make_move_iterator(beside_.end()));
    const double clock_ns = r.clock_mhz * 1e-3, beyond_ns = t.l2_latency / clock_ns + t.memory_ns;
    const DeviceShape shape{
        .dies = device.dies,
        .mall_bytes = gpu.mall_mb * 1048576.0,
        .reach_bytes = device.reach_gb * 1e9,
        .warm = o.warm,
        .l2_under_way = t.l2_bytes * t.l2_latency / t.l2_line,
        .memory_under_way = gpu.tb_per_s * 1e3 * t.memory_efficiency * beyond_ns / t.l2_line / device.dies,
        .others =
            on_other_dies.empty() ? OtherDies{} : other_dies(all, on_other_dies, traced.program, memory_channels)};
    Footprint f;
    if (whole()) f = levels_of_rounds(all, shape, footprint);
    else f = find_levels(all, traced.program, object.arch(), shape, footprint, followed_);
    all.resize(own);
    traced.groups = std::move(all);
    if (gpu.mall_mb)
      r.assumptions.push_back(
          fmt::format("memory-side cache: {:.0f} % of the L2's misses hit, from {:.0f} MB of buffers and its {} MiB",
                      100 * (1 - f.memory_share), footprint / 1e6, gpu.mall_mb));
    footprint_ = f;
    if (f.walked > 0)
      r.assumptions.push_back(
          fmt::format("address translation: {:.0f} % of newly touched {:.0f} KiB pages miss, from "
                      "{:.1f} GB of buffers and a reach of {:.1f} GB",
                      100 * f.walked, t.translation_page, footprint / 1e9, device.reach_gb));
  }

  Share share() const {
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

  // The shares of time that the L2 and memory would be busy with evenly used channels, if uneven use matters; else 0.
  std::pair<double, double> channel_loads() {
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
  UnitResult detailed;
  double simulated_units = 1, simulated_groups = 0, whole_group = 0,
         cut_error = 0;  // whole_group: instructions, with trips that are left out
  // Workgroups to simulate: three rounds, because the last one runs with fewer and fewer neighbours; two rounds of long
  // workgroups; all of short ones.
  u64 in_detail() const {
    const u64 each = std::max<u64>(1, traced.groups[0].instructions()), held = traced.groups.size();
    if (on_unit() * each <= o.detail / 2) return on_unit();
    u64 n = std::min(on_unit(), 3 * held);
    while (n > 2 * held && n * each > o.detail) --n;
    return n;
  }
  // Adds the time of the trips that were left out, at the pace of those before them.
  void put_trips_back(const Cut& cut, size_t groups) {
    const TripClocks trip = trip_clocks(detailed.heads);
    const size_t held = traced.groups.size();
    put_back(detailed, cut, trip, list, held);
    const double clocks =
        trip.each * static_cast<double>(cut.trips) * std::ceil(static_cast<double>(groups) / static_cast<double>(held));
    cut_error = std::max(0.01, trip.error) * clocks / static_cast<double>(std::max<u64>(1, detailed.cycles)) +
                std::abs(cut.levels_differ);
    r.assumptions.push_back(fmt::format(
        "loop at {:#x}: {} iterations of a wave with the same instructions are assumed to take {:.0f} clocks "
        "each, like those before them (+- {:.1f} %)",
        list[cut.head].pc, cut.trips, trip.each, 100 * cut_error));
  }
  void simulate_unit() {
    const auto begin = Clocks::now();
    list = decode(traced.program, object.arch(), kernel.wave_size);
    whole_group = static_cast<double>(traced.groups[0].instructions());
    const Cut cut = cut_trips(traced.groups, list, o.longest);
    const u64 dies = static_cast<u64>(device.dies), busy = std::min(per_die(), (r.workgroups + dies - 1) / dies);
    UnitSetup setup{.arch = object.arch(),
                    .program = &traced.program,
                    .list = &list,
                    .t = &t,
                    .share = share(),
                    .wave_size = kernel.wave_size,
                    .slots = static_cast<int>(slots()),
                    .timeline = o.timeline,
                    .most_events = o.most_events,
                    .group_interval = static_cast<u64>(t.group_launch_clocks * static_cast<double>(busy)),
                    .head = cut.trips ? static_cast<int>(cut.head) : -1,
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
      if (cut.trips) put_trips_back(cut, queue.size());
      simulated_groups = static_cast<double>(queue.size());
    }
    r.model_seconds = since(begin);
  }
  void simulate_queue(UnitSetup& setup, const std::vector<const GroupTrace*>& queue) {
    detailed = simulate(setup, queue);
    if (const auto [l2, memory] = channel_loads(); l2 > 0 || memory > 0) {
      setup.share.l2_load = l2, setup.share.memory_load = memory;
      detailed = simulate(setup, queue);
    }
  }

  // Every workgroup on the CU that the dispatcher gives it, die by die.
  void simulate_whole(const UnitSetup& setup) {
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

  // The CU that ends last, with workgroups that stand for those it gets; then the whole device at the pace seen there.
  // Which CU that is depends on the pace of each kind, which is estimated anew until it does not change.
  void simulate_unlike(UnitSetup& setup) {
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
      r.error = (all ? 0.01 : 0.02 + std::abs(off - 1)) + (settled ? 0 : 0.05);
      if (settled) break;
    }
    r.assumptions.push_back(
        fmt::format("workgroups differ: {} kinds with {} to {} instructions; the {} of the {} that ends last are "
                    "simulated up to {}, the device at their pace",
                    kinds->kinds.size(), kinds->kinds.front().instructions, kinds->kinds.back().instructions,
                    d.workgroups.size(), isa::target(gpu.arch).wave_size == 64 ? "CU" : "WGP", simulated_groups));
  }
  size_t kind_of(u64 i) const { return kinds->of(i % kinds_of_launch()); }
  Stay alone(UnitSetup setup) const {  // one of the last kind
    setup.timeline = false;
    const UnitResult one = simulate(setup, {&traced.groups.back()});
    return {kinds->kinds.size() - 1, static_cast<double>(traced.groups.back().instructions()),
            static_cast<double>(one.cycles)};
  }

  // Clocks of the first round of workgroups and of a later one. Of three rounds the later one is the middle one, which
  // neither the start nor the end of the launch affects, measured between ends; of two, the mean time from the end of a
  // first workgroup to the end of the one in its place.
  std::pair<double, double> rounds() const {
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
  // From the simulated workgroups to all of the fullest unit.
  void extrapolate() {
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

  // Floating-point operations of a wave that issues the step.
  double work(size_t i) const {
    const sim::Step& st = traced.program.steps[i];
    if (!st.row) return 0;
    return st.row->is_matrix() ? static_cast<double>(st.row->matrix.flops())
                               : static_cast<double>(isa::lane_flops(st.inst)) * kernel.wave_size;
  }
  // By step, how often the launch executes it: as counted. Steps that only data decide (keep_branches) are not, and are
  // taken from the workgroups simulated.
  std::vector<double> executed() const {
    const double scale = static_cast<double>(r.workgroups) / simulated_groups;
    std::vector<double> times = kinds ? kinds->executed(r.workgroups) : std::vector<double>(list.size(), 0);
    for (size_t i = 0; i < times.size(); ++i)
      if (times[i] == 0) times[i] = static_cast<double>(detailed.steps[i].issued) * scale;
    return times;
  }
  void sums() {
    const double units = static_cast<double>(r.units), simds = isa::target(object.arch()).simds_per_cu;
    const std::vector<double> times = executed();
    double flops = 0, vector_flops = 0, issued = 0, simulated = 0, matrix_clocks = 0, valu_clocks = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      const Unit u = list[i].unit;
      (u == Unit::matrix ? flops : vector_flops) += times[i] * work(i);
      (u == Unit::matrix ? matrix_clocks : valu_clocks) +=
          u == Unit::matrix || u == Unit::valu || u == Unit::trans ? times[i] * list[i].busy : 0;
      issued += times[i], simulated += static_cast<double>(detailed.steps[i].issued);
    }
    const double scale = issued / std::max(1.0, simulated);
    r.flops = flops, r.vector_flops = vector_flops, r.instructions = static_cast<u64>(issued);
    const Traffic& f = detailed.traffic;
    const auto whole = [&](u64 x) { return static_cast<double>(x) * scale; };
    r.lds_bytes = whole(f.lds_bytes), r.l1_bytes = whole(f.l1_bytes), r.l2_bytes = whole(f.l2_bytes),
    r.memory_bytes = whole(f.memory_bytes), r.mall_bytes = whole(f.mall_bytes);
    const double clocks = std::max(1.0, r.cycles * units);
    r.matrix_utilisation = matrix_clocks / (clocks * simds), r.valu_utilisation = valu_clocks / (clocks * simds);
    r.lds_utilisation = whole(f.lds_clocks) / (clocks * t.lds_cores);
    r.issue_utilisation = issued * t.wave_interval / (clocks * simds);
    r.steady_matrix_utilisation = static_cast<double>(detailed.matrix_clocks) / (simulated_clocks() * simds);
    r.launch_seconds = t.launch_ns * 1e-9;
    r.seconds = r.cycles / (r.clock_mhz * 1e6) + r.launch_seconds;
  }

  double simulated_clocks() const {  // of all units simulated
    return simulated_units * static_cast<double>(std::max<u64>(1, detailed.cycles));
  }
  void limit() {
    const double simds = isa::target(object.arch()).simds_per_cu, cycles = simulated_clocks(),
                 path_clocks = cycles * t.vmem_paths;
    const Traffic& f = detailed.traffic;
    const double categories =
        std::clamp(r.occupancy.waves_per_simd, 1, 5);  // a SIMD issues one of each, of as many waves
    r.busy = {
        {Limit::matrix, static_cast<double>(detailed.matrix_clocks) / (cycles * simds)},
        {Limit::valu, static_cast<double>(detailed.valu_clocks) / (cycles * simds)},
        {Limit::lds, static_cast<double>(f.lds_clocks) / (cycles * t.lds_cores)},
        {Limit::l1, static_cast<double>(f.l1_bytes) / t.vmem_bytes / path_clocks},
        {Limit::l2, f.l2_clocks / path_clocks},
        {Limit::fabric, f.fabric_clocks / path_clocks},
        {Limit::mall, f.mall_clocks / path_clocks},
        {Limit::memory, f.memory_clocks / path_clocks},
        {Limit::issue, static_cast<double>(detailed.instructions) * t.wave_interval / (cycles * simds * categories)}};
    r.limit = limit_of(r);
  }

  void listing() {
    std::vector<size_t> order(list.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return traced.program.steps[a].pc < traced.program.steps[b].pc; });
    std::vector<u32> place(list.size());
    for (const size_t i : order) {
      const StepStats& s = detailed.steps[i];
      place[i] = static_cast<u32>(r.list.size());
      r.list.push_back({traced.program.steps[i].pc, traced.program.steps[i].text, list[i].unit, list[i].busy, work(i),
                        s.issued, s.issued * static_cast<u64>(t.wave_interval), s.stalled, s.conflicts});
      r.list.back().where = object.where(r.list.back().pc);
    }
    r.loops = find_loops(traced.program, list, detailed.steps, static_cast<u64>(t.wave_interval));
    for (Loop& l : r.loops) l.label = object.name_at(l.first), l.where = object.where(l.first);
    r.events = std::move(detailed.events), r.waves = std::move(detailed.waves);
    for (Event& e : r.events) e.step = place[e.step];
  }
};

}  // namespace

Result time(const sim::CodeObject& object, const sim::KernelInfo& kernel, sim::Memory& memory,
            const sim::Launch& launch, const Options& o) {
  sim::check_launch(object, kernel, launch);
  const isa::Gpu& gpu = gpu_of(o, object.arch());
  Work w{object, kernel, memory, launch, o, gpu, isa::timing(object.arch()), isa::device(gpu), {}, {}, {}};
  Result& r = w.r;
  r.kernel = kernel.name, r.target = isa::target(object.arch()).name, r.gpu = gpu.name, r.clock_mhz = megahertz(o, gpu),
  r.units = gpu.units;
  r.workgroups = u64{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const isa::Resources resources = sim::resources(object.arch(), kernel, work_items(launch), launch.dynamic_lds);
  r.occupancy = isa::occupancy(object.arch(), resources);
  if (resources.waves_per_group == 1 && r.occupancy.groups > w.t.lone_wave_groups) {
    isa::Occupancy& held = r.occupancy;
    held.limited_by = isa::Occupancy::By::group_slots, held.groups = static_cast<int>(w.t.lone_wave_groups);
    const int simds = isa::target(object.arch()).simds_per_cu;
    held.waves_per_simd = (held.groups + simds - 1) / simds;
    held.limits[static_cast<size_t>(held.limited_by)] = {held.limited_by, held.groups, held.waves_per_simd};
    r.assumptions.push_back(
        fmt::format("workgroups of one wave: {} at a time on a CU, whatever their registers", r.occupancy.groups));
  }
  r.groups_per_unit = r.occupancy.groups;
  r.rounds = static_cast<double>(r.workgroups) / (static_cast<double>(r.units) * r.groups_per_unit);
  w.run_functionally();
  if (r.fault) return std::move(r);
  w.levels();
  w.simulate_unit();
  w.extrapolate();
  w.sums();
  w.limit();
  w.listing();
  return std::move(r);
}

}  // namespace wavesmith::timing
