// The host's side of the backward kernels: checks, which kernels a configuration takes, launches.
#include <cmath>
#include <numbers>

#include "isa_tables/occupancy.h"
#include "isa_tables/timing/peaks.h"
#include "isa_tables/timing/timing.h"
#include "kernels/attention/attention_kernel.h"
#include "kernels/attention/backward_delta.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith {
namespace attention {

const PartInfo& about(BackwardPart p) {
  static constexpr PartInfo all[] = {{BackwardPart::delta, "delta", false, false, false, false},
                                     {BackwardPart::dk_dv, "dk_dv", true, true, true, false},
                                     {BackwardPart::dk, "dk", true, true, false, false},
                                     {BackwardPart::dv, "dv", true, false, true, false},
                                     {BackwardPart::dq, "dq", false, true, false, false},
                                     {BackwardPart::dk_dv_dq, "dk_dv_dq", true, true, true, true},
                                     {BackwardPart::convert, "convert", false, false, false, false}};
  return all[static_cast<size_t>(p)];
}
Atom backward_atom(const AttentionBackwardConfig& c, Arch arch) {
  return AttentionPlan({.type = c.type, .head_dim = c.head_dim, .head_dim_v = c.head_dim_v}, arch).atom;
}

namespace {

[[noreturn]] void refuse_backward(const std::string& what) { throw ConfigError("attention backward: " + what); }

// The shapes to try, in the order of preference. Where waves have 512 registers: two workgroups on a CU or one, whose
// softmax is beside products; one where loads are direct and a wave owns more keys. Then two waves on a SIMD, then one
// with more registers, then less in them.
std::vector<BackwardShape> candidates(const Atom& atom, const PartInfo& part, isa::Type type) {
  const bool large = atom.extent == 32, unified = isa::target(atom.arch).agprs && isa::target(atom.arch).unified;
  const int k = isa::info(atom.op).matrix.k;
  std::vector<BackwardShape> all;
  // Where a CU multiplies this fast, it waits for the sums of dQ in memory: of a wave with twice the keys there are
  // half as many.
  if (unified && part.adds_dq && flops_per_clock(atom.op, atom.arch, type, type) >= 2048)
    all.push_back({.waves = 4, .tile = 32, .owned = 2, .ring = 4, .waves_on_simd = 1, .overlapped = true});
  for (const int waves_on_simd : {2, 1}) {
    if (waves_on_simd == 1 && large && part.of_keys && part.dx && part.dy && loads_to_lds(atom.arch))
      all.push_back({.waves = 4, .tile = 32, .owned = 2, .ring = 4, .waves_on_simd = 1, .direct = true});
    for (const int ring : {4, 2})
      if (unified)
        all.push_back(
            {.waves = 4, .tile = 32, .owned = 1, .ring = ring, .waves_on_simd = waves_on_simd, .overlapped = true});
  }
  for (const bool y_in_lds : {false, true})
    for (const int waves : {8, 4})
      for (const int tile : large || k == 32 ? std::vector{32} : std::vector{32, 16})
        for (const bool frugal : {false, true})
          all.push_back({.waves = waves,
                         .tile = tile,
                         .owned = 1,
                         .ring = frugal ? 2 : 4,
                         .waves_on_simd = waves / 4,
                         .one_stage = frugal,
                         .y_in_lds = y_in_lds});
  return all;
}

bool by_rows(BackwardPart part) { return part == BackwardPart::delta || part == BackwardPart::convert; }

std::optional<BackwardKernel> try_build(const AttentionBackwardConfig& cfg, Arch arch, BackwardPart part,
                                        const std::string& name, const LowerOptions& options) {
  const PartInfo& info = about(part);
  const std::string full = fmt::format("{}_{}", name, info.name);
  if (by_rows(part))
    return BackwardKernel{part, delta_workgroup / lanes_of_query(cfg),
                          (part == BackwardPart::delta ? build_delta : build_convert)(cfg, arch, full, options)};
  const Atom atom = backward_atom(cfg, arch);
  const isa::Target& target = isa::target(arch);
  for (const BackwardShape& shape : candidates(atom, info, cfg.type)) try {
      if (shape.y_in_lds && !info.dx) break;
      if (shape.direct && (!cfg.scores.empty() || cfg.dropout)) continue;  // has no registers for them
      Kernel kernel(full, arch, shape.waves * atom.lanes);
      Backward b{kernel, cfg, info, shape, atom};
      b.build();
      const int block = b.block_rows,
                registers = isa::vgprs_in_file(target, kernel.r.v.high_water(), kernel.r.a.high_water());
      if (target.agprs && registers * shape.waves_on_simd > target.vgpr_file) continue;
      return BackwardKernel{part, block, lower(std::move(kernel), options)};
    } catch (const OutOfRegisters&) {}
  return std::nullopt;
}

// None where registers or LDS do not suffice.
std::vector<BackwardKernel> try_build(const AttentionBackwardConfig& cfg, Arch arch, const std::string& name,
                                      const LowerOptions& options) {
  std::vector<BackwardKernel> all;
  const auto add = [&](BackwardPart part) {
    auto built = try_build(cfg, arch, part, name, options);
    if (built) all.push_back(std::move(*built));
    return built.has_value();
  };
  const auto ordered = [&] {
    return (add(BackwardPart::dk_dv) || (add(BackwardPart::dv) && add(BackwardPart::dk))) && add(BackwardPart::dq);
  };
  const bool fits =
      add(BackwardPart::delta) &&
      (cfg.reduction == Reduction::ordered ? ordered() : add(BackwardPart::dk_dv_dq) && add(BackwardPart::convert));
  return fits ? std::move(all) : std::vector<BackwardKernel>{};
}

std::string default_name(const AttentionBackwardConfig& c) {
  const std::string v = c.dim_v() == c.head_dim ? "" : fmt::format("_dv{}", c.dim_v());
  std::string name =
      fmt::format("attention_backward_{}_d{}{}{}{}", isa::type_name(c.type), c.head_dim, v,
                  c.sequences == Sequences::packed ? "_varlen" : "", c.reduction == Reduction::atomic ? "_atomic" : "");
  if (c.dropout) name += "_dropout";
  for (const ScoreMod& mod : c.scores) name += "_" + mod.name;
  return name;
}

}  // namespace
}  // namespace attention

