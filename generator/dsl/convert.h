// Pairs of f32 rounded to nearest into 16-bit or 8-bit floats. Where the target has the packed conversion it is
// one instruction (the tables decide); elsewhere f16 is two FMAs of mixed precision, and bf16 integer instructions.
#pragma once
#include <array>
#include <optional>

#include "generator/dsl/permute.h"

namespace wavesmith {

// NaNs that may occur in the input. quiet_16: only quiet NaNs whose low half is 0, as produced by arithmetic on 16-bit
// floats. The integer sequence for bf16 is then shorter; conversion instructions handle any NaN.
enum class Nans : uint8_t { any, quiet_16 };

// Which of two equally near numbers. away: of larger magnitude where bf16 takes integer instructions, three for a pair
// instead of five and with Nans::quiet_16; conversion instructions and f16 choose the even one.
enum class Ties : uint8_t { even, away };

class PairConversion {
 public:
  // To f16, bf16, fp8 or bf8. Error: IsaError if the target has no such conversion.
  PairConversion(Constants&, Arch, isa::Type to, Nans = Nans::any, Ties = Ties::even, Where = Where::current());

  // dst = {low, high}; 8-bit results are in its low half, the other half is unchanged. `low` and `high` are overwritten
  // where the target has no packed conversion; dst may be one of them. `scratch`: needed for bf16 unless packed() or
  // Ties::away. With Nans::any VCC may be overwritten.
  void pack(Block&, Vgpr dst, Vgpr low, Vgpr high, std::array<Vgpr, 2> scratch = {}, Where = Where::current()) const;
  // 8-bit results into either half of dst; the other one is unchanged.
  void pack_bytes(Block&, Vgpr dst, Half, Vgpr low, Vgpr high, Where = Where::current()) const;

  // For 16-bit types whose results are used separately: fewer instructions than pack(). Returns the halves of `low` and
  // `high` that hold the results; the other halves are undefined.
  struct Place {
    Vgpr reg;
    Half half;
  };
  std::array<Place, 2> round(Block&, Vgpr low, Vgpr high, std::array<Vgpr, 2> scratch = {},
                             Where = Where::current()) const;

  bool packed() const { return packed_.has_value(); }  // one instruction for both

 private:
  void pack_f16(Block&, Vgpr dst, Vgpr low, Vgpr high, Where) const;
  void round_bf16(Block&, std::array<Vgpr, 2> values, std::array<Vgpr, 2> scratch, Where) const;

  isa::Type to_;
  Nans nans_;
  Ties ties_;
  std::optional<Opcode> packed_;
  Sgpr half_, high_halves_;  // bf16: half of the last place or just below it, the selector of the results
};

// to = the f16 or bf16 in a half of `from`, as f32; one instruction at the full rate. `to` may be `from`.
void widen_half(Block&, isa::Type, Vgpr to, Vgpr from, Half, Where = Where::current());

// Pairs of fp8 or bf8 as f16 or bf16, which have all their values.
class PairWidening {
 public:
  // Error: IsaError if the target does not convert from `from`.
  PairWidening(Constants&, Arch, isa::Type from, isa::Type to, Where = Where::current());

  // dst = the pair in the low half of `from`; dst may be `from`. `scratch`: two registers, aligned as tuples are.
  void widen(Block&, Vgpr dst, Vgpr from, Vgpr scratch, Where = Where::current()) const;

 private:
  isa::Type to_;
  Opcode op_;
  bool direct_ = false;  // one instruction
  HalfPermutes halves_;
};
// The target has instructions that convert from this type, fp8 or bf8.
bool widens(Arch, isa::Type from);

}  // namespace wavesmith
