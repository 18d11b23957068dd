// sched_group_barrier pipelines and LLVM's predefined ones (iglp_opt), as added dependences of a region.
#pragma once
#include <functional>

#include "generator/dependences.h"

namespace wavesmith {

struct SchedGroup {
  int mask, size, sync;
  int until;                                               // region nodes before this one may join: those above the directive
  const Node* directive = nullptr;                         // null: of a predefined pipeline, whose groups may stay empty
  std::function<bool(const std::vector<int>& members, int node)> rule = nullptr;   // null: any node of the classes
  std::vector<int> members{};
};

// Assigns instructions to groups and orders the groups of one sync id one behind the other. LLVM's greedy rule: instructions in
// program order, each to the first group with room whose place violates the fewest dependences; what cannot be ordered stays as
// it was. Sync ids are independent of each other: one instruction may serve a group of each.
void form_groups(const std::vector<const Node*>& region, std::vector<SchedGroup>& groups, Dependences&);

// The groups of an iglp_opt directive, as LLVM 22 defines them:
//   0  small GEMM: one matrix instruction, two LDS accesses, over and over
//   1  small GEMM, one wave: four LDS reads for the first matrix instructions; a read and a matrix instruction in turn; an LDS write,
//      128 bits of global loads and a matrix instruction in turn
//   3  simple exp interleave: a matrix instruction and a transcendental in turn
// Error: IsaError for 2, whose pipeline is fitted to the dependence graph of one attention kernel, and for 1 where v_perm_b32 feeds
// LDS writes, which LLVM pairs by a third rule.
std::vector<SchedGroup> iglp_groups(const Node& directive, const std::vector<const Node*>& region, const Dependences&);

}  // namespace wavesmith
