// The backward kernels being built: registers and phases. Schedules: backward.cpp, backward_overlapped.cpp,
// backward_direct.cpp; phases: backward_phases.cpp; results: backward_lines.cpp; delta: backward_delta.cpp. Only these
// files and backward_host.cpp include this one.
//
// One body computes dK and dV by keys and dQ by queries. A workgroup owns rows of two tensors, x and y, whose fragments
// stay in registers; rows of two others, X and Y, pass through LDS in tiles:
//
//   of keys:    x = K, y = V    X = Q, Y = dO     S = X x^T, dP = Y y^T, dS = P (dP - delta)
//   of queries: x = Q, y = dO   X = K, Y = V      dx = scale dS^T X, dy = P^T Y (of keys alone)
//
// A column of S is a row that the wave owns, so that P and dS are right operands of the products dx^T = X^T dS and
// dy^T = Y^T P in the registers where they were computed, as in forward (layouts.h).
#pragma once
#include "generator/dsl/arguments.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/scratch.h"
#include "generator/schedule/pipeline.h"
#include "isa_tables/names.h"
#include "isa_tables/offsets.h"
#include "kernels/attention/backward.h"
#include "kernels/attention/dq_sums.h"
#include "kernels/attention/moving_tiles.h"
#include "kernels/attention/score_distance.h"
#include "kernels/parts/address.h"
#include "kernels/parts/philox_code.h"

namespace wavesmith::attention {

struct BackwardShape {
  int waves, tile;          // of a workgroup; rows of X and Y at a time
  int owned;                // tiles of the atom's extent that a wave owns; a power of two
  int ring;                 // fragments of X and Y that are read ahead
  int waves_on_simd;        // for which registers must suffice, where there are AGPRs
  bool one_stage = false;   // fewer registers: rows and columns share those on their way to LDS
  bool y_in_lds = false;    // fragments of y are in LDS
  bool overlapped = false;  // softmax of a tile beside the second products of the one before
  bool direct = false;      // X and Y are loaded directly to LDS and transposed when read; K^T is in LDS
};

struct PartInfo {
  BackwardPart part;
  const char* name;
  bool of_keys, dx, dy;  // what it owns, computes
  bool adds_dq;          // by atomics
};
const PartInfo& about(BackwardPart);
Atom backward_atom(const AttentionBackwardConfig&, Arch);

struct BackwardArguments {
  DevicePointer x, y, X, Y;
  uint64_t x_batch, x_head, y_batch, y_head, X_batch, X_head, Y_batch, Y_head;  // bytes
  uint32_t x_row, y_row, X_row, Y_row;                                          // bytes
  DevicePointer rows;              // of delta: -LSE / scale (-LSE where scores are changed) and -delta of each query
  uint64_t rows_batch, rows_head;  // bytes
  uint32_t heads, all_heads;       // that own rows: of K/V or of Q; of all batches
  uint32_t queries, keys;          // packed: of the longest sequence
  int32_t diagonal;                // query i sees the keys up to i + diagonal
  uint32_t group, kv_group;        // heads per K/V head; 2^31 / that, rounded up
  float scale, scale_log2;         // scale * log2(e); log2(e) where scores are changed
  uint32_t heads_in_turn;
  DevicePointer dx, dy;
  uint64_t dx_batch, dx_head, dy_batch, dy_head;  // bytes
  uint32_t dx_row, dy_row;                        // bytes
  DevicePointer cu_seqlens_q, cu_seqlens_k;
  int32_t from_end;  // -1: keys - queries is added to the diagonal; 0: it is not
  DevicePointer dq_sums;
  uint64_t dq_batch, dq_head;  // bytes
  uint64_t seed;               // of dropout
  uint32_t drop_below, drop_offset;
  float keep_scale;
  void list(auto&& to, const AttentionBackwardConfig& c, const PartInfo& p) {
    const char* type = isa::type_name(c.type);
    const auto pick = [&](const char* keys, const char* queries) { return p.of_keys ? keys : queries; };
    to(pick("K", "Q"), x, type), to(pick("V", "dO"), y, type), to(pick("Q", "K"), X, type);
    to(pick("dO", "V"), Y, type);
    to(pick("k_batch", "q_batch"), x_batch), to(pick("k_head", "q_head"), x_head);
    to(pick("v_batch", "do_batch"), y_batch), to(pick("v_head", "do_head"), y_head);
    to(pick("q_batch", "k_batch"), X_batch), to(pick("q_head", "k_head"), X_head);
    to(pick("do_batch", "v_batch"), Y_batch), to(pick("do_head", "v_head"), Y_head);
    to(pick("k_row", "q_row"), x_row), to(pick("v_row", "do_row"), y_row);
    to(pick("q_row", "k_row"), X_row), to(pick("do_row", "v_row"), Y_row);
    to("rows", rows, "f32"), to("rows_batch", rows_batch), to("rows_head", rows_head);
    to("heads", heads), to("all_heads", all_heads);
    to("queries", queries), to("keys", keys), to("diagonal", diagonal), to("group", group), to("kv_group", kv_group);
    to("scale", scale), to("scale_log2", scale_log2), to("heads_in_turn", heads_in_turn);
    if (p.dx) {
      to(pick("dK", "dQ"), dx, type), to(pick("dk_batch", "dq_batch"), dx_batch);
      to(pick("dk_head", "dq_head"), dx_head), to(pick("dk_row", "dq_row"), dx_row);
    }
    if (p.dy) to("dV", dy, type), to("dv_batch", dy_batch), to("dv_head", dy_head), to("dv_row", dy_row);
    if (p.adds_dq) to("dq_sums", dq_sums, "f32"), to("dq_batch", dq_batch), to("dq_head", dq_head);
    if (c.sequences == Sequences::packed)
      to("cu_seqlens_q", cu_seqlens_q, "i32"), to("cu_seqlens_k", cu_seqlens_k, "i32"), to("from_end", from_end);
    if (c.dropout)
      to("seed", seed), to("drop_below", drop_below), to("drop_offset", drop_offset), to("keep_scale", keep_scale);
  }
};

struct Backward {
  Kernel& kernel;
  const AttentionBackwardConfig& cfg;
  const PartInfo& part;
  const BackwardShape shape;
  const Atom atom;
  Stream& k = kernel.k;
  Registers& r = kernel.r;

