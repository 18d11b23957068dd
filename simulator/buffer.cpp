// Buffer resources (V#): address and range of every lane. Swizzled, the records of several indices are interleaved by
// elements. gfx9 has a fixed element size of 4 bytes (its V# has no field for it; Mesa, LLVM, rocjitsu). Where the
// guides and silicon differ, silicon counts: gfx950 as in ROCm/rocm-systems pull request 10928, gfx1100 and gfx1201 as
// in rocjitsu's rdna_buffer_address and its test. Inferred: CDNA1 to CDNA3 as gfx950, RDNA3.5 as gfx1100.
#include "simulator/access.h"
#include "simulator/observer.h"

namespace wavesmith::sim {
namespace {

enum class Range : u8 { none, gfx9_structured, structured, index_only, not_empty, raw, bytes, bytes_and_stride };
struct Resource {
  u64 base = 0, records = 0;
  u32 stride = 0, element = 0, index_stride = 1;  // element: bytes; 0: linear
  u32 plain_stride = 0;                           // without the scale factor
  bool add_tid = false;
  bool offset_in_swizzle = false;  // the scalar offset is swizzled too, and the offset has 64 bits
  Range range = Range::none;
  bool has_format = true;
};

u32 scaled_stride(u32 stride, u32 code) {
  constexpr u32 scale[] = {1, 4, 8, 32};
  return stride * scale[code];
}

// CDNA3 ISA 9.1.5 to 9.1.8, RDNA3 ISA 9.4 to 9.6.
void early(const u32* r, bool gfx9, bool idxen, Resource& v) {
  v.base = (r[0] | u64{r[1]} << 32) & 0xffffffffffff;
  v.stride = v.plain_stride = r[1] >> 16 & 0x3fff, v.records = r[2];
  const bool tid = r[3] >> 23 & 1;
  v.index_stride = 8u << (r[3] >> 21 & 3);
  if (gfx9) {
    const bool swizzle = r[1] >> 31;
    v.add_tid = tid && (swizzle || !idxen);         // gfx950
    v.element = swizzle && (idxen || tid) ? 4 : 0;  // linear without either (HipKittens' kernels, rocjitsu)
    v.range = tid && !idxen ? Range::none : v.stride && idxen ? Range::gfx9_structured : Range::raw;
    const u32 data_format = r[3] >> 15 & 0xf;
    if (v.add_tid) v.stride |= data_format << 14;  // stride bits 17:14
    else v.has_format = data_format != 0;
    return;
  }
  v.add_tid = tid && !idxen;  // gfx1100, gfx1201: instead of an index
  constexpr u32 elements[] = {0, 4, 0, 16};
  constexpr Range modes[] = {Range::structured, Range::index_only, Range::not_empty, Range::raw};
  v.element = idxen || tid ? elements[r[1] >> 30] : 0;  // the same
  v.range = modes[r[3] >> 28 & 3];
  if (v.range == Range::raw && v.element && v.stride) v.range = Range::structured;
  v.has_format = (r[3] >> 12 & 0x3f) != 0;
}

// CDNA5 ISA 9.6.
void late(const u32* r, Resource& v) {
  v.base = (r[0] | u64{r[1]} << 32) & ((u64{1} << 57) - 1);
  v.records = (r[1] >> 25 | u64{r[2]} << 7 | u64{r[3]} << 39) & ((u64{1} << 45) - 1);
  v.plain_stride = r[3] >> 12 & 0x3fff, v.stride = scaled_stride(v.plain_stride, r[3] >> 26 & 3);
  v.index_stride = 32, v.offset_in_swizzle = true;
  v.element = r[3] >> 28 & 1 ? 16 : 0;
  v.range = v.element ? Range::none : r[3] >> 29 & 1 ? Range::bytes_and_stride : Range::bytes;
}

void read_resource(const Wave& w, int sgpr, bool idxen, Resource& v) {
  const u32* r = &w.s[sgpr];
  const auto format = w.group->target->resources;
  if (format == isa::ResourceFormat::gfx1250) return late(r, v);
  early(r, format == isa::ResourceFormat::gfx9, idxen, v);
  if (format == isa::ResourceFormat::gfx12) v.stride = scaled_stride(v.stride, r[3] >> 18 & 3);
}

struct Element {
  u64 index, offset, scalar;
};  // offset: vector and immediate

bool in_range(const Resource& v, const Element& i, u32 first, u32 bytes) {
  const u64 offset = i.offset + first, end = offset + bytes, total = i.index * v.stride + i.scalar + end;
  switch (v.range) {
    case Range::none: return true;
    case Range::gfx9_structured: return i.index < v.records;
    case Range::structured: return i.index < v.records && end <= v.stride;
    case Range::index_only: return i.index < v.records;
    case Range::not_empty: return v.records != 0;
    case Range::raw: return i.scalar + end <= v.records;
    case Range::bytes: return total <= v.records;
    case Range::bytes_and_stride: return total <= v.records && i.scalar + end <= v.stride;
  }
  return false;
}

u64 address(const Resource& v, const Element& i) {
  if (!v.element) return v.base + i.scalar + i.index * v.stride + i.offset;
  const u64 offset = v.offset_in_swizzle ? i.offset + i.scalar : i.offset, n = v.index_stride;
  return v.base + (v.offset_in_swizzle ? 0 : i.scalar) + (i.index / n * v.stride + offset / v.element * v.element) * n +
         i.index % n * v.element + offset % v.element;
}

// first + index * stride + offset of each lane, and the range of all.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] Bounds linear(u64 first, const u32* index,
                                                                                    u32 stride, const u32* offset,
                                                                                    u64* at) {
  Bounds b{~u64{0}, 0};
  for (int l = 0; l < W; ++l) {
    const u64 x = first + u64{index[l]} * stride + offset[l];
    at[l] = x, b.least = x < b.least ? x : b.least, b.most = x > b.most ? x : b.most;
  }
  return b;
}

}  // namespace

