#include "kernels/parts/take_tile.h"

#include <bit>

#include "generator/dsl/scratch.h"

namespace wavesmith {

// An estimate of 2^32 / divisor, below it by little, from the reciprocal in f32; one Newton step in integers makes the
// quotient's error at most two.
void divide(Kernel& kernel, Sgpr quotient, Sgpr numerator, Sgpr divisor) {
  Stream& k = kernel.k;
  Scratch s(kernel.r);
  const Vgpr x = s.v("reciprocal");
  const Sgpr reciprocal = s.s("2^32 / divisor"), rest = s.s("remainder");
  constexpr float below_2_32 = 4294966784.0f;
  k.v_cvt_f32_u32(x, divisor);
  k.v_rcp_f32(x, x);
  k.v_mul_f32(x, below_2_32, x);
  k.v_cvt_u32_f32(x, x);
  k.v_readfirstlane_b32(reciprocal, x);
  k.s_mul_i32(rest, reciprocal, divisor);
  k.s_sub_u32(rest, 0, rest);
  k.s_mul_hi_u32(rest, reciprocal, rest);
  k.s_add_u32(reciprocal, reciprocal, rest);
  k.s_mul_hi_u32(quotient, numerator, reciprocal);
  k.s_mul_i32(rest, quotient, divisor);
  k.s_sub_u32(rest, numerator, rest);
  k.s_cmp_ge_u32(rest, divisor);
  k.s_cselect_b32(reciprocal, divisor, 0);
  k.s_addc_u32(quotient, quotient, 0);
  k.s_sub_u32(rest, rest, reciprocal);
  k.s_cmp_ge_u32(rest, divisor);
  k.s_addc_u32(quotient, quotient, 0);
}

namespace {
// ceil(2^(32 + l) / divisor) with l = floor(log2(divisor)) has 32 bits and exceeds the quotient by less than 1; the
// error in the result stays below 1 / divisor for numerators below 2^31.
struct Reciprocal {
  int shift;
  std::optional<uint32_t> multiplier;  // none: the divisor is a power of two
  explicit Reciprocal(int divisor) : shift(std::bit_width(static_cast<uint32_t>(divisor)) - 1) {
    const auto by = static_cast<uint32_t>(divisor);
    if (!std::has_single_bit(by)) multiplier = static_cast<uint32_t>(((UINT64_C(1) << (32 + shift)) + by - 1) / by);
  }
};
}  // namespace
void divide(Kernel& kernel, Sgpr quotient, Sgpr numerator, int divisor) {
  const Reciprocal r(divisor);
  if (r.multiplier) kernel.k.s_mul_hi_u32(quotient, numerator, *r.multiplier);
  kernel.k.s_lshr_b32(quotient, r.multiplier ? quotient : numerator, r.shift);
}
void divide(Kernel& kernel, Vgpr quotient, Vgpr numerator, int divisor) {
  const Reciprocal r(divisor);
  if (r.multiplier) {
    Scratch s(kernel.r);
    const Sgpr multiplier = s.s("2^32 / divisor");
    kernel.k.s_mov_b32(multiplier, *r.multiplier);
    kernel.k.v_mul_hi_u32(quotient, numerator, multiplier);
  }
  kernel.k.v_lshrrev_b32(quotient, r.shift, r.multiplier ? quotient : numerator);
}

void take_tile(Kernel& kernel, const WorkOrder& o, const TileGrid& grid, const TileRegisters& to) {
  Stream& k = kernel.k;
  if (o.plain() && !grid.number) {
    k.s_mov_b32(to.m, kernel.workgroup[0]);
    k.s_mov_b32(to.n, kernel.workgroup[1]);
    return;
  }
  Scratch s(kernel.r);
  const Sgpr tiles_m = s.s("tiles of m"), tiles_n = s.s("tiles of n"), at = s.s("place in the order"),
             t = s.s("scratch");
  const auto count = [&](Sgpr tiles, Sgpr extent, int tile) {
    k.s_sub_u32(tiles, extent, 1);
    divide(kernel, tiles, tiles, tile);
    k.s_add_u32(tiles, tiles, 1);
  };
  count(tiles_m, grid.rows, grid.tile_rows);
  count(tiles_n, grid.columns, grid.tile_cols);
  if (grid.number) {
    k.s_mov_b32(at, *grid.number);
  } else {
    k.s_mul_i32(at, kernel.workgroup[1], tiles_m);
    k.s_add_u32(at, at, kernel.workgroup[0]);
  }
  if (o.xcds > 1) {
    const Sgpr xcd = s.s("XCD"), each = s.s("tiles of each XCD"), round = s.s("workgroups of this XCD before");
    divide(kernel, round, at, o.xcds);
    k.s_mul_i32(t, round, o.xcds);
    k.s_sub_u32(xcd, at, t);
    k.s_mul_i32(at, tiles_m, tiles_n);
    divide(kernel, each, at, o.xcds);
    k.s_mul_i32(t, each, o.xcds);
    k.s_sub_u32(t, at, t);  // so many XCDs have one more
    k.s_min_u32(t, t, xcd);
    k.s_mul_i32(at, xcd, each);
    k.s_add_u32(at, at, t);
    k.s_add_u32(at, at, round);
  }
  if (!o.band) {
    divide(kernel, to.n, at, tiles_m);
    k.s_mul_i32(t, to.n, tiles_m);
    k.s_sub_u32(to.m, at, t);
    return;
  }
  const Sgpr first = s.s("first tile of the band"), height = s.s("tiles of the band");
  k.s_mul_i32(t, tiles_n, o.band);
  divide(kernel, to.m, at, t);
  k.s_mul_i32(t, to.m, t);
  k.s_sub_u32(at, at, t);
  k.s_mul_i32(first, to.m, o.band);
  k.s_sub_u32(height, tiles_m, first);
  k.s_min_u32(height, height, o.band);
  divide(kernel, to.n, at, height);
  k.s_mul_i32(t, to.n, height);
  k.s_sub_u32(t, at, t);
  k.s_add_u32(to.m, first, t);
}

}  // namespace wavesmith
