// gfx1250: memory accesses whose addresses may not be translated yet (XCNT). If the translation fails temporarily
// (XNACK), the access is issued again and reads its source registers a second time; overwriting them earlier changes
// its effect. CDNA5 ISA 5.7.1, S_WAIT_XCNT; the hardware's own stalls: LLVM pull requests 145688, 160812, 198823 (its
// barriers and messages are not modelled), and rocm-libraries pull request 10104.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "isa_tables/counters.h"
#include "isa_tables/reg_set.h"

namespace wavesmith::sim {

class Replays {
 public:
  struct Held {
    uint32_t id;
    isa::Order order;
    uint32_t step;
    bool atomic;
    isa::RegSet sources;
  };
  bool any() const { return !held_.empty(); }
  // Returns a number for Replays::translated. `most`: the counter's maximum; a full counter stalls the wave.
  uint32_t hold(isa::Order order, uint32_t step, bool atomic, const isa::RegSet& sources, int most) {
    if (held_.size() >= static_cast<size_t>(most)) wait(static_cast<uint32_t>(most) - 1);
    held_.push_back({++newest_, order, step, atomic, sources});
    return newest_;
  }
  // The access is complete, and so are the translations of earlier ones in its sequence.
  void translated(uint32_t id) {
    const auto it = std::ranges::find(held_, id, &Held::id);
    if (it == held_.end()) return;
    const isa::Order order = it->order;
    std::erase_if(
        held_, [&](const Held& h) { return h.id == id || (in_sequence(order) && in_sequence(h.order) && h.id < id); });
  }
  // At most `left` are not translated: for a kind that is translated in order, the youngest ones.
  void wait(uint32_t left) {
    if (left == 0) return held_.clear();
    std::erase_if(held_, [&](const Held& h) {
      return h.order != isa::Order::any && std::ranges::count_if(held_, [&](const Held& o) {
                                             return same_kind(h.order, o.order) && o.id >= h.id;
                                           }) > static_cast<int64_t>(left);
    });
  }
  // Scalar memory stalls until vector memory has been translated, and vice versa.
  void arrive(isa::Order order) {
    std::erase_if(held_, [&](const Held& h) {
      return order == isa::Order::any ? in_sequence(h.order) : h.order == isa::Order::any;
    });
  }
  void drain() { held_.clear(); }
  // An access that still needs a register that an instruction writes; nullptr: none. `follows`: the writer's own
  // address is translated after those of vector memory.
  const Held* conflict(const isa::RegSet& writes, bool follows) const {
    for (const Held& h : held_) {
      if (follows && in_sequence(h.order)) continue;
      if (overlap(h.sources, writes)) return &h;
    }
    return nullptr;
  }
  // Takes the accesses that would be repeated with the registers that an instruction has written; the steps of those
  // that repeating does not count twice, oldest first.
  std::vector<uint32_t> take_conflicts(const isa::RegSet& writes, bool follows) {
    std::vector<uint32_t> steps;
    std::erase_if(held_, [&](const Held& h) {
      const bool repeats = !(follows && in_sequence(h.order)) && overlap(h.sources, writes);
      if (repeats && !h.atomic) steps.push_back(h.step);
      return repeats;
    });
    return steps;
  }
  // An access whose address has to be translated before an instruction that drains translations; nullptr: none.
  const Held* open_before(isa::Drains drains) const {
    if (drains == isa::Drains::nothing) return nullptr;
    const auto it = std::ranges::find_if(held_, [&](const Held& h) { return drains == isa::Drains::all || !h.atomic; });
    return it == held_.end() ? nullptr : &*it;
  }
  static std::optional<int> overlap(const isa::RegSet& a, const isa::RegSet& b) {  // a common register
    for (int i = 0; i < a.count; ++i)
      for (int k = 0; k < b.count; ++k)
        if (const uint64_t m = a.parts[static_cast<size_t>(i)].word == b.parts[static_cast<size_t>(k)].word
                                   ? a.parts[static_cast<size_t>(i)].mask & b.parts[static_cast<size_t>(k)].mask
                                   : 0)
          return a.parts[static_cast<size_t>(i)].word * 64 + __builtin_ctzll(m);
    return {};
  }

 private:
  static bool in_sequence(isa::Order o) { return o == isa::Order::ordered || o == isa::Order::counted; }
  static bool same_kind(isa::Order a, isa::Order b) { return a == b || (in_sequence(a) && in_sequence(b)); }
  std::vector<Held> held_;  // oldest first
  uint32_t newest_ = 0;
};

}  // namespace wavesmith::sim
