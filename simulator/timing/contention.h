// How unevenly the lines of a launch fall on the channels of an L2 or of memory. Lines under way at one time wait for
// each other: of C channels as many are at work as make two of these lines meet as often as they do, and the others'
// share of the bandwidth is lost.
#pragma once
#include "isa_tables/timing/timing.h"
#include "simulator/timing/trace.h"

namespace wavesmith::timing {

// Kept in WaveTrace::level, bits 2 to 6: the factor by which bandwidth is lost, in quarters of a power of two, 1 to
// 215.
constexpr u8 crowd_bits = 0x7c;
u8 crowd_code(double factor);
double crowd_factor(u8 level);

// Other dies run the work-groups beside those traced, one of which each is known of each: by instruction (step), on
// which channels their lines lie and how many of the lines are the first die's too.
struct OtherDies {
  size_t dies = 1;  // with the first
  std::vector<u8>
      shift;  // by step and die: exclusive or of the first die's channel and that one's; empty: one die, or not known
  std::vector<float> share;  // by step: of another die's lines, those that the first die touches
  std::span<const u8> shifts(u32 step) const { return std::span(shift).subspan(step * dies, dies); }
  double shared(u32 step) const { return share.empty() ? 0 : static_cast<double>(share[step]); }
};
// `mine`: all traced work-groups of the first die; `others`: one of each other die, the start of it.
OtherDies other_dies(const std::vector<GroupTrace>& mine, const std::vector<GroupTrace>& others, const sim::Program&,
                     const isa::Channels&);

class Contention {
 public:
  // under_way: lines of one die at one time. Channels whose number is not known are taken to share the work evenly.
  Contention(isa::Channels, double under_way, size_t dies);
  // A line that is asked for; `level` gets the factor when as many are counted as are under way at one time. shifts:
  // one a die.
  void request(u64 address, u8& level, std::span<const u8> shifts);
  void finish() { close(); }                                                 // those since the last full count
  double factor() const { return counted_ > 0 ? weighted_ / counted_ : 1; }  // of all lines, the mean
  int channels() const { return static_cast<int>(channels_.count()); }

 private:
  void close();
  isa::Channels channels_;
  size_t window_;
  double dies_, own_ = 0;   // own: pairs that are one access of two dies
  std::vector<u32> lines_;  // of each channel, of all dies
  std::vector<u8*> waiting_;
  double counted_ = 0, weighted_ = 0;
};

}  // namespace wavesmith::timing
