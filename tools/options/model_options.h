// What the timing model is asked: GPU, clock, caches. Shared by the commands that predict times.
#pragma once
#include <CLI/CLI.hpp>

#include "simulator/timing/timing.h"

namespace wavesmith::tools {

struct ModelOptions {
  std::string gpu, clock = "load";
  int jobs = 0;
  void declare(CLI::App&);          // --gpu, --clock, --jobs
  timing::Options options() const;  // InputError
};

}  // namespace wavesmith::tools
