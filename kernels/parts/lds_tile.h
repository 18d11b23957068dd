// Tiles in LDS and the addresses of their fragments, from layouts. A fragment's lanes read 16 bytes of k each: an
// instruction that takes less of a lane takes them one part after the other, as the order of k in a product is free
// while A and B agree on it.
#pragma once
#include <vector>

#include "isa_tables/layout.h"
#include "kernels/parts/wave.h"

namespace wavesmith {

// Rows of `row_bytes` one after the other: "row", "chunk", "within" (byte of the chunk) -> "byte".
isa::LinearLayout rows_of_chunks(int rows, int row_bytes);
// Lanes that take a tile's chunks in the order of their bytes: "lane" -> the tile's axes.
isa::LinearLayout lanes_in_order(const isa::LinearLayout& tile, int lane_bits);
// What a lane of A or B reads: "lane" -> "row" (m of A, n of B), "chunk": the number of the lane's group of k.
isa::LinearLayout chunk_lanes(isa::Opcode mma, isa::Arch, isa::MatrixOperand a_or_b);
// Also for the lanes of `waves` waves, which do the same: further bits of "lane" move nothing.
isa::LinearLayout in_every_wave(const isa::LinearLayout&, int waves);

// A lane's accesses that are a constant displacement from each other (the next fragment, another step of k). Where the
// layout moves a bit with the lane, the displacement is an exclusive or, which takes an address of its own; the other
// bits are an immediate offset.
class AddressSet {
 public:
  AddressSet() = default;
  // `base`: all that the first address depends on -> "byte". `bytes`: of an access.
  AddressSet(const isa::LinearLayout& base, int bytes);
  struct At {
    size_t address;  // number of its pattern
    int offset;      // bytes
    int first;       // the byte of the access that comes first: layouts may exchange the parts of an access
  };
  At at(uint32_t displacement);
  const std::vector<uint32_t>& patterns() const { return patterns_; }  // of the displacements so far; the first is 0

 private:
  uint32_t moved_ = 0, inside_ = 0;
  std::vector<uint32_t> patterns_{0};
};

}  // namespace wavesmith
