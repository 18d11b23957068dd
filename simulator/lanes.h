// How a vector instruction reads its operands and writes its result: constants, modifiers, DPP, SDWA, denormals, clamp,
// omod and EXEC, each in one place. `each<f>` turns a function of one lane into an instruction; the lane types say how
// registers are read.
#pragma once
#include <algorithm>
#include <cfenv>
#include <tuple>
#include <utility>

#include "simulator/numerics/numerics.h"
#include "simulator/wave.h"

namespace wavesmith::sim {

// -- Lane types beyond u32, i32, f32, u64, i64, f64, u16, i16 --
struct b32 {
  u32 bits;
};  // moved, not computed: sign modifiers apply, denormals survive
// 16-bit lane types define the conversion from 16 bits (`of`, after sign modifiers) and to 16 bits (`to`, with MODE,
// omod and clamp).
struct half {
  f64 value;
  static half of(const Wave&, u16);
  static u16 to(const Wave&, const isa::Mods&, half);
};  // f16, computed exactly and rounded once
template <class T>
struct pair {
  T lo, hi;
};  // two of them packed
using half2 = pair<half>;
struct float2 {
  f32 lo, hi;
};  // packed f32
struct b32x2 {
  u32 lo, hi;
};  // two dwords of a pair, picked by op_sel and op_sel_hi
struct trans {
  f32 value;
};  // f32 of the transcendental unit: denormals are flushed whatever MODE says
struct bit {
  bool set;
};  // one lane of a mask
struct b16 {
  u16 bits;
  static constexpr bool rounds_itself = true;
  static b16 of(const Wave&, u16 b) { return {b}; }
  static u16 to(const Wave&, const isa::Mods&, b16 x) { return x.bits; }
};  // moved, not computed
template <class T>
struct packed {
  T lo, hi;
};  // two 16-bit integers
__extension__ typedef __int128 i128;
template <class T>
struct sat {
  std::conditional_t<sizeof(T) == 8, i128, i64> value;
};  // a result of T before clamping; without clamp it wraps
template <class T>
struct carry {
  T value;
  bool set;
};  // a result and a lane of the mask operand

// A 16-bit result on gfx9 that clears or keeps the other half, unlike its encoding. (Later targets always keep it.)
template <class T>
struct cleared {
  T value;
};
template <class T>
struct kept {
  T value;
};

inline constexpr int W = Wave::lanes;
template <class T>
struct alignas(64) Lanes {
  T x[W];
};

template <class T>
concept Narrow = requires(const Wave& w, const isa::Mods& m, T x) {
  T::of(w, u16{});
  T::to(w, m, x);
};
template <class T>
struct PairOf {
  using Type = void;
};
template <class T>
struct PairOf<pair<T>> {
  using Type = T;
};
template <class T>
struct PlaceOf {
  using Type = T;
  static constexpr bool clears = false, keeps = false;
};
template <class T>
struct PlaceOf<cleared<T>> {
  using Type = T;
  static constexpr bool clears = true, keeps = false;
};
template <class T>
struct PlaceOf<kept<T>> {
  using Type = T;
  static constexpr bool clears = false, keeps = true;
};
// A lane of several dwords, or one with its own handling of modifiers (lanes_float.h): `load` fills all lanes from the
// dwords, `store` does the reverse.
template <class T>
concept Wide = requires { T::dwords; };

// -- Fetch --

// The source lane of a lane's DPP16 operand, or -1.
int dpp_source(u32 ctrl, int lane);
// Lanes a DPP instruction writes; fills `from` with each lane's source lane (absent: reads 0).
u64 dpp_lanes(const Wave&, const Step&, std::array<i8, W>& from);
// Lanes an instruction writes: EXEC, reduced by the masks and bounds of DPP.
inline u64 active_lanes(const Wave& w, const Step& st) {
  std::array<i8, W> from;
  return !st.plain && (st.inst.mods.dpp || st.inst.mods.dpp8) ? dpp_lanes(w, st, from) : w.exec();
}
u32 sdwa_select(u32 value, isa::Sdwa, bool sext);
u32 sdwa_merge(u32 old, u32 value, const isa::Mods&);

// Dword `word` of a constant or a scalar.
inline u32 uniform(const Wave& w, const Source& s, int word) {
  return s.from == Source::From::constant      ? s.bits[word]
         : word == 0                           ? scalar(w, s.reg)
         : s.dwords > 1 && s.reg != sreg::null ? scalar(w, s.reg + 1)
                                               : 0;
}
// One value for all lanes, in stores as wide as the later loads: narrower stores could not be forwarded.
void splat(u32 value, u32* out);

// Dword `word` of source i in each lane, DPP and SDWA done; points into the register file if possible.
inline const u32* raw(Wave& w, const Step& st, int i, int word, u32* out) {
  const Source& s = st.src[i];
  if (s.from == Source::From::vector) {
    const u32* r = w.vreg(s.reg + word);
    if (st.plain) return r;
    if ((st.inst.mods.dpp || st.inst.mods.dpp8) && i == st.permuted) {
      std::array<i8, W> from;
      dpp_lanes(w, st, from);
      for (int l = 0; l < W; ++l) out[l] = from[l] == absent ? 0 : r[from[l]];
      return out;
    }
    if (st.inst.mods.sdwa && i < 2) {
      for (int l = 0; l < W; ++l)
        out[l] = sdwa_select(r[l], i == 0 ? st.inst.mods.src0_sel : st.inst.mods.src1_sel, s.sext);
      return out;
    }
    return r;
  }
  u32 value = uniform(w, s, word);
  if (st.inst.mods.sdwa && i < 2)
    value = sdwa_select(value, i == 0 ? st.inst.mods.src0_sel : st.inst.mods.src1_sel, s.sext);
  splat(value, out);
  return out;
}

inline u32 sign32(u32 b, const Source& s) { return (s.abs ? b & 0x7fffffff : b) ^ (s.neg ? 0x80000000u : 0); }
inline bool flushes_inputs(u8 denorm) { return !(denorm & 1); }
inline bool flushes_results(u8 denorm) { return !(denorm & 2); }
inline u16 sign16(u32 b, bool abs, bool neg) { return static_cast<u16>((abs ? b & 0x7fff : b) ^ (neg ? 0x8000 : 0)); }
inline f64 flush64(f64 x) { return (std::bit_cast<u64>(x) & 0x7ff0000000000000) ? x : std::copysign(0.0, x); }

template <class T>
const T* fetch(Wave& w, const Step& st, int i, Lanes<T>& buffer) {
  const Source& s = st.src[i];
  alignas(64) u32 lo_buffer[W];
  if constexpr (Wide<T>) {
    alignas(64) u32 words[T::dwords][W];
    const u32* in[T::dwords];
    for (int k = 0; k < T::dwords; ++k) in[k] = raw(w, st, i, k, words[k]);
    T::load(w, s, in, buffer.x);
    return buffer.x;
  } else if constexpr (std::is_same_v<T, u32> || std::is_same_v<T, i32>) {
    return reinterpret_cast<const T*>(raw(w, st, i, 0, reinterpret_cast<u32*>(buffer.x)));
  } else if constexpr (std::is_same_v<T, f32> || std::is_same_v<T, b32> || std::is_same_v<T, trans>) {
    const u32* r = raw(w, st, i, 0, reinterpret_cast<u32*>(buffer.x));
    const bool daz = std::is_same_v<T, trans> || (std::is_same_v<T, f32> && flushes_inputs(w.denorm_f32));
    if (!s.neg && !s.abs && !daz) return reinterpret_cast<const T*>(r);
    for (int l = 0; l < W; ++l) {
      f32 x = std::bit_cast<f32>(sign32(r[l], s));
      if (daz) x = flush(x);
      buffer.x[l] = std::bit_cast<T>(x);
    }
    return buffer.x;
  } else if constexpr (std::is_same_v<T, u64> || std::is_same_v<T, i64> || std::is_same_v<T, f64>) {
    alignas(64) u32 hi_buffer[W];
    const u32* lo = raw(w, st, i, 0, lo_buffer);
    const u32* hi = raw(w, st, i, 1, hi_buffer);
    for (int l = 0; l < W; ++l) {
      u64 x = lo[l] | u64{hi[l]} << 32;
      if constexpr (std::is_same_v<T, f64>) x = (s.abs ? x & ~(u64{1} << 63) : x) ^ (s.neg ? u64{1} << 63 : 0);
      buffer.x[l] = std::bit_cast<T>(x);
      if constexpr (std::is_same_v<T, f64>)
        if (flushes_inputs(w.denorm_f16)) buffer.x[l] = flush64(buffer.x[l]);
    }
    return buffer.x;
  } else if constexpr (std::is_same_v<T, u16> || std::is_same_v<T, i16>) {
    const u32* r = raw(w, st, i, 0, lo_buffer);
    for (int l = 0; l < W; ++l) buffer.x[l] = static_cast<T>(s.sel_lo ? r[l] >> 16 : r[l]);
    return buffer.x;
  } else if constexpr (std::is_same_v<T, b16>) {
    const u32* r = raw(w, st, i, 0, lo_buffer);
    for (int l = 0; l < W; ++l) {
      const u16 b = static_cast<u16>(s.sel_lo ? r[l] >> 16 : r[l]);
      buffer.x[l] = {static_cast<u16>((s.abs ? b & 0x7fff : b) ^ (s.neg ? 0x8000 : 0))};
    }
    return buffer.x;
  } else if constexpr (std::is_same_v<T, packed<u16>> || std::is_same_v<T, packed<i16>>) {
    using H = decltype(T{}.lo);
    const u32* r = raw(w, st, i, 0, lo_buffer);
    for (int l = 0; l < W; ++l)
      buffer.x[l] = {static_cast<H>(s.sel_lo ? r[l] >> 16 : r[l]), static_cast<H>(s.sel_hi ? r[l] >> 16 : r[l])};
    return buffer.x;
  } else if constexpr (Narrow<T>) {
    const u32* r = raw(w, st, i, 0, lo_buffer);
    for (int l = 0; l < W; ++l) buffer.x[l] = T::of(w, sign16(s.sel_lo ? r[l] >> 16 : r[l], s.abs, s.neg));
    return buffer.x;
  } else if constexpr (Narrow<typename PairOf<T>::Type>) {
    using Part = typename PairOf<T>::Type;
    const u32* r = raw(w, st, i, 0, lo_buffer);
    for (int l = 0; l < W; ++l)
      buffer.x[l] = {Part::of(w, sign16(s.sel_lo ? r[l] >> 16 : r[l], s.abs, s.neg)),
                     Part::of(w, sign16(s.sel_hi ? r[l] >> 16 : r[l], s.abs, s.neg_hi))};
    return buffer.x;
  } else if constexpr (std::is_same_v<T, float2> || std::is_same_v<T, b32x2>) {
    alignas(64) u32 hi_buffer[W];
    const u32* lo = raw(w, st, i, s.sel_lo, lo_buffer);
    const u32* hi = raw(w, st, i, s.sel_hi, hi_buffer);
    const bool daz = flushes_inputs(w.denorm_f32);
    for (int l = 0; l < W; ++l) {
      if constexpr (std::is_same_v<T, b32x2>) {
        buffer.x[l] = {lo[l], hi[l]};
        continue;
      }
      f32 a = std::bit_cast<f32>(lo[l] ^ (s.neg ? 0x80000000u : 0)),
          b = std::bit_cast<f32>(hi[l] ^ (s.neg_hi ? 0x80000000u : 0));
      buffer.x[l] = std::bit_cast<T>(float2{daz ? flush(a) : a, daz ? flush(b) : b});
    }
    return buffer.x;
  } else {
    static_assert(std::is_same_v<T, bit>);
    const u64 m = s.from == Source::From::constant ? s.bits[0] | u64{s.bits[1]} << 32
                  : s.reg == sreg::null            ? 0
                                                   : w.mask(s.reg);
    for (int l = 0; l < W; ++l) buffer.x[l] = {(m >> l & 1) != 0};
    return buffer.x;
  }
}

// -- Commit --
void commit_dword(Wave&, const Step&, int reg, const u32* result);  // EXEC, DPP lanes, SDWA destination
f32 finish(const Wave&, const isa::Mods&, f32, u8 denorm);          // omod, clamp; MODE's denormal bits
f64 finish(const Wave&, const isa::Mods&, f64);
u16 finish_f16(const Wave&, const isa::Mods&, f64);
// Only rounding to nearest: no clamp, no output modifier, no flushing, infinities unchanged.
inline bool rounds_to_nearest_f16(const Wave& w, const isa::Mods& m) {
  return !m.omod && !m.has(isa::clamp) && !w.fp16_overflow && !flushes_results(w.denorm_f16) && (w.round >> 2 & 3) == 0;
}
bool nearest_halves(const half* x, u32* out);  // false, with `out` unspecified: some lane is not an f32, or NaN
inline half half::of(const Wave& w, u16 b) { return {from_f16(flushes_inputs(w.denorm_f16) ? flush_f16(b) : b)}; }
inline u16 half::to(const Wave& w, const isa::Mods& m, half x) { return finish_f16(w, m, x.value); }

// An integer result before clamping, clamped if the instruction's clamp bit is set.
template <class T>
T fit(const isa::Mods& m, sat<T> x) {
  using V = decltype(x.value);
  return static_cast<T>(m.has(isa::clamp)
                            ? std::clamp<V>(x.value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())
                            : x.value);
}
template <class T>
struct is_sat : std::false_type {};
template <class T>
struct is_sat<sat<T>> : std::true_type {
  using type = T;
};
template <class T>
struct is_sat<packed<sat<T>>> : std::true_type {
  using type = packed<T>;
};
template <class T>
T settled(const isa::Mods& m, sat<T> x) {
  return fit(m, x);
}
template <class T>
packed<T> settled(const isa::Mods& m, packed<sat<T>> x) {
  return {fit(m, x.lo), fit(m, x.hi)};
}

template <class T>
void commit(Wave& w, const Step& st, Lanes<T>& r) {
  alignas(64) u32 lo[W], hi[W];
  const isa::Mods& m = st.inst.mods;
  if constexpr (Wide<T>) {
    alignas(64) u32 words[T::dwords][W];
    T::store(w, st, r.x, words);
    for (int k = 0; k < T::dwords; ++k) commit_dword(w, st, st.dst + k, words[k]);
  } else if constexpr (std::is_same_v<T, u32> || std::is_same_v<T, i32> || std::is_same_v<T, b32>) {
    commit_dword(w, st, st.dst, reinterpret_cast<const u32*>(r.x));
  } else if constexpr (std::is_same_v<T, f32> || std::is_same_v<T, trans>) {
    f32* x = reinterpret_cast<f32*>(r.x);
    if (std::is_same_v<T, trans> || flushes_results(w.denorm_f32))
      for (int l = 0; l < W; ++l) x[l] = flush(x[l]);
    if (m.omod || m.has(isa::clamp))
      for (int l = 0; l < W; ++l) x[l] = finish(w, m, x[l], std::is_same_v<T, trans> ? 0 : w.denorm_f32);
    commit_dword(w, st, st.dst, reinterpret_cast<const u32*>(x));
  } else if constexpr (std::is_same_v<T, u64> || std::is_same_v<T, i64> || std::is_same_v<T, f64>) {
    for (int l = 0; l < W; ++l) {
      if constexpr (std::is_same_v<T, f64>) r.x[l] = finish(w, m, r.x[l]);
      const u64 x = std::bit_cast<u64>(r.x[l]);
      lo[l] = static_cast<u32>(x), hi[l] = static_cast<u32>(x >> 32);
    }
    commit_dword(w, st, st.dst, lo);
    commit_dword(w, st, st.dst + 1, hi);
  } else if constexpr (std::is_same_v<T, float2>) {
    const bool ftz = flushes_results(w.denorm_f32);
    for (int l = 0; l < W; ++l) {
      lo[l] = std::bit_cast<u32>(ftz ? flush(r.x[l].lo) : r.x[l].lo);
      hi[l] = std::bit_cast<u32>(ftz ? flush(r.x[l].hi) : r.x[l].hi);
    }
    if (m.omod || m.has(isa::clamp))
      for (u32* half : {lo, hi})
        for (int l = 0; l < W; ++l)
          half[l] = std::bit_cast<u32>(finish(w, m, std::bit_cast<f32>(half[l]), w.denorm_f32));
    commit_dword(w, st, st.dst, lo);
    commit_dword(w, st, st.dst + 1, hi);
  } else if constexpr (Narrow<typename PlaceOf<T>::Type> || std::is_same_v<T, u16> || std::is_same_v<T, i16> ||
                       std::is_same_v<T, b16>) {
    // gfx9: VOP1 and VOP2 clear the other half; VOP3 writes the half that op_sel[3] names and keeps the other (Vega
    // ISA, "Opsel").
    using Place = PlaceOf<T>;
    const bool later = w.group->target->keeps_upper_half();
    const bool keep = later || Place::keeps || (!Place::clears && st.row->format == isa::Format::vop3),
               high = keep && st.high_result;
    const u32* old = w.vreg(st.dst);
    if constexpr (std::is_same_v<T, half>)  // the common case in one loop, vectorised
      if (rounds_to_nearest_f16(w, m) && nearest_halves(r.x, lo)) {
        if (keep)
          for (int l = 0; l < W; ++l) lo[l] = high ? (old[l] & 0xffff) | lo[l] << 16 : (old[l] & 0xffff0000) | lo[l];
        return commit_dword(w, st, st.dst, lo);
      }
    for (int l = 0; l < W; ++l) {
      u32 x;
      if constexpr (Place::clears || Place::keeps) x = Place::Type::to(w, m, r.x[l].value);
      else if constexpr (Narrow<T>) x = T::to(w, m, r.x[l]);
      else if constexpr (std::is_same_v<T, b16>) x = r.x[l].bits;
      else x = static_cast<u16>(r.x[l]);
      lo[l] = !keep ? x : high ? (old[l] & 0xffff) | x << 16 : (old[l] & 0xffff0000) | x;
    }
    commit_dword(w, st, st.dst, lo);
  } else if constexpr (Narrow<typename PairOf<T>::Type>) {
    using Part = typename PairOf<T>::Type;
    for (int l = 0; l < W; ++l) lo[l] = Part::to(w, m, r.x[l].lo) | u32{Part::to(w, m, r.x[l].hi)} << 16;
    commit_dword(w, st, st.dst, lo);
  } else if constexpr (std::is_same_v<T, packed<u16>> || std::is_same_v<T, packed<i16>>) {
    for (int l = 0; l < W; ++l) lo[l] = static_cast<u16>(r.x[l].lo) | u32{static_cast<u16>(r.x[l].hi)} << 16;
    commit_dword(w, st, st.dst, lo);
  } else if constexpr (is_sat<T>::value) {
    Lanes<typename is_sat<T>::type> fitted;
    for (int l = 0; l < W; ++l) fitted.x[l] = settled(m, r.x[l]);
    commit(w, st, fitted);
  } else {  // carry<T>: the mask gets one bit per active lane, 0 elsewhere
    Lanes<decltype(r.x[0].value)> values;
    u64 mask = 0;
    for (int l = 0; l < W; ++l) values.x[l] = r.x[l].value, mask |= u64{r.x[l].set} << l;
    const u64 active = active_lanes(w, st);
    commit(w, st, values);
    w.set_mask(st.mask_dst, mask & active);
  }
}

// -- Instructions of a function of one lane --

// Sets the host's rounding mode to MODE.fp_round while a lane loop runs. The compiler does not model the rounding mode:
// `fence` prevents it from moving the loop's arithmetic across the change.
class Rounding {
  bool changed_;

