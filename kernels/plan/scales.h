// Block scales of dot_scaled: one E8M0 byte for 32 elements along K, a tensor [X, K/32] with X = M (operand A) or N
// (operand B). Its order in memory, composed with the instruction's layout, determines how many scales a lane reads at
// once, which determines how many adjacent tiles a warp takes.
#pragma once
#include <string_view>

#include "kernels/plan/tensor_layout.h"
#include "kernels/plan/types.h"

namespace wavesmith::plan {

// The tensor as loaded, after reshape and transposition: memory holds `dims` row-major; permuted by `order` they are
// [X, K/32]. Empty: memory is [X, K/32] row-major.
struct View {
  std::vector<int> dims{}, order{};
};

struct Scale {
  enum State : uint8_t { absent, present, constant } state = absent;
  View memory{};
};
// The order that lets a lane read four scales at once from tiles of 16 or 32 rows. PlanError unless 32 divides X and 8
// divides K/32.
View shuffled_for(int nonkdim, int64_t x, int64_t s);
// "absent", "present", "constant ...", "... pre-shuffled for mfma16 ...", "... reshape AxBx.. -> trans [..] ...".
// PlanError otherwise.
Scale parse_scale(std::string_view text, int64_t x, int64_t s);
std::string bases_text(const LinearLayout&);  // "{register=[[0,2]],lane=[...],warp=[...],block=[]}"

// Scales a lane reads in one access, 1 to 16: registers of a lane that are consecutive in memory; 1 if absent, 4 if
// constant (planner_spec 7).
int vector_width(const Scale&, const LinearLayout&);

// Tiles per warp along M and N. `e` has the instruction and the warps, m, n, k are the result's extents and the
// elements along K.
struct TilesPerWarp {
  int m = 1, n = 1;
  std::string rule;
};
struct ScaledShape {
  int64_t m, n, k;
};
TilesPerWarp tiles_for_scales(const Scale& a, const Scale& b, LayoutEncoding e, const ScaledShape&);

}  // namespace wavesmith::plan
