// One loop over the anchors. interleave(), fill() and spread() differ in how many instructions they place after each
// anchor.
#include "generator/schedule/interleave.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "generator/passes/cfg.h"
#include "isa_tables/reg_set.h"
#include "isa_tables/timing/issue.h"

namespace wavesmith {
namespace {

int instructions(const Block& b) { return static_cast<int>(std::ranges::count_if(b.nodes, &Node::is_instruction)); }

struct Cursor {
  const Block* block;
  size_t next = 0;
  int left = 0;

  explicit Cursor(const Block& b) : block(&b), left(instructions(b)) {}
  // Moves one instruction with the directives before it, and after the last instruction also the directives at the
  // block's end.
  void place(Block& out) {
    while (!block->nodes[next].is_instruction()) out.nodes.push_back(block->nodes[next++]);
    out.nodes.push_back(block->nodes[next++]);
    if (--left == 0) finish(out);
  }
  const Node& left_over() const {  // the next instruction; requires left > 0
    return *std::ranges::find_if(block->nodes.begin() + static_cast<std::ptrdiff_t>(next), block->nodes.end(),
                                 &Node::is_instruction);
  }
  void finish(Block& out) {
    while (next < block->nodes.size()) out.nodes.push_back(block->nodes[next++]);
  }
};

// instructions to place after anchor number `anchor`, counted from 1
using Due = std::function<int(size_t side, int anchor)>;

void check_barrier(const Node& at, int mask, const std::vector<Cursor>& sides) {
  for (size_t s = 0; s < sides.size(); ++s) {
    const auto& nodes = sides[s].block->nodes;
    for (size_t i = sides[s].next; i < nodes.size(); ++i)
      if (nodes[i].is_instruction() && !isa::may_cross(mask, nodes[i].inst))
        throw isa::IsaError(
            fmt::format("{}: interleave: side {} has {} instructions left at sched_barrier(0x{:x}), which {} may not "
                        "cross; legal: place them before it",
                        place(at), s, sides[s].left, mask, nodes[i].inst.info().mnemonic));
  }
}

Block merge(const Block& anchors, std::vector<Cursor> sides, const Due& due) {
  Block out(anchors.arch());
  size_t total = anchors.nodes.size();
  for (const auto& s : sides) total += s.block->nodes.size();
  out.nodes.reserve(total);
  for (auto& s : sides)
    if (!s.left) s.finish(out);  // directives only
  int anchor = 0;
  for (const Node& n : anchors.nodes) {
    if (const auto* barrier = n.as<directive::SchedBarrier>()) check_barrier(n, barrier->mask, sides);
    out.nodes.push_back(n);
    if (!n.is_instruction()) continue;
    ++anchor;
    for (size_t s = 0; s < sides.size(); ++s)
      for (int k = due(s, anchor); k > 0 && sides[s].left; --k) sides[s].place(out);
  }
  for (size_t s = 0; s < sides.size(); ++s)
    if (sides[s].left)
      throw isa::IsaError(fmt::format("{}: interleave: side {} left {} of {} instructions after {} anchors, from {} on",
                                      place(sides[s].left_over()), s, sides[s].left, instructions(*sides[s].block),
                                      anchor, sides[s].left_over().inst.info().mnemonic));
  return out;
}

const Operand scc = isa::reg(File::s, isa::sreg::scc);
// Calls f(number) for each register of these operands but SCC.
template <class Operands, class F>
void each_register(const Operands& operands, F&& f) {
  for (const Operand& o : operands)
    if (o.is_reg() && o != scc)
      for (int i = 0, number = isa::number_of(o); i < o.dwords; ++i) f(static_cast<size_t>(number + i));
}
// Before each instruction of straight-line code, and at its end: whether a later one reads the value that SCC has here.
// nullopt: it is no straight-line code.
std::optional<std::vector<bool>> where_scc_is_kept(std::span<const Node> code, Arch arch) {
  std::vector<bool> keeps(code.size() + 1);
  for (size_t i = code.size(); i-- > 0;) {
    if (!code[i].is_instruction() || code[i].inst.info().unit == isa::Unit::branch) return {};
    const isa::Effects e = isa::effects(code[i].inst, arch);
    const auto names_scc = [](const auto& operands) { return std::ranges::find(operands, scc) != operands.end(); };
    keeps[i] = names_scc(e.reads) || (keeps[i + 1] && !names_scc(e.writes));
  }
  return keeps;
}

}  // namespace

Block interleave(const Block& anchors, const std::vector<Side>& sides, Where w) {
  std::vector<Cursor> cursors;
  for (size_t s = 0; s < sides.size(); ++s) {
    const Slots& x = sides[s].slots;
    if (x.every < 1 || x.count < 1 || x.after < 0)
      throw isa::IsaError(fmt::format(
          "{}: interleave: side {} has every {}, count {}, after {}; legal: every >= 1, count >= 1, after >= 0",
          place(w), s, x.every, x.count, x.after));
    cursors.emplace_back(sides[s].block);
  }
  return merge(anchors, std::move(cursors), [&](size_t s, int anchor) {
    const Slots& x = sides[s].slots;
    return anchor > x.after && anchor <= x.until.value_or(anchor) && (anchor - x.after) % x.every == 0 ? x.count : 0;
  });
}

namespace {

// Issue slots of one instruction; more than any anchor has if the instruction cannot be hidden.
int slots_of(const Inst& i, Arch arch) {
  const isa::Issue cost = isa::issue_of(i, arch);
  if (!cost.beside_matrix) return 1 << 16;
  return i.info().is_vector() ? cost.busy / isa::slot_clocks(arch)
                              : 1;  // memory and scalar instructions occupy only their own unit
}
std::vector<int> costs(const Block& b) {
  std::vector<int> out;
  for (const Node& n : b.nodes)
    if (n.is_instruction()) out.push_back(slots_of(n.inst, b.arch()));
  return out;
}

struct Plan {
  std::vector<std::vector<int>> cost;  // per side, one per instruction
  std::vector<size_t> next;
  std::vector<std::vector<int>> due;  // per side and anchor
  int widest;

