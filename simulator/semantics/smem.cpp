// Scalar memory. Values move at issue; async.h checks that they are not used before the wait.
#include "simulator/access.h"
#include "simulator/observer.h"

namespace wavesmith::sim {
namespace {

// The byte offset: a signed immediate, an unsigned register, or both (CDNA3 ISA 8.2.1, RDNA4 ISA 8.2). The register
// counts `unit` bytes: 64 in the scratch forms, with scale_offset those that are loaded (CDNA5 ISA 8.1.1; LLVM selects
// it for a zero-extended index times them: 64-bit arithmetic).
u64 scalar_offset(const Wave& w, const Step& st, int source, u64 unit = 1) {
  const Source& s = st.src[source];
  const u64 from_operand = s.from == Source::From::constant
                               ? static_cast<u64>(static_cast<i64>(static_cast<i32>(s.bits[0])))
                               : scalar_value(w, s) * unit;
  return from_operand + static_cast<u64>(static_cast<i64>(st.inst.mods.offset));
}

void finish_load(Wave& w, const Step& st, int count) {
  Pending p = pending(st, scalar_base + st.dst, count);
  p.weight = count > 1 ? 2 : 1;
  issue(w, std::move(p));
}

void put_scalar(Wave& w, int reg, u32 x) {
  if (reg != sreg::null) w.s[reg] = x;
}

void tell(const Wave& w, const Step& st, u64 address, int bytes) {
  if (w.group->observer) w.group->observer->memory(w, st, {&address, 1}, 1, bytes);
}

u64 scaled(const Step& st, u64 bytes) { return st.inst.mods.has(isa::scale_offset) ? bytes : 1; }

template <int dwords, u64 unit = 1>
void scalar_load(Wave& w, const Step& st) {
  const u64 address = w.pair(st.src[0].reg) + scalar_offset(w, st, 1, unit * scaled(st, 4 * dwords));
  if (!aligned(w, address, 4 * dwords, absent)) return;
  const u8* from = readable(w, address, 4 * dwords, absent);
  if (!from) return;
  tell(w, st, address, 4 * dwords);
  std::memcpy(&w.s[st.dst], from, 4 * dwords);
  finish_load(w, st, dwords);
}
template <AccessShape s>
void scalar_load_narrow(Wave& w, const Step& st) {
  const u64 address = w.pair(st.src[0].reg) + scalar_offset(w, st, 1, scaled(st, s.bytes));
  if (!aligned(w, address, s.bytes, absent)) return;
  const u8* from = readable(w, address, s.bytes, absent);
  if (!from) return;
  tell(w, st, address, s.bytes);
  put_scalar(w, st.dst, extend(from, s, 0));
  finish_load(w, st, 1);
}

// Bytes of one element of a scalar buffer; zeros if it is out of range. nullptr after a fault.
const u8* element(Wave& w, const ScalarBuffer& b, u64 offset, u32 bytes) {
  static constexpr u8 zeros[4] = {};
  if (offset >= b.bytes || bytes > b.bytes - offset) return zeros;
  if (!aligned(w, b.base + offset, bytes, absent)) return nullptr;
  return readable(w, b.base + offset, bytes, absent);
}
template <int dwords>
void buffer_load(Wave& w, const Step& st) {
  const ScalarBuffer b = scalar_buffer(w, st.src[0].reg, 4);
  const u64 offset = scalar_offset(w, st, 1);
  tell(w, st, b.base + offset, 4 * dwords);
  u32 values[dwords];
  for (int i = 0; i < dwords; ++i) {
    const u8* from = element(w, b, offset + 4 * static_cast<u64>(i), 4);
    if (!from) return;
    std::memcpy(&values[i], from, 4);
  }
  std::memcpy(&w.s[st.dst], values, sizeof values);  // the result may overwrite the resource
  finish_load(w, st, dwords);
}
template <AccessShape s>
void buffer_load_narrow(Wave& w, const Step& st) {
  const ScalarBuffer b = scalar_buffer(w, st.src[0].reg, s.bytes);
  const u64 offset = scalar_offset(w, st, 1);
  const u8* from = element(w, b, offset, s.bytes);
  if (!from) return;
  tell(w, st, b.base + offset, s.bytes);
  put_scalar(w, st.dst, extend(from, s, 0));
  finish_load(w, st, 1);
}

template <int dwords, u64 unit = 1>
void scalar_store(Wave& w, const Step& st) {
  const u64 address = w.pair(st.src[1].reg) + scalar_offset(w, st, 2, unit);
  u8* to = aligned(w, address, 4 * dwords, absent) ? writable(w, address, 4 * dwords, absent) : nullptr;
  if (!to) return;
  tell(w, st, address, 4 * dwords);
  std::memcpy(to, &w.s[st.src[0].reg], 4 * dwords);
  issue(w, pending(st, 0, 0));
}
template <int dwords>
void buffer_store(Wave& w, const Step& st) {
  const ScalarBuffer b = scalar_buffer(w, st.src[1].reg, 4);
  const u64 offset = scalar_offset(w, st, 2);
  tell(w, st, b.base + offset, 4 * dwords);
  for (u64 i = 0; i < dwords; ++i) {
    const u64 at = offset + 4 * i;
    if (at >= b.bytes || b.bytes - at < 4) continue;
    u8* to = aligned(w, b.base + at, 4, absent) ? writable(w, b.base + at, 4, absent) : nullptr;
    if (!to) return;
    std::memcpy(to, &w.s[st.src[0].reg + i], 4);
  }
  issue(w, pending(st, 0, 0));
}

// Clocks: the functional model has no time, so both return the wave's instruction count, which increases and is the
// same in every run.
void clock_value(Wave& w, const Step& st) {
  w.set_pair(st.dst, w.issued);
  finish_load(w, st, 2);
}

// Caches and prefetches change no value that a program can see.
void no_effect(Wave&, const Step&) {}

constexpr Semantics rows[] = {
    {"s_load_dword", scalar_load<1>},
    {"s_load_dwordx2", scalar_load<2>},
    {"s_load_b96", scalar_load<3>},
    {"s_load_dwordx4", scalar_load<4>},
    {"s_load_dwordx8", scalar_load<8>},
    {"s_load_dwordx16", scalar_load<16>},
    {"s_load_u8", scalar_load_narrow<u8s>},
    {"s_load_i8", scalar_load_narrow<i8s>},
    {"s_load_u16", scalar_load_narrow<u16s>},
    {"s_load_i16", scalar_load_narrow<i16s>},
    {"s_buffer_load_dword", buffer_load<1>},
    {"s_buffer_load_dwordx2", buffer_load<2>},
    {"s_buffer_load_b96", buffer_load<3>},
    {"s_buffer_load_dwordx4", buffer_load<4>},
    {"s_buffer_load_dwordx8", buffer_load<8>},
    {"s_buffer_load_dwordx16", buffer_load<16>},
    {"s_buffer_load_u8", buffer_load_narrow<u8s>},
    {"s_buffer_load_i8", buffer_load_narrow<i8s>},
    {"s_buffer_load_u16", buffer_load_narrow<u16s>},
    {"s_buffer_load_i16", buffer_load_narrow<i16s>},
    {"s_store_dword", scalar_store<1>},
    {"s_store_dwordx2", scalar_store<2>},
    {"s_store_dwordx4", scalar_store<4>},
    {"s_buffer_store_dword", buffer_store<1>},
    {"s_buffer_store_dwordx2", buffer_store<2>},
    {"s_buffer_store_dwordx4", buffer_store<4>},

    {"s_scratch_load_dword", scalar_load<1, 64>},
    {"s_scratch_load_dwordx2", scalar_load<2, 64>},
    {"s_scratch_load_dwordx4", scalar_load<4, 64>},
    {"s_scratch_store_dword", scalar_store<1, 64>},
    {"s_scratch_store_dwordx2", scalar_store<2, 64>},
    {"s_scratch_store_dwordx4", scalar_store<4, 64>},

    {"s_memtime", clock_value},
    {"s_memrealtime", clock_value},
    {"s_dcache_discard", no_effect},
    {"s_dcache_discard_x2", no_effect},
    {"s_dcache_inv", no_effect},
    {"s_dcache_inv_vol", no_effect},
    {"s_dcache_wb", no_effect},
    {"s_dcache_wb_vol", no_effect},
    {"s_gl1_inv", no_effect},
    {"s_prefetch_data", no_effect},
    {"s_prefetch_data_pc_rel", no_effect},
    {"s_prefetch_inst", no_effect},
    {"s_prefetch_inst_pc_rel", no_effect},
    {"s_buffer_prefetch_data", no_effect},
    {"s_atc_probe", no_effect},  // prefetches a translation
    {"s_atc_probe_buffer", no_effect},
};

}  // namespace

std::span<const Semantics> smem_semantics() { return rows; }

}  // namespace wavesmith::sim
