#include "checker/calls.h"

#include <algorithm>
#include <utility>

namespace wavesmith::checker {
namespace {

constexpr size_t most_blocks = 2000;  // copies; some 40 KB of state each

}  // namespace

void Callees::find(Code& code) {
  for (auto& [line, call] : code.calls) {
    std::set<uint64_t> seen;
    call.known = follow(call.to, code.lines[static_cast<size_t>(line)].item->inst.operands[0], seen, call.writes);
  }
}

// A jump through the registers that hold the return address is a return. Calls of all levels use the same registers.
bool Callees::follow(uint64_t address, const Operand& way_back, std::set<uint64_t>& seen, RegBits& writes) {
  if (!seen.insert(address).second) return true;
  auto& code = functions_[address];
  if (!code) code = std::make_unique<Code>(decoder_.decode(object_, address, 0));
  const auto item = [&](int line) -> const Item& { return *code->lines[static_cast<size_t>(line)].item; };
  if (code->lines.empty() ||
      std::ranges::any_of(code->jumps, [&](int line) { return !(item(line).inst.operands[0] == way_back); }))
    return false;
  for (int i = 0; i < static_cast<int>(code->lines.size()); ++i) {
    if (!item(i).refusal.empty() || (item(i).flow == Flow::call && !code->calls.contains(i))) return false;
    item(i).writes.add_to(writes);
  }
  return std::ranges::all_of(code->calls, [&](const auto& c) { return follow(c.second.to, way_back, seen, writes); });
}

namespace {

// The lines of a function exist once; its blocks are copied for each call path.
struct Joiner {
  const std::map<uint64_t, std::unique_ptr<Code>>& functions;
  Code out;
  std::map<uint64_t, int> first_line;  // by address of a function
  std::vector<uint64_t> open;          // functions on the way from the kernel

  int lines_of(uint64_t address) {
    const auto [at, first] = first_line.try_emplace(address, static_cast<int>(out.lines.size()));
    if (!first) return at->second;
    out.some.add(functions.at(address)->some);
    for (CodeLine l : functions.at(address)->lines) {
      for (int* to : {&l.next, &l.target})
        if (*to != absent) *to += at->second;
      out.lines.push_back(l);
    }
    return at->second;
  }
  bool too_much(const Code& f) const { return out.blocks.size() + f.blocks.size() > most_blocks; }
  // Follows the calls of `code`, whose lines and blocks begin at these indices.
  void calls_of(const Code& code, int line, int block) {
    for (const auto& [at, call] : code.calls) {
      if ((line == 0 && !call.known) || std::ranges::find(open, call.to) != open.end() ||
          code.lines[static_cast<size_t>(at)].next == absent)
        continue;
      const Code& f = *functions.at(call.to);
      if (too_much(f)) continue;
      const auto b =
          static_cast<size_t>(block) +
          static_cast<size_t>(std::ranges::upper_bound(code.blocks, at, {}, &Span::begin) - code.blocks.begin()) - 1;
      const int back = out.blocks[b].to[0];
      open.push_back(call.to);
      out.blocks[b].to = {copy(f, lines_of(call.to), back)};
      out.blocks[b].enters = true;
      open.pop_back();
    }
  }
  // Appends a copy of a function's blocks that return to block `back`; returns the index of the first.
  int copy(const Code& f, int line, int back) {
    const int first = static_cast<int>(out.blocks.size());
    for (Span s : f.blocks) {
      for (int& to : s.to) to += first;
      s.begin += line, s.end += line;
      if (out.lines[static_cast<size_t>(s.end - 1)].item->flow == Flow::jump && s.to.empty()) s.to = {back};
      out.blocks.push_back(std::move(s));
    }
    calls_of(f, line, first);
    return first;
  }
  // Sorts blocks by their lines; copies of a block are adjacent.
  void sort() {
    std::vector<int> order(out.blocks.size()), place(out.blocks.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::ranges::stable_sort(order, {}, [&](int k) { return out.blocks[static_cast<size_t>(k)].begin; });
    std::vector<Span> sorted;
    for (size_t k = 0; k < order.size(); ++k)
      place[static_cast<size_t>(order[k])] = static_cast<int>(k),
      sorted.push_back(std::move(out.blocks[static_cast<size_t>(order[k])]));
    for (Span& s : sorted)
      for (int& to : s.to) to = place[static_cast<size_t>(to)];
    out.blocks = std::move(sorted);
  }
};

}  // namespace

std::optional<Code> Callees::whole(const Code& code) const {
  if (std::ranges::none_of(code.calls, [](const auto& c) { return c.second.known; })) return {};
  Joiner j{functions_, code, {}, {}};
  j.calls_of(code, 0, 0);
  j.sort();
  return std::move(j.out);
}

}  // namespace wavesmith::checker
