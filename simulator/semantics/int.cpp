// Integer, bit and move instructions of the vector ALU, for one lane.
#include <bit>

#include "simulator/numerics/valu.h"
#include "simulator/semantics.h"
#include "simulator/semantics/add_select.h"

namespace wavesmith::sim {
namespace {

u32 bfe_u(u32 a, u32 o, u32 n) { return a >> (o & 31) & ((1u << (n & 31)) - 1); }
u32 bfe_i(u32 a, u32 o, u32 n) {
  o &= 31, n &= 31;
  if (n == 0) return 0;
  if (o + n >= 32) return static_cast<u32>(static_cast<i32>(a) >> o);
  return static_cast<u32>(static_cast<i32>(a << (32 - o - n)) >> (32 - n));
}
i32 sext24(u32 a) { return static_cast<i32>(a << 8) >> 8; }
u32 zext24(u32 a) { return a & 0xffffff; }
u32 reverse(u32 x) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}
u32 leading_zeros(u32 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; }
template <class T>
T min3(T a, T b, T c) {
  return std::min(std::min(a, b), c);
}
template <class T>
T max3(T a, T b, T c) {
  return std::max(std::max(a, b), c);
}
template <class T>
T med3(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
template <class T>
i64 wide(T a) {
  return static_cast<i64>(a);
}

u32 perm(u32 hi, u32 lo, u32 sel) {  // bytes 0-3 of `lo`, 4-7 of `hi`; CDNA3 ISA v_perm_b32
  const u64 data = lo | u64{hi} << 32;
  u32 out = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 s = sel >> 8 * i & 0xff;
    u32 byte;
    if (s <= 7) byte = static_cast<u32>(data >> 8 * s) & 0xff;
    else if (s <= 11) byte = (data >> (16 * (s - 8) + 15) & 1) ? 0xff : 0;
    else byte = s == 12 ? 0 : 0xff;
    out |= byte << 8 * i;
  }
  return out;
}

// Sums of absolute byte differences; `masked` (msad): bytes of b that are zero do not count.
u32 sad(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const i32 x = static_cast<i32>(a >> i & 0xff), y = static_cast<i32>(b >> i & 0xff);
    if (!masked || y) sum += static_cast<u32>(std::abs(x - y));
  }
  return sum;
}
u32 sad16(u32 a, u32 b) {
  const auto half = [](u32 x, u32 y) { return x > y ? x - y : y - x; };
  return half(a & 0xffff, b & 0xffff) + half(a >> 16, b >> 16);
}
// Four sums, of b with the dwords of a at bytes 0 to 3, each added to 16 bits of c.
template <bool masked>
void qsad(Wave& w, const Step& st) {
  Lanes<u64> ba, bc, out;
  Lanes<u32> bb;
  const u64 *a = fetch(w, st, 0, ba), *c = fetch(w, st, 2, bc);
  const u32* b = fetch(w, st, 1, bb);
  for (int l = 0; l < W; ++l) {
    out.x[l] = 0;
    for (int k = 0; k < 4; ++k) {
      const u32 sum = sad(static_cast<u32>(a[l] >> 8 * k), b[l], masked) + static_cast<u32>(c[l] >> 16 * k & 0xffff);
      out.x[l] |= u64{fit(st.inst.mods, sat<u16>{sum})} << 16 * k;
    }
  }
  commit(w, st, out);
}
void mqsad_u32(Wave& w, const Step& st) {
  Lanes<u64> ba;
  Lanes<u32> bb, bc;
  alignas(64) u32 out[4][W];
  const u64* a = fetch(w, st, 0, ba);
  const u32* b = fetch(w, st, 1, bb);
  for (int k = 0; k < 4; ++k) {
    const u32* c = raw(w, st, 2, k, bc.x);
    for (int l = 0; l < W; ++l)
      out[k][l] = fit(st.inst.mods, sat<u32>{wide(c[l]) + sad(static_cast<u32>(a[l] >> 8 * k), b[l], true)});
  }
  for (int k = 0; k < 4; ++k) commit_dword(w, st, st.dst + k, out[k]);
}
u32 lerp(u32 a, u32 b, u32 round) {  // bytewise average; bit 0 of each byte of `round` rounds up
  u32 out = 0;
  for (int i = 0; i < 32; i += 8) out |= ((a >> i & 0xff) + (b >> i & 0xff) + (round >> i & 1)) >> 1 << i;
  return out;
}

