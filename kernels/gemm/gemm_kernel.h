// The GEMM kernel being built: its registers and phases. Schedule: gemm.cpp; loads of A and B into LDS and fragments:
// gemm_load.cpp; results: gemm_store.cpp. Only these files include this one.
#pragma once
#include <numeric>

#include "generator/dsl/arguments.h"
#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/scratch.h"
#include "generator/schedule/pipeline.h"
#include "isa_tables/lds_swizzle.h"
#include "isa_tables/names.h"
#include "kernels/gemm/gemm.h"
#include "kernels/parts/address.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith::gemm {

using isa::Type;

constexpr int waves = 4, lanes = waves * wave_lanes;  // of a workgroup
constexpr int k_slice_depth = 32;                     // k of one k-slice in LDS: a row is 64 bytes, four 16-byte chunks
constexpr int row_bytes = k_slice_depth * 2;
constexpr int block_k = 2 * k_slice_depth;            // of one iteration
constexpr int load_bytes = wave_lanes * chunk_bytes;  // per wave and load
constexpr int before_base =
    3 * load_bytes;                 // direct: where the resource begins, as offsets of loads count in LDS and in memory
constexpr int result_columns = 32;  // of D that a wave has in LDS at once, on the way to memory
constexpr int no_bound = -16;       // buffer offsets at or above it are out of range: what masked lanes have, as -1
enum { all_segments = -1, whole_blocks, rest_of_k };  // of the pipeline

// Operand A or B: its place in memory, LDS and registers. `rows` counts along m for A, n for B.
//
// A stage is what is loaded, stored to LDS and waited for together: `k_slices` k-slices of 32 k. LDS holds two to four
// stages. Global loads are 128 bits. Where k is contiguous, 8 k of a row, of two k-slices at a time: they share a line
// of 128 bytes. Else 8 rows at one k. Then a lane needs at least two k to make dwords of a row, so 64 rows are staged
// two k-slices at a time.
struct TileOperand {
  const char* name;
  bool k_contiguous;
  int rows, wave_rows;        // of the block, of a wave
  int mma_mn, stages;         // rows of a fragment; stages in LDS
  int lds_offset, first_tag;  // bytes; LDS tags of the stages
  // registers
  Owned<File::s> resource, row_stride, k_stride, block_step, rows_left;  // strides and steps in bytes
  std::vector<Owned<File::v>> load_address;                // per load of an iteration (k contiguous: of a k-slice)
  std::vector<std::vector<Owned<File::v>>> store_address;  // per LDS stage; k contiguous: one for all of them
  Owned<File::s> k_bytes,
      lds_wave;  // direct: of the k_slice fetched last, along k; where this wave's part of a k_slice is in LDS
  std::vector<Owned<File::v>> fetch_address;  // direct: per load of a k_slice
  std::vector<Owned<File::v>> on_the_way;     // to LDS; k contiguous: of two k-slices, by the k-slice
  isa::LinearLayout k_slice;                  // "row", "chunk", "within" -> "byte"
  AddressSet reads;                           // of fragments
  std::vector<Owned<File::v>> read_address;   // by pattern of `reads`
  std::vector<Owned<File::v>> fragment[2];  // two sets in turn: four registers, 8 k a lane, of each tile of mma_mn rows

  int k_slices() const { return !k_contiguous && rows == 64 ? 2 : 1; }
  int tiles() const { return wave_rows / mma_mn; }
  int k_slice_bytes() const { return rows * row_bytes; }
  int lds_bytes() const { return stages * k_slices() * k_slice_bytes(); }
  int iterations() const { return std::lcm(2, stages * k_slices()) / 2; }      // iterations until the LDS stages repeat
  int loads() const { return rows * k_slices() * k_slice_depth / lanes / 8; }  // per lane and stage, 8 elements each
  int k_run() const { return k_contiguous ? 8 : loads(); }  // consecutive k of a row per lane: 2, 4, 8
  // For k-slice `k_slice` of the loop:
  bool starts_stage(int k_slice) const { return k_slice % k_slices() == 0; }
  int lds_stage(int k_slice) const { return k_slice / k_slices() % stages; }
  int read_offset(int k_slice) const { return k_slice % (stages * k_slices()) * k_slice_bytes(); }
  int tag(int k_slice) const { return first_tag + lds_stage(k_slice); }
  Vgpr stage(int k_slice) const { return on_the_way[static_cast<size_t>(k_slice) % on_the_way.size()]; }
  AddressSet::At fragment_at(int tile, int chunk) {
    return reads.at(
        k_slice.at({{"row", static_cast<uint32_t>(tile * mma_mn)}, {"chunk", static_cast<uint32_t>(chunk)}}, "byte"));
  }
};

