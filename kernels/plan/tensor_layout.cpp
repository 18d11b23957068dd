// Builds layouts by stacking: each step gives the next bits of one dimension to registers, lanes or warps, and what
// reaches beyond the tensor wraps onto it. The order of the steps of one input is its bit order; the order of the steps
// of one dimension its strides.
#include "kernels/plan/tensor_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace wavesmith::plan {
namespace {

constexpr int nowhere = -1;  // the dimension of bits that repeat the same elements

class Stack {
 public:
  explicit Stack(std::vector<int> shape) : covered_(shape.size(), 1) { out_.shape = std::move(shape); }
  Stack& registers(int dim, int count) { return add(out_.registers, dim, count); }
  Stack& lanes(int dim, int count) { return add(out_.lanes, dim, count); }
  Stack& warps(int dim, int count) { return add(out_.warps, dim, count); }
  Stack& rest(int dim) {
    return registers(dim, out_.shape[dim] / covered_[dim]);
  }  // what no step covers yet, to registers
  int uncovered(int dim) const { return std::max(1, out_.shape[dim] / covered_[dim]); }
  LinearLayout take() { return std::move(out_); }

 private:
  LinearLayout out_;
  std::vector<int> covered_;
  Stack& add(Bases& bases, int dim, int count) {
    for (; count > 1; count /= 2) {
      Coord c(out_.shape.size(), 0);
      if (dim != nowhere) {
        if (covered_[dim] < out_.shape[dim]) c[dim] = covered_[dim];
        covered_[dim] *= 2;
      }
      bases.push_back(std::move(c));
    }
    return *this;
  }
};

struct Dims {
  int batch, row, col;
};  // batch: nowhere for rank 2
Dims dims(int rank) { return {rank == 3 ? 0 : nowhere, rank - 2, rank - 1}; }

void require(bool holds, const std::string& what) {
  if (!holds) throw LayoutError(what);
}

void check(const Encoding& e, const std::vector<int>& shape) {
  const auto [m, n, k] = e.instruction;
  const auto is = [&](int a, int b) { return m == a && n == b; };
  const auto powers = [](const std::vector<int>& v) {
    return std::all_of(v.begin(), v.end(),
                       [](int x) { return x > 0 && std::has_single_bit(static_cast<unsigned>(x)); });
  };
  if (e.unit == MatrixUnit::mfma)
    require(is(32, 32) || is(16, 16) || is(64, 4) || is(4, 64),
            fmt::format("MFMA tile {}x{}; legal: 32x32, 16x16, 64x4, 4x64", m, n));
  else
    require(is(16, 16) && powers({k}), fmt::format("WMMA tile {}x{}x{}; legal: 16x16 with K a power of two", m, n, k));
  require(!is(64, 4) || e.transposed, "MFMA tile 64x4 exists transposed only");
  require(!is(4, 64) || !e.transposed, "MFMA tile 4x64 exists not transposed only");
  require(e.element_bits == 32 || e.element_bits == 64,
          fmt::format("accumulators of {} bits; legal: 32 and 64", e.element_bits));
  const size_t rank = e.warps.size();
  require(rank == 2 || rank == 3, fmt::format("{} warp counts; legal: 2 ([M, N]) and 3 ([batch, M, N])", rank));
  require(shape.size() == rank, fmt::format("a tensor of rank {} with warps of rank {}", shape.size(), rank));
  require(e.tiles.empty() || e.tiles.size() == rank,
          fmt::format("tiles per warp of rank {} with warps of rank {}", e.tiles.size(), rank));
  require(powers(e.warps) && powers(e.tiles),
          fmt::format("warps {} and tiles per warp {} must be powers of two", e.warps, e.tiles));
  require(std::all_of(shape.begin(), shape.end(), [](int x) { return x > 0; }),
          fmt::format("shape {}: extents must be positive", shape));
}

int tile(const Encoding& e, int dim) { return e.tiles.empty() || dim == nowhere ? 1 : e.tiles[dim]; }
int warp(const Encoding& e, int dim) { return dim == nowhere ? 1 : e.warps[dim]; }

// The part of the tensor that one workgroup holds, extents raised to powers of two.
std::vector<int> part(const Encoding& e, const std::vector<int>& shape) {
  check(e, shape);
  std::vector<int> out;
  for (size_t d = 0; d < shape.size(); ++d) {
    int pieces = 1;
    for (const Coord& c : e.clusters) pieces = std::max(pieces, 2 * c.at(d));
    out.push_back(std::max(1, static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape[d]))) / pieces));
  }
  return out;
}

