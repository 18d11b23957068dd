// f32 and f64 arithmetic in one lane: the host's operators under MODE's rounding (lanes.h), and bit operations where
// NaNs or signs of zeros matter.
#include "simulator/lanes_float.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

template <class T>
using BitsOf = std::conditional_t<std::is_same_v<T, f32>, Bits32, Bits64>;
template <class T>
auto bits(T x) {
  return std::bit_cast<std::conditional_t<std::is_same_v<T, f32>, u32, u64>>(x);
}
template <class T>
T nan_of() {
  return std::numeric_limits<T>::quiet_NaN();
}
template <class T>
T infinity() {
  return std::numeric_limits<T>::infinity();
}
template <class T>
T quiet(T x) {
  return std::bit_cast<T>(BitsOf<T>::quieted(bits(x)));
}

// -- Minimum and maximum --
template <bool max, class T>
[[gnu::always_inline]] inline T number(const Wave& w, T a, T b) {
  return std::bit_cast<T>(BitsOf<T>::template number<max>(w, bits(a), bits(b)));
}
// Usually no lane of a wave has a NaN, and only signs of zeros need special treatment.
template <bool max>
[[gnu::always_inline]] inline f32 larger(f32 a, f32 b) {  // for zeros the host's result depends on the operand order
  const u32 x = bits((max ? a > b : a < b) ? a : b), y = bits((max ? b > a : b < a) ? b : a);
  return std::bit_cast<f32>(max ? x & y : x | y);
}
// False, without writing, if there is a NaN. `out` may be one of the operands.
template <auto quick, class... A>
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] bool choose_numbers(u32* out,
                                                                                          DwordsFor<A>... in) {
  alignas(64) u32 chosen[W];
  u32 unordered = 0;
  for (int l = 0; l < W; ++l) {
    chosen[l] = bits(quick(Direct<A>::load(in, l)...));
    unordered |= (u32{Direct<A>::load(in, l) != Direct<A>::load(in, l)} | ...);
  }
  if (unordered) return false;
  std::memcpy(out, chosen, sizeof chosen);
  return true;
}
// A minimum or maximum: `quick` if there are no NaNs, else f.
template <auto f, auto quick, class... A>
void choose(Wave& w, const Step& st) {
  if (as_they_are<f32, A...>(w, st)) {
    alignas(64) u32 room[sizeof...(A)][W];
    const bool done = [&]<size_t... I>(std::index_sequence<I...>) {
      return choose_numbers<quick, A...>(w.vreg(st.dst), Dwords{dword_of(w, st.src[I], 0, room[I]), nullptr}...);
    }(std::index_sequence_for<A...>{});
    if (done) return void(w.written_lanes = w.all);
  }
  each<f>(w, st);
}
template <bool first, bool second>
void choose_of_3(Wave& w, const Step& st) {
  choose<[](const Wave& w, f32 a, f32 b, f32 c) { return number<second>(w, number<first>(w, a, b), c); },
         [](f32 a, f32 b, f32 c) { return larger<second>(larger<first>(a, b), c); }, f32, f32, f32>(w, st);
}
template <bool max>
void choose_of_2(Wave& w, const Step& st) {
  choose<[](const Wave& w, f32 a, f32 b) { return number<max>(w, a, b); },
         [](f32 a, f32 b) { return larger<max>(a, b); }, f32, f32>(w, st);
}
template <bool max, class T>
T strict(T a, T b) {
  return std::bit_cast<T>(BitsOf<T>::template strict<max>(bits(a), bits(b)));
}
f32 med3(const Wave& w, f32 a, f32 b, f32 c) {
  return std::bit_cast<f32>(Bits32::middle(w, bits(a), bits(b), bits(c)));
}

