// Register pressure: the number of live registers of each file before every instruction of a program.
#pragma once
#include <vector>

#include "simulator/decoded_kernel.h"

namespace wavesmith::tools {

struct Live {
  int vgprs = 0, agprs = 0, sgprs = 0;
};  // at an instruction: read by it or later, or written by it; SGPRs without VCC, M0, EXEC

struct Pressure {
  std::vector<Live> at;  // one for each of Program::steps
  int indirect = 0;      // jumps and calls through registers: their targets are not followed
};

// Backward dataflow to a fixpoint. A write ends the previous value even if lanes may be disabled, as in compilers;
// where the lanes of two branches share a register, this counts slightly less than silicon holds. v_writelane and
// writes of one half of a register end nothing.
Pressure pressure(const sim::DecodedKernel&, isa::Arch, int wave_size);

}  // namespace wavesmith::tools