  // -- Shapes --
  const int lanes = shape.waves * atom.lanes, owned = shape.owned, wave_rows = owned * atom.extent,
            block_rows = shape.waves * wave_rows;
  const int tile = shape.tile, parts = tile / atom.extent;  // of S along X's rows
  const int dim_x = cfg.head_dim, dim_y = cfg.dim_v();
  const Shapes shapes_x = shapes(dim_x), shapes_y = shapes(dim_y);
  const int steps_x = steps(shapes_x), steps_y = steps(shapes_y);                        // fragments of a row
  const int tiles_x = shapes_x.dim / atom.extent, tiles_y = shapes_y.dim / atom.extent;  // of dx^T, dy^T
  const bool packed = cfg.sequences == Sequences::packed;
  TileAddresses at_x{shapes_x}, at_y{shapes_y};
  const Layouts& layouts = at_x.layouts;
  const int held = parts * atom.items;         // elements of S in a lane
  const int per_block = 2 * atom.a.registers;  // elements of P in a lane, for a step of the second product
  const int blocks = layouts.weight_elements() / per_block;      // steps of it along X's rows
  const int own = per_block * held / layouts.weight_elements();  // of a block's elements, those of the lane's S
  const int fragments = blocks / atom.parts();                   // of columns along X's rows
  const bool scores_in_agprs = isa::target(kernel.arch).agprs && !isa::target(kernel.arch).unified;
  const int rows_lds = 4 * lanes;  // bytes for the values of a tile's queries, one dword from each lane
  const int slots = shape.direct ? MovingTiles::slots : 1;  // tiles in LDS
  const bool last_first = part.of_keys;  // workgroups of a head work on the same queries, with a mask too
  const bool changes = !cfg.scores.empty();
  const ScoreMod::Band band = band_of(cfg.scores);
  bool banded() const { return std::min(band.before, band.after) < 1 << 30; }
  const bool slopes = part.dx && std::ranges::any_of(cfg.scores, [](const ScoreMod& m) { return !!m.derivative; });
  // LDS: X, Y, then the values of queries.
  MovingTiles X{shapes_x, part.of_keys ? "Q" : "K", dim_x, {true, part.dx, last_first}, 0, 0},
      Y{shapes_y, part.of_keys ? "dO" : "V", dim_y, {part.dx, part.dy, last_first}, X.lds_bytes(), 2};
  const int rows_at = X.lds_bytes() + Y.lds_bytes(), rows_tag = 4;
  const int y_at = rows_at + (part.of_keys ? slots * rows_lds : 0), y_tag = rows_tag + slots;
  const int ds_at = y_at + (shape.y_in_lds ? owned * steps_y * atom.b.chunks() * lanes * chunk_bytes : 0),
            ds_tag = y_tag + 1;

