// Registers that a memory operation still owns: the scoreboard of generator/in_flight.h joined over the control flow.
#include "generator/in_flight.h"

#include "generator/check/rules.h"

namespace wavesmith::checker {
namespace {

using namespace in_flight;

bool meets(const RegSet& set, const std::vector<uint64_t>& bits) {
  for (int k = 0; k < set.count; ++k)
    if (bits[set.parts[static_cast<size_t>(k)].word] & set.parts[static_cast<size_t>(k)].mask) return true;
  return false;
}

// What the rest of the block asks of a wait for counter `c` at `line`: the largest count that would do. Nothing if that cannot be told: up to
// a wait that covers whatever was in flight here there may be no barrier, no store and nothing else that other waves could see.
std::optional<int> weakest(const Code& code, const Scoreboard& board, State st, int line, const Span& b, int c) {
  isa::Waits others = isa::waits_of(code.lines[static_cast<size_t>(line)].item->inst, code.arch);
  others[c] = -1;
  for (int k = 0; k < wait_counters; ++k) if (others[k] >= 0) st.waited(board.streams, k, others[k]);
  int issued = 0, least = std::numeric_limits<int>::max();
  for (int i = line + 1; i < b.end; ++i) {
    const Item& item = *code.lines[static_cast<size_t>(i)].item;
    if (!item.refusal.empty() || item.flow == Flow::call || item.flow == Flow::ends || item.inst.op == Opcode::s_barrier || item.inst.op == Opcode::s_barrier_signal) return {};
    if (!item.counted && item.inst.info().unit == isa::Unit::vmem) return {};   // cache control
    if (meets(item.touched, st.maybe)) {
      Need need;
      board.operands(st, item.inst, need);
      board.fixed(st, item.inst, need);
      if (need.n[c] >= 0 && need.n[c] - issued < least) least = need.n[c] - issued;
    }
    if (item.counted) {
      const isa::Info& row = item.inst.info();
      const bool loads = row.counter == Counter::load || row.counter == Counter::smem || (row.counter == Counter::lds && !row.implicit);
      if (!loads || (row.implicit & isa::atomic) || item.inst.mods.has(isa::lds)) return {};
      for (const auto& m : board.streams.of(item.inst)) issued += m.counter == c;
      board.launch(st, item.inst);
    } else if (item.waits) {
      const int w = isa::waits_of(item.inst, code.arch)[c];
      if (w >= 0 && w <= issued) return least;
      if (w >= 0) return {};
    }
  }
  return {};
}

struct Walk {
  const Code& code;
  Scoreboard board;
  Report& report;
  std::map<std::pair<int, int>, int>* slack;               // line and counter -> the count that would do; nullptr: not asked

  void describe(State& st, int line, const Item& item, const Need& need) const {
    const bool source = need.n[x] >= 0 && std::ranges::count_if(need.n, [](int n) { return n >= 0; }) == 1;   // which another access may read again
    int reg = -1;
    for (const Touch& touch : {board.result_of(item.inst), Touch{true}})
      (source ? item.writes : item.touched).each([&](int r) { Need one; if (reg < 0) board.slot(st, r, one, touch); if (one.any) reg = r; });
    const int owner = search_back(code, line, [&](int i) {
      const Item& o = *code.lines[static_cast<size_t>(i)].item;
      bool writes = false;
      o.touched.each([&](int r) { writes |= r == reg; });
      return o.counted && writes;
    });
    bool reads = false;
    if (!source) item.required.each([&](int r) { reads |= r == reg; });
    isa::Waits w;
    for (int c = 0; c < wait_counters; ++c) w[c] = need.n[c];
    std::string legal;
    for (const Inst& i : isa::wait_instructions(w, code.arch)) legal += (legal.empty() ? "" : ", ") + isa::print(i, code.arch);
    Finding& f = report.at(line, "register in flight");
    f.source = isa::counter_source(code.arch);
    f.what = fmt::format("{} {} while {} is in flight", reads ? "reads" : "overwrites", reg < 0 ? "a register" : register_name(reg, code.arch),
                         owner < 0 ? "an access to it" : fmt::format("{} at {:#x}", isa::print(code.lines[static_cast<size_t>(owner)].item->inst, code.arch), code.lines[static_cast<size_t>(owner)].pc));
    f.legal = legal + " before it";
  }