  // One gap: the sides take turns until none has an instruction that fits.
  void gap(int slots, FillReport& r) {
    for (auto& d : due) d.push_back(0);
    int room = slots;
    bool placed = true;
    while (placed && room > 0) {
      placed = false;
      for (size_t s = 0; s < cost.size() && room > 0; ++s) {
        if (next[s] == cost[s].size()) continue;
        const int c = cost[s][next[s]];
        const bool never = c > widest, alone = never && room == slots;
        if (c > room && !alone) continue;
        r.unhidden += never;
        room = never ? 0 : room - c;
        ++next[s], ++due[s].back(), placed = true;
      }
    }
    r.slots += slots, r.used += slots - room;
  }
};

}  // namespace

Block fill(const Block& anchors, const std::vector<Block>& sides, FillReport* report) {
  std::vector<int> hidden;
  for (const Node& n : anchors.nodes)
    if (n.is_instruction()) hidden.push_back(isa::hidden_slots(n.inst, anchors.arch()));
  Plan plan{{},
            std::vector<size_t>(sides.size(), 0),
            std::vector<std::vector<int>>(sides.size()),
            hidden.empty() ? 0 : *std::ranges::max_element(hidden)};
  std::vector<Cursor> cursors;
  for (const Block& s : sides) plan.cost.push_back(costs(s)), cursors.emplace_back(s);
  FillReport r;
  for (int slots : hidden) plan.gap(slots, r);
  for (size_t s = 0; s < sides.size(); ++s) {
    r.left.push_back(static_cast<int>(plan.cost[s].size() - plan.next[s]));
    if (report && !hidden.empty()) plan.due[s].back() += r.left[s];
  }
  if (report) *report = r;
  return merge(anchors, std::move(cursors), [&](size_t s, int anchor) { return plan.due[s][anchor - 1]; });
}

Block paced(const Block& anchors, const std::vector<PacedSide>& sides) {
  Block all(anchors.arch());
  std::vector<size_t> after;  // by instruction of the sides
  for (const PacedSide& s : sides) {
    all << s.block;
    after.resize(static_cast<size_t>(instructions(all)), static_cast<size_t>(s.after));
  }
  const std::vector<int> cost = costs(all);
  int left = std::accumulate(cost.begin(), cost.end(), 0);
  std::vector<int> last;  // by matrix instruction: the anchor before the next one
  int anchor = 0;
  for (const Node& n : anchors.nodes) {
    if (!n.is_instruction()) continue;
    ++anchor;
    if (n.inst.info().is_matrix()) last.push_back(anchor);
    else if (!last.empty()) last.back() = anchor;
  }
  std::vector<int> due(static_cast<size_t>(anchor) + 1, 0);
  size_t next = 0;
  for (size_t m = 0; m < last.size(); ++m) {
    const bool end = m + 1 == last.size();
    const int room = left / static_cast<int>(last.size() - m);
    for (int taken = 0; next < cost.size() && (end || (taken < room && after[next] <= m + 1)); ++next)
      taken += cost[next], left -= cost[next], ++due[static_cast<size_t>(last[m])];
  }
  return merge(anchors, {Cursor(all)}, [&](size_t, int a) { return due[static_cast<size_t>(a)]; });
}

Block part(const Block& b, int i, int n) {
  if (n < 1 || i < 0 || i >= n)
    throw isa::IsaError(fmt::format("part {} of {} of a block; legal: 0 to one less than the number of parts", i, n));
  Block out(b.arch());
  const int all = instructions(b), from = (i * all + n - 1) / n, to = ((i + 1) * all + n - 1) / n;
  int number = 0;  // of the instruction that the node is, or that follows the directive
  for (const Node& node : b.nodes) {
    if ((number >= from && number < to) || (number == all && i + 1 == n)) out.nodes.push_back(node);
    number += node.is_instruction();
  }
  return out;
}

Block spread(const Block& anchors, const std::vector<Block>& sides) {
  Block all(anchors.arch());
  for (const Block& s : sides) all << s;
  const int64_t gaps = instructions(anchors), n = instructions(all);
  return merge(anchors, {Cursor(all)},
               [&](size_t, int anchor) { return static_cast<int>(anchor * n / gaps - (anchor - 1) * n / gaps); });
}

Block evenly(const Block& anchors, const std::vector<Block>& sides) {
  Block mixed(anchors.arch());
  std::vector<Cursor> cursors;
  for (const Block& s : sides) cursors.emplace_back(s);
  const auto next = [](const Cursor& c) {  // relative position of the next instruction in its block, 0 to 1
    const int all = instructions(*c.block);
    return c.left ? (all - c.left + 0.5) / all : 2;
  };
  while (!cursors.empty()) {
    const auto first = std::ranges::min_element(cursors, {}, next);
    if (first->left) first->place(mixed);
    else first->finish(mixed), cursors.erase(first);  // only directives are left
  }
  return spread(anchors, {mixed});
}

namespace {

// A block on its way into a level() one. The time of an instruction is between 0 and 1: by matrix instructions where
// the block has any, else by instructions.
struct Timed {
  Cursor cursor;
  std::vector<const Node*> order;
  std::vector<double> time;
  size_t next = 0;

