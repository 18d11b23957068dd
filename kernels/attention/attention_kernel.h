// The attention kernel being built: its registers and phases. Schedule: attention.cpp; loads of Q, K and V:
// attention_load.cpp; softmax: attention_softmax.cpp; results: attention_store.cpp. Only these files include this one.
#pragma once
#include <bit>

#include "generator/dsl/arguments.h"
#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/scratch.h"
#include "generator/schedule/pipeline.h"
#include "isa_tables/counters.h"
#include "isa_tables/names.h"
#include "isa_tables/offsets.h"
#include "isa_tables/timing/timing.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/layouts.h"
#include "kernels/attention/score_distance.h"
#include "kernels/parts/address.h"
#include "kernels/parts/atom.h"
#include "kernels/parts/data_mover.h"
#include "kernels/parts/philox_code.h"
#include "kernels/parts/wave.h"
#include "simulator/numerics/matrix.h"

namespace wavesmith::attention {

using isa::Type;

constexpr int k_tag = 0, v_tag = 2;  // LDS tags: K of an even tile, of an odd one, V likewise

inline bool has(Opcode op, Arch a) { return isa::info(op).on(a); }
[[noreturn]] void refuse(const std::string& what);  // ConfigError

// What a kernel is made of, from its configuration.
struct AttentionPlan {
  AttentionPlan(const AttentionConfig&, Arch);
  AttentionSchedule schedule;
  Atom atom, score_atom;  // of both products; of S, which differ in the type of MX
  int packed;             // elements of Q and K that count as a column: two of 4 bits
  int waves, lanes;       // of the workgroup
  bool decode() const { return schedule == AttentionSchedule::decode; }
  int tile_lanes() const { return decode() && !latent ? atom.lanes : lanes; }  // that load a tile of K and V together
  bool moved;   // pipelined: the tensor data mover brings K and V to LDS, a wave has its SIMD to itself
  bool single;  // sequential: LDS has room for one tile of K and V alone
  int slots() const { return decode() || single ? 1 : moved ? 4 : 2; }  // tiles in LDS
  int key_slots() const { return shared ? 1 : slots(); }                // of K
  int columns;                                                          // tiles of queries of a wave
  int pad_dim, pad_v;                                                   // head dimensions, padded
  bool latent;                                                          // V is in K's tile, which all waves share
  bool alternates;                                                      // latent: tiles take turns in two places of LDS
  int row_bytes = 128;                                                  // latent: of a key in a block of LDS
  bool two_sets = false;  // latent: two tiles are on their way in registers
  int bytes;              // of an element of K, V and P
  int keys;               // of a tile
  bool direct;            // K and V are loaded to LDS without registers
  bool rows;              // decode: V passes through registers as K does, in rows, and is transposed when it is read
  bool transposes;  // V is transposed when it is read. Otherwise, in registers: before it is stored, or of latent keys
                    // when it has been read
  bool paired() const { return latent && !transposes; }  // then a read has two columns of a key, for two tiles of O^T
  bool shared;  // pipelined: fragments of K and V take turns in the same registers
  int wave_rows() const { return atom.extent * columns; }  // queries of a wave
  // decode: LDS of a wave, for K and V, then O; tiles of O^T that a wave combines; bytes of its results in the
  // workspace
  int wave_lds() const;
  // alternates: bytes between both
  int other_place() const {
    const int tile = static_cast<int>(std::bit_ceil(static_cast<unsigned>(wave_lds())));
    return near_columns ? std::max(tile, isa::lds_partition) : tile;
  }
  // Latent, LDS of partitions: a tile has so many columns in one of them and the others in the next, and reads go to
  // both in turn. 0: all are in one.
  int near_columns = 0;
  int tile_begin() const { return near_columns ? isa::lds_partition - keys * near_columns * element_bytes : 0; }
  // The i-th of `count` parts of `columns` columns, in this order.
  int in_turn(int i, int count, int columns_of_part) const {
    const int near = near_columns / columns_of_part, pairs = std::min(near, count - near);
    if (i < 2 * pairs) return i / 2 + (i % 2 ? near : 0);
    return near > pairs ? i - pairs : i;
  }
  int key_waves() const { return latent ? 1 : waves; }  // that have keys of their own
  // Latent: also for what the waves of the second launch add.
  int part_lds() const {
    const int added = latent ? lanes * (8 + chunk_bytes) : 0;
    return std::max(added, tile_begin() + (alternates ? other_place() : 0) + key_waves() * wave_lds());
  }
  int wave_tiles() const { return latent ? pad_v / atom.extent : (pad_v / atom.extent + waves - 1) / waves; }
  int sums_bytes() const { return 8 * wave_rows(); }
  int wave_block() const { return sums_bytes() + wave_tiles() * atom.items * 4 * atom.lanes; }
  int chunk_groups() const { return wave_rows() * pad_v / 4 / atom.lanes; }  // of a wave's rows, by lanes of a wave
  int block_rows() const { return decode() && !latent ? wave_rows() : waves * wave_rows(); }  // of a workgroup
};

// Each sequence has a length of its own.
inline bool own_lengths(const AttentionConfig& c) { return c.sequences == Sequences::packed || c.page_size; }

inline Type k_type(const AttentionConfig& c) { return c.mx ? c.mx->qk : c.kv_type.value_or(c.type); }

struct AttentionArguments {
  DevicePointer o, q, k, v, lse;
  uint64_t o_batch, o_head, q_batch, q_head, k_batch, k_head, v_batch, v_head, lse_batch, lse_head;  // bytes
  uint32_t o_row, q_row, k_row, v_row;                                                               // bytes
  uint32_t queries, keys;                    // packed: of the longest sequence
  uint32_t kv_group;                         // 2^31 / (heads per K/V head), rounded up
  int32_t diagonal;                          // query i sees the keys up to i + diagonal
  float scale_log2;                          // scale * log2(e); where scores are changed: scale
  uint32_t heads, all_heads, heads_in_turn;  // all: of all batches
  DevicePointer cu_seqlens_q, cu_seqlens_k;
  int32_t from_end;  // -1: keys - queries is added to the diagonal; 0: it is not
  DevicePointer block_table, seqlens_k;
  uint32_t table_stride, pages;  // bytes; number
  DevicePointer q_scale, k_scale, v_scale, sinks, prefix;
  DevicePointer bias, query_documents, key_documents;
  uint64_t bias_batch, bias_head;  // bytes
  uint32_t bias_row;
  uint64_t seed;
  uint32_t drop_below, drop_offset;
  float keep_scale;                                                // 1 / (1 - probability)
  uint32_t scale_step;                                             // bytes from a K/V head's scales to the next one's
  uint32_t q_scale_row, k_scale_row, v_scale_batch, v_scale_head;  // MX: bytes from a row's to the next one's
  uint32_t q_scale_batch, q_scale_head, kv_scale_batch, kv_scale_head;  // likewise, by rows
  // decode
  uint32_t kv_heads, all_kv_heads, group_heads, splits;  // all: of all batches; heads of a K/V head
  uint32_t row_tiles, log2_in_turn;                      // of a K/V head; heads whose tiles take turns
  DevicePointer counters, partials;                      // of the workspace
  // latent: 0, or in the second launch the waves that share the chunks of a wave's rows; those that share splits
  uint32_t combines, split_waves;
  void list(auto&& to, const AttentionConfig& c) {
    const char *type = isa::type_name(c.type), *of_q = isa::type_name(c.q_type.value_or(c.type)),
               *of_k = isa::type_name(k_type(c)), *of_v = isa::type_name(c.kv_type.value_or(c.type));
    to("O", o, type), to("Q", q, of_q), to("K", k, of_k), to("V", v, of_v), to("LSE", lse, "f32");
    to("o_batch", o_batch), to("o_head", o_head), to("q_batch", q_batch), to("q_head", q_head);
    to("k_batch", k_batch), to("k_head", k_head), to("v_batch", v_batch), to("v_head", v_head);
    to("lse_batch", lse_batch), to("lse_head", lse_head);
    to("o_row", o_row), to("q_row", q_row), to("k_row", k_row), to("v_row", v_row);
    to("queries", queries), to("keys", keys), to("kv_group", kv_group), to("diagonal", diagonal);
    to("scale_log2", scale_log2), to("heads", heads), to("all_heads", all_heads);
    to("heads_in_turn", heads_in_turn);
    if (c.sequences == Sequences::packed)
      to("cu_seqlens_q", cu_seqlens_q, "i32"), to("cu_seqlens_k", cu_seqlens_k, "i32");
    if (own_lengths(c)) to("from_end", from_end);
    if (c.page_size)
      to("block_table", block_table, "i32"), to("seqlens_k", seqlens_k, "i32"), to("table_stride", table_stride),
          to("pages", pages);
    if (c.mx)
      to("Q_scale", q_scale, "u8"), to("K_scale", k_scale, "u8"), to("V_scale", v_scale, "u8"),
          to("q_scale_row", q_scale_row), to("k_scale_row", k_scale_row), to("v_scale_batch", v_scale_batch),
          to("v_scale_head", v_scale_head);
    else if (c.q_type || c.kv_type)
      to("Q_scale", q_scale, "f32"), to("K_scale", k_scale, "f32"), to("V_scale", v_scale, "f32"),
          to("scale_step", scale_step);
    if (c.scale_rows.q) to("q_scale_batch", q_scale_batch), to("q_scale_head", q_scale_head);
    if (c.scale_rows.kv) to("kv_scale_batch", kv_scale_batch), to("kv_scale_head", kv_scale_head);
    if (c.bias)
      to("bias", bias, type), to("bias_batch", bias_batch), to("bias_head", bias_head), to("bias_row", bias_row);
    if (c.documents) to("query_documents", query_documents, "i32"), to("key_documents", key_documents, "i32");
    if (c.dropout)
      to("seed", seed), to("drop_below", drop_below), to("drop_offset", drop_offset), to("keep_scale", keep_scale);
    if (c.sinks) to("sinks", sinks, "f32");
    if (c.prefix) to("prefix", prefix, "i32");
    if (c.schedule == AttentionSchedule::decode)
      to("kv_heads", kv_heads), to("all_kv_heads", all_kv_heads), to("group_heads", group_heads), to("splits", splits),
          to("row_tiles", row_tiles), to("log2_in_turn", log2_in_turn), to("counters", counters, "u32"),
          to("partials", partials, "f32");
    if (c.latent) to("combines", combines), to("split_waves", split_waves);
  }
};

// Dropout: elements with smaller random numbers are dropped, the others have this factor.
inline uint32_t drop_below(const AttentionProblem& p) {
  return static_cast<uint32_t>(static_cast<double>(p.dropout) * 0x1p32);
}
inline float keep_scale(const AttentionProblem& p) {
  return static_cast<float>(1 / (1 - static_cast<double>(p.dropout)));
}
// What is wrong with the problem's dropout for a kernel with or without it; empty: nothing.
std::string wrong_dropout(bool with, const AttentionProblem&);

struct Attention {
  Kernel& kernel;
  const AttentionConfig& cfg;
  const bool frugal = false;  // sequential: K and V pass through the same registers, one after the other
  Stream& k = kernel.k;
  Registers& r = kernel.r;

