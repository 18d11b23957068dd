// A layout is a linear map over bits (linear layouts, arXiv 2505.23819): every bit of an input (lane, register, wave)
// XORs a constant into the outputs (row, column, byte). Layouts are values that can be composed, inverted, compared and
// printed. Used for fragments of matrix instructions (layout.h), tiles in LDS (lds_swizzle.h), the code that computes a
// lane's address (generator/dsl/emit_offset.h) and whole tensors (kernels/plan/tensor_layout.h).
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wavesmith::isa {

constexpr int log2(int power) { return std::countr_zero(static_cast<unsigned>(power)); }  // of a power of two

class LinearLayout {
 public:
  struct Axis {
    std::string name;
    int bits = 0;  // the axis has 2^bits values
    bool operator==(const Axis&) const = default;
  };
  using Point = std::vector<std::pair<std::string_view, uint32_t>>;  // values of axes; an axis left out is 0

  LinearLayout() = default;
  // Maps every input to zero; move() then sets the bits. Error: IsaError for two axes of one name on a side, or more
  // than 32 bits per axis or 64 per side.
  LinearLayout(std::vector<Axis> inputs, std::vector<Axis> outputs);
  // Maps `bits` bits of `input` to those of `output`.
  static LinearLayout identity(std::string_view input, std::string_view output, int bits);

  // Bit `bit` of `input` additionally XORs `value` into `output`.
  LinearLayout& move(std::string_view input, int bit, std::string_view output, uint32_t value);

  const std::vector<Axis>& inputs() const { return in_; }
  const std::vector<Axis>& outputs() const { return out_; }
  uint32_t basis(std::string_view input, int bit, std::string_view output) const;
  uint32_t at(const Point&, std::string_view output) const;

  // Composition, first this, then `next`: inputs of next that are no outputs of this one are 0; other outputs are
  // unchanged. Error: IsaError for an output that does not fit into next's input.
  LinearLayout then(const LinearLayout& next) const;
  // Stacks two layouts: this one has the low bits of each axis, `high` the bits above them.
  LinearLayout operator*(const LinearLayout& high) const;
  // The same bits under other output axes, as many in all: a reshape. Error: IsaError for another number of bits.
  LinearLayout with_outputs(std::vector<Axis>) const;
  // The inverse. Error: IsaError if two inputs share an output or an output has no input.
  LinearLayout inverse() const;
  bool injective() const { return rank() == input_bits(); }
  bool surjective() const { return rank() == output_bits(); }
  int rank() const;
  uint64_t packed(uint64_t input) const;  // output of a packed input (the first axis lowest)
  int input_bits() const { return width(in_); }
  int output_bits() const { return width(out_); }
  int input_bits(std::string_view axis) const { return place(in_, axis).second; }
  int output_bits(std::string_view axis) const { return place(out_, axis).second; }

  bool operator==(const LinearLayout&) const = default;

 private:
  static int width(const std::vector<Axis>&);
  static bool has(const std::vector<Axis>&, std::string_view name);
  static std::pair<int, int> place(const std::vector<Axis>&, std::string_view name);  // first bit, bits
  std::vector<Axis> in_, out_;
  std::vector<uint64_t> bases_;  // by packed input bit: the packed output
};

// One line per input axis: "lane: [row 1] [row 2] [row 4, col 8]", bases from the lowest bit up.
std::string to_string(const LinearLayout&);
// Rank over GF(2).
int rank(std::vector<uint64_t> vectors);

}  // namespace wavesmith::isa
