// The host's side of a launch of the GEMM: places of scales, workspace, checks of the problem, arguments.
#include <cmath>

#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith {

using isa::Type;

namespace {
// Where alpha and beta are not i32, these are not used.
int32_t as_i32(double x) { return std::fabs(x) < 0x1p31 ? static_cast<int32_t>(x) : 0; }
std::array<DevicePointer, epilogue_part_count> pointers_of(const OfParts<uint64_t>& addresses) {
  std::array<DevicePointer, epilogue_part_count> out;
  for (size_t i = 0; i < out.size(); ++i) out[i].address = addresses.all[i];
  return out;
}
// A batch's scales are addressed by 32 bits.
void check_sum_scales(const GemmConfig& g, const GemmProblem& p) {
  for (const auto& [name, how, rows] :
       {std::tuple("A", g.sum_scales_a, p.m * static_cast<uint32_t>(g.epilogue.halves())), {"B", g.sum_scales_b, p.n}})
    if (constexpr uint64_t most = 1 << 30; how.rows && sum_scale_count(how, rows, p.k) > most - 4096)
      throw ConfigError(fmt::format("gemm: {} scales of {} in a batch; legal: less than {}",
                                    sum_scale_count(how, rows, p.k), name, most - 4096));
}
void check_tiles(const GemmConfig& g, const GemmProblem& p) {
  for (const auto& [name, order, type, rows, ld, stride] : {std::tuple("A", g.order_a, g.input, p.m, p.lda, p.stride_a),
                                                            {"B", g.order_b, type_of_b(g), p.n, p.ldb, p.stride_b}}) {
    if (order == MatrixOrder::rows) continue;
    const auto of_chunk = static_cast<uint32_t>(chunk_k(type));
    if (rows % tile_rows || ld % of_chunk || stride % of_chunk)
      throw ConfigError(fmt::format(
          "gemm: {} in tiles with {} rows, leading dimension {} and stride {}; legal: multiples of {}, {} and {}", name,
          rows, ld, stride, tile_rows, of_chunk, of_chunk));
  }
}
void check_i4(const GemmConfig& g, const GemmProblem& p) {
  for (const auto& [is_a, name, ld, stride] :
       {std::tuple(true, "A", p.lda, p.stride_a), {false, "B", p.ldb, p.stride_b}}) {
    if ((is_a ? g.input : type_of_b(g)) != Type::i4 || g.block_scales != BlockScales::none) continue;
    if (ld % 8 || stride % 8)
      throw ConfigError(fmt::format("gemm: {} of i4 with leading dimension {} and stride {}; legal: multiples of 8",
                                    name, ld, stride));
    const uint32_t rows = is_a ? p.m * static_cast<uint32_t>(g.epilogue.halves()) : p.n;
    if (constexpr uint64_t most = 1 << 30; has_weights(g) && group_count(g.groups, rows, p.k) > most)
      throw ConfigError(fmt::format("gemm: {} groups of {} in a batch; legal: {} or less",
                                    group_count(g.groups, rows, p.k), name, most));
  }
}
void check_scaled(const GemmConfig& g, const GemmProblem& p) {
  const uint64_t rows = std::max(p.m * uint64_t{g.epilogue.gated ? 2u : 1u}, uint64_t{p.n});
  const auto multiple = [](const char* name, uint64_t value) {
    if (value % 32)
      throw ConfigError(fmt::format("gemm: {} is {} with block scales; legal: multiples of 32", name, value));
  };
  multiple("K", p.k);
  if (isa::bits(g.input) < 8) multiple("lda", p.lda), multiple("the stride of A", p.stride_a);
  if (isa::bits(type_of_b(g)) < 8) multiple("ldb", p.ldb), multiple("the stride of B", p.stride_b);
  if (p.batch * (rows + 31) >> 32)  // the kernel counts their rows in 32 bits
    throw ConfigError(fmt::format("gemm: {} batches of {} rows with block scales; legal: less than 2^32 rows together",
                                  p.batch, rows));
}
}  // namespace

