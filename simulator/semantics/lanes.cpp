// Instructions that move data between lanes or between registers selected at run time, and instructions without a
// result.
#include <bit>

#include <fmt/format.h>

#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

u32 scalar_source(Wave& w, const Step& st, int i) {
  return st.src[i].from == Source::From::constant ? st.src[i].bits[0] : scalar(w, st.src[i].reg);
}

// -- One lane ---
void read_one(Wave& w, const Step& st, int lane) {
  const Source& s = st.src[0];
  if (s.from != Source::From::vector) {
    if (st.dst != sreg::null) w.s[st.dst] = scalar_source(w, st, 0);
    return;
  }
  if (st.dst != sreg::null) w.s[st.dst] = w.vreg(s.reg)[lane];
}
void readfirstlane(Wave& w, const Step& st) { read_one(w, st, w.exec() ? std::countr_zero(w.exec()) : 0); }
void readlane(Wave& w, const Step& st) { read_one(w, st, static_cast<int>(scalar_source(w, st, 1)) & (w.width() - 1)); }
void writelane(Wave& w, const Step& st) {
  const int lane = static_cast<int>(scalar_source(w, st, 1)) & (w.width() - 1);
  w.vreg(st.dst)[lane] = scalar_source(w, st, 0);
  w.written_lanes = u64{1} << lane;
}
template <int half_wave>
void mbcnt(Wave& w, const Step& st) {
  Lanes<u32> bm, bc, out;
  const u32 *m = fetch(w, st, 0, bm), *c = fetch(w, st, 1, bc);
  for (int l = 0; l < W; ++l) {
    const u64 below = (u64{1} << l) - 1;
    out.x[l] = c[l] + static_cast<u32>(std::popcount(m[l] & static_cast<u32>(below >> 32 * half_wave)));
  }
  commit(w, st, out);
}
void nothing(Wave& w, const Step&) { w.written_lanes = 0; }

