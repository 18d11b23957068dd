// The solvers of data flow against the definition: a bit reaches a block if a path leads to it from where the bit is
// made, through blocks that do not end it.
#include <catch2/catch.hpp>

#include <array>
#include <random>

#include "isa_tables/dataflow.h"

namespace wavesmith::isa {
namespace {

using FlowBits = std::array<uint64_t, 1>;
struct FlowGraph {
  std::vector<std::vector<int>> to;
  std::vector<uint64_t> made, ended;
  explicit FlowGraph(std::mt19937& random) : to(1 + random() % 12), made(to.size()), ended(to.size()) {
    for (size_t b = 0; b < to.size(); ++b) {
      for (unsigned k = random() % 3; k-- > 0;) to[b].push_back(static_cast<int>(random() % to.size()));
      made[b] = random() & random() & 0xffff, ended[b] = random() & 0xffff;
    }
  }
  Edges edges() const {
    return Edges(to.size(), [&](size_t b, auto f) {
      for (const int t : to[b]) f(t);
    });
  }
  bool step(FlowBits& bits, size_t b) const { return bits[0] = (bits[0] & ~ended[b]) | made[b], true; }
  // Bits that leave `from`, where `next` are the blocks after each, along all paths.
  void follow(size_t from, uint64_t bits, const Edges& next, std::vector<uint64_t>& reached) const {
    for (const int t : next.of(from)) {
      auto& there = reached[static_cast<size_t>(t)];
      if (const uint64_t fresh = bits & ~there; fresh || !(there >> 63))
        there |= fresh | uint64_t{1} << 63,
            follow(static_cast<size_t>(t), fresh & ~ended[static_cast<size_t>(t)], next, reached);
    }
  }
};

}  // namespace

TEST_CASE("forward data flow from the entry is what paths from it carry", "[isa][dataflow]") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const FlowGraph g(random);
    const Edges edges = g.edges();
    std::vector<uint64_t> wanted(g.to.size(), 0);  // bit 63: reached
    wanted[0] = uint64_t{1} << 63;
    g.follow(0, 0, edges, wanted);
    const auto reachable = wanted;
    for (size_t b = 0; b < g.to.size(); ++b)
      if (reachable[b]) g.follow(b, g.made[b], edges, wanted);
    // solve_anew() walks what nothing reaches, too.
    const bool all_reached = std::ranges::find(reachable, 0u) == reachable.end();
    States<FlowBits> states(g.to.size());
    states[0] = FlowBits{};
    const auto step = [&](FlowBits& s, size_t b, bool) { return g.step(s, b); };
    solve<Direction::forward>(edges, states, step, unite);
    const auto anew = solve_anew(edges, FlowBits{}, {}, step,
                                 [](FlowBits& into, const FlowBits& from, size_t) { unite(into, from); });
    REQUIRE(anew);
    for (size_t b = 0; b < g.to.size(); ++b) {
      CHECK(states[b].has_value() == (reachable[b] != 0));
      if (states[b]) CHECK((*states[b])[0] == (wanted[b] & 0xffff));
      if (all_reached) CHECK((*anew)[b] == *states[b]);
    }
  }
}

TEST_CASE("backward data flow from all blocks is what paths to them ask for", "[isa][dataflow]") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const FlowGraph g(random);
    const Edges edges = g.edges(), back = edges.turned();
    std::vector<uint64_t> wanted(g.to.size(), 0);
    for (size_t b = 0; b < g.to.size(); ++b) g.follow(b, g.made[b], back, wanted);
    States<FlowBits> states(g.to.size(), FlowBits{});
    solve<Direction::backward>(edges, states, [&](FlowBits& s, size_t b, bool) { return g.step(s, b); }, unite);
    for (size_t b = 0; b < g.to.size(); ++b) CHECK((*states[b])[0] == (wanted[b] & 0xffff));
  }
}

TEST_CASE("states that oscillate only grow after some rounds, or the solver gives up after the rounds allowed",
          "[isa][dataflow]") {
  const Edges loop(2, [](size_t b, auto f) { f(b == 0 ? 1 : 0), f(b == 0 ? -1 : 1); });
  const auto flips = [](int& s, size_t b, bool) { return s = b == 1 ? !s : s, true; };
  const auto most = [](int& into, int from, size_t) { into = std::max(into, from); };
  CHECK(solve_anew(loop, 0, {}, flips, most));
  const auto counts = [](int& s, size_t, bool) { return ++s, true; };
  CHECK_FALSE(solve_anew(loop, 0, {16, 16}, counts, most));
}

}  // namespace wavesmith::isa
