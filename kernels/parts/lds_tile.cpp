#include "kernels/parts/lds_tile.h"

#include <algorithm>

namespace wavesmith {
using isa::LinearLayout;

LinearLayout rows_of_chunks(int rows, int row_bytes) {
  return LinearLayout::identity("within", "byte", log2(chunk_bytes)) *
         LinearLayout::identity("chunk", "byte", log2(row_bytes / chunk_bytes)) *
         LinearLayout::identity("row", "byte", log2(rows));
}

LinearLayout lanes_in_order(const LinearLayout& tile, int lane_bits) {
  LinearLayout bytes({{"lane", lane_bits}}, {{"byte", tile.output_bits("byte")}});
  for (int i = 0; i < lane_bits; ++i) bytes.move("lane", i, "byte", static_cast<uint32_t>(chunk_bytes) << i);
  return bytes.then(tile.inverse());
}

// Lane bits that move k count the groups in their order.
LinearLayout chunk_lanes(isa::Opcode mma, isa::Arch arch, isa::MatrixOperand operand) {
  const LinearLayout of = isa::layout(isa::info(mma), arch, operand).map;
  const bool a = operand == isa::MatrixOperand::a;
  const char *row = a ? "row" : "col", *k = a ? "col" : "row";
  const int lanes = of.input_bits("lane");
  int groups = 0;
  for (int i = 0; i < lanes; ++i) groups += of.basis("lane", i, k) != 0;
  LinearLayout l({{"lane", lanes}}, {{"row", of.output_bits(row)}, {"chunk", groups}});
  groups = 0;
  for (int i = 0; i < lanes; ++i) {
    l.move("lane", i, "row", of.basis("lane", i, row));
    if (of.basis("lane", i, k)) l.move("lane", i, "chunk", 1u << groups++);
  }
  return l;
}

LinearLayout in_every_wave(const LinearLayout& wave, int waves) {
  return wave * LinearLayout({{"lane", log2(waves)}}, {});
}

AddressSet::AddressSet(const LinearLayout& base, int bytes) : inside_(static_cast<uint32_t>(bytes) - 1) {
  for (const auto& axis : base.inputs())
    for (int i = 0; i < axis.bits; ++i) moved_ |= base.basis(axis.name, i, "byte");
}

AddressSet::At AddressSet::at(uint32_t displacement) {
  const uint32_t pattern = displacement & moved_ & ~inside_;
  const auto known = std::ranges::find(patterns_, pattern);
  const auto address = static_cast<size_t>(known - patterns_.begin());
  if (known == patterns_.end()) patterns_.push_back(pattern);
  return {address, static_cast<int>(displacement & ~moved_ & ~inside_), static_cast<int>(displacement & inside_)};
}

}  // namespace wavesmith