// -- Rounding to integers; mantissa and exponent --
template <class T>
T fract(T x) {  // less than one even for tiny negative x; of integers +0, whatever MODE's rounding
  if (std::isinf(x)) return nan_of<T>();
  if (x == std::floor(x)) return 0;
  const T r = x - std::floor(x), below_one = std::nextafter(T{1}, T{0});
  return r > below_one ? below_one : r;
}
template <class T>
i32 frexp_exp(T x) {
  int e = 0;
  if (std::isfinite(x)) std::frexp(x, &e);
  return e;
}
template <class T>
T frexp_mant(T x) {
  int e = 0;
  return std::isfinite(x) ? std::frexp(x, &e) : x + x;  // NaNs become quiet (rocjitsu: gfx1201)
}
template <class T>
T scaled(T x, i32 n) {
  return std::ldexp(x, std::clamp(n, -5000, 5000));
}

// -- Division: V_DIV_SCALE, V_DIV_FMAS and V_DIV_FIXUP --

// As observed on gfx1100 and gfx1201 (ROCm/rocm-systems, rocjitsu's division.h and its test). The guides' pseudo-code
// (RDNA3 ISA, V_DIV_SCALE_F32; the same in all guides) also tests whether quotient and reciprocal are denormal, which
// silicon does not do. Inferred: the other targets behave like these two.
template <class T>
constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
template <class T>
constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
template <class T>
int exponent(T x) {
  return static_cast<int>(bits(x) >> mantissa_bits<T> & (2 * bias<T> + 1));
}  // encoded: 0 for denormals

// Whether to scale the numerator or the denominator so that the steps of the division stay normal numbers, and whether
// to scale the quotient.
template <class T>
carry<T> div_scale(T x, T den, T num) {
  constexpr int step = std::is_same_v<T, f32> ? 64 : 128, far = std::is_same_v<T, f32> ? 96 : 768,
                small = mantissa_bits<T> + 1;
  const bool of_den = bits(x) == bits(den);
  const int d = exponent(den), n = exponent(num);
  int by = 0;
  bool set = false;
  if (n - d >= far) set = true, by = of_den ? step : 0;
  else if (d == 0) by = step;
  else if (d >= 2 * bias<T> - 1) set = n - d <= -far, by = set && !of_den ? 0 : -step;  // its reciprocal is denormal
  else if (n - d <= -far) set = true, by = of_den ? 0 : step;
  else if (n <= small) by = step;
  return {den == 0 || num == 0 ? -nan_of<T>() : std::ldexp(x, by), set};
}
// Undoes the scaling: up if the addend, an estimate of the quotient, is large (the denominator was scaled), else down.
// The result is scaled before it is rounded once, and denormal sources are kept, as observed on gfx1100 and gfx1201;
// rounding twice would give wrong denormal quotients.
__extension__ typedef __float128 quad;  // 113 bits: the product of two f64 fits
__extension__ typedef unsigned __int128 quad_bits;
// The sum rounded to odd, so that rounding it again rounds the exact sum.
quad odd_sum(quad a, quad b) {
  const quad sum = a + b, of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b);
  const auto bits = std::bit_cast<quad_bits>(sum);
  if (!(error > 0 || error < 0) || bits & 1) return sum;  // exact, infinite, NaN, or odd
  return std::bit_cast<quad>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
template <class T>
void div_fmas(Wave& w, const Step& st) {
  constexpr int step = std::is_same_v<T, f32> ? 64 : 128;
  using In = std::conditional_t<std::is_same_v<T, f32>, b32, T>;  // bits, so that denormals are not flushed
  Lanes<In> ba, bb, bc;
  Lanes<T> out;
  const T *a = std::bit_cast<const T*>(fetch(w, st, 0, ba)), *b = std::bit_cast<const T*>(fetch(w, st, 1, bb)),
          *c = std::bit_cast<const T*>(fetch(w, st, 2, bc));
  const u64 vcc = w.mask(sreg::vcc);
  {
    const Rounding scope(rounding_of<T>(w));
    Rounding::fence(&ba, &out), Rounding::fence(&bb, &bc);
    for (int l = 0; l < W; ++l) {
      if (!(vcc >> l & 1)) out.x[l] = std::fma(a[l], b[l], c[l]);
      else
        out.x[l] = static_cast<T>(odd_sum(static_cast<quad>(a[l]) * b[l], c[l]) *
                                  std::ldexp(f64{1}, exponent(c[l]) > bias<T> ? step : -step));
    }
    Rounding::fence(&ba, &out);
  }
  commit(w, st, out);
}
template <class T>
T div_fixup(T q, T den, T num) {
  const bool negative = std::signbit(den) != std::signbit(num);
  const auto sign = [&](T x) { return negative ? -x : x; };
  const auto rounded = [&](int e) {
    volatile T one = 1;
    return std::ldexp(sign(one), e);
  };  // rounds by MODE, at run time
  if (std::isnan(num)) return quiet(num);
  if (std::isnan(den)) return quiet(den);
  if ((den == 0 && num == 0) || (std::isinf(den) && std::isinf(num))) return -nan_of<T>();
  if (den == 0 || std::isinf(num)) return sign(infinity<T>());
  if (std::isinf(den) || num == 0) return sign(T{0});
  if (exponent(num) - exponent(den) < -(bias<T> + mantissa_bits<T>))
    return rounded(-2 * (bias<T> + mantissa_bits<T>));                  // underflow
  return std::isfinite(q) ? sign(std::fabs(q)) : rounded(2 * bias<T>);  // overflow
}