LinearLayout over_clusters(const Encoding& e, LinearLayout l) {
  const std::vector<int> piece = l.shape;
  for (const Coord& c : e.clusters) {
    Coord at(piece.size());
    for (size_t d = 0; d < piece.size(); ++d) {
      at[d] = c[d] * piece[d];
      l.shape[d] = std::max(l.shape[d], 2 * at[d]);
    }
    l.blocks.push_back(std::move(at));
  }
  return l;
}

// One tile of the result: the lanes run along `across`, the registers and lane groups along `down`. Sections 11.1
// and 11.3.
void stack_result_tile(Stack& s, const Encoding& e, int down, int across) {
  if (e.unit == MatrixUnit::wmma) {
    s.lanes(across, 16);
    if (e.version == 1) s.lanes(down, 2).registers(down, 8);
    else s.registers(down, 8).lanes(down, 2);
    return;
  }
  const auto [m, n, k] = e.instruction;
  const int width = e.transposed ? m : n, run = e.element_bits == 64 ? 1 : 4, held = m * n / 64;
  s.registers(down, run).lanes(across, width).lanes(down, 64 / width).registers(down, held / run);
}

// Warps of the dimension that `side` does not have repeat its elements.
void stack_operand_warps(Stack& s, const Encoding& e, Side side, int x) {
  const Dims d = dims(static_cast<int>(e.warps.size()));
  if (side == Side::a) s.warps(nowhere, warp(e, d.col)).warps(x, warp(e, d.row));
  else s.warps(x, warp(e, d.col)).warps(nowhere, warp(e, d.row));
}

struct OperandDims {
  int x, k;
};  // the dimension that the result keeps, and the one it sums over
OperandDims operand_dims(Side side, int rank) {
  return side == Side::a ? OperandDims{rank - 2, rank - 1} : OperandDims{rank - 1, rank - 2};
}
int tiles_of(const Encoding& e, Side side) {
  const Dims d = dims(static_cast<int>(e.warps.size()));
  return tile(e, side == Side::a ? d.row : d.col);
}

LinearLayout finish_operand(Stack s, const Encoding& e, Side side, int x) {
  s.registers(x, tiles_of(e, side));
  stack_operand_warps(s, e, side, x);
  s.rest(x);
  if (e.warps.size() == 3) s.warps(0, e.warps[0]).rest(0);
  return over_clusters(e, s.take());
}

// Row-major offset of a coordinate, and back.
int flatten(const Coord& c, const std::vector<int>& shape) {
  int at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + c[d];
  return at;
}
Coord unflatten(int at, const std::vector<int>& shape) {
  Coord c(shape.size());
  for (size_t d = shape.size(); d-- > 0; at /= shape[d]) c[d] = at % shape[d];
  return c;
}

template <class F>
LinearLayout map_bases(LinearLayout l, std::vector<int> shape, F f) {
  for (Bases* bases : {&l.registers, &l.lanes, &l.warps, &l.blocks})
    for (Coord& c : *bases) c = f(c);
  l.shape = std::move(shape);
  return l;
}

}  // namespace

Coord LinearLayout::at(int reg, int lane, int warp, int block) const {
  Coord out(shape.size(), 0);
  const std::pair<int, const Bases*> inputs[] = {{reg, &registers}, {lane, &lanes}, {warp, &warps}, {block, &blocks}};
  for (const auto& [index, bases] : inputs)
    for (size_t i = 0; i < bases->size(); ++i)
      if (index >> i & 1)
        for (size_t d = 0; d < out.size(); ++d) out[d] ^= (*bases)[i][d];
  return out;
}

std::string to_string(const Bases& bases) { return fmt::format("{}", bases); }

LinearLayout result_layout(const Encoding& e, const std::vector<int>& shape) {
  Stack s(part(e, shape));
  const Dims d = dims(static_cast<int>(shape.size()));
  if (e.transposed) stack_result_tile(s, e, d.col, d.row);
  else stack_result_tile(s, e, d.row, d.col);
  if (e.unit == MatrixUnit::mfma) {  // a warp's registers run over all of N before they move in M
    s.registers(d.col, tile(e, d.col)).warps(d.col, warp(e, d.col)).rest(d.col);
    s.registers(d.row, tile(e, d.row)).warps(d.row, warp(e, d.row)).rest(d.row);
  } else {
    s.registers(d.col, tile(e, d.col))
        .warps(d.col, warp(e, d.col))
        .registers(d.row, tile(e, d.row))
        .warps(d.row, warp(e, d.row));
    s.rest(d.col).rest(d.row);
  }
  if (d.batch != nowhere) s.warps(d.batch, warp(e, d.batch)).rest(d.batch);
  return over_clusters(e, s.take());
}

