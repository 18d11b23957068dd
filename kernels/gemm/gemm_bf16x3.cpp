// f32 as sums of three bf16 (GemmConfig::split_f32): split on the way to LDS, once for a workgroup. LDS holds a k-slice
// of each part; six products of fragments make one, those of the smallest parts first.
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

// What is left of values of f32 without their highest 8 bits, exact. Of an infinity that is NaN.
void Gemm::split_off(Block& b, Vgpr values) {
  for (int i = 0; i < values.dwords; ++i) {
    b.v_and_b32(x, 0xffff0000u, values[i]);
    b.v_sub_f32(values[i], values[i], x);
  }
}
void Gemm::store_split(Block& b, TileOperand& o, int k_slice) {
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr from = o.staged(k_slice, i);
    const auto at = o.stored_at(i * o.rows_of_load(), 0);
    for (int part = 0; part < o.parts; ++part) {
      const Vgpr to = packed.slice(0, 4);
      for (int j = 0; j < 4; ++j) join_halves(b, to[j], from[2 * j], from[2 * j + 1], high_halves);
      if (part + 1 < o.parts) split_off(b, from);
      b.ds_write_b128(o.store_address[0][at.address], to,
                      {.offset = o.read_offset(k_slice) + part * o.k_slice_bytes() + at.offset})
          .buffer = static_cast<int16_t>(o.tag(k_slice));
    }
  }
}
// A lane has row_run() rows of k_run() consecutive k.
void Gemm::store_split_transposed(Block& b, TileOperand& o, int k_slice) {
  const Vgpr from = o.stage(k_slice);
  const int dwords = o.stored_bytes() / 4;
  for (int part = 0; part < o.parts; ++part) {
    int next = 0;
    for (int row = 0; row < o.row_run(); ++row)
      for (int byte = 0; byte < o.run_bytes(); byte += o.stored_bytes()) {
        const Vgpr to = packed.slice(next++ % 2 * 2, dwords);
        for (int q = 0; q < dwords; ++q) {
          const int of_k = byte / 2 + 2 * q;
          join_halves(b, to[q], from[of_k * o.load_dwords() + row], from[(of_k + 1) * o.load_dwords() + row],
                      high_halves);
        }
        const auto at = o.stored_at(row, byte);
        const Vgpr address = o.store_address[o.lds_stage(k_slice)][at.address];
        const isa::Mods offset{.offset = part * o.k_slice_bytes() + at.offset};
        (dwords == 2 ? b.ds_write_b64(address, to, offset) : b.ds_write_b32(address, to, offset)).buffer =
            static_cast<int16_t>(o.tag(k_slice));
      }
    if (part + 1 < o.parts) split_off(b, from);
  }
}
Block Gemm::multiply_split(int k_slice, int of_slice) {
  static constexpr std::pair<int, int> products[split_products] = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
  Block b(k.arch(), "multiply_split");
  const int from = set(k_slice, of_slice);
  for (const auto& [of_a, of_b] : products)
    for (int part = 0; part < atom.parts(); ++part)
      for (int tile = 0; tile < tiles(); ++tile)
        atom.multiply(b, acc(tile), A.fragment_of(from, of_a * A.tiles() + tile % A.tiles()),
                      B.fragment_of(from, of_b * B.tiles() + tile / A.tiles()), part);
  return b;
}

}  // namespace wavesmith::gemm
