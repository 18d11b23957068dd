// The host's side of the attention kernel: splits, the order of workgroups, the launch.
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "isa_tables/timing/peaks.h"
#include "isa_tables/timing/timing.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith {

using attention::refuse;

namespace {
// Of the largest of the target's GPUs; 1 where none is known.
uint32_t xcds_of(Arch arch) {
  int most = 1;
  for (const isa::Gpu& gpu : isa::gpus())
    if (gpu.arch == arch) most = std::max(most, isa::gpu_timing(gpu).dies);
  return static_cast<uint32_t>(most);
}
}  // namespace

AttentionProblem complete(const AttentionConfig& c, AttentionProblem p) {
  const auto dim = static_cast<uint32_t>(c.head_dim), dim_v = static_cast<uint32_t>(c.dim_v());
  const auto contiguous = [&](AttentionStrides& s, uint32_t rows, uint32_t heads, uint32_t width) {
    const bool pages = (&s == &p.k || &s == &p.v) && c.page_size;
    if (!s.row)
      s = {c.sequences == Sequences::packed && !pages ? 0 : uint64_t{rows} * heads * width, width, heads * width};
  };
  contiguous(p.o, p.queries, p.heads, dim_v);
  contiguous(p.q, p.queries, p.heads, dim);
  const auto of_pages = static_cast<uint32_t>(c.page_size);
  contiguous(p.k, c.page_size ? of_pages : p.keys, p.kv_heads, dim);
  if (c.latent) p.v = p.k;
  contiguous(p.v, c.page_size ? of_pages : p.keys, p.kv_heads, dim_v);
  if (c.page_size && !p.table_stride) p.table_stride = (p.keys + of_pages - 1) / of_pages;
  if (c.bias && !p.bias.row) p.bias = {uint64_t{p.heads} * p.queries * p.keys, uint64_t{p.queries} * p.keys, p.keys};
  if (p.scale == 0) p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)));
  return p;
}

