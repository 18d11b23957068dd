// Chooses the options of a matrix multiplication that the user did not give: tile, waves, matrix instruction and
// others, each with the reason.
#pragma once
#include <string>
#include <vector>

#include "kernels/gemm/gemm.h"

namespace wavesmith::tools {

struct Choice {
  std::string what, value, why;
  bool given;
};
struct Given {
  bool tile, waves, stages, schedule, split_k;
};  // given by the user; the instruction is then in the config

// Fills in tile and waves if they were not given; returns the choices as text. check() refuses an impossible config.
std::vector<Choice> plan_gemm(GemmConfig&, isa::Arch, const Given&);

}  // namespace wavesmith::tools
