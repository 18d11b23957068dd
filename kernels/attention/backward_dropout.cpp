// Dropout in the backward kernels, with forward's random numbers (attention_dropout.cpp): one counter has the numbers
// of four keys of a query. In workgroups of queries these are four elements of a lane. In workgroups of keys they are
// one element each of four lanes: of four queries, each of the lanes counts another one, and the lanes exchange.
#include "generator/dsl/wave_ops.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {

PhiloxCode Backward::philox() const { return {philox_factors, seed, philox_key, philox_words, of_philox}; }

void Backward::declare_dropout() {
  philox_factors = r.s.alloc(2, "Philox factors", 2), philox_key = r.s.alloc(2, "Philox key", 2);
  seed = r.s.alloc(2, "seed", 2);
  drop_head = r.s.alloc(1, "batch * heads + head");
  for (int o = 0; o < owned; ++o) drop_own.push_back(r.v.alloc(1, "the lane's row in a counter"));
  drop_moving = r.v.alloc(1, "first row of the tile in a counter");
  philox_words = r.v.alloc(4, "Philox counter", 2), of_philox = r.v.alloc(4, "scratch of Philox", 2);
}

// From the lane's rows of x, in drop_own, with the first row of its elements in x_.
void Backward::find_dropped_rows() {
  k.comment("dropout");
  philox().set_factors(k);
  kernel.load(seed, args[&Args::seed]);
  kernel.load(drop_below, args[&Args::drop_below]);
  kernel.load(drop_offset, args[&Args::drop_offset]);
  kernel.load(keep_scale, args[&Args::keep_scale]);
  k.v_add_u32(drop_moving, first_row, x_);
  if (!part.of_keys) {
    k.v_lshrrev_b32(drop_moving, 2, drop_moving);
    return;
  }
  for (const auto& each : drop_own) k.v_lshrrev_b32(each, 2, each);
  k.v_and_b32(y_, 3, column);
  k.v_add_u32(drop_moving, y_, drop_moving);
}

void Backward::prepare_dropout() {
  k.s_mul_i32(t[0], batch, of_rows[&Args::heads]);
  k.s_add_u32(drop_head, t[0], head);
  query_head(drop_head);
}

void Backward::next_dropped(Block& b) {
  if (part.of_keys) b.v_subrev_u32(drop_moving, tile, drop_moving);
  else b.v_add_u32(drop_moving, tile / 4, drop_moving);
}
void Backward::rewind_dropped() {
  k.s_add_u32(t[0], whole_tiles, masked_tiles);
  k.s_lshl_b32(t[0], t[0], log2(tile));
  k.v_add_u32(drop_moving, t[0], drop_moving);
}

// Word i of lane j of four becomes word j of lane i.
void Backward::turn_words(Block& b) {
  const PhiloxCode numbers = philox();
  const Vgpr given = numbers.scratch[0];
  for (const bool upper : {false, true}) {
    b.v_and_b32(given, upper ? 2 : 1, column);
    b.v_cmp_ne_u32(vcc, 0, given);
    const Mods from = upper ? dpp::quad_perm(2, 3, 0, 1) : dpp::quad_perm(1, 0, 3, 2);
    for (const int i : upper ? std::array{0, 1} : std::array{0, 2}) {
      const Vgpr low = numbers.word(i), high = numbers.word(i + (upper ? 2 : 1));
      b.v_cndmask_b32(given, high, low, vcc);
      b.v_mov_b32(given, given, from);
      b.v_cndmask_b32(low, low, given, vcc);
      b.v_cndmask_b32(high, given, high, vcc);
    }
  }
}

void Backward::drop(Block& b, int o, int first, int end) {
  const Vgpr own_row = drop_own[static_cast<size_t>(o)];
  const PhiloxCode numbers = philox();
  for (int i = first; i < end; ++i) {
    if (i == first || i % 4 == 0) {
      const int row = layouts.key(i & ~3);
      b.v_add_u32(numbers.word(part.of_keys), part.of_keys ? row : row / 4, drop_moving);
      b.v_mov_b32(numbers.word(!part.of_keys), own_row);
      b.v_mov_b32(numbers.word(2), drop_head);
      b.v_mov_b32(numbers.word(3), drop_offset);
      numbers.rounds(b);
      if (part.of_keys) turn_words(b);
    }
    const Vgpr p = element(s, o, i);
    b.v_cmp_le_u32(vcc, drop_below, numbers.word(i % 4));
    if (part.dx) {
      const Vgpr of_dp = element(dp, o, i);
      b.v_cndmask_b32(of_dp, 0, of_dp, vcc);
      if (part.of_keys) b.v_fma_f32(of_dp, of_dp, keep_scale, element(row_delta, 0, i));
      else b.v_fma_f32(of_dp, of_dp, keep_scale, neg(delta));
      b.v_mul_f32(of_dp, p, of_dp);
    }
    if (part.dy) b.v_cndmask_b32(p, 0, p, vcc);
  }
}

}  // namespace wavesmith::attention
