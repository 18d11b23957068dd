// All semantics tables, and the look-up that joins them.
#pragma once
#include "simulator/lanes.h"

namespace wavesmith::sim {

std::span<const Semantics> salu_semantics();
std::span<const Semantics> valu_semantics();
std::span<const Semantics> float_semantics();              // f32 and f64 arithmetic
std::span<const Semantics> transcendental_semantics();
std::span<const Semantics> half_semantics();               // f16, bf16, packed, mixed precision, dot products
std::span<const Semantics> float_compare_semantics();
std::span<const Semantics> convert_semantics();
std::span<const Semantics> scaled_convert_semantics();     // the 4-, 6- and 8-bit formats
std::span<const Semantics> lds_semantics();
std::span<const Semantics> global_semantics();
std::span<const Semantics> global_atomics();               // their order between workgroups matters
std::span<const Semantics> wait_semantics();
void multiply_matrices(Wave&, const Step&);                // every matrix instruction; reads its table row

// -- Barriers (execute.cpp) --
void signal(Wave&, int barrier);                           // counts as this wave's arrival
void wait(Wave&, int barrier);                             // holds the wave until the phase it signaled in is over

Execute semantics(isa::Opcode);                            // nullptr: none

}  // namespace wavesmith::sim
