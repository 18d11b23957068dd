// Global, flat and scratch loads and stores, blocks of registers, and loads and stores between memory and LDS.
#include <bit>
#include <utility>

#include "simulator/access.h"
#include "simulator/observer.h"

namespace wavesmith::sim {
namespace {

template <AccessShape s>
void load(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, st.sources > 1 ? 1 : absent, s.bytes, a);
  Pending p = pending(st, st.dst, dwords(s));
  alignas(8) u8 bytes[16];
  const bool global = st.row->format == isa::Format::global;
  if (const HostBase base = global ? one_allocation(w, a.bounds, s.bytes) : HostBase()) {
    put_lanes<s>(w, st.dst, base, a.at);
    expect_next<false>(w, st, base, a.at, s.bytes);
    w.written_lanes = w.exec();
    return issue(w, std::move(p));
  }
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u8* from = bytes;
    if (global) from = readable(w, a.at[l], s.bytes, l);
    else if (!read_place(w, place_of(w, st, a.at[l], l), bytes, s.bytes, p.lds, held(st.dst, s))) return;
    if (!from) return;
    put_register(w, st.dst, l, from, s);
  }
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}

template <AccessShape s>
void store(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, st.sources > 2 ? 2 : absent, s.bytes, a);
  Pending p = pending(st, 0, 0);
  alignas(8) u8 bytes[16];
  const bool global = st.row->format == isa::Format::global;
  if (const HostBase base = global ? one_allocation(w, a.bounds, s.bytes) : HostBase()) {
    get_lanes<s>(w, st.src[1].reg, base, a.at);
    expect_next<true>(w, st, base, a.at, s.bytes);
    return issue(w, std::move(p));
  }
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (global) {
      u8* to = writable(w, a.at[l], s.bytes, l, held(st.src[1].reg, s));
      if (!to) return;
      get_register(w, st.src[1].reg, l, to, s);
      continue;
    }
    get_register(w, st.src[1].reg, l, bytes, s);
    if (!write_place(w, place_of(w, st, a.at[l], l), bytes, s.bytes, p.lds, held(st.src[1].reg, s))) return;
  }
  issue(w, std::move(p));
}

// Registers v0 to v31 of a block, those that M0 names, each a dword further on (RDNA4 ISA, GLOBAL_LOAD_BLOCK).
constexpr int block = 32;
void load_block(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, 1, 4, a);
  const u32 chosen = w.s[sreg::m0];
  Pending p = pending(st, st.dst, block);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    for (int i = 0; i < block; ++i)
      if (chosen >> i & 1 && !read_place(w, place_of(w, st, a.at[l] + 4 * static_cast<u64>(i), l),
                                         reinterpret_cast<u8*>(w.vreg(st.dst + i) + l), 4, p.lds, {st.dst + i}))
        return;
  }
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}
void store_block(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, 2, 4, a);
  const u32 chosen = w.s[sreg::m0];
  Pending p = pending(st, 0, 0);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    for (int i = 0; i < block; ++i)
      if (chosen >> i & 1 &&
          !write_place(w, place_of(w, st, a.at[l] + 4 * static_cast<u64>(i), l),
                       reinterpret_cast<const u8*>(w.vreg(st.src[1].reg + i) + l), 4, p.lds, {st.src[1].reg + i}))
        return;
  }
  issue(w, std::move(p));
}

// Base + offset + 4 * lane.
void load_addtid(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, absent, 0, 4, a);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u8* from = readable(w, a.at[l] + 4 * static_cast<u64>(l), 4, l);
    if (!from) return;
    put_register(w, st.dst, l, from, b32s);
  }
  w.written_lanes = w.exec();
  issue(w, pending(st, st.dst, 1));
}
void store_addtid(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, absent, 1, 4, a);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u8* to = writable(w, a.at[l] + 4 * static_cast<u64>(l), 4, l, {st.src[0].reg});
    if (!to) return;
    get_register(w, st.src[0].reg, l, to, b32s);
  }
  issue(w, pending(st, 0, 0));
}

