// Emits the scales of a quantised D: consecutive rows of a column share one, which is stored beside D. A lane has some
// of the rows of a block in registers, neighbouring lanes the others.
#pragma once
#include "generator/dsl/kernel.h"
#include "kernels/parts/epilogue.h"

namespace wavesmith {

// The wave's part of D: its first row and column, the rows and columns of D from there on; rows and columns of D in
// all, and the batch. The lane's place in it: its first row; its column, in the first step.
struct EpiloguePlace {
  Sgpr first_row, first_column, rows_left, columns_left, rows, columns, batch;
  Vgpr row, column;
};

class BlockScaleCode {
 public:
  // `rows`: of a lane; `part_rows`: of a wave, a multiple of the block's. `x`, `y`: scratch, `t`: three of it.
  struct Config {
    Quantisation kind;
    isa::Type output;
    int rows, part_rows, columns_of_a_step;
    Vgpr x, y;
    Sgpr t;
  };
  BlockScaleCode(Kernel&, const Config&);
  // `base`: the address of all scales, a pair; is overwritten.
  void begin(Sgpr base, const EpiloguePlace&);
  void quantise(Vgpr results);  // of the next step: divides them by their block's scale
  void store();                 // the scales of these results, for the active lanes

 private:
  void mask_rows(Vgpr results);
  Kernel& kernel_;
  Config c_;
  const QuantisationInfo& info_;
  EpiloguePlace place_{};
  Owned<File::s> resource_, ld_, step_;  // step_: bytes of scales between steps
  Owned<File::v> at_, scale_;
};

}  // namespace wavesmith
