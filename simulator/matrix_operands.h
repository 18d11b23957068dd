// A and B of a matrix instruction as f32: the effect of modifiers on them, before their elements are multiplied.
#pragma once
#include "simulator/matrix.h"

namespace wavesmith::sim {

// The effect of the modifiers on one operand. For most MFMA, CBSZ and BLGP move lanes; f64 reads BLGP as signs, f8f6f4
// both as formats.
struct Input {
  const OperandPlan& side;
  int source;  // number of the operand
  bool is_signed = true, neg_even = false, neg_odd = false, flush = false;
  int cbsz = 0, abid = 0, blgp = 0;
};
Input input_of(const MatrixPlan&, const Step&, bool is_a, u8 denorm_f32 = 3);
// Only a conversion: done at the destination and worth caching.
bool plain(const Input&);
// Into out.x[(block * depth + k) * extent + i], and the exponent codes likewise if there is room for them.
void gather(Wave&, const Step&, const MatrixPlan&, const Input&, Gathered& out);
// A sum of products of plain inputs in f32, in the registers themselves: it can be deferred (deferred.h), unless MODE
// keeps results finite.
bool can_wait(const Step&);

}  // namespace wavesmith::sim
