// Channel contention: how unevenly the lines of a launch are spread over the channels of an L2 or of memory. The
// effective number of channels follows from how often two outstanding lines share a channel; the bandwidth of the
// others is lost.
#pragma once
#include <array>
#include <span>

#include "isa_tables/timing/timing.h"
#include "simulator/timing/trace.h"

namespace wavesmith::timing {

// Kept in WaveTrace::level, bits 2 to 6: the factor by which bandwidth is lost, in quarters of a power of two, 1 to
// 215.
constexpr u8 contention_bits = 0x7c;
u8 contention_code(double factor);
double contention_factor(u8 level);

// Other dies run the neighbouring workgroups, of which one per die is traced: by instruction (step), the channels of
// their lines and the fraction of lines shared with the first die.
struct OtherDies {
  size_t dies = 1;  // with the first
  std::vector<u8>
      shift;  // by step and die: exclusive or of the first die's channel and that die's; empty: one die, or unknown
  std::vector<float> share;  // by step: fraction of another die's lines that the first die accesses
  std::span<const u8> shifts(u32 step) const { return std::span(shift).subspan(step * dies, dies); }
  double shared_of_all = 0;  // the same, of all steps
  double shared(u32 step) const { return share.empty() ? 0 : static_cast<double>(share[step]); }
};
// `mine`: all traced workgroups of the first die; `others`: one of each other die, the start of it.
OtherDies other_dies(const std::vector<GroupTrace>& mine, const std::vector<GroupTrace>& others,
                     const sim::DecodedKernel&, const isa::Channels&);

class Contention {
 public:
  // under_way: outstanding lines of one die. If the channels are unknown, lines are assumed to be spread evenly.
  Contention(const isa::Channels&, double under_way, size_t dies);
  // Adds a requested line; `level`, if any, receives the factor once the number of outstanding lines has been counted.
  // shifts: one per die.
  void request(u64 address, u8* level, std::span<const u8> shifts);
  void finish() { close(); }                                                 // lines since the last full count
  double factor() const { return counted_ > 0 ? weighted_ / counted_ : 1; }  // of all lines, the mean
  u8 code() const { return code_; }                                          // of it
  int channels() const { return static_cast<int>(lines_.size()); }

 private:
  void close();
  size_t window_;
  double dies_;
  u64 met_ = 0;                                   // pairs of lines in one channel, without those of one request
  std::array<std::array<u8, 256>, 8> of_byte_{};  // channels: of a byte of an address
  u32 block_bits_ = 0;                            // of an address, below those that choose a channel
  u64 block_ = ~u64{0};                           // of the last address, of which channel_ is the channel
  u32 channel_ = 0;
  std::vector<u32> lines_;  // of each channel, of all dies
  std::vector<u8*> waiting_;
  size_t requests_ = 0;  // since the last count
  double counted_ = 0, weighted_ = 0;
  u8 code_ = 0;
};

}  // namespace wavesmith::timing
