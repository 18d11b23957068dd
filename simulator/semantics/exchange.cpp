// Cross-lane moves through the LDS pipe, and loads that transpose a tile of 16 columns.
#include "isa_tables/transpose.h"
#include "simulator/access.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode, isa::TransposingLoad, isa::transposing_load;

// -- Cross-lane operations: they use the LDS pipe and counter, but no LDS memory. A disabled source lane reads as 0. --
// The lanes that byte addresses name: of the wave, or of a lane's half of it.
struct LanesOf {
  u32 mask, half;
  explicit LanesOf(const Wave& w) {
    const bool halves = w.width() == 64 && w.group->target->permutes_halves();
    mask = halves ? 31 : static_cast<u32>(w.width() - 1), half = halves ? 32 : 0;
  }
  u32 named(u32 address, int lane) const { return (address / 4 & mask) | (static_cast<u32>(lane) & half); }
};

#if defined(__clang__)  // has no shuffle by values
void pick(const u32* from, const u32* at, u32 offset, LanesOf lanes, u32* out) {
  u32 rows[W];
  std::memcpy(rows, from, sizeof rows);
  for (int l = 0; l < W; ++l) out[l] = rows[lanes.named(at[l] + offset, l)];
}
#else
// Sixteen lanes select from sixteen at a time: one instruction on a host with wide vectors. `out` may overlap the
// source.
using Sixteen = u32 __attribute__((vector_size(64)));
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void pick(const u32* from, const u32* at,
                                                                                u32 offset, LanesOf lanes, u32* out) {
  Sixteen rows[W / 16];
  std::memcpy(rows, from, sizeof rows);
  for (int l = 0; l < W; l += 16) {
    Sixteen n;
    std::memcpy(&n, at + l, sizeof n);
    n = ((n + offset) / 4 & lanes.mask) | (static_cast<u32>(l) & lanes.half);
    const Sixteen low = __builtin_shuffle(rows[0], rows[1], n & 31), high = __builtin_shuffle(rows[2], rows[3], n & 31),
                  picked = n & 32 ? high : low;
    std::memcpy(out + l, &picked, sizeof picked);
  }
}
#endif
// Reads any lane, also disabled ones.
void bpermute_any(Wave& w, const Step& st, u64, u32* out) {
  pick(w.vreg(st.src[1].reg), w.vreg(st.src[0].reg), static_cast<u32>(st.inst.mods.offset), LanesOf(w), out);
}
void bpermute(Wave& w, const Step& st, u64 exec, u32* out);

template <auto from>
void exchange(Wave& w, const Step& st) {
  if ((from == bpermute || from == bpermute_any) && w.exec() == w.all) {  // all lanes are enabled: in place
    bpermute_any(w, st, w.all, w.vreg(st.dst));
    w.written_lanes = w.all;
    return issue(w, pending(st, st.dst, 1));
  }
  alignas(64) u32 out[W] = {};
  const u64 exec = w.exec();
  from(w, st, exec, out);
  commit_dword(w, st, st.dst, out);
  issue(w, pending(st, st.dst, 1));
}
void permute(Wave& w, const Step& st, u64 exec, u32* out) {
  const u32 *a = w.vreg(st.src[0].reg), *d = w.vreg(st.src[1].reg);
  const LanesOf lanes(w);
  for (int l = 0; l < W; ++l)
    if (exec >> l & 1) out[lanes.named(a[l] + static_cast<u32>(st.inst.mods.offset), l)] = d[l];
}
// Reads enabled lanes only.
void bpermute(Wave& w, const Step& st, u64 exec, u32* out) {
  const u32 *a = w.vreg(st.src[0].reg), *d = w.vreg(st.src[1].reg);
  const LanesOf lanes(w);
  for (int l = 0; l < W; ++l) {
    const u32 k = lanes.named(a[l] + static_cast<u32>(st.inst.mods.offset), l);
    if (exec >> k & 1) out[l] = d[k];
  }
}

// The lane that lane `l` of 32 reads, CDNA3 ISA DS_SWIZZLE_B32.
u32 swizzle_source(u32 offset, u32 l) {
  const u32 mask = offset & 31, count = offset >> 5 & 31;
  if (offset >= 0xe000) {  // FFT: the bit-reversed lane, but for the low bits of the mask
    u32 reversed = 0;
    for (u32 i = 0; i < 5; ++i) reversed |= (l >> i & 1) << (4 - i);
    return reversed >> std::popcount(mask) | (l & mask);
  }
  if (offset >= 0xc000) return (l & mask) | ((l + (offset & 0x400 ? 32 - count : count)) & ~mask & 31);  // rotate
  if (offset & 0x8000) return (l & ~3u) + (offset >> 2 * (l & 3) & 3);  // within four lanes
  return ((l & mask) | count) ^ (offset >> 10 & 31);
}
void swizzle(Wave& w, const Step& st, u64 exec, u32* out) {
  const u32 o = static_cast<u32>(st.inst.mods.offset) & 0xffff, *d = w.vreg(st.src[0].reg);
  for (u32 l = 0; l < W; ++l) {
    const u32 k = (l & 32) + swizzle_source(o, l & 31);
    if (exec >> k & 1) out[l] = d[k];
  }
}

// -- Transposing loads --

u32 field(const u8* from, int at, int bits) {
  u32 x = 0;
  for (int b = 0; b < bits; ++b) x |= static_cast<u32>(from[(at + b) / 8] >> (at + b) % 8 & 1) << b;
  return x;
}
void set_field(u8* to, int at, int bits, u32 x) {
  for (int b = 0; b < bits; ++b) to[(at + b) / 8] = static_cast<u8>(to[(at + b) / 8] | (x >> b & 1) << (at + b) % 8);
}

