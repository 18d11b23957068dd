// LDS instructions; the cycles that their bank conflicts cost are counted from the target's phases.
#include "isa_tables/lds.h"
#include "simulator/access.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode;

Pending pending(const Step& st, int first, int count) {
  Pending p;
  p.cls = Pending::Class::lds;
  p.first = static_cast<u16>(first), p.count = static_cast<u16>(count);
  p.pc = st.pc;
  return p;
}

void addresses(Wave& w, const Step& st, u32 offset, int bytes, bool read, u32* out) {
  const u32* v = w.vreg(st.src[0].reg);
  for (int l = 0; l < W; ++l) out[l] = v[l] + offset;
  ++w.group->counts->lds_accesses;
  const isa::LdsPhases& phases = isa::lds_phases(w.group->target->family, read ? isa::LdsAccess::read : isa::LdsAccess::write, bytes);
  w.group->counts->lds_conflict_cycles += static_cast<u64>(isa::lds_conflict_cycles(phases, {out, static_cast<size_t>(w.group->target->wave_size)}, w.exec(), bytes));
}

// One transfer of each lane. `reg` is the data register; false after a fault.
bool read(Wave& w, const Step& st, u32 offset, int reg, Shape s, Pending& p) {
  alignas(64) u32 at[W];
  addresses(w, st, offset, s.bytes, true, at);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u8* from = aligned(w, at[l], s.bytes, l) ? lds_bytes(w, at[l], s.bytes, l, LdsUse::read, p.lds) : nullptr;
    if (!from) return false;
    put_register(w, reg, l, from, s);
  }
  return true;
}
bool write(Wave& w, const Step& st, u32 offset, int reg, Shape s, Pending& p) {
  alignas(64) u32 at[W];
  addresses(w, st, offset, s.bytes, false, at);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u8* to = aligned(w, at[l], s.bytes, l) ? lds_bytes(w, at[l], s.bytes, l, LdsUse::write, p.lds) : nullptr;
    if (!to) return false;
    get_register(w, reg, l, to, s);
  }
  return true;
}

template <Shape s> void ds_read(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, dwords(s));
  // The result may overwrite the address register: read it all before.
  if (!read(w, st, static_cast<u32>(st.inst.mods.offset), st.dst, s, p)) return;
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}
template <Shape s> void ds_write(Wave& w, const Step& st) {
  Pending p = pending(st, 0, 0);
  if (write(w, st, static_cast<u32>(st.inst.mods.offset), st.src[1].reg, s, p)) issue(w, std::move(p));
}
// Two elements, offsets in elements times `unit`.
template <Shape s, int unit> void ds_read2(Wave& w, const Step& st) {
  Pending p = pending(st, st.dst, 2 * dwords(s));
  alignas(64) u32 address[W], first[4 * W];
  std::memcpy(address, w.vreg(st.src[0].reg), sizeof address);
  const bool clobbers = st.src[0].reg >= st.dst && st.src[0].reg < st.dst + dwords(s);
  if (!read(w, st, st.inst.mods.offset0 * s.bytes * unit, st.dst, s, p)) return;
  if (clobbers) {                                          // the second half still needs the address
    std::memcpy(first, w.vreg(st.dst), sizeof(u32) * W * dwords(s));
    std::memcpy(w.vreg(st.src[0].reg), address, sizeof address);
  }
  if (!read(w, st, st.inst.mods.offset1 * s.bytes * unit, st.dst + dwords(s), s, p)) return;
  if (clobbers) std::memcpy(w.vreg(st.dst), first, sizeof(u32) * W * dwords(s));
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}
template <Shape s, int unit> void ds_write2(Wave& w, const Step& st) {
  Pending p = pending(st, 0, 0);
  if (!write(w, st, st.inst.mods.offset0 * s.bytes * unit, st.src[1].reg, s, p)) return;
  if (write(w, st, st.inst.mods.offset1 * s.bytes * unit, st.src[2].reg, s, p)) issue(w, std::move(p));
}

