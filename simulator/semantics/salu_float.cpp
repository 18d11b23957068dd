// Scalar float arithmetic (RDNA3.5 and later): the vector rules of rounding, denormals and NaN on one value. f16 uses
// the low half of its sources and clears the upper half of its result (RDNA4 ISA, scalar f16 instructions).
#include <cmath>

#include "simulator/numerics/valu.h"
#include "simulator/scalar.h"

namespace wavesmith::sim {
namespace {

// The value types of scalar float functions; how MODE applies to them is in load and store.
struct F32 {
  f32 value;
  using Host = f32;
};
struct F16 {
  f64 value;
  using Host = f64;
};  // exact; rounded once by store

Round round_of(const Wave& w, F32) { return static_cast<Round>(w.round & 3); }
Round round_of(const Wave& w, F16) { return static_cast<Round>(w.round >> 2 & 3); }
f32 in_mode(const Wave& w, f32 x, int bit) { return w.denorm_f32 & bit ? x : flush(x); }
u16 in_mode(const Wave& w, u16 x, int bit) { return w.denorm_f16 & bit ? x : flush_f16(x); }
f32 load(Wave& w, const Step& st, int i, F32) { return in_mode(w, source<f32>(w, st, i), 1); }
f64 load(Wave& w, const Step& st, int i, F16) {
  return from_f16(in_mode(w, static_cast<u16>(source<u32>(w, st, i)), 1));
}
void store(Wave& w, const Step& st, F32 x) { put(w, st, in_mode(w, x.value, 2)); }
void store(Wave& w, const Step& st, F16 x) {
  u16 h = to_f16(x.value, round_of(w, x));
  if (w.fp16_overflow && std::isfinite(x.value) && (h & 0x7fff) == 0x7c00) --h;  // MODE.FP16_OVFL
  put(w, st, u32{in_mode(w, h, 2)});
}
// A source that was selected: denormals stay (measured on gfx1201: bjacob/goc).
void select(Wave& w, const Step& st, F32 x) { put(w, st, x.value); }
void select(Wave& w, const Step& st, F16 x) { put(w, st, u32{to_f16(x.value)}); }

template <class T, auto f>
void unary(Wave& w, const Step& st) {
  store(w, st, T{f(load(w, st, 0, T{}))});
}
template <class T, auto f>
void binary(Wave& w, const Step& st) {
  store(w, st, T{f(load(w, st, 0, T{}), load(w, st, 1, T{}))});
}
template <class T, auto f>
void selected(Wave& w, const Step& st) {
  select(w, st, T{f(load(w, st, 0, T{}), load(w, st, 1, T{}))});
}
template <auto f>
void rounded(Wave& w, const Step& st) {
  store(w, st, F32{f(load(w, st, 0, F32{}), load(w, st, 1, F32{}), round_of(w, F32{}))});
}
template <class T, auto f>
void compare(Wave& w, const Step& st) {
  w.scc = f(load(w, st, 0, T{}), load(w, st, 1, T{}));
}

// v_fma of sources a, b and c by position: the accumulator of fmac comes last, fmamk has its constant in the middle.
template <int a, int b, int c>
void fma32(Wave& w, const Step& st) {
  store(w, st, F32{fma_f32(load(w, st, a, F32{}), load(w, st, b, F32{}), load(w, st, c, F32{}), round_of(w, F32{}))});
}
void fma16(Wave& w, const Step& st) {
  store(w, st, F16{std::fma(load(w, st, 0, F16{}), load(w, st, 1, F16{}), load(w, st, 2, F16{}))});
}

template <auto f>
void ieee_select(Wave& w, const Step& st) {
  select(w, st, F32{f(load(w, st, 0, F32{}), load(w, st, 1, F32{}), w.ieee)});
}
// f16 values are exact in f32; NaNs become quiet.
template <auto f>
void ieee_select16(Wave& w, const Step& st) {
  select(w, st, F16{f(static_cast<f32>(load(w, st, 0, F16{})), static_cast<f32>(load(w, st, 1, F16{})), w.ieee)});
}
// IEEE 754-2019 minimum and maximum: any NaN wins, -0 < +0.
template <class T>
T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T>
T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

void cvt_f32_int(Wave& w, const Step& st, f64 exact) { store(w, st, F32{round_f32(exact, round_of(w, F32{}))}); }
void cvt_f32_i32(Wave& w, const Step& st) {
  int i = 0;
  cvt_f32_int(w, st, source<i32>(w, st, i));
}
void cvt_f32_u32(Wave& w, const Step& st) {
  int i = 0;
  cvt_f32_int(w, st, source<u32>(w, st, i));
}
void cvt_i32_f32(Wave& w, const Step& st) { put(w, st, to_i32(load(w, st, 0, F32{}))); }
void cvt_u32_f32(Wave& w, const Step& st) { put(w, st, to_u32(load(w, st, 0, F32{}))); }
void cvt_f16_f32(Wave& w, const Step& st) { store(w, st, F16{load(w, st, 0, F32{})}); }
void cvt_f32_f16(Wave& w, const Step& st) { store(w, st, F32{static_cast<f32>(load(w, st, 0, F16{}))}); }
void cvt_hi_f32_f16(Wave& w, const Step& st) {
  int i = 0;
  store(w, st, F32{from_f16(in_mode(w, static_cast<u16>(source<u32>(w, st, i) >> 16), 1))});
}
void cvt_pk_rtz(Wave& w, const Step& st) {
  const auto half = [&](int i) { return u32{in_mode(w, to_f16(load(w, st, i, F32{}), Round::zero), 2)}; };
  put(w, st, half(0) | half(1) << 16);
}

constexpr auto lt = [](auto a, auto b) { return a < b; };
constexpr auto eq = [](auto a, auto b) { return a == b; };
constexpr auto le = [](auto a, auto b) { return a <= b; };
constexpr auto gt = [](auto a, auto b) { return a > b; };
constexpr auto lg = [](auto a, auto b) { return a < b || a > b; };
constexpr auto ge = [](auto a, auto b) { return a >= b; };
constexpr auto ordered = [](auto a, auto b) { return !std::isnan(a) && !std::isnan(b); };
constexpr auto unordered = [](auto a, auto b) { return std::isnan(a) || std::isnan(b); };
constexpr auto nge = [](auto a, auto b) { return !(a >= b); };
constexpr auto nlg = [](auto a, auto b) { return !(a < b || a > b); };
constexpr auto ngt = [](auto a, auto b) { return !(a > b); };
constexpr auto nle = [](auto a, auto b) { return !(a <= b); };
constexpr auto neq = [](auto a, auto b) { return !(a == b); };
constexpr auto nlt = [](auto a, auto b) { return !(a < b); };
constexpr auto quiet = [](auto a, auto whole) { return std::isnan(a) ? a + a : whole; };
constexpr auto ceil_ = [](auto a) { return quiet(a, std::ceil(a)); };
constexpr auto floor_ = [](auto a) { return quiet(a, std::floor(a)); };
constexpr auto trunc_ = [](auto a) { return quiet(a, std::trunc(a)); };
constexpr auto even = [](auto a) { return quiet(a, std::nearbyint(a)); };
constexpr auto add = [](f64 a, f64 b) { return a + b; };
constexpr auto sub = [](f64 a, f64 b) { return a - b; };
constexpr auto mul = [](f64 a, f64 b) { return a * b; };
f32 sub_f32(f32 a, f32 b, Round r) { return add_f32(a, -b, r); }

constexpr Semantics rows[] = {
    {"s_add_f32", rounded<add_f32>},
    {"s_add_f16", binary<F16, add>},
    {"s_sub_f32", rounded<sub_f32>},
    {"s_sub_f16", binary<F16, sub>},
    {"s_mul_f32", rounded<mul_f32>},
    {"s_mul_f16", binary<F16, mul>},
    {"s_fmac_f32", fma32<0, 1, 2>},
    {"s_fmac_f16", fma16},
    {"s_fmaak_f32", fma32<0, 1, 2>},
    {"s_fmamk_f32", fma32<0, 1, 2>},
    {"s_min_f32", ieee_select<min_f32>},
    {"s_min_f16", ieee_select16<min_f32>},
    {"s_max_f32", ieee_select<max_f32>},
    {"s_max_f16", ieee_select16<max_f32>},
    {"s_minimum_f32", selected<F32, minimum<f32>>},
    {"s_minimum_f16", selected<F16, minimum<f64>>},
    {"s_maximum_f32", selected<F32, maximum<f32>>},
    {"s_maximum_f16", selected<F16, maximum<f64>>},
    {"s_ceil_f32", unary<F32, ceil_>},
    {"s_ceil_f16", unary<F16, ceil_>},
    {"s_floor_f32", unary<F32, floor_>},
    {"s_floor_f16", unary<F16, floor_>},
    {"s_trunc_f32", unary<F32, trunc_>},
    {"s_trunc_f16", unary<F16, trunc_>},
    {"s_rndne_f32", unary<F32, even>},
    {"s_rndne_f16", unary<F16, even>},
    {"s_cvt_f32_i32", cvt_f32_i32},
    {"s_cvt_f32_u32", cvt_f32_u32},
    {"s_cvt_i32_f32", cvt_i32_f32},
    {"s_cvt_u32_f32", cvt_u32_f32},
    {"s_cvt_f16_f32", cvt_f16_f32},
    {"s_cvt_f32_f16", cvt_f32_f16},
    {"s_cvt_hi_f32_f16", cvt_hi_f32_f16},
    {"s_cvt_pk_rtz_f16_f32", cvt_pk_rtz},
    {"s_cmp_lt_f32", compare<F32, lt>},
    {"s_cmp_lt_f16", compare<F16, lt>},
    {"s_cmp_eq_f32", compare<F32, eq>},
    {"s_cmp_eq_f16", compare<F16, eq>},
    {"s_cmp_le_f32", compare<F32, le>},
    {"s_cmp_le_f16", compare<F16, le>},
    {"s_cmp_gt_f32", compare<F32, gt>},
    {"s_cmp_gt_f16", compare<F16, gt>},
    {"s_cmp_lg_f32", compare<F32, lg>},
    {"s_cmp_lg_f16", compare<F16, lg>},
    {"s_cmp_ge_f32", compare<F32, ge>},
    {"s_cmp_ge_f16", compare<F16, ge>},
    {"s_cmp_o_f32", compare<F32, ordered>},
    {"s_cmp_o_f16", compare<F16, ordered>},
    {"s_cmp_u_f32", compare<F32, unordered>},
    {"s_cmp_u_f16", compare<F16, unordered>},
    {"s_cmp_nge_f32", compare<F32, nge>},
    {"s_cmp_nge_f16", compare<F16, nge>},
    {"s_cmp_nlg_f32", compare<F32, nlg>},
    {"s_cmp_nlg_f16", compare<F16, nlg>},
    {"s_cmp_ngt_f32", compare<F32, ngt>},
    {"s_cmp_ngt_f16", compare<F16, ngt>},
    {"s_cmp_nle_f32", compare<F32, nle>},
    {"s_cmp_nle_f16", compare<F16, nle>},
    {"s_cmp_neq_f32", compare<F32, neq>},
    {"s_cmp_neq_f16", compare<F16, neq>},
    {"s_cmp_nlt_f32", compare<F32, nlt>},
    {"s_cmp_nlt_f16", compare<F16, nlt>},
};

}  // namespace

std::span<const Semantics> salu_float_semantics() { return rows; }

}  // namespace wavesmith::sim