void buffer_addresses(Wave& w, const Step& st, int vaddr, int bytes, bool whole, BufferAddresses& a) {
  const TellMemory<BufferAddresses> tell{w, st, a, bytes};
  const isa::Mods& m = st.inst.mods;
  const bool idxen = m.has(isa::idxen), offen = m.has(isa::offen);
  Resource r;  // filled in place, because the host stalls on wide reads of narrow writes
  read_resource(w, st.src[vaddr + 1].reg, idxen, r);
  // Without a format, of its own or the instruction's, the access is dropped (AMD's PAL; MIOpen's Winograd kernels
  // switch accesses off so). Not known of scalar loads.
  if (!r.has_format && st.row->format != isa::Format::mtbuf) r.records = 0, r.range = Range::not_empty;
  const u64 scalar = scalar_value(w, st.src[vaddr + 2]);
  const u32* v = st.src[vaddr].from == Source::From::vector ? w.vreg(st.src[vaddr].reg) : nullptr;
  const u32 *index = idxen ? v : nullptr, *offset = offen ? (idxen ? v + W : v) : nullptr;
  const int pieces = std::max(1, bytes / 4), piece = bytes < 4 ? bytes : 4;
  for (u64& x : a.in_range) x = 0;
  a.step = r.element && r.element < static_cast<u32>(bytes) ? r.element * r.index_stride : 4;
  a.row = r.element == 4 ? r.element * r.index_stride : 0,
  a.skew = static_cast<u32>(r.base + (r.offset_in_swizzle ? 0 : scalar)) % 4;
  if (const bool by_bytes = r.range == Range::raw || r.range == Range::bytes;
      !whole && !r.element && !r.add_tid && by_bytes &&
      !(index && r.stride)) {  // the common case: linear and in range, one addition per lane
    a.bounds = linear(r.base + scalar + static_cast<u32>(m.offset), index ? index : zeros, r.stride,
                      offset ? offset : zeros, a.at);
    if (w.width() < W) a.bounds = bounds(a.at, w.width());
    if (a.bounds.most - r.base + 4 * static_cast<u64>(pieces - 1) + static_cast<u64>(piece) <= r.records) {
      for (int d = 0; d < pieces; ++d) a.in_range[d] = w.all;
      a.plain = true;
      return;
    }
  }
  u64 low = 0;  // the bits set in any offset
  for (int l = 0; l < W; ++l) {
    Element i{(index ? u64{index[l]} : 0) + (r.add_tid ? static_cast<u64>(l) : 0),
              (offset ? u64{offset[l]} : 0) + static_cast<u32>(m.offset), scalar};
    if (!r.offset_in_swizzle) i.offset &= 0xffffffff;  // RDNA4 ISA 9.4.2, and gfx950
    a.at[l] = address(r, i), low |= a.at[l] - a.skew;
    if (whole) {
      const bool in = in_range(r, i, 0, static_cast<u32>(bytes));
      for (u64& x : a.in_range) x |= u64{in} << l;
      continue;
    }
    for (int d = 0; d < pieces; ++d)
      a.in_range[d] |= u64{in_range(r, i, 4 * static_cast<u32>(d), static_cast<u32>(piece))} << l;
  }
  a.plain = a.step == 4 && (!a.row || low % 4 == 0) &&
            std::all_of(a.in_range, a.in_range + pieces, [&](u64 lanes) { return (lanes & w.all) == w.all; });
  a.bounds = bounds(a.at, w.width());
}

// Out of range if offset >= max(stride, 1) * num_records, dword by dword, on gfx1250 too; the stride's scale does not
// count, nor do bits of the base below the element (RDNA4 ISA 8.1.2, CDNA5 ISA 8.1.2).
ScalarBuffer scalar_buffer(const Wave& w, int sgpr, u32 bytes) {
  Resource r;
  read_resource(w, sgpr, false, r);
  return {r.base & ~u64{bytes - 1}, r.records * std::max(1u, r.plain_stride)};
}

}  // namespace wavesmith::sim
