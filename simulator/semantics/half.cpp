// f16 and bf16: computed in double, where products are exact and fused multiply-adds lose nothing that affects the
// final rounding, then rounded once (lanes_float.h). Packed, mixed-precision and dot-product instructions too.
#include "simulator/lanes_float.h"
#include "simulator/numerics/matrix.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

// -- Two roundings: the multiply-adds that are not fused (Vega ISA, V_MAD_F16) --
half mad(const Wave& w, half a, half b, half c) { return {from_f16(finish_f16(w, {}, a.value * b.value)) + c.value}; }

// -- Minimum, maximum, median --
template <bool max>
half_bits number(const Wave& w, half_bits a, half_bits b) {
  return {Bits16::number<max>(w, a.bits, b.bits)};
}
template <bool max>
brain_bits number(const Wave& w, brain_bits a, brain_bits b) {
  return {BitsBrain::number<max>(w, a.bits, b.bits)};
}
template <bool max>
half_bits strict(half_bits a, half_bits b) {
  return {Bits16::strict<max>(a.bits, b.bits)};
}
template <bool max, class T>
pair<T> number(const Wave& w, pair<T> a, pair<T> b) {
  return {number<max>(w, a.lo, b.lo), number<max>(w, a.hi, b.hi)};
}
template <bool max, class T>
pair<T> strict(pair<T> a, pair<T> b) {
  return {strict<max>(a.lo, b.lo), strict<max>(a.hi, b.hi)};
}
using pick2 = pair<half_bits>;
using packed_brain = brain_of<false>;

// -- Mantissa, exponent, division --
half fract(half a) {
  if (std::isinf(a.value)) return {std::numeric_limits<f64>::quiet_NaN()};
  if (a.value == std::floor(a.value)) return {0};  // whatever MODE's rounding
  const f64 r = a.value - std::floor(a.value);
  return {r > 0x1.ffcp-1 ? 0x1.ffcp-1 : r};
}
i16 frexp_exp(half a) {
  int e = 0;
  if (std::isfinite(a.value)) std::frexp(a.value, &e);
  return static_cast<i16>(e);
}
half frexp_mant(half a) {
  int e = 0;
  return std::isfinite(a.value) ? half{std::frexp(a.value, &e)} : a;
}
half div_fixup(half q, half den, half num) {  // CDNA3 ISA, V_DIV_FIXUP_F16
  const f64 sign = std::signbit(den.value) != std::signbit(num.value) ? -1 : 1;
  if (std::isnan(num.value)) return num;
  if (std::isnan(den.value)) return den;
  if ((den.value == 0 && num.value == 0) || (std::isinf(den.value) && std::isinf(num.value)))
    return {-std::numeric_limits<f64>::quiet_NaN()};
  if (den.value == 0 || std::isinf(num.value)) return {sign * std::numeric_limits<f64>::infinity()};
  if (std::isinf(den.value) || num.value == 0) return {sign * 0.0};
  // An estimate that is no number has overflowed (measured on gfx1201: bjacob/goc; inferred on the others). It
  // saturates with MODE.FP16_OVFL.
  return {sign * (std::isfinite(q.value) ? std::fabs(q.value) : 0x1p20)};
}

// -- Mixed precision: the f32 multiply-add, fused, then for the 16-bit results a second rounding, where the target does
// not round once (RDNA3 ISA, V_FMA_MIXLO_F16) -------------
f32 fma_in_mode(const Wave& w, f32 a, f32 b, f32 c) {
  f32 r = (w.round & 3) ? fma_f32(a, b, c, static_cast<Round>(w.round & 3)) : std::fma(a, b, c);
  return flushes_results(w.denorm_f32) ? flush(r) : r;
}
template <class Part>
struct Mix {
  f32 operator()(mixed<Part> a, mixed<Part> b, mixed<Part> c) const { return std::fma(a.value, b.value, c.value); }
};
template <class Part, bool upper>
struct MixInto {
  into_half<Part, upper> operator()(const Wave& w, mixed<Part> a, mixed<Part> b, mixed<Part> c) const {
    if (const f64 product = f64{a.value} * b.value;
        w.group->target->mixed_fma_rounds_once() && std::isfinite(product) && std::isfinite(c.value))
      return {odd_sum(product, c.value)};
    else if (product != product && a.value == a.value && b.value == b.value) return {product};  // before a NaN addend
    return {fma_in_mode(w, a.value, b.value, c.value)};
  }
};

