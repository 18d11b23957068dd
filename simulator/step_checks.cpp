// A step against what its wave has in flight and has issued before.
#include "simulator/step_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa_tables/hazards/hazard_policy.h"
#include "simulator/access.h"
#include "simulator/decoded_kernel.h"
#include "simulator/waits.h"

namespace wavesmith::sim {
namespace {

bool lands_in_order(isa::Counter cls, isa::Arch arch) {
  for (const isa::CounterEvent& e : isa::counter_events(cls, arch))
    if (e.counter != isa::WaitCounter::x && !isa::lands_in_order(e.order)) return false;
  return true;
}

// Whether the outstanding results of the older load arrive before those of a new one.
bool lands_after(const Wave& w, const Pending& older, isa::Counter cls) {
  const auto& own = isa::counter_events(cls, w.arch);
  return lands_in_order(cls, w.arch) &&
         std::ranges::all_of(isa::counter_events(older.cls, w.arch), [&](const isa::CounterEvent& e) {
           if (e.counter == isa::WaitCounter::x || !w.async.waits_on(older, e.counter)) return true;
           return std::ranges::any_of(own, [&](const isa::CounterEvent& o) {
             return o.counter == e.counter &&
                    (o.order == e.order || (o.order == isa::Order::ordered && e.order == isa::Order::early));
           });
         });
}

}  // namespace

std::string register_name(const Wave& w, int joint) { return isa::print(isa::register_of(joint, w.arch)); }

// Faults on registers of outstanding loads. A load may overwrite another's result if they return in order.
bool check_in_flight(Wave& w, const Step& st) {
  const isa::Counter cls = isa::counter_class(*st.row);
  bool good = true;
  st.cold->touched.each([&](int r) {
    if (!good || !(w.async.in_flight[r / 64] >> r % 64 & 1)) return;
    const Pending* p = w.async.owner(r);
    bool reads = false;
    st.cold->reads.each([&](int x) { reads |= x == r; });
    if (p && !reads && lands_after(w, *p, cls)) return;
    good = false;
    w.fail(Fault::Kind::in_flight,
           fmt::format("{} {} while the load at {:#x} into it is in flight: no {} wait covers it",
                       reads ? "reads" : "writes", register_name(w, r), p ? p->pc : 0,
                       p ? wait_names(p->cls, w.arch) : "counter"),
           absent, 0, p ? static_cast<int>(p->step) : absent);
  });
  return good;
}

// Faults on overwriting the sources of accesses that may be replayed, and on what needs their addresses to be
// translated. Unless MODE allows several groups of outstanding accesses, other instructions wait for translations.
bool check_replays(Wave& w, const Step& st) {
  Replays& r = w.async.replays;
  const auto order = replay_order(*st.row, w.arch);
  if (!order && !w.replay_groups()) return r.drain(), true;
  if (order) r.arrive(*order);
  if (!w.group->options->checks.xcnt) return true;  // Options::replay
  const auto fail = [&](const Replays::Held& h, const std::string& what) {
    w.fail(Fault::Kind::in_flight,
           fmt::format("{}: no {} wait covers it", what, isa::counter(isa::WaitCounter::x, w.arch).name), absent, 0,
           static_cast<int>(h.step));
    return false;
  };
  if (const Replays::Held* h = r.open_before(isa::drains_translations(st.inst)))
    return fail(*h, "is issued while the address of an access before it may not be translated");
  const Replays::Held* h = r.conflict(st.cold->writes, order == isa::Order::ordered);
  return !h || fail(*h, fmt::format("writes {} while the address of an access that reads it may not be translated",
                                    register_name(w, *Replays::overlap(h->sources, st.cold->writes))));
}

namespace {

// A lane read right after a V_CMPX may still use the previous EXEC. That is harmless if both select the same lane, or
// lanes with the same value.
bool same_either_way(const Wave& w, const Step& st, const isa::HazardTracker::Need& need) {
  const auto stale = isa::stale_exec(need, st.inst.op);
  if (stale != isa::StaleExec::by_value || st.src[0].from != Source::From::vector)
    return stale == isa::StaleExec::harmless;
  const u32* v = w.v + st.src[0].reg * Wave::lanes;
  const auto value = [&](u64 exec) { return v[exec ? std::countr_zero(exec) : 0]; };
  return std::ranges::all_of(w.former_exec, [&](const Wave::FormerExec& f) {
    return w.issued - f.issued > static_cast<u64>(need.rule->wait_states[0]) || value(f.lanes) == value(w.exec());
  });
}

}  // namespace

bool check_hazards(Wave& w, const Step& st, HazardStates& states) {
  const int from = st.anywhere ? HazardStates::none : w.hazard_state;
  if (from != HazardStates::none) {
    if (const int to = states.after(from, st.number); to != HazardStates::none) return w.hazard_state = to, true;
  }
  if (w.hazard_state != HazardStates::none) w.hazards = states.tracker(w.hazard_state);
  const bool clean = w.hazards.idle() || w.hazards.missing(st.inst) == 0;
  if (const auto need = clean ? isa::HazardTracker::Need{} : w.hazards.check(st.inst);
      !clean && !same_either_way(w, st, need)) {
    const auto why = [&] {
      return fmt::format("{} is needed after an earlier {}: {} ({})", need.missing(), need.producer.info().mnemonic,
                         need.rule->name, need.rule->source);
    };
    if (isa::standing(need, w.arch) == isa::Standing::fault && !w.group->options->checks.hazard_warnings)
      return w.fail(Fault::Kind::hazard, why()), false;
    warn(w, {Fault::Kind::hazard, absent, 0, w.group->warning ? "" : why()});
  }
  w.hazards.issue(st.inst);
  w.hazard_state = st.anywhere || w.indexed ? HazardStates::none : states.number(st.number, w.hazards);
  if (clean && from != HazardStates::none && w.hazard_state != HazardStates::none)
    states.link(from, st.number, w.hazard_state);
  return true;
}

bool settle_doubts(Wave& w) {  // checks whether racing writes wrote equal values, once outstanding accesses are done
  const auto c = w.group->races.settle_doubts();
  if (!c || !w.late.lds.empty()) return true;
  if (c->wave == absent) fail_landing(w, c->address, absent);
  else fail_race(w, *c, false, absent);
  return false;
}

}  // namespace wavesmith::sim
