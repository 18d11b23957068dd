// Builds layouts by stacking: each step assigns the next bits of one dimension to registers, lanes or warps; bits
// beyond the tensor's extent repeat its elements. The order of steps for one input is the order of its bits; the order
// of steps for one dimension gives its strides.
#include "kernels/plan/tensor_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace wavesmith::plan {
namespace {

constexpr int nowhere = -1;  // the dimension of bits that repeat the same elements

std::string dim_name(size_t d) { return fmt::format("dim{}", d); }
// Output axes of a tensor, the last dimension first.
std::vector<LinearLayout::Axis> dim_axes(const std::vector<int>& shape) {
  std::vector<LinearLayout::Axis> out;
  for (size_t d = shape.size(); d-- > 0;) out.push_back({dim_name(d), isa::log2(shape[d])});
  return out;
}
std::vector<int> shape_of(const LinearLayout& l) {
  std::vector<int> out;
  for (size_t d = 0; d < l.outputs().size(); ++d) out.push_back(1 << l.output_bits(dim_name(d)));
  return out;
}

class Stack {
 public:
  explicit Stack(std::vector<int> shape) : shape_(std::move(shape)), covered_(shape_.size(), 1) {}
  Stack& registers(int dim, int count) { return add(registers_, dim, count); }
  Stack& lanes(int dim, int count) { return add(lanes_, dim, count); }
  Stack& warps(int dim, int count) { return add(warps_, dim, count); }
  Stack& rest(int dim) {
    return registers(dim, shape_[dim] / covered_[dim]);
  }  // assigns all bits not yet covered to registers
  int uncovered(int dim) const { return std::max(1, shape_[dim] / covered_[dim]); }
  LinearLayout map() const {
    const std::pair<const char*, const Bits*> inputs[] = {
        {"register", &registers_}, {"lane", &lanes_}, {"warp", &warps_}};
    std::vector<LinearLayout::Axis> axes;
    for (const auto& [name, bits] : inputs) axes.push_back({name, static_cast<int>(bits->size())});
    axes.push_back({"block", 0});
    LinearLayout l(std::move(axes), dim_axes(shape_));
    for (const auto& [name, bits] : inputs)
      for (size_t i = 0; i < bits->size(); ++i)
        if (const auto [dim, value] = (*bits)[i]; value)
          l.move(name, static_cast<int>(i), dim_name(static_cast<size_t>(dim)), static_cast<uint32_t>(value));
    return l;
  }

