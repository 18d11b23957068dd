// Registers owned by outstanding memory operations: the scoreboard of checker/in_flight.h, joined over the control
// flow.
#include "checker/in_flight.h"

#include <functional>

#include "checker/arrays.h"
#include "checker/rules.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

using namespace in_flight;
constexpr const char *in_flight_rule = "register in flight", *open_rule = "address translation open";

// The slots of a state: those of the registers that the code may name, in words of RegBits, then LDS, then groups of
// accesses.
struct Layout {
  std::array<int, isa::reg_words> first{};  // by word: its first slot
  SlotMap slots{.fixed_scalars = true};
  explicit Layout(const Code& code) {
    const auto place = [&](int reg, int end) {
      const int begin = slots.size;
      for (; reg < end; reg += 64) first[static_cast<size_t>(reg / 64)] = slots.size, slots.size += 64;
      return begin;
    };
    const Traits& some = code.some;
    slots.v = place(0, some.indexed ? scalar_base : some.v_end);
    slots.a = some.indexed ? isa::agpr_base : place(isa::agpr_base, isa::agpr_base + some.a_end);
    slots.s = place(scalar_base, isa::reg_numbers);
    slots.lds = slots.size++;
    slots.groups = slots.size, slots.size += SlotMap::access_groups;
  }
  int slot(int reg) const { return first[static_cast<size_t>(reg / 64)] + reg % 64; }
  bool flying(const RegView& set, const InFlightState& st) const {
    for (int k = 0; k < set.count; ++k)
      if (st.in.maybe[static_cast<size_t>(first[set.parts[k].word] / 64)] & set.parts[k].mask) return true;
    return false;
  }
  bool touches(const Item& item, const InFlightState& st) const {
    return flying(item.reads, st) || flying(item.writes, st);
  }
};

// The largest count with which a wait for counter `c` at `line` would satisfy the rest of the block. Nothing if it is
// unknown: before a later wait that covers everything in flight here, the block must not have a barrier, a store or
// another effect that other waves can see.
std::optional<int> weakest(const Code& code, const Scoreboard& board, const Layout& layout, InFlightState st, int line,
                           const Span& b, int c) {
  for (const auto& [other, n] : code.lines[static_cast<size_t>(line)].item->waits)
    if (other != c) st.waited(board.streams, other, n);
  int issued = 0, least = std::numeric_limits<int>::max();
  for (int i = line + 1; i < b.end; ++i) {
    const Item& item = *code.lines[static_cast<size_t>(i)].item;
    if (!item.refusal.empty() || item.flow == Flow::call || item.flow == Flow::ends ||
        item.inst.op == Opcode::s_barrier || item.inst.op == Opcode::s_barrier_signal)
      return {};
    if (!item.counted && item.inst.info().unit == isa::Unit::vmem) return {};  // cache control
    if (layout.touches(item, st)) {
      Need need;
      board.operands(st, item.inst, need);
      board.fixed(st, item.inst, need);
      if (need.n[c] != absent && need.n[c] - issued < least) least = need.n[c] - issued;
    }
    if (item.counted) {
      const isa::Info& row = item.inst.info();
      const bool loads = row.counter == Counter::load || row.counter == Counter::smem ||
                         (row.counter == Counter::lds && !(row.implicit & (isa::atomic | isa::m0_r)));
      if (!loads || (row.implicit & isa::atomic) || item.inst.mods.has(isa::lds)) return {};
      for (const auto& m : board.streams.of(item.inst)) issued += m.counter == c;
      board.launch(st, item.inst);
    }
    for (const auto& [counter, n] : item.waits)
      if (counter == c) return n <= issued ? std::optional(least) : std::nullopt;
  }
  return {};
}

struct InFlightWalk {
  const Code& code;
  Scoreboard board;
  const Layout& layout;
  Report& report;
  const Arrays& arrays;
  std::map<std::pair<int, int>, int>* slack;  // line and counter -> the count that suffices; nullptr: not needed