namespace {

// The target's GPU with so many compute units, else the largest of the target or of its family.
const isa::Gpu& gpu_of(Arch arch, uint32_t units) {
  const isa::Gpu* best = nullptr;
  const auto rank = [&](const isa::Gpu& g) {
    return std::tuple(g.arch == arch, g.arch == arch && static_cast<uint32_t>(g.units) == units, g.units);
  };
  for (const isa::Gpu& g : isa::gpus())
    if (isa::target(g.arch).family == isa::target(arch).family && (!best || rank(g) > rank(*best))) best = &g;
  return *best;
}

// Where workgroups run at a time: one on a CU of CDNA, whose SIMDs a wave each keeps busy; elsewhere as many as LDS has
// room for, registers for two, or with 1024 VGPRs for three waves of each SIMD.
struct Places {
  uint32_t units, of_unit;
  uint64_t all() const { return uint64_t{units} * of_unit; }
};
Places places(const attention::AttentionPlan& plan, const AttentionProblem& p) {
  const isa::Target& target = isa::target(plan.atom.arch);
  const int most = target.agprs            ? 1
                   : target.has_vgpr_msb() ? std::max(1, 3 * target.simds_per_cu / plan.waves)
                                           : 2,
            of_unit = std::clamp(target.lds_pool / plan.part_lds(), 1, most);
  return {p.compute_units ? p.compute_units : static_cast<uint32_t>(gpu_of(plan.atom.arch, 0).units),
          static_cast<uint32_t>(of_unit)};
}
uint32_t row_tiles(const attention::AttentionPlan& plan, const AttentionProblem& p) {
  const auto rows = static_cast<uint32_t>(plan.block_rows());
  return (p.queries * (p.heads / p.kv_heads) + rows - 1) / rows;
}
// decode: the heads (of all batches, log2) of which the first tiles of rows are dispatched, then the second ones and so
// on, before the next heads. As many as XCDs: a head's tiles follow each other on one XCD, and all but the first find
// its keys in the L2. One tile: 0.
uint32_t log2_in_turn(const attention::AttentionPlan& plan, const AttentionProblem& p) {
  return row_tiles(plan, p) == 1 ? 0 : static_cast<uint32_t>(std::countr_zero(xcds_of(plan.atom.arch)));
}

// What a launch takes, in clocks. Calibration: what it was fitted on the timing model's times of, as is noted.
struct Pace {
  double begin;                 // of a round of workgroups, beside its tiles of keys
  double tile;                  // of a wave
  double port = 0, memory = 0;  // of a tile's bytes: between a unit and its L2; in memory, alone
  double combine, each_split;   // of several splits; of each
};
// Latent keys. Calibration (MI300X, MI355X and MI455X): a tile, which all waves of a CU share, by the waves that have
// rows, since all read LDS; the prologue and the epilogue, the second launch and the stores before it, and of these and
// their loads the bytes in a clock.
Pace latent_pace(const attention::AttentionPlan& plan, double memory, uint32_t units, uint32_t rows) {
  const auto of_wave = static_cast<uint32_t>(plan.wave_rows());
  const double waves = std::min(static_cast<uint32_t>(plan.waves), (rows + of_wave - 1) / of_wave),
               bytes = waves * plan.wave_block();
  if (isa::target(plan.atom.arch).has_vgpr_msb())
    return {.begin = 13400, .tile = 1904, .memory = memory, .combine = 10500, .each_split = units * bytes / 3500};
  const bool fast = plan.atom.arch == Arch::gfx950;
  return {.begin = 7500,
          .tile = plan.two_sets ? fast ? 1000 + 240 * waves : 2200 + 350 * waves
                  : fast        ? 2547
                                : 5370,
          .memory = memory,
          .combine = 10000 + bytes / 40,
          .each_split = units * bytes / (plan.two_sets ? 1300 : 2300)};
}
// A wave's tile takes the latency of its loads and its matrix instructions. Memory is that behind the L2s, or the
// last cache where it has room for all keys.
Pace pace(const AttentionConfig& c, const attention::AttentionPlan& plan, const AttentionProblem& p, uint32_t units,
          uint32_t tiles) {
  const Arch arch = plan.atom.arch;
  const isa::Gpu& gpu = gpu_of(arch, p.compute_units);
  const isa::Timing& t = isa::timing(arch);
  const double ghz = gpu.mhz * 1e-3,
               bits = c.head_dim * isa::bits(attention::k_type(c)) +
                      (c.latent ? 0 : c.dim_v() * isa::bits(c.kv_type.value_or(c.type))),
               bytes = plan.keys * bits / 8;
  const double of_memory = bytes / row_tiles(plan, p);  // those of a K/V head read its keys at the same time
  const isa::LastCache last = isa::last_cache(gpu);
  const bool kept = bytes * tiles * p.batch * p.kv_heads <= last.bytes;
  const double bytes_in_clock = (kept ? last.tb_per_s : t.memory_read * gpu.tb_per_s) * 1e3 / ghz,
               part = p.compute_units ? static_cast<double>(p.compute_units) / gpu.units : 1;
  const double flops_in_clock = isa::flops_per_clock(isa::info(plan.atom.op), arch) / isa::target(arch).simds_per_cu,
               flops = 2.0 * (plan.pad_dim * plan.packed + plan.pad_v) * plan.keys * plan.wave_rows();
  if (plan.latent)
    return latent_pace(plan, of_memory / (bytes_in_clock * part), units, p.queries * (p.heads / p.kv_heads));
  uint32_t rows = 1;
  while (rows < std::min<uint32_t>(p.queries * (p.heads / p.kv_heads), plan.wave_rows())) rows *= 2;
  const int lanes = plan.atom.lanes, chunks = static_cast<int>(rows) * plan.wave_tiles() * plan.atom.extent / 4;
  // Calibration: of MI300X, MI355X, MI455X, RX 7900 XTX and RX 9070 XT 28 problems with about eight numbers of splits.
  return {.begin = 12000,
          .tile = t.l2_latency + (gpu.mall_mb ? t.mall_ns : t.memory_ns) * ghz + flops / flops_in_clock,
          .port = bytes / (t.l2_port_bytes * t.vmem_paths),
          .memory = of_memory / (bytes_in_clock * part),
          .combine = 4000,
          .each_split = 140.0 * ((chunks + lanes - 1) / lanes)};
}
// Of what happens at the same time: the longer one, and more where they are nearly as long (calibration).
double both(double a, double b) { return std::sqrt(std::sqrt(a * a * a * a + b * b * b * b)); }
// The number of splits with the shortest time. A unit's workgroups come in rounds; their tiles are as many as its port
// to the L2 or the latency of a wave's tiles allows, and all units together as many as memory allows, of which units
// that are idle leave some unused (calibration). All wait for the unit with most workgroups.
uint32_t best_splits(uint32_t units, uint32_t tiles, uint32_t waves, const Places& on, const Pace& pace) {
  uint32_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t s = 1; s <= std::clamp((tiles + waves - 1) / waves, 1u, 512u); ++s) {
    const uint64_t groups = uint64_t{units} * s, of_unit = (groups + on.units - 1) / on.units;
    const double rounds = static_cast<double>((of_unit + on.of_unit - 1) / on.of_unit),
                 tiles_of_wave = (tiles + s * waves - 1) / (s * waves),
                 tiles_of_unit = static_cast<double>(tiles) / s * static_cast<double>(of_unit),
                 busy = static_cast<double>(std::min<uint64_t>(groups, on.units)),
                 of_unit_alone =
                     rounds * pace.begin + std::max(rounds * tiles_of_wave * pace.tile, tiles_of_unit * pace.port),
                 of_memory = tiles_of_unit * (0.98 * busy + 0.02 * on.units) * pace.memory;
    const double time = both(of_unit_alone, of_memory) + (s > 1 ? pace.combine + s * pace.each_split : 0.0);
    if (time < least) least = time, best = s;
  }
  return best;
}

}  // namespace

