// Tags with LRU replacement, and the levels at which the sectors of traced workgroups hit when all workgroups of a
// die run concurrently.
#pragma once
#include "isa_tables/timing/timing.h"
#include "simulator/timing/contention.h"

namespace wavesmith::timing {

// coming: another CU requested the line shortly before; it has the same latency and moves no bytes.
enum class Level : u8 { l2, mall, memory, coming };
// In WaveTrace::level: where a sector hits (bits 0 and 1), how contended its channel is (contention.h), and whether its
// page translation misses.
constexpr u8 walk_bit = 0x80;
constexpr Level level_of(u8 x) { return static_cast<Level>(x & 3); }
constexpr bool in_l2(u8 x) { return level_of(x) == Level::l2 || level_of(x) == Level::coming; }

// Set-associative, true LRU. Addresses are line numbers; the set hash folds upper bits in, as memory systems do so that
// power-of-two strides do not meet in one set (inferred: the real function is not published).
class Tags {
 public:
  Tags(u64 lines, int ways);
  struct Line {
    u32 tag = ~u32{0};
    u32 used = 0;
    u64 filled = 0;
  };
  // Looks up the line and inserts it; hit: it was present before.
  Line& touch(u32 line, bool& hit);
  void clear();

 private:
  u32 set_of(u32 line) const { return (line ^ line >> bits_ ^ line >> 2 * bits_) & (sets_ - 1); }
  int ways_;
  u32 sets_, bits_, clock_ = 0;
  std::vector<Line> lines_;
};

struct DeviceShape {
  int dies = 1;
  double mall_bytes = 0, reach_bytes = 0;
  bool warm = true;
  double l2_under_way = 0, memory_under_way = 0;  // outstanding lines of a die: bandwidth times latency
  OtherDies others;
};
struct Footprint {
  u64 l2_lines = 0, l2_misses = 0;  // of the traced workgroups
  double memory_share = 1;          // fraction of the misses that go to memory; the rest hit in the memory-side cache
  double walked = 0;                // fraction of newly touched pages of a workgroup whose translation misses
  int l2_channels = 1, memory_channels = 1;  // 1: unknown
  double l2_contention = 1,
         memory_contention = 1;  // mean factor by which channel contention lengthens the lines' time there
};
// Fills WaveTrace::level. `groups` run concurrently on one die, all waves at the same pace. `of_launch`: bytes of all
// buffers the launch may access. `followed`: instructions per wave for which all groups were traced, 0: all; after that
// the miss rate is assumed to stay the same.
Footprint find_levels(std::vector<GroupTrace>& groups, const sim::DecodedKernel&, isa::Arch, const DeviceShape&,
                      double of_launch, u64 followed);

}  // namespace wavesmith::timing
