// The GEMM kernel being built: its registers and phases. Schedule: gemm.cpp; loads of A and B into LDS and fragments:
// gemm_load.cpp; scales: gemm_scales.cpp, gemm_fetched_scales.cpp, gemm_sums.cpp; weights: gemm_weights.cpp; results:
// gemm_store.cpp, gemm_last_products.cpp; further tiles: gemm_persistent.cpp. Only these files include this one.
#pragma once
#include <bit>
#include <numeric>

#include "generator/dsl/arguments.h"
#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/scratch.h"
#include "generator/schedule/pipeline.h"
#include "isa_tables/lds_swizzle.h"
#include "isa_tables/names.h"
#include "isa_tables/occupancy.h"
#include "isa_tables/offsets.h"
#include "kernels/gemm/tile_operand.h"
#include "kernels/parts/address.h"
#include "kernels/parts/apply_epilogue.h"
#include "kernels/parts/atom.h"
#include "kernels/parts/data_mover.h"
#include "kernels/parts/dequantise.h"
#include "kernels/parts/lds_tile.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith::gemm {

// check() but for registers. Error: ConfigError.
void check_config(const GemmConfig&, Arch);

constexpr int most_result_columns = 32;
constexpr int direct_columns = 16;                          // of a store from accumulators straight to D
constexpr int most_results = 16;                            // of direct stores, in turn
enum { whole_blocks, rest_of_k };                           // segments of the pipeline
enum { lines_of_next = 1, tiles_of_next, scales_of_next };  // what phases begin of the next tile (Pipeline::Next)

// Of the code that persistent workgroups execute from the beginning to the end of their tiles, where the loop goes on
// with the next one; else 0.
double bytes_of_tile(const Program&);

// Of an operand that the tensor data mover brings to LDS.
TileReads tile_reads(const TileOperand&, const AtomOperand&);
// Bytes after each row with which the reads are free of bank conflicts. Error: ConfigError where there are none.
int tile_padding(const TileOperand&, const AtomOperand&, Arch);

struct GemmArguments {
  DevicePointer d, c, a, b;
  uint64_t stride_d, stride_c, stride_a, stride_b;  // between batches, in elements
  uint32_t m, n, k, lda, ldb, ldc, ldd;
  float alpha, beta;  // one of the three pairs
  int32_t alpha_i32, beta_i32;
  double alpha_f64, beta_f64;
  DevicePointer alpha_at, beta_at;  // or a pointer
  std::array<DevicePointer, epilogue_part_count> epilogue;
  DevicePointer scales;
  uint64_t stride_residual;
  uint32_t ld_residual;
  DevicePointer block_scales_a, block_scales_b;
  DevicePointer group_scales, zero_points;
  uint32_t k_per_split;  // a multiple of block_k()
  DevicePointer arrivals, partial_sums;
  uint32_t tiles_m, tiles_n;  // of the grid
  uint32_t whole_tiles;
  uint32_t tiles, tiles_at_once;  // or clusters of them
  DevicePointer offsets;
  uint32_t groups;
  void list(auto&& to, const GemmConfig& g) {
    const char *in_a = memory_name(g.input), *in_b = memory_name(type_of_b(g)), *out = memory_name(g.output);
    to("D", d, out), to("C", c, out), to("A", a, in_a), to("B", b, in_b);
    to("stride_d", stride_d), to("stride_c", stride_c), to("stride_a", stride_a), to("stride_b", stride_b);
    to("m", m), to("n", n), to("k", k), to("lda", lda), to("ldb", ldb), to("ldc", ldc), to("ldd", ldd);
    const Type scale = scaled_as(g);
    const auto factor = [&](const char* name, bool on_device, auto& at, auto& f32, auto& i32, auto& f64) {
      if (on_device) to(name, at, isa::type_name(scale));
      else if (scale == Type::f64) to(name, f64);
      else if (scale == Type::i32) to(name, i32);
      else to(name, f32);
    };
    factor("alpha", g.epilogue.alpha_on_device, alpha_at, alpha, alpha_i32, alpha_f64);
    factor("beta", g.epilogue.beta_on_device, beta_at, beta, beta_i32, beta_f64);
    for (const EpiloguePartInfo& p : epilogue_parts())
      if (g.epilogue.has(p.part)) to(p.name, epilogue[static_cast<size_t>(p.part)], memory_name(type_of(p, g.output)));
    if (g.epilogue.has(EpiloguePart::residual)) to("stride_residual", stride_residual), to("ld_residual", ld_residual);
    if (g.epilogue.quantisation != Quantisation::none)
      to("scales", scales, about(g.epilogue.quantisation).e8m0 ? "u8" : "f32");
    if (g.block_scales != BlockScales::none)
      to("block_scales_a", block_scales_a, "u8"), to("block_scales_b", block_scales_b, "u8");
    if (g.sum_scales_a.rows || g.sum_scales_b.rows)
      to("block_scales_a", block_scales_a, "f32"), to("block_scales_b", block_scales_b, "f32");
    if (has_weights(g))
      to("group_scales", group_scales, isa::type_name(multiplied_a(g))), to("zero_points", zero_points, "u8");
    if (g.split_k > 1) to("k_per_split", k_per_split);
    if (has_workspace(g))
      to("arrivals", arrivals, "u32"), to("partial_sums", partial_sums, isa::type_name(accumulated(g))),
          to("tiles_m", tiles_m), to("tiles_n", tiles_n);
    if (g.stream_k) to("whole_tiles", whole_tiles);
    if (g.persistent) to("tiles", tiles), to("tiles_at_once", tiles_at_once);
    if (g.ragged != Ragged::none) to("offsets", offsets, name_of(g.offsets)), to("groups", groups);
  }
  static const char* memory_name(Type t) { return isa::type_name(t == Type::xf32 ? Type::f32 : t); }
};

