// The offset is the XOR of terms; a term is a group of bits of one axis shifted by one distance. A set of terms is
// split into two smaller sets, which are combined by OR if their bits are disjoint (fused with a shift or a mask where
// one is needed anyway), otherwise by XOR; terms that are all shifted left can be combined before the shift. All splits
// are tried. The cheapest one in instructions, then in registers, is taken, and its side that needs more registers is
// computed first.
#include "generator/dsl/emit_offset.h"

#include <array>
#include <bit>
#include <map>

namespace wavesmith {
namespace {

constexpr int inline_most = 64;  // largest integer that is an inline constant in every encoding

struct Term {
  Vgpr value;
  uint32_t mask;  // bits of the value
  int shift, bits;
  bool whole() const { return mask == (uint64_t{1} << bits) - 1; }
  uint64_t lands() const { return shift >= 0 ? uint64_t{mask} << shift : mask >> -shift; }
};

enum class How : uint8_t { term, shl, lshl_or, and_or, join_or, join_xor };
struct Choice {
  int cost = 0;     // instructions
  int scratch = 0;  // registers beside the destination
  How how = How::term;
  uint32_t part = 0;  // the terms of one side, which is shifted or masked; the rest are the other side
  int up = 0;         // lshl_or: distance
};

class Offset {
  static constexpr int unknown = -1;

 public:
  Offset(Block& b, std::vector<Term> terms, std::vector<Vgpr> free, Where where)
      : b_(b),
        terms_(std::move(terms)),
        free_(std::move(free)),
        where_(where),
        lands_(size_t{1} << terms_.size()),
        least_(lands_.size(), 32) {
    for (uint32_t set = 1; set < lands_.size(); ++set) {
      const uint32_t others = set & (set - 1);
      lands_[set] = lands_[others] | term(set).lands();
      least_[set] = std::min(least_[others], term(set).shift);
    }
  }

  const Choice& best(uint32_t set, int base) {
    std::vector<Choice>& of_base = known_[static_cast<size_t>(base)];
    if (of_base.empty()) of_base.assign(size_t{1} << terms_.size(), {.cost = unknown});
    Choice& found = of_base[set];
    if (found.cost == unknown)
      found = std::has_single_bit(set) ? Choice{of_term(term(set), base), 0} : split(set, base);
    return found;
  }
  // Computes the set in `dst`; returns the register of the value instead if no instruction is needed.
  Vgpr emit(uint32_t set, int base, Vgpr dst) {
    const Choice c = best(set, base);
    if (c.how == How::term) return emit_term(term(set), base, dst);
    if (c.how == How::shl) {
      const Vgpr low = emit(set, base + c.up, dst);
      b_.v_lshlrev_b32(dst, c.up, low);
      return dst;
    }
    const uint32_t rest = set & ~c.part;
    if (c.how == How::and_or) {
      const Vgpr kept = emit(rest, base, dst);
      b_.v_and_or_b32(dst, term(c.part).value, static_cast<int>(term(c.part).mask), kept);
      return dst;
    }
    const auto [kept, part] = emit_sides(rest, base, c.part, base + c.up, dst);
    if (c.how == How::lshl_or) b_.v_lshl_or_b32(dst, part, c.up, kept);
    else if (c.how == How::join_or) b_.v_or_b32(dst, part, kept);
    else b_.v_xor_b32(dst, part, kept);
    return dst;
  }

 private:
  // Computes two sets, in dst and, if both need instructions, a scratch register.
  std::pair<Vgpr, Vgpr> emit_sides(uint32_t a, int base_a, uint32_t b, int base_b, Vgpr dst) {
    const Choice of_a = best(a, base_a), of_b = best(b, base_b);
    if (of_b.scratch > of_a.scratch) {
      const auto [second, first] = emit_sides(b, base_b, a, base_a, dst);
      return {first, second};
    }
    const Vgpr first = emit(a, base_a, dst);
    const bool own = of_a.cost && of_b.cost;
    if (!own) return {first, emit(b, base_b, dst)};
    if (free_.empty())
      throw isa::IsaError(fmt::format("{}: emit_offset: no scratch register left, legal: one more", place(where_)));
    const Vgpr into = free_.back();
    free_.pop_back();
    const Vgpr second = emit(b, base_b, into);
    free_.push_back(into);
    return {first, second};
  }
  const Term& term(uint32_t set) const { return terms_[static_cast<size_t>(std::countr_zero(set))]; }
  static int low(const Term& t) { return std::countr_zero(t.mask); }
  static bool run(const Term& t) { return std::has_single_bit((t.mask >> low(t)) + uint64_t{1}); }
  static bool to_top(const Term& t) { return run(t) && (t.mask >> (t.bits - 1) & 1); }

