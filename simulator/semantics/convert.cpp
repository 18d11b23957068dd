// Conversions among integers, normalized integers, f16, bf16, f32 and f64. To integers: toward zero unless the name
// says otherwise, saturated, NaN to 0. Between floats: rounded by MODE's field for the result's width, except the rtz
// and sr forms.
#include "simulator/lanes_float.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

template <class To>
To saturate(f64 x) {
  constexpr f64 least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
  return std::isnan(x) ? To{0} : static_cast<To>(std::clamp(std::trunc(x), least, most));
}
template <class To>
u32 packed_int(i64 a, i64 b) {
  constexpr i64 least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
  return static_cast<u32>(std::clamp(a, least, most) & 0xffff) | static_cast<u32>(std::clamp(b, least, most) & 0xffff)
                                                                     << 16;
}
u32 halves(u16 lo, u16 hi) { return lo | u32{hi} << 16; }

// Replaces a byte of `into` by the f32, rounded to nearest and saturated.
u32 with_byte(f32 x, u32 byte, u32 into) {
  const u32 at = 8 * (byte & 3);
  return (into & ~(0xffu << at)) | u32{to_u8(x)} << at;
}
void pkaccum_u8(Wave& w, const Step& st) {  // the other bytes of the destination keep their value
  Lanes<f32> bx;
  Lanes<u32> bb, out;
  const f32* x = fetch(w, st, 0, bx);
  const u32 *byte = fetch(w, st, 1, bb), *old = w.vreg(st.dst);
  for (int l = 0; l < W; ++l) out.x[l] = with_byte(x[l], byte[l], old[l]);
  commit(w, st, out);
}

// Stochastic rounding to 16 bits: adds the top bits of the random number, as many as the mantissa loses, then
// truncates.
half_bits sr_f16(const Wave& w, f32 x, u32 random) {
  return {static_cast<u16>(encode_stochastic(format::f16, x, random, w.fp16_overflow))};
}
brain_bits sr_bf16(const Wave& w, f32 x, u32 random) {
  return {finite_bf16(w, static_cast<u16>(encode_stochastic(format::bf16, x, random)), x)};
}
u16 nearest_bf16(const Wave& w, b32 x) { return finite_bf16(w, to_bf16(std::bit_cast<f32>(x)), std::bit_cast<f32>(x)); }

i32 whole(const Wave& w, f32 a, f64 rounded) {
  if (!std::isnan(a) || !w.group->target->nan_saturates_by_sign()) return saturate<i32>(rounded);
  return std::signbit(a) ? std::numeric_limits<i32>::min() : std::numeric_limits<i32>::max();
}

half_bits nearest_half(const Wave& w, f32 x) {  // whatever MODE's rounding (CDNA4 ISA, V_CVT_PK_F16_F32)
  const u16 h = to_f16(x, Round::nearest_even);
  const bool saturates = w.fp16_overflow && std::isfinite(x) && (h & 0x7fff) == 0x7c00;
  return {static_cast<u16>(h - saturates)};
}

// Rounded by MODE's f64 field, which LLVM sets for llvm.fptrunc.round.f32.f64 (SIModeRegister).
f32 narrowed(const Wave& w, f64 x) {
  return std::isfinite(x) ? round_f32(x, static_cast<Round>(w.round >> 2 & 3)) : static_cast<f32>(x);
}