namespace {
uint64_t in_blocks(uint32_t n, int block) {
  return (uint64_t{n} + static_cast<uint64_t>(block) - 1) / static_cast<uint64_t>(block);
}
}  // namespace
uint64_t block_scale_bytes(BlockScales how, uint32_t rows, uint32_t k, uint32_t batch) {
  if (how == BlockScales::none) return 0;
  const uint64_t units = by_32_rows(how) ? (rows + UINT64_C(31)) / 32 : rows,
                 of_unit = how == BlockScales::shuffled ? in_blocks(k, 256) * 256
                                                        : in_blocks(k, 128) * (how == BlockScales::tiles ? 128 : 4);
  return units * batch * of_unit;
}
uint64_t block_scale_at(BlockScales how, uint32_t rows, uint32_t k, uint32_t batch, uint32_t row, uint32_t block) {
  const uint64_t before = block_scale_bytes(how, rows, k, batch);
  if (how == BlockScales::plain) return before + block_scale_bytes(how, row, k, 1) + block;
  const uint64_t group = before + block_scale_bytes(how, row & ~31u, k, 1);
  if (how == BlockScales::tiles) return group + block / 4 * UINT64_C(128) + row % 32 * 4 + block % 4;
  return group + block / 8 * UINT64_C(256) + ((block % 4 * 16 + row % 16) * 2 + block / 4 % 2) * 2 + row / 16 % 2;
}

std::string name_of(SumScales s) { return fmt::format("{}x{}{}", s.rows, sum_scale_k, s.transposed ? "-t" : ""); }
std::optional<SumScales> find_sum_scales(std::string_view name) {
  for (const SumScales s : all_sum_scales)
    if (name == name_of(s)) return s;
  return {};
}
uint64_t sum_scale_count(SumScales s, uint32_t rows, uint32_t k) {
  return s.rows ? in_blocks(rows, s.rows) * in_blocks(k, sum_scale_k) : 0;
}
uint64_t sum_scale_at(SumScales s, uint32_t rows, uint32_t k, uint32_t row, uint32_t block) {
  const uint64_t of_row = row / static_cast<uint32_t>(s.rows);
  return s.transposed ? block * in_blocks(rows, s.rows) + of_row : of_row * in_blocks(k, sum_scale_k) + block;
}
uint64_t group_count(WeightGroups g, uint32_t rows, uint32_t k) { return rows * in_blocks(k, g.size); }
uint64_t group_at(WeightGroups g, uint32_t rows, uint32_t k, uint32_t row, uint32_t group) {
  return g.transposed ? uint64_t{group} * rows + row : row * in_blocks(k, g.size) + group;
}

namespace {
// Tiles along m, along n, of whole clusters; batches or groups. Ragged: the most that so many groups of this sum can
// have.
std::array<uint64_t, 3> tiles_of(const GemmConfig& g, const GemmProblem& p) {
  const auto tiles = [](uint32_t extent, int of, uint64_t ragged_groups, int clustered) {
    const auto size = static_cast<uint64_t>(of), together = static_cast<uint64_t>(clustered),
               count = ragged_groups ? (extent + ragged_groups * (size - 1)) / size : (extent + size - 1) / size;
    return (count + together - 1) / together * together;
  };
  return {tiles(p.m, rows_of_d(g), g.ragged == Ragged::m ? p.groups : 0, g.cluster.m),
          tiles(p.n, g.block.n, g.ragged == Ragged::n ? p.groups : 0, g.cluster.n),
          g.ragged == Ragged::k ? p.groups : p.batch};
}
uint64_t sharing_waves(const GemmConfig& g, const GemmProblem& p) {  // parts of D that waves have
  const auto [m, n, batches] = tiles_of(g, p);
  const uint64_t shared = m * n - whole_tiles(g, m * n), columns = n * batches,
                 parts = static_cast<uint64_t>(g.waves_m * g.waves_n);
  if (g.stream_k && (columns >> 32 || m * n * static_cast<uint64_t>(g.split_k) >> 31))
    throw ConfigError(fmt::format("gemm: {} tiles with stream_k; legal: less than {}", m * n, (1u << 31) / g.split_k));
  if (columns >> 32 || m * columns * parts * static_cast<uint64_t>(g.split_k) >> 32)
    throw ConfigError(
        fmt::format("gemm: {}x{} in {} batches by tiles of {}x{}, each in {} parts of K; legal: less than "
                    "2^32 waves, or a larger tile",
                    p.m, p.n, batches, rows_of_d(g), g.block.n, g.split_k));
  return shared * batches * parts;
}
uint64_t counter_bytes(const GemmConfig& g, const GemmProblem& p) {
  return (sharing_waves(g, p) * 4 + 255) / 256 * 256;
}
}  // namespace

