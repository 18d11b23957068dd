// Tracks which bits of the registers are defined. There are no rules per instruction: where some source bits are
// undefined, the instruction's semantics run with several values in their place, and a result bit that differs between
// the trials is undefined. So op_sel, byte selects, shift amounts, masks, kept halves and unselected sources need no
// rules of their own. A fault is reported where an undefined bit has an effect: an address, a branch condition, EXEC,
// MODE, a store, a matrix product. Private memory keeps definedness by byte, and loads restore it.
#pragma once
#include "simulator/semantics.h"

namespace wavesmith::sim {

bool check_written(Wave&,
                   const Step&);  // false, after recording a fault, if the step reads something that was not written
void record_tried(Wave&, const Step&);
void record_kept(Wave&, const Step&);
void take_back(Wave&);  // Wave::valueless
// Some lanes, not all, may be active by an undefined bit of EXEC, as in the lanes whose result a scan discards. What
// they write is undefined until EXEC is defined again, and it is a fault if they store. s_cbranch_execz does not skip
// what they might execute.
bool check_doubtful(Wave&, const Step&);  // before a step: false, after recording a fault
void spread_doubt(Wave&, const Step&);    // after it
void note_kept(Wave&, int reg, int lane,
               u32 kept);  // a load of part of a register keeps these bits

// The undefined bits of a VGPR's lane or of a scalar.
inline u32 unknown(const Wave& w, int joint, int lane = 0) {
  if (w.written[static_cast<size_t>(joint / 64)] >> joint % 64 & 1) return 0;
  if (joint >= scalar_base) return ~w.known_bits[joint - scalar_base];
  return w.written_mask[joint] >> lane & 1 ? 0
         : w.lane_bits.empty()             ? ~u32{0}
                                           : ~w.lane_bits[static_cast<size_t>(joint * Wave::lanes + lane)];
}

// Records what the executed step wrote.
inline void record_written(Wave& w, const Step& st) {
  if (w.tried) return record_tried(w, st);
  for (int i = 0; i < st.cold->writes.count; ++i) {
    const auto [word, mask] = st.cold->writes.parts[i];
    if (word >= scalar_base / 64 || st.all_lanes) {
      w.written[word] |= mask;
      continue;
    }
    if (!(mask & ~w.written[word])) continue;
    if (st.cold->pure && st.cold->keeps != Keeps::nothing && st.cold->copies != LaneCopy::to_lane)
      return record_kept(w, st);
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