  static bool matrix(const Node& n) { return n.inst.info().is_matrix(); }
  explicit Timed(const Block& b) : cursor(b) {
    for (const Node& n : b.nodes)
      if (n.is_instruction()) order.push_back(&n);
    const auto all = static_cast<double>(std::ranges::count_if(order, [](const Node* n) { return matrix(*n); }));
    double before = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      before += all > 0 && matrix(*order[i]);
      time.push_back(all > 0 ? (before - (matrix(*order[i]) ? 0.5 : 0)) / all
                             : (static_cast<double>(i) + 0.5) / static_cast<double>(order.size()));
    }
  }
  size_t next_matrix() const {
    size_t i = next;
    while (i < order.size() && !matrix(*order[i])) ++i;
    return i;
  }
  bool other() const { return next < order.size() && !matrix(*order[next]); }
};

}  // namespace

Block level(const Block& anchors, const std::vector<Block>& sides) {
  std::vector<Timed> all{Timed(anchors)};
  for (const Block& s : sides) all.emplace_back(s);
  int64_t matrices = 0, slots = 0, placed = 0, done = 0;
  const auto cost = [&](const Node& n) {
    return Timed::matrix(n) ? 0 : std::min(slots_of(n.inst, anchors.arch()), isa::slot_clocks(anchors.arch()));
  };
  for (const Timed& t : all)
    for (const Node* n : t.order) matrices += Timed::matrix(*n), slots += cost(*n);
  Block out(anchors.arch());
  const auto place = [&](Timed& t) {
    placed += cost(*t.order[t.next++]);
    t.cursor.place(out);
  };
  const auto earliest = [&](auto&& time_of) {
    return std::ranges::min_element(all, {}, [&](const Timed& t) { return time_of(t); });
  };
  constexpr double never = 2;
  for (; done < matrices;) {
    const auto next = earliest([](const Timed& t) {
      const size_t i = t.next_matrix();
      return i < t.order.size() ? t.time[i] : never;
    });
    while (next->other()) place(*next);
    place(*next);
    ++done;
    while (placed * matrices < slots * done) {
      const auto other = earliest([](const Timed& t) { return t.other() ? t.time[t.next] : never; });
      if (!other->other()) break;
      place(*other);
    }
  }
  for (Timed& t : all) {
    while (t.next < t.order.size()) place(t);
    t.cursor.finish(out);
  }
  return out;
}