uint64_t workspace_bytes(const GemmConfig& g, const GemmProblem& p) {
  if (!has_workspace(g)) return 0;
  const auto of_wave = static_cast<uint64_t>(g.block.m * g.block.n * isa::bits(accumulated(g)) / 8 /
                                             (g.waves_m * g.waves_n) * g.split_k);
  return counter_bytes(g, p) + sharing_waves(g, p) * of_wave;
}

namespace {
// What has the ragged dimension is one matrix.
GemmProblem checked_groups(const GemmConfig& g, GemmProblem p, const GemmPointers& at) {
  if (g.ragged == Ragged::none) return p;
  if (!p.groups || p.groups >= 1u << 28)
    throw ConfigError(fmt::format("gemm: {} groups; legal: 1 to {}", p.groups, (1u << 28) - 1));
  if (p.batch != 1) throw ConfigError(fmt::format("gemm: {} batches of groups; legal: 1", p.batch));
  if (!at.offsets)
    throw ConfigError(fmt::format("gemm: no offsets; legal: {} of {}", p.groups + 1, name_of(g.offsets)));
  if (g.ragged != Ragged::n) p.stride_a = 0;
  if (g.ragged != Ragged::m) p.stride_b = 0;
  if (g.ragged != Ragged::k) p.stride_c = p.stride_d = p.stride_residual = 0;
  return p;
}
}  // namespace