  // -- Shapes --
  const AttentionPlan plan{cfg, kernel.arch};
  const Atom &atom = plan.atom, &score_atom = plan.score_atom;
  const bool pipelined = plan.schedule == AttentionSchedule::pipelined, decode = plan.decode(), direct = plan.direct,
             moved = plan.moved;
  const int lanes = plan.lanes, columns = plan.columns, wave_rows = plan.wave_rows(), block_rows = plan.block_rows();
  const int dim = cfg.head_dim / plan.packed, dim_v = cfg.dim_v(), keys = plan.keys;
  const int parts = keys / atom.extent;          // of S along the keys
  const int d_tiles = plan.pad_v / atom.extent;  // of O^T along the columns of V
  const Shapes shapes{.atom = atom,
                      .direct = direct,
                      .dim = plan.pad_dim,
                      .dim_v = plan.pad_v,
                      .keys = keys,
                      .lanes = plan.tile_lanes(),
                      .latent = plan.paired(),
                      .bytes = plan.bytes,
                      .score_atom = &score_atom,
                      .both = plan.latent && plan.transposes,
                      .block_bytes = plan.latent ? plan.row_bytes : 0,
                      .rows = plan.rows,
                      .moved = moved};
  const int chunk_elements = shapes.chunk_elements();                      // of Q, K and V
  const int steps = plan.bytes * plan.pad_dim / score_atom.a.row_bytes();  // fragments of a row of Q or K
  Layouts layouts{shapes};
  const int scores_held = parts * atom.items;                // elements of S per lane and column tile
  const int per_block = 4 / plan.bytes * atom.a.registers;   // elements of P per lane and step of the second product
  const int blocks = layouts.weight_elements() / per_block;  // steps of the second product along the keys
  const int own = per_block * scores_held / layouts.weight_elements();  // of a block's elements, those of the lane's S
  const int v_fragments = blocks / atom.parts();                        // of V along the keys
  const int run = shapes.run(), run_dwords = run * plan.bytes / 4;      // keys that a lane loads of V, and packs
  // Where matrix instructions write AGPRs alone, S is copied from there. (They take no constant accumulator either.)
  const bool scores_in_agprs = isa::target(kernel.arch).agprs && !isa::target(kernel.arch).unified;
  // lift: log2 of P of the largest score; top: log2 of the largest P before the maximum is raised. Where the matrix
  // unit flushes f16 denormals, P is scaled by 2^12: flushed values are then below 2^-25 of the largest, no more than
  // rounding loses elsewhere, and 2^15 is still representable in f16.
  const bool flushes = cfg.type == Type::f16 && sim::flushes_denormals(isa::target(kernel.arch).family, cfg.type),
             lifted = flushes || cfg.fp8_products;
  const float lift = cfg.fp8_products ? fp8_lift(isa::target(kernel.arch))
                     : flushes        ? 12
                                      : 0,
              top = cfg.fp8_products ? lift + 2
                    : flushes        ? 15
                                     : 8;

