// Byte i of a selector chooses byte i of the result: 0 to 3 from the second source, 4 to 7 from the first (CDNA3 ISA,
// V_PERM_B32).
#include "generator/dsl/permute.h"

namespace wavesmith {

Sgpr half_selector(Constants& c, Half h) {
  return h == Half::low ? c(0x05040100, "v_perm selector: low halves") : c(0x07060302, "v_perm selector: high halves");
}
void join_halves(Block& b, Vgpr dst, Vgpr first, Vgpr second, Sgpr selector, Where w) {
  b.v_perm_b32(dst, second, first, selector, {}, w);
}

HalfPermutes::HalfPermutes(Constants& c) : selector_{half_selector(c, Half::low), half_selector(c, Half::high)} {}

void HalfPermutes::column(Block& b, Vgpr dst, Vgpr row0, Vgpr row1, Half h, Where w) const {
  join_halves(b, dst, row0, row1, selector_[h == Half::high], w);
}
void HalfPermutes::transpose(Block& b, std::array<Vgpr, 2> dst, std::array<Vgpr, 2> rows, Where w) const {
  column(b, dst[0], rows[0], rows[1], Half::low, w);
  column(b, dst[1], rows[0], rows[1], Half::high, w);
}

BytePermutes::BytePermutes(Constants& c)
    : halves_(c),
      pairs_{c(0x05010400, "v_perm selector: low bytes in turn"),
             c(0x07030602, "v_perm selector: high bytes in turn")} {}

// First two rows are combined into registers with pairs of two columns, then two such registers into the columns.
void BytePermutes::transpose(Block& b, const std::array<Vgpr, 4>& dst, const std::array<Vgpr, 4>& rows, Vgpr scratch,
                             Where w) const {
  for (size_t i : {0, 1}) {
    b.v_perm_b32(dst[2 * i], rows[1], rows[0], pairs_[i], {}, w);
    b.v_perm_b32(scratch, rows[3], rows[2], pairs_[i], {}, w);
    halves_.column(b, dst[2 * i + 1], dst[2 * i], scratch, Half::high, w);
    halves_.column(b, dst[2 * i], dst[2 * i], scratch, Half::low, w);
  }
}

}  // namespace wavesmith