// -- DirectX 9 products: zero times anything is +0 --
f32 mul_legacy(f32 a, f32 b) { return a == 0 || b == 0 ? 0.f : a * b; }
// The sum rounds too: +0 + -0 is +0. Denormals are flushed in every MODE. (Measured on gfx1201, bjacob/goc; inferred on
// gfx11 and gfx1250.)
trans fma_legacy(trans a, trans b, trans c) {
  return {a.value == 0 || b.value == 0 ? 0.f + c.value : std::fma(a.value, b.value, c.value)};
}
trans mad(trans a, trans b, trans c) {
  return {flush(a.value * b.value) + c.value};
}  // two roundings; denormals are flushed in every MODE
f32 mullit(f32 a, f32 b, f32 c) {  // RDNA3 ISA, V_MULLIT_F32
  constexpr f32 most = std::numeric_limits<f32>::max();
  return b == -most || b == -infinity<f32>() || std::isnan(b) || c <= 0 || std::isnan(c) ? -most : mul_legacy(a, b);
}

// Cube maps: the face of a direction, and coordinates on it (CDNA3 ISA, V_CUBEID_F32 ... V_CUBEMA_F32)
// Comparisons take denormals as zeros in every MODE (measured on gfx1201: bjacob/goc; inferred on the others).
f32 quiet(f32 x) { return std::isnan(x) ? x + x : x; }
int cube_axis(f32 x, f32 y, f32 z) {
  const f32 ax = std::fabs(flush(x)), ay = std::fabs(flush(y)), az = std::fabs(flush(z));
  return az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
}
f32 cube_id(f32 x, f32 y, f32 z) {
  const int axis = cube_axis(x, y, z);
  const f32 along = axis == 2 ? z : axis == 1 ? y : x;
  return static_cast<f32>(2 * axis + (flush(along) < 0));
}
f32 cube_s(f32 x, f32 y, f32 z) {
  switch (cube_axis(x, y, z)) {
    case 2: return quiet(flush(z) < 0 ? -x : x);
    case 1: return quiet(x);
    default: return quiet(flush(x) < 0 ? z : -z);
  }
}
f32 cube_t(f32 x, f32 y, f32 z) {
  if (cube_axis(x, y, z) != 1) return quiet(-y);
  return quiet(flush(y) < 0 ? -z : z);
}
f32 cube_major(f32 x, f32 y, f32 z) {
  const int axis = cube_axis(x, y, z);
  const f32 major = axis == 2 ? z : axis == 1 ? y : x;
  return flush(major) == 0 ? 0 : 2 * major;
}

