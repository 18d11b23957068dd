// The effect of a DPP control on lanes without a source.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Does the destination keep its old value in some lane that EXEC enables? It does in lanes that row_mask and bank_mask
// exclude, and in those whose source is outside the row unless bound_ctrl makes it zero: shifts have such lanes,
// permutations and rotations do not.
constexpr bool keeps_lanes(const Mods& m) {
  if (!m.dpp) return false;
  if (m.row_mask != 0xf || m.bank_mask != 0xf) return true;
  const uint32_t c = m.dpp_ctrl;
  const bool quad_perm = c <= 0xff, row_ror = c > 0x120 && c <= 0x12f, mirror = c == 0x140 || c == 0x141,
             share_or_xmask = c >= 0x150 && c <= 0x16f;
  return !m.bound_ctrl && !(quad_perm || row_ror || mirror || share_or_xmask);
}

}  // namespace wavesmith::isa
