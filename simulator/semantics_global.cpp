// Scalar, buffer, global and flat memory. Values move at issue; that they may not be used before the wait is async.h's business.
#include <atomic>

#include "simulator/access.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode;

u32 scalar_value(Wave& w, const Source& s) { return s.from == Source::From::constant ? s.bits[0] : s.from == Source::From::none ? 0 : scalar(w, s.reg); }
Pending pending(const Step& st, Pending::Class cls, int first, int count) {
  Pending p;
  p.cls = cls;
  p.first = static_cast<u16>(first), p.count = static_cast<u16>(count);
  p.pc = st.pc;
  return p;
}

template <int dwords> void scalar_load(Wave& w, const Step& st) {
  const u64 base = w.pair(st.src[0].reg);
  const u64 address = base + scalar_value(w, st.src[1]) + static_cast<u64>(static_cast<i64>(st.inst.mods.offset));
  if (!aligned(w, address, 4 * dwords, -1)) return;
  const u8* from = translate(w, address, 4 * dwords, -1);
  if (!from) return;
  std::memcpy(&w.s[st.dst], from, 4 * dwords);
  Pending p = pending(st, Pending::Class::scalar, scalar_base + st.dst, dwords);
  p.weight = dwords > 1 ? 2 : 1;
  issue(w, std::move(p));
}

// -- Global and flat ---------------------------------------------------------------------------------------------------
struct Addresses { u64 at[W]; };

// vaddr is 64 bits without an SGPR base and a 32-bit offset with one.
void global_addresses(Wave& w, const Step& st, int vaddr, int saddr, Addresses& a) {
  const u32* lo = w.vreg(st.src[vaddr].reg);
  const u64 offset = static_cast<u64>(static_cast<i64>(st.inst.mods.offset));
  if (saddr >= 0 && st.src[saddr].from == Source::From::scalar) {
    const u64 base = w.pair(st.src[saddr].reg) + offset;
    const bool off = st.src[vaddr].from != Source::From::vector;
    for (int l = 0; l < W; ++l) a.at[l] = base + (off ? 0 : lo[l]);
    return;
  }
  const u32* hi = w.vreg(st.src[vaddr].reg + 1);
  for (int l = 0; l < W; ++l) a.at[l] = (lo[l] | u64{hi[l]} << 32) + offset;
}

bool is_flat(const Step& st) { return st.row->format == isa::Format::flat; }
Pending::Class memory_class(const Step& st) { return is_flat(st) ? Pending::Class::flat : Pending::Class::vector; }

// Bytes behind a global or flat address; flat ones may lie in the LDS aperture.
u8* bytes_at(Wave& w, const Step& st, u64 address, u32 bytes, int lane, LdsUse use, std::vector<LdsSpan>& spans) {
  if (is_flat(st) && address >> 32 == shared_aperture)
    return aligned(w, address, bytes, lane) ? lds_bytes(w, static_cast<u32>(address), bytes, lane, use, spans) : nullptr;
  return translate(w, address, bytes, lane);
}

template <Shape s> void load(Wave& w, const Step& st) {
  Addresses a;
  global_addresses(w, st, 0, is_flat(st) ? -1 : 1, a);
  Pending p = pending(st, memory_class(st), st.dst, dwords(s));
  const bool dma = st.inst.mods.has(isa::lds);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u8* from = bytes_at(w, st, a.at[l], s.bytes, l, LdsUse::read, p.lds);
    if (!from) return;
    put_register(w, st.dst, l, from, s);
  }
  if (dma) return w.fail(Fault::Kind::unknown_instruction, "global loads into LDS have no semantics yet");
  w.written_lanes = w.exec();
  issue(w, std::move(p));
}

template <Shape s> void store(Wave& w, const Step& st) {
  Addresses a;
  global_addresses(w, st, 0, is_flat(st) ? -1 : 2, a);
  Pending p = pending(st, memory_class(st), 0, 0);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u8* to = bytes_at(w, st, a.at[l], s.bytes, l, LdsUse::write, p.lds);
    if (!to) return;
    get_register(w, st.src[1].reg, l, to, s);
  }
  issue(w, std::move(p));
}