template <auto f> void ds_atomic(Wave& w, const Step& st) {
  const bool returns = st.row->operands[0].access == isa::Access::write;
  Pending p = pending(st, returns ? st.dst : 0, returns);
  alignas(64) u32 at[W], data[W];
  addresses(w, st, static_cast<u32>(st.inst.mods.offset), 4, false, at);
  std::memcpy(data, w.vreg(st.src[1].reg), sizeof data);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u8* to = aligned(w, at[l], 4, l) ? lds_bytes(w, at[l], 4, l, LdsUse::atomic, p.lds) : nullptr;
    if (!to) return;
    u32 old;
    std::memcpy(&old, to, 4);
    const u32 now = f(old, data[l]);
    std::memcpy(to, &now, 4);
    if (returns) w.vreg(st.dst)[l] = old;
  }
  w.written_lanes = returns ? w.exec() : 0;
  issue(w, std::move(p));
}

// -- Cross-lane: no LDS memory, but its pipe and its counter. A disabled lane gives 0. ---------------------------------
template <auto from> void exchange(Wave& w, const Step& st) {
  alignas(64) u32 out[W] = {};
  const u64 exec = w.exec();
  if (!from(w, st, exec, out)) return w.fail(Fault::Kind::unknown_instruction, "this swizzle mode has no semantics");
  u32* d = w.vreg(st.dst);
  for (u64 m = exec; m; m &= m - 1) d[std::countr_zero(m)] = out[std::countr_zero(m)];
  w.written_lanes = exec;
  issue(w, pending(st, st.dst, 1));
}
bool permute(Wave& w, const Step& st, u64 exec, u32* out) {
  const u32 *a = w.vreg(st.src[0].reg), *d = w.vreg(st.src[1].reg);
  for (int l = 0; l < W; ++l)
    if (exec >> l & 1) out[(a[l] + static_cast<u32>(st.inst.mods.offset)) / 4 % static_cast<u32>(w.width())] = d[l];
  return true;
}
bool bpermute(Wave& w, const Step& st, u64 exec, u32* out) {
  const u32 *a = w.vreg(st.src[0].reg), *d = w.vreg(st.src[1].reg);
  for (int l = 0; l < W; ++l) {
    const u32 k = (a[l] + static_cast<u32>(st.inst.mods.offset)) / 4 % static_cast<u32>(w.width());
    if (exec >> k & 1) out[l] = d[k];
  }
  return true;
}
bool swizzle(Wave& w, const Step& st, u64 exec, u32* out) {
  const u32 o = static_cast<u32>(st.inst.mods.offset) & 0xffff, *d = w.vreg(st.src[0].reg);
  if (o >= 0xc000) return false;                           // rotate and FFT
  for (u32 l = 0; l < W; ++l) {
    const u32 k = o & 0x8000 ? (l & ~3u) + (o >> 2 * (l & 3) & 3) : (l & 32) + ((((l & 31) & (o & 31)) | (o >> 5 & 31)) ^ (o >> 10 & 31));
    if (exec >> k & 1) out[l] = d[k];
  }
  return true;
}

u32 add_f32(u32 a, u32 b) { return std::bit_cast<u32>(std::bit_cast<f32>(a) + std::bit_cast<f32>(b)); }
constexpr Shape u8s{1, Extend::zero}, i8s{1, Extend::sign}, u16s{2, Extend::zero}, i16s{2, Extend::sign}, d16{2, Extend::low}, d16hi{2, Extend::high}, b8hi{1, Extend::high};
constexpr Shape b32s{4}, b64s{8}, b96s{12}, b128s{16};

