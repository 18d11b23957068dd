// Every kind of matrix instruction on small whole numbers, whose sums are exact whatever their order: plain arithmetic
// on the host is the reference, and operands lie where isa_tables/layout.h says.
#include "generator/dsl/block.h"
#include "tests/checker/check_program.h"
#include "tests/support/matrix_bench.h"
#include "tests/support/one_wave.h"

#include <cmath>
#include <map>

using namespace wavesmith;
using isa::Type;
using simtest::bits_of, simtest::format_of, simtest::value_of;

namespace {

// Small whole numbers everywhere: every sum is exact whatever its order, so plain arithmetic on the host is the
// reference.
void check_on_whole_numbers(isa::Opcode op, isa::Arch arch, isa::Mods mods, std::mt19937& random) {
  using enum isa::MatrixOperand;
  simtest::MatrixBench bench(op, arch, mods);
  const isa::Matrix& x = bench.shape();
  if (x.a == Type::f8f6f4)
    bench.choice.a_format = isa::narrow_format(mods.cbsz), bench.choice.b_format = isa::narrow_format(mods.blgp);
  const Type at = bench.layout(a).type, bt = bench.layout(b).type;
  const bool unsigned_a = x.d == Type::i32 && x.kind >= isa::MatrixKind::wmma && !(mods.neg_lo & 1),
             unsigned_b = x.d == Type::i32 && x.kind >= isa::MatrixKind::wmma && !(mods.neg_lo & 2);
  // RDNA3 counts a unit too many for terms against the accumulator's sign: there, of one sign, and small enough for
  // bf16.
  const bool one_sign =
      x.d != Type::i32 && sim::summation(isa::target(arch).family, x, {at, x.k, 1}).how == sim::Sum::complement;
  const auto draw = [&](bool is_unsigned) {
    return one_sign ? static_cast<double>(random() % 3)
                    : static_cast<double>(static_cast<int>(random() % 5) - (is_unsigned ? 0 : 2));
  };
  const int ka = x.sparse() ? x.k / 2 : x.k;
  std::vector<double> A(static_cast<size_t>(x.blocks * x.m * x.k)), B(static_cast<size_t>(x.blocks * x.k * x.n)),
      C(static_cast<size_t>(x.blocks * x.m * x.n));
  const auto in_a = [&](int block, int i, int k) -> double& {
    return A[static_cast<size_t>((block * x.m + i) * x.k + k)];
  };
  const auto in_b = [&](int block, int k, int j) -> double& {
    return B[static_cast<size_t>((block * x.k + k) * x.n + j)];
  };
  const auto in_c = [&](int block, int i, int j) -> double& {
    return C[static_cast<size_t>((block * x.m + i) * x.n + j)];
  };
  for (int block = 0; block < x.blocks; ++block) {
    for (int i = 0; i < x.m; ++i)
      for (int k = 0; k < ka; ++k) {
        const double v = draw(unsigned_a);
        bench.put(a, {block, i, k}, bits_of(at, arch, v));
        if (!x.sparse()) {
          in_a(block, i, k) = v;
          continue;
        }
        // The two kept of four: the first is column 0, 1 or 2, the second one further on.
        static int first = 0;
        const int column = k % 2 == 0 ? first = static_cast<int>(random() % 3)
                                      : first + 1 + static_cast<int>(random() % static_cast<unsigned>(3 - first));
        bench.put(index, {0, i, k}, static_cast<uint64_t>(column));
        in_a(0, i, k / 2 * 4 + column) = v;
      }
    for (int k = 0; k < x.k; ++k)
      for (int j = 0; j < x.n; ++j)
        bench.put(b, {block, k, j}, bits_of(bt, arch, in_b(block, k, j) = draw(unsigned_b)));
    for (int i = 0; i < x.m; ++i)
      for (int j = 0; j < x.n; ++j)
        bench.put(
            c, {block, i, j},
            bits_of(x.c, arch,
                    in_c(block, i, j) = static_cast<double>(static_cast<int>(random() % 9) - (one_sign ? 0 : 4))));
  }
  if (x.scale_block)
    for (int kb = 0; kb < x.k / x.scale_block; ++kb) {
      for (int i = 0; i < x.m; ++i) {
        const int s = static_cast<int>(random() % 3) - 1;
        bench.put(scale_a, {0, i, kb}, static_cast<uint64_t>(127 + s));
        for (int k = 0; k < x.scale_block; ++k) in_a(0, i, kb * x.scale_block + k) *= std::ldexp(1, s);
      }
      for (int j = 0; j < x.n; ++j) {
        const int s = static_cast<int>(random() % 3) - 1;
        bench.put(scale_b, {0, kb, j}, static_cast<uint64_t>(127 + s));
        for (int k = 0; k < x.scale_block; ++k) in_b(0, kb * x.scale_block + k, j) *= std::ldexp(1, s);
      }
    }
  bench.run();
  int wrong = 0;
  for (int block = 0; block < x.blocks; ++block)
    for (int i = 0; i < x.m; ++i)
      for (int j = 0; j < x.n; ++j) {
        double want = in_c(block, i, j);
        for (int k = 0; k < x.k; ++k) want += in_a(block, i, k) * in_b(block, k, j);
        if (const auto* f = format_of(x.d, arch))
          want = sim::decode(*f, sim::encode(*f, want));  // bf16 rounds sums beyond 256
        wrong += value_of(x.d, arch, bench.get({block, i, j})) != want;
      }
  CAPTURE(isa::info(op).mnemonic, isa::target(arch).name, mods.cbsz, mods.blgp, mods.neg_lo);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("every matrix instruction of every target multiplies", "[matrix]") {
  std::mt19937 random(7);
  int ran = 0;
  for (size_t i = 0; i < isa::all_targets().size(); ++i)
    for (size_t op = 0; op < isa::table().size(); ++op) {
      const isa::Info& row = isa::table()[op];
      const auto arch = static_cast<isa::Arch>(i);
      if (!row.is_matrix() || !row.on(arch)) continue;
      ++ran;
      if (row.matrix.a == Type::f8f6f4) {
        for (uint8_t f = 0; f < 25; ++f)
          check_on_whole_numbers(
              static_cast<isa::Opcode>(op), arch,
              {.op_sel_hi = 0, .cbsz = static_cast<uint8_t>(f / 5), .blgp = static_cast<uint8_t>(f % 5)}, random);
      } else if (row.matrix.d == Type::i32 && row.format == isa::Format::vop3p) {
        for (uint8_t neg = 0; neg < 4; ++neg)
          check_on_whole_numbers(static_cast<isa::Opcode>(op), arch, {.neg_lo = neg}, random);
      } else {
        check_on_whole_numbers(static_cast<isa::Opcode>(op), arch, {}, random);
      }
    }
  CHECK(ran > 200);
}

namespace {

// A bench of f16 or i8 operands whose elements are small whole numbers drawn here.
struct Drawn {
  simtest::MatrixBench bench;
  std::mt19937 random{23};
  std::map<std::array<int, 3>, double> A, B, C;  // by block, row, column
  Drawn(const char* mnemonic, isa::Arch arch, isa::Mods mods, sim::Numerics numerics = sim::Numerics::exact)
      : bench(*isa::find_opcode(mnemonic, arch), arch, mods, numerics), arch_(arch) {}
  void fill() {
    using enum isa::MatrixOperand;
    const isa::Matrix& x = bench.shape();
    const auto set = [&](isa::MatrixOperand o, std::map<std::array<int, 3>, double>& in, int rows, int cols) {
      for (int block = 0; block < x.blocks; ++block)
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < cols; ++j)
            bench.put(o, {block, i, j},
                      bits_of(bench.layout(o).type, arch_, in[{block, i, j}] = static_cast<double>(random() % 7) - 3));
    };
    set(a, A, x.m, x.k), set(b, B, x.k, x.n), set(c, C, x.m, x.n);
  }
  template <class F>
  int wrong(F want) {  // want(block, row, col)
    const isa::Matrix& x = bench.shape();
    int n = 0;
    for (int block = 0; block < x.blocks; ++block)
      for (int i = 0; i < x.m; ++i)
        for (int j = 0; j < x.n; ++j) n += value_of(x.d, arch_, bench.get({block, i, j})) != want(block, i, j);
    return n;
  }
  double dot(int a_block, int i, int b_block, int j, int first = 0, int step = 1) const {
    double sum = 0;
    for (int k = first; A.count({a_block, i, k}); k += step) sum += A.at({a_block, i, k}) * B.at({b_block, k, j});
    return sum;
  }

 private:
  isa::Arch arch_;
};

}  // namespace

TEST_CASE("CBSZ and ABID broadcast a block of A; BLGP moves the lanes of B", "[matrix]") {
  Drawn t("v_mfma_f32_4x4x4_16b_f16", isa::Arch::gfx942, {.cbsz = 2, .abid = 1});
  t.fill();
  t.bench.run();
  CHECK(t.wrong([&](int block, int i, int j) { return t.C[{block, i, j}] + t.dot(block / 4 * 4 + 1, i, block, j); }) ==
        0);

  Drawn e("v_mfma_f32_16x16x4_4b_f16", isa::Arch::gfx942,
          {.blgp = 3});  // rotated by 16 lanes, which are one block here
  e.fill();
  e.bench.run();
  CHECK(e.wrong([&](int block, int i, int j) { return e.C[{block, i, j}] + e.dot(block, i, (block + 1) % 4, j); }) ==
        0);
}

TEST_CASE(
    "CBSZ and ABID that name blocks an instruction does not have are refused, by the simulator, the checker and the "
    "author's line",
    "[matrix][check][generator][fault]") {
  struct Case {
    const char* text;
    const char* why;
  };
  for (const Case& c :
       {Case{"v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15] cbsz:4 abid:15",
             "cbsz:4 broadcasts a block of A to 16 blocks, but the instruction has 1; legal: cbsz:0"},
        {"v_mfma_f32_16x16x4_4b_f16 a[0:15], v[2:3], v[4:5], a[0:15] cbsz:3",
         "cbsz:3 broadcasts a block of A to 8 blocks, but the instruction has 4; legal: cbsz:0 to cbsz:2"},
        {"v_mfma_f32_16x16x4_4b_f16 a[0:15], v[2:3], v[4:5], a[0:15] cbsz:1 abid:2",
         "abid:2 is beyond the 2 blocks that cbsz:1 selects from; legal: abid:0 to abid:1"},
        {"v_mfma_f32_16x16x4_4b_f16 a[0:15], v[2:3], v[4:5], a[0:15] cbsz:2 abid:3", ""},
        {"v_mfma_f64_16x16x4_f64 a[0:7], v[2:3], v[4:5], a[0:7] cbsz:4 abid:15",
         ""}}) {  // "These instructions ignore CBSZ and ABID"
    CAPTURE(c.text);
    simtest::OneWave w(isa::Arch::gfx942);
    w.run(c.text);
    CHECK(w.fault() == c.why);
    const auto found = findings(program_of(isa::Arch::gfx942, std::string(c.text) + "\ns_endpgm\n"));
    CHECK((std::ranges::find(found, "0: undefined broadcast") != found.end()) == (*c.why != 0));
  }
  Block block(isa::Arch::gfx942);
  CHECK_THROWS_WITH(
      block.v_mfma_f32_32x32x8_f16(Agpr{0, 16}, Vgpr{2, 2}, Vgpr{4, 2}, Agpr{0, 16}, {.cbsz = 4, .abid = 15}),
      Catch::Contains("matrix_kinds_test.cpp:") && Catch::Contains("legal: cbsz:0"));
  CHECK_NOTHROW(
      block.v_mfma_f32_4x4x4_16b_f16(Agpr{0, 4}, Vgpr{2, 2}, Vgpr{4, 2}, Agpr{0, 4}, {.cbsz = 4, .abid = 15}));
}

TEST_CASE("BLGP negates A, B and C of an f64 matrix instruction", "[matrix]") {
  for (uint8_t neg = 0; neg < 8; ++neg) {
    Drawn t("v_mfma_f64_16x16x4_f64", isa::Arch::gfx942, {.blgp = neg});
    t.fill();
    t.bench.run();
    const double product = (neg & 1 ? -1 : 1) * (neg & 2 ? -1 : 1), c = neg & 4 ? -1 : 1;
    CHECK(t.wrong([&](int block, int i, int j) {
      return c * t.C[{block, i, j}] + product * t.dot(block, i, block, j);
    }) == 0);
  }
}

TEST_CASE("WMMA negates the halves of A and B, and takes -|C|", "[matrix]") {
  Drawn t("v_wmma_f32_16x16x16_f16", isa::Arch::gfx1200, {.neg_lo = 1 | 4, .neg_hi = 2 | 4});  // A's even k, B's odd k
  t.fill();
  t.bench.run();
  CHECK(t.wrong([&](int block, int i, int j) { return -std::fabs(t.C[{block, i, j}]) - t.dot(block, i, block, j); }) ==
        0);
}

TEST_CASE("a 16-bit result on gfx11 fills the half that op_sel names and keeps the other", "[matrix]") {
  Drawn t("v_wmma_f16_16x16x16_f16", isa::Arch::gfx1100, {.op_sel = 4});
  t.bench.choice.select = 0;
  for (int r = 0; r < 8; ++r) std::fill_n(t.bench.wave().vreg(simtest::MatrixBench::reg_d + r), 32, 0xabcd1234);
  using enum isa::MatrixOperand;
  std::fill_n(t.bench.wave().vreg(simtest::MatrixBench::reg_c), 8 * sim::Wave::lanes,
              0x3c004000);  // C: 1 in the upper halves
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 16; ++k) t.bench.put(a, {0, i, k}, 0x3c00), t.bench.put(b, {0, k, i}, 0x3c00);
  t.bench.run();
  int wrong = 0;
  for (int r = 0; r < 8; ++r)
    for (int l = 0; l < 32; ++l)
      wrong += t.bench.wave().vreg(simtest::MatrixBench::reg_d + r)[l] != (0x4c401234);  // 17.0
  CHECK(wrong == 0);
}

