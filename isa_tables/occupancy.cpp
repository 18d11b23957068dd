// Granules and files come from arch.def; the SGPR file is one for all of gfx9 (800 in blocks of 16) and no limit from
// gfx10 on, where every wave has its own full set.
#include "isa_tables/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::isa {
namespace {

constexpr int sgpr_file = 800, sgpr_granule = 16;  // gfx9, per SIMD (CDNA3 ISA 3.1.1; AMDGPUUsage)
constexpr int max_group_lanes = 1024;

int round_up(int n, int granule) { return (n + granule - 1) / granule * granule; }

void at_most(const Target& t, const char* what, int asked, int legal, int least = 0) {
  if (asked < least || asked > legal)
    throw IsaError(fmt::format("occupancy: {} {} on {}; legal: {} to {}", asked, what, t.name, least, legal));
}

void check(const Target& t, const Resources& r, int wave_size) {
  if (!t.runs_wave(wave_size))
    throw IsaError(fmt::format("occupancy: waves of {} on {}, legal: {}", wave_size, t.name,
                               t.wave_size == 32 && t.runs_wave(64) ? "32 or 64" : std::to_string(t.wave_size)));
  at_most(t, "VGPRs", r.vgprs, t.vgprs);
  at_most(t, "AGPRs", r.agprs, t.agprs);
  at_most(t, "SGPRs", r.sgprs, t.sgprs);
  at_most(t, "bytes of LDS", r.lds_bytes, t.lds_bytes);
  at_most(t, "waves in a workgroup", r.waves_per_group, max_group_lanes / wave_size, 1);
}

}  // namespace

int vgprs_in_file(const Target& t, int vgprs, int agprs) {
  return t.unified && agprs ? round_up(std::max(vgprs, 1), 4) + agprs : std::max(vgprs, agprs);
}

const char* name(Occupancy::By by) {
  constexpr const char* names[] = {"wave slots", "VGPRs", "SGPRs", "LDS", "workgroup slots"};
  return names[static_cast<int>(by)];
}

Occupancy occupancy(Arch arch, const Resources& r) {
  using By = Occupancy::By;
  const Target& t = target(arch);
  const int wave_size = r.wave_size ? r.wave_size : t.wave_size, per_file = t.wave_size == wave_size ? 1 : 2;
  check(t, r, wave_size);
  Occupancy o;
  o.max_waves = t.waves_per_simd;
  o.granule = t.vgpr_granule / per_file;
  const int file = t.vgpr_file / per_file, used = std::max(vgprs_in_file(t, r.vgprs, r.agprs), 1);
  o.vgprs_granted = round_up(used, o.granule);
  o.lds_granted = round_up(r.lds_bytes, t.lds_granule);
  const int fixed_sgprs = 6;  // VCC, FLAT_SCRATCH, XNACK_MASK
  o.sgprs_granted = t.wave_size == 64 ? round_up(r.sgprs + fixed_sgprs, sgpr_granule) : t.sgprs;

  const auto by_groups = [&](By by, int groups) {
    return Occupancy::Limit{by, groups, (groups * r.waves_per_group + t.simds_per_cu - 1) / t.simds_per_cu};
  };
  const auto by_waves = [&](By by, int waves) { return by_groups(by, waves * t.simds_per_cu / r.waves_per_group); };
  const auto vgpr_waves = [&](int granted) { return std::min(t.waves_per_simd, file / granted); };
  o.limits = {by_waves(By::wave_slots, t.waves_per_simd), by_waves(By::vgprs, vgpr_waves(o.vgprs_granted)),
              by_waves(By::sgprs,
                       t.wave_size == 64 ? std::min(t.waves_per_simd, sgpr_file / o.sgprs_granted) : t.waves_per_simd),
              r.lds_bytes ? by_groups(By::lds, t.lds_pool / o.lds_granted) : by_waves(By::lds, t.waves_per_simd),
              r.waves_per_group > 1 ? by_groups(By::group_slots, t.groups_per_cu)
                                    : by_waves(By::group_slots, t.waves_per_simd)};
  for (auto& l : o.limits)  // beside the wave slots, so that waves and workgroups of a limit go together
    if (l.groups > o.limits[0].groups) l.groups = o.limits[0].groups, l.waves_per_simd = o.limits[0].waves_per_simd;
  const auto tightest = std::min_element(o.limits.begin(), o.limits.end(),
                                         [](const auto& a, const auto& b) { return a.groups < b.groups; });
  o.limited_by = tightest->by;
  o.groups = tightest->groups;
  o.waves_per_simd = by_groups(By::lds, o.groups).waves_per_simd;
  const int most = t.unified ? t.vgprs + t.agprs : t.vgprs;
  int room = o.vgprs_granted;
  while (room + o.granule <= std::max(most, o.vgprs_granted) &&
         by_waves(By::vgprs, vgpr_waves(room + o.granule)).groups >= o.groups)
    room += o.granule;
  o.vgprs_free = std::max(0, std::min(room, most) - used);
  return o;
}

}  // namespace wavesmith::isa
