// Device names.
#include "runtime/device.h"

#include <fmt/format.h>

#include <charconv>

#include "runtime/hip_device.h"
#include "runtime/sim_device.h"

namespace wavesmith::runtime {

std::unique_ptr<Device> Device::open(std::string_view spec) {
  if (spec == "sim") return std::make_unique<SimDevice>();
  if (spec == "hip") return open_hip(0);
  int ordinal = 0;
  if (spec.starts_with("hip:")) {
    const auto [end, error] = std::from_chars(spec.data() + 4, spec.data() + spec.size(), ordinal);
    if (error == std::errc() && end == spec.data() + spec.size() && ordinal >= 0) return open_hip(ordinal);
  }
  throw DeviceSpecError(fmt::format("device '{}' is unknown, legal: sim, hip, hip:N", spec));
}

}  // namespace wavesmith::runtime
