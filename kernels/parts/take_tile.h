// Work orders (work_order.h) and the divisions that they need as scalar instructions.
#pragma once
#include "generator/dsl/kernel.h"
#include "kernels/parts/work_order.h"

namespace wavesmith {

// tile_of() for this workgroup, exactly, for extents of 1 to 2^31.
struct TileGrid {
  Sgpr rows, columns;            // of the result
  int tile_rows, tile_cols;      // of a tile
  std::optional<Sgpr> number{};  // of the tile in the order; default: by the workgroup's place in the grid
};
struct TileRegisters {
  Sgpr m, n;
};
void take_tile(Kernel&, const WorkOrder&, const TileGrid&, const TileRegisters& to);

// quotient = numerator / divisor, of any 32-bit numbers, divisor not 0. The quotient may not be one of the others.
void divide(Kernel&, Sgpr quotient, Sgpr numerator, Sgpr divisor);
// The same by a constant, of numerators below 2^31; the quotient may be the numerator.
void divide(Kernel&, Sgpr quotient, Sgpr numerator, int divisor);
void divide(Kernel&, Vgpr quotient, Vgpr numerator, int divisor);

}  // namespace wavesmith
