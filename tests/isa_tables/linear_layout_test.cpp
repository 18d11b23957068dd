// Linear layouts: laws of linear algebra on random maps, the layouts of matrix instructions as such maps, and swizzles
// that are proved free of conflicts by counting bank by bank.
#include "isa_tables/linear_layout.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <random>

#include "isa_tables/layout.h"
#include "isa_tables/lds_swizzle.h"

using namespace wavesmith;
using isa::LinearLayout;

namespace {

LinearLayout random_layout(std::mt19937& rng, std::vector<LinearLayout::Axis> in, std::vector<LinearLayout::Axis> out) {
  LinearLayout l(in, out);
  for (const auto& a : in)
    for (int i = 0; i < a.bits; ++i)
      for (const auto& o : out) l.move(a.name, i, o.name, static_cast<uint32_t>(rng()) & ((1u << o.bits) - 1));
  return l;
}

// Rows of `row_bytes`: "row", "byte" -> "byte" of LDS.
LinearLayout rows(int row_bits, int byte_bits) {
  LinearLayout l({{"row", row_bits}, {"byte", byte_bits}}, {{"byte", row_bits + byte_bits}});
  for (int i = 0; i < byte_bits; ++i) l.move("byte", i, "byte", 1u << i);
  for (int i = 0; i < row_bits; ++i) l.move("row", i, "byte", 1u << (byte_bits + i));
  return l;
}

// What a lane reads of a fragment of A: its first element's row, and byte along k.
LinearLayout fragment_read(const char* mnemonic, isa::Arch arch, int row_bits, int byte_bits) {
  const auto l = isa::layout(isa::info(*isa::find_opcode(mnemonic, arch)), arch, isa::MatrixOperand::a).map;
  const int element = isa::bits(isa::info(*isa::find_opcode(mnemonic, arch)).matrix.a) / 8;
  LinearLayout out({{"lane", l.inputs()[0].bits}}, {{"row", row_bits}, {"byte", byte_bits}});
  for (int i = 0; i < l.inputs()[0].bits; ++i) {
    out.move("lane", i, "row", l.basis("lane", i, "row"));
    out.move("lane", i, "byte", l.basis("lane", i, "col") * static_cast<uint32_t>(element));
  }
  return out;
}

}  // namespace

TEST_CASE("composition, product and inverse of linear layouts obey their laws", "[layout]") {
  std::mt19937 rng(1);
  int inverted = 0;
  for (int round = 0; round < 200; ++round) {
    const LinearLayout f = random_layout(rng, {{"lane", 4}, {"item", 3}}, {{"row", 3}, {"col", 4}});
    const LinearLayout g = random_layout(rng, {{"row", 3}, {"col", 4}}, {{"byte", 7}});
    const LinearLayout both = f.then(g);
    for (uint32_t lane = 0; lane < 16; ++lane)
      for (uint32_t item = 0; item < 8; ++item) {
        const LinearLayout::Point at{{"lane", lane}, {"item", item}};
        CHECK(both.at(at, "byte") == g.at({{"row", f.at(at, "row")}, {"col", f.at(at, "col")}}, "byte"));
      }
    const LinearLayout from_row = LinearLayout::identity("row", "row", 3).then(g);  // an axis left out is 0
    for (uint32_t row = 0; row < 8; ++row)
      CHECK(from_row.at({{"row", row}}, "byte") == g.at({{"row", row}, {"col", 0}}, "byte"));
    const LinearLayout high = random_layout(rng, {{"lane", 2}}, {{"row", 2}});
    const LinearLayout product = f * high;
    for (uint32_t lane = 0; lane < 64; ++lane)
      CHECK(product.at({{"lane", lane}}, "row") ==
            (f.at({{"lane", lane % 16}}, "row") | high.at({{"lane", lane / 16}}, "row") << 3));
    if (!f.injective()) {
      CHECK_THROWS_WITH(f.inverse(), Catch::Contains("no inverse"));
      continue;
    }
    ++inverted;
    const LinearLayout same = f.then(f.inverse());
    for (uint64_t i = 0; i < 128; ++i) CHECK(same.packed(i) == i);
  }
  const LinearLayout f = random_layout(rng, {{"lane", 4}}, {{"col", 3}, {"row", 4}});  // row-major: col runs fastest
  const LinearLayout split = f.with_outputs({{"within", 2}, {"chunk", 4}, {"high", 1}});
  for (uint32_t lane = 0; lane < 16; ++lane) {
    const uint32_t offset = f.at({{"lane", lane}}, "row") * 8 + f.at({{"lane", lane}}, "col");
    CHECK(split.at({{"lane", lane}}, "within") == offset % 4);
    CHECK(split.at({{"lane", lane}}, "chunk") == offset / 4 % 16);
    CHECK(split.at({{"lane", lane}}, "high") == offset / 64);
  }
  CHECK_THROWS_WITH(f.with_outputs({{"byte", 6}}), Catch::Contains("of 6 bits, legal: 7"));
  CHECK(inverted > 30);  // 29 % of square matrices over GF(2) are regular
}

