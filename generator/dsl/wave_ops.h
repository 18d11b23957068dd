// Operations across lanes and waves, the same on every target: DPP controls by name, 64-bit addresses, reductions and
// scans. `op` is a VALU instruction of two 32-bit sources that is associative and commutative: v_add_u32, v_max_f32,
// v_xor_b32, ... All lanes must be active, unless the Block is passed through among_active().
#pragma once
#include <functional>

#include "generator/dsl/kernel.h"

namespace wavesmith {

// The lane that supplies a lane's first source: k.v_add_f32(x, x, y, dpp::row_shr(1)). A row has 16 lanes. Where a lane
// has no source, the destination keeps its value; with bound_ctrl the source is 0. (ISA guides, DPP_CTRL.)
namespace dpp {
Mods quad_perm(int lane0, int lane1, int lane2, int lane3, Where w = Where::current());  // within four lanes
Mods row_shl(int n, Where w = Where::current());       // from the lane n above; n: 1 to 15
Mods row_shr(int n, Where w = Where::current());       // from the lane n below
Mods row_ror(int n, Where w = Where::current());       // likewise, rotating within the row
Mods row_mirror(), row_half_mirror();                  // from lane 15 - i, 7 - i
Mods row_newbcast(int n, Where w = Where::current());  // gfx90a, gfx942, gfx950: from lane n of the row
Mods row_share(int n, Where w = Where::current());     // from gfx11 on: likewise
Mods row_xmask(int n, Where w = Where::current());     // from gfx11 on: from lane i ^ n
Mods wave_shl(), wave_shr(), wave_rol(), wave_ror();   // gfx9: by one lane over all 64
Mods row_bcast15(), row_bcast31();  // gfx9: the last lane of a row to the next row; lane 31 to the upper two rows
}  // namespace dpp

// dst = base + (index << shift), 64 bits; `index` is unsigned and may be dst[0]. VCC is overwritten.
Block global_address(Arch, Vgpr dst, Sgpr base, Vgpr index, int shift);

// The identity element of `op`: 0 of v_add_u32, -inf of v_max_f32. Error: IsaError for an instruction that is not in
// wave_ops.cpp's table.
uint32_t identity(Opcode op, Where = Where::current());

// x = op over the x of all lanes; every lane has the result. VCC and `scratch` (1 register) are overwritten.
Block wave_reduce(Arch, Opcode op, Vgpr x, Vgpr scratch, Where = Where::current());
// x = op over the x of this lane and of all lanes below; exclusive: only of the lanes below; lane 0 gets identity(op).
enum class Scan : uint8_t { inclusive, exclusive };
Block wave_scan(Arch, Opcode op, Vgpr x, Vgpr scratch, Scan = Scan::inclusive, Where = Where::current());

// The same over all lanes of a workgroup, through 4 bytes of LDS per wave from `lds` on, with one barrier. Another
// barrier is required before the same LDS is written again. kernel.workitem must still hold the id. `scratch` has 3
// registers or more; with more, LDS reads overlap.
Block group_reduce(const Kernel&, Opcode op, Vgpr x, Vgpr scratch, int lds, Where = Where::current());
Block group_scan(const Kernel&, Opcode op, Vgpr x, Vgpr scratch, int lds, Scan = Scan::inclusive,
                 Where = Where::current());

// One of these operations when EXEC excludes lanes: those count as identity(op) and keep their x. `all_lanes` returns
// the operation's Block for a copy of x, which runs with all lanes active; `saved` holds EXEC meanwhile and has the
// size of a lane mask. Waves without an active lane also execute the operation, and reach a workgroup operation's
// barrier: k << among_active(arch, op, x, copy, saved, [&](Vgpr y) { return wave_reduce(arch, op, y, scratch); });
Block among_active(Arch, Opcode op, Vgpr x, Vgpr copy, Sgpr saved, const std::function<Block(Vgpr)>& all_lanes,
                   Where = Where::current());

}  // namespace wavesmith
