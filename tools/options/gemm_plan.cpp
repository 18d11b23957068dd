#include "tools/options/gemm_plan.h"

#include <fmt/format.h>

#include "tools/commands/commands.h"

namespace wavesmith::tools {
namespace {

bool can_be(const GemmConfig& c, isa::Arch arch) {
  try {
    check(c, arch);
    return true;
  } catch (const ConfigError&) { return false; }
}

// The squarest part of the tile for each wave, if there is a legal one.
bool choose_waves(GemmConfig& c, isa::Arch arch) {
  GemmConfig best = c;
  int least = 0;
  for (const auto& [m, n] : {std::pair(2, 2), {4, 1}, {1, 4}}) {
    GemmConfig tried = c;
    tried.waves_m = m, tried.waves_n = n;
    const int edge = c.block.m / m + c.block.n / n;
    if (can_be(tried, arch) && (!least || edge < least)) best = tried, least = edge;
  }
  c = best;
  return least;
}

void choose_tile(GemmConfig& c, isa::Arch arch, const Given& given) {
  for (const auto& [m, n] : {std::pair(256, 256), {256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}}) {
    GemmConfig tried = c;
    tried.block = {m, n, c.block.k};
    if (given.waves ? !can_be(tried, arch) : !choose_waves(tried, arch)) continue;
    c = tried;
    return;
  }
}

Choice instruction(const GemmConfig& c, isa::Arch arch) {
  const auto all = matrix_instructions(c, arch);
  const isa::Opcode op = c.mma ? *c.mma : all.front();
  const auto rate = [&](isa::Opcode o) { return isa::info(o).matrix.flops() / isa::info(o).clocks(arch); };
  std::string why = fmt::format("{} FLOPs per clock and SIMD", rate(op));
  for (const isa::Opcode other : all)
    if (other != op)
      why +=
          fmt::format(", {} {}", isa::mnemonic(other, arch),
                      rate(other) == rate(op) ? "the same, but reads LDS more often" : fmt::format("{}", rate(other)));
  return {"instruction", isa::mnemonic(op, arch), c.mma ? "given" : why, c.mma.has_value()};
}

int most_stages(GemmConfig c, isa::Arch arch) {
  int most = 1;
  for (c.stages = 2; c.stages <= 4 && can_be(c, arch); ++c.stages) most = c.stages;
  return most;
}

}  // namespace

std::vector<Choice> plan_gemm(GemmConfig& c, isa::Arch arch, const Given& given) {
  if (!given.tile) choose_tile(c, arch, given);
  else if (!given.waves) choose_waves(c, arch);
  std::vector<Choice> all;
  if (!can_be(c, arch)) return all;
  const auto add = [&](const char* what, std::string value, bool is_given, std::string why) {
    all.push_back({what, std::move(value), is_given ? "given" : std::move(why), is_given});
  };
  const int wm = c.block.m / c.waves_m, wn = c.block.n / c.waves_n;
  add("tile", fmt::format("{}x{}x{}", c.block.m, c.block.n, c.block.k), given.tile,
      fmt::format("the largest whose {} stages fit into LDS and whose accumulators fit into four waves: {:.3g} bytes "
                  "loaded per product",
                  c.stages, 2.0 * (c.block.m + c.block.n) / c.block.m / c.block.n));
  add("waves", fmt::format("{}x{}", c.waves_m, c.waves_n), given.waves,
      fmt::format("{}x{} per wave is the squarest part of the tile: fewest LDS reads", wm, wn));
  all.push_back(instruction(c, arch));
  add("stages", fmt::format("{}", c.stages), given.stages,
      fmt::format("one is multiplied while the next is filled; up to {} fit into LDS", most_stages(c, arch)));
  add("schedule", name_of(c.schedule), given.schedule,
      "supports every transpose on every target; LDS reads, stores and loads one after another, so that loads have the "
      "most time to complete");
  add("split-k", fmt::format("{}", c.split_k), given.split_k,
      "D is written once, in any type; more help only if the grid is too small for the GPU");
  return all;
}

}  // namespace wavesmith::tools