uint32_t splits_of(const AttentionConfig& c, Arch arch, const AttentionProblem& p) {
  if (c.schedule != AttentionSchedule::decode) return 1;
  if (p.splits) return p.splits;
  const attention::AttentionPlan plan(c, arch);
  const auto keys = static_cast<uint32_t>(plan.keys);
  const uint32_t units = p.batch * p.kv_heads * row_tiles(plan, p);
  const uint32_t tiles = (p.keys + keys - 1) / keys;
  return best_splits(units, tiles, static_cast<uint32_t>(plan.key_waves()), places(plan, p),
                     pace(c, plan, p, units, tiles));
}

namespace {
// With a mask the heads that take turns are some rounds of workgroups together, so that the light tiles of the last of
// them fill the end; not more, so that those of one XCD find their K and V in its L2.
uint32_t chosen_in_turn(Arch arch, Mask mask, uint32_t tiles) {
  constexpr double large_l2 = 16384;  // KiB, of an XCD: it has room for the K and V of twice as many heads
  const uint32_t tiles_of_xcd = isa::timing(arch).l2_kib >= large_l2 ? 512 : 256;
  const uint32_t xcds = xcds_of(arch);
  if (mask == Mask::none) return xcds;
  return xcds == 1 ? ~0u : xcds * std::max(1u, tiles_of_xcd / std::max(1u, tiles));
}

void check_pages(const AttentionConfig& c, const AttentionProblem& p) {
  const uint64_t longest = (p.keys + static_cast<uint64_t>(c.page_size) - 1) / static_cast<uint64_t>(c.page_size);
  if (p.keys && (!p.pages || p.table_stride < longest))
    refuse(fmt::format("{} pages, {} in a block table for {} keys in pages of {}; legal: at least {} in a table",
                       p.pages, p.table_stride, p.keys, c.page_size, longest));
  for (const auto& [name, s] : {std::pair("K", p.k), {"V", p.v}})  // lanes address them with 32-bit offsets
    if ((c.kv_type ? 1 : 2) * (s.batch * p.pages + uint64_t{s.row} * static_cast<uint32_t>(c.page_size)) >=
        static_cast<uint32_t>(attention::out_of_range))
      refuse(fmt::format("{} pages of {} elements of {}; legal: less than 4 GiB together", p.pages, s.batch, name));
}

void check_decode(const AttentionProblem& p, uint32_t splits) {
  const uint32_t group = p.heads / p.kv_heads;
  if (uint64_t{p.queries} * group >= 1u << 15)
    refuse(fmt::format("schedule decode: {} queries of {} heads of a K/V head; legal: less than 32768 together",
                       p.queries, group));
  if (splits > 512) refuse(fmt::format("{} splits; legal: 1 to 512", splits));
  for (const auto& [name, s] : {std::pair("O", p.o), {"Q", p.q}})
    if (2 * (s.head * group + uint64_t{s.row} * p.queries) >= static_cast<uint32_t>(attention::out_of_range))
      refuse(
          fmt::format("schedule decode: strides of {} are {}, {} elements; legal: the heads of a K/V head within 4 GiB",
                      name, s.head, s.row));
}

// The second launch. Where chunks are few and splits many, the waves of a workgroup share the splits of a chunk.
struct SecondLaunch {
  uint32_t groups, split_waves;  // workgroups for a wave's rows; waves
};
SecondLaunch second_launch(const attention::AttentionPlan& plan, const AttentionProblem& p, uint32_t splits) {
  const auto all = static_cast<uint32_t>(plan.chunk_groups()), waves = static_cast<uint32_t>(plan.waves);
  const uint64_t waves_with_rows = uint64_t{p.batch} * p.kv_heads * row_tiles(plan, p) * waves;
  if (splits > waves && waves_with_rows * all <= places(plan, p).all()) return {all, waves};
  return {static_cast<uint32_t>(
              std::clamp<uint64_t>(2 * places(plan, p).all() / std::max<uint64_t>(waves_with_rows, 1), 1, all / waves)),
          1};
}

}  // namespace

