#include "simulator/numerics/valu.h"

#include <algorithm>

namespace wavesmith::sim {
namespace {

constexpr FloatFormat f32_format{8, 23, 127, FloatFormat::Special::ieee};

bool signalling(float x) { return std::isnan(x) && !(std::bit_cast<uint32_t>(x) & 0x00400000); }
float quiet(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) | 0x00400000); }

// An exact zero that is no sum of zeros is -0 when rounding down (IEEE 754, 6.3).
float finish_sum(double x, double y, Round r) {
  const double s = odd_sum(x, y);
  if (s == 0 && (x != 0 || std::signbit(x) != std::signbit(y))) return r == Round::down ? -0.f : 0.f;
  return round_f32(s, r);
}

template <class F>
int64_t dot(uint32_t a, uint32_t b, int bits, F element) {
  int64_t sum = 0;
  for (int at = 0; at < 32; at += bits) sum += element(a >> at, 0) * element(b >> at, 1);
  return sum;
}
int64_t dot(uint32_t a, uint32_t b, const DotInt& d) {
  return dot(a, b, d.bits, [&](uint32_t x, int side) -> int64_t {
    const int64_t value = x & ((1u << d.bits) - 1), sign = int64_t{1} << (d.bits - 1);
    return (side == 0 ? d.signed_a : d.signed_b) ? (value ^ sign) - sign : value;
  });
}

template <class T>
T saturated(double x) {
  if (std::isnan(x)) return 0;
  return static_cast<T>(std::clamp(x, static_cast<double>(std::numeric_limits<T>::min()),
                                   static_cast<double>(std::numeric_limits<T>::max())));
}
double nearest_even(double x) { return std::nearbyint(x); }

}  // namespace

double odd_sum(double x, double y) {
  const double s = x + y;
  if (!std::isfinite(s)) return s;
  const double from_y = s - x, rest = (x - (s - from_y)) + (y - from_y);
  if (rest == 0 || (std::bit_cast<uint64_t>(s) & 1)) return s;
  return std::nextafter(s, rest > 0 ? INFINITY : -INFINITY);
}

float round_f32(double exact, Round r) {
  const auto cast = static_cast<float>(exact);  // rounded as the wave that executes has set the host
  if (std::isnan(exact) || cast == exact) return cast;
  return std::bit_cast<float>(encode(f32_format, exact, {.round = r}));
}
float add_f32(float a, float b, Round r) { return finish_sum(a, b, r); }
float mul_f32(float a, float b, Round r) { return round_f32(static_cast<double>(a) * b, r); }
float fma_f32(float a, float b, float c, Round r) { return finish_sum(static_cast<double>(a) * b, c, r); }

float min_f32(float a, float b, bool ieee) {
  if (ieee && (signalling(a) || signalling(b))) return quiet(signalling(a) ? a : b);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
float max_f32(float a, float b, bool ieee) {
  if (ieee && (signalling(a) || signalling(b))) return quiet(signalling(a) ? a : b);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

int32_t dot_i32(uint32_t a, uint32_t b, int32_t c, DotInt d) {
  const int64_t sum = dot(a, b, d) + c;
  return static_cast<int32_t>(d.clamp ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
}
uint32_t dot_u32(uint32_t a, uint32_t b, uint32_t c, DotInt d) {
  const int64_t sum = dot(a, b, d) + c;
  return static_cast<uint32_t>(d.clamp ? std::clamp<int64_t>(sum, 0, UINT32_MAX) : sum);
}

int16_t norm_i16(double x) { return saturated<int16_t>(nearest_even(std::clamp(x, -1.0, 1.0) * 32767)); }
uint16_t norm_u16(double x) { return saturated<uint16_t>(nearest_even(std::clamp(x, 0.0, 1.0) * 65535)); }
int32_t to_i32(double x) { return saturated<int32_t>(std::trunc(x)); }
uint32_t to_u32(double x) { return saturated<uint32_t>(std::trunc(x)); }
uint8_t to_u8(double x) { return saturated<uint8_t>(nearest_even(x)); }

double scale_of(float s) { return decode_e8m0(static_cast<uint8_t>(std::bit_cast<uint32_t>(s) >> 23)); }

}  // namespace wavesmith::sim
