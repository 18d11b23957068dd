// A tensor whose rows pass through LDS in tiles, as it is (rows: fragments along its columns) and transposed (columns:
// fragments along its rows). Global memory -> registers -> LDS -> fragments; each step is a Block. Direct: loads write
// LDS, which has a tile once, in two slots, and reads transpose it. The next tile is reached by a scalar offset, which
// stops at the end, where everything reads as zero.
#pragma once
#include <functional>

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/kernel.h"
#include "generator/dsl/permute.h"
#include "kernels/attention/layouts.h"

namespace wavesmith::attention {

// What address computations of a kernel share. x, y: scratch.
struct LaneAddresses {
  Kernel& kernel;
  Vgpr column, half, x, y;  // column and group of the lane in a product
  void from_lane(Vgpr dst, const isa::LinearLayout&, std::string_view output) const;      // "query", "group" -> output
  void from_workitem(Vgpr dst, const isa::LinearLayout&, std::string_view output) const;  // "lane" -> output
};

// LDS addresses of the tiles of one layout; tensors of the same width share them.
struct TileAddresses {
  Layouts layouts;
  std::vector<Owned<File::v>> row_store, row_read, column_store, column_read;
  bool direct;
  TileAddresses(const Shapes& s) : layouts(s), direct(s.direct) {}
  void compute(const LaneAddresses&, bool rows, bool columns);
};

class MovingTiles {
 public:
  static constexpr int slots = 2;  // tiles in LDS where loads are direct
  struct Uses {
    bool rows, columns;  // in LDS
    bool last_first;     // tiles are taken from the last one back to the first
  };
  // `width`: columns in memory; `lds`: the first of its bytes. Its tiles' LDS tags are tag (rows) and tag + 1; direct:
  // tag + slot.
  MovingTiles(const Shapes&, const char* name, int width, Uses, int lds, int tag);
  int lds_bytes() const { return lds_bytes_; }

  // Address registers, once. `row`: bytes between rows.
  void addresses(const LaneAddresses&, TileAddresses&, Sgpr row, Sgpr wave);
  // Registers on the way to LDS; `packed`: two to four of scratch, for the transposition.
  void stages(Kernel&, const HalfPermutes&, Vgpr packed);
  // Shares the registers of the rows' stage with the columns.
  void share_stage() { shared_ = true; }
  void clear_columns(Stream&);  // those on their way to LDS
  // From this row on, of a tensor at `base` with `rows` rows. Clobbers t[0].
  void begin(Kernel&, Sgpr base, Sgpr rows, Sgpr first_row, Sgpr t);

  Block load_rows(Arch), store_rows(Arch), load_columns(Arch, Sgpr t), store_columns(Arch);
  Block fetch(Arch, int slot, Sgpr t);  // direct: to LDS
  void wait_for_fetch(Block& b, int slot) const {
    if (row_rounds_) b.wait_for_lds(tag_ + slot);
  }
  void read_row(Block&, Vgpr to, int part, int step, int slot) const;  // a fragment of rows `part`
  // A fragment of columns d, from `fragment` on along the rows.
  void read_column(Block&, Vgpr to, int fragment, int d, int slot) const;
  // The swizzle may have swapped the 64-bit halves of a 128-bit read.
  int column_part(int block, int d) const;
  bool has_rows() const { return uses_.rows; }
  bool has_columns() const { return uses_.columns; }

 private:
  int run() const { return shapes_.run(); }
  int row_key(int i) const;
  void row_addresses(const LaneAddresses&, Sgpr row);
  void column_addresses(const LaneAddresses&, Sgpr row);
  void only_columns(const LaneAddresses&, Vgpr address, Vgpr of_lane, const LdsTile&) const;
  bool pads(const LdsTile&) const;
  bool adds(const isa::LinearLayout& loads, const isa::LinearLayout::Point& here) const;
  void advance(Block&, Sgpr next) const;

  Shapes shapes_;
  std::string name_;
  int width_;
  Uses uses_;
  int rows_at_, columns_at_, tag_, lds_bytes_ = 0, slot_bytes_ = 0;
  bool shared_ = false;
  TileAddresses* at_ = nullptr;
  Sgpr row_;
  const HalfPermutes* halves_ = nullptr;
  Vgpr packed_;
  Owned<File::s> resource_, end_, step_, next_rows_, next_columns_;
  Owned<File::s> lds_wave_;  // direct: of the wave's first load
  // Direct: the address of a load, and the bytes from there where it shares the address of the first one.
  struct Round {
    Vgpr address;
    Owned<File::s> further;
  };
  std::vector<Round> rounds_;
  std::vector<Owned<File::v>> row_load_, column_load_;
  Owned<File::v> row_stage_, column_stage_;
  int row_rounds_ = 0, column_rounds_ = 0;
};

}  // namespace wavesmith::attention
