// The transcendental unit: computed in double and rounded once (v_exp_f32: in f32, to 0.80 ulp), which is within every
// error the ISA guides state (f32: 1 ulp; f64: 2^29 ulp). f32 flushes denormals in every MODE; f16 and bf16 follow
// MODE. Angles are in turns.
#include "simulator/lanes_float.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

// Beyond 256 turns the unit gives 0 and 1 (RDNA3 ISA, V_SIN_F32: valid input domain). Reduced to a quarter of a turn by
// exact steps, so that small angles keep their digits and zeros are exact.
f64 sin_turns(f64 x) {
  if (std::isinf(x)) return -std::numeric_limits<f64>::quiet_NaN();
  if (!(std::fabs(x) <= 256)) return std::isnan(x) ? x : 0.0;
  if (x == 0) return x;  // -0 too (measured on gfx1100 and gfx1201: rocjitsu; inferred on the others)
  const f64 r = x - __builtin_roundeven(x), folded = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
  return std::sin(folded * 2 * M_PI);
}
f64 cos_turns(f64 x) {
  if (std::isinf(x)) return -std::numeric_limits<f64>::quiet_NaN();
  if (!(std::fabs(x) <= 256)) return std::isnan(x) ? x : 1.0;
  return std::sin((0.25 - std::fabs(x - __builtin_roundeven(x))) * 2 * M_PI);
}
// 2^x without a call or a branch: x = n + r with r at most 1/2, and 2^r as its Chebyshev interpolation of degree 7,
// which is off by 2^-34 of it (f32 has 24 bits). Fused, so that every host rounds alike; floor, so that n does not
// depend on MODE's rounding. Adding `shift` to n leaves n + 1023, a biased exponent, in the lowest bits.
constexpr f64 exp_series[] = {0x1.ffffffffa7135p-1,  0x1.62e42fef9cc69p-1, 0x1.ebfbe0aa03df0p-3,
                              0x1.c6b08da70cce3p-5,  0x1.3b29d8bb0b97ep-7, 0x1.5d877598350dep-10,
                              0x1.446c79efd4834p-13, 0x1.00c0e4e15189cp-16};
inline f64 exp_2(f64 x) {
  constexpr f64 shift = 0x1.8p52 + 1023;
  const f64 in = std::fabs(x) > 1000 ? std::copysign(1000.0, x) : x, n = std::floor(in + 0.5), r = in - n;
  f64 sum = exp_series[7];
#pragma GCC unroll 8
  for (int k = 6; k >= 0; --k) sum = std::fma(sum, r, exp_series[k]);
  return sum * std::bit_cast<f64>(std::bit_cast<u64>(n + shift) << 52);
}
f64 log_2(f64 x) { return std::log2(x); }
f64 rcp(f64 x) { return 1.0 / x; }
f64 rsq(f64 x) { return 1.0 / std::sqrt(x); }
f64 sqrt_of(f64 x) { return std::sqrt(x); }
f64 tanh_of(f64 x) { return std::tanh(x); }

template <f64 (*f)(f64)>
struct Of {
  struct F32 {
    trans operator()(trans a) const { return {static_cast<f32>(f(a.value))}; }
  };
  struct F16 {  // MODE.FP16_OVFL: what a finite number gives is finite (measured on gfx1201: bjacob/goc)
    half operator()(const Wave& w, half a) const {
      const f64 y = f(a.value);
      if (!w.fp16_overflow || (to_f16(y) & 0x7fff) != 0x7c00) return {y};
      return {std::copysign(std::isfinite(a.value) ? 65504.0 : std::numeric_limits<f64>::infinity(), y)};
    }
  };
  struct Brain {
    brain operator()(brain a) const { return {f(a.value)}; }
  };
  struct F64 {
    f64 operator()(f64 a) const { return f(a); }
  };
};
// f32 and narrower round to nearest in every MODE (rocjitsu: measured on gfx1201. Inferred on the others).
template <Execute run>
void nearest(Wave& w, const Step& st) {
  const auto round = std::exchange(w.round, decltype(w.round){0});
  run(w, st);
  w.round = round;
}
template <f64 (*f)(f64)>
constexpr Execute f32_of = nearest<each<typename Of<f>::F32{}>>;
template <f64 (*f)(f64)>
constexpr Execute f16_of = nearest<each<typename Of<f>::F16{}>>;
template <f64 (*f)(f64)>
constexpr Execute bf16_of = nearest<each<typename Of<f>::Brain{}>>;
template <f64 (*f)(f64)>
constexpr Execute f64_of = each<typename Of<f>::F64{}>;
// A faster version in f32 only: the series of (2^r - 1) / r to degree 6. Error at most 0.80 ulp, by exhaustive test of
// all f32. The result's exponent is n plus that of 2^r, which is below 1 wherever n is 128 and the result finite;
// results below 2^-126 come out denormal or 0, and are flushed.
constexpr f32 exp_terms[] = {0x1.62e43p-1f,   0x1.ebfbep-3f, 0x1.c6b08ep-5f, 0x1.3b2a1cp-7f,
                             0x1.5d879ep-10f, 0x1.444p-13f,  0x1.00a582p-16f};
