// The attention kernel being built: its registers and phases. Schedule: attention.cpp; loads of Q, K and V:
// attention_load.cpp; softmax: attention_softmax.cpp; results: attention_store.cpp. Only these files include this one.
#pragma once
#include "generator/dsl/arguments.h"
#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/scratch.h"
#include "generator/schedule/pipeline.h"
#include "isa_tables/names.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/layouts.h"
#include "kernels/parts/address.h"
#include "kernels/parts/wave.h"
#include "simulator/numerics/matrix.h"

namespace wavesmith::attention {

using isa::Type;

constexpr int wave_rows = 32, block_rows = waves * wave_rows;  // queries of a wave, of a workgroup
constexpr int out_of_range = -16;                              // an offset beyond every bound that launch() accepts
constexpr int k_tag = 0, v_tag = 2;                            // LDS tags: K of an even tile, of an odd one, V likewise

inline bool has(Opcode op, Arch a) { return isa::info(op).on(a); }

struct AttentionArguments {
  DevicePointer o, q, k, v, lse;
  uint64_t o_batch, o_head, q_batch, q_head, k_batch, k_head, v_batch, v_head, lse_batch, lse_head;  // bytes
  uint32_t o_row, q_row, k_row, v_row;                                                               // bytes
  uint32_t queries, keys;  // packed: of the longest sequence
  uint32_t kv_group;       // 2^31 / (heads per K/V head), rounded up
  int32_t diagonal;        // query i sees the keys up to i + diagonal
  float scale_log2;        // scale * log2(e)
  DevicePointer cu_seqlens_q, cu_seqlens_k;
  int32_t from_end;  // -1: keys - queries is added to the diagonal; 0: it is not
  void list(auto&& to, const AttentionConfig& c) {
    const char* type = isa::type_name(c.type);
    to("O", o, type), to("Q", q, type), to("K", k, type), to("V", v, type), to("LSE", lse, "f32");
    to("o_batch", o_batch), to("o_head", o_head), to("q_batch", q_batch), to("q_head", q_head);
    to("k_batch", k_batch), to("k_head", k_head), to("v_batch", v_batch), to("v_head", v_head);
    to("lse_batch", lse_batch), to("lse_head", lse_head);
    to("o_row", o_row), to("q_row", q_row), to("k_row", k_row), to("v_row", v_row);
    to("queries", queries), to("keys", keys), to("kv_group", kv_group), to("diagonal", diagonal);
    to("scale_log2", scale_log2);
    if (c.sequences == Sequences::packed)
      to("cu_seqlens_q", cu_seqlens_q, "i32"), to("cu_seqlens_k", cu_seqlens_k, "i32"), to("from_end", from_end);
  }
};

struct Attention {
  Kernel& kernel;
  const AttentionConfig& cfg;
  Stream& k = kernel.k;
  Registers& r = kernel.r;

  // -- Shapes --
  const bool wide_mma = has(Opcode::v_mfma_f32_32x32x16_bf16, kernel.arch);
  // direct: K and V are loaded to LDS without registers and V is transposed when it is read. Otherwise V is transposed
  // in registers, before it is stored.
  const bool direct = has(Opcode::global_load_lds_dwordx4, kernel.arch) && has(transposing, kernel.arch);
  const Opcode mma = cfg.type == Type::bf16
                         ? (wide_mma ? Opcode::v_mfma_f32_32x32x16_bf16 : Opcode::v_mfma_f32_32x32x8_bf16)
                         : (wide_mma ? Opcode::v_mfma_f32_32x32x16_f16 : Opcode::v_mfma_f32_32x32x8_f16);
  const int mma_k = isa::info(mma).matrix.k;
  const isa::OperandLayout right = isa::layout(isa::info(mma), kernel.arch, isa::MatrixOperand::b);
  const int operand = right.registers();  // registers of an A or B operand
  const int dim = cfg.head_dim, dim_v = cfg.dim_v();
  const int keys =
      tile_bytes / 2 / std::max(dim, dim_v);  // keys per tile. Surplus lanes of the narrower tensor load zeros
  const int parts = keys / 32;                // 32-key parts of S
  const int d_tiles = dim_v / 32;             // 32-row parts of O^T
  const int chunks = dim / 16;                // 16-byte chunks of a row that a lane holds: every other one
  const int blocks = keys / mma_k;            // steps of K in the second product
  const int per_block = right.items();        // elements of P per lane and block
  Layouts layouts{{mma, kernel.arch, direct, dim, dim_v, keys}};
  // lift: log2 of P of the largest score; top: log2 of the largest P before the maximum is raised. Where the matrix
  // unit flushes f16 denormals, P is scaled by 2^12: flushed values are then below 2^-25 of the largest, no more than
  // rounding loses elsewhere, and 2^15 is still representable in f16.
  const bool lifted = cfg.type == Type::f16 && sim::flushes_denormals(isa::target(kernel.arch).family, cfg.type);
  const float lift = lifted ? 12 : 0, top = lifted ? 15 : 8;

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
  };
  const Tensor O{&Args::o, &Args::o_batch, &Args::o_head, &Args::o_row, dim_v, true},
      Q{&Args::q, &Args::q_batch, &Args::q_head, &Args::q_row, dim, true},
      K{&Args::k, &Args::k_batch, &Args::k_head, &Args::k_row, dim, false},
      V{&Args::v, &Args::v_batch, &Args::v_head, &Args::v_row, dim_v, false};
  Owned<File::s> kv_head = r.s.alloc(1, "K/V head"), q0 = r.s.alloc(1, "first query"), wave = r.s.alloc(1, "wave");
  Owned<File::s> q_resource = r.s.alloc(4, "Q buffer resource", 4), k_resource = r.s.alloc(4, "K buffer resource", 4),
                 v_resource = r.s.alloc(4, "V buffer resource", 4);
  Owned<File::s> k_next = r.s.alloc(1, "K: bytes to the next tile"), v_next = r.s.alloc(1, "V: bytes to the next tile");
  Owned<File::s> lds_wave = r.s.alloc(1, "LDS bytes of a tile before this wave");
  Owned<File::s> k_step = r.s.alloc(1, "K bytes a tile"), v_step = r.s.alloc(1, "V bytes a tile");
  Owned<File::s> pairs = r.s.alloc(1, "pairs of whole tiles"), masked_tiles = r.s.alloc(1, "tiles with masked keys");
  Owned<File::s> q_rows, k_rows,
      from_end;  // packed: first row and one past the last, of Q and of K; -1 where the diagonal ends at the last key
  Constants constants{kernel};
  std::optional<HalfPermutes> halves;  // where V is transposed in registers
  // Rounds P and O. Sums and products of finite numbers are finite or infinite; NaNs come only from the matrix unit.
  PairConversion narrow{constants, kernel.arch, cfg.type, Nans::quiet_16};
  Owned<File::s> headroom = r.s.alloc(1, "log2 of the largest P before the maximum follows"),
                 t = r.s.alloc(4, "scratch", 4), mask = r.s.alloc(2, "scratch mask");
  AddressMath at{k, t.slice(0, 3)};

