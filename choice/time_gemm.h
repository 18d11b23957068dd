// The predicted time of GEMMs, cheaply: the timing model runs each for a short K, and the rest of K takes what the
// trips of its main loop take there. Within a few per cent of the model's time of the whole launch.
#pragma once
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
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
// Times configurations for a problem, on as many threads as the host has cores but not more than `most`. The threads
// stay, with what each has learned of the target's instructions.
class GemmTimer {
 public:
  // warm: timing::Options::warm.
  GemmTimer(Arch, const GemmProblem&, const isa::Gpu&, bool warm, size_t most);
  ~GemmTimer();

  struct Round {
    std::vector<ToTime> configs;
    double longest = std::numeric_limits<double>::infinity();  // seconds
  };
  // What the next call will probably ask for, likely rounds first, given the times so far; those that are not known yet
  // are at_least 0. Threads that would be idle begin with these. A wrong guess costs the host's time, no more. Called
  // by one thread at a time, during time().
  using Guess = std::function<std::vector<Round>(const std::vector<std::optional<GemmTime>>& so_far)>;
  // Seconds of each launch, the memory-side cache warm or not, at the clock that its use of the matrix pipes leaves;
  // none of a configuration that build_gemm() or launch() refuses. Of those that take longer than `longest` seconds a
  // lower bound is enough. Neither threads nor guesses change the result.
  // Error: std::bad_alloc where the host cannot reserve (not touch) the matrices' addresses.
  std::vector<std::optional<GemmTime>> time(const Round&, Guess = {});

 private:
  struct Job;
  using Jobs = std::vector<std::shared_ptr<Job>>;
  void work();  // of a thread
  std::shared_ptr<Job> next_job();
  void guess_next();
  void run(Job&) const;

  Arch arch_;
  GemmProblem problem_;
  const isa::Gpu& gpu_;
  bool warm_;
  std::mutex lock_;  // of what follows
  std::condition_variable more_, finished_;
  Jobs asked_, guessed_;  // of this call, until it returns; of the next one, perhaps
  double longest_ = 0;    // of this call
  Guess guess_;
  std::ptrdiff_t known_at_guess_ = -1;  // so many of those asked for were finished at the last guess
  bool ends_ = false;
  std::vector<std::jthread> threads_;
};
// GemmTimer::time() of one round.
std::vector<std::optional<GemmTime>> time_gemms(const std::vector<ToTime>&, Arch, const GemmProblem&, const isa::Gpu&,
                                                bool warm = true,
                                                double longest = std::numeric_limits<double>::infinity());
// The timing model's result of the whole launch. Matrices are dense where the problem has leading dimensions and
// strides of 0, and not filled. Error: as build_gemm() and launch(); std::bad_alloc likewise.
timing::Result time_whole(const GemmConfig&, Arch, const GemmProblem&, const timing::Options&);

// The problem with leading dimensions and strides filled in where they are 0: without padding.
GemmProblem dense(GemmProblem, const GemmConfig&);

}  // namespace wavesmith::choice
