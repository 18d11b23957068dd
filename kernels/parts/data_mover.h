// Tiles that the tensor data mover brings to LDS (CDNA5 ISA 10.11): rows as in memory, each with padding after it, and
// how fragments are read from there.
#pragma once
#include "kernels/parts/atom.h"

namespace wavesmith {

// The load of 16 bytes along k of a lane's row, or of 8, and what lanes supply: "lane" -> "row", "byte" of the tile.
struct TileReads {
  isa::Opcode op;
  int bytes;
  isa::LinearLayout lanes;
};
TileReads row_reads(const AtomOperand&);  // rows of LDS along k
// Rows of LDS are k: sixteen lanes get a column each of what they load. `group_rows`: rows from what a group of lanes
// gets to what the next one does; 0: a chunk of the operand.
TileReads column_reads(const AtomOperand&, int element_bits, int group_rows = 0);
bool can_pad(int row_bytes, int padding);  // can the data mover leave so many bytes free after each row?
// Bytes after each row with which the reads are free of bank conflicts. Error: ConfigError, beginning with `what`,
// where there are none, or none that the data mover pads.
int row_padding(int row_bytes, const TileReads&, isa::Arch, const std::string& what);

constexpr uint32_t descriptor_type = 2u << 30;  // in the upper half of the address
// The first dword of a tile's shape. `unit_bytes`: in which the data mover counts columns.
uint32_t padded_shape(int unit_bytes, int row_bytes, int padding);

}  // namespace wavesmith
