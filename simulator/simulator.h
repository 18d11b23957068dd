// Runs AMDHSA code objects without a GPU: load, launch, and a Result that is either done or a Fault naming the
// instruction at fault. Functional only, without time. What silicon would not accept is never silently accepted.
#pragma once
#include <functional>
#include <map>
#include <memory>

#include "simulator/code_object.h"
#include "simulator/memory.h"

namespace wavesmith::sim {

struct Observers;      // observer.h
struct DecodedKernel;  // decoded_kernel.h

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1};    // workgroups
  std::array<uint32_t, 3> block{64, 1, 1};  // work-items
  uint32_t dynamic_lds = 0;                 // bytes, after the static ones
  std::array<uint32_t, 3> cluster{};        // workgroups of a cluster (gfx1250); zeros: from the kernel's metadata
  std::vector<uint8_t> kernargs;            // explicit arguments; hidden ones are filled in from the metadata
  std::map<std::string, uint64_t, std::less<>> hidden;  // hidden arguments of 8 bytes that only a runtime knows
  uint64_t image = 0;        // where load_image has put the code object; 0: it is loaded for this launch alone
  bool cooperative = false;  // all workgroups run concurrently: they may wait for each other
  uint64_t work_items() const { return uint64_t{block[0]} * block[1] * block[2]; }  // of a workgroup
};

struct Checks {
  enum class Uninitialized : uint8_t { ignore, warn, fault };
  bool undefined = true, in_flight = true, hazards = true, races = true;
  bool xcnt = true;               // registers overwritten that a replayed access would read again (gfx1250)
  bool undefined_stores = true;   // undefined values stored to device memory; a warning without
  bool undefined_reads = false;   // an undefined result is a fault where it is computed, not where it is used
  bool same_value_races = false;  // LDS races of writes of one value
  Uninitialized uninitialized = Uninitialized::warn;  // reads of bytes in LDS or device memory that were never written
  bool lds_bounds = true;        // accesses beyond the kernel's LDS; without, reads give 0 and writes are dropped
  bool divergence = false;       // barriers that silicon completes although not all work-items reached the same one
  bool hazard_warnings = false;  // a missing wait state is a warning, and the wave continues
  static constexpr Checks none() {
    return {.undefined = false,
            .in_flight = false,
            .hazards = false,
            .races = false,
            .xcnt = false,
            .undefined_stores = false,
            .uninitialized = Uninitialized::ignore,
            .lds_bounds = false};
  }
};
// exact: matrix instructions bit for bit as silicon (numerics/matrix.h). fast: one f32 FMA after the other in k order.
enum class Numerics : uint8_t { exact, fast };
struct Options;
// "round-robin", "late", "late:N", "late-lds", "replay", "random:SEED", or several separated by commas: sets late,
// latency, late_lds, replay and seed. std::invalid_argument says what is legal.
void parse_order(std::string_view list, Options&);
inline constexpr uint64_t default_max_instructions = uint64_t{1} << 28;  // a few seconds
// "all", "none" or names of checks, separated by commas; -NAME removes one. std::invalid_argument says what is legal.
Checks parse_checks(std::string_view list);
inline constexpr std::string_view check_names =
    "all none undefined undefined-stores undefined-reads in-flight xcnt hazards hazard-warnings races same-value-races "
    "lds-bounds "
    "uninitialized divergence";
struct Options {
  Checks checks;
  Numerics numerics = Numerics::exact;
  int jobs = 0;                                          // host threads; 0: all cores
  uint64_t max_instructions = default_max_instructions;  // of one wave
  int quantum = 64;                                      // instructions that a wave runs before the next one
  bool late = false;               // memory operations complete as late as waits allow (late.h); otherwise at once
  bool late_lds = false;           // LDS operations execute as late as waits allow (late.h)
  bool replay = false;             // accesses whose sources are overwritten too early execute twice (late.h)
  uint32_t latency = 0;            // nonzero: late ones complete after this number of their wave's instructions
  uint64_t seed = 0;               // nonzero: quanta from 1 to `quantum` and the order of waves are drawn from it
  unsigned fault_limit = 1;        // stop after this number of workgroups (clusters) with a fault
  Observers* observers = nullptr;  // observe the run and choose the workgroups that run
  bool reorders() const { return late || late_lds; }
  std::function<void()> interrupt;  // the host's answer to MSG_INTERRUPT, on a thread that runs waves; empty: a fault
};

struct Fault {
  enum class Kind : uint8_t {
    undefined_read,
    in_flight,
    out_of_bounds,
    misaligned,
    unknown_instruction,
    illegal,
    hazard,
    race,
    deadlock,
    budget,
    uninitialized,
    divergence
  };
  Kind kind{};
  std::string kernel;
  uint64_t pc = 0;    // code object address
  std::string text;   // the instruction
  std::string where;  // it was written, if the code object says so (source_lines.h)
  std::array<uint32_t, 3> workgroup{};
  int wave = 0;
  std::optional<int> lane;  // none: not specific to a lane
  uint64_t address = 0;     // device or LDS byte address, if the fault concerns memory
  std::string why;
  std::optional<uint64_t> first_pc;  // of the access that `why` names at its end, if it names one
  std::string message() const;       // one line
};
const char* name(Fault::Kind);

struct Result {
  std::optional<Fault> fault;                 // of the first workgroup, in order, that has one
  std::vector<Fault> faults;                  // of the first Options::fault_limit of them, `fault` included
  uint64_t instructions = 0, mfma_flops = 0;  // these counts are 0 after a fault
  std::optional<Fault>
      warning;            // the first in the first workgroup that has one: a read of uninitialised memory, a hazard
  uint64_t warnings = 0;  // number of warnings
  uint64_t lds_accesses = 0, lds_conflict_cycles = 0;  // ds reads and writes; cycles beyond the conflict-free ones
  double seconds = 0;
};

// Puts the code object into memory, where its variables keep their values from launch to launch (Launch::image); the
// address of its address 0.
uint64_t load_image(const CodeObject&, Memory&);

// Does not throw for faults of the kernel; LoadError for a launch that cannot start (argument bytes, block size, LDS).
Result run(const CodeObject&, const KernelInfo&, Memory&, const Launch&, const Options& = {});
// The same with a kernel already decoded (decoded_kernel.h), for repeated launches. Options::observers see only the
// execution.
Result run(const CodeObject&, const KernelInfo&, const DecodedKernel&, Memory&, const Launch&, const Options&);

}  // namespace wavesmith::sim
