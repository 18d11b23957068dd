// Chooses what a GEMM request leaves open (tile, waves, matrix instruction, LDS stages) and gives the reason of each
// choice. The rules are the planner's (kernels/plan), limited to what check() accepts. The library, the command line
// and `plan` use this one function.
#pragma once
#include <string>
#include <vector>

#include "kernels/gemm/gemm.h"

namespace wavesmith {

// Extents of D and the number of CUs. With them the tile is chosen by how many CUs its workgroups keep busy.
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
  std::optional<int> prefetch{};
  std::optional<GemmCluster> cluster{};
  std::optional<int> split_k{};
  std::optional<int> stream_k{};
  std::optional<int> persistent{};
  std::optional<Reduction> reduction{};  // default: atomic where that is legal
  std::optional<GemmGrid> grid{};
  std::optional<isa::Type> input_b{};  // of B, where it is not A's
  std::optional<WorkOrder> order{};
  BlockScales block_scales = BlockScales::none;
  SumScales sum_scales_a{}, sum_scales_b{};
  Ragged ragged = Ragged::none;
  Offsets offsets = Offsets::i32;
  WeightGroups groups{};
  bool split_f32 = false;  // chosen for f32 where the target has no matrix instruction of f32
  MatrixOrder order_a = MatrixOrder::rows, order_b = MatrixOrder::rows;
};

struct Choice {
  std::string what, value, why;
  bool given;  // set in the request
};
struct GemmChoice {
  GemmConfig config;
  std::vector<Choice> choices;
};
constexpr int usual_prefetch(GemmSchedule s) { return s == GemmSchedule::tensor ? 1 : 0; }
// Error: ConfigError, as check(); plan::PlanError for an empty grid.
GemmChoice choose_gemm(const GemmRequest&, Arch);

}  // namespace wavesmith
