// Event-driven: a SIMD is served when one of its waves may issue. A wave waits (for operands, counters, units,
// barriers) until a clock that is known beforehand or set by another wave's issue, so nothing is polled.
#include "simulator/timing/unit.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <queue>

#include "simulator/timing/unit_state.h"

namespace wavesmith::timing {
namespace {

// The workgroups that no unit has yet, and when each ran.
struct GroupQueue {
  explicit GroupQueue(const std::vector<const GroupTrace*>& g)
      : groups(g), begun(g.size()), done(g.size()), issued(g.size()) {}
  const std::vector<const GroupTrace*>& groups;
  std::vector<u64> begun, done, issued;
  size_t next = 0;
};

class Simulation {
 public:
  Simulation(const UnitSetup& s, GroupQueue& queue)
      : setup_(s), t_(*s.t), list_(*s.list), queue_(queue), lds_(t_), scalar_(t_, s.share) {
    const isa::Target& target = isa::target(s.arch);
    simds_.assign(static_cast<size_t>(target.simds_per_cu),
                  Simd{0, 0, 0, 0, Queue(static_cast<size_t>(t_.matrix_queue)), {}});
    period_ = static_cast<u64>(t_.issue_period);
    for (int i = 0; i < static_cast<int>(t_.vmem_paths); ++i) paths_.emplace_back(t_, s.share);
    result_.steps.resize(list_.size());
    slots_.resize(static_cast<size_t>(std::max(1, s.slots)));
    delays();
  }

  void fill(size_t slot) { launch(slots_[slot], 0); }
  // Goes on until a slot is to have another workgroup, or to the end.
  void run() {
    while (ended_.empty()) {
      turning_ = &*std::ranges::min_element(simds_, {}, &Simd::next);
      if ((turned_ = turning_->next) >= never) return;
      turn(*turning_, static_cast<size_t>(turning_ - simds_.data()));
    }
  }
  bool to_refill() const { return !ended_.empty(); }
  u64 turned() const { return turned_; }  // the clock of the last turn
  void refill() {
    for (const auto& [slot, end] : ended_) launch(*slot, end);
    ended_.clear();
    turning_->next = std::max(turning_->next, now_ + period_);
  }
  UnitResult& result() { return result_; }
  u64 drained() const {
    u64 last = 0;
    for (const MemoryPath& p : paths_) last = std::max(last, p.drained());
    return last;
  }

 private:
  // Clocks from an instruction to one that reads its result, by producer and consumer.
  void delays() {
    const auto set = [&](Made m, double valu, double memory, double scalar, double branch, double matrix) {
      const double all[] = {valu, memory, scalar, branch, matrix};
      for (size_t r = 0; r < 5; ++r) delay_[static_cast<size_t>(m)][r] = static_cast<u64>(all[r]);
    };
    set(Made::valu, t_.valu_latency, t_.valu_to_memory, t_.valu_to_scalar, t_.valu_to_scalar, t_.valu_latency);
    set(Made::trans, t_.trans_latency, std::max(t_.trans_latency, t_.valu_to_memory), t_.valu_to_scalar,
        t_.valu_to_scalar, t_.trans_latency);
    set(Made::scalar, t_.salu_to_valu, t_.salu_to_salu, t_.salu_to_salu, t_.salu_to_branch, t_.salu_to_valu);
    settle_ = static_cast<u64>(t_.matrix_to_valu);
    set(Made::matrix, 0, 0, 0, 0, 0);  // the recorded clock already is when the result may be used
    set(Made::mask, t_.mask_to_valu, t_.valu_to_scalar, t_.valu_to_scalar, t_.valu_to_scalar, t_.valu_latency);
  }
  u64 slot_at(u64 t, size_t simd) const {     // the SIMD's first issue opportunity from t on
    return t + ((simd - t) & (period_ - 1));  // a power of two
  }

