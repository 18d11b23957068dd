// Issue streams of workgroups, as the functional simulator executed them. Compact: four bytes per instruction, and for
// memory accesses their place, one word for the cost and one for each 64-byte sector. Values on which no address or
// branch depends are not computed.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "isa_tables/timing/timing.h"
#include "simulator/decoded_kernel.h"
#include "simulator/observer.h"
#include "simulator/timing/found.h"
#include "simulator/timing/slice.h"

namespace wavesmith::timing {

using sim::u16, sim::u32, sim::u64, sim::u8;

inline constexpr int sector_bytes = 64;
struct WaveTrace {
  std::vector<u32> steps;  // numbers into DecodedKernel::steps
  u32 instructions = 0;    // as traced
  struct Access {
    u32 at, data, step;  // its place among the instructions and in `data`; of the program
  };
  std::vector<Access> accesses;  // to memory, as traced
  // For every instruction of the units lds, vmem and smem that a counter counts, and for prefetches: a word with the
  // number of sectors (bits 31:16), how many other workgroups of the cluster get the same data (15:12; of an access to
  // LDS: the partition of its first lane) and the LDS conflict cycles, then the sectors (address / 64).
  std::vector<u32> data;
  std::vector<u8> level;  // parallel to `data`: where a sector hits (Level, see caches.h)
  // For each sector of a store or atomic, in order: how many dwords of its two halves it writes, in four bits each.
  std::vector<u8> covered;
};
struct GroupTrace {
  std::array<u32, 3> id{};
  std::vector<WaveTrace> waves;
  bool truncated = false;
  u64 instructions() const {
    u64 n = 0;
    for (const auto& w : waves) n += w.steps.size();
    return n;
  }
};
constexpr u32 most_conflicts = 0xfff;
constexpr u32 data_word(u32 sectors, u32 conflicts, u32 others = 0) {
  return sectors << 16 | others << 12 | (conflicts < most_conflicts ? conflicts : most_conflicts);
}
constexpr u32 conflicts_of(u32 word) { return word & most_conflicts; }
constexpr u32 receivers_of(u32 word) { return (word >> 12 & 15) + 1; }
constexpr u32 partition_of(u32 address) { return address / isa::lds_partition & 15; }  // of LDS
constexpr u32 partition_in(u32 word) { return word >> 12 & 15; }

bool prefetches(const sim::Step&);  // data, into the L2
// Does the step have an entry in WaveTrace::data?
bool has_data(const sim::Step&);
// What it does there: to memory, not to the LDS.
enum class MemoryOp : u8 { none, scalar, load, store, atomic, prefetch };
MemoryOp memory_op_of(const sim::Step&);

// A kernel decoded and sliced, once for all traces of a launch.
struct Sliced {
  std::shared_ptr<const sim::DecodedKernel> program;
  Skipped skipped;
  // By step:
  std::vector<bool> runs;  // its semantics are unchanged
  std::vector<u8> with_data;
  std::vector<MemoryOp> accesses;
};
struct SlicedKernel {  // filled as needed
  std::optional<sim::DecodedKernel> decoded;
  std::map<Computed, Sliced> by_values, for_lines;
};
const sim::DecodedKernel& decoded(SlicedKernel&, const sim::CodeObject&, const sim::KernelInfo&);

struct TraceRequest {
  std::vector<std::array<u32, 3>> groups;
  bool may_end_early = false;  // at most_instructions, without a fault
  bool lines_alone = false;    // of memory are wanted: no steps, nothing of the LDS
  u64 most_instructions = 0;   // of a wave; 0: the simulator's default
  int jobs = 0;
  SlicedKernel* sliced = nullptr;    // of the same kernel
  std::vector<FoundValues> found{};  // by group: what its atomics found in an earlier run; empty: what there is
};
struct Traced {
  std::shared_ptr<const sim::DecodedKernel> program;  // as decoded; some of its steps may have empty semantics
  std::vector<GroupTrace> groups;                     // in the request's order
  std::optional<sim::Fault> fault;                    // other than the end of the budget
  u64 skipped = 0;                                    // steps of the program whose values are not needed
};
u64 longest_wave(const Traced&);  // instructions
Traced trace(const sim::CodeObject&, const sim::KernelInfo&, sim::Memory&, const sim::Launch&, const TraceRequest&,
             Computed = Computed::needed_but_products);

}  // namespace wavesmith::timing