// -- Permutations: each enabled lane gets another lane's value; absent: 0 ---
constexpr int unchanged = -2;
template <class From>
void permute(Wave& w, const Step& st, From&& from) {
  std::array<u32, W> before;
  std::copy_n(w.vreg(st.src[0].reg), W, before.begin());
  u64 written = 0;
  for (u64 lanes = w.exec(); lanes; lanes &= lanes - 1) {
    const int l = std::countr_zero(lanes), k = from(l);
    if (k == unchanged) continue;
    w.vreg(st.dst)[l] = k == absent ? 0 : before[static_cast<size_t>(k)];
    written |= u64{1} << l;
  }
  w.written_lanes = written;
}
// op_sel[0] reads disabled lanes (FI), op_sel[1] makes them 0 instead of leaving the result (BOUND_CTRL); RDNA3 ISA,
// V_PERMLANE16_B32.
int enabled_source(const Wave& w, const Step& st, int k) {
  const u8 sel = st.inst.mods.op_sel;
  return (sel & 1) || (w.exec() >> k & 1) ? k : sel & 2 ? absent : unchanged;
}
template <int row_flip>
void permlane16(Wave& w, const Step& st) {
  const u64 select = scalar_source(w, st, 1) | u64{scalar_source(w, st, 2)} << 32;
  permute(w, st, [&](int l) {
    return enabled_source(w, st, ((l & ~15) ^ row_flip) + static_cast<int>(select >> 4 * (l & 15) & 15));
  });
}
template <int row_flip>
void permlane16_var(Wave& w, const Step& st) {
  std::array<u32, W> select;
  std::copy_n(w.vreg(st.src[1].reg), W, select.begin());
  permute(w, st, [&](int l) {
    return enabled_source(w, st, ((l & ~15) ^ row_flip) + static_cast<int>(select[static_cast<size_t>(l)] & 15));
  });
}
// A NOP in wave32 (RDNA3 and RDNA4 ISA). CDNA5 has only waves of 32 lanes; its guide omits the instruction and LLVM
// assembles it: inferred to be a NOP there too.
void permlane64(Wave& w, const Step& st) {
  if (w.width() == 32) return nothing(w, st);
  permute(w, st, [](int l) { return l ^ 32; });
}
// Within groups of src2 lanes (a power of two); disabled lanes are read (CDNA5 ISA, V_PERMLANE_BCAST_B32 and
// following).
template <class From>
void permute_groups(Wave& w, const Step& st, From&& from) {
  const u32 n = scalar_source(w, st, 1), group = scalar_source(w, st, 2);
  if (!std::has_single_bit(group) || group > static_cast<u32>(w.width()))
    return w.fail(Fault::Kind::illegal,
                  fmt::format("lane groups of {}; legal: powers of two up to {}", group, w.width()));
  permute(w, st, [&](int l) {
    const u32 base = static_cast<u32>(l) & ~(group - 1), j = static_cast<u32>(l) & (group - 1);
    return static_cast<int>(base + from(j, n, group, base));
  });
}
void permlane_bcast(Wave& w, const Step& st) {
  permute_groups(w, st, [](u32, u32 n, u32 group, u32) { return n & 63 & (group - 1); });
}
void permlane_up(Wave& w, const Step& st) {
  permute_groups(w, st, [](u32 j, u32 n, u32, u32) { return j < n ? j : j - n; });
}
void permlane_down(Wave& w, const Step& st) {
  permute_groups(w, st, [](u32 j, u32 n, u32 group, u32) { return n < group && j + n < group ? j + n : j; });
}
void permlane_xor(Wave& w,
                  const Step& st) {  // past the group's end, or with a mask wider than the wave: the lane's own
  const u32 width = static_cast<u32>(w.width());
  permute_groups(w, st, [width](u32 j, u32 n, u32 group, u32 base) {
    const u32 k = (base + j) ^ (n & 63);
    return n >= width || k >= base + group ? j : k - base;
  });
}
void permlane_idx_gen(Wave& w, const Step& st) {
  Lanes<u32> ba, out;
  const u32 *a = fetch(w, st, 0, ba), mask = scalar_source(w, st, 1) - 1;
  for (u32 l = 0; l < W; ++l) out.x[l] = ((a[l] & 63 & mask) + (l & ~mask)) << 2;
  commit(w, st, out);
}

// -- Swaps ---
void exchange(Wave& w, int a, int b, u64 lanes) {
  for (int l = 0; l < W; ++l)
    if (lanes >> l & 1) std::swap(w.vreg(a)[l], w.vreg(b)[l]);
}
void swap(Wave& w, const Step& st) { exchange(w, st.dst, st.mask_dst, w.exec()); }
// Swaps the upper `rows`-lane half of each pair of rows of the first register with the lower half of the second.
// EXEC guards each write on its own; disabled lanes are read (CDNA5 ISA, V_PERMLANE16_SWAP_B32; for CDNA4, whose guide
// does not mention EXEC, inferred).
template <int rows>
void row_swap(Wave& w, const Step& st) {
  u32 *a = w.vreg(st.dst), *b = w.vreg(st.mask_dst);
  const u64 exec = w.exec();
  for (int l = 0; l < w.width(); ++l) {
    if (l & rows) continue;
    const u32 from_a = a[l + rows], from_b = b[l];
    if (exec >> l & 1) b[l] = from_a;
    if (exec >> (l + rows) & 1) a[l + rows] = from_b;
  }
  w.written_lanes = exec;
}