struct GemmArguments {
  DevicePointer d, c, a, b;
  uint64_t stride_d, stride_c, stride_a, stride_b;  // between batches, in elements
  uint32_t m, n, k, lda, ldb, ldc, ldd;
  float alpha, beta;
  DevicePointer bias;
  uint32_t k_per_split;  // a multiple of 64
  void list(auto&& to, const GemmConfig& g) {
    const char *in = isa::type_name(g.input), *out = isa::type_name(g.output);
    to("D", d, out), to("C", c, out), to("A", a, in), to("B", b, in);
    to("stride_d", stride_d), to("stride_c", stride_c), to("stride_a", stride_a), to("stride_b", stride_b);
    to("m", m), to("n", n), to("k", k), to("lda", lda), to("ldb", ldb), to("ldc", ldc), to("ldd", ldd);
    to("alpha", alpha), to("beta", beta);
    if (g.epilogue.bias) to("bias", bias, out);
    if (g.split_k > 1) to("k_per_split", k_per_split);
  }
};

struct Gemm {
  Kernel& kernel;
  const GemmConfig& cfg;
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const Opcode mma = *cfg.mma;
  const int mma_mn = isa::info(mma).matrix.m;  // 32 or 16
  // registers of an A or B operand
  const int operand = isa::layout(isa::info(mma), kernel.arch, isa::MatrixOperand::a).registers();
  const isa::LinearLayout product =
      isa::layout(isa::info(mma), kernel.arch, isa::MatrixOperand::d).map;  // "lane", "item" -> "row", "col" of D
  const int held = 1 << product.input_bits("item");                         // registers of a tile
  const int groups = 1 << fragment_lanes().output_bits("chunk");  // groups of lanes with different k of a fragment
  const int halves = row_bytes / chunk_bytes / groups;            // fragments of a k-slice along k: one or two
  const bool direct = cfg.schedule == GemmSchedule::direct;
  const int out_bytes = isa::bits(cfg.output) / 8, out_shift = log2(out_bytes);

  // -- Registers: the map, in one place --
  using Args = GemmArguments;
  Arguments<Args> args{kernel, cfg};
  Arguments<Args>::Loaded pointers = args.registers(&Args::d, &Args::b),
                          strides = args.registers(&Args::stride_d, &Args::stride_b),
                          sizes = args.registers(&Args::m, &Args::alpha), beta_arg = args.registers(&Args::beta),
                          bias_base;  // a pointer
  Sgpr M = sizes[&Args::m], N = sizes[&Args::n], K = sizes[&Args::k], lda = sizes[&Args::lda], ldb = sizes[&Args::ldb],
       ldc = sizes[&Args::ldc], ldd = sizes[&Args::ldd], alpha = sizes[&Args::alpha], beta = beta_arg;
  Owned<File::s> trips = r.s.alloc(1, "whole K blocks"), rest = r.s.alloc(1, "blocks of the rest of K"),
                 k_left = r.s.alloc(1, "k left in them");
  Owned<File::s> m0_ = r.s.alloc(1, "first row of the block"), n0 = r.s.alloc(1, "first column of the block");
  Owned<File::s> wave_m = r.s.alloc(1, "wave row"), wave_n = r.s.alloc(1, "wave column");
  Owned<File::s> t = r.s.alloc(4, "scratch", 4), mask = r.s.alloc(2, "scratch mask");
  Constants constants{kernel};
  std::optional<HalfPermutes> halves_of_rows;  // where an operand is not contiguous along k
  std::optional<PairConversion> to_output;     // where D is not f32
  // Consecutive rows of D that a lane stores at once: 16 bytes; what is added atomically goes element by element, 64
  // rows an instruction.
  const int stored_rows = cfg.split_k > 1 ? 1 : chunk_bytes / out_bytes;
  AddressMath at{k, t.slice(0, 3)};
  Owned<File::v> lane = r.v.alloc(1, "lane"), x = r.v.alloc(1, "scratch x"), y = r.v.alloc(1, "scratch y"),
                 lane_k = r.v.alloc(1, "lane's first k in the rest of K");
  Owned<File::v> packed;  // transposed runs of k; for the rest of K, single elements
  TileOperand A{"A", cfg.trans_a, cfg.block.m, cfg.block.m / cfg.waves_m, mma_mn, cfg.stages, 0, 0};
  TileOperand B{"B",    !cfg.trans_b, cfg.block.n,   cfg.block.n / cfg.waves_n,
                mma_mn, cfg.stages,   A.lds_bytes(), cfg.stages};
  std::vector<Owned<File::a>> c;             // [tile n][tile m], 16 or 4 registers each
  Owned<File::s> first_k, own_batch;         // split K: this workgroup's first k, its batch
  struct Output {                            // in the epilogue, in registers that the main loop had
    Owned<File::s> d, c;                     // buffer resources
    Owned<File::s> rows_left, columns_left;  // of the wave's part of D; columns: from this pass on
    Owned<File::s> wide, passes, first_column;
    Owned<File::s> alpha, row_mask, d_step, c_step;  // alpha twice; lanes with rows of D; bytes between steps
    Owned<File::v> row, column, d_at, c_at;          // of the lane: first row, column, byte offsets in the wave's part
    std::vector<Owned<File::v>> write_at, read_at;   // LDS addresses by pattern
    std::vector<Owned<File::v>> result, old_c, moved;  // of steps in flight
    Owned<File::v> bias;                               // of the lane's rows
    isa::LinearLayout tile;                            // "row" (column of D), "chunk", "within" -> "byte"
    AddressSet writes, reads;
  } out;

