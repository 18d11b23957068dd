// The state of a prediction, from the launch to its result: what is traced, what is simulated, and what follows for the
// whole grid. Only the files that implement time() include it.
#pragma once
#include <algorithm>
#include <chrono>

#include "simulator/launch.h"
#include "simulator/timing/caches.h"
#include "simulator/timing/cut.h"
#include "simulator/timing/dispatch.h"
#include "simulator/timing/kinds.h"

namespace wavesmith::timing {

using HostClock = std::chrono::steady_clock;
inline double since(HostClock::time_point t) { return std::chrono::duration<double>(HostClock::now() - t).count(); }

// Clocks that a CU takes for a workgroup while all its slots are taken: from the end of the first workgroup to the
// first end after which none begins, by what was issued between these. with_first_differs: how much more or less they
// are from the beginning of the launch on, relatively. Workgroups that begin together do the same at the same time at
// first, so that few of them may not have been in every part of the kernel equally often.
struct GroupClocks {
  double each = 0, with_first_differs = 0;
};

struct LaunchTiming {
  const sim::CodeObject& object;
  const sim::KernelInfo& kernel;
  sim::Memory& memory;
  const sim::Launch& launch;
  const Options& o;
  const isa::Gpu& gpu;
  const isa::Timing& t;
  const isa::GpuTiming& device;
  Result r;
  Traced traced;
  SlicedKernel sliced;
  std::vector<Static> list;

  u64 per_die() const { return static_cast<u64>(std::max(1, r.units / device.dies)); }
  // Workgroups go round robin over the dies, and there over the units.
  u64 linear(u64 unit, u64 nth) const { return static_cast<u64>(device.dies) * (unit + per_die() * nth); }
  // Clusters go round robin over the dies, their workgroups next to each other.
  u64 per_cluster() const {
    const auto c = sim::cluster_of(kernel, launch);
    return u64{c[0]} * c[1] * c[2];
  }
  u64 cluster(u64 i) const {
    const u64 dies = static_cast<u64>(device.dies);
    return (i / dies / per_cluster() * dies + i % dies) % (r.workgroups / per_cluster());
  }
  std::array<u32, 3> first_of(u64 cluster) const {
    const auto c = sim::cluster_of(kernel, launch);
    const std::array<u64, 3> g{launch.grid[0] / c[0], launch.grid[1] / c[1], launch.grid[2] / c[2]};
    return {static_cast<u32>(cluster % g[0]) * c[0], static_cast<u32>(cluster / g[0] % g[1]) * c[1],
            static_cast<u32>(cluster / g[0] / g[1]) * c[2]};
  }
  std::array<u32, 3> id(u64 i) const {
    const auto c = sim::cluster_of(kernel, launch);
    const auto first = first_of(cluster(i));
    const u64 member = i / static_cast<u64>(device.dies) % per_cluster();
    return {first[0] + static_cast<u32>(member % c[0]), first[1] + static_cast<u32>(member / c[0] % c[1]),
            first[2] + static_cast<u32>(member / c[0] / c[1])};
  }
  u64 slots() const { return static_cast<u64>(std::max(1, r.groups_per_unit)); }
  u64 on_unit() const {
    return std::max<u64>(1, (r.workgroups + static_cast<u64>(r.units) - 1) / static_cast<u64>(r.units));
  }  // workgroups of the fullest unit

  static void add(std::vector<std::array<u32, 3>>& list, const std::array<u32, 3>& id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }
  // The workgroups that the first CU holds at first; fewer than fit if the grid does not fill the device.
  std::vector<std::array<u32, 3>> residents() const;
  std::vector<std::array<u32, 3>> neighbours(u64 most, const std::vector<std::array<u32, 3>>& without) const;

  // -- Workgroups that differ --
  std::optional<WorkgroupKinds> kinds;
  u64 kinds_of_launch() const { return r.workgroups / per_cluster(); }  // `kinds` numbers clusters, by their first one
  double instructions_of(u64 i) const { return kinds->instructions_of(cluster(i)); }
  double instructions() const {  // of the launch
    double sum = 0;
    for (const u64 n : kinds->instructions) sum += static_cast<double>(n);
    return sum / static_cast<double>(kinds->instructions.size()) * static_cast<double>(r.workgroups);
  }
  bool unlike() const {
    constexpr double alike = 1.03;
    if (!kinds) return false;
    const auto [fewest, most] = std::ranges::minmax(kinds->instructions);
    return static_cast<double>(most) > alike * static_cast<double>(fewest);
  }
  bool one_by_one() const { return unlike() && !whole() && slots() == 1 && long_ones(); }
  bool long_ones() const { return std::ranges::max(kinds->instructions) > o.longest; }
  bool whole() const { return unlike() && instructions() <= static_cast<double>(o.detail); }
  std::vector<std::array<u32, 3>> representatives() const;

