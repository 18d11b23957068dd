// Latencies of ALU results on targets with s_delay_alu, from LLVM 22's scheduling models (probed with its pass
// amdgpu-insert-delay-alu). Clocks from issue until the result may be read, at one instruction issued per clock.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

struct AluLatency {
  int valu = 5, trans = 10, matrix = 16, salu = 2;  // valu: 32 bits; doubles and 32-bit integer products take longer
  bool matrix_is_trans = false;                     // matrix instructions count as transcendental ones
};
AluLatency alu_latency(Arch);

}  // namespace wavesmith::isa
