// The softmax between the two products, on the registers of S. All exponentials are base 2: P = 2^(scale S - maximum).
#include <limits>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// The key offset of the half wave is already included in `limit`.
Block Attention::apply_mask(int slot) {
  Block b(k.arch(), "apply_mask");
  b.v_mov_b32(other, -std::numeric_limits<float>::infinity());
  for (int n = 0; n < parts; ++n)
    for (int i = 0; i < 16; ++i) {
      const Vgpr score = s[slot][n][i];
      b.v_cmp_lt_i32(vcc, layouts.key(16 * n + i), limit);
      b.v_cndmask_b32(score, other, score, vcc);
    }
  b.v_subrev_u32(limit, keys, limit);
  return b;
}

// The largest score of the lane. The partner lane has the other keys of the same query.
Block Attention::find_maximum(int slot) {
  Block b(k.arch(), "find_maximum");
  const auto score = [&](int i) { return s[slot][i / 16][i % 16]; };
  b.v_max3_f32(found, score(0), score(1), score(2));
  for (int i = 3; i + 1 < 16 * parts; i += 2) b.v_max3_f32(found, found, score(i), score(i + 1));
  b.v_max_f32(found, found, score(16 * parts - 1));
  return b;
}

// If P of any lane would exceed 2^headroom, the wave takes the rescale slow path.
Block Attention::rescale_if_grown(int slot) {
  Block b(k.arch(), "rescale_if_grown");
  const SlowRescale at_slot{slot, k.new_label("grown"), k.new_label("grown_back")};
  b.v_fma_f32(x, found, scale, neg(maximum));
  b.v_cmp_lt_f32(vcc, headroom, x);
  b.s_cbranch_vccnz(LabelArg{isa::label(at_slot.entry)});
  b.bind(at_slot.back);
  slow_rescales.push_back(at_slot);
  return b;
}
// The new maximum is the query's largest score rounded up to an integer, minus the lift, the same in both half waves. O
// and its sum are multiplied by a power of two.
void Attention::slow_rescale(const SlowRescale& grown) {
  k.bind(grown.entry);
  exchange_halves(k, found);
  k.v_max_f32(x, found, other);
  k.v_mul_f32(x, scale, x);
  k.v_ceil_f32(x, x);
  if (lifted) k.v_subrev_f32(x, lift, x);
  k.v_max_f32(x, x, maximum);
  k.v_sub_f32(y, maximum, x);
  k.v_mov_b32(maximum, x);
  k.v_exp_f32(y, y);
  for (int i : {0, 1}) k.v_mul_f32(sum[i], y, sum[i]);
  for (auto& tile : o)
    for (int i = 0; i < 16; ++i) {
      const Vgpr value = i % 2 ? x : other;
      k.v_accvgpr_read_b32(value, tile[i]);
      k.v_mul_f32(value, y, value);
      k.v_accvgpr_write_b32(tile[i], value);
    }
  k.s_branch(LabelArg{isa::label(grown.back)});
}

Block Attention::exponentials(int slot) {
  Block b(k.arch(), "exponentials");
  for (int n = 0; n < parts; ++n)
    for (int i = 0; i < 16; ++i) {
      b.v_fma_f32(p[n][i], s[slot][n][i], scale, neg(maximum));
      if (i % 4 == 3)
        for (int j = i - 3; j <= i; ++j) b.v_exp_f32(p[n][j], p[n][j]);
      if (n == 0 && i == per_block + 3) b << pack(0);  // the next product starts with it
    }
  return b;
}
Block Attention::pack(int block) {
  Block b(k.arch(), "pack");
  const int first = block * per_block;
  for (int i = 0; i < per_block; ++i) b.v_add_f32(sum[i % 2], sum[i % 2], weight(first + i));
  for (int i = 0; i < per_block; i += 2) round_pair(b, weight(first + i / 2), weight(first + i), weight(first + i + 1));
  return b;
}

}  // namespace wavesmith::attention
