// What a user left open of a matrix multiplication, chosen: tile, waves, matrix instruction and the rest, each with the
// reason.
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
};  // what the user said; the instruction is in the config if so

// Fills in tile and waves where they were not given; the choices in words. A config that cannot be is left for check()
// to refuse.
std::vector<Choice> plan_gemm(GemmConfig&, isa::Arch, const Given&);

}  // namespace wavesmith::tools
