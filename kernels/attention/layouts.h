// Layouts of attention's operands: fragments from the matrix instruction's table row, LDS tiles solved for their
// accesses.
//
// Both products are transposed. In S^T = K Q^T each column of D is a query, so a lane holds keys of one query. The
// second product O^T = V^T P^T needs its right operand in the same lanes: P stays in its registers, and the second
// product takes its keys in the order that P has (a sum's order over k is free).
#pragma once
#include "isa_tables/lds_swizzle.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith::attention {

constexpr isa::Opcode transposing = isa::Opcode::ds_read_b64_tr_b16;
constexpr int waves = 8, lanes = wave_lanes * waves;  // of a workgroup
constexpr int tile_bytes =
    lanes * chunk_bytes;  // of a K or V tile in LDS: 16 bytes per lane; keys per tile follow from the wider of the two

struct Shapes {
  isa::Opcode mma;
  isa::Arch arch;
  bool direct;  // loads go directly to LDS and V is transposed when read; otherwise when stored
  int dim, dim_v, keys;
};

// A tile of K or V in LDS. Axes of an element: "row" (key), "chunk", "within" (byte), as in memory; of a V transposed
// when stored: "column", "key".
struct LdsTile {
  isa::LinearLayout layout;  // an element -> "byte"
  isa::LinearLayout loads;   // "lane" of the workgroup -> the first element it loads
  isa::LinearLayout reads;   // "query", "chunk" of a lane -> "byte" of its first read
  AddressSet stores, fragments;
  isa::LinearLayout plain;  // `layout` before the swizzle
  std::vector<isa::LdsTileAccess> accesses;
};

struct Layouts {
  isa::LinearLayout lane;  // "query", "chunk" (group of k) -> "lane"
  isa::LinearLayout
      scores;  // S^T: "lane", "item" -> "row" (key), "col" (query); likewise O^T, with V's columns as rows
  isa::LinearLayout weights;  // P of a lane: "element" (16 registers for each part of S), "chunk" -> "key" of the tile
  LdsTile k, v;

  explicit Layouts(const Shapes&);
  int key(int element) const;                     // of P, in chunk 0
  int chunk_rows() const;                         // rows of S or O^T between chunk 0 and chunk 1
  int partner() const;                            // XOR of the two lanes that hold the same query
  int value_elements() const;                     // elements of V that a lane gets per read
  AddressSet::At key_read(int part, int step);    // of a part of S, 2 chunks a step
  AddressSet::At value_read(int element, int d);  // starting at this element of P, for tile d of O^T
  AddressSet::At value_store(int column);         // one of the two columns that a lane loads

 private:
  Shapes s_;
  isa::LinearLayout values() const;
  isa::LdsTileAccess transposing_read() const;
  LdsTile rows_as_in_memory(int dim, const isa::LdsTileAccess& read) const;
  LdsTile transposed_values() const;
};

}  // namespace wavesmith::attention