// One dword, read-modify-write; with a result register (sc0) it returns the old value.
template <auto f> void atomic(Wave& w, const Step& st) {
  Addresses a;
  global_addresses(w, st, 0, 2, a);
  const bool returns = st.row->operands[0].access == isa::Access::write;
  const u32* data = w.vreg(st.src[1].reg);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (!aligned(w, a.at[l], 4, l)) return;
    u8* to = translate(w, a.at[l], 4, l);
    if (!to) return;
    std::atomic_ref<u32> cell(*reinterpret_cast<u32*>(to));
    u32 old = cell.load();
    while (!cell.compare_exchange_weak(old, f(old, data[l]))) {}
    if (returns) w.vreg(st.dst)[l] = old;
  }
  w.written_lanes = returns ? w.exec() : 0;
  issue(w, pending(st, Pending::Class::vector, returns ? st.dst : 0, returns));
}
u32 add_f32(u32 a, u32 b) { return std::bit_cast<u32>(std::bit_cast<f32>(a) + std::bit_cast<f32>(b)); }

// -- Buffers -----------------------------------------------------------------------------------------------------------
// A buffer resource, CDNA3 ISA 9.1.5.
struct Resource {
  u64 base;
  u32 stride, records;
  bool swizzle, add_tid;
};
Resource resource(const Wave& w, int s) {
  const u32 *r = &w.s[s];
  return {(r[0] | u64{r[1]} << 32) & 0xffffffffffff, r[1] >> 16 & 0x3fff, r[2], (r[1] >> 31 & 1) != 0, (r[3] >> 23 & 1) != 0};
}

// Addresses of a buffer access and the lanes in range, a dword each: raw buffers check every dword by its offset, structured ones
// (a stride and an index) check the index. CDNA3 ISA 9.1.5 "Range checking".
struct BufferAddresses { u64 at[W]; u64 in_range[4]; };

bool buffer_addresses(Wave& w, const Step& st, int vaddr, int bytes, BufferAddresses& a) {
  const isa::Mods& m = st.inst.mods;
  const Resource r = resource(w, st.src[vaddr + 1].reg);
  if (r.swizzle || r.add_tid) return w.fail(Fault::Kind::unknown_instruction, "swizzled buffers and ADD_TID are not modelled"), false;
  const bool idxen = m.has(isa::idxen), offen = m.has(isa::offen);
  const u32 soffset = scalar_value(w, st.src[vaddr + 2]);
  const u32* v = st.src[vaddr].from == Source::From::vector ? w.vreg(st.src[vaddr].reg) : nullptr;
  const u32 *index = idxen ? v : nullptr, *offset = offen ? (idxen ? v + W : v) : nullptr;
  const u64 limit = r.records > soffset ? r.records - soffset : 0;
  for (u64& x : a.in_range) x = 0;
  for (int l = 0; l < W; ++l) {
    const u64 i = index ? index[l] : 0, o = (offset ? u64{offset[l]} : 0) + static_cast<u32>(m.offset);
    a.at[l] = r.base + soffset + i * r.stride + o;
    for (int d = 0; d < std::max(1, bytes / 4); ++d) {
      const bool in = r.stride != 0 && idxen ? i < r.records : o + i * r.stride + 4 * d < limit;
      a.in_range[d] |= u64{in} << l;
    }
  }
  return true;
}

void buffer_to_lds(Wave& w, const Step& st, const BufferAddresses& a, Shape s) {
  Pending p = pending(st, Pending::Class::vector, 0, 0);
  p.dma = true;
  const u32 base = (w.s[sreg::m0] & 0xffff) + static_cast<u32>(st.inst.mods.offset);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u32 value = 0;
    if (a.in_range[0] >> l & 1) {
      const u8* from = translate(w, a.at[l], s.bytes, l);
      if (!from) return;
      std::memcpy(&value, from, s.bytes);
    }
    u8* to = lds_bytes(w, base + 4 * l, 4, l, LdsUse::write, p.lds);
    if (!to) return;
    std::memcpy(to, &value, 4);
    if (!w.group->races.enabled()) p.lds.push_back({base + 4 * l, 4, static_cast<u8>(l), LdsUse::write});
    ++w.group->dma_dwords[(base + 4 * l) / 4];
  }
  ++w.group->dma_in_flight;
  w.written_lanes = 0;
  issue(w, std::move(p));
}

template <Shape s> void buffer_load(Wave& w, const Step& st) {
  BufferAddresses a;
  if (!buffer_addresses(w, st, 0, s.bytes, a)) return;
  if (st.inst.mods.has(isa::lds)) return buffer_to_lds(w, st, a, s);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    alignas(4) u8 bytes[16] = {};
    for (int d = 0; d < dwords(s); ++d) {
      if (!(a.in_range[d] >> l & 1)) continue;
      const u32 n = s.bytes < 4 ? s.bytes : 4;
      const u8* from = translate(w, a.at[l] + 4 * d, n, l);
      if (!from) return;
      std::memcpy(bytes + 4 * d, from, n);
    }
    put_register(w, st.dst, l, bytes, s);
  }
  w.written_lanes = w.exec();
  issue(w, pending(st, Pending::Class::vector, st.dst, dwords(s)));
}

