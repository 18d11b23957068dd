// Lane types of the narrow and mixed float instructions, beyond f16 and packed f16 (lanes.h): bf16, floats as bits,
// operands that are f16 or f32 by op_sel_hi, tuples of dwords. bf16: packed, to nearest and with its denormals (CDNA5
// ISA 7.7); v_fma_mix as MODE says for f16 (rocm-systems pull request 10913). Inferred: other single ones as v_fma_mix.
#pragma once
#include "simulator/lanes.h"
#include "simulator/numerics/valu.h"

namespace wavesmith::sim {

// -- 16 bits ---------------------------------------------------------------------------------------------------------
// MODE.FP16_OVFL: the largest number instead of an infinity, unless x is infinite.
inline u16 finite_bf16(const Wave& w, u16 b, f64 x) {
  return w.fp16_overflow && w.group->target->overflow_mode_of_bf16() && (b & 0x7fff) == 0x7f80 && std::isfinite(x)
             ? b - 1
             : b;
}
template <bool by_mode>
struct brain_of {  // bf16, computed to more than 51 bits' worth and rounded once
  f64 value;
  static constexpr bool rounds_itself = true;
  static constexpr u16 flushed(u16 b) { return b & 0x7f80 ? b : b & 0x8000; }
  static brain_of of(const Wave& w, u16 b) {
    return {from_bf16(by_mode && flushes_inputs(w.denorm_f16) ? flushed(b) : b)};
  }
  static u16 to(const Wave& w, const isa::Mods& m, brain_of x) {
    const Round round = by_mode ? static_cast<Round>(w.round >> 2 & 3) : Round::nearest_even;
    const f32 single = static_cast<f32>(x.value);
    u16 b = round == Round::nearest_even && single == x.value
                ? to_bf16(single)
                : static_cast<u16>(encode(format::bf16, x.value, {.round = round}));
    b = finite_bf16(w, b, x.value);
    if (by_mode && flushes_results(w.denorm_f16)) b = flushed(b);
    return m.has(isa::clamp) || m.omod
               ? static_cast<u16>(encode(format::bf16, finish(w, m, static_cast<f64>(from_bf16(b)))))
               : b;
  }
};
using brain = brain_of<true>;
struct half_bits {  // f16 that is selected or decomposed, not computed: NaNs keep their payload
  u16 bits;
  static half_bits of(const Wave& w, u16 b) { return {flushes_inputs(w.denorm_f16) ? flush_f16(b) : b}; }
  static u16 to(const Wave& w, const isa::Mods& m, half_bits x) {
    return m.has(isa::clamp) || m.omod     ? finish_f16(w, m, from_f16(x.bits))
           : flushes_results(w.denorm_f16) ? flush_f16(x.bits)
                                           : x.bits;
  }
};
struct brain_bits {  // all of its instructions are packed or conversions
  u16 bits;
  static brain_bits of(const Wave&, u16 b) { return {b}; }
  static u16 to(const Wave& w, const isa::Mods& m, brain_bits x) {
    return m.has(isa::clamp) || m.omod ? brain_of<false>::to(w, m, {from_bf16(x.bits)}) : x.bits;
  }
};
struct raw16 {  // whatever MODE says about denormals
  u16 bits;
  static raw16 of(const Wave&, u16 b) { return {b}; }
  static u16 to(const Wave&, const isa::Mods&, raw16 x) { return x.bits; }
};

// The first operand that is a NaN, else x (whose own operands the host's compiler may have swapped).
inline half first_nan(half a, half b, f64 x) {
  return {a.value != a.value ? a.value : b.value != b.value ? b.value : x};
}
inline half operator+(half a, half b) { return first_nan(a, b, a.value + b.value); }
inline half operator-(half a, half b) { return first_nan(a, b, a.value - b.value); }
inline half operator*(half a, half b) { return first_nan(a, b, a.value * b.value); }
// At most 40 bits unless it overflows: rounded once in round-to-nearest. A product that is no number comes before an
// addend that is a NaN.
inline half fma(half a, half b, half c) {
  const f64 product = a.value * b.value, sum = std::fma(a.value, b.value, c.value);
  return first_nan(a, b, product != product ? product : sum);
}
template <bool m>
brain_of<m> operator+(brain_of<m> a, brain_of<m> b) {
  return {odd_sum(a.value, b.value)};
}
template <bool m>
brain_of<m> operator*(brain_of<m> a, brain_of<m> b) {
  return {a.value * b.value};
}
template <bool m>
brain_of<m> fma(brain_of<m> a, brain_of<m> b, brain_of<m> c) {
  return {odd_sum(a.value * b.value, c.value)};
}
template <class T>
pair<T> operator+(pair<T> a, pair<T> b) {
  return {a.lo + b.lo, a.hi + b.hi};
}
template <class T>
pair<T> operator*(pair<T> a, pair<T> b) {
  return {a.lo * b.lo, a.hi * b.hi};
}
template <class T>
pair<T> fma(pair<T> a, pair<T> b, pair<T> c) {
  return {fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)};
}

