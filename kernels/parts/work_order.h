// The order in which the workgroups of a launch take the tiles of a result. Hardware starts workgroups in the order of
// their numbers and gives them to the XCDs in turn; each XCD has its own L2. The order decides which tiles, and with
// them which rows and columns of the operands, an L2 holds at the same time. The grid is always (tiles of m, tiles of
// n): a host launches every order alike.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "generator/dsl/kernel.h"

namespace wavesmith {

struct WorkOrder {
  int band = 0;  // tiles of m that are taken together, all n one after the other, before the next rows; 0: all of m
  int xcds = 1;  // that take workgroups in turn: each gets a contiguous part of the order, equal within one tile
  bool plain() const { return band == 0 && xcds == 1; }  // column by column: workgroup x, y takes tile x, y
  bool operator==(const WorkOrder&) const = default;
};
constexpr int most_band = 256, most_xcds = 32;

std::string name_of(const WorkOrder&);  // columns, bands8, xcds8, xcds8_bands4
std::optional<WorkOrder> find_order(std::string_view name);

struct TileNumber {
  uint32_t m, n;
  bool operator==(const TileNumber&) const = default;
};
// The tile of workgroup `number` = x + y * tiles.m of a grid with tiles.m x tiles.n < 2^31 workgroups.
TileNumber tile_of(const WorkOrder&, uint32_t number, TileNumber tiles);

// The same as scalar instructions, for extents of 1 to 2^31: `to` gets the tile of this workgroup. Exact.
struct TileGrid {
  Sgpr rows, columns;        // of the result
  int tile_rows, tile_cols;  // of a tile
};
struct TileRegisters {
  Sgpr m, n;
};
void take_tile(Kernel&, const WorkOrder&, const TileGrid&, const TileRegisters& to);

// quotient = numerator / divisor, of any 32-bit numbers, divisor not 0. The quotient may not be one of the others.
void divide(Kernel&, Sgpr quotient, Sgpr numerator, Sgpr divisor);
// The same by a constant, of numerators below 2^31; the quotient may be the numerator.
void divide(Kernel&, Sgpr quotient, Sgpr numerator, int divisor);

}  // namespace wavesmith