TEST_CASE("a swizzle leaves no access of its set a conflict, on any family and for elements of 4 to 64 bits",
          "[layout][lds]") {
  struct Case {
    isa::Arch arch;
    const char* mnemonic;
    int row_bits, byte_bits;  // of the tile
  };
  for (const Case& c : {Case{isa::Arch::gfx942, "v_mfma_f32_32x32x8_f16", 7, 6},
                        {isa::Arch::gfx942, "v_mfma_f32_16x16x16_f16", 7, 7},
                        {isa::Arch::gfx942, "v_mfma_f32_32x32x16_fp8_fp8", 7, 7},
                        {isa::Arch::gfx942, "v_mfma_f64_16x16x4_f64", 6, 7},
                        {isa::Arch::gfx942, "v_mfma_i32_16x16x32_i8", 8, 6},
                        {isa::Arch::gfx950, "v_mfma_f32_32x32x16_bf16", 7, 7},
                        {isa::Arch::gfx90a, "v_mfma_f32_16x16x4_f32", 6, 8},
                        {isa::Arch::gfx1100, "v_wmma_f32_16x16x16_f16", 6, 7},
                        {isa::Arch::gfx1200, "v_wmma_f32_16x16x16_f16", 6, 6},
                        {isa::Arch::gfx1250, "v_wmma_f32_16x16x32_f16", 6, 8}}) {
    CAPTURE(c.mnemonic, c.row_bits, c.byte_bits);
    const isa::Family family = isa::target(c.arch).family;
    const int lane_bits = isa::target(c.arch).wave_size == 64 ? 6 : 5;
    std::vector<isa::LdsTileAccess> accesses;
    LinearLayout store({{"lane", lane_bits}},
                       {{"row", c.row_bits}, {"byte", c.byte_bits}});  // lanes along a row, 16 bytes each
    for (int i = 0; i < lane_bits; ++i)
      if (i < c.byte_bits - 4) store.move("lane", i, "byte", 16u << i);
      else store.move("lane", i, "row", 1u << (i - (c.byte_bits - 4)));
    accesses.push_back({"store", isa::LdsAccess::write, 16, store});
    // Fragments of k side by side, so that a lane reads 16 bytes: lanes that differ in k are as far apart.
    LinearLayout read = fragment_read(c.mnemonic, c.arch, c.row_bits, c.byte_bits);
    const auto stride = [&] {
      for (int i = 0; i < lane_bits; ++i)
        if (const uint32_t b = read.basis("lane", i, "byte")) return b;
      return 16u;
    }();
    LinearLayout wide({{"lane", lane_bits}}, {{"row", c.row_bits}, {"byte", c.byte_bits}});
    for (int i = 0; i < lane_bits; ++i)
      wide.move("lane", i, "row", read.basis("lane", i, "row"))
          .move("lane", i, "byte", read.basis("lane", i, "byte") / stride * 16);
    accesses.push_back({"read", isa::LdsAccess::read, 16, wide});
    const LinearLayout plain = rows(c.row_bits, c.byte_bits);
    const auto swizzled = isa::swizzled_for(plain, family, accesses);
    REQUIRE(swizzled);
    CHECK(swizzled->injective());
    for (const auto& a : accesses) CHECK(isa::conflict_cycles(*swizzled, a, family) == 0);
    for (uint32_t b = 0; b < 16; ++b) CHECK(swizzled->at({{"byte", b}}, "byte") == b);  // 16 bytes stay together
  }
}

