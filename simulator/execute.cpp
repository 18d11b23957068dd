// Runs workgroups: the waves of one take turns on one host thread, workgroups are spread over threads. Each step is
// first checked (registers in flight, never written, wait states), then executed, then its results are recorded as
// written.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "isa_tables/hazards/hazard_policy.h"
#include "isa_tables/opcodes.h"
#include "simulator/access.h"
#include "simulator/decoded_kernel.h"
#include "simulator/deferred.h"
#include "simulator/hazard_states.h"
#include "simulator/launch.h"
#include "simulator/observer.h"
#include "simulator/standstill.h"
#include "simulator/undefined.h"
#include "simulator/vskip.h"

namespace wavesmith::sim {
namespace {

void complete(Wave& w, const Pending& p) {
  if (w.group->options->late) w.late.completed.push_back(p.id);
  if (!p.dma) return;
  for (const LdsSpan& s : p.lds)
    if (s.use == LdsUse::write) --w.group->dma_dwords[s.address / 4];
  --w.group->dma_in_flight;
}

void wait_counters(Wave& w, const Step& st) {
  if (w.group->follows_operations())
    w.async.wait(isa::waits_of(st.inst, w.arch), [&](const Pending& p) { complete(w, p); });
}
using isa::Opcode;
constexpr Semantics waits[] = {
    {"s_waitcnt", wait_counters},
    {"s_waitcnt_vmcnt", wait_counters},
    {"s_waitcnt_vscnt", wait_counters},
    {"s_waitcnt_lgkmcnt", wait_counters},
    {"s_waitcnt_expcnt", wait_counters},
    {"s_wait_loadcnt", wait_counters},
    {"s_wait_storecnt", wait_counters},
    {"s_wait_dscnt", wait_counters},
    {"s_wait_kmcnt", wait_counters},
    {"s_wait_samplecnt", wait_counters},
    {"s_wait_bvhcnt", wait_counters},
    {"s_wait_expcnt", wait_counters},
    {"s_wait_asynccnt", wait_counters},
    {"s_wait_tensorcnt", wait_counters},
    {"s_wait_xcnt", wait_counters},
    {"s_wait_loadcnt_dscnt", wait_counters},
    {"s_wait_storecnt_dscnt", wait_counters},
    {"s_wait_idle", wait_counters},
};

// The waits that would cover the access, as "vmcnt" or "vmcnt(0) lgkmcnt(0)".
std::string wait_names(isa::Counter cls, isa::Arch arch) {
  std::string s;
  for (const isa::CounterEvent& e : isa::counter_events(cls, arch))
    if (e.counter != isa::WaitCounter::x)
      s += fmt::format("{}{}{}", s.empty() ? "" : " ", isa::counter(e.counter, arch).name,
                       isa::tells_by_count(e.order) ? "" : "(0)");
  return s;
}
std::string wait_hint(isa::Counter cls, isa::Arch arch) {
  const std::string names = wait_names(cls, arch);
  return names.empty() ? "" : fmt::format(" (no {} wait covers it)", names);
}
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
           -1, 0, p ? static_cast<int>(p->step) : -1);
  });
  return good;
}

// Faults on overwriting the sources of accesses that may be replayed. Unless MODE allows several groups of outstanding
// accesses, other instructions wait for translations.
bool check_replays(Wave& w, const Step& st) {
  Replays& r = w.async.replays;
  const auto order = replay_order(*st.row, w.arch);
  if (!order && !w.replay_groups()) return r.drain(), true;
  if (order) r.arrive(*order);
  const Replays::Held* h = r.conflict(st.cold->writes, order == isa::Order::ordered);
  if (h)
    w.fail(Fault::Kind::in_flight,
           fmt::format(
               "writes {} while the address of an access that reads it may not be translated: no {} wait covers it",
               register_name(w, Replays::overlap(h->sources, st.cold->writes)),
               isa::counter(isa::WaitCounter::x, w.arch).name),
           -1, 0, static_cast<int>(h->step));
  return !h;
}

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
      return fmt::format("{} more wait states are needed after an earlier {}: {} ({})", need.wait_states,
                         need.producer.info().mnemonic, need.rule->name, need.rule->source);
    };
    if (isa::standing(need, w.arch) == isa::Standing::fault && !w.group->options->checks.hazard_warnings)
      return w.fail(Fault::Kind::hazard, why()), false;
    warn(w, {Fault::Kind::hazard, -1, 0, w.group->warning ? "" : why()});
  }
  w.hazards.issue(st.inst);
  w.hazard_state = st.anywhere || w.indexed ? HazardStates::none : states.number(st.number, w.hazards);
  if (clean && from != HazardStates::none && w.hazard_state != HazardStates::none)
    states.link(from, st.number, w.hazard_state);
  return true;
}

