// Measured launches of ROCm/aiter's kernels (tests/facts/aiter_measured.csv), and how each is launched as it was
// measured.
#pragma once
#include <map>
#include <optional>

#include "tests/support/aiter_launch.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {

// A row of the table.
struct Measured {
  std::string file;  // of the code object, below the folder hsa
  const isa::Gpu* gpu = nullptr;
  uint32_t m = 0, n = 0, k = 0, split = 1;  // of a mixture of experts: tokens, inner and outer dimension
  uint32_t experts = 0, topk = 0;
  bool bias = false, to_f32 = false;
  double us = 0;
  std::string left_out;  // why the time is not one of this launch; empty: it is
  size_t line = 0;       // in the table
  std::string family() const;
  std::string shape() const;
};
std::vector<Measured> measured_launches(const std::string& facts);

// A code object as the lists beside the code objects have it (hsa/ARCH/FAMILY/*.csv).
struct AiterKernel {
  std::string file, list;
  uint32_t tile_m = 0, tile_n = 0;
  bool splits = false, shuffled = false, takes_bias = true, unsorted = false, smooth = false;
  uint32_t persistent = 0;  // workgroups per CU; 0: as many as there is work
};
using AiterKernels = std::map<std::string, AiterKernel>;
AiterKernels aiter_kernels(const std::string& production);
// Of the file's name alone, for a folder that is not there.
AiterKernel named_kernel(const std::string& file);

struct PreparedLaunch {
  sim::Launch launch;
  double argument_bytes = 0;  // of what the tuner copies for each of its iterations
  double cleared_bytes = 0;   // by a kernel of its own before, which the measured time includes
};
// IsaError: no launch is known for the family.
PreparedLaunch prepare(const Measured&, const AiterKernel&, sim::Memory&);
// The kernels (and splits of K) that aiter's tuner runs for the row's problem.
std::vector<std::pair<AiterKernel, uint32_t>> candidates(const Measured&, const AiterKernels&);

struct Timed {
  double seconds = 0, mhz = 0, host_seconds = 0, trace_seconds = 0;
  std::string limit, fault;
};
// warm: as timing::Options has it; default: as the tuner's copies of the arguments leave the caches.
Timed time_kernel(const std::string& production, const Measured&, const AiterKernel&, std::optional<bool> warm = {});

}  // namespace wavesmith::validation
