// Flash attention forward: O = softmax(scale Q K^T + mask) V for each batch and head, optionally with the log-sum-exp,
// in one pass over the keys. This header has what a host needs: configuration, problem and launch. The kernel is in
// attention.cpp.
#pragma once
#include <array>
#include <optional>

#include "generator/passes/lower.h"
#include "kernels/attention/score_mods.h"
#include "kernels/parts/config_error.h"
#include "kernels/parts/launch.h"
#include "kernels/parts/lds_tile_info.h"
#include "kernels/parts/loop_report.h"

namespace wavesmith {

// How a workgroup finds the rows of its batch. equal: batches have the same lengths and are a stride apart. packed:
// each has its own length, and they are concatenated: rows cu_seqlens[batch] to cu_seqlens[batch + 1], for Q and O, and
// for K and V.
enum class Sequences : uint8_t { equal, packed };
// How a wave's instructions are ordered. pipelined: a wave's softmax runs beside the other wave's products, with the
// fragments of a whole tile in registers; CDNA2 and later, head dimensions 64, 128 and, of Q and K, 192. gfx1250: a
// wave's own, tiles by the tensor data mover; 64 and 128.
// sequential: one tile after the other, fragments as they are needed; waves of a SIMD overlap each other. decode: for
// few queries. A workgroup has the queries of all heads of a K/V head, and its waves have different keys, each in LDS
// of its own; workgroups too share the keys (AttentionProblem::splits), and the last one of them to end combines their
// results; with latent keys a second launch does.
enum class AttentionSchedule : uint8_t { pipelined, sequential, decode };
const char* name_of(AttentionSchedule);
// Rows of a tensor that share a scale of their own, a power of two; 0: the scale is the tensor's or the head's.
struct ScaleRows {
  int q = 0;   // at least the rows of a wave; decode: any
  int kv = 0;  // of K and of V; at least the keys of a tile
};
// Q, K and V in the formats of OCP MX, each 32 elements with a scale (e8m0): of a row of Q or K, of a column of V (keys
// of its sequence). gfx950 and gfx1250.
struct MxTypes {
  isa::Type qk = isa::Type::fp8, v = isa::Type::fp8;  // fp8, bf8 or fp4; fp8 or bf8
};
struct AttentionConfig {
  isa::Type type = isa::Type::bf16;  // of Q, K, V and O; f16 or bf16. Sums are f32, P is rounded to this type
  int head_dim = 128;                // of Q and K: a multiple of 8 from 16 to 512
  int head_dim_v = 0;                // of V and O, likewise; 0: as of Q
  Sequences sequences = Sequences::equal;
  std::optional<isa::Type> kv_type{};  // of K and V in memory, where it is another: fp8 or bf8, with scales. They are
                                       // converted to `type`, which has all their values, on their way to LDS
  std::optional<isa::Type> q_type{};   // of Q, likewise
  // Q, K and V are fp8 and multiplied as such, P is rounded to fp8 too. Head dimensions are multiples of 16. With
  // kv_type and q_type.
  bool fp8_products = false;
  // With fp8_products: Q and K, and V, are multiplied in these types with their scales, P in fp8 with none. Head
  // dimensions are multiples of 32, that of V of 16. kv_type is that of V.
  std::optional<MxTypes> mx{};
  ScaleRows scale_rows{};  // of tensors in fp8 or bf8; not with latent keys
  int page_size = 0;       // keys of a page of K and V, any number; 0: not paged. Not pipelined
  // V is the first head_dim_v columns of K, as in absorbed multi-head latent attention: one tensor in memory and in
  // LDS. Head dimensions are multiples of 64, up to 576 and 512. Schedule decode, whose waves share the keys then and
  // have different rows. AttentionPointers::v, v_scale and AttentionProblem::v are not used.
  bool latent = false;
  // Of latent keys: rows (queries times the heads of a K/V head) of each of the four waves of a workgroup, 16 or 32; 0:
  // 32 on CDNA, elsewhere always 16. With 16 a tile takes half as long: for up to 64 rows.
  int latent_rows = 0;
  bool sinks = false;      // each head has a score without a value, which takes part in the sum of P
  bool prefix = false;     // each sequence has a number of first keys that all its queries see, whatever the mask
  bool bias = false;       // a number of `type` is added to each score, before `scores` change it. Not pipelined
  bool documents = false;  // queries see the keys of their own document alone. Not pipelined, not paged
  bool dropout = false;    // of P; see attention_dropout.cpp. Not pipelined
  std::optional<AttentionSchedule> schedule{};  // default: pipelined where it is legal, else sequential
  std::vector<ScoreMod> scores = {};            // applied in this order; pipelined: on CDNA, see can_pipeline()
  int dim_v() const { return head_dim_v ? head_dim_v : head_dim; }
};
// Products of fp8: log2 of P of a query's largest score when its maximum is raised, rounded up. P may grow to four
// times as much; the largest numbers are 448 or, FNUZ, 240.
inline float fp8_lift(const isa::Target& t) { return t.fnuz_fp8() ? 5 : 6; }
// AttentionConfig::latent_rows for a problem of so many rows: 16 where its waves are enough, else 0.
int latent_rows_for(const AttentionConfig&, Arch, uint64_t rows);
bool can_pipeline(const AttentionConfig&, Arch);
AttentionSchedule schedule_of(const AttentionConfig&, Arch);
// Windows alone, which the pipelined schedule masks in the tiles at their ends, as it does the causal mask.
bool masks_bands(const AttentionConfig&, Arch);
bool changes_scores(const AttentionConfig&, Arch);
// Error: ConfigError, one line per violated rule with the values and what would be legal.
void check(const AttentionConfig&, Arch);

// Error: ConfigError, also where the registers of the target do not suffice.
Program build_attention(const AttentionConfig&, Arch, std::string name = "", const LowerOptions& = {});
std::string kernel_name(const AttentionConfig&);
std::vector<LdsTileInfo> lds_tiles(const AttentionConfig&, Arch);  // of K and V. Error: ConfigError

// Element (batch, head, row, column) is at base + batch * batch_stride + head * head_stride + row * row_stride +
// column, in elements. Keys that query i sees: all; up to i (top_left); up to i + keys - queries (bottom_right, the
// usual causal mask).
enum class Mask : uint8_t { none, top_left, bottom_right };
struct AttentionStrides {
  uint64_t batch = 0, head = 0;
  uint32_t row = 0;
};
// Paged: the sequence's key j is row j % page_size of page block_table[batch][j / page_size]; `batch` of the strides of
// K and V is then the stride of pages.
struct AttentionProblem {
  uint32_t batch = 1, heads = 1, kv_heads = 1, queries = 0,
           keys = 0;           // heads: a multiple of kv_heads (grouped-query attention)
  uint32_t total_queries = 0;  // packed: of all batches; queries and keys are then the maxima over the batches
  float scale = 0;             // of Q K^T, positive; 0: 1 / sqrt(head_dim)
  Mask mask = Mask::none;
  // Heads (of all batches) whose tiles of queries are dispatched in turn: the last tile of each, then the one before,
  // and so on; then the next heads. Workgroups go to the XCDs in turn, so that a multiple of the XCDs leaves a head on
  // one XCD and in its L2. 0: as many as XCDs; with a mask so many that they have about 256 tiles on each XCD (512 of a
  // large L2), so that the heaviest tiles come first, or all where there is one XCD.
  uint32_t heads_in_turn = 0;
  // decode: workgroups that share the keys of a head; 0: those of the shortest time, by best_splits(). compute_units
  // 0: of the largest GPU of the target.
  uint32_t splits = 0, compute_units = 0;
  uint32_t pages = 0, table_stride = 0;  // paged: pages of K and of V in memory; entries of a sequence's block table,
                                         // 0: those of the longest sequence
  bool head_scales = false;              // the scales of fp8 tensors are [kv_heads], not one number each
  AttentionStrides
      bias;           // element (batch, head, query, key); 0: broadcast, row 0: contiguous [batch][head][query][key]
  float dropout = 0;  // probability: 0 to less than 1
  uint64_t seed = 0;
  uint32_t offset = 0;  // of the random numbers
  AttentionStrides o, q, k,
      v;  // row 0: strides of contiguous [batch][row][head][column], or [row][head][column] packed
};
struct AttentionPointers {
  uint64_t o = 0, q = 0, k = 0, v = 0;
  uint64_t lse = 0;  // f32 [batch][head][query], or [head][query] packed, natural logarithm; 0: not written
  uint64_t cu_seqlens_q = 0,
           cu_seqlens_k = 0;  // packed: i32 [batch + 1]: the first row of each sequence, then the number of rows;
                              // starts with 0, never decreases
  uint64_t workspace = 0;     // decode with more than one split: workspace_bytes(), zero before the first launch; each
                              // launch leaves it ready for the next. Latent: with any contents
  uint64_t block_table = 0;   // paged: i32 [batch][table_stride]
  uint64_t seqlens_k = 0;     // paged: i32 [batch], the keys of each sequence, also where queries are packed
  // f32: what numbers in fp8 count times; 0: one. By rows (ScaleRows): [batch][head][block of rows], as many blocks as
  // the longest sequence has; not 0. Those of K and V are positive.
  // MX: u8, not 0. Of Q and K by row and head, as their rows, mx_scale_bytes() each, of which those beyond head_dim /
  // 32 do not count. Of V [batch][head][block of 128 keys][column][4].
  uint64_t q_scale = 0, k_scale = 0, v_scale = 0;
  uint64_t bias = 0;
  uint64_t query_documents = 0, key_documents = 0;  // i32 by batch and row, as rows of Q and K; packed: of all batches
  uint64_t sinks = 0;                               // f32 [heads], as scores
  uint64_t prefix = 0;                              // i32 [batch]
};
uint32_t mx_scale_bytes(const AttentionConfig&);  // of a row of Q or K: for whole 128 columns
uint64_t mx_value_scale_bytes(const AttentionConfig&, const AttentionProblem&);  // of a head of V
// Scales of a head of so many rows (of the longest sequence), ScaleRows; 1 where the scale is the tensor's or the
// head's.
uint32_t scales_of_head(uint32_t rows, int scale_rows);
// Fills in strides that are 0. Error: ConfigError.
AttentionProblem complete(const AttentionConfig&, AttentionProblem);
// One launch, or with latent keys and several splits two, of the same kernel, in this order: the second combines. All
// are empty() where there is nothing to do. Error: ConfigError for heads that are not a multiple of kv_heads, a scale
// that is not positive, strides too small or heads beyond 4 GiB.
std::vector<KernelLaunch> launch(const AttentionConfig&, Arch, const AttentionProblem&, const AttentionPointers&);
// The least ScaleRows of the configuration's kernel.
ScaleRows least_scale_rows(const AttentionConfig&, Arch);
int block_queries(const AttentionConfig&, Arch);  // of a workgroup; decode: times the heads of a K/V head
// decode: the splits that a launch has, given or chosen, and the bytes that they need.
uint32_t splits_of(const AttentionConfig&, Arch, const AttentionProblem&);
struct WorkspaceSize {
  uint64_t counters, partials;  // bytes for each workgroup of a split, and of all splits
};
WorkspaceSize workspace_size(const AttentionConfig&, Arch);
uint64_t workspace_bytes(const AttentionConfig&, Arch, const AttentionProblem&);

}  // namespace wavesmith
