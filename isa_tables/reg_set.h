// Sets of registers of all files, numbered together, as bit masks.
#pragma once
#include <array>
#include <cstdint>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Registers numbered together: VGPRs 0.., AGPRs 256.. (no target has both more than 256 VGPRs and AGPRs), scalars
// 1024...
inline constexpr int reg_words = 20, scalar_base = 1024;
using RegBits = std::array<uint64_t, reg_words>;

// The few registers of one instruction, as masks of RegBits words.
struct RegSet {
  struct Part {
    uint8_t word;
    uint64_t mask;
  };
  std::array<Part, 16> parts{};
  int count = 0;
  void add(int reg) {
    for (int i = 0; i < count; ++i)
      if (parts[i].word == reg / 64) {
        parts[i].mask |= uint64_t{1} << reg % 64;
        return;
      }
    parts[count++] = {static_cast<uint8_t>(reg / 64), uint64_t{1} << reg % 64};
  }
  bool meets(const RegBits& bits) const {
    for (int i = 0; i < count; ++i)
      if (bits[parts[i].word] & parts[i].mask) return true;
    return false;
  }
  bool inside(const RegBits& bits) const {
    for (int i = 0; i < count; ++i)
      if (parts[i].mask & ~bits[parts[i].word]) return false;
    return true;
  }
  template <class F>
  void each(F&& f) const {
    for (int i = 0; i < count; ++i)
      for (uint64_t m = parts[i].mask; m; m &= m - 1) f(parts[i].word * 64 + __builtin_ctzll(m));
  }
  // The first register in `bits` (or, with `outside`, the first not in it); -1: none.
  int first(const RegBits& bits, bool outside) const {
    for (int i = 0; i < count; ++i)
      if (const uint64_t m = parts[i].mask & (outside ? ~bits[parts[i].word] : bits[parts[i].word]))
        return parts[i].word * 64 + __builtin_ctzll(m);
    return -1;
  }
};

}  // namespace wavesmith::isa
