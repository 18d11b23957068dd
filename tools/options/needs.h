// Estimates the memory and time of a command from sizes, before it starts. More than a quarter of the memory, or more
// than minutes, requires --force (docs/reference/limits.md).
#pragma once
#include <fmt/format.h>

#include "tools/print/exit.h"

namespace wavesmith::tools {

// Returns the value. InputError if it is not between `least` and `most`.
template <class T>
T in_range(std::string_view option, T value, T least, T most) {
  if (value < least || value > most)
    throw InputError(fmt::format("{}: {} is out of range, legal: {} to {}", option, value, least, most));
  return value;
}

struct Force {
  bool force = false;
  void declare(CLI::App&);
  // InputError if `bytes`, which `what` needs, exceed a quarter of the memory.
  void ask_for_memory(double bytes, std::string_view what) const;
  // InputError if that is so, or if it needs more than two minutes; the message states both.
  struct Needs {
    double bytes = 0, seconds = 0;
  };
  void ask_for(const Needs&, std::string_view what) const;
};

// Seconds of matrix flops on the simulator, on `jobs` threads (0: all cores).
double simulated_seconds(double flops, bool fast, int jobs);

}  // namespace wavesmith::tools
