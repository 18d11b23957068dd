// The GEMM kernel for a problem: tile, waves, instruction, schedule, stages and order of the candidate that the timing
// model predicts to be the fastest. What the request gives is kept. The same request gives the same answer on every
// host; an answer is kept in a cache on disk.
#pragma once
#include <string>
#include <vector>

#include "isa_tables/timing/peaks.h"
#include "kernels/gemm/choose.h"

namespace wavesmith {

struct TimedGemm {
  GemmConfig config;
  double seconds = 0, least_seconds = 0;  // predicted; no launch of it is faster (choice/candidate.h)
  std::string limit;                      // what bounds it
};
struct GemmPlan : GemmChoice {
  std::vector<TimedGemm> timed;  // fastest first; the first one is `config`. Empty: nothing was timed
  int candidates = 0;            // that were bounded
  bool cached = false;
};
struct PlanOptions {
  const isa::Gpu* gpu = nullptr;  // nullptr: the first of the target
  std::string cache;              // folder; empty: none
  bool warm = true;               // timing::Options::warm
};
// WAVESMITH_CACHE, or wavesmith/ in XDG_CACHE_HOME, or in ~/.cache; empty where there is none of them or
// WAVESMITH_CACHE is "off".
std::string default_cache();

// Leading dimensions and strides of 0: without padding. A problem without elements, and one whose matrices the host
// cannot reserve, get choose_gemm()'s default. Error: ConfigError, as choose_gemm(); IsaError: a GPU of another target.
// Groups on the device are planned as if all were of the same size.
GemmPlan plan_gemm(const GemmRequest&, Arch, const GemmProblem&, const PlanOptions& = {.cache = default_cache()});

}  // namespace wavesmith
