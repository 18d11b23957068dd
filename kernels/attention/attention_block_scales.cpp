// Scales of fp8 tensors by blocks of rows. Those of Q are one with the scale of the scores, of a wave or, in decode, of
// a lane. Those of K and V are loaded a tile ahead: the tile's scores are multiplied by K's. P is multiplied by V's
// over a power of two that is at least as large as all of V's so far, so that P does not grow; O is in units of it.
// When a larger scale comes, O is multiplied by the ratio of the units, which is exact.
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

void Attention::declare_block_scales() {
  if (scaled_rows()) row_factor = r.v.alloc(1, "scale of the lane's query");
  if (!scaled_keys()) return;
  k_scales = r.s.alloc(4, "scales of K", 4), v_scales = r.s.alloc(4, "scales of V", 4);
  scale_key = r.s.alloc(1, "first key of the tile whose scales are loaded next");
  tile_factor = r.v.alloc(1, "scale of the tile's scores"), scale_at = r.v.alloc(1, "place of its scales");
  k_scale = r.v.alloc(1, "scale of K"), v_scale = r.v.alloc(1, "scale of V");
  value_factor = r.v.alloc(1, "scale of V over the unit of O"), value_unit = r.v.alloc(1, "unit of O, a power of two"),
  value_inverse = r.v.alloc(1, "1 / unit of O");
}

// Before scores are changed: `scale` is that of Q K^T.
void Attention::apply_query_scales() {
  if (!cfg.scale_rows.q) return;
  k.comment("scales of Q by rows");
  Scratch scratch(r);
  const Sgpr base = scratch.s("scales of Q", 2), stride = scratch.s("bytes of a batch's, of a head's");
  const int log2_rows = log2(cfg.scale_rows.q);
  kernel.load(base, args[&Args::q_scale]);
  kernel.load(stride, args[&Args::q_scale_batch]);
  at.add_product(base, batch, stride);
  kernel.load(stride, args[&Args::q_scale_head]);
  at.add_product(base, head, stride);
  k.s_sub_u32(t[0], queries, 1);  // rows past the last have its scale
  if (!decode) {
    k.s_lshl_b32(t[1], wave, log2(wave_rows));
    k.s_add_u32(t[1], t[1], q0);
    k.s_min_u32(t[0], t[0], t[1]);
    k.s_lshr_b32(t[0], t[0], log2_rows);
    k.s_lshl_b32(t[0], t[0], 2);
    k.s_add_u32(base[0], base[0], t[0]);
    k.s_addc_u32(base[1], base[1], 0);
    k.s_load_dword(t[0], base, 0);
    k.v_mov_b32(x, scale);
    k.v_mul_f32(x, t[0], x);
    k.v_readfirstlane_b32(scale, x);
    return;
  }
  k.v_min_u32(x, t[0], row_query);
  k.v_lshrrev_b32(x, log2_rows, x);
  k.v_mul_lo_u32(y, row_head, stride);
  k.v_lshl_add_u32(x, x, 2, y);
  k.global_load_dword(row_factor, x, base);
  k.v_mul_f32(row_factor, scale, row_factor);
}

void Attention::find_block_scales() {
  if (!scaled_keys()) return;
  k.comment("scales of K and V by rows");
  Scratch scratch(r);
  const Sgpr base = scratch.s("scales", 2), stride = scratch.s("bytes of a batch's, of a head's");
  const int log2_rows = log2(cfg.scale_rows.kv);
  for (const auto& [pointer, resource] :
       {std::pair(&Args::k_scale, Sgpr(k_scales)), {&Args::v_scale, Sgpr(v_scales)}}) {
    kernel.load(base, args[pointer]);
    kernel.load(stride, args[&Args::kv_scale_batch]);
    at.add_product(base, batch, stride);
    kernel.load(stride, args[&Args::kv_scale_head]);
    at.add_product(base, kv_head, stride);
    k.s_add_u32(t[3], key_count, cfg.scale_rows.kv - 1);
    k.s_lshr_b32(t[3], t[3], log2_rows);
    k.s_lshl_b32(t[3], t[3], 2);
    raw_buffer(k, resource, base, t[3]);
  }
  if (decode) k.s_mov_b32(scale_key, part_begin);
  else if (banded()) k.s_mov_b32(scale_key, skipped);
  else k.s_mov_b32(scale_key, 0);
  k.v_mov_b32(value_unit, 0x1p-100f);
  k.v_mov_b32(value_inverse, 0x1p100f);
}

// Those past the last are zero.
Block Attention::load_block_scales() {
  Block b(k.arch(), "load_block_scales");
  b.s_lshr_b32(t[0], scale_key, log2(cfg.scale_rows.kv));
  b.s_lshl_b32(t[0], t[0], 2);
  b.s_add_u32(scale_key, scale_key, keys);
  b.v_mov_b32(scale_at, t[0]);
  b.buffer_load_dword(k_scale, scale_at, k_scales, 0, {.flags = isa::offen});
  b.buffer_load_dword(v_scale, scale_at, v_scales, 0, {.flags = isa::offen});
  return b;
}
Block Attention::take_block_scales() {
  Block b(k.arch(), "take_block_scales");
  const SlowRescale grown{k.new_label("unit_grown"), k.new_label("unit_grown_back")};
  if (scaled_rows()) b.v_mul_f32(tile_factor, row_factor, k_scale);
  else b.v_mul_f32(tile_factor, changes ? Sgpr(natural) : Sgpr(scale), k_scale);
  b.v_cmp_lt_f32(vcc, value_unit, v_scale);
  b.s_cbranch_vccnz(LabelArg{isa::label(grown.entry)});
  b.bind(grown.back);
  b.v_mul_f32(value_factor, value_inverse, v_scale);
  unit_growths.push_back(grown);
  return b;
}
void Attention::slow_growth_of_unit(const SlowRescale& grown) {
  k.bind(grown.entry);
  k.v_frexp_exp_i32_f32(x, v_scale);
  k.v_sub_u32(y, 0, x);
  k.v_ldexp_f32(value_inverse, 1.0f, y);
  k.v_mul_f32(y, value_unit, value_inverse);
  k.v_ldexp_f32(value_unit, 1.0f, x);
  for (int i = 0; i < d_tiles * columns; ++i) o.multiply(k, i, y, {x, other});
  k.s_branch(LabelArg{isa::label(grown.back)});
}
void Attention::block_scale_phases(Pipeline& p) {
  if (!scaled_keys()) return;
  p.at(ahead(0), [this](int) { return take_block_scales(); });
  p.at(ahead(1).over(1), [this](int) { return load_block_scales(); });
}

}  // namespace wavesmith::attention
