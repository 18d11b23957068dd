// interleave() and spread() move instructions by count only: their placement, and errors.
#include <catch2/catch.hpp>

#include "generator/schedule/interleave.h"

namespace {

using namespace wavesmith;

Block anchors(int n) {
  Block b(Arch::gfx942);
  for (int i = 0; i < n; ++i)
    b.v_mfma_f32_16x16x16_f16(Vgpr{static_cast<uint16_t>(4 * i), 4}, Vgpr{100, 2}, Vgpr{102, 2}, 0);
  return b;
}
Block moves(int n, int from = 0) {
  Block b(Arch::gfx942);
  for (int i = from; i < from + n; ++i) b.v_mov_b32(Vgpr{static_cast<uint16_t>(200 + i), 1}, i);
  return b;
}
// One letter per node: m for anchors, the last digit of the register for sides, '.' for directives.
std::string letters(const Block& b) {
  std::string out;
  for (const Node& n : b.nodes)
    out += !n.is_instruction()         ? '.'
           : n.inst.info().is_matrix() ? 'm'
                                       : static_cast<char>('0' + (n.inst.operands[0].index - 200) % 10);
  return out;
}

}  // namespace

TEST_CASE("a side fills its slots in order", "[interleave]") {
  CHECK(letters(interleave(anchors(4), {{moves(4)}})) == "m0m1m2m3");
  CHECK(letters(interleave(anchors(4), {{moves(2), {.every = 2}}})) == "mm0mm1");
  CHECK(letters(interleave(anchors(4), {{moves(4), {.count = 2, .after = 1}}})) == "mm01m23m");
  CHECK(letters(interleave(anchors(2), {{moves(2)}, {moves(1)}})) == "m00m1");
}

TEST_CASE("what does not fit is refused", "[interleave]") {
  CHECK_THROWS_WITH(
      interleave(anchors(4), {{moves(6), {.every = 2}}}),
      "interleave_test.cpp:18: interleave: side 0 left 4 of 6 instructions after 4 anchors, from v_mov_b32 on");
  CHECK_THROWS_WITH(
      interleave(anchors(4), {{moves(3), {.until = 2}}}),
      "interleave_test.cpp:18: interleave: side 0 left 1 of 3 instructions after 4 anchors, from v_mov_b32 on");
  for (const Slots slots : {Slots{.every = 0}, {.every = -2}, {.count = 0}, {.after = -1}}) {
    constexpr int line = __LINE__ + 1;
    const auto merged = [&] { return interleave(anchors(4), {{moves(1)}, {moves(3), slots}}); };
    CHECK_THROWS_WITH(merged(), fmt::format("interleave_test.cpp:{}: interleave: side 1 has every {}, count {}, after "
                                            "{}; legal: every >= 1, count >= 1, after >= 0",
                                            line, slots.every, slots.count, slots.after));
  }
}

TEST_CASE("directives of a side move with the instruction after them", "[interleave]") {
  Block side(Arch::gfx942);
  side << moves(1);
  side.wait_for(Vgpr{3, 1});
  side << moves(1);
  side.wait_for_lds();
  CHECK(letters(interleave(anchors(3), {{side}})) == "m0m.0.m");
}

TEST_CASE("a sched_barrier lets through what its mask names", "[interleave]") {
  const auto fenced = [](int mask) {
    Block b = anchors(2);
    b.sched_barrier(mask);
    return b << anchors(2);
  };
  CHECK(letters(interleave(fenced(0x2), {{moves(4)}})) == "m0m1.m2m3");
  CHECK(letters(interleave(fenced(0), {{moves(2)}})) == "m0m1.mm");
  CHECK_THROWS_WITH(
      interleave(fenced(0x8), {{moves(4)}}),
      Catch::Contains("side 0 has 2 instructions left at sched_barrier(0x8), which v_mov_b32 may not cross"));
}

TEST_CASE("spread leaves even gaps and places everything", "[interleave]") {
  CHECK(letters(spread(anchors(6), {moves(3)})) == "mm0mm1mm2");
  CHECK(letters(spread(anchors(2), {moves(5)})) == "m01m234");
  CHECK(letters(spread(anchors(5), {moves(2)})) == "mmm0mm1");
}

