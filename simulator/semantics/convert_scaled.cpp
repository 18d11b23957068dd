// Conversions to and from the 8-, 6- and 4-bit formats, plain, scaled and stochastic. FP8 and BF8 are the target's
// flavour (FNUZ on gfx942, else OCP). A scale is the exponent of an f32: wide = narrow * 2^e, narrow = wide / 2^e
// (CDNA4 ISA, V_CVT_SCALEF32_*).
#include <fmt/format.h>

#include "simulator/lanes_float.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {
using isa::Type;

template <Type t>
const FloatFormat& format_of(const Wave& w) {
  const bool fnuz = w.group->target->fnuz_fp8();
  if constexpr (t == Type::fp8) return fnuz ? format::fp8_fnuz : format::fp8;
  else if constexpr (t == Type::bf8) return fnuz ? format::bf8_fnuz : format::bf8;
  else if constexpr (t == Type::fp6) return format::fp6;
  else if constexpr (t == Type::bf6) return format::bf6;
  else return format::fp4;
}
template <Type t>
f64 wide_value(u32 bits) {
  if constexpr (t == Type::f32) return std::bit_cast<f32>(bits);
  else if constexpr (t == Type::f16) return from_f16(static_cast<u16>(bits));
  else return from_bf16(static_cast<u16>(bits));
}
template <Type t>
u32 wide_bits(const Wave& w, f64 x) {
  if constexpr (t == Type::f32) return std::bit_cast<u32>(round_f32(x, static_cast<Round>(w.round & 3)));
  else return encode(t == Type::f16 ? format::f16 : format::bf16, x, {.round = static_cast<Round>(w.round >> 2 & 3)});
}

// On gfx1250 clamp turns fp8 conversions from and to f32 into conversions of E5M3. Negative numbers become 0, as AMD's
// comgr emulates it (comgr-hotswap-patch-f32-to-e5m3.cpp).
template <Type t>
bool is_e5m3(const Wave& w, const Step& st) {
  return t == Type::fp8 && st.inst.mods.has(isa::clamp) && w.group->target->clamp_means_e5m3();
}
template <bool stochastic>
u32 narrow_e5m3(const Wave& w, f64 x, [[maybe_unused]] u32 random) {
  if (x < 0) return 0;
  const bool saturate = w.fp16_overflow;
  if (saturate && std::isinf(x)) return format::e5m3.largest();
  if constexpr (stochastic) return encode_stochastic(format::e5m3, static_cast<f32>(x), random, saturate) & 0xff;
  else return encode(format::e5m3, x, {.saturate = saturate}) & 0xff;
}

// Rounding to a narrow format. Overflow saturates with MODE.FP16_OVFL or the instruction's clamp; in unscaled
// conversions infinities saturate too (CDNA3 ISA 7.2, "FP16_OVFL rule"; CDNA5 ISA 7.6.2).
template <Type t, bool scaled, bool stochastic>
u32 narrow(const Wave& w, const Step& st, f64 x, [[maybe_unused]] u32 random) {
  if constexpr (!scaled) {
    if (is_e5m3<t>(w, st)) return narrow_e5m3<stochastic>(w, x, random);
    if (w.group->target->fp8_has_one_nan()) {
      if (std::isnan(x)) return format_of<t>(w).sign() | format_of<t>(w).nan();
    } else if (w.fp16_overflow && std::isinf(x))
      return format_of<t>(w).largest() | (x < 0 ? format_of<t>(w).sign() : 0);
  }
  const bool saturate = w.fp16_overflow || st.inst.mods.has(isa::clamp);
  if constexpr (stochastic) return encode_stochastic(format_of<t>(w), static_cast<f32>(x), random, saturate);
  else return encode(format_of<t>(w), x, {.saturate = saturate});
}

// -- A few numbers into part of a dword --