// The default k of a k-slice: 64 bytes of the wider operand, or what the instruction takes.
inline int slice_k(const Atom& atom) {
  return std::max(default_chunks * std::min(chunk_k(atom.a.type), chunk_k(atom.b.type)), atom.k_of_fragment());
}
inline int lanes_of(const GemmConfig& g, Arch arch) { return g.waves_m * g.waves_n * isa::target(arch).wave_size; }

// Consecutive rows of D that a lane stores at once: 16 bytes; what is added atomically goes element by element.
inline int rows_stored(const GemmConfig& g) { return adds_to_d(g) ? 1 : chunk_bytes * 8 / isa::bits(g.output); }
// Bytes of LDS for so many columns of D of each wave, in sums.
inline int result_bytes(const GemmConfig& g, int columns) {
  return g.waves_m * g.waves_n * g.epilogue.halves() * power_of_two_from(rows_of_d(g) / g.waves_m) * columns *
         isa::bits(accumulated(g)) / 8;
}
// Columns of D that a wave has in LDS at once, on the way to memory: half of them where all would take more LDS than
// the loop does, and a CU could hold fewer workgroups. extent: Atom::extent.
inline int result_columns(const GemmConfig& g, Arch arch, int extent, int loop_bytes) {
  constexpr int all = most_result_columns, half = all / 2;
  const bool one_store = rows_of_d(g) / g.waves_m * half >= isa::target(arch).wave_size * rows_stored(g);
  const bool fits = one_store && extent <= half && g.epilogue.quantisation == Quantisation::none;
  return fits && result_bytes(g, all) > loop_bytes ? half : all;
}

inline Opcode atomic_add(Type t) {
  return t == Type::f32   ? Opcode::buffer_atomic_add_f32
         : t == Type::i32 ? Opcode::buffer_atomic_add
                          : Opcode::buffer_atomic_add_f64;
}

struct Gemm {
  Kernel& kernel;
  const GemmConfig& cfg;
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const Atom atom{*cfg.mma, kernel.arch, multiplied_a(cfg), multiplied_b(cfg)};
  const int wave = atom.lanes, waves = cfg.waves_m * cfg.waves_n, lanes = waves * wave;  // lanes: of the workgroup
  const int block_k = cfg.block.k, slice_k = block_k / 2;                                // k of a k-slice, an iteration
  const int fragments = slice_k / atom.k_of_fragment();                                  // of a k-slice along k
  const bool refill = cfg.schedule == GemmSchedule::refill, direct = cfg.schedule == GemmSchedule::direct || refill;
  const bool streams = cfg.schedule == GemmSchedule::stream, tensor = cfg.schedule == GemmSchedule::tensor;
  const bool quantised = cfg.epilogue.quantisation != Quantisation::none;
  const int halves = cfg.epilogue.halves();  // of a wave's rows of A; gated, the second one is beside the first in D
  const Type accumulator = accumulated(cfg), scale = scaled_as(cfg);
  const int acc_bytes = isa::bits(accumulator) / 8, scale_dwords = isa::bits(scale) / 32;
  const int out_bytes = isa::bits(cfg.output) / 8, out_shift = log2(out_bytes);
  const int wave_load_bytes = wave * chunk_bytes;                // direct: of one load
  const int before_base = (direct_loads - 1) * wave_load_bytes;  // direct: where the resource begins, as offsets
                                                                 // of loads count in LDS and in memory