// To LDS at M0[17:2] * 4 + offset + lane * element, an element below a dword taking one (CDNA4 ISA 10.3). The offset
// counts for both sides. Inferred: a three-dword element takes 16 bytes, as it does for buffers, and narrow ones are
// extended as their loads into registers are.
template <AccessShape s>
void load_lds(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, 1, s.bytes, a);
  Pending p = pending(st, 0, 0);
  const u32 n = static_cast<u32>(dwords(s)), base = (w.s[sreg::m0] & 0x3fffc) + static_cast<u32>(st.inst.mods.offset);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const u32 l = static_cast<u32>(std::countr_zero(m));
    alignas(4) u8 bytes[16] = {};
    if (!read_place(w, place_of(w, st, a.at[l], static_cast<int>(l)), bytes, s.bytes, p.lds)) return;
    if (const u32 x = s.bytes < 4 ? extend(bytes, s, 0) : 0; s.bytes < 4) std::memcpy(bytes, &x, 4);
    for (u32 d = 0; d < n; ++d) {
      u8* to = lds_landing(w, base + 4 * (std::bit_ceil(n) * l + d), 4, static_cast<int>(l), p);
      if (!to) return;
      std::memcpy(to, bytes + 4 * d, 4);
    }
  }
  load_started(w, p);
  issue(w, std::move(p));
}

// gfx1250, CDNA5 ISA 10.8: a lane's LDS address comes from a VGPR, the offset counts for both sides, LDS out of range
// is dropped.
bool inside_lds(const Wave& w, u64 address, u32 bytes) {
  return address <= w.group->lds.size() && bytes <= w.group->lds.size() - address;
}

template <u32 bytes>
void load_async(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 1, 2, bytes, a);
  const u32* lds = w.vreg(st.src[0].reg);
  Pending p = pending(st, 0, 0);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u8* from = readable(w, a.at[l], bytes, l);
    if (!from) return;
    for (u32 d = 0, n; d < bytes; d += n) {  // dword by dword of LDS
      const u32 address = lds[l] + static_cast<u32>(st.inst.mods.offset) + d;
      n = std::min(bytes - d, 4 - address % 4);
      if (!inside_lds(w, address, n)) continue;
      u8* to = lds_landing(w, address, n, l, p);
      if (!to) return;
      std::memcpy(to, from + d, n);
    }
  }
  load_started(w, p);
  issue(w, std::move(p));
}
template <u32 bytes>
void store_async(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, 2, bytes, a);
  const u32* lds = w.vreg(st.src[1].reg);
  Pending p = pending(st, 0, 0);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u32 address = lds[l] + static_cast<u32>(st.inst.mods.offset);
    const u8* from = lds_bytes(w, address, bytes, l, LdsUse::read, p.lds);
    u8* to = from ? writable(w, a.at[l], bytes, l) : nullptr;
    if (!to) return;
    std::memcpy(to, from, bytes);
  }
  issue(w, std::move(p));
}

template <Execute request>
void multicast(Wave& w, const Step& st) {  // M0: the workgroups that ask, 15:0
  if (const auto why = multicast_refusal(w, w.s[sreg::m0] & 0xffff); !why.empty())
    return w.fail(Fault::Kind::illegal, why);
  if (const u32 mask = w.s[sreg::m0] & 0xffff; mask && clustered(w) && w.group->observer)
    w.group->observer->multicast(std::popcount(mask));
  request(w, st);
}

// The 256 bytes around each address, into the L2 (LLVM's AMDGPUUsage; Triton pull request 9086: aligned 256 bytes). No
// counter, and no fault for an address that is not there: nothing is fetched then.
void prefetch(Wave& w, const Step& st) {
  constexpr u64 fetched = 256;
  Observer* const o = std::exchange(w.group->observer, nullptr);  // of each address alone it is not told
  if (!o) return;
  Addresses a;
  memory_addresses(w, st, 0, st.sources > 1 ? 1 : absent, 1, a);
  w.group->observer = o;
  u64 there = 0;
  const Memory::Allocation* in = nullptr;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (!in || !in->covers(a.at[l], 1)) in = w.group->memory->find(a.at[l], 1);
    if (in) there |= m & -m;
    a.at[l] &= ~(fetched - 1);
  }
  o->memory(w, st, a.at, there, fetched);
}

