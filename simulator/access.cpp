// Where the bytes of a lane are, and the faults of getting it wrong. Private memory is the wave's area of device
// memory, its dwords interleaved over the lanes (CDNA3 ISA 10.5, CDNA5 ISA 10.2): byte b of lane l is at base + b/4 * 4
// * lanes + 4 * l + b%4.
#include "simulator/access.h"

#include "simulator/observer.h"
#include "simulator/undefined.h"

namespace wavesmith::sim {

void fail_unmapped(Wave& w, u64 address, u32 bytes, int lane) {
  w.fail(Fault::Kind::out_of_bounds,
         std::to_string(bytes) + "-byte access outside all allocations: " + w.group->memory->describe(address), lane,
         address);
}
void fail_misaligned(Wave& w, u64 address, u32 bytes, u32 multiple, int lane) {
  w.fail(Fault::Kind::misaligned,
         "address of a " + std::to_string(bytes) + "-byte access is not a multiple of " + std::to_string(multiple),
         lane, address);
}
[[gnu::cold]] static void fail_lds(Wave& w, u32 address, u32 bytes, int lane) {
  w.fail(Fault::Kind::out_of_bounds,
         "LDS access of " + std::to_string(bytes) + " bytes beyond the " + std::to_string(w.group->lds.size()) +
             " allocated",
         lane, address);
}
void fail_race(Wave& w, const Races::Conflict& c, bool reads, int lane) {
  w.fail(Fault::Kind::race,
         std::string(reads ? "reads" : "writes") + " LDS that wave " + std::to_string(c.wave) +
             (c.wrote ? " writes" : " reads") + " with no barrier between, or with no wait for it before the barrier",
         lane, c.address, c.step);
}
[[gnu::cold]] static void report_unwritten(Wave& w, u64 address, int lane, std::string why) {
  Workgroup& g = *w.group;
  if (g.options->checks.uninitialized == Checks::Uninitialized::fault)
    return w.fail(Fault::Kind::uninitialized, std::move(why), lane, address);
  warn(w, {Fault::Kind::uninitialized, lane, address, std::move(why)});
}
void warn(Wave& w, FaultReason p) {
  Workgroup& g = *w.group;
  ++g.warnings;
  if (!g.warning) g.warning = std::move(p), g.warning_wave = w.number, g.warning_step = w.at;
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] Bounds bounds(const u64* at, int lanes) {
  u64 least = at[0], most = at[0];
  for (int l = 0; l < lanes; ++l) least = at[l] < least ? at[l] : least, most = at[l] > most ? at[l] : most;
  return {least, most};
}

bool read_unwritten(Wave& w, u64 address, u32 bytes, int lane, Held to) {
  if (w.last->is_private) {  // code of clang -O0 reloads lanes that it never stored
    if (to.reg == absent) return true;
    u32 lacks = 0;
    for (u32 i = 0; i < bytes; ++i)
      if (!w.last->written->all(address - w.last->base + i, 1)) lacks |= 0xffu << 8 * (to.byte + static_cast<int>(i));
    if (lacks << 1 & to.sign & ~(to.sign << 1)) lacks |= to.sign;  // the sign is in the byte below
    w.valueless.push_back({to.reg, lane, lacks});
    return true;
  }
  if (w.group->warning && w.group->options->checks.uninitialized != Checks::Uninitialized::fault)
    return ++w.group->warnings, true;  // only the first warning has a text
  report_unwritten(w, address, lane,
                   "reads device memory that was never written: " + w.group->memory->describe(address));
  return !w.problem;
}

// The part of a register tuple that starts `at` bytes after `h`.
static Held advanced(Held h, u32 at) {
  return h.reg == absent ? h : Held{h.reg + static_cast<int>(at / 4), h.byte + static_cast<int>(at % 4), h.sign};
}
bool lacks_some(const Wave& w, Held h, u32 bytes, int lane) {
  if (!w.group->options->checks.undefined) return false;  // what is known is not kept
  for (int r = h.reg + h.byte / 4, last = h.reg + (h.byte + static_cast<int>(bytes) - 1) / 4; r <= last; ++r)
    if (!(w.known_lanes(r) >> lane & 1)) return true;
  return false;
}
// Whether the byte at `h` lacks every bit. One with some defined bits counts as defined: compiled code spills masks of
// the active lanes.
static bool lacks_byte(const Wave& w, Held h, int lane) {
  const int reg = h.reg + h.byte / 4;
  return !(w.known_lanes(reg) >> lane & 1) && (unknown(w, reg, lane) >> 8 * (h.byte % 4) & 0xff) == 0xff;
}
void mark_undefined(Wave& w, u64 address, u32 bytes, int lane, Held from) {
  for (u32 i = 0; i < bytes; ++i) {
    const u64 at = address - w.last->base + i;
    if (lacks_byte(w, advanced(from, i), lane)) w.last->written->forget(at, 1);
    else w.last->written->mark(at, 1);
  }
}

void fail_landing(Wave& w, u32 address, int lane) {
  w.fail(Fault::Kind::in_flight, "LDS bytes that an outstanding load from memory will write", lane, address);
}
static void mark_lds(Wave& w, u32 address, u32 bytes, int lane, Held from) {
  Workgroup& g = *w.group;
  const bool some = from.reg != absent && lacks_some(w, from, bytes, lane);
  if (!some) return void(std::fill_n(g.lds_written.data() + address, bytes, LdsByte::defined));
  for (u32 i = 0; i < bytes; ++i) {
    const bool lacks = lacks_byte(w, advanced(from, i), lane);
    g.lds_written[address + i] = lacks ? LdsByte::undefined : LdsByte::defined;
    if (lacks) g.undefined_stores[address + i] = w.at;
  }
}
// Reads bytes that an undefined value was stored to: so is what is loaded. False: a fault, where no register takes it.
[[gnu::cold]] static bool read_undefined(Wave& w, u32 address, u32 bytes, int lane, Held to) {
  const Workgroup& g = *w.group;
  for (u32 i = 0; i < bytes; ++i) {
    if (g.lds_written[address + i] != LdsByte::undefined) continue;
    const int stored = g.undefined_stores.at(address + i);
    if (to.reg == absent) {
      w.fail(Fault::Kind::undefined_read, "reads LDS bytes that hold an undefined value", lane, address + i, stored);
      return false;
    }
    const Held byte = advanced(to, i);
    u32 lacks = 0xffu << 8 * (byte.byte % 4);
    if (lacks << 1 & to.sign & ~(to.sign << 1)) lacks |= to.sign;  // the sign is in the byte below
    w.valueless.push_back({byte.reg + byte.byte / 4, lane, lacks, stored});
  }
  return true;
}
static bool has(const std::vector<LdsByte>& all, u32 address, u32 bytes, LdsByte what) {
  return std::memchr(all.data() + address, static_cast<int>(what), bytes);
}
// `landing`: written by a load from memory. Two of these may write the same value. `data`: the register that takes or
// gives the bytes; absent: none, or one that check_written() has checked.
static u8* lds_place(Wave& w, u32 address, u32 bytes, int lane, LdsUse use, std::vector<LdsSpan>& spans, bool landing,
                     Held data) {
  Workgroup& g = *w.group;
  if (address > g.lds.size() || bytes > g.lds.size() - address) {
    if (g.options->checks.lds_bounds) return fail_lds(w, address, bytes, lane), nullptr;
    static thread_local std::array<u8, 16>
        nowhere;  // hipBLASLt's kernels rely on it, for lanes they put at 0x80000000; a part: as the whole (RDNA3
                  // ISA 3.3.4.1, of loads; inferred for others; CDNA5 ISA 3.3.4.1 goes dword by dword: not modelled)
    return nowhere.fill(0), nowhere.data();
  }
  if (g.observer && g.observer->watches_lds) g.observer->lds_bytes(w, address, bytes, lane, use);
  if (g.dma_in_flight && g.options->checks.in_flight)
    for (u32 d = address / 4; d <= (address + bytes - 1) / 4; ++d)
      if (g.dma_dwords[d] && !(landing && g.races.doubt_landing(address, bytes)))
        return fail_landing(w, address, lane), nullptr;
  if (g.races.enabled()) {
    g.races.step = w.at;
    if (const auto c = g.races.access(address, bytes, w.number, use))
      return fail_race(w, *c, use == LdsUse::read, lane), nullptr;
    if (spans.empty()) spans.reserve(W);
    spans.push_back({address, static_cast<uint16_t>(bytes), static_cast<uint8_t>(lane), use});
  }
  if (!g.lds_written.empty()) {
    if (use != LdsUse::write && has(g.lds_written, address, bytes, LdsByte::never_written) &&
        g.options->checks.uninitialized != Checks::Uninitialized::ignore) {
      report_unwritten(w, address, lane, "reads LDS bytes that this workgroup never wrote");
      if (w.problem) return nullptr;
    }
    if (use != LdsUse::write && has(g.lds_written, address, bytes, LdsByte::undefined) &&
        !read_undefined(w, address, bytes, lane, data))
      return nullptr;
    if (use != LdsUse::read) mark_lds(w, address, bytes, lane, data);
  }
  if (use == LdsUse::write && g.options->reorders())
    std::memcpy(w.late.lds.emplace_back(Late::Bytes{address, bytes, {}}).value.data(), g.lds.data() + address, bytes);
  return g.lds.data() + address;
}

u8* lds_bytes(Wave& w, u32 address, u32 bytes, int lane, LdsUse use, std::vector<LdsSpan>& spans, Held data) {
  return lds_place(w, address, bytes, lane, use, spans, false, data);
}

u8* lds_landing(Wave& w, u32 address, u32 bytes, int lane, Pending& p) {
  u8* to = lds_place(w, address, bytes, lane, LdsUse::write, p.lds, true, {});
  const Workgroup& g = *w.group;
  if (to && address < g.lds.size() && bytes <= g.lds.size() - address && g.options->checks.in_flight &&
      !g.races.enabled())
    p.lds.push_back({address, static_cast<uint16_t>(bytes), static_cast<uint8_t>(lane), LdsUse::write});
  return to;
}

void load_started(Wave& w, Pending& p) {
  if (!w.group->follows_operations()) return;
  p.dma = true;
  for (const LdsSpan& s : p.lds)
    if (s.use == LdsUse::write)
      for (u32 i = s.address / 4; i < s.dwords_end(); ++i) ++w.group->dma_dwords[i];
  ++w.group->dma_in_flight;
}

namespace {
constexpr u64 low32 = 0xffffffff;

u64 scratch_base(const Wave& w) {
  return w.group->target->architected_scratch() ? w.scratch : w.pair(sreg::flat_scratch);
}

LaneBytes private_place(Wave& w, u32 offset, int lane) { return {Space::priv, offset, scratch_base(w), lane, true}; }

// Calls f(pointer, address, at, bytes) for each run of bytes that is contiguous. False after recording the fault.
template <class F>
bool private_runs(Wave& w, const LaneBytes& p, u32 bytes, F&& f) {
  if (p.checked && (p.address > w.scratch_bytes || bytes > w.scratch_bytes - p.address))
    return w.fail(Fault::Kind::out_of_bounds,
                  std::to_string(bytes) + "-byte access beyond the " + std::to_string(w.scratch_bytes) +
                      " bytes of private memory of a lane",
                  p.lane, p.address),
           false;
  for (u32 done = 0; done < bytes;) {
    const u64 at = p.address + done;
    const u32 run = std::min<u32>(bytes - done, 4 - at % 4);
    const u64 address = p.base + at / 4 * 4 * static_cast<u64>(w.width()) + 4 * static_cast<u64>(p.lane) + at % 4;
    u8* m = translate(w, address, run, p.lane);
    if (!m) return false;
    f(m, address, done, run);
    done += run;
  }
  return true;
}
}  // namespace

std::string multicast_refusal(const Wave& w, u32 mask) {
  if (!clustered(w) || mask >> w.group->cluster->groups == 0) return {};
  return "multicasts to workgroups " + std::to_string(w.group->cluster->groups) + " and up of a cluster that has " +
         std::to_string(w.group->cluster->groups);
}

LaneBytes place_of(Wave& w, const Step& st, u64 address, int lane) {
  if (st.row->format == isa::Format::scratch) return private_place(w, static_cast<u32>(address), lane);
  if (st.row->format != isa::Format::flat) return {Space::device, address, 0, lane, true};
  if (address >> 32 == shared_aperture) return {Space::lds, address & low32, 0, lane, true};
  if (w.group->target->shares_scratch())  // CDNA5 ISA 10.2.1: {private, 0, lane, address of the dword's row}
    return address >> 58 == shared_private_aperture
               ? LaneBytes{Space::priv, address & ((u64{1} << 52) - 1), 0, static_cast<int>(address >> 52 & 31), false}
               : LaneBytes{Space::device, address, 0, lane, true};
  if (address >> 32 == private_aperture) return private_place(w, static_cast<u32>(address), lane);
  return {Space::device, address, 0, lane, true};
}

bool read_place(Wave& w, const LaneBytes& p, u8* to, u32 bytes, std::vector<LdsSpan>& spans, Held into) {
  if (p.space == Space::priv)
    return private_runs(w, p, bytes, [&](const u8* m, u64 address, u32 at, u32 n) {
      std::memcpy(to + at, m, n);
      for (u32 i = 0; i < n;) {  // dword by dword of the registers
        const u32 run = std::min(n - i, 4 - (at + i) % 4);
        written(w, address + i, run, p.lane, advanced(into, at + i));
        i += run;
      }
    });
  const u8* from = p.space == Space::device
                       ? readable(w, p.address, bytes, p.lane)
                       : lds_bytes(w, static_cast<u32>(p.address), bytes, p.lane, LdsUse::read, spans, into);
  if (from) std::memcpy(to, from, bytes);
  return from;
}

bool write_place(Wave& w, const LaneBytes& p, const u8* from, u32 bytes, std::vector<LdsSpan>& spans, Held out) {
  if (p.space == Space::priv)
    return private_runs(w, p, bytes, [&](u8* m, u64 address, u32 at, u32 n) {
      std::memcpy(m, from + at, n);
      mark_written(w, address, n, p.lane, advanced(out, at));
    });
  u8* to = p.space == Space::device
               ? writable(w, p.address, bytes, p.lane, out)
               : lds_bytes(w, static_cast<u32>(p.address), bytes, p.lane, LdsUse::write, spans, out);
  if (to) std::memcpy(to, from, bytes);
  return to;
}

// base + offset of each lane, an unsigned or signed 32-bit number times `scale`; base + the 64 bits of each lane.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] static void add_offsets(u64 base,
                                                                                              const u32* offset,
                                                                                              bool sign, u64 scale,
                                                                                              u64* out) {
  if (sign)
    for (int l = 0; l < W; ++l) out[l] = base + scale * static_cast<u64>(static_cast<i64>(static_cast<i32>(offset[l])));
  else
    for (int l = 0; l < W; ++l) out[l] = base + scale * u64{offset[l]};
}
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] static Bounds add_wide(u64 base, const u32* lo,
                                                                                             const u32* hi, u64* out) {
  Bounds b{~u64{0}, 0};
  for (int l = 0; l < W; ++l) {
    const u64 x = base + (lo[l] | u64{hi[l]} << 32);
    out[l] = x, b.least = x < b.least ? x : b.least, b.most = x > b.most ? x : b.most;
  }
  return b;
}