// -- Mixed precision -------------------------------------------------------------------------------------------------
// A source of v_fma_mix: f32 or, with op_sel_hi, the half selected by op_sel, as f32.
template <class Part>
struct mixed {
  f32 value;
  static constexpr int dwords = 1;
  static void load(const Wave& w, const Source& s, const u32* const* in, mixed* out) {
    const bool daz = flushes_inputs(w.denorm_f32);
    for (int l = 0; l < W; ++l) {
      f32 x;
      if (!s.sel_hi) x = std::bit_cast<f32>(sign32(in[0][l], s));
      else x = static_cast<f32>(Part::of(w, sign16(s.sel_lo ? in[0][l] >> 16 : in[0][l], s.abs, s.neg)).value);
      out[l] = {daz ? flush(x) : x};
    }
  }
};
// A 16-bit result for one half, on every target; the other is kept.
template <class Part, bool upper>
struct into_half {
  f64 value;
  static constexpr int dwords = 1;
  static constexpr bool rounds_itself = true;
  static void store(Wave& w, const Step& st, const into_half* x, u32 (*out)[W]) {
    const u32* old = w.vreg(st.dst);
    for (int l = 0; l < W; ++l) {
      const u32 b = Part::to(w, st.inst.mods, {x[l].value});
      out[0][l] = upper ? (old[l] & 0xffff) | b << 16 : (old[l] & 0xffff0000) | b;
    }
  }
};

// -- Tuples --
template <int n>
struct words {
  u32 x[n];
  static constexpr int dwords = n;
  static constexpr bool rounds_itself = true;
  static void load(const Wave&, const Source&, const u32* const* in, words* out) {
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < W; ++l) out[l].x[k] = in[k][l];
  }
  static void store(Wave&, const Step&, const words* r, u32 (*out)[W]) {
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < W; ++l) out[k][l] = r[l].x[k];
  }
};

// -- Choosing between floats by their bits: minimum and maximum of every width --
template <class B, B infinity_bits, B quiet_bit, class F = void>
struct Bits {  // F: the host's float of that width, if any
  using S = std::make_signed_t<B>;
  static constexpr B infinity = infinity_bits, quiet = quiet_bit, magnitude = std::numeric_limits<S>::max();
  static bool nan(B b) {
    if constexpr (!std::is_void_v<F>) return std::bit_cast<F>(b) != std::bit_cast<F>(b);
    else return (b & magnitude) > infinity;
  }
  static bool signalling(B b) { return nan(b) & !(b & quiet); }
  static B quieted(B b) { return b | quiet; }
  static B chosen(bool first, B x, B y) {
    return static_cast<B>(y ^ ((x ^ y) & static_cast<B>(-B{first})));
  }  // without a branch, so that lanes are vectorised
  static S order(B b) {
    const S s = static_cast<S>(b);
    return s < 0 ? static_cast<S>(s ^ magnitude) : s;
  }  // -0 below +0
  // With a NaN and a number, the number is returned. With MODE.IEEE a signalling NaN is returned, quieted (CDNA3 and
  // RDNA3 ISA, V_MIN_F32); without it, and on targets without that mode (RDNA4 ISA, V_MIN_NUM_F32), the number is.
  template <bool max>
  [[gnu::always_inline]] static B number(const Wave& w, B a, B b) {
    const bool na = nan(a), nb = nan(b);
    B r;
    if constexpr (std::is_void_v<F>) {
      r = (max ? order(a) > order(b) : order(a) < order(b)) ? a : b;
      r = chosen(na, b, r);
      r = chosen(nb, a, r);  // of two NaNs the first
    } else {
      const F fa = std::bit_cast<F>(a), fb = std::bit_cast<F>(b);
      r = (max ? fa > fb : fa < fb) | nb ? a : b;
      if (fa == fb) r = max ? a & b : a | b;  // zeros of either sign
    }
    const B loses = w.ieee ? 0 : quiet;  // treats signalling NaNs as quiet
    r = chosen(nb & !((b | loses) & quiet), quieted(b), r);
    r = chosen(na & !((a | loses) & quiet), quieted(a), r);
    return r | (static_cast<B>(-(na & nb)) & quiet);
  }
  // IEEE 754-2019 minimum and maximum: a NaN is returned (RDNA4 ISA, V_MINIMUM_F32).
  template <bool max>
  static B strict(B a, B b) {
    const B r = (max ? order(a) > order(b) : order(a) < order(b)) ? a : b;
    return nan(a) ? quieted(a) : nan(b) ? quieted(b) : r;
  }
  static B middle(const Wave& w, B a, B b,
                  B c) {  // with a NaN among them: the smallest of the others (RDNA3 ISA, V_MED3_F32)
    if (nan(a) || nan(b) || nan(c)) return number<false>(w, number<false>(w, a, b), c);
    return number<true>(w, number<false>(w, a, b), number<false>(w, number<true>(w, a, b), c));
  }
};
using Bits16 = Bits<u16, 0x7c00, 0x0200>;
using BitsBrain = Bits<u16, 0x7f80, 0x0040>;
using Bits32 = Bits<u32, 0x7f800000, 0x00400000, f32>;
using Bits64 = Bits<u64, 0x7ff0000000000000, 0x0008000000000000, f64>;

// The class of a float, as a bit number of v_cmp_class: sNaN qNaN -inf -normal -denormal -0 +0 +denormal +normal
// +inf.
template <class F, class B>
int float_class(B b) {
  const B m = b & F::magnitude;
  const bool negative = b != m;
  if (F::nan(b)) return F::signalling(b) ? 0 : 1;
  if (m == F::infinity) return negative ? 2 : 9;
  if (m & F::infinity) return negative ? 3 : 8;
  if (m) return negative ? 4 : 7;
  return negative ? 5 : 6;
}

}  // namespace wavesmith::sim