// For each element that a lane gets: the supplying lane and its element.
struct Supplier {
  u8 lane, part;
};
template <TransposingLoad t>
const auto& suppliers() {
  static const auto all = [] {
    const isa::LinearLayout map = isa::transposed(t, std::countr_zero(unsigned{W}));
    std::array<std::array<Supplier, t.elements()>, W> s;
    for (u32 lane = 0; lane < W; ++lane)
      for (u32 item = 0; item < t.elements(); ++item) {
        const isa::LinearLayout::Point at{{"lane", lane}, {"item", item}};
        s[lane][item] = {static_cast<u8>(map.at(at, "from")), static_cast<u8>(map.at(at, "part"))};
      }
    return s;
  }();
  return all;
}

template <TransposingLoad t>
void deliver(Wave& w, const Step& st, const u8 (*in)[16]) {
  const auto& from = suppliers<t>();
  for (int l = 0; l < w.width(); ++l) {
    alignas(4) u8 out[16] = {};
    for (int r = 0; r < t.elements(); ++r) {
      const Supplier s = from[static_cast<size_t>(l)][static_cast<size_t>(r)];
      constexpr int bytes = t.bits / 8;
      if constexpr (t.bits % 8 == 0) std::memcpy(out + r * bytes, in[s.lane] + s.part * bytes, bytes);
      else set_field(out, r * t.bits, t.bits, field(in[s.lane], s.part * t.bits, t.bits));
    }
    put_register(w, st.dst, l, out, {static_cast<u8>(t.bytes)});
  }
}

// needs_exec: EXEC must be all ones (CDNA4 ISA 11.4); without, it is ignored (CDNA5 ISA 11.2.4).
template <TransposingLoad t, bool needs_exec>
void lds_transpose(Wave& w, const Step& st) {
  if (needs_exec && w.exec() != w.all)
    return w.fail(Fault::Kind::illegal, "a transposing load requires EXEC to be all ones");
  Pending p = pending(st, st.dst, t.bytes / 4);
  LdsAddresses a;
  lds_addresses(w, st, static_cast<u32>(st.inst.mods.offset), t.bytes, true, a);
  const u32* at = a.at;
  u8 in[W][16];
  for (int l = 0; l < w.width(); ++l) {
    const u32 multiple = std::bit_floor(static_cast<u32>(t.bytes));
    const u8* from = aligned(w, at[l], multiple == t.bytes ? multiple : 4, t.bytes, l)
                         ? lds_bytes(w, at[l], t.bytes, l, LdsUse::read, p.lds)
                         : nullptr;
    if (!from) return;
    std::memcpy(in[l], from, t.bytes);
  }
  deliver<t>(w, st, in);
  w.written_lanes = w.all;
  issue(w, std::move(p));
}

template <TransposingLoad t>
void global_transpose(Wave& w, const Step& st) {
  if (w.exec() == 0) return issue(w, pending(st, 0, 0));
  if (w.exec() != w.all) return w.fail(Fault::Kind::illegal, "a transposing load requires EXEC to be all ones or zero");
  if (w.width() != 32) return w.fail(Fault::Kind::unknown_instruction, "transposing loads of wave64 are not modelled");
  Addresses a;
  memory_addresses(w, st, 0, 1, t.bytes, a);
  u8 in[W][16];
  for (int l = 0; l < w.width(); ++l) {
    const u8* from = readable(w, a.at[l], t.bytes, l);
    if (!from) return;
    std::memcpy(in[l], from, t.bytes);
  }
  deliver<t>(w, st, in);
  w.written_lanes = w.all;
  issue(w, pending(st, st.dst, t.bytes / 4));
}

constexpr Semantics rows[] = {
    {"ds_swizzle_b32", exchange<swizzle>},
    {"ds_permute_b32", exchange<permute>},
    {"ds_bpermute_b32", exchange<bpermute>},
    {"ds_bpermute_fi_b32", exchange<bpermute_any>},
    {"ds_read_b64_tr_b16", lds_transpose<transposing_load(Opcode::ds_read_b64_tr_b16), true>},
    {"ds_read_b64_tr_b8", lds_transpose<transposing_load(Opcode::ds_read_b64_tr_b8), true>},
    {"ds_read_b96_tr_b6", lds_transpose<transposing_load(Opcode::ds_read_b96_tr_b6), true>},
    {"ds_read_b64_tr_b4", lds_transpose<transposing_load(Opcode::ds_read_b64_tr_b4), true>},
    {"ds_load_tr16_b128", lds_transpose<transposing_load(Opcode::ds_load_tr16_b128), false>},
    {"ds_load_tr8_b64", lds_transpose<transposing_load(Opcode::ds_load_tr8_b64), false>},
    {"ds_load_tr6_b96", lds_transpose<transposing_load(Opcode::ds_load_tr6_b96), false>},
    {"ds_load_tr4_b64", lds_transpose<transposing_load(Opcode::ds_load_tr4_b64), false>},
    {"global_load_tr_b128", global_transpose<transposing_load(Opcode::global_load_tr_b128)>},
    {"global_load_tr_b64", global_transpose<transposing_load(Opcode::global_load_tr_b64)>},
    {"global_load_tr6_b96", global_transpose<transposing_load(Opcode::global_load_tr6_b96)>},
    {"global_load_tr4_b64", global_transpose<transposing_load(Opcode::global_load_tr4_b64)>},
};

}  // namespace

std::span<const Semantics> exchange_semantics() { return rows; }

}  // namespace wavesmith::sim