// -- Registers relative to M0 (RDNA): bits 9:0 for the source, 25:16 for the destination where there are two offsets
// ---
struct Bases {
  int to, from;
};
bool allocated(Wave& w, int reg) {
  const int limit = w.group->kernel->vgprs;
  if (reg < limit) return true;
  w.fail(Fault::Kind::illegal, fmt::format("M0 selects v{}, the kernel descriptor allocates {} VGPRs", reg, limit));
  return false;
}
bool usable(Wave& w, int reg, bool read) {
  if (!allocated(w, reg)) return false;
  const Checks& c = w.group->options->checks;
  if (c.in_flight && (w.async.in_flight[static_cast<size_t>(reg / 64)] >> reg % 64 & 1))
    return w.fail(Fault::Kind::in_flight, fmt::format("M0 selects v{}, into which a load is in flight", reg)), false;
  if (const u64 missing = w.exec() & ~w.known_lanes(reg); read && c.undefined && missing)
    return w.fail(Fault::Kind::undefined_read, fmt::format("reads v{}, which was never written in this lane", reg),
                  std::countr_zero(missing)),
           false;
  return true;
}
void mark(Wave& w, int reg) {
  if ((w.written_mask[reg] |= w.exec()) == w.all) w.written[static_cast<size_t>(reg / 64)] |= u64{1} << reg % 64;
  w.written_lanes = 0;  // the registers the instruction names
}
void move(Wave& w, Bases r) {
  if (!usable(w, r.from, true) || !usable(w, r.to, false)) return;
  for (int l = 0; l < W; ++l)
    if (w.exec() >> l & 1) w.vreg(r.to)[l] = w.vreg(r.from)[l];
}
int offset(const Wave& w) { return static_cast<int>(w.s[sreg::m0]); }
int offset_from(const Wave& w) { return offset(w) & 0x3ff; }
int offset_to(const Wave& w) { return offset(w) >> 16 & 0x3ff; }
void movrels(Wave& w, const Step& st) { move(w, {st.dst, st.src[0].reg + offset(w)}); }
void movrelsd(Wave& w, const Step& st) {
  const Bases r{st.src[0].reg + offset(w), st.src[1].reg + offset(w)};
  move(w, r);
  if (!w.problem) mark(w, r.to);
}
void movrelsd_2(Wave& w, const Step& st) {
  const Bases r{st.src[0].reg + offset_to(w), st.src[1].reg + offset_from(w)};
  move(w, r);
  if (!w.problem) mark(w, r.to);
}
void movreld(Wave& w, const Step& st) {
  const int to = st.src[0].reg + offset(w);
  if (!usable(w, to, false)) return;
  Lanes<u32> buffer;
  const u32* x = raw(w, st, 1, 0, buffer.x);
  for (int l = 0; l < W; ++l)
    if (w.exec() >> l & 1) w.vreg(to)[l] = x[l];
  mark(w, to);
}
void swaprel(Wave& w, const Step& st) {
  const int a = st.dst + offset_to(w), b = st.mask_dst + offset_from(w);
  if (!usable(w, a, true) || !usable(w, b, true)) return;
  exchange(w, a, b, w.exec());
  w.written_lanes = 0;
}

constexpr Semantics rows[] = {
    {"v_nop", nothing},
    {"v_pipeflush", nothing},
    {"v_clrexcp", nothing},  // no exception is ever pending
    {"v_readfirstlane_b32", readfirstlane},
    {"v_readlane_b32", readlane},
    {"v_writelane_b32", writelane},
    {"v_mbcnt_lo_u32_b32", mbcnt<0>},
    {"v_mbcnt_hi_u32_b32", mbcnt<1>},
    {"v_permlane16_b32", permlane16<0>},
    {"v_permlanex16_b32", permlane16<16>},
    {"v_permlane16_var_b32", permlane16_var<0>},
    {"v_permlanex16_var_b32", permlane16_var<16>},
    {"v_permlane64_b32", permlane64},
    {"v_permlane_bcast_b32", permlane_bcast},
    {"v_permlane_up_b32", permlane_up},
    {"v_permlane_down_b32", permlane_down},
    {"v_permlane_xor_b32", permlane_xor},
    {"v_permlane_idx_gen_b32", permlane_idx_gen},
    {"v_swap_b32", swap},
    {"v_permlane16_swap_b32", row_swap<16>},
    {"v_permlane32_swap_b32", row_swap<32>},
    {"v_movrels_b32", movrels},
    {"v_movreld_b32", movreld},
    {"v_movrelsd_b32", movrelsd},
    {"v_movrelsd_2_b32", movrelsd_2},
    {"v_swaprel_b32", swaprel},
};

}  // namespace

std::span<const Semantics> lane_semantics() { return rows; }

}  // namespace wavesmith::sim
