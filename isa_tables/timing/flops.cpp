// The rows of flops.def by opcode.
#include "isa_tables/timing/flops.h"

#include <vector>

#include "isa_tables/opcodes.h"

namespace wavesmith::isa {

int lane_flops(Opcode op) {
  static const std::vector<int8_t> by_opcode = [] {
    std::vector<int8_t> list(table().size());
#define FLOPS(opcode, flops) list[static_cast<size_t>(Opcode::opcode)] = flops;
#include "isa_tables/timing/flops.def"
#undef FLOPS
    return list;
  }();
  return by_opcode[static_cast<size_t>(op)];
}
int lane_flops(const Inst& i) { return lane_flops(i.op) + (i.dual ? lane_flops(i.second) : 0); }

}  // namespace wavesmith::isa
