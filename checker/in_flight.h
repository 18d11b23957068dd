// Tracks which registers and LDS buffers outstanding memory operations own, instruction by instruction; shared by the
// wait insertion pass and the checker. Every in-order event of a stream (a counter, or one kind in it where kinds are
// not ordered with each other) gets a sequence number; a register (or LDS buffer) remembers the number of the event
// that will write it, so the number of younger events that may still be in flight is a subtraction, without aging.
// Out-of-order events (SMEM, FLAT) get no number: they never loosen the wait for an in-order one, because a counter
// that is at most k leaves at most k events of a stream in flight, the youngest, whatever else it counts. They require
// a wait for zero.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "isa_tables/counters.h"

namespace wavesmith::in_flight {

using isa::Counter;
using isa::File;
using isa::Inst;
using isa::Operand;
using isa::Order;
using isa::wait_counters;
inline constexpr int none = std::numeric_limits<int>::min() / 2;  // nothing in flight
inline constexpr int unordered = std::numeric_limits<int>::max() / 2;
inline constexpr int x =
    static_cast<int>(isa::WaitCounter::x);  // protects sources, not results: an overwrite waits, a read does not
inline constexpr int max_streams = 2 * wait_counters;

// Loads from memory into LDS except the tensor data mover's: `lds` buffer loads, loads whose row has no result,
// asynchronous loads.
inline bool loads_into_lds(const Inst& i) {
  const auto& row = i.info();
  return i.mods.has(isa::lds) || row.counter == Counter::async_load ||
         (row.counter == Counter::load && row.count() && row.operands[0].access == isa::Access::read);
}
// SCC comes back like a load's result (LLVM 22: SCC_WRITE of KMcnt).
inline bool writes_scc(const Inst& i) {
  return i.info().counter != Counter::none && (i.info().implicit & isa::scc_w) != 0;
}
// The barrier that a signal or a wait names by a constant; none: by M0.
inline int barrier_of(const Inst& i) {
  const Operand& o = i.operands[0];
  return i.info().count() && !o.is_reg() ? static_cast<int16_t>(o.bits) : none;
}
bool ends_wait(const Inst&, int barrier);  // a wait for this barrier

inline bool touches_lds(const Inst& i) {
  const Counter c = i.info().counter;
  return loads_into_lds(i) || c == Counter::lds || c == Counter::flat || c == Counter::async_load ||
         c == Counter::async_store || c == Counter::async_barrier || c == Counter::tensor;
}

// The streams of this program, and those that each class of instructions increments.
struct Streams {
  struct Move {
    int stream, counter;
    bool ordered, lands_in_order;
  };
  int count = 0;
  int counter_of[max_streams] = {}, first_of[wait_counters], most[wait_counters];
  isa::Few<Move, 3> moves[static_cast<int>(Counter::tensor) + 1];
  bool holds_sources = false;  // the target has an x counter that this program increments
  int x_stream = absent;       // of vector memory, whose addresses are translated in order

  // Memory instructions may be replayed (XNACK), so sources must be preserved until addresses are translated.
  // `grouped`: the hardware waits for this itself before any non-memory instruction (MODE.REPLAY_MODE 0).
  enum class Replays { none, grouped, any };
  explicit Streams(isa::Arch arch, Replays replays = Replays::any) : arch_(arch), replays_(replays) {
    std::ranges::fill(first_of, absent);
    for (auto& n : number_) n[0] = n[1] = absent;
    for (int c = 0; c < wait_counters; ++c) most[c] = isa::counter(static_cast<isa::WaitCounter>(c), arch).most;
  }
  // Call for every instruction of the program. Error: IsaError for a class without events on this target.
  void add(const Inst& i) {
    const Counter kind = isa::counter_class(i.info());
    if (kind == Counter::none || std::exchange(seen_[static_cast<int>(kind)], true)) return;
    const auto& events = isa::counter_events(kind, arch_);
    if (!events.size)
      throw isa::IsaError(fmt::format("{}: isa_tables/counters.def does not say which counter of {} it moves",
                                      i.info().mnemonic, isa::target(arch_).name));
    for (const auto& e : events) {
      const int c = static_cast<int>(e.counter);
      if (c == x && replays_ == Replays::none) continue;
      int& s = number_[c][e.order == Order::other];
      if (s == absent) counter_of[s = count++] = c;
      if (first_of[c] == absent) first_of[c] = s;
      moves[static_cast<int>(kind)].push_back({s, c, isa::tells_by_count(e.order), isa::lands_in_order(e.order)});
      holds_sources |= c == x;
      if (c == x && (e.order == Order::ordered || e.order == Order::counted)) x_stream = s;
    }
  }
  isa::Arch arch() const { return arch_; }
  bool grouped() const { return replays_ == Replays::grouped; }
  const auto& of(const Inst& i) const { return moves[static_cast<int>(isa::counter_class(i.info()))]; }

