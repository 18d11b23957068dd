// Integer scalar instructions.
#include "simulator/scalar.h"

namespace wavesmith::sim {
namespace {

// EXEC becomes f(source, EXEC), the destination gets the old EXEC (saveexec) or the new one (wrexec). Lane masks are
// read and written as wide as the instruction says: the _b32 forms are those of wave32.
template <auto f, class T>
void saveexec(Wave& w, const Step& st) {
  int i = 0;
  const T mask = source<T>(w, st, i), old = static_cast<T>(w.exec());
  put(w, st, old);
  w.set_exec(f(mask, old));
  w.scc = w.exec() != 0;
}
template <auto f, class T>
void wrexec(Wave& w, const Step& st) {
  int i = 0;
  const T mask = source<T>(w, st, i);
  w.set_exec(f(mask, static_cast<T>(w.exec())));
  put(w, st, static_cast<T>(w.exec()));
  w.scc = w.exec() != 0;
}
constexpr auto and_ = [](auto s, auto e) { return s & e; };
constexpr auto or_ = [](auto s, auto e) { return s | e; };
constexpr auto xor_ = [](auto s, auto e) { return s ^ e; };
constexpr auto nand = [](auto s, auto e) { return ~(s & e); };
constexpr auto nor = [](auto s, auto e) { return ~(s | e); };
constexpr auto xnor = [](auto s, auto e) { return ~(s ^ e); };
constexpr auto and_not0 = [](auto s, auto e) { return ~s & e; };
constexpr auto and_not1 = [](auto s, auto e) { return s & ~e; };
constexpr auto or_not0 = [](auto s, auto e) { return ~s | e; };
constexpr auto or_not1 = [](auto s, auto e) { return s | ~e; };

scc<u32> add_i(u32 a, u32 b) {
  const u32 r = a + b;
  return {r, ((a ^ r) & (b ^ r)) >> 31 != 0};
}
scc<u32> sub_i(u32 a, u32 b) {
  const u32 r = a - b;
  return {r, ((a ^ b) & (a ^ r)) >> 31 != 0};
}
template <int n>
scc<u32> shift_add(u32 a, u32 b) {
  const u64 r = (u64{a} << n) + b;
  return {static_cast<u32>(r), r >> 32 != 0};
}
template <class T>
T reverse(T x) {
  T r = 0;
  for (int i = 0, n = 8 * sizeof(T); i < n; ++i) r |= (x >> i & 1) << (n - 1 - i);
  return r;
}
u32 magnitude(u32 a) { return static_cast<i32>(a) < 0 ? 0 - a : a; }
u32 narrow(i32 k) { return static_cast<u32>(static_cast<i16>(k)); }  // simm16, sign-extended
template <class T>
u32 zeros(T x) {
  return static_cast<u32>(8 * sizeof(T)) - static_cast<u32>(std::popcount(x));
}
template <class T>
u32 first_one(T x) {
  return x ? static_cast<u32>(std::countr_zero(x)) : ~0u;
}
template <class T>
u32 leading_zeros(T x) {
  return x ? static_cast<u32>(std::countl_zero(x)) : ~0u;
}
template <class T>
u32 leading_signs(T x) {  // bits that equal the sign bit; -1: all
  const T y = x >> (8 * sizeof(T) - 1) ? ~x : x;
  return y ? static_cast<u32>(std::countl_zero(y)) : ~0u;
}

// T is signed where the field is sign-extended. Offset in bits 4:0 (5:0 of 64), width in 22:16.
template <class T>
scc<T> bfe(T a, u32 c) {
  constexpr u32 size = 8 * sizeof(T);
  const u32 o = c & (size - 1), n = c >> 16 & 127;
  if (n == 0) return {0, false};
  const T shifted = a >> o;
  if (n >= size) return nz(shifted);
  using U = std::make_unsigned_t<T>;
  return nz(static_cast<T>(static_cast<U>(shifted) << (size - n)) >> (size - n));
}
template <class T>
T quads(T x) {  // one bit for every four bits
  T r = 0;
  for (u32 i = 0; i < 2 * sizeof(T); ++i) r |= T{(x >> 4 * i & 15) != 0} << i;
  return r;
}
template <class T>
T whole_quads(T x) {
  T r = 0;
  for (u32 i = 0; i < 2 * sizeof(T); ++i) r |= (x >> 4 * i & 15) ? T{15} << 4 * i : 0;
  return r;
}
u64 replicate(u32 x) {
  u64 r = 0;
  for (int i = 0; i < 32; ++i) r |= u64{x >> i & 1} * 3 << 2 * i;
  return r;
}

template <class T>
void cmov(Wave& w, const Step& st) {
  int i = 0;
  const T x = source<T>(w, st, i);
  if (w.scc) put(w, st, x);
}
void cmovk(Wave& w, const Step& st) {
  if (w.scc) put(w, st, narrow(static_cast<i32>(st.src[0].bits[0])));
}

// The greater one, and whether it is the first.
template <class T>
scc<u32> greater(const Wave& w, T a, T b) {
  return {static_cast<u32>(a > b ? a : b), a > b || (a == b && !w.group->target->max_clears_scc_on_ties())};
}

constexpr Semantics rows[] = {
    {"s_mov_b32", one<([](u32 a) { return a; })>},
    {"s_mov_b64", one<([](u64 a) { return a; })>},
    {"s_cmov_b32", cmov<u32>},
    {"s_cmov_b64", cmov<u64>},
    {"s_not_b32", one<([](u32 a) { return nz(~a); })>},
    {"s_not_b64", one<([](u64 a) { return nz(~a); })>},
    {"s_wqm_b32", one<([](u32 a) { return nz(whole_quads(a)); })>},
    {"s_wqm_b64", one<([](u64 a) { return nz(whole_quads(a)); })>},
    {"s_quadmask_b32", one<([](u32 a) { return nz(quads(a)); })>},
    {"s_quadmask_b64", one<([](u64 a) { return nz(quads(a)); })>},
    {"s_brev_b32", one<([](u32 a) { return reverse(a); })>},
    {"s_brev_b64", one<([](u64 a) { return reverse(a); })>},
    {"s_bcnt0_i32_b32", one<([](u32 a) { return nz(zeros(a)); })>},
    {"s_bcnt0_i32_b64", one<([](u64 a) { return nz(zeros(a)); })>},
    {"s_bcnt1_i32_b32", one<([](u32 a) { return nz(static_cast<u32>(std::popcount(a))); })>},
    {"s_bcnt1_i32_b64", one<([](u64 a) { return nz(static_cast<u32>(std::popcount(a))); })>},
    {"s_ff0_i32_b32", one<([](u32 a) { return first_one(~a); })>},
    {"s_ff0_i32_b64", one<([](u64 a) { return first_one(~a); })>},
    {"s_ff1_i32_b32", one<([](u32 a) { return first_one(a); })>},
    {"s_ff1_i32_b64", one<([](u64 a) { return first_one(a); })>},
    {"s_flbit_i32_b32", one<([](u32 a) { return leading_zeros(a); })>},
    {"s_flbit_i32_b64", one<([](u64 a) { return leading_zeros(a); })>},
    {"s_flbit_i32", one<([](u32 a) { return leading_signs(a); })>},
    {"s_flbit_i32_i64", one<([](u64 a) { return leading_signs(a); })>},
    {"s_sext_i32_i8", one<([](u32 a) { return static_cast<u32>(static_cast<i8>(a)); })>},
    {"s_sext_i32_i16", one<([](u32 a) { return static_cast<u32>(static_cast<i16>(a)); })>},
    {"s_bitset0_b32", one<([](u32 n, u32 d) { return d & ~(1u << (n & 31)); })>},
    {"s_bitset1_b32", one<([](u32 n, u32 d) { return d | 1u << (n & 31); })>},
    {"s_bitset0_b64", one<([](u32 n, u64 d) { return d & ~(u64{1} << (n & 63)); })>},
    {"s_bitset1_b64", one<([](u32 n, u64 d) { return d | u64{1} << (n & 63); })>},
    {"s_bitreplicate_b64_b32", one<([](u32 a) { return replicate(a); })>},
    {"s_abs_i32", one<([](u32 a) { return nz(magnitude(a)); })>},
    {"s_and_saveexec_b64", saveexec<and_, u64>},
    {"s_or_saveexec_b64", saveexec<or_, u64>},
    {"s_xor_saveexec_b64", saveexec<xor_, u64>},
    {"s_nand_saveexec_b64", saveexec<nand, u64>},
    {"s_nor_saveexec_b64", saveexec<nor, u64>},
    {"s_xnor_saveexec_b64", saveexec<xnor, u64>},
    {"s_andn1_saveexec_b64", saveexec<and_not0, u64>},
    {"s_andn2_saveexec_b64", saveexec<and_not1, u64>},
    {"s_orn1_saveexec_b64", saveexec<or_not0, u64>},
    {"s_orn2_saveexec_b64", saveexec<or_not1, u64>},
    {"s_and_saveexec_b32", saveexec<and_, u32>},
    {"s_or_saveexec_b32", saveexec<or_, u32>},
    {"s_xor_saveexec_b32", saveexec<xor_, u32>},
    {"s_nand_saveexec_b32", saveexec<nand, u32>},
    {"s_nor_saveexec_b32", saveexec<nor, u32>},
    {"s_xnor_saveexec_b32", saveexec<xnor, u32>},
    {"s_and_not0_saveexec_b32", saveexec<and_not0, u32>},
    {"s_and_not1_saveexec_b32", saveexec<and_not1, u32>},
    {"s_or_not0_saveexec_b32", saveexec<or_not0, u32>},
    {"s_or_not1_saveexec_b32", saveexec<or_not1, u32>},
    {"s_andn1_wrexec_b64", wrexec<and_not0, u64>},
    {"s_andn2_wrexec_b64", wrexec<and_not1, u64>},
    {"s_and_not0_wrexec_b32", wrexec<and_not0, u32>},
    {"s_and_not1_wrexec_b32", wrexec<and_not1, u32>},

    {"s_add_u32", one<([](u32 a, u32 b) { return scc<u32>{a + b, a + b < a}; })>},
    {"s_add_i32", one<([](u32 a, u32 b) { return add_i(a, b); })>},
    {"s_sub_u32", one<([](u32 a, u32 b) { return scc<u32>{a - b, a < b}; })>},
    {"s_sub_i32", one<([](u32 a, u32 b) { return sub_i(a, b); })>},
    {"s_addc_u32", one<([](u32 a, u32 b, scc_in c) {
       const u64 r = u64{a} + b + c.set;
       return scc<u32>{static_cast<u32>(r), r >> 32 != 0};
     })>},
    {"s_subb_u32", one<([](u32 a, u32 b, scc_in c) { return scc<u32>{a - b - c.set, u64{b} + c.set > a}; })>},
    {"s_add_nc_u64", one<([](u64 a, u64 b) { return a + b; })>},
    {"s_sub_nc_u64", one<([](u64 a, u64 b) { return a - b; })>},
    {"s_absdiff_i32", one<([](u32 a, u32 b) { return nz(magnitude(a - b)); })>},
    {"s_min_i32", one<([](i32 a, i32 b) { return scc<u32>{static_cast<u32>(a < b ? a : b), a < b}; })>},
    {"s_min_u32", one<([](u32 a, u32 b) { return scc<u32>{a < b ? a : b, a < b}; })>},
    {"s_max_i32", one<([](const Wave& w, i32 a, i32 b) { return greater(w, a, b); })>},
    {"s_max_u32", one<([](const Wave& w, u32 a, u32 b) { return greater(w, a, b); })>},
    {"s_cselect_b32", one<([](u32 a, u32 b, scc_in c) { return c.set ? a : b; })>},
    {"s_cselect_b64", one<([](u64 a, u64 b, scc_in c) { return c.set ? a : b; })>},
    {"s_and_b32", one<([](u32 a, u32 b) { return nz(a & b); })>},
    {"s_or_b32", one<([](u32 a, u32 b) { return nz(a | b); })>},
    {"s_xor_b32", one<([](u32 a, u32 b) { return nz(a ^ b); })>},
    {"s_andn2_b32", one<([](u32 a, u32 b) { return nz(a & ~b); })>},
    {"s_orn2_b32", one<([](u32 a, u32 b) { return nz(a | ~b); })>},
    {"s_nand_b32", one<([](u32 a, u32 b) { return nz(~(a & b)); })>},
    {"s_nor_b32", one<([](u32 a, u32 b) { return nz(~(a | b)); })>},
    {"s_xnor_b32", one<([](u32 a, u32 b) { return nz(~(a ^ b)); })>},
    {"s_and_b64", one<([](u64 a, u64 b) { return nz(a & b); })>},
    {"s_or_b64", one<([](u64 a, u64 b) { return nz(a | b); })>},
    {"s_xor_b64", one<([](u64 a, u64 b) { return nz(a ^ b); })>},
    {"s_andn2_b64", one<([](u64 a, u64 b) { return nz(a & ~b); })>},
    {"s_orn2_b64", one<([](u64 a, u64 b) { return nz(a | ~b); })>},
    {"s_nand_b64", one<([](u64 a, u64 b) { return nz(~(a & b)); })>},
    {"s_nor_b64", one<([](u64 a, u64 b) { return nz(~(a | b)); })>},
    {"s_xnor_b64", one<([](u64 a, u64 b) { return nz(~(a ^ b)); })>},
    {"s_lshl_b32", one<([](u32 a, u32 n) { return nz(a << (n & 31)); })>},
    {"s_lshl_b64", one<([](u64 a, u32 n) { return nz(a << (n & 63)); })>},
    {"s_lshr_b32", one<([](u32 a, u32 n) { return nz(a >> (n & 31)); })>},
    {"s_lshr_b64", one<([](u64 a, u32 n) { return nz(a >> (n & 63)); })>},
    {"s_ashr_i32", one<([](i32 a, u32 n) { return nz(a >> (n & 31)); })>},
    {"s_ashr_i64", one<([](i64 a, u32 n) { return nz(a >> (n & 63)); })>},
    {"s_bfm_b32", one<([](u32 n, u32 o) { return ((1u << (n & 31)) - 1) << (o & 31); })>},
    {"s_bfm_b64", one<([](u32 n, u32 o) { return ((u64{1} << (n & 63)) - 1) << (o & 63); })>},
    {"s_bfe_u32", one<([](u32 a, u32 c) { return bfe(a, c); })>},
    {"s_bfe_i32", one<([](i32 a, u32 c) { return bfe(a, c); })>},
    {"s_bfe_u64", one<([](u64 a, u32 c) { return bfe(a, c); })>},
    {"s_bfe_i64", one<([](i64 a, u32 c) { return bfe(a, c); })>},
    {"s_mul_i32", one<([](u32 a, u32 b) { return a * b; })>},
    {"s_mul_u64", one<([](u64 a, u64 b) { return a * b; })>},
    {"s_mul_hi_u32", one<([](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); })>},
    {"s_mul_hi_i32", one<([](i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); })>},
    {"s_lshl1_add_u32", one<([](u32 a, u32 b) { return shift_add<1>(a, b); })>},
    {"s_lshl2_add_u32", one<([](u32 a, u32 b) { return shift_add<2>(a, b); })>},
    {"s_lshl3_add_u32", one<([](u32 a, u32 b) { return shift_add<3>(a, b); })>},
    {"s_lshl4_add_u32", one<([](u32 a, u32 b) { return shift_add<4>(a, b); })>},
    {"s_pack_ll_b32_b16", one<([](u32 a, u32 b) { return (a & 0xffff) | b << 16; })>},
    {"s_pack_lh_b32_b16", one<([](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); })>},
    {"s_pack_hh_b32_b16", one<([](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); })>},
    {"s_pack_hl_b32_b16", one<([](u32 a, u32 b) { return a >> 16 | b << 16; })>},

    // 16-bit immediates: signed except in unsigned compares; `both` operands come last.
    {"s_movk_i32", one<([](i32 k) { return narrow(k); })>},
    {"s_cmovk_i32", cmovk},
    {"s_addk_i32", one<([](i32 k, u32 a) { return add_i(a, narrow(k)); })>},
    {"s_mulk_i32", one<([](i32 k, u32 a) { return a * narrow(k); })>},
    {"s_cmpk_eq_i32", one<([](i32 a, i32 k) { return a == static_cast<i16>(k); })>},
    {"s_cmpk_eq_u32", one<([](u32 a, u32 k) { return a == (k & 0xffff); })>},
    {"s_cmpk_lg_i32", one<([](i32 a, i32 k) { return a != static_cast<i16>(k); })>},
    {"s_cmpk_lg_u32", one<([](u32 a, u32 k) { return a != (k & 0xffff); })>},
    {"s_cmpk_gt_i32", one<([](i32 a, i32 k) { return a > static_cast<i16>(k); })>},
    {"s_cmpk_gt_u32", one<([](u32 a, u32 k) { return a > (k & 0xffff); })>},
    {"s_cmpk_ge_i32", one<([](i32 a, i32 k) { return a >= static_cast<i16>(k); })>},
    {"s_cmpk_ge_u32", one<([](u32 a, u32 k) { return a >= (k & 0xffff); })>},
    {"s_cmpk_lt_i32", one<([](i32 a, i32 k) { return a < static_cast<i16>(k); })>},
    {"s_cmpk_lt_u32", one<([](u32 a, u32 k) { return a < (k & 0xffff); })>},
    {"s_cmpk_le_i32", one<([](i32 a, i32 k) { return a <= static_cast<i16>(k); })>},
    {"s_cmpk_le_u32", one<([](u32 a, u32 k) { return a <= (k & 0xffff); })>},

    {"s_cmp_eq_i32", one<([](i32 a, i32 b) { return a == b; })>},
    {"s_cmp_lg_i32", one<([](i32 a, i32 b) { return a != b; })>},
    {"s_cmp_gt_i32", one<([](i32 a, i32 b) { return a > b; })>},
    {"s_cmp_ge_i32", one<([](i32 a, i32 b) { return a >= b; })>},
    {"s_cmp_lt_i32", one<([](i32 a, i32 b) { return a < b; })>},
    {"s_cmp_le_i32", one<([](i32 a, i32 b) { return a <= b; })>},
    {"s_cmp_eq_u32", one<([](u32 a, u32 b) { return a == b; })>},
    {"s_cmp_lg_u32", one<([](u32 a, u32 b) { return a != b; })>},
    {"s_cmp_gt_u32", one<([](u32 a, u32 b) { return a > b; })>},
    {"s_cmp_ge_u32", one<([](u32 a, u32 b) { return a >= b; })>},
    {"s_cmp_lt_u32", one<([](u32 a, u32 b) { return a < b; })>},
    {"s_cmp_le_u32", one<([](u32 a, u32 b) { return a <= b; })>},
    {"s_cmp_eq_u64", one<([](u64 a, u64 b) { return a == b; })>},
    {"s_cmp_lg_u64", one<([](u64 a, u64 b) { return a != b; })>},
    {"s_bitcmp0_b32", one<([](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; })>},
    {"s_bitcmp1_b32", one<([](u32 a, u32 b) { return (a >> (b & 31) & 1) == 1; })>},
    {"s_bitcmp0_b64", one<([](u64 a, u32 b) { return (a >> (b & 63) & 1) == 0; })>},
    {"s_bitcmp1_b64", one<([](u64 a, u32 b) { return (a >> (b & 63) & 1) == 1; })>},
};

}  // namespace

std::span<const Semantics> salu_semantics() { return rows; }

}  // namespace wavesmith::sim
