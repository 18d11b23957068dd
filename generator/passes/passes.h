// The passes between the author's instructions and assembly. They lower waits and check hazards; none of them reorders.
#pragma once
#include "generator/dsl/node.h"

namespace wavesmith {

struct Kernel;

struct HazardError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Where targets bring the first arguments into SGPRs by themselves (gfx1250): loads of these before the first label
// become moves at the kernel's beginning, of registers that nothing uses before. Call it before the waits are inserted.
// Returns the dwords of arguments that the descriptor asks for.
int preload_arguments(Kernel&);

// Replaces the wait directives and inserts, before every instruction that would read or overwrite a register in flight,
// the weakest waits of the target that cover it; a load over an older load of the same in-order kind needs none. The
// in-flight state is joined over the control flow to a fixpoint.
void insert_waits(std::vector<Node>&, Arch);

// Inserts the fewest s_nop, v_nop or ALU waits that the target's hazard rows require. In a hot loop it throws
// HazardError instead, naming the rule, the producer, the consumer and the missing wait states, unless `hot_nops`.
void resolve_hazards(std::vector<Node>&, Arch, bool hot_nops = false);

// Inserts s_set_vgpr_msb where an instruction names registers of other banks of 256 than the mode. Each one also
// selects the banks that the instructions after it need, as far as they agree. Behind a label the mode is unknown.
void select_banks(std::vector<Node>&);
// The instruction as it is encoded: register numbers within their banks.
Inst in_banks(Inst);

// Inserts s_delay_alu before an instruction that needs a recent result, with two dependences per hint where they fit.
// Does nothing on targets without it. Call last: the hints count instructions.
void insert_delays(std::vector<Node>&, Arch);

}  // namespace wavesmith