  // -- Registers: the map, in one place --
  static constexpr const char *rest_blocks = "blocks of the rest of K", *k_of_rest = "k left in them";
  using Args = GemmArguments;
  Arguments<Args> args{kernel, cfg};
  using Loaded = Arguments<Args>::Loaded;
  // tensor: those of A and B apart, for they are free behind the prologue, and SGPRs are few.
  Loaded pointers = tensor ? args.registers(&Args::d, &Args::c) : args.registers(&Args::d, &Args::b),
         operands = tensor ? args.registers(&Args::a, &Args::b) : Loaded(),
         strides = tensor ? args.registers(&Args::stride_d, &Args::stride_c)
                          : args.registers(&Args::stride_d, &Args::stride_b),
         operand_strides = tensor ? args.registers(&Args::stride_a, &Args::stride_b) : Loaded(),
         sizes = args.registers(&Args::m, &Args::lda), more = args.registers(&Args::ldb, &Args::ldc),
         last = args.registers(&Args::ldd);
  Loaded block_scales, group_pointers;  // two pointers each
  Sgpr M = sizes[&Args::m], N = sizes[&Args::n], K = sizes[&Args::k], lda = sizes[&Args::lda], ldb = more[&Args::ldb],
       ldc = more[&Args::ldc], ldd = last;
  Owned<File::s> factors = r.s.alloc(2 * scale_dwords, "alpha, beta", scale_dwords > 1 ? 4 : 0);
  Sgpr alpha = factors.slice(0, scale_dwords), beta = factors.slice(scale_dwords, scale_dwords);
  Owned<File::s> trips = r.s.alloc(1, "whole K blocks");
  Owned<File::s> rest = tensor ? Owned<File::s>() : r.s.alloc(1, rest_blocks);  // tensor: declare() knows if it is used
  Owned<File::s> k_left = tensor ? Owned<File::s>() : r.s.alloc(1, k_of_rest);
  Owned<File::s> m0_ = r.s.alloc(1, "first row of the block"), n0 = r.s.alloc(1, "first column of the block");
  Owned<File::s> wave_m = r.s.alloc(1, "wave row"), wave_n = r.s.alloc(1, "wave column");
  Owned<File::s> t = r.s.alloc(4, "scratch", 4);
  Constants constants{kernel};
  std::optional<HalfPermutes> halves_of_rows;  // where an operand is not contiguous along k
  std::optional<BytePermutes> bytes_of_rows;
  std::optional<Dequantiser> dequantiser;  // of weights
  Sgpr high_halves;                        // f32 that is split: v_perm selector
  const int stored_rows = rows_stored(cfg);
  AddressMath at{k, t.slice(0, 3)};
  Owned<File::v> lane = r.v.alloc(1, "lane"), x = r.v.alloc(1, "scratch x"), y = r.v.alloc(1, "scratch y"),
                 lane_k = r.v.alloc(1, "lane's first k in the rest of K");
  EpilogueCode epilogue_code{kernel, cfg.epilogue, {accumulator, scale, cfg.output}, stored_rows, {x, y, t}};
  Owned<File::v> packed;  // transposed runs of k; for the rest of K, single elements
  TileOperand A = operand_tile(true, cfg.trans_a, cfg.block.m, cfg.waves_m, 0, 0);
  TileOperand B = operand_tile(false, !cfg.trans_b, cfg.block.n, cfg.waves_n, A.lds_bytes(), cfg.stages);
  const int result_columns =
      gemm::result_columns(cfg, kernel.arch, atom.extent, streams ? 0 : A.lds_bytes() + B.lds_bytes());
  // Block scales that the data mover brings to LDS, behind A and B: of so many iterations at once; 0: it does not.
  const int scales_offset = A.lds_bytes() + B.lds_bytes(), scale_batch = moved_scale_batch();
  const bool moves_scales = scale_batch != 0;
  // Likewise those that direct loads bring: a load of each wave and iteration has some rows of the next batch.
  const int fetched_batch = fetched_scale_batch();
  const bool fetches_scales = fetched_batch != 0;
  // Of fetched scales a lane reads those of its blocks at once.
  const AtomOperand atom_a = fetches_scales ? atom.a.by_blocks(scale_blocks(), fragments) : atom.a,
                    atom_b = fetches_scales ? atom.b.by_blocks(scale_blocks(), fragments) : atom.b;
  Owned<File::s> scale_stride;   // block scales: bytes of a row, or of 32 shuffled ones
  Owned<File::v> scale_shift;    // bits before the lane's block; before its row, of A
  Owned<File::v> scale_shift_b;  // before its row, of B
  struct {                       // scales that are moved: what A and B share
    Owned<File::s> shape, k_left;
    Owned<File::s> moved, read;  // the iteration of two batches that is next
  } moved_scales;
  struct {                                  // scales that are fetched
    std::vector<Owned<File::s>> resource;   // per load
    Owned<File::s> lds_wave, loaded, read;  // bytes of LDS before this wave's; the iterations that are next
    Owned<File::v> address;                 // of the lane's piece, of each load
  } fetched_scales;
  Accumulators acc;  // [tile n][tile m]
  struct {           // sums of 128 k, and the factors of the last ones
    Accumulators of;
    std::vector<Owned<File::v>> rows;
    Owned<File::v> columns;
  } sums;
  Owned<File::s> first_k, own_batch, own_part;  // split K: this workgroup's first k, its batch, its part
  Owned<File::s> own_group, no_batch;           // ragged; no_batch: 0
  Owned<File::s> own_tile, is_whole;            // stream-K: number of the tile, of those that are split; 1: it is not
  Owned<File::s> loaded_m, loaded_n;            // clusters: first row and column that are loaded
  Owned<File::s> tile_number;                   // persistent workgroups: in the order of tiles, of clusters of them
  Owned<File::s> stored_m, stored_n, is_last;   // goes_on(): the tile before; 1: there is none behind it
  bool took_next = false, counts_next = false, moves_on = false;  // the next tile's number, its blocks; its scales
  int most_first_steps = 2;                                       // see Pipeline::Next; 0: the loop ends with a tile
  std::optional<Block> held_stores;                               // of the tile before, beside the next one's products
  size_t beside_from = 0;      // node of the prologue from which on it may run beside the first loads
  std::optional<int> no_tile;  // label
  std::optional<int> tile_begins, tile_again, tile_ends;  // labels of persistent workgroups
  struct Output {                                         // in the epilogue, in registers that the main loop had
    Sgpr m, n;                               // first row and column of the wave's part of D, once it is placed
    Owned<File::s> d, c;                     // buffer resources
    Owned<File::s> rows_left, columns_left;  // of the wave's part of D; columns: from this pass on
    Owned<File::s> wide, passes, first_column;
    Owned<File::s> alpha, row_mask, d_step, c_step;  // alpha, of f32 twice; lanes with rows of D; bytes between steps
    Owned<File::v> row, column, d_at, c_at;          // of the lane: first row, column, byte offsets in the wave's part
    std::vector<Owned<File::v>> write_at, read_at;   // LDS addresses by pattern
    std::vector<Owned<File::v>> result, gated, old, moved;  // of steps in flight; old: elements of C or of the residual
    std::vector<Owned<File::v>> further;                    // results of steps that are stored directly
    std::vector<Owned<File::v>> held;  // 16 bytes each, stored beside the next tile's first products
    Owned<File::s> residual, residual_step;
    Owned<File::v> residual_at;
    int column_bytes = 0;    // see column_bytes()
    isa::LinearLayout tile;  // "row" (column of D), "chunk", "within" -> "byte"
    AddressSet writes, reads;
  } out;

