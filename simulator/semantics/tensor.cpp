// The tensor data mover: a tile of up to five dimensions between memory and LDS, described by a descriptor in SGPRs
// (CDNA5 ISA 10.11). pad_interval is 2^(n+1) dwords (10.11.2's example) and pad_amount n+1 (missing in the guide; as
// Triton writes it). Inferred: type 0 makes a null descriptor (production attention kernels clear the field after the
// last tile and still count the operation).
#include <array>
#include <bit>

#include "simulator/access.h"
#include "simulator/observer.h"

namespace wavesmith::sim {
namespace {

struct Descriptor {
  bool valid = false, gather = false, wide_index = false, pads = false, iterates = false, arrives = false;
  u32 lds = 0, element = 1, pad_interval = 0, pad_amount = 0, arrive_at = 0;  // bytes
  u64 global = 0;
  u32 groups_mask = 0, type = 0;
  u64 extent[5] = {}, tile[5] = {}, stride[5] = {1, 0, 0, 0, 0};  // elements
  u64 lds_step = 0, global_step = 0, repeats = 1;                 // elements
  u32 index[16] = {};                                             // rows to gather
};

u64 bit_field(const u32* d, int at, int count) {
  u64 x = 0;
  for (int b = 0, n; b < count; b += n) {
    const int first = (at + b) % 32;
    n = std::min(32 - first, count - b);
    x |= (d[(at + b) / 32] >> first & (~u64{0} >> (64 - n))) << b;
  }
  return x;
}

Descriptor read_descriptor(const u32* g0, const u32* g1, const u32* g2, const u32* g3) {
  Descriptor d;
  d.valid = bit_field(g0, 0, 2) == 1;
  d.wide_index = g0[0] >> 30 & 1, d.gather = g0[0] >> 31;
  d.lds = g0[1], d.global = bit_field(g0, 64, 57), d.type = static_cast<u32>(bit_field(g0, 126, 2));
  d.groups_mask = g1[0] & 0xffff;
  d.element = 1u << (g1[0] >> 16 & 3);
  d.arrives = g1[0] >> 18 & 1, d.iterates = g1[0] >> 19 & 1, d.pads = g1[0] >> 20 & 1;
  d.pad_interval = 4u << ((g1[0] >> 22 & 7) + 1), d.pad_amount = 4 * ((g1[0] >> 25) + 1);
  d.arrive_at = static_cast<u32>(bit_field(g1, 32, 16)) << 3;
  d.extent[0] = bit_field(g1, 48, 32), d.extent[1] = bit_field(g1, 80, 32);
  for (int i = 0; i < 3; ++i) d.tile[i] = bit_field(g1, 112 + 16 * i, 16);
  d.stride[1] = bit_field(g1, 160, 48), d.stride[2] = bit_field(g1, 208, 48);
  if (!g2 || d.gather) {
    d.tile[2] = 0;
    for (int i = 0; g2 && g3 && i < 16; ++i)
      d.index[i] = d.wide_index ? (i < 8 ? (i < 4 ? g2 : g3)[i % 4] : 0)
                                : static_cast<u32>(bit_field(i < 8 ? g2 : g3, i % 8 * 16, 16));
    return d;
  }
  d.extent[2] = g2[0];
  if (d.iterates) {
    d.lds_step = g2[1], d.global_step = bit_field(g2, 64, 48), d.repeats = bit_field(g2, 112, 16);
    return d;
  }
  d.extent[3] = g2[1], d.stride[3] = bit_field(g2, 64, 48), d.tile[3] = bit_field(g2, 112, 16);
  if (!g3) return d;
  d.stride[4] = bit_field(g3, 0, 48), d.extent[4] = bit_field(g3, 48, 32), d.tile[4] = bit_field(g3, 80, 16);
  return d;
}

// Why the hardware would not execute the descriptor as intended; empty: it would.
std::string refusal(const Wave& w, const Descriptor& d, bool load, bool has_four) {
  if (d.type != 2) return "the descriptor's type is " + std::to_string(d.type) + ", not 2";
  if (d.groups_mask && !clustered(w)) return "the descriptor's workgroup mask must be 0 outside of a cluster";
  if (load && d.groups_mask)  // multicast: every workgroup of the mask issues its own request
    if (auto why = multicast_refusal(w, d.groups_mask); !why.empty()) return why;
  constexpr u64 most = u64{1} << 24;  // elements, more than any LDS holds
  u64 n = d.repeats;
  for (const u64 t : d.tile) n = std::min(n, most + 1) * std::max<u64>(t, 1);
  if (n > most) return "moves more than 2^24 elements";
  if (d.pads && d.tile[0] * d.element % 4) return "padding needs rows of a multiple of 4 bytes";
  if ((d.gather || d.iterates) && !has_four) return "gather and iteration need descriptor groups 2 and 3";
  if (d.gather && d.tile[1] > (d.wide_index ? 8u : 16u))
    return "gathers " + std::to_string(d.tile[1]) + " rows; the descriptor holds " + (d.wide_index ? "8" : "16");
  return {};
}

// Walks a tile's bytes in LDS order, with padding on loads.
struct LdsCursor {
  u64 at = 0;
  u32 run = 0;  // bytes since the last padding
  void advance(const Descriptor& d, bool pads, u32 bytes) {
    at += bytes, run += bytes;
    if (pads && run >= d.pad_interval) at += d.pad_amount, run = 0;
  }
};

struct Mover {
  Wave& w;
  const Descriptor& d;
  const Step& st;
  const bool load, moves;  // moves: not only the addresses are wanted
  Pending& p;

