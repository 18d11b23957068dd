// LDS instructions. The cycles lost to bank conflicts are counted from the target's phases.
#include "isa_tables/lds.h"
#include "simulator/access.h"
#include "simulator/observer.h"

namespace wavesmith::sim {
namespace {

// True if every lane is active, all addresses are valid and no check fails, so that all bytes can be moved at once.
// False: lane by lane, which reports the failing check. Checks recorded until then are recorded again with the same
// result.
template <u32 bytes>
bool admitted(Wave& w, const LdsAddresses& a, LdsUse use, int reg, Pending& p) {
  Workgroup& g = *w.group;
  if ((g.dma_in_flight && g.options->checks.in_flight) || (g.options->reorders() && use == LdsUse::write) ||
      w.exec() != w.all || g.lds.size() < bytes || (g.observer && g.observer->watches_lds))
    return false;
  if (a.most > g.lds.size() - bytes) return false;
  const u32* at = a.at;
  if (LdsByte* flags = g.lds_written.data(); !g.lds_written.empty()) {
    std::array<LdsByte, bytes> all;
    all.fill(LdsByte::defined);
    if (use == LdsUse::read) {
      for (int l = 0; l < w.width(); ++l)
        if (std::memcmp(flags + at[l], all.data(), bytes) != 0) return false;
    } else {
      const int registers = g.options->checks.undefined ? static_cast<int>(bytes + 3) / 4 : 0;
      for (int i = 0; i < registers; ++i)
        if (w.known_lanes(reg + i) != w.all) return false;
      for (int l = 0; l < w.width(); ++l) std::memcpy(flags + at[l], all.data(), bytes);
    }
  }
  if (!g.races.enabled()) return true;
  g.races.step = w.at;
  const size_t first = p.lds.size();
  p.lds.resize(first + static_cast<size_t>(w.width()));
  if (!g.races.unopposed<bytes>(at, w.width(), w.number, use))
    for (int l = 0; l < w.width(); ++l)
      if (g.races.access(at[l], bytes, w.number, use)) return p.lds.resize(first), false;
  for (int l = 0; l < w.width(); ++l) p.lds[first + static_cast<size_t>(l)] = {at[l], bytes, static_cast<u8>(l), use};
  return true;
}

// One transfer of each lane. `reg` is the data register; false after a fault.
template <AccessShape s>
bool read(Wave& w, const Step& st, u32 offset, int reg, Pending& p) {
  LdsAddresses a;
  lds_addresses(w, st, offset, s.bytes, true, a);
  const u32* at = a.at;
  if (admitted<s.bytes>(w, a, LdsUse::read, reg, p)) return put_lanes<s>(w, reg, w.group->lds.data(), at), true;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u8* from = lds_bytes(w, at[l], s.bytes, l, LdsUse::read, p.lds, held(reg, s));
    if (!from) return false;
    put_register(w, reg, l, from, s);
  }
  return true;
}
template <AccessShape s>
bool write(Wave& w, const Step& st, u32 offset, int reg, Pending& p) {
  LdsAddresses a;
  lds_addresses(w, st, offset, s.bytes, false, a);
  const u32* at = a.at;
  if (admitted<s.bytes>(w, a, LdsUse::write, reg, p)) return get_lanes<s>(w, reg, w.group->lds.data(), at), true;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u8* to = lds_bytes(w, at[l], s.bytes, l, LdsUse::write, p.lds, held(reg, s));
    if (!to) return false;
    get_register(w, reg, l, to, s);
  }
  return true;
}