 private:
  isa::Arch arch_;
  Replays replays_;
  int number_[wait_counters][2];
  bool seen_[std::size(decltype(moves){})] = {};
};

// Slots of the registers of each file and of the LDS buffers in the flat arrays of a state.
struct SlotMap {
  int v = 0, a = 0, s = 0, lds = 0, size = 0;
  // Some load writes VCC, M0, EXEC or SCC, or a replay reads them: implicit accesses count.
  bool fixed_scalars = false;
  bool registers = true;  // otherwise only LDS buffers
  // The first of access_groups slots that stand for the sources of all vector and all scalar accesses: plain ones, then
  // atomic ones; absent: none.
  int groups = absent;
  static constexpr int access_groups = 4;
  int of(const Operand& o) const { return (o.file == File::v ? v : o.file == File::a ? a : s) + o.index; }
  // Of one LDS buffer, or of all LDS accesses.
  int lds_slot(std::optional<int> buffer) const { return lds + (buffer ? 1 + *buffer : 0); }
};

// What else releases a source: the completion of its operation. stream -1: several operations, so only x does.
struct Owner {
  int stream = absent, seq = none;
  bool operator==(const Owner&) const = default;
};

// What may be in flight, by slot; most slots have nothing. Only what `maybe` marks is initialised and copied. A slot is
// words in one array: for each stream the event that the slot waits for, or none; a bit for each stream: counted in
// order, but its data returns out of order; of sources, where there is an x counter, the owner.
struct InFlightSlots {
  std::vector<uint64_t> maybe;  // one bit per slot
  size_t slots, words;
  int streams;
  bool owned;
  std::unique_ptr<int[]> all;

  InFlightSlots(size_t size, int stream_count, bool owners)
      : maybe(size / 64 + 1),
        slots(size),
        words(static_cast<size_t>(stream_count) + (owners ? 3 : 1)),
        streams(stream_count),
        owned(owners),
        all(std::make_unique_for_overwrite<int[]>(size * words)) {}
  InFlightSlots(const InFlightSlots& o) : InFlightSlots(o.slots, o.streams, o.owned) { *this = o; }
  InFlightSlots(InFlightSlots&&) = default;
  InFlightSlots& operator=(InFlightSlots&&) = default;
  InFlightSlots& operator=(const InFlightSlots& o) {
    if (!all || slots != o.slots || streams != o.streams || owned != o.owned) return *this = InFlightSlots(o);
    maybe = o.maybe;
    each(maybe, [&](size_t slot) { std::copy_n(o.of(slot), words, of(slot)); });
    return *this;
  }
  // Both must be rebased: what is marked then is in flight.
  bool operator==(const InFlightSlots& o) const {
    bool same = maybe == o.maybe;
    if (same) each(maybe, [&](size_t slot) { same &= std::equal(of(slot), of(slot) + words, o.of(slot)); });
    return same;
  }
  int* of(size_t slot) { return all.get() + slot * words; }
  const int* of(size_t slot) const { return all.get() + slot * words; }
  int& loose(size_t slot) { return of(slot)[streams]; }
  int loose(size_t slot) const { return of(slot)[streams]; }
  Owner owner(size_t slot) const { return {of(slot)[streams + 1], of(slot)[streams + 2]}; }
  void own(size_t slot, Owner o) { of(slot)[streams + 1] = o.stream, of(slot)[streams + 2] = o.seq; }
  void mark(size_t slot) {
    uint64_t& word = maybe[slot >> 6];
    const uint64_t bit = uint64_t{1} << (slot & 63);
    if (word & bit) return;
    word |= bit;
    std::fill_n(of(slot), streams, none);
    loose(slot) = 0;
    if (owned) own(slot, {});
  }
  void forget(size_t slot) { maybe[slot >> 6] &= ~(uint64_t{1} << (slot & 63)); }
  // f(slot) for those that are marked.
  template <class F>
  static void each(const std::vector<uint64_t>& maybe, F&& f) {
    for (size_t w = 0; w < maybe.size(); ++w)
      for (uint64_t m = maybe[w]; m; m &= m - 1) f(w * 64 + static_cast<size_t>(std::countr_zero(m)));
  }
  template <class F>
  void each(F&& f) const {
    each(maybe, f);
  }
};

struct InFlightState {
  int head[max_streams] = {}, done[max_streams];  // newest event; all up to here have completed
  // By stream and age, newest first: the x event of an operation. Once the operation is complete, so is every x event
  // up to that one.
  using Translated = std::array<int, 64>;
  std::vector<Translated> translated;  // empty without an x counter
  bool out_of_order[wait_counters] = {};
  int scc_barrier = none;  // of the s_barrier_signal_isfirst whose SCC may be in flight
  InFlightSlots in;