KernelLaunch launch(const GemmConfig& g, Arch arch, const GemmProblem& given, const GemmPointers& at) {
  const GemmProblem p = checked_groups(g, given, at);
  // Lanes address `lines` columns of a matrix with 32-bit offsets; the highest offsets mean "out of range".
  const auto need = [](const char* name, uint32_t ld, uint32_t rows, uint64_t lines, Type type) {
    const uint64_t most =
        (UINT64_C(0xffffffff) - 4096) * 8 / (std::max<uint64_t>(lines, 1) * static_cast<uint64_t>(isa::bits(type)));
    if (ld < std::max(rows, 1u))
      throw ConfigError(fmt::format("gemm: {} is {}; legal: {} or more", name, ld, std::max(rows, 1u)));
    if (ld > most) throw ConfigError(fmt::format("gemm: {} is {}; legal: {} or less with this tile", name, ld, most));
  };
  const auto block = [](uint32_t extent, int tile) { return std::min<uint64_t>(extent, static_cast<uint64_t>(tile)); };
  const uint64_t columns = block(p.n, g.block.n / g.waves_n);
  if (g.block_scales != BlockScales::none) check_scaled(g, p);
  check_sum_scales(g, p);
  check_i4(g, p);
  check_tiles(g, p);
  if (g.epilogue.gated && p.beta != 0)
    throw ConfigError(fmt::format("gemm: beta is {} with a gated epilogue, which has no C; legal: 0", p.beta));
  const uint64_t far = g.epilogue.gated ? p.m : 0;  // rows between a gate and what it gates
  if (p.m + far > UINT32_MAX) throw ConfigError(fmt::format("gemm: m is {} and gated; legal: less than 2^31", p.m));
  need("lda", p.lda, g.trans_a ? p.k : p.m + static_cast<uint32_t>(far),
       g.trans_a ? far + block(p.m, rows_of_d(g)) : block(p.k, g.block.k), g.input);
  need("ldb", p.ldb, g.trans_b ? p.n : p.k, g.trans_b ? block(p.k, g.block.k) : block(p.n, g.block.n), type_of_b(g));
  need("ldd", p.ldd, p.m, columns, g.output);
  if (p.beta != 0 || g.epilogue.beta_on_device) need("ldc", p.ldc, p.m, columns, g.output);
  if (g.epilogue.quantisation != Quantisation::none) {
    const QuantisationInfo& q = about(g.epilogue.quantisation);
    if (uint64_t{p.batch} * p.n >> 32 || scales_of(g.epilogue, p.m) * columns * static_cast<uint64_t>(q.bytes()) >> 32)
      throw ConfigError(
          fmt::format("gemm: scales of {} for {}x{} in {} batches; legal: less than 2^32 columns in all, "
                      "and 4 GiB for {} columns",
                      q.name, p.m, p.n, p.batch, columns));
  }
  if (g.epilogue.has(EpiloguePart::residual)) need("ld_residual", p.ld_residual, p.m, columns, g.output);
  const uint64_t batches = g.ragged == Ragged::k ? p.groups : p.batch;
  if (g.split_k > 1 &&
      batches * static_cast<uint64_t>(g.split_k * g.split_k) >> 32)  // z of the grid is divided by a reciprocal
    throw ConfigError(fmt::format("gemm: {} batches with split_k {}; legal: less than {}", batches, g.split_k,
                                  (UINT64_C(1) << 32) / static_cast<uint64_t>(g.split_k * g.split_k)));
  if (scaled_as(g) == Type::i32)
    for (const double factor : {p.alpha, p.beta})
      if (factor != std::floor(factor) || std::fabs(factor) >= 0x1p31)
        throw ConfigError(fmt::format("gemm: alpha or beta is {} with D of i32; legal: integers of 32 bits", factor));
  if (const uint64_t bytes = workspace_bytes(g, p); sharing_waves(g, p) && bytes && !at.workspace)
    throw ConfigError(fmt::format("gemm: no workspace; legal: one of {} bytes", bytes));
  KernelLaunch out;
  const auto grid = tiles_of(g, p);
  for (size_t i = 0; i < 3; ++i) out.grid[i] = static_cast<uint32_t>(grid[i]);
  const uint64_t tiles = grid[0] * grid[1], together = static_cast<uint64_t>(g.cluster.groups());
  const uint64_t at_once = std::min(static_cast<uint64_t>(g.persistent), tiles) / together;  // clusters
  if (g.persistent && tiles)
    out.grid[0] = static_cast<uint32_t>(at_once) * static_cast<uint32_t>(g.cluster.m),
    out.grid[1] = static_cast<uint32_t>(g.cluster.n);
  if (g.stream_k)
    out.grid[1] +=
        static_cast<uint32_t>(((tiles - whole_tiles(g, tiles)) * (static_cast<uint64_t>(g.split_k) - 1) + grid[0] - 1) /
                              std::max<uint64_t>(grid[0], 1));
  else out.grid[2] *= static_cast<uint32_t>(g.split_k);
  if ((!g.order.plain() || g.persistent) && tiles >> 31)
    throw ConfigError(fmt::format("gemm: {} tiles in order {}; legal: less than {}, or order columns", tiles,
                                  name_of(g.order), UINT64_C(1) << 31));
  out.block[0] = static_cast<uint32_t>(gemm::lanes_of(g, arch));
  const auto of_block = static_cast<uint64_t>(g.block.k), parts = static_cast<uint64_t>(g.split_k);
  const uint64_t blocks = (p.k + of_block - 1) / of_block;
  out.kernargs = kernarg_bytes(
      gemm::GemmArguments{
          .d = {at.d},
          .c = {at.c},
          .a = {at.a},
          .b = {at.b},
          .stride_d = p.stride_d,
          .stride_c = p.stride_c,
          .stride_a = p.stride_a,
          .stride_b = p.stride_b,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .lda = p.lda,
          .ldb = p.ldb,
          .ldc = p.ldc,
          .ldd = p.ldd,
          .alpha = static_cast<float>(p.alpha),
          .beta = static_cast<float>(p.beta),
          .alpha_i32 = as_i32(p.alpha),
          .beta_i32 = as_i32(p.beta),
          .alpha_f64 = p.alpha,
          .beta_f64 = p.beta,
          .alpha_at = {at.alpha},
          .beta_at = {at.beta},
          .epilogue = pointers_of(at.epilogue),
          .scales = {at.scales},
          .stride_residual = p.stride_residual,
          .ld_residual = p.ld_residual,
          .block_scales_a = {at.block_scales_a},
          .block_scales_b = {at.block_scales_b},
          .group_scales = {at.group_scales},
          .zero_points = {at.zero_points},
          .k_per_split = static_cast<uint32_t>(std::min<uint64_t>((blocks + parts - 1) / parts * of_block, UINT32_MAX)),
          .arrivals = {at.workspace},
          .partial_sums = {has_workspace(g) ? at.workspace + counter_bytes(g, p) : 0},
          .tiles_m = out.grid[0],
          .tiles_n = static_cast<uint32_t>(grid[1]),
          .whole_tiles = static_cast<uint32_t>(whole_tiles(g, tiles)),
          .tiles = static_cast<uint32_t>(tiles / together),
          .tiles_at_once = static_cast<uint32_t>(at_once),
          .offsets = {at.offsets},
          .groups = p.groups},
      g);
  return out;
}

}  // namespace wavesmith