constexpr Semantics rows[] = {
    {Opcode::ds_read_u8, ds_read<u8s>},
    {Opcode::ds_read_i8, ds_read<i8s>},
    {Opcode::ds_read_u16, ds_read<u16s>},
    {Opcode::ds_read_i16, ds_read<i16s>},
    {Opcode::ds_read_u16_d16, ds_read<d16>},
    {Opcode::ds_read_u16_d16_hi, ds_read<d16hi>},
    {Opcode::ds_read_b32, ds_read<b32s>},
    {Opcode::ds_read_b64, ds_read<b64s>},
    {Opcode::ds_read_b96, ds_read<b96s>},
    {Opcode::ds_read_b128, ds_read<b128s>},
    {Opcode::ds_read2_b32, ds_read2<b32s, 1>},
    {Opcode::ds_read2_b64, ds_read2<b64s, 1>},
    {Opcode::ds_read2st64_b32, ds_read2<b32s, 64>},
    {Opcode::ds_read2st64_b64, ds_read2<b64s, 64>},
    {Opcode::ds_write_b8, ds_write<u8s>},
    {Opcode::ds_write_b8_d16_hi, ds_write<b8hi>},
    {Opcode::ds_write_b16, ds_write<u16s>},
    {Opcode::ds_write_b16_d16_hi, ds_write<d16hi>},
    {Opcode::ds_write_b32, ds_write<b32s>},
    {Opcode::ds_write_b64, ds_write<b64s>},
    {Opcode::ds_write_b96, ds_write<b96s>},
    {Opcode::ds_write_b128, ds_write<b128s>},
    {Opcode::ds_write2_b32, ds_write2<b32s, 1>},
    {Opcode::ds_write2_b64, ds_write2<b64s, 1>},
    {Opcode::ds_write2st64_b32, ds_write2<b32s, 64>},
    {Opcode::ds_write2st64_b64, ds_write2<b64s, 64>},
    {Opcode::ds_add_u32, ds_atomic<([](u32 a, u32 b) { return a + b; })>},
    {Opcode::ds_add_rtn_u32, ds_atomic<([](u32 a, u32 b) { return a + b; })>},
    {Opcode::ds_add_f32, ds_atomic<add_f32>},
    {Opcode::ds_max_u32, ds_atomic<([](u32 a, u32 b) { return std::max(a, b); })>},
    {Opcode::ds_min_u32, ds_atomic<([](u32 a, u32 b) { return std::min(a, b); })>},
    {Opcode::ds_or_b32, ds_atomic<([](u32 a, u32 b) { return a | b; })>},
    {Opcode::ds_swizzle_b32, exchange<swizzle>},
    {Opcode::ds_permute_b32, exchange<permute>},
    {Opcode::ds_bpermute_b32, exchange<bpermute>},
};

}  // namespace

std::span<const Semantics> lds_semantics() { return rows; }

void fail_unmapped(Wave& w, u64 address, u32 bytes, int lane) {
  w.fail(Fault::Kind::out_of_bounds, std::to_string(bytes) + "-byte access outside of every allocation: " + w.group->memory->describe(address), lane, address);
}
void fail_misaligned(Wave& w, u64 address, u32 bytes, int lane) {
  w.fail(Fault::Kind::misaligned, "address of a " + std::to_string(bytes) + "-byte access is not a multiple of " + std::to_string(bytes >= 4 ? 4 : bytes), lane, address);
}
[[gnu::cold]] static void fail_lds(Wave& w, u32 address, u32 bytes, int lane) {
  w.fail(Fault::Kind::out_of_bounds, "LDS access of " + std::to_string(bytes) + " bytes beyond the " + std::to_string(w.group->lds.size()) + " allocated", lane, address);
}
[[gnu::cold]] static void fail_race(Wave& w, const Races::Conflict& c, LdsUse use, int lane) {
  w.fail(Fault::Kind::race, std::string(use == LdsUse::read ? "reads" : "writes") + " LDS that wave " + std::to_string(c.wave) + (c.wrote ? " writes" : " reads") +
                                " with no barrier between, or with no wait for it before the barrier", lane, c.address);
}

u8* lds_bytes(Wave& w, u32 address, u32 bytes, int lane, LdsUse use, std::vector<LdsSpan>& spans) {
  Workgroup& g = *w.group;
  if (address > g.lds.size() || bytes > g.lds.size() - address) return fail_lds(w, address, bytes, lane), nullptr;
  if (g.dma_in_flight && w.group->options->checks.in_flight)
    for (u32 d = address / 4; d <= (address + bytes - 1) / 4; ++d)
      if (g.dma_dwords[d]) return w.fail(Fault::Kind::in_flight, "LDS bytes that a load from memory is still to write", lane, address), nullptr;
  if (g.races.enabled()) {
    if (const auto c = g.races.access(address, bytes, w.number, use)) return fail_race(w, *c, use, lane), nullptr;
    if (spans.empty()) spans.reserve(W);
    spans.push_back({address, static_cast<uint16_t>(bytes), static_cast<uint8_t>(lane), use});
  }
  return g.lds.data() + address;
}

}  // namespace wavesmith::sim
