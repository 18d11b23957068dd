// Untyped buffer loads and stores, and buffer loads into LDS.
#include "simulator/access.h"

namespace wavesmith::sim {
namespace {

// Dword `d` of a lane, or the whole of a smaller element. False: a fault.
bool read_dword(Wave& w, const BufferAddresses& a, int lane, int d, AccessShape s, int reg, u8* to) {
  return dword_runs(a, lane, d, std::min<u32>(s.bytes, 4), [&](u64 address, u32 at, u32 n) {
    const u8* from = readable(w, address, n, lane, {reg, first_byte(s) + static_cast<int>(at), sign_bits(s)});
    if (from) std::memcpy(to + at, from, n);
    return from != nullptr;
  });
}

// LDS address: M0 + instruction offset + lane * element; an element below a dword takes one, one of three dwords four
// (CDNA3 ISA 9.1.9, CDNA4 ISA 9.1.9). Out of range lanes write 0 (gfx950: ROCm/rocm-systems pull request 10928).
void to_lds(Wave& w, const Step& st, const BufferAddresses& a, AccessShape s) {
  Pending p = pending(st, 0, 0);
  const u32 n = static_cast<u32>(dwords(s)), base = (w.s[sreg::m0] & 0x3ffff) + static_cast<u32>(st.inst.mods.offset);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const u32 l = static_cast<u32>(std::countr_zero(m));
    for (u32 d = 0; d < n; ++d) {
      u32 value = 0;
      if (a.in_range[d] >> l & 1) {
        alignas(4) u8 bytes[4];
        if (!read_dword(w, a, static_cast<int>(l), static_cast<int>(d), s, absent, bytes)) return;
        if (s.bytes >= 4) std::memcpy(&value, bytes, 4);
        else value = extend(bytes, s, 0);
      }
      u8* to = lds_landing(w, base + 4 * (std::bit_ceil(n) * l + d), 4, static_cast<int>(l), p);
      if (!to) return;
      std::memcpy(to, &value, 4);
    }
  }
  load_started(w, p);
  w.written_lanes = 0;
  issue(w, std::move(p));
}

template <AccessShape s>
void load(Wave& w, const Step& st) {
  BufferAddresses a;
  const bool lds = st.inst.mods.has(isa::lds);
  buffer_addresses(w, st, 0, s.bytes, false, a);
  if (lds) return to_lds(w, st, a, s);
  if (const HostBase base = a.plain ? one_allocation(w, a.bounds, s.bytes) : HostBase()) {
    put_lanes<s>(w, st.dst, base, a.at);
    expect_next<false>(w, st, base, a.at, s.bytes);
    w.written_lanes = w.exec();
    return issue(w, pending(st, st.dst, dwords(s)));
  }
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    alignas(4) u8 bytes[16] = {};
    for (int d = 0; d < dwords(s); ++d) {
      if (!(a.in_range[d] >> l & 1)) continue;
      if (!read_dword(w, a, l, d, s, st.dst + d, bytes + 4 * d)) return;
    }
    put_register(w, st.dst, l, bytes, s);
  }
  w.written_lanes = w.exec();
  issue(w, pending(st, st.dst, dwords(s)));
}

template <AccessShape s>
void store(Wave& w, const Step& st) {
  BufferAddresses a;
  buffer_addresses(w, st, 1, s.bytes, false, a);
  if (const HostBase base = a.plain ? one_allocation(w, a.bounds, s.bytes) : HostBase()) {
    get_lanes<s>(w, st.src[0].reg, base, a.at);
    expect_next<true>(w, st, base, a.at, s.bytes);
    return issue(w, pending(st, 0, 0));
  }
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    alignas(4) u8 bytes[16];
    get_register(w, st.src[0].reg, l, bytes, s);
    for (int d = 0; d < dwords(s); ++d) {
      if (!(a.in_range[d] >> l & 1)) continue;
      if (!dword_runs(a, l, d, std::min<u32>(s.bytes, 4), [&](u64 address, u32 at, u32 n) {
            u8* to = writable(w, address, n, l, {st.src[0].reg + d, first_byte(s) + static_cast<int>(at)});
            if (to) std::memcpy(to, bytes + 4 * d + at, n);
            return to != nullptr;
          }))
        return;
    }
  }
  issue(w, pending(st, 0, 0));
}

// Write-backs and invalidations change no value here: all waves see one memory. They are counted like any other.
void cache_operation(Wave& w, const Step& st) { issue(w, pending(st, 0, 0)); }

constexpr Semantics rows[] = {
    {"buffer_load_ubyte", load<u8s>},        {"buffer_load_sbyte", load<i8s>},
    {"buffer_load_ushort", load<u16s>},      {"buffer_load_sshort", load<i16s>},
    {"buffer_load_ubyte_d16", load<u8_d16>}, {"buffer_load_ubyte_d16_hi", load<u8_d16hi>},
    {"buffer_load_sbyte_d16", load<i8_d16>}, {"buffer_load_sbyte_d16_hi", load<i8_d16hi>},
    {"buffer_load_short_d16", load<d16>},    {"buffer_load_short_d16_hi", load<d16hi>},
    {"buffer_load_dword", load<b32s>},       {"buffer_load_dwordx2", load<b64s>},
    {"buffer_load_dwordx3", load<b96s>},     {"buffer_load_dwordx4", load<b128s>},
    {"buffer_store_byte", store<u8s>},       {"buffer_store_byte_d16_hi", store<u8_d16hi>},
    {"buffer_store_short", store<u16s>},     {"buffer_store_short_d16_hi", store<d16hi>},
    {"buffer_store_dword", store<b32s>},     {"buffer_store_dwordx2", store<b64s>},
    {"buffer_store_dwordx3", store<b96s>},   {"buffer_store_dwordx4", store<b128s>},
    {"buffer_inv", cache_operation},         {"buffer_invl2", cache_operation},
    {"buffer_wbl2", cache_operation},        {"buffer_wbinvl1", cache_operation},
    {"buffer_wbinvl1_vol", cache_operation}, {"buffer_gl0_inv", cache_operation},
    {"buffer_gl1_inv", cache_operation},     {"global_inv", cache_operation},
    {"global_wb", cache_operation},          {"global_wbinv", cache_operation},
};

}  // namespace

std::span<const Semantics> buffer_semantics() { return rows; }

}  // namespace wavesmith::sim
