// Memory operations under way: which registers their results will land in, and which wait completes them. Order of completion is
// the weakest the hardware promises (CDNA3 ISA 4.4): vector memory and LDS each in order, scalar loads and flat in any order.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa_tables/inst.h"
#include "simulator/races.h"

namespace wavesmith::sim {

// Registers numbered together: VGPRs 0.., AGPRs 256.. (no target has both more than 256 VGPRs and AGPRs), scalars 1024...
inline constexpr int reg_words = 20, scalar_base = 1024;
using RegBits = std::array<uint64_t, reg_words>;

// The few registers of one instruction, as masks of RegBits words.
struct RegSet {
  struct Part { uint8_t word; uint64_t mask; };
  std::array<Part, 16> parts{};
  int count = 0;
  void add(int reg) {
    for (int i = 0; i < count; ++i)
      if (parts[i].word == reg / 64) { parts[i].mask |= uint64_t{1} << reg % 64; return; }
    parts[count++] = {static_cast<uint8_t>(reg / 64), uint64_t{1} << reg % 64};
  }
  bool meets(const RegBits& bits) const {
    for (int i = 0; i < count; ++i)
      if (bits[parts[i].word] & parts[i].mask) return true;
    return false;
  }
  bool inside(const RegBits& bits) const {
    for (int i = 0; i < count; ++i)
      if (parts[i].mask & ~bits[parts[i].word]) return false;
    return true;
  }
  template <class F> void each(F&& f) const {
    for (int i = 0; i < count; ++i)
      for (uint64_t m = parts[i].mask; m; m &= m - 1) f(parts[i].word * 64 + __builtin_ctzll(m));
  }
  // The first register in `bits` (or, with `outside`, the first not in it); -1: none.
  int first(const RegBits& bits, bool outside) const {
    for (int i = 0; i < count; ++i)
      if (const uint64_t m = parts[i].mask & (outside ? ~bits[parts[i].word] : bits[parts[i].word])) return parts[i].word * 64 + __builtin_ctzll(m);
    return -1;
  }
};

// Bytes of LDS an operation touches, kept while it is under way: it may still happen after a barrier it did not wait at.
struct LdsSpan { uint32_t address; uint16_t bytes; uint8_t lane; LdsUse use; };

struct Pending {
  enum class Class : uint8_t { vector, lds, scalar, flat, message };
  Class cls{};
  uint8_t weight = 1;                                      // of its counter
  uint16_t first = 0, count = 0;                           // result registers, together numbered
  uint32_t id = 0;
  uint64_t pc = 0;
  bool dma = false;                                        // loads LDS
  std::vector<LdsSpan> lds;
};

class Async {
 public:
  RegBits in_flight{};
  bool any_register = false;                               // a hint: false means in_flight is empty

  void clear() { *this = {}; }
  uint32_t outstanding(const std::deque<Pending>& q) const { uint32_t n = 0; for (const auto& p : q) n += p.weight; return n; }
  const std::deque<Pending>& vm() const { return vm_; }
  const std::deque<Pending>& lgkm() const { return lgkm_; }

  // `done` is called for each operation that the wait (or a full counter) completes.
  template <class Done> void issue(Pending p, Done&& done);
  template <class Done> void wait(const isa::Waits&, Done&& done);
  // What the register waits for, for messages; nullptr: nothing.
  const Pending* owner(int reg) const;

 private:
  template <class Done> void drain(std::deque<Pending>&, uint32_t left, Done&& done);
  void mark(const Pending&);
  void settle(const Pending&);
  std::deque<Pending> vm_, lgkm_;
  std::array<uint32_t, reg_words * 64> owner_{};
  uint32_t next_id_ = 1;
};

inline void Async::mark(const Pending& p) {
  for (int r = p.first; r < p.first + p.count; ++r) in_flight[r / 64] |= uint64_t{1} << r % 64, owner_[r] = p.id;
  any_register |= p.count != 0;
}

inline void Async::settle(const Pending& p) {
  for (const auto* q : {&vm_, &lgkm_})                     // flat: until both halves are done
    if (p.cls == Pending::Class::flat)
      for (const Pending& other : *q) if (other.id == p.id) return;
  for (int r = p.first; r < p.first + p.count; ++r)
    if (owner_[r] == p.id) in_flight[r / 64] &= ~(uint64_t{1} << r % 64);
  if (vm_.empty() && lgkm_.empty()) any_register = false;
}

template <class Done> void Async::drain(std::deque<Pending>& q, uint32_t left, Done&& done) {
  bool ordered = true;                                     // mixed classes complete in any order: only zero says anything
  for (const Pending& p : q) ordered &= p.cls == q.front().cls && p.cls != Pending::Class::scalar && p.cls != Pending::Class::flat;
  if (left != 0 && !ordered) return;
  uint32_t now = outstanding(q);
  while (now > left) {
    Pending p = std::move(q.front());
    q.pop_front();
    now -= p.weight;
    settle(p);
    done(p);
  }
}

template <class Done> void Async::issue(Pending p, Done&& done) {
  constexpr uint32_t vm_max = 63, lgkm_max = 15;           // a full counter holds the wave back until the oldest is done
  p.id = next_id_++;
  mark(p);
  const bool vm = p.cls == Pending::Class::vector || p.cls == Pending::Class::flat, lgkm = p.cls != Pending::Class::vector;
  if (vm) {
    if (outstanding(vm_) + p.weight > vm_max) drain(vm_, vm_max - p.weight, done);
    vm_.push_back(p);
  }
  if (lgkm) {
    if (outstanding(lgkm_) + p.weight > lgkm_max) drain(lgkm_, lgkm_max - p.weight, done);
    lgkm_.push_back(std::move(p));
  }
}

template <class Done> void Async::wait(const isa::Waits& w, Done&& done) {
  if (w.vm >= 0) drain(vm_, static_cast<uint32_t>(w.vm), done);
  if (w.lgkm >= 0) drain(lgkm_, static_cast<uint32_t>(w.lgkm), done);
}

inline const Pending* Async::owner(int reg) const {
  for (const auto* q : {&vm_, &lgkm_})
    for (const Pending& p : *q)
      if (p.id == owner_[reg]) return &p;
  return nullptr;
}

}  // namespace wavesmith::sim
