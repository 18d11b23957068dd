// The table row of a buffer load has the data operand first; with the LDS modifier its place is empty.
#include "generator/dsl/lds_dma.h"

namespace wavesmith {

Node& load_to_lds(Block& b, const LdsLoad& l, Where w) {
  const Vgpr no_data{0, isa::info(l.op).operands[0].dwords};
  Node& n = b.buffer(l.op, no_data, l.address, l.resource, l.soffset,
                     {.offset = l.offset, .flags = isa::offen | isa::lds}, w);
  n.inst.operands[0] = {};
  n.buffer = l.buffer;
  return n;
}

}  // namespace wavesmith
