// Integers of 4 bits to 16-bit floats in registers: (q - zero) scale, rounded
// once. Scale and zero point are those of a group of consecutive elements. f16
// takes 16 instructions for eight elements: v_perm_b32 puts a byte of two
// elements into both halves beside the exponent of 1024, and packed arithmetic,
// exact but for the last product, does the rest. bf16 has no packed arithmetic
// before gfx1250, and goes through f32.
#pragma once
#include "generator/dsl/convert.h"

namespace wavesmith {

class Dequantiser {
 public:
  // To f16 or bf16. Without zero points q is -8 to 7, with them 0 to 15, and so
  // are they.
  enum class Range : uint8_t { with_sign, with_zero_points };
  Dequantiser(Constants&, Arch, isa::Type to, Range);
  // Registers that it keeps and overwrites; call once, constants being loaded.
  void declare(Registers&);
  void begin(Block&) const;  // before all others

  // The factors of a group (2 registers), from its scale in the low half of a
  // register, whose high half is 0, and its zero point, which is not read
  // without zero points. Infinite scales are not supported: bf16 makes NaN of
  // them.
  static constexpr int factor_dwords = 2;
  void prepare(Block&, Vgpr factors, Vgpr scale, Vgpr zero) const;
  // The eight elements of `from`, lowest bits first, to four registers.
  void convert(Block&, Vgpr to, Vgpr from, Vgpr factors) const;
  void free() { scratch_.free(), exponent_.free(); }

 private:
  void to_f16(Block&, Vgpr to, Vgpr q, Vgpr factors) const;
  void to_bf16(Block&, Vgpr to, Vgpr q, Vgpr factors) const;
  isa::Type to_;
  Range range_;
  std::optional<PairConversion> pair_;
  Sgpr byte_twice_[4], sixteenth_;
  Owned<File::v> scratch_, exponent_;
};

}  // namespace wavesmith
