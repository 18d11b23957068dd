// The table row of a buffer load has the data operand first; the form with the LDS modifier has none.
#include "generator/dsl/lds_dma.h"

#include <algorithm>

namespace wavesmith {

Node& load_to_lds(Block& b, const LdsLoad& l, Where w) {
  const Vgpr no_data{0, isa::info(l.op).operands[0].dwords};
  Node& n = b.buffer(l.op, no_data, l.address, l.resource, l.soffset,
                     {.offset = l.offset, .flags = isa::offen | isa::lds}, w);
  auto& o = n.inst.operands;
  std::move(std::begin(o) + 1, std::end(o), std::begin(o));
  *(std::end(o) - 1) = {};
  n.buffer = l.buffer;
  return n;
}

}  // namespace wavesmith
