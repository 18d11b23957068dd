// The softmax between the two products, on the registers of S. All exponentials are base 2: P = 2^(scale S - maximum).
#include <limits>
#include <numbers>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// The key offset of the half wave is already included in `limit`.
Block Attention::apply_mask() {
  Block b(k.arch(), "apply_mask");
  b.v_mov_b32(other, -std::numeric_limits<float>::infinity());
  for (int c = 0; c < columns && bands; ++c) {  // keys from the first that the lane sees on, less than it sees
    b.v_sub_u32(x, limit[c], low[c]);
    b.v_max_i32(x, 0, x);
    b.v_subrev_u32(y, mask_key, low[c]);
    for (int i = 0; i < scores_held; ++i) {
      b.v_sub_u32(found[c], layouts.key(i), y);
      b.v_cmp_lt_u32(vcc, found[c], x);
      b.v_cndmask_b32(score(c, i), other, score(c, i), vcc);
    }
  }
  if (bands) return b;
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < scores_held; ++i) {
      b.v_cmp_lt_i32(vcc, layouts.key(i), limit[c]);
      b.v_cndmask_b32(score(c, i), other, score(c, i), vcc);
    }
    b.v_subrev_u32(limit[c], keys, limit[c]);
  }
  return b;
}

Block Attention::next_mask_key() {
  Block b(k.arch(), "next_mask_key");
  b.s_add_u32(mask_key, mask_key, keys);
  return b;
}

// A sink counts as a key without a value: the maximum and, of one lane of each query, the sum begin with it. Of waves
// that have parts of the keys the first one counts it.
void Attention::begin_sums() {
  for (int c = 0; c < columns; ++c) {
    k.v_mov_b32(maximum[c], -0x1p100f);
    for (int i : {0, 1}) k.v_mov_b32(sum[c][i], 0);
  }
  if (!cfg.sinks) return;
  Scratch scratch(r);
  const Sgpr base = scratch.s("sinks", 2);
  kernel.load(base, args[&Args::sinks]);
  k.v_mov_b32(x, head);
  if (decode) k.v_add_u32(x, x, row_head);
  k.v_lshlrev_b32(x, 2, x);
  k.global_load_dword(y, x, base);
  k.v_mul_f32(y, std::numbers::log2e_v<float>, y);
  k.v_ceil_f32(x, y);
  if (lifted) k.v_subrev_f32(x, lift, x);
  k.v_max_f32(x, -0x1p100f, x);
  k.v_sub_f32(y, y, x);
  k.v_exp_f32(y, y);
  k.v_cmp_eq_u32(vcc, 0, half);
  k.v_cndmask_b32(y, 0, y, vcc);
  if (decode) {
    if (plan.latent) k.s_mov_b32(t[0], kernel.workgroup[1]);
    else k.s_or_b32(t[0], wave, kernel.workgroup[1]);
    k.v_cmp_eq_u32(vcc, 0, t[0]);
    k.v_cndmask_b32(y, 0, y, vcc);
  }
  for (int c = 0; c < columns; ++c) {
    k.v_mov_b32(maximum[c], x);
    k.v_mov_b32(sum[c][0], y);
  }
}

// The scales of Q and K are one with that of the scores; that of V multiplies 1 / sum.
void Attention::apply_scales() {
  k.comment("scales of fp8 tensors");
  Scratch scratch(r);
  const Sgpr base = scratch.s("a tensor's scales", 2), value = scratch.s("its scale");
  k.v_mov_b32(x, scale);
  k.s_mov_b32(v_factor, 1.0f);
  if (cfg.dropout) kernel.load(v_factor, args[&Args::keep_scale]);
  if ((!cfg.q_type && !cfg.kv_type) || cfg.mx) return;
  for (const auto pointer : {&Args::q_scale, &Args::k_scale, &Args::v_scale}) {
    if (pointer == &Args::q_scale ? cfg.scale_rows.q : cfg.scale_rows.kv) continue;
    kernel.load(base, args[pointer]);
    k.s_cmp_eq_u64(base, 0);
    k.when_scc(false, "no_scale", [&] {
      kernel.load(value, args[&Args::scale_step]);
      k.s_mul_i32(value, value, kv_head);
      k.s_add_u32(base[0], base[0], value);
      k.s_addc_u32(base[1], base[1], 0);
      k.s_load_dword(value, base, 0);
      if (pointer != &Args::v_scale) return void(k.v_mul_f32(x, value, x));
      k.v_mov_b32(y, v_factor);
      k.v_mul_f32(y, value, y);
      k.v_readfirstlane_b32(v_factor, y);
    });
  }
  k.v_readfirstlane_b32(scale, x);
  apply_query_scales();
}

