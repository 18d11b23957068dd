#include "kernels/parts/philox_code.h"

#include <utility>

#include "generator/dsl/block.h"
#include "isa_tables/opcodes.h"
#include "kernels/parts/philox.h"

namespace wavesmith {

void PhiloxCode::set_factors(Block& b) const {
  for (const int i : {0, 1}) b.s_mov_b32(factors[i], philox_factors[static_cast<size_t>(i)]);
}

// Words 3 and 2, and 1 and 0, are pairs: the low and high half of a product is where the next words 3 and 2, or 1 and
// 0, are. Two pairs and the scratch take turns.
void PhiloxCode::rounds(Block& b) const {
  const bool three = isa::info(isa::Opcode::v_xor3_b32).on(b.arch());
  static_assert(philox_rounds % 2 == 0);
  Vgpr from = words, to = scratch;
  for (int round = 0; round < philox_rounds; ++round, std::swap(from, to)) {
    for (int i : {0, 1})
      if (round == 0) b.s_mov_b32(key[i], seed[i]);
      else b.s_add_u32(key[i], key[i], philox_steps[static_cast<size_t>(i)]);
    b.v_mad_u64_u32(to.slice(0, 2), vcc, factors[0], from[3], 0);
    b.v_mad_u64_u32(to.slice(2, 2), vcc, factors[1], from[1], 0);
    for (const int i : {1, 0}) {
      const Vgpr word = to[i ? 1 : 3], other = from[i ? 0 : 2];
      if (three) b.v_xor3_b32(word, key[i], other, word);
      else b.v_xor_b32(word, other, word), b.v_xor_b32(word, key[i], word);
    }
  }
}

}  // namespace wavesmith
