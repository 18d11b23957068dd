// A GPU through the HIP runtime library, whichever release of it is installed (ROCm 5.2 and later).
#pragma once
#include "runtime/device.h"

namespace wavesmith::runtime {

// Error: DeviceError: no library, no such GPU.
std::unique_ptr<Device> open_hip(int ordinal);

}  // namespace wavesmith::runtime
