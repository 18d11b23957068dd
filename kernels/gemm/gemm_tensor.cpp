// Schedule tensor: the tensor data mover brings k-slices of A and B to LDS, each by one instruction of one wave (CDNA5
// ISA 10.11). Descriptors in SGPRs say where the tile is and how much of the matrix is left from its first element on:
// what is after the last row and the last k becomes zeros. Waves that do not load have a descriptor that is not valid:
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

// Requests of a half of the block: `prefetch_bytes` of a row along k, or, where rows are contiguous, of the rows at a
// k.
namespace {
constexpr int prefetch_bytes = 256;            // of one request, aligned (global_prefetch_b8)
constexpr uint8_t scope_of_shader_engine = 1;  // past the WGP's cache; nothing is at an invalid address (LLVM)
}  // namespace
int Gemm::prefetch_lines(const TileOperand& o) const {
  const int bytes = (o.k_contiguous ? block_k : o.rows / o.halves) * o.memory_bits / 8;
  return power_of_two_from((bytes + prefetch_bytes - 1) / prefetch_bytes);
}
// Rows along k, or k of rows, of which the workgroups of a cluster that get the same part request a share each.
int Gemm::prefetched_rows(const TileOperand& o) const {
  return (o.k_contiguous ? o.rows / o.halves : block_k) / sharers(o);
}
void Gemm::prefetch_addresses(TileOperand& o, Sgpr pointer, Sgpr rows_left, int blocks_before) {
  const int lines = prefetch_lines(o), rows = o.k_contiguous ? o.rows / o.halves : block_k;
  k.s_mov_b64(o.prefetch.block, pointer);
  k.s_max_u32(t[0], K, block_k);
  k.s_sub_u32(o.prefetch.k_left, t[0], block_k);
  if (o.k_contiguous) {
    k.s_min_u32(t[0], rows_left, rows);
    k.s_sub_u32(t[0], t[0], 1);
  } else {
    k.s_mov_b32(t[0], rows - 1);
  }
  if (sharers(o) > 1) {
    k.s_and_b32(t[2], kernel.workgroup[o.is_a ? 1 : 0], sharers(o) - 1);
    k.s_mul_i32(t[2], t[2], prefetched_rows(o));
  }
  const size_t of_half = o.prefetch.lane.size() / static_cast<size_t>(o.halves);
  for (size_t i = 0; i < o.prefetch.lane.size(); ++i) {
    const Vgpr to = o.prefetch.lane[i];
    if (i >= of_half) {
      k.s_mul_i32(t[1], M, o.row_stride);
      k.v_add_u32(to, t[1], o.prefetch.lane[i - of_half]);
      continue;
    }
    k.v_add_u32(x, static_cast<int>(i) * lanes, kernel.workitem);
    k.v_and_b32(y, lines - 1, x);
    k.v_lshrrev_b32(x, log2(lines), x);
    if (sharers(o) > 1) k.v_add_u32(x, t[2], x);
    k.v_min_u32(x, t[0], x);
    k.v_mul_lo_u32(to, x, o.k_contiguous ? o.row_stride : o.k_stride);
    k.v_lshl_add_u32(to, y, log2(prefetch_bytes), to);
  }
  if (!blocks_before) return;
  Block first(k.arch(), "first_prefetch");
  advance_prefetch(first, o, blocks_before);
  k << first;
}
// By at most so many blocks, to the last whole one.
void Gemm::advance_prefetch(Block& b, TileOperand& o, int blocks) {
  b.s_min_u32(t[0], o.prefetch.k_left, blocks * block_k);
  b.s_sub_u32(o.prefetch.k_left, o.prefetch.k_left, t[0]);
  if (!o.k_contiguous) b.s_mul_i32(t[0], t[0], o.k_stride);
  else if (o.memory_bits < 8) b.s_lshr_b32(t[0], t[0], 1);
  else if (o.memory_bits > 8) b.s_lshl_b32(t[0], t[0], log2(o.memory_bits / 8));
  b.s_add_u32(o.prefetch.block[0], o.prefetch.block[0], t[0]);
  b.s_addc_u32(o.prefetch.block[1], o.prefetch.block[1], 0);
}
void Gemm::request_lines(Block& b, Vgpr lane, Sgpr from) {
  b.global_prefetch_b8(lane, from, isa::Mods{.scope = scope_of_shader_engine});
}
// The next tile's first lines are requested in the first iteration behind the loop, which ends one sooner for that.
Pipeline::Stage Gemm::prefetched() {
  const int lookahead = std::max({cfg.prefetch, cfg.stages / 2, moves_scales ? 2 : 0});  // of all phases
  return {ahead(cfg.prefetch).over(1), [this](int) { return prefetch(); }, lines_of_next, lookahead + 1 - cfg.prefetch};
}
Block Gemm::prefetch() {
  Block b(k.arch(), "prefetch");
  for (TileOperand* o : {&A, &B}) {
    for (const Vgpr lane : o->prefetch.lane) request_lines(b, lane, o->prefetch.block);
    advance_prefetch(b, *o, 1);
  }
  return b;
}

