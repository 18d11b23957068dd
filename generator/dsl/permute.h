// Register transposes by v_perm_b32, which combines any four bytes of two registers.
#pragma once
#include <array>

#include "generator/dsl/constants.h"

namespace wavesmith {

enum class Half : uint8_t { low, high };

// The selector of join_halves().
Sgpr half_selector(Constants&, Half);
// dst = {half of `first`, half of `second`}, as selected. dst may be either.
void join_halves(Block&, Vgpr dst, Vgpr first, Vgpr second, Sgpr selector, Where = Where::current());

// Rows of 16-bit elements: dst[j] = {rows[0][j], rows[1][j]}, two instructions.
class HalfPermutes {
 public:
  explicit HalfPermutes(Constants&);
  // One column.
  void column(Block&, Vgpr dst, Vgpr row0, Vgpr row1, Half, Where = Where::current()) const;
  // dst[0] must not be one of the rows.
  void transpose(Block&, std::array<Vgpr, 2> dst, std::array<Vgpr, 2> rows, Where = Where::current()) const;

 private:
  Sgpr selector_[2];
};

// Rows of 8-bit elements: dst[j] = {rows[0][j], ..., rows[3][j]}, eight instructions.
class BytePermutes {
 public:
  explicit BytePermutes(Constants&);
  // `dst` and `scratch` must not overlap the rows.
  void transpose(Block&, const std::array<Vgpr, 4>& dst, const std::array<Vgpr, 4>& rows, Vgpr scratch,
                 Where = Where::current()) const;

 private:
  HalfPermutes halves_;
  Sgpr pairs_[2];
};

}  // namespace wavesmith
