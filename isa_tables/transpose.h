// Transposing loads: sixteen lanes together load a tile of 16 columns; a lane supplies consecutive columns of one row
// and gets one column. Which lane has which part of a row. by_rows: neighbouring ones (gfx950: lanes 4r..4r+3 for four
// elements); by_parts: lanes r, r + rows, ... (gfx12); by_fours: r % 4 + 4 * part + 8 * (r / 4) (ds_load_tr8_b64:
// rocm-systems pull request 10707, which leaves global loads as they are). Sources of the others: the orders that
// production kernels rely on (16-bit elements of gfx950 and gfx1250); other widths by analogy (inferred).
#pragma once
#include "isa_tables/linear_layout.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::isa {

struct TransposingLoad {
  enum class Order : uint8_t { by_rows, by_parts, by_fours };
  int bits, bytes;  // of an element, of a lane
  Order order;
  constexpr int elements() const { return bytes * 8 / bits; }  // of a lane, and rows of the tile
};
// Error: IsaError for another instruction.
constexpr TransposingLoad transposing_load(Opcode op) {
  using enum TransposingLoad::Order;
  switch (op) {
    case Opcode::ds_read_b64_tr_b16: return {16, 8, by_rows};
    case Opcode::ds_read_b64_tr_b8: return {8, 8, by_rows};
    case Opcode::ds_read_b96_tr_b6: return {6, 12, by_rows};
    case Opcode::ds_read_b64_tr_b4: return {4, 8, by_rows};
    case Opcode::ds_load_tr16_b128:
    case Opcode::global_load_tr_b128: return {16, 16, by_parts};
    case Opcode::ds_load_tr8_b64: return {8, 8, by_fours};
    case Opcode::global_load_tr_b64: return {8, 8, by_parts};
    case Opcode::ds_load_tr6_b96:
    case Opcode::global_load_tr6_b96: return {6, 12, by_parts};
    case Opcode::ds_load_tr4_b64:
    case Opcode::global_load_tr4_b64: return {4, 8, by_parts};
    default: throw IsaError("not a transposing load");
  }
}
// "lane", "item" of the result -> "from" (the lane that supplied the element), "part" (its element there). `lane_bits`:
// of the wave.
LinearLayout transposed(const TransposingLoad&, int lane_bits);

}  // namespace wavesmith::isa
