// Packed 16-bit integers (op_sel and op_sel_hi select the source halves of each half of the result) and integer dot
// products.
#include "simulator/numerics/valu.h"
#include "simulator/semantics.h"
#include "simulator/semantics/add_select.h"

namespace wavesmith::sim {
namespace {

// A packed instruction of two or three sources from a function of 16-bit values.
template <class T, auto f>
void both(Wave& w, const Step& st) {
  constexpr bool three = requires(T x) { f(x, x, x); };
  Lanes<packed<T>> ba, bb, bc;
  Lanes<packed<decltype([] {
    if constexpr (three) return f(T{}, T{}, T{});
    else return f(T{}, T{});
  }())>>
      out;
  const packed<T>*a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb);
  if constexpr (three) {
    const packed<T>* c = fetch(w, st, 2, bc);
    for (int l = 0; l < W; ++l) out.x[l] = {f(a[l].lo, b[l].lo, c[l].lo), f(a[l].hi, b[l].hi, c[l].hi)};
  } else {
    for (int l = 0; l < W; ++l) out.x[l] = {f(a[l].lo, b[l].lo), f(a[l].hi, b[l].hi)};
  }
  commit(w, st, out);
}

template <class T, auto select>
void packed_add_then(Wave& w, const Step& st) {
  Lanes<packed<T>> ba, bb, bc, out;
  const packed<T>*a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb), *c = fetch(w, st, 2, bc);
  const bool clamp = st.inst.mods.has(isa::clamp);
  for (int l = 0; l < W; ++l)
    out.x[l] = {add_select<select>(a[l].lo, b[l].lo, c[l].lo, clamp),
                add_select<select>(a[l].hi, b[l].hi, c[l].hi, clamp)};
  commit(w, st, out);
}

enum class Sign : u8 { no, yes, neg_lo };  // neg_lo: bits 0 and 1 of neg_lo select it for each source
template <int bits, Sign sign>
void dot(Wave& w, const Step& st) {
  const isa::Mods& m = st.inst.mods;
  const bool by_bit = sign == Sign::neg_lo;
  const DotInt how{bits, by_bit ? (m.neg_lo & 1) != 0 : sign == Sign::yes,
                   by_bit ? (m.neg_lo & 2) != 0 : sign == Sign::yes, m.has(isa::clamp)};
  Lanes<u32> ba, bb, bc, out;
  const u32 *a = fetch(w, st, 0, ba), *b = fetch(w, st, 1, bb), *c = fetch(w, st, 2, bc);
  for (int l = 0; l < W; ++l)
    out.x[l] = sign == Sign::no ? dot_u32(a[l], b[l], c[l], how)
                                : static_cast<u32>(dot_i32(a[l], b[l], static_cast<i32>(c[l]), how));
  commit(w, st, out);
}
template <class T, class R>
sat<R> dot2(packed<T> a, packed<T> b, R c) {
  return {i64{a.lo} * b.lo + i64{a.hi} * b.hi + c};
}
// The accumulating VOP2 form has no op_sel: its halves are the dword's.
template <class T>
packed<T> halves(u32 x) {
  return {static_cast<T>(x), static_cast<T>(x >> 16)};
}

constexpr Semantics rows[] = {
    {"v_pk_add_u16", both<u16, [](u16 a, u16 b) { return sat<u16>{i64{a} + b}; }>},
    {"v_pk_sub_u16", both<u16, [](u16 a, u16 b) { return sat<u16>{i64{a} - b}; }>},
    {"v_pk_mad_u16", both<u16, [](u16 a, u16 b, u16 c) { return sat<u16>{i64{a} * b + c}; }>},
    {"v_pk_min_u16", both<u16, [](u16 a, u16 b) { return std::min(a, b); }>},
    {"v_pk_min3_u16", both<u16, [](u16 a, u16 b, u16 c) { return std::min(std::min(a, b), c); }>},
    {"v_pk_add_min_u16", packed_add_then<u16, min_of>},
    {"v_pk_max_u16", both<u16, [](u16 a, u16 b) { return std::max(a, b); }>},
    {"v_pk_max3_u16", both<u16, [](u16 a, u16 b, u16 c) { return std::max(std::max(a, b), c); }>},
    {"v_pk_add_max_u16", packed_add_then<u16, max_of>},
    {"v_pk_add_i16", both<i16, [](i16 a, i16 b) { return sat<i16>{i64{a} + b}; }>},
    {"v_pk_sub_i16", both<i16, [](i16 a, i16 b) { return sat<i16>{i64{a} - b}; }>},
    {"v_pk_mad_i16", both<i16, [](i16 a, i16 b, i16 c) { return sat<i16>{i64{a} * b + c}; }>},
    {"v_pk_min_i16", both<i16, [](i16 a, i16 b) { return std::min(a, b); }>},
    {"v_pk_min3_i16", both<i16, [](i16 a, i16 b, i16 c) { return std::min(std::min(a, b), c); }>},
    {"v_pk_add_min_i16", packed_add_then<i16, min_of>},
    {"v_pk_max_i16", both<i16, [](i16 a, i16 b) { return std::max(a, b); }>},
    {"v_pk_max3_i16", both<i16, [](i16 a, i16 b, i16 c) { return std::max(std::max(a, b), c); }>},
    {"v_pk_add_max_i16", packed_add_then<i16, max_of>},
    {"v_pk_mul_lo_u16", both<u16, [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }>},
    {"v_pk_lshlrev_b16", both<u16, [](u16 n, u16 a) { return static_cast<u16>(a << (n & 15)); }>},
    {"v_pk_lshrrev_b16", both<u16, [](u16 n, u16 a) { return static_cast<u16>(a >> (n & 15)); }>},
    {"v_pk_ashrrev_i16", both<i16, [](i16 n, i16 a) { return static_cast<i16>(a >> (n & 15)); }>},
    {"v_pk_mov_b32", each<([](b32x2 a, b32x2 b) { return a.lo | u64{b.lo} << 32; })>},

    {"v_dot2_i32_i16", each<([](packed<i16> a, packed<i16> b, i32 c) { return dot2(a, b, c); })>},
    {"v_dot2_u32_u16", each<([](packed<u16> a, packed<u16> b, u32 c) { return dot2(a, b, c); })>},
    {"v_dot2c_i32_i16", each<([](u32 a, u32 b, i32 c) { return dot2(halves<i16>(a), halves<i16>(b), c); })>},
    {"v_dot4_i32_i8", dot<8, Sign::yes>},
    {"v_dot4c_i32_i8", dot<8, Sign::yes>},
    {"v_dot4_u32_u8", dot<8, Sign::no>},
    {"v_dot4_i32_iu8", dot<8, Sign::neg_lo>},
    {"v_dot8_i32_i4", dot<4, Sign::yes>},
    {"v_dot8c_i32_i4", dot<4, Sign::yes>},
    {"v_dot8_u32_u4", dot<4, Sign::no>},
    {"v_dot8_i32_iu4", dot<4, Sign::neg_lo>},
};

}  // namespace

std::span<const Semantics> packed_semantics() { return rows; }

}  // namespace wavesmith::sim
