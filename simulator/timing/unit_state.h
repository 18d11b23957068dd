// The state of a simulated CU: its waves, their counters, SIMDs and workgroup slots.
#pragma once
#include "simulator/timing/unit.h"

namespace wavesmith::timing {

inline constexpr u64 never = ~u64{0} >> 1;
inline constexpr int registers = isa::reg_numbers;

// Completion times of the operations that a counter counts, in order: a wait for n ends when all but the n youngest are
// done.
class CompletionTimes {
 public:
  void put(u64 done) {
    if (done_.size() == most) done_.erase(done_.begin(), done_.begin() + most / 2);
    last_ = std::max(last_, done);
    done_.push_back(last_);
  }
  u64 at_most(size_t n) const { return done_.size() > n ? done_[done_.size() - 1 - n] : 0; }

 private:
  static constexpr int most = 512;  // no counter reaches further back
  std::vector<u64> done_;
  u64 last_ = 0;
};

// The clock from which an instruction may issue, and what it waits for until then.
struct IssueTime {
  u64 time;
  Stall why;
};

struct TimedWave {
  const WaveTrace* trace = nullptr;
  size_t at = 0, data = 0;
  const Static* next = nullptr;  // its next instruction
  // Of that, once it is known: what the wave itself waits for, whatever units are free; and when its operands are
  // there.
  bool known = false;
  IssueTime own{};
  u64 operands = 0;
  int simd = 0, slot = 0, number = 0, priority = 0;
  u64 age = 0, start = 0;
  u64 slot_end = 0;  // of the last issue
  u64 free = 0;      // the wave may continue from this clock
  Stall held_by = Stall::nop;
  u64 fetched = 0;  // its next instruction has been fetched
  u64 bound = 0;    // cannot issue before
  u64 after_packed = 0;
  u32 line = ~u32{0};
  bool ended = true, at_barrier = false;
  u32 signaled = 0;  // the barrier's phase when it arrived there
  u16 place = 0;
  u32 apart = 0;
  std::array<CompletionTimes, isa::wait_counters> counters;
  std::vector<u64> made = std::vector<u64>(registers, 0);  // clock << 3 | Made
  u32 step() const { return trace->steps[at]; }
};

struct Simd {
  u64 next = 0;
  u64 valu_free = 0, matrix_free = 0,
      shadow = 0;  // shadow: the clock from which VALU may run beside the matrix instruction
  Queue matrix_queue;
  std::vector<TimedWave*> waves;
};

struct Slot {
  std::vector<TimedWave> waves;
  int running = 0, arrived = 0;
  u32 phase = 0;
  size_t group = 0;
  bool free = true;
};
}  // namespace wavesmith::timing