// Input kinds: number of sources and how they are read.
struct Values {
  f64 x[2][W];
};
struct TwoF32 {
  static constexpr int sources = 2, count = 2;
  static void read(Wave& w, const Step& st, Values& v) {
    Lanes<f32> b0, b1;
    const f32 *a = fetch(w, st, 0, b0), *b = fetch(w, st, 1, b1);
    for (int l = 0; l < W; ++l) v.x[0][l] = a[l], v.x[1][l] = b[l];
  }
};
struct OneF32 {
  static constexpr int sources = 1, count = 1;
  static void read(Wave& w, const Step& st, Values& v) {
    Lanes<f32> b0;
    const f32* a = fetch(w, st, 0, b0);
    for (int l = 0; l < W; ++l) v.x[0][l] = a[l];
  }
};
struct F32Pair {  // two f32 in a register pair
  static constexpr int sources = 1, count = 2;
  static void read(Wave& w, const Step& st, Values& v) {
    Lanes<words<2>> b0;
    const words<2>* a = fetch(w, st, 0, b0);
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < W; ++l) v.x[k][l] = std::bit_cast<f32>(a[l].x[k]);
  }
};
template <Type t>
struct Pair16 {  // the two halves of a dword; op_sel is ignored
  static constexpr int sources = 1, count = 2;
  static void read(Wave& w, const Step& st, Values& v) {
    Lanes<u32> b0;
    const u32* a = fetch(w, st, 0, b0);
    const Source& s = st.src[0];
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < W; ++l) v.x[k][l] = wide_value<t>(sign16(a[l] >> 16 * k, s.abs, s.neg));
  }
};
template <Type t>
struct One16 {
  static constexpr int sources = 1, count = 1;
  static void read(Wave& w, const Step& st, Values& v) {
    Lanes<raw16> b0;
    const raw16* a = fetch(w, st, 0, b0);
    for (int l = 0; l < W; ++l) v.x[0][l] = wide_value<t>(a[l].bits);
  }
};

// The field of the destination: the bits of op_sel after the first two, or byte_sel. The rest of the dword is kept.
template <Type t, class From, bool scaled, bool stochastic>
void into_field(Wave& w, const Step& st) {
  constexpr int bits = isa::bits(t) * From::count;
  const isa::Mods& m = st.inst.mods;
  const int chosen = bits == 16 ? st.high_result || m.op_sel >> 2 : (m.op_sel >> 2 & 3) | m.byte_sel;
  Values v;
  From::read(w, st, v);
  Lanes<u32> b_random, b_scale, out;
  int next = From::sources;
  const u32* random = stochastic ? fetch(w, st, next++, b_random) : nullptr;
  const u32* scale = scaled ? fetch(w, st, next++, b_scale) : nullptr;
  const u32* old = w.vreg(st.dst);
  const u32 mask = ((1u << bits) - 1) << bits * chosen;
  for (int l = 0; l < W; ++l) {
    const f64 by = scaled ? scale_of(std::bit_cast<f32>(scale[l])) : 1;
    u32 field = 0, number = stochastic ? random[l] : 0;
    for (int k = 0; k < From::count; ++k, number = next_random(number))
      field |= narrow<t, scaled, stochastic>(w, st, v.x[k][l] / by, number) << isa::bits(t) * k;
    out.x[l] = (old[l] & ~mask) | field << bits * chosen;
  }
  commit(w, st, out);
}

// -- Part of a dword into a few numbers --

