#include "simulator/standstill.h"

#include <bit>

namespace wavesmith::sim {

bool Standstill::alone() {
  const std::lock_guard hold(lock_);
  return running_ == 1;
}

void Standstill::pause(std::unique_lock<std::mutex>& hold) {
  waited_ = true;
  Pause mine;
  paused_.push_back(&mine);
  if (--running_ == 0) wake_one();
  mine.turn.wait(hold, [&] { return mine.over; });
}
void Standstill::wake_one() {
  ++running_, paused_.front()->over = true;
  paused_.front()->turn.notify_one();
  paused_.pop_front();
}
void Standstill::wake_all() {
  confirmed_ = 0;
  while (!paused_.empty()) wake_one();
}

bool Standstill::yield() {
  std::unique_lock hold(lock_);
  if (running_ <= jobs_ && add_(members_)) ++members_, ++running_;
  else if (running_ == 1) return false;
  confirmed_ = 0;
  pause(hold);
  return true;
}

bool Standstill::rest(bool alone, u64 memory) {
  std::unique_lock hold(lock_);
  confirmed_ = !alone ? 0 : memory == memory_ ? confirmed_ + 1 : 1;
  memory_ = memory;
  if (confirmed_ >= members_) return true;
  pause(hold);
  return false;
}

void Standstill::moved() {
  const std::lock_guard hold(lock_);
  wake_all();
}
void Standstill::leave() {
  const std::lock_guard hold(lock_);
  --members_, --running_;
  wake_all();
}

u64 hash(u64 h, const void* bytes, size_t count) {
  const auto* p = static_cast<const u8*>(bytes);
  const auto add = [&](u64 x) { h = std::rotl((h ^ x) * 0x9e3779b97f4a7c15, 29); };
  for (; count >= 8; p += 8, count -= 8) {
    u64 x;
    std::memcpy(&x, p, 8);
    add(x);
  }
  u64 rest = 0;
  if (count) std::memcpy(&rest, p, count);
  add(rest);
  return h;
}

u64 Repetition::scalars(const Wave& w) { return sim::hash(0, w.s, sizeof w.s); }
u64 Repetition::hash(const Memory& m) {
  u64 h = 0;
  for (const Memory::Allocation& a : m.allocations()) h = sim::hash(h, a.bytes.get(), a.size);
  return h;
}

u64 hash(u64 h, const Wave& w, size_t registers) {
  const u64 rest[] = {
      static_cast<u64>(w.at), static_cast<u64>(w.waiting),
      u64{w.ended} | u64{w.scc} << 1 | u64{w.ieee} << 2 | u64{w.dx10_clamp} << 3 | u64{w.fp16_overflow} << 4 |
          u64{w.indexed} << 5,
      u64{w.joined} | u64{w.denorm_f32} << 8 | u64{w.denorm_f16} << 16 | u64{w.round} << 24 | u64{w.vgpr_msb} << 32,
      u64{w.mode_rest} | u64{w.sched_mode} << 32};
  h = hash(hash(hash(h, rest, sizeof rest), w.s, sizeof w.s), w.v, registers * Wave::lanes * sizeof *w.v);
  for (int b = 0; b < Workgroup::barrier_count; ++b) {  // has the wave seen the last completion?
    const u32 unseen = barrier_of(*w.group, b).phase - w.seen_phase[static_cast<size_t>(b)];
    h = hash(h, &unseen, sizeof unseen);
  }
  return h;
}
u64 hash(u64 h, const Workgroup& g) {
  h = hash(h, g.lds.data(), g.lds.size());
  for (int n = 0; n < Workgroup::barrier_count + static_cast<int>(g.cluster->wave_syncs.size()); ++n) {
    const Barrier& b = barrier_of(const_cast<Workgroup&>(g), n);
    const int counts[] = {b.members, b.signaled};
    h = hash(h, counts, sizeof counts);
  }
  return h;
}

}  // namespace wavesmith::sim
