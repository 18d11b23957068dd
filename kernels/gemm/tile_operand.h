// An operand of a GEMM: its place in memory, in LDS and in registers.
#pragma once
#include <bit>

#include "generator/dsl/buffer_resource.h"
#include "isa_tables/lds_swizzle.h"
#include "isa_tables/offsets.h"
#include "kernels/gemm/gemm.h"
#include "kernels/parts/address.h"
#include "kernels/parts/atom.h"
#include "kernels/parts/data_mover.h"
#include "kernels/parts/dequantise.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith::gemm {

using isa::Type;

constexpr int power_of_two_from(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

constexpr int swizzled_rows = 64;  // whose bits a swizzle may take: further ones are reached by immediate offsets
constexpr int default_chunks = 4;  // of 16 bytes, in a k-slice's row of the wider operand
constexpr int line_bytes = 128;
constexpr int direct_loads = 4;  // by one value of M0: their offsets are immediate
constexpr int no_bound = -16;    // buffer offsets at or above it are out of range: what masked lanes have, as -1

// Operand A or B: its place in memory, LDS and registers. `rows` counts along m for A, n for B.
//
// A k-slice is 32 to 128 bytes of each row along k, 64 by default; LDS holds two to four of them, its stages. Where k
// is contiguous in memory, a lane loads 16 bytes of a row, of two k-slices at a time if they share a line of 128 bytes.
// Of 6-bit elements 32 take 24 bytes: those loads overlap. Else a lane loads `row_run` rows at each of `k_run` k: of
// elements below 32 bits consecutive ones, which make whole dwords of each row.
//
// All lanes load alike: LDS has lds_rows() rows, those after the tile's being copies of its last one. The layout of a
// k-slice is a linear map of row_span() rows, a power of two. Where a wave's rows are none, its first row is added to
// its address, which must not change the swizzle: that does not take the bits of rows from wave_unit() on, or tiles at
// different places in the 64 rows that it takes have addresses of their own (read_places).
//
// Brought by the tensor data mover, a k-slice is row-major in LDS as it is in memory: rows along k, or, where rows of A
// are contiguous, a row for each k, which transposing loads read. Padding after each row keeps reads free of bank
// conflicts. Gated, A's rows of the gate precede those that it gates.
struct TileOperand {
  const char* name;
  bool is_a, k_contiguous;
  int rows, wave_rows;  // of the block, of a wave
  int extent, stages;   // rows of a fragment; stages in LDS
  int parts = 1;        // of an element, one k-slice in LDS after the other
  int near_row = 0;     // k not contiguous: rows between neighbouring lanes
  int read_places = 1;
  int lds_offset, first_tag;  // bytes; LDS tags of the stages
  int element_bits, lanes;    // of an element in LDS; of the workgroup
  int row_chunks, row_k;      // of a k-slice: chunks and k of a row
  int memory_bits;            // of an element in memory
  MatrixOrder order = MatrixOrder::rows;
  bool by_tensor = false;
  int padding = 0, halves = 1;  // by_tensor: bytes after a row of LDS; parts of the rows, M apart in memory
  // registers
  Owned<File::s> resource, row_stride, k_stride, block_step, rows_left;  // strides and steps in bytes; below 8 bits
                                                                         // k_stride is of 32 k
  std::vector<Owned<File::v>> load_address;  // per load of an iteration (k contiguous: of a k-slice)
  std::vector<std::vector<Owned<File::v>>>
      store_address;  // per LDS stage (k contiguous: one for all), by pattern of `stores`
  Owned<File::s> k_bytes,
      lds_wave;  // direct: of the k_slice fetched last, along k; where this wave's part of a k_slice is in LDS
  std::vector<Owned<File::v>> fetch_address;                // direct: per load of a k_slice
  std::vector<Owned<File::v>> on_the_way;                   // to LDS; by lines: of two k-slices, by the k-slice
  isa::LinearLayout k_slice;                                // "row", "chunk", "within" -> "byte"
  AddressSet stores, reads;                                 // of what a lane has loaded; of fragments
  std::vector<Owned<File::v>> read_address;                 // by pattern of `reads`
  std::vector<std::vector<Owned<File::v>>> fragment;        // sets in turn: of each tile of `extent` rows
  std::vector<std::vector<Owned<File::a>>> fragment_agprs;  // instead
  int ring = 0;  // not 0: one set of so many fragments, which tiles take in turn
  VAArg fragment_of(int set, int n) const {
    const auto s = static_cast<size_t>(ring ? 0 : set), i = static_cast<size_t>(ring ? n % ring : n);
    if (fragment_agprs.empty()) return static_cast<Vgpr>(fragment[s][i]);
    return static_cast<Agpr>(fragment_agprs[s][i]);
  }
  struct {  // block scales
    Owned<File::s> resource;
    std::vector<Owned<File::v>> address;    // per load of an iteration; moved: one, in LDS
    std::vector<Owned<File::v>> loaded[2];  // of the iterations in turn
    std::vector<Owned<File::s>> place;      // moved: as of `tile`
    Owned<File::s> receivers;               // moved, in clusters: who gets them
    std::vector<Owned<File::v>> lines;      // moved: from the next batch's first byte to what is requested into the L2
  } scales;
  struct {  // scales of sums
    SumScales how;
    Owned<File::s> resource, stride, bytes;  // bytes: between rows, transposed between blocks of k; left
    Owned<File::s> further;                  // bytes to the second and further of the rows that one load reaches
    std::vector<Owned<File::v>> address;     // for each tile's rows that one load reaches
    // Likewise, of all blocks of an iteration, by set: sum_scale().
    std::vector<std::vector<Owned<File::v>>> loaded;
  } sum_scales;
  struct {  // descriptors of the tensor data mover: places of the halves, what they share; k that are left
    std::vector<Owned<File::s>> place;
    Owned<File::s> shape, k_left, step;
  } tile;
  struct {  // what is requested into the L2: address of the block, k left from there on, a lane's bytes from there on
    Owned<File::s> block, k_left;
    std::vector<Owned<File::v>> lane;
  } prefetch;
  struct {  // of weights
    bool used = false;
    Owned<File::s> resource, zeros_resource, stride, place, zeros_offset;
    Sgpr k, offset;                                          // place
    std::vector<Owned<File::v>> address, zeros_address;      // per load of an iteration
    std::vector<std::vector<Owned<File::v>>> scales, zeros;  // as on_the_way, then by load
    Owned<File::v> factors, converted[2];
  } groups;

  int element_bytes() const { return element_bits / 8; }  // from 8 bits on
  int row_bytes() const { return row_chunks * chunk_bytes; }
  int lane_chunks() const { return (rows * row_chunks + lanes - 1) / lanes; }  // k contiguous
  int lds_rows() const {
    return k_contiguous ? lane_chunks() * lanes / row_chunks : std::max(power_of_two_from(rows), lanes / row_chunks);
  }
  bool has_copies() const { return lds_rows() != rows; }
  int row_span() const { return power_of_two_from(lds_rows()); }
  int wave_unit() const { return wave_rows & -wave_rows; }  // the largest power of two that divides a wave's rows
  int memory_row_bytes() const { return row_k * memory_bits / 8; }
  int apart() const { return order == MatrixOrder::tiles ? tile_rows : 1; }  // chunks of memory, in chunks
  int k_slice_step() const { return memory_row_bytes() * apart(); }          // bytes to the next k-slice
  bool by_lines() const { return k_contiguous && 2 * memory_row_bytes() <= line_bytes; }
  int lane_bytes() const {  // of a k-slice, in memory
    return lds_rows() * row_bytes() / lanes * memory_bits / element_bits;
  }
  int load_bytes() const {
    const int chunk = chunk_bytes * memory_bits / element_bits;
    return k_contiguous
               ? std::min({std::max(chunk_bytes, chunk), (lane_chunks() & -lane_chunks()) * chunk, row_chunks * chunk})
               : std::min(chunk_bytes, lane_bytes() / std::max(1, 4 / element_bytes()));
  }
  int loads() const { return lane_bytes() / load_bytes(); }  // per lane and k-slice
  int load_dwords() const { return load_bytes() / 4; }
  int chunks_of_load() const { return load_bytes() * element_bits / memory_bits / chunk_bytes; }  // k contiguous
  int rows_of_load() const { return lanes * chunks_of_load() / row_chunks; }                      // by all lanes
  int memory_bytes() const { return memory_bits / 8; }
  int row_run() const { return k_contiguous ? 1 : load_bytes() / memory_bytes(); }
  int k_run() const { return loads(); }
  int k_step() const { return element_bytes() >= 4 ? chunk_bytes / element_bytes() : 1; }  // between a lane's k
  int run_bytes() const { return k_run() * k_step() * element_bytes(); }                   // of a row along k
  int stored_bytes() const {                                                               // of a row at once
    return element_bytes() == 2 ? std::min(8, run_bytes()) : std::max(4, element_bytes());
  }
  int store_step() const {
    return element_bytes() >= 4 ? chunk_bytes : stored_bytes();
  }  // bytes along k between stores
  int tiles() const { return wave_rows / extent; }
  // by_tensor: a row in LDS, and how many there are of each half
  int tile_row_bytes() const { return k_contiguous ? row_bytes() : rows / halves * element_bytes(); }
  int moved_rows() const { return k_contiguous ? rows / halves : row_k; }
  int pitch() const { return tile_row_bytes() + padding; }
  int half_bytes() const { return moved_rows() * pitch(); }
  int k_slice_bytes() const { return by_tensor ? halves * half_bytes() : lds_rows() * row_bytes(); }
  int stage_bytes() const { return parts * k_slice_bytes(); }
  int lds_bytes() const { return stages * stage_bytes(); }
  int iterations() const { return std::lcm(2, stages) / 2; }  // iterations until the LDS stages repeat
  // For k-slice `k_slice` of the loop:
  int lds_stage(int k_slice) const { return k_slice % stages; }
  int read_offset(int k_slice) const { return lds_stage(k_slice) * stage_bytes(); }
  int tag(int k_slice) const { return first_tag + lds_stage(k_slice); }
  Vgpr stage(int k_slice) const { return on_the_way[static_cast<size_t>(k_slice) % on_the_way.size()]; }
  Vgpr staged(int k_slice, int load) const {
    return stage(k_slice).slice(load * load_dwords() % stage(k_slice).dwords, load_dwords());
  }
  AddressSet::At fragment_at(int tile, int chunk, int row = 0) {
    if (by_tensor) {
      const int of_half = tiles() / halves, first = tile % of_half * extent + row;
      return {0,
              tile / of_half * half_bytes() + (k_contiguous
                                                   ? first * pitch() + chunk * chunk_bytes
                                                   : chunk * (row_k / row_chunks) * pitch() + first * element_bytes()),
              0};
    }
    const int place = read_places > 1 ? tile % (swizzled_rows / extent) : 0;
    auto at = reads.at(k_slice.at(
        {{"row", static_cast<uint32_t>((tile - place) * extent + row)}, {"chunk", static_cast<uint32_t>(chunk)}},
        "byte"));
    at.address = at.address * static_cast<size_t>(read_places) + static_cast<size_t>(place);
    return at;
  }
  AddressSet::At stored_at(int row, int byte) {  // of the lane's rows and bytes along k
    return stores.at(k_slice.at({{"row", static_cast<uint32_t>(row)},
                                 {"chunk", static_cast<uint32_t>(byte / chunk_bytes)},
                                 {"within", static_cast<uint32_t>(byte % chunk_bytes)}},
                                "byte"));
  }
};

}  // namespace wavesmith::gemm
