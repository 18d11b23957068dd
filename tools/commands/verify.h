// The kernels that `wavesmith verify` supports, one file each.
#pragma once
#include "runtime/device.h"
#include "tools/commands/commands.h"

namespace wavesmith::tools {

Command add_verify_attention(CLI::App&);
Command add_verify_gemm(CLI::App&);

// Declares the options of `verify` for a kernel and a problem. The result generates the kernel and launches it once on
// a device, with generated operands.
struct LaunchFor {
  std::string gpu;    // the one that `time` is asked for, or empty
  bool cold = false;  // the memory-side cache holds nothing of the operands
};
using LaunchOn = std::function<void(runtime::Device&, const LaunchFor&)>;
LaunchOn add_attention_launch(CLI::App&);
LaunchOn add_gemm_launch(CLI::App&);

}  // namespace wavesmith::tools