  void launch(Slot& s, u64 at) {
    const auto& groups = queue_.groups;
    for (; queue_.next < groups.size() && groups[queue_.next]->instructions() == 0; ++queue_.next)
      queue_.begun[queue_.next] = queue_.done[queue_.next] = at;
    if (queue_.next == groups.size()) {
      s.free = true;
      return;
    }
    const GroupTrace& g = *groups[queue_.next];
    s.group = queue_.next++, s.free = false, s.arrived = 0, s.phase = 0, s.running = static_cast<int>(g.waves.size());
    for (Simd& d : simds_)
      std::erase_if(d.waves, [&](const TimedWave* w) { return w->slot == static_cast<int>(&s - slots_.data()); });
    s.waves.assign(g.waves.size(), TimedWave{});
    at = std::max(at, next_start_), next_start_ = at + setup_.group_interval;
    queue_.begun[s.group] = at;
    const auto fewest = static_cast<size_t>(
        std::min_element(simds_.begin(), simds_.end(),
                         [](const Simd& a, const Simd& b) { return a.waves.size() < b.waves.size(); }) -
        simds_.begin());
    for (size_t i = 0; i < g.waves.size(); ++i) {
      TimedWave& w = s.waves[i];
      if (setup_.starts.empty()) at = dispatched_ = std::max(at, dispatched_ + static_cast<u64>(t_.wave_launch_clocks));
      w.trace = &g.waves[i], w.slot = static_cast<int>(&s - slots_.data()), w.number = static_cast<int>(i),
      w.age = age_++;
      w.apart = static_cast<u32>(s.group / slots_.size()) * 0x9e3779b1u;
      w.simd = static_cast<int>((fewest + i) % simds_.size());
      if (i < setup_.starts.size()) w.simd = 0, at = std::max(at, setup_.starts[i]);
      w.start = w.slot_end = w.free = w.bound = at, w.ended = w.trace->steps.empty();
      if (setup_.timeline)
        w.place = static_cast<u16>(result_.waves.size()),
        result_.waves.push_back({static_cast<u32>(s.group), w.number, w.simd, at, 0});
      Simd& d = simds_[static_cast<size_t>(w.simd)];
      d.waves.push_back(&w);
      d.next = std::min(d.next, at);
      fetch(w);
    }
  }

  void fetch(TimedWave& w) {  // the instruction it comes to next
    if (w.at >= w.trace->steps.size()) return;
    const Static& s = list_[w.step()];
    w.next = &s, w.known = false;
    w.fetched = 0;
    if (s.line == w.line || !setup_.cold_code) return;
    const bool follows = s.line == w.line + 1;
    w.line = s.line;
    if (s.line >= seen_.size()) seen_.resize(s.line + 64, 0);
    if (!seen_[s.line]) seen_[s.line] = w.free + static_cast<u64>(follows ? t_.icache_stream : t_.icache_miss);
    w.fetched = seen_[s.line];
  }

  u64 operands_ready(const TimedWave& w, const Static& s) const {
    u64 t = 0;
    const auto as_number = static_cast<u64>(s.reads_mask ? Made::mask : Made::valu);  // masks read as such or not
    for (const RegisterRange& r : s.reads)
      for (int k = r.first; k < r.first + r.count; ++k)
        if (const u64 m = w.made[static_cast<size_t>(k)]) {
          const u64 made = (m & 7) == static_cast<u64>(Made::mask) ? as_number : m & 7;
          t = std::max(t, (m >> 3) + delay_[made][static_cast<size_t>(s.reader)]);
        }
    for (const RegisterRange& r : s.accumulators)
      for (int k = r.first; k < r.first + r.count; ++k)
        if (const u64 m = w.made[static_cast<size_t>(k)])
          t = std::max(t, (m & 7) == static_cast<u64>(Made::matrix)
                              ? (m >> 3) - settle_
                              : (m >> 3) + delay_[m & 7][static_cast<size_t>(s.reader)]);
    return t;
  }