TEST_CASE("integer WMMA saturates with clamp and wraps without", "[matrix]") {
  using enum isa::MatrixOperand;
  for (const bool clamp : {false, true}) {
    Drawn t("v_wmma_i32_16x16x16_iu8", isa::Arch::gfx1200, {.flags = clamp ? uint32_t{isa::clamp} : 0, .neg_lo = 3});
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < 16; ++k)
        t.bench.put(a, {0, i, k}, 127), t.bench.put(b, {0, k, i}, 127), t.bench.put(c, {0, i, k}, INT32_MAX - 1000);
    t.bench.run();
    CHECK(static_cast<int32_t>(t.bench.get({0, 3, 4})) ==
          (clamp ? INT32_MAX : static_cast<int32_t>(uint32_t{INT32_MAX - 1000} + 16 * 127 * 127)));
  }
}

TEST_CASE("a scale of 0xff makes its block's products NaN, and far scales are applied exactly", "[matrix]") {
  using enum isa::MatrixOperand;
  const auto numerics = GENERATE(sim::Numerics::exact, sim::Numerics::fast);
  Drawn t("v_mfma_scale_f32_16x16x128_f8f6f4", isa::Arch::gfx950, {.op_sel_hi = 0}, numerics);
  t.fill();
  for (int i = 0; i < 16; ++i)
    for (int kb = 0; kb < 4; ++kb)
      t.bench.put(scale_a, {0, i, kb},
                  i == 2 && kb == 1 ? 255
                  : kb == 0         ? 127 + 60
                                    : 127 - 90),
          t.bench.put(scale_b, {0, kb, i}, kb == 0 ? 127 - 60 : 127 + 90);
  t.bench.run();
  CHECK(t.wrong([&](int block, int i, int j) {
    return i == 2 ? t.C[{block, 5, 5}] * NAN : t.C[{block, i, j}] + t.dot(block, i, block, j);
  }) == 16);  // NaN differs from all
  for (int j = 0; j < 16; ++j) CHECK(std::isnan(std::bit_cast<float>(static_cast<uint32_t>(t.bench.get({0, 2, j})))));
}