bool settle_doubts(Wave& w) {  // checks whether racing writes wrote equal values, once outstanding accesses are done
  const auto c = w.group->races.settle_doubts();
  if (!w.late.lds.empty()) return true;
  if (c) fail_race(w, *c, false, -1);
  return !c;
}

// Operations not waited for may happen after the barrier: they also count for the next interval.
void arrive(Wave& w) {
  Workgroup& g = *w.group;
  if (!g.races.enabled()) return;
  w.async.each([&](const Pending& p) {
    g.races.step = static_cast<int>(p.step);
    for (const LdsSpan& s : p.lds)
      if (const auto c = g.races.access(s.address, s.bytes, w.number, s.use, true))
        return w.fail(Fault::Kind::race,
                      fmt::format("arrives with the LDS access at {:#x} not waited for{}, which wave {} {}", p.pc,
                                  wait_hint(p.cls, w.arch), c->wave, c->wrote ? "writes" : "reads"),
                      s.lane, c->address, c->step);
  });
}

// Ends an interval: reads that no atomic operation of their wave followed become plain reads.
Problem unordered_read(const Races::Suspect& s) {
  return {Fault::Kind::race, -1, s.address,
          fmt::format("wave {} reads LDS that wave {} modifies atomically, with no barrier between and no atomic "
                      "operation of its own on it",
                      s.wave, s.other),
          s.other_step};
}

// Ended waves no longer count for the barrier.
void complete_if_full(Workgroup& g, int barrier) {
  Barrier& b = barrier_of(g, barrier);
  if (b.members == 0 || b.signaled < b.members) return;
  b.signaled = 0;
  ++b.phase;
  if (barrier == 0) g.races.barrier();
  else b.completed = std::exchange(b.arrived, {});
}

// What the workgroup's waves have released to each other by signaling the cluster's barrier, for the phase the signals
// count for and for the one before. Signals of other workgroups do not order its LDS.
Races::Clock& cluster_clock(Workgroup& g, u32 phase) {
  Barrier& own = g.barriers[Workgroup::cluster_barrier];
  return phase & 1 ? own.arrived : own.completed;
}

bool held(const Wave& w) {
  return w.waiting >= 0 && barrier_of(*w.group, w.waiting).phase == w.seen_phase[static_cast<size_t>(w.waiting)];
}

// All work-items should reach the workgroup's barrier at the same instruction. Hardware only counts waves.
void check_divergence(Wave& w, const Barrier& b, u64 pc) {
  const Workgroup& g = *w.group;
  if (w.exec() != w.items)
    return w.fail(Fault::Kind::divergence,
                  fmt::format("reaches the barrier with lanes {:#x} of its {:#x}", w.exec(), w.items));
  if (b.members < g.waves)
    return w.fail(Fault::Kind::divergence,
                  fmt::format("reaches a barrier that {} of {} waves will not reach: they have ended",
                              g.waves - b.members, g.waves));
  if (b.signaled && b.first_pc != pc)
    w.fail(Fault::Kind::divergence,
           fmt::format("reaches this barrier while wave {} waits at the one at {:#x}", b.first_wave, b.first_pc));
}