  // Whatever units are free. Until the wave issues it stays the same.
  IssueTime own_issue_time(const TimedWave& w, const Static& s) const {
    IssueTime c{w.free, w.held_by};
    const auto at_least = [&](u64 t, Stall why) {
      if (t > c.time) c = {t, why};
    };
    at_least(w.fetched, Stall::fetch);
    if (s.straddles && w.at) at_least(w.slot_end + static_cast<u64>(t_.straddle_clocks), Stall::fetch);
    if (s.unit != IssueUnit::matrix || t_.matrix_queue <= 1)
      at_least(w.operands, Stall::dependency);  // a queue accepts it before its operands are ready
    if (s.waits)
      for (int i = 0; i < isa::wait_counters; ++i)
        if (s.wait_for[i] != absent)
          at_least(w.counters[static_cast<size_t>(i)].at_most(static_cast<size_t>(s.wait_for[i])),
                   static_cast<Stall>(static_cast<int>(Stall::wait_vm) + i));
    for (int e = 0; e < s.events; ++e) {
      const auto i = static_cast<size_t>(s.event[static_cast<size_t>(e)].counter);
      at_least(w.counters[i].at_most(
                   static_cast<size_t>(isa::counter(s.event[static_cast<size_t>(e)].counter, setup_.arch).most - 1)),
               s.unit == IssueUnit::lds ? Stall::lds_queue : Stall::vmem_queue);
    }
    return c;
  }
  IssueTime issue_time(TimedWave& w, const Static& s, const Simd& d) {
    if (!w.known) w.known = true, w.operands = operands_ready(w, s), w.own = own_issue_time(w, s);
    IssueTime c = w.own;
    const auto at_least = [&](u64 t, Stall why) {
      if (t > c.time) c = {t, why};
    };
    switch (s.unit) {
      case IssueUnit::matrix:
        at_least(w.after_packed, Stall::matrix_busy);
        if (t_.matrix_queue > 1) {
          at_least(d.matrix_queue.free(), Stall::matrix_busy);
          break;
        }
        at_least(d.valu_free, Stall::valu_busy), at_least(d.matrix_free, Stall::matrix_busy);
        break;
      case IssueUnit::valu:
      case IssueUnit::trans:
        at_least(d.valu_free, Stall::valu_busy), at_least(s.packed ? d.matrix_free : d.shadow, Stall::matrix_busy);
        break;
      case IssueUnit::lds:
        if (const u64 free = lds_.free(port(w)); free > c.time) {
          at_least(free, Stall::lds_queue);
          if (free > now_) lds_.wait(port(w), side(w), now_);
        }
        break;
      case IssueUnit::vmem:
        if (!s.tensor) at_least(paths_[path(w)].free(), Stall::vmem_queue);
        break;
      default: break;
    }
    return c;
  }
  // Of `count` units, each for as many of the SIMDs, the wave's.
  size_t shared(const TimedWave& w, size_t count) const {
    const auto simd = static_cast<size_t>(w.simd);
    return t_.pairs_alternate != 0 ? simd % count : simd * count / simds_.size();
  }
  int port(const TimedWave& w) const { return static_cast<int>(shared(w, static_cast<size_t>(t_.lds_ports))); }
  size_t mover(const TimedWave& w) const { return shared(w, static_cast<size_t>(t_.data_movers)); }
  size_t path(const TimedWave& w) const { return shared(w, paths_.size()); }
  size_t side(const TimedWave& w) const {  // among the SIMDs of a port
    const auto simd = static_cast<size_t>(w.simd), ports = static_cast<size_t>(t_.lds_ports);
    return t_.pairs_alternate != 0 ? simd / ports : simd % std::max<size_t>(1, simds_.size() / ports);
  }

  // Each category takes one instruction per issue opportunity; internal ones as many as there are waves.
  static int category(IssueUnit u) {
    switch (u) {
      case IssueUnit::matrix:
      case IssueUnit::valu:
      case IssueUnit::trans: return 0;
      case IssueUnit::salu:
      case IssueUnit::smem: return 1;
      case IssueUnit::lds: return 2;
      case IssueUnit::vmem: return 3;
      case IssueUnit::branch: return 4;
      default: return absent;
    }
  }

