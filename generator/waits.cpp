// Waits from what is in flight. Every in-order event of a stream (a counter, or one kind in it where kinds are not ordered with each
// other) gets a sequence number; a register (or LDS buffer) remembers the number of the event that will write it, so "how many
// younger events may still fly" is a subtraction and never has to be aged. Out-of-order events (SMEM, FLAT) get no number: they never
// loosen the wait for an in-order one, because a counter that is at most k leaves at most k events of a stream in flight, the
// youngest, whatever else it counts. They themselves need zero.
#include <algorithm>
#include <limits>
#include <utility>

#include "generator/cfg.h"
#include "generator/passes.h"
#include "generator/rewrite.h"
#include "isa_tables/counters.h"

namespace wavesmith {
namespace {

using isa::Counter;
using isa::Order;
using isa::wait_counters;
constexpr int none = std::numeric_limits<int>::min() / 2;  // nothing in flight
constexpr int unordered = std::numeric_limits<int>::max() / 2;
constexpr int x = static_cast<int>(isa::WaitCounter::x);   // holds sources, not results: an overwrite waits, a read does not
constexpr int max_streams = 2 * wait_counters;

bool touches_lds(const Inst& i) {
  const Counter c = i.info().counter;
  return i.mods.has(isa::lds) || c == Counter::lds || c == Counter::flat || c == Counter::async_load || c == Counter::async_store || c == Counter::tensor;
}

// The streams this program moves, and which of them each class of instruction does.
struct Streams {
  struct Move { int stream, counter; bool ordered, lands_in_order; };
  int count = 0;
  int counter_of[max_streams] = {}, first_of[wait_counters], most[wait_counters];
  isa::Few<Move, 3> moves[static_cast<int>(Counter::tensor) + 1];
  bool holds_sources = false;                              // the target has an x counter that this program moves

  Streams(const std::vector<Node>& nodes, Arch arch) {
    std::ranges::fill(first_of, -1);
    int number[wait_counters][2];
    for (auto& n : number) n[0] = n[1] = -1;
    for (int c = 0; c < wait_counters; ++c) most[c] = isa::counter(static_cast<isa::WaitCounter>(c), arch).most;
    bool seen[std::size(moves)] = {};
    for (const Node& n : nodes) {
      if (n.directive != Directive::none) continue;
      const Counter kind = isa::counter_class(n.inst.info());
      if (kind == Counter::none || std::exchange(seen[static_cast<int>(kind)], true)) continue;
      const auto& events = isa::counter_events(kind, arch);
      if (!events.size)
        throw isa::IsaError(fmt::format("{}: {}: isa_tables/counters.def does not say which counter of {} it moves", place(n), n.inst.info().mnemonic, isa::target(arch).name));
      for (const auto& e : events) {
        const int c = static_cast<int>(e.counter);
        int& s = number[c][e.order == Order::other];
        if (s < 0) counter_of[s = count++] = c;
        if (first_of[c] < 0) first_of[c] = s;
        moves[static_cast<int>(kind)].push_back({s, c, e.order != Order::any, e.order == Order::ordered || e.order == Order::other});
        holds_sources |= c == x;
      }
    }
  }
  const auto& of(const Inst& i) const { return moves[static_cast<int>(isa::counter_class(i.info()))]; }
};

// Where the registers of each file and the LDS buffers live in the flat arrays of a state.
struct Layout {
  int v = 0, a = 0, s = 0, lds = 0, size = 0;
  bool fixed_scalars = false;                              // some load writes VCC, M0 or EXEC: implicit reads count
  int of(const Operand& o) const { return (o.file == File::v ? v : o.file == File::a ? a : s) + o.index; }
};

Layout layout_of(const std::vector<Node>& nodes) {
  int high[3] = {0, 0, 0}, buffers = 0;
  Layout l;
  for (const Node& n : nodes) {
    for (const Operand& o : n.inst.operands) {
      if (!o.is_reg()) continue;
      int& h = high[o.file == File::v ? 0 : o.file == File::a ? 1 : 2];
      h = std::max(h, o.index + o.dwords);
    }
    buffers = std::max({buffers, n.buffer + 1, n.directive == Directive::wait_lds ? n.number + 1 : 0});
    if (n.directive == Directive::none && n.inst.info().counter == Counter::smem) l.fixed_scalars |= n.inst.operands[0].index + n.inst.operands[0].dwords > isa::sreg::vcc;
  }
  l.a = high[0], l.s = l.a + high[1];
  l.lds = l.s + std::max(high[2], l.fixed_scalars ? isa::sreg::exec + 2 : 0);
  l.size = l.lds + 1 + buffers;                            // slot 0: all LDS accesses; slot b + 1: buffer b
  return l;
}

// What also ends a source's time in flight: the operation it belongs to. stream -1: several, so nothing but x does.
struct Owner { int stream = -1, seq = none; bool operator==(const Owner&) const = default; };

struct State {
  int head[max_streams] = {}, done[max_streams];           // newest event; all up to here have completed
  bool out_of_order[wait_counters] = {};
  std::vector<int> seq[max_streams];
  std::vector<Owner> owner;                                // of sources; empty without an x counter
  std::vector<uint64_t> maybe;                             // a bit a slot: something may be in flight

