// Registers that a memory operation still owns: the scoreboard of generator/in_flight.h joined over the control flow.
#include "generator/in_flight.h"

#include "generator/check/rules.h"

namespace wavesmith::check {
namespace {

using namespace in_flight;

bool meets(const RegSet& set, const std::vector<uint64_t>& bits) {
  for (int k = 0; k < set.count; ++k)
    if (bits[set.parts[static_cast<size_t>(k)].word] & set.parts[static_cast<size_t>(k)].mask) return true;
  return false;
}

struct Walk {
  const Code& code;
  Scoreboard board;
  Report& report;

  void describe(State& st, int line, const Item& item, const Need& need) const {
    int reg = -1;
    item.touched.each([&](int r) {
      Need one;
      if (reg < 0) board.slot(st, r, one, board.result_of(item.inst));
      if (one.any) reg = r;
    });
    if (reg < 0) item.touched.each([&](int r) { Need one; if (reg < 0) board.slot(st, r, one, {true}); if (one.any) reg = r; });
    const int owner = search_back(code, line, [&](int i) {
      const Item& o = *code.lines[static_cast<size_t>(i)].item;
      bool writes = false;
      o.touched.each([&](int r) { writes |= r == reg; });
      return o.counted && writes;
    });
    bool reads = false;
    item.required.each([&](int r) { reads |= r == reg; });
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
      if (meets(item.touched, st.maybe)) {
        Need need;
        board.operands(st, item.inst, need);
        board.fixed(st, item.inst, need);
        if (need.any) describe(st, i, item, need), board.settle(st, need);
      }
      if (item.counted) board.launch(st, item.inst);
      else if (item.waits) {
        const isa::Waits w = isa::waits_of(item.inst, code.arch);
        for (int c = 0; c < wait_counters; ++c) if (w[c] >= 0) st.waited(board.streams, c, w[c]);
      }
    }
    st.rebase(board.streams);
    return true;
  }
};

}  // namespace

void check_in_flight(const Code& code, Report& report) {
  Streams streams(code.arch, code.replays);
  for (const Line& l : code.lines) if (l.item->counted) streams.add(l.item->inst);
  if (!streams.count) return;
  const Layout layout{.v = 0, .a = 256, .s = scalar_base, .lds = isa::reg_words * 64, .size = isa::reg_words * 64 + 1, .fixed_scalars = true};
  fixpoint(code, State(streams, layout.size), Walk{code, {streams, layout}, report}, [&](State& into, const State& from) {
    const State before = into;
    into.join(from, streams);
    return !(before == into);
  });
}

}  // namespace wavesmith::check
