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
  const auto l = isa::layout(isa::info(*isa::find_opcode(mnemonic, arch)), arch, isa::MatrixOperand::a).map();
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
  CHECK(inverted > 30);  // 29 % of square matrices over GF(2) are regular
}

TEST_CASE("the map of an operand is its layout, element by element", "[layout]") {
  for (const isa::Arch arch : {isa::Arch::gfx90a, isa::Arch::gfx942, isa::Arch::gfx950, isa::Arch::gfx1100,
                               isa::Arch::gfx1200, isa::Arch::gfx1250})
    for (const auto& row : isa::table()) {
      if (!row.is_matrix() || !row.on(arch)) continue;
      for (const auto o : isa::operands_of(row.matrix)) {
        const auto l = isa::layout(row, arch, o);
        const auto map = l.map();
        for (int lane = 0; lane < l.used_lanes; ++lane)
          for (int item = 0; item < l.items(); ++item) {
            const auto e = l.at({l.first_lane + lane, item});
            const LinearLayout::Point at{{"lane", static_cast<uint32_t>(lane)}, {"item", static_cast<uint32_t>(item)}};
            if (e->block != static_cast<int>(map.at(at, "block")) || e->row != static_cast<int>(map.at(at, "row")) ||
                e->col != static_cast<int>(map.at(at, "col"))) {
              CAPTURE(row.mnemonic, lane, item);
              FAIL("another element");
            }
          }
      }
    }
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
  CHECK_THROWS_WITH(
      isa::swizzled_for(rows(6, 7), family, {{{"wide", isa::LdsAccess::read, 16, column}}}, {.lowest = 2}),
      Catch::Contains("wide of 16 bytes per lane, legal: powers of two up to 4"));
}

TEST_CASE("a layout says what is wrong with an axis, a bit or a value", "[layout]") {
  LinearLayout l({{"lane", 2}}, {{"row", 3}});
  CHECK_THROWS_WITH(l.move("warp", 0, "row", 1), Catch::Contains("no axis 'warp', legal: lane"));
  CHECK_THROWS_WITH(l.move("lane", 2, "row", 1), Catch::Contains("'lane' has no bit 2, legal: 0 to 1"));
  CHECK_THROWS_WITH(l.move("lane", 0, "row", 8), Catch::Contains("'row' cannot move by 8"));
  CHECK_THROWS_WITH(l.at({{"lane", 4}}, "row"), Catch::Contains("lane is 4, legal: 0 to 3"));
  CHECK(isa::to_string(l.move("lane", 1, "row", 5)) == "lane: [0] [row 5]\n");
}
