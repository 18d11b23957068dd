// A prepared launch: kernel arguments and dispatch packet in device memory, and the initial state of each workgroup.
#pragma once
#include "simulator/wave.h"

namespace wavesmith::sim {

struct Launched {
  isa::Arch arch;
  const isa::Target* target;
  const KernelInfo* kernel;
  const Memory* memory;
  const Options* options;
  const Launch* launch;
  bool replays = false, keeps_half = false;  // from the code object and the target
  bool fills_lds = true;                     // with bytes that stand for undefined ones
  u64 kernarg = 0, packet = 0, queue = 0, image = 0;
  std::vector<u8> kernarg_bytes;
  u32 lds_bytes = 0;
  std::array<u32, 3> cluster{1, 1, 1};  // workgroups of one
  std::array<u32, 3> clusters() const {
    return {launch->grid[0] / cluster[0], launch->grid[1] / cluster[1], launch->grid[2] / cluster[2]};
  }
  u32 groups_per_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
  u64 scratch = 0, scratch_bytes = 0,
      group_scratch = 0;  // device address; bytes a lane; bytes a workgroup
  unsigned slots = 0;     // clusters that may be under way, one a host thread
  void release(Memory&) const;
};

// LoadError: the target does not support the sizes of the launch or of the kernel.
void check_launch(const CodeObject&, const KernelInfo&, const Launch&);
// For a launch that passed the check. LoadError: argument bytes do not fit the kernel.
// jobs: clusters under way at first; room: those that the device holds and the grid has.
Launched prepare(const CodeObject&, const KernelInfo&, Memory&, const Launch&, const Options&, unsigned jobs,
                 unsigned room);
std::array<u32, 3> cluster_of(const KernelInfo&, const Launch&);
// The state of a wave at its first instruction; AMDGPUUsage "Initial Kernel Execution State".
// The workgroup's position in the grid is its cluster's plus `in_cluster`.
void start_workgroup(Workgroup&, std::vector<Wave>&, std::vector<u32>& registers, const Launched&, Cluster&,
                     std::array<u32, 3> in_cluster, u64 scratch);

}  // namespace wavesmith::sim