  // Which of the waves that could issue to one category does: the least. Even where waves take turns, vector memory
  // serves the oldest first: otherwise all waves of a streaming launch would end at once and leave memory idle. The
  // order of waves of different categories does not matter.
  struct Ready {
    u64 rank, age;
    TimedWave* wave;
    bool operator<(const Ready& o) const { return rank != o.rank ? rank < o.rank : age < o.age; }
  };
  Ready ready(TimedWave& w) const {
    const bool memory = w.next->unit == IssueUnit::vmem, in_turn = !memory && t_.oldest_first == 0;
    return {static_cast<u64>(3 - w.priority) << 62 | u64{memory} << 61 | (in_turn ? w.slot_end : 0), w.age, &w};
  }

  void turn(Simd& d, size_t simd) {
    const u64 now = now_ = slot_at(d.next, simd);
    ready_.clear();
    for (TimedWave* w : d.waves)
      if (!w->ended && !w->at_barrier && w->bound <= now) ready_.push_back(ready(*w));
    if (ready_.size() > 1) std::sort(ready_.begin(), ready_.end());
    unsigned taken = 0;
    for (const Ready& r : ready_) {
      TimedWave* const w = r.wave;
      const Static& s = *w->next;
      const IssueTime c = issue_time(*w, s, d);
      if (c.time > now) {
        w->bound = c.time;
        continue;
      }
      const int k = category(s.unit);
      if (k != absent && taken >> k & 1) {
        w->bound = now + period_;
        continue;
      }
      if (s.unit == IssueUnit::lds) {
        if (lds_.other_first(port(*w), side(*w))) {
          w->bound = now + period_;
          continue;
        }
        lds_.took(port(*w), side(*w));
      }
      if (k != absent) taken |= 1u << k;
      issue(*w, s, d, now, c);
    }
    u64 next = never;
    for (const TimedWave* w : d.waves)
      if (!w->ended && !w->at_barrier) next = std::min(next, w->bound);
    d.next = next >= never ? never : std::max(next, now + period_);
  }

  void account(TimedWave& w, const Static& s, u64 now, const IssueTime& c) {
    StepStats& stats = result_.steps[w.step()];
    ++stats.issued, ++result_.instructions;
    const u64 reason_until = std::min(now, c.time + period_ - 1), gap = now - std::min(now, w.slot_end);
    const u64 by_reason = std::min(gap, reason_until > w.slot_end ? reason_until - w.slot_end : 0);
    stats.stalled[static_cast<size_t>(c.why)] += by_reason;
    stats.stalled[static_cast<size_t>(Stall::arbitration)] += gap - by_reason;
    if (!setup_.timeline || result_.events.size() + 2 > setup_.most_events) return;
    if (gap)
      result_.events.push_back(
          {w.slot_end, now, w.step(), w.place, s.unit, true, gap - by_reason > by_reason ? Stall::arbitration : c.why});
    result_.events.push_back({now, now + static_cast<u64>(std::max(s.busy, static_cast<int>(t_.wave_interval))),
                              w.step(), w.place, s.unit, false, Stall::nop});
  }

  void issue(TimedWave& w, const Static& s, Simd& d, u64 now, const IssueTime& c) {
    account(w, s, now, c);
    if (static_cast<int>(w.step()) == setup_.head && w.number == 0 && slots_[static_cast<size_t>(w.slot)].group == 0)
      result_.heads.push_back(now);
    w.slot_end = now + static_cast<u64>(t_.wave_interval);
    w.free = w.slot_end, w.held_by = Stall::nop;
    if (s.pause) w.free = std::max(w.free, now + static_cast<u64>(s.pause));
    if (s.priority != absent) w.priority = s.priority;
    u64 made = now + static_cast<u64>(s.late);
    switch (s.unit) {
      case IssueUnit::matrix:
        made = matrix(w, s, d, now);
        // A full queue blocks the wave: its last instruction waits for the queue, and nothing after it issues (sqtt
        // gfx1200: 8 at once, then 20, 8, 16 clocks).
        if (t_.matrix_queue > 1 && d.matrix_queue.free() > w.free)
          w.free = d.matrix_queue.free(), w.held_by = Stall::matrix_busy;
        break;
      case IssueUnit::valu:
      case IssueUnit::trans:
        d.valu_free = now + static_cast<u64>(s.busy);
        result_.valu_clocks += static_cast<u64>(s.busy);
        if (s.packed) w.after_packed = d.valu_free + static_cast<u64>(t_.matrix_after_packed);
        break;
      case IssueUnit::lds:
      case IssueUnit::vmem:
      case IssueUnit::smem: memory(w, s, now); break;
      default: break;
    }
    if (s.made != Made::nothing || s.unit == IssueUnit::salu)
      for (const RegisterRange& r : s.writes)
        for (int k = r.first; k < r.first + r.count; ++k)
          w.made[static_cast<size_t>(k)] =
              made << 3 | static_cast<u64>(s.makes_mask && k >= isa::scalar_base ? Made::mask : s.made);
    if (s.signal || s.wait) barrier(w, s, now);
    advance(w, s, now);
  }

