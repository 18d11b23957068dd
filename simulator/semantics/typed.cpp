// Typed buffer accesses: elements of up to four fields in the resource's format (isa_tables/rows/buffer_formats.def),
// widened to f32 or 32-bit integers, or to 16 bits, in VGPRs. The resource's DST_SEL selects for each channel of the
// VGPRs a field, 0 or 1. Fields that the element lacks read 0 (CDNA3 ISA 9.1.4, "X000, XY00"), and so do elements out
// of range, except where DST_SEL is 1 (CDNA3 ISA 9.1.5.1, RDNA3 ISA 9.4.1). Inferred: stores round to nearest even and
// saturate; integers wider than 16 bits are truncated.
#include <array>
#include <cmath>
#include <optional>

#include "simulator/access.h"
#include "simulator/numerics/numerics.h"

namespace wavesmith::sim {
namespace {

enum class Number : u8 { unorm, snorm, uscaled, sscaled, uint, sint, real };
struct Format {
  u8 width[4];
  Number number;
  u8 data_format, num_format;  // gfx9's
  int bits() const { return width[0] + width[1] + width[2] + width[3]; }
  bool integer() const { return number == Number::uint || number == Number::sint; }
};
constexpr Format formats[] = {
// from FORMAT 1 on
#define FORMAT(fields, x, y, z, w, number, dfmt, nfmt) {{x, y, z, w}, Number::number, dfmt, nfmt},
#include "isa_tables/rows/buffer_formats.def"
#undef FORMAT
};

struct View {
  const Format* format = nullptr;
  u32 select = 0;
};  // select: DST_SEL, 3 bits a channel
// The resource's format; nullptr: invalid, so loads return 0 and stores are dropped. False after a fault.
bool view_of(Wave& w, int sgpr, View& v) {
  const u32 word = w.s[sgpr + 3];
  v.select = word & 0xfff;
  if (w.group->target->gfx9()) {
    if (word >> 23 & 1)
      return w.fail(Fault::Kind::illegal,
                    "a typed access to a resource with ADD_TID, whose DATA_FORMAT holds the stride: not modelled"),
             false;
    const u32 dfmt = word >> 15 & 15, nfmt = word >> 12 & 7;
    if (dfmt == 0) return true;
    for (const Format& f : formats)
      if (f.data_format == dfmt && f.num_format == nfmt) v.format = &f;
    if (!v.format)
      w.fail(Fault::Kind::illegal, "a resource of data format " + std::to_string(dfmt) + ", number format " +
                                       std::to_string(nfmt) + ": no such element format");
    return v.format;
  }
  const u32 code = word >> 12 & 63;
  if (code) v.format = &formats[code - 1];
  return true;
}

// -- One field ---
FloatFormat small_float(int width) {
  return {5, width == 16 ? 10 : width - 5, 15, FloatFormat::Special::ieee};
}  // 10 and 11 bits: no sign
f64 widest(const Format& f, int width) {
  return f.number == Number::unorm || f.number == Number::uscaled ? std::exp2(width) - 1 : std::exp2(width - 1) - 1;
}
i32 sign_extend(u32 x, int width) { return static_cast<i32>(x << (32 - width)) >> (32 - width); }

u32 widened(const Format& f, u32 x, int width) {  // as 32 bits
  switch (f.number) {
    case Number::uint: return x;
    case Number::sint: return static_cast<u32>(sign_extend(x, width));
    case Number::uscaled: return std::bit_cast<u32>(static_cast<f32>(x));
    case Number::sscaled: return std::bit_cast<u32>(static_cast<f32>(sign_extend(x, width)));
    case Number::unorm: return std::bit_cast<u32>(static_cast<f32>(x / widest(f, width)));
    case Number::snorm:
      return std::bit_cast<u32>(static_cast<f32>(std::max(-1.0, sign_extend(x, width) / widest(f, width))));
    case Number::real: return width == 32 ? x : std::bit_cast<u32>(static_cast<f32>(decode(small_float(width), x)));
  }
  return 0;
}
u32 narrowed(const Format& f, u32 x, int width) {
  const u32 mask = width == 32 ? ~0u : (1u << width) - 1;
  const f64 value = std::bit_cast<f32>(x), most = widest(f, width);
  const auto whole = [&](f64 scale, f64 least) {
    return static_cast<u32>(
               static_cast<i64>(std::nearbyint(std::clamp(std::isnan(value) ? 0.0 : value * scale, least, most)))) &
           mask;
  };
  switch (f.number) {
    case Number::uint: return std::min(x, mask);
    case Number::sint:
      return static_cast<u32>(
                 std::clamp<i64>(static_cast<i32>(x), -(i64{1} << (width - 1)), (i64{1} << (width - 1)) - 1)) &
             mask;
    case Number::uscaled: return whole(1, 0);
    case Number::sscaled: return whole(1, -most - 1);
    case Number::unorm: return whole(most, 0);
    case Number::snorm: return whole(most, -most);
    case Number::real: return width == 32 ? x : width < 16 && value < 0 ? 0 : encode(small_float(width), value);
  }
  return 0;
}
u32 to_16(const Format& f, u32 x) { return f.integer() ? x & 0xffff : to_f16(std::bit_cast<f32>(x)); }
u32 from_16(const Format& f, u32 x) {
  return f.number == Number::uint   ? x
         : f.number == Number::sint ? static_cast<u32>(sign_extend(x, 16))
                                    : std::bit_cast<u32>(from_f16(static_cast<u16>(x)));
}

// -- One element ---
using Element = std::array<u32, 4>;  // fields, or channels
Element split(const Format& f, const u8* bytes) {
  Element e{};
  for (int i = 0, at = 0; i < 4; at += f.width[i++]) {
    u64 word = 0;
    if (!f.width[i]) break;
    std::memcpy(&word, bytes + at / 32 * 4, std::min<size_t>(8, 16 - static_cast<size_t>(at) / 32 * 4));
    e[static_cast<size_t>(i)] = static_cast<u32>(word >> at % 32) & (f.width[i] == 32 ? ~0u : (1u << f.width[i]) - 1);
  }
  return e;
}
void join(const Format& f, const Element& e, u8* bytes) {
  for (int i = 0, at = 0; i < 4 && f.width[i]; at += f.width[i++]) {
    u32 word;
    std::memcpy(&word, bytes + at / 32 * 4, 4);
    word |= e[static_cast<size_t>(i)] << at % 32;
    std::memcpy(bytes + at / 32 * 4, &word, 4);
  }
}
u32 channel(const View& v, const Element& fields, int i) {
  const u32 from = v.select >> 3 * i & 7;
  if (from < 4) return from != 1 ? 0 : v.format->integer() ? 1 : std::bit_cast<u32>(1.f);
  const int width = v.format->width[from - 4];
  return width ? widened(*v.format, fields[from - 4], width) : 0;
}

// Calls f(pointer, at, bytes) for each dword of the element, or for all of a smaller one. False after recording the
// fault.
template <class Reach, class F>
bool pieces(Wave& w, const BufferAddresses& a, int lane, u32 bytes, Reach&& reach, F&& f) {
  for (u32 at = 0; at < bytes; at += 4) {
    const u32 n = std::min<u32>(4, bytes);
    const u64 address = a.at[lane] + a.step * u64{at / 4};
    if (!aligned(w, address, n, n, lane)) return false;  // RDNA3 ISA 3.3.3
    auto* p = reach(w, address, n, lane, Held{});
    if (!p) return false;
    f(p, at, n);
  }
  return true;
}

template <int channels, bool d16, bool high>
void load(Wave& w, const Step& st) {
  constexpr int registers = d16 ? (channels + 1) / 2 : channels;
  View v;
  if (!view_of(w, st.src[1].reg, v)) return;
  BufferAddresses a{};
  if (v.format) buffer_addresses(w, st, 0, v.format->bits() / 8, true, a);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    u8 bytes[16] = {};
    const bool there = v.format && a.in_range[0] >> l & 1;
    if (there && !pieces(w, a, l, static_cast<u32>(v.format->bits()) / 8, readable,
                         [&](const u8* p, u32 at, u32 n) { std::memcpy(bytes + at, p, n); }))
      return;
    const Element fields = there ? split(*v.format, bytes) : Element{};
    if (d16 && channels % 2 && w.keeps_half) note_kept(w, st.dst + channels / 2, l, high ? 0xffff : 0xffff0000);
    for (int i = 0; i < channels; ++i) {
      const u32 x = v.format ? channel(v, fields, i) : 0;
      u32& r = w.vreg(st.dst + (d16 ? i / 2 : i))[l];
      if (!d16) r = x;
      else if (high || i % 2) r = (i % 2 || w.keeps_half ? r & 0xffff : 0) | (v.format ? to_16(*v.format, x) : 0) << 16;
      else r = (w.keeps_half ? r & 0xffff0000 : 0) | (v.format ? to_16(*v.format, x) : 0);
    }
  }
  w.written_lanes = w.exec();
  issue(w, pending(st, st.dst, registers));
}

// Which channel of the VGPRs a field is stored from, if any.
std::optional<int> channel_of(const View& v, int field, int channels) {
  for (int i = 0; i < channels; ++i)
    if ((v.select >> 3 * i & 7) == static_cast<u32>(field) + 4) return i;
  return {};
}

template <int channels, bool d16, bool high>
void store(Wave& w, const Step& st) {
  View v;
  if (!view_of(w, st.src[2].reg, v)) return;
  if (!v.format) return issue(w, pending(st, 0, 0));
  BufferAddresses a;
  buffer_addresses(w, st, 1, v.format->bits() / 8, true, a);
  int from[4] = {};
  for (int i = 0; i < 4 && v.format->width[i]; ++i) {
    const auto channel = channel_of(v, i, channels);
    if (!channel)
      return w.fail(Fault::Kind::illegal, "stores an element of which DST_SEL takes field " + std::to_string(i) +
                                              " from no channel: not modelled");
    from[i] = *channel;
  }
  for (u64 m = w.exec() & a.in_range[0]; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    Element e{};
    for (int i = 0; i < 4 && v.format->width[i]; ++i) {
      u32 x = w.vreg(st.src[0].reg + (d16 ? from[i] / 2 : from[i]))[l];
      if (d16) x = from_16(*v.format, high || from[i] % 2 ? x >> 16 : x & 0xffff);
      e[static_cast<size_t>(i)] = narrowed(*v.format, x, v.format->width[i]);
    }
    u8 bytes[16] = {};
    join(*v.format, e, bytes);
    if (!pieces(w, a, l, static_cast<u32>(v.format->bits()) / 8, writable,
                [&](u8* p, u32 at, u32 n) { std::memcpy(p, bytes + at, n); }))
      return;
  }
  issue(w, pending(st, 0, 0));
}

constexpr Semantics rows[] = {
    {"buffer_load_format_x", load<1, false, false>},        {"buffer_load_format_xy", load<2, false, false>},
    {"buffer_load_format_xyz", load<3, false, false>},      {"buffer_load_format_xyzw", load<4, false, false>},
    {"buffer_load_format_d16_x", load<1, true, false>},     {"buffer_load_format_d16_hi_x", load<1, true, true>},
    {"buffer_load_format_d16_xy", load<2, true, false>},    {"buffer_load_format_d16_xyz", load<3, true, false>},
    {"buffer_load_format_d16_xyzw", load<4, true, false>},  {"buffer_store_format_x", store<1, false, false>},
    {"buffer_store_format_xy", store<2, false, false>},     {"buffer_store_format_xyz", store<3, false, false>},
    {"buffer_store_format_xyzw", store<4, false, false>},   {"buffer_store_format_d16_x", store<1, true, false>},
    {"buffer_store_format_d16_hi_x", store<1, true, true>}, {"buffer_store_format_d16_xy", store<2, true, false>},
    {"buffer_store_format_d16_xyz", store<3, true, false>}, {"buffer_store_format_d16_xyzw", store<4, true, false>},
};

}  // namespace

std::span<const Semantics> typed_semantics() { return rows; }

}  // namespace wavesmith::sim
