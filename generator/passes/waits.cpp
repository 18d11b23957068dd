// Inserts the waits that registers in flight require, and lowers the author's wait directives (counted as described in
// in_flight.h).
#include "checker/in_flight.h"

#include "generator/passes/cfg.h"
#include "generator/passes/passes.h"
#include "generator/passes/rewrite.h"

namespace wavesmith {
namespace {

using namespace in_flight;

SlotMap slots_of(const std::vector<Node>& nodes, Arch arch) {
  int high[3] = {0, 0, 0}, buffers = 0;
  SlotMap l{.fixed_scalars = isa::counter(isa::WaitCounter::x, arch).name != nullptr};
  const auto covers = [&](const Operand& o) {
    if (!o.is_reg()) return;
    int& h = high[o.file == File::v ? 0 : o.file == File::a ? 1 : 2];
    h = std::max(h, o.index + o.dwords);
  };
  for (const Node& n : nodes) {
    std::ranges::for_each(n.inst.operands, covers);
    if (const auto* wait = n.as<directive::WaitRegister>()) covers(wait->registers);
    const auto* wait = n.as<directive::WaitLds>();
    const std::optional<int> buffer = wait ? wait->buffer : n.buffer;
    buffers = std::max(buffers, buffer ? *buffer + 1 : 0);
    if (!n.is_instruction()) continue;
    if (n.inst.info().counter == Counter::smem)
      l.fixed_scalars |= n.inst.operands[0].index + n.inst.operands[0].dwords > isa::sreg::vcc;
    l.fixed_scalars |= writes_scc(n.inst);
  }
  l.a = high[0], l.s = l.a + high[1];
  l.lds = l.s + std::max(high[2], l.fixed_scalars ? isa::sreg::scc + 1 : 0);
  l.groups = l.lds_slot(buffers), l.size = l.groups + SlotMap::access_groups;
  return l;
}

struct WaitWalk {
  const std::vector<Node>& nodes;
  Scoreboard board;
  std::vector<Need>& before;  // result: the wait before each node

  // Consecutive directives and the instruction after them share one wait, before that instruction or at the block's
  // end.
  void block(InFlightState& st, const Cfg::Span& b, Arch arch) const {
    Need need;
    for (int i = b.begin; i < b.end; ++i) {
      const Node& n = nodes[i];
      before[i] = {};
      if (const auto* wait = n.as<directive::WaitRegister>()) board.operand(st, wait->registers, need);
      if (const auto* wait = n.as<directive::WaitLds>()) board.slot(st, board.slots.lds_slot(wait->buffer), need);
      if (!n.is_instruction()) continue;
      board.arrive(st, n.inst);
      accesses(st, n.inst, need);
      if (need.any) settle(st, n.inst, need);
      before[i] = std::exchange(need, {});
      if (n.inst.info().counter != Counter::none) board.launch(st, n.inst, n.buffer);
      else if (n.inst.info().format == isa::Format::sopp ||
               n.inst.info().format == isa::Format::sopk) {  // the formats of wait instructions
        const isa::Waits w = isa::waits_of(n.inst, arch);
        for (int c = 0; c < wait_counters; ++c)
          if (w[c] != absent) st.waited(board.streams, c, w[c]);
      }
    }
    if (need.any) board.settle(st, need);
    at_end(b, need);
  }
  void accesses(InFlightState& st, const Inst& inst, Need& need) const {
    board.operands(st, inst, need);
    if (board.slots.fixed_scalars) board.fixed(st, inst, need);
    board.translations(st, inst, need);
  }
  // The other waits also imply that some addresses are translated; those need no xcnt wait.
  void settle(InFlightState& st, const Inst& inst, Need& need) const {
    if (std::exchange(need.n[in_flight::x], int8_t{absent}) != absent) {
      board.settle(st, need);
      Need left;
      accesses(st, inst, left);
      need.n[in_flight::x] = left.n[in_flight::x];
    }
    board.settle(st, need);
  }
  void at_end(const Cfg::Span& b,
              const Need& need) const {  // the wait takes the place of the last directive, which is removed
    for (int i = b.end; need.any && i-- > b.begin;)
      if (nodes[i].as<directive::WaitRegister>() || nodes[i].as<directive::WaitLds>()) {
        before[i] = need;
        return;
      }
  }
};

// States are recomputed each round, so that a wait found late also weakens later ones.
void solve(const Cfg& cfg, const WaitWalk& walk, Arch arch) {
  const Streams& streams = walk.board.streams;
  std::optional<InFlightState> jumped;
  isa::solve_anew(
      cfg.edges(), InFlightState(streams, walk.board.slots.size), {},
      [&](InFlightState& st, size_t b, bool) {
        walk.block(st, cfg.blocks[b], arch);
        st.rebase(streams);
        return true;
      },
      [&](InFlightState& into, const InFlightState& from, size_t) { into.join(from, streams); },
      [&](const InFlightState& left, size_t p, size_t b) -> const InFlightState* {
        if (!streams.holds_sources || p + 1 == b) return &left;
        jumped = left;
        jumped->jumps(streams);
        return &*jumped;
      });
}

// The union of `need` and the author's own wait.
isa::Waits merged(const Need& need, const isa::Waits& user) {
  isa::Waits w = user;
  for (int c = 0; c < wait_counters; ++c)
    if (need.n[c] != absent && (w[c] == absent || need.n[c] < w[c])) w[c] = need.n[c];
  return w;
}

}  // namespace

void insert_waits(std::vector<Node>& nodes, Arch arch) {
  if (nodes.empty()) return;
  const SlotMap slots = slots_of(nodes, arch);
  Streams streams(arch);
  for (const Node& n : nodes)
    if (n.is_instruction()) streams.add(n.inst);
  std::vector<Need> before(nodes.size());
  solve(build_cfg(nodes), WaitWalk{nodes, {streams, slots}, before}, arch);

  Rewrite rewrite(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& n = nodes[i];
    if (!before[i].any) continue;
    const isa::Waits user = n.is_instruction() ? isa::waits_of(n.inst, arch) : isa::Waits{};
    if (user.any() && !n.inst.info().count()) continue;  // s_wait_idle covers every need
    auto waits = isa::wait_instructions(merged(before[i], user), arch);
    if (user.any()) n.inst = waits.items[--waits.size];  // the author's own wait instruction is widened in place
    for (const Inst& inst : waits) rewrite.insert(i, n.beside(inst));
  }
  rewrite.apply(is_instruction_or_label);
}

}  // namespace wavesmith