TEST_CASE("where a swizzle has nothing to mix in, there is none, and padding is found by counting", "[layout][lds]") {
  // 32 lanes read one dword each, down a column of rows of 128 bytes.
  LinearLayout column({{"lane", 6}}, {{"row", 6}, {"byte", 7}});
  for (int i = 0; i < 6; ++i) column.move("lane", i, "row", 1u << i);
  const std::vector<isa::LdsTileAccess> one{{"column", isa::LdsAccess::read, 4, column}};
  const auto family = isa::Family::cdna3;
  CHECK(isa::conflict_cycles(rows(6, 7), one[0], family) == 62);
  CHECK_FALSE(isa::swizzled_for(rows(6, 7), family, one, {.lowest = 4}));  // eight places for 32 lanes
  const auto by_dword = isa::swizzled_for(rows(6, 7), family, one, {.lowest = 2});
  REQUIRE(by_dword);
  CHECK(isa::conflict_cycles(*by_dword, one[0], family) == 0);
  CHECK_FALSE(isa::swizzled_for(rows(6, 7), family, one, {.lowest = 2, .sources = 0}));
  CHECK(isa::padding_for(128, family, one, 4) == 4);
  CHECK_FALSE(isa::padding_for(128, family, one, 128));
  CHECK_THROWS_WITH(isa::swizzled_for(rows(6, 7), family, {{{"three dwords", isa::LdsAccess::read, 12, column}}}),
                    Catch::Contains("three dwords of 12 bytes per lane, legal: powers of two"));
}

// Sixteen lanes write 8 bytes of one row each, to all 32 banks only if a bit of the row chooses the half of 16 bytes.
// Reads of 16 bytes by lanes that differ in the lowest five bits of the row leave the sixth for it.
TEST_CASE("a swizzle swaps the parts of an access in all of its lanes alike or not at all", "[layout][lds]") {
  const auto family = isa::Family::cdna3;
  const auto lanes = [](std::initializer_list<int> row_bits) {
    LinearLayout l({{"lane", 6}}, {{"row", 6}, {"byte", 7}});
    int i = 0;
    for (const int bit : row_bits) l.move("lane", i++, "row", 1u << bit);
    for (; i < 6; ++i) l.move("lane", i, "byte", 16u << (i - static_cast<int>(row_bits.size())));
    return l;
  };
  const isa::LdsTileAccess read{"read", isa::LdsAccess::read, 16, lanes({0, 1, 2, 3, 4})};
  const isa::LdsTileAccess write{"write", isa::LdsAccess::write, 8, lanes({0, 1, 2, 5})};
  const std::vector<isa::LdsTileAccess> both{read, write};
  const auto parts = isa::swizzled_for(rows(6, 7), family, both, {.lowest = 3});
  REQUIRE(parts);
  CHECK(parts->injective());
  for (const auto& a : both) CHECK(isa::conflict_cycles(*parts, a, family) == 0);
  const LinearLayout to_byte = read.lanes.then(*parts);
  for (uint32_t lane = 0; lane < 64; ++lane) CHECK(to_byte.at({{"lane", lane}}, "byte") % 16 == 0);
  CHECK(parts->at({{"row", 32}}, "byte") % 16 == 8);
  CHECK_FALSE(isa::swizzled_for(rows(6, 7), family, both, {.lowest = 4}));  // eight places for sixteen lanes
  const std::vector<isa::LdsTileAccess> within{read, {"write", isa::LdsAccess::write, 8, lanes({0, 1, 2, 3})}};
  CHECK_FALSE(isa::swizzled_for(rows(6, 7), family, within, {.lowest = 3}));  // lanes of a read would differ in it
}

TEST_CASE("a layout says what is wrong with an axis, a bit or a value", "[layout]") {
  LinearLayout l({{"lane", 2}}, {{"row", 3}});
  CHECK_THROWS_WITH(l.move("warp", 0, "row", 1), Catch::Contains("no axis 'warp', legal: lane"));
  CHECK_THROWS_WITH(l.move("lane", 2, "row", 1), Catch::Contains("'lane' has no bit 2, legal: 0 to 1"));
  CHECK_THROWS_WITH(l.move("lane", 0, "row", 8), Catch::Contains("'row' cannot move by 8"));
  CHECK_THROWS_WITH(l.at({{"lane", 4}}, "row"), Catch::Contains("lane is 4, legal: 0 to 3"));
  CHECK(isa::to_string(l.move("lane", 1, "row", 5)) == "lane: [0] [row 5]\n");
}
