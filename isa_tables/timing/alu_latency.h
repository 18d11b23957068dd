// How long results of the ALUs take on targets with s_delay_alu, as LLVM 22's scheduling models have it (probed with
// its pass amdgpu-insert-delay-alu). Clocks from issue until the result may be read, an instruction issuing one a
// clock.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

struct AluLatency {
  int valu = 5, trans = 10, matrix = 16, salu = 2;  // valu: 32 bits; doubles and 32-bit integer products take longer
  bool matrix_is_trans = false;  // the matrix pipe counts among the transcendental one's instructions
};
AluLatency alu_latency(Arch);

}  // namespace wavesmith::isa
