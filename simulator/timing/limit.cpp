#include "simulator/timing/limit.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::timing {
namespace {

const Busy& busiest(const Result& r) { return *std::ranges::max_element(r.busy, {}, &Busy::share); }

}  // namespace

Limit limit_of(const Result& r) {
  if (r.launch_seconds > r.seconds / 2) return Limit::launch;
  return busiest(r).share >= saturated ? busiest(r).unit : Limit::latency;
}

std::string limit_reason(const Result& r) {
  const Busy& most = busiest(r);
  switch (r.limit) {
    case Limit::launch:
      return fmt::format("starting it takes {:.1f} of {:.1f} us", 1e6 * r.launch_seconds, 1e6 * r.seconds);
    case Limit::latency:
      return fmt::format("no unit is busy {:.0f} % of the time; the busiest, {}: {:.1f} %", 100 * saturated,
                         name(most.unit), 100 * most.share);
    default: return fmt::format("busy {:.1f} % of the time", 100 * most.share);
  }
}

}  // namespace wavesmith::timing
