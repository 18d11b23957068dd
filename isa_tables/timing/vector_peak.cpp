#include "isa_tables/timing/vector_peak.h"

#include <algorithm>

#include "isa_tables/opcodes.h"
#include "isa_tables/timing/flops.h"
#include "isa_tables/timing/timing.h"

namespace wavesmith::isa {

VectorPeak vector_peak(Arch arch, VectorType type) {
  const Target& t = target(arch);
  const Timing& clocks = timing(arch);
  const auto rate = [&](Opcode op, int instructions, double busy) {
    return instructions * lane_flops(op) * t.wave_size * t.simds_per_cu / busy;
  };
  if (type == VectorType::f64) return {"v_fma_f64", rate(Opcode::v_fma_f64, 1, clocks.valu_f64)};
  std::vector<VectorPeak> forms{{"v_fma_f32", rate(Opcode::v_fma_f32, 1, clocks.valu_full)}};
  if (info(Opcode::v_pk_fma_f32).on(arch))
    forms.push_back({"v_pk_fma_f32", rate(Opcode::v_pk_fma_f32, 1, clocks.valu_packed_f32)});
  if (const Pairing p = pairing(Opcode::v_fmac_f32); (p.first & p.second & bit(arch)) != 0)
    forms.push_back({"v_dual_fmac_f32", rate(Opcode::v_fmac_f32, 2, clocks.valu_full)});
  return *std::ranges::max_element(forms, {}, &VectorPeak::flops_per_clock);
}

}  // namespace wavesmith::isa
