// Runs the waves of one workgroup, or of a cluster's workgroups, in turns on one host thread. Each step is first
// checked (registers in flight, never written, wait states), then executed, then its results are recorded as written.
#pragma once
#include <random>

#include "simulator/access.h"
#include "simulator/decoded_kernel.h"
#include "simulator/deferred.h"
#include "simulator/hazard_states.h"
#include "simulator/launch.h"
#include "simulator/observer.h"
#include "simulator/standstill.h"

namespace wavesmith::sim {

struct Runner {
  const DecodedKernel& program;
  const KernelInfo& kernel;
  const Options& options;
  Repetition repetition;
  struct Group {
    Workgroup state;
    std::vector<Wave> waves;
    std::vector<u32> registers;
    std::vector<DeferredProducts> deferred;
  };
  Cluster cluster;
  std::vector<Group> groups;  // of the cluster
  Result counts;
  HazardStates hazard_states;
  std::mt19937_64 random;
  Step moved;                // an instruction with relative VGPRs, resolved for the current offset
  u32 may_skip = 0;          // vskip on targets that have it
  bool stood_still = false;  // the fault's reason
  bool repeats = !options.reorders() && !options.replay && !options.seed && !options.observers &&
                 !program.reads_time;  // state decides the future
  bool watched = options.reorders() || options.replay || options.checks.in_flight || options.checks.xcnt ||
                 options.checks.races || options.checks.undefined || options.checks.hazards;

  // S_SET_GPR_IDX_ON: M0[7:0] is added to the VGPR numbers that M0[15:12] names (Vega ISA).
  Step relative(const Wave&, const Step&) const;
  void resume(Wave&);  // the barrier it waited for has completed
  // The checks before a step.
  bool allowed(Wave&, const Step&);
  bool step(Wave&);
  // Runs consecutive steps without checks; after each only faults, barriers, deferred products and the observer are
  // handled. Returns how many were taken.
  int go_straight(Wave&, int most);
  // One turn. False: a fault.
  bool advance(Wave&);
  Group& group_of(const Wave&);
  void end(Wave&);
  void start(std::array<u32, 3> id, const Launched&, u64 scratch);
  std::optional<Fault> run(std::array<u32, 3> id, const Launched&, u64 scratch);
  size_t vector_rows() const;
  // A hash of all state that decides what the waves do, except memory.
  u64 state();
  Fault stands_still(int group, int wave);
  Fault fault(const Wave&) const;
  Fault fault(const Workgroup&, const FaultReason&, int wave, int step) const;
};

}  // namespace wavesmith::sim
