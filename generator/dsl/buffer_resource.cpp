// A format is three numbers: the bits of the base in word 1, the position of the number of bytes, and word 3. Sources:
// ISA guides, "Buffer Resource Descriptor" (CDNA3 9.1.5, RDNA3 and RDNA4 9.4, CDNA5 9.6); word 3 as Composable Kernel's
// CK_BUFFER_RESOURCE_3RD_DWORD.
#include "generator/dsl/buffer_resource.h"

namespace wavesmith {
namespace {

struct Format {
  uint32_t base_high;  // bits of the base address in word 1
  int bytes_at;        // the number of bytes begins at this bit of word 1, or with word 2 (32)
  uint32_t word3;
};
Format format(Arch a) {
  constexpr uint32_t data_format_32 = 4 << 15, one_byte = 4 << 12, by_byte = 3 << 28, reserved_1 = 1 << 24;
  switch (isa::target(a).resources) {
    case isa::ResourceFormat::gfx9: return {0xffff, 32, data_format_32};
    case isa::ResourceFormat::gfx11:
    case isa::ResourceFormat::gfx12: return {0xffff, 32, by_byte | reserved_1 | one_byte};
    case isa::ResourceFormat::gfx1250: return {0x1ffffff, 25, 0};
  }
  return {};
}

}  // namespace

std::array<uint32_t, 4> raw_buffer_words(Arch arch, uint64_t base, uint32_t bytes) {
  const Format f = format(arch);
  const uint64_t count = uint64_t{bytes} << f.bytes_at;
  return {static_cast<uint32_t>(base), (static_cast<uint32_t>(base >> 32) & f.base_high) | static_cast<uint32_t>(count),
          static_cast<uint32_t>(count >> 32), f.word3};
}

void raw_buffer(Block& b, Sgpr resource, Sgpr base, SSrcArg bytes, Where w) {
  const Format f = format(b.arch());
  if (resource.index != base.index) b.s_mov_b32(resource[0], base[0], {}, w);
  b.s_and_b32(resource[1], base[1], f.base_high, {}, w);
  if (f.bytes_at == 32) b.s_mov_b32(resource[2], bytes, {}, w);
  else {
    b.s_lshl_b32(resource[2], bytes, f.bytes_at, {}, w);
    b.s_or_b32(resource[1], resource[1], resource[2], {}, w);
    b.s_lshr_b32(resource[2], bytes, 32 - f.bytes_at, {}, w);
  }
  b.s_mov_b32(resource[3], f.word3, {}, w);
}

void set_bytes(Block& b, Sgpr resource, SSrcArg bytes, Where w) {
  const Format f = format(b.arch());
  if (f.bytes_at == 32) return void(b.s_mov_b32(resource[2], bytes, {}, w));
  b.s_and_b32(resource[1], resource[1], f.base_high, {}, w);
  b.s_lshl_b32(resource[2], bytes, f.bytes_at, {}, w);
  b.s_or_b32(resource[1], resource[1], resource[2], {}, w);
  b.s_lshr_b32(resource[2], bytes, 32 - f.bytes_at, {}, w);
}

}  // namespace wavesmith
