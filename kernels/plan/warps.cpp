// Warps of the workgroup over the tiles of the result (planner_spec 6).
#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {

std::string dims(const std::vector<int>& v) { return fmt::format("[{}]", fmt::join(v, ",")); }

DotShape covered(const Problem& p, int m, int n) {
  const auto extent = [&](int64_t size, int tile) {
    return p.remainder == Remainder::as_stated && is_pow2(size) ? size : round_up(size, tile);
  };
  return {extent(p.shape.m, m), extent(p.shape.n, n), p.shape.k};
}

Warps warps_per_tile(const Problem& p, int m, int n) {
  const int waves = p.waves;
  const DotShape s = covered(p, m, n);
  if (p.batch) return {{waves, 1, 1}, "warps, rank 3: all along the batch (planner 6.1)"};
  if (p.chain.head_a)
    return {
        {waves, 1},
        "warps, head of a chain through operand A: all along M, so a row's reduction stays in one warp (planner 6.2)"};
  if (p.chain.tail) {
    const int w0 = static_cast<int>(std::min<int64_t>(waves, next_pow2(ceil_div(s.m, m))));
    return {{w0, waves / w0}, "warps, tail of a chain: M first, the rest along N (planner 6.3)"};
  }
  int64_t w0 = 1, w1 = 1;
  while (w0 * w1 < waves) {
    if (s.m / (2 * m) / w0 >= s.n / n / w1 && w0 < s.m / m) w0 *= 2;
    else w1 *= 2;
  }
  const bool swap = w1 * n > s.n;
  if (swap) std::swap(w0, w1);
  return {{static_cast<int>(w0), static_cast<int>(w1)},
          swap ? "warps, doubled where more tiles remain, then M and N swapped because N is smaller (planner 6.4)"
               : "warps, doubled where more tiles remain (planner 6.4)"};
}

void distribute(Plan& out, const Problem& p) {
  Warps w = warps_per_tile(p, out.m, out.n);
  out.warps = std::move(w.count);
  out.tiles.assign(out.warps.size(), 1);
  out.decide("warps", dims(out.warps), std::move(w.rule));
}

}  // namespace wavesmith::plan
