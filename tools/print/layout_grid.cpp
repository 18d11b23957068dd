// Cells, names and formulas that the table and the picture of an operand layout share.
#include "tools/print/layout_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "isa_tables/names.h"

namespace wavesmith::tools {
namespace {

using isa::Element;
using isa::OperandLayout;

// How many of the lowest item bits move along a row (or a column) in unit steps.
Grouping items_in_line(const OperandLayout& l) {
  Grouping g;
  for (int i = 0; 1 << i < l.items(); ++i) {
    const auto run = static_cast<uint32_t>(g.run);
    const bool across = l.map.basis("item", i, "col") == run, down = l.map.basis("item", i, "row") == run;
    if (!across && !down) break;
    if (i == 0) g.across = across;
    if (g.across != across) break;
    g.run *= 2;
  }
  return g;
}

// "{lane[5], item[1:0]}": which index bit moves each bit of a coordinate, neighbouring bits joined.
std::string formula(const isa::LinearLayout& map, std::string_view coordinate) {
  struct Bit {
    std::string source;
    int index;
  };
  std::vector<Bit> bits;  // lowest first
  const int width = std::ranges::find(map.outputs(), coordinate, &isa::LinearLayout::Axis::name)->bits;
  for (int bit = 0; bit < width; ++bit)
    for (const auto& axis : map.inputs())
      for (int i = 0; i < axis.bits; ++i)
        if (map.basis(axis.name, i, coordinate) == 1u << bit) bits.push_back({axis.name, i});
  std::vector<std::string> parts;  // highest first
  for (size_t at = bits.size(); at > 0;) {
    size_t low = at - 1;
    while (low > 0 && bits[low - 1].source == bits[low].source && bits[low - 1].index == bits[low].index - 1) --low;
    const std::string& source = bits[low].source;
    parts.push_back(low == at - 1 ? fmt::format("{}[{}]", source, bits[low].index)
                                  : fmt::format("{}[{}:{}]", source, bits[at - 1].index, bits[low].index));
    at = low;
  }
  if (parts.empty()) return "0";
  return parts.size() == 1 ? parts[0] : fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

Grouping by_lane(const OperandLayout& l) { return items_in_line(l); }

Grouping by_register(const OperandLayout& l) {
  Grouping g = items_in_line(l);
  g.run = std::min(g.run, std::max(1, 32 / std::gcd(32, l.stride_bits)));
  return g;
}

std::vector<int> lanes_of(const OperandLayout& l, Element e) {
  std::vector<int> lanes;
  for (const isa::Place& p : l.find(e)) lanes.push_back(p.lane);
  std::sort(lanes.begin(), lanes.end());
  return lanes;
}

std::string lanes_text(const std::vector<int>& lanes) { return fmt::format("{}", fmt::join(lanes, ",")); }

std::string registers_text(const OperandLayout& l, int first_item, int run) {
  const auto first = l.where(first_item), last = l.where(first_item + run - 1);
  const int end = last.reg * 32 + last.bit + l.item_bits, last_reg = (end - 1) / 32;
  const bool gaps = run > 1 && l.stride_bits > l.item_bits;
  if (gaps)
    return fmt::format(
        "v{}-{}{}", first.reg, last.reg,
        l.item_bits == 16 ? first.bit ? ".hi" : ".lo" : fmt::format("[{}:{}]", first.bit + l.item_bits - 1, first.bit));
  if (first.bit == 0 && end % 32 == 0)
    return first.reg == last_reg ? fmt::format("v{}", first.reg) : fmt::format("v{}-{}", first.reg, last_reg);
  if (first.reg != last_reg) return fmt::format("v{}[{}]-v{}[{}]", first.reg, first.bit, last_reg, (end - 1) % 32);
  if (end - (first.reg * 32 + first.bit) == 16 && first.bit % 16 == 0)
    return fmt::format("v{}.{}", first.reg, first.bit ? "hi" : "lo");
  return fmt::format("v{}[{}:{}]", first.reg, (end - 1) % 32, first.bit);
}

std::vector<std::string> formulas(const OperandLayout& l) {
  std::vector<std::string> out;
  if (l.blocks > 1) out.push_back("block = " + formula(l.map, "block"));
  out.push_back("row = " + formula(l.map, "row"));
  out.push_back("col = " + formula(l.map, "col"));
  if (l.first_lane)
    for (auto& line : out)
      if (const size_t at = line.find("lane"); at != line.npos) line += fmt::format("   (lanes from {})", l.first_lane);
  return out;
}

std::string title(const OperandLayout& l) {
  using isa::MatrixOperand;
  std::string what(isa::name(l.operand));
  if (l.operand <= MatrixOperand::d) what[0] = static_cast<char>(what[0] - 'a' + 'A');
  if (l.operand == MatrixOperand::scale_a) what = "Scales of A";
  if (l.operand == MatrixOperand::scale_b) what = "Scales of B";
  if (l.operand == MatrixOperand::index) what = "Index of the kept k of A";
  const std::string blocks = l.blocks > 1 ? fmt::format("{} blocks of ", l.blocks) : "";
  const std::string type =
      l.type == isa::Type::none ? fmt::format("{} bits each", l.item_bits) : isa::type_name(l.type);
  return fmt::format("{}: {}{} x {}{}, {}", what, blocks, l.rows, l.cols, l.kept_k ? " kept" : "", type);
}

}  // namespace wavesmith::tools