template <Shape s> void buffer_store(Wave& w, const Step& st) {
  BufferAddresses a;
  if (!buffer_addresses(w, st, 1, s.bytes, a)) return;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    alignas(4) u8 bytes[16];
    get_register(w, st.src[0].reg, l, bytes, s);
    for (int d = 0; d < dwords(s); ++d) {
      if (!(a.in_range[d] >> l & 1)) continue;
      const u32 n = s.bytes < 4 ? s.bytes : 4;
      u8* to = translate(w, a.at[l] + 4 * d, n, l);
      if (!to) return;
      std::memcpy(to, bytes + 4 * d, n);
    }
  }
  issue(w, pending(st, Pending::Class::vector, 0, 0));
}

constexpr Shape u8s{1, Extend::zero}, i8s{1, Extend::sign}, u16s{2, Extend::zero}, i16s{2, Extend::sign}, d16{2, Extend::low}, d16hi{2, Extend::high};
constexpr Shape b32s{4}, b64s{8}, b96s{12}, b128s{16};

constexpr Semantics rows[] = {
    {Opcode::s_load_dword, scalar_load<1>},
    {Opcode::s_load_dwordx2, scalar_load<2>},
    {Opcode::s_load_dwordx4, scalar_load<4>},
    {Opcode::s_load_dwordx8, scalar_load<8>},
    {Opcode::s_load_dwordx16, scalar_load<16>},

    {Opcode::buffer_load_ubyte, buffer_load<u8s>},
    {Opcode::buffer_load_sbyte, buffer_load<i8s>},
    {Opcode::buffer_load_ushort, buffer_load<u16s>},
    {Opcode::buffer_load_sshort, buffer_load<i16s>},
    {Opcode::buffer_load_short_d16, buffer_load<d16>},
    {Opcode::buffer_load_short_d16_hi, buffer_load<d16hi>},
    {Opcode::buffer_load_dword, buffer_load<b32s>},
    {Opcode::buffer_load_dwordx2, buffer_load<b64s>},
    {Opcode::buffer_load_dwordx3, buffer_load<b96s>},
    {Opcode::buffer_load_dwordx4, buffer_load<b128s>},
    {Opcode::buffer_store_byte, buffer_store<u8s>},
    {Opcode::buffer_store_short, buffer_store<u16s>},
    {Opcode::buffer_store_short_d16_hi, buffer_store<d16hi>},
    {Opcode::buffer_store_dword, buffer_store<b32s>},
    {Opcode::buffer_store_dwordx2, buffer_store<b64s>},
    {Opcode::buffer_store_dwordx3, buffer_store<b96s>},
    {Opcode::buffer_store_dwordx4, buffer_store<b128s>},

    {Opcode::global_load_ubyte, load<u8s>},
    {Opcode::global_load_sbyte, load<i8s>},
    {Opcode::global_load_ushort, load<u16s>},
    {Opcode::global_load_sshort, load<i16s>},
    {Opcode::global_load_short_d16, load<d16>},
    {Opcode::global_load_short_d16_hi, load<d16hi>},
    {Opcode::global_load_dword, load<b32s>},
    {Opcode::global_load_dwordx2, load<b64s>},
    {Opcode::global_load_dwordx3, load<b96s>},
    {Opcode::global_load_dwordx4, load<b128s>},
    {Opcode::global_store_byte, store<u8s>},
    {Opcode::global_store_short, store<u16s>},
    {Opcode::global_store_short_d16_hi, store<d16hi>},
    {Opcode::global_store_dword, store<b32s>},
    {Opcode::global_store_dwordx2, store<b64s>},
    {Opcode::global_store_dwordx3, store<b96s>},
    {Opcode::global_store_dwordx4, store<b128s>},
    {Opcode::flat_load_dword, load<b32s>},
    {Opcode::flat_load_dwordx2, load<b64s>},
    {Opcode::flat_load_dwordx4, load<b128s>},
    {Opcode::flat_store_dword, store<b32s>},
    {Opcode::flat_store_dwordx2, store<b64s>},
    {Opcode::flat_store_dwordx4, store<b128s>},
};

constexpr Semantics atomics[] = {
    {Opcode::global_atomic_add, atomic<([](u32 a, u32 b) { return a + b; })>},
    {Opcode::global_atomic_add_f32, atomic<add_f32>},
};

}  // namespace

std::span<const Semantics> global_semantics() { return rows; }
std::span<const Semantics> global_atomics() { return atomics; }

}  // namespace wavesmith::sim
