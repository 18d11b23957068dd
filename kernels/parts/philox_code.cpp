#include "kernels/parts/philox_code.h"

#include "generator/dsl/block.h"
#include "kernels/parts/philox.h"

namespace wavesmith {

void PhiloxCode::set_factors(Block& b) const {
  for (const int i : {0, 1}) b.s_mov_b32(factors[i], philox_factors[static_cast<size_t>(i)]);
}

void PhiloxCode::rounds(Block& b) const {
  const Sgpr key = vcc;
  for (int round = 0; round < philox_rounds; ++round) {
    for (int i : {0, 1})
      if (round == 0) b.s_mov_b32(key[i], seed[i]);
      else b.s_add_u32(key[i], key[i], philox_steps[static_cast<size_t>(i)]);
    b.v_mul_hi_u32(x, factors[0], words[0]);
    b.v_mul_hi_u32(y, factors[1], words[2]);
    b.v_xor_b32(x, x, words[3]);
    b.v_xor_b32(y, y, words[1]);
    b.v_mul_lo_u32(words[3], factors[0], words[0]);
    b.v_mul_lo_u32(words[1], factors[1], words[2]);
    b.v_xor_b32(words[2], key[1], x);
    b.v_xor_b32(words[0], key[0], y);
  }
}

}  // namespace wavesmith