 public:
  static void fence(void* in, void* out) { asm volatile("" : : "r"(in), "r"(out) : "memory"); }
  explicit Rounding(int mode) : changed_(mode != 0) {
    constexpr int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (changed_) std::fesetround(host[mode & 3]);
  }
  ~Rounding() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};
// The mode that rounds a result of this type: f32 has its own, f16 and f64 share one.
template <class R>
int rounding_of(const Wave& w) {
  if constexpr (requires { R::rounds_itself; }) return 0;
  else if constexpr (!std::is_void_v<typename PairOf<R>::Type>) return rounding_of<typename PairOf<R>::Type>(w);
  else if constexpr (std::is_same_v<R, f32> || std::is_same_v<R, trans> || std::is_same_v<R, float2>)
    return w.round & 3;
  else if constexpr (std::is_integral_v<R> || std::is_same_v<R, b32>) return 0;
  else return w.round >> 2 & 3;
}

// Lanes without modifiers and mode-dependent conversions: read and written in the register file itself.

// One dword or two; the transcendental unit's denormal flushing is part of the loop.
template <class T>
struct Direct {
  static constexpr int dwords = 0;
};
template <class T>
concept InPlace = Direct<T>::dwords > 0;
struct Dwords {
  const u32 *lo, *hi;
};
template <class T>
struct OneDword {
  static constexpr int dwords = 1;
  static T load(Dwords r, int l) { return std::bit_cast<T>(r.lo[l]); }
  static void store(u32* r, int l, T x) { r[l] = std::bit_cast<u32>(x); }
};
template <>
struct Direct<u32> : OneDword<u32> {};
template <>
struct Direct<i32> : OneDword<i32> {};
template <>
struct Direct<b32> : OneDword<b32> {};
template <>
struct Direct<f32> : OneDword<f32> {};
template <>
struct Direct<trans> : OneDword<trans> {
  static trans load(Dwords r, int l) { return {flush(std::bit_cast<f32>(r.lo[l]))}; }
  static void store(u32* r, int l, trans x) { r[l] = std::bit_cast<u32>(flush(x.value)); }
};
template <class T>
struct TwoDwords {
  static constexpr int dwords = 2;
  static T load(Dwords r, int l) { return std::bit_cast<T>(r.lo[l] | u64{r.hi[l]} << 32); }
  static void store(u32* r, int l, T x) {
    const u64 b = std::bit_cast<u64>(x);
    r[l] = static_cast<u32>(b), r[l + W] = static_cast<u32>(b >> 32);
  }
};
template <>
struct Direct<u64> : TwoDwords<u64> {};
template <>
struct Direct<i64> : TwoDwords<i64> {};
template <>
struct Direct<f64> : TwoDwords<f64> {};
template <>
struct Direct<float2> {
  static constexpr int dwords = 2;
  static float2 load(Dwords r, int l) { return {std::bit_cast<f32>(r.lo[l]), std::bit_cast<f32>(r.hi[l])}; }
  static void store(u32* r, int l, float2 x) { r[l] = std::bit_cast<u32>(x.lo), r[l + W] = std::bit_cast<u32>(x.hi); }
};
template <class T>
struct Direct<sat<T>> : Direct<T> {  // as a result without clamp: wraps
  static void store(u32* r, int l, sat<T> x) { Direct<T>::store(r, l, static_cast<T>(x.value)); }
};
template <class T>
inline constexpr bool is_f32 = std::is_same_v<T, f32> || std::is_same_v<T, float2>;
template <class R, class... A>
bool as_they_are(const Wave& w, const Step& st) {
  if (!st.direct || w.exec() != w.all) return false;
  if constexpr ((is_f32<A> || ...))
    if (flushes_inputs(w.denorm_f32)) return false;
  if constexpr (is_f32<R>)
    if (flushes_results(w.denorm_f32)) return false;
  if constexpr ((std::is_same_v<A, f64> || ...))
    if (flushes_inputs(w.denorm_f16)) return false;
  if constexpr (std::is_same_v<R, f64>)
    if (flushes_results(w.denorm_f16)) return false;
  if constexpr (is_f32<R> || std::is_same_v<R, trans>) return (w.round & 3) == 0;
  else if constexpr (std::is_same_v<R, f64>) return (w.round >> 2 & 3) == 0;
  else return true;
}
// Dword `word` of source i of such an instruction.
inline const u32* dword_of(Wave& w, const Source& s, int word, u32* room) {
  if (s.from == Source::From::vector) return w.vreg(s.reg + word);
  splat(uniform(w, s, word), room);
  return room;
}
template <class T>
Dwords dwords_of(Wave& w, const Step& st, int i, u32 (*room)[W]) {
  const Source& s = st.src[i];
  if constexpr (Direct<T>::dwords == 1) return {dword_of(w, s, 0, room[0]), nullptr};
  else if constexpr (std::is_same_v<T, float2>)
    return {dword_of(w, s, s.sel_lo, room[0]), dword_of(w, s, s.sel_hi, room[1])};
  else return {dword_of(w, s, 0, room[0]), dword_of(w, s, 1, room[1])};
}

// Compiled for each vector extension of the host; the loader picks one. `out` may be among the operands: lanes are
// independent.
template <class>
using DwordsFor = Dwords;
template <auto f, class R, class... A>
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void direct_loop(u32* out, DwordsFor<A>... in) {
#pragma GCC ivdep
  for (int l = 0; l < W; ++l) Direct<R>::store(out, l, f(Direct<A>::load(in, l)...));
}
template <auto f, class R, class... A>
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void direct_loop(const Wave& w, u32* out,
                                                                                       DwordsFor<A>... in) {
#pragma GCC ivdep
  for (int l = 0; l < W; ++l) Direct<R>::store(out, l, f(w, Direct<A>::load(in, l)...));
}

// The loop over lanes, compiled in the same way, between buffers.
template <auto f, class R, class... A>
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void lanes_loop(R* __restrict out,
                                                                                      const A* __restrict... in) {
  for (int l = 0; l < W; ++l) out[l] = f(in[l]...);
}
template <auto f, class R, class... A>
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void lanes_loop(const Wave& w, R* __restrict out,
                                                                                      const A* __restrict... in) {
  for (int l = 0; l < W; ++l) out[l] = f(w, in[l]...);
}
// One bit per flag, 64 flags.
inline u64 packed_flags(const bool* flags) {
  u64 m = 0;
  for (int i = 0; i < W / 8; ++i) {
    u64 eight;
    std::memcpy(&eight, flags + 8 * i, 8);
    m |= (eight * 0x0102040810204080 >> 56) << 8 * i;
  }
  return m;
}

// f(lanes...) or, if a lane needs MODE or the target, f(wave, lanes...).
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, bool with_wave, class... A>
struct LaneLoop {
  template <auto f>
  static void vector(Wave& w, const Step& st) {
    if constexpr (InPlace<R> && (InPlace<A> && ...))
      if (as_they_are<R, A...>(w, st)) return in_place<f>(w, st, std::index_sequence_for<A...>{});
    modified<f>(w, st);
  }
  template <auto f, size_t... I>
  [[gnu::always_inline]] static void in_place(Wave& w, const Step& st, std::index_sequence<I...>) {
    alignas(64) u32 room[sizeof...(A) + 1][2][W];
    if constexpr (with_wave) direct_loop<f, R, A...>(w, w.vreg(st.dst), dwords_of<A>(w, st, I, room[I])...);
    else direct_loop<f, R, A...>(w.vreg(st.dst), dwords_of<A>(w, st, I, room[I])...);
    w.written_lanes = w.all;
  }
  template <auto f>
  [[gnu::noinline]] static void modified(Wave& w, const Step& st) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      std::tuple<Lanes<A>...> buffers;
      const std::tuple<const A*...> in{fetch<A>(w, st, I, std::get<I>(buffers))...};
      Lanes<R> out;
      const Rounding scope(rounding_of<R>(w));
      Rounding::fence(&buffers, &out);
      if constexpr (with_wave) lanes_loop<f>(w, out.x, std::get<I>(in)...);
      else lanes_loop<f>(out.x, std::get<I>(in)...);
      Rounding::fence(&buffers, &out);
      commit(w, st, out);
    }(std::index_sequence_for<A...>{});
  }
  template <auto f>
  static void mask(Wave& w, const Step& st) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      std::tuple<Lanes<A>...> buffers;
      const std::tuple<const A*...> in{fetch<A>(w, st, I, std::get<I>(buffers))...};
      alignas(64) bool flags[W];
      if constexpr (with_wave) lanes_loop<f>(w, flags, std::get<I>(in)...);
      else lanes_loop<f>(flags, std::get<I>(in)...);
      const u64 m =
          packed_flags(flags) & active_lanes(w, st);  // a lane that DPP does not write gets 0 (RDNA3 ISA 7.7.1)
      if (!st.no_mask) w.set_mask(st.dst, m);
      if (st.row->implicit & isa::exec_w)
        w.former_exec[w.former_execs++ % w.former_exec.size()] = {w.exec(), w.issued}, w.set_exec(m);
    }(std::index_sequence_for<A...>{});
  }
};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : LaneLoop<R, false, A...> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(const Wave&, A...) const> : LaneLoop<R, true, A...> {};

template <auto f>
void each(Wave& w, const Step& st) {
  Signature<decltype(f)>::template vector<f>(w, st);
}
template <auto f>
void compare(Wave& w, const Step& st) {
  Signature<decltype(f)>::template mask<f>(w, st);
}

// A row of the semantics table. It has the name and not the Opcode, so that a new instruction recompiles no semantics.
struct Semantics {
  const char* mnemonic;
  Execute run;
};

}  // namespace wavesmith::sim