  // -- Registers: the map, in one place --
  using Args = AttentionArguments;
  Arguments<Args> args{kernel, cfg};
  Arguments<Args>::Loaded pointers = args.registers(&Args::o, &Args::v), lse = args.registers(&Args::lse),
                          strides = args.registers(&Args::o_batch, &Args::v_head),
                          lse_strides = args.registers(&Args::lse_batch, &Args::lse_head),
                          sizes = args.registers(&Args::o_row, &Args::diagonal),
                          scale = args.registers(&Args::scale_log2);
  Sgpr o_row = sizes[&Args::o_row], q_row = sizes[&Args::q_row], k_row = sizes[&Args::k_row],
       v_row = sizes[&Args::v_row], queries = sizes[&Args::queries], key_count = sizes[&Args::keys],
       group = sizes[&Args::kv_group], diagonal = sizes[&Args::diagonal];
  struct Tensor {
    DevicePointer Args::* base;
    uint64_t Args::*batch, Args::*head;
    uint32_t Args::* row;
    int width;
    bool of_queries;
    int bytes = element_bytes;  // of an element
  };
  const int q_bytes = cfg.q_type ? 1 : element_bytes, kv_bytes = cfg.kv_type ? 1 : element_bytes;
  const Tensor O{&Args::o, &Args::o_batch, &Args::o_head, &Args::o_row, dim_v, true},
      Q{&Args::q, &Args::q_batch, &Args::q_head, &Args::q_row, dim, true, q_bytes},
      K{&Args::k, &Args::k_batch, &Args::k_head, &Args::k_row, dim, false, kv_bytes},
      V{&Args::v, &Args::v_batch, &Args::v_head, &Args::v_row, dim_v, false, kv_bytes};
  Owned<File::s> head = r.s.alloc(1, "head"), batch = r.s.alloc(1, "batch"), kv_head = r.s.alloc(1, "K/V head"),
                 q0 = r.s.alloc(1, "first query"), wave = r.s.alloc(1, "wave");
  Owned<File::s> q_resource = r.s.alloc(4, "Q buffer resource", 4), k_resource = r.s.alloc(4, "K buffer resource", 4),
                 v_resource = r.s.alloc(4, "V buffer resource", 4);
  Owned<File::s> k_next = r.s.alloc(1, "K: bytes to the next tile"), v_next = r.s.alloc(1, "V: bytes to the next tile");
  Owned<File::s> k_end = r.s.alloc(1, "K bytes"), v_end = r.s.alloc(1, "V bytes");
  Owned<File::s> lds_wave;  // direct: LDS bytes of a tile before this wave
  Owned<File::s> k_step = r.s.alloc(1, "K bytes a tile"), v_step = r.s.alloc(1, "V bytes a tile");
  Owned<File::s> pairs = r.s.alloc(1, "pairs of whole tiles"), masked_tiles = r.s.alloc(1, "tiles with masked keys");
  Owned<File::s> q_rows, k_rows,
      from_end;  // packed: first row and one past the last, of Q and of K; -1 where the diagonal ends at the last key
  Constants constants{kernel};
  std::optional<HalfPermutes> halves;  // where V is transposed in registers
  Sgpr byte_pairs;                     // likewise in fp8: selector of two columns of two keys
  Sgpr lanes_low, lanes_high;          // wave32: selectors that name each lane of a row
  // Round O and, unless it is fp8, P. Sums and products of finite numbers are finite or infinite; NaNs come only from
  // the matrix unit.
  PairConversion narrow{constants, kernel.arch, cfg.type, Nans::quiet_16},
      narrow_weights{constants, kernel.arch, cfg.type, Nans::quiet_16, Ties::away};
  std::optional<PairConversion> narrow_p;  // to fp8
  Owned<File::s> headroom = r.s.alloc(1, "log2 of the largest P before the maximum follows"),
                 t = r.s.alloc(4, "scratch", 4);
  std::optional<PairWidening> widen_q, widen_kv;  // fp8 to `type`
  Owned<File::v> wide;                            // scratch of these
  Owned<File::s> v_factor;                        // the scale of V
  Owned<File::s> prefix_keys;                     // that all queries of the sequence see
  Owned<File::s> low_pairs, mask_key;             // see find_bands()
  std::vector<Owned<File::v>> low;
  Owned<File::s> skipped;  // keys before the first tile that a query of the workgroup may see
  const ScoreMod::Band band = band_of(cfg.scores);
  bool banded() const { return band.before < 1 << 30; }
  // Pipelined: tiles at the beginning of the band, in pairs, and at its end are masked. Limits are then of all keys.
  const bool bands = masks_bands(cfg, kernel.arch), changes = changes_scores(cfg, kernel.arch);
  int masked_segment() const { return bands ? 2 : 1; }
  // Scalar registers are short: arguments that only the ends of the kernel need are loaded again.
  const bool reloads = cfg.bias || cfg.documents || cfg.dropout || cfg.scale_rows.kv || cfg.mx || moved ||
                       (cfg.fp8_products && (decode || (banded() && cfg.sequences == Sequences::packed)));
  void leave_arguments(), reload_arguments();
  Owned<File::s> bias_resource, documents_resource;
  std::vector<Owned<File::v>> bias_at, document;  // by tile of queries
  Owned<File::v> document_at, bias, key_documents;
  Owned<File::s> philox_factor, philox_key, seed, drop_below, drop_offset;
  std::vector<Owned<File::v>> drop_query;
  Owned<File::v> drop_key, drop_head, philox_words, of_philox;
  // paged: the block table; by the key that the lane has for the others; see attention_pages.cpp
  const bool paged = cfg.page_size > 0;
  Owned<File::s> table;
  Owned<File::v> page_key, page, page_entry, k_place, v_place, k_lane_key, v_lane_key;
  Sgpr page_size, page_reciprocal;
  struct Round {  // of a lane's loads of rows: address register, and bytes from it on
    size_t address;
    int offset;
  };
  struct RowLoads {  // of K, and of V where it is loaded as K is
    std::vector<Round> rounds;
    Owned<File::s> step;       // decode: bytes between these loads, where one address serves all
    Owned<File::s> from;       // where loads may be replayed: the offset of those on their way
    std::vector<int> further;  // paged: by load, keys from a lane's first load to it
  } k_loads, v_loads;
  std::vector<int> v_further;  // likewise of pairs of columns of V
  Owned<File::s> v_rows;       // bytes of V from a lane's first key to its others, where one address serves all
  bool replays_loads() const { return isa::counter(isa::WaitCounter::x, kernel.arch).name; }
  // Sums of V's offsets take these in turn: a register is overwritten only when the load from it is translated (XCNT).
  Owned<File::s> load_offsets;
  int offsets_taken = 0;
  void declare_load_offsets();
  Sgpr load_offset() { return load_offsets.dwords ? load_offsets[offsets_taken++ % load_offsets.dwords] : Sgpr(t[0]); }
  Owned<File::s> natural;  // where scores are changed: the scale of Q K^T; `scale` is log2(e) then
  std::vector<std::vector<Owned<File::v>>> kept;  // by ScoreMod, tile of queries
  std::vector<ScoreDistance> distances;           // by tile of queries: of the lane's first key
  // Scales by rows; see attention_block_scales.cpp. Factors of scores: of the lane's query (decode), of the tile too.
  Owned<File::s> k_scales, v_scales, scale_key;  // buffer resources; first key of the next tile
  Owned<File::v> row_factor, tile_factor, scale_at, k_scale, v_scale, value_factor, value_unit, value_inverse;
  Owned<File::s> upper_half;  // lanes of the upper half wave, where the halves exchange P
  AddressMath at{k, t.slice(0, 3)};
  // decode: heads of K/V, of all batches, of a K/V head, splits; rows (query times the heads of a K/V head, plus head)
  // of the sequence; the wave's keys; the lane in its wave, the query and the head of its row
  Arguments<Args>::Loaded part_sizes;
  Owned<File::s> counters, partials;  // addresses in the workspace
  Owned<File::s> row_count, part_begin, part_end;
  Owned<File::v> lane_id, row_query, row_head;

