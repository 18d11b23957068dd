// Instructions given as text, timed without running them: for micro-benchmarks and replays of hardware traces.
#pragma once
#include "simulator/timing/unit.h"

namespace wavesmith::timing {

// One instruction, with its information for the memory pipes.
struct TimedInstruction {
  std::string text;
  u32 conflicts = 0;           // LDS
  std::vector<u32> sectors{};  // of 64 bytes
  Level level = Level::l2;
};

class TimedStream {
 public:
  explicit TimedStream(isa::Arch, int lanes = 0,
                       u64 pc = 0);  // lanes 0: the target's default; pc: of the first instruction, bytes
  u32 add(const TimedInstruction&);  // its step number. IsaError: LLVM does not assemble it
  void add(const std::vector<TimedInstruction>& lines) {
    for (const TimedInstruction& l : lines) add(l);
  }
  // The step numbers `first` to `last` (exclusive), repeated, with the sectors `stride` apart in each repetition.
  WaveTrace repeat(u32 first, u32 last, int times, u32 stride = 0) const;
  WaveTrace all() const { return repeat(0, static_cast<u32>(program.steps.size()), 1); }
  sim::DecodedKernel program;
  std::vector<TimedInstruction> lines;
  isa::Arch arch;
  int lanes;

 private:
  u64 pc_;
};

// The waves as one workgroup of one CU that has to itself what it can take; `mhz` turns the fabric's times into
// clocks. starts: start times of the waves; then all are on one SIMD, as in a hardware trace.
UnitResult run(const TimedStream&, const std::vector<WaveTrace>& waves, double mhz, bool timeline = false,
               const std::vector<u64>& starts = {});
// The clock at which each instruction of a wave was issued, in its order. From a result with a timeline.
std::vector<u64> issue_times(const UnitResult&, int wave);

}  // namespace wavesmith::timing