  TileOperand operand_tile(bool is_a, bool k_contiguous, int rows, int of_waves, int lds_offset, int tag) const {
    TileOperand o{.name = is_a ? "A" : "B",
                  .is_a = is_a,
                  .k_contiguous = k_contiguous,
                  .rows = rows,
                  .wave_rows = rows / of_waves,
                  .extent = atom.extent,
                  .stages = cfg.stages,
                  .parts = parts_of(cfg),
                  .lds_offset = lds_offset,
                  .first_tag = tag,
                  .element_bits = isa::bits(is_a ? atom.a.type : atom.b.type),
                  .lanes = lanes,
                  .row_chunks = slice_k / chunk_k(is_a ? atom.a.type : atom.b.type),
                  .row_k = slice_k,
                  .memory_bits = isa::bits(is_a ? cfg.input : type_of_b(cfg)),
                  .order = is_a ? cfg.order_a : cfg.order_b,
                  .by_tensor = tensor,
                  .halves = is_a ? halves : 1,
                  .sum_scales = {.how = is_a ? cfg.sum_scales_a : cfg.sum_scales_b},
                  .groups = {.used = has_weights(cfg) && (is_a ? cfg.input : type_of_b(cfg)) == Type::i4}};
    if (tensor) o.padding = tile_padding(o, is_a ? atom.a : atom.b, kernel.arch);
    return o;
  }
  bool has_bytes() const { return A.element_bits == 8 || B.element_bits == 8; }
  int product_of(int tn, int tm) const { return tn * A.tiles() + tm; }
  Sgpr batch() const {
    if (by_tiles()) return own_group;
    return cfg.split_k > 1 && !cfg.stream_k ? static_cast<Sgpr>(own_batch) : kernel.workgroup[2];
  }
  bool by_tiles() const { return cfg.ragged == Ragged::m || cfg.ragged == Ragged::n; }
  bool parts_of_k() const { return cfg.split_k > 1 || cfg.ragged == Ragged::k; }
  // Of fragments: one where three parts of an element take too many registers for two, or where a CU holds more waves
  // with one.
  int sets() const {
    return (cfg.split_f32 && atom.a.fragment_dwords() >= 8) ||
                   (scales_sums() && sets_of_sum() == 1 && !direct && !tensor)
               ? 1
           : refill  ? std::max(fragments, 2)
           : streams ? cfg.stages * fragments
                     : 2;
  }
  // Of the data mover's tiles: fragments of B are one set, or half of one, that its tiles take in turn. A tile is read
  // when the one before it in its place has been multiplied. 0: two sets of both operands instead.
  int ring_of_b() const {
    const auto fits = [this](int of_b) {
      return tiles() * atom.items * atom.item_dwords + 2 * A.tiles() * of(A).fragment_dwords() +
                 of_b * of(B).fragment_dwords() + 100 <=
             4 * isa::vgpr_bank;
    };
    // A tile of B is read up to a k-slice ahead: one more must be there, of a single fragment two.
    const int least_stages = fragments > 1 ? 3 : 4;
    if (!tensor || scales_sums() || cfg.stages < least_stages || (fits(2 * B.tiles()) && !tiled_scales())) return 0;
    for (const int tiles_of_ring : {8, 4})
      if (B.tiles() % tiles_of_ring == 0 && fits(tiles_of_ring)) return tiles_of_ring;
    return 0;
  }
  int set(int k_slice, int part) const { return (k_slice * fragments + part) % sets(); }

  // -- gemm.cpp: arguments, schedule --
  void declare();
  void declare_loop();
  bool has_short_nans() const;
  void prologue();
  void free_prologue();
  void take_block();
  void begin_block();
  Sgpr block_pointer(TileOperand&);
  void operand_base(TileOperand&);
  void load_factors();
  void plain_factors();
  void test_zero(Sgpr factor);
  void split();
  void take_part(Sgpr part, Sgpr of_each);
  void split_group();
  // -- gemm_groups.cpp: ragged dimensions --
  int offset_shift() const;
  void take_group_of_k(Sgpr group);
  void take_group_of_tiles(Sgpr tile);
  void count_blocks();
  Pipeline::Stage of_k_slice(int k_slice, std::function<Block(int k_slice)>, std::optional<int> segment = {});
  std::function<Block(int k_slice)> products(int part, int from, int of);
  int iterations() const;
  std::function<Block(int k_slice)> read(int part);
  void staged_step(Pipeline&, int k_slice);
  void direct_step(Pipeline&, int k_slice);
  void ring_step(Pipeline&, int k_slice);
  Block ring_signal(int k_slice);
  void refill_step(Pipeline&, int k_slice);
  Pipeline::Stages fetches(TileOperand&, int fetched);
  void build();
  Block next_block(TileOperand&);
  Block count_rest();
  Block stage_barrier(int k_slice);
  Block read_barrier(int k_slice);
  Block multiply(int k_slice, int of_slice);
  void multiply_tile(Block&, int tn, int tm, VAArg a, VAArg b, int k_slice, int of_slice, int part);

