// Shared scalar arithmetic on 64-bit addresses. `t`: three scratch SGPRs. Clobbers SCC.
#pragma once
#include "generator/dsl/kernel.h"

namespace wavesmith {

struct AddressMath {
  Stream& k;
  Sgpr t;

  // pair += a * b * 2^shift, all 64 bits.
  void add_product(Sgpr pair, Sgpr a, Sgpr b, int shift = 0);
  // pair += stride * n * 2^shift; stride is a pair too.
  void add_strided(Sgpr pair, Sgpr stride, Sgpr n, int shift = 0);
};

}  // namespace wavesmith
