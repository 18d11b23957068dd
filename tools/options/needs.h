// What work will take of the machine, known from sizes alone: said before any of it is taken. More than a quarter of
// the memory, or more than minutes, asks for --force (docs/reference/limits.md).
#pragma once
#include <fmt/format.h>

#include "tools/commands/commands.h"

namespace wavesmith::tools {

// The value. InputError if it is not `least` to `most`.
template <class T>
T in_range(std::string_view option, T value, T least, T most) {
  if (value < least || value > most)
    throw InputError(fmt::format("{}: {} is out of range, legal: {} to {}", option, value, least, most));
  return value;
}

struct Force {
  bool force = false;
  void declare(CLI::App&);
  // InputError if that many bytes are more than a quarter of the memory; `what` needs them.
  void ask_for_memory(double bytes, std::string_view what) const;
  // InputError if that is so, or if it takes more than two minutes; it says both.
  struct Needs {
    double bytes = 0, seconds = 0;
  };
  void ask_for(const Needs&, std::string_view what) const;
};

// Of floating-point operations of matrices on the simulator, on `jobs` threads (0: all cores).
double simulated_seconds(double flops, bool fast, int jobs);

}  // namespace wavesmith::tools