  // -- Registers: the map, in one place --
  using Args = BackwardArguments;
  Arguments<Args> args{kernel, cfg, part};
  Arguments<Args>::Loaded pointers = args.registers(&Args::x, &Args::Y),
                          row_strides = args.registers(&Args::x_row, &Args::Y_row),
                          of_rows = args.registers(&Args::rows, &Args::all_heads),
                          sizes = args.registers(&Args::queries, &Args::heads_in_turn);
  Sgpr queries = sizes[&Args::queries], keys = sizes[&Args::keys], diagonal = sizes[&Args::diagonal],
       scale_log2 = sizes[&Args::scale_log2], rows_base = of_rows[&Args::rows];
  Sgpr owned_rows = part.of_keys ? keys : queries, moving_rows = part.of_keys ? queries : keys;
  Owned<File::s> head = r.s.alloc(1, "head"), batch = r.s.alloc(1, "batch"), row0 = r.s.alloc(1, "first row"),
                 wave = r.s.alloc(1, "wave"), t = r.s.alloc(4, "scratch", 4),
                 resource = r.s.alloc(4, "buffer resource", 4);
  Owned<File::s> first_row = r.s.alloc(1, "first row of X"), masked_tiles = r.s.alloc(1, "tiles with masked elements"),
                 whole_tiles = r.s.alloc(1, "whole tiles"), masked_left = r.s.alloc(1, "masked tiles left"),
                 whole_left = r.s.alloc(1, "whole tiles left"), heads_left;
  Owned<File::s> q_rows, k_rows, from_end;  // packed: first row and one past the last; -1 where the diagonal ends at
                                            // the last key
  Owned<File::s> rows_resource, rows_next, rows_end;  // of keys
  Owned<File::s> rows_wave;                           // LDS address of what the wave loads of them
  Owned<File::s> dq_base;                             // of the head's sums of dQ
  Constants constants{kernel};
  HalfPermutes halves{constants};
  Sgpr lanes_low, lanes_high;  // wave32: selectors that name each lane of a row
  Owned<File::s> upper_half;   // lanes of the upper half wave, where the halves exchange P
  PairConversion narrow{constants, kernel.arch, cfg.type, Nans::quiet_16},           // gradients
      narrow_weights{constants, kernel.arch, cfg.type, Nans::quiet_16, Ties::away};  // P and dS
  AddressMath at{k, t.slice(0, 3)};

