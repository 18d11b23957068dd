#include "simulator/matrix_operands.h"

#include <algorithm>

#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {
using isa::Type;

// -- Elements --

// Lanes of the register an element begins in and of the next one.
struct PackedSource {
  const u32 *lo, *hi;
  int bit, lanes;
};
u32 field(const PackedSource& r, int lane, int bits) {
  const u64 both = r.bit + bits > 32 ? r.lo[lane] | u64{r.hi[lane]} << 32 : r.lo[lane];
  return static_cast<u32>(both >> r.bit) & static_cast<u32>((u64{1} << bits) - 1);
}
template <const FloatFormat* format>
void by_table(const PackedSource& r, f32* out) {
  constexpr int bits = format->bits();
  static const auto table = [] {
    std::array<f32, 1 << bits> t;
    for (u32 i = 0; i < t.size(); ++i) t[i] = static_cast<f32>(decode(*format, i));
    return t;
  }();
  for (int l = 0; l < r.lanes; ++l) out[l] = table[field(r, l, bits)];
}
void read_lanes(Type t, bool fnuz, bool is_signed, const PackedSource& r, f32* out) {
  switch (t) {
    case Type::f16: return convert_f16(r.lo, r.bit, r.lanes, out);
    case Type::bf16:
      for (int l = 0; l < r.lanes; ++l) out[l] = std::bit_cast<f32>(r.bit ? r.lo[l] & 0xffff0000 : r.lo[l] << 16);
      return;
    case Type::xf32:
      for (int l = 0; l < r.lanes; ++l) out[l] = to_xf32(std::bit_cast<f32>(r.lo[l]));
      return;
    case Type::fp8: return fnuz ? by_table<&format::fp8_fnuz>(r, out) : by_table<&format::fp8>(r, out);
    case Type::bf8: return fnuz ? by_table<&format::bf8_fnuz>(r, out) : by_table<&format::bf8>(r, out);
    case Type::fp6: return by_table<&format::fp6>(r, out);
    case Type::bf6: return by_table<&format::bf6>(r, out);
    case Type::fp4: return by_table<&format::fp4>(r, out);
    case Type::i8:
    case Type::u8:
    case Type::iu8:
      for (int l = 0; l < r.lanes; ++l) {
        const u32 x = r.lo[l] >> r.bit & 255;
        out[l] = is_signed ? static_cast<f32>(static_cast<i8>(x)) : static_cast<f32>(x);
      }
      return;
    case Type::i4:
    case Type::iu4:
      for (int l = 0; l < r.lanes; ++l) {
        const i32 x = static_cast<i32>(r.lo[l] >> r.bit & 15);
        out[l] = static_cast<f32>(is_signed ? (x ^ 8) - 8 : x);
      }
      return;
    default: std::memcpy(out, r.lo, sizeof(f32) * static_cast<size_t>(r.lanes));
  }
}

// Lane that feeds B when BLGP is set, and block of A that CBSZ and ABID broadcast (CDNA3 ISA 7.1.3).
int blgp_lane(int lane, int blgp) {
  switch (blgp) {
    case 1: return lane & 31;
    case 2: return 32 + (lane & 31);
    case 3: return (lane + 16) & 63;
    case 4:
    case 5:
    case 6:
    case 7: return 16 * (blgp - 4) + (lane & 15);
    default: return lane;
  }
}
int cbsz_block(int block, int cbsz, int abid) { return cbsz == 0 ? block : (block & ~((1 << cbsz) - 1)) + abid; }

}  // namespace

