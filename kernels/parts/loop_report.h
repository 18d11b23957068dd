// Counts the non-matrix instructions of a kernel's main loop, per wave and iteration.
#pragma once
#include "generator/dsl/program.h"

namespace wavesmith {

struct LoopReport {
  int matrix_cycles = 0, other_instructions = 0;
  double slots_per_matrix_cycle() const {
    return matrix_cycles ? static_cast<double>(other_instructions) / matrix_cycles : 0;
  }
};
LoopReport report(const Program&);  // counts the nodes marked hot

}  // namespace wavesmith