  explicit InFlightState(const Streams& streams, int size)
      : in(static_cast<size_t>(size), streams.count, streams.holds_sources) {
    std::ranges::fill(done, none);
    if (!streams.holds_sources) return;
    translated.resize(streams.count);
    for (auto& t : translated) t.fill(none);
  }
  // Of a slot that is marked: the event of a stream that it waits for, or none.
  int& seq(int stream, size_t slot) { return in.of(slot)[stream]; }
  int seq(int stream, size_t slot) const { return in.of(slot)[stream]; }
  void forget(size_t slot) { in.forget(slot); }
  void mark(int stream, int slot, int value) {
    in.mark(static_cast<size_t>(slot));
    seq(stream, static_cast<size_t>(slot)) = value;
  }
  void mark_result(int stream, int slot, int value, bool lands_in_order) {
    mark(stream, slot, value);
    if (lands_in_order) in.loose(static_cast<size_t>(slot)) &= ~(1 << stream);
    else in.loose(static_cast<size_t>(slot)) |= 1 << stream;
  }
  bool is_loose(int stream, int slot) const { return in.loose(static_cast<size_t>(slot)) >> stream & 1; }
  void mark_source(const Streams& streams, int stream, int slot, int value, Owner o) {
    in.mark(static_cast<size_t>(slot));
    if (settled(in.owner(static_cast<size_t>(slot))))  // older uses are over, whatever their events say until rebase
      for (int s = 0; s < streams.count; ++s)
        if (streams.counter_of[s] == x) seq(s, slot) = none;
    for (int s = 0; s < streams.count; ++s)
      if (streams.counter_of[s] == x && s != stream && seq(s, slot) != none) o.stream = absent;
    if (seq(stream, slot) == unordered) return;  // an older out-of-order use still needs zero
    in.own(static_cast<size_t>(slot), o);
    mark(stream, slot, value);
  }
  void waited(const Streams& streams, int c, int n) {
    for (int s = 0; s < streams.count; ++s)
      if (streams.counter_of[s] == c) done[s] = std::max(done[s], head[s] - n);
    if (!translated.empty() && streams.x_stream != absent && n < static_cast<int>(std::tuple_size_v<Translated>))
      for (int s = 0; s < streams.count; ++s)
        if (streams.counter_of[s] == c) done[streams.x_stream] = std::max(done[streams.x_stream], translated[s][n]);
    if (n || !out_of_order[c]) return;
    out_of_order[c] = false;
    end_unordered(streams.first_of[c]);
    if (in.owned)
      in.each([&](size_t slot) {
        const Owner o = in.owner(slot);
        if (o.stream == streams.first_of[c] && o.seq == unordered) in.own(slot, {o.stream, none});
      });
  }
  // The barrier's wait is over only after its signal has returned (LLVM 22: SIInsertWaitcnts).
  void scc_landed(const Streams& streams, int slot) {
    if (std::exchange(scc_barrier, none) == none) return;
    for (int s = 0; s < streams.count; ++s) seq(s, static_cast<size_t>(slot)) = none;
  }
  // Scalar and vector memory are not translated concurrently: the hardware stalls one kind until the other is done
  // (LLVM pull requests 145688 and 160812).
  void translates(const Streams& streams, bool vector) {
    if (streams.x_stream == absent) return;
    if (!vector) done[streams.x_stream] = head[streams.x_stream];
    if (!vector || !out_of_order[x]) return;
    out_of_order[x] = false;
    end_unordered(streams.first_of[x]);
  }
  void end_unordered(int stream) {
    in.each([&](size_t slot) {
      if (int& s = seq(stream, slot); s == unordered) s = none;
    });
  }
  // A taken branch waits for all translations (LLVM pull requests 198823, 219206). Rebased, before and after.
  void jumps(const Streams& streams) {
    waited(streams, x, 0);
    rebase(streams);
  }
  bool settled(const Owner& o) const { return o.stream != absent && (o.seq == none || o.seq <= done[o.stream]); }
  // Sets head to zero and drops completed events, so `done` is not needed: otherwise it would decrease with every loop
  // iteration and no fixpoint would be reached.
  void rebase(const Streams& streams) {
    in.each([&](size_t i) {
      if (in.owned) {
        Owner o = in.owner(i);
        bool used = false;
        for (int s = 0; s < streams.count; ++s) {
          if (streams.counter_of[s] != x) continue;
          if (settled(o)) seq(s, i) = none;
          used |= seq(s, i) == unordered || seq(s, i) > done[s];
        }
        if (!used) o = {};
        else if (o.stream != absent && o.seq != unordered) o.seq -= head[o.stream];
        in.own(i, o);
      }
      bool flying = false;
      for (int c = 0; c < streams.count; ++c) {
        int& s = seq(c, i);
        if (s == unordered || s > done[c]) flying = true, s -= s == unordered ? 0 : head[c];
        else s = none, in.loose(i) &= ~(1 << c);
      }
      if (!flying) in.forget(i);
    });
    for (int c = 0; c < streams.count; ++c) done[c] = none;
    if (streams.x_stream != absent)
      for (auto& t : translated)
        for (int& e : t)
          e = e - head[streams.x_stream] < -streams.most[x]
                  ? none
                  : e - head[streams.x_stream];  // older than anything in flight; must not decrease endlessly
    for (int c = 0; c < streams.count; ++c) head[c] = 0;
  }
  // Both must be rebased: the youngest event gives the tightest wait. Returns whether anything changed.
  bool join(const InFlightState& o, const Streams& streams) {
    bool changed = false;
    const auto set = [&](auto& x, auto v) { changed |= x != v, x = v; };
    o.in.each([&](size_t i) {
      in.mark(i);
      const auto used = [&](const InFlightState& st) {
        for (int s = 0; s < streams.count; ++s)
          if (streams.counter_of[s] == x && st.seq(s, i) != none) return true;
        return false;
      };
      if (in.owned && used(o)) {
        Owner here = in.owner(i);
        const Owner there = o.in.owner(i);
        if (!used(*this)) set(here, there);
        else if (here.stream != there.stream) set(here, Owner{});
        else set(here.seq, std::max(here.seq, there.seq));
        in.own(i, here);
      }
      for (int c = 0; c < streams.count; ++c) set(seq(c, i), std::max(seq(c, i), o.seq(c, i)));
      set(in.loose(i), in.loose(i) | o.in.loose(i));
    });
    for (size_t c = 0; c < translated.size(); ++c)
      for (size_t k = 0; k < translated[c].size(); ++k)
        set(translated[c][k], std::min(translated[c][k], o.translated[c][k]));
    for (int c = 0; c < wait_counters; ++c) set(out_of_order[c], out_of_order[c] || o.out_of_order[c]);
    if (scc_barrier != o.scc_barrier) set(scc_barrier, none);
    return changed;
  }
  bool operator==(const InFlightState& o) const {
    return in == o.in && std::ranges::equal(out_of_order, o.out_of_order) && translated == o.translated &&
           scc_barrier == o.scc_barrier;
  }
};

struct Need {
  int8_t n[wait_counters] = {absent, absent, absent, absent, absent, absent, absent, absent, absent, absent};
  bool any = false;
  void add(int c, int count) {
    if (n[c] == absent || count < n[c]) n[c] = static_cast<int8_t>(count);
    any = true;
  }
};

// How an instruction accesses a tuple. An overwrite by a load of stream `ordered_with` needs no wait for older loads of
// that stream that return in order. An overwrite of protected sources by an operation of stream `translated` needs none
// either: its own address is translated after theirs.
struct Touch {
  bool writes = false;
  int ordered_with = absent, translated = absent;
};

// The effect of instructions on an InFlightState, and the waits that they require.
struct Scoreboard {
  const Streams& streams;
  const SlotMap& slots;
  bool full_stalls = false;  // an access is complete once as many others as its counter holds were issued after it
  int scc() const { return slots.s + isa::sreg::scc; }

