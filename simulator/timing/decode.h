// What the timing model needs to know about an instruction, computed once: unit, its clocks, registers by number,
// waits.
#pragma once
#include "isa_tables/timing/timing.h"
#include "simulator/timing/timing.h"
#include "simulator/timing/trace.h"

namespace wavesmith::timing {

// How a value was produced, which determines when another instruction may read it.
enum class Made : u8 { nothing, valu, trans, scalar, matrix, mask };  // mask: by VALU, one bit of each lane
// The kind of reader.
enum class Reader : u8 { valu, memory, scalar, branch, matrix };

struct RegisterRange {
  u16 first, count;
};  // numbered as in RegSet
struct Static {
  IssueUnit unit{};
  Made made{};
  Reader reader{};
  bool makes_mask = false, reads_mask = false;  // a carry, the result of a comparison
  bool packed = false;                          // f32, two at a time: never beside a matrix instruction
  bool matrix_on_valu = false;                  // the matrix instruction occupies the VALU (RDNA3, RDNA4)
  bool prefetch = false;                        // of data into the L2
  bool tensor = false;                          // executed by a data mover
  bool store = false, to_lds = false, data = false, crossbar = false, atomic = false, ends = false, branch = false,
       waits = false, tracked = false;
  bool straddles = false;    // crosses a fetch boundary
  u8 signal = 0, wait = 0;   // bit 0: arrives at the barrier; waits at it
  int8_t priority = absent;  // s_setprio
  int busy = 0;              // clocks of its unit
  int shadow = 0;            // matrix: clocks until VALU may run beside it
  int late = 0;              // clocks by which its result is later than that of the fastest of its kind
  int pause = 0;             // s_nop, s_sleep: clocks until the wave continues
  int bytes = 0;             // per lane
  int lds_clocks = 0, lds_in = 0, lds_out = 0;  // of the LDS, and of its port in each direction
  u8 events = 0;
  std::array<isa::CounterEvent, 3> event{};
  isa::Waits wait_for;
  std::vector<RegisterRange> reads, writes;
  std::vector<RegisterRange> accumulators;  // matrix: C and D, which the pipe forwards; not in `reads`
  u32 line = 0;                             // of the instruction cache
  u64 pc = 0;
};
std::vector<Static> decode(const sim::DecodedKernel&, isa::Arch, int wave_size);
// Bytes that a memory instruction moves for a lane: those of the result, else of the widest source after the address.
int data_bytes(const sim::Step&);

}  // namespace wavesmith::timing
