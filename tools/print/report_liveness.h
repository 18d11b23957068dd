// How many registers of each file hold a value that is still wanted, before every instruction of a program: register
// pressure.
#pragma once
#include <vector>

#include "simulator/program.h"

namespace wavesmith::tools {

struct Live {
  int vgprs = 0, agprs = 0, sgprs = 0;
};  // at an instruction: read by it or later, or written by it; SGPRs without VCC, M0, EXEC

struct Pressure {
  std::vector<Live> at;  // one for each of Program::steps
  int indirect = 0;      // jumps and calls through registers: their targets are not followed
};

// Backward data flow to a fixpoint. A write ends the value before it although lanes may be off, as compilers count;
// where the lanes of two branches share a register, that is a little less than silicon holds. v_writelane and writes of
// one half of a register end nothing.
Pressure pressure(const sim::Program&, isa::Arch, int wave_size);

}  // namespace wavesmith::tools
