// Value numbers of scalars by iteration over the blocks (hashing, as in global value numbering; a join of different
// values is a new value), then a walk over pairs of a block and the facts known in it. Facts relate value numbers; a
// fact ends where a value that its numbers depend on is computed again.
#include "checker/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

namespace wavesmith::checker {
namespace {

constexpr int scalars = 256;  // by operand number; SCC among them
using Numbers = std::array<int, scalars>;
enum NumberKind : int { constant, at_entry, made_here, joined, computed, pair_of };  // the first word of a number's key
enum Order : uint8_t { less = 1, equal = 2, greater = 4 };

// What a taken (or not taken) branch implies: the order of two numbers is one of `orders`. `second` < 0: a truth value,
// "equal" for true and "less" for false.
struct Fact {
  int first = absent, second = absent;
  bool with_sign = false;
  uint8_t orders = less | equal | greater;
  auto operator<=>(const Fact&) const = default;
  bool same_values(const Fact& o) const { return first == o.first && second == o.second && with_sign == o.with_sign; }
};
using Facts = std::vector<Fact>;  // sorted; one fact per pair of values

uint8_t mirrored(uint8_t orders) {
  return static_cast<uint8_t>((orders & equal) | (orders & less ? greater : 0) | (orders & greater ? less : 0));
}

// Compare instructions by name: s_cmp_lt_i32, s_cmpk_lg_u32, s_cmp_eq_u64.
struct Compare {
  uint8_t orders;
  bool with_sign;
};
std::optional<Compare> compare_of(Opcode op) {
  static const auto all = [] {
    std::map<Opcode, Compare> m;
    const std::pair<const char*, uint8_t> relations[] = {{"eq", equal},   {"lg", less | greater},
                                                         {"lt", less},    {"le", less | equal},
                                                         {"gt", greater}, {"ge", greater | equal}};
    for (const auto& [name, orders] : relations)
      for (const char* form : {"s_cmp_{}_i32", "s_cmp_{}_u32", "s_cmp_{}_u64", "s_cmpk_{}_i32", "s_cmpk_{}_u32"})
        for (const Opcode found : isa::find_opcodes(fmt::format(fmt::runtime(form), name)))
          m[found] = {orders, std::string_view(form).ends_with("i32")};
    return m;
  }();
  const auto c = all.find(op);
  return c == all.end() ? std::nullopt : std::optional(c->second);
}

class Numbering {
 public:
  explicit Numbering(const Code& code) : code_(code), out_(code.blocks.size()) {
    for (int r = 0; r < scalars; ++r) entry_[static_cast<size_t>(r)] = number({at_entry, r});
  }
  // False: the iteration does not converge.
  bool find() {
    const auto walk = [&](Numbers& n, size_t b, bool) {
      for (int i = code_.blocks[b].begin; i < code_.blocks[b].end; ++i) apply(i, n);
      out_[b] = n;
      return true;
    };
    constexpr int most = 16;
    return isa::solve_anew(edges(code_), entry_, {most, most}, walk,
                           [&](Numbers& into, const Numbers& from, size_t b) {
                             for (int r = 0; r < scalars; ++r)
                               if (auto& n = into[static_cast<size_t>(r)]; n != from[static_cast<size_t>(r)])
                                 n = number({joined, static_cast<int>(b), r});
                           })
        .has_value();
  }
  // The conditions that hold after block b if its branch is taken, one for each signedness; empty: the block does not
  // end with a conditional branch.
  Facts condition(int b) const {
    const CodeLine& l = code_.lines[static_cast<size_t>(code_.blocks[static_cast<size_t>(b)].end - 1)];
    if (l.item->flow != Flow::conditional || !l.item->refusal.empty()) return {};
    const isa::Info& row = l.item->inst.info();
    const std::string_view name = row.mnemonic;  // s_cbranch_scc0, _vccz, _execz and the opposite ones
    const bool if_zero = name.ends_with("0") || (name.ends_with("z") && !name.ends_with("nz"));
    const Numbers& n = out_[static_cast<size_t>(b)];
    const auto truth = [&](int value) { return Facts{{value, absent, false, if_zero ? less : equal}}; };
    const auto both = [&](int r) {
      return number({pair_of, n[static_cast<size_t>(r)], n[static_cast<size_t>(r + 1)]});
    };
    if (row.implicit & isa::vcc_r) return truth(both(isa::sreg::vcc));
    if (row.implicit & isa::exec_r) return truth(both(isa::sreg::exec));
    if (!(row.implicit & isa::scc_r)) return {};
    const int scc = n[isa::sreg::scc];
    const auto& key = keys_[static_cast<size_t>(scc)];
    const auto c = key[0] == computed ? compare_of(static_cast<Opcode>(key[1])) : std::nullopt;
    if (!c || key.size() != 5) return truth(scc);
    uint8_t orders = if_zero ? c->orders ^ (less | equal | greater) : c->orders;
    int first = key[3], second = key[4];
    const bool swaps = (is_constant(first) != is_constant(second)) ? is_constant(first) : second < first;
    if (swaps) std::swap(first, second), orders = mirrored(orders);
    Facts said;
    const bool signless = c->orders == equal || c->orders == (less | greater);
    for (const bool with_sign : {false, true})
      if (signless || with_sign == c->with_sign) said.push_back({first, second, with_sign, orders});
    return said;
  }
  bool is_constant(int n) const { return n != absent && keys_[static_cast<size_t>(n)][0] == constant; }
  // The order of two constants, as one of Order.
  uint8_t order(int a, int b, bool with_sign) const {
    const int x = keys_[static_cast<size_t>(a)][1], y = keys_[static_cast<size_t>(b)][1];
    const bool before = with_sign ? x < y : static_cast<uint32_t>(x) < static_cast<uint32_t>(y);
    return x == y ? equal : before ? less : greater;
  }
  // The values that a number depends on and that block b computes again.
  bool ends_in(int n, int b) const {
    if (n == absent) return false;
    const auto& roots = roots_[static_cast<size_t>(n)];
    return std::ranges::any_of(roots, [&](int r) {
      const auto& k = keys_[static_cast<size_t>(r)];
      const Span& s = code_.blocks[static_cast<size_t>(b)];
      return k[0] == joined ? k[1] == b : k[0] == made_here && k[1] >= s.begin && k[1] < s.end;
    });
  }

