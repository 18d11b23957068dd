// A simple model of when one wave, alone on its SIMD, issues its instructions: in order, at most one per slot, each
// when its unit is free, its operands are ready (loads: L2 hits, no s_waitcnt needed) and its hazard wait states have
// passed. It does not model other waves, queue limits, bank conflicts and instruction fetch: use it to compare two
// orders, not for absolute times.
#pragma once
#include <array>
#include <vector>

#include "generator/dsl/node.h"
#include "isa_tables/hazards/hazards.h"
#include "isa_tables/reg_set.h"
#include "isa_tables/timing/issue.h"

namespace wavesmith {

class Block;

class IssueModel {
 public:
  explicit IssueModel(Arch arch)
      : arch_(arch), hazards_(arch), ready_(isa::reg_numbers, 0), multiplied_(isa::reg_numbers, 0) {}
  // The clock at which the instruction could issue next.
  int earliest(const Inst&, const isa::Effects&) const;
  void issue(const Inst&, const isa::Effects&);
  int clock() const { return now_; }          // after the last instruction's issue slot
  int finished() const { return finished_; }  // all units done and results available, except memory loads

 private:
  enum UnitSlot { valu, xdl, lds, vmem, scalar, units };
  static UnitSlot slot(const isa::Info&);
  Arch arch_;
  int slot_clocks_ = isa::slot_clocks(arch_);
  isa::HazardTracker hazards_;
  std::vector<int> ready_;       // clock at which a register's value may be used, by isa::number_of
  std::vector<int> multiplied_;  // the same of a matrix result, for other than matrix instructions
  std::array<int, units> free_{};
  int now_ = 0, finished_ = 0;
  int shadow_ = 0,
      after_packed_ = 0;  // from when VALU runs beside the last matrix instruction; a matrix one after packed f32
};

// Clocks for a straight-line Block.
int predicted_clocks(const Block&);

}  // namespace wavesmith
