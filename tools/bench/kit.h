// A bundle to benchmark on a machine with a GPU and nothing of ours: `bench kit DIR` writes it, its run.sh runs it
// there, `bench import DIR` reads what came back.
#pragma once
#include "tools/bench/bench_options.h"
#include "tools/reference/attention_case.h"
#include "tools/reference/gemm_case.h"

namespace wavesmith::tools {

// Kernels, cases.txt, the host program bench.c, run.sh, and kit.json, which says what the cases are. Returns the exit
// status. InputError: a folder that is not empty, and as bench_gemm.
int write_kit(const std::string& folder, const BenchOptions&, const GemmQuestion&);
int write_kit(const std::string& folder, const BenchOptions&, const AttentionQuestion&);

// The results of a kit's run; `results` is its results.csv where that is elsewhere. Prints and keeps them as the
// options say. The exit status: answer_is_no if a result was wrong. InputError, FileError.
int import_kit(const std::string& folder, const std::string& results, const BenchOptions&);

}  // namespace wavesmith::tools
