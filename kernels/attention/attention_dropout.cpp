// Dropout of P: an element stays, times 1 / (1 - probability), if its random number is not below the probability times
// 2^32. The numbers are Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): key =
// seed, counter = {key of the element / 4, query, batch * heads + head, offset}; the word is key of the element % 4.
// The sum of P, and with it the log-sum-exp, has all elements.
#include "kernels/attention/attention_kernel.h"
#include "kernels/parts/philox_code.h"

namespace wavesmith::attention {

std::string wrong_dropout(bool with, const AttentionProblem& p) {
  if (p.dropout >= 0 && p.dropout < 1 && (with || p.dropout == 0)) return "";
  return fmt::format("dropout with probability {}; legal: 0 to less than 1, 0 without dropout in the configuration",
                     p.dropout);
}

void Attention::declare_dropout() {
  philox_words = r.v.alloc(4, "Philox counter", 2), of_philox = r.v.alloc(4, "scratch of Philox", 2);
  drop_key = r.v.alloc(1, "first key of the lane / 4"), drop_head = r.v.alloc(1, "batch * heads + head");
  for (int c = 0; c < columns; ++c) drop_query.push_back(r.v.alloc(1, "query of the lane"));
}

PhiloxCode Attention::philox() const { return {philox_factor, seed, philox_key, philox_words, of_philox}; }

void Attention::prepare_dropout() {
  k.comment("dropout");
  philox_factor = r.s.alloc(2, "Philox factors", 2), philox_key = r.s.alloc(2, "Philox key", 2);
  seed = r.s.alloc(2, "seed", 2), drop_below = r.s.alloc(1, "random numbers below are dropped"),
  drop_offset = r.s.alloc(1, "offset of the random numbers");
  philox().set_factors(k);
  kernel.load(seed, args[&Args::seed]);
  kernel.load(drop_below, args[&Args::drop_below]);
  kernel.load(drop_offset, args[&Args::drop_offset]);
  kernel.load(t.slice(0, 1), args[&Args::heads]);
  k.s_mul_i32(t[0], t[0], batch);
  k.s_add_u32(t[0], t[0], head);
  k.v_mov_b32(drop_head, t[0]);
  if (decode) k.v_add_u32(drop_head, t[0], row_head);
  for (int c = 0; c < columns; ++c) { query_of_lane(drop_query[c], c); }
  from_lane(drop_key, layouts.lane.then(layouts.scores), "row");
  k.v_add_u32(drop_key, first_key(), drop_key);
  k.v_lshrrev_b32(drop_key, 2, drop_key);
}

// `count` elements of P from `first` on, of four consecutive keys.
void Attention::drop(Block& b, int c, int first, int count) {
  const PhiloxCode numbers = philox();
  b.v_add_u32(numbers.word(0), layouts.key(first & ~3) / 4, drop_key);
  b.v_mov_b32(numbers.word(1), drop_query[c]);
  b.v_mov_b32(numbers.word(2), drop_head);
  b.v_mov_b32(numbers.word(3), drop_offset);
  numbers.rounds(b);
  for (int i = first; i < first + count; ++i) {
    b.v_cmp_le_u32(vcc, drop_below, numbers.word(i % 4));
    b.v_cndmask_b32(score(c, i), 0, score(c, i), vcc);
  }
}

}  // namespace wavesmith::attention
