// The table of commands.
#include "tools/commands/commands.h"

#include "tools/commands/answer.h"

#include <algorithm>

namespace wavesmith::tools {
namespace {

struct CommandRow {
  const char *name, *description;
  Command (*add)(CLI::App&);
  bool operation = true;
};
constexpr CommandRow command_rows[] = {
    {"gemm", "Generate a matrix multiplication kernel", add_gemm},
    {"attention", "Generate a flash attention kernel", add_attention},
    {"run", "Run a kernel of any code object or assembly text", add_run},
    {"time", "Predict the time of a launch and show where it is spent", add_time},
    {"verify", "Generate a kernel, run it and compare with a reference", add_verify},
    {"bench", "Time kernels on problems, beside other libraries; compare results", add_bench, false},
    {"inspect", "Show resources, arguments and code of a code object", add_inspect},
    {"check", "Check hazards, waits, registers and LDS order of a code object", add_check},
    {"explain", "Describe a fault, a finding or a hazard, and its remedy", add_explain},
    {"isa", "Show instructions of the tables: operands, rates, hazards, counters", add_isa},
    {"occupancy", "Show waves per SIMD and their limits", add_occupancy},
    {"layout", "Show where a matrix instruction's operands sit in lanes and registers", add_layout},
    {"plan", "Choose instruction, tile, warps and layouts for a dot", add_plan},
    {"array", "Write an .npy array of random numbers", add_array},
    {"serve", "Serve the other commands to agents: Model Context Protocol on standard input and output", add_serve,
     false},
};

}  // namespace

Commands::Commands() {
  app.set_version_flag("--version", "wavesmith " WAVESMITH_VERSION " (LLVM " WAVESMITH_LLVM_VERSION ")");
  app.require_subcommand(1);
  for (const CommandRow& row : command_rows) {
    CLI::App* const command = app.add_subcommand(row.name, row.description);
    all.emplace_back(command, row.add(*command));
  }
}

const char* version() { return WAVESMITH_VERSION; }

bool is_operation(const CLI::App& command) {
  return std::ranges::any_of(command_rows,
                             [&](const CommandRow& row) { return row.operation && command.get_name() == row.name; });
}

}  // namespace wavesmith::tools
