// Vector code from layouts: on the simulator it computes the map's values, lane by lane, in as few instructions as
// hand-written code.
#include "generator/dsl/emit_offset.h"

#include <random>

#include "tests/support/one_wave.h"

using namespace wavesmith;
using isa::LinearLayout;

namespace {

// v1 holds the first axis, v2 the second; the offset goes to v3, v4 and v5 are scratch. Returns the number of
// instructions; fails on a wrong lane.
int check_offset(isa::Arch arch, const LinearLayout& l, bool over_input = false) {
  Block b(arch, "offset");
  const auto v = [](uint16_t i) { return Vgpr{i, 1}; };
  std::vector<AxisValue> values;
  for (size_t i = 0; i < l.inputs().size(); ++i)
    values.push_back({l.inputs()[i].name, v(static_cast<uint16_t>(i + 1))});
  const Vgpr scratch[] = {v(4), v(5)};
  const Vgpr to = over_input ? v(1) : v(3);
  const int count = emit_offset(b, to, l, "byte", values, scratch);
  simtest::OneWave w(arch);
  std::mt19937 rng(7);
  std::vector<std::array<uint32_t, 2>> at(64);
  for (int lane = 0; lane < 64; ++lane)
    for (size_t i = 0; i < l.inputs().size(); ++i)
      w.v(static_cast<int>(i) + 1)[lane] = at[static_cast<size_t>(lane)][i] =
          static_cast<uint32_t>(rng()) & ((1u << l.inputs()[i].bits) - 1);
  for (const Node& n : b.nodes) {
    sim::Step st;
    st.inst = n.inst, st.size = 8;
    w.follow(w.step(st));
  }
  int wrong = 0;
  for (int lane = 0; lane < w.width(); ++lane) {
    LinearLayout::Point p;
    for (size_t i = 0; i < l.inputs().size(); ++i) p.emplace_back(l.inputs()[i].name, at[static_cast<size_t>(lane)][i]);
    wrong += w.v(to.index)[lane] != l.at(p, "byte");
  }
  CHECK(wrong == 0);
  return count;
}

}  // namespace

TEST_CASE("code from random layouts gives the layout's offset in every lane, on every family", "[layout][dsl]") {
  std::mt19937 rng(3);
  int emitted = 0;
  for (const isa::Arch arch : {isa::Arch::gfx908, isa::Arch::gfx942, isa::Arch::gfx950, isa::Arch::gfx1100,
                               isa::Arch::gfx1200, isa::Arch::gfx1250})
    for (int round = 0; round < 60; ++round) {
      LinearLayout l({{"row", 1 + static_cast<int>(rng() % 6)}, {"chunk", 1 + static_cast<int>(rng() % 4)}},
                     {{"byte", 14}});
      const int most = 6;  // terms
      for (int t = 0; t < most; ++t) {
        const auto& axis = l.inputs()[rng() % 2];
        const int shift = static_cast<int>(rng() % 8);
        for (int i = 0; i < axis.bits; ++i)
          if (rng() % 3) l.move(axis.name, i, "byte", 1u << (i + (t < 2 ? 4 * t : t == 2 ? shift : 2 * t - 4)));
      }
      CAPTURE(isa::target(arch).name, round, isa::to_string(l));
      try {
        check_offset(arch, l, rng() % 4 == 0), ++emitted;
      } catch (const isa::IsaError& e) { CHECK_THAT(e.what(), Catch::Contains("terms") || Catch::Contains("scratch")); }
    }
  CHECK(emitted > 300);  // of 360; the others take more terms or scratch registers than there are
}

TEST_CASE("code from layouts is as short as by hand", "[layout][dsl]") {
  const auto arch = isa::Arch::gfx942;
  const auto rows = [](int row_bits, int shift) {
    LinearLayout l({{"row", row_bits}, {"chunk", 3}}, {{"byte", 16}});
    for (int i = 0; i < row_bits; ++i) l.move("row", i, "byte", 1u << (shift + i));
    for (int i = 0; i < 3; ++i) l.move("chunk", i, "byte", 16u << i);
    return l;
  };
  CHECK(check_offset(arch, rows(5, 7)) == 2);  // shift, shift and or
  LinearLayout swizzled = rows(5, 7);          // chunk ^= row % 8
  for (int i = 0; i < 3; ++i) swizzled.move("row", i, "byte", 16u << i);
  CHECK(check_offset(arch, swizzled) == 4);  // and, xor, shift, shift and or
  LinearLayout field({{"row", 6}}, {{"byte", 8}});
  for (int i = 2; i < 5; ++i) field.move("row", i, "byte", 1u << (i - 2));
  CHECK(check_offset(arch, field) == 1);
  CHECK(check_offset(arch, LinearLayout::identity("row", "byte", 6)) == 1);   // a copy
  CHECK(check_offset(arch, LinearLayout({{"row", 3}}, {{"byte", 4}})) == 1);  // zero
}
