// The order in which the workgroups of a launch take the tiles of a result. Hardware starts workgroups in the order of
// their numbers and gives them to the XCDs in turn; each XCD has its own L2. The order decides which tiles, and with
// them which rows and columns of the operands, an L2 holds at the same time. The grid is always (tiles of m, tiles of
// n): a host launches every order alike. As instructions: take_tile.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace wavesmith
