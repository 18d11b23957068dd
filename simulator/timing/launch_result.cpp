// Sums over the launch, its limit, and the annotated listing.
#include <algorithm>

#include "isa_tables/timing/flops.h"
#include "simulator/timing/launch_timing.h"
#include "simulator/timing/limit.h"
#include "simulator/timing/loops.h"

namespace wavesmith::timing {

double LaunchTiming::work(size_t i) const {
  const sim::Step& st = traced.program->steps[i];
  if (!st.row) return 0;
  return st.row->is_matrix() ? static_cast<double>(st.row->matrix.flops())
                             : static_cast<double>(isa::lane_flops(st.inst)) * kernel.wave_size;
}

std::vector<double> LaunchTiming::executed() const {
  const double scale = static_cast<double>(r.workgroups) / simulated_groups;
  std::vector<double> times = kinds ? kinds->executed(r.workgroups) : std::vector<double>(list.size(), 0);
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] == 0) times[i] = static_cast<double>(detailed.steps[i].issued) * scale;
  return times;
}

void LaunchTiming::sums() {
  const double units = static_cast<double>(r.units), simds = isa::target(object.arch()).simds_per_cu;
  const std::vector<double> times = executed();
  double flops = 0, vector_flops = 0, issued = 0, simulated = 0, matrix_clocks = 0, valu_clocks = 0;
  struct Moved {
    double all = 0, simulated = 0;
  } lds, beyond;  // bytes
  for (size_t i = 0; i < list.size(); ++i) {
    const IssueUnit u = list[i].unit;
    (u == IssueUnit::matrix ? flops : vector_flops) += times[i] * work(i);
    (u == IssueUnit::matrix ? matrix_clocks : valu_clocks) +=
        u == IssueUnit::matrix || u == IssueUnit::valu || u == IssueUnit::trans ? times[i] * list[i].busy : 0;
    const auto in_detail = static_cast<double>(detailed.steps[i].issued);
    issued += times[i], simulated += in_detail;
    if (u == IssueUnit::lds || u == IssueUnit::vmem) {
      Moved& m = u == IssueUnit::lds ? lds : beyond;
      m.all += times[i] * list[i].bytes, m.simulated += in_detail * list[i].bytes;
    }
  }
  const double scale = issued / std::max(1.0, simulated);
  r.flops = flops, r.vector_flops = vector_flops, r.instructions = static_cast<u64>(issued);
  const Traffic& f = detailed.traffic;
  const auto whole = [&](u64 x, const Moved& of) {  // workgroups that are not alike may move as many bytes
    return static_cast<double>(x) * (of.simulated > 0 ? of.all / of.simulated : scale);
  };
  r.lds_bytes = whole(f.lds_bytes, lds), r.l1_bytes = whole(f.l1_bytes, beyond), r.l2_bytes = whole(f.l2_bytes, beyond),
  r.memory_bytes = whole(f.memory_bytes, beyond), r.mall_bytes = whole(f.mall_bytes, beyond),
  r.written_bytes = whole(f.written_bytes, beyond);
  // Whatever was extrapolated: no SIMD does its work in less than its pipes take, so no launch is above the peak.
  r.cycles = std::max(r.cycles, std::max(matrix_clocks, valu_clocks) / (units * simds));
  const double clocks = std::max(1.0, r.cycles * units);
  r.matrix_utilisation = matrix_clocks / (clocks * simds), r.valu_utilisation = valu_clocks / (clocks * simds);
  r.lds_utilisation = whole(f.lds_clocks, lds) / (clocks * t.lds_cores);
  r.issue_utilisation = issued * t.wave_interval / (clocks * simds);
  r.steady_matrix_utilisation = static_cast<double>(detailed.matrix_clocks) / (simulated_clocks() * simds);
  r.launch_seconds = t.launch_ns * 1e-9;
}

void LaunchTiming::limit() {
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
      {Limit::l2, std::max(f.l2_clocks, f.l2_write_clocks) / path_clocks},
      {Limit::fabric, f.fabric_clocks / path_clocks},
      {Limit::mall, f.mall_clocks / path_clocks},
      {Limit::memory, f.memory_clocks / path_clocks},
      {Limit::issue, static_cast<double>(detailed.instructions) * t.wave_interval / (cycles * simds * categories)}};
  r.limit = limit_of(r);
}

bool LaunchTiming::known_enough() {
  if (!o.enough || unlike()) return false;
  const std::vector<GroupTrace> as_traced = traced.groups;  // trips are cut out of them
  for (GroupTrace& g : traced.groups)
    for (WaveTrace& w : g.waves) w.level.assign(w.data.size(), static_cast<u8>(Level::l2));
  const size_t said = r.assumptions.size();
  simulate_at_clock();
  r.loops = find_loops(*traced.program, list, detailed.steps, static_cast<u64>(t.wave_interval));
  r.at_least = o.enough(r);
  if (r.at_least) return true;
  traced.groups = as_traced;
  r.assumptions.resize(said);
  r.clock_mhz = first_clock();
  return false;
}

void LaunchTiming::listing() {
  r.loops = find_loops(*traced.program, list, detailed.steps, static_cast<u64>(t.wave_interval));
  if (!o.list) return;
  std::vector<size_t> order(list.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return traced.program->steps[a].pc < traced.program->steps[b].pc; });
  std::vector<u32> place(list.size());
  for (const size_t i : order) {
    const StepStats& s = detailed.steps[i];
    place[i] = static_cast<u32>(r.list.size());
    r.list.push_back({traced.program->steps[i].pc, traced.program->steps[i].text(), list[i].unit, list[i].busy, work(i),
                      s.issued, s.issued * static_cast<u64>(t.wave_interval), s.stalled, s.conflicts});
    r.list.back().where = object.where(r.list.back().pc);
  }
  for (Loop& l : r.loops) l.label = object.name_at(l.first), l.where = object.where(l.first);
  r.events = std::move(detailed.events), r.waves = std::move(detailed.waves);
  for (Event& e : r.events) e.step = place[e.step];
}

}  // namespace wavesmith::timing
