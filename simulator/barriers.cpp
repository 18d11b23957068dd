// A barrier completes when all its members have signaled; a wave that ends leaves it.
#include "simulator/barriers.h"

#include <fmt/format.h>

#include <utility>

#include "simulator/waits.h"

namespace wavesmith::sim {
namespace {

// Operations not waited for may happen after the barrier: they also count for the next interval.
void arrive(Wave& w) {
  Workgroup& g = *w.group;
  if (!g.races.enabled()) return;
  w.async.each([&](const Pending& p) {
    // The LDS counter says when the LDS part of a FLAT access is done. Compilers wait for that one alone in front of a
    // barrier (gfx90a to gfx950 without tgsplit: AMDGPUUsage, "Memory Model gfx942", release by a workgroup).
    if (is_flat(p.cls) && !w.async.waits_on(p, isa::WaitCounter::lgkm)) return;
    g.races.step = static_cast<int>(p.step);
    for (const LdsSpan& s : p.lds)
      if (const auto c = g.races.access(s.address, s.bytes, w.number, s.use, true))
        return w.fail(Fault::Kind::race,
                      fmt::format("arrives with the LDS access at {:#x} not waited for{}, which wave {} {}", p.pc,
                                  wait_hint(p.cls, w.arch), c->wave, c->wrote ? "writes" : "reads"),
                      s.lane, c->address, c->step);
  });
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

}  // namespace

Races::Clock& cluster_clock(Workgroup& g, u32 phase) {
  Barrier& own = g.barriers[Workgroup::cluster_barrier];
  return phase & 1 ? own.arrived : own.completed;
}

FaultReason unordered_read(const Races::Suspect& s) {
  return {Fault::Kind::race, absent, s.address,
          fmt::format("wave {} reads LDS that wave {} modifies atomically, with no barrier between and no atomic "
                      "operation of its own on it",
                      s.wave, s.other),
          s.other_step};
}

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
    if (s->step != absent) w.at = s->step;
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

}  // namespace wavesmith::sim
