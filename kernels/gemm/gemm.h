// D = f(alpha op(A) op(B) + beta C) on the matrix cores, column-major as in BLAS: op(A) is M x K, op(B) is K x N; f:
// kernels/parts/epilogue.h. This header has what a host needs: configuration, problem and launch. The kernel is in
// gemm.cpp.
#pragma once
#include <array>
#include <optional>

#include "generator/passes/lower.h"
#include "kernels/gemm/ragged.h"
#include "kernels/parts/config_error.h"
#include "kernels/parts/epilogue.h"
#include "kernels/parts/launch.h"
#include "kernels/parts/lds_tile_info.h"
#include "kernels/parts/loop_report.h"
#include "kernels/parts/reduction.h"
#include "kernels/parts/work_order.h"

namespace wavesmith {

struct GemmTile {
  int m = 0, n = 0, k = 0;
};
// Workgroups of a cluster along m and n (schedule tensor): those with the same rows of op(A) get them by one read of
// the L2, likewise those with the same columns of op(B). Powers of two, at most isa::most_clustered together.
struct GemmCluster {
  int m = 1, n = 1;
  int groups() const { return m * n; }
  bool operator==(const GemmCluster&) const = default;
};

// How A and B reach LDS and how a wave's instructions are ordered. staged: through registers; LDS reads, stores and
// loads one after another, spread over the matrix instructions. interleaved: reads and stores in turn; requires a 32x32
// instruction, as with 16x16 all reads of a k-slice follow its barrier. direct: loads go to LDS without
// registers; requires k contiguous in A and B, and a target with such loads of 128 bits. refill: direct, and an LDS
// stage is loaded anew as soon as all waves have its k-slice in registers, half a k-slice earlier. stream: fragments
// come from memory straight into registers, `stages` k-slices ahead, without LDS; requires k contiguous in A and B.
// tensor: the tensor data mover brings k-slices to LDS; requires a target that has it.
enum class GemmSchedule : uint8_t { staged, interleaved, direct, refill, stream, tensor };
constexpr GemmSchedule all_schedules[] = {GemmSchedule::staged, GemmSchedule::interleaved, GemmSchedule::direct,
                                          GemmSchedule::refill, GemmSchedule::stream,      GemmSchedule::tensor};
const char* name_of(GemmSchedule);
// Scales of A and B that are part of their formats (OCP MX): e8m0, one for 32 consecutive k of a row of op(A) or a
// column of op(B). plain: by rows, k contiguous, 4 ceil(K / 128) bytes a row. shuffled: by blocks of 32 rows and 256 k,
// k first; inside, scale (row, block of 32 k) is byte ((block % 4 * 16 + row % 16) * 2 + block / 4) * 2 + row / 16.
// tiles: by tiles of 32 rows and 128 k, k first; inside by rows of four bytes. What stands for k from K on and for rows
// that are not there is never used.
enum class BlockScales : uint8_t { none, plain, shuffled, tiles };
constexpr BlockScales block_scale_layouts[] = {BlockScales::plain, BlockScales::shuffled, BlockScales::tiles};
const char* name_of(BlockScales);
constexpr bool by_32_rows(BlockScales s) { return s == BlockScales::shuffled || s == BlockScales::tiles; }
// Scales of f32 for the sums of 128 consecutive k (DeepSeek's FP8): one for each row of op(A) or column of op(B), or
// for 128 of them; rows 0: none. A sum of 128 products is multiplied by both operands' scales and added in f32. Scale
// (row / rows, k / 128) is row-major in a dense array for each batch, or transposed: rows contiguous.
struct SumScales {
  int rows = 0;
  bool transposed = false;
  bool operator==(const SumScales&) const = default;
};
constexpr int sum_scale_k = 128;
std::string name_of(SumScales);  // as --scale-a takes it: 1x128, 128x128-t
std::optional<SumScales> find_sum_scales(std::string_view name);
constexpr SumScales all_sum_scales[] = {{1, false}, {1, true}, {128, false}, {128, true}};
// Reduction of workgroups with parts of K. atomic: they add to D in memory: it has the type of the sums and is zero
// before the launch, and there is no epilogue. ordered: through a workspace; the workgroup that comes last adds them in
// the order of K, then does the rest as if it had multiplied all.
// Of A or B of i4 beside 16-bit floats: weights, made (q - zero point) scale, rounded to the other operand's type.
// Scales have that type, zero points are bytes of 0 to 15: of a row of op(A) or column of op(B) and `size` consecutive
// k; row-major in a dense array for each batch, or transposed: rows contiguous. With zero points q is 0 to 15, else -8
// to 7.
struct WeightGroups {
  int size = 128;
  bool zero_points = false, transposed = false;
};
constexpr int weight_group_sizes[] = {32, 64, 128};
// Order of A or B in memory. rows: as BLAS has it. tiles: contiguous along k, 16 bytes of each of 16 rows of op(A) or
// columns of op(B), then the next 16 bytes of them; aiter's shuffle_weight with layout (16, 16).
enum class MatrixOrder : uint8_t { rows, tiles };
constexpr int tile_rows = 16;
struct GemmConfig {
  isa::Type input = isa::Type::f16, output = isa::Type::f16;  // A and B; C and D. xf32: f32, multiplied as xf32
  bool trans_a = false, trans_b = false;                      // op(X) = X^T
  GemmTile block{256, 256, 64};      // per workgroup; k: depth of one loop iteration, two k-slices of 32 to 128 bytes
  int waves_m = 2, waves_n = 2;      // how the waves divide the block
  std::optional<isa::Opcode> mma{};  // one of matrix_instructions(); default: instruction_of()
  int stages = 2;                    // LDS buffers of A and of B: 2 to 4
  GemmSchedule schedule = GemmSchedule::staged;
  Epilogue epilogue{};
  int split_k = 1;  // workgroups that share a block of D
  Reduction reduction = Reduction::atomic;
  // Stream-K: so many workgroups run at a time. Tiles that fill whole rounds of them are not split, only the rest is:
  // the last round is short. 0: all tiles are split. In order only.
  int stream_k = 0;
  // So many workgroups take the tiles of a batch in turn: each begins the next one while it stores results, where the
  // schedule can. A multiple of the cluster. 0: every tile has a workgroup of its own.
  int persistent = 0;
  // Of B, where it is not A's: the other 8-bit float; with block scales any MX format.
  std::optional<isa::Type> input_b{};
  WorkOrder order{};  // of the tiles
  BlockScales block_scales = BlockScales::none;
  SumScales sum_scales_a{}, sum_scales_b{};  // of fp8 and bf8
  Ragged ragged = Ragged::none;              // groups of which sizes are on the device
  Offsets offsets = Offsets::i32;
  WeightGroups groups{};  // of weights of i4
  MatrixOrder order_a = MatrixOrder::rows, order_b = MatrixOrder::rows;
  bool split_f32 = false;  // f32 as sums of three bf16, multiplied by six instructions of bf16
  // Schedule tensor: iterations by which lines of A and B are requested into the L2 before the data mover loads them.
  // 0: they are not.
  int prefetch = 0;
  GemmCluster cluster{};
};
constexpr int most_prefetch = 8;
isa::Type type_of_b(const GemmConfig&);
bool can_add_to_d(const GemmConfig&, Arch);
bool adds_to_d(const GemmConfig&);  // D is zero before the launch
// Tiles of a batch that have all of K to themselves, of so many.
uint64_t whole_tiles(const GemmConfig&, uint64_t tiles);
bool has_workspace(const GemmConfig&);  // the launch takes one
// As the matrix instructions have them: i4 beside 16-bit floats is made those, f32 that is split bf16.
isa::Type multiplied_a(const GemmConfig&);
isa::Type multiplied_b(const GemmConfig&);
bool has_weights(const GemmConfig&);  // one of them is
// f32 = a0 + a1 + a2, each the highest 8 bits of what is left, so that all have the sign of f32, |a1| < 2^-7 |f32|,
// |a2| < 2^-15 |f32|. The products a0 b0 + a0 b1 + a1 b0 + a1 b1 + a0 b2 + a2 b0 are those of f32 but for less
// than 1.01 2^-21 |a b|, and exact in f32. Infinities become NaN.
constexpr int split_parts = 3, split_products = 6;
int parts_of(const GemmConfig&);     // that an element of A or B is in LDS
int products_of(const GemmConfig&);  // instructions for one product
int rows_of_d(const GemmConfig&);    // in a block: gated, half as many as of A
// Of products and their sum: f64 for f64, i32 for i8 and i4, else f32. Of alpha, beta and the epilogue: i32 if D is
// i32, f64 for f64, else f32.
isa::Type accumulated(const GemmConfig&);
isa::Type scaled_as(const GemmConfig&);
int block_k(const GemmConfig&, Arch);  // the default for the tile's k
int block_k(isa::Type input);          // without block scales: 128 bytes
int line_k(const GemmConfig&);         // k of 128 bytes of the wider operand

// The matrix instructions that a kernel of these types can use, in the order of plan::candidates(): highest rate first;
// at equal rate the larger one, which uses an element read from LDS more often. Where there is none, the multiply-add
// of f64 or f32 (kernels/parts/atom.h).
std::vector<isa::Opcode> matrix_instructions(const GemmConfig&, Arch);
// The given one, or the first whose shape divides the tiles of the waves. Precondition: the target has one.
isa::Opcode instruction_of(const GemmConfig&, Arch);
// Operations per clock of one CU (WGP) that multiplies A and B by this instruction alone.
double flops_per_clock(const GemmConfig&, isa::Opcode, Arch);
// The row of the instruction that a schedule is made of; nullptr: every target has what it takes.
const isa::Info* needed_by(GemmSchedule);
// Error: ConfigError, one line per violated rule with the values and what would be legal.
void check(const GemmConfig&, Arch);
bool is_legal(const GemmConfig&, Arch);  // check() finds nothing

// choose.h fills in what a user leaves open. Error: ConfigError, also when the tile does not fit.
Program build_gemm(const GemmConfig&, Arch, std::string name = "", const LowerOptions& = {});
std::string kernel_name(const GemmConfig&);
std::vector<LdsTileInfo> lds_tiles(const GemmConfig&, Arch);  // of A and B: a k-slice of 32 k. Error: ConfigError

struct GemmProblem {
  uint32_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0, ldd = 0;  // leading dimensions in elements
  uint64_t stride_a = 0, stride_b = 0, stride_c = 0, stride_d = 0;   // between batches, in elements
  uint32_t batch = 1;
  double alpha = 1, beta = 0;  // passed as scaled_as() says, unless they are on the device
  uint32_t ld_residual = 0;
  uint64_t stride_residual = 0;
  uint32_t groups = 0;  // ragged: the ragged dimension is the sum of the groups', or more; `batch` is 1
};
struct GemmPointers {
  uint64_t a = 0, b = 0, c = 0, d = 0, alpha = 0, beta = 0;
  OfParts<uint64_t> epilogue{};
  uint64_t scales = 0;  // of a quantised D: ceil(m / rows) for each column, columns and batches without gaps
  uint64_t block_scales_a = 0, block_scales_b = 0;  // or of sums
  uint64_t offsets = 0;                             // ragged: groups + 1 of them, ascending
  uint64_t workspace = 0;  // of workspace_bytes(), zero before the first launch; kernels leave its counters zero, so
                           // that launches one after the other may use one
  uint64_t group_scales = 0, zero_points = 0;  // of weights
};
// Bytes of the block scales of `rows` rows of op(A) or columns of op(B), `batch` times, one batch after the other.
uint64_t block_scale_bytes(BlockScales, uint32_t rows, uint32_t k, uint32_t batch);
// The byte of one of them.
uint64_t block_scale_at(BlockScales, uint32_t rows, uint32_t k, uint32_t batch, uint32_t row, uint32_t block);
// Scales of sums of one batch, and the place of one of them.
uint64_t sum_scale_count(SumScales, uint32_t rows, uint32_t k);
uint64_t group_count(WeightGroups, uint32_t rows, uint32_t k);  // likewise
uint64_t group_at(WeightGroups, uint32_t rows, uint32_t k, uint32_t row, uint32_t group);
uint64_t sum_scale_at(SumScales, uint32_t rows, uint32_t k, uint32_t row, uint32_t block);
// In tiles, rows are multiples of 16 bytes and there are multiples of 16 of them.
// Rows of i4 are whole words: leading dimensions and strides are multiples of 8, and the last row too extends to one.
// Error: ConfigError when a leading dimension is smaller than its column, or so large that a block spans 4 GiB; with
// block scales, when K, or of elements below 8 bits a leading dimension or stride, is no multiple of 32.
// Counters and sums of workgroups that share a block of D. Error: ConfigError where these are 2^32 or more.
uint64_t workspace_bytes(const GemmConfig&, const GemmProblem&);
KernelLaunch launch(const GemmConfig&, Arch, const GemmProblem&, const GemmPointers&);

}  // namespace wavesmith
