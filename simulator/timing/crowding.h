// How unevenly the lines of a launch fall on the channels of an L2 or of memory. Lines under way at one time wait for each other: of C channels
// as many are at work as make two of these lines meet as often as they do, and the others' share of the bandwidth is lost.
#pragma once
#include "isa_tables/timing.h"
#include "simulator/timing/trace.h"

namespace wavesmith::timing {

// Kept in WaveTrace::level, bits 2 to 6: the factor by which bandwidth is lost, in quarters of a power of two, 1 to 215.
constexpr u8 crowd_bits = 0x7c;
u8 crowd_code(double factor);
double crowd_factor(u8 level);

class Crowding {
 public:
  // under_way: lines at one time. Channels whose number is not known are taken to share the work evenly.
  Crowding(isa::Channels, double under_way);
  // A line that is asked for; `level` gets the factor when as many are counted as are under way at one time.
  void request(u64 address, u8& level);
  void finish() { close(); }                                                 // those since the last full count
  double factor() const { return counted_ > 0 ? weighted_ / counted_ : 1; }  // of all lines, the mean
  int channels() const { return static_cast<int>(channels_.count()); }

 private:
  void close();
  isa::Channels channels_;
  size_t window_;
  std::vector<u32> lines_;               // of each channel
  std::vector<u8*> waiting_;
  double counted_ = 0, weighted_ = 0;
};

}  // namespace wavesmith::timing
