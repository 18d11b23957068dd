// The predicted time of GEMMs, cheaply: the timing model runs each for a short K, and the rest of K takes what the
// trips of its main loop take there. Within a few per cent of the model's time of the whole launch.
#pragma once
#include <barrier>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "isa_tables/timing/peaks.h"
#include "kernels/gemm/gemm.h"
#include "simulator/timing/timing.h"

namespace wavesmith::choice {

// `mhz`: the engine clock at which it is simulated, as near to the launch's own as is known.
struct ToTime {
  GemmConfig config;
  double mhz;
};
// at_least: it was not predicted further because it takes longer than asked for, even from the L2 alone.
struct GemmTime {
  double seconds = 0;
  bool at_least = false;
};
// Threads that time configurations: the caller's and others. They stay, with what each has learned of the target's
// instructions.
class Workers {
 public:
  explicit Workers(size_t most);  // as many as the host has cores, but not more than this
  ~Workers();
  size_t count() const { return others_.size() + 1; }
  void run(const std::function<void()>& work);  // on each; it does not throw

 private:
  const std::function<void()>* work_ = nullptr;
  std::barrier<> turn_;
  std::vector<std::jthread> others_;
};
// Seconds of each launch, the memory-side cache warm or not (timing::Options), at the clock that its use of the matrix
// pipes leaves; none of a configuration that build_gemm() or launch() refuses. Of those that take longer than `longest`
// seconds a lower bound is enough. Threads change the host's time only.
// Error: std::bad_alloc where the host cannot reserve (not touch) the matrices' addresses.
std::vector<std::optional<GemmTime>> time_gemms(const std::vector<ToTime>&, Arch, const GemmProblem&, const isa::Gpu&,
                                                bool warm = true,
                                                double longest = std::numeric_limits<double>::infinity(),
                                                Workers* = nullptr);
// The timing model's result of the whole launch. Matrices are dense where the problem has leading dimensions and
// strides of 0, and not filled. Error: as build_gemm() and launch(); std::bad_alloc likewise.
timing::Result time_whole(const GemmConfig&, Arch, const GemmProblem&, const timing::Options&);

// The problem with leading dimensions and strides filled in where they are 0: without padding.
GemmProblem dense(GemmProblem, const GemmConfig&);

}  // namespace wavesmith::choice
