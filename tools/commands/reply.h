// What is said to whoever calls the program: exit status, answer or one line of error. The commands themselves:
// commands.h.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace wavesmith::tools {

// Exit status: 0 success, 1 a wrong result, a finding or a fault, 2 invalid input, 3 a problem of the machine.
enum Exit { good = 0, answer_is_no = 1, bad_input = 2, bad_machine = 3 };

// Invalid input: what is wrong, where, and what would be legal. One line.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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
