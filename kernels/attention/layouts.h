// Layouts of attention's operands: fragments from the matrix instruction's table row, LDS tiles solved for their
// accesses.
//
// Both products are transposed. In S^T = K Q^T each column of D is a query, so a lane holds keys of one query. The
// second product O^T = V^T P^T needs its right operand in the same lanes: P stays in its registers, and the second
// product takes its keys in the order that P has (a sum's order over k is free). Where each half of the wave supplies
// the whole operand (RDNA3), the halves exchange their packed P, and the keys are in the order of memory.
#pragma once
#include "isa_tables/lds_swizzle.h"
#include "kernels/parts/atom.h"
#include "kernels/parts/data_mover.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith::attention {

constexpr isa::Opcode transposing = isa::Opcode::ds_read_b64_tr_b16;
bool loads_to_lds(isa::Arch);                          // and transposes when it reads LDS
std::optional<isa::Opcode> transposing_on(isa::Arch);  // the LDS read that transposes elements of 16 bits
constexpr int element_bytes = 2;
constexpr int out_of_range = -0x1000;  // an offset beyond every bound that launch() accepts, as is 4095 more
constexpr int fragment_elements = chunk_bytes / element_bytes;  // along k, of a read of 16 bytes

struct Shapes {
  Atom atom;
  bool direct;                // loads go directly to LDS and V is transposed when read; otherwise when stored
  int dim, dim_v;             // padded: multiples of what a fragment covers along k, and of the atom's extent
  int keys, lanes;            // of a tile, of the workgroup
  bool latent = false;        // V is columns of K's tile; a read has two columns of a key, for two tiles of O^T
  int bytes = element_bytes;  // of an element of K, V and P
  // Of S^T; null: the same as of O^T. Two elements of 4 bits of Q and K are one column.
  const Atom* score_atom = nullptr;
  const Atom& of_scores() const { return score_atom ? *score_atom : atom; }
  bool both = false;    // a tile is read along rows, as K, and transposed, as V
  int block_bytes = 0;  // latent or both: of a row in a block; 0: as many columns as the atom's extent
  bool rows = false;    // V passes through registers, is stored as in memory, and transposed when it is read
  bool moved = false;   // the tensor data mover brings K and V to LDS: rows as in memory, padded
  // Keys that a lane loads of its two columns of V, and packs: those of consecutive elements of P.
  int run() const { return (atom.a.registers >= 4 ? 8 : 4) * element_bytes / bytes; }
  int chunk_elements() const { return chunk_bytes / bytes; }
  bool transposes() const { return direct || both || rows; }  // V, when it is read
  int parts() const { return keys / atom.extent; }            // of S^T along the keys
};

// A tile of K or V in LDS: blocks of a power of two of columns, one after the other. Axes of an element: "row" (key),
// "chunk", "within" (byte), as in memory, of a V transposed when stored "column", "key"; and "block" where a tile has
// room for more than one.
struct LdsTile {
  isa::LinearLayout layout;  // an element -> "byte"
  isa::LinearLayout loads;   // "lane" of the workgroup, then the number of the load -> the first element it loads
  isa::LinearLayout reads;   // "query", "group" of a lane -> "byte" of its first read
  AddressSet stores, fragments;
  isa::LinearLayout plain;  // `layout` before the swizzle
  std::vector<isa::LdsTileAccess> accesses;
  int block_columns = 0;
  int rounds = 0;              // loads of a lane
  int bytes = 0;               // of what the lanes store
  int padding = 0, pitch = 0;  // moved: bytes after a row, from row to row
  std::optional<TileReads> moved;
};
// "block" and the column axis of a block, of `width` columns a step -> "place", the column of the tensor.
isa::LinearLayout columns_of(const LdsTile&, const char* axis, int width);

// `row_columns` columns of a wave's rows of Q or O in LDS, on their way between whole lines of memory and fragments.
// Axes as of K.
constexpr int row_columns = 64;
struct RowTile {
  isa::LinearLayout layout;  // an element -> "byte"
  isa::LinearLayout lines;  // "lane" of the wave, then the number of the load -> "row", "chunk": in the order of memory
  isa::LinearLayout reads, writes;  // "query", "group" of a lane -> "byte" of its first fragment of Q; of its first O
};

struct Layouts {
  isa::LinearLayout lane;     // "query", "group" (of rows of S^T) -> "lane"
  isa::LinearLayout of_lane;  // its inverse
  isa::LinearLayout
      scores;              // S^T: "lane", "item" -> "row" (key), "col" (query); likewise O^T, with V's columns as rows
  isa::LinearLayout held;  // S of a lane: "element" (the items of each part of S), "group" -> "key" of the tile
  isa::LinearLayout weights;  // likewise of P as the right operand
  bool exchanged;             // P: each half of the wave needs the elements of both
  LdsTile k, v;

  explicit Layouts(const Shapes&);
  int key(int element) const;                         // of S, in group 0
  int group_rows() const;                             // rows of S or O^T between group 0 and group 1
  int groups() const;                                 // lanes that hold the same query
  int partner() const;                                // XOR of two of them, of both halves of the wave
  int weight_elements() const;                        // of P in a lane, as the right operand
  int value_elements() const;                         // elements of V that a lane gets per read
  AddressSet::At key_read(int part, int chunk);       // of a part of S, from this chunk of group 0 on
  AddressSet::At value_read(int element, int d);      // starting at this element of P, for tile d of O^T; latent: for
                                                      // tiles 2 d and 2 d + 1, the even columns and the odd ones
  AddressSet::At key_store(int round);                // of a lane
  AddressSet::At value_store(int round);              // of a lane, of rows
  AddressSet::At value_store(int round, int column);  // one of the two columns that a lane loads
  RowTile row_tile() const;

 private:
  Shapes s_;
  isa::LinearLayout values() const;
  isa::LdsTileAccess transposing_read() const;
  LdsTile rows_as_in_memory(int dim, std::vector<isa::LdsTileAccess> reads) const;
  LdsTile transposed_values() const;
  LdsTile columns_of_keys() const;
  LdsTile moved_rows(const char* name, int dim, const TileReads&) const;
};

}  // namespace wavesmith::attention
