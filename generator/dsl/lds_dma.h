// Loads directly to LDS, without data registers. The LDS address is M0 + offset + 4 bytes (16 for dwordx4) times the
// lane; the same offset applies to the memory address. LDS is therefore swizzled by choosing the memory addresses.
#pragma once
#include "generator/dsl/block.h"

namespace wavesmith {

struct LdsLoad {
  Opcode op;     // buffer_load_dword; dwordx3 and dwordx4 on gfx950
  Vgpr address;  // bytes, per lane
  Sgpr resource;
  SSrcArg soffset = 0;
  int offset = 0;
  std::optional<int> buffer{};  // LDS buffer tag
};
// M0 must be set. Error: IsaError, as for Block::emit.
Node& load_to_lds(Block&, const LdsLoad&, Where = Where::current());

}  // namespace wavesmith
