// Atomics on every kind of memory. An operation is a function of the old value and the data, written once; which
// instruction performs which is atomics.def, and where the memory is follows from the format of the row. LDS: CDNA3
// ISA 12.12; memory: 12.6.
#include <atomic>
#include <cmath>

#include "simulator/access.h"

namespace wavesmith::sim {
namespace {

// flush: f32 additions treat denormals as zero. minimum_number: min and max of a NaN and a number give the number
// (gfx12).
struct Rules {
  bool flush = false, minimum_number = false;
};
using Apply = u64 (*)(Rules, u64 old, u64 data, u64 data2);
struct Operation {
  u8 bytes;
  u8 inputs;      // values of `bytes`: data and, where it needs one, data2
  bool commutes;  // the result does not depend on the order of several operations
  Apply apply;
};

template <class T>
T as(u64 x) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(x);
  else return std::bit_cast<T>(static_cast<u32>(x));
}
template <class T>
u64 bits(T x) {
  if constexpr (sizeof(T) == 8) return std::bit_cast<u64>(x);
  else return std::bit_cast<u32>(x);
}
// An operation of a function of two values of one type.
template <class T, auto f>
constexpr Operation of(bool commutes) {
  return {sizeof(T), 1, commutes,
          [](Rules, u64 old, u64 data, u64) { return bits<T>(static_cast<T>(f(as<T>(old), as<T>(data)))); }};
}
template <class T, auto f>
constexpr Operation of_three() {
  return {sizeof(T), 2, false,
          [](Rules, u64 old, u64 data, u64 data2) { return bits<T>(f(as<T>(old), as<T>(data), as<T>(data2))); }};
}
template <class T, bool want_min>
constexpr Operation float_order() {
  return {sizeof(T), 1, false, [](Rules r, u64 old_bits, u64 data_bits, u64) {
            const T old = as<T>(old_bits), data = as<T>(data_bits);
            if (!r.minimum_number) return (want_min ? data < old : data > old) ? data_bits : old_bits;
            if (std::isnan(data))
              return std::isnan(old) ? data_bits | (sizeof(T) == 8 ? u64{1} << 51 : u64{1} << 22) : old_bits;
            if (std::isnan(old)) return data_bits;
            if (data == 0 && old == 0) return std::signbit(data) == want_min ? data_bits : old_bits;
            return (want_min ? data < old : data > old) ? data_bits : old_bits;
          }};
}

// Double to bf16, rounded once: to odd in f32 first.
u16 bf16_of(f64 x) {
  const f32 f = static_cast<f32>(x);
  if (static_cast<f64>(f) == x || std::isnan(x) || std::isinf(f)) return to_bf16(f);
  u32 b = std::bit_cast<u32>(f);
  if (std::abs(static_cast<f64>(f)) > std::abs(x)) --b;
  return to_bf16(std::bit_cast<f32>(b | 1));
}
template <auto from, auto to>
u32 add_pair(u32 a, u32 b) {
  const auto half = [](u32 x, int i) { return static_cast<f64>(from(static_cast<u16>(x >> 16 * i))); };
  return to(half(a, 0) + half(b, 0)) | static_cast<u32>(to(half(a, 1) + half(b, 1))) << 16;
}
f32 half_value(u16 x) { return from_f16(x); }
u16 half_bits(f64 x) { return to_f16(x); }
f32 brain_value(u16 x) { return from_bf16(x); }

template <class T>
T plus(T a, T b) {
  return a + b;
}
template <class T>
T minus(T a, T b) {
  return a - b;
}
template <class T>
T minus_from(T a, T b) {
  return b - a;
}
template <class T>
T least(T a, T b) {
  return std::min(a, b);
}
template <class T>
T most(T a, T b) {
  return std::max(a, b);
}
template <class T>
T bit_and(T a, T b) {
  return a & b;
}
template <class T>
T bit_or(T a, T b) {
  return a | b;
}
template <class T>
T bit_xor(T a, T b) {
  return a ^ b;
}
template <class T>
T increment(T a, T b) {
  return a >= b ? 0 : a + 1;
}
template <class T>
T decrement(T a, T b) {
  return a == 0 || a > b ? b : a - 1;
}
template <class T>
T second(T, T b) {
  return b;
}
template <class T>
T masked_or(T a, T mask, T b) {
  return (a & ~mask) | b;
}
template <class T>
T compare_second(T a, T b, T compare) {
  return a == compare ? b : a;
}  // data is the value to write
template <class T>
T compare_first(T a, T compare, T b) {
  return a == compare ? b : a;
}  // gfx9's ds_cmpst: data is the comparand
u32 wrap(u32 a, u32 b, u32 c) { return a >= b ? a - b : a + c; }

constexpr Operation add_u32 = of<u32, plus<u32>>(true), add_u64 = of<u64, plus<u64>>(true),
                    sub_u32 = of<u32, minus<u32>>(true), sub_u64 = of<u64, minus<u64>>(true);
constexpr Operation rsub_u32 = of<u32, minus_from<u32>>(false), rsub_u64 = of<u64, minus_from<u64>>(false);
constexpr Operation min_i32 = of<i32, least<i32>>(true), min_i64 = of<i64, least<i64>>(true),
                    min_u32 = of<u32, least<u32>>(true), min_u64 = of<u64, least<u64>>(true);
constexpr Operation max_i32 = of<i32, most<i32>>(true), max_i64 = of<i64, most<i64>>(true),
                    max_u32 = of<u32, most<u32>>(true), max_u64 = of<u64, most<u64>>(true);
constexpr Operation and_b32 = of<u32, bit_and<u32>>(true), and_b64 = of<u64, bit_and<u64>>(true),
                    or_b32 = of<u32, bit_or<u32>>(true), or_b64 = of<u64, bit_or<u64>>(true);
constexpr Operation xor_b32 = of<u32, bit_xor<u32>>(true), xor_b64 = of<u64, bit_xor<u64>>(true);
constexpr Operation inc_u32 = of<u32, increment<u32>>(false), inc_u64 = of<u64, increment<u64>>(false),
                    dec_u32 = of<u32, decrement<u32>>(false), dec_u64 = of<u64, decrement<u64>>(false);
constexpr Operation swap_b32 = of<u32, second<u32>>(false), swap_b64 = of<u64, second<u64>>(false);
constexpr Operation sub_clamp_u32 = of<u32, [](u32 a, u32 b) { return a < b ? 0 : a - b; }>(false),
                    cond_sub_u32 = of<u32, [](u32 a, u32 b) { return a >= b ? a - b : a; }>(false);
constexpr Operation mskor_b32 = of_three<u32, masked_or<u32>>(), mskor_b64 = of_three<u64, masked_or<u64>>(),
                    wrap_b32 = of_three<u32, wrap>();
constexpr Operation cmpswap_b32 = of_three<u32, compare_second<u32>>(),
                    cmpswap_b64 = of_three<u64, compare_second<u64>>();
constexpr Operation cmpswap_f32 = of_three<f32, compare_second<f32>>(),
                    cmpswap_f64 = of_three<f64, compare_second<f64>>();
constexpr Operation cmpst_b32 = of_three<u32, compare_first<u32>>(), cmpst_b64 = of_three<u64, compare_first<u64>>();
constexpr Operation cmpst_f32 = of_three<f32, compare_first<f32>>(), cmpst_f64 = of_three<f64, compare_first<f64>>();
constexpr Operation min_f32 = float_order<f32, true>(), min_f64 = float_order<f64, true>(),
                    max_f32 = float_order<f32, false>(), max_f64 = float_order<f64, false>();
constexpr Operation add_f64 = of<f64, plus<f64>>(false);
constexpr Operation add_f32{4, 1, false, [](Rules r, u64 old, u64 data, u64) {
                              const f32 a = as<f32>(old), b = as<f32>(data);
                              return bits<f32>(r.flush ? flush(flush(a) + flush(b)) : a + b);
                            }};
constexpr Operation pk_add_f16 = of<u32, add_pair<half_value, half_bits>>(false),
                    pk_add_bf16 = of<u32, add_pair<brain_value, bf16_of>>(false);

struct AtomicRow {
  const char* mnemonic;
  const Operation* operation;
};
constexpr AtomicRow rows[] = {
#define ATOMIC(opcode, operation) {#opcode, &operation},
#include "simulator/semantics/atomics.def"
#undef ATOMIC
};
const Operation* operation_of(isa::Opcode op) {
  static const auto table = [] {
    std::vector<const Operation*> t(isa::table().size());
    for (const AtomicRow& r : rows) t[isa::row_of(r.mnemonic)] = r.operation;
    return t;
  }();
  return table[static_cast<size_t>(op)];
}

bool returns(const isa::Info& row) { return row.operands[0].access != isa::Access::read; }

Rules memory_rules(const Wave& w) {
  return {w.group->target->atomics_flush_f32(), w.group->target->minimum_number_atomics()};
}
Rules lds_rules(const Wave& w) { return {flushes_inputs(w.denorm_f32), w.group->target->minimum_number_atomics()}; }

// The i-th value of an operand tuple that starts at `reg`.
u64 value(Wave& w, int reg, int lane, const Operation& o, int i) {
  const u32* r = w.vreg(reg + i * o.bytes / 4) + lane;
  return o.bytes == 4 ? *r : *r | u64{r[W]} << 32;
}
void put(Wave& w, int reg, int lane, const Operation& o, u64 x) {
  u32* r = w.vreg(reg) + lane;
  *r = static_cast<u32>(x);
  if (o.bytes == 8) r[W] = static_cast<u32>(x >> 32);
}

template <class T>
u64 exchange(u8* to, const Operation& o, Rules rules, u64 data, u64 data2) {
  const std::atomic_ref<T> cell(*reinterpret_cast<T*>(to));  // other workgroups may access it at the same time
  T old = cell.load();
  while (!cell.compare_exchange_weak(old, static_cast<T>(o.apply(rules, old, data, data2)))) {}
  return old;
}
// Returns the old value; nothing after a fault.
std::optional<u64> at_device(Wave& w, u64 address, int lane, const Operation& o, u64 data, u64 data2) {
  u8* to = aligned(w, address, o.bytes, o.bytes, lane) ? translate(w, address, o.bytes, lane) : nullptr;
  if (!to || !written(w, address, o.bytes, lane)) return {};
  mark_written(w, address, o.bytes, lane);
  return o.bytes == 8 ? exchange<u64>(to, o, memory_rules(w), data, data2)
                      : exchange<u32>(to, o, memory_rules(w), data, data2);
}
std::optional<u64> at_lds(Wave& w, u32 address, int lane, const Operation& o, u64 data, u64 data2,
                          std::vector<LdsSpan>& spans) {
  u8* to = aligned(w, address, o.bytes, o.bytes, lane) ? lds_bytes(w, address, o.bytes, lane, LdsUse::atomic, spans)
                                                       : nullptr;
  if (!to) return {};
  u64 old = 0;
  std::memcpy(&old, to, o.bytes);
  const u64 now = o.apply(lds_rules(w), old, data, data2);
  std::memcpy(to, &now, o.bytes);
  return old;
}

Pending result(Wave& w, const Step& st, const Operation& o) {
  w.written_lanes = returns(*st.row) ? w.exec() : 0;
  return pending(st, returns(*st.row) ? st.dst : 0, returns(*st.row) ? o.bytes / 4 : 0);
}

void memory_atomic(Wave& w, const Step& st) {
  const Operation& o = *operation_of(st.inst.op);
  Addresses a;
  memory_addresses(w, st, 0, st.sources > 2 ? 2 : absent, o.bytes, a);
  Pending p = result(w, st, o);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const u64 data = value(w, st.src[1].reg, l, o, 0), data2 = o.inputs > 1 ? value(w, st.src[1].reg, l, o, 1) : 0;
    const LaneBytes place = place_of(w, st, a.at[l], l);
    if (place.space == Space::priv)
      return w.fail(Fault::Kind::illegal, "atomics do not reach private memory", l, a.at[l]);
    const auto old = place.space == Space::lds ? at_lds(w, static_cast<u32>(place.address), l, o, data, data2, p.lds)
                                               : at_device(w, place.address, l, o, data, data2);
    if (!old) return;
    if (returns(*st.row)) put(w, st.dst, l, o, *old);
  }
  issue(w, std::move(p));
}

