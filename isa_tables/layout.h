// Layouts of the operands of matrix instructions: lane and register <-> block, row and column. Every extent is a power
// of two, so this is a LinearLayout in which each bit of the lane and of the element index moves at most one
// coordinate, by a power of two. A few rules (layout.cpp) derive the maps of every row; nothing is listed per
// instruction.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa_tables/isa.h"
#include "isa_tables/linear_layout.h"

namespace wavesmith::isa {

enum class MatrixOperand : uint8_t { a, b, c, d, index, scale_a, scale_b };
std::string_view name(MatrixOperand);  // "a", ..., "scale_b"
std::optional<MatrixOperand> find_matrix_operand(std::string_view name);
std::vector<MatrixOperand> operands_of(const Matrix&);  // those the instruction has, in the order above

// An element of an operand. Coordinates in mathematical notation: A[row m, col k], B[row k, col n], C/D[row m, col n].
// A of a sparse instruction holds the kept half of k, where col 2g and 2g + 1 are the two kept of columns 4g .. 4g + 3;
// the index has A's coordinates. scale_a[row m, col k / scale_block], scale_b[row k / scale_block, col n].
struct Element {
  int block = 0, row = 0, col = 0;
  bool operator==(const Element&) const = default;
};
struct Place {
  int lane = 0, item = 0;  // item: number of the element in the lane, in register order
  bool operator==(const Place&) const = default;
};
struct RegisterBits {
  int reg, bit;
};  // first bit; 64-bit items and some 6-bit ones continue in the next register

struct OperandLayout {
  MatrixOperand operand{};
  Type type = Type::none;  // none: index and scales
  int blocks = 1, rows = 1, cols = 1;
  int lanes = 64;      // of the wave
  int first_lane = 0;  // of those that are read; the others are not
  int item_bits = 32, stride_bits = 32,
      offset_bits = 0;    // item i of a lane occupies item_bits from bit offset_bits + i * stride_bits on
  bool kept_k = false;    // k indexes the kept half: A and index of sparse instructions
  bool inferred = false;  // from the rules of similar instructions or third parties, not from AMD's documents
  // "lane" (counted from first_lane), "item" -> "block", "row", "col". A lane bit that moves nothing: both halves hold
  // the same elements.
  LinearLayout map;

  int used_lanes() const { return 1 << map.input_bits("lane"); }
  int items() const { return 1 << map.input_bits("item"); }  // of one lane
  int copies() const;  // number of places that hold each element, all of which must be supplied
  int registers() const { return (offset_bits + (items() - 1) * stride_bits + item_bits + 31) / 32; }
  RegisterBits where(int i) const {
    return {(offset_bits + i * stride_bits) / 32, (offset_bits + i * stride_bits) % 32};
  }
  std::optional<Element> at(Place) const;  // none: that lane is not read
  std::vector<Place> find(Element) const;  // the inverse: `copies()` places in order of lanes; IsaError if out of range
};

// Properties that the table row does not determine.
struct LayoutChoice {
  int wave_size = 0;  // lanes; 0: the target's own. RDNA has 64 beside 32, gfx1250 only 32
  Type a_format = Type::fp8, b_format = Type::fp8;  // of f8f6f4 operands: cbsz and blgp, matrix_a_fmt and matrix_b_fmt
  // The part of the registers: op_sel's half of 16-bit C and D on gfx11; op_sel's scale byte on gfx950;
  // matrix_a_scale's row of lanes on gfx1250; the index set (abid on CDNA, op_sel or index_key on RDNA4 and gfx1250).
  int select = 0;
};
// IsaError, with what is legal: no matrix instruction, not on this target, an operand, wave size, format or selection
// it does not have.
OperandLayout layout(const Info& row_of_table, Arch, MatrixOperand, const LayoutChoice& = {});

}  // namespace wavesmith::isa