template <AccessShape s>
void ds_read(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, dwords(s));
  // The result may overwrite the address register, so all addresses are read first.
  if (!read<s>(w, st, static_cast<u32>(st.inst.mods.offset), st.dst, p)) return;
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}
template <AccessShape s>
void ds_write(Wave& w, const Step& st) {
  Pending p = pending(st, 0, 0);
  if (write<s>(w, st, static_cast<u32>(st.inst.mods.offset), st.src[1].reg, p)) issue(w, std::move(p));
}
// Two elements, offsets in elements times `unit`.
template <AccessShape s, int unit>
void ds_read2(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, 2 * dwords(s));
  alignas(64) u32 address[W], first[4 * W];
  std::memcpy(address, w.vreg(st.src[0].reg), sizeof address);
  const bool clobbers = st.src[0].reg >= st.dst && st.src[0].reg < st.dst + dwords(s);
  if (!read<s>(w, st, st.inst.mods.offset0 * s.bytes * unit, st.dst, p)) return;
  if (clobbers) {  // the second half still needs the address
    std::memcpy(first, w.vreg(st.dst), sizeof(u32) * W * dwords(s));
    std::memcpy(w.vreg(st.src[0].reg), address, sizeof address);
  }
  if (!read<s>(w, st, st.inst.mods.offset1 * s.bytes * unit, st.dst + dwords(s), p)) return;
  if (clobbers) std::memcpy(w.vreg(st.dst), first, sizeof(u32) * W * dwords(s));
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}
template <AccessShape s, int unit>
void ds_write2(Wave& w, const Step& st) {
  Pending p = pending(st, 0, 0);
  if (!write<s>(w, st, st.inst.mods.offset0 * s.bytes * unit, st.src[1].reg, p)) return;
  if (write<s>(w, st, st.inst.mods.offset1 * s.bytes * unit, st.src[2].reg, p)) issue(w, std::move(p));
}

// Swaps two elements with memory; offsets are in elements times `unit`.
template <AccessShape s, int unit>
void exchange2(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, 2 * dwords(s));
  const u32 offsets[] = {st.inst.mods.offset0 * u32{s.bytes} * unit, st.inst.mods.offset1 * u32{s.bytes} * unit};
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u32 base = w.vreg(st.src[0].reg)[l];
    u8 old[2][8], now[2][8];
    for (int i = 0; i < 2; ++i) get_register(w, st.src[1 + i].reg, l, now[i], s);
    for (int i = 0; i < 2; ++i) {
      u8* at = aligned(w, base + offsets[i], s.bytes, s.bytes, l)
                   ? lds_bytes(w, base + offsets[i], s.bytes, l, LdsUse::atomic, p.lds)
                   : nullptr;
      if (!at) return;
      std::memcpy(old[i], at, s.bytes);
      std::memcpy(at, now[i], s.bytes);
    }
    for (int i = 0; i < 2; ++i) put_register(w, st.dst + i * dwords(s), l, old[i], s);
  }
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}

// Each half is written where the top bit of the data is set, without that bit (CDNA3 ISA, DS_CONDXCHG32_RTN_B64).
void conditional_exchange(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, 2);
  LdsAddresses a;
  lds_addresses(w, st, static_cast<u32>(st.inst.mods.offset), 8, false, a);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u32 data[] = {w.vreg(st.src[1].reg)[l], w.vreg(st.src[1].reg + 1)[l]};
    u8* cell = lds_bytes(w, a.at[l] & 0xfff8, 8, l, LdsUse::atomic, p.lds);
    if (!cell) return;
    for (int i = 0; i < 2; ++i) {
      u32 old;
      std::memcpy(&old, cell + 4 * i, 4);
      const u32 now = data[i] >> 31 ? data[i] & 0x7fffffff : old;
      std::memcpy(cell + 4 * i, &now, 4);
      w.vreg(st.dst + i)[l] = old;
    }
  }
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}

// Adds or subtracts the number of active lanes to or from one LDS dword; each lane gets the old value.
template <int sign>
void append(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, 1);
  const u64 exec = w.exec();
  w.written_lanes = exec;
  if (exec == 0) return issue(w, std::move(p));
  const u32 base = w.group->target->append_adds_m0() ? w.s[sreg::m0] & 0xffff : 0;
  const u32 at = base + static_cast<u32>(st.inst.mods.offset);
  const int first = std::countr_zero(exec);
  u8* cell = aligned(w, at, 4, first) ? lds_bytes(w, at, 4, first, LdsUse::atomic, p.lds) : nullptr;
  if (!cell) return;
  u32 old;
  std::memcpy(&old, cell, 4);
  const u32 now = old + static_cast<u32>(sign * std::popcount(exec));
  std::memcpy(cell, &now, 4);
  for (u64 m = exec; m; m &= m - 1) w.vreg(st.dst)[std::countr_zero(m)] = old;
  issue(w, std::move(p));
}

