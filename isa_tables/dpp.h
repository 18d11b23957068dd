// What a DPP control does to lanes without a source.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Does the destination keep its old value in some lane (of those EXEC selects)? Lanes that row_mask and bank_mask leave
// out do, and those whose source lies outside of the row unless bound_ctrl makes it zero: shifts have such lanes,
// permutations and rotations have none.
constexpr bool keeps_lanes(const Mods& m) {
  if (!m.dpp) return false;
  if (m.row_mask != 0xf || m.bank_mask != 0xf) return true;
  const uint32_t c = m.dpp_ctrl;
  const bool quad_perm = c <= 0xff, row_ror = c > 0x120 && c <= 0x12f, mirror = c == 0x140 || c == 0x141,
             share_or_xmask = c >= 0x150 && c <= 0x16f;
  return !m.bound_ctrl && !(quad_perm || row_ror || mirror || share_or_xmask);
}

}  // namespace wavesmith::isa
