// LDS tiles and the addresses of their fragments, from layouts. Each lane of a fragment reads 16 bytes along k. A
// matrix instruction that takes fewer bytes per lane takes them in parts: the order of k is free as long as A and B
// agree.
#pragma once
#include <vector>

#include "isa_tables/layout.h"
#include "kernels/parts/wave.h"

namespace wavesmith {

// Consecutive rows of `row_bytes`: "row", "chunk", "within" (byte of the chunk) -> "byte".
isa::LinearLayout rows_of_chunks(int rows, int row_bytes);
// Lane i has the i-th chunk of the tile: "lane" -> the tile's axes.
isa::LinearLayout lanes_in_order(const isa::LinearLayout& tile, int lane_bits);
// The chunk of A or B that a lane reads: "lane" -> "row" (m of A, n of B), "chunk" (its group of k).
isa::LinearLayout chunk_lanes(isa::Opcode mma, isa::Arch, isa::MatrixOperand a_or_b);
// The layout of one wave repeated in `waves` waves: the further bits of "lane" have no effect.
isa::LinearLayout in_every_wave(const isa::LinearLayout&, int waves);

// A lane's accesses at constant displacements from each other (the next fragment, another step of k). Displacement bits
// that the lane also affects are combined by XOR, which needs an address register of its own; the other bits become the
// immediate offset.
class AddressSet {
 public:
  AddressSet() = default;
  // `base`: the inputs of the first address -> "byte". `bytes`: size of an access.
  AddressSet(const isa::LinearLayout& base, int bytes);
  struct At {
    size_t address;  // index into patterns()
    int offset;      // bytes
    int first;       // the byte of the access that is read first: a swizzle may swap the parts of an access
  };
  At at(uint32_t displacement);
  const std::vector<uint32_t>& patterns() const { return patterns_; }  // XOR patterns so far; the first is 0

 private:
  uint32_t moved_ = 0, inside_ = 0;
  std::vector<uint32_t> patterns_{0};
};

}  // namespace wavesmith