// M0[15:0] + offset + 4 * lane.
void read_addtid(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, 1);
  const u32 base = (w.s[sreg::m0] & 0xffff) + static_cast<u32>(st.inst.mods.offset);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u32 at = base + 4 * static_cast<u32>(l);
    const u8* from = aligned(w, at, 4, l) ? lds_bytes(w, at, 4, l, LdsUse::read, p.lds, {st.dst}) : nullptr;
    if (!from) return;
    put_register(w, st.dst, l, from, b32s);
  }
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}
void write_addtid(Wave& w, const Step& st) {
  Pending p = pending(st, 0, 0);
  const u32 base = (w.s[sreg::m0] & 0xffff) + static_cast<u32>(st.inst.mods.offset);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u32 at = base + 4 * static_cast<u32>(l);
    u8* to = aligned(w, at, 4, l) ? lds_bytes(w, at, 4, l, LdsUse::write, p.lds, {st.src[0].reg}) : nullptr;
    if (!to) return;
    get_register(w, st.src[0].reg, l, to, b32s);
  }
  issue(w, std::move(p));
}

void barrier_arrive(Wave& w, const Step& st) {
  const bool back = st.row->operands[0].access != isa::Access::read;
  Pending p = pending(st, back ? st.dst : 0, back ? 2 : 0);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u32 at = w.vreg(st.src[0].reg)[l] + static_cast<u32>(st.inst.mods.offset);
    const u32 count = back ? w.vreg(st.src[1].reg)[l] : 1;
    u8* cell = aligned(w, at, 8, 8, l) ? lds_bytes(w, at, 8, l, LdsUse::atomic, p.lds) : nullptr;
    if (!cell) return;
    if (!back) land_lds(w);  // it follows the wave's asynchronous loads (CDNA5 ISA 11.2.2)
    const u64 old = arrive_in_lds(cell, count);
    if (back) w.vreg(st.dst)[l] = static_cast<u32>(old), w.vreg(st.dst + 1)[l] = static_cast<u32>(old >> 32);
  }
  w.written_lanes = back ? w.exec() : 0;
  issue(w, std::move(p));
}

// Global wave sync orders waves of all workgroups of a launch. The resource is the offset plus M0[21:16], the value
// that of the first active lane (CDNA3 ISA, DS_GWS_BARRIER). Absent: the wave has failed.
int wave_sync(Wave& w, const Step& st) {
  if (w.group->cluster->wave_syncs.empty())
    w.fail(Fault::Kind::illegal,
           "global wave sync (GWS) outside of a cooperative launch, whose workgroups all run at once");
  else if (!w.exec()) w.fail(Fault::Kind::illegal, "global wave sync (GWS) without an active lane has no value");
  if (w.problem) return absent;
  return static_cast<int>((w.s[sreg::m0] >> 16) + static_cast<u32>(st.inst.mods.offset)) % Workgroup::wave_sync_count +
         Workgroup::wave_sync;
}
int waves_of(const Wave& w, const Step& st) {  // the value is one less
  return static_cast<int>(w.v[st.src[0].reg * Wave::lanes + std::countr_zero(w.exec())] + 1);
}
void gws_init(Wave& w, const Step& st) {
  const int sync = wave_sync(w, st);
  if (sync == absent) return;
  barrier_of(*w.group, sync).members = waves_of(w, st), barrier_of(*w.group, sync).signaled = 0;
  issue(w, pending(st, 0, 0));
}
// A wave counts; the last of them completes the barrier, whose next phase has as many waves as its own value says.
void gws_barrier(Wave& w, const Step& st) {
  const int sync = wave_sync(w, st);
  if (sync == absent) return;
  Barrier& b = barrier_of(*w.group, sync);
  if (b.members <= 0)
    return w.fail(Fault::Kind::illegal,
                  "ds_gws_barrier on a resource that was not initialised: legal: after ds_gws_init, "
                  "or resource 0, which a cooperative launch initialises");
  if (b.signaled++ == 0) b.first_wave = w.number, b.first_pc = st.pc;
  w.seen_phase[static_cast<size_t>(sync)] = b.phase;
  wait(w, sync);
  if (b.signaled >= b.members) b.members = waves_of(w, st), b.signaled = 0, ++b.phase;
  issue(w, pending(st, 0, 0));
}
void refuse_gws(Wave& w, const Step&) {
  w.fail(Fault::Kind::unknown_instruction, "semaphores of global wave sync (GWS) are not modelled");
}

