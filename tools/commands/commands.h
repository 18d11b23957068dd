// The commands of `wavesmith`, one file each. `add_x` declares the options and returns the function to run once they
// are parsed.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "tools/print/exit.h"

namespace wavesmith::tools {

using Command = std::function<int()>;  // returns the exit status
Command add_array(CLI::App&);
Command add_attention(CLI::App&);
Command add_bench(CLI::App&);
Command add_check(CLI::App&);
Command add_explain(CLI::App&);
Command add_gemm(CLI::App&);
Command add_inspect(CLI::App&);
Command add_isa(CLI::App&);
Command add_occupancy(CLI::App&);
Command add_layout(CLI::App&);
Command add_plan(CLI::App&);
Command add_run(CLI::App&);
Command add_serve(CLI::App&);
Command add_time(CLI::App&);
Command add_verify(CLI::App&);

// All commands, declared on a parser of their own: the one table of what the program does.
struct Commands {
  CLI::App app{"wavesmith: generate, check, run and time AMD GPU kernels without a GPU", "wavesmith"};
  std::vector<std::pair<CLI::App*, Command>> all;
  Commands();
};
// Is a command one of the operations that other programs call (tools/operations)? Not those that serve, or that need
// the machine's own files and libraries.
bool is_operation(const CLI::App& command);

}  // namespace wavesmith::tools
