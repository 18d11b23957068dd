// Spellings that need a little arithmetic.
#include "isa_tables/names.h"

#include <fmt/format.h>

namespace wavesmith::isa {

std::string special_name(int index, int dwords) {
  for (const auto& s : special_names)
    if (s.index == index && s.dwords == dwords) return std::string(s.name);
  if (index >= sreg::ttmp0 && index < sreg::m0)
    return dwords == 1 ? fmt::format("ttmp{}", index - sreg::ttmp0) : fmt::format("ttmp[{}:{}]", index - sreg::ttmp0, index - sreg::ttmp0 + dwords - 1);
  return fmt::format("s?{}", index);
}

std::string dpp_name(int c) {
  if (c <= 0xff) return fmt::format("quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
  if (c > 0x100 && c <= 0x10f) return fmt::format("row_shl:{}", c & 15);
  if (c > 0x110 && c <= 0x11f) return fmt::format("row_shr:{}", c & 15);
  if (c > 0x120 && c <= 0x12f) return fmt::format("row_ror:{}", c & 15);
  switch (c) {
    case 0x130: return "wave_shl:1";
    case 0x134: return "wave_rol:1";
    case 0x138: return "wave_shr:1";
    case 0x13c: return "wave_ror:1";
    case 0x140: return "row_mirror";
    case 0x141: return "row_half_mirror";
    case 0x142: return "row_bcast:15";
    case 0x143: return "row_bcast:31";
  }
  if (c >= 0x150 && c <= 0x15f) return fmt::format("row_newbcast:{}", c & 15);
  return fmt::format("dpp_ctrl:0x{:x}", c);
}

}  // namespace wavesmith::isa
