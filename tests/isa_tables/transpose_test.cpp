// Transposing loads as CDNA4's and CDNA5's guides and kernels in production have them, written as formulas.
#include <catch2/catch.hpp>

#include "isa_tables/transpose.h"

namespace wavesmith::isa {

TEST_CASE("a transposing load gives a lane one column of the tile that sixteen lanes load", "[layout][transpose]") {
  struct Case {
    Opcode op;
    int elements;
    int (*from)(int row, int column);  // the lane of sixteen that supplies it
  };
  const Case cases[] = {
      {Opcode::ds_read_b64_tr_b16, 4, [](int row, int column) { return 4 * row + column / 4; }},
      {Opcode::ds_read_b64_tr_b8, 8, [](int row, int column) { return 2 * row + column / 8; }},
      {Opcode::ds_read_b96_tr_b6, 16, [](int row, int) { return row; }},
      {Opcode::ds_read_b64_tr_b4, 16, [](int row, int) { return row; }},
      {Opcode::ds_load_tr16_b128, 8, [](int row, int column) { return row + 8 * (column / 8); }},
      {Opcode::global_load_tr_b64, 8, [](int row, int column) { return row + 8 * (column / 8); }},
      {Opcode::ds_load_tr8_b64, 8, [](int row, int column) { return row % 4 + 4 * (column / 8) + 8 * (row / 4); }},
  };
  for (const Case& c : cases) {
    const TransposingLoad load = transposing_load(c.op);
    INFO(info(c.op).mnemonic);
    CHECK(load.elements() == c.elements);
    const LinearLayout map = transposed(load, 6);
    int wrong = 0;
    for (int lane = 0; lane < 64; ++lane)
      for (int item = 0; item < c.elements; ++item) {
        const LinearLayout::Point at{{"lane", static_cast<uint32_t>(lane)}, {"item", static_cast<uint32_t>(item)}};
        wrong += static_cast<int>(map.at(at, "from")) != lane / 16 * 16 + c.from(item, lane % 16);
        wrong += static_cast<int>(map.at(at, "part")) != lane % 16 % c.elements;
      }
    CHECK(wrong == 0);
  }
  CHECK_THROWS_WITH(transposing_load(Opcode::ds_read_b64), Catch::Contains("not a transposing load"));
}

}  // namespace wavesmith::isa