const char* name_of(BackwardPart p) { return attention::about(p).name; }

void check_backward(const AttentionBackwardConfig& c) {
  if (c.type != isa::Type::f16 && c.type != isa::Type::bf16)
    attention::refuse_backward("Q, K, V and O are f16 or bf16");
  for (const ScoreMod& mod : c.scores)
    if (!mod.derivative && !mod.only_adds)
      attention::refuse_backward(fmt::format(
          "change '{}' of the scores without a derivative; legal: ScoreMod::derivative, or only_adds where it is 1",
          mod.name));
  for (const auto& [dim, of] : {std::pair(c.head_dim, ""), {c.dim_v(), " of V"}})
    if (dim < 16 || dim > 256 || dim % 8)
      attention::refuse_backward(
          fmt::format("head dimension {}{}; legal: multiples of 8 from 16 to 256, the nearest {}", dim, of,
                      std::clamp((dim + 4) / 8 * 8, 16, 256)));
}

AttentionBackward build_attention_backward(const AttentionBackwardConfig& cfg, Arch arch, const std::string& name,
                                           const LowerOptions& options) {
  using namespace attention;
  check_backward(cfg);
  const isa::Target& target = isa::target(arch);
  if (cfg.reduction == Reduction::atomic && target.agprs && !target.unified)
    refuse_backward(
        fmt::format("reduction atomic on {}, whose matrix results are only in AGPRs; legal: ordered", target.name));
  AttentionBackward out{cfg, arch, try_build(cfg, arch, name.empty() ? default_name(cfg) : name, options)};
  if (!out.kernels.empty()) return out;
  AttentionBackwardConfig less = cfg;
  less.head_dim_v = cfg.dim_v();
  while (std::max(less.head_dim, less.head_dim_v) > 16 && try_build(less, arch, "less", {.check = false}).empty())
    (less.head_dim > less.head_dim_v ? less.head_dim : less.head_dim_v) -= 8;
  refuse_backward(fmt::format(
      "head dimensions {} and {} of V take more registers or LDS than {} has; legal, the nearest: {} and {}{}",
      cfg.head_dim, cfg.dim_v(), target.name, less.head_dim, less.head_dim_v,
      cfg.reduction == Reduction::atomic ? ", or the ordered reduction" : ""));
}

