// Tags with LRU replacement, and the levels at which the sectors of traced workgroups hit when all workgroups of a
// die run concurrently.
#pragma once
#include <algorithm>
#include <bit>

#include "isa_tables/timing/timing.h"
#include "simulator/timing/contention.h"

namespace wavesmith::timing {

// coming: another CU requested the line shortly before; it has the same latency and moves no bytes.
enum class Level : u8 { l2, mall, memory, coming };
// In WaveTrace::level: where a sector hits (bits 0 and 1) and how contended its channel is (contention.h). more_bit: an
// atomic's line is also written back, to where it came from.
constexpr u8 more_bit = 0x80;
constexpr Level level_of(u8 x) { return static_cast<Level>(x & 3); }
constexpr bool in_l2(u8 x) { return level_of(x) == Level::l2 || level_of(x) == Level::coming; }

// Of a store, the same bits say what happens to its sector if this store is the first one to make it dirty: l2: nothing
// (it was dirty); mall, memory: it is written back there; coming: so too, to memory with more_bit, after the L2 has
// taken ownership of a line that it had read. more_bit without that: of 32 bytes a part stays unwritten, which memory
// reads, modifies and writes.
constexpr bool owned(u8 store) { return level_of(store) == Level::coming; }
constexpr Level written_back(u8 store) {
  return !owned(store) ? level_of(store) : store & more_bit ? Level::memory : Level::mall;
}

// Set-associative, true LRU. Addresses are line numbers; the set hash folds upper bits in, as memory systems do so that
// power-of-two strides do not meet in one set (inferred: the real function is not published).
template <u32 ways>
class Tags {
 public:
  explicit Tags(u64 lines)
      : sets_(std::bit_floor(std::max<u32>(1, static_cast<u32>(lines / ways)))),
        bits_(std::max(1, std::countr_zero(sets_))) {
    tags_.assign(size(), ~u32{0}), used_.resize(size()), last_.resize(sets_);
  }
  // The place of the line, from now on if it was not there (hit).
  size_t touch(u32 line, bool& hit) {
    const size_t set = set_of(line), first = set * ways;
    u32 *tags = &tags_[first], *used = &used_[first];
    u32 way = last_[set];
    hit = tags[way] == line;
    if (!hit) {
      way = ways;
      for (u32 w = 0; w < ways; ++w) way = tags[w] == line ? w : way;
      hit = way < ways;
      if (!hit) way = static_cast<u32>(std::min_element(used, used + ways) - used), tags[way] = line;
      last_[set] = static_cast<u8>(way);
    }
    used[way] = ++clock_;
    return first + way;
  }
  // Has the host fetch what touch() will use. The first of the line's possible places.
  size_t expect(u32 line) const {
    const size_t set = set_of(line), first = set * ways;
    __builtin_prefetch(&tags_[first], 1), __builtin_prefetch(&used_[first], 1), __builtin_prefetch(&last_[set]);
    return first;
  }
  size_t size() const { return size_t{sets_} * ways; }

 private:
  u32 set_of(u32 line) const {
    return (line ^ line >> bits_ ^ static_cast<u32>(u64{line} >> 2 * bits_)) & (sets_ - 1);  // all bits may be of a set
  }
  u32 sets_;
  int bits_;
  u32 clock_ = 0;
  std::vector<u32> tags_, used_;  // by place
  std::vector<u8> last_;          // by set: the way that hit last
};

// The part of `bytes`, accessed again and again, that a memory-side cache of `size` bytes keeps. A pass over more than
// it holds finds nothing of the last one; in between, some sets are full (inferred; hw: relu and vectoradd on MI300A
// have the cache's rate at 0.75 of its size, half of the difference at 1, memory's at 1.5).
double kept(double bytes, double size);

struct DeviceShape {
  int dies = 1;
  bool one_l2 = false;    // of all dies
  double last_cache = 0;  // bytes that the memory-side cache holds, or the one L2; 0: none
  bool warm = true;
  double of_die = 1;  // the fraction of a die's workgroups that is traced
  double again = 0;   // of what the L2 fetches, the fraction that the last cache keeps from earlier rounds
  double l2_under_way = 0, memory_under_way = 0;  // outstanding lines of a die: bandwidth times latency
  OtherDies others;
};
struct Footprint {
  u64 l2_lines = 0, l2_misses = 0;         // of the traced workgroups: sectors read, and lines fetched for them
  u64 fetched_again = 0;                   // of these, that had been fetched before; counted where a device has one L2
  u64 written = 0;                         // sectors that the L2 writes back
  u64 fetched_here = 0, written_here = 0;  // of both, those of memory; the others are the memory-side cache's
  std::vector<u8*>
      fetched;  // where a device has one L2: the levels of the sectors that it fetches, in order, or nullptr
  double memory_share() const {
    const u64 all = 2 * l2_misses + written;  // a line has two sectors
    return all ? static_cast<double>(2 * fetched_here + written_here) / static_cast<double>(all) : 1;
  }
  int l2_channels = 1, memory_channels = 1;  // 1: unknown
  double l2_contention = 1,
         memory_contention = 1;  // mean factor by which channel contention lengthens the lines' time there
};
// Fills WaveTrace::level of the first `own` groups. `groups` run concurrently on one die, all waves at the same pace.
// `of_launch`: bytes of all buffers the launch may access. `followed`: instructions per wave for which all groups were
// traced, 0: all; after that the miss rate is assumed to stay the same.
Footprint find_levels(std::vector<GroupTrace>& groups, size_t own, const sim::DecodedKernel&, isa::Arch,
                      const DeviceShape&, double of_launch, u64 followed);
// Where a device has one L2, nothing else in them follows from DeviceShape::again: the same as find_levels() with
// another one.
void fetch_again(Footprint&, const DeviceShape&, double of_launch);

}  // namespace wavesmith::timing
