// Which workgroups are traced, and at which level of memory their lines hit.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/timing/launch_timing.h"

namespace wavesmith::timing {

std::vector<std::array<u32, 3>> LaunchTiming::residents() const {
  std::vector<std::array<u32, 3>> out;
  for (u64 n = 0; n < std::min(slots(), on_unit()); ++n)
    if (const u64 i = linear(0, n); i < r.workgroups) add(out, id(i));
  return out;
}

std::vector<std::array<u32, 3>> LaunchTiming::neighbours(u64 most,
                                                         const std::vector<std::array<u32, 3>>& without) const {
  std::vector<std::array<u32, 3>> out;
  for (u64 n = 0; n < slots() && out.size() < most; ++n)
    for (u64 u = unlike() ? 0 : 1; u < per_die() && out.size() < most; ++u)
      if (const u64 i = linear(u, n); i < r.workgroups && std::ranges::find(without, id(i)) == without.end())
        add(out, id(i));
  return out;
}

std::vector<std::array<u32, 3>> LaunchTiming::representatives() const {
  std::vector<std::array<u32, 3>> out;
  if (whole())
    for (u64 i = 0; i < kinds_of_launch(); ++i) out.push_back(first_of(i));
  else
    for (const WorkgroupKind& k : kinds->kinds) out.push_back(first_of(k.example));
  return out;
}

void LaunchTiming::run_functionally() {
  const auto begin = HostClock::now();
  constexpr u64 endless =
      u64{1} << 25;  // instructions of a wave: a launch that waits for workgroups that are not traced
  TraceRequest q{.groups = residents(), .most_instructions = endless, .jobs = o.jobs, .sliced = &sliced};
  if (!o.alike) decoded(sliced, object, kernel);  // find_kinds() needs it unsliced
  traced = trace(object, kernel, memory, launch, q);
  r.fault = traced.fault;
  if (r.fault || abandoned()) return;
  if (!o.alike)
    kinds = find_kinds(object, kernel, decoded(sliced, object, kernel), memory, launch, traced,
                       sliced.by_values.contains(Computed::needed) ? Computed::needed : Computed::needed_but_products,
                       static_cast<u64>(device.dies), o.jobs);
  if (unlike()) {
    q.groups = representatives();
    if (!whole())
      for (const WorkgroupKind& k : kinds->kinds) q.found.push_back(k.found);
    traced = trace(object, kernel, memory, launch, q);
    r.fault = traced.fault;
  }
  r.trace_seconds = since(begin);
}

void LaunchTiming::trace_neighbours() {
  const auto begin = HostClock::now();
  const u64 each = traced.groups.empty() ? 1 : std::max<u64>(1, traced.groups[0].instructions()),
            waves = std::max<u64>(1, traced.groups[0].waves.size());
  constexpr u64 most_groups = 512;
  const auto beside =
      whole() ? std::vector<std::array<u32, 3>>{} : neighbours(most_groups, unlike() ? representatives() : residents());
  if (!beside.empty()) {
    const u64 budget = on_unit() <= slots() ? o.beside_whole : o.beside, share = budget / beside.size();
    // Nor all of those that are longer than the first one by far.
    constexpr u64 most_budgets = 4;
    const bool followed_for_a_while =
        share < each || beside.size() * waves * longest_wave(traced) > most_budgets * budget;
    // Those that wait for a workgroup that is not traced end as well: after a few times the longest wave.
    const u64 enough = followed_for_a_while ? std::max<u64>(1000, share / waves) : 1000 + 4 * longest_wave(traced);
    const TraceRequest n{.groups = beside,
                         .may_end_early = true,
                         .lines_alone = true,
                         .most_instructions = enough,
                         .jobs = o.jobs,
                         .sliced = &sliced};
    Traced more = trace(object, kernel, memory, launch, n);
    if (followed_for_a_while)
      r.assumptions.push_back(
          fmt::format("L2: neighbouring workgroups are traced for {} instructions per wave, then the L2 is assumed "
                      "to behave as before",
                      n.most_instructions));
    beside_ = std::move(more.groups), followed_ = followed_for_a_while ? enough : 0;
  }
  trace_other_dies();
  r.trace_seconds += since(begin);
}

void LaunchTiming::trace_other_dies() {
  TraceRequest q{
      .may_end_early = true, .lines_alone = true, .most_instructions = 4000, .jobs = o.jobs, .sliced = &sliced};
  for (u64 i = 1; i < std::min(static_cast<u64>(device.dies), r.workgroups); ++i) add(q.groups, id(i));
  if (!q.groups.empty() && (isa::last_cache(gpu).bytes > 0 || memory_channels.count() > 1))
    on_other_dies = trace(object, kernel, memory, launch, q).groups;
}

Footprint LaunchTiming::levels_of_rounds(std::vector<GroupTrace>& all, const DeviceShape& shape,
                                         double footprint) const {
  Footprint sum, f;
  for (u64 die = 0; die < static_cast<u64>(device.dies); ++die)
    for (u64 from = die; from < all.size();) {
      std::vector<size_t> places;
      for (; from < all.size() && places.size() < per_die() * slots(); from += static_cast<u64>(device.dies))
        places.push_back(from);
      std::vector<GroupTrace> round;
      for (const size_t i : places) round.push_back(std::move(all[i]));
      f = find_levels(round, round.size(), *traced.program, object.arch(), shape, footprint, 0);
      for (size_t k = 0; k < places.size(); ++k) all[places[k]] = std::move(round[k]);
      sum.l2_lines += f.l2_lines, sum.l2_misses += f.l2_misses, sum.written += f.written;
      sum.fetched_here += f.fetched_here, sum.written_here += f.written_here, sum.fetched_again += f.fetched_again;
    }
  f.l2_lines = sum.l2_lines, f.l2_misses = sum.l2_misses, f.written = sum.written;
  f.fetched_here = sum.fetched_here, f.written_here = sum.written_here, f.fetched_again = sum.fetched_again;
  return f;
}

// What a launch moves beyond the bytes of its buffers is moved more than once; it was there one round of workgroups
// before (inferred). Only where there is one L2: what several fetch is counted by other_dies().
double LaunchTiming::fetched_again(const std::vector<GroupTrace>& all, size_t own, const Footprint& f,
                                   double footprint) const {
  const double last = isa::last_cache(gpu).bytes;
  if (isa::l2s(gpu) > 1 || last == 0) return 0;
  std::vector<bool> stores(traced.program->steps.size());
  for (size_t i = 0; i < stores.size(); ++i) stores[i] = memory_op_of(traced.program->steps[i]) == MemoryOp::store;
  double moved = 0;  // by the launch
  for (size_t i = 0; i < own; ++i) {
    u64 read = 0, written = 0;  // lines, sectors
    for (const WaveTrace& w : all[i].waves)
      for (const WaveTrace::Access& a : w.accesses)
        (stores[a.step] ? written : read) += static_cast<u64>(std::count_if(
            &w.level[a.data] + 1, &w.level[a.data] + 1 + (w.data[a.data] >> 16), [](u8 x) { return !in_l2(x); }));
    const double like_it = unlike() ? stands_for(i) : static_cast<double>(r.workgroups) / static_cast<double>(own);
    moved += like_it * (static_cast<double>(read) * t.l2_line / o.part + static_cast<double>(written) * sector_bytes);
  }
  const double rounds =
      std::max(1.0, static_cast<double>(r.workgroups) / static_cast<double>(per_die() * slots()) / device.dies);
  const double once = 1 - static_cast<double>(f.fetched_again) / static_cast<double>(std::max<u64>(1, f.l2_misses));
  return moved > footprint ? (1 - footprint / moved) * kept(once * moved / rounds, last) : 0;
}

void LaunchTiming::levels() {
  double footprint = 0;
  for (const auto& a : memory.allocations()) footprint += static_cast<double>(a.size);
  const size_t own = traced.groups.size();
  std::vector<GroupTrace> all = std::move(traced.groups);
  all.insert(all.end(), std::make_move_iterator(beside_.begin()), std::make_move_iterator(beside_.end()));
  const double clock_ns = r.clock_mhz * 1e-3, beyond_ns = t.l2_latency / clock_ns + t.memory_ns;
  DeviceShape shape{
      .dies = device.dies,
      .one_l2 = t.l2_of_device != 0,
      .last_cache = isa::last_cache(gpu).bytes,
      .warm = o.warm,
      .of_die = std::min(1.0, static_cast<double>(all.size()) * device.dies / static_cast<double>(r.workgroups)),
      .l2_under_way = t.l2_bytes * t.l2_latency / t.l2_line,
      .memory_under_way = gpu.tb_per_s * 1e3 * t.memory_read * beyond_ns / t.l2_line / device.dies,
      .others = on_other_dies.empty() ? OtherDies{} : other_dies(all, on_other_dies, *traced.program, memory_channels)};
  const auto find = [&] {
    return whole() ? levels_of_rounds(all, shape, footprint)
                   : find_levels(all, own, *traced.program, object.arch(), shape, footprint, followed_);
  };
  Footprint f = find();
  shape.again = fetched_again(all, own, f, footprint);
  if (shape.again > 0) {
    if (whole()) f = find();
    else fetch_again(f, shape, footprint);
  }
  all.resize(own);
  traced.groups = std::move(all);
  if (shape.one_l2)
    r.assumptions.push_back(fmt::format(
        "L2 of all dies: {:.0f} % of what a die's workgroups first access or write back comes from or goes to memory, "
        "with {:.0f} MiB of buffers and {:.0f} MiB of L2",
        100 * f.memory_share(), footprint / 0x1p20, shape.last_cache / 0x1p20));
  if (gpu.mall_mb)
    r.assumptions.push_back(
        fmt::format("memory-side cache: {:.0f} % of what the L2 fetches and writes back is there, from {:.0f} MiB of "
                    "buffers and its {} MiB",
                    100 * (1 - f.memory_share()), footprint / 0x1p20, gpu.mall_mb));
  footprint_ = std::move(f);
  footprint_.fetched.clear();
}

}  // namespace wavesmith::timing