struct Runner {
  const DecodedKernel& program;
  const KernelInfo& kernel;
  const Options& options;
  Repetition repetition;
  struct Group {
    Workgroup state;
    std::vector<Wave> waves;
    std::vector<u32> registers;
    std::vector<DeferredProducts> deferred;
  };
  Cluster cluster;
  std::vector<Group> groups;  // of the cluster
  Result counts;
  HazardStates hazard_states;
  std::mt19937_64 random;
  Step moved;        // an instruction with relative VGPRs, resolved for the current offset
  u32 may_skip = 0;  // vskip on targets that have it
  bool repeats =
      !options.late && !options.seed && !options.observers && !program.reads_time;  // state decides the future
  bool watched = options.observers || options.late || options.checks.in_flight || options.checks.xcnt ||
                 options.checks.races || options.checks.undefined || options.checks.hazards;

  // S_SET_GPR_IDX_ON: M0[7:0] is added to the VGPR numbers that M0[15:12] names (Vega ISA).
  Step relative(const Wave& w, const Step& st) const {
    const u32 m0 = w.s[sreg::m0];
    const auto by = [&](int bit) { return m0 >> (12 + bit) & 1 ? static_cast<int>(m0 & 0xff) : 0; };
    return shifted(st, {{by(0), by(1), by(2)}, by(3)}, *w.group->target, kernel);
  }

  void resume(Wave& w) {  // the barrier it waited for has completed
    const Barrier& b = barrier_of(*w.group, w.waiting);
    if (w.waiting == 0) w.group->races.waited(w.number);
    else
      w.group->races.waited_named(
          w.number, w.waiting == Workgroup::cluster_barrier ? cluster_clock(*w.group, b.phase - 1) : b.completed);
    w.seen_phase[static_cast<size_t>(w.waiting)] = b.phase;
    w.waiting = -1;
  }

  // The checks before a step.
  bool allowed(Wave& w, const Step& st) {
    const Checks& c = options.checks;
    if (c.in_flight && w.async.any_register && st.cold->touched.meets(w.async.in_flight) && !check_in_flight(w, st))
      return false;
    if (w.async.replays.any() && !check_replays(w, st)) return false;
    if (c.undefined && !st.cold->reads.inside(w.written) && !check_written(w, st)) return false;
    if (c.hazards && !check_hazards(w, st, hazard_states)) return false;
    w.written_lanes = w.exec();
    return true;
  }

  bool step(Wave& w) {
    const Step& named = program.steps[static_cast<size_t>(w.at)];
    if ((w.mode_rest & may_skip) && named.row && is_skippable(*named.row)) return ++w.issued, w.next = named.next, true;
    const Step& st = w.indexed && named.row && named.row->is_vector() ? moved = relative(w, named) : named;
    ++w.issued;
    if (!st.run) return w.fail(st.cold->refused, st.cold->refusal), false;
    if (watched && !allowed(w, st)) return false;
    w.next = st.next;
    fetch_ahead(st);
    const bool registers = st.concerns_matrices && w.deferred;
    if (registers && (st.settles || st.anywhere)) w.deferred->settle(w);
    const u32 issued = w.async.newest();
    const bool late = options.late && st.row->counter != isa::Counter::none;
    if (late) before_operation(w, st);
    st.run(w, st);
    if (w.problem) return false;
    if (registers) st.anywhere ? w.deferred->written() : w.deferred->written(st);
    if (watched) {
      if (issued != w.async.newest() && w.group->races.doubtful() && !settle_doubts(w)) return false;
      if (st.may_replay && w.group->replays && options.checks.xcnt && issued != w.async.newest())
        w.async.hold(*replay_order(*st.row, w.arch), st.cold->replayed, isa::counter(isa::WaitCounter::x, w.arch).most);
      if (w.group->observer) w.group->observer->executed(w, st);
      if (options.checks.undefined) record_written(w, st);
      if (late) put_back(w, st, issued);
      if (options.late) land(w);
      if (w.problem) return false;
    }
    if (w.jump != ~u64{0}) {
      w.next = program.find(DecodedKernel::place(w.jump - w.group->image, w.vgpr_msb));
      if (w.next < 0)
        return w.fail(Fault::Kind::illegal, fmt::format("jumps to {:#x}, which is not the start of a function", w.jump),
                      -1, w.jump),
               false;
      w.jump = ~u64{0};
    }
    if (watched && w.next != st.next)
      w.async.replays.drain();  // a taken branch waits for translations (LLVM pull requests 198823, 219206)
    return true;
  }

