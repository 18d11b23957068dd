// Device names.
#include "runtime/device.h"

#include <fmt/format.h>

#include <charconv>

namespace wavesmith::runtime {

#ifndef WAVESMITH_HIP
std::unique_ptr<Device> open_hip(int) {
  throw DeviceError("device hip: this build does not support it (WAVESMITH_HIP is off)");
}
#endif

std::unique_ptr<Device> Device::open(std::string_view spec, const sim::Options& options) {
  if (spec == "sim") return open_sim(options);
  if (spec == "hip") return open_hip(0);
  int ordinal = -1;
  if (spec.starts_with("hip:")) {
    const auto [end, error] = std::from_chars(spec.data() + 4, spec.data() + spec.size(), ordinal);
    if (error == std::errc() && end == spec.data() + spec.size() && ordinal >= 0) return open_hip(ordinal);
  }
  throw DeviceSpecError(fmt::format("device '{}' is unknown, legal: sim, hip, hip:N", spec));
}

}  // namespace wavesmith::runtime