  bool abandoned() const { return o.abandoned && *o.abandoned; }  // Options::abandoned, as of now
  void run_functionally();
  // Options::enough, of the workgroups traced so far: nothing further is wanted.
  bool known_enough();
  void trace_neighbours();
  // The start of one workgroup of each other die: for the lines it shares with the first die, and their channels.
  void trace_other_dies();
  isa::Channels memory_channels{object.arch(), isa::channels_of::memory};
  std::vector<GroupTrace> on_other_dies;
  std::vector<GroupTrace> beside_;
  u64 followed_ = 0;  // instructions of a wave, of those beside; 0: all

  Footprint footprint_;
  // Of a launch that is traced whole: of the workgroups that a die holds at once, round after round.
  Footprint levels_of_rounds(std::vector<GroupTrace>& all, const DeviceShape& shape, double footprint) const;
  // Of the lines that the L2 fetches, the fraction that it has fetched before and the memory-side cache still keeps.
  double fetched_again(const std::vector<GroupTrace>& all, size_t own, const Footprint& f, double footprint) const;
  void levels();

  double at_once() const;  // CUs that share the L2s and memory most of the time
  double by_sectors = 0;
  double workgroups_by_sectors() const;
  double stands_for(size_t traced_group) const {  // workgroups, where they are unlike
    return whole() ? 1 : static_cast<double>(kinds->kinds[traced_group].workgroups * kinds->every);
  }
  Share share() const;
  double turned() const;

  // The shares of time that the L2 and memory would be busy with evenly used channels, if uneven use matters; else 0.
  std::pair<double, double> channel_loads();
  UnitResult detailed;
  std::optional<Cut> cut;                 // once traced
  std::vector<Cut> kind_cuts;             // where kinds are simulated one by one
  std::vector<double> kind_instructions;  // of their examples, with trips that are left out
  double simulated_units = 1, simulated_groups = 0, whole_group = 0,
         cut_error = 0;  // whole_group: instructions, with trips that are left out
  // Workgroups to simulate: three rounds, because the last one runs with fewer and fewer neighbours; two rounds of long
  // workgroups; all of short ones.
  u64 in_detail() const;
  // Adds the time of the trips that were left out, at the pace of those before them. held: workgroups of a round.
  void put_trips_back(const Cut& cut, size_t held, size_t groups);
  void simulate_unit();
  // Cycles and clock depend on each other: memory is so many clocks away, and power limits the clock of a launch that
  // uses the matrix pipes much. Repeats simulate_unit() at the clock that follows until that is the one simulated.
  void simulate_at_clock();
  double first_clock() const;
  bool cold_code() const;  // the launch fetches its instructions from the L2
  void simulate_queue(UnitSetup& setup, const std::vector<const GroupTrace*>& queue);

  // Every workgroup on the CU that the dispatcher gives it, die by die.
  void simulate_whole(const UnitSetup& setup);

  // The CU that ends last, with workgroups that stand for those it gets; then the whole device at the pace seen there.
  // Which CU that is depends on the pace of each kind, which is estimated anew until it does not change.
  void simulate_unlike(UnitSetup& setup);
  // Where one workgroup fills a CU and kinds are long: each by itself, with iterations left out.
  void simulate_kinds(UnitSetup& setup);
  // The whole launch at a pace. Of very many workgroups the last ones are dispatched one by one; before those every
  // slot is taken all the time.
  Dispatched dispatch_all(const DispatchShape&, const std::function<double(u64)>& clocks) const;
  // Workgroups that end at nearly the same time get their CU by chance, and long ones may meet on one: the mean of
  // several dispatches with slightly different clocks, and how far they are from it.
  std::pair<double, double> by_chance(const DispatchShape&, const std::function<double(u64)>& clocks) const;
  void say_kinds(size_t last, const std::string& simulated);
  size_t kind_of(u64 i) const { return kinds->of(cluster(i)); }
  // Of workgroups that share a CU, relative to a full one, by their number less 1: of the longest kind, simulated.
  std::vector<double> speeds(UnitSetup setup) const;

  GroupClocks clocks_of_group() const;
  // From the simulated workgroups to all of the fullest unit.
  void extrapolate();
  double tail() const;

  // Floating-point operations of a wave that issues the step.
  double work(size_t i) const;
  // By step, how often the launch executes it: as counted. Steps that only data decide (keep_branches) are not, and are
  // taken from the workgroups simulated.
  std::vector<double> executed() const;
  void sums();

  double simulated_clocks() const {  // of all units simulated
    return simulated_units * static_cast<double>(std::max<u64>(1, detailed.cycles));
  }
  void limit();

  void listing();
};

}  // namespace wavesmith::timing
