// A kernel decoded for execution: every instruction reachable from its entry, once, with operands resolved.
#pragma once
#include <algorithm>

#include "simulator/wave.h"

namespace wavesmith::sim {

struct DecodedKernel {
  std::vector<Step> steps;                    // steps[0] is the entry
  std::vector<std::pair<u64, int>> by_place;  // ascending
  bool multiplies = false;                    // has matrix instructions, with
  size_t fragments = 0, chains = 0;           // this many operands and accumulators (deferred.h)
  bool uses_lds = true;                       // some step moves bytes of the LDS
  bool reads_time = false;                    // reads a clock or counter of progress
  std::vector<bool> atomic_loads;             // by step (atomic_loads.h); empty: none
  bool orders_workgroups = false;  // has global atomics whose order is visible: workgroups run in order, one by one
  // The same code under different s_set_vgpr_msb is different steps: a place is an address plus that state.
  static u64 place(u64 address, u8 msb) { return address | u64{msb} << 56; }
  int find(u64 place) const {
    const auto it = std::ranges::lower_bound(by_place, place, {}, &std::pair<u64, int>::first);
    return it == by_place.end() || it->first != place ? absent : it->second;
  }
};

// Offsets added to the VGPR numbers of an instruction's sources and destination.
struct Shift {
  std::array<int, 3> source{};
  int destination = 0;
};
Shift shift_of(u8 msb);  // for a value of s_set_vgpr_msb
// Shifts each VGPR operand by its slot (isa::register_slots).
void shift_registers(isa::Inst&, const Shift&);
// The step with other registers: relative addressing (gfx9's GPR_IDX).
Step shifted(const Step&, const Shift&, const isa::Target&, const KernelInfo&);
// As it is, without a text.
Step ready(const Step&, isa::Arch, const KernelInfo&);

// Where a branch or call with a label operand goes from an instruction that ends at `end`.
std::optional<u64> branch_target(const isa::Inst&, u64 end);
// The text of such an instruction with the name of its target, unless that is empty: "s_branch k_loop".
std::string with_label(std::string text, std::string_view name);

// Instructions that cannot be decoded become steps that fault when executed.
DecodedKernel decode(const CodeObject&, const KernelInfo&);

}  // namespace wavesmith::sim