// Dwords of the result: one f32, two f32 in a pair, one f16 in a half, two 16-bit numbers.
template <Type t, Type to, int count, bool scaled>
void from_field(Wave& w, const Step& st) {
  constexpr int bits = isa::bits(t) * count, results = isa::bits(to) == 32 ? count : 1;
  const isa::Mods& m = st.inst.mods;
  const int chosen = bits == 16 ? st.src[0].sel_lo : (scaled ? m.op_sel & 3 : 0) | m.byte_sel;
  Lanes<u32> b, b_scale;
  const u32 *in = fetch(w, st, 0, b), *scale = scaled ? fetch(w, st, 1, b_scale) : nullptr;
  alignas(64) u32 out[results][W];
  const u32* old = w.vreg(st.dst);
  const bool high = st.high_result || (scaled && m.op_sel >> 2);
  for (int l = 0; l < W; ++l) {
    const f64 by = scaled ? scale_of(std::bit_cast<f32>(scale[l])) : 1;
    const u32 field = in[l] >> bits * chosen;
    const FloatFormat& f = !scaled && isa::bits(to) == 32 && is_e5m3<t>(w, st) ? format::e5m3 : format_of<t>(w);
    u32 value[count];
    for (int k = 0; k < count; ++k)
      value[k] = wide_bits<to>(w, decode(f, field >> isa::bits(t) * k & ((1u << isa::bits(t)) - 1)) * by);
    if (!scaled && isa::bits(to) == 32 && w.group->target->fp8_has_one_nan())
      for (u32& v : value) v = std::isnan(std::bit_cast<f32>(v)) ? 0xffc00000 : v;
    if constexpr (results == count && isa::bits(to) == 32)
      for (int k = 0; k < count; ++k) out[k][l] = value[k];
    else if constexpr (count == 2) out[0][l] = value[0] | value[1] << 16;
    else out[0][l] = high ? (old[l] & 0xffff) | value[0] << 16 : (old[l] & 0xffff0000) | value[0];
  }
  for (int k = 0; k < results; ++k) commit_dword(w, st, st.dst + k, out[k]);
}

// -- Whole tuples --
u32 field(const u32* x, int bits, int i) {  // element i of a dense little-endian array
  const int at = bits * i, in = at % 32;
  const u64 two = x[at / 32] | (in + bits > 32 ? u64{x[at / 32 + 1]} << 32 : 0);
  return static_cast<u32>(two >> in & ((u64{1} << bits) - 1));
}
void set_field(u32* x, int bits, int i, u32 value) {
  const int at = bits * i, in = at % 32;
  x[at / 32] |= value << in;
  if (in + bits > 32) x[at / 32 + 1] |= value >> (32 - in);
}
template <Type t, int n>
using Tuple = words<n * isa::bits(t) / 32>;

