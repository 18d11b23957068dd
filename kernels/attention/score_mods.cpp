#include "kernels/attention/score_mods.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "generator/dsl/block.h"
#include "kernels/parts/config_error.h"

namespace wavesmith {
namespace {
constexpr double u = 0x1p-23;  // of one f32 operation
double slope(const ScoreMod::Point& p) { return std::exp2(-8.0 * (p.head + 1) / p.heads); }
}  // namespace

// tanh(z) = 1 - 2 / (1 + e^(2z)).
ScoreMod soft_cap(float cap) {
  if (!(cap > 0) || !std::isfinite(cap))
    throw ConfigError(fmt::format("attention: soft cap {}; legal: positive numbers", cap));
  return {
      .name = fmt::format("softcap{:g}", cap),
      .change =
          [cap](Block& b, const ScoreMod::Element& e) {
            b.v_mul_f32(e.x, 2 * std::numbers::log2e_v<float> / cap, e.score);
            b.v_exp_f32(e.x, e.x);
            b.v_add_f32(e.x, 1.0f, e.x);
            b.v_rcp_f32(e.x, e.x);
            b.v_mul_f32(e.x, -2 * cap, e.x);
            b.v_add_f32(e.score, cap, e.x);
          },
      .counts = ScoreMod::Distance::none,
      .reference = [cap](const ScoreMod::Point& p) { return cap * std::tanh(p.score / cap); },
      // e^(2z) is off by 2 |2z| u and a unit; r = 1 / (1 + e^(2z)) changes by at most r (1 - r) of that, which
      // times |2z| is below 1/2; then a few units of the cap.
      .error = [cap](const ScoreMod::Point&) { return 12 * u * cap; },
      // 1 - tanh^2, with tanh from the changed score. Its derivative is at most 4 / (3 sqrt(3)) / cap.
      .derivative =
          ScoreMod::Derivative{[cap](Block& b, const ScoreMod::Element& e, Vgpr to) {
                                 b.v_mul_f32(e.x, 1 / cap, e.score);
                                 b.v_fma_f32(to, neg(e.x), e.x, 1.0f);
                               },
                               [cap](const ScoreMod::Point& p) { return 1 - std::pow(std::tanh(p.score / cap), 2); },
                               [cap](const ScoreMod::Point&, double off) { return 0.77 / cap * off + 28 * u; }}};
}

ScoreMod alibi() {
  return {.name = "alibi",
          .change =
              [](Block& b, const ScoreMod::Element& e) {
                b.v_add_f32(e.x, static_cast<float>(e.key), e.distance);
                b.v_fma_f32(e.score, neg(e.kept), abs(e.x), e.score);
              },
          .keeps = true,
          .counts = ScoreMod::Distance::f32,
          .prepare =
              [](Block& b, const ScoreMod::Before& at) {  // 2^(-8 (head + 1) / heads)
                b.v_cvt_f32_u32(at.x, at.heads);
                b.v_rcp_f32(at.x, at.x);
                b.v_mul_f32(at.x, -8.0f, at.x);
                b.v_add_u32(at.kept, 1, at.head);
                b.v_cvt_f32_u32(at.kept, at.kept);
                b.v_mul_f32(at.kept, at.kept, at.x);
                b.v_exp_f32(at.kept, at.kept);
              },
          .reference =
              [](const ScoreMod::Point& p) { return p.score - slope(p) * std::fabs(static_cast<double>(p.distance)); },
          .error =  // of the slope, whose exponent, up to 8, is off by a few units, and of the distance
          [](const ScoreMod::Point& p) {
            return 32 * u * slope(p) * std::fabs(static_cast<double>(p.distance)) + u * std::fabs(p.score);
          },
          .only_adds = true};
}

ScoreMod window(int left, int right) {
  constexpr int most = 1 << 30;
  if (left < 0 || right < 0 || left >= most || right >= most)
    throw ConfigError(fmt::format("attention: window of {} and {} keys; legal: 0 to {}", left, right, most - 1));
  return {.name = fmt::format("window{}_{}", left, right),
          .change =
              [=](Block& b, const ScoreMod::Element& e) {
                b.v_add_u32(e.x, e.key + left, e.distance);
                b.v_mov_b32(e.y, left + right);
                b.v_cmp_ge_u32(vcc, e.y, e.x);  // negative numbers are large ones
                b.v_mov_b32(e.y, -std::numeric_limits<float>::infinity());
                b.v_cndmask_b32(e.score, e.y, e.score, vcc);
              },
          .reference =
              [=](const ScoreMod::Point& p) {
                return p.distance >= -left && p.distance <= right ? p.score : -std::numeric_limits<double>::infinity();
              },
          .only_adds = true,
          .band = {left, right},
          .only_masks_band = true};
}

}  // namespace wavesmith