  // Runs consecutive steps without checks; after each only faults, barriers and deferred products are handled. Returns
  // how many were taken.
  int go_straight(Wave& w, int most) {
    const Step *const first = &program.steps[static_cast<size_t>(w.at)], *st = first;
    for (const Step* const last = first + most; st != last && st->straight; ++st) {
      w.at = static_cast<int>(st->number);
      fetch_ahead(*st);
      const bool registers = st->concerns_matrices && w.deferred;
      if (registers && st->settles) w.deferred->settle(w);
      st->run(w, *st);
      if (w.problem) return w.issued += static_cast<u64>(st - first) + 1, static_cast<int>(st - first) + 1;
      if (registers) w.deferred->written(*st);
      if (w.waiting >= 0) {
        ++st;
        break;
      }
    }
    const auto taken = static_cast<int>(st - first);
    if (taken) w.at = static_cast<int>(first->number) + taken;
    return w.issued += static_cast<u64>(taken), taken;
  }
  static void fetch_ahead(const Step& st) {  // steps do not fit into the host's L1
    const Step* const soon = &st + 2;
    __builtin_prefetch(soon), __builtin_prefetch(soon->src);
  }

  // One turn. False: a fault.
  bool advance(Wave& w) {
    const int most = std::max(1, options.quantum),
              quantum = options.seed ? 1 + static_cast<int>(random() % static_cast<u64>(most)) : most;
    for (int n = 0; n < quantum; ++n) {
      if (w.waiting >= 0) {
        if (held(w)) break;
        resume(w);
      }
      if (!watched && !w.indexed && !(w.mode_rest & may_skip)) {
        const int taken = go_straight(
            w, static_cast<int>(std::min(static_cast<u64>(quantum - n), options.max_instructions - w.issued)));
        if (w.problem) return false;
        if (taken) {
          n += taken - 1;
          continue;
        }
      }
      if (!step(w)) return false;
      if (w.ended) {
        land_all(w);
        end(w);
        break;
      }
      if (w.next < 0) return w.fail(Fault::Kind::illegal, "runs past the end of the code"), false;
      w.at = w.next;
      if (w.issued > options.max_instructions) {
        const auto& waves = group_of(w).waves;
        const auto waiting =
            std::find_if(waves.begin(), waves.end(), [&](const Wave& o) { return !o.ended && held(o); });
        if (waiting != waves.end())
          w.fail(Fault::Kind::deadlock,
                 fmt::format("wave {} waits at a barrier that this wave has not reached after {} instructions",
                             waiting->number, w.issued));
        else w.fail(Fault::Kind::budget, fmt::format("no end after {} instructions", w.issued));
        return false;
      }
    }
    return true;
  }

  Group& group_of(const Wave& w) { return groups[static_cast<size_t>(w.group->rank)]; }

  void end(Wave& w) {  // a named barrier has to be left by s_barrier_leave
    Workgroup& g = *w.group;
    if (options.checks.divergence && g.barriers[0].signaled)
      w.fail(Fault::Kind::divergence, fmt::format("ends while wave {} waits at the barrier at {:#x}",
                                                  g.barriers[0].first_wave, g.barriers[0].first_pc));
    leave(g, 0);
    if (--g.running == 0) leave(g, Workgroup::cluster_barrier);
  }