  // The access that still owns a register at `line`, nearest first on every path: one that no wait after it has
  // covered. -1: none is seen.
  int owner_of(int line, int reg, const Need& need, bool source) const {
    // By stream, how many earlier events may still be in flight: what waits allow, less the events of the path so far.
    // Unordered events are counted apart.
    struct Path {
      int block, from;
      std::array<int, max_streams> left;
      std::array<bool, wait_counters> open;
    };
    constexpr int all = 1 << 16;
    const auto& streams = board.streams;
    std::vector<std::vector<int>> before(code.blocks.size());
    std::vector<Path> todo;
    for (size_t b = 0; b < code.blocks.size(); ++b) {
      for (const int to : code.blocks[b].to) before[static_cast<size_t>(to)].push_back(static_cast<int>(b));
      if (code.blocks[b].begin > line || line >= code.blocks[b].end) continue;
      todo.push_back({static_cast<int>(b), line, {}, {}});
      todo.back().left.fill(all);
      for (int s = 0; s < streams.count; ++s)  // a full counter stalls the wave
        todo.back().left[static_cast<size_t>(s)] =
            streams.most[static_cast<size_t>(streams.counter_of[static_cast<size_t>(s)])];
      for (int c = 0; c < wait_counters; ++c) todo.back().open[static_cast<size_t>(c)] = need.n[c] != absent;
    }
    std::vector<std::vector<size_t>> seen(code.blocks.size());
    const auto step_back = [&](Path& p, int i) {  // whether line i is the one
      const Item& o = *code.lines[static_cast<size_t>(i)].item;
      if (!o.refusal.empty() || (o.flow == Flow::call && !code.blocks[static_cast<size_t>(p.block)].enters))
        return p.open.fill(false), p.left.fill(0), false;
      if (o.counted) {
        bool flies = false;
        for (const auto& m : streams.of(o.inst)) {
          auto& left = p.left[static_cast<size_t>(m.stream)];
          flies |= need.n[m.counter] != absent && (m.ordered ? left > 0 : p.open[static_cast<size_t>(m.counter)]);
          if (m.ordered && left < all) left = std::max(0, left - 1);
        }
        if (flies && has(source ? o.reads : o.writes, reg)) return true;
      }
      for (const auto& [c, n] : o.waits) {
        if (n == 0) p.open[static_cast<size_t>(c)] = false;
        for (int s = 0; s < streams.count; ++s)
          if (streams.counter_of[s] == c) p.left[static_cast<size_t>(s)] = std::min(p.left[static_cast<size_t>(s)], n);
      }
      return false;
    };
    for (size_t k = 0; k < todo.size() && k < 512; ++k) {
      Path p = todo[k];
      for (int i = p.from; i-- > code.blocks[static_cast<size_t>(p.block)].begin;)
        if (step_back(p, i)) return i;
      for (const int b : before[static_cast<size_t>(p.block)]) {
        const auto covers = [&](size_t earlier) {
          return std::ranges::equal(p.left, todo[earlier].left, std::less_equal{}) &&
                 std::ranges::equal(p.open, todo[earlier].open, std::less_equal{});
        };
        auto& there = seen[static_cast<size_t>(b)];
        if (std::ranges::any_of(there, covers)) continue;
        there.push_back(todo.size());
        todo.push_back({b, code.blocks[static_cast<size_t>(b)].end, p.left, p.open});
      }
    }
    return absent;
  }

