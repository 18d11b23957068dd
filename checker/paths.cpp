#include "checker/paths.h"

#include <algorithm>
#include <utility>

#include "checker/in_flight.h"
#include "checker/values.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {

bool signals(Opcode op) { return op == Opcode::s_barrier_signal || op == Opcode::s_barrier_signal_isfirst; }
bool is_barrier(Opcode op) { return op == Opcode::s_barrier || op == Opcode::s_barrier_wait; }

namespace {

constexpr int exec = scalar_base + isa::sreg::exec;

// Whether all lanes are active after an instruction.
bool active_after(const Item& item, bool before, int lanes) {
  if (!item.refusal.empty() || item.flow == Flow::call) return false;
  if (!item.writes_exec) return before;
  const Inst& i = item.inst;
  return (i.op == Opcode::s_mov_b32 || i.op == Opcode::s_mov_b64) && i.operands[0].index == isa::sreg::exec &&
         i.operands[0].dwords == lanes / 32 && i.operands[1].file == File::imm && i.operands[1].bits == ~0u;
}
// By block: whether all lanes are active at its start, whichever path was taken.
std::vector<char> all_active(const Code& code) {
  isa::States<char> states(code.blocks.size());
  states[0] = 1;
  isa::solve<isa::Direction::forward>(
      edges(code), states,
      [&](char& all, size_t b, bool) {
        for (int i = code.blocks[b].begin; i < code.blocks[b].end; ++i)
          all = active_after(*code.lines[static_cast<size_t>(i)].item, all, code.lanes);
        return true;
      },
      [](char& into, char from) { return !from && std::exchange(into, 0); });
  std::vector<char> all;
  for (const auto& s : states) all.push_back(s.value_or(0));
  return all;
}

}  // namespace

// Backwards over the control flow. A write ends the need for an older value, but only where EXEC is known to be full:
// inactive lanes keep it. That of EXEC ends only where all lanes become active: other writes are judged by the mask
// before (masks.cpp).
LdsLines lds_lines(const Code& code) {
  const size_t n = code.blocks.size();
  LdsLines lines{.values = std::vector<std::vector<int>>(n),
                 .order = std::vector<std::vector<int>>(n),
                 .leads = std::vector<char>(n)};
  enum Matters : uint8_t { no, to_values = 1, to_order = 2, accesses_lds = 4 };
  std::vector<uint8_t> matters(code.lines.size());
  std::vector<char> all_lanes(code.lines.size()), full = all_active(code);
  constexpr RegBits exec_of = [] {
    RegBits bits{};
    bits[exec / 64] = uint64_t{3} << exec % 64;
    return bits;
  }();
  for (size_t b = 0; b < n; ++b)
    for (int i = code.blocks[b].begin; i < code.blocks[b].end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      const bool accesses = item.uses_lds || item.may_use_lds, ends = !item.refusal.empty() || item.flow == Flow::call;
      uint8_t& m = matters[static_cast<size_t>(i)];
      if (accesses) m = to_values | to_order | accesses_lds;
      if (ends || item.flow != Flow::next || item.writes_indexed) m |= to_values;
      if (ends || item.counted || !item.waits.empty() || item.synchronizes) m |= to_order;
      all_lanes[static_cast<size_t>(i)] = full[b];
      full[b] = active_after(item, full[b], code.lanes);
    }
  struct Needs {            // at one point of the code
    bool followed = false;  // an access may follow
    RegBits asked{};
  };
  const auto ask = [&](Needs& at, int reg) {
    for (RegBits* bits : {&at.asked, &lines.asked}) (*bits)[static_cast<size_t>(reg / 64)] |= uint64_t{1} << reg % 64;
  };
  isa::States<Needs> out(n, Needs{});  // by block, at its end
  std::vector<int> values, order;      // of a block, the last first
  isa::solve<isa::Direction::backward>(
      edges(code), out,
      [&](Needs& at, size_t b, bool) {
        values.clear(), order.clear();
        for (int i = code.blocks[b].end; i-- > code.blocks[b].begin;) {
          const uint8_t matter = matters[static_cast<size_t>(i)];
          const bool accesses = matter & accesses_lds;
          if (!at.followed && !accesses) continue;
          at.followed = true;
          if (matter & to_order) order.push_back(i);
          const Item& item = *code.lines[static_cast<size_t>(i)].item;
          const bool makes = item.writes.meets(at.asked);
          if (!makes && !(matter & to_values)) continue;
          values.push_back(i);
          if (makes) {
            const bool whole = all_lanes[static_cast<size_t>(i)], fills = active_after(item, false, code.lanes);
            const bool certain = item.bases.empty() && !(item.inst.info().implicit & isa::keeps);
            for (int k = 0; certain && k < item.writes.count; ++k)
              if (const auto& p = item.writes.parts[static_cast<size_t>(k)]; whole || p.word >= scalar_base / 64)
                at.asked[p.word] &= ~p.mask | (fills ? 0 : exec_of[p.word]);
          }
          if (makes || item.flow == Flow::conditional) item.reads.add_to(at.asked), item.reads.add_to(lines.asked);
          if (!accesses) continue;
          ask(at, exec), ask(at, exec + 1);
          for (const int reg : lds_address_registers(item)) ask(at, reg);
        }
        lines.leads[b] = at.followed;
        lines.values[b].assign(values.rbegin(), values.rend()), lines.order[b].assign(order.rbegin(), order.rend());
        return true;
      },
      [](Needs& into, const Needs& from) {
        const bool follows = from.followed && !std::exchange(into.followed, true);
        return isa::unite(into.asked, from.asked) || follows;
      });
  return lines;
}

// Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, on the graph turned around.
std::vector<int> post_dominators(const Code& code) {
  const size_t n = code.blocks.size();
  std::vector<std::vector<int>> from(n + 1);  // by block, the exit last
  for (size_t b = 0; b < n; ++b) {
    for (const int to : code.blocks[b].to) from[static_cast<size_t>(to)].push_back(static_cast<int>(b));
    if (code.blocks[b].to.empty()) from[n].push_back(static_cast<int>(b));
  }
  std::vector<int> number(n + 1, absent), after(n + 1, absent), order;  // postorder of a walk from the exit
  std::vector<std::pair<int, size_t>> path{{static_cast<int>(n), 0}};
  std::vector<char> seen(n + 1, 0);
  for (seen[n] = 1; !path.empty();) {
    auto& [b, next] = path.back();
    const auto& before = from[static_cast<size_t>(b)];
    if (next < before.size()) {
      if (const int p = before[next++]; !std::exchange(seen[static_cast<size_t>(p)], 1)) path.emplace_back(p, 0);
      continue;
    }
    number[static_cast<size_t>(b)] = static_cast<int>(order.size()), order.push_back(b), path.pop_back();
  }
  after[n] = static_cast<int>(n);
  const auto meet = [&](int a, int b) {
    while (a != b) {
      int& further = number[static_cast<size_t>(a)] < number[static_cast<size_t>(b)] ? a : b;
      further = after[static_cast<size_t>(further)];
    }
    return a;
  };
  for (bool changed = true; std::exchange(changed, false);)
    for (size_t k = order.size() - 1; k-- > 0;) {
      const auto b = static_cast<size_t>(order[k]);
      int found = code.blocks[b].to.empty() ? static_cast<int>(n) : absent;
      for (const int to : code.blocks[b].to)
        if (after[static_cast<size_t>(to)] != absent) found = found == absent ? to : meet(found, to);
      if (after[b] != found) after[b] = found, changed = true;
    }
  return after;
}

bool barrier_before(const Code& code, int from, int to) {
  const int n = static_cast<int>(code.blocks.size());
  if (to == absent) return true;
  std::vector<char> seen(static_cast<size_t>(n), 0);
  std::vector<int> todo = code.blocks[static_cast<size_t>(from)].to;
  if (to < n) seen[static_cast<size_t>(to)] = 1;  // else: the end, where nobody waits
  while (!todo.empty()) {
    const auto b = static_cast<size_t>(todo.back());
    todo.pop_back();
    if (std::exchange(seen[b], 1)) continue;
    for (int i = code.blocks[b].begin; i < code.blocks[b].end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || item.flow == Flow::call ||
          (item.synchronizes && (is_barrier(item.inst.op) || signals(item.inst.op))))
        return true;
    }
    todo.insert(todo.end(), code.blocks[b].to.begin(), code.blocks[b].to.end());
  }
  return false;
}

std::vector<Span> unrolled(const Code& code) {
  constexpr int copies = 3;
  const int n = static_cast<int>(code.blocks.size());
  std::vector<Span> out;
  out.reserve(static_cast<size_t>(copies * n));
  for (int copy = 0; copy < copies; ++copy) out.insert(out.end(), code.blocks.begin(), code.blocks.end());
  for (int b = 0; b < copies * n; ++b)
    for (int& to : out[static_cast<size_t>(b)].to) {
      const auto pc = [&](int line) { return code.lines[static_cast<size_t>(line)].pc; };
      const bool back =
          pc(code.blocks[static_cast<size_t>(to)].begin) <= pc(code.blocks[static_cast<size_t>(b % n)].end - 1);
      to += std::min(b / n + back, copies - 1) * n;
    }
  return out;
}
bool has_loops(const Code& code) {
  return std::any_of(code.blocks.begin(), code.blocks.end(), [&](const Span& b) {
    return std::any_of(b.to.begin(), b.to.end(),
                       [&](int to) { return code.blocks[static_cast<size_t>(to)].begin <= b.begin; });
  });
}

}  // namespace wavesmith::checker