  Owned<File::v> x = r.v.alloc(1, "scratch x"), y = r.v.alloc(1, "scratch y"),
                 column = r.v.alloc(1, "query of the lane in its wave"),
                 half = r.v.alloc(1, "half wave: group of keys");
  std::vector<Owned<File::v>> maximum, found, limit, sum;  // by tile of queries
  Owned<File::v> other = r.v.alloc(1, "the other half wave's"), partner;
  std::vector<Owned<File::v>> k_load, k_store, v_load, v_store, k_read, v_read;
  Owned<File::v> stages[2];                  // K and V on their way to LDS; frugal: one for both
  std::vector<Vgpr> k_stage, v_stage;        // by load; plan.two_sets: of two tiles of K
  Owned<File::v> v_packed, ring;             // sequential: fragments of K, then of V, then V's keys together
  std::vector<Owned<File::v>> q, fragments;  // q: [tile of queries][step]
  std::vector<Vgpr> k_fragment, v_fragment;  // pipelined: k: [part][step], v: [d tile][fragment]
  std::vector<Owned<File::v>> s;             // [part][tile of queries]; then P, in place
  std::vector<Owned<File::v>> p;  // packed, by tile of queries and block; not apart(): in the first registers of S
  Accumulators o, s_acc, zeros;   // [d tile][tile of queries]; [part][tile of queries]; the first accumulator of S

