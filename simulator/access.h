// Shared code of the memory instructions: the shape of a transfer, the location of a lane's bytes, moving them between
// memory and registers, and registering the operation as in flight. Private memory interleaves the dwords of all lanes:
// 16 bytes of one lane are in four places.
#pragma once
#include <utility>

#include "isa_tables/counters.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {

enum class Extend : u8 { none, zero, sign, low, high, low_sign, high_sign };  // of 8 and 16 bit loads; low, high: d16
struct AccessShape {
  u8 bytes;
  Extend extend = Extend::none;
};
inline constexpr AccessShape u8s{1, Extend::zero}, i8s{1, Extend::sign}, u16s{2, Extend::zero}, i16s{2, Extend::sign};
inline constexpr AccessShape d16{2, Extend::low}, d16hi{2, Extend::high}, u8_d16{1, Extend::low},
    u8_d16hi{1, Extend::high}, i8_d16{1, Extend::low_sign}, i8_d16hi{1, Extend::high_sign};
inline constexpr AccessShape b32s{4}, b64s{8}, b96s{12}, b128s{16};
constexpr int dwords(AccessShape s) { return (s.bytes + 3) / 4; }

// An 8- or 16-bit value as stored in its register; `old` is the register's previous value, or 0 where loads do not keep
// it.
inline u32 extend(const u8* from, AccessShape s, u32 old) {
  const u32 x = s.bytes == 1 ? from[0] : from[0] | u32{from[1]} << 8;
  const u32 wide = s.bytes == 1 ? static_cast<u32>(static_cast<i8>(x)) : static_cast<u32>(static_cast<i16>(x));
  switch (s.extend) {
    case Extend::sign: return wide;
    case Extend::low: return (old & 0xffff0000) | x;
    case Extend::high: return (old & 0xffff) | x << 16;
    case Extend::low_sign: return (old & 0xffff0000) | (wide & 0xffff);
    case Extend::high_sign: return (old & 0xffff) | wide << 16;
    default: return x;
  }
}

void note_kept(Wave&, int reg, int lane, u32 kept);  // undefined.h

// Lane `lane` of the registers from `reg`.
inline void put_register(Wave& w, int reg, int lane, const u8* from, AccessShape s) {
  u32* r = w.vreg(reg) + lane;
  if (s.bytes < 4) {
    const u32 old = w.keeps_half ? *r : 0;
    const bool part = w.keeps_half && s.extend >= Extend::low &&
                      (!(w.written[static_cast<size_t>(reg / 64)] >> reg % 64 & 1) || !w.valueless.empty());
    if (part) note_kept(w, reg, lane, extend(from, s, 0) ^ extend(from, s, ~u32{0}));
    *r = extend(from, s, old);
    return;
  }
  for (int i = 0; i < s.bytes / 4; ++i) std::memcpy(r + i * Wave::lanes, from + 4 * i, 4);
}

inline void get_register(Wave& w, int reg, int lane, u8* to, AccessShape s) {
  const u32* r = w.vreg(reg) + lane;
  if (s.bytes >= 4) {
    for (int i = 0; i < s.bytes / 4; ++i) std::memcpy(to + 4 * i, r + i * Wave::lanes, 4);
    return;
  }
  const u32 x = s.extend == Extend::high ? *r >> 16 : *r;
  std::memcpy(to, &x, s.bytes);
}

// -- All lanes at once: element `at[lane]` bytes from `base`, for addresses that have been checked --

// The host address that corresponds to lane address 0: of LDS, or of an allocation. The host may have no object there,
// so it is a number.
class HostBase {
 public:
  HostBase() = default;
  HostBase(u8* first, u64 address = 0) : number_(reinterpret_cast<uintptr_t>(first) - address) {}
  explicit operator bool() const { return number_ != 0; }
  u8* operator+(u64 address) const { return reinterpret_cast<u8*>(number_ + address); }

