// dQ of workgroups that own keys: each adds dS K of its keys to f32 sums in memory, by atomics. dS passes through LDS,
// where a query is a row of the workgroup's keys; each wave multiplies part of it by K^T, whose fragments stay in its
// registers, or in LDS where these do not suffice. The order of keys in a row is free as long as both operands have the
// same: a lane has a query's dS for one key of each of its wave's tiles, and these stand side by side.
#pragma once
#include <span>

#include "generator/dsl/kernel.h"
#include "generator/dsl/permute.h"
#include "kernels/attention/moving_tiles.h"

namespace wavesmith::attention {

class DqSums {
 public:
  struct Shape {
    int waves, tile, owned;  // of the workgroup; queries at a time; tiles of the atom's extent that a wave owns
    int dim, width;          // columns, padded and in memory
    bool last_first;         // tiles are taken from the last one back to the first
    int slots = 1;           // tiles of dS in LDS
    bool keys_in_lds = false;
  };
  DqSums(const Atom&, const Layouts&, const Shape&, const HalfPermutes&, int lds, int tag);
  int lds_bytes() const { return dS_bytes() + (shape_.keys_in_lds ? sets_ * steps_ * key_bytes() : 0); }

  // The most bytes from an address.
  int farthest() const { return std::max(dS_bytes(), lds_bytes() - dS_bytes()); }

  // Registers, once; K^T of the keys in `k`, which starts at the workgroup's first one, `row` bytes between rows; zeros
  // in LDS. t: four of scratch. Where K^T is in LDS: from the wave's fragments of K, by tile of the wave, then by step;
  // the work-item id becomes the lane's address there.
  void begin(Kernel&, const LaneAddresses&, Sgpr wave, std::span<const Owned<File::v>> fragments, Sgpr k, Sgpr row,
             Sgpr t);
  void restore(Stream&, Vgpr workitem) const;
  // Of a head: the sums of its queries, from this row on. Clobbers t[0].
  void begin_head(Kernel&, Sgpr base, Sgpr queries, Sgpr first_row, Sgpr t);
  static constexpr int bytes_of(int width) { return 4 * width; }  // of a query's sums

  // dS of two neighbouring elements of the lane, packed; one register for each of the wave's tiles.
  void write(Block&, int element, std::span<const Vgpr> pairs, int slot) const;
  // Of a tile: a fragment of dS, with that of K^T where it is in LDS; its product with K^T; the sum of products.
  int steps() const { return per_wave_ * sets_ * steps_; }
  struct Fragments {
    Vgpr ds, keys;  // keys: where they are in LDS
  };
  void read_step(Block&, int step, const Fragments& to, int slot) const;
  void multiply_step(Block&, int step, const Fragments&) const;
  Block add(Arch, Sgpr t) const;  // t[0] is clobbered

 private:
  static constexpr int rows_are_apart = 16;  // bytes: neighbouring rows start in different banks
  int row_bytes() const { return keys() * element_bytes + rows_are_apart; }
  int keys() const { return shape_.waves * atom_.extent * shape_.owned; }
  bool no_padding() const { return shape_.width == sets_ * by_columns_ * atom_.extent; }  // of columns
  int slot_bytes() const { return shape_.tile * row_bytes(); }
  int dS_bytes() const { return shape_.slots * slot_bytes() + rows_are_apart; }
  int key_bytes() const { return atom_.b.chunks() * shape_.waves * atom_.lanes * chunk_bytes; }  // of a fragment
  uint32_t key_of(int place) const;                                                              // in a row
  void compute_addresses(Kernel&, const LaneAddresses&, Sgpr wave, Sgpr t);
  struct KeyRows {                            // K in LDS, on its way to fragments of K^T
    isa::LinearLayout layout, stores, reads;  // an element, lanes of the workgroup -> "byte"
  };
  KeyRows key_rows() const;
  void transpose_keys(Kernel&, const LaneAddresses&, std::span<const Owned<File::v>> fragments);
  void load_keys(Kernel&, const LaneAddresses&, Sgpr k, Sgpr row, Sgpr t);
  int set_of(int step) const { return step / steps_ % sets_; }
  int key_fragment(int step) const { return set_of(step) * steps_ + step % steps_; }
  int product_of(int step) const { return step / steps_; }

  const Atom& atom_;
  const Layouts& layouts_;
  const Shape shape_;
  const int lds_, tag_;
  // Waves that share the columns, the queries of a tile and the keys of the workgroup between them.
  int by_columns_, by_queries_, by_keys_;
  int sets_, per_wave_, steps_;                   // tiles of columns and of queries of a wave; fragments along its keys
  Owned<File::s> column_at_, query_at_, key_at_;  // of the wave, its first
  Owned<File::s> resource_, next_, at_, end_;
  Owned<File::v> write_, read_, cell_;
  Vgpr key_read_;                       // of fragments of K^T in LDS
  std::vector<Owned<File::v>> sum_at_;  // by set where columns are padded
  Accumulators keys_, sums_;
  const HalfPermutes& halves_;
};

}  // namespace wavesmith::attention
