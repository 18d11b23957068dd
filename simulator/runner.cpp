// The turns of waves, one step after another, and what ends them.
#include "simulator/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/barriers.h"
#include "simulator/step_checks.h"
#include "simulator/undefined.h"
#include "simulator/vskip.h"

namespace wavesmith::sim {
namespace {

void fetch_ahead(const Step& st) {  // steps do not fit into the host's L1
  const Step* const soon = &st + 2;
  __builtin_prefetch(soon), __builtin_prefetch(soon->src);
}

}  // namespace

Step Runner::relative(const Wave& w, const Step& st) const {
  const u32 m0 = w.s[sreg::m0];
  const auto by = [&](int bit) { return m0 >> (12 + bit) & 1 ? static_cast<int>(m0 & 0xff) : 0; };
  return shifted(st, {{by(0), by(1), by(2)}, by(3)}, *w.group->target, kernel);
}

void Runner::resume(Wave& w) {  // the barrier it waited for has completed
  const Barrier& b = barrier_of(*w.group, w.waiting);
  if (w.waiting == 0) w.group->races.waited(w.number);
  else if (w.waiting < Workgroup::wave_sync)
    w.group->races.waited_named(
        w.number, w.waiting == Workgroup::cluster_barrier ? cluster_clock(*w.group, b.phase - 1) : b.completed);
  else if (isa::waits_of(program.steps[static_cast<size_t>(w.at)].inst, w.arch).lgkm !=
           0)  // silicon blocks at the wait
    w.fail(Fault::Kind::illegal,
           "follows ds_gws_barrier: when the wave continues is modelled if s_waitcnt lgkmcnt(0) does");
  w.seen_phase[static_cast<size_t>(w.waiting)] = b.phase;
  w.waiting = absent;
}

bool Runner::allowed(Wave& w, const Step& st) {
  const Checks& c = options.checks;
  if (c.in_flight && w.async.any_register && st.cold->touched.meets(w.async.in_flight) && !check_in_flight(w, st))
    return false;
  if (w.async.replays.any() && !check_replays(w, st)) return false;
  if (w.doubtful && !check_doubtful(w, st)) return false;
  if (c.undefined && !st.cold->reads.inside(w.written) && !check_written(w, st)) return false;
  if (c.hazards && !check_hazards(w, st, hazard_states)) return false;
  w.written_lanes = w.exec();
  return true;
}

bool Runner::step(Wave& w) {
  const Step& named = program.steps[static_cast<size_t>(w.at)];
  if ((w.mode_rest & may_skip) && named.row && is_skippable(*named.row)) return ++w.issued, w.next = named.next, true;
  const Step& st = w.indexed && named.row && named.row->is_vector() ? moved = relative(w, named) : named;
  ++w.issued;
  if (options.latency) land(w);
  if (!st.run) return w.fail(st.cold->refused, st.cold->refusal), false;
  if (watched && !allowed(w, st)) return false;
  w.next = st.next;
  fetch_ahead(st);
  const bool registers = st.concerns_matrices && w.deferred;
  if (registers && (st.settles || st.anywhere)) w.deferred->settle(w);
  const u32 issued = w.async.newest();
  const bool late = options.reorders() && st.row->counter != isa::Counter::none;
  if (late) before_operation(w, st);
  st.run(w, st);
  if (w.problem) return false;
  if (registers) st.anywhere ? w.deferred->written() : w.deferred->written(st);
  if (watched) {
    if (issued != w.async.newest() && w.group->races.doubtful() && !settle_doubts(w)) return false;
    if (options.replay && w.async.replays.any())
      for (const u32 again :
           w.async.replays.take_conflicts(st.cold->writes, replay_order(*st.row, w.arch) == isa::Order::ordered))
        replay(w, program.steps[again]);
    if (st.may_replay && w.group->replays && (options.checks.xcnt || options.replay) && issued != w.async.newest())
      w.async.hold(*replay_order(*st.row, w.arch), (st.row->implicit & isa::atomic) != 0, st.cold->replayed,
                   isa::counter(isa::WaitCounter::x, w.arch).most);
  }
  if (w.group->observer) w.group->observer->executed(w, st);
  if (watched) {
    if (options.checks.undefined) record_written(w, st);
    if (w.doubtful) spread_doubt(w, st);
    if (late) put_back(w, st, issued);
    if (options.reorders()) land(w);
    if (w.problem) return false;
  }
  if (w.jump != ~u64{0}) {
    w.next = program.find(DecodedKernel::place(w.jump - w.group->image, w.vgpr_msb));
    if (w.next == absent)
      return w.fail(Fault::Kind::illegal, fmt::format("jumps to {:#x}, which is not the start of a function", w.jump),
                    -1, w.jump),
             false;
    w.jump = ~u64{0};
  }
  if (watched && w.next != st.next)
    w.async.replays.drain();  // a taken branch waits for translations (LLVM pull requests 198823, 219206)
  return true;
}

int Runner::go_straight(Wave& w, int most) {
  Observer* const observer = w.group->observer;
  const Step* st = &program.steps[static_cast<size_t>(w.at)];
  int taken = 0;
  for (; taken < most && st->straight; ++taken, st = &program.steps[static_cast<size_t>(st->next)]) {
    if (st->idle) {
      const int count = std::min(static_cast<int>(st->idle), most - taken);
      if (observer) observer->passed(w, *st, count);
      st += count - 1, taken += count - 1;
      continue;
    }
    w.at = static_cast<int>(st->number);
    fetch_ahead(*st);
    const bool registers = st->concerns_matrices && w.deferred;
    if (registers && st->settles) w.deferred->settle(w);
    st->run(w, *st);
    if (w.problem) return w.issued += static_cast<u64>(taken) + 1, taken + 1;
    if (registers) w.deferred->written(*st);
    if (observer) observer->executed(w, *st);
    if (w.waiting != absent) {
      ++taken, st = &program.steps[static_cast<size_t>(st->next)];
      break;
    }
  }
  if (taken) w.at = static_cast<int>(st->number);
  return w.issued += static_cast<u64>(taken), taken;
}

bool Runner::advance(Wave& w) {
  const int most = std::max(1, options.quantum),
            quantum = options.seed ? 1 + static_cast<int>(random() % static_cast<u64>(most)) : most;
  for (int n = 0; n < quantum; ++n) {
    if (w.waiting != absent) {
      if (held(w)) break;
      resume(w);
      if (w.problem) return false;
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
    if (w.next == absent) return w.fail(Fault::Kind::illegal, "runs past the end of the code"), false;
    w.at = w.next;
    if (w.issued > options.max_instructions) {
      const auto& waves = group_of(w).waves;
      const auto waiting = std::find_if(waves.begin(), waves.end(), [&](const Wave& o) { return !o.ended && held(o); });
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

Runner::Group& Runner::group_of(const Wave& w) { return groups[static_cast<size_t>(w.group->rank)]; }

void Runner::end(Wave& w) {  // a named barrier has to be left by s_barrier_leave
  Workgroup& g = *w.group;
  if (options.checks.divergence && g.barriers[0].signaled)
    w.fail(Fault::Kind::divergence, fmt::format("ends while wave {} waits at the barrier at {:#x}",
                                                g.barriers[0].first_wave, g.barriers[0].first_pc));
  leave(g, 0);
  if (--g.running == 0) leave(g, Workgroup::cluster_barrier);
}

void Runner::start(std::array<u32, 3> id, const Launched& l, u64 scratch) {
  const auto count = static_cast<int>(l.groups_per_cluster());
  cluster = {.size = l.cluster,
             .id = id,
             .groups = count,
             .hardware = count > 1 && !l.launch->cooperative,
             .barrier = {},
             .wave_syncs = {}};
  cluster.barrier.members = cluster.groups;
  // The runtime initialises resource 0 for one wave a workgroup before the launch (ROCclr).
  if (l.launch->cooperative) {
    cluster.wave_syncs.resize(Workgroup::wave_sync_count);
    cluster.wave_syncs[0].members = cluster.groups;
  }
  groups.resize(l.groups_per_cluster());
  for (u32 i = 0; i < groups.size(); ++i) {
    Group& g = groups[i];
    start_workgroup(g.state, g.waves, g.registers, l, cluster,
                    {i % l.cluster[0], i / l.cluster[0] % l.cluster[1], i / l.cluster[0] / l.cluster[1]},
                    scratch + i * l.group_scratch);
    g.state.counts = &counts;
    g.state.races.atomic_loads = &program.atomic_loads;
    if (program.multiplies) {
      g.deferred.resize(g.waves.size(), DeferredProducts(program));
      for (size_t n = 0; n < g.waves.size(); ++n) g.deferred[n].reset(), g.waves[n].deferred = &g.deferred[n];
    }
    g.state.observer = options.observers ? options.observers->workgroup(g.state.id) : nullptr;
  }
}

std::optional<Fault> Runner::run(std::array<u32, 3> id, const Launched& launched, u64 scratch) {
  const auto& c = launched.cluster;
  if (options.observers && !options.observers->chosen() &&
      !options.observers->workgroup({id[0] * c[0], id[1] * c[1], id[2] * c[2]}))
    return {};
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
      if (options.reorders()) next_turn(*w);
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
                         clusters ? "the cluster's barrier"
                         : w.waiting >= Workgroup::wave_sync
                             ? fmt::format("the barrier of GWS resource {}", w.waiting - Workgroup::wave_sync)
                             : fmt::format("barrier {}", w.waiting),
                         b.signaled, b.members, clusters ? "workgroups" : "waves"));
      return fault(w);
    }
  for (const Group& g : groups)
    for (const Wave& w : g.waves) counts.instructions += w.issued;
  for (Group& g : groups)
    if (const auto* s = g.state.races.suspect())
      return fault(g.state, unordered_read(*s), s->wave, static_cast<u32>(std::max(s->step, 0)));
  return {};
}

size_t Runner::vector_rows() const { return static_cast<size_t>(std::max(512, kernel.vgprs)); }

u64 Runner::state() {
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

Fault Runner::stands_still(int group, int wave) {
  Wave& w = groups[static_cast<size_t>(group)].waves[static_cast<size_t>(wave)];
  stood_still = true;
  w.fail(Fault::Kind::deadlock, fmt::format("repeats endlessly: after {} instructions all waves of the running "
                                            "workgroups repeat an earlier state, and "
                                            "memory does not change",
                                            w.issued));
  return fault(w);
}

Fault Runner::fault(const Wave& w) const { return fault(*w.group, *w.problem, w.number, w.at); }

Fault Runner::fault(const Workgroup& group, const FaultReason& p, int wave, int step) const {
  const Step& st = program.steps[static_cast<size_t>(step)];
  Fault f;
  f.kind = p.kind, f.kernel = kernel.name, f.pc = st.pc, f.text = st.text(), f.workgroup = group.id;
  f.wave = wave, f.address = p.address, f.why = p.why;
  if (p.lane != absent) f.lane = p.lane;
  if (p.origin != absent) {
    const Step& o = program.steps[static_cast<size_t>(p.origin)];
    f.first_pc = o.pc, f.why += fmt::format(", at {:#x} '{}'", o.pc, o.text());
  }
  return f;
}

}  // namespace wavesmith::sim
