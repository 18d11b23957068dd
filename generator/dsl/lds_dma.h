// Loads that go directly to LDS: no data register, and the address in LDS is M0 + offset + 4 bytes (16 for dwordx4)
// times the lane, the same offset counting in memory. What is swizzled in LDS is therefore swizzled by the addresses in
// memory.
#pragma once
#include "generator/dsl/block.h"

namespace wavesmith {

struct LdsLoad {
  Opcode op;     // buffer_load_dword; dwordx3 and dwordx4 on gfx950
  Vgpr address;  // bytes, a lane
  Sgpr resource;
  SSrcArg soffset = 0;
  int offset = 0;
  int buffer = -1;  // LDS buffer tag
};
// M0 has to be set. Error: IsaError as of Block::emit.
Node& load_to_lds(Block&, const LdsLoad&, Where = Where::current());

}  // namespace wavesmith