LinearLayout operand_layout(const Encoding& e, Side side, int k_width, const std::vector<int>& shape) {
  require(k_width > 0 && std::has_single_bit(static_cast<unsigned>(k_width)),
          fmt::format("kWidth {} must be a power of two", k_width));
  const std::vector<int> extents = part(e, shape);
  Stack s(extents);
  const auto [x, k] = operand_dims(side, static_cast<int>(shape.size()));
  if (e.unit == MatrixUnit::wmma && e.version == 1) {  // both halves of the wave hold the same 16 rows
    s.lanes(x, 16).lanes(nowhere, 2).registers(k, std::max(extents[k], e.instruction[2]));
  } else if (e.unit == MatrixUnit::wmma) {
    const int held = std::max({extents[k], e.instruction[2], 2 * k_width}) / 2;
    s.registers(k, k_width).lanes(x, 16).lanes(k, 2).registers(k, held / k_width);
  } else {
    const int width = e.instruction[side == Side::a ? 0 : 1], groups = 64 / width;
    const int held = std::max(extents[k], k_width * (groups == 1 ? 16 : groups)) /
                     groups;  // the 64-wide side of 64x4 meets 16 vectors
    s.registers(k, k_width).lanes(x, width).lanes(k, groups).registers(k, held / k_width);
  }
  return finish_operand(std::move(s), e, side, x);
}

LinearLayout scale_layout(const Encoding& e, Side side, const std::vector<int>& shape) {
  const int rank = static_cast<int>(shape.size()), x = rank - 2,
            along_k = rank - 1;  // both sides: rows of M or N, then K / 32
  Stack s(part(e, shape));
  if (e.unit == MatrixUnit::mfma) {  // section 11.4
    const int width = e.instruction[0];
    require(width == 16 || width == 32,
            fmt::format("scales of MFMA tile {}x{}; legal: 16x16 and 32x32", width, e.instruction[1]));
    s.lanes(x, width).lanes(along_k, 64 / width).rest(along_k);
    return finish_operand(std::move(s), e, side, x);
  }
  s.lanes(x, 16).registers(along_k,
                           std::max(4, s.uncovered(along_k)));  // section 11.5: four scale bytes an instruction
  stack_operand_warps(s, e, side, x);
  s.lanes(s.uncovered(x) > 1 ? x : nowhere, 2)
      .rest(x);  // the second row of tiles sits in the upper lanes and is chosen by op_sel
  return over_clusters(e, s.take());
}

LinearLayout packed_operand_layout(const Encoding& e, Side side, const std::vector<int>& shape) {
  const int width = e.instruction[0];
  require(e.unit == MatrixUnit::mfma && (width == 16 || width == 32),
          "operands packed along M or N: MFMA 16x16 and 32x32 only");
  Stack s(part(e, shape));
  const auto [x, k] = operand_dims(side, static_cast<int>(shape.size()));
  s.lanes(k, 16).registers(x, 8).registers(k, 2).lanes(x, width / 16).lanes(k, 64 / width).rest(k);  // section 11.6
  return finish_operand(std::move(s), e, side, x);
}

LinearLayout transpose(const LinearLayout& l, const std::vector<int>& order) {
  std::vector<int> sorted = order, all(l.shape.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  require(sorted == all, fmt::format("order {} is not a permutation of {}", order, all));
  const auto permute = [&](const std::vector<int>& v) {
    std::vector<int> out;
    for (const int d : order) out.push_back(v[d]);
    return out;
  };
  return map_bases(l, permute(l.shape), permute);
}

LinearLayout reshape(const LinearLayout& l, const std::vector<int>& shape) {
  const auto count = [](const std::vector<int>& v) {
    return std::accumulate(v.begin(), v.end(), 1L, std::multiplies<>());
  };
  require(std::all_of(shape.begin(), shape.end(),
                      [](int x) { return x > 0 && std::has_single_bit(static_cast<unsigned>(x)); }),
          fmt::format("shape {}: extents must be powers of two", shape));
  require(count(shape) == count(l.shape),
          fmt::format("shape {} has {} elements, {} has {}", shape, count(shape), l.shape, count(l.shape)));
  return map_bases(l, shape, [&](const Coord& c) { return unflatten(flatten(c, l.shape), shape); });
}

int contiguous_elements(const LinearLayout& l, const std::vector<int>& order, int limit) {
  const LinearLayout memory = transpose(l, {order.rbegin(), order.rend()});  // row-major: the fastest dimension last
  int count = 1;
  const auto holds = [&](int offset) {
    return std::any_of(memory.registers.begin(), memory.registers.end(),
                       [&](const Coord& c) { return flatten(c, memory.shape) == offset; });
  };
  while (count * 2 <= limit && holds(count)) count *= 2;
  return count;
}

}  // namespace wavesmith::plan
