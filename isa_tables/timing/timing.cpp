// The timings of timing.def; a later row of a target replaces an earlier one.
#include "isa_tables/timing/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "isa_tables/arch_sets.h"

namespace wavesmith::isa {
namespace {

constexpr TimingRow timings[] = {
#define TIMING(archs, parameter, value, confidence, source) \
  {[] { \
     using namespace sets; \
     return static_cast<ArchSet>(archs); \
   }(), \
   #parameter, \
   &Timing::parameter, \
   value, \
   Confidence::confidence, \
   source},
#define DEVICE(...)
#define CHANNEL(...)
#include "isa_tables/timing/timing.def"
#undef TIMING
#undef DEVICE
#undef CHANNEL
};
template <class... Bits>
constexpr uint64_t bits_of(Bits... b) {
  return (... | (uint64_t{1} << b));
}
constexpr ChannelBit channel_rows[] = {
#define TIMING(...)
#define DEVICE(...)
#define BITS(...) bits_of(__VA_ARGS__)
#define CHANNEL(archs, levels, bits, confidence, source) \
  {[] { \
     using namespace sets; \
     return static_cast<ArchSet>(archs); \
   }(), \
   [] { \
     using namespace channels_of; \
     return static_cast<uint8_t>(levels); \
   }(), \
   bits, Confidence::confidence, source},
#include "isa_tables/timing/timing.def"
#undef TIMING
#undef DEVICE
#undef CHANNEL
#undef BITS
};
constexpr GpuTiming gpu_timing_rows[] = {
#define TIMING(...)
#define CHANNEL(...)
#define DEVICE(gpu, dies, mhz, full, exponent, mall, source) {gpu, dies, mhz, full, exponent, mall, source},
#include "isa_tables/timing/timing.def"
#undef TIMING
#undef DEVICE
#undef CHANNEL
};

}  // namespace

const char* name(Confidence c) {
  constexpr const char* names[] = {"documented", "compiler", "measured", "inferred", "low"};
  return names[static_cast<int>(c)];
}

std::span<const TimingRow> timing_rows() { return timings; }
std::span<const GpuTiming> gpu_timings() { return gpu_timing_rows; }

Channels::Channels(Arch arch, channels_of::MemoryLevel level) {
  for (const ChannelBit& b : channel_rows)
    if ((b.archs & bit(arch)) && (b.levels & level)) masks_.push_back(b.address_bits);
}

const Timing& timing(Arch arch) {
  static const auto* all = [] {
    auto* v = new std::vector<Timing>(all_targets().size(), Timing{});
    for (const TimingRow& r : timings)
      for (size_t a = 0; a < v->size(); ++a)
        if (r.archs & bit(static_cast<Arch>(a))) (*v)[a].*r.field = r.value;
    return v;
  }();
  return (*all)[static_cast<size_t>(arch)];
}

const GpuTiming& gpu_timing(const Gpu& g) {
  const auto found = std::find_if(std::begin(gpu_timing_rows), std::end(gpu_timing_rows),
                                  [&](const GpuTiming& d) { return std::string_view(d.gpu) == g.name; });
  if (found == std::end(gpu_timing_rows))
    throw IsaError(fmt::format("{} has no row DEVICE in isa_tables/timing/timing.def", g.name));
  return *found;
}

int l2s(const Gpu& g) { return timing(g.arch).l2_of_device != 0 ? 1 : gpu_timing(g).dies; }

LastCache last_cache(const Gpu& g) {
  const Timing& t = timing(g.arch);
  const GpuTiming& device = gpu_timing(g);
  if (t.l2_of_device == 0) return {g.mall_mb * 0x1p20, device.mall_tb_per_s};
  return {device.dies * t.l2_kib * 1024, device.dies * t.l2_bytes * g.mhz * 1e-6};
}

double load_mhz(const Gpu& g, double full_mhz, double utilisation) {
  if (full_mhz <= 0 || utilisation <= 0) return g.mhz;
  return std::min(static_cast<double>(g.mhz), full_mhz * std::pow(utilisation, -gpu_timing(g).load_exponent));
}

}  // namespace wavesmith::isa