  u64 matrix(const TimedWave& w, const Static& s, Simd& d, u64 now) {
    const u64 start =
        t_.matrix_queue > 1 ? std::max({now, w.operands, d.matrix_free, s.matrix_on_valu ? d.valu_free : 0}) : now;
    d.matrix_free = start + static_cast<u64>(s.busy);
    d.shadow = start + static_cast<u64>(s.shadow);
    if (s.matrix_on_valu) d.valu_free = d.matrix_free;
    d.matrix_queue.put(start);
    result_.matrix_clocks += static_cast<u64>(s.busy);
    return d.matrix_free + settle_;
  }

  void memory(TimedWave& w, const Static& s, u64 now) {
    u64 done = now, translated = now;
    if (s.data) {
      const u32 word = w.trace->data[w.data], sectors = word >> 16;
      const u32* first = &w.trace->data[w.data] + 1;
      const u8* levels = w.trace->level.empty() ? nullptr : &w.trace->level[w.data] + 1;
      w.data += sectors + 1;
      result_.steps[w.step()].conflicts += conflicts_of(word);
      if (s.unit == IssueUnit::lds)
        done = lds_.access(s, port(w), partition_in(word), now, conflicts_of(word), setup_.wave_size, result_.traffic);
      else {
        MemoryPath& vector = paths_[path(w)];
        const MemoryPath::Touched touched{first, levels, sectors, w.apart, receivers_of(word)};
        const MemoryPath::Passed passed = s.unit == IssueUnit::smem ? scalar_.access(now, first, levels, sectors)
                                          : s.tensor
                                              ? vector.move(s, mover(w), now, touched, result_.traffic)
                                              : vector.access(s, now, touched, setup_.wave_size, result_.traffic);
        translated = passed.translated, done = passed.complete;
      }
      if (s.tensor) lds_.move(u64{sectors} * sector_bytes, result_.traffic);
      else if (s.to_lds)
        lds_.fill(port(w), now, static_cast<u64>(s.bytes) * static_cast<u64>(setup_.wave_size), result_.traffic);
    }
    for (int e = 0; e < s.events; ++e) {
      const isa::WaitCounter counter = s.event[static_cast<size_t>(e)].counter;
      w.counters[static_cast<size_t>(counter)].put(counter == isa::WaitCounter::x ? translated : done);
    }
  }

  void barrier(TimedWave& w, const Static& s, u64 now) {
    Slot& g = slots_[static_cast<size_t>(w.slot)];
    if (s.signal) ++g.arrived, w.signaled = g.phase;
    w.at_barrier = s.wait;
    release(g, now);
    if (w.at_barrier && g.phase != w.signaled) w.at_barrier = false;  // completed before the wave reached its wait
  }
  void release(Slot& g, u64 now) {
    if (g.running == 0 || g.arrived < g.running) return;
    ++g.phase;
    g.arrived = 0;
    for (TimedWave& w : g.waves) {
      if (!w.at_barrier) continue;
      w.at_barrier = false;
      w.free = std::max(w.free, now + static_cast<u64>(t_.barrier_clocks)), w.held_by = Stall::barrier;
      w.bound = w.free;
      Simd& d = simds_[static_cast<size_t>(w.simd)];
      d.next = std::min(d.next, w.free);
    }
  }

