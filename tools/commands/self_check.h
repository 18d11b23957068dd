// The check of generated kernels before a file is written: the same as `wavesmith check`, in parallel with encoding and
// linking.
#pragma once
#include <CLI/CLI.hpp>
#include <future>
#include <stdexcept>

#include "generator/passes/check_program.h"

namespace wavesmith::tools {

// The generated kernel has a finding, which is an error of this program: exit status 1, no file is written.
struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SelfCheck {
 public:
  // Starts in its own thread unless `skip`; the program must live until finish().
  SelfCheck(const Program&, bool skip);
  // Error: CheckFailed with the first finding. Returns the seconds that the check took; 0: skipped.
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