  explicit State(const Streams& streams, int size) : maybe(size / 64 + 1) {
    std::ranges::fill(done, none);
    for (int s = 0; s < streams.count; ++s) seq[s].assign(size, none);
    if (streams.holds_sources) owner.resize(size);
  }
  void mark(int stream, int slot, int value) {
    seq[stream][slot] = value;
    maybe[slot >> 6] |= uint64_t{1} << (slot & 63);
  }
  void mark_source(const Streams& streams, int stream, int slot, int value, Owner o) {
    for (int s = 0; s < streams.count; ++s)
      if (streams.counter_of[s] == x && s != stream && seq[s][slot] != none) o.stream = -1;
    if (seq[stream][slot] == unordered) return;            // an older out-of-order use still needs zero
    owner[slot] = o;
    mark(stream, slot, value);
  }
  void waited(const Streams& streams, int c, int n) {
    for (int s = 0; s < streams.count; ++s) if (streams.counter_of[s] == c) done[s] = std::max(done[s], head[s] - n);
    if (n || !out_of_order[c]) return;
    out_of_order[c] = false;
    for (int& s : seq[streams.first_of[c]]) if (s == unordered) s = none;
    for (Owner& o : owner) if (o.stream == streams.first_of[c] && o.seq == unordered) o.seq = none;
  }
  bool settled(const Owner& o) const { return o.stream >= 0 && (o.seq == none || o.seq <= done[o.stream]); }
  // Head at zero and nothing kept that has completed, so nothing is left for `done` to say: it would fall with every trip of a loop
  // and no fixpoint be reached.
  void rebase(const Streams& streams) {
    for (size_t i = 0; i < owner.size(); ++i) {
      Owner& o = owner[i];
      bool flying = false;
      for (int s = 0; s < streams.count; ++s) {
        if (streams.counter_of[s] != x) continue;
        if (settled(o)) seq[s][i] = none;
        flying |= seq[s][i] == unordered || seq[s][i] > done[s];
      }
      if (!flying) o = {};
      else if (o.stream >= 0 && o.seq != unordered) o.seq -= head[o.stream];
    }
    for (int c = 0; c < streams.count; ++c) {
      for (int& s : seq[c]) s = s == unordered ? s : s > done[c] ? s - head[c] : none;   // every slot written: vectorises
      done[c] = none;
      head[c] = 0;
    }
  }
  void join(const State& o, const Streams& streams) {      // both rebased: the youngest event is the tightest wait
    for (size_t i = 0; i < owner.size(); ++i) {
      const auto flies = [&](const State& st) { for (int s = 0; s < streams.count; ++s) if (streams.counter_of[s] == x && st.seq[s][i] != none) return true; return false; };
      const bool here = flies(*this), there = flies(o);
      if (!there) continue;
      if (!here) owner[i] = o.owner[i];
      else if (owner[i].stream != o.owner[i].stream) owner[i] = {};
      else owner[i].seq = std::max(owner[i].seq, o.owner[i].seq);
    }
    for (int c = 0; c < streams.count; ++c)
      for (size_t i = 0; i < seq[c].size(); ++i) seq[c][i] = std::max(seq[c][i], o.seq[c][i]);
    for (int c = 0; c < wait_counters; ++c) out_of_order[c] |= o.out_of_order[c];
    for (size_t i = 0; i < maybe.size(); ++i) maybe[i] |= o.maybe[i];
  }
  bool operator==(const State& o) const { return std::ranges::equal(seq, o.seq) && std::ranges::equal(out_of_order, o.out_of_order) && owner == o.owner; }
};

struct Need {
  int8_t n[wait_counters] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  bool any = false;
  void add(int c, int count) {
    if (n[c] < 0 || count < n[c]) n[c] = static_cast<int8_t>(count);
    any = true;
  }
};

// How an instruction touches a tuple: an overwrite by a load of stream `behind` needs no wait for older loads of it, they land first.
struct Touch { bool writes = false; int behind = -1; };

struct Walk {
  const std::vector<Node>& nodes;
  const Streams& streams;
  const Layout& layout;
  std::vector<Need>& before;                               // result: the wait in front of each node

