// Candidates from the instruction table, tiles by size, K by fitting.
#include "kernels/plan/instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

namespace wavesmith::plan {
namespace {

std::vector<InstructionCandidate> read_table(isa::Arch arch) {
  const FamilyTraits& t = traits(arch);
  std::vector<InstructionCandidate> out;
  for (const isa::Info& row : isa::table()) {
    const isa::Matrix& x = row.matrix;
    if (!row.on(arch) || !row.is_matrix() || x.sparse() || x.c != x.d) continue;
    const Elem a = elem(x.a, t), b = elem(x.b, t), d = elem(x.d, t);
    if (a == Elem::none || b == Elem::none || d == Elem::none) continue;
    const int k_base =
        a == Elem::f8f6f4 ? x.m * x.k / isa::target(arch).wave_size : row.operands[1].dwords * 32 / bits(a);
    InstructionCandidate c{&row, x.m, x.n, x.k, k_base, 1, a, b, d, x.scale_block};
    if (x.blocks == 1) {
      out.push_back(c);
    } else if (x.m == 4 && x.n == 4 && x.blocks == 16) {  // the only blocked form that the layouts use
      c.per_step = 16, c.k = 16 * k_base;
      c.m = 64, c.n = 4, out.push_back(c);
      c.m = 4, c.n = 64, out.push_back(c);
    }
  }
  const auto worth = [&](const InstructionCandidate& c) {
    const int clocks = std::max(c.row->clocks(arch), 0);  // 0: no guide states a rate
    return std::tuple(clocks ? static_cast<double>(c.row->matrix.flops()) / clocks : 0.0, c.m * c.n, c.k);
  };
  std::ranges::stable_sort(out, std::greater{}, worth);
  return out;
}

// True if the stated rules cover this extent.
bool stated(DotShape s) { return is_pow2(s.m) && is_pow2(s.n); }

}  // namespace

std::span<const InstructionCandidate> candidates(isa::Arch arch) {
  static const auto all = [] {
    std::vector<std::vector<InstructionCandidate>> lists;
    for (size_t i = 0; i < isa::all_targets().size(); ++i) lists.push_back(read_table(static_cast<isa::Arch>(i)));
    return lists;
  }();
  return all[static_cast<size_t>(arch)];
}

isa::Opcode opcode(const InstructionCandidate& c) { return static_cast<isa::Opcode>(c.row - isa::table().data()); }
const char* mnemonic(const InstructionCandidate& c, isa::Arch arch) { return isa::mnemonic(opcode(c), arch); }

InstructionTile mfma_tile(DotShape s, int nonkdim, bool f64, Remainder remainder) {
  if (nonkdim) return {nonkdim, nonkdim, fmt::format("MFMA tile, non-K dimension {} enforced (planner 4)", nonkdim)};
  const int64_t least = std::min(s.m, s.n);
  if (least >= 32 && f64) return {16, 16, "MFMA tile, min(M,N) >= 32, f64: 16x16 (planner 4)"};
  if (least >= 32) {
    const auto area = [&](int t) { return round_up(s.m, t) * round_up(s.n, t); };
    if (!stated(s) && area(16) < area(32))
      return {16, 16, "MFMA tile, min(M,N) >= 32, but 16x16 pads M x N less (ours: no power of two)"};
    return {32, 32, "MFMA tile, min(M,N) >= 32 (planner 4)"};
  }
  if (least >= 16) return {16, 16, "MFMA tile, 16 <= min(M,N) < 32 (planner 4)"};
  if (least >= 4 && s.m >= 64 && !f64) return {64, 4, "MFMA tile, 4 <= min(M,N) < 16 and M >= 64 (planner 4)"};
  if (least >= 4 && s.n >= 64 && !f64) return {4, 64, "MFMA tile, 4 <= min(M,N) < 16 and N >= 64 (planner 4)"};
  if (remainder == Remainder::pad) return {16, 16, "MFMA tile, smaller than any instruction: 16x16, padded (ours)"};
  return {0, 0,
          least < 4 ? "MFMA tile, min(M,N) < 4: none (planner 4)"
          : f64     ? "MFMA tile, f64 with min(M,N) < 16: none (planner 4)"
                    : "MFMA tile, 4 <= min(M,N) < 16 and neither M nor N >= 64: none (planner 4)"};
}

InstructionTile wmma_tile(DotShape s, Remainder remainder) {
  const int64_t least = std::min(s.m, s.n);
  if (least >= 16) return {16, 16, "WMMA tile, always 16x16 (planner 10)"};
  if (remainder == Remainder::pad || (!stated(s) && least > 8))
    return {16, 16, "WMMA tile, min(M,N) < 16: 16x16, padded (ours; planner 16, #9825)"};
  return {0, 0, "WMMA tile, min(M,N) < 16: none, and no error (planner 10, 13d)"};
}

std::vector<InstructionCandidate> alternatives(isa::Arch arch, const Key& key) {
  std::vector<InstructionCandidate> out;
  for (const InstructionCandidate& c : candidates(arch))
    if (c.m == key.m && c.n == key.n && c.a == key.a && c.b == key.b && c.d == key.d &&
        c.scale_block == key.scale_block)
      out.push_back(c);
  return out;
}

Fit fit_k(std::span<const InstructionCandidate> list, int64_t k, Remainder remainder, bool partial) {
  if (list.empty()) return {{}, "no instruction with this tile and these types in the target's table"};
  const auto fits = [&](const InstructionCandidate& c) { return k >= c.k; };
  const auto first = std::find_if(list.begin(), list.end(), fits);
  const InstructionCandidate& stated = first == list.end() ? list.back() : *first;
  if (k % stated.k == 0)
    return {stated, fmt::format("K of the instruction, first alternative with K >= kDim: {} (planner 4)", stated.k)};
  if (partial)
    return {stated, fmt::format("K = {} is not a multiple of {}: zero-filled when lowered (planner 10)", k, stated.k)};
  if (remainder == Remainder::as_stated && is_pow2(k))
    return {{},
            fmt::format("K = {} is not a multiple of kDim {}, which would duplicate data (planner 4)", k, stated.k)};
  const auto least =
      std::min_element(list.begin(), list.end(), [&](const InstructionCandidate& x, const InstructionCandidate& y) {
        return round_up(k, x.k) < round_up(k, y.k);
      });
  return {*least,
          fmt::format("K = {} zero-filled to {}, the alternative that pads least (ours)", k, round_up(k, least->k))};
}

namespace {

constexpr int max_cost = INT32_MAX / 4;

int conversion_cost(Elem from, Elem to) {
  if (from == to) return 0;
  if (is_int(from) != is_int(to)) return max_cost;
  const bool unsigned_from = from == Elem::u8, unsigned_to = to == Elem::u8;
  if (is_int(from) && unsigned_from != unsigned_to) return unsigned_from && bits(to) > bits(from) ? 1 : max_cost;
  return bits(to) >= bits(from) ? 1 : max_cost;
}

}  // namespace

std::optional<WmmaTypes> cheapest_types(const Types& wanted, int wmma) {
  using enum Elem;
  std::vector<Types> list{{f16, f16, f32, f32}, {bf16, bf16, f32, f32}, {i8, i8, i32, i32}};
  if (wmma >= 2)
    for (Elem a : {f8e4m3, f8e5m2})
      for (Elem b : {f8e4m3, f8e5m2}) list.push_back({a, b, f32, f32});
  if (wmma == 3) list.push_back({f32, f32, f32, f32});  // planner_spec 16
  std::optional<WmmaTypes> best;
  for (const Types& t : list) {
    int64_t cost = 0;
    for (const auto& [from, to] : {std::pair{wanted.a, t.a}, {wanted.b, t.b}, {wanted.c, t.c}, {wanted.d, t.d}})
      cost += conversion_cost(from, to);
    if (cost < (best ? best->cost : max_cost)) best = {t, static_cast<int>(cost)};
  }
  return best;
}

}  // namespace wavesmith::plan