 private:
  uintptr_t number_ = 0;
};
void rows_to_registers(HostBase, const u32* at, int lanes, u32* to);  // 16 bytes per lane (transpose.cpp)
void rows_to_registers(HostBase, const u64* at, int lanes, u32* to);
void registers_to_rows(const u32* from, HostBase, const u32* at, int lanes);  // in lane order; lanes may overlap
void registers_to_rows(const u32* from, HostBase, const u64* at, int lanes);
template <AccessShape s, class At>
void put_lanes(Wave& w, int reg, HostBase base, const At* at) {
  if constexpr (s.bytes == 16) {
    rows_to_registers(base, at, w.width(), w.vreg(reg));
  } else {
    for (int l = 0, lanes = w.width(); l < lanes; ++l) put_register(w, reg, l, base + at[l], s);
  }
}
template <AccessShape s, class At>
void get_lanes(Wave& w, int reg, HostBase base, const At* at) {
  if constexpr (s.bytes == 16) {
    registers_to_rows(w.vreg(reg), base, at, w.width());
  } else {
    for (int l = 0, lanes = w.width(); l < lanes; ++l) get_register(w, reg, l, base + at[l], s);
  }
}

// Faults, out of line. After a warning the wave continues; the first one of the workgroup is kept.
[[gnu::cold]] void warn(Wave&, FaultReason);
[[gnu::cold]] void fail_race(Wave&, const Races::Conflict&, bool reads, int lane);
[[gnu::cold]] void fail_landing(Wave&, u32 address, int lane);  // LDS that a load in flight will write
[[gnu::cold]] void fail_unmapped(Wave&, u64 address, u32 bytes, int lane);
[[gnu::cold]] void fail_misaligned(Wave&, u64 address, u32 bytes, u32 multiple, int lane);

// Device bytes at `address`, or nullptr after recording the fault. Use readable and writable: they track written bytes.
inline u8* translate(Wave& w, u64 address, u32 bytes, int lane) {
  if (!w.last || !w.last->covers(address, bytes)) {
    const Memory::Allocation* a = w.group->memory->find(address, bytes);
    if (!a) return fail_unmapped(w, address, bytes, lane), nullptr;
    w.last = a;
  }
  return w.last->bytes.get() + (address - w.last->base);
}
// The VGPR that holds a dword or less of data, and its first byte; absent: none. sign: the bits that repeat the sign of
// a narrow load.
struct Held {
  int reg = absent, byte = 0;
  u32 sign = 0;
};
constexpr int first_byte(AccessShape s) {
  return s.bytes < 4 && (s.extend == Extend::high || s.extend == Extend::high_sign) ? 2 : 0;
}
constexpr u32 sign_bits(AccessShape s) {
  return s.extend == Extend::sign        ? ~u32{0} << 8 * s.bytes
         : s.extend == Extend::low_sign  ? 0xff00
         : s.extend == Extend::high_sign ? 0xff000000
                                         : 0;
}
constexpr Held held(int reg, AccessShape s) { return {reg, first_byte(s), sign_bits(s)}; }
// For the allocation that the last translation found. False: a fault.
[[gnu::cold]] bool read_unwritten(Wave&, u64 address, u32 bytes, int lane, Held);
// Of a store: bytes that lack every bit do not count as written.
[[gnu::cold]] void mark_undefined(Wave&, u64 address, u32 bytes, int lane, Held);
bool lacks_some(const Wave&, Held, u32 bytes, int lane);  // of the registers from `Held` on
inline bool written(Wave& w, u64 address, u32 bytes, int lane, Held to = {}) {
  return !w.last->written || w.last->written->all(address - w.last->base, bytes) ||
         read_unwritten(w, address, bytes, lane, to);
}
inline void mark_written(Wave& w, u64 address, u32 bytes, int lane, Held from = {}) {
  if (!w.last->written) return;
  if (from.reg != absent && lacks_some(w, from, bytes, lane)) mark_undefined(w, address, bytes, lane, from);
  else w.last->written->mark(address - w.last->base, bytes);
}
inline const u8* readable(Wave& w, u64 address, u32 bytes, int lane, Held to = {}) {
  const u8* p = translate(w, address, bytes, lane);
  return p && written(w, address, bytes, lane, to) ? p : nullptr;
}
inline u8* writable(Wave& w, u64 address, u32 bytes, int lane, Held from = {}) {
  u8* p = translate(w, address, bytes, lane);
  if (p) mark_written(w, address, bytes, lane, from);
  return p;
}

