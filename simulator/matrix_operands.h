// A and B of a matrix instruction as f32: what modifiers do to them, and fragments that are kept from one instruction to the next.
#pragma once
#include "simulator/matrix.h"

namespace wavesmith::sim {

// What the modifiers do to one operand. For most MFMA, CBSZ and BLGP move lanes; f64 reads BLGP as signs, f8f6f4 both as formats.
struct Input {
  const Side& side;
  int source;                                              // number of the operand
  bool is_signed = true, neg_even = false, neg_odd = false, flush = false;
  int cbsz = 0, abid = 0, blgp = 0;
};
Input input_of(const Plan&, const Step&, bool is_a, u8 denorm_f32 = 3);
// Nothing but a conversion: done where the elements go, and worth keeping.
bool plain(const Input&);
// Into out.x[(block * depth + k) * extent + i], and the exponent codes likewise if there is room for them.
void gather(Wave&, const Step&, const Plan&, const Input&, Gathered& out);
// Of a plain input, codes in pairs. Good until this thread gathers the same side again.
const Gathered& gather_plain(Wave&, const Step&, const Plan&, const Input&, bool coded);

}  // namespace wavesmith::sim
