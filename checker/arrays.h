// Registers that an instruction may access indexed by M0 (v_movrels_b32, s_set_gpr_idx_on): an array starts at the
// named register; its end is not known.
#pragma once
#include "checker/code.h"

namespace wavesmith::checker {

// The registers assumed to be elements of the array at a base: the array extends to the next array's base, or to the
// first register whose current value is still read by name.
class Arrays {
 public:
  explicit Arrays(const Code&);
  bool any() const { return !bases_.empty(); }
  // The elements except the first, at a line; `base` is one of its item.
  RegBits elements(int line, const Base& base) const;

 private:
  const Code& code_;
  std::vector<int> bases_;    // register numbers, ascending
  std::vector<RegBits> out_;  // by block: registers that instructions after it read by name
};

}  // namespace wavesmith::checker