  void advance(TimedWave& w, const Static& s, u64 now) {
    const u32 before = w.step();
    if (++w.at >= w.trace->steps.size()) return finish(w, now);
    if (s.branch && static_cast<int>(w.step()) != setup_.program->steps[before].next) {
      w.free = std::max(w.free, now + static_cast<u64>(t_.branch_clocks)), w.held_by = Stall::branch;
      w.line = list_[w.step()].line - 1;
    }
    fetch(w);
    w.bound = w.free;
  }

  void finish(TimedWave& w, u64 now) {
    w.ended = true;
    Slot& g = slots_[static_cast<size_t>(w.slot)];
    u64 end = now + static_cast<u64>(t_.wave_interval);
    if (setup_.timeline) result_.waves[w.place].end = end;
    queue_.done[g.group] = std::max(queue_.done[g.group], end), queue_.issued[g.group] = result_.instructions;
    if (--g.running) return release(g, now);
    ended_.emplace_back(&g, end);
  }

  const UnitSetup& setup_;
  const isa::Timing& t_;
  const std::vector<Static>& list_;
  GroupQueue& queue_;
  std::vector<Simd> simds_;
  std::vector<Slot> slots_;
  Lds lds_;
  std::vector<MemoryPath> paths_;
  ScalarCache scalar_;
  std::vector<u64> seen_;  // by instruction cache line: when it arrives
  std::array<std::array<u64, 5>, 6> delay_{};
  std::vector<Ready> ready_;
  std::vector<std::pair<Slot*, u64>> ended_;  // slots whose workgroup ended in the last turn, and when
  Simd* turning_ = nullptr;                   // of the last turn
  u64 turned_ = 0, now_ = 0;                  // when it was due, and when it was
  u64 period_ = 4, age_ = 0, dispatched_ = 0, next_start_ = 0,
      settle_ = 0;  // settle: from the end of a matrix instruction to its result
  UnitResult result_;
};

}  // namespace

UnitResult& UnitResult::operator+=(const UnitResult& r) {
  cycles = std::max(cycles, r.cycles), drained = std::max(drained, r.drained);
  instructions += r.instructions, matrix_clocks += r.matrix_clocks, valu_clocks += r.valu_clocks, flops += r.flops;
  traffic += r.traffic;
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].issued += r.steps[i].issued, steps[i].conflicts += r.steps[i].conflicts;
    for (size_t k = 0; k < stalls; ++k) steps[i].stalled[k] += r.steps[i].stalled[k];
  }
  return *this;
}

UnitResult simulate(const UnitSetup& s, const std::vector<const GroupTrace*>& groups, size_t units) {
  GroupQueue queue(groups);
  std::deque<Simulation> all;
  for (size_t i = 0; i < units; ++i) all.emplace_back(s, queue);
  for (size_t slot = 0; slot < static_cast<size_t>(std::max(1, s.slots)); ++slot)
    for (Simulation& u : all) u.fill(slot);
  // Units share nothing but the workgroups that are left: each goes on by itself until it takes one. The earliest takes
  // the next.
  using Taker = std::pair<u64, size_t>;  // clock, unit
  std::priority_queue<Taker, std::vector<Taker>, std::greater<>> takers;
  const auto go_on = [&](size_t i) {
    all[i].run();
    if (all[i].to_refill()) takers.emplace(all[i].turned(), i);
  };
  for (size_t i = 0; i < units; ++i) go_on(i);
  while (!takers.empty()) {
    const size_t i = takers.top().second;
    takers.pop();
    all[i].refill();
    go_on(i);
  }
  UnitResult r = std::move(all[0].result());
  for (size_t i = 1; i < units; ++i) r += all[i].result();
  r.begun = std::move(queue.begun), r.done = std::move(queue.done), r.issued = std::move(queue.issued);
  r.cycles = r.drained = std::ranges::max(r.done);
  for (const Simulation& u : all) r.drained = std::max(r.drained, u.drained());
  return r;
}

}  // namespace wavesmith::timing
