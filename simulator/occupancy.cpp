#include "simulator/occupancy.h"

#include <algorithm>

namespace wavesmith::sim {

isa::Resources resources(isa::Arch arch, const KernelInfo& k, uint64_t work_items, uint32_t dynamic_lds) {
  const isa::Target& t = isa::target(arch);
  const auto lanes = static_cast<uint64_t>(k.wave_size);
  isa::Resources r;
  r.vgprs = t.unified ? std::min(k.accum_offset, k.vgprs) : k.vgprs;
  r.agprs = t.unified ? std::min(t.agprs, k.vgprs - r.vgprs) : 0;
  r.sgprs = std::max(
      0, std::min(k.sgprs_counted - 6, t.sgprs));  // 6: VCC, FLAT_SCRATCH, XNACK_MASK, which the count includes
  r.lds_bytes = static_cast<int>(k.lds_bytes + dynamic_lds);
  r.wave_size = k.wave_size;
  r.waves_per_group = static_cast<int>(std::max<uint64_t>(1, (work_items + lanes - 1) / lanes));
  return r;
}

}  // namespace wavesmith::sim