  struct Fetch {
    std::span<const Owned<File::v>> addresses;  // by round
    Sgpr resource, next, step, end;
    int tag, lds_offset;
  };
  struct SlowRescale {
    int entry, back;
  };  // out-of-line code for a maximum that has grown
  std::vector<SlowRescale> slow_rescales;

  int s_set = 0;  // moved: S of even and of odd tiles; the one that phases work on
  const Owned<File::v>& score_tile(int part, int c) const {
    return s[static_cast<size_t>((s_set * parts + part) * columns + c)];
  }
  Vgpr score(int c, int element) const { return score_tile(element / atom.items, c)[element % atom.items]; }
  // P has registers of its own: where those of S are written by the next tile, or a block takes those of several.
  bool apart() const { return (pipelined && !moved) || atom.a.registers > atom.items; }
  Vgpr weights(int c, int block) const {  // P of a block, packed
    if (apart()) return p[static_cast<size_t>(c * blocks + block)];
    const int first = block * own;
    return score_tile(first / atom.items, c).slice(first % atom.items, atom.a.registers);
  }

  // -- attention.cpp: arguments, schedule --
  void declare();
  void declare_tiles();
  void prologue();
  void take_tile();
  void find_sequence();
  void count_tiles();
  void find_bands();  // after count_tiles(): the tiles at the beginning of the band, the limits of its keys
  void build();
  Block stage_barrier();
  int value_part(int block, int d);  // of a fragment of V
  // S of part n of the keys and tile c of the queries, plus the product of a step's fragments of K and Q.
  void multiply_score(Block&, isa::Operand to, Vgpr keys_of, int n, int c, int step, int part);

