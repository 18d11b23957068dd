// Runs command lines: what is said to whoever calls the program. The commands themselves: commands.h.
#pragma once
#include <string>
#include <vector>

#include "tools/print/exit.h"

namespace wavesmith::tools {

struct Reply {
  Exit status = good;
  std::string text;   // what a run prints to standard output
  std::string error;  // one line, if it did not print an answer
};
// Runs a command line (without the program's name) in this thread. Never throws, but for want of memory.
Reply reply(const std::vector<std::string>& words);
// The same as the program: prints the answer, or one line of error. Returns the exit status.
int answer(int argc, char** argv);

const char* version();  // of wavesmith: "0.1"

}  // namespace wavesmith::tools