 private:
  using Bits = std::vector<std::pair<int, int>>;  // of an input, from the lowest: the dimension it moves, by how much
  std::vector<int> shape_, covered_;
  Bits registers_, lanes_, warps_;
  Stack& add(Bits& to, int dim, int count) {
    for (; count > 1; count /= 2) {
      int value = 0;
      if (dim != nowhere) {
        if (covered_[dim] < shape_[dim]) value = covered_[dim];
        covered_[dim] *= 2;
      }
      to.emplace_back(dim, value);
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

void check(const LayoutEncoding& e, const std::vector<int>& shape) {
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

int tile(const LayoutEncoding& e, int dim) { return e.tiles.empty() || dim == nowhere ? 1 : e.tiles[dim]; }
int warp(const LayoutEncoding& e, int dim) { return dim == nowhere ? 1 : e.warps[dim]; }

// The part of the tensor that one workgroup holds, extents raised to powers of two.
std::vector<int> part(const LayoutEncoding& e, const std::vector<int>& shape) {
  check(e, shape);
  std::vector<int> out;
  for (size_t d = 0; d < shape.size(); ++d) {
    int pieces = 1;
    for (const Coord& c : e.clusters) pieces = std::max(pieces, 2 * c.at(d));
    out.push_back(std::max(1, static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape[d]))) / pieces));
  }
  return out;
}

// The parts of the workgroups of a cluster, side by side.
LinearLayout over_clusters(const LayoutEncoding& e, const LinearLayout& part) {
  std::vector<int> parts(part.outputs().size(), 1);
  for (const Coord& c : e.clusters)
    for (size_t d = 0; d < parts.size(); ++d) parts[d] = std::max(parts[d], 2 * c[d]);
  LinearLayout which({{"block", static_cast<int>(e.clusters.size())}}, dim_axes(parts));
  for (size_t i = 0; i < e.clusters.size(); ++i)
    for (size_t d = 0; d < parts.size(); ++d)
      which.move("block", static_cast<int>(i), dim_name(d), static_cast<uint32_t>(e.clusters[i][d]));
  return part * which;
}

// One tile of the result: the lanes run along `across`, the registers and lane groups along `down`. Sections 11.1
// and 11.3.
void stack_result_tile(Stack& s, const LayoutEncoding& e, int down, int across) {
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
void stack_operand_warps(Stack& s, const LayoutEncoding& e, OperandSide side, int x) {
  const Dims d = dims(static_cast<int>(e.warps.size()));
  if (side == OperandSide::a) s.warps(nowhere, warp(e, d.col)).warps(x, warp(e, d.row));
  else s.warps(x, warp(e, d.col)).warps(nowhere, warp(e, d.row));
}

struct OperandDims {
  int x, k;
};  // the dimension that the result keeps, and the one it sums over
OperandDims operand_dims(OperandSide side, int rank) {
  return side == OperandSide::a ? OperandDims{rank - 2, rank - 1} : OperandDims{rank - 1, rank - 2};
}
int tiles_of(const LayoutEncoding& e, OperandSide side) {
  const Dims d = dims(static_cast<int>(e.warps.size()));
  return tile(e, side == OperandSide::a ? d.row : d.col);
}

LinearLayout finish_operand(Stack s, const LayoutEncoding& e, OperandSide side, int x) {
  s.registers(x, tiles_of(e, side));
  stack_operand_warps(s, e, side, x);
  s.rest(x);
  if (e.warps.size() == 3) s.warps(0, e.warps[0]).rest(0);
  return over_clusters(e, s.map());
}

}  // namespace

Coord coordinates(const LinearLayout& l, int reg, int lane, int warp, int block) {
  const auto value = [](int x) { return static_cast<uint32_t>(x); };
  const LinearLayout::Point at{
      {"register", value(reg)}, {"lane", value(lane)}, {"warp", value(warp)}, {"block", value(block)}};
  Coord out;
  for (size_t d = 0; d < l.outputs().size(); ++d) out.push_back(static_cast<int>(l.at(at, dim_name(d))));
  return out;
}

Bases bases(const LinearLayout& l, std::string_view input) {
  Bases out;
  for (int i = 0; i < l.input_bits(input); ++i) {
    Coord& c = out.emplace_back();
    for (size_t d = 0; d < l.outputs().size(); ++d) c.push_back(static_cast<int>(l.basis(input, i, dim_name(d))));
  }
  return out;
}

std::string to_string(const Bases& bases) { return fmt::format("{}", bases); }

LinearLayout result_layout(const LayoutEncoding& e, const std::vector<int>& shape) {
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
  return over_clusters(e, s.map());
}

LinearLayout operand_layout(const LayoutEncoding& e, OperandSide side, int k_width, const std::vector<int>& shape) {
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
    const int width = e.instruction[side == OperandSide::a ? 0 : 1], groups = 64 / width;
    const int held = std::max(extents[k], k_width * (groups == 1 ? 16 : groups)) /
                     groups;  // the 64-wide side of 64x4 is multiplied by 16 vectors
    s.registers(k, k_width).lanes(x, width).lanes(k, groups).registers(k, held / k_width);
  }
  return finish_operand(std::move(s), e, side, x);
}

LinearLayout scale_layout(const LayoutEncoding& e, OperandSide side, const std::vector<int>& shape) {
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
  return over_clusters(e, s.map());
}

LinearLayout packed_operand_layout(const LayoutEncoding& e, OperandSide side, const std::vector<int>& shape) {
  const int width = e.instruction[0];
  require(e.unit == MatrixUnit::mfma && (width == 16 || width == 32),
          "operands packed along M or N: MFMA 16x16 and 32x32 only");
  Stack s(part(e, shape));
  const auto [x, k] = operand_dims(side, static_cast<int>(shape.size()));
  s.lanes(k, 16).registers(x, 8).registers(k, 2).lanes(x, width / 16).lanes(k, 64 / width).rest(k);  // section 11.6
  return finish_operand(std::move(s), e, side, x);
}

LinearLayout transpose(const LinearLayout& l, const std::vector<int>& order) {
  std::vector<int> sorted = order, all(l.outputs().size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  require(sorted == all, fmt::format("order {} is not a permutation of {}", order, all));
  LinearLayout renamed;
  for (size_t d = order.size(); d-- > 0;) {
    const std::string from = dim_name(static_cast<size_t>(order[d]));
    renamed = renamed * LinearLayout::identity(from, dim_name(d), l.output_bits(from));
  }
  return l.then(renamed);
}

LinearLayout reshape(const LinearLayout& l, const std::vector<int>& shape) {
  const auto count = [](const std::vector<int>& v) {
    return std::accumulate(v.begin(), v.end(), 1L, std::multiplies<>());
  };
  const std::vector<int> is = shape_of(l);
  require(std::all_of(shape.begin(), shape.end(),
                      [](int x) { return x > 0 && std::has_single_bit(static_cast<unsigned>(x)); }),
          fmt::format("shape {}: extents must be powers of two", shape));
  require(count(shape) == count(is),
          fmt::format("shape {} has {} elements, {} has {}", shape, count(shape), is, count(is)));
  return l.with_outputs(dim_axes(shape));
}

int contiguous_elements(const LinearLayout& l, const std::vector<int>& order, int limit) {
  const LinearLayout memory = transpose(l, {order.rbegin(), order.rend()});  // row-major: the fastest dimension last
  int count = 1;
  const auto holds = [&](uint64_t offset) {
    for (int i = 0; i < memory.input_bits("register"); ++i)  // the first input: its bits are the packed input's lowest
      if (memory.packed(uint64_t{1} << i) == offset) return true;
    return false;
  };
  while (count * 2 <= limit && holds(static_cast<uint64_t>(count))) count *= 2;
  return count;
}

}  // namespace wavesmith::plan