  static int of_term(const Term& t, int base) {
    const int s = t.shift - base;
    if (s == 0) return t.whole() ? 0 : 1;
    if (t.whole() && s > 0) return 1;
    return run(t) && s == -low(t) ? 1 : 2;
  }
  Vgpr emit_term(const Term& t, int base, Vgpr dst) {
    const int s = t.shift - base, from = low(t), count = std::popcount(t.mask);
    if (s == 0 && t.whole()) return t.value;
    if (s == 0) b_.v_and_b32(dst, static_cast<int>(t.mask), t.value);
    else if (t.whole() && s > 0) b_.v_lshlrev_b32(dst, s, t.value);
    else if (run(t) && s == -from && to_top(t)) b_.v_lshrrev_b32(dst, from, t.value);
    else if (run(t) && s == -from) b_.v_bfe_u32(dst, t.value, from, count);
    else {
      b_.v_and_b32(dst, static_cast<int>(t.mask), t.value);
      if (s > 0) b_.v_lshlrev_b32(dst, s, dst);
      else b_.v_lshrrev_b32(dst, -s, dst);
    }
    return dst;
  }
  static int scratch_of(const Choice& a, const Choice& b) {
    return a.cost && b.cost && a.scratch == b.scratch ? a.scratch + 1 : std::max(a.scratch, b.scratch);
  }
  Choice split(uint32_t set, int base) {
    Choice found{1 << 20};
    const auto offer = [&](const Choice& c) {
      if (std::pair(c.cost, c.scratch) < std::pair(found.cost, found.scratch)) found = c;
    };
    for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set) {
      const uint32_t rest = set & ~part;
      const Choice kept = best(rest, base);
      // The instruction that combines the sides, and one less than its terms for the part.
      const int least_cost = kept.cost + std::popcount(part);
      if (std::pair(least_cost, kept.scratch) >= std::pair(found.cost, found.scratch)) continue;
      const bool disjoint = !(lands_[part] & lands_[rest]);  // whatever the base: it is 0 or drops no bits
      const auto join = [&](How how, int up) {
        const Choice other = best(part, base + up);
        offer({kept.cost + other.cost + 1, scratch_of(kept, other), how, part, up});
      };
      if (!disjoint) {
        join(How::join_xor, 0);
        continue;
      }
      if (std::has_single_bit(part) && term(part).shift == base && term(part).mask <= inline_most)
        offer({kept.cost + 1, kept.scratch, How::and_or, part});
      // Shifting up by more than the least would drop bits; by a field's distance it needs no mask of its own.
      const int least = least_[part] - base;
      if (least > 0) join(How::lshl_or, least);
      if (std::has_single_bit(part)) {
        const int down = term(part).shift + low(term(part)) - base;  // target position of its lowest bit
        if (down > 0 && down != least) join(How::lshl_or, down);
      }
      join(How::join_or, 0);
    }
    if (const int least = least_[set] - base; least > 0) {
      const Choice low = best(set, base + least);
      offer({low.cost + 1, low.scratch, How::shl, set, least});
    }
    return found;
  }

  Block& b_;
  std::vector<Term> terms_;
  std::vector<Vgpr> free_;
  Where where_;
  // By set: the bits that its terms reach, and their least shift.
  std::vector<uint64_t> lands_;
  std::vector<int> least_;
  std::array<std::vector<Choice>, 32> known_;  // by base and set
};

}  // namespace

int emit_offset(Block& b, Vgpr dst, const isa::LinearLayout& layout, std::string_view output,
                std::span<const AxisValue> values, std::span<const Vgpr> scratch, Where w) {
  std::vector<Term> terms;
  for (const AxisValue& v : values) {
    const auto axis =
        std::find_if(layout.inputs().begin(), layout.inputs().end(), [&](const auto& a) { return a.name == v.axis; });
    if (axis == layout.inputs().end())
      throw isa::IsaError(fmt::format("{}: emit_offset: the layout has no axis '{}'", place(w), v.axis));
    std::map<int, uint32_t> by_shift;
    for (int i = 0; i < axis->bits; ++i)
      for (uint32_t moved = layout.basis(v.axis, i, output); moved; moved &= moved - 1)
        by_shift[std::countr_zero(moved) - i] |= 1u << i;
    for (const auto& [shift, mask] : by_shift) terms.push_back({v.value, mask, shift, axis->bits});
  }
  if (terms.size() > 10)
    throw isa::IsaError(fmt::format("{}: emit_offset: {} terms; legal: up to 10", place(w), terms.size()));
  const size_t before = b.nodes.size();
  if (terms.empty()) {
    b.v_mov_b32(dst, 0);
  } else {
    // dst holds intermediate values. If it is also an input that is read later, a scratch register is used instead, and
    // the last instruction writes dst.
    const bool aliased = std::ranges::any_of(values, [&](const AxisValue& v) { return v.value.index == dst.index; });
    std::vector<Vgpr> free(scratch.begin(), scratch.end());
    Vgpr into = dst;
    if (aliased && terms.size() > 1) {
      if (free.empty())
        throw isa::IsaError(
            fmt::format("{}: emit_offset: no scratch register, legal: one where dst is an input", place(w)));
      into = free.back(), free.pop_back();
    }
    const uint32_t all = (1u << terms.size()) - 1;
    const Vgpr at = Offset(b, std::move(terms), std::move(free), w).emit(all, 0, into);
    if (b.nodes.size() == before) {
      if (at.index != dst.index) b.v_mov_b32(dst, at);
    } else if (into.index != dst.index) {
      b.nodes.back().inst.operands[0] = dst.operand();
    }
  }
  name_caller(b.nodes, before, w);
  return static_cast<int>(b.nodes.size() - before);
}

}  // namespace wavesmith