// Out of range: memory is unchanged, and 0 is returned.
void buffer_atomic(Wave& w, const Step& st) {
  const Operation& o = *operation_of(st.inst.op);
  const bool back = returns(*st.row);
  BufferAddresses a;
  buffer_addresses(w, st, back ? 0 : 1, o.bytes, true, a);
  Pending p = result(w, st, o);
  const int data_reg = st.src[back ? 3 : 0].reg;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    std::optional<u64> old = 0;
    if (a.in_range[0] >> l & 1)
      old = at_device(w, a.at[l], l, o, value(w, data_reg, l, o, 0), o.inputs > 1 ? value(w, data_reg, l, o, 1) : 0);
    if (!old) return;
    if (back) put(w, st.dst, l, o, *old);
  }
  issue(w, std::move(p));
}

void scalar_atomic(Wave& w, const Step& st) {
  const Operation& o = *operation_of(st.inst.op);
  const bool back = returns(*st.row);
  const Source &base = st.src[back ? 0 : 1], &offset = st.src[back ? 1 : 2], &data = st.src[back ? 2 : 0];
  const auto input = [&](int i) { return o.bytes == 8 ? w.pair(data.reg + 2 * i) : u64{w.s[data.reg + i]}; };
  const u64 at =
      (offset.from == Source::From::constant ? static_cast<u64>(static_cast<i64>(static_cast<i32>(offset.bits[0])))
                                             : scalar_value(w, offset)) +
      static_cast<u64>(static_cast<i64>(st.inst.mods.offset));
  std::optional<u64> old = 0;
  if (base.dwords == 4) {
    const ScalarBuffer b = scalar_buffer(w, base.reg, 4);
    if (at < b.bytes && o.bytes <= b.bytes - at)
      old = at_device(w, b.base + at, absent, o, input(0), o.inputs > 1 ? input(1) : 0);
  } else {
    old = at_device(w, w.pair(base.reg) + at, absent, o, input(0), o.inputs > 1 ? input(1) : 0);
  }
  if (!old) return;
  if (back) {
    w.s[st.dst] = static_cast<u32>(*old);
    if (o.bytes == 8) w.s[st.dst + 1] = static_cast<u32>(*old >> 32);
  }
  Pending p = pending(st, back ? scalar_base + st.dst : 0, back ? o.bytes / 4 : 0);
  p.weight = o.bytes == 8 ? 2 : 1;
  issue(w, std::move(p));
}

