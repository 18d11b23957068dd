// Which bits of the registers hold a value. Nobody lists what an instruction does with a source bit: where some bits of
// its sources hold none, its semantics are tried with several values in their place, and a result bit that differs
// between the trials holds none either. So op_sel, byte selects, shift amounts, masks, kept halves and unselected
// sources need no rules of their own. A fault is where such a bit would be seen from outside: an address, a condition
// of a branch, EXEC, MODE, a store, a matrix product. Private memory keeps it by bytes, and loads bring it back.
#pragma once
#include "simulator/semantics.h"

namespace wavesmith::sim {

bool check_written(Wave&, const Step&);  // something the step reads was not written: false after recording a fault
void record_tried(Wave&, const Step&);
void record_kept(Wave&, const Step&);
void take_back(Wave&);  // Wave::valueless
void note_kept(Wave&, int reg, int lane,
               u32 kept);  // a load of part of a register leaves these bits of it as they were

// Of a VGPR's lane, or of a scalar: the bits without a value.
inline u32 unknown(const Wave& w, int joint, int lane = 0) {
  if (w.written[static_cast<size_t>(joint / 64)] >> joint % 64 & 1) return 0;
  if (joint >= scalar_base) return ~w.known_bits[joint - scalar_base];
  return w.written_mask[joint] >> lane & 1 ? 0
         : w.lane_bits.empty()             ? ~u32{0}
                                           : ~w.lane_bits[static_cast<size_t>(joint * Wave::lanes + lane)];
}

// The step has been executed: what it wrote.
inline void record_written(Wave& w, const Step& st) {
  if (w.tried) return record_tried(w, st);
  for (int i = 0; i < st.aside->writes.count; ++i) {
    const auto [word, mask] = st.aside->writes.parts[i];
    if (word >= scalar_base / 64 || st.all_lanes) {
      w.written[word] |= mask;
      continue;
    }
    if (!(mask & ~w.written[word])) continue;
    if (st.aside->pure && st.aside->keeps != Keeps::nothing) return record_kept(w, st);
    if (w.written_lanes == w.all) {
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