  // `reg`: the register; -1: any that the instruction names.
  void describe(InFlightState& st, int line, const Item& item, const Need& need, int reg = absent) const {
    const bool indexed = reg != absent;
    const bool source = need.n[x] != absent && std::ranges::count_if(need.n, [](int n) { return n != absent; }) ==
                                                   1;  // of an access that may be replayed
    RegSet touched;
    for (const RegView* set : {&item.reads, &item.writes})
      for (int k = 0; k < set->count && !(source && set == &item.reads); ++k)
        touched.add(set->parts[k].word, set->parts[k].mask);
    for (const Touch& touch : {board.result_of(item.inst), Touch{true}})
      touched.each([&](int r) {
        Need one;
        if (reg == absent) board.slot(st, layout.slot(r), one, touch);
        if (one.any) reg = r;
      });
    const int owner = owner_of(line, reg, need, source);
    bool required = false, written = false;
    required_by(item, code.arch, code.lanes).registers.each([&](int r) { required |= r == reg; });
    item.writes.each([&](int r) { written |= r == reg; });
    const bool reads = !source && (required || !written);  // moves accept undefined sources
    isa::Waits w;
    for (int c = 0; c < wait_counters; ++c) w[c] = need.n[c];
    std::string legal;
    for (const Inst& i : isa::wait_instructions(w, code.arch))
      legal += (legal.empty() ? "" : ", ") + isa::print(i, code.arch);
    Finding& f = report.at(line, in_flight_rule);
    f.source = isa::counter_source(code.arch);
    f.what = fmt::format("{} {} while {} is in flight",
                         indexed ? "may access, indexed by M0,"
                         : reads ? "reads"
                                 : "overwrites",
                         reg == absent ? "a register" : named_register(code, reg),
                         owner == absent ? "an access to it"
                                         : fmt::format("{} at {}", instruction_of(code, owner), place_of(code, owner)));
    f.legal = legal + " before it";
  }
  void replays(InFlightState& st, int line, const Item& item) const {
    Need need;
    board.translations(st, item.inst, need);
    if (!need.any) return;
    Finding& f = report.at(line, open_rule);
    f.source = "rocm-libraries pull request 10104; LLVM pull request 167605";
    f.what = "preceding accesses may be replayed, and this one with them";
    f.legal = "s_wait_xcnt 0 before it";
    board.settle(st, need);
  }
  // Array elements that M0 selects.
  void by_index(InFlightState& st, int line, const Item& item) const {
    for (const Base& b : item.bases) {
      const RegBits elements = arrays.elements(line, b);
      for (int r = number_of(b.reg); r < isa::reg_numbers; ++r) {
        if (!(elements[static_cast<size_t>(r / 64)] >> r % 64 & 1) ||
            !(st.in.maybe[static_cast<size_t>(layout.slot(r) / 64)] >> r % 64 & 1))
          continue;
        Need need;
        board.slot(st, layout.slot(r), need);
        if (need.any) describe(st, line, item, need, r), board.settle(st, need);
      }
    }
  }

  bool operator()(InFlightState& st, const Span& b, bool) const {
    for (int i = b.begin; i < b.end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty()) {
        st = InFlightState(board.streams, board.slots.size);
        continue;
      }
      board.arrive(st, item.inst);
      if (layout.touches(item, st)) {
        Need need;
        board.operands(st, item.inst, need);
        board.fixed(st, item.inst, need);
        if (need.any) describe(st, i, item, need), board.settle(st, need);
      }
      if (!item.bases.empty()) by_index(st, i, item);
      replays(st, i, item);
      if (item.flow == Flow::call && !b.enters) st = InFlightState(board.streams, board.slots.size);
      else if (item.counted) board.launch(st, item.inst);
      for (const auto& [c, n] : item.waits) {
        if (!slack || c == x || board.streams.first_of[c] == absent || st.out_of_order[c]) continue;
        slack->erase({i, c});
        if (const auto k = weakest(code, board, layout, st, i, b, c); k && *k > n) (*slack)[{i, c}] = *k;
      }
      for (const auto& [c, n] : item.waits) st.waited(board.streams, c, n);
    }
    st.rebase(board.streams);
    return true;
  }
};

