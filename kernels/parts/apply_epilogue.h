// Emits an Epilogue for results in registers: a lane has `rows` consecutive rows of one column of D. The kernel brings
// the results there and stores what convert() leaves; where they come from and go to is not known here. In order:
//
//   begin()                       once: scalars, operands along rows
//   load_columns()                operands along columns, of the next `steps` results of each lane
//   scale(), add_scaled(), activate(), gate(), add(), observe(), scale_result(), quantise(), convert()   of each result
//   end()                         once: absmax
//
// Arithmetic is in f32, or in i32 and f64 with those sums; then only biases and a residual are possible.
#pragma once
#include <functional>

#include "generator/dsl/convert.h"
#include "kernels/parts/address.h"
#include "kernels/parts/block_scales.h"
#include "kernels/parts/epilogue.h"

namespace wavesmith {

// Of the sums; of alpha, beta and all that follows; of D.
struct EpilogueTypes {
  isa::Type sum, scale, output;
};
// A NaN becomes 0x7fc00000, whose low half is 0 (Nans::quiet_16). Clobbers SCC.
void plain_nan(Stream&, Sgpr f32, Sgpr scratch);

class EpilogueCode {
 public:
  // `x`, `y`: a register each; `t`: four. All are scratch.
  struct Scratches {
    Vgpr x, y;
    Sgpr t;
  };
  using LoadPointer = std::function<void(Sgpr pair, EpiloguePart)>;
  EpilogueCode(Kernel& kernel, const Epilogue& e, EpilogueTypes types, int rows, Scratches scratch)
      : kernel_(kernel), e_(e), types_(types), rows_(rows), s_(scratch) {}

  void request(Constants&, Nans);  // of conversions; Nans: in the sums
  // Registers of the operands, of that many results a lane; `part_rows`: of a wave. `groups` of rows that a lane has,
  // `group_rows` apart. Those of an earlier call are free.
  void declare(int steps, int columns_of_a_step, int part_rows, int groups = 1, int group_rows = 0);
  void free();
  void free_resources();                                    // of operands along columns, once they are loaded
  std::vector<int> registers(int steps, int groups) const;  // VGPRs that declare() takes, tuple by tuple
  Vgpr element(Vgpr results, int row) const { return results.slice(row * dwords(), dwords()); }
  int rows() const { return rows_; }

  // From here on the code is to run beside matrix instructions: without packed f32, where that does not (gfx9).
  void beside_products(bool beside) { beside_products_ = beside; }
  // alpha and beta become their products with the scalar scales.
  void fold_scales(const LoadPointer&, Sgpr alpha, Sgpr beta);
  void begin(const LoadPointer&, const EpiloguePlace&);
  void begin_scales(Sgpr base, const EpiloguePlace& place) { block_scales_->begin(base, place); }
  void load_columns(AnyArg first);  // of the part
  // Which of the operands' registers a result takes.
  struct At {
    int step = 0, group = 0;
    At(int of_step, int of_group = 0) : step(of_step), group(of_group) {}
  };
  // `alpha`: of f32 twice, in an aligned pair. `half`: 1 of what is gated.
  // `sums`: where those of f32 are, from a row on; default: in `results`.
  using Sums = std::function<Vgpr(int row, int rows)>;
  void scale(Vgpr results, Sgpr alpha, At, int half = 0, const Sums& sums = {});
  void add_scaled(Vgpr result, Sgpr beta, Vgpr value);
  void activate(Vgpr results, At);                // biases, activation, clamp
  void gate(Vgpr results, Vgpr gated, int step);  // after activate()
  void add(Vgpr result, Vgpr value);
  void observe(Vgpr results, int row);  // for absmax, by the active lanes
  void scale_result(Vgpr results, At);
  // Quantised, in this order: the results of the next step, the scales of the active lanes' results.
  void quantise(Vgpr results) { block_scales_->quantise(results); }
  void store_scales() { block_scales_->store(); }
  void convert(Vgpr results);  // rounds; results of 16 and 8 bits are packed into the first registers of the tuple
  void end(const LoadPointer&);
  // An element of D's type as the arithmetic's: number `index` of those in a register. No code where it is the same.
  void widen(isa::Type, Vgpr to, Vgpr from, int index);

 private:
  int dwords() const { return isa::bits(types_.scale) / 32; }
  bool pairs(Opcode) const;
  int temporaries() const { return e_.activation == Activation::none || e_.activation == Activation::relu ? 0 : 8; }
  Vgpr rows_of(const EpiloguePartInfo&, At, int half) const;
  Vgpr operand(const EpiloguePartInfo&, int row, At, int half) const;
  template <class Each>
  void each(PartUse, Each);  // of the parts along rows and columns
  void multiply(Vgpr results, const EpiloguePartInfo&, At, int half);
  void load_rows(const LoadPointer&, const EpiloguePartInfo&, int half);
  void activate(const std::vector<Vgpr>&);
  void clamp(Vgpr);
  void gelu_erf(const std::vector<Vgpr>&);
  void load_scalar(const LoadPointer&, EpiloguePart, Sgpr to);
  void vector_resource(const LoadPointer&, EpiloguePart, Sgpr resource, Sgpr first, Sgpr left);
  void round_to_i8(Vgpr results);

  Kernel& kernel_;
  const Epilogue& e_;
  EpilogueTypes types_;
  int rows_;
  Scratches s_;
  std::optional<BlockScaleCode> block_scales_;
  EpiloguePlace place_{};
  bool beside_products_ = false;
  int steps_ = 0, step_columns_ = 0, groups_ = 1, group_rows_ = 0;
  std::optional<PairConversion> pair_;  // D of 16 or 8 bits
  Sgpr bytes_in_turn_, low_halves_;     // D of i8: selectors
  Sgpr most_;                           // D of 8-bit floats, where it is a bound
  Sgpr gelu_cubic_;                     // a factor of gelu, where an instruction takes it and a literal
  std::vector<Owned<File::v>> temporary_;
  OfParts<std::vector<Owned<File::v>>> of_rows_;     // by half, then by group
  OfParts<std::vector<Owned<File::v>>> of_columns_;  // by step
  OfParts<Owned<File::s>> columns_;                  // buffer resources
  Owned<File::s> scale_d_;
  Owned<File::v> largest_;
};

}  // namespace wavesmith
