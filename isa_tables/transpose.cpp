#include "isa_tables/transpose.h"

namespace wavesmith::isa {

LinearLayout transposed(const TransposingLoad& load, int lane_bits) {
  constexpr int column_bits = 4;
  const int item_bits = log2(load.elements());
  const int part_bits = column_bits - item_bits;  // of a row, whose lanes have as many columns as items
  // Bits of the supplying lane among sixteen, for each bit of the row and of the part.
  const auto row_at = [&](int i) {
    return load.order == TransposingLoad::Order::by_rows    ? part_bits + i
           : load.order == TransposingLoad::Order::by_parts ? i
                                                            : i + (i >= 2 ? part_bits : 0);
  };
  const auto part_at = [&](int i) {
    return load.order == TransposingLoad::Order::by_rows    ? i
           : load.order == TransposingLoad::Order::by_parts ? item_bits + i
                                                            : 2 + i;
  };
  LinearLayout l({{"lane", lane_bits}, {"item", item_bits}}, {{"from", lane_bits}, {"part", item_bits}});
  for (int i = 0; i < lane_bits; ++i)
    if (i < item_bits) l.move("lane", i, "part", 1u << i);
    else l.move("lane", i, "from", 1u << (i < column_bits ? part_at(i - item_bits) : i));
  for (int i = 0; i < item_bits; ++i) l.move("item", i, "from", 1u << row_at(i));
  return l;
}

}  // namespace wavesmith::isa