// -- Argument reduction: 53 bits of 2/pi, from bit 53 * segment and the exponent on (RDNA3 ISA, V_TRIG_PREOP_F64, which
// names 1201 bits; gfx1201 has 1184: measured, bjacob/goc. Inferred on the others) -------
constexpr u64 two_over_pi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                               0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                               0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                               0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                               0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x5603304600000000};  // then zeros
f64 trig_preop(f64 x, u32 segment) {
  const int e = exponent(x), shift = static_cast<int>(segment & 31) * 53 + std::max(0, e - 1077);
  const auto word = [](int i) { return i < static_cast<int>(std::size(two_over_pi)) ? two_over_pi[i] : 0; };
  const int at = shift / 64, in = shift % 64;
  const u64 top = in ? word(at) << in | word(at + 1) >> (64 - in) : word(at);
  return std::ldexp(static_cast<f64>(top >> 11), -53 - shift + (e >= 1968 ? 128 : 0));
}

constexpr Semantics rows[] = {
    {"v_add_f32", each<([](f32 a, f32 b) { return a + b; })>},
    {"v_sub_f32", each<([](f32 a, f32 b) { return a - b; })>},
    {"v_subrev_f32", each<([](f32 a, f32 b) { return b - a; })>},
    {"v_mul_f32", each<([](f32 a, f32 b) { return a * b; })>},
    {"v_fma_f32", each<([](f32 a, f32 b, f32 c) { return std::fma(a, b, c); })>},
    {"v_fmac_f32", each<([](f32 a, f32 b, f32 c) { return std::fma(a, b, c); })>},
    {"v_fmaak_f32", each<([](f32 a, f32 b, f32 c) { return std::fma(a, b, c); })>},
    {"v_fmamk_f32", each<([](f32 a, f32 b, f32 c) { return std::fma(a, b, c); })>},
    {"v_mad_f32", each<([](trans a, trans b, trans c) { return mad(a, b, c); })>},
    {"v_mac_f32", each<([](trans a, trans b, trans c) { return mad(a, b, c); })>},
    {"v_madak_f32", each<([](trans a, trans b, trans c) { return mad(a, b, c); })>},
    {"v_madmk_f32", each<([](trans a, trans b, trans c) { return mad(a, b, c); })>},
    {"v_mad_legacy_f32",
     each<([](trans a, trans b, trans c) { return trans{flush(mul_legacy(a.value, b.value)) + c.value}; })>},
    {"v_mul_legacy_f32", each<([](f32 a, f32 b) { return mul_legacy(a, b); })>},
    {"v_fma_dx9_zero_f32", each<([](trans a, trans b, trans c) { return fma_legacy(a, b, c); })>},
    {"v_fmac_dx9_zero_f32", each<([](trans a, trans b, trans c) { return fma_legacy(a, b, c); })>},
    {"v_mullit_f32", each<([](f32 a, f32 b, f32 c) { return mullit(a, b, c); })>},
    {"v_pk_add_f32", each<([](float2 a, float2 b) { return float2{a.lo + b.lo, a.hi + b.hi}; })>},
    {"v_pk_mul_f32", each<([](float2 a, float2 b) { return float2{a.lo * b.lo, a.hi * b.hi}; })>},
    {"v_pk_fma_f32", each<([](float2 a, float2 b, float2 c) {
       return float2{std::fma(a.lo, b.lo, c.lo), std::fma(a.hi, b.hi, c.hi)};
     })>},

    {"v_min_f32", choose_of_2<false>},
    {"v_max_f32", choose_of_2<true>},
    {"v_min3_f32", choose_of_3<false, false>},
    {"v_max3_f32", choose_of_3<true, true>},
    {"v_med3_f32", each<([](const Wave& w, f32 a, f32 b, f32 c) { return med3(w, a, b, c); })>},
    {"v_minmax_f32", choose_of_3<false, true>},
    {"v_maxmin_f32", choose_of_3<true, false>},
    {"v_minimum_f32", each<([](f32 a, f32 b) { return strict<false>(a, b); })>},
    {"v_maximum_f32", each<([](f32 a, f32 b) { return strict<true>(a, b); })>},
    {"v_minimum3_f32", each<([](f32 a, f32 b, f32 c) { return strict<false>(strict<false>(a, b), c); })>},
    {"v_maximum3_f32", each<([](f32 a, f32 b, f32 c) { return strict<true>(strict<true>(a, b), c); })>},
    {"v_minimummaximum_f32", each<([](f32 a, f32 b, f32 c) { return strict<true>(strict<false>(a, b), c); })>},
    {"v_maximumminimum_f32", each<([](f32 a, f32 b, f32 c) { return strict<false>(strict<true>(a, b), c); })>},

    {"v_trunc_f32", each<([](f32 a) { return std::trunc(a); })>},
    {"v_ceil_f32", each<([](f32 a) { return std::ceil(a); })>},
    {"v_floor_f32", each<([](f32 a) { return std::floor(a); })>},
    {"v_rndne_f32", each<([](f32 a) { return __builtin_roundevenf(a); })>},
    {"v_fract_f32", each<([](f32 a) { return fract(a); })>},
    {"v_ldexp_f32", each<([](f32 a, i32 n) { return scaled(a, n); })>},
    {"v_frexp_exp_i32_f32", each<([](f32 a) { return frexp_exp(a); })>},
    {"v_frexp_mant_f32", each<([](f32 a) { return frexp_mant(a); })>},
    {"v_div_scale_f32", each<([](f32 x, f32 den, f32 num) { return div_scale(x, den, num); })>},
    {"v_div_fmas_f32", div_fmas<f32>},
    {"v_div_fixup_f32", each<([](f32 q, f32 den, f32 num) { return div_fixup(q, den, num); })>},
    {"v_cubeid_f32", each<([](f32 x, f32 y, f32 z) { return cube_id(x, y, z); })>},
    {"v_cubesc_f32", each<([](f32 x, f32 y, f32 z) { return cube_s(x, y, z); })>},
    {"v_cubetc_f32", each<([](f32 x, f32 y, f32 z) { return cube_t(x, y, z); })>},
    {"v_cubema_f32", each<([](f32 x, f32 y, f32 z) { return cube_major(x, y, z); })>},

    {"v_add_f64", each<([](f64 a, f64 b) { return a + b; })>},
    {"v_mul_f64", each<([](f64 a, f64 b) { return a * b; })>},
    {"v_fma_f64", each<([](f64 a, f64 b, f64 c) { return std::fma(a, b, c); })>},
    {"v_fmac_f64", each<([](f64 a, f64 b, f64 c) { return std::fma(a, b, c); })>},
    {"v_fmaak_f64", each<([](f64 a, f64 b, f64 c) { return std::fma(a, b, c); })>},
    {"v_fmamk_f64", each<([](f64 a, f64 b, f64 c) { return std::fma(a, b, c); })>},
    {"v_min_f64", each<([](const Wave& w, f64 a, f64 b) { return number<false>(w, a, b); })>},
    {"v_max_f64", each<([](const Wave& w, f64 a, f64 b) { return number<true>(w, a, b); })>},
    {"v_minimum_f64", each<([](f64 a, f64 b) { return strict<false>(a, b); })>},
    {"v_maximum_f64", each<([](f64 a, f64 b) { return strict<true>(a, b); })>},
    {"v_trunc_f64", each<([](f64 a) { return std::trunc(a); })>},
    {"v_ceil_f64", each<([](f64 a) { return std::ceil(a); })>},
    {"v_floor_f64", each<([](f64 a) { return std::floor(a); })>},
    {"v_rndne_f64", each<([](f64 a) { return __builtin_roundeven(a); })>},
    {"v_fract_f64", each<([](f64 a) { return fract(a); })>},
    {"v_ldexp_f64", each<([](f64 a, i32 n) { return scaled(a, n); })>},
    {"v_frexp_exp_i32_f64", each<([](f64 a) { return frexp_exp(a); })>},
    {"v_frexp_mant_f64", each<([](f64 a) { return frexp_mant(a); })>},
    {"v_div_scale_f64", each<([](f64 x, f64 den, f64 num) { return div_scale(x, den, num); })>},
    {"v_div_fmas_f64", div_fmas<f64>},
    {"v_div_fixup_f64", each<([](f64 q, f64 den, f64 num) { return div_fixup(q, den, num); })>},
    {"v_trig_preop_f64", each<([](f64 a, u32 segment) { return trig_preop(a, segment); })>},
};

}  // namespace

std::span<const Semantics> float_semantics() { return rows; }

}  // namespace wavesmith::sim
