#include "generator/dsl/program.h"

namespace wavesmith {

int Program::accum_offset() const { return (std::max(vgprs, 1) + 3) / 4 * 4; }
int Program::total_vgprs() const {
  const auto& t = isa::target(arch);
  return t.unified && agprs ? accum_offset() + agprs : std::max(vgprs, agprs);
}

}  // namespace wavesmith
