// Workgroups of a launch by what they execute. How often each instruction is executed is found for all workgroups by
// running only what decides their branches (slice.h), a small part of a kernel.
#pragma once
#include "simulator/timing/found.h"
#include "simulator/timing/trace.h"

namespace wavesmith::timing {

struct WorkgroupKind {
  u64 instructions = 0;       // of one workgroup: the one that stands for the kind
  u64 example = 0;            // its number in the launch, x fastest
  u64 workgroups = 0;         // of this kind
  std::vector<u64> executed;  // by step, of all of them together
  FoundValues found;          // by the example's atomics
};
// Workgroups that execute about the same number of instructions are one kind.
struct WorkgroupKinds {
  std::vector<WorkgroupKind> kinds;  // by instructions, fewest first
  u64 every = 1;          // each such workgroup was looked at; those in between are taken to be like the one before
  std::vector<u16> kind;  // by workgroup looked at: index of its kind
  std::vector<u64> instructions;  // likewise, its own
  size_t of(u64 workgroup) const { return kind[workgroup / every]; }
  double instructions_of(u64 workgroup) const { return static_cast<double>(instructions[workgroup / every]); }
  std::vector<double> executed(u64 workgroups) const;  // by step, of the whole launch
};
// A cluster counts as one workgroup, its first. Where branches cannot be followed alone (keep_branches), `otherwise` is
// computed. Nothing where that is all of the program, or where they depend on what atomics return and only some
// workgroups are looked at. The program as decoded. `some`: a few workgroups, for the branches that go by data.
std::optional<WorkgroupKinds> find_kinds(const sim::CodeObject&, const sim::KernelInfo&, sim::DecodedKernel,
                                         sim::Memory&, const sim::Launch&, const Traced& some, Computed otherwise,
                                         u64 dies, int jobs);

}  // namespace wavesmith::timing
