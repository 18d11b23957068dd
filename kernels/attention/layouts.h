// Where attention's elements are: fragments from the matrix instruction's row, tiles in LDS solved for their accesses.
//
// Both products are transposed. S^T = K Q^T puts a query into each column of D, so that a lane has keys of one query.
// The second product O^T = V^T P^T wants its right operand in the same lanes: P never leaves its registers, and the
// order of the keys in a step of the second product, which is free, is the one that P has.
#pragma once
#include "isa_tables/lds_swizzle.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith::attention {

constexpr isa::Opcode transposing = isa::Opcode::ds_read_b64_tr_b16;
constexpr int waves = 8, lanes = wave_lanes * waves;  // of a workgroup
constexpr int tile_bytes =
    lanes * chunk_bytes;  // of K and of V in LDS: what all lanes load with 16 bytes each, of the wider one as many rows

struct Shapes {
  isa::Opcode mma;
  isa::Arch arch;
  bool direct;  // to LDS without registers; V is transposed as it is read, else as it is stored
  int dim, dim_v, keys;
};

// A tile of K or V in LDS. Axes of an element: "row" (key), "chunk", "within" (byte), as in memory; of V where it is
// transposed as it is stored: "column", "key".
struct LdsTile {
  isa::LinearLayout layout;  // an element -> "byte"
  isa::LinearLayout loads;   // "lane" of the workgroup -> the first element it loads
  isa::LinearLayout reads;   // "query", "chunk" of a lane -> "byte" of its first read
  AddressSet stores, fragments;
};

struct Layouts {
  isa::LinearLayout lane;  // "query", "chunk" (group of k) -> "lane"
  isa::LinearLayout
      scores;  // S^T: "lane", "item" -> "row" (key), "col" (query); likewise O^T, with V's columns as rows
  isa::LinearLayout weights;  // P of a lane: "element" (16 registers for each part of S), "chunk" -> "key" of the tile
  LdsTile k, v;

  explicit Layouts(const Shapes&);
  int key(int element) const;                     // of P, in chunk 0
  int chunk_rows() const;                         // how many rows of S or O^T further chunk 1 is
  int partner() const;                            // exclusive or between the lanes that have the same query
  int value_elements() const;                     // that a lane gets of V in a read
  AddressSet::At key_read(int part, int step);    // of a part of S, 2 chunks a step
  AddressSet::At value_read(int element, int d);  // from this element of P on, for tile d of O^T
  AddressSet::At value_store(int column);         // of those that a lane has loaded

 private:
  Shapes s_;
  isa::LinearLayout values() const;
  isa::LdsTileAccess transposing_read() const;
  LdsTile rows_as_in_memory(int dim, const isa::LdsTileAccess& read) const;
  LdsTile transposed_values() const;
};

}  // namespace wavesmith::attention