TEST_CASE("SMFMAC takes the index set that ABID names, the first one with CBSZ", "[matrix]") {
  using enum isa::MatrixOperand;
  for (const uint8_t cbsz : {0, 1}) {
    Drawn t("v_smfmac_f32_16x16x32_f16", isa::Arch::gfx942, {.cbsz = cbsz, .abid = 2});
    const isa::Matrix& x = t.bench.shape();
    for (int set = 0; set < 4; ++set) {  // columns 0 and 1 kept in every set but the one meant: 2 and 3
      t.bench.choice.select = set;
      for (int i = 0; i < x.m; ++i)
        for (int k = 0; k < x.k / 2; ++k)
          t.bench.put(index, {0, i, k}, static_cast<uint64_t>(k % 2 + (set == (cbsz ? 0 : 2) ? 2 : 0)));
    }
    t.bench.choice.select = 0;
    for (int i = 0; i < x.m; ++i)
      for (int k = 0; k < x.k / 2; ++k) t.bench.put(a, {0, i, k}, 0x3c00);
    for (int k = 0; k < x.k; ++k)
      for (int j = 0; j < x.n; ++j) t.bench.put(b, {0, k, j}, bits_of(Type::f16, isa::Arch::gfx942, k % 4 < 2 ? 1 : 2));
    t.bench.run();
    CHECK(t.wrong([&](int, int, int) { return x.k / 2 * 2.0; }) == 0);
  }
}
