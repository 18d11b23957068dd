// Descriptions of the narrow float formats, used by one decoder and one encoder. Values are passed as double, which
// holds every format exactly and allows results computed in double to be rounded once. Sources: IEEE 754-2019 (f16);
// OCP 8-bit Floating Point 1.0 (fp8 = E4M3, bf8 = E5M2); OCP Microscaling 1.0 (fp6 = E2M3, bf6 = E3M2, fp4 = E2M1,
// E8M0); CDNA3 ISA, FP8 formats ("FNUZ"): bias one higher, no infinities, no negative zero, 0x80 is the NaN.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace wavesmith::sim {

enum class Round : uint8_t { nearest_even, up, down, zero };  // as MODE.fp_round

struct FloatFormat {
  enum class Special : uint8_t {
    ieee,
    top_is_nan,
    minus_zero_is_nan,
    none
  };  // which codes are not numbers; only ieee has infinities
  int exponent_bits, mantissa_bits, bias;
  Special special;
  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr uint32_t sign() const { return 1u << (bits() - 1); }
  constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }  // ieee only
  constexpr uint32_t nan() const {
    return special == Special::ieee         ? infinity() | 1u << (mantissa_bits - 1)
           : special == Special::top_is_nan ? sign() - 1
                                            : sign();
  }
  constexpr uint32_t largest() const {
    return special == Special::ieee ? infinity() - 1 : special == Special::top_is_nan ? sign() - 2 : sign() - 1;
  }
  constexpr int least_exponent() const { return 1 - bias; }
};
namespace format {
using enum FloatFormat::Special;
inline constexpr FloatFormat f16{5, 10, 15, ieee}, bf16{8, 7, 127, ieee};
inline constexpr FloatFormat fp8{4, 3, 7, top_is_nan}, bf8{5, 2, 15, ieee};
inline constexpr FloatFormat fp8_fnuz{4, 3, 8, minus_zero_is_nan}, bf8_fnuz{5, 2, 16, minus_zero_is_nan};
inline constexpr FloatFormat e5m3{5, 3, 15,
                                  top_is_nan};  // no sign: its codes are those of the lower 8 bits (CDNA5 ISA 7.12.6)
inline constexpr FloatFormat fp6{2, 3, 1, none}, bf6{3, 2, 3, none}, fp4{2, 1, 1, none};
}  // namespace format

// 2^n, n from -1022 to 1023.
inline double power_of_two(int n) { return std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52); }

double decode(const FloatFormat&, uint32_t code);  // exact; a NaN's payload is not kept

// Overflow beyond the largest finite number, in formats with infinity or NaN: `saturate` (MODE.FP16_OVFL, or the
// instruction's clamp) gives the largest; otherwise rounding to nearest gives infinity, or NaN where there is no
// infinity. Formats without NaN (fp6, bf6, fp4) always saturate, NaN to the largest of its sign. Infinite inputs stay
// infinite, or become NaN, or the largest number where there is neither.
struct Encoding {
  Round round = Round::nearest_even;
  bool saturate = false;
};
uint32_t encode(const FloatFormat&, double, Encoding = {});

// f32 to a narrow format by stochastic rounding: the top bits of `random`, as many as the format's mantissa is
// narrower, are added to the f32's mantissa, and the sum is truncated (CDNA3 ISA, V_CVT_SR_FP8_F32: S1[31:12], BF8
// S1[31:11]; CDNA5 ISA 7.6.2). A carry moves the exponent (ROCm/llvm-project pull request 3275).
uint32_t encode_stochastic(const FloatFormat&, float, uint32_t random, bool saturate = false);

// E8M0: the scale 2^(code - 127); 0xff is NaN (OCP MX 1.0, 5.4.1).
double decode_e8m0(uint8_t);

}  // namespace wavesmith::sim