constexpr Semantics rows[] = {
#define SPACE(space) \
  {#space "_load_ubyte", load<u8s>}, {#space "_load_sbyte", load<i8s>}, {#space "_load_ushort", load<u16s>}, \
      {#space "_load_sshort", load<i16s>}, {#space "_load_ubyte_d16", load<u8_d16>}, \
      {#space "_load_ubyte_d16_hi", load<u8_d16hi>}, {#space "_load_sbyte_d16", load<i8_d16>}, \
      {#space "_load_sbyte_d16_hi", load<i8_d16hi>}, {#space "_load_short_d16", load<d16>}, \
      {#space "_load_short_d16_hi", load<d16hi>}, {#space "_load_dword", load<b32s>}, \
      {#space "_load_dwordx2", load<b64s>}, {#space "_load_dwordx3", load<b96s>}, \
      {#space "_load_dwordx4", load<b128s>}, {#space "_store_byte", store<u8s>}, \
      {#space "_store_byte_d16_hi", store<u8_d16hi>}, {#space "_store_short", store<u16s>}, \
      {#space "_store_short_d16_hi", store<d16hi>}, {#space "_store_dword", store<b32s>}, \
      {#space "_store_dwordx2", store<b64s>}, {#space "_store_dwordx3", store<b96s>}, \
      {#space "_store_dwordx4", store<b128s>},
#include "simulator/spaces.def"
#undef SPACE
    {"global_load_block", load_block},
    {"global_store_block", store_block},
    {"scratch_load_block", load_block},
    {"scratch_store_block", store_block},
    {"global_load_addtid_b32", load_addtid},
    {"global_store_addtid_b32", store_addtid},

    {"global_load_lds_ubyte", load_lds<u8s>},
    {"global_load_lds_sbyte", load_lds<i8s>},
    {"global_load_lds_ushort", load_lds<u16s>},
    {"global_load_lds_sshort", load_lds<i16s>},
    {"global_load_lds_dword", load_lds<b32s>},
    {"global_load_lds_dwordx3", load_lds<b96s>},
    {"global_load_lds_dwordx4", load_lds<b128s>},
    {"scratch_load_lds_ubyte", load_lds<u8s>},
    {"scratch_load_lds_sbyte", load_lds<i8s>},
    {"scratch_load_lds_ushort", load_lds<u16s>},
    {"scratch_load_lds_sshort", load_lds<i16s>},
    {"scratch_load_lds_dword", load_lds<b32s>},

    {"global_load_async_to_lds_b8", load_async<1>},
    {"global_load_async_to_lds_b32", load_async<4>},
    {"global_load_async_to_lds_b64", load_async<8>},
    {"global_load_async_to_lds_b128", load_async<16>},
    {"cluster_load_async_to_lds_b8", multicast<load_async<1>>},
    {"cluster_load_async_to_lds_b32", multicast<load_async<4>>},
    {"cluster_load_async_to_lds_b64", multicast<load_async<8>>},
    {"cluster_load_async_to_lds_b128", multicast<load_async<16>>},
    {"global_store_async_from_lds_b8", store_async<1>},
    {"global_store_async_from_lds_b32", store_async<4>},
    {"global_store_async_from_lds_b64", store_async<8>},
    {"global_store_async_from_lds_b128", store_async<16>},
    {"cluster_load_b32", multicast<load<b32s>>},
    {"cluster_load_b64", multicast<load<b64s>>},
    {"cluster_load_b128", multicast<load<b128s>>},
    {"global_load_monitor_b32", load<b32s>},
    {"global_load_monitor_b64", load<b64s>},
    {"global_load_monitor_b128", load<b128s>},
    {"flat_load_monitor_b32", load<b32s>},
    {"flat_load_monitor_b64", load<b64s>},
    {"flat_load_monitor_b128", load<b128s>},
    {"global_prefetch_b8", prefetch},
    {"flat_prefetch_b8", prefetch},
};

}  // namespace

std::span<const Semantics> global_semantics() { return rows; }

}  // namespace wavesmith::sim