  // Bytes that are contiguous on both sides, at most 16. False after a fault.
  bool move(u64 global, u64 lds, u32 bytes, bool inside) {
    const u64 size = w.group->lds.size();
    if (lds > size || bytes > size - lds)
      return w.fail(Fault::Kind::out_of_bounds, "a tile leaves the " + std::to_string(size) + " bytes of LDS allocated",
                    -1, lds),
             false;
    if (load) {
      const u8* from = inside ? readable(w, global, bytes, absent) : nullptr;
      if (inside && !from) return false;
      u8* to = lds_landing(w, static_cast<u32>(lds), bytes, absent, p);
      if (!to) return false;
      if (from) std::memcpy(to, from, bytes);
      else std::memset(to, 0, bytes);
      return true;
    }
    if (!inside) return true;  // a dropped store; its LDS bytes are not read
    const u8* from = lds_bytes(w, static_cast<u32>(lds), bytes, absent, LdsUse::read, p.lds);
    u8* to = from ? writable(w, global, bytes, absent) : nullptr;
    if (to) std::memcpy(to, from, bytes);
    return to;
  }

  // Elements from the `x`-th on that lie in one aligned 16 bytes of LDS, before the next padding, and all inside of the
  // tensor or all outside; one at least.
  u64 elements_together(u64 x, const LdsCursor& c) const {
    u64 bytes = 16 - c.at % 16;
    if (load && d.pads) bytes = std::min<u64>(bytes, d.pad_interval - c.run);
    const u64 end = x < d.extent[0] ? std::min(d.extent[0], d.tile[0]) : d.tile[0];
    return std::clamp<u64>(bytes / d.element, 1, end - x);
  }

  // Rows that are told to the observer as lanes, so many at a time where nothing is moved.
  std::array<u64, 32> untold{};
  size_t rows_untold = 0;
  void tell() {
    const auto bytes = static_cast<int>(std::min(d.tile[0], d.extent[0]) * d.element);
    if (const size_t n = std::exchange(rows_untold, 0); n && bytes)
      w.group->observer->memory(w, st, std::span(untold).first(n), ~u64{0} >> (64 - n), bytes);
  }

  bool row(u64 global, bool inside, LdsCursor& c) {
    if (w.group->observer && inside) {
      untold[rows_untold++] = global;
      if (moves || rows_untold == untold.size()) tell();
    }
    if (!moves) return true;
    for (u64 x = 0, n; x < d.tile[0]; x += n) {
      n = elements_together(x, c);
      const auto bytes = static_cast<u32>(n * d.element);
      if (!move(global + x * d.element, c.at, bytes, inside && x < d.extent[0])) return false;
      c.advance(d, load && d.pads, bytes);
    }
    return true;
  }

  bool tile(u64 global, u64 lds) {
    LdsCursor c{lds, 0};
    if (d.gather) {
      for (u64 i = 0; i < d.tile[1]; ++i)
        if (!row(global + d.index[i] * d.stride[1] * d.element, d.index[i] < d.extent[1], c)) return false;
      return true;
    }
    const auto count = [&](int k) { return std::max<u64>(d.tile[k], 1); };
    const auto within = [&](int k, u64 at) { return d.tile[k] == 0 || at < d.extent[k]; };
    for (u64 e = 0; e < count(4); ++e)
      for (u64 z = 0; z < count(3); ++z)
        for (u64 y = 0; y < count(2); ++y) {
          const u64 rows = global + (y * d.stride[2] + z * d.stride[3] + e * d.stride[4]) * d.element;
          const bool inside = within(2, y) && within(3, z) && within(4, e);
          for (u64 r = 0; r < count(1); ++r)
            if (!row(rows + r * d.stride[1] * d.element, inside && within(1, r), c)) return false;
        }
    return true;
  }
};

template <bool load, bool moves = true>
void tensor(Wave& w, const Step& st) {
  const auto group = [&](int i) {
    return i < st.sources && st.src[i].from == Source::From::scalar && st.src[i].reg != sreg::null ? &w.s[st.src[i].reg]
                                                                                                   : nullptr;
  };
  const u32 *g2 = group(2), *g3 = group(3);
  const Descriptor d = read_descriptor(group(0), group(1), g2, g3);
  Pending p = pending(st, 0, 0);
  w.written_lanes = 0;
  if (!d.valid || d.type == 0 || d.tile[0] == 0) return issue(w, std::move(p));  // a null descriptor moves nothing
  if (const auto why = refusal(w, d, load, g2 && g3); !why.empty()) return w.fail(Fault::Kind::illegal, why);
  if constexpr (!moves)
    if (d.arrives) return tensor<load>(w, st);
  if (d.arrives) land_lds(w);  // operations before it, in order
  if (load && d.groups_mask && w.group->observer) w.group->observer->multicast(std::popcount(d.groups_mask));
  Mover m{w, d, st, load, moves, p};
  for (u64 i = 0; i < (d.iterates ? d.repeats : 1); ++i)
    if (!m.tile(d.global + i * d.global_step * d.element, d.lds + i * d.lds_step * d.element)) return;
  m.tell();
  if (d.arrives) {
    u8* cell = lds_bytes(w, d.arrive_at, 8, absent, LdsUse::atomic, p.lds);
    if (!cell) return;
    land_lds(w);
    arrive_in_lds(cell, 1);
  }
  if (!moves) return;
  if (load) load_started(w, p);
  issue(w, std::move(p));
}

constexpr Semantics rows[] = {{"tensor_load_to_lds", tensor<true>}, {"tensor_store_from_lds", tensor<false>}};

}  // namespace

std::span<const Semantics> tensor_semantics() { return rows; }

void tensor_addresses(Wave& w, const Step& st) { tensor<true, false>(w, st); }

}  // namespace wavesmith::sim
