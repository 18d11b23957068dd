// From a launch to its time: traces the workgroups that one CU holds first and their neighbours on the die, determines
// which of their lines hit in the L2, simulates the CU for a few rounds of workgroups, and extrapolates to the whole
// grid.
#include <fmt/format.h>

#include "simulator/occupancy.h"
#include "simulator/timing/launch_timing.h"

namespace wavesmith::timing {
namespace {

const isa::Gpu& gpu_of(const Options& o, isa::Arch arch) {
  if (o.gpu) {
    if (o.gpu->arch != arch)
      throw isa::IsaError(fmt::format("{} is a {}, the code object is for {}", o.gpu->name,
                                      isa::target(o.gpu->arch).name, isa::target(arch).name));
    return *o.gpu;
  }
  return default_gpu(arch);
}

// What o.clock means on the device: its law, if it has one.
Clock clock_of(const Options& o, const isa::Gpu& g) {
  switch (o.clock.kind) {
    case Clock::Kind::fixed: return o.clock;
    case Clock::Kind::sustained: return {Clock::Kind::sustained, isa::gpu_timing(g).sustained_mhz};
    case Clock::Kind::load:
      if (isa::gpu_timing(g).load_mhz > 0)
        return {Clock::Kind::load, o.clock.mhz > 0 ? o.clock.mhz : isa::gpu_timing(g).load_mhz};
      [[fallthrough]];
    default: return {Clock::Kind::boost, static_cast<double>(g.mhz)};
  }
}

}  // namespace

const isa::Gpu& default_gpu(isa::Arch arch) {
  const isa::Family family = isa::target(arch).family;
  for (const isa::Gpu& g : isa::gpus())
    if (g.arch == arch) return g;
  for (const isa::Gpu& g : isa::gpus())  // a smaller part of the family: timed as the one in the table
    if (isa::target(g.arch).family == family) return g;
  throw isa::IsaError(fmt::format("no GPU of {} in isa_tables/timing/peaks.def", isa::target(arch).name));
}

Result time(const sim::CodeObject& object, const sim::KernelInfo& kernel, sim::Memory& memory,
            const sim::Launch& launch, const Options& o) {
  sim::check_launch(object, kernel, launch);
  const isa::Gpu& gpu = gpu_of(o, object.arch());
  LaunchTiming w{object, kernel, memory, launch, o, gpu, isa::timing(object.arch()), isa::gpu_timing(gpu), {}, {}, {}};
  Result& r = w.r;
  r.kernel = kernel.name, r.target = isa::target(object.arch()).name, r.gpu = gpu.name, r.clock = clock_of(o, gpu),
  r.clock_mhz = w.first_clock();
  r.units = gpu.units;
  r.workgroups = u64{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const isa::Resources resources = sim::resources(object.arch(), kernel, launch.work_items(), launch.dynamic_lds);
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
  if (r.fault || w.abandoned() || w.known_enough()) return std::move(r);
  w.trace_neighbours();
  if (w.abandoned()) return std::move(r);
  w.levels();
  if (w.abandoned()) return std::move(r);
  w.simulate_at_clock();
  w.limit();
  w.listing();
  return std::move(r);
}

}  // namespace wavesmith::timing
