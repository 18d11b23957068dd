// What each scalar instruction computes, and program control. SCC comes from the function: `scc<T>` carries it, `logic` sets it
// for a result that is not zero.
#include <bit>

#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode;

template <class T> struct scc { T value; bool set; };
struct scc_in { bool set; };

template <class T> T source(Wave& w, const Step& st, int& i) {
  if constexpr (std::is_same_v<T, scc_in>) {
    return {w.scc};
  } else {
    const Source& s = st.src[i++];
    if constexpr (sizeof(T) == 8) {
      const u64 x = s.from == Source::From::constant ? s.bits[0] | u64{s.bits[1]} << 32 : scalar(w, s.reg) | u64{s.reg >= sreg::shared_base ? 0 : scalar(w, s.reg + 1)} << 32;
      return std::bit_cast<T>(s.from == Source::From::scalar && s.reg >= sreg::shared_base && s.reg <= sreg::private_limit ? u64{scalar(w, s.reg)} << 32 : x);
    } else {
      return static_cast<T>(s.from == Source::From::constant ? s.bits[0] : scalar(w, s.reg));
    }
  }
}

template <class T> void put(Wave& w, const Step& st, T x) {
  if constexpr (sizeof(T) == 8) w.set_pair(st.dst, std::bit_cast<u64>(x));
  else if (st.dst != sreg::null) w.s[st.dst] = static_cast<u32>(x);
}

template <class R> struct Put { static void result(Wave& w, const Step& st, R r) { put(w, st, r); } };
template <> struct Put<bool> { static void result(Wave& w, const Step&, bool r) { w.scc = r; } };
template <class T> struct Put<scc<T>> { static void result(Wave& w, const Step& st, scc<T> r) { put(w, st, r.value); w.scc = r.set; } };

template <class F> struct Scalar : Scalar<decltype(&F::operator())> {};
template <class C, class R, class... A> struct Scalar<R (C::*)(A...) const> {
  template <auto f> static void run(Wave& w, const Step& st) {
    int i = 0;
    const std::tuple<A...> in{source<A>(w, st, i)...};
    Put<R>::result(w, st, std::apply(f, in));
  }
};
template <auto f> void one(Wave& w, const Step& st) { Scalar<decltype(f)>::template run<f>(w, st); }

// Result and SCC = result is not zero.
template <class T> scc<T> nz(T x) { return {x, x != 0}; }

template <auto f> void saveexec(Wave& w, const Step& st) {
  int i = 0;
  const u64 mask = source<u64>(w, st, i), old = w.exec();
  w.set_pair(st.dst, old);
  w.set_exec(f(mask, old));
  w.scc = w.exec() != 0;
}

scc<u32> add_i(u32 a, u32 b) { const u32 r = a + b; return {r, ((a ^ r) & (b ^ r)) >> 31 != 0}; }
scc<u32> sub_i(u32 a, u32 b) { const u32 r = a - b; return {r, ((a ^ b) & (a ^ r)) >> 31 != 0}; }
template <int n> scc<u32> shift_add(u32 a, u32 b) { const u64 r = (u64{a} << n) + b; return {static_cast<u32>(r), r >> 32 != 0}; }
u32 rev(u32 x) { u32 r = 0; for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i); return r; }
u32 bfe(u32 a, u32 c, bool sign) {                         // offset in bits 4:0, width in 22:16
  const u32 o = c & 31, n = c >> 16 & 127;
  if (n == 0) return 0;
  const u64 wide = sign ? static_cast<u64>(static_cast<i64>(static_cast<i32>(a))) : a;
  const u64 shifted = wide >> o;
  if (n >= 32) return static_cast<u32>(shifted);
  const u32 field = static_cast<u32>(shifted) & ((1u << n) - 1);
  return sign && (field >> (n - 1) & 1) ? field | ~((1u << n) - 1) : field;
}

