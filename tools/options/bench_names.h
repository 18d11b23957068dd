// The further options of hipblaslt-bench and rocblas-bench, so that their command lines can be pasted.
#pragma once
#include <CLI/CLI.hpp>

#include "tools/options/gemm_options.h"

namespace wavesmith::tools {

// Adds those that GemmOptions and the problem do not have: each sets `gemm` or `init`, has no effect on one run, or is
// refused with InputError by its name.
void declare_bench_names(CLI::App&, GemmOptions& gemm, std::string& init);

}  // namespace wavesmith::tools