void lds_atomic(Wave& w, const Step& st) {
  const Operation& o = *operation_of(st.inst.op);
  const bool pairs = st.sources == 1;  // the data is in LDS too: gfx908's src2 forms
  LdsAddresses a;
  lds_addresses(w, st, static_cast<u32>(pairs ? 0 : st.inst.mods.offset), o.bytes, false, a);
  const u32* at = a.at;
  Pending p = result(w, st, o);
  const u32 offset0 = static_cast<u32>(st.inst.mods.offset) & 0xff,
            offset1 = static_cast<u32>(st.inst.mods.offset) >> 8 & 0xff;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u64 data = 0, data2 = 0;
    if (pairs) {  // at A + 4 * (offset1[7] ? {A[31], A[31:17]} : {offset1[6], offset1[6:0], offset0}), Vega ISA
      const u32 far = at[l] >> 17 | (at[l] & 0x80000000u) >> 16,
                near = offset0 | (offset1 & 0x7f) << 8 | (offset1 & 0x40) << 9;
      const i32 distance = static_cast<i16>(offset1 & 0x80 ? far : near);
      const u8* from = lds_bytes(w, at[l] + 4 * static_cast<u32>(distance), o.bytes, l, LdsUse::read, p.lds);
      if (!from) return;
      std::memcpy(&data, from, o.bytes);
    } else {
      data = value(w, st.src[1].reg, l, o, 0);
      if (o.inputs > 1) data2 = value(w, st.src[2].reg, l, o, 0);
    }
    const auto old = at_lds(w, at[l], l, o, data, data2, p.lds);
    if (!old) return;
    if (returns(*st.row)) put(w, st.dst, l, o, *old);
  }
  issue(w, std::move(p));
}

Execute executes(isa::Format f) {
  switch (f) {
    case isa::Format::mubuf: return buffer_atomic;
    case isa::Format::smem: return scalar_atomic;
    case isa::Format::ds: return lds_atomic;
    default: return memory_atomic;
  }
}

}  // namespace

bool commutes(isa::Opcode op) {
  const Operation* o = operation_of(op);
  return o && o->commutes && !returns(isa::info(op));
}

std::span<const Semantics> atomic_semantics() {
  static const auto all = [] {
    std::vector<Semantics> v;
    for (const AtomicRow& r : rows) v.push_back({r.mnemonic, executes(isa::table()[isa::row_of(r.mnemonic)].format)});
    return v;
  }();
  return all;
}

}  // namespace wavesmith::sim
