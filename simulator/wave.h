// The state of one wave and of its workgroup, and Step, an instruction decoded for execution. Registers are arrays of
// 64 lanes; their state (written, load in flight) is kept beside the values, one bit or one lane mask per register.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>

#include "isa_tables/hazards/hazards.h"
#include "simulator/async.h"
#include "simulator/late.h"
#include "simulator/races.h"
#include "simulator/simulator.h"

namespace wavesmith::sim {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;
namespace sreg = isa::sreg;

struct Wave;
struct Step;
using Execute = void (*)(Wave&, const Step&);

// Where a source operand comes from; modifiers are applied by fetch (lanes.h).
struct Source {
  enum class From : u8 { none, vector, scalar, constant };
  From from = From::none;
  u8 dwords = 1;
  u16 reg = 0;       // vector: 0..1023, AGPRs from 256; scalar: as in inst.h
  u32 bits[2] = {};  // constant, as the operand reads it
  bool neg = false, abs = false, sext = false;
  bool sel_lo = false, sel_hi = true,
       neg_hi = false;  // packed: the halves that supply the low and high result; neg is the low one
};

// Of an instruction whose result is its only source, unchanged: lane by lane; of one lane, by its number or the first
// active one; or a scalar in one lane.
enum class LaneCopy : u8 { no, lanes, from_lane, first_lane, to_lane };
enum class Keeps : u8 {
  unknown,
  nothing,
  some
};  // of the old contents of the result's registers, in lanes that EXEC enables; determined on first use
struct MatrixPlan;       // of a matrix instruction (matrix.h)
class DeferredProducts;  // deferred matrix products (deferred.h)

// What every execution needs comes first: a step is loaded from memory each time.
struct alignas(64) Step {
  Execute run = nullptr;  // nullptr: refused
  const isa::Info* row = nullptr;
  const MatrixPlan* plan = nullptr;  // of matrix instructions
  u64 pc = 0;
  u32 number = 0;                      // of this step in its program
  int next = absent, target = absent;  // step numbers; absent: nothing decoded there
  u16 dst = 0, mask_dst = 0;           // registers; dst is vector or scalar as the row says
  u32 idle = 0;                        // so many steps from this one on are straight and do nothing
  u8 size = 0, sources = 0;
  bool plain = true;         // no DPP, no SDWA
  bool direct = false;       // also: operands and result are used without modifiers
  bool high_result = false;  // a 16-bit result goes to the upper half
  u8 permuted = 0;           // the source that DPP reads from other lanes
  bool no_mask = false;      // a comparison without destination: writes EXEC only
  bool all_lanes = false;    // writes all lanes regardless of EXEC
  bool straight = false;     // continues at the next step in the program, or at a fault or a barrier
  // For programs with matrix instructions (deferred.h):
  bool concerns_matrices = false;  // any of the next three
  bool anywhere = false;           // accesses registers it does not name
  bool settles = false;            // reads registers that may be accumulators of deferred products
  i16 fragment[2] = {absent, absent},
      chain = absent;       // numbers of A, B and the accumulator, if they are plain and the product can be deferred
  bool may_replay = false;  // on this target: XCNT counts it, and a replay reads its sources again
  Source src[5];
  std::vector<u16> feeds;  // fragments whose registers it writes
  isa::Inst inst;
  struct ColdData {  // needed by checks only, and kept apart so that steps without checks do not fetch it
    std::string text;
    RegSet touched;  // reads and writes: must not be in flight
    RegSet reads;    // sources that define the result (undefined.h)
    RegSet writes;
    RegSet replayed;             // read again by a replay of the access
    bool pure = false;           // its result is a function of registers; it has no other effect
    bool crosses_lanes = false;  // a lane of the result may come from another one, active or not
    bool moves = false;          // compiled code uses it to move values that are not used
    LaneCopy copies = LaneCopy::no;
    u32 data_bits = ~u32{0};                    // of a narrow store: the data bits that it uses
    std::atomic<Keeps> keeps = Keeps::unknown;  // of pure vector instructions
    std::vector<Step> halves;                   // of a pair (VOPD)
    std::string refusal;                        // why it does not run
    Fault::Kind refused = Fault::Kind::unknown_instruction;
  };
  std::shared_ptr<ColdData> cold = std::make_shared<ColdData>();  // copies share it
  const std::string& text() const { return cold->text; }
};

// A hardware barrier: it completes, and changes phase, when every member has signaled.
struct Barrier {
  int members = 0, signaled = 0;
  u32 phase = 0;
  int first_wave = 0;  // the first to signal in this phase, and where
  u64 first_pc = 0;
  Races::Clock arrived{}, completed{};  // of a named one: the clock of its signals, now and at the last completion
};

struct FaultReason {
  Fault::Kind kind;
  int lane;
  u64 address;
  std::string why;
  int origin = absent;
};  // origin: the step of its first access

struct Observer;
struct Workgroup;
enum class LdsByte : u8 { never_written, defined, undefined };
struct Cluster {                           // workgroups that run concurrently; usually one
  std::array<u32, 3> size{1, 1, 1}, id{};  // in workgroups; position in the grid, in clusters
  int groups = 1;
  bool hardware = false;  // several, with a barrier of their own (gfx1250); otherwise those of a cooperative launch
  Barrier barrier;        // counts workgroups
  std::vector<Barrier> wave_syncs;  // GWS, 64 resources; those of a cooperative launch
};
struct Workgroup {
  // Barriers that a wave may wait at. 0: the workgroup's own; 1..16: named (gfx12 and later); 17: the cluster's; from
  // 18 on: resources of global wave sync (GWS).
  static constexpr int barrier_count = 18, cluster_barrier = 17, wave_sync = 18, wave_sync_count = 64;
  const isa::Target* target = nullptr;
  const KernelInfo* kernel = nullptr;
  const Memory* memory = nullptr;
  const Options* options = nullptr;
  std::array<u32, 3> id{};  // in the grid
  u64 image = 0;            // device address of the code object's address 0
  Cluster* cluster = nullptr;
  std::array<u32, 3> in_cluster{};  // position
  int rank = 0;                     // of it, flat
  int waves = 1, running = 1;
  std::vector<u8> lds;  // the allocation, bytes
  Races races;
  std::array<Barrier, barrier_count> barriers;
  bool replays = false;                 // memory instructions may be issued again (XNACK)
  u32 dma_in_flight = 0;                // loads into LDS in flight, all waves
  std::vector<u8> dma_dwords;           // number of them that will write each dword
  std::vector<LdsByte> lds_written;     // empty: not checked
  std::map<u32, int> undefined_stores;  // by address of a byte that is undefined: the step that stored it
  std::array<u64, 4096> moved_at{};  // first lane's address where a wave's step last loaded or stored, here or in the
                                     // workgroup before (access.h)
  Result* counts = nullptr;
  // Operations in flight are tracked only if a check needs it: registers and LDS bytes in flight, LDS order.
  bool follows_operations() const {
    return options->checks.in_flight || options->checks.xcnt || options->reorders() || options->replay ||
           races.enabled();
  }
  Observer* observer = nullptr;
  u64 warnings = 0;
  std::optional<FaultReason> warning;  // the first of them
  int warning_wave = 0, warning_step = 0;
};

struct alignas(64) Wave {
  static constexpr int lanes = 64, vector_regs = 1024;  // wave32 uses the lower half of each row
  Workgroup* group = nullptr;
  u64 all = ~u64{0};    // one bit per lane of the wave: 64 or 32
  u64 items = ~u64{0};  // lanes with a work-item
  u32* v = nullptr;     // [vector_regs][lanes]
  u32 s[256] = {};
  bool scc = false;
  int number = 0;        // in its workgroup
  int at = 0, next = 0;  // step numbers
  u64 jump = ~u64{0};    // address to continue at, if not `next`
  u64 issued = 0;
  u64 written_lanes = 0;  // of the step being executed
  u64 doubtful = 0;       // lanes of which it is undefined whether they are active (undefined.h)
  int unskipped = 0;      // branches not taken because of them
  struct FormerExec {
    u64 lanes = 0, issued = 0;
  };
  std::array<FormerExec, 4>
      former_exec{};     // EXEC before the last VALU instructions that wrote it, and the value of `issued` then
  u32 former_execs = 0;  // number of such instructions
  bool ended = false;
  int waiting = absent;  // barrier number; absent: running
  std::array<u32, Workgroup::barrier_count + Workgroup::wave_sync_count>
      seen_phase{};                              // per barrier: completions up to this one have been waited for
  u8 joined = 0;                                 // the named barrier that the wave has joined; 0: none
  i8 scc_barrier = 0;                            // whose s_barrier_signal_isfirst may have SCC in flight; 0: none
  u64 scratch = 0, scratch_bytes = 0;            // device address of the wave's private memory; bytes per lane
  u8 denorm_f32 = 0, denorm_f16 = 3, round = 0;  // MODE
  bool ieee = true, dx10_clamp = true, fp16_overflow = false;
  bool keeps_half;                    // loads into half of a register keep the other half; otherwise they clear it
  u32 mode_rest = 0, sched_mode = 0;  // bits of MODE without a field here; no functional effect
  bool replay_groups() const {
    return mode_rest >> 25 & 1;
  }  // gfx1250, MODE.REPLAY_MODE: other instructions do not wait for translations
  u8 vgpr_msb = 0;                // s_set_vgpr_msb: {dst, src2, src1, src0}, two bits each
  bool indexed = false;           // MODE.GPR_IDX_EN: VGPR numbers are relative to M0 (gfx9)
  RegBits written{};              // vector: all lanes; scalar
  u64 written_mask[vector_regs];  // lanes, where not all; kept only with Checks::undefined, like
  u32 known_bits[256];            // the defined bits of scalars that were not written
  std::vector<u32> lane_bits;     // and of the lanes that are not in written_mask, [vector_regs][lanes]; empty: none
  struct Valueless {
    int reg, lane;
    u32 bits;
    int stored = absent;  // the step that stored it to LDS
  };
  std::vector<Valueless> valueless;  // undefined bits of the loaded data: of private memory that the lane has not
                                     // written, of LDS that an undefined value was stored to
  struct Origin {
    int reg, step;
    bool lds = false;
  };  // the register (absent: memory) and the step that first read it; LDS: that stored it there
  std::map<int, Origin> origins;  // of registers that were written with an undefined value
  using Guesses = std::array<u32, 256>;
  std::map<int, Guesses> guesses;  // of scalars with undefined bits: their values in possible runs of the wave
  u32 guessed = 0;                 // how often
  bool trying = false;             // the step is being tried: only registers may change
  bool tried = false;              // trials have determined the defined bits of the step's result
  Async async;
  Late late;
  isa::Arch arch;
  isa::HazardTracker hazards;  // where hazard_state is none
  int hazard_state = 0;        // of HazardStates
  std::optional<FaultReason> problem;
  const Memory::Allocation* last = nullptr;  // translation cache
  DeferredProducts* deferred = nullptr;      // nullptr: matrix products are computed at once

