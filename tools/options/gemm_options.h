// The matrix multiplication a user asks for, in this project's words (--a f16 --transa t) or hipblaslt-bench's
// (--a_type f16_r
// --transA T).
#pragma once
#include <CLI/CLI.hpp>

#include "choice/plan_gemm.h"
#include "tools/options/built.h"
#include "tools/options/epilogue_options.h"

namespace wavesmith::tools {

struct GemmOptions {
  std::string arch, a = "f16", b, c, d, transa = "n", transb = "n", tile, waves, kernel, mma, schedule, problem, order,
                    reduction;
  EpilogueOptions epilogue;
  std::optional<int> prefetch{}, persistent{};
  std::string cluster;
  int stages = 0, split_k = 0, stream_k = 0, cus = 0;  // 0: not given
  bool batch = false;
  std::string scale_layout, scale_a, scale_b;  // scale_a: of sums
  std::string compute;                         // type of the sums; empty: the only one there is
  bool no_check = false;                       // the kernel is not checked
  std::optional<GemmProblem> size;             // for which the kernel is chosen, unless the tile is given
  std::string gpu;                             // on which; empty: the first of the target
  bool cold = false;                           // launches find nothing of the operands in the memory-side cache
  bool no_cache = false;                       // choices are neither read nor kept
  std::string grouped, offsets = "i32", group_sizes;
  int group_size = 0;
  std::string f32_as;
  bool zero_points = false, shuffle_a = false, shuffle_b = false;
  void declare(CLI::App&);
  isa::Arch target() const;              // InputError naming the legal targets
  GemmRequest request() const;           // InputError
  std::vector<uint32_t> groups() const;  // their sizes; InputError
  void add_groups(GemmProblem&) const;   // InputError
};
// --problem MxN. InputError
std::pair<int64_t, int64_t> parse_problem(const std::string&);

struct BuiltGemm : Built, GemmPlan {};
BuiltGemm build(const GemmOptions&);  // InputError, ConfigError
// The choices and reasons, and what else was timed, for --explain.
void explain(const BuiltGemm&, nlohmann::ordered_json&);
std::string choices_text(const BuiltGemm&);

}  // namespace wavesmith::tools