  Owned<File::v> x = r.v.alloc(1, "scratch x"), y = r.v.alloc(1, "scratch y"),
                 column = r.v.alloc(1, "query of the lane in its wave"), half = r.v.alloc(1, "half wave: group of k");
  Owned<File::v> maximum = r.v.alloc(1, "scaled maximum m: P is 2^(S - m)"),
                 found = r.v.alloc(1, "maximum of this tile"),
                 limit = r.v.alloc(1, "keys the lane may see, from this tile on");
  Owned<File::v> sum = r.v.alloc(2, "sum of P, two parts", 2), other = r.v.alloc(1, "the other half wave's"),
                 partner = r.v.alloc(1, "the partner lane's address for ds_bpermute");
  Owned<File::v> k_load = r.v.alloc(1, "K load address"), k_store;
  std::vector<Owned<File::v>> v_load, v_store, k_read, v_read;
  Owned<File::v> k_stage, v_stage, v_packed;
  std::vector<Owned<File::v>> q, k_fragment, s[2],
      v_fragment;                 // q: by chunk; k: [part][chunk]; s: [slot][part], v: [d tile][16 keys]
  std::vector<Owned<File::v>> p;  // by part: 2^x, then packed in place in the first registers of each block
  std::vector<Owned<File::a>> o;  // [d tile]

  struct Fetch {
    Vgpr address;
    Sgpr resource, next, step;
    int tag;
  };
  struct SlowRescale {
    int slot, entry, back;
  };  // out-of-line code for a maximum that has grown
  std::vector<SlowRescale> slow_rescales;

  Vgpr weight(int element) const { return p[element / 16][element % 16]; }  // of P: element 16 * part + register of S
  Vgpr weights(int block) const { return p[block * per_block / 16].slice(block * per_block % 16, operand); }

  // -- attention.cpp: arguments, schedule --
  void declare();
  void declare_tiles();
  void prologue();
  void find_sequence();
  void count_tiles();
  Pipeline tiles(const Pipeline::Stages& early, const Pipeline::Stages& late);
  Pipeline staged_tiles(), direct_tiles();
  void build();
  Block stage_barrier();
  Block priority(int);
  Block scores(int slot);     // S^T = K Q^T of what k_fragment holds
  Block products(int block);  // O^T += V^T P^T of `block`

  // -- attention_load.cpp --
  void tensor(Sgpr resource, const Tensor&, Sgpr head);
  void load_queries();
  void key_addresses();
  void value_addresses();
  void pairs_of_columns();
  void only_in_tile(Vgpr address, Vgpr key, int dim);
  void from_lane(Vgpr dst, const isa::LinearLayout&, std::string_view output);      // "query", "chunk" -> output
  void from_workitem(Vgpr dst, const isa::LinearLayout&, std::string_view output);  // "lane" -> output
  void load_address(Vgpr load, const LdsTile&, int dim, Sgpr row);
  std::vector<Owned<File::v>> lds_addresses(const char* name, const AddressSet&,
                                            const std::function<void(Vgpr)>& first);
  Block load_keys(), load_values(), store_keys(int slot), store_values(int slot), read_keys(int slot),
      read_values(int slot);
  Block fetch(int slot, Fetch), fetch_keys(int slot), fetch_values(int slot);

  // -- attention_softmax.cpp --
  Block apply_mask(int slot);  // -inf where masked; advances `limit`
  Block find_maximum(int slot);
  Block rescale_if_grown(int slot);
  void slow_rescale(const SlowRescale&);
  Block exponentials(int slot);  // packs the first block of P as well
  Block pack(int block);         // P of a block: summed, rounded, packed

  // -- attention_store.cpp --
  void epilogue();
  void store_lse(Vgpr sum_of_row, Vgpr row);
  void round_pair(Block&, Vgpr dst, Vgpr low, Vgpr high);  // two f32 into one register
  void exchange_halves(Block&, Vgpr value);                // other = value of lane ^ 32
};

}  // namespace wavesmith::attention
