// How many waves of one kernel a SIMD holds at a time, and which resource limits them. The hardware places whole
// workgroups, so room for half a workgroup does not count; compilers that count only waves report more.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

inline constexpr int most_clustered = 16;  // workgroups of a cluster, on targets that have clusters (CDNA5 ISA 2.3)

struct Resources {
  int vgprs = 0, agprs = 0, sgprs = 0;  // per wave; sgprs without VCC and the other special registers (gfx9)
  int lds_bytes = 0;                    // per workgroup, static and dynamic
  int waves_per_group = 4;
  int wave_size = 0;  // lanes; 0: the target's default
};

struct Occupancy {
  enum class By : uint8_t { wave_slots, vgprs, sgprs, lds, group_slots };
  struct Limit {
    By by;
    int groups;
    int waves_per_simd;
  };  // what this limit and the wave slots allow; waves on the fullest SIMD
  std::array<Limit, 5> limits;                                // in the order of By
  By limited_by{};                                            // the first limit that equals the result
  int groups = 0, waves_per_simd = 0, max_waves = 0;          // 0 groups: no workgroup fits
  int vgprs_granted = 0, sgprs_granted = 0, lds_granted = 0;  // after rounding up; VGPRs with AGPRs in a unified file
  int granule = 0;                                            // of VGPRs
  int vgprs_free = 0;                                         // more registers a wave could have at the same occupancy
};
const char* name(Occupancy::By);

// Registers of the VGPR file that a wave with these uses, before rounding to granules. In a unified file AGPRs begin at
// a multiple of four.
int vgprs_in_file(const Target&, int vgprs, int agprs);

// groups(vgprs) = floor(floor(file / granted) * simds / waves_per_group); groups(lds) = floor(pool / granted); the
// others likewise. Sources: AMDGPUUsage (granules), CDNA3 ISA 3.x (800 SGPRs in blocks of 16), tests/facts/timing.csv
// "occupancy". Error: IsaError for more than the target can address, grant or launch.
Occupancy occupancy(Arch, const Resources&);

}  // namespace wavesmith::isa
