// Which registers hold a value. Reading one that was never written is a fault where the value matters: in an address, a condition, a
// lane's arithmetic, EXEC. Compiled code also moves such values about without using them, so scalar instructions, moves, lane reads and
// stores to private memory pass the lack of a value on instead; scalar logic bit by bit. Private memory keeps it, and loads bring it back.
#pragma once
#include "simulator/semantics.h"

namespace wavesmith::sim {

bool check_written(Wave&, const Step&);                    // something the step reads was not written: false after recording a fault
void record_passed(Wave&, const Step&);
void record_carried(Wave&, const Step&);
void take_back(Wave&);                                     // Wave::valueless

// The step has been executed: what it wrote.
inline void record_written(Wave& w, const Step& st) {
  if (st.carries) return record_carried(w, st);
  if (w.passing) return record_passed(w, st);
  for (int i = 0; i < st.aside->writes.count; ++i) {
    const auto [word, mask] = st.aside->writes.parts[i];
    if (word >= scalar_base / 64 || st.all_lanes || w.written_lanes == w.all) {
      w.written[word] |= mask;
      continue;
    }
    for (u64 m = mask & ~w.written[word]; m; m &= m - 1) {
      const int r = word * 64 + std::countr_zero(m);
      if ((w.written_mask[r] |= w.written_lanes) == w.all) w.written[word] |= m & -m;
    }
  }
  if (!w.valueless.empty()) take_back(w);
}

}  // namespace wavesmith::sim