 private:
  using Key = std::vector<int>;
  // The number of a key; the values it depends on are kept with it.
  int number(const Key& key) const {
    const auto [at, made] = numbers_.try_emplace(key, static_cast<int>(keys_.size()));
    if (!made) return at->second;
    std::vector<int> roots;
    if (key[0] == made_here || key[0] == joined) roots = {at->second};
    for (size_t k = key[0] == computed ? 3 : 1; (key[0] == computed || key[0] == pair_of) && k < key.size(); ++k)
      roots.insert(roots.end(), roots_[static_cast<size_t>(key[k])].begin(), roots_[static_cast<size_t>(key[k])].end());
    std::ranges::sort(roots);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    keys_.push_back(key), roots_.push_back(std::move(roots));
    return at->second;
  }
  int source(const Inst& i, const Operand& o, const Numbers& n) const {
    if (o.file == File::s && o.is_reg() && o.index + o.dwords <= scalars) {
      const int low = n[o.index];
      return o.dwords == 1 ? low : o.dwords == 2 ? number({pair_of, low, n[o.index + 1]}) : absent;
    }
    if (o.file != File::imm) return absent;
    const bool extends = i.info().format == isa::Format::sopk && o.bits > 0x7fff,
               wide = i.info().operands[0].dwords > 1 || i.info().operands[1].dwords > 1;
    return extends || (wide && static_cast<int>(o.bits) < 0) ? absent : number({constant, static_cast<int>(o.bits)});
  }
  void apply(int line, Numbers& n) const {
    const Item& item = *code_.lines[static_cast<size_t>(line)].item;
    const bool elsewhere =
        !item.refusal.empty() || item.flow == Flow::call ||
        std::ranges::any_of(item.bases, [](const Base& b) { return b.writes && b.reg.file == File::s; });
    if (elsewhere)
      for (int r = 0; r < scalars; ++r) n[static_cast<size_t>(r)] = number({made_here, line, r});
    if (elsewhere) return;
    const Inst& i = item.inst;
    const isa::Info& row = i.info();
    bool follows = item.pure && row.unit == isa::Unit::salu && !(row.implicit & (isa::m0_r | isa::exec_r | isa::vcc_r));
    Key key{computed, static_cast<int>(i.op), 0};  // the third: which of its results
    for (int k = 0; follows && k < row.count(); ++k) {
      if (row.operands[k].access == isa::Access::write) continue;
      key.push_back(source(i, i.operands[k], n));
      follows = key.back() != absent;
    }
    if (row.implicit & isa::scc_r) key.push_back(n[isa::sreg::scc]);
    const bool copies = follows && (i.op == move_ || i.op == move64_);
    Numbers before;
    if (copies) before = n;
    item.writes.each([&](int reg) {
      const int r = reg - scalar_base;
      if (r < 0 || r >= scalars) return;
      key[2] = r == isa::sreg::scc ? absent : r - i.operands[0].index;
      auto& to = n[static_cast<size_t>(r)];
      if (copies && i.operands[1].file == File::s) to = before[static_cast<size_t>(i.operands[1].index + key[2])];
      else if (copies && i.op == move_) to = key[3];
      else to = number(follows ? key : Key{made_here, line, r});
    });
  }

