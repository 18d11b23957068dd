// A launch: workgroups, or clusters of them, are spread over threads; what they come to is told in the grid's order.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "isa_tables/opcodes.h"
#include "isa_tables/timing/peaks.h"
#include "simulator/occupancy.h"
#include "simulator/runner.h"
#include "simulator/vskip.h"

namespace wavesmith::sim {
namespace {

// The target's device that holds most workgroups at once; null: none is known.
const isa::Gpu* largest_device(isa::Arch arch) {
  const isa::Gpu* largest = nullptr;
  for (const isa::Gpu& g : isa::gpus())
    if (g.arch == arch && (!largest || g.units > largest->units)) largest = &g;
  return largest;
}
u64 resident_groups(const isa::Gpu& gpu, const KernelInfo& k, const Launch& l) {
  const isa::Occupancy unit = isa::occupancy(gpu.arch, resources(gpu.arch, k, l.work_items(), l.dynamic_lds));
  return static_cast<u64>(gpu.units) * static_cast<u64>(unit.groups);
}

// The outcome of a launch's workgroups, in grid order whatever order they ran in.
struct Findings {
  Result result;
  std::map<u64, Fault> faults;  // by cluster: the first Options::fault_limit
  bool stood_still = false;     // the faults are of workgroups that wait for ever
  u64 first_warning = ~u64{0};
  std::atomic<u64> stop;  // clusters from here on are not started
  std::mutex lock;

  void fault(u64 cluster, Fault f, unsigned limit, bool stands_still) {
    const std::lock_guard hold(lock);
    if (stands_still && !faults.empty() && !stood_still) return;  // perhaps for the one with a fault
    stood_still = stands_still;
    faults.emplace(cluster, std::move(f));
    if (faults.size() > limit) faults.erase(std::prev(faults.end()));
    if (faults.size() == limit) stop = std::min(stop.load(), faults.rbegin()->first);
  }
  void warn(u64 cluster, const Runner& r) {
    const std::lock_guard hold(lock);
    for (const Runner::Group& g : r.groups) {
      result.warnings += g.state.warnings;
      if (g.state.warning && cluster < first_warning)
        first_warning = cluster,
        result.warning = r.fault(g.state, *g.state.warning, g.state.warning_wave, g.state.warning_step);
    }
  }
  void add(const Result& counts) {
    const std::lock_guard hold(lock);
    result.instructions += counts.instructions, result.mfma_flops += counts.mfma_flops;
    result.lds_accesses += counts.lds_accesses, result.lds_conflict_cycles += counts.lds_conflict_cycles;
  }
  // How far the workgroups after a fault got depends on the number of threads: they are not reported.
  Result finish() {
    if (faults.empty()) return std::move(result);
    Result r;
    if (first_warning <= faults.begin()->first) r.warning = std::move(result.warning), r.warnings = 1;
    for (auto& [cluster, f] : faults) r.faults.push_back(std::move(f));
    r.fault = r.faults.front();
    return r;
  }
};

}  // namespace

Result run(const CodeObject& object, const KernelInfo& kernel, Memory& memory, const Launch& launch,
           const Options& options) {
  check_launch(object, kernel, launch);  // before decoding, which trusts the kernel's descriptor
  return run(object, kernel, decode(object, kernel), memory, launch, options);
}

Result run(const CodeObject& object, const KernelInfo& kernel, const DecodedKernel& program, Memory& memory,
           const Launch& launch, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  check_launch(object, kernel, launch);
  if (options.checks.uninitialized == Checks::Uninitialized::ignore) memory.define_all();
  const auto cluster = cluster_of(kernel, launch);
  const std::array<u32, 3> clusters{launch.grid[0] / cluster[0], launch.grid[1] / cluster[1],
                                    launch.grid[2] / cluster[2]};
  const u64 total = u64{clusters[0]} * clusters[1] * clusters[2];
  unsigned jobs =
      options.jobs > 0 ? static_cast<unsigned>(options.jobs) : std::max(1u, std::thread::hardware_concurrency());
  if (program.orders_workgroups) jobs = 1;  // the result may depend on the order of workgroups
  const auto chosen = options.observers ? options.observers->chosen() : std::nullopt;
  const u64 count = chosen ? chosen->size() : total;
  jobs = static_cast<unsigned>(std::clamp<u64>(count, 1, jobs));

  const isa::Gpu* const device = largest_device(object.arch());
  const u64 per_cluster = u64{cluster[0]} * cluster[1] * cluster[2];
  const u64 room =
      std::min(count, device ? std::max<u64>(1, resident_groups(*device, kernel, launch) / per_cluster) : count);
  Launched launched = prepare(object, kernel, memory, launch, options, jobs, static_cast<unsigned>(room));
  launched.fills_lds = program.uses_lds;
  Findings found;
  found.stop = total;
  std::atomic<u64> next{0}, slot{0};
  std::list<std::jthread> more;
  std::mutex adding;
  std::atomic<bool> full = false;  // clusters have not started because the device would not hold them
  std::function<void()> work;
  Standstill standstill(jobs, [&](unsigned under_way) {
    if (program.orders_workgroups || next >= count) return false;
    if (under_way >= room || slot >= launched.slots) return full = true, false;
    const std::lock_guard hold(adding);
    try {
      more.emplace_back(work);
    } catch (const std::system_error&) { return false; }
    return true;
  });
  work = [&] {
    const u64 scratch = launched.scratch + slot++ * launched.group_scratch * launched.groups_per_cluster();
    Runner r{program,
             kernel,
             options,
             Repetition(standstill),
             {},
             {},
             {},
             HazardStates(isa::HazardTracker(launched.arch, kernel.wave_size)),
             {},
             {},
             isa::info(isa::Opcode::s_setvskip).on(launched.arch) ? vskip : 0};
    for (u64 k; (k = next++) < count;) {
      const u64 i = chosen ? (*chosen)[k] : k;
      if (i >= found.stop.load()) break;
      full = false;
      const std::array<u32, 3> id{static_cast<u32>(i % clusters[0]), static_cast<u32>(i / clusters[0] % clusters[1]),
                                  static_cast<u32>(i / clusters[0] / clusters[1])};
      auto f = r.run(id, launched, scratch);
      r.repetition.end();
      if (std::ranges::any_of(r.groups, [](const Runner::Group& g) { return g.state.warning.has_value(); }))
        found.warn(i, r);
      if (f && r.stood_still && full)
        f->why += "; not all of the grid has started: " +
                  (launched.slots < room || !device
                       ? fmt::format("private memory is kept for {} workgroups", launched.slots * per_cluster)
                       : fmt::format("{} holds {} workgroups of this kernel", device->name, room * per_cluster));
      if (f) found.fault(i, std::move(*f), std::max(1u, options.fault_limit), r.stood_still);
    }
    standstill.leave();
    found.add(r.counts);
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned j = 1; j < jobs; ++j) threads.emplace_back(work);
    work();
  }
  for (;;) {  // a thread that ends may have started one more
    std::unique_lock hold(adding);
    if (more.empty()) break;
    std::jthread last = std::move(more.front());
    more.pop_front();
    hold.unlock();
    last.join();
  }
  launched.release(memory);
  Result result = found.finish();
  const auto locate = [&](Fault& f) {
    f.where = object.where(f.pc);
    if (const auto first = f.first_pc ? object.where(*f.first_pc) : ""; !first.empty()) f.why += " at " + first;
  };
  std::ranges::for_each(result.faults, locate);
  if (result.fault) locate(*result.fault);
  if (result.warning) locate(*result.warning);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace wavesmith::sim
