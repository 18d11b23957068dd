// Registers that an instruction may mean by M0 (v_movrels_b32, s_set_gpr_idx_on): an array begins at the register it
// names, and nothing says where it ends.
#pragma once
#include "checker/code.h"

namespace wavesmith::checker {

// Which registers are taken for elements of the array at a base: those above it, up to the next base or the first whose
// present value is still read by name. What a load puts into one of the others is for an index to find, or for nobody.
class Arrays {
 public:
  explicit Arrays(const Code&);
  bool any() const { return !bases_.empty(); }
  // The elements but for the first, at a line; `base` is of its item.
  RegBits elements(int line, const Base& base) const;

 private:
  const Code& code_;
  std::vector<int> bases_;       // register numbers, ascending
  std::vector<RegBits> behind_;  // by block: read by name behind it
};

}  // namespace wavesmith::checker
