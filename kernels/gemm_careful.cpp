// The rest of K, less than a block of it (and 8 k more where an operand contiguous along m or n ends inside the block): 32 k a turn,
// element by element, every element bounded by row and k.
#include "kernels/gemm_kernel.h"

namespace wavesmith::gemm {

void Gemm::careful_loop() {
  k.s_cmp_eq_u32(k_left, 0);
  k.when_scc(false, "epilogue", [&] {
    k.s_add_u32(trips, k_left, plane_k - 1);
    k.s_lshr_b32(trips, trips, 5);
    for (Operand* o : {&A, &B}) at.raw_buffer(o->resource, o->base, no_bound);
    k.loop("careful_loop", trips, [&] {
      for (Operand* o : {&A, &B}) careful_plane(*o);
      k.s_min_u32(t[0], k_left, plane_k);
      k.s_sub_u32(k_left, k_left, t[0]);
      k.wait_for_lds();
      k.s_barrier();
      for (int half : {0, 1}) k << read_fragments(0, half) << multiply(half, 0) << multiply(half, 1);
      k.wait_for_lds();
      k.s_barrier();
    });
  });
}

// A lane fills 8 k of rows lane/4 and every 64 after it, whichever way memory runs.
void Gemm::careful_plane(Operand& o) {
  const Vgpr tmp = o.fragment[0][0], halves = packed;      // free between multiplications
  k.v_lshrrev_b32(row, 2, kernel.workitem);
  k.v_and_b32(chunk, 3, kernel.workitem);
  lds_address(tmp[0], row, chunk);
  k.v_add_u32(tmp[0], o.lds_offset, tmp[0]);
  k.v_lshlrev_b32(chunk, 3, chunk);
  for (int i = 0; i < o.rows * plane_k / lanes / 8; ++i) {
    k.v_add_u32(tmp[1], i * lanes / 4, row);
    k.v_cmp_gt_u32(mask, o.rows_left, tmp[1]);
    k.v_mul_lo_u32(tmp[1], tmp[1], o.row_stride);
    for (int j = 0; j < 8; ++j) {
      k.v_add_u32(x, j, chunk);
      k.v_cmp_gt_u32(vcc, k_left, x);
      k.s_and_b64(vcc, vcc, mask);
      k.v_mul_lo_u32(x, x, o.k_stride);
      k.v_add_u32(x, x, tmp[1]);
      k.v_mov_b32(y, masked);
      k.v_cndmask_b32(x, y, x, vcc);
      k.buffer_load_ushort(halves[j], x, o.resource, 0, {.flags = isa::offen});
    }
    for (int j = 0; j < 4; ++j) k.v_lshl_or_b32(o.stage[4 * i + j], halves[2 * j + 1], 16, halves[2 * j]);
    k.ds_write_b128(tmp[0], o.stage.slice(4 * i, 4), {.offset = i * (lanes / 4) * row_bytes}).buffer = static_cast<int16_t>(o.tag(0));
  }
  advance(k, o.resource, o.plane_step);
}

}  // namespace wavesmith::gemm
