#include "isa_tables/timing/alu_latency.h"

#include "isa_tables/arch_sets.h"

namespace wavesmith::isa {

AluLatency alu_latency(Arch arch) {
  struct Row {
    ArchSet archs;
    AluLatency latency;
  };
  static constexpr Row rows[] = {
      {sets::gfx1250, {.trans = 7, .matrix_is_trans = true}},
  };
  for (const Row& r : rows)
    if (r.archs & bit(arch)) return r.latency;
  return {};
}

}  // namespace wavesmith::isa
