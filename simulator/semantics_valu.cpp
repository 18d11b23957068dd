// What each vector ALU instruction computes in one lane.
#include <bit>

#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode;

bool signaling(f32 x) { const u32 b = std::bit_cast<u32>(x); return std::isnan(x) && !(b & 0x400000); }
f32 quiet(f32 x) { return std::bit_cast<f32>(std::bit_cast<u32>(x) | 0x400000); }

// IEEE minNum/maxNum; -0 < +0. A signaling NaN comes out quiet (MODE.ieee, which HSA sets).
f32 min_num(f32 a, f32 b) {
  if (signaling(a)) return quiet(a);
  if (signaling(b)) return quiet(b);
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
f32 max_num(f32 a, f32 b) {
  if (signaling(a)) return quiet(a);
  if (signaling(b)) return quiet(b);
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
f32 med3(f32 a, f32 b, f32 c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return min_num(min_num(a, b), c);
  const f32 top = max_num(max_num(a, b), c);
  return top == a ? max_num(b, c) : top == b ? max_num(a, c) : max_num(a, b);
}

template <class To> To saturate(f32 x) {                   // NaN is 0
  if (std::isnan(x)) return 0;
  const f64 t = std::trunc(static_cast<f64>(x));
  return t <= static_cast<f64>(std::numeric_limits<To>::min()) ? std::numeric_limits<To>::min()
       : t >= static_cast<f64>(std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max() : static_cast<To>(t);
}

f32 fract(f32 x) {                                   // v_fract_f32: below one even for tiny negatives
  const f32 r = x - std::floor(x);
  return std::isinf(x) ? std::numeric_limits<f32>::quiet_NaN() : std::min(r, 0x1.fffffep-1f);
}

// Angle in turns; beyond 256 turns the hardware returns 0 (sin) or 1 (cos).
f32 turns_sin(f32 x) { return std::isinf(x) || std::isnan(x) ? std::numeric_limits<f32>::quiet_NaN() : std::fabs(x) > 256 ? 0.f : static_cast<f32>(std::sin((x - std::floor(static_cast<f64>(x))) * 2 * M_PI)); }
f32 turns_cos(f32 x) { return std::isinf(x) || std::isnan(x) ? std::numeric_limits<f32>::quiet_NaN() : std::fabs(x) > 256 ? 1.f : static_cast<f32>(std::cos((x - std::floor(static_cast<f64>(x))) * 2 * M_PI)); }

bool fp_class(f32 x, u32 mask) {                           // bits: sNaN qNaN -inf -norm -denorm -0 +0 +denorm +norm +inf
  const u32 b = std::bit_cast<u32>(x), e = b >> 23 & 255, m = b & 0x7fffff;
  const bool neg = b >> 31;
  int k;
  if (e == 255 && m) k = m & 0x400000 ? 1 : 0;
  else if (e == 255) k = neg ? 2 : 9;
  else if (e) k = neg ? 3 : 8;
  else if (m) k = neg ? 4 : 7;
  else k = neg ? 5 : 6;
  return mask >> k & 1;
}

int exponent(f32 x) { return static_cast<int>(std::bit_cast<u32>(x) >> 23 & 255); }

// v_div_scale_f32: which of numerator and denominator to scale so that the division is exact (CDNA3 ISA, pseudo-code).
carry<f32> div_scale(f32 x, f32 den, f32 num) {
  const auto denormal = [](f32 v) { return exponent(v) == 0 && v != 0; };
  carry<f32> r{x, false};
  const bool of_den = std::bit_cast<u32>(x) == std::bit_cast<u32>(den), of_num = std::bit_cast<u32>(x) == std::bit_cast<u32>(num);
  if (den == 0 || num == 0) r.value = std::numeric_limits<f32>::quiet_NaN();
  else if (exponent(num) - exponent(den) >= 96) { r.set = true; if (of_den) r.value = std::ldexp(x, 64); }
  else if (denormal(den)) r.value = std::ldexp(x, 64);
  else if (denormal(static_cast<f32>(1.0 / den)) && denormal(num / den)) { r.set = true; if (of_den) r.value = std::ldexp(x, 64); }
  else if (denormal(static_cast<f32>(1.0 / den))) r.value = std::ldexp(x, -64);
  else if (denormal(num / den)) { r.set = true; if (of_num) r.value = std::ldexp(x, 64); }
  else if (exponent(num) <= 23) r.value = std::ldexp(x, 64);
  return r;
}
f32 div_fixup(f32 q, f32 den, f32 num) {
  const bool neg = std::signbit(den) != std::signbit(num);
  const f32 inf = std::numeric_limits<f32>::infinity(), sign = neg ? -1.f : 1.f;
  if (std::isnan(num)) return quiet(num);
  if (std::isnan(den)) return quiet(den);
  if ((den == 0 && num == 0) || (std::isinf(den) && std::isinf(num))) return std::bit_cast<f32>(0xffc00000u);
  if (den == 0 || std::isinf(num)) return sign * inf;
  if (std::isinf(den) || num == 0) return sign * 0.f;
  if (exponent(num) - exponent(den) < -150) return sign * 0x1p-149f * 0.5f;     // underflow
  if (exponent(den) == 255) return sign * inf;
  return neg ? -std::fabs(q) : std::fabs(q);
}

void div_fmas(Wave& w, const Step& st) {
  Lanes<f32> ba, bb, bc, out;
  const f32 *a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb), *c = fetch(w, st, 2, bc);
  const u64 vcc = w.mask(sreg::vcc);
  for (int l = 0; l < W; ++l) {
    const f32 r = std::fma(a[l], b[l], c[l]);
    out.x[l] = !(vcc >> l & 1) ? r : exponent(c[l]) > 127 ? std::ldexp(r, 64) : std::ldexp(r, -64);
  }
  commit(w, st, out);
}

half add(half a, half b) { return {a.value + b.value}; }
half mul(half a, half b) { return {a.value * b.value}; }
half fma(half a, half b, half c) { return {std::fma(a.value, b.value, c.value)}; }

constexpr Semantics rows[] = {
    {Opcode::v_cvt_f32_i32, each<([](i32 a) { return static_cast<f32>(a); })>},
    {Opcode::v_cvt_f32_u32, each<([](u32 a) { return static_cast<f32>(a); })>},
    {Opcode::v_cvt_u32_f32, each<([](f32 a) { return saturate<u32>(a); })>},
    {Opcode::v_cvt_i32_f32, each<([](f32 a) { return saturate<i32>(a); })>},
    {Opcode::v_cvt_f16_f32, each<([](f32 a) { return half{a}; })>},
    {Opcode::v_cvt_f32_f16, each<([](half a) { return static_cast<f32>(a.value); })>},
    {Opcode::v_trunc_f32, each<([](f32 a) { return std::trunc(a); })>},
    {Opcode::v_ceil_f32, each<([](f32 a) { return std::ceil(a); })>},
    {Opcode::v_floor_f32, each<([](f32 a) { return std::floor(a); })>},
    {Opcode::v_rndne_f32, each<([](f32 a) { return std::nearbyint(a); })>},
    {Opcode::v_fract_f32, each<([](f32 a) { return fract(a); })>},
    {Opcode::v_exp_f32, each<([](trans a) { return trans{static_cast<f32>(std::exp2(static_cast<f64>(a.value)))}; })>},
    {Opcode::v_log_f32, each<([](trans a) { return trans{static_cast<f32>(std::log2(static_cast<f64>(a.value)))}; })>},
    {Opcode::v_rcp_f32, each<([](trans a) { return trans{static_cast<f32>(1.0 / a.value)}; })>},
    {Opcode::v_rcp_iflag_f32, each<([](trans a) { return trans{static_cast<f32>(1.0 / a.value)}; })>},
    {Opcode::v_rsq_f32, each<([](trans a) { return trans{static_cast<f32>(1.0 / std::sqrt(static_cast<f64>(a.value)))}; })>},
    {Opcode::v_sqrt_f32, each<([](trans a) { return trans{std::sqrt(a.value)}; })>},
    {Opcode::v_sin_f32, each<([](trans a) { return trans{turns_sin(a.value)}; })>},
    {Opcode::v_cos_f32, each<([](trans a) { return trans{turns_cos(a.value)}; })>},

    {Opcode::v_add_f32, each<([](f32 a, f32 b) { return a + b; })>},
    {Opcode::v_sub_f32, each<([](f32 a, f32 b) { return a - b; })>},
    {Opcode::v_subrev_f32, each<([](f32 a, f32 b) { return b - a; })>},
    {Opcode::v_mul_f32, each<([](f32 a, f32 b) { return a * b; })>},
    {Opcode::v_min_f32, each<([](f32 a, f32 b) { return min_num(a, b); })>},
    {Opcode::v_max_f32, each<([](f32 a, f32 b) { return max_num(a, b); })>},
    {Opcode::v_fmac_f32, each<([](f32 a, f32 b, f32 acc) { return std::fma(a, b, acc); })>},
    {Opcode::v_add_f16, each<([](half a, half b) { return add(a, b); })>},
    {Opcode::v_mul_f16, each<([](half a, half b) { return mul(a, b); })>},

    {Opcode::v_fma_f32, each<([](f32 a, f32 b, f32 c) { return std::fma(a, b, c); })>},
    {Opcode::v_max3_f32, each<([](f32 a, f32 b, f32 c) { return max_num(max_num(a, b), c); })>},
    {Opcode::v_min3_f32, each<([](f32 a, f32 b, f32 c) { return min_num(min_num(a, b), c); })>},
    {Opcode::v_med3_f32, each<([](f32 a, f32 b, f32 c) { return med3(a, b, c); })>},
    {Opcode::v_cvt_pkrtz_f16_f32, each<([](f32 a, f32 b) { return to_f16(a, Round::zero) | u32{to_f16(b, Round::zero)} << 16; })>},
    {Opcode::v_pack_b32_f16, each<([](u16 a, u16 b) { return a | u32{b} << 16; })>},
    {Opcode::v_ldexp_f32, each<([](f32 a, i32 n) { return std::ldexp(a, std::clamp(n, -1000, 1000)); })>},
    {Opcode::v_div_scale_f32, each<([](f32 x, f32 den, f32 num) { return div_scale(x, den, num); })>},
    {Opcode::v_div_fmas_f32, div_fmas},
    {Opcode::v_div_fixup_f32, each<([](f32 q, f32 den, f32 num) { return div_fixup(q, den, num); })>},
    {Opcode::v_pk_fma_f16, each<([](half2 a, half2 b, half2 c) { return half2{fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)}; })>},
    {Opcode::v_pk_add_f16, each<([](half2 a, half2 b) { return half2{add(a.lo, b.lo), add(a.hi, b.hi)}; })>},
    {Opcode::v_pk_mul_f16, each<([](half2 a, half2 b) { return half2{mul(a.lo, b.lo), mul(a.hi, b.hi)}; })>},
    {Opcode::v_pk_fma_f32, each<([](float2 a, float2 b, float2 c) { return float2{std::fma(a.lo, b.lo, c.lo), std::fma(a.hi, b.hi, c.hi)}; })>},
    {Opcode::v_pk_add_f32, each<([](float2 a, float2 b) { return float2{a.lo + b.lo, a.hi + b.hi}; })>},
    {Opcode::v_pk_mul_f32, each<([](float2 a, float2 b) { return float2{a.lo * b.lo, a.hi * b.hi}; })>},

    {Opcode::v_cmp_lt_f32, compare<([](f32 a, f32 b) { return a < b; })>},
    {Opcode::v_cmp_eq_f32, compare<([](f32 a, f32 b) { return a == b; })>},
    {Opcode::v_cmp_le_f32, compare<([](f32 a, f32 b) { return a <= b; })>},
    {Opcode::v_cmp_gt_f32, compare<([](f32 a, f32 b) { return a > b; })>},
    {Opcode::v_cmp_lg_f32, compare<([](f32 a, f32 b) { return a < b || a > b; })>},
    {Opcode::v_cmp_ge_f32, compare<([](f32 a, f32 b) { return a >= b; })>},
    {Opcode::v_cmp_o_f32, compare<([](f32 a, f32 b) { return !std::isnan(a) && !std::isnan(b); })>},
    {Opcode::v_cmp_u_f32, compare<([](f32 a, f32 b) { return std::isnan(a) || std::isnan(b); })>},
    {Opcode::v_cmp_nge_f32, compare<([](f32 a, f32 b) { return !(a >= b); })>},
    {Opcode::v_cmp_ngt_f32, compare<([](f32 a, f32 b) { return !(a > b); })>},
    {Opcode::v_cmp_nlt_f32, compare<([](f32 a, f32 b) { return !(a < b); })>},
    {Opcode::v_cmp_nle_f32, compare<([](f32 a, f32 b) { return !(a <= b); })>},
    {Opcode::v_cmp_neq_f32, compare<([](f32 a, f32 b) { return a != b; })>},
    {Opcode::v_cmp_class_f32, compare<([](b32 a, u32 m) { return fp_class(std::bit_cast<f32>(a), m); })>},
};

}  // namespace

std::span<const Semantics> valu_semantics() { return rows; }

}  // namespace wavesmith::sim