  void slot(InFlightState& st, int i, Need& need, Touch touch = {}) const {
    const uint64_t mask = uint64_t{1} << (i & 63);
    if (!(st.in.maybe[i >> 6] & mask)) return;
    bool flying = false;
    for (int k = 0; k < streams.count; ++k) {
      const int s = st.seq(k, static_cast<size_t>(i)), c = streams.counter_of[k];
      if (s <= st.done[k]) continue;
      if (c == x && st.settled(st.in.owner(static_cast<size_t>(i)))) continue;
      if (full_stalls && c != x && s != unordered && st.head[k] - s >= streams.most[c]) continue;
      flying = true;
      if (c == x ? !touch.writes || (k == touch.translated && s != unordered)
                 : k == touch.ordered_with && !st.is_loose(k, i))
        continue;
      // A count at the counter's maximum waits for nothing. One less is correct whether or not issue stalls on a full
      // counter, as the simulator has it.
      need.add(c, s == unordered ? 0 : std::min(st.head[k] - s, streams.most[c] - 1));
    }
    if (!flying) st.forget(static_cast<size_t>(i));
  }
  void operand(InFlightState& st, const Operand& o, Need& need, Touch touch = {}) const {
    if (!o.is_reg()) return;
    const int first = slots.of(o), last = first + o.dwords - 1;
    if (first == last) {
      if (st.in.maybe[first >> 6] >> (first & 63) & 1) slot(st, first, need, touch);
      return;
    }
    for (int w = first >> 6; w <= last >> 6; ++w) {
      const int low = std::max(first, w << 6) & 63, high = std::min(last, (w << 6) + 63) & 63;
      const uint64_t tuple = (~uint64_t{0} >> (63 - high + low)) << low;
      for (uint64_t m = st.in.maybe[w] & tuple; m; m &= m - 1) slot(st, (w << 6) + std::countr_zero(m), need, touch);
    }
  }
  // How the instruction writes its result.
  Touch result_of(const Inst& inst) const {
    Touch t{true, absent, absent};
    if (inst.info().counter != Counter::none)
      for (const auto& m : streams.of(inst)) {
        if (m.counter == x && m.lands_in_order) t.translated = m.stream;
        if (m.counter != x)
          t.ordered_with = m.ordered && m.lands_in_order ? m.stream : absent;  // FLAT's last half, LDS, does not
      }
    return t;
  }
  // The hardware's own waits before it issues the instruction. Call first for each instruction.
  void arrive(InFlightState& st, const Inst& inst) const {
    if (st.scc_barrier != none && ends_wait(inst, st.scc_barrier)) st.scc_landed(streams, scc());
    if (!streams.holds_sources) return;
    bool translates = false;
    for (const auto& m : streams.of(inst))
      if (m.counter == x) st.translates(streams, m.ordered), translates = true;
    if (!translates && streams.grouped()) st.waited(streams, x, 0);
  }
  void operands(InFlightState& st, const Inst& inst, Need& need) const {
    if (inst.dual) return operands(st, isa::half(inst, 0), need), operands(st, isa::half(inst, 1), need);
    const auto& row = inst.info();
    const bool dma = inst.mods.has(isa::lds);  // the first operand is the address
    const Touch result = result_of(inst), whole{true, absent, result.translated};
    for (int k = 0; k < isa::max_operands && row.operands[k].kind != isa::Kind::none; ++k) {
      const auto access = isa::access(row, k, streams.arch());
      const bool written = access != isa::Access::read && !dma;
      const bool half =
          access == isa::Access::both &&
          !(row.implicit & isa::atomic);  // a load into half of a register: the other half may be in flight
      operand(st, isa::read_from(inst, k, streams.arch()), need,
              !written                               ? Touch{}
              : access == isa::Access::write || half ? result
                                                     : whole);
    }
  }
  void fixed(InFlightState& st, const Inst& i, Need& need) const {
    const auto& row = i.info();
    const auto pair = [&](int index, int n, uint32_t written = 0) {
      operand(st, isa::reg(File::s, index, n), need, {.writes = (row.implicit & written) != 0});
    };
    if (row.implicit & (isa::scc_r | isa::scc_w)) pair(isa::sreg::scc, 1);
    if (row.implicit & (isa::vcc_r | isa::vcc_w)) pair(isa::sreg::vcc, 2);
    if ((row.implicit & isa::m0_r) || i.mods.has(isa::lds)) pair(isa::sreg::m0, 1);
    if ((row.implicit & (isa::exec_r | isa::exec_w)) || row.is_vector() || row.unit == isa::Unit::lds ||
        row.unit == isa::Unit::vmem)
      pair(isa::sreg::exec, 2, isa::exec_w);
  }
  int group_of(const Inst& i) const {
    if (slots.groups == absent || !streams.holds_sources || !i.info().count())
      return absent;  // cache control has no address
    const bool scalar = i.info().format == isa::Format::smem;
    return slots.groups + 2 * ((i.info().implicit & isa::atomic) != 0) + scalar;
  }
  // Addresses that must be translated before the instruction.
  void translations(InFlightState& st, const Inst& inst, Need& need) const {
    if (slots.groups == absent || !streams.holds_sources) return;
    const isa::Drains drains = isa::drains_translations(inst);
    const int groups = drains == isa::Drains::all ? SlotMap::access_groups : drains == isa::Drains::others ? 2 : 0;
    for (int k = 0; k < groups; ++k) slot(st, slots.groups + k, need, {true});
  }
  template <class F>
  void each_result(const Inst& i, F&& f) const {
    for (int k = 0; k < isa::max_operands && i.info().operands[k].kind != isa::Kind::none; ++k)
      if (i.operands[k].is_reg() && isa::access(i.info(), k, streams.arch()) != isa::Access::read)
        each_slot(i.operands[k], f);
  }
  template <class F>
  void each_slot(const Operand& o, F&& f) const {
    for (int d = 0, first = slots.of(o); d < o.dwords; ++d) f(first + d);
  }
  // `buffer`: the LDS buffer it accesses, if known.
  void launch(InFlightState& st, const Inst& inst, std::optional<int> buffer = {}) const {
    const int group = group_of(inst);
    const bool dma = inst.mods.has(isa::lds), lds = touches_lds(inst), flat = inst.info().counter == Counter::flat;
    const auto other_half = [&](const Streams::Move& m) {
      return flat && m.counter == static_cast<int>(isa::WaitCounter::lgkm);
    };  // LDS: says nothing about addresses
    Owner owner;
    for (const auto& m : streams.of(inst)) {
      if (!m.ordered) st.out_of_order[m.counter] = true;
      const int stream = m.ordered ? m.stream : streams.first_of[m.counter];
      const int value = m.ordered ? ++st.head[m.stream] : unordered;
      if (m.stream == streams.x_stream && m.ordered)
        for (const auto& other : streams.of(inst)) {
          if (other.counter == x || !other.ordered || other_half(other)) continue;
          auto& t = st.translated[static_cast<size_t>(other.stream)];
          std::shift_right(t.begin(), t.end(), 1);
          t[0] = value;
        }
      if (m.counter == x) {  // the last of a class's rows: `owner` is known
        const auto hold = [&](int i) { st.mark_source(streams, stream, i, value, owner); };
        if (slots.registers)
          for (const Operand& o : isa::replay_sources(inst, streams.arch())) each_slot(o, hold);
        if (group != absent) st.mark_source(streams, stream, group, value, owner);
        continue;
      }
      if (!other_half(m)) owner = {stream, value};
      if (!dma && slots.registers)
        each_result(inst, [&](int i) { st.mark_result(stream, i, value, m.lands_in_order); });
      if (writes_scc(inst) && slots.registers) {
        st.mark_result(stream, scc(), value, m.lands_in_order);
        st.scc_barrier = barrier_of(inst);
      }
      if (!lds || (flat && !other_half(m))) continue;  // FLAT reaches LDS through lgkmcnt
      const auto newest = [&](int i) {
        st.in.mark(static_cast<size_t>(i));
        if (st.seq(stream, static_cast<size_t>(i)) != unordered) st.mark(stream, i, value);
      };  // an older out-of-order access still needs zero
      newest(slots.lds_slot({}));
      if (buffer) newest(slots.lds_slot(buffer));
    }
  }
  void settle(InFlightState& st, const Need& need) const {
    for (int c = 0; c < wait_counters; ++c)
      if (need.n[c] != absent) st.waited(streams, c, need.n[c]);
  }
};

}  // namespace wavesmith::in_flight