  // -- gemm_addresses.cpp --
  void declare_operand(TileOperand&);
  void declare_strides(TileOperand&);
  void declare_loop(TileOperand&);
  void operand_addresses(TileOperand&, Sgpr ld);
  void later_addresses();
  void k_contiguous_addresses(TileOperand&);
  void row_contiguous_addresses(TileOperand&);
  void fetch_addresses(TileOperand&);
  void last_row(const TileOperand&, Sgpr to);
  void memory_row(const TileOperand&, Vgpr to, Vgpr row, Sgpr last);
  void memory_address(const TileOperand&, Vgpr to, Vgpr row, Vgpr chunk);
  void add_chunk(const TileOperand&, Vgpr to, Vgpr chunk, Vgpr from);
  void read_addresses(TileOperand&, Sgpr wave);
  isa::LinearLayout load_lanes(const TileOperand&) const;
  const isa::LinearLayout& fragment_lanes(const TileOperand& o) const { return of(o).fragment; }
  const AtomOperand& of(const TileOperand& o) const { return o.is_a ? atom_a : atom_b; }
  std::vector<isa::LdsTileAccess> lds_accesses(const TileOperand&) const;
  isa::LinearLayout k_slice_layout(TileOperand&) const;
  void from_workitem(Vgpr dst, const isa::LinearLayout&, std::string_view output);
  void lds_address(const TileOperand&, Vgpr dst, Vgpr row, Vgpr chunk);

  // -- gemm_load.cpp --
  Block load(TileOperand&, int k_slice);
  Block load_line(TileOperand&, int k_slice);
  Block fetch(TileOperand&, int k_slice);
  Block load_rest(TileOperand&, int k_slice);
  void load_elements(Block&, TileOperand&, int k_slice, int first, int count);
  void begin_rest(Block&, TileOperand&);
  int rest_loads(const TileOperand& o) const {  // of a lane at once: direct, of the rest of K, where registers are few
    return std::min(o.loads(), !direct ? o.loads() : scaled() ? 4 : fragments_in_agprs() ? 1 : o.loads());
  }
  void load_chunks(Block&, TileOperand&, int k_slice, int first, int count);
  Vgpr within_k(Block&, Vgpr address, int ahead, int bytes);
  void join(Block&, Vgpr dst, int elements, const std::function<void(int element, Vgpr)>& load);
  Block store(TileOperand&, int k_slice);
  Block rest_to_lds(TileOperand&, int k_slice);
  void store_rows(Block&, TileOperand&, int k_slice, int first, int count);
  void store_transposed(Block&, TileOperand&, int k_slice);
  Block read_fragments(int k_slice, int part);
  void read_fragment(Block&, TileOperand&, int k_slice, int part, int n, VAArg into);
  void wait_for_fragments(Block&, int k_slice);

  // -- gemm_stream.cpp: fragments from memory to registers --
  void stream_addresses(TileOperand&, Sgpr wave_number);
  void each_streamed(int k_slice, int part, const std::function<void(TileOperand&, Vgpr to, Vgpr address, int chunk)>&);
  Block stream(int k_slice, int part);
  Block stream_rest(int k_slice, int part);
  void stream_step(Pipeline&, int k_slice);

  // -- gemm_tensor.cpp: the tensor data mover --
  void declare_tile(TileOperand&);
  void tile_descriptor(TileOperand&, Sgpr pointer, Sgpr ld);
  void tile_read_addresses(TileOperand&, Sgpr wave);
  Block move_tile(TileOperand&, int k_slice);
  bool clustered() const { return cfg.cluster.groups() > 1; }
  Sgpr first_row(const TileOperand& o) const {  // of the block that is loaded
    return o.is_a ? (clustered() ? loaded_m : m0_) : clustered() ? loaded_n : n0;
  }
  void take_tile_of_cluster();
  void take_loaded_tile(const TileRegisters&);
  void load_inside();
  void multicast(const TileOperand&, Sgpr to);
  void declare_places(std::vector<Owned<File::s>>&, const TileOperand&, const char* of);
  void begin_places(const std::vector<Owned<File::s>>&, const TileOperand&, Sgpr pointer, Sgpr stride);
  int sharers(const TileOperand& o) const { return o.is_a ? cfg.cluster.n : cfg.cluster.m; }  // of its tile
  int prefetch_lines(const TileOperand&) const;
  int prefetched_rows(const TileOperand&) const;
  int blocks_before_prefetch() const { return (cfg.stages + 1) / 2; }
  void prefetch_addresses(TileOperand&, Sgpr pointer, Sgpr rows_left, int blocks_before);
  void advance_prefetch(Block&, TileOperand&, int blocks);
  void request_lines(Block&, Vgpr lane, Sgpr from);
  Block prefetch();
  Pipeline::Stage prefetched();
  void read_tile(Block&, TileOperand&, Vgpr to, int offset, int tag);
  // All k-slices are loaded alike: the data mover fills what is after K with zeros. Other loads of scales do not, and
  // within a tile of scales it cannot.
  bool one_segment() const { return tensor && (!scaled() || (moves_scales && !tiled_scales())) && !scales_sums(); }

