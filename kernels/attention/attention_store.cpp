// The epilogue: divides each column of O^T by its sum and stores O and the log-sum-exp. A query without keys has O = 0
// and LSE = -inf.
#include <numbers>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// other = value of lane ^ 32.
void Attention::exchange_halves(Block& b, Vgpr value) {
  if (!has(Opcode::v_permlane32_swap_b32, b.arch())) return void(b.ds_bpermute_b32(other, partner, value));
  b.v_mov_b32(other, value);  // after the swap one holds the lower half wave's values twice, the other the upper's
  b.v_mov_b32(x, value);
  b.v_permlane32_swap_b32(x, other);
  b.v_cmp_eq_u32(vcc, 0, half);
  b.v_cndmask_b32(other, x, other, vcc);
}

void Attention::round_pair(Block& b, Vgpr dst, Vgpr low, Vgpr high) { narrow.pack(b, dst, low, high, {x, y}); }

// S and P are no longer needed; the epilogue uses their registers. (Not those of Q, whose loads may still be in flight
// if there are no keys.)
void Attention::epilogue() {
  for (auto* tiles : {&s[0], &s[1], &p}) tiles->clear();
  Scratch scratch(r);
  const Vgpr total = scratch.v("sum of P"), inverse = scratch.v("1 / sum of P"), row = scratch.v("query of the lane"),
             address = scratch.v("O address"), value = scratch.v("O, rounded", 4);
  const Sgpr resource = scratch.s("O buffer resource", 4);
  k.comment("1 / sum, 0 for a query without keys");
  k.v_add_f32(total, sum[0], sum[1]);
  exchange_halves(k, total);
  k.v_add_f32(total, total, other);
  k.v_rcp_f32(inverse, total);
  k.v_cmp_neq_f32(vcc, 0, total);
  k.v_cndmask_b32(inverse, 0, inverse, vcc);
  k.comment("O: bounds by queries left");
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.v_add_u32(row, t[0], column);
  tensor(resource, O, kernel.workgroup[1]);
  k.v_mul_lo_u32(address, row, o_row);
  k.v_lshl_add_u32(address, half, log2(2 * layouts.chunk_rows()), address);
  for (int d = 0; d < d_tiles; ++d)
    for (int i = 0; i < 16; i += 4) {  // four consecutive columns
      for (int j = 0; j < 4; ++j) {
        k.v_accvgpr_read_b32(value[j], o[d][i + j]);
        k.v_mul_f32(value[j], inverse, value[j]);
      }
      round_pair(k, value[0], value[0], value[1]);
      round_pair(k, value[1], value[2], value[3]);
      k.buffer_store_dwordx2(value.slice(0, 2), address, resource, 0,
                             {.offset = 2 * (32 * d + layouts.key(i)), .flags = isa::offen});
    }
  store_lse(total, row);
  k.s_endpgm();
}

// LSE = ln(sum) + maximum * ln(2). Both half waves have the values; one stores them.
void Attention::store_lse(Vgpr sum_of_row, Vgpr row) {
  Scratch scratch(r);
  const Sgpr resource = scratch.s("LSE buffer resource", 4);
  k.s_cmp_eq_u64(lse, 0);
  k.when_scc(false, "no_lse", [&] {
    at.add_strided(lse, lse_strides[&Args::lse_batch], kernel.workgroup[2]);
    at.add_strided(lse, lse_strides[&Args::lse_head], kernel.workgroup[1]);
    if (cfg.sequences == Sequences::packed) {
      k.s_lshl_b32(t[0], q_rows[0], 2);
      k.s_add_u32(lse[0], lse[0], t[0]);
      k.s_addc_u32(lse[1], lse[1], 0);
    }
    k.v_log_f32(y, sum_of_row);
    k.v_add_f32(y, y, maximum);
    k.v_mul_f32(y, std::numbers::ln2_v<float>, y);
    k.v_add_u32(row, q0, row);
    k.s_lshl_b32(t[0], queries, 2);
    raw_buffer(k, resource, lse, t[0]);
    k.v_lshlrev_b32(row, 2, row);
    k.v_cmp_eq_u32(vcc, 0, half);
    k.s_and_b64(exec, exec, vcc);
    k.buffer_store_dword(y, row, resource, 0, {.flags = isa::offen});
    k.s_mov_b64(exec, -1);
  });
}

}  // namespace wavesmith::attention
