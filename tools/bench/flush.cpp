#include "tools/bench/flush.h"

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"

namespace wavesmith::tools {

std::function<void()> icache_flush(runtime::Device& device, isa::Arch arch) {
  Kernel kernel("wavesmith_icache_flush", arch, 64);
  kernel.k.s_icache_inv();
  for (int i = 0; i < 16; ++i) kernel.k.s_nop(0);  // what was fetched before it
  kernel.k.s_endpgm();
  const Program program = lower(std::move(kernel));
  const auto groups = static_cast<uint32_t>(std::max(device.info().units, 1)) * 60;  // as many as fit, on each
  return [enqueue = device.prepare(assemble(program).bytes, program.name), groups] {
    enqueue({.grid = {groups, 1, 1}, .block = {64, 1, 1}, .dynamic_lds = 0, .cluster = {}, .kernargs = {}});
  };
}

}  // namespace wavesmith::tools