// Each element's random number follows from the one before it (CDNA4 ISA, V_CVT_SCALEF32_SR_PK_FP4_F32 and
// V_CVT_SCALEF32_SR_PK32_FP6_F32). Inferred on gfx1250.
template <Type t, Type from, int n, bool stochastic>
void narrow_tuple(Wave& w, const Step& st) {
  Lanes<Tuple<from, n>> b;
  Lanes<u32> b_random, b_scale;
  const Tuple<from, n>* in = fetch(w, st, 0, b);
  const u32 *random = stochastic ? fetch(w, st, 1, b_random) : nullptr,
            *scale = fetch(w, st, stochastic ? 2 : 1, b_scale);
  Lanes<Tuple<t, n>> out;
  for (int l = 0; l < W; ++l) {
    const f64 by = scale_of(std::bit_cast<f32>(scale[l]));
    out.x[l] = {};
    u32 number = stochastic ? random[l] : 0;
    for (int i = 0; i < n; ++i, number = next_random(number))
      set_field(out.x[l].x, isa::bits(t), i,
                narrow<t, true, stochastic>(w, st, wide_value<from>(field(in[l].x, isa::bits(from), i)) / by, number));
  }
  commit(w, st, out);
}
// Two tuples of 16 f32, whose elements alternate in the result.
template <Type t>
void narrow_two(Wave& w, const Step& st) {
  Lanes<words<16>> b0, b1;
  Lanes<u32> b_scale;
  const words<16>*even = fetch(w, st, 0, b0), *odd = fetch(w, st, 1, b1);
  const u32* scale = fetch(w, st, 2, b_scale);
  Lanes<Tuple<t, 32>> out;
  for (int l = 0; l < W; ++l) {
    const f64 by = scale_of(std::bit_cast<f32>(scale[l]));
    out.x[l] = {};
    for (int i = 0; i < 32; ++i)
      set_field(out.x[l].x, isa::bits(t), i,
                narrow<t, true, false>(w, st, wide_value<Type::f32>((i % 2 ? odd : even)[l].x[i / 2]) / by, 0));
  }
  commit(w, st, out);
}
template <Type t, Type to, int n>
void widen(Wave& w, const Step& st, const f64* by) {
  Lanes<Tuple<t, n>> b;
  const Tuple<t, n>* in = fetch(w, st, 0, b);
  Lanes<Tuple<to, n>> out;
  for (int l = 0; l < W; ++l) {
    out.x[l] = {};
    for (int i = 0; i < n; ++i)
      set_field(out.x[l].x, isa::bits(to), i,
                wide_bits<to>(w, decode(format_of<t>(w), field(in[l].x, isa::bits(t), i)) * by[l]));
  }
  commit(w, st, out);
}
template <Type t, Type to, int n>
void widen_tuple(Wave& w, const Step& st) {
  Lanes<u32> b_scale;
  const u32* scale = fetch(w, st, 1, b_scale);
  f64 by[W];
  for (int l = 0; l < W; ++l) by[l] = scale_of(std::bit_cast<f32>(scale[l]));
  widen<t, to, n>(w, st, by);
}
// gfx1250: E8M0 scales, four to a dword, shared by lanes (CDNA5 ISA 7.6.3, tables 36 and 37): lanes L and L + 16 read
// the dword of lane L, or with bit 0 of scale_sel of lane L + 16. Of 8-bit formats bit 2 is the lower bit of the byte's
// number and bit 1 the upper; of the others bit 1 chooses bytes 0 and 1 or 2 and 3, the second for the upper lanes.
// (MLIR's getScaleSel has these bits in the other order; Triton pull request 9841 in the guide's.) Blocks of 16 are
// refused.
template <Type t, Type to, int n>
void widen_shared(Wave& w, const Step& st) {
  constexpr bool bytes = isa::bits(t) == 8;
  const int select = st.inst.mods.scale_sel, byte = bytes ? (select >> 2 & 1) | (select & 2) : select & 2;
  if (select & (bytes ? 8 : 4))
    return w.fail(
        Fault::Kind::unknown_instruction,
        fmt::format("scale_sel {} (scales of 16-element blocks) is not modelled; 0 to {} are", select, bytes ? 7 : 3));
  Lanes<u32> b_scale;
  const u32* scale = fetch(w, st, 1, b_scale);
  f64 by[W];
  for (int l = 0; l < W; ++l) {
    const int from = (l & ~31) + (l & 15) + (select & 1 ? 16 : 0), step = !bytes && (l & 16) ? 1 : 0;
    by[l] = decode_e8m0(static_cast<u8>(scale[from] >> 8 * (byte + step)));
  }
  widen<t, to, n>(w, st, by);
}

