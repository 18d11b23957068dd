// What each vector ALU instruction computes in one lane.
#include <bit>

#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode;

u32 bfe_u(u32 a, u32 o, u32 n) { return a >> (o & 31) & ((1u << (n & 31)) - 1); }
u32 bfe_i(u32 a, u32 o, u32 n) {
  o &= 31, n &= 31;
  if (n == 0) return 0;
  if (o + n >= 32) return static_cast<u32>(static_cast<i32>(a) >> o);
  return static_cast<u32>(static_cast<i32>(a << (32 - o - n)) >> (32 - n));
}
i32 sext24(u32 a) { return static_cast<i32>(a << 8) >> 8; }
u32 rev(u32 x) { u32 r = 0; for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i); return r; }
u32 perm(u32 hi, u32 lo, u32 sel) {                        // bytes 0-3 of `lo`, 4-7 of `hi`; CDNA3 ISA v_perm_b32
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

template <class T> bool lane_written(const Wave& w, int reg, T lane) { return (w.written[reg / 64] >> reg % 64 & 1) || (w.written_mask[reg] >> lane & 1); }

void read_one(Wave& w, const Step& st, int lane) {
  const Source& s = st.src[0];
  if (w.group->options->checks.undefined && !lane_written(w, s.reg, lane)) return w.fail(Fault::Kind::undefined_read, "reads a lane that was never written", lane);
  if (st.dst != sreg::null) w.s[st.dst] = w.vreg(s.reg)[lane];
}
u32 scalar_source(Wave& w, const Step& st, int i) { return st.src[i].from == Source::From::constant ? st.src[i].bits[0] : scalar(w, st.src[i].reg); }
void readfirstlane(Wave& w, const Step& st) { read_one(w, st, w.exec() ? std::countr_zero(w.exec()) : 0); }
void readlane(Wave& w, const Step& st) { read_one(w, st, static_cast<int>(scalar_source(w, st, 1)) & (w.width() - 1)); }
void writelane(Wave& w, const Step& st) {
  const int lane = static_cast<int>(scalar_source(w, st, 1)) & (w.width() - 1);
  w.vreg(st.dst)[lane] = scalar_source(w, st, 0);
  w.written_lanes = u64{1} << lane;
}
template <int half_wave> void mbcnt(Wave& w, const Step& st) {
  Lanes<u32> bm, bc, out;
  const u32 *m = fetch(w, st, 0, bm), *c = fetch(w, st, 1, bc);
  for (int l = 0; l < W; ++l) {
    const u64 below = (u64{1} << l) - 1;
    out.x[l] = c[l] + static_cast<u32>(std::popcount(m[l] & static_cast<u32>(below >> 32 * half_wave)));
  }
  commit(w, st, out);
}
void nothing(Wave& w, const Step&) { w.written_lanes = 0; }

constexpr Semantics rows[] = {
    {Opcode::v_nop, nothing},
    {Opcode::v_mov_b32, each<([](b32 a) { return a; })>},
    {Opcode::v_mov_b64, each<([](u64 a) { return a; })>},
    {Opcode::v_accvgpr_read_b32, each<([](b32 a) { return a; })>},
    {Opcode::v_accvgpr_write_b32, each<([](b32 a) { return a; })>},
    {Opcode::v_readfirstlane_b32, readfirstlane},
    {Opcode::v_readlane_b32, readlane},
    {Opcode::v_writelane_b32, writelane},
    {Opcode::v_not_b32, each<([](u32 a) { return ~a; })>},
    {Opcode::v_bfrev_b32, each<([](u32 a) { return rev(a); })>},
    {Opcode::v_ffbh_u32, each<([](u32 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; })>},
    {Opcode::v_ffbl_b32, each<([](u32 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; })>},

    {Opcode::v_cndmask_b32, each<([](b32 a, b32 b, bit m) { return m.set ? b : a; })>},
    {Opcode::v_mul_i32_i24, each<([](u32 a, u32 b) { return static_cast<u32>(i64{sext24(a)} * sext24(b)); })>},
    {Opcode::v_mul_u32_u24, each<([](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); })>},
    {Opcode::v_min_i32, each<([](i32 a, i32 b) { return a < b ? a : b; })>},
    {Opcode::v_max_i32, each<([](i32 a, i32 b) { return a > b ? a : b; })>},
    {Opcode::v_min_u32, each<([](u32 a, u32 b) { return a < b ? a : b; })>},
    {Opcode::v_max_u32, each<([](u32 a, u32 b) { return a > b ? a : b; })>},
    {Opcode::v_lshrrev_b32, each<([](u32 n, u32 a) { return a >> (n & 31); })>},
    {Opcode::v_ashrrev_i32, each<([](u32 n, i32 a) { return a >> (n & 31); })>},
    {Opcode::v_lshlrev_b32, each<([](u32 n, u32 a) { return a << (n & 31); })>},
    {Opcode::v_and_b32, each<([](u32 a, u32 b) { return a & b; })>},
    {Opcode::v_or_b32, each<([](u32 a, u32 b) { return a | b; })>},
    {Opcode::v_xor_b32, each<([](u32 a, u32 b) { return a ^ b; })>},
    {Opcode::v_xnor_b32, each<([](u32 a, u32 b) { return ~(a ^ b); })>},
    {Opcode::v_add_u32, each<([](u32 a, u32 b) { return wide_u{i64{a} + b}; })>},
    {Opcode::v_sub_u32, each<([](u32 a, u32 b) { return wide_u{i64{a} - b}; })>},
    {Opcode::v_subrev_u32, each<([](u32 a, u32 b) { return wide_u{i64{b} - a}; })>},
    {Opcode::v_add_i32, each<([](i32 a, i32 b) { return wide_i{i64{a} + b}; })>},
    {Opcode::v_sub_i32, each<([](i32 a, i32 b) { return wide_i{i64{a} - b}; })>},
    {Opcode::v_add_co_u32, each<([](u32 a, u32 b) { return carry<u32>{a + b, a + b < a}; })>},
    {Opcode::v_sub_co_u32, each<([](u32 a, u32 b) { return carry<u32>{a - b, a < b}; })>},
    {Opcode::v_subrev_co_u32, each<([](u32 a, u32 b) { return carry<u32>{b - a, b < a}; })>},
    {Opcode::v_addc_co_u32, each<([](u32 a, u32 b, bit c) { return carry<u32>{a + b + c.set, (u64{a} + b + c.set) >> 32 != 0}; })>},
    {Opcode::v_subb_co_u32, each<([](u32 a, u32 b, bit c) { return carry<u32>{a - b - c.set, u64{b} + c.set > a}; })>},

    {Opcode::v_mad_u32_u24, each<([](u32 a, u32 b, u32 c) { return wide_u{static_cast<i64>(u64{a & 0xffffff} * (b & 0xffffff) + c)}; })>},
    {Opcode::v_mad_i32_i24, each<([](u32 a, u32 b, i32 c) { return wide_i{i64{sext24(a)} * sext24(b) + c}; })>},
    {Opcode::v_bfe_u32, each<([](u32 a, u32 o, u32 n) { return bfe_u(a, o, n); })>},
    {Opcode::v_bfe_i32, each<([](u32 a, u32 o, u32 n) { return bfe_i(a, o, n); })>},
    {Opcode::v_bfi_b32, each<([](u32 m, u32 a, u32 b) { return (m & a) | (~m & b); })>},
    {Opcode::v_alignbit_b32, each<([](u32 a, u32 b, u32 n) { return static_cast<u32>((u64{a} << 32 | b) >> (n & 31)); })>},
    {Opcode::v_alignbyte_b32, each<([](u32 a, u32 b, u32 n) { return static_cast<u32>((u64{a} << 32 | b) >> 8 * (n & 3)); })>},
    {Opcode::v_perm_b32, each<([](u32 a, u32 b, u32 s) { return perm(a, b, s); })>},
    {Opcode::v_add3_u32, each<([](u32 a, u32 b, u32 c) { return a + b + c; })>},
    {Opcode::v_lshl_add_u32, each<([](u32 a, u32 n, u32 c) { return (a << (n & 31)) + c; })>},
    {Opcode::v_add_lshl_u32, each<([](u32 a, u32 b, u32 n) { return (a + b) << (n & 31); })>},
    {Opcode::v_lshl_or_b32, each<([](u32 a, u32 n, u32 c) { return (a << (n & 31)) | c; })>},
    {Opcode::v_and_or_b32, each<([](u32 a, u32 b, u32 c) { return (a & b) | c; })>},
    {Opcode::v_or3_b32, each<([](u32 a, u32 b, u32 c) { return a | b | c; })>},
    {Opcode::v_xad_u32, each<([](u32 a, u32 b, u32 c) { return (a ^ b) + c; })>},
    {Opcode::v_lshl_add_u64, each<([](u64 a, u32 n, u64 c) { return (a << (n & 7)) + c; })>},
    {Opcode::v_mad_u64_u32, each<([](u32 a, u32 b, u64 c) { const u64 p = u64{a} * b; return carry<u64>{p + c, p + c < p}; })>},
    {Opcode::v_mul_lo_u32, each<([](u32 a, u32 b) { return a * b; })>},
    {Opcode::v_mul_hi_u32, each<([](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); })>},
    {Opcode::v_mul_hi_i32, each<([](i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); })>},
    {Opcode::v_lshlrev_b64, each<([](u32 n, u64 a) { return a << (n & 63); })>},
    {Opcode::v_lshrrev_b64, each<([](u32 n, u64 a) { return a >> (n & 63); })>},
    {Opcode::v_ashrrev_i64, each<([](u32 n, i64 a) { return a >> (n & 63); })>},
    {Opcode::v_bcnt_u32_b32, each<([](u32 a, u32 c) { return c + static_cast<u32>(std::popcount(a)); })>},
    {Opcode::v_mbcnt_lo_u32_b32, mbcnt<0>},
    {Opcode::v_mbcnt_hi_u32_b32, mbcnt<1>},
    {Opcode::v_bfm_b32, each<([](u32 n, u32 o) { return ((1u << (n & 31)) - 1) << (o & 31); })>},

    {Opcode::v_cmp_lt_i32, compare<([](i32 a, i32 b) { return a < b; })>},
    {Opcode::v_cmp_eq_i32, compare<([](i32 a, i32 b) { return a == b; })>},
    {Opcode::v_cmp_le_i32, compare<([](i32 a, i32 b) { return a <= b; })>},
    {Opcode::v_cmp_gt_i32, compare<([](i32 a, i32 b) { return a > b; })>},
    {Opcode::v_cmp_ne_i32, compare<([](i32 a, i32 b) { return a != b; })>},
    {Opcode::v_cmp_ge_i32, compare<([](i32 a, i32 b) { return a >= b; })>},
    {Opcode::v_cmp_lt_u32, compare<([](u32 a, u32 b) { return a < b; })>},
    {Opcode::v_cmp_eq_u32, compare<([](u32 a, u32 b) { return a == b; })>},
    {Opcode::v_cmp_le_u32, compare<([](u32 a, u32 b) { return a <= b; })>},
    {Opcode::v_cmp_gt_u32, compare<([](u32 a, u32 b) { return a > b; })>},
    {Opcode::v_cmp_ne_u32, compare<([](u32 a, u32 b) { return a != b; })>},
    {Opcode::v_cmp_ge_u32, compare<([](u32 a, u32 b) { return a >= b; })>},
    {Opcode::v_cmp_gt_i64, compare<([](i64 a, i64 b) { return a > b; })>},
    {Opcode::v_cmp_lt_i64, compare<([](i64 a, i64 b) { return a < b; })>},
    {Opcode::v_cmp_eq_u64, compare<([](u64 a, u64 b) { return a == b; })>},
    {Opcode::v_cmp_ne_u64, compare<([](u64 a, u64 b) { return a != b; })>},
    {Opcode::v_cmp_gt_u64, compare<([](u64 a, u64 b) { return a > b; })>},
    {Opcode::v_cmp_lt_u64, compare<([](u64 a, u64 b) { return a < b; })>},
    {Opcode::v_pk_mov_b32, each<([](b32x2 a, b32x2 b) { return a.lo | u64{b.lo} << 32; })>},
};

}  // namespace

std::span<const Semantics> valu_semantics() { return rows; }

}  // namespace wavesmith::sim