  void slot(State& st, int i, Need& need, Touch touch = {}) const {
    const uint64_t mask = uint64_t{1} << (i & 63);
    if (!(st.maybe[i >> 6] & mask)) return;
    bool flying = false;
    for (int k = 0; k < streams.count; ++k) {
      const int s = st.seq[k][i], c = streams.counter_of[k];
      if (s <= st.done[k]) continue;
      if (c == x && st.settled(st.owner[i])) continue;
      flying = true;
      if (c == x ? !touch.writes : k == touch.behind && s != unordered) continue;
      // A count at the counter's maximum waits for nothing; one less is right whether or not issue stalls on a full counter.
      need.add(c, s == unordered ? 0 : std::min(st.head[k] - s, streams.most[c] - 1));
    }
    if (!flying) st.maybe[i >> 6] &= ~mask;
  }
  void operand(State& st, const Operand& o, Need& need, Touch touch = {}) const {
    if (!o.is_reg()) return;
    const int first = layout.of(o), last = first + o.dwords - 1;
    if (first == last) {
      if (st.maybe[first >> 6] >> (first & 63) & 1) slot(st, first, need, touch);
      return;
    }
    for (int w = first >> 6; w <= last >> 6; ++w) {
      const int low = std::max(first, w << 6) & 63, high = std::min(last, (w << 6) + 63) & 63;
      const uint64_t tuple = (~uint64_t{0} >> (63 - high + low)) << low;
      for (uint64_t m = st.maybe[w] & tuple; m; m &= m - 1) slot(st, (w << 6) + std::countr_zero(m), need, touch);
    }
  }
  void operands(State& st, const Inst& inst, Need& need) const {
    const auto& row = inst.info();
    int behind = -1;
    if (row.counter != Counter::none)
      for (const auto& m : streams.of(inst)) if (m.counter != x && m.ordered && m.lands_in_order) behind = m.stream;
    for (int k = 0; k < isa::max_operands && row.operands[k].kind != isa::Kind::none; ++k) {
      const auto access = row.operands[k].access;
      operand(st, inst.operands[k], need, {access != isa::Access::read, access == isa::Access::write ? behind : -1});
    }
  }
  void fixed(State& st, const Inst& i, Need& need) const {
    const auto& row = i.info();
    const auto pair = [&](int index, int n) { operand(st, isa::reg(File::s, index, n), need); };
    if (row.implicit & (isa::vcc_r | isa::vcc_w)) pair(isa::sreg::vcc, 2);
    if ((row.implicit & isa::m0_r) || i.mods.has(isa::lds)) pair(isa::sreg::m0, 1);
    if ((row.implicit & (isa::exec_r | isa::exec_w)) || row.is_vector() || row.unit == isa::Unit::lds || row.unit == isa::Unit::vmem) pair(isa::sreg::exec, 2);
  }
  template <class F> void each_slot(const Inst& i, bool written, F&& f) const {
    for (int k = 0; k < isa::max_operands && i.info().operands[k].kind != isa::Kind::none; ++k) {
      const Operand& o = i.operands[k];
      const auto access = i.info().operands[k].access;
      if (!o.is_reg() || (written ? access == isa::Access::read : access == isa::Access::write)) continue;
      for (int d = 0, first = layout.of(o); d < o.dwords; ++d) f(first + d);
    }
  }
  void launch(State& st, const Node& n) const {
    const bool dma = n.inst.mods.has(isa::lds), lds = touches_lds(n.inst), flat = n.inst.info().counter == Counter::flat;
    Owner owner;
    for (const auto& m : streams.of(n.inst)) {
      if (!m.ordered) st.out_of_order[m.counter] = true;
      const int stream = m.ordered ? m.stream : streams.first_of[m.counter];
      const int value = m.ordered ? ++st.head[m.stream] : unordered;
      if (m.counter == x) {                                // the last of a class's rows: `owner` is known
        each_slot(n.inst, false, [&](int i) { st.mark_source(streams, stream, i, value, owner); });
        continue;
      }
      owner = {stream, value};
      if (!dma) each_slot(n.inst, true, [&](int i) { st.mark(stream, i, value); });
      if (!lds || (flat && m.counter != static_cast<int>(isa::WaitCounter::lgkm))) continue;   // FLAT reaches LDS through lgkmcnt
      const auto newest = [&](int i) { if (st.seq[stream][i] != unordered) st.mark(stream, i, value); };   // an older out-of-order access still needs zero
      newest(layout.lds);
      if (n.buffer >= 0) newest(layout.lds + 1 + n.buffer);
    }
  }
  void settle(State& st, const Need& need) const {
    for (int c = 0; c < wait_counters; ++c) if (need.n[c] >= 0) st.waited(streams, c, need.n[c]);
  }