// Least and largest of the lanes' addresses.
struct Bounds {
  u64 least, most;
};
Bounds bounds(const u64* at, int lanes);
// The base for device addresses, if every lane is active and all their `bytes` are in one allocation; otherwise none.
inline HostBase one_allocation(Wave& w, const Bounds& at, u32 bytes) {
  if (w.exec() != w.all) return {};
  const u64 span = at.most - at.least + bytes;
  if (!w.last || !w.last->covers(at.least, span)) {
    const Memory::Allocation* a = w.group->memory->find(at.least, span);
    if (!a) return {};
    w.last = a;
  }
  return w.last->written ? HostBase()
                         : HostBase(w.last->bytes.get(), w.last->base);  // written bytes are tracked per lane
}

// Loads and stores in loops, and those of consecutive workgroups, have constant strides: prefetches where this one
// will be next time. Affects only speed.
template <bool store>
void expect_next(Wave& w, const Step& st, HostBase base, const u64* at, u32 bytes) {
  constexpr u64 far = 1 << 16, steps = 509;  // in a row that have a place of their own
  auto& moved_at = w.group->moved_at;
  u64& before = moved_at[(static_cast<u64>(w.number) * steps + st.number) % moved_at.size()];
  const u64 stride = at[0] - std::exchange(before, at[0]);
  if (stride == 0 || stride + far > 2 * far) return;
  for (u32 l = 0, lanes = static_cast<u32>(w.width()); l < lanes; l += std::max(1u, 64 / bytes))
    __builtin_prefetch(base + (stride + at[l]), store, 2);
}

// HSA runs with SH_MEM_CONFIG.alignment_mode = unaligned (AMDGPUUsage, memory model): vector loads and stores of global
// memory may start at any byte, as may those of LDS ("any DS_LOAD or DS_STORE of any size can be byte aligned", RDNA3
// ISA 3.3.4.1, CDNA5 ISA 3.3.4.1; LLVM's unaligned-ds-access from gfx9 on). Scalar loads are refused below a dword (or
// their own size, if smaller), atomics and typed accesses below their own size. LDS instructions that the guides call
// "aligned" without exception (ADDTID, append, transposing loads) must be aligned.
inline bool aligned(Wave& w, u64 address, u32 multiple, u32 bytes, int lane) {
  if ((address & (multiple - 1)) == 0) return true;
  return fail_misaligned(w, address, bytes, multiple, lane), false;
}
inline bool aligned(Wave& w, u64 address, u32 bytes, int lane) {
  return aligned(w, address, bytes >= 4 ? 4 : bytes, bytes, lane);
}

// Registers the issued operation; its result registers are invalid until a wait covers it.
void follow(Wave&, Pending);
inline void issue(Wave& w, Pending p) {
  if (w.group->follows_operations() && !w.trying) follow(w, std::move(p));
}
inline Pending pending(const Step& st, int first, int count) {
  Pending p;
  p.cls = isa::counter_class(*st.row);
  p.first = static_cast<u16>(first), p.count = static_cast<u16>(count);
  p.pc = st.pc, p.step = st.number;
  return p;
}

// Checks an LDS access of one lane: bounds, outstanding loads into LDS, races, bytes never written. nullptr after
// recording the fault.
u8* lds_bytes(Wave&, u32 address, u32 bytes, int lane, LdsUse, std::vector<LdsSpan>&, Held = {});
struct LdsAddresses {
  alignas(64) u32 at[W];  // of the wave's lanes
  u32 most;               // the largest
};
// Each lane's address: the first source plus `offset`. Counts the access and its bank conflicts.
void lds_addresses(Wave&, const Step&, u32 offset, int bytes, bool read, LdsAddresses&);
u64 arrive_in_lds(u8* cell, u32 count);  // at a barrier of 8 bytes in LDS; the old value
// At most one dword of what a load from memory writes to LDS; `load_started` registers all of them once they are known.
u8* lds_landing(Wave&, u32 address, u32 bytes, int lane, Pending&);
void load_started(Wave&, Pending&);