// Bitwise table lookup: the bits {a, b, c} of the sources index a table of 8 bits that the instruction contains.
template <class T>
T table3(T a, T b, T c, u8 table) {
  T out = 0;
  for (int k = 0; k < 8; ++k)
    if (table >> k & 1) out = static_cast<T>(out | ((k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c)));
  return out;
}
template <class T>
void bitop3(Wave& w, const Step& st) {
  Lanes<T> ba, bb, bc, out;
  const T *a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb), *c = fetch(w, st, 2, bc);
  for (int l = 0; l < W; ++l) out.x[l] = table3(a[l], b[l], c[l], st.inst.mods.bitop3);
  commit(w, st, out);
}
template <class T>
void bitop2(Wave& w, const Step& st) {
  Lanes<T> ba, bb, out;
  const T *a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb);
  for (int l = 0; l < W; ++l) out.x[l] = table3<T>(a[l], b[l], 0, st.inst.mods.bitop3);
  commit(w, st, out);
}

u8 byte_i(i32 x) { return static_cast<u8>(std::clamp(x, -128, 127)); }
u8 byte_u(i32 x) { return static_cast<u8>(std::clamp(x, 0, 255)); }
u16 pair(u8 lo, u8 hi) { return static_cast<u16>(lo | hi << 8); }
u16 nibbles(u32 a, bool sign) {  // four bytes saturated to four nibbles
  u16 out = 0;
  for (int i = 0; i < 4; ++i) {
    const i32 x =
        sign ? std::clamp<i32>(static_cast<i8>(a >> 8 * i), -8, 7) : static_cast<i32>(std::min(a >> 8 * i & 0xff, 15u));
    out = static_cast<u16>(out | (x & 15) << 4 * i);
  }
  return out;
}

carry<sat<u32>> add_carry(u32 a, u32 b, bool in) {
  const i64 r = i64{a} + b + in;
  return {{r}, r >> 32 != 0};
}
carry<sat<u32>> sub_borrow(u32 a, u32 b, bool in) {
  const i64 r = i64{a} - b - in;
  return {{r}, r < 0};
}
carry<sat<u64>> mad_u64(u32 a, u32 b, u64 c) {
  const i128 r = i128{u64{a} * b} + c;
  return {{r}, r >> 64 != 0};
}
carry<sat<i64>> mad_i64(i32 a, i32 b, i64 c) {
  const i128 r = i128{i64{a} * b} + c;
  return {{r}, (r >> 64 & 1) != 0};
}  // bit 64 of the 65-bit sum

// Writes the upper half and keeps the lower one, or writes the lower half and clears the upper one (Vega ISA,
// V_MAD_LEGACY_U16).
template <class T>
void mad_legacy(Wave& w, const Step& st) {
  Lanes<T> ba, bb, bc;
  Lanes<u32> out;
  const T *a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb), *c = fetch(w, st, 2, bc);
  const u32* old = w.vreg(st.dst);
  for (int l = 0; l < W; ++l) {
    const u32 x = static_cast<u16>(fit(st.inst.mods, sat<T>{wide(a[l]) * b[l] + c[l]}));
    out.x[l] = st.high_result ? (old[l] & 0xffff) | x << 16 : x;
  }
  commit(w, st, out);
}

template <class T, auto select>
void add_then(Wave& w, const Step& st) {
  Lanes<T> ba, bb, bc, out;
  const T *a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb), *c = fetch(w, st, 2, bc);
  for (int l = 0; l < W; ++l) out.x[l] = add_select<select>(a[l], b[l], c[l], st.inst.mods.has(isa::clamp));
  commit(w, st, out);
}

