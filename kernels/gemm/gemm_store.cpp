// The epilogue: D = f(alpha acc + beta C + bias), rounded and stored, or added to D where workgroups share it (split
// K). Lanes run along m and registers along n, so stores are contiguous; edges are exact, rows by EXEC, columns by the
// buffer's bound. The product is transposed: a row of the matrix instruction is a column of D.
#include <numbers>

#include "generator/dsl/emit_offset.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

// The main loop's registers are free here.
void Gemm::declare_output() {
  packed.free();
  for (TileOperand* o : {&A, &B}) {
    o->resource.free(), o->stage.free();
    for (auto& set : o->fragment) set.clear();
  }
  out = {.d = r.s.alloc(4, "D buffer resource", 4),
         .c = r.s.alloc(4, "C buffer resource", 4),
         .rows_left = r.s.alloc(1, "D rows left"),
         .row = r.v.alloc(1, "row in the wave's part of D"),
         .column = r.v.alloc(1, "column of register 0 in the wave's part of D"),
         .result = r.v.alloc(8, "results"),
         .old_c = r.v.alloc(8, "C values")};
}

void Gemm::epilogue() {
  declare_output();
  k.comment("D and C: bases of this wave's part, bounds by columns left");
  const Sgpr d_base = pointers[&Args::d], c_base = pointers[&Args::c];
  k.s_mul_i32(t[3], wave_m, A.wave_rows);
  k.s_add_u32(m0_, m0_, t[3]);
  k.s_mul_i32(t[3], wave_n, B.wave_rows);
  k.s_add_u32(n0, n0, t[3]);
  k.s_cmp_lt_u32(n0, N);
  k.when_scc(true, "end", [&] {
    output_resource(out.d, d_base, strides[&Args::stride_d], ldd);
    output_resource(out.c, c_base, strides[&Args::stride_c], ldc);
    k.s_sub_u32(out.rows_left, M, m0_);
    const AxisValue values[] = {{"lane", lane}};
    emit_offset(k, out.row, product, "col", values, {});
    emit_offset(k, out.column, product, "row", values, {});
    if (cfg.epilogue.bias) {
      k.s_mov_b32(t[3], out_bytes);
      at.add_product(bias_base, m0_, t[3]);
    }
    for (int tm = 0; tm < A.tiles(); ++tm) {
      k.v_add_u32(x, tm * mma_mn, out.row);
      k.v_cmp_gt_i32(vcc, out.rows_left, x);  // signed: all rows of a wave may be past the last one
      k.s_mov_b64(mask, exec);
      k.s_and_b64(exec, exec, vcc);
      k.when_any_lane("past_rows", [&] {
        if (cfg.epilogue.bias) load_bias();
        for (int first = 0; first < B.tiles() * held; first += 8) write_columns(tm, first);
      });
      k.s_mov_b64(exec, mask);
    }
  });
  k.s_endpgm();
}
// The bound excludes every column past N: (columns left - 1) * ld + rows left, in bytes; 32 bits hold it because a wave
// has at most 128 columns.
void Gemm::output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld) {
  at.add_strided(base, stride, batch(), out_shift);
  at.add_product(base, n0, ld, out_shift);
  k.s_lshl_b32(t[0], m0_, out_shift);
  k.s_add_u32(base[0], base[0], t[0]);
  k.s_addc_u32(base[1], base[1], 0);
  raw_buffer(k, resource, base, no_bound);
  k.s_sub_u32(t[0], N, n0);
  k.s_min_u32(t[0], t[0], B.wave_rows);
  k.s_sub_u32(t[0], t[0], 1);
  k.s_mul_i32(t[0], t[0], ld);
  k.s_sub_u32(t[1], M, m0_);
  k.s_add_u32(t[0], t[0], t[1]);
  k.s_lshl_b32(resource[2], t[0], out_shift);
}
void Gemm::load_bias() {  // of the row in x
  k.v_lshlrev_b32(x, out_shift, x);
  if (cfg.output == Type::f32) k.global_load_dword(bias, x, bias_base);
  else k.global_load_ushort(bias, x, bias_base);
  widen(bias);
}
void Gemm::widen(Vgpr v) {
  if (cfg.output == Type::f16) k.v_cvt_f32_f16(v, v);
  if (cfg.output == Type::bf16) k.v_lshlrev_b32(v, 16, v);
}
// Writes eight registers (columns of D) of a row of tiles, starting at `first`.
void Gemm::write_columns(int tm, int first) {
  for (int i = 0; i < 8; ++i) {
    k.v_accvgpr_read_b32(out.result[i], acc((first + i) / held, tm)[(first + i) % held]);
    k.v_mul_f32(out.result[i], alpha, out.result[i]);
  }
  add_old(tm, first);
  for (int i = 0; i < 8; i += 2) store_pair(tm, first, i);
}
// Registers i and i + 1 of the eight.
void Gemm::store_pair(int tm, int first, int i) {
  const Vgpr even = out.result[i], odd = out.result[i + 1];
  std::array<PairConversion::Place, 2> results{{{even, Half::low}, {odd, Half::low}}};
  for (const auto& [value, half] : results) {
    if (cfg.epilogue.bias) k.v_add_f32(value, bias, value);
    activate(value);
  }
  if (to_output) results = to_output->round(k, even, odd, {x, y});
  for (const auto& [value, half] : results) {
    column_address(tm, first + i++, ldd);
    const Opcode to_d = cfg.split_k > 1           ? Opcode::buffer_atomic_add_f32
                        : cfg.output == Type::f32 ? Opcode::buffer_store_dword
                        : half == Half::low       ? Opcode::buffer_store_short
                                                  : Opcode::buffer_store_short_d16_hi;
    k.buffer(to_d, value, x, out.d, 0, {.flags = isa::offen});
  }
}
void Gemm::add_old(int tm, int first) {
  k.s_lshl_b32(t[0], beta, 1);  // beta = 0 of either sign must not read C
  k.s_cmp_eq_u32(t[0], 0);
  k.when_scc(false, "beta_zero", [&] {
    for (int i = 0; i < 8; ++i) {
      column_address(tm, first + i, ldc);
      k.buffer(cfg.output == Type::f32 ? Opcode::buffer_load_dword : Opcode::buffer_load_ushort, out.old_c[i], x, out.c,
               0, {.flags = isa::offen});
    }
    for (int i = 0; i < 8; ++i) {
      widen(out.old_c[i]);
      k.v_fma_f32(out.result[i], beta, out.old_c[i], out.result[i]);
    }
  });
}
// x: byte offset of this lane's element of a register of a row of tiles; y is scratch.
void Gemm::column_address(int tm, int reg, Sgpr ld) {
  const uint32_t column = product.at({{"item", static_cast<uint32_t>(reg % held)}}, "row");
  k.v_add_u32(x, reg / held * mma_mn + static_cast<int>(column), out.column);
  k.v_mul_lo_u32(x, x, ld);
  k.v_add_u32(y, tm * mma_mn, out.row);
  k.v_add_u32(x, x, y);
  k.v_lshlrev_b32(x, out_shift, x);
}
// Silu and gelu are x / (1 + 2^z): for silu z = -x log2(e); for gelu, 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x +
// 0.044715 x^3), z = -2 log2(e) u. NaNs are preserved.
void Gemm::activate(Vgpr v) {
  constexpr float log2e = std::numbers::log2e_v<float>, gelu = -2 * log2e * 0.7978845608f;
  switch (cfg.epilogue.activation) {
    case Activation::none: return;
    case Activation::relu:
      k.v_cmp_ngt_f32(vcc, 0, v);
      k.v_cndmask_b32(v, 0, v, vcc);
      return;
    case Activation::silu: k.v_mul_f32(x, -log2e, v); break;
    case Activation::gelu:
      k.v_mul_f32(x, v, v);
      k.v_mul_f32(x, gelu * 0.044715f, x);
      k.v_add_f32(x, gelu, x);
      k.v_mul_f32(x, x, v);
      break;
  }
  k.v_exp_f32(x, x);
  k.v_add_f32(x, 1.0f, x);
  k.v_rcp_f32(x, x);
  k.v_mul_f32(v, v, x);
}
}  // namespace wavesmith::gemm