void nothing(Wave&, const Step&) {}

constexpr Semantics rows[] = {
    {"ds_nop", nothing},
    {"ds_gws_init", gws_init},
    {"ds_gws_barrier", gws_barrier},
    {"ds_gws_sema_v", refuse_gws},
    {"ds_gws_sema_br", refuse_gws},
    {"ds_gws_sema_p", refuse_gws},
    {"ds_gws_sema_release_all", refuse_gws},
    {"ds_read_u8", ds_read<u8s>},
    {"ds_read_i8", ds_read<i8s>},
    {"ds_read_u16", ds_read<u16s>},
    {"ds_read_i16", ds_read<i16s>},
    {"ds_read_u8_d16", ds_read<u8_d16>},
    {"ds_read_u8_d16_hi", ds_read<u8_d16hi>},
    {"ds_read_i8_d16", ds_read<i8_d16>},
    {"ds_read_i8_d16_hi", ds_read<i8_d16hi>},
    {"ds_read_u16_d16", ds_read<d16>},
    {"ds_read_u16_d16_hi", ds_read<d16hi>},
    {"ds_read_b32", ds_read<b32s>},
    {"ds_read_b64", ds_read<b64s>},
    {"ds_read_b96", ds_read<b96s>},
    {"ds_read_b128", ds_read<b128s>},
    {"ds_read2_b32", ds_read2<b32s, 1>},
    {"ds_read2_b64", ds_read2<b64s, 1>},
    {"ds_read2st64_b32", ds_read2<b32s, 64>},
    {"ds_read2st64_b64", ds_read2<b64s, 64>},
    {"ds_write_b8", ds_write<u8s>},
    {"ds_write_b8_d16_hi", ds_write<u8_d16hi>},
    {"ds_write_b16", ds_write<u16s>},
    {"ds_write_b16_d16_hi", ds_write<d16hi>},
    {"ds_write_b32", ds_write<b32s>},
    {"ds_write_b64", ds_write<b64s>},
    {"ds_write_b96", ds_write<b96s>},
    {"ds_write_b128", ds_write<b128s>},
    {"ds_write2_b32", ds_write2<b32s, 1>},
    {"ds_write2_b64", ds_write2<b64s, 1>},
    {"ds_write2st64_b32", ds_write2<b32s, 64>},
    {"ds_write2st64_b64", ds_write2<b64s, 64>},
    {"ds_wrxchg2_rtn_b32", exchange2<b32s, 1>},
    {"ds_wrxchg2_rtn_b64", exchange2<b64s, 1>},
    {"ds_wrxchg2st64_rtn_b32", exchange2<b32s, 64>},
    {"ds_wrxchg2st64_rtn_b64", exchange2<b64s, 64>},
    {"ds_condxchg32_rtn_b64", conditional_exchange},
    {"ds_append", append<1>},
    {"ds_consume", append<-1>},
    {"ds_read_addtid_b32", read_addtid},
    {"ds_write_addtid_b32", write_addtid},
    {"ds_atomic_async_barrier_arrive_b64", barrier_arrive},
    {"ds_atomic_barrier_arrive_rtn_b64", barrier_arrive},
};

}  // namespace

