// Waits from what is in flight. Every in-order event of a counter gets a sequence number; a register (or LDS buffer) remembers the
// number of the event that will write it, so "how many younger events may still fly" is a subtraction and never has to be aged.
// Out-of-order events (SMEM, FLAT) get no number: they never loosen the wait for an in-order one, because a counter that is at
// most k leaves at most k in-order events in flight, the youngest, whatever else it counts. They themselves need zero.
#include <algorithm>
#include <limits>

#include "generator/cfg.h"
#include "generator/passes.h"
#include "generator/rewrite.h"
#include "isa_tables/counters.h"

namespace wavesmith {
namespace {

using isa::wait_counters;
constexpr int none = std::numeric_limits<int>::min() / 2;  // nothing in flight
constexpr int unordered = std::numeric_limits<int>::max() / 2;

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
      if (o.file == File::none) break;                     // operands are filled from the front
      if (!o.is_reg()) continue;
      int& h = high[o.file == File::v ? 0 : o.file == File::a ? 1 : 2];
      h = std::max(h, o.index + o.dwords);
    }
    buffers = std::max({buffers, n.buffer + 1, n.directive == Directive::wait_lds ? n.number + 1 : 0});
    if (n.directive == Directive::none && n.inst.info().counter == isa::Counter::smem) l.fixed_scalars |= n.inst.operands[0].index + n.inst.operands[0].dwords > isa::sreg::vcc;
  }
  l.a = high[0], l.s = l.a + high[1];
  l.lds = l.s + std::max(high[2], l.fixed_scalars ? isa::sreg::exec + 2 : 0);
  l.size = l.lds + 1 + buffers;                            // slot 0: all LDS accesses; slot b + 1: buffer b
  return l;
}

struct State {
  int head[wait_counters] = {0, 0}, done[wait_counters] = {none, none};   // newest event; all up to here have completed
  bool out_of_order[wait_counters] = {false, false};
  std::vector<int> seq[wait_counters];
  std::vector<uint64_t> maybe;                             // a bit a slot: something may be in flight

  explicit State(int size = 0) : maybe(size / 64 + 1) { for (auto& s : seq) s.assign(size, none); }
  void mark(int c, int slot, int value) {
    seq[c][slot] = value;
    maybe[slot >> 6] |= uint64_t{1} << (slot & 63);
  }
  void waited(int c, int n) {
    done[c] = std::max(done[c], head[c] - n);
    if (n || !out_of_order[c]) return;
    out_of_order[c] = false;
    for (int& s : seq[c]) if (s == unordered) s = none;
  }
  // Head at zero and nothing kept that has completed, so nothing is left for `done` to say: it would fall with every trip of a loop
  // and no fixpoint be reached.
  void rebase() {
    for (int c = 0; c < wait_counters; ++c) {
      for (int& s : seq[c]) s = s == unordered ? s : s > done[c] ? s - head[c] : none;   // every slot written: vectorises
      done[c] = none;
      head[c] = 0;
    }
  }
  void join(const State& o) {                              // both rebased: the youngest event is the tightest wait
    for (int c = 0; c < wait_counters; ++c) {
      for (size_t i = 0; i < seq[c].size(); ++i) seq[c][i] = std::max(seq[c][i], o.seq[c][i]);
      out_of_order[c] |= o.out_of_order[c];
    }
    for (size_t i = 0; i < maybe.size(); ++i) maybe[i] |= o.maybe[i];
  }
  bool operator==(const State& o) const {
    return std::ranges::equal(seq[0], o.seq[0]) && std::ranges::equal(seq[1], o.seq[1]) && std::ranges::equal(out_of_order, o.out_of_order);
  }
};

struct Need {
  int n[wait_counters] = {-1, -1};
  bool any() const { return n[0] >= 0 || n[1] >= 0; }
  void add(int c, int count) { if (n[c] < 0 || count < n[c]) n[c] = count; }
};

struct Walk {
  const std::vector<Node>& nodes;
  const Layout& layout;
  std::vector<Need>& before;                               // result: the wait in front of each node

