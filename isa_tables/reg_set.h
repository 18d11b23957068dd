// Registers of all files numbered together, and sets of them as bit masks.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

// The one numbering: VGPRs 0.., AGPRs 256.. (no target has both more than 256 VGPRs and AGPRs), scalars 1024...
inline constexpr int agpr_base = 256, scalar_base = 1024, reg_words = 20, reg_numbers = 64 * reg_words;
constexpr int number_of(File f, int index) {
  return index + (f == File::s ? scalar_base : f == File::a ? agpr_base : 0);
}
constexpr int number_of(const Operand& o) { return number_of(o.file, o.index); }  // of its first register
// The register of a number; which file 256 and above is in depends on the target.
inline Operand register_of(int number, Arch arch) {
  const File f = number >= scalar_base ? File::s : number >= agpr_base && target(arch).agprs ? File::a : File::v;
  return reg(f, number - number_of(f, 0));
}
using RegBits = std::array<uint64_t, reg_words>;

// Some registers of one word of RegBits.
struct RegPart {
  uint8_t word;
  uint64_t mask;
};

// What the few registers of one instruction answer, wherever their parts are.
template <class Set>
struct RegQueries {
  bool meets(const auto& bits) const {
    for (int i = 0; i < set().count; ++i)
      if (bits[part(i).word] & part(i).mask) return true;
    return false;
  }
  bool inside(const RegBits& bits) const {
    for (int i = 0; i < set().count; ++i)
      if (part(i).mask & ~bits[part(i).word]) return false;
    return true;
  }
  void add_to(RegBits& bits) const {
    for (int i = 0; i < set().count; ++i) bits[part(i).word] |= part(i).mask;
  }
  template <class F>
  void each(F&& f) const {
    for (int i = 0; i < set().count; ++i)
      for (uint64_t m = part(i).mask; m; m &= m - 1) f(part(i).word * 64 + __builtin_ctzll(m));
  }
  // The first register in `bits` (or, with `outside`, the first not in it), if there is one.
  std::optional<int> first(const RegBits& bits, bool outside) const {
    for (int i = 0; i < set().count; ++i)
      if (const uint64_t m = part(i).mask & (outside ? ~bits[part(i).word] : bits[part(i).word]))
        return part(i).word * 64 + __builtin_ctzll(m);
    return {};
  }

 private:
  const Set& set() const { return static_cast<const Set&>(*this); }
  const RegPart& part(int i) const { return set().parts[static_cast<size_t>(i)]; }
};

struct RegSet : RegQueries<RegSet> {
  using Part = RegPart;
  std::array<Part, 16> parts;  // the first `count` of them
  int count = 0;
  RegSet() {}
  void add(int reg) { add(reg / 64, uint64_t{1} << reg % 64); }
  void add(int word, uint64_t mask) {
    for (int i = 0; i < count; ++i)
      if (parts[i].word == word) {
        parts[i].mask |= mask;
        return;
      }
    parts[count++] = {static_cast<uint8_t>(word), mask};
  }
  void add(const Operand& o) {  // no register, or `null`: nothing
    if (!o.is_reg() || (o.file == File::s && o.index == sreg::null)) return;
    for (int first = number_of(o), end = first + o.dwords, next; first < end; first = next) {
      next = std::min(end, (first / 64 + 1) * 64);
      add(first / 64, (~uint64_t{0} >> (64 - (next - first))) << first % 64);
    }
  }
};
// A set that is kept elsewhere.
struct RegView : RegQueries<RegView> {
  const RegPart* parts = nullptr;
  int count = 0;
};

}  // namespace wavesmith::isa