WorkspaceSize workspace_size(const AttentionConfig& c, Arch arch) {
  const attention::AttentionPlan plan(c, arch);
  const auto waves = static_cast<uint64_t>(plan.waves);
  return {plan.latent ? 0 : 4 * waves, waves * static_cast<uint64_t>(plan.wave_block())};
}
namespace {
// The counters, at the beginning of the workspace, and the partial results.
WorkspaceSize workspace_parts(const AttentionConfig& c, Arch arch, const AttentionProblem& p) {
  const auto [counters, partials] = workspace_size(c, arch);
  const uint64_t groups = uint64_t{p.batch} * p.kv_heads * row_tiles(attention::AttentionPlan(c, arch), p);
  return {(groups * counters + 255) / 256 * 256, groups * partials * splits_of(c, arch, p)};
}
}  // namespace
uint64_t workspace_bytes(const AttentionConfig& c, Arch arch, const AttentionProblem& p) {
  if (splits_of(c, arch, p) == 1) return 0;
  const auto [counters, partials] = workspace_parts(c, arch, p);
  return counters + partials;
}

uint32_t mx_scale_bytes(const AttentionConfig& c) { return 4 * ((static_cast<uint32_t>(c.head_dim) + 127) / 128); }
uint64_t mx_value_scale_bytes(const AttentionConfig& c, const AttentionProblem& p) {
  return (uint64_t{p.keys} + 127) / 128 * 4 * static_cast<uint64_t>(c.dim_v());
}
namespace {
// Lanes address the scales of a sequence with 32-bit offsets.
void check_mx(const AttentionConfig& c, const AttentionProblem& p) {
  const uint64_t of_row = mx_scale_bytes(c), most = static_cast<uint32_t>(attention::out_of_range);
  const uint64_t largest =
      std::max({(uint64_t{p.queries} + 512) * p.heads * of_row, (uint64_t{p.keys} + 512) * p.kv_heads * of_row,
                p.kv_heads * mx_value_scale_bytes(c, p)});
  if (largest >= most)
    refuse(fmt::format("scales of {} queries, {} keys, {} and {} heads; legal: less than 4 GiB of a sequence",
                       p.queries, p.keys, p.heads, p.kv_heads));
  if (p.head_scales) refuse("scales of heads in MX; legal: scales of 32 elements");
}
}  // namespace
uint32_t scales_of_head(uint32_t rows, int scale_rows) {
  return scale_rows ? (rows + static_cast<uint32_t>(scale_rows) - 1) / static_cast<uint32_t>(scale_rows) : 1;
}