// Sixteen look-ups of 4-bit indices in a table of sixteen `bits`-bit entries: {src0, src1}, src0 above (CDNA5 ISA,
// V_PERM_PK16_*).
template <int bits>
void lookup16(Wave& w, const Step& st) {
  constexpr int words = bits / 2;  // of the result
  Lanes<u64> bi;
  Lanes<u32> buffer;
  alignas(64) u32 out[words][W] = {};
  alignas(64) u32 table[4][W] = {};
  const int low = st.row->operands[2].dwords, high = st.row->operands[1].dwords;
  const u64* index = fetch(w, st, 2, bi);
  for (int k = 0; k < low + high; ++k)
    std::copy_n(raw(w, st, k < low ? 1 : 0, k < low ? k : k - low, buffer.x), W, table[k]);
  for (int l = 0; l < W; ++l)
    for (int i = 0; i < 16; ++i) {
      const int from = static_cast<int>(index[l] >> 4 * i & 15) * bits, to = i * bits;
      u32 x = 0;
      for (int b = 0; b < bits; ++b) x |= (table[(from + b) / 32][l] >> (from + b) % 32 & 1) << b;
      for (int b = 0; b < bits; ++b) out[(to + b) / 32][l] |= (x >> b & 1) << (to + b) % 32;
    }
  for (int k = 0; k < words; ++k) commit_dword(w, st, st.dst + k, out[k]);
}

