#include "kernels/parts/loop_report.h"

namespace wavesmith {

LoopReport report(const Program& p) {
  LoopReport r;
  for (const Node& n : p.nodes) {
    if (!n.hot || n.as<directive::Label>()) continue;
    const auto& row = n.inst.info();
    if (row.is_matrix()) r.matrix_cycles += isa::clocks(n.inst, p.arch);
    else ++r.other_instructions;
  }
  return r;
}

}  // namespace wavesmith
