// Layouts of whole tensors: isa::LinearLayout from "register" (one element of a lane, not 32 bits), "lane", "warp" and
// "block" to the tensor's dimensions, "dim0", "dim1", ..., of which the last is the first output: it runs fastest in
// memory. Each extent is the tensor's, rounded up to a power of two. A bit that moves nothing: both of its values hold
// the same element. Everything is built from one tile of a matrix instruction, repeated over the warps and then over
// registers. Rules: tests/facts/planner_spec.md section 11, which gives each closed form with its source.
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa_tables/linear_layout.h"

namespace wavesmith::plan {

using isa::LinearLayout;

struct LayoutError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Coord = std::vector<int>;  // one number per tensor dimension
using Bases = std::vector<Coord>;

Coord coordinates(const LinearLayout&, int reg, int lane, int warp = 0, int block = 0);
Bases bases(const LinearLayout&, std::string_view input);  // what each of its bits moves
std::string to_string(const Bases&);                       // "[[1, 0], [2, 0]]"

enum class MatrixUnit : uint8_t { mfma, wmma };
enum class OperandSide : uint8_t { a, b };  // operands, and the scales that belong to them
// The layout of the result of a matrix product: instruction, warps and tiles. `warps` and `tiles` have the tensor's
// rank, 2 or 3, batch first.
struct LayoutEncoding {
  MatrixUnit unit = MatrixUnit::mfma;
  int version = 0;                   // MFMA 1-4 (CDNA1-4); WMMA 1 (gfx11), 2 (gfx12), 3 (gfx1250)
  std::array<int, 3> instruction{};  // m, n, k
  std::vector<int> warps;            // per workgroup; N counts fastest
  std::vector<int> tiles;            // adjacent instruction tiles of one warp; empty: one everywhere
  bool transposed = false;           // the operands are swapped, so that a lane holds consecutive elements of one row
  int element_bits = 32;             // of the accumulator: 32 or 64
  Bases clusters;                    // bit i of the workgroup's index in its cluster -> which part of the tensor
};

// All: shape in elements as stored; LayoutError for a rank, tile or extent that the encoding cannot have.
LinearLayout result_layout(const LayoutEncoding&, const std::vector<int>& shape);  // C and D, [batch,] M, N
LinearLayout operand_layout(const LayoutEncoding&, OperandSide, int k_width,
                            const std::vector<int>& shape);  // A [batch,] M, K; B [batch,] K, N
LinearLayout scale_layout(const LayoutEncoding&, OperandSide,
                          const std::vector<int>& shape);  // M (N for B), K / 32, for both sides
// An e2m1 operand packed along M or N, as ds_read_b64_tr_b4 delivers it, in bytes: A [M/2, K], B [K, N/2]. CDNA4.
LinearLayout packed_operand_layout(const LayoutEncoding&, OperandSide, const std::vector<int>& shape);

// The same elements under other coordinates. transpose: dimension i of the result is dimension order[i] of the source.
LinearLayout transpose(const LinearLayout&, const std::vector<int>& order);
LinearLayout reshape(const LinearLayout&, const std::vector<int>& shape);  // row-major, powers of two
// Elements that one lane can fetch at once: the largest power of two, up to `limit`, of its registers (in any order)
// that are consecutive in memory, where order[0] is the dimension that runs fastest.
int contiguous_elements(const LinearLayout&, const std::vector<int>& order, int limit = 16);

}  // namespace wavesmith::plan
