// Runs AMDHSA code objects without a GPU: load, launch, and a Result that is either done or a Fault naming the instruction at
// fault. Functional only: it knows no time. What silicon would not accept is never quietly accepted here.
#pragma once
#include <map>
#include <memory>

#include "isa_tables/inst.h"
#include "simulator/memory.h"

namespace wavesmith::sim {

// The file is no code object we can run; one line saying why.
struct LoadError : std::runtime_error { using std::runtime_error::runtime_error; };

struct KernelArg {
  std::string name, value_kind, address_space, type_name;
  uint32_t offset = 0, size = 0;                           // bytes in the kernarg segment
  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

// One kernel: its descriptor (llvm/Support/AMDHSAKernelDescriptor.h) decoded, and its metadata.
struct Kernel {
  std::string name;
  uint64_t entry = 0, code_end = 0;                        // code object addresses
  uint32_t lds_bytes = 0, private_bytes = 0, kernarg_bytes = 0;   // static; private per lane
  int vgprs = 0, accum_offset = 0, sgprs = 0;              // vgprs: the whole unified allocation; AGPR 0 is at accum_offset
  int sgprs_counted = 0;                                   // what the descriptor reserves on gfx9, VCC and the like included; 0 where it has no say
  int wave_size = 64;
  bool private_segment_buffer = false, dispatch_ptr = false, queue_ptr = false, kernarg_ptr = false, dispatch_id = false;
  bool flat_scratch_init = false, private_segment_size = false;
  int user_sgprs = 0, preload_length = 0, preload_offset = 0;     // preload in dwords
  bool workgroup_id[3] = {}, workgroup_info = false, private_offset = false;
  int workitem_id_dims = 1;                                // 1..3
  int round_f32 = 0, round_f16_64 = 0, denorm_f32 = 0, denorm_f16_64 = 3;
  bool dx10_clamp = true, ieee = true, fp16_overflow = false, dynamic_stack = false;
  int max_workgroup_size = 1024;
  int named_barriers = 0;                                  // allocated: 0, 4, .. 16 (gfx1250)
  std::array<uint32_t, 3> cluster{1, 1, 1};                // work-groups of a cluster (gfx1250)
  std::vector<KernelArg> args;
};

struct Symbol { std::string name; uint64_t address = 0, size = 0; bool function = false; };

class CodeObject {
 public:
  static CodeObject load(std::vector<uint8_t> bytes);      // LoadError
  isa::Arch arch() const { return arch_; }
  std::span<const Kernel> kernels() const { return kernels_; }
  const Kernel& kernel(std::string_view name) const;       // empty: the only one. LoadError names what there is
  std::span<const Symbol> symbols() const { return symbols_; }
  std::span<const uint8_t> image() const { return image_; }          // the loaded segments, from address 0
  // Where the loaded image holds addresses of its own: at `offset`, `value` beyond the image's device address.
  struct Relocation { uint64_t offset, value; };
  std::span<const Relocation> relocations() const { return relocations_; }
  std::span<const uint8_t> code(uint64_t address) const;             // from there to the end of its executable segment; empty if outside

 private:
  struct Loader;
  isa::Arch arch_{};
  std::vector<uint8_t> image_;
  struct Segment { uint64_t address, size; bool executable; };
  std::vector<Segment> segments_;
  std::vector<Kernel> kernels_;
  std::vector<Symbol> symbols_;
  std::vector<Relocation> relocations_;
};

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1};                   // workgroups
  std::array<uint32_t, 3> block{64, 1, 1};                 // work-items
  uint32_t dynamic_lds = 0;                                // bytes, behind the static ones
  std::array<uint32_t, 3> cluster{};                       // work-groups of a cluster (gfx1250); zeros: what the kernel's metadata says
  std::vector<uint8_t> kernargs;                           // explicit arguments; hidden ones are filled in from the metadata
};

struct Checks {
  enum class Uninitialized : uint8_t { ignore, warn, fault };
  bool undefined = true, in_flight = true, hazards = true, races = true;
  Uninitialized uninitialized = Uninitialized::warn;       // reads of bytes, in LDS or in device memory, that nobody has written
  bool divergence = false;                                 // barriers that silicon completes though not all work-items came to the same one
  bool hazard_warnings = false;                            // a missing wait state is a warning, and the wave goes on
};
// exact: matrix instructions bit for bit as silicon (numerics/matrix.h). fast: one f32 FMA after the other in k order.
enum class Numerics : uint8_t { exact, fast };
inline constexpr uint64_t default_max_instructions = uint64_t{1} << 28;   // a few seconds
struct Options {
  Checks checks;
  Numerics numerics = Numerics::exact;
  int jobs = 0;                                            // host threads; 0: all cores
  uint64_t max_instructions = default_max_instructions;    // of one wave
  int quantum = 64;                                        // instructions of a wave before the next one's: waves advance fairly
  uint64_t seed = 0;                                       // not 0: quanta from 1 to `quantum` and the order of waves are drawn from it
  unsigned fault_limit = 1;                                // stop after so many work-groups (clusters) with a fault
};

struct Fault {
  enum class Kind : uint8_t { undefined_read, in_flight, out_of_bounds, misaligned, unknown_instruction, illegal, hazard, race, deadlock, budget, uninitialized, divergence };
  Kind kind{};
  std::string kernel;
  uint64_t pc = 0;                                         // code object address
  std::string text;                                        // the instruction
  std::array<uint32_t, 3> workgroup{};
  int wave = 0, lane = -1;                                 // -1: not one lane's fault
  uint64_t address = 0;                                    // device or LDS byte address, if it is about memory
  std::string why;
  std::string message() const;                             // one line
};
const char* name(Fault::Kind);

struct Result {
  std::optional<Fault> fault;                              // of the first workgroup in order that has one
  std::vector<Fault> faults;                               // of the first Options::fault_limit of them, `fault` included
  uint64_t instructions = 0, mfma_flops = 0;               // these counts are 0 after a fault
  std::optional<Fault> warning;                            // the first in the first work-group that has one: a read of uninitialised memory, a hazard
  uint64_t warnings = 0;                                   // how many there are
  uint64_t lds_accesses = 0, lds_conflict_cycles = 0;      // ds reads and writes; cycles beyond the conflict-free ones
  double seconds = 0;
};

// Never throws for what the kernel does; LoadError for a launch that cannot start (argument bytes, block size, LDS).
Result run(const CodeObject&, const Kernel&, Memory&, const Launch&, const Options& = {});

}  // namespace wavesmith::sim