std::vector<KernelLaunch> launch(const AttentionConfig& c, Arch arch, const AttentionProblem& problem,
                                 const AttentionPointers& to) {
  const attention::AttentionPlan plan(c, arch);
  const auto block_rows = static_cast<uint32_t>(plan.block_rows());
  const AttentionProblem p = complete(c, problem);
  if (!p.kv_heads || p.heads % p.kv_heads || p.heads >= 1u << 15)
    refuse(fmt::format("{} heads for {} K/V heads; legal: a multiple, less than 32768", p.heads, p.kv_heads));
  if (uint64_t{p.heads} * p.batch >= 1u << 31)
    refuse(fmt::format("{} heads in {} batches; legal: less than 2^31 together", p.heads, p.batch));
  if (!(p.scale > 0) || !std::isfinite(p.scale)) refuse(fmt::format("scale is {}; legal: positive numbers", p.scale));
  const bool packed = c.sequences == Sequences::packed;
  if (p.queries >= 1u << 29 || p.keys >= 1u << 29 || p.total_queries >= 1u << 29)
    refuse(fmt::format("{} queries, {} keys; legal: less than 2^29", std::max(p.queries, p.total_queries), p.keys));
  if (packed && p.total_queries < p.queries)
    refuse(fmt::format("{} queries in total, {} in the longest sequence; legal: a total of at least the longest",
                       p.total_queries, p.queries));
  for (const auto& [name, s, rows, width] : {std::tuple("O", p.o, p.queries, c.dim_v()),
                                             {"Q", p.q, p.queries, c.head_dim},
                                             {"K", p.k, p.keys, c.head_dim},
                                             {"V", p.v, p.keys, c.dim_v()}}) {
    // Lanes address a head of K or V, and a workgroup's queries, with 32-bit offsets, up to one tile past the end.
    const uint64_t lines = (name[0] == 'O' || name[0] == 'Q') && !plan.decode() ? block_rows : uint64_t{rows} + 128,
                   most = static_cast<uint32_t>(attention::out_of_range) / (2 * lines);
    if (s.row < static_cast<uint32_t>(width) || s.row > most)
      refuse(fmt::format("row stride of {} is {} elements; legal: {} to {}", name, s.row, width, most));
    if (s.row % 8 || s.head % 8 || s.batch % 8)
      refuse(fmt::format("strides of {} are {}, {}, {} elements; legal: multiples of 8", name, s.batch, s.head, s.row));
  }
  KernelLaunch out;
  const uint32_t tiles = (p.queries + block_rows - 1) / block_rows;
  const uint32_t all_heads = p.heads * p.batch,
                 chosen = p.heads_in_turn ? p.heads_in_turn : chosen_in_turn(arch, p.mask, tiles);
  const uint32_t in_turn = std::clamp(chosen, 1u, std::max(1u, all_heads));
  out.grid = {in_turn, tiles, (all_heads + in_turn - 1) / in_turn};
  const uint32_t splits = splits_of(c, arch, p);
  if (plan.decode()) {
    check_decode(p, splits);
    const uint32_t shift = log2_in_turn(plan, p), in_turn = 1u << shift;
    out.grid = {(p.batch * p.kv_heads + in_turn - 1) / in_turn * in_turn * row_tiles(plan, p), splits, 1};
  } else if (p.splits) {
    refuse(fmt::format("{} splits in schedule {}; legal: decode", p.splits, name_of(plan.schedule)));
  }
  out.block[0] = static_cast<uint32_t>(plan.lanes);
  const uint32_t group = p.heads / p.kv_heads;
  const auto bytes_of = [](Type t) {
    return [t](uint64_t elements) { return elements * static_cast<uint64_t>(isa::bits(t)) / 8; };
  };
  const auto of_q = bytes_of(c.q_type.value_or(c.type)), of_k = bytes_of(attention::k_type(c)),
             of_v = bytes_of(c.kv_type.value_or(c.type));
  if (c.mx) check_mx(c, p);
  const bool own_lengths = attention::own_lengths(c);
  if (c.page_size) check_pages(c, p);
  if (const std::string wrong = attention::wrong_dropout(c.dropout, p); !wrong.empty()) refuse(wrong);
  if (c.bias && 2 * (p.bias.row * uint64_t{p.queries} + p.bias.head * (plan.decode() ? group : 1) + p.keys + 128) >> 31)
    refuse(fmt::format(
        "bias of {} queries with strides {} and {} elements; legal: less than 2 GiB for a head (decode: the "
        "heads of a K/V head)",
        p.queries, p.bias.head, p.bias.row));
  attention::AttentionArguments arguments{
      .o = {to.o},
      .q = {to.q},
      .k = {to.k},
      .v = {c.latent ? to.k : to.v},
      .lse = {to.lse},
      .o_batch = 2 * p.o.batch,
      .o_head = 2 * p.o.head,
      .q_batch = of_q(p.q.batch),
      .q_head = of_q(p.q.head),
      .k_batch = of_k(p.k.batch),
      .k_head = of_k(p.k.head),
      .v_batch = of_v(p.v.batch),
      .v_head = of_v(p.v.head),
      .lse_batch = packed ? 0 : uint64_t{4} * p.heads * p.queries,
      .lse_head = uint64_t{4} * (packed ? p.total_queries : p.queries),
      .o_row = 2 * p.o.row,
      .q_row = static_cast<uint32_t>(of_q(p.q.row)),
      .k_row = static_cast<uint32_t>(of_k(p.k.row)),
      .v_row = static_cast<uint32_t>(of_v(p.v.row)),
      .queries = p.queries,
      .keys = p.keys,
      .kv_group = static_cast<uint32_t>(((uint64_t{1} << 31) + group - 1) / group),
      .diagonal = p.mask == Mask::none ? int32_t{1} << 29
                  : p.mask == Mask::top_left || own_lengths
                      ? 0
                      : static_cast<int32_t>(p.keys) - static_cast<int32_t>(p.queries),
      .scale_log2 = !changes_scores(c, arch) ? p.scale * std::numbers::log2e_v<float> : p.scale,
      .heads = p.heads,
      .all_heads = all_heads,
      .heads_in_turn = in_turn,
      .cu_seqlens_q = {to.cu_seqlens_q},
      .cu_seqlens_k = {to.cu_seqlens_k},
      .from_end = p.mask == Mask::bottom_right ? -1 : 0,
      .block_table = {to.block_table},
      .seqlens_k = {to.seqlens_k},
      .table_stride = 4 * p.table_stride,
      .pages = p.pages,
      .q_scale = {to.q_scale},
      .k_scale = {to.k_scale},
      .v_scale = {c.latent ? to.k_scale : to.v_scale},
      .sinks = {to.sinks},
      .prefix = {to.prefix},
      .bias = {to.bias},
      .query_documents = {to.query_documents},
      .key_documents = {to.key_documents},
      .bias_batch = 2 * p.bias.batch,
      .bias_head = 2 * p.bias.head,
      .bias_row = 2 * p.bias.row,
      .seed = p.seed,
      .drop_below = attention::drop_below(p),
      .drop_offset = p.offset,
      .keep_scale = attention::keep_scale(p),
      .scale_step = p.head_scales ? 4u : 0u,
      .q_scale_row = p.heads * mx_scale_bytes(c),
      .k_scale_row = p.kv_heads * mx_scale_bytes(c),
      .v_scale_batch = static_cast<uint32_t>(p.kv_heads * mx_value_scale_bytes(c, p)),
      .v_scale_head = static_cast<uint32_t>(mx_value_scale_bytes(c, p)),
      .q_scale_batch = 4 * p.heads * scales_of_head(p.queries, c.scale_rows.q),
      .q_scale_head = 4 * scales_of_head(p.queries, c.scale_rows.q),
      .kv_scale_batch = 4 * p.kv_heads * scales_of_head(p.keys, c.scale_rows.kv),
      .kv_scale_head = 4 * scales_of_head(p.keys, c.scale_rows.kv),
      .kv_heads = p.kv_heads,
      .all_kv_heads = p.batch * p.kv_heads,
      .group_heads = group,
      .splits = splits,
      .row_tiles = plan.decode() ? row_tiles(plan, p) : 0,
      .log2_in_turn = plan.decode() ? log2_in_turn(plan, p) : 0,
      .counters = {to.workspace},
      .partials = {to.workspace + workspace_parts(c, arch, p).counters}};
  out.kernargs = kernarg_bytes(arguments, c);
  if (!c.latent || splits == 1) return {out};
  KernelLaunch combining = out;
  const auto [groups, split_waves] = second_launch(plan, p, splits);
  const auto waves = static_cast<uint32_t>(plan.waves);
  combining.grid[1] = waves * groups;
  arguments.combines = groups * waves / split_waves, arguments.split_waves = split_waves;
  combining.kernargs = kernarg_bytes(arguments, c);
  return {out, combining};
}

}  // namespace wavesmith