constexpr Semantics rows[] = {
    {"v_mov_b32", each<([](b32 a) { return a; })>},
    {"v_mov_b64", each<([](u64 a) { return a; })>},
    {"v_accvgpr_read_b32", each<([](b32 a) { return a; })>},
    {"v_accvgpr_write_b32", each<([](b32 a) { return a; })>},
    {"v_accvgpr_mov_b32", each<([](b32 a) { return a; })>},
    {"v_not_b32", each<([](u32 a) { return ~a; })>},
    {"v_mov_b16", each<([](u16 a) { return a; })>},
    {"v_not_b16", each<([](u16 a) { return static_cast<u16>(~a); })>},
    {"v_bfrev_b32", each<([](u32 a) { return reverse(a); })>},
    {"v_ffbh_u32", each<([](u32 a) { return leading_zeros(a); })>},
    {"v_ffbh_i32", each<([](u32 a) { return leading_zeros(a >> 31 ? ~a : a); })>},
    {"v_ffbl_b32", each<([](u32 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; })>},
    {"v_sat_pk_u8_i16",
     each<([](u32 a) { return pair(byte_u(static_cast<i16>(a)), byte_u(static_cast<i16>(a >> 16))); })>},
    {"v_sat_pk4_i4_i8", each<([](u32 a) { return nibbles(a, true); })>},
    {"v_sat_pk4_u4_u8", each<([](u32 a) { return nibbles(a, false); })>},
    {"v_prng_b32", each<([](u32 a) { return next_random(a); })>},
    {"v_cndmask_b32", each<([](b32 a, b32 b, bit m) { return m.set ? b : a; })>},
    {"v_cndmask_b16", each<([](b16 a, b16 b, bit m) { return m.set ? b : a; })>},

    {"v_and_b32", each<([](u32 a, u32 b) { return a & b; })>},
    {"v_or_b32", each<([](u32 a, u32 b) { return a | b; })>},
    {"v_xor_b32", each<([](u32 a, u32 b) { return a ^ b; })>},
    {"v_xnor_b32", each<([](u32 a, u32 b) { return ~(a ^ b); })>},
    {"v_and_b16", each<([](u16 a, u16 b) { return static_cast<u16>(a & b); })>},
    {"v_or_b16", each<([](u16 a, u16 b) { return static_cast<u16>(a | b); })>},
    {"v_xor_b16", each<([](u16 a, u16 b) { return static_cast<u16>(a ^ b); })>},
    {"v_bitop3_b32", bitop3<u32>},
    {"v_bitop3_b16", bitop3<u16>},
    {"v_bitop2_b32", bitop2<u32>},
    {"v_lshlrev_b16", each<([](u16 n, u16 a) { return static_cast<u16>(a << (n & 15)); })>},
    {"v_lshrrev_b16", each<([](u16 n, u16 a) { return static_cast<u16>(a >> (n & 15)); })>},
    {"v_ashrrev_i16", each<([](u16 n, i16 a) { return static_cast<i16>(a >> (n & 15)); })>},
    {"v_lshlrev_b32", each<([](u32 n, u32 a) { return a << (n & 31); })>},
    {"v_lshrrev_b32", each<([](u32 n, u32 a) { return a >> (n & 31); })>},
    {"v_ashrrev_i32", each<([](u32 n, i32 a) { return a >> (n & 31); })>},
    {"v_lshlrev_b64", each<([](u32 n, u64 a) { return a << (n & 63); })>},
    {"v_lshrrev_b64", each<([](u32 n, u64 a) { return a >> (n & 63); })>},
    {"v_ashrrev_i64", each<([](u32 n, i64 a) { return a >> (n & 63); })>},

    {"v_add_u16", each<([](u16 a, u16 b) { return sat<u16>{wide(a) + b}; })>},
    {"v_sub_u16", each<([](u16 a, u16 b) { return sat<u16>{wide(a) - b}; })>},
    {"v_subrev_u16", each<([](u16 a, u16 b) { return sat<u16>{wide(b) - a}; })>},
    {"v_add_i16", each<([](i16 a, i16 b) { return sat<i16>{wide(a) + b}; })>},
    {"v_sub_i16", each<([](i16 a, i16 b) { return sat<i16>{wide(a) - b}; })>},
    {"v_mul_lo_u16", each<([](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); })>},
    {"v_mad_u16", each<([](u16 a, u16 b, u16 c) { return sat<u16>{wide(a) * b + c}; })>},
    {"v_mad_i16", each<([](i16 a, i16 b, i16 c) { return sat<i16>{wide(a) * b + c}; })>},
    {"v_mad_legacy_u16", mad_legacy<u16>},
    {"v_mad_legacy_i16", mad_legacy<i16>},
    {"v_mad_u32_u16", each<([](u16 a, u16 b, u32 c) { return sat<u32>{wide(a) * b + c}; })>},
    {"v_mad_i32_i16", each<([](i16 a, i16 b, i32 c) { return sat<i32>{wide(a) * b + c}; })>},
    {"v_add_u32", each<([](u32 a, u32 b) { return sat<u32>{wide(a) + b}; })>},
    {"v_sub_u32", each<([](u32 a, u32 b) { return sat<u32>{wide(a) - b}; })>},
    {"v_subrev_u32", each<([](u32 a, u32 b) { return sat<u32>{wide(b) - a}; })>},
    {"v_add_i32", each<([](i32 a, i32 b) { return sat<i32>{wide(a) + b}; })>},
    {"v_sub_i32", each<([](i32 a, i32 b) { return sat<i32>{wide(a) - b}; })>},
    {"v_add_co_u32", each<([](u32 a, u32 b) { return add_carry(a, b, false); })>},
    {"v_sub_co_u32", each<([](u32 a, u32 b) { return sub_borrow(a, b, false); })>},
    {"v_subrev_co_u32", each<([](u32 a, u32 b) { return sub_borrow(b, a, false); })>},
    {"v_addc_co_u32", each<([](u32 a, u32 b, bit c) { return add_carry(a, b, c.set); })>},
    {"v_subb_co_u32", each<([](u32 a, u32 b, bit c) { return sub_borrow(a, b, c.set); })>},
    {"v_subbrev_co_u32", each<([](u32 a, u32 b, bit c) { return sub_borrow(b, a, c.set); })>},
    {"v_add_nc_u64", each<([](u64 a, u64 b) { return sat<u64>{i128{a} + b}; })>},
    {"v_sub_nc_u64", each<([](u64 a, u64 b) { return sat<u64>{i128{a} - b}; })>},
    {"v_mul_u64", each<([](u64 a, u64 b) { return a * b; })>},
    {"v_mul_i32_i24", each<([](u32 a, u32 b) { return sat<i32>{i64{sext24(a)} * sext24(b)}; })>},
    {"v_mul_u32_u24", each<([](u32 a, u32 b) { return sat<u32>{wide(u64{zext24(a)} * zext24(b))}; })>},
    {"v_mul_hi_i32_i24", each<([](u32 a, u32 b) { return static_cast<u32>(i64{sext24(a)} * sext24(b) >> 32); })>},
    {"v_mul_hi_u32_u24", each<([](u32 a, u32 b) { return static_cast<u32>(u64{zext24(a)} * zext24(b) >> 32); })>},
    {"v_mul_lo_u32", each<([](u32 a, u32 b) { return a * b; })>},
    {"v_mul_hi_u32", each<([](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); })>},
    {"v_mul_hi_i32", each<([](i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); })>},
    {"v_mad_u32", each<([](u32 a, u32 b, u32 c) { return a * b + c; })>},
    {"v_mad_u32_u24", each<([](u32 a, u32 b, u32 c) { return sat<u32>{wide(u64{zext24(a)} * zext24(b)) + c}; })>},
    {"v_mad_i32_i24", each<([](u32 a, u32 b, i32 c) { return sat<i32>{i64{sext24(a)} * sext24(b) + c}; })>},
    {"v_mad_u64_u32", each<([](u32 a, u32 b, u64 c) { return mad_u64(a, b, c); })>},
    {"v_mad_i64_i32", each<([](i32 a, i32 b, i64 c) { return mad_i64(a, b, c); })>},
    {"v_mad_nc_u64_u32", each<([](u32 a, u32 b, u64 c) { return mad_u64(a, b, c).value; })>},
    {"v_mad_nc_i64_i32", each<([](i32 a, i32 b, i64 c) { return mad_i64(a, b, c).value; })>},
    {"v_add3_u32", each<([](u32 a, u32 b, u32 c) { return a + b + c; })>},
    {"v_lshl_add_u32", each<([](u32 a, u32 n, u32 c) { return (a << (n & 31)) + c; })>},
    {"v_add_lshl_u32", each<([](u32 a, u32 b, u32 n) { return (a + b) << (n & 31); })>},
    {"v_lshl_or_b32", each<([](u32 a, u32 n, u32 c) { return (a << (n & 31)) | c; })>},
    {"v_and_or_b32", each<([](u32 a, u32 b, u32 c) { return (a & b) | c; })>},
    {"v_or3_b32", each<([](u32 a, u32 b, u32 c) { return a | b | c; })>},
    {"v_xor3_b32", each<([](u32 a, u32 b, u32 c) { return a ^ b ^ c; })>},
    {"v_xad_u32", each<([](u32 a, u32 b, u32 c) { return (a ^ b) + c; })>},
    {"v_lshl_add_u64", each<([](u64 a, u32 n, u64 c) { return (a << (n & 7)) + c; })>},

    {"v_min_u16", each<([](u16 a, u16 b) { return std::min(a, b); })>},
    {"v_max_u16", each<([](u16 a, u16 b) { return std::max(a, b); })>},
    {"v_min_i16", each<([](i16 a, i16 b) { return std::min(a, b); })>},
    {"v_max_i16", each<([](i16 a, i16 b) { return std::max(a, b); })>},
    {"v_min_u32", each<([](u32 a, u32 b) { return std::min(a, b); })>},
    {"v_max_u32", each<([](u32 a, u32 b) { return std::max(a, b); })>},
    {"v_min_i32", each<([](i32 a, i32 b) { return std::min(a, b); })>},
    {"v_max_i32", each<([](i32 a, i32 b) { return std::max(a, b); })>},
    {"v_min_u64", each<([](u64 a, u64 b) { return std::min(a, b); })>},
    {"v_max_u64", each<([](u64 a, u64 b) { return std::max(a, b); })>},
    {"v_min_i64", each<([](i64 a, i64 b) { return std::min(a, b); })>},
    {"v_max_i64", each<([](i64 a, i64 b) { return std::max(a, b); })>},
    {"v_min3_u16", each<([](u16 a, u16 b, u16 c) { return min3(a, b, c); })>},
    {"v_min3_i16", each<([](i16 a, i16 b, i16 c) { return min3(a, b, c); })>},
    {"v_min3_u32", each<([](u32 a, u32 b, u32 c) { return min3(a, b, c); })>},
    {"v_min3_i32", each<([](i32 a, i32 b, i32 c) { return min3(a, b, c); })>},
    {"v_max3_u16", each<([](u16 a, u16 b, u16 c) { return max3(a, b, c); })>},
    {"v_max3_i16", each<([](i16 a, i16 b, i16 c) { return max3(a, b, c); })>},
    {"v_max3_u32", each<([](u32 a, u32 b, u32 c) { return max3(a, b, c); })>},
    {"v_max3_i32", each<([](i32 a, i32 b, i32 c) { return max3(a, b, c); })>},
    {"v_med3_u16", each<([](u16 a, u16 b, u16 c) { return med3(a, b, c); })>},
    {"v_med3_i16", each<([](i16 a, i16 b, i16 c) { return med3(a, b, c); })>},
    {"v_med3_u32", each<([](u32 a, u32 b, u32 c) { return med3(a, b, c); })>},
    {"v_med3_i32", each<([](i32 a, i32 b, i32 c) { return med3(a, b, c); })>},
    {"v_maxmin_u32", each<([](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); })>},
    {"v_minmax_u32", each<([](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); })>},
    {"v_add_max_u32", add_then<u32, max_of>},
    {"v_add_min_u32", add_then<u32, min_of>},
    {"v_maxmin_i32", each<([](i32 a, i32 b, i32 c) { return std::min(std::max(a, b), c); })>},
    {"v_minmax_i32", each<([](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), c); })>},
    {"v_add_max_i32", add_then<i32, max_of>},
    {"v_add_min_i32", add_then<i32, min_of>},

    {"v_bfe_u32", each<([](u32 a, u32 o, u32 n) { return bfe_u(a, o, n); })>},
    {"v_bfe_i32", each<([](u32 a, u32 o, u32 n) { return bfe_i(a, o, n); })>},
    {"v_bfi_b32", each<([](u32 m, u32 a, u32 b) { return (m & a) | (~m & b); })>},
    {"v_bfm_b32", each<([](u32 n, u32 o) { return ((1u << (n & 31)) - 1) << (o & 31); })>},
    // The count has 16 bits: from gfx11 on OPSEL selects its half (LLVM's true16 operand).
    {"v_alignbit_b32", each<([](u32 a, u32 b, u16 n) { return static_cast<u32>((u64{a} << 32 | b) >> (n & 31)); })>},
    {"v_alignbyte_b32",
     each<([](u32 a, u32 b, u16 n) { return static_cast<u32>((u64{a} << 32 | b) >> 8 * (n & 3)); })>},
    {"v_perm_b32", each<([](u32 a, u32 b, u32 s) { return perm(a, b, s); })>},
    {"v_perm_pk16_b4_u4", lookup16<4>},
    {"v_perm_pk16_b6_u4", lookup16<6>},
    {"v_perm_pk16_b8_u4", lookup16<8>},
    {"v_bcnt_u32_b32", each<([](u32 a, u32 c) { return c + static_cast<u32>(std::popcount(a)); })>},
    {"v_lerp_u8", each<([](u32 a, u32 b, u32 c) { return lerp(a, b, c); })>},
    {"v_sad_u8", each<([](u32 a, u32 b, u32 c) { return sat<u32>{wide(c) + sad(a, b, false)}; })>},
    {"v_sad_hi_u8", each<([](u32 a, u32 b, u32 c) { return sat<u32>{wide(c) + (i64{sad(a, b, false)} << 16)}; })>},
    {"v_sad_u16", each<([](u32 a, u32 b, u32 c) { return sat<u32>{wide(c) + sad16(a, b)}; })>},
    {"v_sad_u32", each<([](u32 a, u32 b, u32 c) { return sat<u32>{wide(c) + (a > b ? a - b : b - a)}; })>},
    {"v_msad_u8", each<([](u32 a, u32 b, u32 c) { return sat<u32>{wide(c) + sad(a, b, true)}; })>},
    {"v_qsad_pk_u16_u8", qsad<false>},
    {"v_mqsad_pk_u16_u8", qsad<true>},
    {"v_mqsad_u32_u8", mqsad_u32},
    {"v_ashr_pk_i8_i32",
     each<([](i32 a, i32 b, u32 n) { return pair(byte_i(a >> (n & 31)), byte_i(b >> (n & 31))); })>},
    {"v_ashr_pk_u8_i32",
     each<([](i32 a, i32 b, u32 n) { return pair(byte_u(a >> (n & 31)), byte_u(b >> (n & 31))); })>},
};

}  // namespace

std::span<const Semantics> int_semantics() { return rows; }

}  // namespace wavesmith::sim
