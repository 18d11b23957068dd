// Wait counters as data: counters.def says which counters a target has, how to wait for them and what increments them.
// An event that completes out of order is covered by a wait for zero only; one that is merely unordered with another
// kind in the same counter is covered by the number of younger events of its own kind, because a counter at n leaves at
// most the n youngest of them in flight.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

enum class Order : uint8_t { any, ordered, other, counted, early };
constexpr bool tells_by_count(Order o) {
  return o != Order::any && o != Order::early;
}  // otherwise only a wait for zero covers it
constexpr bool lands_in_order(Order o) { return o == Order::ordered || o == Order::other || o == Order::early; }
struct CounterSpec {
  const char* name;
  int most;
};  // name nullptr: the target has no such counter
const CounterSpec& counter(WaitCounter, Arch);
const char* counter_source(Arch);  // the manual's section on them

struct CounterEvent {
  WaitCounter counter{};
  Order order{};
};
using CounterEvents = Few<CounterEvent, 3>;
// The counters that a row increments on a target, by its Counter column; a FLAT row without result counts as a store.
Counter counter_class(const Info&);
const CounterEvents& counter_events(Counter, Arch);
// Registers that a replay of the access (XNACK; the x counter) reads again: all that it reads, including EXEC
// (SIInsertWaitcnts of LLVM 22 protects every use of the instruction by X_CNT, "including VCC, TTMPs and EXEC") and M0
// (rocm-systems pull request 10202). None for the tensor data mover, which copies its descriptor (same source); none
// for cache control, which has no address.
Few<Operand, 20> replay_sources(const Inst&, Arch, int lanes = 0);  // lanes per wave; 0: the target's default
// Instructions that need earlier addresses to be translated (rocm-libraries pull request 10104; LLVM pull request
// 167605): an atomic operation, unless only atomic ones are outstanding (`others`), because a replay of its group would
// repeat it; a scalar prefetch; an endless sleep.
enum class Drains : uint8_t { nothing, others, all };
Drains drains_translations(const Inst&);
inline const CounterEvents& counter_events(const Info& row, Arch a) { return counter_events(counter_class(row), a); }

}  // namespace wavesmith::isa
