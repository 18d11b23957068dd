// Conversions to and from the 8-bit floats against LLVM's APFloat (Float8E4M3FN, Float8E5M2 and their FNUZ forms), run
// through the instructions: every 8-bit code, every 16-bit input, and f32 at every rounding boundary.
#include <llvm/ADT/APFloat.h>

#include <random>

#include "tests/support/lane_program.h"

using namespace simtest;
using isa::Arch;
using llvm::APFloat;

namespace {

struct Flavour {
  Arch arch;
  const llvm::fltSemantics &fp8, &bf8;
};
const Flavour flavours[] = {{Arch::gfx942, APFloat::Float8E4M3FNUZ(), APFloat::Float8E5M2FNUZ()},
                            {Arch::gfx950, APFloat::Float8E4M3FN(), APFloat::Float8E5M2()},
                            {Arch::gfx1200, APFloat::Float8E4M3FN(), APFloat::Float8E5M2()},
                            {Arch::gfx1250, APFloat::Float8E4M3FN(), APFloat::Float8E5M2()}};

APFloat of_bits(const llvm::fltSemantics& s, uint32_t bits) {
  return APFloat(s, llvm::APInt(APFloat::semanticsSizeInBits(s), bits));
}
uint32_t bits_of(const APFloat& x) { return static_cast<uint32_t>(x.bitcastToAPInt().getZExtValue()); }

// The code of x in `to`, or any code that is as good: of a NaN the payload is not defined, nor its sign for E5M2.
bool is_converted(uint32_t code, APFloat x, const llvm::fltSemantics& to, APFloat::roundingMode round, bool saturate) {
  const bool nan = x.isNaN(), negative = x.isNegative();
  bool lost = false;
  x.convert(to, round, &lost);
  if (nan) return of_bits(to, code).isNaN();
  if (saturate && (x.isNaN() || x.isInfinity())) x = APFloat::getLargest(to, negative);
  return code == bits_of(x);
}
bool same(uint32_t bits, const llvm::fltSemantics& of, const APFloat& want) {
  return want.isNaN() ? of_bits(of, bits).isNaN() : bits == bits_of(want);
}
APFloat widened(APFloat x, const llvm::fltSemantics& to) {
  bool lost = false;
  x.convert(to, APFloat::rmNearestTiesToEven, &lost);
  REQUIRE((x.isNaN() || !lost));
  return x;
}

// f32 at and beside every value of the format, every midpoint of two, and the ends of the range; then anything.
std::vector<uint32_t> f32_inputs(const llvm::fltSemantics& s) {
  std::vector<uint32_t> all;
  const auto add = [&](float x) {
    const uint32_t b = u(x) & 0x7fffffff;
    for (const uint32_t at : {b - (b > 0), b, b + 1})
      for (const uint32_t sign : {0u, 0x80000000u}) all.push_back(at | sign);
  };
  const auto value = [&](uint32_t code) { return widened(of_bits(s, code), APFloat::IEEEsingle()).convertToFloat(); };
  uint32_t top = 0;
  for (uint32_t code = 0; code < 127 && of_bits(s, code + 1).isFinite(); ++code) {
    add(value(code)), add((value(code) + value(code + 1)) / 2);
    top = code + 1;
  }
  const float largest = value(top), step = largest - value(top - 1);
  for (const float x : {largest, largest + step / 2, largest + step, 2 * largest, 1e9f, 3.4028235e38f, INFINITY})
    add(x);
  for (const uint32_t x :
       {1u, 0x007fffffu, 0x00800000u, 0x7fc00000u, 0x7f800001u, 0x7fffffffu, 0xffc00000u, 0xff812345u})
    all.push_back(x);
  std::mt19937 random(11);
  for (int i = 0; i < 2048; ++i) all.push_back(static_cast<uint32_t>(random()));
  return all;
}

}  // namespace

