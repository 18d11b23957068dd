// Raw buffer resources (V#), one function for every target: `bytes` from a base address, no stride, no swizzle. Bounds
// are checked per byte: out of range, loads return 0 and stores are dropped.
#pragma once
#include <array>

#include "generator/dsl/block.h"

namespace wavesmith {

std::array<uint32_t, 4> raw_buffer_words(Arch, uint64_t base, uint32_t bytes);
// The same in registers. `base` is a pair; `bytes` a number or a register that is not one of the resource's. SCC is
// overwritten.
void raw_buffer(Block&, Sgpr resource, Sgpr base, SSrcArg bytes, Where = Where::current());
// Changes the number of bytes of such a resource. SCC is overwritten.
void set_bytes(Block&, Sgpr resource, SSrcArg bytes, Where = Where::current());

}  // namespace wavesmith