  void slot(State& st, int i, Need& need) const {
    const uint64_t mask = uint64_t{1} << (i & 63);
    if (!(st.maybe[i >> 6] & mask)) return;
    bool flying = false;
    for (int c = 0; c < wait_counters; ++c) {
      const int s = st.seq[c][i];
      if (s <= st.done[c]) continue;
      flying = true;
      // A count at the counter's maximum waits for nothing; one less is right whether or not issue stalls on a full counter.
      need.add(c, s == unordered ? 0 : std::min(st.head[c] - s, isa::counter_max[c] - 1));
    }
    if (!flying) st.maybe[i >> 6] &= ~mask;
  }
  void operand(State& st, const Operand& o, Need& need) const {
    if (!o.is_reg()) return;
    const int first = layout.of(o), last = first + o.dwords - 1;
    if (first == last) {
      if (st.maybe[first >> 6] >> (first & 63) & 1) slot(st, first, need);
      return;
    }
    for (int w = first >> 6; w <= last >> 6; ++w) {
      const int low = std::max(first, w << 6) & 63, high = std::min(last, (w << 6) + 63) & 63;
      const uint64_t tuple = (~uint64_t{0} >> (63 - high + low)) << low;
      for (uint64_t m = st.maybe[w] & tuple; m; m &= m - 1) slot(st, (w << 6) + std::countr_zero(m), need);
    }
  }
  void fixed(State& st, const Inst& i, Need& need) const {
    const auto& row = i.info();
    const auto pair = [&](int index, int n) { operand(st, isa::reg(File::s, index, n), need); };
    if (row.implicit & (isa::vcc_r | isa::vcc_w)) pair(isa::sreg::vcc, 2);
    if ((row.implicit & isa::m0_r) || i.mods.has(isa::lds)) pair(isa::sreg::m0, 1);
    if ((row.implicit & (isa::exec_r | isa::exec_w)) || row.is_vector() || row.unit == isa::Unit::lds || row.unit == isa::Unit::vmem) pair(isa::sreg::exec, 2);
  }
  void launch(State& st, const Node& n) const {
    const auto& row = n.inst.info();
    const bool dma = n.inst.mods.has(isa::lds), touches_lds = dma || row.counter == isa::Counter::lds || row.counter == isa::Counter::flat;
    for (int c = 0; c < wait_counters; ++c) {
      const auto event = isa::gfx9_counters[static_cast<int>(row.counter)].moves[c];
      if (!event.counts) continue;
      if (!event.in_order) st.out_of_order[c] = true;
      const int value = event.in_order ? ++st.head[c] : unordered;
      for (int k = 0; !dma && k < isa::max_operands && row.operands[k].kind != isa::Kind::none; ++k) {
        const Operand& o = n.inst.operands[k];
        if (row.operands[k].access == isa::Access::read || !o.is_reg()) continue;
        for (int d = 0, first = layout.of(o); d < o.dwords; ++d) st.mark(c, first + d, value);
      }
      if (!touches_lds || (row.counter == isa::Counter::flat && c == isa::vm)) continue;   // FLAT reaches LDS through lgkmcnt
      const auto newest = [&](int i) { if (st.seq[c][i] != unordered) st.mark(c, i, value); };   // an older out-of-order access still needs zero
      newest(layout.lds);
      if (n.buffer >= 0) newest(layout.lds + 1 + n.buffer);
    }
  }
  void settle(State& st, const Need& need) const {
    for (int c = 0; c < wait_counters; ++c) if (need.n[c] >= 0) st.waited(c, need.n[c]);
  }