// vaddr is 64 bits without an SGPR base and a 32-bit offset with one: unsigned, but signed on gfx1250 (CDNA5 ISA 10.2).
// Scratch has 32-bit offsets only, all of them optional, and wraps.
void memory_addresses(Wave& w, const Step& st, int vaddr, int saddr, int bytes, Addresses& a) {
  const TellMemory<Addresses> tell{w, st, a, bytes};
  const u64 offset = static_cast<u64>(static_cast<i64>(st.inst.mods.offset));
  const bool has_base =
      saddr != absent && st.src[saddr].from == Source::From::scalar && st.src[saddr].reg != sreg::null;
  const u32* lo = vaddr != absent && st.src[vaddr].from == Source::From::vector ? w.vreg(st.src[vaddr].reg) : nullptr;
  const u64 scale = st.inst.mods.has(isa::scale_offset) ? static_cast<u64>(bytes) : 1;
  if (st.row->format == isa::Format::scratch) {
    const u32 base = static_cast<u32>(offset) + (has_base ? scalar(w, st.src[saddr].reg) : 0);
    for (int l = 0; l < W; ++l) a.at[l] = base + (lo ? lo[l] * static_cast<u32>(scale) : 0);
    return;
  }
  if (has_base) {
    const u64 base = w.pair(st.src[saddr].reg) + offset;
    add_offsets(base, lo ? lo : zeros, w.group->target->signed_vector_offset(), scale, a.at);
    a.bounds = bounds(a.at, w.width());
    return;
  }
  a.bounds = add_wide(offset, lo ? lo : zeros, lo ? lo + W : zeros, a.at);
  if (w.width() < W) a.bounds = bounds(a.at, w.width());
}

}  // namespace wavesmith::sim