  // -- gemm_scales.cpp: block scales of A and B --
  bool scaled() const { return cfg.block_scales != BlockScales::none; }
  bool shuffled() const { return cfg.block_scales == BlockScales::shuffled; }
  bool tiled_scales() const { return cfg.block_scales == BlockScales::tiles; }
  // Instructions of 32 rows: a lane's two dwords have all blocks of its row in 256 k that it supplies, in two of four
  // bytes; the others are of its other row of the 32.
  bool pairs_shuffled() const { return shuffled() && atom.extent == 32; }
  int scale_tiles() const {  // that a load serves
    return shuffled() && !pairs_shuffled() ? 2 : atom.scales.tiles;
  }
  int scale_dword_k() const { return shuffled() && !pairs_shuffled() ? 256 : 128; }  // k for each of a lane's dwords
  int first_k_of_dword(int d) const { return pairs_shuffled() ? d / 2 * 256 : d * scale_dword_k(); }
  int scale_dwords_loaded() const { return block_k / scale_dword_k(); }
  // Bytes of an iteration: of a row, or of 32.
  int scale_step() const { return by_32_rows(cfg.block_scales) ? block_k : block_k / 32; }
  bool shifts_scales() const {
    return atom.scales.block_per_lane && (!shuffled() || pairs_shuffled()) && !fetches_scales;
  }
  bool loads_scales() const { return scaled() && !moves_scales && !fetches_scales; }  // to registers
  int scale_blocks() const { return atom.depth / 32; }                                // of an instruction
  void declare_scales();
  void declare_moved_scales();
  void declare_scale_loop();
  void scale_strides();
  int scale_unit() const { return by_32_rows(cfg.block_scales) ? 5 : 0; }  // log2 of the rows of a stride
  void add_scale_rows(const TileOperand&, Sgpr pointer, Sgpr first, Sgpr extent);
  void scale_addresses(TileOperand&, Sgpr first, Sgpr extent, Sgpr wave);
  Block load_scales(int set, bool rest);
  Block prepare_scales(int set, bool rest);
  Pipeline::Stages scale_loads(int i = 0, int n = 1);
  // Moved by the data mover: in batches to LDS, the first two iterations ahead, and one ahead to registers. There are
  // two buffers for batches; their rows are those of the tile.
  int moved_scale_batch() const;
  int scale_padding(const TileOperand&, int batch) const;  // bytes after a row; absent: none would do
  int scale_pitch(const TileOperand& o) const { return scale_batch * scale_step() + scale_padding(o, scale_batch); }
  // In rows of LDS: those of the tile, or one for 32 of them.
  int scale_rows(int rows) const { return tiled_scales() ? rows / 32 : rows; }
  int scale_buffer(const TileOperand& o) const { return scale_rows(o.rows) * scale_pitch(o); }  // bytes
  int scale_place(const TileOperand& o) const { return scales_offset + (o.is_a ? 0 : 2 * scale_buffer(A)); }
  // Requests of prefetch_bytes for the next batch: of a row, of all of them.
  int scale_pieces() const { return tiled_scales() ? std::max(1, scale_batch * scale_step() / 256) : 1; }
  int scale_requests(const TileOperand& o) const { return scale_rows(o.rows / o.halves) * scale_pieces(); }
  int scale_tag(int slot) const { return 2 * cfg.stages + slot; }
  void moved_scale_addresses(TileOperand&, Sgpr wave);
  Block move_scales(int slot);
  void count_moved(Block&, Sgpr iteration);
  // k_slice: those of one, or absent: of the iteration. With tiles of scales a k-slice's are loads of their own.
  Block read_scales(int slot, int k_slice);
  // Part i of n of it: in the first one addresses, in the others LDS reads.
  Block scale_reads(const Block&, int i, int n) const;
  int scale_tile_row(const TileOperand& o, int tile) const {  // in LDS, from the wave's first
    const int of_half = o.tiles() / o.halves;
    return tile / of_half * (o.rows / o.halves) + tile % of_half * atom.extent;
  }
  void prepare_scales(Pipeline&);
  // -- gemm_fetched_scales.cpp: by direct loads to LDS --
  int fetched_scale_batch() const;
  int fetched_row_bytes() const { return fetched_batch * scale_step(); }
  int fetched_rows() const { return wave_load_bytes / scale_step(); }  // whose scales the loads of a batch bring
  int fetched_blocks(const TileOperand& o) const { return (o.rows + fetched_rows() - 1) / fetched_rows(); }  // of rows
  int scale_fetches() const { return (fetched_blocks(A) + fetched_blocks(B) + waves - 1) / waves; }
  int fetched_batch_bytes(int batch) const { return scale_fetches() * waves * batch * wave_load_bytes; }
  int fetched_tag() const { return 2 * cfg.stages; }
  void declare_fetched_scales();
  void fetched_scale_addresses();
  Block fetch_scales();
  Block read_fetched_scales(int k_slice);
  Block clear_beyond(int k_slice);
  Pipeline::Stages fetched_scale_loads(int k_slice);
  Pipeline::Stage scale_read(int k_slice);
  Block loaded_scales();
  Atom::Scale scale_of(const TileOperand&, int tile, int k_slice, int of_slice) const;

