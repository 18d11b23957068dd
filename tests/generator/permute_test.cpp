// Transposes of registers against their definition, on every target; and constants in registers.
#include "generator/dsl/permute.h"
#include "tests/support/dsl_kernel.h"

using namespace wavesmith;
using dsltest::on_every_target, dsltest::random_words, dsltest::run_items;

namespace {

// Element i of a register.
uint32_t element(uint32_t word, size_t i, unsigned bits) { return word >> i * bits & ((1u << bits) - 1); }

// `n` registers of n elements each: element (row, column) is expected at (column, row).
void check_transposed(const std::vector<uint32_t>& in, const std::vector<uint32_t>& out, size_t n) {
  REQUIRE(in.size() == out.size());
  for (size_t item = 0; item < in.size(); item += n)
    for (size_t row = 0; row < n; ++row)
      for (size_t column = 0; column < n; ++column)
        REQUIRE(element(out[item + column], row, 32 / n) == element(in[item + row], column, 32 / n));
}

}  // namespace

TEST_CASE("two rows of two 16-bit elements are transposed by two instructions", "[generator][permute]") {
  on_every_target([](Arch arch) {
    const auto in = random_words(2 * 64);
    for (const bool over : {false, true}) {  // the second result over the first or the second row
      check_transposed(in,
                       run_items({.arch = arch, .ins = 2, .outs = 2}, in,
                                 [&](const dsltest::Item& i) {
                                   Constants constants(i.kernel);
                                   const HalfPermutes halves(constants);
                                   constants.load();
                                   const size_t before = i.k.size();
                                   halves.transpose(i.k, {i.out[0], i.in[over]}, {i.in[0], i.in[1]});
                                   CHECK(i.k.size() - before == 2);
                                   i.k.v_mov_b32(i.out[1], i.in[over]);
                                 }),
                       2);
    }
  });
}

TEST_CASE("four rows of four 8-bit elements are transposed by eight instructions", "[generator][permute]") {
  on_every_target([](Arch arch) {
    const auto in = random_words(4 * 64);
    check_transposed(in,
                     run_items({.arch = arch, .ins = 4, .outs = 4}, in,
                               [&](const dsltest::Item& i) {
                                 Constants constants(i.kernel);
                                 const BytePermutes bytes(constants);
                                 constants.load();
                                 const auto scratch = i.kernel.r.v.alloc(1, "scratch");
                                 const size_t before = i.k.size();
                                 bytes.transpose(i.k, {i.out[0], i.out[1], i.out[2], i.out[3]},
                                                 {i.in[0], i.in[1], i.in[2], i.in[3]}, scratch);
                                 CHECK(i.k.size() - before == 8);
                               }),
                     4);
  });
}

TEST_CASE("a constant has one register, and is asked for before load", "[generator][permute]") {
  Kernel kernel("k", Arch::gfx942, 64);
  Constants constants(kernel);
  const Sgpr a = constants(0x7fff, "a"), b = constants(0x7fff, "b"), c = constants(0x8000, "c");
  CHECK(a.index == b.index);
  CHECK(a.index != c.index);
  constants.load();
  CHECK(kernel.k.size() == 2);
  CHECK(constants(0x8000, "c").index == c.index);
  const auto one = [&] { constants(1, "one"); };
  const std::string line = fmt::format("permute_test.cpp:{}", __LINE__ - 1);
  CHECK_THROWS_WITH(one(), Catch::Contains(line) && Catch::Contains("before it"));
}
