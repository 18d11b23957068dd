// Schedule tensor: the tensor data mover brings k-slices of A and B to LDS, each by one instruction of one wave (CDNA5
// ISA 10.11). Descriptors in SGPRs say where the tile is and how much of the matrix is left from its first element on:
// what is behind the last row and the last k becomes zeros. Waves that do not load have a descriptor that is not valid:
// all execute the same instructions.
#include "generator/dsl/emit_offset.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
namespace {

int unit_bytes(const TileOperand& o) { return std::max(1, o.memory_bits / 8); }  // in which the data mover counts
int in_units(const TileOperand& o, int elements) { return elements * o.memory_bits / (8 * unit_bytes(o)); }

}  // namespace

TileReads tile_reads(const TileOperand& o, const AtomOperand& of) {
  return o.k_contiguous ? row_reads(of) : column_reads(of, o.element_bits);
}
int tile_padding(const TileOperand& o, const AtomOperand& of, Arch arch) {
  const int bytes = o.tile_row_bytes();
  return row_padding(bytes, tile_reads(o, of), arch,
                     fmt::format("gemm: schedule tensor with rows of {} bytes of {} in LDS", bytes, o.name));
}

void Gemm::declare_tile(TileOperand& o) {
  const std::string name = o.name;
  for (int half = 0; half < o.halves; ++half)
    o.tile.place.push_back(r.s.alloc(4, name + " tile's place in LDS and memory", 4));
  o.tile.shape = r.s.alloc(8, name + " tile's shape and padding", 4);
  o.tile.k_left = r.s.alloc(1, name + " k left to load");
  if (!o.k_contiguous) o.tile.step = r.s.alloc(1, name + " bytes per k-slice");
  const int windows = (o.lds_bytes() - 1 + (1 << 16)) >> 16;  // that immediate offsets reach
  for (int i = 0; i < windows; ++i) o.read_address.push_back(r.v.alloc(1, name + " LDS read address"));
}
// `pointer`: of the block's first element. Dimension 0 is what is contiguous in memory.
void Gemm::tile_descriptor(TileOperand& o, Sgpr pointer, Sgpr ld) {
  const int row = in_units(o, o.k_contiguous ? o.row_k : o.rows / o.halves), rows = o.moved_rows();
  const Sgpr shape = o.tile.shape;
  k.s_mov_b32(shape[0], static_cast<int>(padded_shape(unit_bytes(o), o.tile_row_bytes(), o.padding)));
  k.s_min_u32(t[0], o.rows_left, o.rows / o.halves);
  k.s_lshl_b32(shape[o.k_contiguous ? 2 : 1], t[0], 16);
  k.s_mov_b32(shape[3], row << 16);
  k.s_mov_b32(shape[4], rows);
  if (o.memory_bits < 8) k.s_lshr_b32(shape[5], ld, 1);
  else k.s_mov_b32(shape[5], ld);
  k.s_mov_b64(shape.slice(6, 2), 0);
  if (o.memory_bits < 8) k.s_lshr_b32(o.tile.k_left, K, 1);
  else k.s_mov_b32(o.tile.k_left, K);
  if (!o.k_contiguous) k.s_lshl_b32(o.tile.step, o.k_stride, log2(slice_k));
  // One wave loads A, another one, if there is one, B.
  wave_number(kernel, t[0]);
  k.s_cmp_eq_u32(t[0], o.is_a ? 0 : waves - 1);
  for (const Sgpr place : o.tile.place) k.s_cselect_b32(place[0], 1, 0);
  for (const Sgpr place : o.tile.place) {
    k.s_mov_b64(place.slice(2, 2), pointer);
    if (&o.tile.place.back() != &o.tile.place.front() && place.index == o.tile.place.back().index)
      at.add_product(place.slice(2, 2), M, o.row_stride);
    k.s_or_b32(place[3], place[3], descriptor_type);
  }
}
void Gemm::tile_read_addresses(TileOperand& o, Sgpr wave) {
  Scratch s(r);
  const Vgpr byte = s.v("byte"), to = o.read_address[0];
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr scratch[] = {x, y};
  const TileReads reads = tile_reads(o, of(o));
  emit_offset(k, to, reads.lanes, "row", values, scratch);
  emit_offset(k, byte, reads.lanes, "byte", values, scratch);
  k.v_mul_u32_u24(to, o.pitch(), to);
  k.v_add_u32(to, to, byte);
  k.s_mul_i32(t[0], wave, o.wave_rows / o.halves * (o.k_contiguous ? o.pitch() : o.element_bytes()));
  k.s_add_u32(t[0], t[0], o.lds_offset);
  k.v_add_u32(to, t[0], to);
  for (size_t i = 1; i < o.read_address.size(); ++i) k.v_add_u32(o.read_address[i], static_cast<int>(i) << 16, to);
}

// `offset` may be more than immediate offsets reach. A transposing load of 8-bit elements gets 8 k.
void Gemm::read_tile(Block& b, TileOperand& o, Vgpr to, int offset, int tag) {
  const TileReads reads = tile_reads(o, of(o));
  const int dwords = reads.bytes / 4;
  for (int i = 0; i < to.dwords; i += dwords) {
    const int at = offset + (i ? i * 4 / o.element_bytes() * o.pitch() : 0);
    const Vgpr address = o.read_address[static_cast<size_t>(at >> 16)], part = to.slice(i, dwords);
    const isa::Mods low{.offset = at & 0xffff};
    Node& read = reads.op == Opcode::ds_read_b128        ? b.ds_read_b128(part, address, low)
                 : reads.op == Opcode::ds_load_tr16_b128 ? b.ds_load_tr16_b128(part, address, low)
                                                         : b.ds_load_tr8_b64(part, address, low);
    read.buffer = static_cast<int16_t>(tag);
  }
}

Block Gemm::move_tile(TileOperand& o, int k_slice) {
  Block b(k.arch(), "move_tile");
  const int all = in_units(o, o.row_k);
  b.s_min_u32(t[0], o.tile.k_left, all);
  b.s_sub_u32(o.tile.k_left, o.tile.k_left, t[0]);
  b.s_lshl_b32(o.tile.shape[o.k_contiguous ? 1 : 2], t[0], 16);
  for (size_t half = 0; half < o.tile.place.size(); ++half) {
    const Sgpr place = o.tile.place[half];
    b.s_mov_b32(place[1], o.lds_offset + o.read_offset(k_slice) + static_cast<int>(half) * o.half_bytes());
    b.emit(Opcode::tensor_load_to_lds, {place.operand(), o.tile.shape.operand()}, {}, Where::current()).buffer =
        static_cast<int16_t>(o.tag(k_slice));
    if (o.k_contiguous) b.s_add_u32(place[2], place[2], o.k_slice_step());
    else b.s_add_u32(place[2], place[2], o.tile.step);
    b.s_addc_u32(place[3], place[3], 0);
  }
  return b;
}

}  // namespace wavesmith::gemm
