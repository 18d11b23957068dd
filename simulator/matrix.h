// Parts of a matrix instruction: the plan of a row (where its elements are, how its sums work), the gathered operands,
// and the vector kernels that multiply them. A plan is built once per instruction and choice of formats.
#pragma once
#include <algorithm>

#include "isa_tables/layout.h"
#include "simulator/numerics/matrix.h"
#include "simulator/wave.h"

namespace wavesmith::sim {

// Consecutive lanes of one item of an operand that hold consecutive rows of A or columns of B, C and D.
struct Run {
  u16 item;
  u8 lane, block;
  u16 k;
  u8 along, bit;
  u16 reg;
};  // k: of A and B; of C and D, the row. Bit and register: of the item
// Sixteen lanes of a register, all of whose 16-bit or 8-bit elements belong to runs, and where the elements at position
// 0, 1, ... of each go.
struct Chunk {
  u16 reg;
  u8 lane;
  std::array<u32, 4> to;
};
struct OperandPlan {
  isa::OperandLayout layout;
  isa::Type type{};
  int extent = 0, depth = 0;     // m or n; k as held (half of it for a sparse A)
  int width = 0;                 // lanes of a run
  int lanes = 0;                 // that the runs read: 16, 32 or 64
  int items = 0, registers = 0;  // of a lane
  std::vector<Run> runs;         // every element once
  std::vector<Chunk> chunks;     // likewise; empty: it is not made of them
};
// One row of D: n elements from `d` on, in 32-bit elements of the register file or of a buffer.
struct Row {
  u16 block, row;
  u32 d;
};
struct BitsAt {
  u8 lane, reg, bit;
};
struct MatrixPlan {
  Summation sum;
  OperandPlan a, b, c, d;
  std::vector<Row> rows;
  std::vector<BitsAt> index, scale_a, scale_b;  // [k][row], [k / scale_block][row], [k / scale_block][col]
  bool fnuz = false;
  std::string refusal;  // not empty: the reason why there is no such instruction
};
// The plan of a decoded instruction. Kept for the life of the process.
const MatrixPlan& matrix_plan(isa::Arch, int wave_size, const Step&);

// Operands as f32, which holds every format exactly: a[(block * k + kk) * m + row], b[(block * k + kk) * n + col].
// Exponent codes stand in pairs of k, low half first: 0 for zeros, else 639 + exponent, so that the sum of two codes
// tells products of zeros apart.
struct Operands {
  static constexpr int most = 32 * 128;
  static constexpr int code_zero_exponent = 639;  // the code of 2^0
  const f32 *a = nullptr, *b = nullptr;
  const u32 *ea = nullptr, *eb = nullptr;  // pairs [depth / 2][extent]
  int m = 0, n = 0, k = 0;
  int lowest = 0, highest = 0;  // exponents of the nonzero elements
  // Factors for which the kernels of aligned sums are exact (all of f16 and narrower): products, their units and scaled
  // values are then normal f32.
  static constexpr int least_aligned = -43, most_aligned = 16;
};
struct CodeRange {  // sixteen columns, so that it needs no horizontal step; least > most: all are zero
  alignas(64) i32 low[16], high[16];
  CodeRange() { std::fill_n(low, 16, INT32_MAX), std::fill_n(high, 16, 0); }
  int least() const { return *std::min_element(low, low + 16); }
  int most() const { return *std::max_element(high, high + 16); }
};
// A or B, gathered: elements, and codes if requested; one per element until pair_codes.
struct Gathered {
  f32* x = nullptr;
  u32* codes = nullptr;
  CodeRange range;
};

// Multiplies `rows` of A with B and adds to d. exact kernels may skip a row and return it in `left`: its numbers exceed
// the range in which 32-bit lanes represent every step.
using Multiply = void (*)(const Operands&, std::span<const Row> rows, f32* d, std::vector<Row>& left);
// nullptr: this sum has no vector kernel for these extents and exponents.
Multiply exact_kernel(const Summation&, const Operands&);
// Sums of f32 fused multiply-adds in order: pair of factors by pair of factors.
struct Factors {
  const f32 *a, *b;
};  // as in Operands
struct Extents {
  int m, k;
};
using MultiplyFused = void (*)(const Extents&, std::span<const Factors>, std::span<const Row> rows, f32* d);
MultiplyFused fma_kernel(int n);
Multiply integer_kernel(int n);                      // d holds i32
void pair_codes(u32* codes, int depth, int extent);  // in place
// Of `count` lanes, a multiple of 16. convert_f16: shift 0 or 16.
void convert_f16(const u32* lanes, int shift, int count, f32* out);
// All runs of an operand, whose width is a multiple of 16, into out[(block * depth + k) * extent + along]. Of f16, bf16
// and the 8-bit floats.
bool converts_runs(isa::Type);
void convert_runs(const u32* registers, const OperandPlan&, bool fnuz, f32* out);
void exponent_codes(const f32* x, int least, int count, u32* codes, CodeRange&);
void fma_row_f64(const f64* a, const f64* b, int m, int k, int n,
                 f64* d);  // d[col] += a[kk * m] * b[kk * n + col], kk rising

}  // namespace wavesmith::sim
