// A and B of a matrix instruction as f32: what modifiers do to them, before their elements are multiplied.
#pragma once
#include "simulator/matrix.h"

namespace wavesmith::sim {

// What the modifiers do to one operand. For most MFMA, CBSZ and BLGP move lanes; f64 reads BLGP as signs, f8f6f4 both
// as formats.
struct Input {
  const Side& side;
  int source;  // number of the operand
  bool is_signed = true, neg_even = false, neg_odd = false, flush = false;
  int cbsz = 0, abid = 0, blgp = 0;
};
Input input_of(const Plan&, const Step&, bool is_a, u8 denorm_f32 = 3);
// Nothing but a conversion: done where the elements go, and worth keeping.
bool plain(const Input&);
// Into out.x[(block * depth + k) * extent + i], and the exponent codes likewise if there is room for them.
void gather(Wave&, const Step&, const Plan&, const Input&, Gathered& out);
// A sum of products of plain inputs in f32, in the registers themselves: it can wait (deferred.h), unless MODE keeps
// results finite.
bool can_wait(const Step&);

}  // namespace wavesmith::sim
