// What a user leaves open of a GEMM, chosen, each choice with its reason: tile, waves, matrix instruction, LDS stages.
// The planner (kernels/plan) gives the rules; check() is the filter on them: what the kernel can be built for. The
// command line and `plan` ask the same function.
#pragma once
#include <string>
#include <vector>

#include "kernels/gemm/gemm.h"

namespace wavesmith {

// D, and the CUs that it is computed on: the tile then follows how many of them its workgroups keep busy.
struct GemmGrid {
  int64_t m = 0, n = 0;
  int cus = 0;
};
struct GemmRequest {
  isa::Type input = isa::Type::f16, output = isa::Type::f16;  // A and B; C and D
  bool trans_a = false, trans_b = false;
  Epilogue epilogue{};
  std::optional<GemmTile> block{};
  std::optional<std::array<int, 2>> waves{};  // along m, along n
  std::optional<isa::Opcode> mma{};
  std::optional<int> stages{};
  std::optional<GemmSchedule> schedule{};
  std::optional<int> split_k{};
  std::optional<GemmGrid> grid{};
};

struct Choice {
  std::string what, value, why;
  bool given;  // asked for
};
struct GemmChoice {
  GemmConfig config;
  std::vector<Choice> choices;
};
// Error: ConfigError, as check(); plan::PlanError for a grid of nothing.
GemmChoice choose_gemm(const GemmRequest&, Arch);

}  // namespace wavesmith
