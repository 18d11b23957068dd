// The epilogue: divides each column of O^T by its sum and stores O and the log-sum-exp. A query without keys has O = 0
// and LSE = -inf.
#include <numbers>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// Of the lanes of half a wave that have the same query, where there are two: `value` of both.
void Attention::fold_quarters(Block& b, Vgpr value, bool of_maximum) {
  if (layouts.groups() == 2) return;
  constexpr int xor_16 = 16 << 10 | 0x1f;  // ds_swizzle_b32: lanes whose numbers differ in bit 4
  b.ds_swizzle_b32(other, value, {.offset = xor_16});
  if (of_maximum) b.v_max_f32(value, value, other);
  else b.v_add_f32(value, value, other);
}
void Attention::exchange_halves(Block& b, Vgpr value) {
  if (atom.lanes == 32) return void(b.v_permlanex16_b32(other, value, lanes_low, lanes_high));
  if (exchanges_by_address()) return void(b.ds_bpermute_b32(other, partner, value));
  b.v_mov_b32(other, value);  // after the swap one holds the lower half wave's values twice, the other the upper's
  b.v_mov_b32(x, value);
  b.v_permlane32_swap_b32(x, other);
  b.v_cmp_gt_u32(vcc, layouts.groups() / 2, half);
  b.v_cndmask_b32(other, x, other, vcc);
}
// The sum of P of the lanes that have the same query.
void Attention::total_of(Vgpr total, int c) {
  k.v_add_f32(total, sum[c][0], sum[c][1]);
  fold_quarters(k, total, false);
  exchange_halves(k, total);
  k.v_add_f32(total, total, other);
}

void Attention::round_pair(Block& b, Vgpr dst, Vgpr low, Vgpr high) { narrow.pack(b, dst, low, high, {x, y}); }

// 1 / sum, 0 for a query without keys.
void Attention::invert(Block& b, Vgpr inverse, Vgpr total) {
  b.comment("1 / sum, 0 for a query without keys");
  b.v_rcp_f32(inverse, total);
  b.v_cmp_neq_f32(vcc, 0, total);
  b.v_cndmask_b32(inverse, 0, inverse, vcc);
  if (v_factor.dwords) b.v_mul_f32(inverse, v_factor, inverse);
  if (scaled_keys() && !decode) b.v_mul_f32(inverse, value_unit, inverse);
}

// S and P are no longer needed; the epilogue uses their registers. (Not those of Q, whose loads may still be in flight
// if there are no keys.)
void Attention::epilogue() {
  for (auto* tiles : {&s, &p}) tiles->clear();
  v_rows.free();
  if (moved) k.wait_for_lds();  // tiles past the last, before LDS is another workgroup's
  reload_arguments();
  Scratch scratch(r);
  const Vgpr total = scratch.v("sum of P"), inverse = scratch.v("1 / sum of P"), address = scratch.v("O address"),
             value = scratch.v("O, rounded", std::max(4, atom.run));
  const Sgpr resource = scratch.s("O buffer resource", 4);
  tensor(resource, O, head);
  for (int c = 0; c < columns; ++c) {
    total_of(total, c);
    invert(k, inverse, total);
    k.comment("O: bounds by queries left");
    if (by_lines()) {
      store_lines(inverse, resource);
    } else {
      row_address(address, c, O);
      k.v_lshl_add_u32(address, half, log2(2 * layouts.group_rows()), address);
      for (int d = 0; d < d_tiles; ++d)
        for (int i = 0; i < atom.items; i += atom.run) store_columns(c, d, i, {inverse, address, value, resource});
    }
    store_lse(c, total, maximum[c], address);
  }
  k.s_endpgm();
}

// `run` consecutive columns of O. Those past the head dimension are padding.
void Attention::store_columns(int c, int d, int item, const Results& to) {
  const int first = atom.extent * d + layouts.key(item), second = first + layouts.group_rows();
  if (first >= dim_v) return;
  Results at_column = to;
  if (moved)
    at_column.value = o.vgprs(d * columns + c).slice(item, atom.run);  // no store waits for another's registers
  else
    for (int j = 0; j < atom.run; ++j) o.read(k, to.value[j], d * columns + c, item + j);
  if (second >= dim_v) {
    k.v_cmp_eq_u32(vcc, 0, half);
    k.v_mov_b32(other, out_of_range);
    k.v_cndmask_b32(other, other, to.address, vcc);
    at_column.address = other;
  }
  store_run(first, at_column);
}
void Attention::store_run(int first, const Results& to) {
  const int run = atom.run;
  for (int j = 0; j < run; ++j) k.v_mul_f32(to.value[j], to.inverse, to.value[j]);
  for (int j = 0; j < run; j += 2) round_pair(k, to.value[j / 2], to.value[j], to.value[j + 1]);
  const isa::Mods at_column{.offset = 2 * first, .flags = isa::offen};
  if (run == 8) k.buffer_store_dwordx4(to.value.slice(0, 4), to.address, to.resource, 0, at_column);
  else k.buffer_store_dwordx2(to.value.slice(0, 2), to.address, to.resource, 0, at_column);
}

// Of the lane's query; t[3]: bytes up to the last.
void Attention::lse_address(Vgpr to, int c) {
  k.s_lshl_b32(t[3], queries, 2);
  if (!decode) {
    k.s_lshl_b32(t[0], wave, log2(wave_rows));
    k.s_add_u32(t[0], t[0], q0);
    if (c) k.s_add_u32(t[0], t[0], c * atom.extent);
    k.v_add_u32(to, t[0], column);
    return void(k.v_lshlrev_b32(to, 2, to));
  }
  const Sgpr of_head = lse_strides[&Args::lse_head].slice(0);
  k.s_sub_u32(t[0], part_sizes[&Args::group_heads], 1);
  k.s_mul_i32(t[0], t[0], of_head);
  k.s_add_u32(t[3], t[3], t[0]);
  k.v_mul_lo_u32(y, row_head, of_head);
  k.v_lshl_add_u32(to, row_query, 2, y);
  only_rows(to);
}

// LSE = ln(sum) + maximum * ln(2). Both half waves have the values; one stores them.
void Attention::store_lse(int c, Vgpr sum_of_row, Vgpr top, Vgpr address) {
  Scratch scratch(r);
  const Sgpr resource = scratch.s("LSE buffer resource", 4);
  k.s_cmp_eq_u64(lse, 0);
  k.when_scc(false, "no_lse", [&] {
    if (c == 0) {
      at.add_strided(lse, lse_strides[&Args::lse_batch], batch);
      at.add_strided(lse, lse_strides[&Args::lse_head], head);
      if (cfg.sequences == Sequences::packed) {
        k.s_lshl_b32(t[0], q_rows[0], 2);
        k.s_add_u32(lse[0], lse[0], t[0]);
        k.s_addc_u32(lse[1], lse[1], 0);
      }
    }
    lse_address(address, c);
    k.v_log_f32(y, sum_of_row);
    k.v_add_f32(y, y, top);
    k.v_mul_f32(y, std::numbers::ln2_v<float>, y);
    raw_buffer(k, resource, lse, t[3]);
    k.v_cmp_eq_u32(vcc, 0, half);
    k.mask_and(exec, exec, vcc);
    k.buffer_store_dword(y, address, resource, 0, {.flags = isa::offen});
    k.mask_mov(exec, -1);
  });
}

}  // namespace wavesmith::attention
