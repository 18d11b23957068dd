// What memory instructions share: the shape of a transfer, moving it between bytes and registers, and registering it as under way.
#pragma once
#include "simulator/semantics.h"

namespace wavesmith::sim {

enum class Extend : u8 { none, zero, sign, low, high };    // of 8 and 16 bit loads; low, high: d16, the other half stays
struct Shape { u8 bytes; Extend extend = Extend::none; };

// Lane `lane` of the registers from `reg`.
inline void put_register(Wave& w, int reg, int lane, const u8* from, Shape s) {
  u32* r = w.vreg(reg) + lane;
  if (s.bytes >= 4) {
    for (int i = 0; i < s.bytes / 4; ++i) std::memcpy(r + i * Wave::lanes, from + 4 * i, 4);
    return;
  }
  u32 x = s.bytes == 1 ? from[0] : from[0] | u32{from[1]} << 8;
  if (s.extend == Extend::sign) x = s.bytes == 1 ? static_cast<u32>(static_cast<i8>(x)) : static_cast<u32>(static_cast<i16>(x));
  if (s.extend == Extend::low) x = (*r & 0xffff0000) | x;
  if (s.extend == Extend::high) x = (*r & 0xffff) | x << 16;
  *r = x;
}

inline void get_register(Wave& w, int reg, int lane, u8* to, Shape s) {
  const u32* r = w.vreg(reg) + lane;
  if (s.bytes >= 4) {
    for (int i = 0; i < s.bytes / 4; ++i) std::memcpy(to + 4 * i, r + i * Wave::lanes, 4);
    return;
  }
  const u32 x = s.extend == Extend::high ? *r >> 16 : *r;
  std::memcpy(to, &x, s.bytes);
}

inline int dwords(Shape s) { return (s.bytes + 3) / 4; }

// Faults, out of line.
[[gnu::cold]] void fail_unmapped(Wave&, u64 address, u32 bytes, int lane);
[[gnu::cold]] void fail_misaligned(Wave&, u64 address, u32 bytes, int lane);

// Device bytes at `address`, or nullptr after recording the fault.
inline u8* translate(Wave& w, u64 address, u32 bytes, int lane) {
  if (!w.last || !w.last->covers(address, bytes)) {
    const Memory::Allocation* a = w.group->memory->find(address, bytes);
    if (!a) return fail_unmapped(w, address, bytes, lane), nullptr;
    w.last = a;
  }
  return w.last->bytes.get() + (address - w.last->base);
}

// HSA runs with SH_MEM_CONFIG.alignment_mode = unaligned (AMDGPUUsage, memory model): vector loads and stores of global memory may
// start at any byte. Scalar loads, atomics and LDS are refused below a dword (or their own size, if smaller).
inline bool aligned(Wave& w, u64 address, u32 bytes, int lane) {
  if ((address & ((bytes >= 4 ? 4 : bytes) - 1)) == 0) return true;
  return fail_misaligned(w, address, bytes, lane), false;
}

// The operation has been issued; its result registers are not valid before the wait that covers it.
void issue(Wave&, Pending);
// An LDS access of one lane: bounds, loads into LDS under way, races. nullptr after recording the fault.
u8* lds_bytes(Wave&, u32 address, u32 bytes, int lane, LdsUse, std::vector<LdsSpan>&);

}  // namespace wavesmith::sim
