// The kinds of kernels that `wavesmith verify` knows, one file each.
#pragma once
#include "tools/commands.h"

namespace wavesmith::tools {

Command add_verify_attention(CLI::App&);
Command add_verify_gemm(CLI::App&);

}  // namespace wavesmith::tools
