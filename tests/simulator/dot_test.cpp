// The floating-point dot products of RDNA and of gfx90a: what silicon was seen to give where it is not the sum rounded
// once.
#include <catch2/catch.hpp>

#include <random>

#include "simulator/numerics/dot.h"
#include "simulator/numerics/numerics.h"
#include "tests/support/lane_program.h"

using namespace wavesmith;
using sim::Factor;

namespace {

// v12 = the instruction's result of v4 (A), v5 (B) and v6 (C) in the first lane.
uint32_t dot(isa::Arch arch, const std::string& mnemonic, uint32_t a, uint32_t b, uint32_t c) {
  return simtest::run_lanes(arch, mnemonic + " v12, v4, v5, v6\n", {{a, b, c}})[0][0];
}
Factor f16(float x) { return {x, sim::exponent_of(x, -14)}; }

}  // namespace

// Measured values: ROCm/rocm-systems issue 12056 and the hardware results published with its resolution (gfx1100,
// gfx1201; September 2026).
TEST_CASE(
    "RDNA3's dot product makes a term of the sign opposite to the accumulator's one unit too large, RDNA4's does not",
    "[dot][numerics]") {
  struct {
    uint32_t a, b, c, rdna3, rdna4;
  } const seen[] = {
      {0x48004200, 0x44004800, 0xbf800000, 0x425c0001, 0x425c0000},  // -1 + 3 * 8 + 8 * 4
      {0x3c00bc00, 0x3c003c00, 0x3f800000, 0x3f7fffff, 0x3f800000},  // 1 - 1 + 1
      {0x3c003c00, 0x3c003c00, 0xc0000000, 0x34000000, 0x00000000},  // -2 + 1 + 1
      {0x3c003c00, 0x3c000000, 0x80000000, 0x3f800001, 0x3f800000},  // -0 + 0 + 1: zeros have signs, too
      {0x00000001, 0x3c008001, 0x00000000, 0xa7880000, 0xa7800000},  // denormal f16 are kept
      {0x3c007c00, 0x3c000000, 0x00000000, 0xffc00000, 0xffc00000},  // infinity times 0
      {0x7c007e01, 0x00003c00, 0x7fc12345, 0xffc00a3d, 0xffc00a3d},  // a NaN among the factors goes first
  };
  for (const auto& s : seen) {
    CAPTURE(s.a, s.b, s.c);
    CHECK(dot(isa::Arch::gfx1100, "v_dot2_f32_f16", s.a, s.b, s.c) == s.rdna3);
    CHECK(dot(isa::Arch::gfx1151, "v_dot2_f32_f16", s.a, s.b, s.c) == s.rdna3);
    CHECK(dot(isa::Arch::gfx1201, "v_dot2_f32_f16", s.a, s.b, s.c) == s.rdna4);
  }
  CHECK(dot(isa::Arch::gfx1100, "v_dot2_f32_bf16", 0x00000001, 0x3f804980, 0) == 0);  // denormal bf16 are zero on RDNA3
  CHECK(dot(isa::Arch::gfx1201, "v_dot2_f32_bf16", 0x00000001, 0x3f804980, 0) == 0x07000000);
}

TEST_CASE("dot products of gfx90a take denormal f16 for zero in every mode, the others do not",
          "[dot][numerics]") {            // measured: LLVM pull request 205101
  const uint32_t a = 0x8001, b = 0x0400;  // -2^-24 and 2^-14
  for (const auto arch : {isa::Arch::gfx908, isa::Arch::gfx90a, isa::Arch::gfx942, isa::Arch::gfx950})
    CHECK(dot(arch, "v_dot2_f32_f16", a, b, 0) == (arch == isa::Arch::gfx90a ? 0u : 0xac800000u));
}

TEST_CASE("RDNA dot products are within their units of the exact sum, and exact where nothing is cut or opposed",
          "[dot][numerics]") {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> code(0, 0x7bff), small(0, 63);
  for (int i = 0; i < 20000; ++i) {
    Factor a[4], b[4];
    double exact = 0, largest = 0;
    const float c = std::ldexp(static_cast<float>(small(random) - 32), small(random) / 4 - 8);
    for (int k = 0; k < 4; ++k) {
      a[k] = f16(sim::from_f16(static_cast<uint16_t>(code(random) | (i & 1) << 15))),
      b[k] = f16(sim::from_f16(static_cast<uint16_t>(code(random) & 0x7fff)));
      exact += double{a[k].value} * b[k].value,
          largest = std::max(largest, std::ldexp(1.0, a[k].exponent + b[k].exponent));
    }
    const double two = double{a[0].value} * b[0].value + double{a[1].value} * b[1].value;
    const float rdna3 = sim::complement_dot(std::span(a, 2), std::span(b, 2), c, isa::Type::f32),
                rdna4 = sim::floored_dot(a, b, c, 2, isa::Type::f32);
    const double unit = 0x1p-24 * std::max(largest, double{std::fabs(c)}), ulp = 0x1p-24;
    REQUIRE(std::fabs(rdna3 - (two + c)) <=
            6 * unit + ulp * std::fabs(two + c));  // three terms cut, up to two complemented
    REQUIRE(std::fabs(rdna4 - (exact + c)) <=
            7 * unit + ulp * std::fabs(exact + c));  // four products, two pairs and the accumulator floored
  }
  for (int i = 0; i < 2000; ++i) {  // small whole numbers of one sign
    Factor a[4], b[4];
    float sum = static_cast<float>(small(random) + 1);
    const float c = sum;
    for (int k = 0; k < 4; ++k)
      a[k] = f16(static_cast<float>(small(random) + 1)), b[k] = f16(static_cast<float>(small(random) + 1)),
      sum += a[k].value * b[k].value;
    CHECK(sim::floored_dot(a, b, c, 2, isa::Type::f32) == sum);
    CHECK(sim::floored_dot(a, b, c, 4, isa::Type::f32) == sum);
    CHECK(sim::complement_dot(std::span(a + 2, 2), std::span(b + 2, 2),
                              sim::complement_dot(std::span(a, 2), std::span(b, 2), c, isa::Type::f32),
                              isa::Type::f32) == sum);
  }
}

TEST_CASE("16-bit accumulators are narrowed after every step: f16 rounded, bf16 cut", "[dot][numerics]") {
  const Factor one[] = {f16(1), f16(0)}, third[] = {f16(0x1.8p-12f), f16(0)};
  CHECK(sim::complement_dot(one, third, 1.f, isa::Type::f16) == 1.f);  // 1 + 0.375 of a place: to the nearest
  CHECK(sim::complement_dot(one, third, -1.f, isa::Type::f32) > -1.f);
  const Factor most[] = {{0x1.fep-8f, -8}, {0, -126}};
  CHECK(sim::floored_dot(one, most, 1.f, 2, isa::Type::bf16) == 1.f);  // almost a place of bf16: cut
  CHECK(sim::floored_dot(one, most, 1.f, 2, isa::Type::f32) == 1 + 0x1.fep-8f);
}
