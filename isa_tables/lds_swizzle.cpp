// Searches, for each address bit from the lowest up, the bank bits into which it is XORed. If no solution is found, one
// more XOR is allowed. An access is free of conflicts exactly if, in each phase, the lanes' addresses have the same
// rank in the bank bits (above the bytes of one lane) as in all bits. Phases are cosets, so the span of the first phase
// decides: none of its vectors may have an image without bank bits. Each prunes the search as soon as the bits that it
// has are decided.
#include "isa_tables/lds_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>

namespace wavesmith::isa {
namespace {

std::vector<uint32_t> addresses(const LinearLayout& to_byte) {
  std::vector<uint32_t> out(size_t{1} << to_byte.input_bits());
  for (size_t l = 0; l < out.size(); ++l) out[l] = to_byte.at({{"lane", static_cast<uint32_t>(l)}}, "byte");
  return out;
}

// One access in one phase: a basis of its lanes' address differences, and the bits that select a bank.
struct Constraint {
  std::vector<uint64_t> vectors;
  uint64_t banks;
  uint64_t same = 0;  // address bits in which they must not differ
  void add(uint64_t v) {
    vectors.push_back(v);
    if (isa::rank(vectors) < static_cast<int>(vectors.size())) vectors.pop_back();
  }
};

std::vector<Constraint> constraints(const LinearLayout& tile, Family family, const LdsTileAccess& access, int lowest) {
  const LdsPhases& phases = lds_phases(family, access.kind, access.bytes);
  const LinearLayout to_byte = access.lanes.then(tile);
  const auto address = addresses(to_byte);
  const int unit = log2(std::max(4, access.bytes)), top = 2 + log2(phases.banks);
  std::vector<Constraint> out;
  for (size_t first = 0; first < address.size(); first += static_cast<size_t>(phases.lanes)) {
    Constraint c{{}, (uint64_t{1} << top) - (uint64_t{1} << unit)};
    for (int i = 1; i < phases.lanes && first + static_cast<size_t>(i) < address.size(); ++i) {
      c.add((address[phases.order[first + static_cast<size_t>(i)]] ^ address[phases.order[first]]) >> unit << unit);
    }
    const bool known = std::ranges::any_of(out, [&](const Constraint& o) { return o.vectors == c.vectors; });
    if (!known) out.push_back(std::move(c));
  }
  if (unit > lowest) {  // the parts of an access are swapped equally in all lanes
    Constraint alike{{}, 0, (uint64_t{1} << unit) - 1};
    for (const uint32_t a : address) alike.add((a ^ address[0]) >> unit << unit);
    out.push_back(std::move(alike));
  }
  return out;
}

class Search {
 public:
  Search(const std::vector<Constraint>& all, int lowest, int top, std::vector<int> sources)
      : lowest_(lowest), sources_(std::move(sources)), mixed_(sources_.size()), rules_(sources_.size() + 1) {
    for (uint32_t m = 0; m < 1u << (top - lowest); ++m) masks_.emplace_back(m, std::popcount(m));
    for (const Constraint& c : all)
      for (uint64_t some = 1; some < uint64_t{1} << c.vectors.size(); ++some) {
        uint64_t v = 0;
        for (size_t i = 0; i < c.vectors.size(); ++i) v ^= -(some >> i & 1) & c.vectors[i];
        refuse(c, v);
      }
    std::ranges::stable_sort(masks_, std::greater{}, &std::pair<uint32_t, int>::second);  // low sources first
  }
  // The bank bits into which each source bit is XORed.
  std::optional<std::vector<uint32_t>> run() {
    if (blamed(0)) return {};
    for (int ors = 0; !place(0, ors);) ++ors;
    for (uint32_t& m : mixed_) m <<= lowest_;
    return mixed_;
  }

