// LDS between waves. Addresses that follow from lane and wave numbers are worked out (values.h); an access is then a set of bytes a
// wave. Two accesses race if different waves touch a byte of both, one of them writes, and a path leads from one to the other without
// a barrier that the first had been waited for at. The rest is not judged.
#include "generator/check/values.h"
#include "generator/check/rules.h"
#include "generator/in_flight.h"

namespace wavesmith::checker {
namespace {

using namespace in_flight;
constexpr const char* barrier_source = "ISA guide, Barriers; AMDGPUUsage, Memory Model";

bool uses_lds(const Item& i) { return i.refusal.empty() && (i.lds_address || i.inst.mods.has(isa::lds)); }
bool is_barrier(Opcode op) { return op == Opcode::s_barrier || op == Opcode::s_barrier_wait; }

// The accesses of a kernel that are known, by line.
struct Access { int line; const LdsTouch* touch; std::string text; };
struct Known {
  std::vector<Access> accesses;
  std::vector<int> at;                                     // by line; -1: none
  std::vector<std::vector<int>> races;                     // with which others, were no barrier between; itself included
};

Known find_accesses(const Code& code, Evaluator& values) {
  std::vector<Values> in(code.blocks.size());
  fixpoint(code, values.entry(), [&](Values& st, const Span& b, bool) {
    in[static_cast<size_t>(&b - code.blocks.data())] = st;
    for (int i = b.begin; i < b.end; ++i) values.step(*code.lines[static_cast<size_t>(i)].item, st);
    return true;
  }, [&](Values& into, const Values& from) { return values.join(into, from); });
  Known known;
  known.at.assign(code.lines.size(), -1);
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    Values& st = in[b];
    for (int i = code.blocks[b].begin; i < code.blocks[b].end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      const LdsTouch* t = uses_lds(item) ? values.touch(item, st) : nullptr;
      if (t) known.at[static_cast<size_t>(i)] = static_cast<int>(known.accesses.size()), known.accesses.push_back({i, t, {}});
      values.step(item, st);
    }
  }
  return known;
}

// Bytes of one dword by access: which waves, whether written. Different waves, one byte, a write (two atomics are none).
void find_races(Known& known) {
  struct Use { uint32_t dword; int access; Bytes what; };
  std::vector<Use> uses;
  for (size_t k = 0; k < known.accesses.size(); ++k)
    for (const Bytes& b : known.accesses[k].touch->bytes) uses.push_back({b.dword, static_cast<int>(k), b});
  std::ranges::sort(uses, {}, [](const Use& u) { return std::pair(u.dword, u.access); });
  struct Side { int access; uint32_t waves[4]; bool writes, atomic; };
  std::set<std::pair<int, int>> found;
  std::vector<Side> sides;
  const auto races = [](const Side& a, const Side& b) {
    if (!(a.writes != b.writes) && !(a.writes && b.writes && a.atomic != b.atomic)) return false;   // two writes: perhaps of one value
    for (int k = 0; k < 4; ++k)
      if (a.waves[k] && b.waves[k] && std::popcount(a.waves[k] | b.waves[k]) > 1) return true;
    return false;
  };
  for (size_t i = 0; i < uses.size();) {
    sides.clear();
    for (const uint32_t dword = uses[i].dword; i < uses.size() && uses[i].dword == dword; ++i) {
      if (sides.empty() || sides.back().access != uses[i].access) sides.push_back({uses[i].access, {}, false, false});
      for (int k = 0; k < 4; ++k) if (uses[i].what.mask >> k & 1) sides.back().waves[k] |= 1u << uses[i].what.wave;
      sides.back().writes |= uses[i].what.writes, sides.back().atomic |= uses[i].what.atomic;
    }
    for (size_t a = 0; a < sides.size(); ++a)
      for (size_t b = a + 1; b < sides.size(); ++b)
        if (races(sides[a], sides[b])) found.emplace(sides[a].access, sides[b].access);
  }
  known.races.resize(known.accesses.size());
  for (const auto& [a, b] : found) known.races[static_cast<size_t>(a)].push_back(b), known.races[static_cast<size_t>(b)].push_back(a);
}

// Accesses that may still happen, or have happened, in the interval between two barriers. Signalled: before this wave's signal, so
// ordered for what comes behind its wait, but not before.
struct Open {
  State flying;
  std::vector<char> open, signalled;
};

struct Walk {
  const Code& code;
  const Known& known;
  Scoreboard board;
  Report& report;

