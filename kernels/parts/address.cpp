#include "kernels/parts/address.h"

namespace wavesmith {

void AddressMath::add_product(Sgpr pair, Sgpr a, Sgpr b, int shift) {
  k.s_mul_i32(t[0], a, b);
  k.s_mul_hi_u32(t[1], a, b);
  if (shift) k.s_lshl_b64(t.slice(0, 2), t.slice(0, 2), shift);
  k.s_add_u32(pair[0], pair[0], t[0]);
  k.s_addc_u32(pair[1], pair[1], t[1]);
}

void AddressMath::add_strided(Sgpr pair, Sgpr stride, Sgpr n, int shift) {
  k.s_mul_i32(t[0], stride[0], n);
  k.s_mul_hi_u32(t[1], stride[0], n);
  k.s_mul_i32(t[2], stride[1], n);
  k.s_add_u32(t[1], t[1], t[2]);
  if (shift) k.s_lshl_b64(t.slice(0, 2), t.slice(0, 2), shift);
  k.s_add_u32(pair[0], pair[0], t[0]);
  k.s_addc_u32(pair[1], pair[1], t[1]);
}

}  // namespace wavesmith
