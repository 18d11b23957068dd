// Schedule stream: fragments of A and B come from memory straight into registers, without LDS and barriers, several
// k-slices ahead. For problems with few rows or columns, where what counts is how many bytes are under way.
#include "generator/dsl/emit_offset.h"
#include "kernels/gemm/gemm_kernel.h"
#include "kernels/parts/element_access.h"

namespace wavesmith::gemm {

// A lane's part of the fragment of each tile of rows. Rows past the edge are clamped to the last one.
void Gemm::stream_addresses(TileOperand& o, Sgpr wave_number) {
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr scratch[] = {x, y};
  emit_offset(k, row, fragment_lanes(o), "row", values, scratch);
  emit_offset(k, chunk, fragment_lanes(o), "chunk", values, scratch);
  k.v_lshlrev_b32(lane_k, log2(chunk_k(of(o).type)), chunk);
  k.s_mul_i32(t[0], wave_number, o.wave_rows);
  k.v_add_u32(row, t[0], row);
  k.s_sub_u32(t[0], o.rows_left, 1);
  for (int tile = 0; tile < o.tiles(); ++tile) {
    if (tile) k.v_add_u32(row, o.extent, row);
    memory_row(o, x, row, t[0]);
    memory_address(o, o.load_address[tile], x, chunk);
  }
}

// Calls back with each 16 bytes of the lane in one set of fragments: A's last, for which products wait.
void Gemm::each_streamed(int k_slice, int part,
                         const std::function<void(TileOperand&, Vgpr to, Vgpr address, int chunk)>& f) {
  for (TileOperand* o : {&B, &A})
    for (int tile = 0; tile < o->tiles(); ++tile)
      for (const FragmentPart& p : of(*o).parts)
        f(*o, o->fragment[set(k_slice, part)][tile].slice(p.first, p.dwords), o->load_address[tile],
          (k_slice % 2 * fragments + part) * of(*o).row_chunks + p.chunk);
}
Block Gemm::stream(int k_slice, int part) {
  Block b(k.arch(), "stream");
  each_streamed(k_slice, part, [&](TileOperand& o, Vgpr to, Vgpr address, int chunk) {
    b.buffer_load_dwordx4(to, address, o.resource, 0, {.offset = chunk * chunk_bytes, .flags = isa::offen});
  });
  return b;
}
// The rest of K, one element at a time; elements past K are zero.
Block Gemm::stream_rest(int k_slice, int part) {
  Block b(k.arch(), "stream_rest");
  each_streamed(k_slice, part, [&](TileOperand& o, Vgpr to, Vgpr address, int chunk) {
    const int elements = chunk_k(of(o).type);
    join(b, to, elements, [&](int element, Vgpr one) {
      const Vgpr from =
          within_k(b, address, chunk * elements + element, chunk * chunk_bytes + element * o.memory_bytes());
      b.buffer(access_of(o.memory_bytes()).load, one, from, o.resource, 0, {.flags = isa::offen});
    });
  });
  return b;
}
// A set of fragments is loaded anew as soon as it is multiplied.
void Gemm::stream_step(Pipeline& p, int k_slice) {
  const int next = k_slice + cfg.stages;
  if (next % 2 == 0)
    for (TileOperand* o : {&A, &B}) p.at(ahead(next / 2).over(1), [this, o](int) { return next_block(*o); });
  for (int i = 0; i < fragments; ++i) {
    const Pipeline::Stage all[] = {of_k_slice(k_slice, products(i, 0, 1)),
                                   of_k_slice(
                                       next, [=, this](int n) { return stream(n, i); }, whole_blocks),
                                   of_k_slice(next, [=, this](int n) { return stream_rest(n, i); }, rest_of_k)};
    for (const Pipeline::Stage& stage : all) p.at(stage);
  }
}

}  // namespace wavesmith::gemm
