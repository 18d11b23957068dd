// The timing model's prediction for a launch: cycles, what limits them, and where in the code they are spent.
// Cycle-approximate: parameters are tables with sources (isa_tables/timing/timing.def), the instruction streams come
// from the functional simulator, which does not model time.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa_tables/occupancy.h"
#include "isa_tables/timing/peaks.h"
#include "simulator/simulator.h"

namespace wavesmith::timing {

// The unit an instruction is issued to: a row of the timeline. internal: s_waitcnt, s_nop, s_barrier etc. take a slot
// but no unit.
enum class IssueUnit : uint8_t { matrix, valu, trans, salu, smem, lds, vmem, branch, internal };
inline constexpr int units = 9;
const char* name(IssueUnit);

// Why a wave did not issue. wait_*: at a wait instruction, in the order of isa::WaitCounter. arbitration: it could have
// issued, but another wave was selected.
enum class Stall : uint8_t {
  dependency,
  matrix_busy,
  valu_busy,
  lds_queue,
  vmem_queue,
  barrier,
  nop,
  fetch,
  branch,
  arbitration,
  wait_vm,
  wait_lgkm,
  wait_exp,
  wait_vs,
  wait_km,
  wait_sample,
  wait_bvh,
  wait_async,
  wait_tensor,
  wait_x,
};
inline constexpr int stalls = 20;
const char* name(Stall);

// One instruction of the program. Counts are of the waves simulated in detail.
struct Instruction {
  uint64_t pc = 0;  // code object address
  std::string text;
  IssueUnit unit{};
  int unit_clocks = 0;                     // clocks its unit is busy, without conflicts
  double flops = 0;                        // per wave
  uint64_t issued = 0;                     // times
  uint64_t issue_clocks = 0;               // wave-clocks in issue slots
  std::array<uint64_t, stalls> stalled{};  // wave-clocks before it could issue, by reason
  uint64_t conflict_clocks = 0;            // LDS bank conflicts, clocks of the LDS
  std::string where;                       // it was written, if the code object says so
  uint64_t cycles() const {
    uint64_t n = issue_clocks;
    for (const uint64_t s : stalled) n += s;
    return n;
  }
};

// A loop: pcs [first, last] and the cost of one trip of one wave; the innermost one is found first.
struct Loop {
  uint64_t first = 0, last = 0;
  uint64_t trips = 0;                                         // of all waves
  double clocks = 0;                                          // per trip of a wave
  double matrix_clocks = 0, valu_clocks = 0, lds_clocks = 0;  // clocks its units are busy, per trip
  double other_issues = 0;                                    // non-matrix instructions, per trip
  double share = 0;                                           // of all wave-clocks
  std::array<double, stalls> stalled{};                       // clocks per trip
  std::string label, where;                                   // of its first instruction, if the code object has them
  double slots_per_matrix_clock() const { return matrix_clocks ? other_issues / matrix_clocks : 0; }
};

enum class Limit : uint8_t { matrix, valu, lds, l1, l2, fabric, mall, memory, issue, latency, launch };
const char* name(Limit);
struct Busy {
  Limit unit{};
  double share = 0;  // of the time that the simulated CU takes; of shared levels, that of the CU's part of their rate
};

// Of one CU (WGP): for timelines and Perfetto.
struct Event {
  uint64_t start = 0, end = 0;  // clocks since the launch reached the CU
  uint32_t step = 0;            // index into Result::instructions
  uint16_t wave = 0;            // index into Result::waves
  IssueUnit unit{};
  bool stall = false;  // time before the issue; `why` is valid then
  Stall why{};
};
struct WavePlace {
  uint32_t workgroup = 0;
  int number = 0, simd = 0;
  uint64_t start = 0, end = 0;
};

// load: what power management leaves a launch that uses the matrix pipes as much as this one does (isa::load_mhz), in
// steady load; boost where the device has no such law. mhz: of fixed, the clock; of load, the clock with all matrix
// pipes in use (0: the device's).
struct Clock {
  enum class Kind : uint8_t { load, boost, sustained, fixed } kind = Kind::load;
  double mhz = 0;
};
struct Result;
struct Options {
  const isa::Gpu* gpu = nullptr;  // nullptr: the first of the target
  Clock clock;
  bool timeline = false;
  bool list = true;  // Result::list is wanted
  uint64_t most_events = 200'000;
  uint64_t detail = 6'000'000;   // approximate number of instructions simulated in detail
  uint64_t longest = 4'000'000;  // instructions of a workgroup above which repeated trips of a loop are extrapolated
  bool warm = true;              // the launch follows similar ones: what fits into the memory-side cache is in it
  bool alike = false;            // workgroups are taken to execute the same instructions, without looking at each
  uint64_t beside = 8'000'000;   // instructions of the neighbouring workgroups that are traced for the L2
  uint64_t beside_whole = 80'000'000;  // likewise, of a launch whose workgroups all run at once: of all its parts
  double part = 1;                     // of what the launch that this one stands for moves: fewer blocks of a GEMM's K
  bool warm_code = true;               // and its instructions are in the instruction cache, if it holds them
  int jobs = 0;
  // Asked with the result that the launch would have if all its lines were in the L2, which is no longer than its own:
  // true if that is enough to know. Not asked of workgroups that differ.
  std::function<bool(const Result&)> enough{};
  const std::atomic<bool>* abandoned = nullptr;  // once true, nobody wants the result: it comes soon, without a meaning
};

struct Result {
  std::string kernel, target, gpu;
  double cycles = 0;  // of the device, without launch overhead
  double clock_mhz = 0;
  Clock clock;                // what clock_mhz follows from; of load, the clock with all matrix pipes in use
  double launch_seconds = 0;  // of the launch itself
  double seconds = 0;         // cycles / clock + launch_seconds
  bool at_least = false;      // Options::enough: not predicted further, the launch takes this long or longer
  double error = 0;           // relative, of the extrapolation from the simulated part to the whole launch only
  std::vector<Busy> busy;     // one of each unit that can limit a launch
  Limit limit{};              // limit.h
  // Of the device, over `cycles`: 1 is every unit of every CU busy all the time.
  double matrix_utilisation = 0, valu_utilisation = 0, lds_utilisation = 0, issue_utilisation = 0;
  double steady_matrix_utilisation = 0;  // of a fully occupied CU
  double flops = 0, vector_flops = 0;    // of matrix and of VALU instructions (all lanes on), whole launch
  double l1_bytes = 0, l2_bytes = 0, memory_bytes = 0, lds_bytes = 0, mall_bytes = 0;  // moved, whole launch
  double written_bytes = 0;  // of memory_bytes and mall_bytes: written back by the L2s
  isa::Occupancy occupancy;
  uint64_t workgroups = 0;
  int units = 0, groups_per_unit = 0;  // CUs (WGPs); resident workgroups per unit
  double rounds = 0;                   // workgroups / (units * groups_per_unit)
  double stay = 0;                     // clocks that a workgroup is on its CU, mean of those simulated; 0: they differ
  uint64_t instructions = 0;           // of the whole launch
  uint64_t simulated = 0;              // instructions timed in detail
  double trace_seconds = 0, model_seconds = 0;  // host time
  std::vector<std::string> assumptions;         // one line each
  std::vector<Instruction> list;                // in the program's order of addresses
  std::vector<Loop> loops;                      // most expensive first
  std::vector<Event> events;                    // of Options::timeline
  std::vector<WavePlace> waves;                 // likewise
  std::optional<sim::Fault> fault;              // of the functional run: nothing else is valid then
  double tflops() const { return seconds > 0 ? flops / seconds * 1e-12 : 0; }
};

// The GPU that a launch of the target is timed on where none is named: the first of the target, else of its family.
// IsaError: the table has none.
const isa::Gpu& default_gpu(isa::Arch);

// Times a launch. The traced workgroups modify memory as in a run. LoadError as for sim::run; IsaError: the target has
// no timing parameters.
Result time(const sim::CodeObject&, const sim::KernelInfo&, sim::Memory&, const sim::Launch&, const Options& = {});

}  // namespace wavesmith::timing