  // -- attention_pipelined.cpp --
  Pipeline pipelined_tiles(), shared_tiles();
  void change_and_mask(Pipeline&);
  Block next_mask_key();
  Block priority(int);
  Block softmax();                       // of a tile, P packed
  Block scores(int first, int count);    // S^T = K Q^T of what k_fragment holds, of these steps
  Block product(int block, int d);       // tile d of O^T += V^T P^T of `block`
  Block products(int first, int count);  // of these tiles
  Block read_keys(int slot, int first, int count), read_values(int slot, int first, int count);  // fragments

  // -- attention_moved.cpp, attention_moved_tiles.cpp --
  struct Descriptors {  // of the wave's part of a tile, by LDS slot
    std::vector<Owned<File::s>> place, shape;
    Owned<File::s> advance, left;  // bytes to the same slot's next tile; rows from the wave's next part on
  } descriptors;
  Owned<File::v> minus_infinity;
  int queries_tag() const { return plan.slots(); }  // LDS of Q, before that of the last two tiles of V is used
  int queries_offset() const { return v_offset() + (plan.slots() - 2) * layouts.v.bytes; }
  Owned<File::s> q_descriptor;
  void move_queries(), read_queries();
  void describe(Sgpr shape, const LdsTile&, int width, int rows, Sgpr row);
  std::vector<Owned<File::v>> negated, growth;  // by tile of queries: -maximum, twice; what O is to be multiplied by
  Owned<File::s> scale_pair, o_is_late, mask_step;  // 1 where O has yet to be multiplied; keys that limits advance
  int moved_part_rows() const { return 2 * keys / plan.waves; }  // of a tile of K or V that a wave moves
  Owned<File::v> declare_moved();                                // what is left of the first bank of VGPRs
  void describe_tiles(), moved_read_addresses(), begin_moved();
  Block move_part(int slot), fetch_tiles(int slot), tile_signal(int slot), tile_wait();
  static constexpr int first_products = 3;  // fragments whose products hide the last part's maximum
  int ring_lead() const {                   // fragments on their way
    return std::min({ring_fragments() - 1, v_fragments * d_tiles - first_products, parts * steps});
  }
  int value_reads() const { return 4 * atom.a.registers / layouts.v.moved->bytes; }  // of a fragment
  Block read_key_fragments(int slot, int first, int count), read_value_fragments(int slot, int first, int count);
  Block score_fragments(), product_fragments(int first, int count);
  Block maximum_of(int first, int last), exponentials_of(int block), mask_of(int first, int last), next_mask();
  Block compare_maximum(), follow_maximum(), late_o();
  std::vector<SlowRescale> slow_growths, late_rescales;
  void slow_growth(const SlowRescale&), late_rescale(const SlowRescale&);
  Vgpr pair(int c, int element) const {  // of scores
    return score_tile(element / atom.items, c).slice(element % atom.items, 2);
  }
  Pipeline moved_tiles();

  // -- attention_sequential.cpp --
  Pipeline sequential_tiles(), latent_tiles(), latent_loads();
  bool loads_latent_early() const;                            // beside S of the tile before
  Pipeline::Stage stage_latent_store(), stage_latent_load();  // their slots: sets of registers
  int ring_fragments() const { return ring.dwords / atom.a.fragment_dwords(); }
  Vgpr fragment(int i) const {
    return ring.slice(i % ring_fragments() * atom.a.fragment_dwords(), atom.a.fragment_dwords());
  }
  int step_in_turn(int i) const { return plan.in_turn(i, steps, plan.pad_dim / steps); }
  int tile_in_turn(int i) const { return plan.in_turn(i, d_tiles, atom.extent); }
  void read_key_fragment(Block&, int slot, int i);
  void read_value_fragment(Block&, int slot, int i);
  Block read_first_keys(int slot), read_first_values(int slot);
  Block all_scores(int slot), all_products(int slot);
  int fragment_scores() const { return scores_held / v_fragments; }  // that a lane has of the keys of a fragment of V
  Block packed_weights(int fragment);  // latent, beyond the first fragment: from scores, else from exponentials

