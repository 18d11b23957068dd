// Each pipe keeps the clocks at which its parts are free again; an access advances them and returns its completion
// clock.
#include "simulator/timing/pipes.h"

#include <algorithm>
#include <cmath>

namespace wavesmith::timing {

Lds::Lds(const isa::Timing& t)
    : t_(t),
      banks_(static_cast<size_t>(t.lds_partitions > 0 ? t.lds_partitions : t.lds_cores), 0),
      ports_(static_cast<size_t>(t.lds_ports), Port{0, 0, Queue(static_cast<size_t>(t.lds_queue))}) {}

u64 Lds::access(const Static& s, int port, u32 partition, u64 at, u32 conflicts, int lanes, Traffic& traffic) {
  Port& p = ports_[static_cast<size_t>(port)];
  const u64 taken = std::max(at, p.in), in_done = taken + static_cast<u64>(s.lds_in);
  p.in = in_done;
  const u64 clocks = static_cast<u64>(s.lds_clocks) + conflicts;
  u64& free = banks(port, partition);
  const u64 start = std::max(s.store ? in_done : taken, free);
  u64 done = start + clocks;
  if (!s.crossbar) {
    const auto movers_share = static_cast<double>(t_.lds_partitions > 0 ? ports_.size() : banks_.size());
    const double between = std::min(moving_, static_cast<double>(clocks));
    moving_ -= between / movers_share, done += static_cast<u64>(between);
    free = done;
  }
  if (s.lds_out)
    done = p.out = std::max({done, p.out + static_cast<u64>(s.lds_out), start + static_cast<u64>(s.lds_out)});
  p.queue.put(std::max(in_done, done));
  traffic.lds_bytes += static_cast<u64>(s.bytes) * static_cast<u64>(lanes), traffic.lds_clocks += clocks,
      traffic.lds_conflicts += conflicts;
  return done + static_cast<u64>(s.store ? t_.lds_write_latency : t_.lds_latency);
}

void Lds::fill(int port, u64 at, u64 bytes, Traffic& traffic) {
  const u64 clocks = static_cast<u64>(static_cast<double>(bytes) / (t_.lds_ports / t_.lds_cores * t_.lds_write_bytes));
  u64& free = banks(port, 0);
  free = std::max(free, at) + clocks;
  traffic.lds_bytes += bytes, traffic.lds_clocks += clocks;
}

void Lds::move(u64 bytes, Traffic& traffic) {
  const double clocks = static_cast<double>(bytes) / (t_.lds_ports * t_.lds_port_bytes);
  moving_ += clocks;
  traffic.lds_bytes += bytes, traffic.lds_clocks += static_cast<u64>(clocks);
}

MemoryPath::MemoryPath(const isa::Timing& t, const Share& s)
    : t_(t),
      share_(s),
      l1_(static_cast<u64>(t.l1_kib * 1024 / t.l1_line)),
      queue_(static_cast<size_t>(t.vmem_queue)),
      movers_(static_cast<size_t>(t.data_movers), 0),
      buffered_(t.write_buffer_kib * 1024 * std::max(s.port, s.l2_write)) {
  // The CU's part of the L2 may be dirty.
  const double paths = s.l2 * t.l2_bytes;
  dirty_ = paths > 0 ? t.l2_kib * 1024 / paths * std::max(s.mall_write, s.memory_write) : 1e18;
}

namespace {

// The factor by which a line delays those after it. The fullest channel is busy `factor` times as long as with even
// use; the part that fits into the launch's time anyway costs nothing. `load`: the share of that time that even use
// takes.
double lengthened(double factor, double load) { return load > 0 ? 1 + std::max(0.0, factor - 1 / load) : 1; }

}  // namespace

double MemoryPath::outside(double at, u8 level, Traffic& traffic) {
  const double bytes = std::max(t_.l1_line, t_.l2_line),
               contention = lengthened(contention_factor(level), share_.memory_load);  // bytes: what the L2 fills
  const double fabric = bytes * std::max(share_.port, share_.fabric);
  fabric_ = std::max(fabric_, at) + fabric;
  const double mall = bytes * share_.mall * contention;
  mall_ = std::max(mall_, fabric_) + mall;
  traffic.fabric_clocks += fabric, traffic.mall_clocks += mall;
  if (level_of(level) == Level::mall) {
    traffic.mall_bytes += static_cast<u64>(bytes), traffic.outside_clocks += mall;
    return mall_;
  }
  const double memory = bytes * share_.memory * contention, taken = std::max(fabric, memory);
  memory_ = std::max(memory_, mall_) + taken;
  traffic.memory_bytes += static_cast<u64>(bytes);
  traffic.memory_clocks += memory, traffic.outside_clocks += std::max(mall, taken);
  return memory_;
}

void MemoryPath::write_back(double at, u8 level, bool to_memory, bool modifies, Traffic& traffic) {
  const double contention = lengthened(contention_factor(level), share_.memory_load),
               fabric = sector_bytes * std::max(share_.port, share_.fabric),
               mall = sector_bytes * share_.mall_write * contention;
  fabric_ = std::max(fabric_, at) + fabric, mall_ = std::max(mall_, fabric_) + mall;
  traffic.fabric_clocks += fabric, traffic.mall_clocks += mall, traffic.written_bytes += sector_bytes;
  if (!to_memory) {
    traffic.mall_bytes += sector_bytes, traffic.outside_clocks += mall;
    return;
  }
  const double memory = sector_bytes * share_.memory_write * contention * (modifies ? t_.partial_write : 1),
               taken = std::max(fabric, memory);
  memory_ = std::max(memory_, mall_) + taken;
  traffic.memory_bytes += sector_bytes;
  traffic.memory_clocks += memory, traffic.outside_clocks += std::max(mall, taken);
}

// As a line that the memory-side cache sends.
void MemoryPath::own(double at, Traffic& traffic) {
  const double fabric = t_.l2_line * std::max(share_.port, share_.fabric), mall = t_.l2_line * share_.mall;
  fabric_ = std::max(fabric_, at) + fabric, mall_ = std::max(mall_, fabric_) + mall;
  traffic.fabric_clocks += fabric, traffic.mall_clocks += mall, traffic.outside_clocks += mall;
  traffic.mall_bytes += static_cast<u64>(t_.l2_line);
}

double MemoryPath::through_l2(double at, double bytes, u8 level, u32 receivers, Traffic& traffic) {
  const double contention = in_l2(level) ? lengthened(contention_factor(level), share_.l2_load) : 1,
               clocks = bytes * std::max(share_.port, share_.l2 * contention / receivers);
  traffic.l2_bytes += static_cast<u64>(bytes / receivers), traffic.l2_clocks += clocks;
  return l2_ = std::max(l2_, at) + clocks;
}

// Its channels have a path for each direction (CDNA3's whitepaper).
double MemoryPath::into_l2(double at, u8 level, bool was_dirty, Traffic& traffic) {
  const double clocks =
      sector_bytes *
      std::max(share_.port, share_.l2_write * (was_dirty ? lengthened(contention_factor(level), share_.l2_load) : 1));
  traffic.l2_bytes += sector_bytes, traffic.l2_write_clocks += clocks;
  return l2_write_ = std::max(l2_write_, at) + clocks;
}

double MemoryPath::held() const { return std::max(l2_write_ - buffered_, std::max(mall_, memory_) - dirty_); }

u64 MemoryPath::filled_from(double at, u8 level, Traffic& traffic) {
  if (in_l2(level))
    return static_cast<u64>(at + t_.l2_latency - t_.vmem_address_clocks +
                            (level_of(level) == Level::coming ? share_.coming_clocks : 0));
  return static_cast<u64>(outside(at, level, traffic) + t_.l2_latency +
                          (level_of(level) == Level::mall ? share_.mall_clocks : share_.memory_clocks));
}

// Written through to the L2, in requests of a sector.
u64 MemoryPath::write(const Static& s, double start, const Touched& touched, std::array<u32, 8>& asked,
                      Traffic& traffic) {
  const u32 per_line = static_cast<u32>(t_.l1_line) / sector_bytes;
  u32 last = ~u32{0};
  u64 done = 0;
  double issued = start;
  for (u32 i = 0; i < touched.count; ++i) {
    const u32 line = touched.sectors[i] / per_line + touched.apart;
    const u8 level = touched.levels[i];
    if (line != last) {
      bool hit;
      l1_.touch(line, hit);
      issued = start + ++asked[line % static_cast<u32>(t_.l1_tag_rams)];
    }
    last = line;
    const double passed = into_l2(issued, level, s.atomic ? in_l2(level) : level_of(level) == Level::l2, traffic);
    if (s.atomic) {
      if (!in_l2(level)) outside(passed, level, traffic);
      if (level & more_bit) write_back(passed, level, level_of(level) == Level::memory, false, traffic);
      done = static_cast<u64>(passed + t_.l2_latency);
    } else if (const Level to = written_back(level); to != Level::l2) {
      if (owned(level)) own(passed, traffic);
      write_back(passed, level, to == Level::memory, !owned(level) && level & more_bit, traffic);
    }
  }
  return done;
}

// A lookup in the L2 for 256 bytes, without data to the CU. `prefetched_` holds the lines of a few microseconds.
// Inferred: prefetches take none of the L2's bandwidth, and of the CU's address path a clock for each 256 bytes.
void MemoryPath::prefetch(double start, const Touched& touched, std::array<u32, 8>& asked, Traffic& traffic) {
  constexpr u64 most_lines = 16384;
  if (!prefetched_) prefetched_.emplace(most_lines);
  const u32 per_line = static_cast<u32>(t_.l1_line) / sector_bytes, per_request = 256 / static_cast<u32>(t_.l1_line);
  u32 request = ~u32{0};
  for (u32 i = 0, next; i < touched.count; i = next) {
    const u32 line = touched.sectors[i] / per_line + touched.apart;
    u8 level = touched.levels[i];
    for (next = i + 1; next < touched.count && touched.sectors[next] / per_line + touched.apart == line; ++next)
      if (in_l2(level)) level = touched.levels[next];
    if (line / per_request != request) request = line / per_request, ++asked[0];
    const double issued = start + asked[0];
    bool hit;
    u64& filled = prefetched_->touch(line, hit);
    if (level_of(level) != Level::l2) filled = filled_from(issued, level, traffic);
  }
}

u64 MemoryPath::read(double start, const Touched& touched, std::array<u32, 8>& asked, Traffic& traffic) {
  const u32 per_line = static_cast<u32>(t_.l1_line) / sector_bytes;
  u64 done = 0;
  for (u32 i = 0, next; i < touched.count; i = next) {
    const u32 line = touched.sectors[i] / per_line + touched.apart;
    u8 level = touched.levels[i];
    for (next = i + 1; next < touched.count && touched.sectors[next] / per_line + touched.apart == line; ++next)
      if (in_l2(level)) level = touched.levels[next];  // a half of the line may have been written, the other not
    bool hit;
    u64& filled = l1_.touch(line, hit);
    const double issued = start + ++asked[line % static_cast<u32>(t_.l1_tag_rams)];
    if (!hit) filled = filled_from(through_l2(issued, t_.l1_line, level, touched.receivers, traffic), level, traffic);
    // The line was counted for another wave's half of it, which came later in the pass over the levels: this access
    // fetches it.
    else if (!in_l2(level)) filled = std::max(filled, filled_from(issued, level, traffic));
    if (bool known; !hit && prefetched_)
      if (const u64 there = prefetched_->touch(line, known); known) filled = std::max(filled, there);
    done = std::max(done, filled);
  }
  return done;
}

MemoryPath::Passed MemoryPath::access(const Static& s, u64 at, const Touched& touched, int lanes, Traffic& traffic) {
  const bool waits = !s.store && t_.loads_after_stores != 0;
  const double start = std::max({address_, static_cast<double>(at), waits ? l2_write_ : 0});
  std::array<u32, 8> asked{};  // lines, of each tag RAM
  if (s.prefetch) prefetch(start, touched, asked, traffic);
  const u64 done = std::max(static_cast<u64>(start + (s.store ? t_.vmem_store_clocks : t_.l1_latency)),
                            s.prefetch            ? u64{0}
                            : s.store || s.atomic ? write(s, start, touched, asked, traffic)
                                                  : read(start, touched, asked, traffic));
  const double data = static_cast<double>(s.bytes) * lanes;
  address_ = start + std::max({t_.vmem_address_clocks, data / t_.vmem_bytes,
                               static_cast<double>(*std::max_element(asked.begin(), asked.end()))});
  const double busy = address_ - start;
  if (s.store) address_ = std::max(address_, held());
  queue_.put(static_cast<u64>(address_));
  traffic.l1_bytes += static_cast<u64>(data);
  const auto beyond = static_cast<u64>(busy - t_.vmem_address_clocks);
  return {static_cast<u64>(start + t_.l1_latency) + beyond, done + beyond};
}

MemoryPath::Passed MemoryPath::move(const Static& s, size_t mover, u64 at, const Touched& touched, Traffic& traffic) {
  if (!touched.count) return {at, at};
  double& free = movers_[mover];
  const double start = std::max(free, static_cast<double>(at));
  std::array<u32, 8> asked{};
  const u64 done = s.store ? write(s, start, touched, asked, traffic) : read(start, touched, asked, traffic);
  free = start + *std::max_element(asked.begin(), asked.end());
  const u64 passed = static_cast<u64>(free + t_.l1_latency);
  return {passed, std::max(done, passed)};
}

MemoryPath::Passed ScalarCache::access(u64 at, const u32* sectors, const u8* levels, u32 count) {
  const u64 hit_at = at + static_cast<u64>(t_.smem_latency);
  u64 done = hit_at;
  for (u32 i = 0; i < count; ++i) {
    bool hit;
    u64& filled = tags_.touch(sectors[i], hit);
    if (!hit) {
      const Level level = level_of(levels[i]);
      filled = at + static_cast<u64>(t_.l2_latency + (level == Level::l2       ? 0
                                                      : level == Level::coming ? share_.coming_clocks
                                                      : level == Level::mall   ? share_.mall_clocks
                                                                               : share_.memory_clocks));
    }
    done = std::max(done, filled);
  }
  return {hit_at, done};
}

}  // namespace wavesmith::timing
