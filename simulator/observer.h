// Who wants to watch a run: the timing model takes the issue stream from here, the functional model knows nothing of
// what becomes of it. Addresses of an instruction are told before the instruction itself. Nothing is called, and
// nothing costs, where nobody watches.
#pragma once
#include <span>

#include "simulator/wave.h"

namespace wavesmith::sim {

struct Program;

// Watches one work-group, on the thread that runs it.
struct Observer {
  virtual ~Observer() = default;
  virtual void executed(const Wave&, const Step&) = 0;  // after it
  // Lane addresses of an LDS access (bytes a lane; cycles beyond the conflict-free ones) and of an access to memory.
  virtual void lds(const Wave&, const Step&, int bytes, bool read, int conflict_cycles) = 0;
  virtual void memory(const Wave&, const Step&, std::span<const u64> at, u64 lanes, int bytes) = 0;
};
struct Observers {
  virtual ~Observers() = default;
  virtual void decoded(Program&) {}  // before the first work-group; may put other semantics in place
  virtual Observer* workgroup(
      const std::array<u32, 3>& id) = 0;  // nullptr: this one (this cluster, for the first of it) is not run
};

// Tells the addresses when the scope is left, by whichever way.
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
  if (Observer* o = w.group->observer) o->memory(w, st, a.at, w.exec(), bytes);
}

}  // namespace wavesmith::sim
