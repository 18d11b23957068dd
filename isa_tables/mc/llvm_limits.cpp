#include "isa_tables/mc/llvm_limits.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa_tables/arch_sets.h"
#include "isa_tables/isa.h"

namespace wavesmith::isa {
namespace {

// Bits that a target ignores (CDNA5 guide 10.11, 7.12.6): AMD's assembler leaves them zero, LLVM's disassembler
// requires a value. An encoding is recognised by `mask` and `value` of its dword `at`; in dword `dword` the bits
// `fixed` are set to `bits`.
struct Ignored {
  ArchSet archs;
  int at;
  uint32_t mask, value;
  int dword;
  uint32_t fixed, bits;
};
constexpr Ignored ignored_bits[] = {
    {sets::gfx1250, 0, 0xfc3f8000, 0xd0310000, 0, 0x03c03fff, 0x00400001},
    {sets::gfx1250, 0, 0xfc3f8000, 0xd0310000, 1, 0xff000000, 0x7c000000},  // tensor_load_to_lds, tensor_store_from_lds
    {sets::gfx1250, 0, 0xffff0000, 0xcc350000, 1, 0x07fc0000, 0x04000000},
    {sets::gfx1250, 0, 0xffff0000, 0xcc3a0000, 1, 0x07fc0000, 0x04000000},  // src2 of the scale half
    {sets::gfx1250, 0, 0xffff0000, 0xcc880000, 0, 0x00004000, 0x00004000},
    {sets::gfx1250, 0, 0xffff0000, 0xcc880000, 1, 0x18000000, 0x18000000},  // op_sel_hi of v_wmma_f32_32x16x128_f4
    {sets::gfx1250, 2, 0xffff0000, 0xcc880000, 2, 0x00004000, 0x00004000},
    {sets::gfx1250, 2, 0xffff0000, 0xcc880000, 3, 0x18000000, 0x18000000},
};

}  // namespace

bool kills_llvm(std::span<const uint8_t> code, Arch arch) {
  constexpr uint32_t literal = 255, sdwa = 249;
  std::array<uint32_t, 2> words{};
  if (code.size() < 4) return false;
  std::memcpy(words.data(), code.data(), std::min(code.size(), sizeof words));
  const auto first = [&](int at, int width) { return words[0] >> at & ((1u << width) - 1); };
  const auto second = [&](int at, int width) { return words[1] >> at & ((1u << width) - 1); };
  if (target(arch).cache_hints()) {  // gfx12, SOP1: s_barrier_signal to s_barrier_join, s_wakeup_barrier
    const uint32_t op = first(8, 8);
    return first(23, 9) == 0x17d && first(0, 8) == literal && ((op >= 0x4e && op <= 0x52) || op == 0x57);
  }
  if (!target(arch).gfx9()) return false;
  const uint32_t format = first(26, 6);
  if (format == 0x34) {  // VOP3, VOP3P
    const uint32_t op = first(16, 10);
    const bool scalar =
        op < 0x100 || op == 0x142 || op == 0x289;  // the result of comparisons, v_readfirstlane_b32, v_readlane_b32
    return second(0, 9) == literal || second(9, 9) == literal || second(18, 9) == literal ||
           (scalar && first(0, 8) == literal);
  }
  if (format == 0x38 || format == 0x3a) return second(24, 8) == literal;  // SOFFSET of MUBUF, MTBUF
  if (first(31, 1) == 0 && first(0, 9) == sdwa) {
    const bool vop1 = first(25, 6) == 0x3f,
               vopc = first(25, 6) == 0x3e;  // VOPC has a lane mask instead of DST_SEL and DST_UNUSED
    return second(16, 3) == 7 || (!vop1 && second(24, 3) == 7) || (!vopc && (second(8, 3) == 7 || second(11, 2) == 3));
  }
  return false;
}

bool literal_255(std::span<const uint8_t> code, Arch arch) {
  std::array<uint32_t, 2> words{};  // also of code that ends within the literal: the rest reads as zeros
  if (code.size() <= 4) return false;
  std::memcpy(words.data(), code.data(), std::min(code.size(), sizeof words));
  const uint32_t op = words[0] >> 25, madmk = target(arch).gfx9() ? 0x24 : 0x37;
  return words[1] == 255 && (op == madmk || op == madmk + 1);
}

std::vector<uint8_t> with_usual_bits(std::span<const uint8_t> code, Arch arch) {
  std::array<uint32_t, 4> words{};
  const size_t n = std::min<size_t>(code.size(), sizeof words) / 4;
  std::memcpy(words.data(), code.data(), 4 * n);
  bool changed = false;
  for (const Ignored& r : ignored_bits) {
    if (!(r.archs & bit(arch)) || r.at >= static_cast<int>(n) || r.dword >= static_cast<int>(n) ||
        (words[r.at] & r.mask) != r.value)
      continue;
    words[r.dword] = (words[r.dword] & ~r.fixed) | r.bits;
    changed = true;
  }
  if (!changed) return {};
  std::vector<uint8_t> out(4 * n);
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

}  // namespace wavesmith::isa
