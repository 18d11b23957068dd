// All semantics tables, and the look-up that joins them.
#pragma once
#include "simulator/lanes.h"

namespace wavesmith::sim {

std::span<const Semantics> salu_semantics();
std::span<const Semantics> valu_semantics();
std::span<const Semantics> lds_semantics();
std::span<const Semantics> global_semantics();
std::span<const Semantics> smem_semantics();
std::span<const Semantics> buffer_semantics();
std::span<const Semantics> atomic_semantics();             // on every kind of memory
std::span<const Semantics> exchange_semantics();           // lanes through the LDS pipe, transposing loads
std::span<const Semantics> tensor_semantics();
std::span<const Semantics> wait_semantics();
void multiply_matrices(Wave&, const Step&);                // every matrix instruction; reads its table row

// -- Barriers (execute.cpp) --
void signal(Wave&, int barrier);                           // counts as this wave's arrival
void wait(Wave&, int barrier);                             // holds the wave until the phase it signaled in is over

Execute semantics(isa::Opcode);                            // nullptr: none

}  // namespace wavesmith::sim
