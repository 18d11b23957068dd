// The encoding of one shape of instructions as a linear map over bits: that of certain numbers of its registers,
// offsets and constants, and what each bit in which a number differs inverts.
#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>

#include <array>
#include <optional>
#include <vector>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Where a number of an encoding comes from: an operand by its number, or one of these.
enum : int { slot_offset = 100, slot_offset0, slot_offset1 };

class LinearEncoding {
 public:
  using Encode = llvm::function_ref<void(const Inst&, std::vector<uint8_t>& out)>;
  using Exists = llvm::function_ref<bool(const Operand&)>;  // is it a register?
  // From encodings of instructions like this one, whose numbers come from `sources`. Empty: not a linear map.
  static std::optional<LinearEncoding> learn(const Inst& like, std::span<const int> sources, Encode, Exists);
  // Appends the bytes; false: not with these numbers, `out` is as before.
  bool encode(const Inst&, Exists, std::vector<uint8_t>& out) const;

 private:
  using Code = std::array<uint64_t, 3>;
  struct Source {
    int source;
    uint32_t at_zero = 0;          // the number that zero_ has
    uint32_t most = ~uint32_t{0};  // larger numbers are encoded otherwise
    std::vector<Code> inverts{};   // by bit
    // A field of the encoding: bit i of those in `field` inverts bit `shift` + i of word `word`, the other bits none.
    // Absent: otherwise.
    int word = absent, shift = 0;
    uint32_t field = 0;
    void find_field();
  };
  Code zero_{};
  size_t bytes_ = 0;
  std::vector<Source> sources_;
};

}  // namespace wavesmith::isa