// -- Dot products: summed as the target's unit does (numerics/matrix.h), independent of MODE --
Factor factor(const FloatFormat& f, u32 code) {
  const f32 x = static_cast<f32>(decode(f, code));
  return {x, exponent_of(x, f.least_exponent())};
}
template <FloatFormat format>
u16 dot_input(const Wave& w, raw16 x) {
  return format.mantissa_bits == 10 && w.group->target->dot_flushes_f16() && !(x.bits & format.infinity()) ? 0 : x.bits;
}
template <FloatFormat format>
f32 dot2(const Wave& w, pair<raw16> a, pair<raw16> b, f32 c, isa::Type result) {
  const Factor x[] = {factor(format, dot_input<format>(w, a.lo)), factor(format, dot_input<format>(w, a.hi))};
  const Factor y[] = {factor(format, dot_input<format>(w, b.lo)), factor(format, dot_input<format>(w, b.hi))};
  return accumulate(
      dot_summation(w.group->target->family, format.mantissa_bits == 10 ? isa::Type::f16 : isa::Type::bf16, 2, result),
      x, y, c);
}
constexpr auto dot2_f16 = [](const Wave& w, pair<raw16> a, pair<raw16> b, f32 c) -> f32 {
  return dot2<format::f16>(w, a, b, c, isa::Type::f32);
};
constexpr auto dot2_bf16 = [](const Wave& w, pair<raw16> a, pair<raw16> b, f32 c) -> f32 {
  return dot2<format::bf16>(w, a, b, c, isa::Type::f32);
};
constexpr auto dot2_half = [](const Wave& w, pair<raw16> a, pair<raw16> b, half c) -> half {
  return {dot2<format::f16>(w, a, b, static_cast<f32>(c.value), isa::Type::f16)};
};
constexpr auto dot2_brain = [](const Wave& w, pair<raw16> a, pair<raw16> b, brain c) -> brain {
  return {dot2<format::bf16>(w, a, b, static_cast<f32>(c.value), isa::Type::bf16)};
};

// Four products of 8-bit floats. Inferred: neg_hi's bit of C is |C| as in WMMA.
template <FloatFormat a_format, FloatFormat b_format>
f32 dot4(const Wave& w, u32 a, u32 b, f32 c) {
  Factor x[4], y[4];
  for (int i = 0; i < 4; ++i) x[i] = factor(a_format, a >> 8 * i & 0xff), y[i] = factor(b_format, b >> 8 * i & 0xff);
  return accumulate(dot_summation(w.group->target->family, isa::Type::fp8, 4, isa::Type::f32), x, y, c);
}
template <FloatFormat a, FloatFormat b>
void dot4_fp8(Wave& w, const Step& st) {
  if (!(st.inst.mods.neg_hi & 4))
    return each<([](const Wave& w, u32 x, u32 y, f32 c) { return dot4<a, b>(w, x, y, c); })>(w, st);
  if (st.inst.mods.neg_lo & 4)
    return each<([](const Wave& w, u32 x, u32 y, f32 c) { return dot4<a, b>(w, x, y, -std::fabs(c)); })>(w, st);
  each<([](const Wave& w, u32 x, u32 y, f32 c) { return dot4<a, b>(w, x, y, std::fabs(c)); })>(w, st);
}

// Signalling NaNs become quiet (measured on gfx1201: bjacob/goc; LLVM packs by it what is canonical anyway. Inferred on
// the others).
u32 pack(half_bits a, half_bits b) {
  const auto quiet = [](u16 h) { return Bits16::signalling(h) ? Bits16::quieted(h) : h; };
  return quiet(a.bits) | u32{quiet(b.bits)} << 16;
}