// Advice: waits in loops that drain accesses which could stay in flight across iterations.
void advise_loops(const Code& code, Report& report) {
  for (size_t b = 0; b < code.blocks.size(); ++b)
    for (const int to : code.blocks[b].to) {
      if (to > static_cast<int>(b)) continue;
      const int begin = code.blocks[static_cast<size_t>(to)].begin, end = code.blocks[b].end;
      const auto item = [&](int i) -> const Item& { return *code.lines[static_cast<size_t>(i)].item; };
      int loads = 0;
      for (int i = begin; i < end; ++i)
        loads += item(i).refusal.empty() && item(i).inst.info().counter == Counter::load;
      for (int i = begin; loads && i < end; ++i) {
        const auto drains = [](const CounterWait& w) {
          return w.counter == static_cast<int>(isa::WaitCounter::vm) && w.count == 0;
        };
        if (std::ranges::none_of(item(i).waits, drains)) continue;
        Finding& f = report.at(i, "wait for zero in a loop");
        f.advice = true;
        f.source = isa::counter_source(code.arch);
        f.what = fmt::format("{} load{} in the loop at {}: none stays in flight across this wait", loads,
                             loads == 1 ? "" : "s", place_of(code, begin));
        f.legal = "loads one iteration ahead, and a wait that leaves them in flight";
      }
    }
}

// A scalar load of several dwords that overwrites its own address, which a replay would read again. Only advice: clang
// 22 emits some, for arguments in memory that never faults.
void advise_own_address(const Code& code, Report& report) {
  if (code.replays == Streams::Replays::none) return;
  for (int i = 0; i < static_cast<int>(code.lines.size()); ++i) {
    const Item& item = *code.lines[static_cast<size_t>(i)].item;
    if (!item.refusal.empty() || item.inst.info().counter != Counter::smem || item.inst.operands[0].dwords < 2)
      continue;
    const Operand &to = item.inst.operands[0], &from = item.inst.operands[1];
    if (to.file != File::s || from.file != File::s || to.index >= from.index + from.dwords ||
        from.index >= to.index + to.dwords)
      continue;
    Finding& f = report.at(i, "scalar load over its own address");
    f.advice = true;
    f.source = "LLVM pull request 96163; rocm-libraries pull request 10220";
    f.what =
        "if its address is not translated yet (XNACK), the load is replayed, and its address may be overwritten by "
        "then";
    f.legal = "other registers for the result, or XNACK off";
  }
}

}  // namespace

bool is_of_in_flight(const Finding& f) { return f.rule == in_flight_rule || f.rule == open_rule; }

void check_in_flight(const Code& code, Report& report, const Options& options) {
  Streams streams(code.arch, code.replays);
  for (const CodeLine& l : code.lines)
    if (l.item->counted) streams.add(l.item->inst);
  if (!streams.count) return;
  const Layout layout(code);
  std::map<std::pair<int, int>, int> slack;
  const Arrays arrays(code);
  fixpoint(
      code, InFlightState(streams, layout.slots.size),
      InFlightWalk{code, {streams, layout.slots, true}, layout, report, arrays, options.advice ? &slack : nullptr},
      [&](InFlightState& into, const InFlightState& from) { return into.join(from, streams); },
      [&, jumped = std::optional<InFlightState>()](const InFlightState& st, size_t b, size_t to) mutable {
        if (!streams.holds_sources ||
            code.lines[static_cast<size_t>(code.blocks[b].end - 1)].next == code.blocks[to].begin)
          return &st;
        jumped = st;
        jumped->jumps(streams);
        return static_cast<const InFlightState*>(&*jumped);
      });
  if (!options.advice) return;
  for (const auto& [where, count] : slack) {
    const char* name = isa::counter(static_cast<isa::WaitCounter>(where.second), code.arch).name;
    Finding& f = report.at(where.first, fmt::format("wait stricter than needed: {}", name));
    f.advice = true;
    f.source = isa::counter_source(code.arch);
    f.what = count >= streams.most[where.second]
                 ? "nothing after it needs it before the next wait"
                 : fmt::format("the following instructions need {} to be at most {}", name, count);
    f.legal = count >= streams.most[where.second] ? "none" : fmt::format("a count of {}", count);
  }
  advise_loops(code, report);
  advise_own_address(code, report);
}

}  // namespace wavesmith::checker

bool wavesmith::in_flight::ends_wait(const Inst& i, int barrier) {
  return i.op == wavesmith::isa::Opcode::s_barrier_wait && barrier_of(i) == barrier;
}