inline f32 near_exp_2(f32 x) {
  const f32 in = x < -127 ? -127 : x > 128 ? 128 : x, n = std::floor(in + 0.5f), r = in - n;
  f32 sum = exp_terms[6];
#pragma GCC unroll 8
  for (int k = 5; k >= 0; --k) sum = std::fma(sum, r, exp_terms[k]);
  sum = std::fma(sum, r, 1.f);
  const f32 y = std::bit_cast<f32>(std::bit_cast<u32>(sum) + (std::bit_cast<u32>(n + 0x1.8p23f) << 23));
  return x == x ? y : x + x;
}
constexpr Execute exp_f32 = nearest<each<([](trans a) { return trans{near_exp_2(a.value)}; })>>;

// v_s_*: scalar source and result, independent of EXEC. An f16 result clears the upper half (CDNA5 ISA 7.10).
template <f64 (*f)(f64), bool wide>
void scalar_of(Wave& w, const Step& st) {
  const Source& s = st.src[0];
  const isa::Mods& m = st.inst.mods;
  const u32 bits = s.from == Source::From::constant ? s.bits[0] : scalar(w, s.reg);
  if constexpr (wide) {
    const f32 x = flush(std::bit_cast<f32>(sign32(bits, s)));
    w.s[st.dst] = std::bit_cast<u32>(finish(w, m, flush(static_cast<f32>(f(x))), 0));
  } else {
    const half x = half::of(w, sign16(s.sel_lo ? bits >> 16 : bits, s.abs, s.neg));
    w.s[st.dst] = half::to(w, m, typename Of<f>::F16{}(w, x));
  }
}

// clang-format off
constexpr Semantics rows[] = {
    {"v_exp_f32", exp_f32},            {"v_exp_f16", f16_of<exp_2>},      {"v_exp_bf16", bf16_of<exp_2>},    {"v_exp_legacy_f32", exp_f32},
    {"v_log_f32", f32_of<log_2>},      {"v_log_f16", f16_of<log_2>},      {"v_log_bf16", bf16_of<log_2>},    {"v_log_legacy_f32", f32_of<log_2>},
    {"v_rcp_f32", f32_of<rcp>},        {"v_rcp_f16", f16_of<rcp>},        {"v_rcp_bf16", bf16_of<rcp>},      {"v_rcp_f64", f64_of<rcp>},   {"v_rcp_iflag_f32", f32_of<rcp>},
    {"v_rsq_f32", f32_of<rsq>},        {"v_rsq_f16", f16_of<rsq>},        {"v_rsq_bf16", bf16_of<rsq>},      {"v_rsq_f64", f64_of<rsq>},
    {"v_sqrt_f32", f32_of<sqrt_of>},   {"v_sqrt_f16", f16_of<sqrt_of>},   {"v_sqrt_bf16", bf16_of<sqrt_of>}, {"v_sqrt_f64", f64_of<sqrt_of>},
    {"v_sin_f32", f32_of<sin_turns>},  {"v_sin_f16", f16_of<sin_turns>},  {"v_sin_bf16", bf16_of<sin_turns>},
    {"v_cos_f32", f32_of<cos_turns>},  {"v_cos_f16", f16_of<cos_turns>},  {"v_cos_bf16", bf16_of<cos_turns>},
    {"v_tanh_f32", f32_of<tanh_of>},   {"v_tanh_f16", f16_of<tanh_of>},   {"v_tanh_bf16", bf16_of<tanh_of>},
    {"v_s_exp_f32", nearest<scalar_of<exp_2, true>>},    {"v_s_exp_f16", nearest<scalar_of<exp_2, false>>},
    {"v_s_log_f32", nearest<scalar_of<log_2, true>>},    {"v_s_log_f16", nearest<scalar_of<log_2, false>>},
    {"v_s_rcp_f32", nearest<scalar_of<rcp, true>>},      {"v_s_rcp_f16", nearest<scalar_of<rcp, false>>},
    {"v_s_rsq_f32", nearest<scalar_of<rsq, true>>},      {"v_s_rsq_f16", nearest<scalar_of<rsq, false>>},
    {"v_s_sqrt_f32", nearest<scalar_of<sqrt_of, true>>}, {"v_s_sqrt_f16", nearest<scalar_of<sqrt_of, false>>},
};
// clang-format on

}  // namespace

std::span<const Semantics> transcendental_semantics() { return rows; }

}  // namespace wavesmith::sim