 private:
  struct Rule {                 // of the vectors with the same source bits
    uint64_t of;                // those, by their number
    std::vector<bool> refused;  // by the XOR of their masks
  };
  void refuse(const Constraint& c, uint64_t v) {
    uint64_t of = 0;
    for (size_t s = 0; s < sources_.size(); ++s) of |= (v >> sources_[s] & 1) << s;
    auto& rules = rules_[static_cast<size_t>(std::bit_width(of))];
    auto rule = std::ranges::find(rules, of, &Rule::of);
    if (rule == rules.end()) rule = rules.insert(rule, {of, std::vector<bool>(masks_.size())});
    for (const auto& [mask, bits] : masks_) {
      const uint64_t image = v ^ static_cast<uint64_t>(mask) << lowest_;
      if (c.same ? (image & c.same) != 0 : !(image & c.banks)) rule->refused[mask] = true;
    }
  }
  // The source bits of a rule that the masks before `s` break; of those that they decide and fewer masks do not.
  std::optional<uint64_t> broken(size_t s) const {
    for (const Rule& r : rules_[s]) {
      uint32_t mask = 0;
      for (size_t k = 0; k < s; ++k) mask ^= -static_cast<uint32_t>(r.of >> k & 1) & mixed_[k];
      if (r.refused[mask]) return r.of;
    }
    return {};
  }
  // With any number of XORs: nothing if the source bits from `s` on can be placed, otherwise those before it that are
  // to blame. A bit that is not is not tried with its other masks.
  std::optional<uint64_t> blamed(size_t s) {
    if (const auto of = broken(s)) return of;
    if (s == sources_.size()) return {};
    uint64_t all = 0;
    for (const auto& [mask, bits] : masks_) {
      mixed_[s] = mask;
      const auto some = blamed(s + 1);
      if (!some || !(*some >> s & 1)) return some;
      all |= *some;
    }
    return all & ~(uint64_t{1} << s);
  }
  // Distributes exactly `ors` XORs over the source bits from `s` on.
  bool place(size_t s, int ors) {
    if (broken(s)) return false;
    if (s == sources_.size()) return ors == 0;
    for (const auto& [mask, bits] : masks_) {
      if (bits > ors) continue;
      mixed_[s] = mask;
      if (place(s + 1, ors - bits)) return true;
    }
    return false;
  }
  int lowest_;
  std::vector<int> sources_;
  std::vector<uint32_t> mixed_;                  // masks, from the lowest bank bit
  std::vector<std::pair<uint32_t, int>> masks_;  // with the number of their bits
  std::vector<std::vector<Rule>> rules_;         // by how many source bits are then decided
};

}  // namespace

int conflict_cycles(const LinearLayout& tile, const LdsTileAccess& access, Family family) {
  const auto address = addresses(access.lanes.then(tile));
  return lds_conflict_cycles(family, access.kind, address, ~uint64_t{0} >> (64 - address.size()), access.bytes);
}

namespace {

std::optional<LinearLayout> solve(const LinearLayout& tile, Family family, std::span<const LdsTileAccess> accesses,
                                  SwizzleLimits limits) {
  std::vector<Constraint> all;
  int top = 0;
  for (const LdsTileAccess& a : accesses) {
    if (!std::has_single_bit(static_cast<unsigned>(a.bytes)))
      throw IsaError(fmt::format("swizzle: {} of {} bytes per lane, legal: powers of two", a.name, a.bytes));
    for (auto& c : constraints(tile, family, a, limits.lowest)) all.push_back(std::move(c));
    top = std::max(top, 2 + log2(lds_phases(family, a.kind, a.bytes).banks));
  }
  const int bits = tile.outputs().front().bits;
  // If accesses see different numbers of banks, only the bits between them are targets.
  std::vector<int> sources;
  for (int b = top; b < bits; ++b)
    if (limits.sources >> b & 1) sources.push_back(b);
  const auto mixed = Search(all, limits.lowest, std::min(top, bits), sources).run();
  if (!mixed) return {};
  LinearLayout swizzle = LinearLayout::identity("byte", "byte", bits);
  for (size_t s = 0; s < sources.size(); ++s)
    if ((*mixed)[s]) swizzle.move("byte", sources[s], "byte", (*mixed)[s]);
  return tile.then(swizzle);
}

// A question and its answer.
struct Solved {
  LinearLayout tile;
  Family family;
  std::vector<LdsTileAccess> accesses;
  SwizzleLimits limits;
  std::optional<LinearLayout> swizzled;
  bool answers(const LinearLayout& t, Family f, std::span<const LdsTileAccess> all, const SwizzleLimits& l) const {
    return family == f && limits == l && tile == t &&
           std::ranges::equal(accesses, all, [](const LdsTileAccess& a, const LdsTileAccess& b) {
             return a.kind == b.kind && a.bytes == b.bytes && a.lanes == b.lanes;
           });
  }
};

}  // namespace

// A kernel asks for the same tile several times, and a family of kernels for few.
std::optional<LinearLayout> swizzled_for(const LinearLayout& tile, Family family,
                                         std::span<const LdsTileAccess> accesses, SwizzleLimits limits) {
  constexpr size_t most = 64;
  thread_local std::deque<Solved> solved;
  const auto known =
      std::ranges::find_if(solved, [&](const Solved& s) { return s.answers(tile, family, accesses, limits); });
  if (known != solved.end()) return known->swizzled;
  auto swizzled = solve(tile, family, accesses, limits);
  if (solved.size() == most) solved.pop_back();
  solved.push_front({tile, family, {accesses.begin(), accesses.end()}, limits, swizzled});
  return swizzled;
}

std::optional<int> padding_for(int row_bytes, Family family, std::span<const LdsTileAccess> accesses, int unit) {
  for (int pad = 0; pad <= 256; pad += unit) {
    const bool free = std::ranges::all_of(accesses, [&](const LdsTileAccess& a) {
      std::vector<uint32_t> address(size_t{1} << a.lanes.input_bits());
      for (size_t l = 0; l < address.size(); ++l) {
        const auto lane = static_cast<uint32_t>(l);
        address[l] = a.lanes.at({{"lane", lane}}, "row") * static_cast<uint32_t>(row_bytes + pad) +
                     a.lanes.at({{"lane", lane}}, "byte");
      }
      return lds_conflict_cycles(family, a.kind, address, ~uint64_t{0} >> (64 - address.size()), a.bytes) == 0;
    });
    if (free) return pad;
  }
  return {};
}

}  // namespace wavesmith::isa
