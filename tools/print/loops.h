// Loops of a kernel and what they issue, for `inspect --loops`.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "simulator/decoded_kernel.h"

namespace wavesmith::tools {

// A natural loop: the instructions from which its last branch can be reached without passing its first one again.
struct CodeLoop {
  uint64_t pc = 0, last = 0;     // of its first instruction, and of the last one that branches back to it
  int depth = 1;                 // 2: within one other loop
  std::string label, where;      // of its first instruction: symbol, source line; empty: none
  int instructions = 0;          // of one wave and iteration, every branch of the loop's inside counted once
  std::array<int, 9> by_unit{};  // index: isa::Unit
  int matrix_clocks = 0;         // for which they occupy the SIMD's matrix pipe
  int of(isa::Unit u) const { return by_unit[static_cast<size_t>(u)]; }
  int others() const { return instructions - of(isa::Unit::xdl); }
};
// In the order of addresses. Jumps to addresses in registers are not followed.
std::vector<CodeLoop> loops_of(const sim::CodeObject&, const sim::KernelInfo&);

}  // namespace wavesmith::tools