  const Code& code_;
  std::vector<Numbers> out_;
  Numbers entry_{};
  mutable std::map<Key, int> numbers_;
  mutable std::vector<Key> keys_;
  mutable std::vector<std::vector<int>> roots_;
  Opcode move_ = *isa::find_opcode("s_mov_b32"), move64_ = *isa::find_opcode("s_mov_b64");
};

class ConditionWalk {
 public:
  ConditionWalk(const Code& code, const Numbering& numbers)
      : code_(code), numbers_(numbers), said_(code.blocks.size()), most_(4 * code.blocks.size() + 64) {
    for (size_t b = 0; b < code.blocks.size(); ++b) said_[b] = numbers.condition(static_cast<int>(b));
  }
  // Conditions that more than one branch tests: only these are worth remembering.
  bool any_twice() {
    std::map<std::pair<int, int>, int> asked;
    for (const Facts& f : said_)
      if (!f.empty()) ++asked[subject(f[0])];
    bool decided = false;
    for (const Facts& f : said_)
      decided |= !f.empty() && numbers_.is_constant(f[0].first) && numbers_.is_constant(f[0].second);
    for (const auto& [s, times] : asked)
      if (times > 1) wanted_[s] = static_cast<int>(wanted_.size());
    // By block, the conditions that reachable branches test.
    live_.assign(code_.blocks.size(), std::vector<uint64_t>(wanted_.size() / 64 + 1, 0));
    for (bool grown = true; grown;) {
      grown = false;
      for (size_t b = code_.blocks.size(); b-- > 0;) {
        auto all = live_[b];
        if (!said_[b].empty())
          if (const auto w = wanted_.find(subject(said_[b][0])); w != wanted_.end())
            all[static_cast<size_t>(w->second / 64)] |= uint64_t{1} << w->second % 64;
        for (const int to : code_.blocks[b].to)
          for (size_t k = 0; k < all.size(); ++k) all[k] |= live_[static_cast<size_t>(to)][k];
        if (all != live_[b]) live_[b] = std::move(all), grown = true;
      }
    }
    return decided || !wanted_.empty();
  }
  std::optional<Code> split() {
    copy_of(0, {});
    for (size_t k = 0; k < copies_.size(); ++k) {
      const int b = copies_[k].block;
      Facts facts = copies_[k].facts;
      std::erase_if(facts,
                    [&](const Fact& f) { return numbers_.ends_in(f.first, b) || numbers_.ends_in(f.second, b); });
      const Span& span = code_.blocks[static_cast<size_t>(b)];
      const int taken = code_.lines[static_cast<size_t>(span.end - 1)].target;
      for (const int to : span.to) {
        const bool jumps = code_.blocks[static_cast<size_t>(to)].begin == taken;
        auto learned = span.to.size() == 2 ? learn(facts, said_[static_cast<size_t>(b)], jumps) : facts;
        if (!learned) {
          ++pruned_;
          continue;
        }
        const int copy = copy_of(to, std::move(*learned));
        copies_[k].to.push_back(copy);
      }
    }
    if (!pruned_) return {};
    std::vector<int> order(copies_.size()), place(copies_.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::ranges::stable_sort(order, {}, [&](int k) { return copies_[static_cast<size_t>(k)].block; });
    for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k])] = static_cast<int>(k);
    Code out = code_;
    out.blocks.clear();
    for (const int k : order) {
      const Copy& c = copies_[static_cast<size_t>(k)];
      Span s = code_.blocks[static_cast<size_t>(c.block)];
      s.to.clear();
      for (const int to : c.to) s.to.push_back(place[static_cast<size_t>(to)]);
      out.blocks.push_back(std::move(s));
    }
    return out;
  }

