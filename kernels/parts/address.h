// Scalar arithmetic on 64-bit addresses that kernels have in common. `t`: three scratch SGPRs. All of it clobbers SCC.
#pragma once
#include "generator/dsl/kernel.h"

namespace wavesmith {

struct AddressMath {
  Stream& k;
  Sgpr t;

  // pair += a * b * 2^shift, all 64 bits.
  void add_product(Sgpr pair, Sgpr a, Sgpr b, int shift = 0);
  // pair += stride * n * 2^shift; stride is a pair as well.
  void add_strided(Sgpr pair, Sgpr stride, Sgpr n, int shift = 0);
  // A raw buffer (stride 0, 32-bit data) of `bytes` from `base` on.
  void raw_buffer(Sgpr resource, Sgpr base, SSrcArg bytes);
};

}  // namespace wavesmith