  void start(std::array<u32, 3> id, const Launched& l, u64 scratch) {
    cluster = {.size = l.cluster, .id = id, .groups = static_cast<int>(l.groups_per_cluster()), .barrier = {}};
    cluster.barrier.members = cluster.groups;
    groups.resize(l.groups_per_cluster());
    for (u32 i = 0; i < groups.size(); ++i) {
      Group& g = groups[i];
      start_workgroup(g.state, g.waves, g.registers, l, cluster,
                      {i % l.cluster[0], i / l.cluster[0] % l.cluster[1], i / l.cluster[0] / l.cluster[1]},
                      scratch + i * l.group_scratch);
      g.state.counts = &counts;
      if (program.multiplies) {
        g.deferred.resize(g.waves.size(), DeferredProducts(program));
        for (size_t n = 0; n < g.waves.size(); ++n) g.deferred[n].reset(), g.waves[n].deferred = &g.deferred[n];
      }
      g.state.observer = options.observers ? options.observers->workgroup(g.state.id) : nullptr;
    }
  }

  std::optional<Fault> run(std::array<u32, 3> id, const Launched& launched, u64 scratch) {
    const auto& c = launched.cluster;
    if (options.observers && !options.observers->workgroup({id[0] * c[0], id[1] * c[1], id[2] * c[2]})) return {};
    start(id, launched, scratch);
    if (options.seed) random.seed(options.seed + id[0] + (u64{id[1]} << 20) + (u64{id[2]} << 40));
    std::vector<Wave*> order;
    for (Group& g : groups)
      for (Wave& w : g.waves) order.push_back(&w);
    repetition.begin();
    for (bool running = true; running;) {
      running = false;
      const Wave* first = nullptr;  // the first wave that has not ended
      if (options.seed) std::shuffle(order.begin(), order.end(), random);
      for (Wave* w : order) {
        if (w->ended) continue;
        if (options.late) next_turn(*w);
        if (held(*w)) continue;
        running = true;
        if (!advance(*w)) return fault(*w);
        if (!first && !w->ended) first = w;
      }
      if (first && repeats && repetition.round(first, vector_rows(), *first->group->memory, [&] { return state(); }))
        return stands_still(first->group->rank, first->number);
    }
    for (Group& g : groups)
      for (Wave& w : g.waves) {
        if (w.ended) continue;
        const Barrier& b = barrier_of(g.state, w.waiting);
        const bool clusters = w.waiting == Workgroup::cluster_barrier;
        w.fail(Fault::Kind::deadlock,
               fmt::format("waits at {}, where {} of {} {} have signaled and no other wave can run",
                           clusters ? "the cluster's barrier" : fmt::format("barrier {}", w.waiting), b.signaled,
                           b.members, clusters ? "workgroups" : "waves"));
        return fault(w);
      }
    for (const Group& g : groups)
      for (const Wave& w : g.waves) counts.instructions += w.issued;
    for (Group& g : groups)
      if (const auto* s = g.state.races.suspect())
        return fault(g.state, unordered_read(*s), s->wave, static_cast<u32>(std::max(s->step, 0)));
    return {};
  }

  size_t vector_rows() const { return static_cast<size_t>(std::max(512, kernel.vgprs)); }
  // A hash of all state that decides what the waves do, except memory.
  u64 state() {
    u64 h = 0;
    for (Group& g : groups) {
      h = hash(h, g.state);
      for (Wave& w : g.waves) {
        if (w.deferred) w.deferred->settle(w);
        h = hash(h, w, vector_rows());
      }
    }
    return h;
  }
  Fault stands_still(int group, int wave) {
    Wave& w = groups[static_cast<size_t>(group)].waves[static_cast<size_t>(wave)];
    w.fail(Fault::Kind::deadlock, fmt::format("repeats endlessly: after {} instructions all waves of the running "
                                              "workgroups repeat an earlier state, and "
                                              "memory does not change",
                                              w.issued));
    return fault(w);
  }

