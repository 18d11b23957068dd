// The rows of timing.def; a later row of a target replaces an earlier one.
#include "isa_tables/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa_tables/arch_sets.h"

namespace wavesmith::isa {
namespace {

constexpr TimingRow rows[] = {
#define TIMING(archs, parameter, value, confidence, source) \
  {[] {                                                     \
     using namespace sets;                                  \
     return static_cast<ArchSet>(archs);                    \
   }(),                                                     \
   #parameter,                                              \
   &Timing::parameter,                                      \
   value,                                                   \
   Confidence::confidence,                                  \
   source},
#define DEVICE(...)
#include "isa_tables/timing.def"
#undef TIMING
#undef DEVICE
};
constexpr Device device_rows[] = {
#define TIMING(...)
#define DEVICE(gpu, dies, mhz, mall, reach, source) {gpu, dies, mhz, mall, reach, source},
#include "isa_tables/timing.def"
#undef TIMING
#undef DEVICE
};

}  // namespace

const char* name(Confidence c) {
  constexpr const char* names[] = {"documented", "compiler", "measured", "inferred", "low"};
  return names[static_cast<int>(c)];
}

std::span<const TimingRow> timing_rows() { return rows; }
std::span<const Device> devices() { return device_rows; }

const Timing& timing(Arch arch) {
  static const auto* all = [] {
    auto* v = new std::vector<Timing>(all_targets().size(), Timing{});
    for (const TimingRow& r : rows)
      for (size_t a = 0; a < v->size(); ++a)
        if (r.archs & bit(static_cast<Arch>(a))) (*v)[a].*r.field = r.value;
    return v;
  }();
  return (*all)[static_cast<size_t>(arch)];
}

const Device& device(const Gpu& g) {
  const auto found = std::find_if(std::begin(device_rows), std::end(device_rows), [&](const Device& d) { return std::string_view(d.gpu) == g.name; });
  if (found == std::end(device_rows)) throw IsaError(fmt::format("{} has no row DEVICE in isa_tables/timing.def", g.name));
  return *found;
}

}  // namespace wavesmith::isa