TEST_CASE("fill takes its slots from the tables", "[interleave]") {
  // 16-clock matrix instructions hide exactly three 4-clock VALU on gfx942 (tests/facts/timing.csv "mfma_coexec").
  CHECK(letters(fill(anchors(3), {moves(7)})) == "m012m345m6");
  CHECK(letters(fill(anchors(2), {moves(4), moves(2)})) == "m010m231");  // the sides take turns: two, one; two, one
  FillReport report;
  CHECK(letters(fill(anchors(2), {moves(8)}, &report)) == "m012m34567");
  CHECK(report.left == std::vector<int>{2});
  CHECK((report.slots == 6 && report.used == 6 && report.unhidden == 0));
  CHECK_THROWS_WITH(
      fill(anchors(2), {moves(8)}),
      "interleave_test.cpp:18: interleave: side 0 left 2 of 8 instructions after 2 anchors, from v_mov_b32 on");

  Block exps(Arch::gfx942);
  for (int i = 0; i < 2; ++i) exps.v_exp_f32(Vgpr{static_cast<uint16_t>(200 + i), 1}, Vgpr{210, 1});
  CHECK(letters(fill(anchors(3), {exps, moves(3)}, &report)) == "m0m1m012");  // 16 clocks fit under no 16-clock anchor
  CHECK(report.unhidden == 2);
  Block wide(Arch::gfx942);  // 32 clocks: seven slots, one exp and three others
  for (int i = 0; i < 2; ++i)
    wide.v_mfma_f32_32x32x8_f16(Vgpr{static_cast<uint16_t>(16 * i), 16}, Vgpr{100, 2}, Vgpr{102, 2}, 0);
  CHECK(letters(fill(wide, {exps, moves(6)}, &report)) == "m0012m1345");
  CHECK((report.unhidden == 0 && report.used == 14));

  Block packed(Arch::gfx942);
  packed.v_pk_add_f32(Vgpr{200, 2}, Vgpr{202, 2}, Vgpr{204, 2});
  fill(anchors(1), {packed}, &report);
  CHECK(report.unhidden == 1);
}

TEST_CASE("fill knows what a WMMA hides", "[interleave]") {
  const auto wmma = [](Arch arch, Opcode op, uint8_t wide) {
    Block b(arch);
    for (int i = 0; i < 2; ++i) b.mfma(op, Vgpr{static_cast<uint16_t>(8 * i), 8}, Vgpr{100, wide}, Vgpr{120, wide}, 0);
    return b;
  };
  const auto movs = [](Arch arch, int n) {
    Block b(arch);
    for (int i = 0; i < n; ++i) b.v_mov_b32(Vgpr{static_cast<uint16_t>(200 + i), 1}, i);
    return b;
  };
  // gfx1250: four VALU instructions in eight clocks (tests/facts/timing.csv "wmma_coexec": 0EIIEEIIV).
  CHECK(letters(fill(wmma(Arch::gfx1250, Opcode::v_wmma_f32_16x16x32_f16, 8), {movs(Arch::gfx1250, 6)})) == "m0123m45");
  // RDNA: a WMMA takes the VALU, so that none is hidden; LDS reads are, one a clock.
  FillReport report;
  fill(wmma(Arch::gfx1201, Opcode::v_wmma_f32_16x16x16_f16, 4), {movs(Arch::gfx1201, 2)}, &report);
  CHECK(report.unhidden == 2);
  Block reads(Arch::gfx1201);
  for (int i = 0; i < 15; ++i) reads.ds_read_b32(Vgpr{static_cast<uint16_t>(140 + i), 1}, Vgpr{99, 1});
  fill(wmma(Arch::gfx1201, Opcode::v_wmma_f32_16x16x16_f16, 4), {reads}, &report);
  CHECK((report.unhidden == 0 && report.used == 15 && report.slots == 30));
}

TEST_CASE("evenly keeps the proportion of the sides everywhere", "[interleave]") {
  CHECK(letters(evenly(anchors(4), {moves(4), moves(2, 6)})) == "m0m61m2m73");
  CHECK(letters(evenly(anchors(3), {moves(3)})) == "m0m1m2");
}

