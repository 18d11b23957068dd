#include "simulator/numerics/formats.h"

#include <algorithm>

namespace wavesmith::sim {
namespace {
using Special = FloatFormat::Special;

// x >= 0 as an integer number of 2^lsb, rounded; `negative` decides up and down. x is less than 2^32 of them.
double rounded(double x, int lsb, Round round, bool negative) {
  const double scaled = x * power_of_two(-lsb);
  const auto whole = static_cast<int64_t>(scaled);
  const double low = static_cast<double>(whole), rest = scaled - low;
  switch (round) {
    case Round::nearest_even: return low + (rest > 0.5 || (rest == 0.5 && whole % 2 != 0));
    case Round::up: return low + (rest > 0 && !negative);
    case Round::down: return low + (rest > 0 && negative);
    case Round::zero: break;
  }
  return low;
}

// The code of infinity or, in formats without infinity, of NaN.
uint32_t beyond(const FloatFormat& f, bool negative) {
  const uint32_t sign = negative ? f.sign() : 0;
  switch (f.special) {
    case Special::ieee: return sign | f.infinity();
    case Special::top_is_nan: return sign | f.nan();
    case Special::minus_zero_is_nan: return f.nan();
    case Special::none: break;
  }
  return sign | f.largest();
}

}  // namespace

double decode(const FloatFormat& f, uint32_t code) {
  const double sign = code & f.sign() ? -1 : 1;
  const uint32_t body = code & (f.sign() - 1), mantissa = body & ((1u << f.mantissa_bits) - 1);
  const int exponent = static_cast<int>(body >> f.mantissa_bits);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.special == Special::ieee && body >= f.infinity())
    return mantissa ? std::copysign(nan, sign) : sign * std::numeric_limits<double>::infinity();
  if (f.special == Special::top_is_nan && body == f.sign() - 1) return std::copysign(nan, sign);
  if (f.special == Special::minus_zero_is_nan && code == f.sign()) return nan;
  if (exponent == 0) return sign * mantissa * power_of_two(f.least_exponent() - f.mantissa_bits);
  return sign * (mantissa + (1u << f.mantissa_bits)) * power_of_two(exponent - f.bias - f.mantissa_bits);
}

uint32_t encode(const FloatFormat& f, double x, Encoding how) {
  const bool negative = std::signbit(x);
  const uint32_t sign = negative ? f.sign() : 0;
  if (std::isnan(x))
    return f.special == Special::none                ? sign | f.largest()
           : f.special == Special::minus_zero_is_nan ? f.nan()
                                                     : sign | f.nan();
  if (std::isinf(x)) return beyond(f, negative);
  const double a = std::fabs(x);
  // Zero and subnormals have an exponent below every format's least.
  const int of_double = static_cast<int>(std::bit_cast<uint64_t>(a) >> 52) - 1023,
            exponent = std::max(of_double, f.least_exponent()), lsb = exponent - f.mantissa_bits;
  const double units = rounded(a, lsb, how.round, negative);
  const double value = units * power_of_two(lsb);
  if (value > decode(f, f.largest())) {
    const bool toward_zero =
        how.round == Round::zero || (how.round == Round::up && negative) || (how.round == Round::down && !negative);
    return how.saturate || toward_zero ? sign | f.largest() : beyond(f, negative);
  }
  if (value == 0) return f.special == Special::minus_zero_is_nan ? 0 : sign;
  // Positive codes are ordered: subnormals, then the normals of each exponent in turn, form one sequence of integers.
  return sign |
         (static_cast<uint32_t>(units) + (static_cast<uint32_t>(exponent - f.least_exponent()) << f.mantissa_bits));
}

uint32_t encode_stochastic(const FloatFormat& f, float x, uint32_t random, bool saturate) {
  if (!std::isfinite(x)) return encode(f, x, {.saturate = saturate});
  const int dropped = 23 - f.mantissa_bits;
  const uint32_t bits = std::bit_cast<uint32_t>(x), added = random >> (32 - dropped);
  // A subnormal result of 8 bits or fewer: the significand is aligned first, and what that shifts out is lost (FP8 and
  // BF8 measured on gfx1201, bjacob/goc; so does amd_hip_fp8.h. Inferred for the others).
  if (const int below = x == 0 || f.bits() > 8 ? 0 : f.least_exponent() - std::ilogb(x); below > 0) {
    const uint32_t significand = below < 24 ? ((bits & 0x7fffff) | 0x800000) >> below : 0;
    const uint32_t code = (significand + added) >> dropped;
    return code || f.special != Special::minus_zero_is_nan ? (bits >> 31 ? f.sign() : 0) | code : 0;
  }
  const float sum = std::bit_cast<float>(bits + added);
  if (!std::isfinite(sum) ||
      std::fabs(static_cast<double>(sum)) >=
          decode(f, f.largest()) +
              std::ldexp(1.0, static_cast<int>(f.largest() >> f.mantissa_bits) - f.bias - f.mantissa_bits))
    return encode(f, std::copysign(1e300, x),
                  {.saturate = saturate});  // past the largest: overflows as rounding to nearest does
  return encode(f, sum, {Round::zero, saturate});
}

double decode_e8m0(uint8_t code) {
  return code == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, code - 127);
}

}  // namespace wavesmith::sim
