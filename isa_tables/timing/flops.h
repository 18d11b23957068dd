// Flops of vector instructions, for rooflines.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Flops per lane, for a pair those of both halves; 0: none. Matrix instructions: Matrix::flops.
int lane_flops(Opcode);
int lane_flops(const Inst&);

}  // namespace wavesmith::isa
