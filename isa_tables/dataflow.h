// Data flow over the blocks of a control flow graph, forward or backward, to a fixpoint. The caller supplies the
// transfer function of a block and the join of states. solve() is for states that only grow, whose fixpoint does not
// depend on the order. solve_anew() is for transfer functions whose results may shrink again (a wait inserted in a late
// round weakens those after it).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa_tables/absent.h"

namespace wavesmith::isa {

// The successors of each block.
class Edges {
 public:
  // each(block, f) calls f(to) for every successor; absent is none.
  template <class Each>
  Edges(size_t blocks, Each&& each) : first_(blocks + 1, 0) {
    for (size_t b = 0; b < blocks; ++b) {
      each(b, [&](int to) {
        if (to != absent) all_.push_back(to);
      });
      first_[b + 1] = all_.size();
    }
  }
  size_t blocks() const { return first_.size() - 1; }
  std::span<const int> of(size_t b) const { return {all_.data() + first_[b], all_.data() + first_[b + 1]}; }
  // The reversed edges: predecessors, lowest first.
  Edges turned() const {
    Edges t;
    t.first_.assign(first_.size(), 0), t.all_.resize(all_.size());
    for (const int to : all_) ++t.first_[static_cast<size_t>(to) + 1];
    for (size_t b = 0; b < blocks(); ++b) t.first_[b + 1] += t.first_[b];
    std::vector<size_t> next(t.first_.begin(), t.first_.end() - 1);
    for (size_t b = 0; b < blocks(); ++b)
      for (const int to : of(b)) t.all_[next[static_cast<size_t>(to)]++] = static_cast<int>(b);
    return t;
  }

 private:
  Edges() = default;
  std::vector<size_t> first_;
  std::vector<int> all_;
};

enum class Direction : uint8_t { forward, backward };
template <class State>
using States = std::vector<std::optional<State>>;  // per block; nullopt: not reached

// Union of bit sets (arrays of words). Returns whether `into` grew.
inline constexpr auto unite = [](auto& into, const auto& from) {
  uint64_t grown = 0;
  for (size_t w = 0; w < into.size(); ++w) grown |= from[w] & ~into[w], into[w] |= from[w];
  return grown != 0;
};

// Blocks to walk, in order of the flow's direction.
template <Direction D>
class Worklist {
 public:
  explicit Worklist(size_t blocks) : blocks_(blocks), bits_(blocks / 64 + 1, 0), at_(bits_.size()) {}
  void put(size_t block) {
    const size_t k = place(block);
    bits_[k / 64] |= uint64_t{1} << k % 64, at_ = std::min(at_, k / 64);
  }
  bool take(size_t& block) {  // false: none is left
    while (at_ < bits_.size() && !bits_[at_]) ++at_;
    if (at_ == bits_.size()) return false;
    block = place(at_ * 64 + static_cast<size_t>(std::countr_zero(bits_[at_])));
    bits_[at_] &= bits_[at_] - 1;
    return true;
  }

 private:
  size_t place(size_t k) const { return D == Direction::forward ? k : blocks_ - 1 - k; }
  size_t blocks_;
  std::vector<uint64_t> bits_;
  size_t at_;
};

struct ArrivesUnchanged {
  template <class State>
  const State* operator()(const State& state, size_t, size_t) const {
    return &state;
  }
};

// `states`: the state at each block's start, in the direction of the flow; initially only where the flow starts. Every
// block with a state is walked. transfer(state, block, again) turns it into the state at the block's end, or returns
// false if that has not changed since the last walk. join(into, from) returns whether `into` grew. arrives(left, block,
// to) returns the state that reaches `to`, or nullptr if none does.
template <Direction D, class State, class Transfer, class Join, class Arrives = ArrivesUnchanged>
void solve(const Edges& edges, States<State>& states, Transfer&& transfer, Join&& join, Arrives&& arrives = Arrives{}) {
  const std::optional<Edges> turned = D == Direction::backward ? std::optional(edges.turned()) : std::nullopt;
  const Edges& onwards = turned ? *turned : edges;
  Worklist<D> todo(edges.blocks());
  std::vector<char> walked(edges.blocks(), 0);
  for (size_t b = 0; b < states.size(); ++b)
    if (states[b]) todo.put(b);
  std::optional<State> walking;  // its storage is used again
  for (size_t b = 0; todo.take(b);) {
    State& state = walking ? * walking = *states[b] : walking.emplace(*states[b]);
    if (!transfer(state, b, std::exchange(walked[b], 1) != 0)) continue;
    const auto all = onwards.of(b);
    const auto arrive = [&](size_t to, bool last) {  // the last one takes the state over
      const State* from = arrives(state, b, to);
      if (!from) return;
      auto& there = states[to];
      if (there ? join(*there, *from)
                : (last && from == &state ? there.emplace(std::move(state)) : there.emplace(*from), true))
        todo.put(to);
    };
    for (const int& to : all) arrive(static_cast<size_t>(to), &to == &all.back());
  }
}

// Forward, in rounds over the blocks in order. Each round recomputes a block's initial state from the latest states of
// its predecessors, so it may shrink. As this can oscillate, states only grow from round `anew` on, if they have an
// order; otherwise the iteration gives up after `most` rounds. Block 0 is the entry; unreached blocks start with the
// entry's state. transfer and arrives as in solve(); join(into, from, block). Returns each block's initial state;
// nullopt: given up.
struct Rounds {
  int anew = 8, most = 1 << 30;
};
template <class State, class Transfer, class Join, class Arrives = ArrivesUnchanged>
std::optional<std::vector<State>> solve_anew(const Edges& edges, const State& entry, Rounds rounds, Transfer&& transfer,
                                             Join&& join, Arrives&& arrives = Arrives{}) {
  const size_t count = edges.blocks();
  const Edges from = edges.turned();
  std::vector<State> in(count, entry), out(count, entry);
  std::vector<char> walked(count, 0);
  bool loops = false, changed = true;  // without back edges one round is enough
  for (size_t b = 0; b < count; ++b)
    for (const int to : edges.of(b)) loops |= static_cast<size_t>(to) <= b;
  for (int round = 0; std::exchange(changed, false); ++round) {
    if (round == rounds.most) return {};
    for (size_t b = 0; b < count; ++b) {
      const bool grows = round >= rounds.anew && walked[b];
      State state = grows ? in[b] : entry;
      bool first = b != 0 && !grows;
      for (const int k : from.of(b)) {
        const auto p = static_cast<size_t>(k);
        const State* arrived = walked[p] ? arrives(out[p], p, b) : nullptr;
        if (!arrived) continue;
        if (std::exchange(first, false)) state = *arrived;
        else join(state, *arrived, b);
      }
      if (walked[b] && state == in[b]) continue;
      in[b] = state;
      if (transfer(state, b, walked[b] != 0)) out[b] = std::move(state), changed = loops;
      walked[b] = 1;
    }
  }
  return in;
}

}  // namespace wavesmith::isa