  bool in_flight(State& st, size_t access) const {
    Need need;
    board.slot(st, board.layout.lds + 1 + static_cast<int>(access), need);
    return need.any;
  }
  void describe(int line, int other) const {
    const Access &here = known.accesses[static_cast<size_t>(known.at[static_cast<size_t>(line)])], &there = known.accesses[static_cast<size_t>(other)];
    const auto writes = [](const Access& a) { return std::any_of(a.touch->bytes.begin(), a.touch->bytes.end(), [](const Bytes& b) { return b.writes; }); };
    const Line& at = code.lines[static_cast<size_t>(there.line)];
    Finding& f = report.at(line, "LDS order between waves");
    f.source = barrier_source;
    f.what = fmt::format("{} LDS bytes that another wave {} with {} at {:#x}, with no barrier between, or no wait for it before the barrier", writes(here) ? "writes" : "reads",
                         writes(there) ? "writes" : "reads", isa::print(at.item->inst, code.arch), at.pc);
    f.legal = "a wait for it and a barrier between them";
  }
  bool operator()(Open& st, const Span& b, bool) const {
    for (int i = b.begin; i < b.end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || item.flow == Flow::call || item.inst.info().format == isa::Format::gws) {
        st = {State(board.streams, board.layout.size), std::vector<char>(st.open.size(), 0), std::vector<char>(st.open.size(), 0)};
        continue;
      }
      const int k = known.at[static_cast<size_t>(i)];
      if (k >= 0) {
        for (const int other : known.races[static_cast<size_t>(k)])
          if (st.open[static_cast<size_t>(other)] || st.signalled[static_cast<size_t>(other)]) { describe(i, other); break; }
        if (!known.races[static_cast<size_t>(k)].empty()) st.open[static_cast<size_t>(k)] = 1;
      }
      if (item.counted) board.launch(st.flying, item.inst, k);
      else if (item.waits) {
        const isa::Waits w = isa::waits_of(item.inst, code.arch);
        for (int c = 0; c < wait_counters; ++c) if (w[c] >= 0) st.flying.waited(board.streams, c, w[c]);
      }
      barrier(st, item.inst.op);
    }
    st.flying.rebase(board.streams);
    return true;
  }
  void barrier(Open& st, Opcode op) const {
    const bool signals = op == Opcode::s_barrier_signal || op == Opcode::s_barrier_signal_isfirst;
    if (signals || op == Opcode::s_barrier)
      for (size_t k = 0; k < st.open.size(); ++k)
        if (st.open[k] && !in_flight(st.flying, k)) st.open[k] = 0, st.signalled[k] = signals;
    if (is_barrier(op)) std::ranges::fill(st.signalled, 0);
  }
};

void check_order(const Code& code, const Known& known, Report& report) {
  Streams streams(code.arch, false);
  for (const Line& l : code.lines) if (l.item->counted) streams.add(l.item->inst);
  const Layout layout{.v = 0, .a = 256, .s = scalar_base, .lds = isa::reg_words * 64, .size = isa::reg_words * 64 + 1 + static_cast<int>(known.accesses.size()), .fixed_scalars = true};
  const size_t n = known.accesses.size();
  fixpoint(code, Open{State(streams, layout.size), std::vector<char>(n, 0), std::vector<char>(n, 0)}, Walk{code, known, {streams, layout}, report}, [&](Open& into, const Open& from) {
    const Open before = into;
    into.flying.join(from.flying, streams);
    for (size_t k = 0; k < n; ++k) into.open[k] |= from.open[k], into.signalled[k] |= from.signalled[k];
    return !(before.flying == into.flying) || before.open != into.open || before.signalled != into.signalled;
  });
}

}  // namespace

void check_lds(const Code& code, const Entry& entry, const sim::Kernel& kernel, Report& report, const Options& options) {
  if (entry.function || std::none_of(code.lines.begin(), code.lines.end(), [](const Line& l) { return uses_lds(*l.item); })) return;
  Evaluator values(code, entry, kernel);
  if (!values.waves()) return;
  Known known = find_accesses(code, values);
  for (const Access& a : known.accesses) {
    if (!a.touch->fault.empty()) {
      Finding& f = report.at(a.line, "LDS beyond the descriptor");
      f.source = "AMDGPUUsage, Kernel Descriptor: GROUP_SEGMENT_FIXED_SIZE";
      f.what = a.touch->fault;
      f.legal = fmt::format("aligned addresses below {}", entry.lds_bytes);
    }
    if (options.advice && a.touch->conflict_cycles) {
      Finding& f = report.at(a.line, "LDS bank conflicts");
      f.advice = true;
      f.source = "isa_tables/lds.def";
      f.what = fmt::format("{:.1f} cycles more than without conflicts, each time a wave executes it", static_cast<double>(a.touch->conflict_cycles) / values.waves());
      f.legal = "a padded or swizzled layout";
    }
  }
  if (values.waves() < 2) return;
  find_races(known);
  if (std::any_of(known.races.begin(), known.races.end(), [](const auto& r) { return !r.empty(); })) check_order(code, known, report);
}

}  // namespace wavesmith::checker