  // -- attention_scores.cpp --
  void query_of_lane(Vgpr to, int c);
  void declare_scores(), declare_score_tiles();
  void prepare_scores(), find_bias(), find_documents();
  Block load_scores();
  Block change_scores();

  // -- attention_dropout.cpp --
  void declare_dropout(), prepare_dropout();
  PhiloxCode philox() const;
  void drop(Block&, int c, int first, int count);

  // -- attention_pages.cpp --
  void declare_pages();
  void find_table();
  Block request_pages(), locate_keys();
  void row_in_page(Block&, Vgpr address, Vgpr from, Vgpr place, int further);
  void add_column(Block&, Vgpr address, Vgpr in_row);
  // The wave's first key, and one past its last.
  isa::Operand first_key() const { return decode ? part_begin.operand() : banded() ? skipped.operand() : isa::imm(0); }
  Sgpr key_end() const { return decode ? Sgpr(part_end) : key_count; }
  void skip_tiles();            // keys that the band leaves out
  void see_prefix(Sgpr count);  // count = max(count, prefix)
  void apply_scales();          // of fp8 tensors
  void begin_sums();            // maximum and sum before the first key

  // -- attention_decode.cpp --
  void declare_part();
  void take_part();         // K/V head, batch and first row of the workgroup
  void find_part();         // its keys, and whether it has rows
  void find_rows();         // query and head of the lane's row
  void count_part_tiles();  // as count_tiles()
  void place_wave();        // its own LDS
  int wave_lds() const;     // bytes
  struct Results {
    Vgpr inverse, address, value;  // 1 / sum, of the lane's query; scratch
    Sgpr resource;
  };
  struct Partial;
  void combine_waves(Partial&);
  struct Splits;
  struct Combination;
  void find_splits(const Splits&, Sgpr of_wave), store_results(const Partial&, const Splits&),
      count_split(const Splits&);
  void begin_chunk(Block&, const Combination&), finish_chunk(Block&, const Combination&);
  void add_to_chunk(Block&, const Combination&, std::span<const Vgpr> sums, std::span<const Vgpr> values);
  Block load_partials(const Combination&, Vgpr four, int slot), add_partials(const Combination&, Vgpr four);
  void add_waves(const Combination&), combine(Combination&);
  void combine_here(const Splits&, Sgpr first_column), combine_launched();
  std::optional<int> second_launch;                     // label: where the second launch goes on
  int sums_bytes() const { return plan.sums_bytes(); }  // of the sums and maxima before a wave's partial results
  void store_partial(const Partial&);
  void decode_epilogue();
  void rows_left(Sgpr to);  // of the workgroup's or, where waves share keys, the wave's first row on
  void begin_epilogue();    // what the loop alone needed is free

  // -- attention_latent.cpp --
  int pairs_of_tiles() const { return d_tiles / 2; }
  Vgpr raw_values(int i) const;
  void read_raw_values(Block&, int slot, int i);
  Block read_first_raw_values(int slot), latent_products(int slot), store_latent_keys(int set);
  Block to_other_place(const std::vector<Owned<File::v>>& addresses), refilled(const Block& stores, const Block& loads);
  void latent_epilogue();
  void store_pair(int pair, const Results&, const std::function<void(Vgpr, int, int)>& read);

  // -- attention_load.cpp --
  Vgpr loader() const {
    return decode && !plan.latent ? Vgpr(lane_id) : Vgpr(kernel.workitem);
  }  // lane of those that load a tile
  void only_rows(Vgpr address);                     // decode: out of range past the last row
  void row_address(Vgpr to, int c, const Tensor&);  // of a query's row in its tensor, out of range where there is none
  Sgpr head_of(const Tensor&, Sgpr head);           // address of a head of the workgroup's sequence
  void tensor(Sgpr resource, const Tensor&, Sgpr head);
  void load_queries();
  void widen_chunk(Block&, const PairWidening&, Vgpr chunk);
  bool values_by_scalar() const { return layouts.v.rounds * run > 4; }  // one address register for all keys of a round
  void key_addresses();
  void value_addresses();
  void pairs_of_columns();
  void only_columns(Vgpr address, Vgpr column, const LdsTile&, int dim);
  void from_lane(Vgpr dst, const isa::LinearLayout&, std::string_view output);      // "query", "group" -> output
  void from_workitem(Vgpr dst, const isa::LinearLayout&, std::string_view output);  // "lane" -> output
  void load_addresses(const Tensor&);
  std::vector<Owned<File::v>> lds_addresses(const char* name, const AddressSet&,
                                            const std::function<void(Vgpr)>& first);
  int v_offset() const { return plan.latent ? 0 : plan.key_slots() * layouts.k.bytes; }  // of the first LDS buffer of V
  // The part of v_offset() that address registers hold: all of it where immediate offsets do not reach the last buffer.
  int v_base() const {
    const int end = v_offset() + plan.slots() * layouts.v.bytes;
    return end > isa::reach(isa::Format::ds, kernel.arch) && !moved ? v_offset() : 0;
  }
  Block load_rows(const Tensor&, int set = 0);
  Block load_keys(int set = 0), load_values(), store_keys(int slot), store_keys(int tag, int offset, int set = 0),
      store_values(int slot);
  void read_key(Block&, Vgpr to, int slot, int part, int step);
  void read_value(Block&, Vgpr to, int slot, int fragment, int d);
  int value_key(int i) const;  // of the keys that a lane loads, from the first on
  Block fetch(int slot, Fetch), fetch_keys(int slot), fetch_values(int slot);