void branch(Wave& w, const Step& st) { w.next = st.target; }
template <auto taken> void branch_if(Wave& w, const Step& st) { if (taken(w)) w.next = st.target; }
void end(Wave& w, const Step&) { w.ended = true; }
void barrier(Wave& w, const Step&) { signal(w, 0); wait(w, 0); }
void nothing(Wave&, const Step&) {}
void getpc(Wave& w, const Step& st) { w.set_pair(st.dst, st.pc + st.size); }
void setpc(Wave& w, const Step& st) { int i = 0; w.jump = source<u64>(w, st, i); }
void swappc(Wave& w, const Step& st) {
  int i = 0;
  w.jump = source<u64>(w, st, i);
  w.set_pair(st.dst, st.pc + st.size);
}
void cmov(Wave& w, const Step& st) { int i = 0; const u32 x = source<u32>(w, st, i); if (w.scc) put(w, st, x); }
void halt(Wave& w, const Step& st) { if (st.src[0].bits[0] & 1) w.fail(Fault::Kind::illegal, "halts the wave: nothing here would resume it"); }

constexpr Semantics rows[] = {
    {Opcode::s_mov_b32, one<([](u32 a) { return a; })>},
    {Opcode::s_mov_b64, one<([](u64 a) { return a; })>},
    {Opcode::s_cmov_b32, cmov},
    {Opcode::s_not_b32, one<([](u32 a) { return nz(~a); })>},
    {Opcode::s_not_b64, one<([](u64 a) { return nz(~a); })>},
    {Opcode::s_brev_b32, one<([](u32 a) { return rev(a); })>},
    {Opcode::s_bcnt1_i32_b32, one<([](u32 a) { return nz(static_cast<u32>(std::popcount(a))); })>},
    {Opcode::s_bcnt1_i32_b64, one<([](u64 a) { return nz(static_cast<u32>(std::popcount(a))); })>},
    {Opcode::s_ff1_i32_b32, one<([](u32 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; })>},
    {Opcode::s_ff1_i32_b64, one<([](u64 a) { return a ? static_cast<u32>(std::countr_zero(a)) : ~0u; })>},
    {Opcode::s_flbit_i32_b32, one<([](u32 a) { return a ? static_cast<u32>(std::countl_zero(a)) : ~0u; })>},
    {Opcode::s_sext_i32_i16, one<([](u32 a) { return static_cast<u32>(static_cast<i16>(a)); })>},
    {Opcode::s_abs_i32, one<([](u32 a) { return nz(static_cast<i32>(a) < 0 ? 0 - a : a); })>},
    {Opcode::s_getpc_b64, getpc},
    {Opcode::s_setpc_b64, setpc},
    {Opcode::s_swappc_b64, swappc},
    {Opcode::s_and_saveexec_b64, saveexec<([](u64 s, u64 e) { return s & e; })>},
    {Opcode::s_or_saveexec_b64, saveexec<([](u64 s, u64 e) { return s | e; })>},
    {Opcode::s_xor_saveexec_b64, saveexec<([](u64 s, u64 e) { return s ^ e; })>},
    {Opcode::s_andn2_saveexec_b64, saveexec<([](u64 s, u64 e) { return s & ~e; })>},

    {Opcode::s_add_u32, one<([](u32 a, u32 b) { return scc<u32>{a + b, a + b < a}; })>},
    {Opcode::s_add_i32, one<([](u32 a, u32 b) { return add_i(a, b); })>},
    {Opcode::s_sub_u32, one<([](u32 a, u32 b) { return scc<u32>{a - b, a < b}; })>},
    {Opcode::s_sub_i32, one<([](u32 a, u32 b) { return sub_i(a, b); })>},
    {Opcode::s_addc_u32, one<([](u32 a, u32 b, scc_in c) { const u64 r = u64{a} + b + c.set; return scc<u32>{static_cast<u32>(r), r >> 32 != 0}; })>},
    {Opcode::s_subb_u32, one<([](u32 a, u32 b, scc_in c) { return scc<u32>{a - b - c.set, u64{b} + c.set > a}; })>},
    {Opcode::s_min_i32, one<([](i32 a, i32 b) { return scc<u32>{static_cast<u32>(a < b ? a : b), a < b}; })>},
    {Opcode::s_min_u32, one<([](u32 a, u32 b) { return scc<u32>{a < b ? a : b, a < b}; })>},
    {Opcode::s_max_i32, one<([](i32 a, i32 b) { return scc<u32>{static_cast<u32>(a > b ? a : b), a > b}; })>},
    {Opcode::s_max_u32, one<([](u32 a, u32 b) { return scc<u32>{a > b ? a : b, a > b}; })>},
    {Opcode::s_cselect_b32, one<([](u32 a, u32 b, scc_in c) { return c.set ? a : b; })>},
    {Opcode::s_cselect_b64, one<([](u64 a, u64 b, scc_in c) { return c.set ? a : b; })>},
    {Opcode::s_and_b32, one<([](u32 a, u32 b) { return nz(a & b); })>},
    {Opcode::s_and_b64, one<([](u64 a, u64 b) { return nz(a & b); })>},
    {Opcode::s_or_b32, one<([](u32 a, u32 b) { return nz(a | b); })>},
    {Opcode::s_or_b64, one<([](u64 a, u64 b) { return nz(a | b); })>},
    {Opcode::s_xor_b32, one<([](u32 a, u32 b) { return nz(a ^ b); })>},
    {Opcode::s_xor_b64, one<([](u64 a, u64 b) { return nz(a ^ b); })>},
    {Opcode::s_andn2_b32, one<([](u32 a, u32 b) { return nz(a & ~b); })>},
    {Opcode::s_andn2_b64, one<([](u64 a, u64 b) { return nz(a & ~b); })>},
    {Opcode::s_orn2_b64, one<([](u64 a, u64 b) { return nz(a | ~b); })>},
    {Opcode::s_nand_b64, one<([](u64 a, u64 b) { return nz(~(a & b)); })>},
    {Opcode::s_nor_b32, one<([](u32 a, u32 b) { return nz(~(a | b)); })>},
    {Opcode::s_nor_b64, one<([](u64 a, u64 b) { return nz(~(a | b)); })>},
    {Opcode::s_xnor_b64, one<([](u64 a, u64 b) { return nz(~(a ^ b)); })>},
    {Opcode::s_lshl_b32, one<([](u32 a, u32 n) { return nz(a << (n & 31)); })>},
    {Opcode::s_lshl_b64, one<([](u64 a, u32 n) { return nz(a << (n & 63)); })>},
    {Opcode::s_lshr_b32, one<([](u32 a, u32 n) { return nz(a >> (n & 31)); })>},
    {Opcode::s_lshr_b64, one<([](u64 a, u32 n) { return nz(a >> (n & 63)); })>},
    {Opcode::s_ashr_i32, one<([](i32 a, u32 n) { return nz(static_cast<u32>(a >> (n & 31))); })>},
    {Opcode::s_ashr_i64, one<([](i64 a, u32 n) { return nz(a >> (n & 63)); })>},
    {Opcode::s_bfm_b32, one<([](u32 n, u32 o) { return ((1u << (n & 31)) - 1) << (o & 31); })>},
    {Opcode::s_bfm_b64, one<([](u32 n, u32 o) { return ((u64{1} << (n & 63)) - 1) << (o & 63); })>},
    {Opcode::s_bfe_u32, one<([](u32 a, u32 c) { return nz(bfe(a, c, false)); })>},
    {Opcode::s_bfe_i32, one<([](u32 a, u32 c) { return nz(bfe(a, c, true)); })>},
    {Opcode::s_mul_i32, one<([](u32 a, u32 b) { return a * b; })>},
    {Opcode::s_mul_hi_u32, one<([](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); })>},
    {Opcode::s_mul_hi_i32, one<([](i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); })>},
    {Opcode::s_lshl1_add_u32, one<([](u32 a, u32 b) { return shift_add<1>(a, b); })>},
    {Opcode::s_lshl2_add_u32, one<([](u32 a, u32 b) { return shift_add<2>(a, b); })>},
    {Opcode::s_lshl3_add_u32, one<([](u32 a, u32 b) { return shift_add<3>(a, b); })>},
    {Opcode::s_lshl4_add_u32, one<([](u32 a, u32 b) { return shift_add<4>(a, b); })>},
    {Opcode::s_pack_ll_b32_b16, one<([](u32 a, u32 b) { return (a & 0xffff) | b << 16; })>},
    {Opcode::s_pack_lh_b32_b16, one<([](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); })>},
    {Opcode::s_pack_hh_b32_b16, one<([](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); })>},

    // 16-bit immediates: signed but for the unsigned compares; `both` operands come last.
    {Opcode::s_movk_i32, one<([](u32 k) { return static_cast<u32>(static_cast<i16>(k)); })>},
    {Opcode::s_addk_i32, one<([](u32 k, u32 a) { return add_i(a, static_cast<u32>(static_cast<i16>(k))); })>},
    {Opcode::s_mulk_i32, one<([](u32 k, u32 a) { return a * static_cast<u32>(static_cast<i16>(k)); })>},
    {Opcode::s_cmpk_eq_u32, one<([](u32 a, u32 k) { return a == (k & 0xffff); })>},
    {Opcode::s_cmpk_lg_u32, one<([](u32 a, u32 k) { return a != (k & 0xffff); })>},
    {Opcode::s_cmpk_gt_i32, one<([](i32 a, u32 k) { return a > static_cast<i16>(k); })>},
    {Opcode::s_cmpk_lt_i32, one<([](i32 a, u32 k) { return a < static_cast<i16>(k); })>},

    {Opcode::s_cmp_eq_i32, one<([](i32 a, i32 b) { return a == b; })>},
    {Opcode::s_cmp_lg_i32, one<([](i32 a, i32 b) { return a != b; })>},
    {Opcode::s_cmp_gt_i32, one<([](i32 a, i32 b) { return a > b; })>},
    {Opcode::s_cmp_ge_i32, one<([](i32 a, i32 b) { return a >= b; })>},
    {Opcode::s_cmp_lt_i32, one<([](i32 a, i32 b) { return a < b; })>},
    {Opcode::s_cmp_le_i32, one<([](i32 a, i32 b) { return a <= b; })>},
    {Opcode::s_cmp_eq_u32, one<([](u32 a, u32 b) { return a == b; })>},
    {Opcode::s_cmp_lg_u32, one<([](u32 a, u32 b) { return a != b; })>},
    {Opcode::s_cmp_gt_u32, one<([](u32 a, u32 b) { return a > b; })>},
    {Opcode::s_cmp_ge_u32, one<([](u32 a, u32 b) { return a >= b; })>},
    {Opcode::s_cmp_lt_u32, one<([](u32 a, u32 b) { return a < b; })>},
    {Opcode::s_cmp_le_u32, one<([](u32 a, u32 b) { return a <= b; })>},
    {Opcode::s_cmp_eq_u64, one<([](u64 a, u64 b) { return a == b; })>},
    {Opcode::s_cmp_lg_u64, one<([](u64 a, u64 b) { return a != b; })>},
    {Opcode::s_bitcmp0_b32, one<([](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; })>},
    {Opcode::s_bitcmp1_b32, one<([](u32 a, u32 b) { return (a >> (b & 31) & 1) == 1; })>},

    {Opcode::s_nop, nothing},
    {Opcode::s_sleep, nothing},
    {Opcode::s_setprio, nothing},
    {Opcode::s_icache_inv, nothing},
    {Opcode::s_sethalt, halt},
    {Opcode::s_endpgm, end},
    {Opcode::s_barrier, barrier},
    {Opcode::s_branch, branch},
    {Opcode::s_cbranch_scc0, branch_if<([](const Wave& w) { return !w.scc; })>},
    {Opcode::s_cbranch_scc1, branch_if<([](const Wave& w) { return w.scc; })>},
    {Opcode::s_cbranch_vccz, branch_if<([](const Wave& w) { return w.mask(sreg::vcc) == 0; })>},
    {Opcode::s_cbranch_vccnz, branch_if<([](const Wave& w) { return w.mask(sreg::vcc) != 0; })>},
    {Opcode::s_cbranch_execz, branch_if<([](const Wave& w) { return w.exec() == 0; })>},
    {Opcode::s_cbranch_execnz, branch_if<([](const Wave& w) { return w.exec() != 0; })>},
};

}  // namespace

std::span<const Semantics> salu_semantics() { return rows; }

}  // namespace wavesmith::sim
