// Two of n lines meet in a channel with the chance that lines of each channel, over pairs of all, make it; even channels: 1 in C. That needs no
// correction for few lines, as the fullest channel or the squares would. What chance alone could be (three deviations) is not counted as crowding.
#include "simulator/timing/crowding.h"

#include <algorithm>
#include <cmath>

namespace wavesmith::timing {

u8 crowd_code(double factor) { return static_cast<u8>(std::clamp(std::lround(4 * std::log2(std::max(1.0, factor))), 0l, 31l) << 2); }
double crowd_factor(u8 level) { return std::exp2(0.25 * ((level & crowd_bits) >> 2)); }

Crowding::Crowding(isa::Channels c, double under_way)
    : channels_(std::move(c)), window_(std::max<size_t>(2 * channels_.count(), static_cast<size_t>(under_way))), lines_(channels_.count(), 0) {}

void Crowding::request(u64 address, u8& level) {
  if (channels_.count() == 1) return;
  ++lines_[channels_.of(address)];
  waiting_.push_back(&level);
  if (waiting_.size() >= window_) close();
}

void Crowding::close() {
  if (waiting_.empty()) return;
  const double n = static_cast<double>(waiting_.size()), even = n * (n - 1) / 2 / channels_.count();
  double meet = 0;
  for (u32& m : lines_) meet += 0.5 * m * (m - 1.0), m = 0;
  const double factor = meet > even + 3 * std::sqrt(even) + 1 ? meet / even : 1;
  const u8 code = crowd_code(factor);
  if (code)
    for (u8* level : waiting_) *level |= code;
  counted_ += n, weighted_ += n * factor;
  waiting_.clear();
}

}  // namespace wavesmith::timing
