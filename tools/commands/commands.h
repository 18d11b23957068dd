// The commands of `wavesmith`, one file each. `add_x` declares the options and returns the function to run once they
// are parsed.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>

namespace wavesmith::tools {

// Exit status: 0 success, 1 a wrong result, a finding or a fault, 2 invalid input, 3 a problem of the machine.
enum Exit { good = 0, answer_is_no = 1, bad_input = 2, bad_machine = 3 };

// Invalid input: what is wrong, where, and what would be legal. One line.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

const char* version();  // of wavesmith: "0.1"

struct Reply {
  Exit status = good;
  std::string text;   // what a run prints to standard output
  std::string error;  // one line, if it did not print an answer
};
// Runs a command line (without the program's name) in this thread. Never throws, but for want of memory.
Reply reply(const std::vector<std::string>& words);
// The same as the program: prints the answer, or one line of error. Returns the exit status.
int answer(int argc, char** argv);

}  // namespace wavesmith::tools