// clang-format off
using enum Type;
constexpr bool plain = false, scaled = true, nearest = false, random_ = true;
#define BOTH8(row)  row(fp8), row(bf8)
#define PLAIN(t)    {"v_cvt_f32_" #t, from_field<t, f32, 1, plain>}, {"v_cvt_pk_f32_" #t, from_field<t, f32, 2, plain>}, \
                    {"v_cvt_f16_" #t, from_field<t, f16, 1, plain>}, {"v_cvt_pk_f16_" #t, from_field<t, f16, 2, plain>}, \
                    {"v_cvt_pk_" #t "_f32", into_field<t, TwoF32, plain, nearest>}, {"v_cvt_pk_" #t "_f16", into_field<t, Pair16<f16>, plain, nearest>}, \
                    {"v_cvt_sr_" #t "_f32", into_field<t, OneF32, plain, random_>}, {"v_cvt_sr_" #t "_f16", into_field<t, One16<f16>, plain, random_>}
#define SCALED8(t)  {"v_cvt_scalef32_f32_" #t, from_field<t, f32, 1, scaled>}, {"v_cvt_scalef32_f16_" #t, from_field<t, f16, 1, scaled>}, \
                    {"v_cvt_scalef32_sr_" #t "_f32", into_field<t, OneF32, scaled, random_>}, {"v_cvt_scalef32_sr_" #t "_f16", into_field<t, One16<f16>, scaled, random_>}, \
                    {"v_cvt_scalef32_sr_" #t "_bf16", into_field<t, One16<bf16>, scaled, random_>}
#define PAIRS(t)    {"v_cvt_scalef32_pk_f32_" #t, from_field<t, f32, 2, scaled>}, {"v_cvt_scalef32_pk_f16_" #t, from_field<t, f16, 2, scaled>}, \
                    {"v_cvt_scalef32_pk_bf16_" #t, from_field<t, bf16, 2, scaled>}, {"v_cvt_scalef32_pk_" #t "_f32", into_field<t, TwoF32, scaled, nearest>}, \
                    {"v_cvt_scalef32_pk_" #t "_f16", into_field<t, Pair16<f16>, scaled, nearest>}, {"v_cvt_scalef32_pk_" #t "_bf16", into_field<t, Pair16<bf16>, scaled, nearest>}
#define GFX950_6(t) {"v_cvt_scalef32_2xpk16_" #t "_f32", narrow_two<t>}, {"v_cvt_scalef32_pk32_" #t "_f16", narrow_tuple<t, f16, 32, nearest>}, \
                    {"v_cvt_scalef32_pk32_" #t "_bf16", narrow_tuple<t, bf16, 32, nearest>}, {"v_cvt_scalef32_pk32_f32_" #t, widen_tuple<t, f32, 32>}, \
                    {"v_cvt_scalef32_pk32_f16_" #t, widen_tuple<t, f16, 32>}, {"v_cvt_scalef32_pk32_bf16_" #t, widen_tuple<t, bf16, 32>}, \
                    {"v_cvt_scalef32_sr_pk32_" #t "_f32", narrow_tuple<t, f32, 32, random_>}, {"v_cvt_scalef32_sr_pk32_" #t "_f16", narrow_tuple<t, f16, 32, random_>}, \
                    {"v_cvt_scalef32_sr_pk32_" #t "_bf16", narrow_tuple<t, bf16, 32, random_>}
#define GFX1250_FROM(pk, n, t, from) {"v_cvt_scalef32_" #pk "_" #t "_" #from, narrow_tuple<t, from, n, nearest>}, {"v_cvt_scalef32_sr_" #pk "_" #t "_" #from, narrow_tuple<t, from, n, random_>}, \
                    {"v_cvt_scale_" #pk "_" #from "_" #t, widen_shared<t, from, n>}
#define GFX1250(pk, n, t) GFX1250_FROM(pk, n, t, f32), GFX1250_FROM(pk, n, t, f16), GFX1250_FROM(pk, n, t, bf16)
constexpr Semantics rows[] = {
    BOTH8(PLAIN), BOTH8(SCALED8), BOTH8(PAIRS), PAIRS(fp4),
    {"v_cvt_scalef32_sr_pk_fp4_f32", into_field<fp4, F32Pair, scaled, random_>},
    {"v_cvt_scalef32_sr_pk_fp4_f16", into_field<fp4, Pair16<f16>, scaled, random_>},
    {"v_cvt_scalef32_sr_pk_fp4_bf16", into_field<fp4, Pair16<bf16>, scaled, random_>},
    GFX950_6(fp6), GFX950_6(bf6),
    GFX1250(pk8, 8, fp8), GFX1250(pk8, 8, bf8), GFX1250(pk8, 8, fp4), GFX1250(pk16, 16, fp6), GFX1250(pk16, 16, bf6),
};
// clang-format on

}  // namespace

std::span<const Semantics> scaled_convert_semantics() { return rows; }

}  // namespace wavesmith::sim