  // -- gemm_weights.cpp: weights --
  bool zero_points() const { return cfg.groups.zero_points; }
  void declare_groups(TileOperand&);
  void declare_group_loop(TileOperand&);
  void group_strides(TileOperand&);
  void group_addresses(TileOperand&, Sgpr first);
  void advance_groups(Block&, TileOperand&);
  void load_group(Block&, TileOperand&, int k_slice, int load, std::optional<Vgpr> beyond = {});
  void store_dequantised(Block&, TileOperand&, int k_slice);
  void load_words(Block&, TileOperand&, int k_slice);

  // -- gemm_bf16x3.cpp: f32 as three bf16 --
  void split_off(Block&, Vgpr values);
  void store_split(Block&, TileOperand&, int k_slice);
  void store_split_transposed(Block&, TileOperand&, int k_slice);
  Block multiply_split(int k_slice, int of_slice);

  // -- gemm_sums.cpp: scales of sums --
  bool scales_sums() const { return A.sum_scales.how.rows || B.sum_scales.how.rows; }
  // A's scales differ among the lane's rows of D.
  bool scales_rows() const { return A.sum_scales.how.rows == 1 || (A.sum_scales.how.rows && halves > 1); }
  int sum_blocks() const { return block_k / sum_scale_k; }                // of an iteration
  int sets_of_sum() const { return sum_scale_k / atom.k_of_fragment(); }  // of fragments
  int tiles() const { return A.tiles() * B.tiles(); }
  bool behind_first_bank() const {
    return isa::target(kernel.arch).has_vgpr_msb() && !atom.multiplies_by_lanes() &&
           2 * tiles() * atom.items * atom.item_dwords > isa::vgpr_bank;
  }
  // VALU instructions add sums, so that accumulators are VGPRs. On gfx942 other limits come first.
  bool fragments_in_agprs() const {
    return scales_sums() && isa::target(kernel.arch).unified && needed_by(GemmSchedule::refill)->on(kernel.arch);
  }
  int sum_columns() const {  // that have factors of their own
    return B.sum_scales.how.rows == 1 ? B.tiles() : scales_rows() ? 0 : 1;
  }
  // Two sums by an instruction, where that runs beside matrix instructions.
  bool adds_pairs() const { return isa::target(kernel.arch).has_vgpr_msb(); }
  int late_tiles() const { return std::min(2, tiles() - 1); }  // whose sums are added in the next block
  // Sums that are under way: of all tiles, unless an instruction has a whole sum; then tiles take turns.
  int sum_registers() const {
    int n = sets_of_sum() > 1 ? tiles() : std::clamp(2 * late_tiles(), 1, tiles());
    while (tiles() % n) ++n;
    return n;
  }
  int scales_of_load(const TileOperand& o) const {
    return o.is_a && scales_rows() && o.sum_scales.how.rows == 1 ? atom.run : 1;
  }
  bool blocks_together(const TileOperand& o) const { return !o.sum_scales.how.transposed && sum_blocks() == 2; }
  Vgpr sum_scale(const TileOperand&, int set, int block, size_t address, int item, int dwords = 1) const;
  int declare_scale_set();  // the number of registers
  // Iterations that scales are loaded ahead, each with its registers.
  int sum_scale_sets() const { return static_cast<int>((A.sum_scales.how.rows ? A : B).sum_scales.loaded.size()); }
  void declare_sum_scales();
  void declare_sums();
  void clear_sums();
  void sum_scale_strides();
  void sum_scale_addresses(TileOperand&, Sgpr first, Sgpr wave);
  Block load_sum_scales(int set, bool rest);
  Pipeline::Stages sum_scale_loads();
  Block sum_factors(int set, int block);
  Block add_sum(int product);
  Block multiply_sums(int k_slice, int of_slice);

  // -- gemm_partials.cpp: sums of parts of K --
  int sum_chunks() const;  // of 16 bytes that a lane has of them
  void each_sum(int first, int count, const std::function<void(int chunk, int product, int of_it)>&) const;
  void store_sums(Sgpr resource, Vgpr at_lane);
  void add_dwords(Vgpr sum, Vgpr more);
  void add_sums(Sgpr resource, Vgpr at_lane, int parts, int part_bytes);
  void share_sums(const std::function<void()>& rest);
  void take_streamed_tile();
  void take_streamed_part();

