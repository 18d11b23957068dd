// A launch made ready: kernel arguments and dispatch packet in device memory, and the initial state of each workgroup.
#pragma once
#include "simulator/wave.h"

namespace wavesmith::sim {

struct Launched {
  isa::Arch arch;
  const isa::Target* target;
  const Kernel* kernel;
  const Memory* memory;
  const Options* options;
  const Launch* launch;
  u64 kernarg = 0, packet = 0, queue = 0, image = 0;
  std::vector<u8> kernarg_bytes;
  u32 lds_bytes = 0;
  u64 scratch = 0, scratch_bytes = 0, group_scratch = 0;   // device address; bytes a lane; bytes a work-group. One work-group a host thread is under way
  void release(Memory&) const;
};

// LoadError: argument bytes, block size or LDS do not fit the kernel or the target.
Launched prepare(const CodeObject&, const Kernel&, Memory&, const Launch&, const Options&, unsigned jobs);
// Everything a wave finds at its first instruction; AMDGPUUsage "Initial Kernel Execution State".
void start_workgroup(Workgroup&, std::vector<Wave>&, std::vector<u32>& registers, const Launched&, std::array<u32, 3> id, u64 scratch);

}  // namespace wavesmith::sim