  // Those that the loop needs come first: four registers in a row are free when the last of them are.
  Owned<File::v> limit = r.v.alloc(owned, "rows of X up to, or from which on, the lane sees", 1),
                 row_read = part.of_keys ? r.v.alloc(1, "LDS read address of the queries' values") : Owned<File::v>{};
  Owned<File::v> x_ = r.v.alloc(1, "scratch x"), y_ = r.v.alloc(1, "scratch y"), other,
                 column = r.v.alloc(1, "row of the lane in its wave"), half = r.v.alloc(1, "half wave: group of rows");
  LaneAddresses lane{kernel, column, half, x_, y_};
  Owned<File::v> first_limit,  // in the first masked tile, by tile of the wave
      row_load, row_store;     // of keys: addresses of the values of queries
  Owned<File::v> row_stage;
  Owned<File::v> lse, delta;  // of queries: -LSE log2(e) and delta of the lane's query
  // Where scores are changed: what each change keeps; key minus query, from their ends, of the tile's first element, by
  // tile of the wave; derivatives, as s; of keys: -LSE of the tile's queries.
  std::vector<Owned<File::v>> kept, slope, row_lse;
  std::vector<ScoreDistance> distances;
  Owned<File::v> of_change;  // scratch
  // Dropout. Of the lane's row of x, by tile of the wave: the query, or the key / 4; of the first element of the tile:
  // the key / 4, or the query plus the lane's number among four.
  std::vector<Owned<File::v>> drop_own, row_delta;  // row_delta: of keys, -delta of the tile's queries
  Owned<File::v> drop_moving, philox_words, of_philox;
  Owned<File::s> philox_factors, philox_key, seed, drop_head;
  // In the registers of the workgroup's ids, once its tile is known.
  Sgpr drop_below = kernel.workgroup[0], drop_offset = kernel.workgroup[1], keep_scale = kernel.workgroup[2];
  std::vector<Owned<File::v>> x, y;   // fragments, by tile of the wave, then by step
  std::vector<Owned<File::v>> s, dp;  // by tile of the wave, then by part; then P and dS, packed in the first registers
                                      // of a block, or where the next tile's are beside them, by tile of the wave:
  std::vector<Owned<File::v>> p_next, ds_next;
  Accumulators p_now, ds_now;  // of the tile before, by tile of the wave, then by block
  // Direct: fragments of dS, each followed by one of K^T, whose products are between those of S.
  std::vector<Owned<File::v>> dq_ring;
  Owned<File::v> packed_pairs, ring, y_ring, y_address;  // y_ring: fragments of y, beside those of Y
  Accumulators dx, dy, s_acc, dp_acc, zeros;             // dx, dy: by tile of the wave, then by columns
  DqSums dq{atom,   layouts, {shape.waves, tile, owned, shapes_x.dim, dim_x, last_first, slots, shape.direct},
            halves, ds_at,   ds_tag};

  static int padded(int dim, int to) { return (dim + to - 1) / to * to; }
  Shapes shapes(int dim) const {
    const int pad = padded(dim, std::max(atom.extent, atom.a.row_bytes() / element_bytes));
    return {.atom = atom,
            .direct = shape.direct,
            .dim = pad,
            .dim_v = pad,
            .keys = shape.tile,
            .lanes = lanes,
            .both = shape.direct};
  }
  int steps(const Shapes& of) const { return element_bytes * of.dim / atom.a.row_bytes(); }
  // Of a tile of the wave: an element of S or dP, a block of P or dS.
  Vgpr element(const std::vector<Owned<File::v>>& of, int o, int i) const {
    return of[static_cast<size_t>(o * parts + i / atom.items)][i % atom.items];
  }
  Vgpr block_of(bool of_s, int o, int block) const {
    const auto n = static_cast<size_t>(o);
    if (shape.overlapped) return (of_s ? p_next : ds_next)[n].slice(block * atom.a.registers, atom.a.registers);
    const int first = block * own;
    return (of_s ? s : dp)[static_cast<size_t>(o * parts + first / atom.items)].slice(first % atom.items,
                                                                                      atom.a.registers);
  }

  // -- backward.cpp --
  void build();
  void declare();
  void prologue();
  void find_lane();
  void take_tile();
  void find_sequence();
  void count_tiles();
  void base_addresses();  // of this head of the owned rows, and of the batch of the moving ones
  void load_fragments(const std::vector<Owned<File::v>>& to, DevicePointer Args::* base, uint32_t Args::* row,
                      int width);
  void load_owned(Block prologue);
  void begin_head();  // of X and Y
  void next_head();
  Pipeline tiles(), overlapped_tiles(), direct_tiles();
  void epilogue();
  struct Result {
    const Accumulators& of;
    int tiles, width;
    DevicePointer Args::* base;
    uint64_t Args::*batch, Args::*head;
    uint32_t Args::* row;
    Sgpr factor;  // dwords 0: 1
  };
  void buffer_of_result(const Result&, Sgpr row);  // resource; the row stride
  void store(const Result&), store_lines(const Result&);
  bool by_lines() const { return shape.direct || shape.overlapped; }
  int line_tile_bytes() const { return atom.extent * row_columns * element_bytes; }  // of results in LDS
  void buffer_of_owned(Sgpr base, Sgpr row, int width, Sgpr scratch);

