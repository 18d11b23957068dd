// The kernel that empties the instruction caches of a GPU, as hipblaslt-bench's --flush does.
#pragma once
#include "generator/dsl/program.h"
#include "runtime/device.h"

namespace wavesmith::tools {

// Enqueues it on every compute unit of the device. Error: DeviceError: a target without the instruction.
std::function<void()> icache_flush(runtime::Device&, isa::Arch);

}  // namespace wavesmith::tools
