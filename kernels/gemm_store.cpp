// From accumulators to D: D = alpha acc + beta C, rounded. Lanes run along m and registers along n, so that stores are contiguous, and
// exact at every edge: rows by EXEC, columns by the buffer's bound.
#include "kernels/gemm_kernel.h"

namespace wavesmith::gemm {

void Gemm::epilogue() {
  k.comment("D and C: bases of this wave's part, bounds by columns left");
  const Sgpr d_base = pointers.slice(0, 2), c_base = pointers.slice(2, 2);
  k.s_mul_i32(t[3], wave_m, A.wave_rows);
  k.s_add_u32(m0_, m0_, t[3]);
  k.s_mul_i32(t[3], wave_n, B.wave_rows);
  k.s_add_u32(n0, n0, t[3]);
  k.s_cmp_lt_u32(n0, N);
  k.when_scc(true, "end", [&] {
    output_resource(A.resource, d_base, strides.slice(0, 2), ldd);
    output_resource(B.resource, c_base, strides.slice(2, 2), ldc);
    k.s_sub_u32(A.rows_left, M, m0_);
    k.v_and_b32(row, 31, lane);
    k.v_lshrrev_b32(chunk, 5, lane);
    k.v_lshlrev_b32(chunk, 2, chunk);                    // column of register 0
    for (int tm = 0; tm < A.tiles(); ++tm) {
      k.v_add_u32(x, tm * mma_mn, row);
      k.v_cmp_gt_i32(vcc, A.rows_left, x);               // signed: a wave may lie beyond the last row
      k.s_mov_b64(mask, exec);
      k.s_and_b64(exec, exec, vcc);
      k.when_any_lane("past_rows", [&] {
        for (int tn = 0; tn < B.tiles(); ++tn)
          for (int half : {0, 1}) write_columns(tm, tn, 8 * half);
      });
      k.s_mov_b64(exec, mask);
    }
  });
  k.s_endpgm();
}
// A bound that excludes every column past N: (columns left - 1) * ld + rows left, in bytes; 32 bits hold it because a wave
// has at most 128 columns.
void Gemm::output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld) {
  const int shift = out_bytes == 2 ? 1 : 2;
  at.add_strided(base, stride, kernel.workgroup[2], shift);
  at.add_product(base, n0, ld, shift);
  k.s_lshl_b32(t[0], m0_, shift);
  k.s_add_u32(base[0], base[0], t[0]);
  k.s_addc_u32(base[1], base[1], 0);
  at.raw_buffer(resource, base, no_bound);
  k.s_sub_u32(t[0], N, n0);
  k.s_min_u32(t[0], t[0], B.wave_rows);
  k.s_sub_u32(t[0], t[0], 1);
  k.s_mul_i32(t[0], t[0], ld);
  k.s_sub_u32(t[1], M, m0_);
  k.s_add_u32(t[0], t[0], t[1]);
  k.s_lshl_b32(resource[2], t[0], shift);
}
// Eight registers of one 32x32 tile: columns 8*(i/4) + 4*(lane/32) + i%4.
void Gemm::write_columns(int tm, int tn, int first) {
  const Vgpr value = packed, old = old_c;
  for (int i = 0; i < 8; ++i) {
    k.v_accvgpr_read_b32(value[i], acc(tn, tm)[first + i]);
    k.v_mul_f32(value[i], alpha, value[i]);
  }
  k.s_lshl_b32(t[0], beta, 1);                           // beta = 0 of either sign must not read C
  k.s_cmp_eq_u32(t[0], 0);
  k.when_scc(false, "beta_zero", [&] {
    for (int i = 0; i < 8; ++i) {
      column_address(tm, tn, first + i, ldc);
      k.buffer(cfg.output == Type::f32 ? Opcode::buffer_load_dword : Opcode::buffer_load_ushort, old[i], x, B.resource, 0, {.flags = isa::offen});
    }
    for (int i = 0; i < 8; ++i) {
      if (cfg.output == Type::f16) k.v_cvt_f32_f16(old[i], old[i]);
      if (cfg.output == Type::bf16) k.v_lshlrev_b32(old[i], 16, old[i]);
      k.v_fma_f32(value[i], beta, old[i], value[i]);
    }
  });
  for (int i = 0; i < 8; ++i) {
    round_output(value[i]);
    column_address(tm, tn, first + i, ldd);
    k.buffer(cfg.output == Type::f32 ? Opcode::buffer_store_dword : Opcode::buffer_store_short, value[i], x, A.resource, 0, {.flags = isa::offen});
  }
}
void Gemm::column_address(int tm, int tn, int i, Sgpr ld) {    // x: byte offset of this lane's element; y is scratch
  k.v_add_u32(x, tn * mma_mn + 8 * (i / 4) + i % 4, chunk);
  k.v_mul_lo_u32(x, x, ld);
  k.v_add_u32(y, tm * mma_mn, row);
  k.v_add_u32(x, x, y);
  k.v_lshlrev_b32(x, out_bytes == 2 ? 1 : 2, x);
}
void Gemm::round_output(Vgpr v) {
  if (cfg.output == Type::f16) k.v_cvt_f16_f32(v, v);
  if (cfg.output != Type::bf16) return;
  k.v_bfe_u32(x, v, 16, 1);                              // round to nearest even; a NaN keeps its top half, made quiet
  k.s_mov_b32(t[0], 0x7fff);
  k.v_add3_u32(x, v, x, t[0]);
  k.v_or_b32(y, 0x400000, v);
  k.v_cmp_u_f32(vcc, v, v);
  k.v_cndmask_b32(v, x, y, vcc);
  k.v_lshrrev_b32(v, 16, v);
}

}  // namespace wavesmith::gemm