void Gemm::declare_places(std::vector<Owned<File::s>>& places, const TileOperand& o, const char* of) {
  for (int half = 0; half < o.halves; ++half)
    places.push_back(r.s.alloc(4, fmt::format("{} {} place in LDS and memory", o.name, of), 4));
}
void Gemm::declare_tile(TileOperand& o) {
  const std::string name = o.name;
  declare_places(o.tile.place, o, "tile's");
  o.tile.shape = r.s.alloc(8, name + " tile's shape and padding", 4);
  o.tile.k_left = r.s.alloc(1, name + " k left to load");
  if (!o.k_contiguous) o.tile.step = r.s.alloc(1, name + " bytes per k-slice");
  if (cfg.prefetch) {
    o.prefetch.block = r.s.alloc(2, name + " block to prefetch", 2);
    o.prefetch.k_left = r.s.alloc(1, name + " k left to prefetch");
    const int of_half = prefetched_rows(o) * prefetch_lines(o);
    for (int i = 0; i < o.halves * ((of_half + lanes - 1) / lanes); ++i)
      o.prefetch.lane.push_back(r.v.alloc(1, name + " prefetched line"));
  }
  const int reach = isa::reach(isa::Format::ds, kernel.arch), windows = (o.lds_bytes() - 1 + reach) / reach;
  for (int i = 0; i < windows; ++i) o.read_address.push_back(r.v.alloc(1, name + " LDS read address"));
}
// A grid of whole clusters has workgroups beyond the last rows or columns of D, where nothing is stored. These load
// what their cluster's first workgroup loads, so that all that share a part ask for it.
void Gemm::take_loaded_tile(const TileRegisters& tile) {
  const auto first = [&](Sgpr to, Sgpr number, int of_cluster, int rows) {
    k.s_and_b32(to, number, -of_cluster);
    k.s_mul_i32(to, to, rows);
  };
  first(loaded_m, tile.m, cfg.cluster.m, rows_of_d(cfg));
  first(loaded_n, tile.n, cfg.cluster.n, cfg.block.n);
}
void Gemm::load_inside() {
  const auto take = [&](Sgpr to, Sgpr first, Sgpr extent) {
    k.s_cmp_lt_u32(first, extent);
    k.s_cselect_b32(to, first, to);
  };
  take(loaded_m, m0_, M);
  take(loaded_n, n0, N);
}
// Of a cluster's tiles, by the workgroup's place in it.
void Gemm::take_tile_of_cluster() {
  const auto take = [&](Sgpr to, Sgpr workgroup, int of_cluster) {
    k.s_and_b32(t[0], workgroup, of_cluster - 1);
    k.s_mul_i32(to, to, of_cluster);
    k.s_add_u32(to, to, t[0]);
  };
  take(m0_, kernel.workgroup[0], cfg.cluster.m);
  take(n0, kernel.workgroup[1], cfg.cluster.n);
}
// The workgroups that get the same part: rows of A along n, columns of B along m. Workgroup (x, y) of a cluster is
// number x + y * cluster.m of it.
void Gemm::multicast(const TileOperand& o, Sgpr to) {
  const auto [m, n] = cfg.cluster;
  if (sharers(o) == 1) return;
  uint32_t mask = 0;
  for (int i = 0; i < sharers(o); ++i) mask |= 1u << (o.is_a ? i * m : i);
  k.s_and_b32(t[0], kernel.workgroup[o.is_a ? 0 : 1], (o.is_a ? m : n) - 1);
  if (!o.is_a) k.s_lshl_b32(t[0], t[0], log2(m));
  k.s_lshl_b32(t[0], static_cast<int>(mask), t[0]);
  k.s_or_b32(to, to, t[0]);
}
// `pointer`: of the block's first element; stride: bytes between rows, of which halves are M apart. One wave loads A,
// another one, if there is one, B.
void Gemm::begin_places(const std::vector<Owned<File::s>>& places, const TileOperand& o, Sgpr pointer, Sgpr stride) {
  wave_number(kernel, t[0]);
  k.s_cmp_eq_u32(t[0], o.is_a ? 0 : waves - 1);
  for (const Sgpr place : places) k.s_cselect_b32(place[0], 1, 0);
  for (size_t half = 0; half < places.size(); ++half) {
    const Sgpr address = places[half].slice(2, 2);
    if (address.index != pointer.index) k.s_mov_b64(address, pointer);
    if (half) at.add_product(address, M, stride);
  }
  for (const Sgpr place : places) k.s_or_b32(place[3], place[3], descriptor_type);
}
// `pointer`: of the block's first element. Dimension 0 is what is contiguous in memory.
void Gemm::tile_descriptor(TileOperand& o, Sgpr pointer, Sgpr ld) {
  const int row = in_units(o, o.k_contiguous ? o.row_k : o.rows / o.halves), rows = o.moved_rows();
  const Sgpr shape = o.tile.shape;
  k.s_mov_b32(shape[0], static_cast<int>(padded_shape(unit_bytes(o), o.tile_row_bytes(), o.padding)));
  if (clustered()) multicast(o, shape[0]);
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
  begin_places(o.tile.place, o, pointer, o.row_stride);
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
