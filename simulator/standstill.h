// Waves that poll memory. The workgroups of a host thread are a deterministic machine whose only input is memory: if
// they repeat a state, they wait for others. As long as the device has room, a further host thread then starts the next
// workgroups. If nothing is left to start, and they repeat themselves with unchanged memory and no other thread running
// in between, they do so forever: the launch never ends. States are compared by 64-bit hashes.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "simulator/wave.h"

namespace wavesmith::sim {

// A hash of `h` and the given bytes.
u64 hash(u64 h, const void* bytes, size_t count);
// Hashes of the wave, without memory and LDS, and of the workgroup's LDS and barriers.
u64 hash(u64 h, const Wave&, size_t registers);
u64 hash(u64 h, const Workgroup&);

// One per launch: host threads whose workgroups repeat themselves pause until the others do so too, or end; then each
// runs alone in turn.
class Standstill {
 public:
  // add(n): starts a thread besides n others, or says that there is nothing to start or no room for it.
  Standstill(unsigned threads, std::function<bool(unsigned)> add)
      : jobs_(threads), members_(threads), running_(threads), add_(std::move(add)) {}
  // The caller's workgroups have repeated themselves. True: they have paused while others ran, which it started if
  // there was something to start.
  bool yield();
  bool alone();  // is no other thread running?
  // The caller's workgroups have repeated themselves with this memory, `alone` or not. True: so have all others when
  // running alone: the launch never ends. False: it is the caller's turn again.
  bool rest(bool alone, u64 memory);
  void moved();                            // the caller's do not repeat themselves, or have ended: all continue
  bool waited() const { return waited_; }  // has any thread ever paused?
  void leave();                            // it has no more of them

 private:
  struct Pause {
    std::condition_variable turn;
    bool over = false;
  };
  void pause(std::unique_lock<std::mutex>&);
  void wake_one();
  void wake_all();
  std::mutex lock_;
  const unsigned jobs_;
  unsigned members_, running_, confirmed_ = 0;  // confirmed_: in a row, with memory_
  std::function<bool(unsigned)> add_;
  std::atomic<bool> waited_ = false;
  u64 memory_ = 0;
  std::deque<Pause*> paused_;  // in the order of their turns
};

// One per host thread: checks after each round of its waves, one turn of each.
class Repetition {
 public:
  explicit Repetition(Standstill& all) : all_(all) {}
  // A workgroup (a cluster) begins or ends.
  void begin() { rounds_ = period_ = 0, look_ = first_look, wave_ = nullptr; }
  void end() {
    if (all_.waited()) all_.moved();
  }
  // True: repeats forever. `state`: a hash of everything that decides what the waves will do; `first`: a running wave,
  // and its vector registers.
  template <class State>
  bool round(const Wave* first, size_t registers, const Memory& memory, State&& state) {
    ++rounds_;
    if (period_ && rounds_ - since_ > period_) give_up();
    if (rounds_ == look_) {
      if (period_) give_up();
      doubts_ = std::max<u64>(16, look_ / 128), look_ *= 2, since_ = rounds_;  // rare enough to cost little
      wave_ = first, at_ = first->at, scalars_ = scalars(*first), registers_ = sim::hash(0, *first, registers);
      state_ = state();
      return false;
    }
    if (first != wave_ || first->at != at_ || scalars(*first) != scalars_) return false;
    if (sim::hash(0, *first, registers) != registers_ || state() != state_) {
      if (--doubts_ == 0) give_up();
      return false;
    }
    if (!period_) {
      if (all_.yield()) return resume(), false;
      period_ = rounds_ - since_;
    } else if (hash(memory) != memory_) return give_up(), false;
    else if (all_.rest(alone_, memory_)) return true;
    since_ = rounds_, alone_ = all_.alone(), memory_ = hash(memory);
    return false;
  }

 private:
  static constexpr u64 first_look = 1 << 10;
  static u64 scalars(const Wave&);
  static u64 hash(const Memory&);
  void give_up() { all_.moved(), period_ = 0, wave_ = nullptr; }         // until the next check
  void resume() { look_ = rounds_ + 16, period_ = 0, wave_ = nullptr; }  // memory has changed
  Standstill& all_;
  u64 rounds_ = 0, look_ = first_look, since_ = 0, period_ = 0;
  const Wave* wave_ = nullptr;
  int at_ = 0;
  u64 doubts_ = 0, scalars_ = 0, registers_ = 0, state_ = 0, memory_ = 0;
  bool alone_ = false;
};

}  // namespace wavesmith::sim
