// Floating-point work of vector instructions, for rooflines.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Operations of one lane, of both halves of a pair; 0: none that counts. Matrix instructions: Matrix::flops.
int lane_flops(Opcode);
int lane_flops(const Inst&);

}  // namespace wavesmith::isa
