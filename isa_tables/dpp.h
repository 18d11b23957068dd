// DPP controls by name, and their effect on lanes without a source.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

// DPP_CTRL (ISA guides, "DPP"). Those up to row_ror and from row_newbcast on hold a number in their low 4 bits; below
// row_shl it is quad_perm, two bits for each lane of four.
namespace dpp_ctrl {
enum : uint32_t {
  row_shl = 0x100,
  row_shr = 0x110,
  row_ror = 0x120,
  wave_shl = 0x130,
  wave_rol = 0x134,
  wave_shr = 0x138,
  wave_ror = 0x13c,
  row_mirror = 0x140,
  row_half_mirror = 0x141,
  row_bcast15 = 0x142,
  row_bcast31 = 0x143,
  row_newbcast = 0x150,
  row_share = 0x150,  // of RDNA
  row_xmask = 0x160
};
constexpr bool numbered(uint32_t c, uint32_t base, uint32_t least = 1) { return c >= base + least && c <= base + 15; }
}  // namespace dpp_ctrl

// Does the destination keep its old value in some lane that EXEC enables? It does in lanes that row_mask and bank_mask
// exclude, and in those whose source is outside the row unless bound_ctrl makes it zero: shifts have such lanes,
// permutations and rotations do not.
constexpr bool keeps_lanes(const Mods& m) {
  if (!m.dpp) return false;
  if (m.row_mask != 0xf || m.bank_mask != 0xf) return true;
  using namespace dpp_ctrl;
  const uint32_t c = m.dpp_ctrl;
  const bool permutes = c < row_shl || numbered(c, row_ror) || c == row_mirror || c == row_half_mirror ||
                        numbered(c, row_share, 0) || numbered(c, row_xmask, 0);
  return !m.bound_ctrl && !permutes;
}

}  // namespace wavesmith::isa
