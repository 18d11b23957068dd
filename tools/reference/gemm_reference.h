// The reference of `wavesmith verify gemm`: every part of D in f64, with a bound of what f32 arithmetic may be off by.
#pragma once
#include <string>

#include "kernels/gemm/gemm.h"
#include "tools/options/matrices.h"

namespace wavesmith::tools {

struct GemmData {
  GemmProblem size;
  HostMatrix a, b, c, d;
  std::vector<uint8_t> scales_a, scales_b;   // block scales
  HostMatrix group_scales{}, zero_points{};  // of weights: one column of all batches; zero points as i8
  std::vector<float> sum_scales_a{}, sum_scales_b{};
  std::vector<uint32_t> groups = {};  // sizes of the ragged dimension's
  HostMatrix scales{};                // of a quantised D: f32, or E8M0 as i8
  OfParts<HostMatrix> epilogue{};     // of the parts that the kernel has; vectors are one column
};
struct GemmVerdict {
  double worst_relative = 0, bound = 0, worst_share = 0;  // share: of what is allowed; at most 1 is right
  uint64_t wrong = 0, checked = 0, overwritten = 0;       // elements; overwritten: of D's padding
  std::string first_wrong;
  bool good() const { return wrong == 0 && overwritten == 0; }
};
// What the matrix unit makes of small factors. `least`: below it they may count as zeros; `aligned`: in alignment they
// count as this much. 0: neither.
struct SmallFactors {
  double least, aligned;
};
GemmVerdict compare(const GemmData&, const GemmConfig&, const SmallFactors&);

}  // namespace wavesmith::tools
