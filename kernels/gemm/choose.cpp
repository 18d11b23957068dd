#include "kernels/gemm/choose.h"

#include <fmt/format.h>

#include "kernels/parts/atom.h"
#include "kernels/plan/plan.h"
#include "kernels/plan/recommend.h"

namespace wavesmith {
namespace {

constexpr auto gemm_kind = plan::KernelKind::gemm;

// Divides the tile among four waves, or as many as it can be, so that each wave's part is as square as possible; none
// if no division is legal.
enum class Division : uint8_t { usual, any };
bool choose_waves(GemmConfig& c, Arch arch, Division rule) {
  const auto edge = [&](const GemmConfig& g) { return g.block.m / g.waves_m + g.block.n / g.waves_n; };
  const auto usual = [&](const GemmConfig& g) {  // 32x32 per wave, all rows that the lanes load are the tile's
    const auto all_loaded = [&](int rows, isa::Type type) {
      return rows * (g.block.k / 2 / chunk_k(type)) >= g.waves_m * g.waves_n * isa::target(arch).wave_size;
    };
    return g.block.m / g.waves_m >= 32 && g.block.n / g.waves_n >= 32 && all_loaded(g.block.m, multiplied_a(g)) &&
           all_loaded(g.block.n, multiplied_b(g));
  };
  for (const int waves : {4, 8, 2, 1}) {
    std::vector<GemmConfig> all;
    for (int m = 1; m <= waves; m *= 2) {
      all.push_back(c);
      all.back().waves_m = m, all.back().waves_n = waves / m;
    }
    std::ranges::stable_sort(all, std::less{}, [&](const GemmConfig& g) {  // of equal ones 2x2, then 4x1
      return std::tuple(edge(g), std::abs(g.waves_m - g.waves_n), -g.waves_m);
    });
    for (const GemmConfig& tried : all)
      if ((rule == Division::any || usual(tried)) && is_legal(tried, arch)) return c = tried, true;
  }
  while (c.waves_m > 1 && c.block.m / c.waves_m < 32) c.waves_m /= 2;  // check() says what else is not legal
  while (c.waves_n > 1 && c.block.n / c.waves_n < 32) c.waves_n /= 2;
  return false;
}

// The planner's block sizes, and each with M and N swapped, that the kernel supports; largest first.
std::vector<GemmConfig> legal_tiles(const GemmConfig& c, Arch arch, bool waves_given) {
  std::vector<GemmConfig> all;
  const auto add = [&](int m, int n) {
    GemmConfig tried = c;
    tried.block = {m, n, c.block.k};
    if (waves_given ? is_legal(tried, arch) : choose_waves(tried, arch, Division::usual)) all.push_back(tried);
  };
  for (const plan::BlockSize b : plan::usual_blocks()) {
    add(b.m, b.n);
    if (b.m != b.n) add(b.n, b.m);
  }
  return all;
}

// Chooses the tile and returns the reason; none if no tile is legal.
std::string choose_tile(GemmConfig& c, Arch arch, const GemmRequest& asked) {
  const auto legal = legal_tiles(c, arch, asked.waves.has_value());
  if (legal.empty()) {  // check() says why, of a tile that every target has
    c.block = {64, 64, c.block.k};
    return {};
  }
  const auto cost = [](const GemmTile& t) {
    return fmt::format("{:.3g} bytes loaded per product", 2.0 * (t.m + t.n) / t.m / t.n);
  };
  c = legal.front();
  if (!asked.grid)
    return fmt::format("the largest whose {} stages fit into LDS and whose accumulators fit into four waves: {}",
                       c.stages, cost(c.block));
  std::vector<plan::BlockSize> blocks;
  for (const GemmConfig& t : legal) blocks.push_back({t.block.m, t.block.n});
  const auto best = plan::choose_block(asked.grid->m, asked.grid->n, asked.grid->cus, blocks);
  for (const GemmConfig& t : legal)
    if (t.block.m == best.block.m && t.block.n == best.block.n) c = t;
  return fmt::format("{}, of {}x{}: {}", best.reason, asked.grid->m, asked.grid->n, cost(c.block));
}

// One iteration of a workgroup as the planner's dot.
plan::Plan planned(const GemmConfig& c, Arch arch) {
  const auto elem = [&](isa::Type t) {
    return plan::elem(t == isa::Type::xf32 ? isa::Type::f32 : t, plan::traits(arch));
  };
  plan::Problem p;
  p.arch = arch, p.waves = c.waves_m * c.waves_n, p.shape = {c.block.m, c.block.n, c.block.k};
  p.a.type = elem(multiplied_a(c)), p.b.type = elem(multiplied_b(c)), p.c = elem(accumulated(c));
  p.tf32 = c.input == isa::Type::xf32;
  try {
    return plan::plan(p);
  } catch (const plan::PlanError&) { return {}; }  // a type or tile that its rules do not cover
}

std::string why_instruction(Opcode op, const GemmConfig& c, Arch arch, const plan::Plan& p) {
  const auto rate = [&](Opcode o) { return flops_per_clock(c, o, arch) / isa::target(arch).simds_per_cu; };
  std::string why = fmt::format("{} FLOPs per clock and SIMD", rate(op));
  const int advised = plan::nonkdim_for(arch, gemm_kind).value;
  bool said = isa::info(op).matrix.m == advised;
  for (const Opcode other : matrix_instructions(c, arch)) {
    if (other == op) continue;
    why += fmt::format(", {} {}", isa::mnemonic(other, arch),
                       rate(other) == rate(op) ? "the same, but reads LDS more often" : fmt::format("{}", rate(other)));
    if (!said && isa::info(other).matrix.m == advised)
      why += fmt::format(" (the guides' non-K dimension {} for a GEMM)", advised), said = true;
  }
  for (const plan::Decision& d : p.decisions)
    if (d.subject == "tile" || d.subject == "instruction") why += "; " + d.rule;
  return why;
}

std::string why_waves(const GemmConfig& c, const plan::Plan& p) {
  std::string why = fmt::format("{}x{} per wave is the squarest part of the tile: fewest LDS reads",
                                c.block.m / c.waves_m, c.block.n / c.waves_n);
  if (const auto& w = p.warps; w.size() == 2 && w != std::vector{c.waves_m, c.waves_n}) {
    const bool as_much = c.block.m / w[0] + c.block.n / w[1] == c.block.m / c.waves_m + c.block.n / c.waves_n;
    why +=
        fmt::format("; {}x{}, the planner's order (planner 6.4), reads {}", w[0], w[1], as_much ? "as much" : "more");
  }
  return why;
}

// K of the tile is fixed by the kernel; where the guides advise another value, the reason says so.
std::string k_of_tile(const GemmConfig& c, Arch arch) {
  const auto k = plan::block_k(plan::elem(multiplied_a(c), plan::traits(arch)), arch, {c.block.m, c.block.n}, c.stages);
  return k.practical == c.block.k ? fmt::format("; K {} as the guides advise", c.block.k)
                                  : fmt::format("; K {} is the kernel's, the guides advise {}", c.block.k, k.practical);
}

int most_stages(GemmConfig c, Arch arch) {
  int most = 1;
  for (c.stages = 2; c.stages <= 4 && is_legal(c, arch); ++c.stages) most = c.stages;
  return most;
}

}  // namespace

GemmChoice choose_gemm(const GemmRequest& asked, Arch arch) {
  const plan::Stages advised = plan::stages(gemm_kind);
  GemmConfig c{.input = asked.input,
               .output = asked.output,
               .trans_a = asked.trans_a,
               .trans_b = asked.trans_b,
               .mma = asked.mma,
               .stages = asked.stages.value_or(advised.least),
               .epilogue = asked.epilogue};
  c.input_b = asked.input_b;
  c.block_scales = asked.block_scales;
  c.groups = asked.groups;
  c.split_f32 = asked.split_f32;
  c.order_a = asked.order_a, c.order_b = asked.order_b;
  c.sum_scales_a = asked.sum_scales_a, c.sum_scales_b = asked.sum_scales_b;
  c.ragged = asked.ragged, c.offsets = asked.offsets;
  c.block.k = block_k(c, arch);
  if (asked.block) c.block = *asked.block;
  if (asked.waves) c.waves_m = (*asked.waves)[0], c.waves_n = (*asked.waves)[1];
  if (asked.schedule) c.schedule = *asked.schedule;
  if (asked.cluster) c.cluster = *asked.cluster;
  c.prefetch = asked.prefetch.value_or(0);
  if (asked.split_k) c.split_k = *asked.split_k;
  c.stream_k = asked.stream_k.value_or(0);
  c.persistent = asked.persistent.value_or(0);
  c.reduction = asked.reduction.value_or(can_add_to_d(c, arch) && !c.stream_k ? Reduction::atomic : Reduction::ordered);
  if (asked.order) c.order = *asked.order;
  std::string why_tile;
  if (!asked.block) why_tile = choose_tile(c, arch, asked);
  else if (!asked.waves && !choose_waves(c, arch, Division::usual)) choose_waves(c, arch, Division::any);
  check(c, arch);

  const plan::Plan p = planned(c, arch);
  Opcode op = instruction_of(c, arch);
  if (!c.mma && p.instruction && plan::opcode(*p.instruction) != op) {
    GemmConfig advised = c;
    advised.mma = plan::opcode(*p.instruction);
    if (is_legal(advised, arch)) c = advised, op = *c.mma;
  }

  if (!asked.prefetch) {  // if the registers suffice
    GemmConfig prefetched = c;
    prefetched.prefetch = usual_prefetch(c.schedule);
    if (prefetched.prefetch && is_legal(prefetched, arch)) c = prefetched;
  }
  GemmChoice out{c, {}};
  const auto add = [&](const char* what, std::string value, bool given, std::string why) {
    out.choices.push_back({what, std::move(value), given ? "given" : std::move(why), given});
  };
  add("tile", fmt::format("{}x{}x{}", c.block.m, c.block.n, c.block.k), asked.block.has_value(),
      why_tile + k_of_tile(c, arch));
  add("waves", fmt::format("{}x{}", c.waves_m, c.waves_n), asked.waves.has_value(), why_waves(c, p));
  add("instruction", isa::mnemonic(op, arch), asked.mma.has_value(), why_instruction(op, c, arch, p));
  add("stages", fmt::format("{}", c.stages), asked.stages.has_value(),
      fmt::format("{}; LDS holds up to {}", advised.reason, most_stages(c, arch)));
  add("schedule", name_of(c.schedule), asked.schedule.has_value(),
      "supports every transpose on every target; LDS reads, stores and loads one after another, so that loads have the "
      "most time to complete");
  if (c.schedule == GemmSchedule::tensor) {
    add("prefetch", fmt::format("{}", c.prefetch), asked.prefetch.has_value(),
        c.prefetch ? "loads of the tensor data mover find their lines in the L2"
                   : "the registers do not suffice for addresses of requests");
    add("cluster", fmt::format("{}x{}", c.cluster.m, c.cluster.n), asked.cluster.has_value(),
        "each workgroup loads its rows and columns by itself");
  }
  add("split-k", fmt::format("{}", c.split_k), asked.split_k.has_value(),
      "no workspace; more help only if the grid is too small for the GPU");
  if (c.split_k > 1)
    add("reduction", name_of(c.reduction), asked.reduction.has_value(),
        adds_to_d(c) ? "D has the type of the sums, and there is no epilogue: no workspace"
                     : "the sums are added in the order of K, then come epilogue and conversion");
  if (c.stream_k)
    add("stream-k", fmt::format("{}", c.stream_k), asked.stream_k.has_value(),
        "so many workgroups run at a time: only the tiles of the last round are split");
  if (c.persistent)
    add("persistent", fmt::format("{}", c.persistent), asked.persistent.has_value(),
        "so many workgroups take the tiles in turn");
  add("order", name_of(c.order), asked.order.has_value(), "workgroups take tiles by columns, as they are numbered");
  return out;
}

}  // namespace wavesmith