  Agpr acc(int tn, int tm) { return c[tn * A.tiles() + tm]; }
  Sgpr batch() const { return cfg.split_k > 1 ? static_cast<Sgpr>(own_batch) : kernel.workgroup[2]; }
  int set(int k_slice, int half) const { return (k_slice * halves + half) % 2; }  // of fragments

  // -- gemm.cpp: arguments, schedule --
  void declare();
  void declare_loop();
  void prologue();
  void split();
  void count_blocks();
  Pipeline::Stage of_k_slice(int k_slice, std::function<Block(int k_slice)>, int segment = all_segments);
  std::function<Block(int k_slice)> products(int half, int from, int of);
  std::function<Block(int k_slice)> read(int half);
  void staged_step(Pipeline&, int k_slice);
  void direct_step(Pipeline&, int k_slice);
  void build();
  Block next_block(TileOperand&);
  Block count_rest();
  Block stage_barrier(int k_slice);
  Block multiply(int set);

  // -- gemm_load.cpp --
  void declare_operand(TileOperand&);
  void declare_loop(TileOperand&);
  void operand_addresses(TileOperand&, Sgpr extent, Sgpr first, Sgpr ld);
  void k_contiguous_addresses(TileOperand&);
  void row_contiguous_addresses(TileOperand&);
  void fetch_addresses(TileOperand&);
  void read_addresses(TileOperand&, Sgpr wave);
  isa::LinearLayout load_lanes(const TileOperand&) const;
  isa::LinearLayout fragment_lanes() const;
  std::vector<isa::LdsTileAccess> lds_accesses(const TileOperand&) const;
  isa::LinearLayout k_slice_layout(const TileOperand&) const;
  void from_workitem(Vgpr dst, const isa::LinearLayout&, std::string_view output);
  void lds_address(const TileOperand&, Vgpr dst, Vgpr row, Vgpr chunk);
  Block load(TileOperand&, int k_slice);
  Block load_line(TileOperand&, int k_slice);
  Block fetch(TileOperand&, int k_slice);
  Block load_rest(TileOperand&, int k_slice);
  Vgpr within_k(Block&, Vgpr address, int ahead, int bytes);
  Block store(TileOperand&, int k_slice);
  void store_rows(Block&, TileOperand&, int k_slice);
  void store_transposed(Block&, TileOperand&, int k_slice);
  Block read_fragments(int k_slice, int half);

  // -- gemm_store.cpp --
  void epilogue();
  void declare_output();
  int stored_columns() const { return wave_lanes * stored_rows / A.wave_rows; }  // by one instruction; 0: half of one
  int steps() const { return result_columns * A.wave_rows / (wave_lanes * stored_rows); }
  isa::LinearLayout result_tile() const;
  isa::LinearLayout result_lanes() const;
  isa::LinearLayout stored_lanes() const;
  uint32_t result_place(int tn, int tm, int item) const;
  uint32_t stored_place(int step, int row) const;
  void output_addresses();
  void output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld);
  void load_bias();
  void widen(Vgpr to, Vgpr from, Half);
  void to_lds();
  void from_lds(int first_step);
  void select_lanes(int step, Vgpr address, Sgpr bytes);
  int step_offset(int step) const;
  void when_wide(const std::function<void()>& wide, const std::function<void()>& by_element);
  void by_rows(const std::function<void(int row)>& access);
  void add_old(int first_step);
  void activate(Vgpr);
  void finish(Vgpr results);
  void store(int first_step);
};

const char* name_of(Type);

}  // namespace wavesmith::gemm