  // Directives in a row and the instruction behind them share one wait, in front of that instruction or of the block's end.
  void block(State& st, const Cfg::Span& b) const {
    Need need;
    for (int i = b.begin; i < b.end; ++i) {
      const Node& n = nodes[i];
      before[i] = {};
      if (n.directive == Directive::wait_register) operand(st, n.inst.operands[0], need);
      if (n.directive == Directive::wait_lds) slot(st, layout.lds + 1 + std::max(n.number, -1), need);
      if (n.directive != Directive::none) continue;
      for (const Operand& o : n.inst.operands) {
        if (o.file == File::none) break;
        operand(st, o, need);
      }
      if (layout.fixed_scalars) fixed(st, n.inst, need);
      if (need.any()) settle(st, need);
      before[i] = std::exchange(need, {});
      if (n.inst.op == Opcode::s_waitcnt) {
        const isa::Waits w = isa::waits_of(n.inst);
        if (w.vm >= 0) st.waited(isa::vm, w.vm);
        if (w.lgkm >= 0) st.waited(isa::lgkm, w.lgkm);
      } else if (n.inst.info().counter != isa::Counter::none) {
        launch(st, n);
      }
    }
    settle(st, need);
    at_end(b, need);
  }
  void at_end(const Cfg::Span& b, const Need& need) const {   // the last directive node stands for the place, it is dropped anyway
    for (int i = b.end; need.any() && i-- > b.begin;)
      if (nodes[i].directive == Directive::wait_register || nodes[i].directive == Directive::wait_lds) { before[i] = need; return; }
  }
};

// In-states are joined anew from the predecessors' last out-states, so that a wait found late also loosens what follows. A wait in
// a loop can make that oscillate; from the eighth round on states only grow, which ends and is merely tighter.
void solve(const Cfg& cfg, const Layout& layout, const Walk& walk) {
  const size_t count = cfg.blocks.size();
  std::vector<State> in(count), out(count);
  std::vector<char> walked(count, false);
  const State empty(layout.size);
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (size_t b = 0; b < count; ++b) {
      State st = round >= 8 && walked[b] ? in[b] : empty;
      bool first = b != 0 && !(round >= 8 && walked[b]);   // an empty state joins as "nothing in flight": only at the entry
      for (int p : cfg.blocks[b].from) {
        if (!walked[p]) continue;
        if (std::exchange(first, false)) st = out[p];
        else st.join(out[p]);
      }
      if (walked[b] && st == in[b]) continue;
      changed |= walked[b] || !cfg.blocks[b].from.empty();
      in[b] = st;
      walk.block(st, cfg.blocks[b]);
      st.rebase();
      out[b] = std::move(st);
      walked[b] = true;
    }
    changed &= cfg.loops;                                  // without back edges program order is enough
  }
}

Inst merged(const Need& need, const Inst* user) {
  isa::Waits w{need.n[isa::vm], need.n[isa::lgkm], -1};
  if (user) {
    const isa::Waits u = isa::waits_of(*user);
    const auto tighter = [](int a, int b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); };
    w = {tighter(w.vm, u.vm), tighter(w.lgkm, u.lgkm), u.exp};
  }
  return isa::waitcnt(w);
}

}  // namespace

void insert_waits(std::vector<Node>& nodes, Arch arch) {
  if (!isa::gfx9_waits(isa::target(arch).family))
    throw isa::IsaError(fmt::format("insert_waits: the counters of {} are not in counters.h; legal are gfx908, gfx90a, gfx942, gfx950", isa::target(arch).name));
  if (nodes.empty()) return;
  const Layout layout = layout_of(nodes);
  std::vector<Need> before(nodes.size());
  solve(build_cfg(nodes), layout, Walk{nodes, layout, before});

  Rewrite rewrite(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& n = nodes[i];
    if (!before[i].any()) continue;
    if (n.directive == Directive::none && n.inst.op == Opcode::s_waitcnt) {
      n.inst = merged(before[i], &n.inst);
      continue;
    }
    Node w;
    w.inst = merged(before[i], nullptr);
    w.hot = n.hot, w.block = n.block, w.where = n.where, w.iteration = n.iteration, w.ahead = n.ahead;
    rewrite.insert(i, std::move(w));
  }
  rewrite.apply(is_instruction_or_label);
}

}  // namespace wavesmith
