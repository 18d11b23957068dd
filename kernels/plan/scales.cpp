// Scale layouts as bases, and the four combinations of tiles per warp compared by the width of the loads they allow.
#include "kernels/plan/scales.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::plan {

namespace {
int narrow(int64_t n) { return static_cast<int>(n); }
}  // namespace

View shuffled_for(int nonkdim, int64_t x, int64_t s) {
  if (x % 32 || s % 8)
    throw PlanError(fmt::format(
        "pre-shuffled scales of {} x {}; legal: multiples of 32 rows and of 8 scales (256 elements of K)", x, s));
  if (nonkdim == 16) return {{narrow(x / 32), narrow(s / 8), 4, 16, 2, 2, 1}, {0, 5, 3, 1, 4, 2, 6}};
  return {{narrow(x / 32), narrow(s / 8), 2, 32, 4, 1}, {0, 3, 1, 4, 2, 5}};
}

namespace {

std::vector<int> numbers(std::string_view text) {  // all of them, whatever separates them
  std::vector<int> out;
  bool inside = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) out.push_back(0);
    if (digit) out.back() = out.back() * 10 + (c - '0');
    inside = digit;
  }
  return out;
}

View parse_view(std::string_view text, int64_t x, int64_t s) {
  const size_t reshape = text.find("reshape "), trans = text.find("trans [");
  const auto legal = [&](bool ok) {
    if (!ok)
      throw PlanError(fmt::format(
          "scale '{}': not understood, legal: reshape AxBx.. -> trans [0,..] whose sizes multiply to {} x {}", text, x,
          s));
  };
  legal(trans != text.npos && reshape < trans);
  const View v{numbers(text.substr(reshape, trans - reshape)),
               numbers(text.substr(trans, text.find(']', trans) - trans))};
  legal(v.dims.size() == v.order.size());
  int64_t product = 1;
  for (size_t i = 0; i < v.dims.size(); ++i) {
    legal(std::count(v.order.begin(), v.order.end(), static_cast<int>(i)) == 1);
    product *= v.dims[i];
  }
  legal(product == x * s);
  return v;
}

}  // namespace

Scale parse_scale(std::string_view text, int64_t x, int64_t s) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (text.empty() || text == "absent") return {};
  if (text.starts_with("constant")) return {Scale::constant};
  if (has("mfma16") || text == "shuffled16") return {Scale::present, shuffled_for(16, x, s)};
  if (has("mfma32") || text == "shuffled32") return {Scale::present, shuffled_for(32, x, s)};
  if (has("reshape ")) return {Scale::present, parse_view(text, x, s)};
  if (text == "present") return {Scale::present};
  throw PlanError(fmt::format(
      "scale '{}' is unknown, legal: absent present constant shuffled16 shuffled32 or reshape AxBx.. -> trans [0,..]",
      text));
}

std::string bases_text(const LinearLayout& l) {
  const auto of = [&](const char* input) {
    std::string out = to_string(bases(l, input));
    out.erase(std::remove(out.begin(), out.end(), ' '), out.end());
    return out;
  };
  return fmt::format("{{register={},lane={},warp={},block={}}}", of("register"), of("lane"), of("warp"), of("block"));
}

int vector_width(const Scale& scale, const LinearLayout& layout) {
  if (scale.state == Scale::absent) return 1;
  if (scale.state == Scale::constant) return 4;
  const View& v = scale.memory;
  if (v.dims.empty()) return contiguous_elements(layout, {1, 0});
  std::vector<int> seen(v.dims.size()), back(v.dims.size()), fastest_first(v.dims.size());
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto d = static_cast<size_t>(v.order[i]);
    seen[i] = narrow(next_pow2(v.dims[d]));
    back[d] = narrow(static_cast<int64_t>(i));
    fastest_first[i] = narrow(static_cast<int64_t>(seen.size() - 1 - i));
  }
  return contiguous_elements(transpose(reshape(layout, seen), back), fastest_first);
}

TilesPerWarp tiles_for_scales(const Scale& a, const Scale& b, LayoutEncoding e, const ScaledShape& r) {
  const int tile = e.instruction[0], s = narrow(r.k / 32);
  TilesPerWarp best{1, 1, "tiles per warp, no pair lets lanes read more scales at once than 1 + 1 (planner 7)"};
  int best_score = 2;
  for (int tm = 1; tm <= std::min<int64_t>(2, r.m / tile); ++tm) {
    for (int tn = 1; tn <= std::min<int64_t>(2, r.n / tile); ++tn) {
      e.tiles = {tm, tn};
      const int wide_a = vector_width(a, scale_layout(e, OperandSide::a, {narrow(r.m), s})),
                wide_b = vector_width(b, scale_layout(e, OperandSide::b, {narrow(r.n), s}));
      if (wide_a + wide_b <= best_score) continue;
      best_score = wide_a + wide_b;
      best = {
          tm, tn,
          fmt::format("tiles per warp, first pair with the widest scale reads: {} + {} (planner 7)", wide_a, wide_b)};
    }
  }
  const auto follow = [&](int64_t extent, int other) {
    return static_cast<int>(std::min<int64_t>(ceil_div(extent, tile), other));
  };
  if (a.state == Scale::absent && b.state != Scale::absent) best.m = follow(r.m, best.n);
  if (b.state == Scale::absent && a.state != Scale::absent) best.n = follow(r.n, best.m);
  return best;
}

}  // namespace wavesmith::plan