  Fault fault(const Wave& w) const { return fault(*w.group, *w.problem, w.number, w.at); }
  Fault fault(const Workgroup& group, const Problem& p, int wave, int step) const {
    const Step& st = program.steps[static_cast<size_t>(step)];
    Fault f;
    f.kind = p.kind, f.kernel = kernel.name, f.pc = st.pc, f.text = st.text, f.workgroup = group.id;
    f.wave = wave, f.lane = p.lane, f.address = p.address, f.why = p.why;
    if (p.origin >= 0) {
      const Step& o = program.steps[static_cast<size_t>(p.origin)];
      f.why += fmt::format(", at {:#x} '{}'", o.pc, o.text);
    }
    return f;
  }
};

}  // namespace

std::string register_name(const Wave& w, int joint) { return isa::print(isa::register_of(joint, w.arch)); }

void signal(Wave& w, int barrier, u64 pc) {
  Workgroup& g = *w.group;
  Barrier& b = barrier_of(g, barrier);
  arrive(w);
  if (barrier == 0 && g.options->checks.divergence) check_divergence(w, b, pc);
  if (w.problem) return;
  if (barrier == 0) g.races.signal(w.number);
  else if (g.races.enabled())
    g.races.signal_named(w.number, barrier == Workgroup::cluster_barrier ? cluster_clock(g, b.phase) : b.arrived);
  if (const auto* s = g.races.suspect(); s && barrier != Workgroup::cluster_barrier && b.signaled + 1 >= b.members) {
    w.problem = unordered_read(*s);
    if (s->step >= 0) w.at = s->step;
    return;
  }
  if (b.signaled++ == 0) b.first_wave = w.number, b.first_pc = pc;
  complete_if_full(g, barrier);
}

void wait(Wave& w, int barrier) { w.waiting = barrier; }

bool leave(Workgroup& g, int barrier) {
  Barrier& b = barrier_of(g, barrier);
  --b.members;
  complete_if_full(g, barrier);
  return b.members == 0;
}

std::span<const Semantics> wait_semantics() { return waits; }

void follow(Wave& w, Pending p) {
  w.async.issue(std::move(p), w.arch, [&](const Pending& done) { complete(w, done); });
}

const char* name(Fault::Kind k) {
  switch (k) {
    case Fault::Kind::undefined_read: return "undefined read";
    case Fault::Kind::in_flight: return "register in flight";
    case Fault::Kind::out_of_bounds: return "out of bounds";
    case Fault::Kind::misaligned: return "misaligned";
    case Fault::Kind::unknown_instruction: return "unknown instruction";
    case Fault::Kind::illegal: return "illegal";
    case Fault::Kind::hazard: return "hazard";
    case Fault::Kind::race: return "LDS race";
    case Fault::Kind::deadlock: return "deadlock";
    case Fault::Kind::budget: return "instruction budget";
    case Fault::Kind::uninitialized: return "uninitialized read";
    case Fault::Kind::divergence: return "divergent barrier";
  }
  return "fault";
}

std::string Fault::message() const {
  std::string s = fmt::format("{}: {}: pc {:#x} '{}'{}{}, workgroup ({},{},{}), wave {}", kernel, name(kind), pc, text,
                              where.empty() ? "" : " at ", where, workgroup[0], workgroup[1], workgroup[2], wave);
  if (lane >= 0) s += fmt::format(", lane {}", lane);
  if (kind == Kind::out_of_bounds || kind == Kind::misaligned || kind == Kind::race || address)
    s += fmt::format(", address {:#x}", address);
  return s + ": " + why;
}

namespace {

// The outcome of a launch's workgroups, in grid order whatever order they ran in.
struct Findings {
  Result result;
  std::map<u64, Fault> faults;  // by cluster: the first Options::fault_limit
  u64 first_warning = ~u64{0};
  std::atomic<u64> stop;  // clusters from here on are not started
  std::mutex lock;

