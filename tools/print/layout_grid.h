// An operand of a matrix instruction as a printable grid: adjacent elements that one lane holds in consecutive items
// are one cell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "isa_tables/layout.h"

namespace wavesmith::tools {

// How elements are grouped into cells: `run` adjacent elements along a row (across) or along a column (not across).
struct Grouping {
  int run = 1;
  bool across = true;
};
Grouping by_lane(const isa::OperandLayout&);      // all consecutive elements of a lane
Grouping by_register(const isa::OperandLayout&);  // at most those that fill whole registers

std::vector<int> lanes_of(const isa::OperandLayout&, isa::Element);  // which hold the element, ascending
std::string lanes_text(const std::vector<int>& lanes);               // "5", "5,21"
// Registers of `run` consecutive items: "v0", "v0-3", "v0.lo", "v0[15:8]".
std::string registers_text(const isa::OperandLayout&, int first_item, int run);
// The map, one line per coordinate, highest bit first: "row = lane[4:0]", "col = {lane[5], item[1:0]}".
std::vector<std::string> formulas(const isa::OperandLayout&);
// "A: 32 x 8 f16"
std::string title(const isa::OperandLayout&);

std::string layout_svg(const isa::OperandLayout&, std::string_view instruction, std::string_view target);

}  // namespace wavesmith::tools