// The largest score of the lane. The partner lane has the other keys of the same query.
Block Attention::find_maximum() {
  Block b(k.arch(), "find_maximum");
  for (int c = 0; c < columns; ++c) {
    const auto of = [&](int i) { return score(c, i); };
    b.v_max3_f32(found[c], of(0), of(1), of(2));
    for (int i = 3; i + 1 < scores_held; i += 2) b.v_max3_f32(found[c], found[c], of(i), of(i + 1));
    b.v_max_f32(found[c], found[c], of(scores_held - 1));
  }
  return b;
}

// If P of any lane would exceed 2^headroom, the wave takes the rescale slow path.
Block Attention::rescale_if_grown() {
  Block b(k.arch(), "rescale_if_grown");
  const SlowRescale grown{k.new_label("grown"), k.new_label("grown_back")};
  b.v_fma_f32(x, found[0], exponent_factor(), neg(maximum[0]));
  for (int c = 1; c < columns; ++c) {
    b.v_fma_f32(y, found[c], exponent_factor(), neg(maximum[c]));
    b.v_max_f32(x, x, y);
  }
  b.v_cmp_lt_f32(vcc, headroom, x);
  b.s_cbranch_vccnz(LabelArg{isa::label(grown.entry)});
  b.bind(grown.back);
  slow_rescales.push_back(grown);
  return b;
}
// The new maximum is the query's largest score rounded up to an integer, minus the lift, the same in both half waves. O
// and its sum are multiplied by a power of two.
void Attention::raise_maximum(int c) {
  fold_quarters(k, found[c], true);
  exchange_halves(k, found[c]);
  k.v_max_f32(x, found[c], other);
  k.v_mul_f32(x, exponent_factor(), x);
  k.v_ceil_f32(x, x);
  if (lifted) k.v_subrev_f32(x, lift, x);
  k.v_max_f32(x, x, maximum[c]);
  k.v_sub_f32(y, maximum[c], x);
  k.v_mov_b32(maximum[c], x);
}
void Attention::slow_rescale(const SlowRescale& grown) {
  k.bind(grown.entry);
  for (int c = 0; c < columns; ++c) {
    raise_maximum(c);
    k.v_exp_f32(y, y);
    for (int i : {0, 1}) k.v_mul_f32(sum[c][i], y, sum[c][i]);
    for (int d = 0; d < d_tiles; ++d) o.multiply(k, d * columns + c, y, {x, other});
  }
  k.s_branch(LabelArg{isa::label(grown.back)});
}

Block Attention::exponentials(int first, int count) {
  Block b(k.arch(), "exponentials");
  for (int c = 0; c < columns; ++c)
    for (int i = first; i < first + count; ++i) {
      b.v_fma_f32(score(c, i), score(c, i), exponent_factor(), neg(maximum[c]));
      if (i % 4 == 3)
        for (int j = i - 3; j <= i; ++j) b.v_exp_f32(score(c, j), score(c, j));
    }
  return b;
}
Block Attention::exponentials() { return exponentials(0, scores_held); }
Block Attention::pack(int block) {
  Block b(k.arch(), "pack");
  for (int c = 0; c < columns; ++c) {
    const int first = block * own;
    for (int i = 0; i < own; ++i) b.v_add_f32(sum[c][i % 2], sum[c][i % 2], score(c, first + i));
    for (int i = 0; i < own && scaled_keys(); ++i) b.v_mul_f32(score(c, first + i), value_factor, score(c, first + i));
    for (int i = 0; i < own && cfg.dropout; i += 4) drop(b, c, first + i, std::min(own, 4));
    for (int i = 0; i < own; i += 2)
      if (narrow_p)
        narrow_p->pack_bytes(b, weights(c, block)[i / 4], i % 4 ? Half::high : Half::low, score(c, first + i),
                             score(c, first + i + 1));
      else narrow_weights.pack(b, weights(c, block)[i / 2], score(c, first + i), score(c, first + i + 1));
    if (layouts.exchanged) exchange_weights(b, c, block);
  }
  if (cfg.dropout && block + 1 == blocks) b.v_add_u32(drop_key, keys / 4, drop_key);
  return b;
}
// Each half wave has half of the keys; as the right operand both have all of them, those of the lower half first.
void Attention::exchange_weights(Block& b, int c, int block) {
  const Vgpr packed = weights(c, block);
  for (int i = 0; i < own / 2; ++i) {
    const Vgpr low = packed[i], high = packed[own / 2 + i];
    exchange_halves(b, low);
    b.v_cndmask_b32(high, other, low, upper_half);
    b.v_cndmask_b32(low, low, other, upper_half);
  }
}

}  // namespace wavesmith::attention
