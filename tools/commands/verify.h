// The kernels that `wavesmith verify` supports, one file each.
#pragma once
#include "runtime/device.h"
#include "tools/commands/commands.h"

namespace wavesmith::tools {

Command add_verify_attention(CLI::App&);
Command add_verify_gemm(CLI::App&);

// Declares the options of `verify` for a kernel and a problem. The result generates the kernel and launches it once on
// a device, with generated operands. gpu: the one that `time` is asked for, or empty.
using LaunchOn = std::function<void(runtime::Device&, const std::string& gpu)>;
LaunchOn add_attention_launch(CLI::App&);
LaunchOn add_gemm_launch(CLI::App&);

}  // namespace wavesmith::tools