std::span<const Semantics> lds_semantics() { return rows; }

// An arrival at a barrier in LDS: {init count, phase and pending count}; when the count passes zero it restarts and the
// phase, in the bits above it, advances. The hardware's WIDTH of the count is configurable; 29 as Triton assumes, of
// 21, 28, 29, 31 and 32 (inferred).
static constexpr int pending_bits = 29;
u64 arrive_in_lds(u8* cell, u32 count) {
  u64 old;
  std::memcpy(&old, cell, 8);
  constexpr u32 mask = (1u << pending_bits) - 1;
  const u32 now = static_cast<u32>(old) - count;
  const bool met = now >> (pending_bits - 1) & 1;
  const u32 state = met ? (now & ~mask) | (static_cast<u32>(old >> 32) & 0xffff) : now;
  std::memcpy(cell, &state, 4);
  return old;
}

// Conflict cycles and alignment depend only on the lanes' distances from the first lane's dword. An address register
// mostly has the same distances again, so the results are cached.
struct KnownDistances {
  const isa::LdsPhases* phases = nullptr;
  u64 exec = 0;
  int bytes = 0, lanes = 0, cycles = 0;
  i32 least = 0, most = 0;
  alignas(64) u32 distance[W] = {};
};
// Stores every lane's address; returns whether the distances are those of the cache.
template <int lanes>
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] static bool addresses(const u32* v, u32 offset,
                                                                                            const u32* known, u32* at) {
  const u32 first = (v[0] + offset) & ~3u;
  u32 differ = 0;
  for (int l = 0; l < lanes; ++l) {
    const u32 x = v[l] + offset;
    at[l] = x, differ |= (x - first) ^ known[l];
  }
  return differ == 0;
}
static void learn(KnownDistances& k, isa::Family family, isa::LdsAccess access, const u32* at, u32 first) {
  k.least = k.most = 0;
  for (int l = 0; l < k.lanes; ++l) {
    const u32 d = k.distance[l] = at[l] - first;
    k.least = std::min(k.least, static_cast<i32>(d)), k.most = std::max(k.most, static_cast<i32>(d));
  }
  k.cycles = isa::lds_conflict_cycles(family, access, {at, static_cast<size_t>(k.lanes)}, k.exec, k.bytes);
}
void lds_addresses(Wave& w, const Step& st, u32 offset, int bytes, bool read, LdsAddresses& a) {
  static thread_local std::array<KnownDistances, 1021> known;
  const u32* v = w.vreg(st.src[0].reg);
  const int lanes = w.width();
  const isa::Family family = w.group->target->family;
  const isa::LdsAccess access = read ? isa::LdsAccess::read : isa::LdsAccess::write;
  const isa::LdsPhases& phases = isa::lds_phases(family, access, bytes);
  KnownDistances& k =
      known[(st.src[0].reg * 160u + static_cast<u32>(w.number) * 10 + static_cast<u32>(bytes) / 4 * 2 + read) %
            known.size()];
  const bool same =
      lanes == W ? addresses<W>(v, offset, k.distance, a.at) : addresses<W / 2>(v, offset, k.distance, a.at);
  const u32 first = (v[0] + offset) & ~3u;
  if (!same || k.phases != &phases || k.exec != w.exec() || k.bytes != bytes || k.lanes != lanes) {
    k.phases = &phases, k.exec = w.exec(), k.bytes = bytes, k.lanes = lanes;
    learn(k, family, access, a.at, first);
  }
  const i64 least = i64{first} + k.least, most = i64{first} + k.most;
  a.most = least < 0 || most > ~u32{0} ? ~u32{0} : static_cast<u32>(most);  // a wrapped address is far out of range
  ++w.group->counts->lds_accesses;
  w.group->counts->lds_conflict_cycles += static_cast<u64>(k.cycles);
  if (w.group->observer) w.group->observer->lds(w, st, first, bytes, read, k.cycles);
}

}  // namespace wavesmith::sim
