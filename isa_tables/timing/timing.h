// The parameters of the timing model as data: timing.def states the source and confidence of each. One set per target.
#pragma once
#include <bit>
#include <vector>

#include "isa_tables/timing/peaks.h"

namespace wavesmith::isa {

enum class Confidence : uint8_t { documented, compiler, measured, inferred, low };
const char* name(Confidence);

inline constexpr int lds_partition = 1 << 16;  // bytes of LDS, where it has partitions (Timing::lds_partitions)

// Units: engine clocks, bytes, bytes per clock, KiB or ns, by the suffix of the name; without a suffix, clocks.
struct Timing {
  double issue_period, wave_interval, oldest_first, nop_clocks, sleep_clocks, branch_clocks, barrier_clocks,
      fetch_bytes, straddle_clocks, icache_line, icache_kib, icache_miss, icache_stream;
  double valu_to_memory, valu_to_scalar, mask_to_valu, salu_to_salu, salu_multiply, salu_float, salu_to_valu,
      salu_to_branch;
  double valu_full, valu_half, valu_trans, valu_convert, valu_packed_f32, valu_f64, valu_wide, valu_swap, valu_latency,
      trans_latency;
  double delay_matrix, delay_matrix_as_trans;
  double matrix_after_packed, matrix_on_valu, matrix_shadow, matrix_queue, matrix_to_valu;
  double lds_cores, lds_partitions, lds_ports, pairs_alternate, lds_port_bytes, lds_write_bytes, lds_address_clocks,
      lds_latency, lds_write_latency, lds_queue;
  double data_movers, vmem_paths, vmem_bytes, vmem_address_clocks, vmem_queue, write_buffer_kib, loads_after_stores,
      l1_line, l1_tag_rams, l1_kib, l1_latency, l2_latency, l2_port_bytes, l2_line, l2_kib, l2_bytes, l2_write_bytes,
      l2_of_device, l2_owns, fabric_bytes;
  double mall_ns, mall_write, memory_ns, memory_read, memory_write, memory_copy, partial_write, vmem_store_clocks,
      smem_latency, launch_ns, queued_launch_ns, group_launch_clocks, lone_wave_groups, wave_launch_clocks;
};
const Timing& timing(Arch);

// A row of the table, for listings and tests.
struct TimingRow {
  ArchSet archs;
  const char* parameter;
  double Timing::* field;
  double value;
  Confidence confidence;
  const char* source;
};
std::span<const TimingRow> timing_rows();

// One bit of a channel's number: the exclusive or of these bits of an address.
namespace channels_of {
enum MemoryLevel : uint8_t { l2 = 1, memory = 2 };
}
struct ChannelBit {
  ArchSet archs;
  uint8_t levels;  // MemoryLevel bits
  uint64_t address_bits;
  Confidence confidence;
  const char* source;
};

// Which of the channels of an L2, or of memory, serves an address.
class Channels {
 public:
  Channels(Arch, channels_of::MemoryLevel);
  uint32_t count() const { return uint32_t{1} << masks_.size(); }  // 1: unknown
  uint32_t of(uint64_t address) const {
    uint32_t n = 0;
    for (size_t i = 0; i < masks_.size(); ++i) n |= static_cast<uint32_t>(std::popcount(address & masks_[i]) & 1) << i;
    return n;
  }

 private:
  std::vector<uint64_t> masks_;
};

struct GpuTiming {
  const char* gpu;
  int dies;  // each with its own L2, or a part of one (Timing::l2_of_device); workgroups are distributed round robin
             // over them
  double sustained_mhz;  // under matrix load, one measured clock
  double load_mhz;       // the law of the clock under load: with all matrix pipes always busy; 0: no law known
  double load_exponent;  // and how it rises as they are used less: load_mhz * utilisation ^ -load_exponent
  double mall_tb_per_s;  // of the memory-side cache; 0: none
  const char* source;
};
const GpuTiming& gpu_timing(const Gpu&);
int l2s(const Gpu&);  // L2s that do not share their lines: one a die, or one
// The last cache before memory that all dies share: the memory-side cache, or their one L2. What it holds stays there
// from launch to launch.
struct LastCache {
  double bytes, tb_per_s;  // 0: none
};
LastCache last_cache(const Gpu&);
// The engine clock that power management leaves a launch which uses this share of the matrix pipes, at most boost.
// full_mhz: with all of them in use (GpuTiming::load_mhz). Boost where there is no law.
double load_mhz(const Gpu&, double full_mhz, double utilisation);
std::span<const GpuTiming> gpu_timings();

}  // namespace wavesmith::isa
