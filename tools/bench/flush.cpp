#include "tools/bench/flush.h"

#include "kernels/icache_flush.h"

namespace wavesmith::tools {

std::function<void()> icache_flush(runtime::Device& device, isa::Arch arch) {
  const Program program = build_icache_flush(arch);
  const auto groups = static_cast<uint32_t>(std::max(device.info().units, 1)) * 60;  // as many as fit, on each
  return [enqueue = device.prepare(assemble(program).bytes, program.name), groups] {
    enqueue({.grid = {groups, 1, 1}, .block = {flushing_lanes, 1, 1}, .dynamic_lds = 0, .cluster = {}, .kernargs = {}});
  };
}

}  // namespace wavesmith::tools
