// What `bench gemm` and `bench attention` share: the device, iterations, other implementations, and where results go.
#pragma once
#include <CLI/CLI.hpp>

#include "runtime/bench.h"
#include "runtime/sim_device.h"
#include "tools/bench/peer_file.h"
#include "tools/bench/problem_list.h"
#include "tools/bench/results.h"
#include "tools/options/model_options.h"

namespace wavesmith::tools {

struct BenchOptions {
  std::string device = "sim", problems;
  ModelOptions model;
  runtime::Iterations count;
  uint64_t rotating = 0;  // MiB
  bool flush = false, verify = false, json = false, csv = false;
  std::vector<std::string> output, against, against_co, metadata;
  void declare(CLI::App&);
  void declare_output(CLI::App&);  // -o, --csv, --json
  // Those that a line of a list of problems may set.
  void declare_iterations(CLI::App&);
  void check() const;  // InputError: options that do not go together
};

// The device of a benchmark: a GPU, or the timing model, which needs no more than one iteration.
struct BenchDevice {
  std::unique_ptr<runtime::Device> device;
  runtime::TimingDevice* model = nullptr;
};
BenchDevice open_device(const BenchOptions&);

// A way to compute a problem.
struct Implementation {
  std::string by, kernel;
  runtime::Iteration enqueue;
};
// arch: of the kernel that empties the instruction cache.
std::vector<Measured> measure(const BenchOptions&, const BenchDevice&, const std::vector<Implementation>&, isa::Arch);

// The columns that all rows of a run share, and those of a row's measurement.
Columns made_with(const BenchOptions&, const BenchDevice&);
Columns measured_with(const BenchOptions&, const BenchDevice&);

// Files of --against-co and --meta.
std::vector<PeerFile> load_peers(const BenchOptions&);

// Prints the run and writes its files. The exit status: answer_is_no if a result is wrong.
int deliver(const BenchOptions&, const BenchRun&, const std::vector<std::string>& brief, const std::string& wrong);

// Parses `options` of a list's problem into `app`. InputError: with the file and line.
void parse_problem(CLI::App& app, const ListedProblem&, const std::string& file);

}  // namespace wavesmith::tools