constexpr Semantics rows[] = {
    {"v_add_f16", each<([](half a, half b) { return a + b; })>},
    {"v_sub_f16", each<([](half a, half b) { return a - b; })>},
    {"v_subrev_f16", each<([](half a, half b) { return b - a; })>},
    {"v_mul_f16", each<([](half a, half b) { return a * b; })>},
    {"v_fma_f16", each<([](half a, half b, half c) { return fma(a, b, c); })>},
    {"v_fma_legacy_f16", each<([](half a, half b, half c) { return cleared<half>{fma(a, b, c)}; })>},
    {"v_fmac_f16", each<([](half a, half b, half c) { return fma(a, b, c); })>},
    {"v_fmaak_f16", each<([](half a, half b, half c) { return fma(a, b, c); })>},
    {"v_fmamk_f16", each<([](half a, half b, half c) { return fma(a, b, c); })>},
    {"v_mad_f16", each<([](const Wave& w, half a, half b, half c) { return mad(w, a, b, c); })>},
    {"v_mad_legacy_f16", each<([](const Wave& w, half a, half b, half c) { return cleared<half>{mad(w, a, b, c)}; })>},
    // gfx9 keeps the other half here (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest).
    {"v_mac_f16", each<([](const Wave& w, half a, half b, half c) { return kept<half>{mad(w, a, b, c)}; })>},
    {"v_madak_f16", each<([](const Wave& w, half a, half b, half c) { return kept<half>{mad(w, a, b, c)}; })>},
    {"v_madmk_f16", each<([](const Wave& w, half a, half b, half c) { return kept<half>{mad(w, a, b, c)}; })>},

    {"v_min_f16", each<([](const Wave& w, half_bits a, half_bits b) { return number<false>(w, a, b); })>},
    {"v_max_f16", each<([](const Wave& w, half_bits a, half_bits b) { return number<true>(w, a, b); })>},
    {"v_min3_f16", each<([](const Wave& w, half_bits a, half_bits b, half_bits c) {
       return number<false>(w, number<false>(w, a, b), c);
     })>},
    {"v_max3_f16", each<([](const Wave& w, half_bits a, half_bits b, half_bits c) {
       return number<true>(w, number<true>(w, a, b), c);
     })>},
    {"v_med3_f16", each<([](const Wave& w, half_bits a, half_bits b, half_bits c) {
       return half_bits{Bits16::middle(w, a.bits, b.bits, c.bits)};
     })>},
    {"v_minmax_f16", each<([](const Wave& w, half_bits a, half_bits b, half_bits c) {
       return number<true>(w, number<false>(w, a, b), c);
     })>},
    {"v_maxmin_f16", each<([](const Wave& w, half_bits a, half_bits b, half_bits c) {
       return number<false>(w, number<true>(w, a, b), c);
     })>},
    {"v_minimum_f16", each<([](half_bits a, half_bits b) { return strict<false>(a, b); })>},
    {"v_maximum_f16", each<([](half_bits a, half_bits b) { return strict<true>(a, b); })>},
    {"v_minimum3_f16",
     each<([](half_bits a, half_bits b, half_bits c) { return strict<false>(strict<false>(a, b), c); })>},
    {"v_maximum3_f16",
     each<([](half_bits a, half_bits b, half_bits c) { return strict<true>(strict<true>(a, b), c); })>},
    {"v_minimummaximum_f16",
     each<([](half_bits a, half_bits b, half_bits c) { return strict<true>(strict<false>(a, b), c); })>},
    {"v_maximumminimum_f16",
     each<([](half_bits a, half_bits b, half_bits c) { return strict<false>(strict<true>(a, b), c); })>},

    {"v_trunc_f16", each<([](half a) { return half{std::trunc(a.value)}; })>},
    {"v_ceil_f16", each<([](half a) { return half{std::ceil(a.value)}; })>},
    {"v_floor_f16", each<([](half a) { return half{std::floor(a.value)}; })>},
    {"v_rndne_f16", each<([](half a) { return half{__builtin_roundeven(a.value)}; })>},
    {"v_fract_f16", each<([](half a) { return fract(a); })>},
    {"v_ldexp_f16", each<([](half a, i16 n) { return half{std::ldexp(a.value, std::clamp<int>(n, -100, 100))}; })>},
    {"v_frexp_exp_i16_f16", each<([](half a) { return frexp_exp(a); })>},
    {"v_frexp_mant_f16", each<([](half a) { return frexp_mant(a); })>},
    {"v_div_fixup_f16", each<([](half q, half den, half num) { return div_fixup(q, den, num); })>},
    {"v_div_fixup_legacy_f16",
     each<([](half q, half den, half num) { return cleared<half>{div_fixup(q, den, num)}; })>},
    {"v_pack_b32_f16", each<([](half_bits a, half_bits b) { return pack(a, b); })>},

    {"v_pk_add_f16", each<([](half2 a, half2 b) { return a + b; })>},
    {"v_pk_mul_f16", each<([](half2 a, half2 b) { return a * b; })>},
    {"v_pk_fma_f16", each<([](half2 a, half2 b, half2 c) { return fma(a, b, c); })>},
    {"v_pk_fmac_f16", each<([](half2 a, half2 b, half2 c) { return fma(a, b, c); })>},
    {"v_pk_min_f16", each<([](const Wave& w, pick2 a, pick2 b) { return number<false>(w, a, b); })>},
    {"v_pk_max_f16", each<([](const Wave& w, pick2 a, pick2 b) { return number<true>(w, a, b); })>},
    {"v_pk_min3_num_f16",
     each<([](const Wave& w, pick2 a, pick2 b, pick2 c) { return number<false>(w, number<false>(w, a, b), c); })>},
    {"v_pk_max3_num_f16",
     each<([](const Wave& w, pick2 a, pick2 b, pick2 c) { return number<true>(w, number<true>(w, a, b), c); })>},
    {"v_pk_minimum_f16", each<([](pick2 a, pick2 b) { return strict<false>(a, b); })>},
    {"v_pk_maximum_f16", each<([](pick2 a, pick2 b) { return strict<true>(a, b); })>},
    {"v_pk_minimum3_f16", each<([](pick2 a, pick2 b, pick2 c) { return strict<false>(strict<false>(a, b), c); })>},
    {"v_pk_maximum3_f16", each<([](pick2 a, pick2 b, pick2 c) { return strict<true>(strict<true>(a, b), c); })>},
    {"v_pk_add_bf16", each<([](pair<packed_brain> a, pair<packed_brain> b) { return a + b; })>},
    {"v_pk_mul_bf16", each<([](pair<packed_brain> a, pair<packed_brain> b) { return a * b; })>},
    {"v_pk_fma_bf16",
     each<([](pair<packed_brain> a, pair<packed_brain> b, pair<packed_brain> c) { return fma(a, b, c); })>},
    {"v_pk_min_num_bf16",
     each<([](const Wave& w, pair<brain_bits> a, pair<brain_bits> b) { return number<false>(w, a, b); })>},
    {"v_pk_max_num_bf16",
     each<([](const Wave& w, pair<brain_bits> a, pair<brain_bits> b) { return number<true>(w, a, b); })>},

    {"v_fma_mix_f32", each<Mix<half>{}>},
    {"v_fma_mixlo_f16", each<MixInto<half, false>{}>},
    {"v_fma_mixhi_f16", each<MixInto<half, true>{}>},
    {"v_fma_mix_f32_bf16", each<Mix<brain>{}>},
    {"v_fma_mixlo_bf16", each<MixInto<brain, false>{}>},
    {"v_fma_mixhi_bf16", each<MixInto<brain, true>{}>},

    {"v_dot2_f32_f16", each<dot2_f16>},
    {"v_dot2c_f32_f16", each<dot2_f16>},
    {"v_dot2_f32_bf16", each<dot2_bf16>},
    {"v_dot2c_f32_bf16", each<dot2_bf16>},
    {"v_dot2_f16_f16", each<dot2_half>},
    {"v_dot4_f32_fp8_fp8", dot4_fp8<format::fp8, format::fp8>},
    {"v_dot4_f32_fp8_bf8", dot4_fp8<format::fp8, format::bf8>},
    {"v_dot4_f32_bf8_fp8", dot4_fp8<format::bf8, format::fp8>},
    {"v_dot4_f32_bf8_bf8", dot4_fp8<format::bf8, format::bf8>},
    {"v_dot2_bf16_bf16", each<dot2_brain>},
};

}  // namespace

std::span<const Semantics> half_semantics() { return rows; }

}  // namespace wavesmith::sim
