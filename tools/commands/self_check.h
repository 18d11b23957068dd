// What the commands that generate do before they write a file: check the kernel, as `wavesmith check` would, beside
// encoding and linking it.
#pragma once
#include <CLI/CLI.hpp>
#include <future>
#include <stdexcept>

#include "generator/passes/check_program.h"

namespace wavesmith::tools {

// The generated kernel has a finding, which is a fault of this program: exit status 1, no file is written.
struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SelfCheck {
 public:
  // Starts on a thread of its own unless `skip`; the program has to stay until finish().
  SelfCheck(const Program&, bool skip);
  // CheckFailed with the first finding. Seconds the check took, by its own clock; 0: skipped.
  double finish();

 private:
  const Program& program_;
  struct Outcome {
    checker::Result result;
    double seconds = 0;
  };
  std::future<Outcome> running_;
};

}  // namespace wavesmith::tools
