// Memory operations in flight: the registers of their results, and the waits that complete them.
// isa_tables/counters.def states the counters that an operation increments and the order in which its kind completes.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa_tables/counters.h"
#include "isa_tables/reg_set.h"
#include "simulator/races.h"
#include "simulator/replays.h"

namespace wavesmith::sim {

using isa::RegBits, isa::RegSet, isa::reg_words, isa::scalar_base;

// LDS bytes that an operation accesses, kept while it is in flight: it may still execute after a barrier if there was
// no wait for it.
struct LdsSpan {
  uint32_t address;
  uint16_t bytes;
  uint8_t lane;
  LdsUse use;
  uint32_t dwords_end() const { return (address + bytes + 3) / 4; }
};

struct Pending {
  isa::Counter cls{};             // its counter class
  uint8_t weight = 1;             // in its counter
  uint16_t first = 0, count = 0;  // result registers, in joint numbering
  uint32_t id = 0;
  uint64_t pc = 0;
  uint32_t step = 0;
  bool dma = false;  // loads LDS
  std::vector<LdsSpan> lds;
};

class Async {
 public:
  RegBits in_flight{};
  bool any_register = false;  // a hint: false means in_flight is empty
  Replays replays;

  // `done` is called for each operation that the wait (or a full counter) completes.
  template <class Done>
  void issue(Pending p, isa::Arch, Done&& done);
  template <class Done>
  void wait(const isa::Waits&, Done&& done);
  // The operation that the register waits for, for messages; nullptr: none.
  const Pending* owner(int reg) const;
  void landed(int reg) { in_flight[reg / 64] &= ~(uint64_t{1} << reg % 64); }  // without its counter's saying so
  bool waits_on(const Pending&,
                isa::WaitCounter) const;        // the operation is in flight, and this counter still counts it
  uint32_t newest() const { return next_id_; }  // changes with every issue
  // The operation just issued would read these registers again in a replay.
  void hold(isa::Order order, bool atomic, const RegSet& sources, int most) {
    Slot& s = slots_[last_];
    if (s.counters) s.held = replays.hold(order, s.op.step, atomic, sources, most);
  }
  template <class F>
  void each(F&& f) const {
    for (const Slot& s : slots_)
      if (s.counters) f(s.op);
  }

 private:
  // An operation is done when every counter that it increments shows it.
  struct Slot {
    Pending op;
    int counters = 0;
    uint32_t held = 0;
  };  // held: in Replays; 0: not
  struct Event {
    uint32_t slot;
    isa::Order order;
    uint8_t weight;
    bool done;
  };
  struct Queue {
    std::vector<Event> events;
    uint32_t total = 0;
  };
  template <class Done>
  void drain(Queue&, uint32_t left, Done&& done);
  void settle(const Pending&);
  std::array<Queue, isa::wait_counters> queues_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::array<uint32_t, reg_words * 64> owner_;  // of registers in flight
  uint32_t next_id_ = 1, live_ = 0, last_ = 0;  // last_: the newest's slot
};

inline void Async::settle(const Pending& p) {
  for (int r = p.first; r < p.first + p.count; ++r)
    if (owner_[r] == p.id) in_flight[r / 64] &= ~(uint64_t{1} << r % 64);
  if (--live_ == 0) any_register = false;
}

// The kind of its address translation; none: not counted.
inline std::optional<isa::Order> replay_order(const isa::Info& row, isa::Arch arch) {
  for (const isa::CounterEvent& e : isa::counter_events(row, arch))
    if (e.counter == isa::WaitCounter::x) return e.order;
  return {};
}
inline bool is_flat(isa::Counter c) { return c == isa::Counter::flat || c == isa::Counter::flat_store; }

// With at most `left` events outstanding, an event of an in-order kind is done if more than `left` events of its kind
// were issued from it on. For an out-of-order kind only zero shows completion.
template <class Done>
void Async::drain(Queue& q, uint32_t left, Done&& done) {
  if (q.total <= left) return;
  std::array<uint32_t, 5> from_here{};
  for (size_t i = q.events.size(); i-- > 0;) {
    Event& e = q.events[i];
    uint32_t& n =
        from_here[static_cast<size_t>(e.order == isa::Order::counted ? isa::Order::ordered : e.order)];  // one sequence
    n += e.weight;
    e.done = left == 0 || (isa::tells_by_count(e.order) && n > left);
  }
  size_t kept = 0;
  for (const Event& e : q.events) {
    if (!e.done) {
      q.events[kept++] = e;
      continue;
    }
    q.total -= e.weight;
    Slot& s = slots_[e.slot];
    if (s.held && !(is_flat(s.op.cls) && &q == &queues_[static_cast<size_t>(isa::WaitCounter::lgkm)]))
      replays.translated(std::exchange(s.held, 0));  // FLAT: the LDS half says nothing
    if (--s.counters) continue;
    settle(s.op);
    done(static_cast<const Pending&>(s.op));
    free_.push_back(e.slot);
  }
  q.events.resize(kept);
}

template <class Done>
void Async::issue(Pending p, isa::Arch arch, Done&& done) {
  p.id = next_id_++;
  for (int r = p.first; r < p.first + p.count; ++r) in_flight[r / 64] |= uint64_t{1} << r % 64, owner_[r] = p.id;
  any_register |= p.count != 0;
  ++live_;
  if (free_.empty()) free_.push_back(static_cast<uint32_t>(slots_.size())), slots_.emplace_back();
  const uint32_t slot = free_.back();
  free_.pop_back();
  const isa::Counter cls = p.cls;
  const uint8_t weight = p.weight;
  slots_[slot].op = std::move(p), slots_[slot].held = 0;
  last_ = slot;
  for (const isa::CounterEvent& e : isa::counter_events(cls, arch)) {
    if (e.counter == isa::WaitCounter::x) continue;  // addresses translated: says nothing about results
    Queue& q = queues_[static_cast<size_t>(e.counter)];
    const uint32_t most = static_cast<uint32_t>(isa::counter(e.counter, arch).most);
    if (q.total + weight > most) drain(q, most - weight, done);  // a full counter stalls the wave
    q.events.push_back({slot, e.order, weight, false});
    q.total += weight;
    ++slots_[slot].counters;
  }
  if (slots_[slot].counters == 0) settle(slots_[slot].op), free_.push_back(slot);
}

template <class Done>
void Async::wait(const isa::Waits& w, Done&& done) {
  for (int c = 0; c < isa::wait_counters; ++c)
    if (w[c] != absent) drain(queues_[static_cast<size_t>(c)], static_cast<uint32_t>(w[c]), done);
  if (w.x != absent) replays.wait(static_cast<uint32_t>(w.x));
}

inline const Pending* Async::owner(int reg) const {
  for (const Slot& s : slots_)
    if (s.counters && s.op.id == owner_[static_cast<size_t>(reg)]) return &s.op;
  return nullptr;
}

inline bool Async::waits_on(const Pending& p, isa::WaitCounter c) const {
  const auto& events = queues_[static_cast<size_t>(c)].events;
  return std::any_of(events.begin(), events.end(), [&](const Event& e) { return slots_[e.slot].op.id == p.id; });
}

}  // namespace wavesmith::sim
