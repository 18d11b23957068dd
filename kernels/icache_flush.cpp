#include "kernels/icache_flush.h"

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"

namespace wavesmith {

Program build_icache_flush(isa::Arch arch) {
  Kernel kernel("wavesmith_icache_flush", arch, flushing_lanes);
  kernel.k.s_icache_inv();
  for (int i = 0; i < 16; ++i) kernel.k.s_nop(0);  // what was fetched before it
  kernel.k.s_endpgm();
  return lower(std::move(kernel));
}

}  // namespace wavesmith
