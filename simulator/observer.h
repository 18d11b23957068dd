// Observers of a run: the timing model receives the issue stream through this interface; the functional model does not
// depend on it. Addresses of an instruction are reported before the instruction itself. Without an observer nothing is
// called and there is no cost.
#pragma once
#include <optional>
#include <span>

#include "simulator/wave.h"

namespace wavesmith::sim {

// Observes one workgroup, on the thread that runs it.
struct Observer {
  virtual ~Observer() = default;
  virtual void executed(const Wave&, const Step&) = 0;  // after it
  // Instead, after so many idle steps (Step::idle).
  virtual void passed(const Wave& w, const Step& first, int count) {
    for (const Step* st = &first; st != &first + count; ++st) executed(w, *st);
  }
  // An LDS access (address of the first lane; bytes per lane; cycles beyond the conflict-free ones), and lane addresses
  // of an access to memory.
  virtual void lds(const Wave&, const Step&, u32 first, int bytes, bool read, int conflict_cycles) = 0;
  virtual void memory(const Wave&, const Step&, std::span<const u64> at, u64 lanes, int bytes) = 0;
  // In front of memory(): so many workgroups of the cluster ask for the same, and each gets it.
  virtual void multicast(int /*workgroups*/) {}
  // The bytes of LDS that a lane (absent: the wave) accesses, if `watches_lds` asks for them.
  virtual void lds_bytes(const Wave&, u32 /*address*/, u32 /*bytes*/, int /*lane*/, LdsUse) {}
  bool watches_lds = false;
  bool wants_lds = true;  // lds(); else accesses of which only the addresses are computed may leave it out
};
struct Observers {
  virtual ~Observers() = default;
  virtual Observer* workgroup(
      const std::array<u32, 3>& id) = 0;  // nullptr: this one (this cluster, for the first of it) is not run
  // The only workgroups (clusters) that are asked for, by number in the grid's order, ascending; nothing: all of them.
  virtual std::optional<std::span<const u64>> chosen() const { return {}; }
};

// Reports the addresses on scope exit.
template <class Told>
struct TellMemory {
  const Wave& w;
  const Step& st;
  const Told& a;
  int bytes;
  ~TellMemory();
};
template <class Told>
TellMemory<Told>::~TellMemory() {
  Observer* o = w.group->observer;
  if (!o) return;
  u64 lanes = w.exec();
  if constexpr (requires { a.in_range; }) {  // of a buffer: what is out of range is not accessed
    u64 in = 0;
    for (const u64 dword : a.in_range) in |= dword;
    lanes &= in;
  }
  o->memory(w, st, a.at, lanes, bytes);
}

}  // namespace wavesmith::sim
