// sched_group_barrier pipelines and LLVM's predefined ones (iglp_opt), as added dependences of a region.
#pragma once
#include <functional>

#include "generator/schedule/dependences.h"

namespace wavesmith {

struct InstructionGroup {
  using Rule = std::function<bool(const std::vector<InstructionGroup*>& pipe, size_t place,
                                  int node)>;  // of groups with one sync id, this one's position
  int mask, size, sync;
  int until;                        // region nodes before this one may join: those before the directive
  const Node* directive = nullptr;  // null: of a predefined pipeline, whose groups may be empty
  std::vector<Rule> rules{};        // all must hold for members
  std::vector<int> members{};
};

// Assigns instructions to groups and orders the groups of one sync id in sequence. LLVM's greedy rule: instructions in
// program order, each to the first group with room whose position violates the fewest dependences; what cannot be
// ordered is unchanged. Sync ids are independent: one instruction may be in a group of each.
void form_groups(const std::vector<const Node*>& region, std::vector<InstructionGroup>& groups, Dependences&);

// Whether a node of a region is an instruction of one of these classes (isa::sched).
bool in_class(const Node&, int mask);

// The groups of an iglp_opt directive, as LLVM 22 defines them before it allocates registers:
//   0: small GEMM: one matrix instruction, two LDS accesses, repeated
//   1: small GEMM, one wave: LDS reads, then LDS writes and global loads, alternating with matrix instructions
//   2: exp interleave, for the second product of attention
//   3: simple exp interleave: a matrix instruction and a transcendental alternate
// 1 is in single_wave_gemm.cpp, 2 in exp_interleave.cpp. The groups' rules refer to region and dependences. Error:
// IsaError for 2 in a region that has neither of its two supported shapes; LLVM ignores it there.
std::vector<InstructionGroup> iglp_groups(const Node& directive, const std::vector<const Node*>& region,
                                          const Dependences&);
std::vector<InstructionGroup> single_wave_gemm(const std::vector<const Node*>& region, const Dependences&);
std::vector<InstructionGroup> exp_interleave(const Node& directive, const std::vector<const Node*>& region,
                                             const Dependences&);

}  // namespace wavesmith
