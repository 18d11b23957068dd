// In-order units that the waves of a CU share: LDS and vector memory. Because they serve in order, the completion clock
// of an access is known at its issue.
#pragma once
#include <algorithm>
#include <optional>

#include "simulator/timing/caches.h"
#include "simulator/timing/decode.h"

namespace wavesmith::timing {

// When the n-th access before this one left the queue.
class Queue {
 public:
  explicit Queue(size_t depth) : left_(std::max<size_t>(depth, 1), 0) {}
  u64 free() const { return left_[at_]; }  // the clock from which an entry is free
  void put(u64 leaves) { left_[at_] = leaves, at_ = (at_ + 1) % left_.size(); }

 private:
  std::vector<u64> left_;
  size_t at_ = 0;
};

struct Traffic {
  u64 lds_bytes = 0, l1_bytes = 0, l2_bytes = 0, memory_bytes = 0, mall_bytes = 0, written_bytes = 0, lds_clocks = 0,
      lds_conflicts = 0;
  // Busy clocks of the CU's share of each level. outside: per line, of the slower one of memory and its cache.
  double l2_clocks = 0, l2_write_clocks = 0, fabric_clocks = 0, mall_clocks = 0, memory_clocks = 0, outside_clocks = 0;
  Traffic& operator+=(const Traffic& t) {
    lds_bytes += t.lds_bytes, l1_bytes += t.l1_bytes, l2_bytes += t.l2_bytes, memory_bytes += t.memory_bytes;
    mall_bytes += t.mall_bytes, written_bytes += t.written_bytes, lds_clocks += t.lds_clocks,
        lds_conflicts += t.lds_conflicts;
    l2_clocks += t.l2_clocks, l2_write_clocks += t.l2_write_clocks, fabric_clocks += t.fabric_clocks,
        mall_clocks += t.mall_clocks;
    memory_clocks += t.memory_clocks, outside_clocks += t.outside_clocks;
    return *this;
  }
};

class Lds {
 public:
  explicit Lds(const isa::Timing&);
  u64 free(int port) const { return ports_[static_cast<size_t>(port)].queue.free(); }
  // The SIMDs of a port take turns at its full queue: which of both waits for a place, and since when.
  void wait(int port, size_t side, u64 now) {
    u64& since = ports_[static_cast<size_t>(port)].waits[side % 2];
    since = std::min(since, now);
  }
  bool other_first(int port, size_t side) const {
    const auto& waits = ports_[static_cast<size_t>(port)].waits;
    return waits[(side + 1) % 2] < waits[side % 2];
  }
  void took(int port, size_t side) { ports_[static_cast<size_t>(port)].waits[side % 2] = never_; }
  // The completion clock of the access. partition: where LDS has some.
  u64 access(const Static&, int port, u32 partition, u64 at, u32 conflicts, int lanes, Traffic&);
  void fill(int port, u64 at, u64 bytes, Traffic&);  // what loads from memory write
  // What data movers read or write, over the whole width of the banks (inferred), in turn with the accesses that
  // follow.
  void move(u64 bytes, Traffic&);

 private:
  struct Port {
    u64 in = 0, out = 0;
    Queue queue;
    std::array<u64, 2> waits{never_, never_};
  };
  static constexpr u64 never_ = ~u64{0};
  const isa::Timing& t_;
  u64& banks(int port, u32 partition) {
    return banks_[t_.lds_partitions > 0 ? partition % banks_.size()
                                        : static_cast<size_t>(port) * banks_.size() / ports_.size()];
  }
  std::vector<u64> banks_;  // when each core's, or partition's, are free
  double moving_ = 0;       // clocks of each port for data movers
  std::vector<Port> ports_;
};

// A CU's share of the shared resources, in clocks per byte; not faster than its own port.
struct Share {
  double port = 0;
  double l2 = 0, fabric = 0, mall = 0, memory = 0;
  double l2_write = 0, mall_write = 0, memory_write = 0;
  // Latency beyond the L2; coming: for a line that another CU has requested; assumed to be the memory-side cache's,
  // since it may already be on its way.
  double mall_clocks = 0, memory_clocks = 0, coming_clocks = 0;
  // Fraction of the time for which evenly loaded channels would be busy. 0: contention is not relevant.
  double l2_load = 0, memory_load = 0;
};

// Lines by when they are there.
template <u32 ways>
class ArrivalTags {
 public:
  explicit ArrivalTags(u64 lines) : tags_(lines), filled_(tags_.size(), 0) {}
  u64& touch(u32 line, bool& hit) {
    u64& filled = filled_[tags_.touch(line, hit)];
    if (!hit) filled = 0;
    return filled;
  }

 private:
  Tags<ways> tags_;
  std::vector<u64> filled_;
};

class MemoryPath {
 public:
  MemoryPath(const isa::Timing&, const Share&);
  u64 free() const { return queue_.free(); }
  u64 drained() const { return static_cast<u64>(std::max({l2_write_, mall_, memory_})); }  // all is written back
  // `apart` is added to the line numbers: a trace that represents several workgroups accesses other lines each time.
  struct Touched {
    const u32* sectors;
    const u8* levels;
    u32 count, apart;
    u32 receivers = 1;  // CUs that get what the L2 reads once (CDNA5 ISA 10.7)
  };
  // The clocks at which its addresses are translated and at which it is complete. Inferred: translated as late as a hit
  // in the L1 would return, whose tags need the translation; there is no miss of the translation.
  struct Passed {
    u64 translated, complete;
  };
  Passed access(const Static&, u64 at, const Touched&, int lanes, Traffic&);
  // By a data mover, which does not wait for the CU's other accesses. A descriptor that is not valid touches nothing.
  Passed move(const Static&, size_t mover, u64 at, const Touched&, Traffic&);

 private:
  // For a line that hits at the level in WaveTrace::level.
  u64 filled_from(double at, u8 level, Traffic&);  // arrival time, given when it has passed the L2
  // When it has passed its channels.
  double through_l2(double at, double bytes, u8 level, u32 receivers, Traffic&);
  double into_l2(double at, u8 level, bool was_dirty, Traffic&);  // of a sector that is written
  void own(double at, Traffic&);                                  // a line that is read and then written
  double held() const;  // the clock until which stores wait, for the L2 or for what it writes back
  double outside(double at, u8 level, Traffic&);  // when it has passed the levels beyond the L2
  void write_back(double at, u8 level, bool to_memory, bool modifies, Traffic&);  // a sector
  u64 read(double start, const Touched&, std::array<u32, 8>& asked, Traffic&);
  void prefetch(double start, const Touched&, std::array<u32, 8>& asked, Traffic&);
  u64 write(const Static&, double start, const Touched&, std::array<u32, 8>& asked, Traffic&);
  const isa::Timing& t_;
  Share share_;
  ArrivalTags<16> l1_;
  std::optional<ArrivalTags<16>> prefetched_;  // lines by this CU: when they are in the L2
  Queue queue_;
  std::vector<double> movers_;                                                       // when each is free
  double address_ = 0, l2_ = 0, l2_write_ = 0, fabric_ = 0, mall_ = 0, memory_ = 0;  // when each is free
  double buffered_ = 0, dirty_ = 0;  // clocks for which the L2, and what is behind it, may be busy with earlier stores
};

class ScalarCache {
 public:
  ScalarCache(const isa::Timing& t, const Share& s) : t_(t), share_(s), tags_(256) {}
  MemoryPath::Passed access(u64 at, const u32* sectors, const u8* levels, u32 count);

 private:
  const isa::Timing& t_;
  Share share_;
  ArrivalTags<4> tags_;
};

}  // namespace wavesmith::timing
