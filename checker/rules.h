// The rules, one function each, over the same lines. They report through Report, which keeps one finding per line and
// rule.
#pragma once
#include <fmt/format.h>

#include <map>
#include <optional>

#include "checker/check.h"

namespace wavesmith::checker {

class Report {
 public:
  Report(const Code& code, const Entry& entry) : code_(code), entry_(entry) {}
  // A later finding of the same line and rule replaces it: states only grow until the fixpoint is reached.
  Finding& at(int line, const std::string& rule);
  std::vector<Finding> take();

 private:
  const Code& code_;
  const Entry& entry_;
  std::map<std::pair<int, std::string>, Finding> found_;
};

void check_flow(const Code&, const Entry&, Report&);
void check_limits(const Code&, const Entry&, Report&);
void check_written(const Code&, const Entry&, Report&);
// Advice only.
void check_narrow(const Code&, Report&);
// With advice: unnecessary nops and waits.
void check_wait_states(const Code&, const Entry&, Report&, const Options&);
void check_in_flight(const Code&, Report&, const Options&);
bool is_of_in_flight(const Finding&);  // one of check_in_flight()'s
void check_alu_waits(const Code&, Report&, const Options&);

// Searches the lines before `line`, nearest first on every path, until `found(line)` is true: that one.
template <class F>
std::optional<int> search_back(const Code& code, int line, F&& found) {
  const isa::Edges from = edges(code).turned();
  std::vector<char> seen(code.blocks.size(), 0);
  std::vector<std::pair<size_t, int>> todo;  // block, line to start before
  for (size_t b = 0; b < code.blocks.size(); ++b)
    if (code.blocks[b].begin <= line && line < code.blocks[b].end) todo.push_back({b, line});  // copies of one block
  for (size_t k = 0; k < todo.size(); ++k) {
    const auto [b, start] = todo[k];
    for (int i = start; i-- > code.blocks[b].begin;)
      if (found(i)) return i;
    for (const int p : from.of(b))
      if (!std::exchange(seen[static_cast<size_t>(p)], 1))
        todo.push_back({static_cast<size_t>(p), code.blocks[static_cast<size_t>(p)].end});
  }
  return {};
}

// isa::solve() over the blocks of code, forward from the entry: what each block begins with.
template <class State, class Walk, class Join, class Arrives = isa::ArrivesUnchanged>
isa::States<State> fixpoint(std::span<const Span> blocks, State entry, Walk&& walk, Join&& join,
                            Arrives&& arrives = Arrives{}) {
  isa::States<State> in(blocks.size());
  in[0] = std::move(entry);
  isa::solve<isa::Direction::forward>(
      edges(blocks), in, [&](State& st, size_t b, bool again) { return walk(st, blocks[b], again); }, join, arrives);
  return in;
}
template <class State, class Walk, class Join, class Arrives = isa::ArrivesUnchanged>
isa::States<State> fixpoint(const Code& code, State entry, Walk&& walk, Join&& join, Arrives&& arrives = Arrives{}) {
  return fixpoint(std::span(code.blocks), std::move(entry), walk, join, arrives);
}

}  // namespace wavesmith::checker