// -- Where the bytes of a lane are --

// Location of a lane's bytes. Private: `address` is within the lane's memory, which starts at dword `lane` of `base`.
enum class Space : u8 { device, lds, priv };
struct LaneBytes {
  Space space = Space::device;
  u64 address = 0, base = 0;
  int lane = 0;
  bool checked = true;
};

// The location of a FLAT, GLOBAL or SCRATCH address; flat ones may be in an aperture.
LaneBytes place_of(Wave&, const Step&, u64 address, int lane);
// Moves the bytes of one lane, to or from VGPRs starting at `reg`. False after recording the fault.
bool read_place(Wave&, const LaneBytes&, u8* to, u32 bytes, std::vector<LdsSpan>&, Held = {});
bool write_place(Wave&, const LaneBytes&, const u8* from, u32 bytes, std::vector<LdsSpan>&, Held = {});

// Byte addresses of every lane of a FLAT, GLOBAL or SCRATCH row, whose address operand is source `vaddr` and scalar
// base source `saddr`.
struct Addresses {
  u64 at[W];
  Bounds bounds;
};  // bounds: not of scratch
inline constexpr u32 zeros[W] = {};  // for lanes without an offset
void memory_addresses(Wave&, const Step&, int vaddr, int saddr, int bytes, Addresses&);
inline u32 scalar_value(const Wave& w, const Source& s) {
  return s.from == Source::From::constant ? s.bits[0] : s.from == Source::From::none ? 0 : scalar(w, s.reg);
}

// -- Buffers (buffer.cpp) --

// Addresses of a buffer access and the lanes in range, per dword.
struct BufferAddresses {
  u64 at[W];
  u64 in_range[4];
  u32 step = 4;  // bytes from one dword to the next
  u32 row = 0,
      skew =
          0;  // of elements of a dword, swizzled: bytes from one of a lane to its next, and the first one's address % 4
  bool plain = false;  // every dword of every lane is in range, and a lane's dwords are contiguous
  Bounds bounds{};     // then
};
// Calls f(address, at, bytes) for the runs of up to four bytes of dword `d`: those that leave a swizzled element go on
// in the lane's next one: the guides' formula gives the first byte's address alone, but LLVM puts unaligned dwords
// there (hasUnalignedScratchAccess), and so does rocjitsu (rocm-systems 11240). False: f was.
template <class F>
bool dword_runs(const BufferAddresses& a, int lane, int d, u32 bytes, F&& f) {
  const u64 at = a.at[lane] + a.step * static_cast<u64>(d);
  const u32 into = a.row ? static_cast<u32>(at - a.skew) % 4 : 0, here = std::min(bytes, 4 - into);
  return f(at, u32{0}, here) && (here == bytes || f(at - into + a.row, here, bytes - here));
}
// Source `vaddr` is the address; resource and scalar offset follow it. `whole`: all in range or none.
void buffer_addresses(Wave&, const Step&, int vaddr, int bytes, bool whole, BufferAddresses&);
// Bytes that scalar loads may read from a resource, and its base.
struct ScalarBuffer {
  u64 base, bytes;
};
ScalarBuffer scalar_buffer(const Wave&, int sgpr, u32 bytes);  // of one element

// -- Clusters --

// A multicast load is asked for by every workgroup in its mask, and each gets its own copy (CDNA5 ISA 10.7): here they
// are ordinary loads. Empty, or what is wrong with the mask; inferred: a workgroup that is not there is waited for.
std::string multicast_refusal(const Wave&, u32 mask);
// Of a tensor_load_to_lds whose data nobody needs: tells the observer its rows, and moves nothing.
void tensor_addresses(Wave&, const Step&);

// -- Atomics (semantics/atomics.cpp) --
bool commutes(isa::Opcode);  // exactly, and returns no value: workgroups may run in any order

}  // namespace wavesmith::sim
