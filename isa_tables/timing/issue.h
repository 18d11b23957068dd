// What a scheduler needs to know about an instruction: the memory it accesses, LLVM's scheduling classes, and its cost
// for one wave. All of it is derived from the instruction's row and the classes of issue.def.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

struct Timing;  // timing.h

// -- Memory ----------------------------------------------------------------------------------------------------------
enum MemoryUse : uint8_t { no_memory = 0, lds_read = 1, lds_write = 2, global_read = 4, global_write = 8 };
// Memory bits of one instruction; an atomic without return counts as a write, a flat access accesses both memories.
uint8_t memory_of(const Inst&);
// A lane's data goes through the LDS crossbar to another lane, and memory is not touched.
bool is_crossbar(Opcode);
// Has an effect that no register, memory or implicit bit of its row describes (s_barrier, s_setprio, s_waitcnt, cache
// control, MODE, branches, relative register addressing): nothing may be moved across it.
bool is_fence(const Inst&);

// -- LLVM's scheduling classes ---------------------------------------------------------------------------------------
// The mask bits of llvm.amdgcn.sched.barrier and llvm.amdgcn.sched.group.barrier (LLVM 22 AMDGPUUsage,
// AMDGPUIGroupLP.cpp).
namespace sched {
enum Class : uint16_t {
  alu = 0x1,
  valu = 0x2,
  salu = 0x4,
  matrix = 0x8,
  vmem = 0x10,
  vmem_read = 0x20,
  vmem_write = 0x40,
  ds = 0x80,
  ds_read = 0x100,
  ds_write = 0x200,
  trans = 0x400,
  all = 0x7ff,
};
}  // namespace sched
// The classes of an instruction; 0 for scalar memory, branches and messages, which are in no class of LLVM.
int sched_classes(const Inst&);
// May it cross sched_barrier(mask)? As in LLVM: `alu` stands for its four kinds, a bit for one kind of `vmem` or `ds`
// permits only that kind, and an instruction of two kinds (LDS-DMA reads and writes) needs both. An instruction without
// a class never crosses.
bool may_cross(int mask, const Inst&);

// -- Issue costs -----------------------------------------------------------------------------------------------------
struct Issue {
  int busy = 0;   // clocks its unit is busy
  int ready = 0;  // clocks until a dependent instruction may issue
  // can issue while a matrix instruction executes; packed f32 on gfx9 and VALU on RDNA cannot
  bool beside_matrix = true;
  int before_matrix = 0;  // clocks that a following matrix instruction waits, once its unit is free
};
// Clocks of the VALU that an instruction of a wave32 wave (gfx9: wave64) takes, by the class of its row. Classes follow
// from the row's shape; the few opcodes for which they do not are named. Not for matrix instructions.
double valu_clocks(const Inst&, const Timing&);
// Error: IsaError for a class that issue.def has no row for on this target.
Issue issue_of(const Inst&, Arch);
bool awaits_matrix_results(Arch);  // the hardware interlocks early reads; on gfx9 the hazard rows state the distance
int slot_clocks(
    Arch);  // a wave64 wave of gfx9 issues at most once in four clocks, a wave32 wave in one (timing.csv "issue")
// Issue slots of other instructions that a matrix instruction hides: on gfx9 its passes except the first, during which
// nothing co-issues (SHADOW and WINDOW rows; measured: three under 16 clocks on gfx942). 0 for other instructions.
int hidden_slots(const Inst&, Arch);

}  // namespace wavesmith::isa