TEST_CASE("every 8-bit code widens to APFloat's value", "[sim][convert]") {
  for (const auto& [arch, fp8, bf8] : flavours) {
    CAPTURE(isa::target(arch).name);
    std::vector<In> in(256);
    for (uint32_t i = 0; i < 256; ++i) in[i] = {i, i << 8 | (255 - i), u(1.f)};
    const auto single = run_lanes(arch, "v_cvt_f32_fp8 v12, v4\n v_cvt_f32_bf8 v13, v4", in),
               fp8_pair = run_lanes(arch, "v_cvt_pk_f32_fp8 v[12:13], v5\n v_cvt_pk_f32_bf8 v[14:15], v5", in);
    int wrong = 0;
    for (uint32_t i = 0; i < 256; ++i) {
      const llvm::fltSemantics& f32 = APFloat::IEEEsingle();
      const auto want = [&](const llvm::fltSemantics& s, uint32_t code) { return widened(of_bits(s, code), f32); };
      wrong += !same(single[i][0], f32, want(fp8, i)) + !same(single[i][1], f32, want(bf8, i));
      wrong += !same(fp8_pair[i][0], f32, want(fp8, 255 - i)) + !same(fp8_pair[i][1], f32, want(fp8, i));
      wrong += !same(fp8_pair[i][2], f32, want(bf8, 255 - i)) + !same(fp8_pair[i][3], f32, want(bf8, i));
    }
    CHECK(wrong == 0);
    // To 16 bits: f16 and bf16 hold every value.
    struct Wide {
      const llvm::fltSemantics* to;
      const char* text;  // {0}: the format, {1}: the destination
    };
    const auto *half = &APFloat::IEEEhalf(), *bfloat = &APFloat::BFloat();
    std::vector<Wide> forms;
    if (arch == Arch::gfx1250) forms = {{half, "v_cvt_f16_{0} v{1}, v4"}};
    if (arch == Arch::gfx950)
      forms = {{half, "v_cvt_scalef32_pk_f16_{0} v{1}, v4, v6"}, {bfloat, "v_cvt_scalef32_pk_bf16_{0} v{1}, v4, v6"}};
    for (const auto& [to, form] : forms) {
      CAPTURE(form);
      const auto out = run_lanes(
          arch, fmt::format(fmt::runtime(form), "fp8", 12) + "\n " + fmt::format(fmt::runtime(form), "bf8", 13), in);
      wrong = 0;
      for (uint32_t i = 0; i < 256; ++i)
        wrong += !same(out[i][0] & 0xffff, *to, widened(of_bits(fp8, i), *to)) +
                 !same(out[i][1] & 0xffff, *to, widened(of_bits(bf8, i), *to));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("f32 narrows to APFloat's 8-bit float at every rounding boundary, saturating where MODE says so",
          "[sim][convert]") {
  for (const auto& [arch, fp8, bf8] : flavours)
    for (const bool saturate : {false, true}) {
      CAPTURE(isa::target(arch).name, saturate);
      std::vector<In> in;
      for (const uint32_t x : f32_inputs(fp8)) in.push_back({x, u(1.f)});
      for (const uint32_t x : f32_inputs(bf8)) in.push_back({x, u(1.f)});
      const Mode mode{.fp16_overflow = saturate};
      const auto nearest = run_lanes(arch, "v_cvt_pk_fp8_f32 v12, v4, v5\n v_cvt_pk_bf8_f32 v13, v5, v4", in, mode);
      const auto stochastic = run_lanes(arch, "v_cvt_sr_fp8_f32 v12, v4, 0\n v_cvt_sr_bf8_f32 v13, v4, 0", in, mode);
      int wrong = 0, cut = 0, overflows = 0, nans = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const APFloat x = of_bits(APFloat::IEEEsingle(), in[i][0]);
        constexpr auto even = APFloat::rmNearestTiesToEven;
        const bool ends = saturate && !(x.isInfinity() && isa::target(arch).fp8_has_one_nan());
        wrong += !is_converted(nearest[i][0] & 0xff, x, fp8, even, ends);
        wrong += !is_converted(nearest[i][1] >> 8 & 0xff, x, bf8, even, ends);
        nans += x.isNaN();
        // With random bits 0 a finite number is truncated; what overflows then, only the nearest rounding tests.
        for (const auto& [format, code] : {std::pair(&fp8, stochastic[i][0]), {&bf8, stochastic[i][1]}}) {
          APFloat size = x, largest = widened(APFloat::getLargest(*format), APFloat::IEEEsingle());
          size.clearSign();
          const bool past = !(size <= largest);
          overflows += past;
          if (x.isFinite() && !past)
            ++cut, wrong += !is_converted(code & 0xff, x, *format, APFloat::rmTowardZero, false);
        }
      }
      CHECK(wrong == 0);
      CHECK((cut > 2000 && overflows > 1000 && nans > 10));
    }
}

TEST_CASE("every 16-bit float narrows to APFloat's 8-bit float", "[sim][convert]") {
  std::vector<In> in(1 << 16);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = {i, u(1.f)};
  struct Form {
    Arch arch;
    const char* text;  // {0}: the format, {1}: the destination
    const llvm::fltSemantics& from;
  };
  for (const Form& f : {Form{Arch::gfx950, "v_cvt_scalef32_pk_{0}_f16 v{1}, v4, v5", APFloat::IEEEhalf()},
                        {Arch::gfx950, "v_cvt_scalef32_pk_{0}_bf16 v{1}, v4, v5", APFloat::BFloat()},
                        {Arch::gfx1250, "v_cvt_pk_{0}_f16 v{1}, v4", APFloat::IEEEhalf()}}) {
    CAPTURE(isa::target(f.arch).name, f.text);
    const auto out = run_lanes(
        f.arch, fmt::format(fmt::runtime(f.text), "fp8", 12) + "\n " + fmt::format(fmt::runtime(f.text), "bf8", 13),
        in);
    int wrong = 0;
    for (uint32_t i = 0; i < in.size(); ++i)
      for (const auto& [format, code] :
           {std::pair(&APFloat::Float8E4M3FN(), out[i][0]), {&APFloat::Float8E5M2(), out[i][1]}})
        wrong += !is_converted(code & 0xff, of_bits(f.from, i), *format, APFloat::rmNearestTiesToEven, false);
    CHECK(wrong == 0);
  }
}
