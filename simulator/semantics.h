// All semantics tables, and the look-up that joins them.
#pragma once
#include "simulator/lanes.h"

namespace wavesmith::sim {

std::span<const Semantics> salu_semantics();
std::span<const Semantics> salu_float_semantics();
std::span<const Semantics> control_semantics();
std::span<const Semantics> hwreg_semantics();
std::span<const Semantics> barrier_semantics();
std::span<const Semantics> int_semantics();
std::span<const Semantics> packed_semantics();  // and dot products of integers
std::span<const Semantics> compare_semantics();
std::span<const Semantics> lane_semantics();
std::span<const Semantics> float_semantics();  // f32 and f64 arithmetic
std::span<const Semantics> transcendental_semantics();
std::span<const Semantics> half_semantics();  // f16, bf16, packed, mixed precision, dot products
std::span<const Semantics> float_compare_semantics();
std::span<const Semantics> convert_semantics();
std::span<const Semantics> scaled_convert_semantics();  // the 4-, 6- and 8-bit formats
std::span<const Semantics> lds_semantics();
std::span<const Semantics> global_semantics();
std::span<const Semantics> smem_semantics();
std::span<const Semantics> buffer_semantics();
std::span<const Semantics> typed_semantics();     // buffers with an element format
std::span<const Semantics> atomic_semantics();    // on every kind of memory
std::span<const Semantics> exchange_semantics();  // lanes through the LDS pipe, transposing loads
std::span<const Semantics> tensor_semantics();
std::span<const Semantics> wait_semantics();
void multiply_matrices(Wave&, const Step&);  // every matrix instruction; reads its table row

std::string register_name(const Wave&, int joint);  // "v7", "a7", "s7"; registers numbered as in RegSet

// -- Barriers (barriers.cpp) --
void signal(Wave&, int barrier, u64 pc);  // counts as this wave's arrival
void wait(Wave&, int barrier);            // blocks the wave until a completion it has not waited for yet
bool leave(Workgroup&, int barrier);      // removes one member; true: it was the last
inline bool clustered(const Wave& w) { return w.group->cluster && w.group->cluster->hardware; }

// A scalar result that returns like a scalar load's: not before a wait.
void deliver(Wave&, const Step&, u64 value, int dwords);

Execute semantics(isa::Opcode);   // nullptr: none
bool executes(const isa::Inst&);  // whether all of it has semantics

}  // namespace wavesmith::sim
