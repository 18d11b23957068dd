// Ordering constraints among the instructions of a straight-line region: registers (SCC, VCC, EXEC and M0 included),
// LDS and global memory. Reads may be reordered with reads; LDS accesses with different buffer tags are disjoint; any
// other write keeps its order with accesses to the same memory, because lanes exchange data through memory and
// addresses are not compared.
#pragma once
#include <cstdint>
#include <vector>

#include "generator/dsl/node.h"

namespace wavesmith {

struct Dependences {
  struct Edge {
    int to;
    int clocks;
    bool data = false;
  };  // minimum clocks from issue to issue, used for priorities only; data: `to` reads a register written
  explicit Dependences(int nodes) : next(nodes), words(static_cast<size_t>(nodes + 63) / 64), reach(nodes * words) {}
  int size() const { return static_cast<int>(next.size()); }
  bool before(int a, int b) const { return reach[a * words + (b >> 6)] >> (b & 63) & 1; }  // directly or through others
  // Adds the constraint that a issues before b. False if b must already precede a.
  bool add(int a, int b);

  std::vector<std::vector<Edge>> next;
  size_t words;                    // of a row of `reach`
  std::vector<uint64_t> reach;     // transitive closure of `next`, one bit row per node
  void close();                    // computes it, edges being in program order
  void inherit(int from, int to);  // what follows `to`, and itself, follows `from`
};

// Nodes are instructions and sched_barriers with a mask; instructions that may not cross a barrier stay on their side.
Dependences dependences(const std::vector<const Node*>& region, Arch);

}  // namespace wavesmith
