// The rules, one function each, over the same lines. They report through Report, which keeps one finding per line and
// rule.
#pragma once
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

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

// Searches the lines before `line`, nearest first on every path, until `found(line)` is true; -1: none.
template <class F>
int search_back(const Code& code, int line, F&& found) {
  std::vector<std::vector<int>> from(code.blocks.size());
  for (size_t b = 0; b < code.blocks.size(); ++b)
    for (const int to : code.blocks[b].to) from[static_cast<size_t>(to)].push_back(static_cast<int>(b));
  std::vector<char> seen(code.blocks.size(), 0);
  std::vector<std::pair<size_t, int>> todo;  // block, line to start before
  for (size_t b = 0; b < code.blocks.size(); ++b)
    if (code.blocks[b].begin <= line && line < code.blocks[b].end) todo.push_back({b, line});  // copies of one block
  for (size_t k = 0; k < todo.size(); ++k) {
    const auto [b, start] = todo[k];
    for (int i = start; i-- > code.blocks[b].begin;)
      if (found(i)) return i;
    for (const int p : from[b])
      if (!std::exchange(seen[static_cast<size_t>(p)], 1))
        todo.push_back({static_cast<size_t>(p), code.blocks[static_cast<size_t>(p)].end});
  }
  return -1;
}

// Walks blocks, lowest first, until no in-state grows. walk(state, block, again) turns an in-state into the out-state,
// or returns false if the out-state is that of the last walk; join(into, from) says whether `into` grew;
// leads(out-state, block, to) points to the state that enters block `to`, usually the out-state; nullptr if the edge is
// not taken.
constexpr auto everywhere = [](const auto& st, const Span&, int) { return &st; };
template <class State, class Walk, class Join, class Leads = decltype(everywhere)>
void fixpoint(const Code& code, State entry, Walk&& walk, Join&& join, Leads&& leads = Leads{}) {
  const size_t count = code.blocks.size();
  std::vector<std::optional<State>> in(count);
  std::vector<char> walked(count, 0);
  std::set<int> todo{0};
  in[0] = std::move(entry);
  while (!todo.empty()) {
    const auto b = static_cast<size_t>(*todo.begin());
    todo.erase(todo.begin());
    State st = *in[b];
    if (!walk(st, code.blocks[b], std::exchange(walked[b], 1) != 0)) continue;
    for (const int to : code.blocks[b].to) {
      const State* arrives = leads(st, code.blocks[b], to);
      if (!arrives) continue;
      auto& there = in[static_cast<size_t>(to)];
      if (there ? join(*there, *arrives) : (there = *arrives, true)) todo.insert(to);
    }
  }
}

}  // namespace wavesmith::checker