uint64_t row_bytes(const AttentionBackwardConfig& c, const AttentionProblem& p) {
  const uint64_t rows = c.sequences == Sequences::packed ? p.total_queries : uint64_t{p.batch} * p.queries;
  return 8 * rows * p.heads;
}
uint64_t dq_sum_bytes(const AttentionBackwardConfig& c, const AttentionProblem& p) {
  return c.reduction == Reduction::ordered ? 0 : row_bytes(c, p) / 8 * attention::DqSums::bytes_of(c.head_dim);
}

AttentionBackwardProblem complete(const AttentionBackwardConfig& c, AttentionBackwardProblem p) {
  const AttentionConfig forward{
      .type = c.type, .head_dim = c.head_dim, .head_dim_v = c.head_dim_v, .sequences = c.sequences};
  AttentionProblem gradients = p;
  gradients.o = p.d_o, gradients.q = p.dq, gradients.k = p.dk, gradients.v = p.dv;
  gradients = complete(forward, gradients);
  p.d_o = gradients.o, p.dq = gradients.q, p.dk = gradients.k, p.dv = gradients.v;
  static_cast<AttentionProblem&>(p) = complete(forward, static_cast<const AttentionProblem&>(p));
  return p;
}

namespace attention {
namespace {

// Heads whose tiles are dispatched in turn such that workgroups of a head run together on one XCD of the target's
// largest GPU: one for each XCD, more where a head's tiles leave some of its CUs free. The heaviest tiles then come
// first, which matters with a mask.
uint32_t heads_at_once(const BackwardKernel& kernel, Arch arch, uint32_t tiles) {
  const Program& p = kernel.program;
  const isa::Resources needs{.vgprs = p.vgprs,
                             .agprs = p.agprs,
                             .sgprs = p.sgprs,
                             .lds_bytes = p.lds_bytes,
                             .waves_per_group = p.workgroup_size / isa::target(arch).wave_size};
  const auto of_unit = static_cast<uint32_t>(std::max(1, isa::occupancy(arch, needs).groups));
  uint32_t most = 1, heads = 1;
  for (const isa::Gpu& gpu : isa::gpus()) {
    if (gpu.arch != arch) continue;
    const auto xcds = static_cast<uint32_t>(std::max(1, isa::gpu_timing(gpu).dies)),
               groups = static_cast<uint32_t>(gpu.units) * of_unit;
    if (xcds > 1 && groups > most) most = groups, heads = xcds * std::max(1u, groups / xcds / std::max(1u, tiles));
  }
  return heads;
}

void check(const AttentionBackwardConfig& c, const AttentionBackwardProblem& p) {
  const bool packed = c.sequences == Sequences::packed;
  if (const std::string wrong = wrong_dropout(c.dropout, p); !wrong.empty()) refuse_backward(wrong);
  if (!p.kv_heads || p.heads % p.kv_heads || p.heads >= 1u << 15)
    refuse_backward(fmt::format("{} heads for {} K/V heads; legal: a multiple, less than 32768", p.heads, p.kv_heads));
  if (uint64_t{p.heads} * p.batch >= 1u << 31 || p.batch >= 1u << 16)
    refuse_backward(fmt::format("{} heads in {} batches; legal: less than 2^31 together, batches less than 2^16",
                                p.heads, p.batch));
  if (!(p.scale >= 0x1p-100f && p.scale <= 0x1p100f))
    refuse_backward(fmt::format("scale is {}; legal: 2^-100 to 2^100", p.scale));
  if (p.queries >= 1u << 29 || p.keys >= 1u << 29 || p.total_queries >= 1u << 29)
    refuse_backward(
        fmt::format("{} queries, {} keys; legal: less than 2^29", std::max(p.queries, p.total_queries), p.keys));
  if (packed && p.total_queries < p.queries)
    refuse_backward(
        fmt::format("{} queries in total, {} in the longest sequence; legal: a total of at least the longest",
                    p.total_queries, p.queries));
  for (const auto& [name, s, rows, width] : {std::tuple("O", p.o, p.queries, c.dim_v()),
                                             {"dO", p.d_o, p.queries, c.dim_v()},
                                             {"Q", p.q, p.queries, c.head_dim},
                                             {"dQ", p.dq, p.queries, c.head_dim},
                                             {"K", p.k, p.keys, c.head_dim},
                                             {"dK", p.dk, p.keys, c.head_dim},
                                             {"V", p.v, p.keys, c.dim_v()},
                                             {"dV", p.dv, p.keys, c.dim_v()}}) {
    // Lanes address a head of a tensor with 32-bit offsets, up to one tile past the end.
    const uint64_t most = static_cast<uint32_t>(out_of_range) / (2 * (uint64_t{rows} + 256));
    if (s.row < static_cast<uint32_t>(width) || s.row > most)
      refuse_backward(fmt::format("row stride of {} is {} elements; legal: {} to {}", name, s.row, width, most));
    if (s.row % 8 || s.head % 8 || s.batch % 8)
      refuse_backward(
          fmt::format("strides of {} are {}, {}, {} elements; legal: multiples of 8", name, s.batch, s.head, s.row));
  }
}

uint64_t sum_bytes(const AttentionBackwardConfig& c) { return DqSums::bytes_of(c.head_dim); }  // of a query

KernelLaunch launch_delta(const AttentionBackward& of, const BackwardKernel& kernel, const AttentionBackwardProblem& p,
                          const AttentionBackwardPointers& to) {
  const bool packed = of.config.sequences == Sequences::packed;
  const uint32_t rows = packed ? p.total_queries : p.queries, block = static_cast<uint32_t>(kernel.block_rows);
  KernelLaunch l;
  l.grid = {(rows + block - 1) / block, p.heads, packed ? 1 : p.batch};
  l.block[0] = delta_workgroup;
  l.kernargs = kernarg_bytes(DeltaArguments{.o = {to.o},
                                            .d_o = {to.d_o},
                                            .lse = {to.lse},
                                            .rows = {to.rows},
                                            .o_batch = 2 * p.o.batch,
                                            .o_head = 2 * p.o.head,
                                            .do_batch = 2 * p.d_o.batch,
                                            .do_head = 2 * p.d_o.head,
                                            .lse_batch = uint64_t{4} * p.heads * rows,
                                            .lse_head = uint64_t{4} * rows,
                                            .rows_batch = uint64_t{8} * p.heads * rows,
                                            .rows_head = uint64_t{8} * rows,
                                            .o_row = 2 * p.o.row,
                                            .do_row = 2 * p.d_o.row,
                                            .queries = rows,
                                            .by_scale = of.config.scores.empty() ? -1 / p.scale : -1,
                                            .dq_sums = {to.dq_sums},
                                            .dq_batch = sum_bytes(of.config) * p.heads * rows,
                                            .dq_head = sum_bytes(of.config) * rows},
                             of.config);
  return l;
}
KernelLaunch launch_convert(const AttentionBackward& of, const BackwardKernel& kernel,
                            const AttentionBackwardProblem& p, const AttentionBackwardPointers& to) {
  KernelLaunch l = launch_delta(of, kernel, p, to);
  const uint32_t rows = of.config.sequences == Sequences::packed ? p.total_queries : p.queries;
  l.kernargs = kernarg_bytes(ConvertArguments{.dq_sums = {to.dq_sums},
                                              .dq = {to.dq},
                                              .sums_batch = sum_bytes(of.config) * p.heads * rows,
                                              .sums_head = sum_bytes(of.config) * rows,
                                              .dq_batch = 2 * p.dq.batch,
                                              .dq_head = 2 * p.dq.head,
                                              .dq_row = 2 * p.dq.row,
                                              .queries = rows,
                                              .scale = p.scale},
                             of.config);
  return l;
}

KernelLaunch launch_part(const AttentionBackward& of, const BackwardKernel& kernel, const AttentionBackwardProblem& p,
                         const AttentionBackwardPointers& to) {
  const PartInfo& part = about(kernel.part);
  const bool packed = of.config.sequences == Sequences::packed;
  const uint32_t owned = part.of_keys ? p.keys : p.queries, block = static_cast<uint32_t>(kernel.block_rows),
                 tiles = (owned + block - 1) / block, heads = part.of_keys ? p.kv_heads : p.heads,
                 all_heads = heads * p.batch, group = p.heads / p.kv_heads;
  // The heaviest tiles of all heads first; sums in memory stay in the L2 while a head is worked on.
  const bool head_by_head = p.mask == Mask::none || about(kernel.part).adds_dq;
  const uint32_t chosen = p.heads_in_turn ? p.heads_in_turn
                          : head_by_head  ? heads_at_once(kernel, of.arch, tiles)
                                          : all_heads;
  const uint32_t in_turn = std::clamp(chosen, 1u, std::max(1u, all_heads));
  const uint64_t rows = packed ? p.total_queries : p.queries;
  struct Side {
    uint64_t first, second;
    AttentionStrides of_first, of_second;
  };
  const Side by_keys{to.k, to.v, p.k, p.v}, by_queries{to.q, to.d_o, p.q, p.d_o};
  const Side &own = part.of_keys ? by_keys : by_queries, &moving = part.of_keys ? by_queries : by_keys;
  const AttentionStrides& dx = part.of_keys ? p.dk : p.dq;
  KernelLaunch l;
  l.grid = {in_turn, tiles, (all_heads + in_turn - 1) / in_turn};
  l.block[0] = static_cast<uint32_t>(kernel.program.workgroup_size);
  l.kernargs = kernarg_bytes(
      BackwardArguments{.x = {own.first},
                        .y = {own.second},
                        .X = {moving.first},
                        .Y = {moving.second},
                        .x_batch = 2 * own.of_first.batch,
                        .x_head = 2 * own.of_first.head,
                        .y_batch = 2 * own.of_second.batch,
                        .y_head = 2 * own.of_second.head,
                        .X_batch = 2 * moving.of_first.batch,
                        .X_head = 2 * moving.of_first.head,
                        .Y_batch = 2 * moving.of_second.batch,
                        .Y_head = 2 * moving.of_second.head,
                        .x_row = 2 * own.of_first.row,
                        .y_row = 2 * own.of_second.row,
                        .X_row = 2 * moving.of_first.row,
                        .Y_row = 2 * moving.of_second.row,
                        .rows = {to.rows},
                        .rows_batch = packed ? 0 : 8 * p.heads * rows,
                        .rows_head = 8 * rows,
                        .heads = heads,
                        .all_heads = all_heads,
                        .queries = p.queries,
                        .keys = p.keys,
                        .diagonal = p.mask == Mask::none ? int32_t{1} << 29
                                    : p.mask == Mask::top_left || packed
                                        ? 0
                                        : static_cast<int32_t>(p.keys) - static_cast<int32_t>(p.queries),
                        .group = group,
                        .kv_group = static_cast<uint32_t>(((uint64_t{1} << 31) + group - 1) / group),
                        .scale = p.scale,
                        .scale_log2 = (of.config.scores.empty() ? p.scale : 1) * std::numbers::log2e_v<float>,
                        .heads_in_turn = in_turn,
                        .dx = {part.of_keys ? to.dk : to.dq},
                        .dy = {to.dv},
                        .dx_batch = 2 * dx.batch,
                        .dx_head = 2 * dx.head,
                        .dy_batch = 2 * p.dv.batch,
                        .dy_head = 2 * p.dv.head,
                        .dx_row = 2 * dx.row,
                        .dy_row = 2 * p.dv.row,
                        .cu_seqlens_q = {to.cu_seqlens_q},
                        .cu_seqlens_k = {to.cu_seqlens_k},
                        .from_end = p.mask == Mask::bottom_right ? -1 : 0,
                        .dq_sums = {to.dq_sums},
                        .dq_batch = packed ? 0 : sum_bytes(of.config) * p.heads * rows,
                        .dq_head = sum_bytes(of.config) * rows,
                        .seed = p.seed,
                        .drop_below = drop_below(p),
                        .drop_offset = p.offset,
                        .keep_scale = keep_scale(p)},
      of.config, part);
  return l;
}

}  // namespace
}  // namespace attention

std::vector<KernelLaunch> launch(const AttentionBackward& of, const AttentionBackwardProblem& problem,
                                 const AttentionBackwardPointers& to) {
  const AttentionBackwardProblem p = complete(of.config, problem);
  attention::check(of.config, p);
  std::vector<KernelLaunch> all;
  for (const BackwardKernel& kernel : of.kernels)
    all.push_back(kernel.part == BackwardPart::delta     ? attention::launch_delta(of, kernel, p, to)
                  : kernel.part == BackwardPart::convert ? attention::launch_convert(of, kernel, p, to)
                                                         : attention::launch_part(of, kernel, p, to));
  return all;
}

}  // namespace wavesmith