  bool operator()(State& st, const Span& b, bool) const {
    for (int i = b.begin; i < b.end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || item.flow == Flow::call) {
        st = State(board.streams, board.layout.size);
        continue;
      }
      board.arrive(st, item.inst);
      if (meets(item.touched, st.maybe)) {
        Need need;
        board.operands(st, item.inst, need);
        board.fixed(st, item.inst, need);
        if (need.any) describe(st, i, item, need), board.settle(st, need);
      }
      if (item.counted) board.launch(st, item.inst);
      else if (item.waits) {
        const isa::Waits w = isa::waits_of(item.inst, code.arch);
        for (int c = 0; slack && c < wait_counters; ++c) {
          if (w[c] < 0 || c == x || board.streams.first_of[c] < 0 || st.out_of_order[c]) continue;
          slack->erase({i, c});
          if (const auto k = weakest(code, board, st, i, b, c); k && *k > w[c]) (*slack)[{i, c}] = *k;
        }
        for (int c = 0; c < wait_counters; ++c) if (w[c] >= 0) st.waited(board.streams, c, w[c]);
      }
    }
    st.rebase(board.streams);
    return true;
  }
};

// Loops by their back edges: waits in them that drain what other trips could keep in flight.
void advise_loops(const Code& code, Report& report) {
  for (size_t b = 0; b < code.blocks.size(); ++b)
    for (const int to : code.blocks[b].to) {
      if (to > static_cast<int>(b)) continue;
      const int begin = code.blocks[static_cast<size_t>(to)].begin, end = code.blocks[b].end;
      const auto item = [&](int i) -> const Item& { return *code.lines[static_cast<size_t>(i)].item; };
      int loads = 0;
      for (int i = begin; i < end; ++i) loads += item(i).refusal.empty() && item(i).inst.info().counter == Counter::load;
      for (int i = begin; loads && i < end; ++i) {
        if (!item(i).waits || isa::waits_of(item(i).inst, code.arch).vm != 0) continue;
        Finding& f = report.at(i, "wait for zero in a loop");
        f.advice = true;
        f.source = isa::counter_source(code.arch);
        f.what = fmt::format("{} loads in the loop of {:#x}: none stays in flight across this", loads, code.lines[static_cast<size_t>(begin)].pc);
        f.legal = "loads a trip ahead, and a wait that leaves them in flight";
      }
    }
}

}  // namespace

void check_in_flight(const Code& code, Report& report, const Options& options) {
  Streams streams(code.arch, code.replays);
  for (const Line& l : code.lines) if (l.item->counted) streams.add(l.item->inst);
  if (!streams.count) return;
  const Layout layout{.v = 0, .a = 256, .s = scalar_base, .lds = isa::reg_words * 64, .size = isa::reg_words * 64 + 1, .fixed_scalars = true};
  std::map<std::pair<int, int>, int> slack;
  fixpoint(code, State(streams, layout.size), Walk{code, {streams, layout}, report, options.advice ? &slack : nullptr}, [&](State& into, const State& from) { return into.join(from, streams); },
           [&, jumped = std::optional<State>()](const State& st, const Span& b, int to) mutable {
    if (!streams.holds_sources || code.lines[static_cast<size_t>(b.end - 1)].next == code.blocks[static_cast<size_t>(to)].begin) return &st;
    jumped = st;
    jumped->jumps(streams);
    return static_cast<const State*>(&*jumped);
  });
  if (!options.advice) return;
  for (const auto& [where, count] : slack) {
    const char* name = isa::counter(static_cast<isa::WaitCounter>(where.second), code.arch).name;
    Finding& f = report.at(where.first, fmt::format("wait stricter than needed: {}", name));
    f.advice = true;
    f.source = isa::counter_source(code.arch);
    f.what = count >= streams.most[where.second] ? "nothing behind it needs it before the next wait" : fmt::format("what follows needs {} to be {} at most", name, count);
    f.legal = count >= streams.most[where.second] ? "none" : fmt::format("a count of {}", count);
  }
  advise_loops(code, report);
}

}  // namespace wavesmith::checker