  // -- gemm_persistent.cpp: workgroups that take tiles in turn --
  // The loop goes on with the next tile, whose loads are under way while results go from registers to D.
  bool goes_on() const {
    return most_first_steps && cfg.persistent && tensor && stores_from_registers() && !loads_scales() &&
           !scales_sums() && !atom.multiplies_by_lanes();
  }
  void first_tile();
  void next_tile();
  void relay_next_tile();
  void end_tile();
  // SGPRs are few: where D is, is loaded where it is stored.
  bool loads_output_late() const { return cfg.persistent && tensor; }
  int held_beside_loop() const;
  void test_next_tile(int label_if_none, int least_trips);
  Block begin_next_tile(int what);
  void load_operands();
  void prefetch_next_tiles();
  void move_next_tiles();
  void move_next_scales();
  Block prepare_stores();
  void store_tile_before();
  Block convert_tile_before();
  Block first_products(const Block& step);

  // -- gemm_store_direct.cpp: whole parts of D, without LDS --
  bool stores_from_registers(bool vectors = true) const;
  void begin_direct_epilogue(Sgpr m, Sgpr n, Sgpr rows_left, Sgpr columns_left);
  bool swaps_rows() const, pairs_tiles() const;
  isa::LinearLayout direct_lanes() const;
  isa::LinearLayout sum_lanes() const;
  void exchange_rows(Vgpr first, Vgpr second);
  void is_whole_part(Sgpr zero_if_so);
  void add_misaligned(Sgpr nonzero_if_so, Sgpr d, Sgpr stride);
  struct DirectStep {  // of a lane's rows from `first` on: tile, item of the first row, registers
    int tn, tm, first;
    Vgpr results, stored;  // what is converted; what it becomes
  };
  void exchange_columns(const std::vector<DirectStep>&);
  DirectStep direct_step(int tn, int tm, int first, Vgpr results) const;
  // The second of two tiles whose columns are exchanged: has the second half of both.
  bool is_odd(const DirectStep& s) const { return pairs_tiles() && s.tm % 2; }
  // Results of 32x32 tiles make two instructions of 16 columns at a time; those of two 16x16 tiles make one.
  int direct_steps() const { return swaps_rows() ? atom.extent / direct_columns : 1; }
  int direct_tiles() const { return swaps_rows() && atom.extent == direct_columns ? 2 : 1; }
  void begin_direct_stores();
  Sgpr column_bytes(int i) const;
  void next_direct_columns();
  void convert_directly(const std::vector<DirectStep>&);
  void store_directly(const std::vector<DirectStep>&);
  void store_directly(const DirectStep&, Sgpr column_bytes);
  void store_from_registers(std::vector<Vgpr> results);
  // -- gemm_last_products.cpp --
  bool results_in_fragments() const;
  int results_beside_products() const;
  Block test_last_products(int slot, int label);
  struct LastProducts;
  void last_products(int label, int tuples);

  // -- gemm_store.cpp --
  void epilogue();
  void results();
  void place_part(Sgpr m, Sgpr n);
  void begin_results();
  EpilogueCode::LoadPointer epilogue_pointers();
  void free_loop();
  void declare_output();
  void declare_epilogue();
  void try_scratch();
  isa::Resources needs() const;  // of what has been declared so far
  // Error: OutOfRegisters if no CU holds a workgroup, or operands are beyond the bank that they can be in.
  void check_room() const;
  // Steps whose LDS reads, loads of C and stores overlap, and copies of AGPRs on their way to LDS; further steps that
  // are stored directly.
  struct InFlight {
    int steps = 0, copies = 0, further = 0;
  };
  InFlight most_in_flight() const;
  int result_dwords() const { return std::max(stored_rows * scale_dwords, 2); }
  bool reads_old() const { return halves == 1 || cfg.epilogue.has(EpiloguePart::residual); }  // of C or the residual
  std::vector<int> registers_of(const InFlight&) const;                                       // tuples of VGPRs
  int d_rows() const { return A.wave_rows / halves; }                                         // of a wave
  int d_span() const { return power_of_two_from(d_rows()); }  // of a column in LDS, by halves
  int chunk_rows() const { return chunk_bytes / acc_bytes; }  // of D in a chunk of the results' tile
  int written_rows() const { return std::min(atom.run, chunk_rows()); }
  int stored_columns() const { return wave * stored_rows / d_span(); }  // by one instruction; 0: a part of one
  int steps() const { return result_columns * d_span() / (wave * stored_rows); }
  int result_rows() const { return halves * d_span(); }
  int result_bytes() const { return result_columns * result_rows() * acc_bytes; }  // of a wave, in LDS
  isa::LinearLayout result_tile() const;
  isa::LinearLayout result_lanes() const;
  isa::LinearLayout stored_lanes() const;
  uint32_t result_place(int tn, int tm, int item) const;
  uint32_t stored_place(int step, int row, int half) const;
  void output_addresses();
  void output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld);
  void add_c(int first_step);
  void to_lds();
  void from_lds(int first_step);
  Vgpr element(Vgpr results, int row) const { return epilogue_code.element(results, row); }
  void step_to(int step, Vgpr address, Sgpr bytes);
  void select_lanes(int step);
  int step_offset(int step) const;
  void when_wide(const std::function<void()>& wide, const std::function<void()>& by_element);
  void by_rows(const std::function<void(int row)>& access);
  struct OldMatrix {  // of D's shape and type
    Vgpr address;
    Sgpr step, resource;
  };
  void read_old(const OldMatrix&, int first_step, const std::function<void(Vgpr result, Vgpr value)>& use);
  void finish(int first_step);
  void store(int first_step);
};

}  // namespace wavesmith::gemm
