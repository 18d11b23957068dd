#include "kernels/parts/block_scales.h"

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/wave_ops.h"
#include "kernels/parts/address.h"
#include "kernels/parts/element_access.h"
#include "kernels/parts/wave.h"

namespace wavesmith {

BlockScaleCode::BlockScaleCode(Kernel& kernel, const Config& c) : kernel_(kernel), c_(c), info_(about(c.kind)) {
  Registers& r = kernel.r;
  resource_ = r.s.alloc(4, "buffer resource of D's scales", 4);
  ld_ = r.s.alloc(1, "scales of a column");
  step_ = r.s.alloc(1, "bytes of scales between steps");
  at_ = r.v.alloc(1, "byte offset of the scale");
  scale_ = r.v.alloc(1, "scale of the lane's rows");
}

// Scales are dense: ceil(M / rows) for each column, all columns of all batches.
void BlockScaleCode::begin(Sgpr base, const EpiloguePlace& place) {
  Stream& k = kernel_.k;
  place_ = place;
  const Sgpr t = c_.t;
  const int block = log2(info_.rows), bytes = log2(info_.bytes());
  k.s_add_u32(ld_, place.rows, info_.rows - 1);
  k.s_lshr_b32(ld_, ld_, block);
  k.s_mul_i32(step_, place.batch, place.columns);
  k.s_add_u32(step_, step_, place.first_column);
  AddressMath{k, t}.add_product(base, step_, ld_, bytes);
  k.s_lshr_b32(t[0], place.first_row, block);
  k.s_lshl_b32(t[0], t[0], bytes);
  k.s_add_u32(base[0], base[0], t[0]);
  k.s_addc_u32(base[1], base[1], 0);
  raw_buffer(k, resource_, base, -chunk_bytes);
  k.s_mul_i32(step_, ld_, c_.columns_of_a_step << bytes);
  k.v_mul_lo_u32(at_, place.column, ld_);
  k.v_lshrrev_b32(c_.x, block, place.row);
  k.v_add_u32(at_, c_.x, at_);
  k.v_lshlrev_b32(at_, bytes, at_);
  k.v_subrev_u32(at_, step_, at_);  // one step back
}

// Rows past the last one count as 0.
void BlockScaleCode::mask_rows(Vgpr results) {
  Stream& k = kernel_.k;
  k.s_cmp_eq_u32(place_.rows_left, c_.part_rows);
  k.when_scc(false, "whole_rows", [&] {
    for (int i = 0; i < c_.rows; ++i) {
      k.s_sub_u32(c_.t[0], place_.rows_left, i);
      k.v_cmp_gt_i32(vcc, c_.t[0], place_.row);
      k.v_cndmask_b32(results[i], 0, results[i], vcc);
    }
  });
}
void BlockScaleCode::quantise(Vgpr results) {
  Stream& k = kernel_.k;
  const Vgpr x = c_.x, most = scale_;
  mask_rows(results);
  k.v_and_b32(most, 0x7fffffff, results[0]);
  for (int i = 1; i < c_.rows; ++i) {
    k.v_and_b32(x, 0x7fffffff, results[i]);
    k.v_max_u32(most, x, most);
  }
  k.v_min_u32(most, 0x7f7fffff, most);  // infinities and NaNs count as the largest number
  const isa::Mods exchanges[] = {dpp::quad_perm(1, 0, 3, 2), dpp::quad_perm(2, 3, 0, 1), dpp::row_half_mirror()};
  for (int i = 0; c_.rows << i < info_.rows; ++i) k.v_max_u32(most, most, most, exchanges[i]);
  k.v_add_u32(at_, step_, at_);
  const Largest largest = largest_of(c_.output, isa::target(kernel_.arch).fnuz_fp8());
  if (info_.e8m0) {
    k.v_lshrrev_b32(scale_, 23, most);
    k.v_add_u32(scale_, -largest.exponent, scale_);
    k.v_max_i32(scale_, 0, scale_);
    k.v_sub_u32(x, 127, scale_);
    for (int i = 0; i < c_.rows; ++i) k.v_ldexp_f32(results[i], results[i], x);
  } else {
    k.v_mul_f32(scale_, 1 / largest.value, most);
    k.v_max_f32(scale_, least_block_scale, scale_);
    k.v_rcp_f32(x, scale_);
    for (int i = 0; i < c_.rows; ++i) k.v_mul_f32(results[i], x, results[i]);
  }
}
void BlockScaleCode::store() {
  Stream& k = kernel_.k;
  k.v_and_b32(c_.x, info_.rows - 1, place_.row);
  k.v_cmp_eq_u32(vcc, 0, c_.x);
  k.mask_and(exec, exec, vcc);
  k.buffer(access_of(info_.bytes()).store, scale_, at_, resource_, 0, {.flags = isa::offen});
}

}  // namespace wavesmith
