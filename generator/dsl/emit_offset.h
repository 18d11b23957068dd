// Vector instructions that compute a lane's address from a layout.
#pragma once
#include <span>
#include <string_view>

#include "generator/dsl/block.h"
#include "isa_tables/linear_layout.h"

namespace wavesmith {

struct AxisValue {
  std::string_view axis;
  Vgpr value;  // below 2^bits of the axis
};
// dst = `output` of the layout at these values; axes left out are 0. Emits the fewest instructions (AND, OR, XOR,
// shifts, bit fields and their fused forms) over all orders of the terms, without literals in VOP3. `scratch`:
// registers that it may overwrite; it uses as few as possible, for most layouts one. dst may be one of the values.
// At most 10 terms. Error: IsaError if more are needed, or if the layout does not have an axis. Returns the number of
// instructions.
int emit_offset(Block&, Vgpr dst, const isa::LinearLayout&, std::string_view output, std::span<const AxisValue> values,
                std::span<const Vgpr> scratch, Where = Where::current());

}  // namespace wavesmith
