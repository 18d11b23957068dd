#include "simulator/lanes.h"

#include "isa_tables/dpp.h"

namespace wavesmith::sim {

u32 scalar(const Wave& w, int reg) {
  switch (reg) {
    case sreg::scc: return w.scc;
    case sreg::vccz: return w.mask(sreg::vcc) == 0;
    case sreg::execz: return w.exec() == 0;
    case sreg::null: return 0;
    case sreg::shared_base: return shared_aperture;
    case sreg::private_base: return private_aperture;
    default: return w.s[reg];
  }
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void splat(u32 value, u32* out) {
  for (int l = 0; l < W; ++l) out[l] = value;
}

int dpp_source(u32 c, int l) {
  using namespace isa::dpp_ctrl;
  const int row = l & ~15, in_row = l & 15, n = static_cast<int>(c & 15);
  const auto inside = [&](int k) { return k >= 0 && k < 16 ? row + k : absent; };
  if (c < row_shl) return (l & ~3) + static_cast<int>(c >> 2 * (l & 3) & 3);
  if (numbered(c, row_shl)) return inside(in_row + n);
  if (numbered(c, row_shr)) return inside(in_row - n);
  if (numbered(c, row_ror)) return row + ((in_row - n) & 15);
  if (numbered(c, row_share, 0)) return row + n;  // row_newbcast of CDNA too
  if (numbered(c, row_xmask, 0)) return row + (in_row ^ n);
  switch (c) {
    case wave_shl: return l < 63 ? l + 1 : absent;
    case wave_rol: return (l + 1) & 63;
    case wave_shr: return l - 1;
    case wave_ror: return (l - 1) & 63;
    case row_mirror: return row + 15 - in_row;
    case row_half_mirror: return (l & ~7) + 7 - (l & 7);
    case row_bcast15: return l < 16 ? absent : row - 1;  // to the next row
    case row_bcast31: return l < 32 ? absent : 31;       // to rows 2 and 3
    default: return absent;
  }
}

// A source lane that is out of range or disabled by EXEC reads as 0 with bound_ctrl; without, the result lane is not
// written. With fi a disabled lane is read; one out of range is as without (measured on gfx1201: bjacob/goc; inferred
// on gfx11 and gfx1250). DPP8 reads 0 from disabled lanes, or with fi their values.
u64 dpp_lanes(const Wave& w, const Step& st, std::array<i8, W>& from) {
  const isa::Mods& m = st.inst.mods;
  const u64 exec = w.exec();
  const bool inactive = m.has(isa::fetch_inactive), zero = m.bound_ctrl || m.dpp8;
  u64 write = exec;
  for (int l = 0; l < W; ++l) {
    // RDNA documents no row_bcast. Inferred: for row_bcast:15 the first lane of the row is read, as in the lanes that a
    // vector asserts of one gfx1100 (hw_vectors.jsonl); other lanes and targets are unconfirmed.
    int k = m.dpp_ctrl == isa::dpp_ctrl::row_bcast15 && w.group->target->wave_size == 32 ? l & ~15
            : m.dpp8 ? (l & ~7) + static_cast<int>(m.dpp_ctrl >> 3 * (l & 7) & 7)
                     : dpp_source(m.dpp_ctrl, l);
    if (k != absent && !inactive && !(exec >> k & 1)) k = absent;
    from[static_cast<size_t>(l)] = static_cast<i8>(k);
    const bool masked = !m.dpp8 && (!(m.row_mask >> (l / 16) & 1) || !(m.bank_mask >> (l / 4 % 4) & 1));
    if (masked || (k == absent && !zero)) write &= ~(u64{1} << l);
  }
  return write;
}

u32 sdwa_select(u32 v, isa::Sdwa sel, bool sext) {
  const int s = static_cast<int>(sel);
  if (sel == isa::Sdwa::dword) return v;
  if (s < 4) return sext ? static_cast<u32>(static_cast<i8>(v >> 8 * s)) : v >> 8 * s & 0xff;
  return sext ? static_cast<u32>(static_cast<i16>(v >> 16 * (s - 4))) : v >> 16 * (s - 4) & 0xffff;
}

u32 sdwa_merge(u32 old, u32 v, const isa::Mods& m) {
  const int s = static_cast<int>(m.dst_sel);
  if (m.dst_sel == isa::Sdwa::dword) return v;
  const int bits = s < 4 ? 8 : 16, shift = s < 4 ? 8 * s : 16 * (s - 4);
  const u32 mask = (bits == 8 ? 0xffu : 0xffffu) << shift, placed = v << shift & mask;
  if (m.dst_unused == 2) return (old & ~mask) | placed;
  if (m.dst_unused == 1 && (placed >> (shift + bits - 1) & 1))
    return placed | (shift + bits == 32 ? 0 : ~u32{0} << (shift + bits));
  return placed;
}

void commit_dword(Wave& w, const Step& st, int reg, const u32* result) {
  u32* d = w.vreg(reg);
  u64 lanes = w.exec();
  if (!st.plain) {
    const isa::Mods& m = st.inst.mods;
    if (m.dpp || m.dpp8) {
      std::array<i8, W> from;
      lanes = dpp_lanes(w, st, from);
    }
    if (m.sdwa && m.dst_sel != isa::Sdwa::dword) {
      for (int l = 0; l < W; ++l)
        if (lanes >> l & 1) d[l] = sdwa_merge(d[l], result[l], m);
      w.written_lanes = lanes;
      return;
    }
  }
  w.written_lanes = lanes;
  if (lanes == w.all) {
    std::memcpy(d, result, sizeof(u32) * W);
    return;
  }
  for (int l = 0; l < W; ++l)
    if (lanes >> l & 1) d[l] = result[l];
}

namespace {
// Output modifiers act only where results flush denormals and MODE.IEEE is off (CDNA3 ISA, "Output modifiers"); on
// targets without that mode, always. Denormals and zeros of either sign become +0 before; what is denormal after is a
// zero of its sign (measured on gfx1201: bjacob/goc, rocjitsu; f16 on gfx1100 too. Inferred on the others).
bool scales(const Wave& w, const isa::Mods& m, u8 denorm) {
  return m.omod && (!w.group->target->ieee_is_a_mode() || (flushes_results(denorm) && !w.ieee));
}
f64 factor(const isa::Mods& m) { return m.omod == 1 ? 2.0 : m.omod == 2 ? 4.0 : 0.5; }
template <class T>
T scaled(const isa::Mods& m, T x, Round round) {
  const T y = x * static_cast<T>(factor(m));
  if (std::fabs(x) < 2 * std::numeric_limits<T>::min() && m.omod == 3) return std::copysign(T{0}, x);  // not rounded up
  const bool toward_zero = round == Round::zero || round == (std::signbit(x) ? Round::up : Round::down);
  return toward_zero && std::isinf(y) && !std::isinf(x) ? std::copysign(std::numeric_limits<T>::max(), x) : y;
}
template <class T>
T clamped(const Wave& w, T x) {
  return std::isnan(x) ? (w.dx10_clamp ? T{0} : x) : x > 0 ? std::min(x, T{1}) : T{0};
}
}  // namespace

f32 finish(const Wave& w, const isa::Mods& m, f32 x, u8 denorm) {
  if (scales(w, m, denorm)) x = flush(x) == 0 ? 0.f : flush(scaled(m, x, static_cast<Round>(w.round & 3)));
  return m.has(isa::clamp) ? clamped(w, x) : x;
}

f64 finish(const Wave& w, const isa::Mods& m, f64 x) {
  if (flushes_results(w.denorm_f16)) x = flush64(x);
  if (scales(w, m, w.denorm_f16))
    x = flush64(x) == 0 ? 0.0 : flush64(scaled(m, x, static_cast<Round>(w.round >> 2 & 3)));
  return m.has(isa::clamp) ? clamped(w, x) : x;
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] bool nearest_halves(const half* x, u32* out) {
  u32 inexact = 0;
  for (int l = 0; l < W; ++l) {
    const f32 single = static_cast<f32>(x[l].value);
    inexact |= single != x[l].value;
    out[l] = nearest_f16(single);
  }
  return !inexact;
}

u16 finish_f16(const Wave& w, const isa::Mods& m, f64 x) {
  if (std::isnan(x)) return m.has(isa::clamp) && w.dx10_clamp ? 0 : nan_f16(x);
  const Round round = static_cast<Round>(w.round >> 2 & 3);
  const f32 single = static_cast<f32>(x);  // mostly exact: results of f32 instructions and f16 sums
  u16 h = round == Round::nearest_even && single == x ? nearest_f16(single) : to_f16(x, round);
  const auto saturate = [&](f64 exact) {  // MODE.FP16_OVFL: the largest number instead
    if (w.fp16_overflow && std::isfinite(exact) && (h & 0x7fff) == 0x7c00) --h;
  };
  saturate(x);
  if (flushes_results(w.denorm_f16)) h = flush_f16(h);
  if (scales(w, m, w.denorm_f16)) {
    const f64 before = from_f16(h = flush_f16(h));
    h = before == 0 ? 0 : flush_f16(to_f16(before * factor(m), round));
    if (m.omod == 3 && std::fabs(before) < 0x1p-13) h &= 0x8000;  // not rounded up
    saturate(before);
  }
  return m.has(isa::clamp) ? to_f16(clamped(w, static_cast<f64>(from_f16(h)))) : h;
}

}  // namespace wavesmith::sim