  // -- attention_rows.cpp --
  bool by_lines() const { return pipelined && !moved; }                                    // O passes through LDS
  bool query_lines() const { return pipelined && !moved && plan.bytes == element_bytes; }  // Q likewise
  int row_tile_bytes() const { return atom.extent * row_columns * element_bytes; }         // of a wave
  int rows_offset() const { return direct ? 2 * (layouts.k.bytes + layouts.v.bytes) : 0; }
  struct Lines;
  void load_query_lines(), read_query_fragments(), store_lines(Vgpr inverse, Sgpr resource);

  // -- attention_block_scales.cpp --
  bool scaled_keys() const { return cfg.scale_rows.kv != 0; }
  bool scaled_rows() const { return decode && cfg.scale_rows.q != 0; }  // lanes have scales of their own
  // What S is multiplied by: before it is changed, or else before 2^x.
  isa::Operand score_factor() const {
    if (scaled_keys()) return tile_factor.operand();
    return scaled_rows() ? row_factor.operand() : changes ? natural.operand() : scale.operand();
  }
  isa::Operand exponent_factor() const { return changes ? scale.operand() : score_factor(); }
  void declare_block_scales(), apply_query_scales(), find_block_scales();
  Block load_block_scales(), take_block_scales();
  void slow_growth_of_unit(const SlowRescale&);
  void block_scale_phases(Pipeline&);
  std::vector<SlowRescale> unit_growths;

  // -- attention_mx.cpp --
  struct MxScales {                                              // each register: of the tiles whose scales share it
    Owned<File::s> k_resource, v_resource, key, k_next, k_step;  // key: the first of the tile whose V's are next
    std::vector<Owned<File::v>> k_at, q, k, v;                   // k_at: addresses
    Owned<File::v> v_at, v_from, one;
  } mx;
  int mx_dwords() const { return (cfg.head_dim + 127) / 128; }  // of a row of Q or K
  int mx_shared() const { return atom.scales.tiles; }
  int mx_registers(int tiles) const { return (tiles + mx_shared() - 1) / mx_shared(); }
  void declare_mx(), find_mx();
  void complete_mx(Block&, Vgpr scales);  // brings what is loaded to the bytes that instructions select
  Block load_key_mx(), complete_key_mx(), load_value_mx(), complete_value_mx();
  Atom::Scale mx_scale(Vgpr scales, int tile, int step) const;
  void multiply_value(Block&, int d, int c, int block, Vgpr values);

  // -- attention_softmax.cpp --
  Block apply_mask();  // -inf where masked; advances `limit`
  Block find_maximum();
  Block rescale_if_grown();
  void slow_rescale(const SlowRescale&);
  void raise_maximum(int c);                                 // y: log2 of what earlier sums are to be multiplied by
  Block exponentials(), exponentials(int first, int count);  // of all scores; of some, by four
  Block pack(int block);                                     // P of a block: summed, rounded, packed

  // -- attention_store.cpp --
  void epilogue();
  void invert(Block&, Vgpr inverse, Vgpr sum_of_row);
  void store_columns(int c, int d, int item, const Results&);
  void store_run(int first, const Results&);  // `value` as columns from the first of a lane on
  void store_lse(int c, Vgpr sum_of_row, Vgpr top, Vgpr address);
  void lse_address(Vgpr to, int c);
  // The halves of a wave64 without v_permlane32_swap are reached by ds_bpermute.
  bool exchanges_by_address() const { return atom.lanes == 64 && !has(Opcode::v_permlane32_swap_b32, kernel.arch); }
  void round_pair(Block&, Vgpr dst, Vgpr low, Vgpr high);  // two f32 into one register
  void fold_quarters(Block&, Vgpr value, bool of_maximum), total_of(Vgpr total, int c);
  void exchange_halves(Block&, Vgpr value);         // other = value of the lane that has the same query
  void exchange_weights(Block&, int c, int block);  // packed P of both half waves, for both
};

}  // namespace wavesmith::attention
