// Paths through code for the LDS check: the relevant lines, post-dominators where divergent waves reconverge, and
// unrolled loops.
#pragma once
#include <optional>

#include "checker/code.h"

namespace wavesmith::checker {

bool signals(Opcode);     // of a split barrier
bool is_barrier(Opcode);  // one that waits

// The lines relevant to LDS, by block; the others have no effect on the LDS check. Lines that no access can follow are
// none of them.
struct LdsLines {
  std::vector<std::vector<int>>
      values;  // accesses, the computation of their addresses and of the active lanes, branches
  std::vector<std::vector<int>> order;  // accesses, counter increments and waits, barriers, calls
  std::vector<char> leads;              // whether the block or one that can follow it has accesses
  RegBits asked{};                      // the registers that `values` read
};
LdsLines lds_lines(const Code& code);
// By block: its immediate post-dominator; the number of blocks if it has none.
std::vector<int> post_dominators(const Code& code);
// Whether waves that diverge after block `from` reach a barrier, or their end, before they reconverge at `to`.
bool barrier_before(const Code& code, int from, int to);
// The blocks with separate copies of what runs after zero, one and more back edges: an address is often known in the
// first iterations of a loop, but not for all iterations together.
std::vector<Span> unrolled(const Code&);
bool has_loops(const Code&);

// The code as written and, if it has loops, unrolled: blocks are then copies of the written ones.
struct Paths {
  const Code& written;
  LdsLines lines;  // of `written`
  std::optional<std::vector<Span>> turns{};
  std::vector<int> reconvergence{};  // post_dominators() of `written`, once asked for
  std::map<int, bool> apart{};       // by block: barrier_before() its post-dominator
  const std::vector<Span>& blocks() const { return turns ? *turns : written.blocks; }
  int number(const Span& b) const {
    return static_cast<int>(&b - blocks().data()) % static_cast<int>(written.blocks.size());
  }
  // Where waves that diverge after a written block reconverge; none: nowhere, or a barrier is before it.
  std::optional<int> reconverges_at(int block) {
    if (reconvergence.empty()) reconvergence = post_dominators(written);
    const int to = reconvergence[static_cast<size_t>(block)];
    const auto [at, first] = apart.try_emplace(block, false);
    if (first) at->second = barrier_before(written, block, to);
    return at->second ? std::nullopt : std::optional(to);
  }
  const std::vector<int>& values_of(const Span& b) const { return lines.values[static_cast<size_t>(number(b))]; }
  const std::vector<int>& order_of(const Span& b) const { return lines.order[static_cast<size_t>(number(b))]; }
  bool leads(size_t block) const { return lines.leads[block % written.blocks.size()]; }
};

}  // namespace wavesmith::checker
