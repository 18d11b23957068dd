// Operand layouts of every matrix instruction: by brute force, and against the formulas and tables that AMD's guides
// print, written here as formulas over lane and item. Disagreement with a guide is a bug of the rules, not of the test.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "isa_tables/layout.h"
#include "kernels/plan/tensor_layout.h"

namespace wavesmith::isa {

namespace {

const Info& row_of(const char* mnemonic, Arch arch) {
  const auto op = find_opcode(mnemonic, arch);
  REQUIRE(op);
  return info(*op);
}
OperandLayout of(const char* mnemonic, Arch arch, MatrixOperand o, LayoutChoice choice = {}) {
  return layout(row_of(mnemonic, arch), arch, o, choice);
}

// Calls each(row, arch) for every matrix instruction of every target.
template <class F>
void for_every_matrix(F each) {
  for (size_t a = 0; a < all_targets().size(); ++a)
    for (const Info& row : table())
      if (row.is_matrix() && row.on(static_cast<Arch>(a))) each(row, static_cast<Arch>(a));
}

// ... and each(layout) for every operand, wave size and format of it.
template <class F>
void for_every_layout(F each) {
  for_every_matrix([&](const Info& row, Arch arch) {
    const Target& t = target(arch);
    std::vector<int> waves{t.wave_size};
    if (t.wave_size == 32 && t.family != Family::gfx1250) waves.push_back(64);
    std::vector<Type> formats{Type::fp8};
    if (row.matrix.a == Type::f8f6f4) formats = {Type::fp8, Type::bf8, Type::fp6, Type::bf6, Type::fp4};
    for (const int wave : waves)
      for (const Type format : formats)
        for (const MatrixOperand o : operands_of(row.matrix))
          each(row, arch, layout(row, arch, o, {.wave_size = wave, .a_format = format, .b_format = format}));
  });
}

std::string describe(const Info& row, Arch arch, const OperandLayout& l) {
  return fmt::format("{} on {}, wave{}, operand {}, {} bits", row.mnemonic, target(arch).name, l.lanes, name(l.operand),
                     l.item_bits);
}

// Every (lane, item) of the layout holds expected(lane, item), and expected is defined for all of them.
template <class F>
void check_map(const OperandLayout& l, F expected) {
  int wrong = 0;
  for (int lane = l.first_lane; lane < l.first_lane + l.used_lanes(); ++lane)
    for (int i = 0; i < l.items(); ++i) wrong += !(l.at({lane, i}) == std::optional<Element>(expected(lane, i)));
  CHECK(wrong == 0);
}

// The place of an element that sits in one lane only.
Place only(const OperandLayout& l, Element e) {
  const auto places = l.find(e);
  REQUIRE(places.size() == 1);
  return places[0];
}

}  // namespace

TEST_CASE("every element of every operand is held exactly as often as the instruction repeats it", "[layout]") {
  int layouts = 0;
  for_every_layout([&](const Info& row, Arch arch, const OperandLayout& l) {
    INFO(describe(row, arch, l));
    ++layouts;
    std::map<std::tuple<int, int, int>, std::vector<std::pair<int, int>>> held;
    for (int lane = 0; lane < l.lanes; ++lane)
      for (int i = 0; i < l.items(); ++i)
        if (const auto e = l.at({lane, i})) held[{e->block, e->row, e->col}].emplace_back(lane, i);
    int wrong = 0;
    for (int b = 0; b < l.blocks; ++b)
      for (int r = 0; r < l.rows; ++r)
        for (int c = 0; c < l.cols; ++c) {
          std::set<std::pair<int, int>> found;
          for (const Place& p : l.find({b, r, c})) found.emplace(p.lane, p.item);
          const auto& there = held[{b, r, c}];
          wrong += static_cast<int>(there.size()) != l.copies() ||
                   found != std::set<std::pair<int, int>>(there.begin(), there.end());
        }
    CHECK(wrong == 0);
    CHECK(static_cast<int>(held.size()) == l.blocks * l.rows * l.cols);
  });
  CHECK(layouts > 1000);
}

// Only gfx11 repeats A and B (RDNA3 ISA 7.9): twice in a wave32, four times in a wave64.
TEST_CASE("operands are repeated by gfx11's A and B alone", "[layout]") {
  for_every_layout([](const Info& row, Arch arch, const OperandLayout& l) {
    INFO(describe(row, arch, l));
    const bool gfx11 = target(arch).family == Family::rdna3 || target(arch).family == Family::rdna35;
    const bool input = l.operand == MatrixOperand::a || l.operand == MatrixOperand::b;
    CHECK(l.copies() == (gfx11 && input ? l.lanes / 16 : 1));
  });
}

TEST_CASE("a lane's items fill the registers that the row's operand takes", "[layout]") {
  using enum MatrixOperand;
  const std::map<MatrixOperand, int> place{{d, 0}, {a, 1}, {b, 2}, {c, 3}, {index, 3}, {scale_a, 4}, {scale_b, 5}};
  for_every_matrix([&](const Info& row, Arch arch) {
    const Matrix& x = row.matrix;
    for (const MatrixOperand o : operands_of(x)) {
      if (x.sparse() && (o == c || (o == d && x.c != x.d)))
        continue;  // C is D's registers; bf16f32: the narrower D uses half of them
      const OperandLayout l = layout(row, arch, o);
      INFO(describe(row, arch, l));
      CHECK(l.registers() == row.operands[static_cast<size_t>(place.at(o))].dwords);
    }
  });
}

// CDNA3 ISA 7.1.4: items and lanes of A[i,k], B[k,j] and D[i,j] in block b. The guide's lane of D puts rows before
// blocks; they meet in f64 4x4x4 alone, where AMD's calculator and probes of silicon put blocks before rows.
TEST_CASE("MFMA operands follow the general layout of the CDNA guides", "[layout]") {
  for_every_matrix([](const Info& row, Arch arch) {
    const Matrix& x = row.matrix;
    if (x.kind != MatrixKind::mfma || x.a == Type::f8f6f4) return;
    const int m = x.m, n = x.n, blocks = x.blocks, run = x.k / (64 / (m * blocks));
    const int h = x.d == Type::f64 ? 1 : 4, bi = (64 * h + n * m - 1) / (n * m), mi = 64 / bi / n, g = m / (h * mi);
    const auto a = layout(row, arch, MatrixOperand::a), b = layout(row, arch, MatrixOperand::b),
               d = layout(row, arch, MatrixOperand::d);
    INFO(describe(row, arch, a));
    int wrong = 0;
    for (int block = 0; block < blocks; ++block) {
      for (int k = 0; k < x.k; ++k) {
        for (int i = 0; i < m; ++i)
          wrong += only(a, {block, i, k}) != Place{i + m * (block + blocks * (k / run)), k % run};
        for (int j = 0; j < n; ++j)
          wrong += only(b, {block, k, j}) != Place{j + n * (block + blocks * (k / run)), k % run};
      }
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          wrong += only(d, {block, i, j}) !=
                   Place{j + n * (block % bi + bi * ((i / h) % mi)), i % h + h * (i / (h * mi) + g * (block / bi))};
    }
    CHECK(wrong == 0);
    CHECK(layout(row, arch, MatrixOperand::c).map == d.map);
  });
}

// mfma_knowledge.md (v_mfma_f32_32x32x8_f16) and planner_spec.md 11.1, "spelled out".
TEST_CASE("32x32, 16x16 and 4x4 tiles lie as the seeds and the specification state", "[layout]") {
  for (const char* mnemonic : {"v_mfma_f32_32x32x8_f16"}) {
    check_map(of(mnemonic, Arch::gfx942, MatrixOperand::a),
              [](int l, int i) { return Element{0, l % 32, 4 * (l / 32) + i}; });
    check_map(of(mnemonic, Arch::gfx942, MatrixOperand::b),
              [](int l, int i) { return Element{0, 4 * (l / 32) + i, l % 32}; });
    check_map(of(mnemonic, Arch::gfx942, MatrixOperand::d),
              [](int l, int i) { return Element{0, i % 4 + 4 * (l / 32) + 8 * (i / 4), l % 32}; });
  }
  check_map(of("v_mfma_f32_16x16x16_f16", Arch::gfx942, MatrixOperand::c),
            [](int l, int i) { return Element{0, i + 4 * (l / 16), l % 16}; });
  check_map(of("v_mfma_f64_16x16x4_f64", Arch::gfx90a, MatrixOperand::d),
            [](int l, int i) { return Element{0, l / 16 + 4 * i, l % 16}; });
  check_map(of("v_mfma_f32_4x4x4_16b_f16", Arch::gfx942, MatrixOperand::a),
            [](int l, int i) { return Element{l / 4, l % 4, i}; });
  check_map(of("v_mfma_f32_4x4x4_16b_f16", Arch::gfx942, MatrixOperand::d),
            [](int l, int i) { return Element{l / 4, i, l % 4}; });
  check_map(of("v_mfma_f64_4x4x4_4b_f64", Arch::gfx942, MatrixOperand::d),
            [](int l, int) { return Element{l % 16 / 4, l / 16, l % 4}; });
}

// fp8: lane 16 ((k % 64) / 16) + i, byte 16 (k / 64) + k % 16, probed on an MI350 and in AMD's programming example for
// 32x32x64; fp4: CDNA4 ISA 7.1.5.1; scales: one byte a lane, k block by lane group, chosen by op_sel (CDNA4 ISA 7.2.1).
TEST_CASE("gfx950's block-scaled forms take k in pieces of 16 bytes, 32 elements in 6 bits", "[layout]") {
  const char* small = "v_mfma_scale_f32_16x16x128_f8f6f4";
  const char* large = "v_mfma_scale_f32_32x32x64_f8f6f4";
  check_map(of(small, Arch::gfx950, MatrixOperand::a),
            [](int l, int i) { return Element{0, l % 16, 16 * (l / 16) + i % 16 + 64 * (i / 16)}; });
  check_map(of(large, Arch::gfx950, MatrixOperand::b),
            [](int l, int i) { return Element{0, 16 * (l / 32) + i % 16 + 32 * (i / 16), l % 32}; });
  for (const Type narrow : {Type::fp4, Type::fp6, Type::bf6}) {
    check_map(of(large, Arch::gfx950, MatrixOperand::a, {.a_format = narrow}),
              [](int l, int i) { return Element{0, l % 32, 32 * (l / 32) + i}; });
    check_map(of(small, Arch::gfx950, MatrixOperand::b, {.b_format = narrow}),
              [](int l, int i) { return Element{0, 32 * (l / 16) + i, l % 16}; });
  }
  CHECK(of(small, Arch::gfx950, MatrixOperand::a, {.a_format = Type::fp6}).registers() == 6);
  CHECK(of(small, Arch::gfx950, MatrixOperand::a, {.a_format = Type::fp6}).where(5).bit ==
        30);  // item 4 in bits 35-30 is the guide's slip for item 5
  check_map(of(small, Arch::gfx950, MatrixOperand::scale_a), [](int l, int) { return Element{0, l % 16, l / 16}; });
  check_map(of(large, Arch::gfx950, MatrixOperand::scale_b), [](int l, int) { return Element{0, l / 32, l % 32}; });
  CHECK(of(small, Arch::gfx950, MatrixOperand::scale_b, {.select = 2}).where(0).bit == 16);
}

// CDNA3: AMD matrix instruction calculator. gfx950's doubled K: A and index contiguous, B in two runs of 16 bytes
// (Composable Kernel's layout parameters; probed on an MI350).
TEST_CASE("SMFMAC holds kept k and index side by side, and B in runs of 16 bytes", "[layout]") {
  check_map(of("v_smfmac_f32_16x16x32_f16", Arch::gfx942, MatrixOperand::a),
            [](int l, int i) { return Element{0, l % 16, 4 * (l / 16) + i}; });
  check_map(of("v_smfmac_f32_16x16x32_f16", Arch::gfx942, MatrixOperand::b),
            [](int l, int i) { return Element{0, 8 * (l / 16) + i, l % 16}; });
  check_map(of("v_smfmac_i32_16x16x64_i8", Arch::gfx942, MatrixOperand::b),
            [](int l, int i) { return Element{0, 16 * (l / 16) + i, l % 16}; });
  check_map(of("v_smfmac_f32_16x16x64_f16", Arch::gfx950, MatrixOperand::a),
            [](int l, int i) { return Element{0, l % 16, 8 * (l / 16) + i}; });
  check_map(of("v_smfmac_f32_16x16x64_f16", Arch::gfx950, MatrixOperand::b),
            [](int l, int i) { return Element{0, 8 * (l / 16) + i % 8 + 32 * (i / 8), l % 16}; });
  check_map(of("v_smfmac_f32_32x32x64_fp8_bf8", Arch::gfx950, MatrixOperand::b),
            [](int l, int i) { return Element{0, 16 * (l / 32) + i % 16 + 32 * (i / 16), l % 32}; });
  const auto index = of("v_smfmac_f32_16x16x32_f16", Arch::gfx942, MatrixOperand::index, {.select = 3});
  check_map(index, [](int l, int i) { return Element{0, l % 16, 4 * (l / 16) + i}; });
  CHECK(index.where(1).bit == 26);  // the fourth of four sets of 8 bits (CDNA3 ISA 7.3), its second pair
  CHECK(of("v_smfmac_i32_32x32x32_i8", Arch::gfx942, MatrixOperand::index, {.select = 1}).where(0).bit == 16);
  CHECK_THROWS_WITH(of("v_smfmac_i32_32x32x32_i8", Arch::gfx942, MatrixOperand::index, {.select = 2}),
                    Catch::Contains("0 to 1"));
}

// RDNA3 ISA 7.9 and AMD matrix instruction calculator.
TEST_CASE("gfx11 repeats A and B in every 16 lanes and spreads rows of C over neighbouring lane groups", "[layout]") {
  for (const int wave : {32, 64}) {
    check_map(of("v_wmma_f32_16x16x16_f16", Arch::gfx1100, MatrixOperand::a, {.wave_size = wave}),
              [](int l, int i) { return Element{0, l % 16, i}; });
    check_map(of("v_wmma_i32_16x16x16_iu4", Arch::gfx1151, MatrixOperand::b, {.wave_size = wave}),
              [](int l, int i) { return Element{0, i, l % 16}; });
    check_map(of("v_wmma_f32_16x16x16_f16", Arch::gfx1100, MatrixOperand::c, {.wave_size = wave}),
              [&](int l, int i) { return Element{0, i * (wave / 16) + l / 16, l % 16}; });
  }
  const auto half = of("v_wmma_f16_16x16x16_f16", Arch::gfx1100, MatrixOperand::d),
             upper = of("v_wmma_f16_16x16x16_f16", Arch::gfx1100, MatrixOperand::d, {.select = 1});
  CHECK(half.registers() == 8);
  CHECK(half.where(3).reg == 3);
  CHECK(half.where(3).bit == 0);
  CHECK(upper.where(3).reg == 3);
  CHECK(upper.where(3).bit == 16);
}

// RDNA4 ISA 7.12.2, table of fields: lane, register and position from the bits of row and column.
TEST_CASE("gfx12 operands follow the RDNA4 guide's table, in wave32 and wave64", "[layout]") {
  const auto bit = [](int x, int i) { return x >> i & 1; };
  struct Case {
    const char* mnemonic;
    int wave;
    int bits;
    int (*lane)(int k, int x);
    int (*reg)(int k);
    int (*position)(int k);
  };
  const Case cases[] = {
      {"v_wmma_f32_16x16x16_f16", 32, 16, [](int k, int x) { return (k >> 2 & 1) * 16 + x; },
       [](int k) { return (k >> 3 & 1) * 2 + (k >> 1 & 1); }, [](int k) { return k & 1; }},
      {"v_wmma_f32_16x16x16_f16", 64, 16, [](int k, int x) { return (k >> 2 & 3) * 16 + x; },
       [](int k) { return k >> 1 & 1; }, [](int k) { return k & 1; }},
      {"v_wmma_i32_16x16x16_iu8", 32, 8, [](int k, int x) { return (k >> 3 & 1) * 16 + x; },
       [](int k) { return k >> 2 & 1; }, [](int k) { return k & 3; }},
      {"v_wmma_i32_16x16x16_iu8", 64, 8, [](int k, int x) { return (k >> 2 & 1) * 32 + (k >> 3 & 1) * 16 + x; },
       [](int) { return 0; }, [](int k) { return k & 3; }},
      {"v_wmma_i32_16x16x16_iu4", 32, 4, [](int k, int x) { return (k >> 3 & 1) * 16 + x; }, [](int) { return 0; },
       [](int k) { return k & 7; }},
      {"v_wmma_i32_16x16x16_iu4", 64, 4, [](int k, int x) { return (k >> 3 & 1) * 16 + x; }, [](int) { return 0; },
       [](int k) { return k & 7; }},
      {"v_wmma_i32_16x16x32_iu4", 32, 4, [](int k, int x) { return (k >> 4 & 1) * 16 + x; },
       [](int k) { return k >> 3 & 1; }, [](int k) { return k & 7; }},
      {"v_wmma_i32_16x16x32_iu4", 64, 4, [](int k, int x) { return (k >> 3 & 1) * 32 + (k >> 4 & 1) * 16 + x; },
       [](int) { return 0; }, [](int k) { return k & 7; }},
  };
  for (const Case& t : cases)
    for (const MatrixOperand o : {MatrixOperand::a, MatrixOperand::b}) {
      const auto l = of(t.mnemonic, Arch::gfx1201, o, {.wave_size = t.wave});
      INFO(t.mnemonic << " wave" << t.wave << " operand " << name(o));
      int wrong = 0;
      for (int k = 0; k < (o == MatrixOperand::a ? l.cols : l.rows); ++k)
        for (int x = 0; x < 16; ++x) {
          const Place p = only(l, o == MatrixOperand::a ? Element{0, x, k} : Element{0, k, x});
          const auto at = l.where(p.item);
          wrong += p.lane != t.lane(k, x) || at.reg != t.reg(k) || at.bit != t.position(k) * t.bits;
        }
      CHECK(wrong == 0);
    }
  for (const int wave : {32, 64}) {
    const auto d = of("v_wmma_f32_16x16x16_f16", Arch::gfx1200, MatrixOperand::d, {.wave_size = wave}),
               half = of("v_wmma_f16_16x16x16_f16", Arch::gfx1200, MatrixOperand::d, {.wave_size = wave});
    for (int row = 0; row < 16; ++row) {
      const int lane = wave == 32 ? bit(row, 3) * 16 + 5 : bit(row, 2) * 32 + bit(row, 3) * 16 + 5,
                reg = wave == 32 ? row & 7 : row & 3;
      CHECK(only(d, {0, row, 5}) == Place{lane, reg});
      CHECK(only(half, {0, row, 5}).lane == lane);
      CHECK(half.where(only(half, {0, row, 5}).item).reg == reg / 2);
      CHECK(half.where(only(half, {0, row, 5}).item).bit == 16 * (row & 1));
    }
  }
  check_map(of("v_swmmac_f32_16x16x32_f16", Arch::gfx1201, MatrixOperand::b),
            [](int l, int i) { return Element{0, i % 8 + 8 * (l / 16) + 16 * (i / 8), l % 16}; });
}

// CDNA5 ISA 7.12.2 (dense), 7.12.4 and 7.12.5 (sparse B), 7.12.6 (block scales).
TEST_CASE("gfx1250 operands follow the tables of its guide", "[layout]") {
  using enum MatrixOperand;
  constexpr Arch arch = Arch::gfx1250;
  check_map(of("v_wmma_f32_16x16x4_f32", arch, a), [](int l, int i) { return Element{0, l % 16, i + 2 * (l / 16)}; });
  for (const char* plain : {"v_wmma_f32_16x16x32_f16", "v_wmma_f32_16x16x64_fp8_fp8", "v_wmma_f16_16x16x128_bf8_fp8",
                            "v_wmma_i32_16x16x64_iu8"}) {
    INFO(plain);
    check_map(of(plain, arch, a), [](int l, int i) { return Element{0, l % 16, i % 8 + 8 * (l / 16) + 16 * (i / 8)}; });
    check_map(of(plain, arch, b), [](int l, int i) { return Element{0, i % 8 + 8 * (l / 16) + 16 * (i / 8), l % 16}; });
  }
  check_map(of("v_wmma_f32_16x16x128_f8f6f4", arch, a),
            [](int l, int i) { return Element{0, l % 16, i % 16 + 16 * (l / 16) + 32 * (i / 16)}; });
  for (const Type narrow : {Type::fp6, Type::bf6, Type::fp4})
    check_map(of("v_wmma_scale_f32_16x16x128_f8f6f4", arch, b, {.b_format = narrow}),
              [](int l, int i) { return Element{0, i % 32 + 32 * (l / 16) + 64 * (i / 32), l % 16}; });
  check_map(of("v_wmma_f32_32x16x128_f4", arch, a), [](int l, int i) {
    return Element{0, l % 16 + 16 * (i / 64), i % 32 + 32 * (l / 16) + 64 * (i / 32 % 2)};
  });
  check_map(of("v_wmma_f32_32x16x128_f4", arch, d),
            [](int l, int i) { return Element{0, i % 8 + 8 * (l / 16) + 16 * (i / 8), l % 16}; });
  check_map(of("v_wmma_f16_16x16x32_f16", arch, d), [](int l, int i) { return Element{0, i + 8 * (l / 16), l % 16}; });
  check_map(of("v_swmmac_f32_16x16x64_f16", arch, b),
            [](int l, int i) { return Element{0, i % 16 + 16 * (l / 16) + 32 * (i / 16), l % 16}; });
  check_map(of("v_swmmac_f32_16x16x128_fp8_fp8", arch, b),
            [](int l, int i) { return Element{0, i % 16 + 16 * (l / 16) + 32 * (i / 16), l % 16}; });
  check_map(of("v_wmma_scale_f32_16x16x128_f8f6f4", arch, scale_a, {.select = 1}),
            [](int l, int i) { return Element{0, l - 16, i}; });
  check_map(of("v_wmma_scale16_f32_16x16x128_f8f6f4", arch, scale_b), [](int l, int i) { return Element{0, i, l}; });
  check_map(of("v_wmma_scale_f32_32x16x128_f4", arch, scale_a), [](int l, int i) { return Element{0, l, i}; });
  CHECK(of("v_wmma_scale_f32_16x16x128_f8f6f4", arch, scale_a).used_lanes() == 16);
  CHECK(of("v_wmma_scale16_f32_16x16x128_f8f6f4", arch, scale_b).registers() == 2);
}

// The tensor layouts of the planner, built from other rules (planner_spec.md 11), hold one instruction as the
// instruction itself does.
TEST_CASE("a tensor of one tile lies as the instruction's operands do", "[layout][tensor_layout]") {
  int compared = 0;
  const auto same = [&](const OperandLayout& l, const LinearLayout& t) {
    REQUIRE(1 << t.input_bits("register") == l.items());
    int wrong = 0;
    for (int lane = 0; lane < 64; ++lane)
      for (int i = 0; i < l.items(); ++i) {
        const auto c = plan::coordinates(t, i, lane);
        wrong += !(l.at({lane, i}) == std::optional<Element>(Element{0, c[0], c[1]}));
      }
    CHECK(wrong == 0);
    ++compared;
  };
  for_every_matrix([&](const Info& row, Arch arch) {
    const Matrix& x = row.matrix;
    if (x.kind != MatrixKind::mfma || x.blocks > 1) return;
    const plan::LayoutEncoding e{.unit = plan::MatrixUnit::mfma,
                                 .version = 3,
                                 .instruction = {x.m, x.n, x.k},
                                 .warps = {1, 1},
                                 .element_bits = bits(x.d)};
    const int per_lane = x.m * x.k / 64, k_width = x.a == Type::f8f6f4 ? 16 : per_lane;
    INFO(row.mnemonic << " on " << target(arch).name);
    same(layout(row, arch, MatrixOperand::d), plan::result_layout(e, {x.m, x.n}));
    same(layout(row, arch, MatrixOperand::a), plan::operand_layout(e, plan::OperandSide::a, k_width, {x.m, x.k}));
    same(layout(row, arch, MatrixOperand::b), plan::operand_layout(e, plan::OperandSide::b, k_width, {x.k, x.n}));
    if (x.scale_block)
      same(layout(row, arch, MatrixOperand::scale_a),
           plan::scale_layout(e, plan::OperandSide::a, {x.m, x.k / x.scale_block}));
  });
  CHECK(compared > 100);
}

TEST_CASE("what an instruction or target does not have is refused with what is legal", "[layout]") {
  CHECK_THROWS_WITH(of("v_add_f32", Arch::gfx942, MatrixOperand::a), Catch::Contains("not a matrix instruction"));
  CHECK_THROWS_WITH(of("v_mfma_f32_32x32x8_f16", Arch::gfx942, MatrixOperand::scale_a),
                    Catch::Contains("legal: a b c d"));
  CHECK_THROWS_WITH(layout(row_of("v_mfma_f32_32x32x16_f16", Arch::gfx950), Arch::gfx942, MatrixOperand::a),
                    Catch::Contains("not on gfx942, legal: gfx950"));
  CHECK_THROWS_WITH(of("v_mfma_f32_32x32x8_f16", Arch::gfx942, MatrixOperand::a, {.wave_size = 32}),
                    Catch::Contains("legal: 64"));
  CHECK_THROWS_WITH(of("v_mfma_f32_32x32x8_f16", Arch::gfx942, MatrixOperand::a, {.select = 1}),
                    Catch::Contains("legal: 0"));
  CHECK_THROWS_WITH(of("v_mfma_f32_32x32x8_f16", Arch::gfx942, MatrixOperand::d).find({0, 32, 0}),
                    Catch::Contains("1 blocks of 32 x 32"));
}

}  // namespace wavesmith::isa