  void fault(u64 cluster, Fault f, unsigned limit) {
    const std::lock_guard hold(lock);
    faults.emplace(cluster, std::move(f));
    if (faults.size() > limit) faults.erase(std::prev(faults.end()));
    if (faults.size() == limit) stop = std::min(stop.load(), faults.rbegin()->first);
  }
  void warn(u64 cluster, const Runner& r) {
    const std::lock_guard hold(lock);
    for (const Runner::Group& g : r.groups) {
      result.warnings += g.state.warnings;
      if (g.state.warning && cluster < first_warning)
        first_warning = cluster,
        result.warning = r.fault(g.state, *g.state.warning, g.state.warning_wave, g.state.warning_step);
    }
  }
  void add(const Result& counts) {
    const std::lock_guard hold(lock);
    result.instructions += counts.instructions, result.mfma_flops += counts.mfma_flops;
    result.lds_accesses += counts.lds_accesses, result.lds_conflict_cycles += counts.lds_conflict_cycles;
  }
  // How far the workgroups after a fault got depends on the number of threads: they are not reported.
  Result finish() {
    if (faults.empty()) return std::move(result);
    Result r;
    if (first_warning <= faults.begin()->first) r.warning = std::move(result.warning), r.warnings = 1;
    for (auto& [cluster, f] : faults) r.faults.push_back(std::move(f));
    r.fault = r.faults.front();
    return r;
  }
};

}  // namespace

Result run(const CodeObject& object, const KernelInfo& kernel, Memory& memory, const Launch& launch,
           const Options& options) {
  check_launch(object, kernel, launch);  // before decoding, which trusts the kernel's descriptor
  DecodedKernel program = decode(object, kernel);
  if (options.observers) options.observers->decoded(program);
  return run(object, kernel, program, memory, launch, options);
}

Result run(const CodeObject& object, const KernelInfo& kernel, const DecodedKernel& program, Memory& memory,
           const Launch& launch, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  check_launch(object, kernel, launch);
  if (options.checks.uninitialized == Checks::Uninitialized::ignore) memory.define_all();
  const auto cluster = cluster_of(kernel, launch);
  const std::array<u32, 3> clusters{launch.grid[0] / cluster[0], launch.grid[1] / cluster[1],
                                    launch.grid[2] / cluster[2]};
  const u64 total = u64{clusters[0]} * clusters[1] * clusters[2];
  unsigned jobs =
      options.jobs > 0 ? static_cast<unsigned>(options.jobs) : std::max(1u, std::thread::hardware_concurrency());
  if (program.orders_workgroups) jobs = 1;  // the result may depend on the order of workgroups
  jobs = static_cast<unsigned>(std::min<u64>(jobs, total));

  const Launched launched = prepare(object, kernel, memory, launch, options, jobs);
  Findings found;
  found.stop = total;
  Standstill standstill(jobs);
  std::atomic<u64> next{0}, slot{0};
  const auto work = [&] {
    const u64 scratch = launched.scratch + slot++ * launched.group_scratch * launched.groups_per_cluster();
    Runner r{program,
             kernel,
             options,
             Repetition(standstill),
             {},
             {},
             {},
             HazardStates(isa::HazardTracker(launched.arch, kernel.wave_size)),
             {},
             {},
             isa::info(Opcode::s_setvskip).on(launched.arch) ? vskip : 0};
    for (u64 i; (i = next++) < found.stop.load();) {
      const std::array<u32, 3> id{static_cast<u32>(i % clusters[0]), static_cast<u32>(i / clusters[0] % clusters[1]),
                                  static_cast<u32>(i / clusters[0] / clusters[1])};
      auto f = r.run(id, launched, scratch);
      r.repetition.end();
      if (std::ranges::any_of(r.groups, [](const Runner::Group& g) { return g.state.warning.has_value(); }))
        found.warn(i, r);
      if (f) found.fault(i, std::move(*f), std::max(1u, options.fault_limit));
    }
    standstill.leave();
    found.add(r.counts);
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned j = 1; j < jobs; ++j) threads.emplace_back(work);
    work();
  }
  launched.release(memory);
  Result result = found.finish();
  const auto locate = [&](Fault& f) { f.where = object.where(f.pc); };
  std::ranges::for_each(result.faults, locate);
  if (result.fault) locate(*result.fault);
  if (result.warning) locate(*result.warning);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace wavesmith::sim