 private:
  struct Copy {
    int block;
    Facts facts;
    std::vector<int> to;
  };
  // Comparisons of one value with different constants restrict each other.
  static constexpr int any_constant = -2;  // no number, nor absent
  std::pair<int, int> subject(const Fact& k) const {
    return {k.first, numbers_.is_constant(k.second) ? any_constant : k.second};
  }
  // The orders of these values that the known facts leave possible.
  uint8_t left(const Facts& facts, const Fact& asked) const {
    uint8_t orders = asked.second == absent ? less | equal : less | equal | greater;
    const bool constant_second = numbers_.is_constant(asked.second);
    if (constant_second && numbers_.is_constant(asked.first))
      return numbers_.order(asked.first, asked.second, asked.with_sign);
    for (const Fact& f : facts) {
      if (f.same_values(asked)) orders &= f.orders;
      else if (constant_second && f.first == asked.first && f.with_sign == asked.with_sign &&
               numbers_.is_constant(f.second)) {
        // x compares to c as f.orders says: the orders to asked.second that remain.
        const uint8_t c = numbers_.order(f.second, asked.second, asked.with_sign);
        uint8_t may = 0;
        if (f.orders & equal) may |= c;
        if (f.orders & less) may |= c == greater ? less | equal | greater : less;
        if (f.orders & greater) may |= c == less ? less | equal | greater : greater;
        orders &= may;
      }
    }
    return orders;
  }
  // None: this combination is impossible.
  std::optional<Facts> learn(const Facts& facts, const Facts& said, bool taken) const {
    Facts out = facts;
    for (Fact k : said) {
      const uint8_t all = k.second == absent ? less | equal : less | equal | greater;
      if (!taken) k.orders ^= all;
      k.orders &= left(facts, k);
      if (!k.orders) return {};
      if (!wanted_.contains(subject(k))) continue;
      const auto same = std::ranges::find_if(out, [&](const Fact& f) { return f.same_values(k); });
      if (same != out.end()) *same = k;
      else out.push_back(k);
    }
    std::ranges::sort(out);
    return out;
  }
  int copy_of(int block, Facts facts) {
    std::erase_if(facts, [&](const Fact& f) {
      const int w = wanted_.at(subject(f));
      return !(live_[static_cast<size_t>(block)][static_cast<size_t>(w / 64)] >> w % 64 & 1);
    });
    if (copies_.size() >= most_ && !numbers_of_.contains({block, facts})) facts.clear();
    const auto [at, made] = numbers_of_.try_emplace({block, std::move(facts)}, static_cast<int>(copies_.size()));
    if (made) copies_.push_back({block, at->first.second, {}});
    return at->second;
  }

  const Code& code_;
  const Numbering& numbers_;
  std::vector<Facts> said_;  // by block, what its branch implies when taken
  std::map<std::pair<int, int>, int> wanted_;
  std::vector<std::vector<uint64_t>> live_;
  std::vector<Copy> copies_;
  std::map<std::pair<int, Facts>, int> numbers_of_;
  size_t most_;
  int pruned_ = 0;
};

}  // namespace

std::optional<Code> at_conditions(const Code& code) {
  if (code.lines.empty()) return {};
  Numbering numbers(code);
  if (!numbers.find()) return {};
  ConditionWalk walk(code, numbers);
  if (!walk.any_twice()) return {};
  return walk.split();
}

}  // namespace wavesmith::checker