Input input_of(const MatrixPlan& p, const Step& st, bool is_a, u8 denorm_f32) {
  const isa::Matrix& x = st.row->matrix;
  const isa::Mods& m = st.inst.mods;
  Input in{.side = is_a ? p.a : p.b, .source = is_a ? 0 : 1};
  const int bit = is_a ? 0 : 1;
  // f32 inputs of MFMA alone obey MODE's denormal bits (CDNA2 ISA, V_MFMA_F32_*_F32; CDNA3 ISA 7.3).
  in.flush =
      p.sum.how == Sum::flushed || (x.kind == isa::MatrixKind::mfma && x.a == Type::f32 && flushes_inputs(denorm_f32));
  if (x.kind == isa::MatrixKind::mfma && x.a == Type::f64) in.neg_even = in.neg_odd = m.blgp >> bit & 1;
  else if (x.kind == isa::MatrixKind::mfma && x.a != Type::f8f6f4)
    (is_a ? in.cbsz : in.blgp) = is_a ? m.cbsz : m.blgp, in.abid = m.abid;
  if (st.row->format != isa::Format::vop3p) return in;
  bool lo = m.neg_lo >> bit & 1, hi = m.neg_hi >> bit & 1;
  // Of SWMMAC, those of B act on the elements that the index selects, by the position in A's pairs that they meet
  // (measured on gfx1201: bjacob/goc; inferred on gfx1250): negating A's has the same effect on the products.
  if (x.kind == isa::MatrixKind::swmmac && x.d != Type::i32) {
    lo = is_a && lo != ((m.neg_lo >> 1 & 1) != 0), hi = is_a && hi != ((m.neg_hi >> 1 & 1) != 0);
  }
  if (x.d == Type::i32) in.is_signed = lo;
  else in.neg_even = lo, in.neg_odd = isa::bits(in.side.type) == 16 ? hi : lo;
  return in;
}

// -- Gathering --
static int source_block(const Input& in, const Run& r) { return cbsz_block(r.block, in.cbsz, in.abid) - r.block; }

bool plain(const Input& in) {
  return converts_runs(in.side.type) && in.side.width % 16 == 0 &&
         !(in.neg_even || in.neg_odd || in.flush || in.cbsz || in.blgp);
}

void gather(Wave& w, const Step& st, const MatrixPlan& p, const Input& in, Gathered& out) {
  const OperandPlan& s = in.side;
  const int least = least_exponent(s.type, p.fnuz);
  if (plain(in)) {
    convert_runs(w.vreg(st.src[in.source].reg), s, p.fnuz, out.x);
    if (out.codes) exponent_codes(out.x, least, static_cast<int>(s.runs.size()) * s.width, out.codes, out.range);
    return;
  }
  const f32 smallest = static_cast<f32>(power_of_two(least));
  alignas(64) f32 lanes[W], moved[W];
  alignas(64) u32 lane_codes[W];
  size_t at = 0;
  for (int item = 0; item < s.items; ++item) {
    const isa::RegisterBits where = s.layout.where(item);
    const u32* lo = w.vreg(st.src[in.source].reg + where.reg);
    read_lanes(s.type, p.fnuz, in.is_signed, {lo, lo + W, where.bit, s.lanes}, lanes);
    if (item & 1 ? in.neg_odd : in.neg_even)
      for (f32& x : lanes) x = -x;
    if (in.flush)
      for (f32& x : lanes) x = std::fabs(x) < smallest ? 0.f : x;
    if (in.blgp) {
      std::copy_n(lanes, W, moved);
      for (int l = 0; l < W; ++l) lanes[l] = moved[blgp_lane(l, in.blgp)];
    }
    if (out.codes) exponent_codes(lanes, least, s.lanes, lane_codes, out.range);
    for (; at < s.runs.size() && s.runs[at].item == item; ++at) {
      const Run& r = s.runs[at];
      const int from = r.lane + source_block(in, r) * s.extent, to = (r.block * s.depth + r.k) * s.extent + r.along;
      std::memcpy(out.x + to, lanes + from, sizeof(f32) * static_cast<size_t>(s.width));
      if (out.codes) std::memcpy(out.codes + to, lane_codes + from, sizeof(u32) * static_cast<size_t>(s.width));
    }
  }
}

bool can_wait(const Step& st) {
  const isa::Matrix& x = st.row->matrix;
  const bool modified_c = st.row->format == isa::Format::vop3p && ((st.inst.mods.neg_lo | st.inst.mods.neg_hi) & 4);
  return st.plan->refusal.empty() && x.c == Type::f32 && x.d == Type::f32 && !x.sparse() && !x.scale_block &&
         !modified_c && fma_kernel(st.plan->b.extent) && plain(input_of(*st.plan, st, true)) &&
         plain(input_of(*st.plan, st, false));
}

}  // namespace wavesmith::sim
