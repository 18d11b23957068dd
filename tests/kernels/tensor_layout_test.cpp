// Tensor layouts against the layouts that Triton's own tests state (tests/facts/layout_cases.csv), and against the
// closed forms of tests/facts/planner_spec.md section 11, written here as formulas.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <set>

#include "kernels/plan/tensor_layout.h"
#include "tests/support/csv.h"

namespace wavesmith::plan {

namespace {

template <class T>
T json(const std::string& text) {
  return nlohmann::json::parse(text).get<T>();
}

LayoutEncoding encoding(const csv::Row& r) {
  LayoutEncoding e;
  e.unit = r.at("kind").starts_with("wmma") ? MatrixUnit::wmma : MatrixUnit::mfma;
  e.version = std::stoi(r.at("version"));
  e.instruction = json<std::array<int, 3>>(r.at("instrShape"));
  e.warps = json<std::vector<int>>(r.at("warpsPerCTA"));
  e.tiles = json<std::vector<int>>(r.at("tilesPerWarp"));
  e.transposed = r.at("isTransposed") == "1";
  e.element_bits = std::stoi(r.at("elementBitWidth"));
  if (const size_t at = r.at("test").find("(CGA "); at != std::string::npos)
    e.clusters = json<Bases>(r.at("test").substr(at + 5, r.at("test").rfind(')') - at - 5));
  return e;
}

LinearLayout layout_of(const csv::Row& r) {
  const LayoutEncoding e = encoding(r);
  const auto shape = json<std::vector<int>>(r.at("shape"));
  const OperandSide side = r.at("opIdx") == "1" ? OperandSide::b : OperandSide::a;
  if (r.at("kind").ends_with("_C")) return result_layout(e, shape);
  if (r.at("kind").ends_with("_scale")) return scale_layout(e, side, shape);
  return operand_layout(e, side, std::stoi(r.at("kWidth")), shape);
}

LayoutEncoding mfma(int m, int n, int k, bool transposed = false) {
  return {.unit = MatrixUnit::mfma, .version = 3, .instruction = {m, n, k}, .warps = {1, 1}, .transposed = transposed};
}

}  // namespace

TEST_CASE("every layout that Triton's tests state comes out as stated", "[tensor_layout][facts]") {
  const auto rows = csv::facts("layout_cases.csv");
  REQUIRE(rows.size() >= 90);
  for (const csv::Row& r : rows) {
    INFO(r.at("kind") << " " << r.at("instrShape") << " " << r.at("shape") << " " << r.at("source"));
    const LinearLayout l = layout_of(r);
    CHECK(to_string(bases(l, "register")) == to_string(json<Bases>(r.at("register"))));
    CHECK(to_string(bases(l, "lane")) == to_string(json<Bases>(r.at("lane"))));
    CHECK(to_string(bases(l, "warp")) == to_string(json<Bases>(r.at("warp"))));
    CHECK(to_string(bases(l, "block")) == to_string(json<Bases>(r.at("block"))));
  }
}

// Four of those cases, so that the repository can judge itself alone: LinearLayoutConversionsTest.cpp of Triton
// 2b1031d66167.
TEST_CASE("stated layouts of an MFMA result, an operand, a WMMA result and a scale", "[tensor_layout]") {
  const LinearLayout c = result_layout(
      {.unit = MatrixUnit::mfma, .version = 3, .instruction = {16, 16, 16}, .warps = {2, 4}, .tiles = {2, 2}},
      {256, 256});
  CHECK(to_string(bases(c, "register")) == "[[1, 0], [2, 0], [0, 16], [0, 128], [16, 0], [64, 0], [128, 0]]");
  CHECK(to_string(bases(c, "lane")) == "[[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]]");
  CHECK(to_string(bases(c, "warp")) == "[[0, 32], [0, 64], [32, 0]]");
  const LinearLayout b =
      operand_layout({.unit = MatrixUnit::mfma, .version = 3, .instruction = {16, 16, 16}, .warps = {1, 4}},
                     OperandSide::b, 8, {1, 128});
  CHECK(to_string(bases(b, "register")) == "[[0, 0], [0, 0], [0, 0], [0, 64]]");
  CHECK(to_string(bases(b, "lane")) == "[[0, 1], [0, 2], [0, 4], [0, 8], [0, 0], [0, 0]]");
  const LinearLayout w =
      result_layout({.unit = MatrixUnit::wmma, .version = 1, .instruction = {16, 16, 16}, .warps = {2, 4}}, {16, 16});
  CHECK(to_string(bases(w, "register")) == "[[2, 0], [4, 0], [8, 0]]");
  CHECK(to_string(bases(w, "lane")) == "[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]]");
  const LinearLayout s = scale_layout({.unit = MatrixUnit::mfma,
                                       .version = 4,
                                       .instruction = {16, 16, 128},
                                       .warps = {1, 4},
                                       .tiles = {1, 2},
                                       .transposed = true},
                                      OperandSide::b, {128, 8});
  CHECK(to_string(bases(s, "register")) == "[[0, 4], [16, 0]]");
  CHECK(to_string(bases(s, "lane")) == "[[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]]");
  CHECK(to_string(bases(s, "warp")) == "[[32, 0], [64, 0]]");
}

TEST_CASE("the narrow MFMA tiles and f64 follow the closed forms", "[tensor_layout]") {
  const LinearLayout wide = result_layout(mfma(4, 64, 64), {4, 64}),
                     tall = result_layout(mfma(64, 4, 64, true), {64, 4});
  LayoutEncoding f64 = mfma(16, 16, 4);
  f64.element_bits = 64;
  const LinearLayout doubles = result_layout(f64, {16, 16});
  const LinearLayout a = operand_layout(mfma(4, 64, 64), OperandSide::a, 4, {4, 64}),
                     b = operand_layout(mfma(4, 64, 64), OperandSide::b, 4, {64, 64});
  for (int l = 0; l < 64; ++l) {
    for (int q = 0; q < 4; ++q) {
      CHECK(coordinates(wide, q, l) == Coord{q, l});
      CHECK(coordinates(tall, q, l) == Coord{l, q});
      CHECK(coordinates(doubles, q, l) == Coord{l / 16 + 4 * q, l % 16});
      CHECK(coordinates(a, q, l) == Coord{l % 4, q + 4 * (l / 4)});
    }
    for (int q = 0; q < 64; ++q) CHECK(coordinates(b, q, l) == Coord{q, l});
  }
}

// planner_spec.md sections 11.1, 11.3 and 11.5: the order of registers above one tile, and the scales of a second row
// of tiles.
TEST_CASE("WMMA repeats tiles within the warp first, MFMA all of N first", "[tensor_layout]") {
  const LayoutEncoding wide{
      .unit = MatrixUnit::mfma, .version = 3, .instruction = {16, 16, 16}, .warps = {1, 1}, .tiles = {2, 2}};
  CHECK(to_string(bases(result_layout(wide, {64, 64}), "register")) ==
        "[[1, 0], [2, 0], [0, 16], [0, 32], [16, 0], [32, 0]]");
  const LayoutEncoding wmma{
      .unit = MatrixUnit::wmma, .version = 2, .instruction = {16, 16, 16}, .warps = {1, 1}, .tiles = {2, 2}};
  CHECK(to_string(bases(result_layout(wmma, {64, 64}), "register")) ==
        "[[1, 0], [2, 0], [4, 0], [0, 16], [16, 0], [0, 32], [32, 0]]");
  const LayoutEncoding scaled{
      .unit = MatrixUnit::wmma, .version = 3, .instruction = {16, 16, 128}, .warps = {1, 1}, .transposed = true};
  CHECK(to_string(bases(scale_layout(scaled, OperandSide::a, {64, 4}), "lane")) ==
        "[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]");
  CHECK(to_string(bases(scale_layout(scaled, OperandSide::a, {64, 4}), "register")) == "[[0, 1], [0, 2], [32, 0]]");
}

TEST_CASE("operands packed along M follow the transposing LDS read", "[tensor_layout]") {
  LayoutEncoding e{.unit = MatrixUnit::mfma, .version = 4, .instruction = {16, 16, 128}, .warps = {1, 1}};
  CHECK(to_string(bases(packed_operand_layout(e, OperandSide::a, {16, 256}), "register")) ==
        "[[1, 0], [2, 0], [4, 0], [0, 16], [0, 128], [8, 0]]");
  CHECK(to_string(bases(packed_operand_layout(e, OperandSide::a, {16, 256}), "lane")) ==
        "[[0, 1], [0, 2], [0, 4], [0, 8], [0, 32], [0, 64]]");
  e.instruction = {32, 32, 64};
  CHECK(to_string(bases(packed_operand_layout(e, OperandSide::b, {64, 16}), "register")) ==
        "[[0, 1], [0, 2], [0, 4], [16, 0]]");
  CHECK(to_string(bases(packed_operand_layout(e, OperandSide::b, {64, 16}), "lane")) ==
        "[[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [32, 0]]");
}

TEST_CASE("a tensor of any size is held everywhere at least once", "[tensor_layout]") {
  for (const auto& shape : {std::vector<int>{16, 16}, {48, 80}, {100, 7}, {256, 64}})
    for (const bool transposed : {false, true}) {
      const LinearLayout l = result_layout({.unit = MatrixUnit::mfma,
                                            .version = 3,
                                            .instruction = {32, 32, 8},
                                            .warps = {2, 2},
                                            .tiles = {2, 1},
                                            .transposed = transposed},
                                           shape);
      std::set<Coord> held;
      for (int r = 0; r < 1 << l.input_bits("register"); ++r)
        for (int lane = 0; lane < 64; ++lane)
          for (int w = 0; w < 4; ++w) held.insert(coordinates(l, r, lane, w));
      INFO(shape[0] << "x" << shape[1]);
      int missing = 0;
      for (int row = 0; row < shape[0]; ++row)
        for (int col = 0; col < shape[1]; ++col) missing += !held.contains({row, col});
      CHECK(missing == 0);
    }
}

// planner_spec.md section 11.2, "FA no-op": a tail takes kWidth 4 because the first product then already lies as its A
// operand.
TEST_CASE("a transposed result is the A operand with kWidth 4, tile by tile", "[tensor_layout]") {
  const LayoutEncoding e = mfma(16, 16, 16, true);
  const LinearLayout c = result_layout(e, {16, 64}), a = operand_layout(e, OperandSide::a, 4, {16, 64});
  CHECK(c == a);
}

TEST_CASE("vector width in memory: rows of K, pre-shuffled scales, and reshapes", "[tensor_layout]") {
  const LayoutEncoding e{.unit = MatrixUnit::mfma,
                         .version = 4,
                         .instruction = {16, 16, 128},
                         .warps = {1, 1},
                         .tiles = {2, 2},
                         .transposed = true};
  CHECK(contiguous_elements(operand_layout(e, OperandSide::a, 8, {64, 128}), {1, 0}) == 8);
  CHECK(contiguous_elements(operand_layout(e, OperandSide::a, 8, {64, 128}), {0, 1}) == 1);
  CHECK(contiguous_elements(operand_layout(e, OperandSide::b, 8, {128, 64}), {0, 1}) == 8);
  const LinearLayout plain = scale_layout(e, OperandSide::a, {32, 8});
  CHECK(contiguous_elements(plain, {1, 0}) == 1);
  // Shuffled so that the two tiles in M and the two in K of a lane are neighbours: [m tile, k half, k, m] -> [k, m, k
  // half, m tile].
  const LinearLayout split = reshape(plain, {2, 16, 2, 4});
  CHECK(contiguous_elements(transpose(split, {3, 1, 2, 0}), {3, 2, 1, 0}) == 4);
  CHECK(reshape(split, {32, 8}) == plain);
  CHECK(transpose(transpose(plain, {1, 0}), {1, 0}) == plain);
}

TEST_CASE("what an encoding cannot be is refused with what is legal", "[tensor_layout]") {
  CHECK_THROWS_WITH(result_layout(mfma(8, 8, 8), {64, 64}), Catch::Contains("8x8") && Catch::Contains("32x32"));
  CHECK_THROWS_WITH(result_layout(mfma(64, 4, 64), {64, 4}), Catch::Contains("transposed"));
  CHECK_THROWS_WITH(result_layout(mfma(16, 16, 16), {2, 64, 64}), Catch::Contains("rank"));
  CHECK_THROWS_WITH(operand_layout(mfma(16, 16, 16), OperandSide::a, 3, {64, 64}), Catch::Contains("kWidth 3"));
}

}  // namespace wavesmith::plan
