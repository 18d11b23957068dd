// Barriers: s_barrier, the split barrier of gfx12, named barriers and the cluster's (CDNA5 ISA 5.6). Workgroups of one
// wave have no barriers, and waves outside of a cluster no cluster barrier: there the instructions do nothing, as do
// the trap handler's barriers in a program.
#include "simulator/access.h"
#include "simulator/scalar.h"

namespace wavesmith::sim {
namespace {

constexpr int workgroup = -1, cluster = -3;

// The operand: a number, or M0 with the number in 4:0 and, if not 0, a member count in 22:16.
struct Named {
  int number;
  int members;
};
Named operand(const Wave& w, const Source& s) {
  if (s.from == Source::From::constant) return {static_cast<i32>(s.bits[0]), 0};
  const u32 m0 = w.s[sreg::m0];
  return {static_cast<int>(m0 & 31), static_cast<int>(m0 >> 16 & 127)};
}
bool grouped(const Wave& w) { return w.group->waves > 1; }
bool allocated(const Wave& w, int number) { return number > 0 && number <= w.group->kernel->named_barriers; }
int slot(int number) { return number == workgroup ? 0 : number == cluster ? Workgroup::cluster_barrier : number; }

// False: a NOP for this wave.
bool prepare(Wave& w, Named b) {
  if (b.number == cluster) return clustered(w);
  if (!grouped(w) || !(b.number == workgroup || allocated(w, b.number))) return false;
  if (b.members && b.number > 0) w.group->barriers[static_cast<size_t>(b.number)].members = b.members;
  return true;
}

void barrier(Wave& w, const Step& st) {
  if (!grouped(w)) return;
  signal(w, 0, st.pc);
  wait(w, 0);
}
void barrier_signal(Wave& w, const Step& st) {
  const Named b = operand(w, st.src[0]);
  if (prepare(w, b)) signal(w, slot(b.number), st.pc);
}
// SCC comes back like a scalar load's result.
void deliver_scc(Wave& w, const Step& st, bool value) {
  w.scc = value;
  issue(w, pending(st, scalar_base + sreg::scc, 1));
}
void barrier_signal_isfirst(Wave& w, const Step& st) {
  const Named b = operand(w, st.src[0]);
  if (b.number == cluster)
    return w.fail(Fault::Kind::illegal,
                  "signals the cluster's barrier with s_barrier_signal_isfirst; legal: s_barrier_signal");
  if (!prepare(w, b)) return deliver_scc(w, st, false);  // nothing to signal: not the first (RDNA4 ISA pseudocode)
  deliver_scc(w, st, barrier_of(*w.group, slot(b.number)).signaled == 0);
  w.scc_barrier = st.src[0].from == Source::From::constant ? static_cast<i8>(b.number) : i8{0};
  signal(w, slot(b.number), st.pc);
}
void barrier_wait(Wave& w,
                  const Step& st) {  // for named barriers the one that the wave has joined; the operand is ignored
  const int number = static_cast<i16>(st.src[0].bits[0]);
  if (number == w.scc_barrier) {  // its own signal has returned (LLVM 22: SIInsertWaitcnts)
    w.async.landed(scalar_base + sreg::scc);
    w.scc_barrier = 0;
  }
  if (number == cluster) {
    if (clustered(w)) wait(w, Workgroup::cluster_barrier);
    return;
  }
  if (!grouped(w) || (number < 0 && number != workgroup) || (number >= 0 && w.joined == 0)) return;
  wait(w, number == workgroup ? 0 : w.joined);
}
void barrier_init(Wave& w, const Step& st) {
  const Named b = operand(w, st.src[0]);
  if (b.number > 0 && prepare(w, b)) w.group->barriers[static_cast<size_t>(b.number)].signaled = 0;
}
void barrier_join(Wave& w, const Step& st) {
  const Named b = operand(w, st.src[0]);
  if (!grouped(w)) return;
  if (b.number == 0) w.joined = 0;
  if (!allocated(w, b.number)) return;
  w.joined = static_cast<u8>(b.number);
  w.seen_phase[w.joined] = w.group->barriers[w.joined].phase;  // completions count from now on
}
void barrier_leave(Wave& w, const Step& st) {
  const bool left = grouped(w) && allocated(w, w.joined);
  deliver_scc(w, st, left && leave(*w.group, w.joined));
  if (left) w.joined = 0;
}
void barrier_state(
    Wave& w,
    const Step& st) {  // {allocated / 4 27:24, signaled 22:16, members 10:4, valid 0}; comes back like a scalar load
  const Named b = operand(w, st.src[0]);
  const bool there = b.number == workgroup || allocated(w, b.number) || (b.number == cluster && clustered(w));
  const Barrier known = there ? barrier_of(*w.group, slot(b.number)) : Barrier{};
  const u32 x = static_cast<u32>(w.group->kernel->named_barriers / 4) << 24 | static_cast<u32>(known.signaled) << 16 |
                static_cast<u32>(known.members) << 4 | there;
  deliver(w, st, x, 1);
}
void nothing(Wave&, const Step&) {}  // s_wakeup_barrier ends a sleep early

constexpr Semantics rows[] = {
    {"s_barrier", barrier},
    {"s_barrier_signal", barrier_signal},
    {"s_barrier_signal_isfirst", barrier_signal_isfirst},
    {"s_barrier_wait", barrier_wait},
    {"s_barrier_init", barrier_init},
    {"s_barrier_join", barrier_join},
    {"s_barrier_leave", barrier_leave},
    {"s_get_barrier_state", barrier_state},
    {"s_wakeup_barrier", nothing},
};

}  // namespace

std::span<const Semantics> barrier_semantics() { return rows; }

}  // namespace wavesmith::sim