  explicit Wave(isa::Arch a, int width = 0)
      : keeps_half(!isa::target(a).sram_ecc()),
        arch(a),
        hazards(a, width) {}  // width: lanes of a wave; 0: the target's own
  u32* vreg(int r) { return v + r * lanes; }
  u64 known_lanes(int r) const {
    return written[r / 64] >> r % 64 & 1 ? all : written_mask[r];
  }  // of a VGPR: that were written
  int width() const { return all >> 32 ? 64 : 32; }
  u64 exec() const { return (s[sreg::exec] | u64{s[sreg::exec + 1]} << 32) & all; }
  void set_exec(u64 m) { set_mask(sreg::exec, m); }
  // A lane mask: a pair in wave64, one register in wave32.
  u64 mask(int r) const { return all >> 32 ? pair(r) : s[r]; }
  void set_mask(int r, u64 m) {
    if (r == sreg::null) return;
    s[r] = static_cast<u32>(m);
    if (all >> 32) s[r + 1] = static_cast<u32>(m >> 32);
  }
  u64 pair(int r) const { return s[r] | u64{s[r + 1]} << 32; }
  void set_pair(int r, u64 x) {
    if (r == sreg::null) return;
    s[r] = static_cast<u32>(x);
    s[r + 1] = static_cast<u32>(x >> 32);
  }
  void fail(Fault::Kind kind, std::string why, int lane = absent, u64 address = 0, int origin = absent) {
    if (!problem) problem = FaultReason{kind, lane, address, std::move(why), origin};
  }
};

inline Barrier& barrier_of(Workgroup& g, int number) {
  if (number >= Workgroup::wave_sync) return g.cluster->wave_syncs[static_cast<size_t>(number - Workgroup::wave_sync)];
  return number == Workgroup::cluster_barrier ? g.cluster->barrier : g.barriers[static_cast<size_t>(number)];
}

// The value of a scalar source; SCC, VCCZ and the apertures are also read as registers.
u32 scalar(const Wave&, int reg);

// Apertures of flat addresses: the upper 32 bits.
inline constexpr u32 shared_aperture = 0x00020000, private_aperture = 0x00010000;
inline constexpr u32 shared_private_aperture =
    1;  // bits 63:58 of an address, on targets whose scratch all waves may address

}  // namespace wavesmith::sim