  // Directives in a row and the instruction behind them share one wait, in front of that instruction or of the block's end.
  void block(State& st, const Cfg::Span& b, Arch arch) const {
    Need need;
    for (int i = b.begin; i < b.end; ++i) {
      const Node& n = nodes[i];
      before[i] = {};
      if (n.directive == Directive::wait_register) operand(st, n.inst.operands[0], need);
      if (n.directive == Directive::wait_lds) slot(st, layout.lds + 1 + std::max(n.number, -1), need);
      if (n.directive != Directive::none) continue;
      operands(st, n.inst, need);
      if (layout.fixed_scalars) fixed(st, n.inst, need);
      if (need.any) settle(st, need);
      before[i] = std::exchange(need, {});
      if (n.inst.info().counter != Counter::none) launch(st, n);
      else if (n.inst.info().format == isa::Format::sopp || n.inst.info().format == isa::Format::sopk) {   // where waits are
        const isa::Waits w = isa::waits_of(n.inst, arch);
        for (int c = 0; c < wait_counters; ++c) if (w[c] >= 0) st.waited(streams, c, w[c]);
      }
    }
    if (need.any) settle(st, need);
    at_end(b, need);
  }
  void at_end(const Cfg::Span& b, const Need& need) const {   // the last directive node stands for the place, it is dropped anyway
    for (int i = b.end; need.any && i-- > b.begin;)
      if (nodes[i].directive == Directive::wait_register || nodes[i].directive == Directive::wait_lds) { before[i] = need; return; }
  }
};

// In-states are joined anew from the predecessors' last out-states, so that a wait found late also loosens what follows. A wait in
// a loop can make that oscillate; from the eighth round on states only grow, which ends and is merely tighter.
void solve(const Cfg& cfg, const Walk& walk, Arch arch) {
  const size_t count = cfg.blocks.size();
  const State empty(walk.streams, walk.layout.size);
  std::vector<State> in(count, empty), out(count, empty);
  std::vector<char> walked(count, false);
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (size_t b = 0; b < count; ++b) {
      State st = round >= 8 && walked[b] ? in[b] : empty;
      bool first = b != 0 && !(round >= 8 && walked[b]);   // an empty state joins as "nothing in flight": only at the entry
      for (int p : cfg.blocks[b].from) {
        if (!walked[p]) continue;
        if (std::exchange(first, false)) st = out[p];
        else st.join(out[p], walk.streams);
      }
      if (walked[b] && st == in[b]) continue;
      changed |= walked[b] || !cfg.blocks[b].from.empty();
      in[b] = st;
      walk.block(st, cfg.blocks[b], arch);
      st.rebase(walk.streams);
      out[b] = std::move(st);
      walked[b] = true;
    }
    changed &= cfg.loops;                                  // without back edges program order is enough
  }
}

// What `need` and the author's own wait ask for together.
isa::Waits merged(const Need& need, const isa::Waits& user) {
  isa::Waits w = user;
  for (int c = 0; c < wait_counters; ++c)
    if (need.n[c] >= 0 && (w[c] < 0 || need.n[c] < w[c])) w[c] = need.n[c];
  return w;
}

}  // namespace

void insert_waits(std::vector<Node>& nodes, Arch arch) {
  if (nodes.empty()) return;
  const Layout layout = layout_of(nodes);
  const Streams streams(nodes, arch);
  std::vector<Need> before(nodes.size());
  solve(build_cfg(nodes), Walk{nodes, streams, layout, before}, arch);

  Rewrite rewrite(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& n = nodes[i];
    if (!before[i].any) continue;
    const isa::Waits user = n.directive == Directive::none ? isa::waits_of(n.inst, arch) : isa::Waits{};
    if (user.any() && !n.inst.info().count()) continue;    // s_wait_idle covers whatever is due
    auto waits = isa::wait_instructions(merged(before[i], user), arch);
    if (user.any()) n.inst = waits.items[--waits.size];   // the author's own takes up what is due in its place
    for (const Inst& inst : waits) {
      Node w;
      w.inst = inst;
      w.hot = n.hot, w.block = n.block, w.where = n.where, w.iteration = n.iteration, w.ahead = n.ahead;
      rewrite.insert(i, std::move(w));
    }
  }
  rewrite.apply(is_instruction_or_label);
}

}  // namespace wavesmith