Block between_loads(const Block& aside, const Block& loads, const std::function<bool(const Node&)>& is_load) {
  constexpr size_t most = 12;  // behind a load: about the clocks that a load takes of each of a CU's four SIMDs
  const auto number = static_cast<size_t>(std::ranges::count_if(loads.nodes, is_load));
  Block out(loads.arch());
  if (!number) return out << loads << aside;
  const auto kept_in_loads = where_scc_is_kept(loads.nodes, out.arch()),
             kept_aside = where_scc_is_kept(aside.nodes, out.arch());
  if (!kept_in_loads || !kept_aside) return out << aside << loads;
  size_t placed = 0;
  const auto place_until = [&](size_t end) {
    for (; placed < end; ++placed) out.nodes.push_back(aside.nodes[placed]);
  };
  std::vector<size_t> last_read(isa::reg_numbers, 0), last_write(isa::reg_numbers, 0);  // counted from 1
  for (size_t i = 0; i < aside.nodes.size(); ++i) {
    const isa::Effects e = isa::effects(aside.nodes[i].inst, out.arch());
    each_register(e.reads, [&](size_t reg) { last_read[reg] = i + 1; });
    each_register(e.writes, [&](size_t reg) { last_write[reg] = i + 1; });
  }
  size_t passed = 0;
  for (size_t i = 0, next; i < loads.nodes.size(); i = next) {  // instructions up to the next that SCC does not cross
    size_t needed = placed, of_these = 0;
    for (next = i; next == i || (*kept_in_loads)[next]; ++next) {
      of_these += is_load(loads.nodes[next]);
      if (placed == aside.nodes.size()) continue;
      const isa::Effects e = isa::effects(loads.nodes[next].inst, out.arch());
      each_register(e.reads, [&](size_t reg) { needed = std::max(needed, last_write[reg]); });
      each_register(e.writes, [&](size_t reg) { needed = std::max({needed, last_write[reg], last_read[reg]}); });
    }
    const auto place = [&](size_t end) {
      while (end > placed && (*kept_aside)[end]) ++end;
      place_until(end);
    };
    place(needed);
    out.nodes.insert(out.nodes.end(), loads.nodes.begin() + static_cast<std::ptrdiff_t>(i),
                     loads.nodes.begin() + static_cast<std::ptrdiff_t>(next));
    passed += of_these;
    if (of_these) place(std::min(aside.nodes.size() * passed / number, placed + most * of_these));
  }
  place_until(aside.nodes.size());
  return out;
}

Block spread_before(const Block& code, const Block& aside, const std::vector<Operand>& scratch) {
  using Numbers = std::vector<bool>;  // by register
  const auto straight = [](const Node& n) {
    return n.is_instruction() ? n.inst.info().unit != isa::Unit::branch : !n.as<directive::Label>();
  };
  const auto each = [](const auto& operands, auto&& f) {
    for (const Operand& o : operands)
      for (int i = 0; o.is_reg() && i < o.dwords; ++i) f(static_cast<size_t>(isa::number_of(o) + i));
  };
  const auto none = [] { return Numbers(isa::reg_numbers); };
  Numbers input = none(), read = none(), written = none(), kept = none();
  for (const Node& n : aside.nodes) {
    if (!straight(n)) return Block(code) << aside;
    if (!n.is_instruction()) continue;
    const isa::Effects e = isa::effects(n.inst, code.arch());
    each(e.reads, [&](size_t i) { read[i] = true, input[i] = input[i] || !written[i]; });
    each(e.writes, [&](size_t i) { written[i] = kept[i] = true; });
  }
  each(scratch, [&](size_t i) { kept[i] = false; });
  each(std::array{scc}, [&](size_t i) { kept[i] = false; });
  // From the end on: what is passed may neither make what `aside` reads nor change what it leaves.
  Numbers needed = none();  // by what is passed
  int foreign = 0;          // of these, what `aside` writes
  size_t end = code.nodes.size(), best_from = end, best_end = end;
  int run = 0, best = 0;
  for (size_t at = code.nodes.size(); at-- > 0;) {
    const Node& n = code.nodes[at];
    if (!straight(n)) break;
    if (!n.is_instruction()) continue;
    bool shares = false, stops = false;
    const isa::Effects e = isa::effects(n.inst, code.arch());
    each(e.reads, [&](size_t i) { shares |= written[i]; });
    each(e.writes, [&](size_t i) { shares |= read[i] || written[i], stops |= input[i] || kept[i]; });
    if (stops) break;
    each(e.writes, [&](size_t i) { foreign -= needed[i] && written[i], needed[i] = false; });
    each(e.reads, [&](size_t i) { foreign += !needed[i] && written[i], needed[i] = true; });
    if (shares || foreign) run = 0, end = at;
    else if (++run > best) best = run, best_from = at, best_end = end;
  }
  if (!best) return Block(code) << aside;
  const auto part_of = [&](size_t first, size_t last) {
    Block b(code.arch());
    b.nodes.assign(code.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                   code.nodes.begin() + static_cast<std::ptrdiff_t>(last));
    return b;
  };
  return part_of(0, best_from) << spread(part_of(best_from, best_end), {aside}) << part_of(best_end, code.nodes.size());
}

}  // namespace wavesmith