TEST_CASE("level follows each matrix instruction by the same number of slots, those of the anchors included",
          "[interleave]") {
  CHECK(letters(level(anchors(4), {moves(8)})) == "m01m23m45m67");
  Block reads = anchors(1);  // two of the anchors' own after the first one
  reads << moves(2, 8) << anchors(3);
  CHECK(letters(level(reads, {moves(6)})) == "m089m1m23m45");
  Block products = moves(1);  // a side's matrix instruction takes its place among the anchors, after what precedes it
  products << anchors(1) << moves(1, 1);
  CHECK(letters(level(anchors(2), {products})) == "m0m1m");
  Block exps(Arch::gfx942);  // 16 clocks: four slots
  for (int i = 0; i < 2; ++i) exps.v_exp_f32(Vgpr{static_cast<uint16_t>(200 + i), 1}, Vgpr{210, 1});
  CHECK(letters(level(anchors(4), {exps, moves(8, 2)})) == "m230m45m671m89");
  CHECK(letters(level(anchors(0), {moves(2)})) == "01");
}

TEST_CASE("paced sides take their issue slots evenly, none before its side's matrix instruction", "[interleave]") {
  Block all(Arch::gfx1250), exps(Arch::gfx1250), adds(Arch::gfx1250), read(Arch::gfx1250);
  for (int i = 0; i < 4; ++i) all.v_wmma_f32_16x16x32_bf16(Vgpr{0, 8}, Vgpr{8, 8}, Vgpr{16, 8}, 0);
  for (uint16_t i = 0; i < 2; ++i) exps.v_exp_f32(Vgpr{static_cast<uint16_t>(200 + i), 1}, 1.0f);
  for (uint16_t i = 2; i < 6; ++i) adds.v_mov_b32(Vgpr{static_cast<uint16_t>(200 + i), 1}, 0);
  CHECK(letters(paced(all, {{exps}, {adds}})) == "m0m1m23m45");  // an exponential counts twice
  CHECK(letters(paced(all, {{exps}, {adds, 4}})) == "m0m1mm2345");
  read.ds_read_b128(Vgpr{207, 4}, Vgpr{100, 1});
  CHECK(letters(paced(interleave(all, {{read, {.after = 1}}}), {{exps}, {adds}})) == "m0m71m23m45");
}

TEST_CASE("what follows code is spread before its end, over the most instructions that are independent of both",
          "[interleave]") {
  const Block aside = moves(4);
  CHECK(letters(spread_before(anchors(4), aside, {})) == "m0m1m2m3");
  const auto between = [](auto&& middle, int before, int behind) {
    Block code = anchors(before);
    middle(code);
    return code << anchors(behind);
  };
  const Vgpr made{200, 1}, used{208, 1};
  const auto makes = [&](Block& b) { b.v_mov_b32(made, 1); };
  // Behind what makes its input, or makes its result anew; before that, where the result is scratch.
  Block reads(Arch::gfx942);
  reads.v_mov_b32(used, made), reads.v_mov_b32(Vgpr{209, 1}, made);
  CHECK(letters(spread_before(between(makes, 3, 2), reads, {})) == "mmm0m8m9");
  CHECK(letters(spread_before(between(makes, 4, 2), aside, {})) == "mmmm0m01m23");
  CHECK(letters(spread_before(between(makes, 4, 2), aside, {made.operand()})) == "m0m1m2m30mm");
  // Not before what reads what it overwrites; scratch that is made there is read there.
  const auto uses = [&](Block& b) { b.v_mov_b32(used, made); };
  CHECK(letters(spread_before(between(uses, 4, 2), aside, {})) == "mmmm8m01m23");
  const auto both = [&](Block& b) { makes(b), uses(b); };
  CHECK(letters(spread_before(between(both, 4, 2), aside, {made.operand()})) == "m0m1m2m308mm");
  // SCC.
  const auto compares = [](Block& b) { b.s_cmp_eq_u32(Sgpr{0, 1}, 0), b.s_cselect_b32(Sgpr{1, 1}, 1, 0); };
  Block adds(Arch::gfx942);
  adds.s_add_u32(Sgpr{2, 1}, Sgpr{2, 1}, 1), adds.s_addc_u32(Sgpr{3, 1}, Sgpr{3, 1}, 0);
  const Block code = spread_before(between(compares, 2, 1), adds, {});
  std::vector<isa::Opcode> order;
  for (const Node& n : code.nodes)
    if (!n.inst.info().is_matrix()) order.push_back(n.inst.op);
  CHECK(order == std::vector{isa::Opcode::s_add_u32, isa::Opcode::s_addc_u32, isa::Opcode::s_cmp_eq_u32,
                             isa::Opcode::s_cselect_b32});
  // Branches keep it behind.
  Block branches(Arch::gfx942);
  branches.s_branch(LabelArg{isa::label(0)});
  CHECK(letters(spread_before(anchors(2), branches, {})).starts_with("mm"));
}