constexpr Semantics rows[] = {
    {"v_cvt_f32_i32", each<([](i32 a) { return static_cast<f32>(a); })>},
    {"v_cvt_f32_u32", each<([](u32 a) { return static_cast<f32>(a); })>},
    {"v_cvt_u32_f32", each<([](f32 a) { return saturate<u32>(a); })>},
    {"v_cvt_i32_f32", each<([](f32 a) { return saturate<i32>(a); })>},
    {"v_cvt_rpi_i32_f32",
     each<([](const Wave& w, f32 a) { return whole(w, a, std::floor(static_cast<f64>(a) + 0.5)); })>},
    {"v_cvt_flr_i32_f32", each<([](const Wave& w, f32 a) { return whole(w, a, std::floor(a)); })>},
    {"v_cvt_off_f32_i4", each<([](u32 a) { return static_cast<f32>(static_cast<i32>(a << 28) >> 28) / 16; })>},
    {"v_cvt_f32_ubyte0", each<([](u32 a) { return static_cast<f32>(a & 0xff); })>},
    {"v_cvt_f32_ubyte1", each<([](u32 a) { return static_cast<f32>(a >> 8 & 0xff); })>},
    {"v_cvt_f32_ubyte2", each<([](u32 a) { return static_cast<f32>(a >> 16 & 0xff); })>},
    {"v_cvt_f32_ubyte3", each<([](u32 a) { return static_cast<f32>(a >> 24); })>},
    {"v_cvt_f64_f32", each<([](f32 a) { return static_cast<f64>(a); })>},
    {"v_cvt_f64_i32", each<([](i32 a) { return static_cast<f64>(a); })>},
    {"v_cvt_f64_u32", each<([](u32 a) { return static_cast<f64>(a); })>},
    {"v_cvt_f32_f64", each<([](const Wave& w, f64 a) { return narrowed(w, a); })>},
    {"v_cvt_i32_f64", each<([](f64 a) { return saturate<i32>(a); })>},
    {"v_cvt_u32_f64", each<([](f64 a) { return saturate<u32>(a); })>},

    {"v_cvt_f16_f32", each<([](f32 a) { return half{a}; })>},
    {"v_cvt_f32_f16", each<([](half a) { return static_cast<f32>(a.value); })>},
    {"v_cvt_f16_i16", each<([](i16 a) { return half{static_cast<f64>(a)}; })>},
    {"v_cvt_f16_u16", each<([](u16 a) { return half{static_cast<f64>(a)}; })>},
    {"v_cvt_i16_f16", each<([](half a) { return saturate<i16>(a.value); })>},
    {"v_cvt_u16_f16", each<([](half a) { return saturate<u16>(a.value); })>},
    {"v_cvt_norm_i16_f16", each<([](half a) { return norm_i16(a.value); })>},
    {"v_cvt_norm_u16_f16", each<([](half a) { return norm_u16(a.value); })>},
    {"v_cvt_f32_bf16", each<([](brain a) { return static_cast<f32>(a.value); })>},
    {"v_cvt_i32_i16", each<([](i16 a) { return static_cast<i32>(a); })>},
    {"v_cvt_u32_u16", each<([](u16 a) { return u32{a}; })>},

    {"v_cvt_pkrtz_f16_f32",
     each<([](f32 a, f32 b) { return pair<half_bits>{{to_f16(a, Round::zero)}, {to_f16(b, Round::zero)}}; })>},
    {"v_cvt_pk_f16_f32",
     each<([](const Wave& w, f32 a, f32 b) { return pair<half_bits>{nearest_half(w, a), nearest_half(w, b)}; })>},
    {"v_cvt_pk_bf16_f32",
     each<([](const Wave& w, b32 a, b32 b) { return halves(nearest_bf16(w, a), nearest_bf16(w, b)); })>},
    {"v_cvt_pk_i16_i32", each<([](i32 a, i32 b) { return packed_int<i16>(a, b); })>},
    {"v_cvt_pk_u16_u32", each<([](u32 a, u32 b) { return packed_int<u16>(a, b); })>},
    {"v_cvt_pk_i16_f32", each<([](f32 a, f32 b) { return packed_int<i16>(saturate<i16>(a), saturate<i16>(b)); })>},
    {"v_cvt_pk_u16_f32", each<([](f32 a, f32 b) { return packed_int<u16>(saturate<u16>(a), saturate<u16>(b)); })>},
    {"v_cvt_pknorm_i16_f32",
     each<([](f32 a, f32 b) { return halves(static_cast<u16>(norm_i16(a)), static_cast<u16>(norm_i16(b))); })>},
    {"v_cvt_pknorm_u16_f32", each<([](f32 a, f32 b) { return halves(norm_u16(a), norm_u16(b)); })>},
    {"v_cvt_pknorm_i16_f16", each<([](half a, half b) {
       return halves(static_cast<u16>(norm_i16(a.value)), static_cast<u16>(norm_i16(b.value)));
     })>},
    {"v_cvt_pknorm_u16_f16", each<([](half a, half b) { return halves(norm_u16(a.value), norm_u16(b.value)); })>},
    {"v_cvt_pk_u8_f32", each<([](f32 a, u32 byte, u32 into) { return with_byte(a, byte, into); })>},
    {"v_cvt_pkaccum_u8_f32", pkaccum_u8},

    {"v_cvt_sr_f16_f32", each<([](const Wave& w, f32 a, u32 random) { return sr_f16(w, a, random); })>},
    {"v_cvt_sr_bf16_f32", each<([](const Wave& w, f32 a, u32 random) { return sr_bf16(w, a, random); })>},
    // Each half has 16 bits of the random number (CDNA5 ISA, V_CVT_SR_PK_BF16_F32). Inferred: f16 loses only 13 bits
    // and uses the upper 13; the guide adds all 16 to the f32.
    {"v_cvt_sr_pk_f16_f32", each<([](const Wave& w, f32 a, f32 b, u32 random) {
       return pair<half_bits>{sr_f16(w, a, random << 16), sr_f16(w, b, random)};
     })>},
    {"v_cvt_sr_pk_bf16_f32", each<([](const Wave& w, f32 a, f32 b, u32 random) {
       return pair<brain_bits>{sr_bf16(w, a, random << 16), sr_bf16(w, b, random)};
     })>},
};

}  // namespace

std::span<const Semantics> convert_semantics() { return rows; }

}  // namespace wavesmith::sim