  // -- backward_scores.cpp: changes of the scores --
  // Takes tiles that no row of the workgroup's sees from [first_row, masked_tiles or whole_tiles), in tiles.
  void skip_tiles();
  void declare_scores();       // what is kept between tiles
  void declare_score_tiles();  // of a tile
  void find_distances();       // of the first tile
  void query_head(Sgpr of);
  void prepare_scores();                           // for the head
  void rewind_distances();                         // to the first tile
  void change_scores(Block&, int o, int i, Vgpr);  // to the exponent of P; the derivative
  void next_distances(Block&);
  Vgpr change_scratch(int i) const { return static_cast<Vgpr>(cfg.dropout ? of_philox : of_change)[i]; }

  // -- backward_dropout.cpp --
  PhiloxCode philox() const;
  void declare_dropout(), prepare_dropout();  // the latter for the head
  void find_dropped_rows();                   // of the first tile
  void next_dropped(Block&), rewind_dropped();
  void turn_words(Block&);
  void drop(Block&, int o, int first, int end);  // P and dS = P (dP - delta)

  // -- backward_phases.cpp --
  struct OfWave {
    int first, last;  // tiles of the wave's owned rows, the last first
  };
  struct Step {  // its number is for its place in the ring
    std::function<void(Block&, int number)> read;
    std::function<void(Block&, int number, OfWave)> use;
  };
  using Steps = std::vector<Step>;
  enum class Of : uint8_t { x = 1, y = 2, both = 3 };
  int ring_fragments() const { return ring.dwords / atom.a.fragment_dwords(); }
  Vgpr fragment(int i) const {
    return ring.slice(i % ring_fragments() * atom.a.fragment_dwords(), atom.a.fragment_dwords());
  }
  int dq_fragments() const { return shape.direct ? static_cast<int>(dq_ring.size()) / 2 : ring_fragments(); }
  DqSums::Fragments dq_fragment(int i) const {
    if (!shape.direct) return {fragment(i), {}};
    const auto at = [&](int n) { return static_cast<Vgpr>(dq_ring[static_cast<size_t>(n)]); };
    return {at(i % dq_fragments() * 2), at(i % dq_fragments() * 2 + 1)};
  }
  Vgpr y_fragment(int i, int o, int step) const {
    if (!shape.y_in_lds) return y[static_cast<size_t>(o * steps_y + step)];
    return y_ring.slice((i % ring_fragments() * owned + o) * atom.b.fragment_dwords(), atom.b.fragment_dwords());
  }
  isa::Mods y_place(int o, int step, int chunk) const {  // in LDS, from the lane's address
    return {.offset = y_at + ((o * steps_y + step) * atom.b.chunks() + chunk) * lanes * chunk_bytes};
  }
  Block reads(const Steps&, size_t first, size_t end);  // of these steps
  Block first_reads(const Steps&), through_ring(const Steps&);
  Block through_ring(const Steps&, size_t first, size_t end, int fragments_in_ring);  // these uses
  Steps score_steps(int slot = 0, Of = Of::both);                                     // S and dP
  Steps product_steps(int slot = 0, Of = Of::both);                                   // dx and dy
  Steps dq_steps(int slot = 0);                                                       // of the tile before
  void multiply_score(Block&, bool of_x, int o, int n, int i, int step, int part_of);
  Block begin_scores(int slot = 0, Of = Of::both);  // of keys: the first accumulators are -LSE / scale and -delta
  Block end_scores();                               // from AGPRs
  Block softmax(bool masked);
  void exponentials(Block&, int block, int o);
  void weights(Block&, int block, int o, bool masked);  // dS, masks; packs P
  void pack_weights(Block&, bool of_s, int block, int o);
  void write_ds(Block&, int block, int slot);  // for dQ
  void next_limit(Block&);
  void clear_products();  // direct: what the first step multiplies for the tile before
  // Overlapped: P and dS for the second products, which are beside the next softmax.
  Block keep_weights(), store_ds();
  void clear_weights();
  Block stage_barrier();
  Block of_tiles(const std::function<Block(MovingTiles&)>& phase) {  // of X, and of Y where it is moved
    Block b = phase(X);
    return Y.has_rows() || Y.has_columns() ? b << phase(Y) : b;
  }
  Block load_values(), store_values(), fetch_values(int slot);  // of queries
  void next_values(Block&);
  void exchange(Block&, Vgpr packed_block);
  void exchange_halves(Block&, Vgpr value);
};

}  // namespace wavesmith::attention
