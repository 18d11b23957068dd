// Block scales of A and B (OCP MX): from memory to the registers that the scaled matrix instructions read, an iteration
// ahead, without LDS but where the tensor data mover brings them there. Plain ones come by dwords, which hold four
// blocks of a row; where an instruction's lanes supply one block each, a shift brings it to the byte that the
// instruction selects. Shuffled ones are in the order of instructions of 16 rows. For those of 32 rows a lane loads the
// two dwords that have its blocks, and a shift brings its row's bytes to the same places in all lanes.
#include "generator/dsl/emit_offset.h"
#include "generator/schedule/interleave.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

void Gemm::declare_scales() {
  if (!moves_scales) block_scales = args.registers(&Args::block_scales_a, &Args::block_scales_b);
  scale_stride = r.s.alloc(1, shuffled() ? "bytes of the scales of 32 rows" : "bytes of the scales of a row");
  if (shifts_scales()) scale_shift = r.v.alloc(1, "bits before the lane's block");
  if (pairs_shuffled()) scale_shift_b = r.v.alloc(1, "bits before the lane's row of B");
  if (moves_scales) return;
  if (fetches_scales) return declare_fetched_scales();
  for (TileOperand* o : {&A, &B}) {
    o->scales.resource = r.s.alloc(4, std::string(o->name) + " scales' buffer resource", 4);
    for (int i = 0; i < o->tiles(); i += scale_tiles())
      o->scales.address.push_back(r.v.alloc(1, std::string(o->name) + " scales' load address"));
  }
}
// Allocated once the tile is known: what finds it takes scalar registers too.
void Gemm::declare_moved_scales() {
  moved_scales.shape = r.s.alloc(8, "scales' shape", 4);
  moved_scales.k_left = r.s.alloc(1, "blocks of k left to load");
  if (scale_batch > 1) {
    moved_scales.moved = r.s.alloc(1, "of two batches of scales: the iteration moved next");
    moved_scales.read = r.s.alloc(1, "of two batches of scales: the iteration read next");
  }
  for (TileOperand* o : {&A, &B}) {
    declare_places(o->scales.place, *o, "scales'");
    kernel.load(o->scales.place[0].slice(2, 2), args[o->is_a ? &Args::block_scales_a : &Args::block_scales_b]);
    for (int i = 0; cfg.prefetch && tiled_scales() && i < (scale_requests(*o) + lanes - 1) / lanes; ++i)
      o->scales.lines.push_back(r.v.alloc(1, std::string(o->name) + " scales' lines requested"));
    if (clustered()) o->scales.receivers = r.s.alloc(1, std::string(o->name) + " scales' receivers");
    o->scales.address.push_back(r.v.alloc(1, std::string(o->name) + " scales' LDS address"));
  }
}
void Gemm::declare_scale_loop() {
  const int dwords = fetches_scales ? 1 : scale_dwords_loaded();
  for (TileOperand* o : {&A, &B})
    for (auto& set : o->scales.loaded)
      for (int i = 0; i < o->tiles(); i += scale_tiles())
        set.push_back(r.v.alloc(dwords, std::string(o->name) + " scales", fetches_scales ? 1 : 2));
}

// Rows are padded to 128 k, shuffled ones to 256: `K` is the problem's.
void Gemm::scale_strides() {
  const int padded = shuffled() ? 256 : 128;
  k.s_add_u32(scale_stride, K, padded - 1);
  k.s_lshr_b32(scale_stride, scale_stride, log2(padded));
  k.s_lshl_b32(scale_stride, scale_stride, log2(by_32_rows(cfg.block_scales) ? padded : 4));
}
// From the operand's first scale on to those of row `first`.
void Gemm::add_scale_rows(const TileOperand& o, Sgpr pointer, Sgpr first, Sgpr extent) {
  const int unit = scale_unit();
  k.s_mul_i32(t[3], extent, o.is_a ? halves : 1);
  k.s_add_u32(t[3], t[3], (1 << unit) - 1);
  k.s_lshr_b32(t[3], t[3], unit);
  if (cfg.ragged == (o.is_a ? Ragged::m : Ragged::n)) k.s_mov_b32(t[3], 0);
  else k.s_mul_i32(t[3], t[3], batch());
  k.s_lshr_b32(t[2], first, unit);
  k.s_add_u32(t[3], t[3], t[2]);
  at.add_product(pointer, t[3], scale_stride);
}
void Gemm::scale_addresses(TileOperand& o, Sgpr first, Sgpr extent, Sgpr wave_of) {
  const Sgpr pointer = moves_scales ? o.scales.place[0].slice(2, 2)
                                    : block_scales[o.is_a ? &Args::block_scales_a : &Args::block_scales_b];
  const int unit = scale_unit();
  add_scale_rows(o, pointer, first, extent);
  if (cfg.split_k > 1) {
    k.s_lshr_b32(t[3], first_k, unit ? 0 : 5);
    k.s_add_u32(pointer[0], pointer[0], t[3]);
    k.s_addc_u32(pointer[1], pointer[1], 0);
  }
  if (moves_scales) return moved_scale_addresses(o, wave_of);
  if (fetches_scales) return;
  raw_buffer(k, o.scales.resource, pointer, no_bound);
  k.s_sub_u32(o.scales.resource[0], o.scales.resource[0], scale_step());  // one iteration before the first
  k.s_subb_u32(o.scales.resource[1], o.scales.resource[1], 0);
  k.s_sub_u32(t[1], o.rows_left, 1);  // rows past the edge are clamped
  k.s_mul_i32(t[0], wave_of, o.wave_rows);
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr scratch[] = {x, y};
  const isa::LinearLayout& lanes_of = o.is_a ? atom.scales.a : atom.scales.b;
  if (shuffled()) {
    Scratch s(r);
    const Vgpr dword = pairs_shuffled() ? s.v("dword of 32 rows") : Vgpr(lane);
    if (pairs_shuffled()) {
      const Vgpr shift = o.is_a ? scale_shift : scale_shift_b;
      emit_offset(k, shift, lanes_of, "row", values, scratch);
      emit_offset(k, dword, lanes_of, "block", values, scratch);
      k.v_and_b32(x, 15, shift);
      k.v_lshl_add_u32(dword, dword, 4, x);
      k.v_lshrrev_b32(shift, 4, shift);
      k.v_lshlrev_b32(shift, 3, shift);
    }
    k.s_lshr_b32(t[0], t[0], unit);
    k.s_lshr_b32(t[1], t[1], unit);
    for (size_t i = 0; i < o.scales.address.size(); ++i) {
      k.s_add_u32(t[2], t[0], static_cast<int>(i));
      k.s_min_u32(t[2], t[2], t[1]);
      k.s_mul_i32(t[2], t[2], scale_stride);
      k.v_lshl_add_u32(o.scales.address[i], dword, 2, t[2]);
    }
    return;
  }
  Scratch s(r);
  const Vgpr row = s.v("row");
  emit_offset(k, row, lanes_of, "row", values, scratch);
  k.v_add_u32(row, t[0], row);
  for (size_t i = 0; i < o.scales.address.size(); ++i) {
    k.v_add_u32(x, static_cast<int>(i) * atom.scales.tiles * atom.extent, row);
    memory_row(o, x, x, t[1]);
    if (tiled_scales()) {
      k.v_lshrrev_b32(y, 5, x);
      k.v_and_b32(x, 31, x);
      k.v_mul_lo_u32(y, y, scale_stride);
      k.v_lshl_add_u32(o.scales.address[i], x, 2, y);
      continue;
    }
    k.v_mul_lo_u32(o.scales.address[i], x, scale_stride);
  }
  if (!shifts_scales() || !o.is_a) return;
  emit_offset(k, scale_shift, lanes_of, "block", values, scratch);
  k.v_lshlrev_b32(scale_shift, 3, scale_shift);
}

// The largest batch that LDS has room for. A row's bytes come from one or two lines.
int Gemm::moved_scale_batch() const {
  const int row_bytes = tiled_scales() ? 4 * scale_step() : 64;
  const auto whole_loads = [&](const TileOperand& o) { return o.tiles() / o.halves % scale_tiles() == 0; };
  if (!tensor || !scaled() || !whole_loads(A) || !whole_loads(B)) return 0;
  for (int batch = row_bytes / scale_step(); batch; batch /= 2) {
    int bytes = scales_offset;
    bool free_of_conflicts = true;
    for (const TileOperand* o : {&A, &B}) {
      const int padding = scale_padding(*o, batch);
      free_of_conflicts &= padding != absent;
      bytes += 2 * scale_rows(o->rows) * (batch * scale_step() + padding);
    }
    if (free_of_conflicts && bytes <= isa::target(kernel.arch).lds_bytes) return batch;
  }
  return 0;
}
int Gemm::scale_padding(const TileOperand& o, int batch) const {
  if (tiled_scales()) return 0;  // lanes read 128 bytes in a row
  const isa::LinearLayout& lanes_of = o.is_a ? atom.scales.a : atom.scales.b;
  const int lane_bits = lanes_of.input_bits("lane"), row_bytes = batch * scale_step();
  isa::LinearLayout l({{"lane", lane_bits}}, {{"row", 10}, {"byte", 10}});
  for (int i = 0; i < lane_bits; ++i) l.move("lane", i, "row", lanes_of.basis("lane", i, "row"));
  const std::array reads{isa::LdsTileAccess{"scales read", isa::LdsAccess::read, scale_step(), l}};
  const auto padding = isa::padding_for(row_bytes, isa::target(kernel.arch).family, reads, std::min(16, scale_step()));
  return padding && can_pad(row_bytes, *padding) ? *padding : absent;
}
void Gemm::moved_scale_addresses(TileOperand& o, Sgpr wave_of) {
  const auto padded = static_cast<int>(padded_shape(1, scale_batch * scale_step(), scale_padding(o, scale_batch)));
  const Sgpr shape = moved_scales.shape;
  if (o.is_a) {
    k.s_mov_b32(shape[0], padded);
    k.s_mov_b32(shape[3], scale_batch * scale_step() << 16);
    k.s_mov_b32(shape[5], scale_stride);
    k.s_mov_b64(shape.slice(6, 2), 0);
    if (tiled_scales()) k.s_mov_b32(moved_scales.k_left, scale_stride);
    else k.s_lshr_b32(moved_scales.k_left, K, 5);
    if (scale_batch > 1) k.s_mov_b32(moved_scales.moved, 0);
    if (scale_batch > 1 && !moves_on) k.s_mov_b32(moved_scales.read, 0);
  }
  if (clustered()) {
    k.s_mov_b32(o.scales.receivers, padded);
    multicast(o, o.scales.receivers);
  }
  begin_places(o.scales.place, o, o.scales.place[0].slice(2, 2), scale_stride);
  if (moves_on) return;
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr scratch[] = {x, y};
  const Vgpr to = o.scales.address[0];
  emit_offset(k, to, o.is_a ? atom.scales.a : atom.scales.b, "row", values, scratch);
  k.s_mul_i32(t[0], wave_of, scale_rows(o.wave_rows / o.halves) * (tiled_scales() ? scale_pitch(o) : 1));
  if (tiled_scales()) {
    k.v_lshl_add_u32(to, to, 2, t[0]);
  } else {
    k.v_add_u32(to, t[0], to);
    k.v_mul_u32_u24(to, scale_pitch(o), to);
  }
  k.v_add_u32(to, scale_place(o), to);
  for (size_t i = 0; i < o.scales.lines.size(); ++i) {
    const Vgpr line = o.scales.lines[i];
    k.v_add_u32(x, static_cast<int>(i) * lanes, kernel.workitem);
    k.v_min_u32(x, scale_requests(o) - 1, x);
    k.v_lshrrev_b32(y, log2(scale_pieces()), x);
    k.v_mul_lo_u32(line, y, scale_stride);
    k.v_and_b32(x, scale_pieces() - 1, x);
    k.v_lshl_add_u32(line, x, 8, line);
  }
}
// A batch, before its first iteration: in others the descriptors are not valid. Batches of one iteration are in the
// slots' buffers; else the iteration is counted.
Block Gemm::move_scales(int slot) {
  Block b(k.arch(), "move_scales");
  const Sgpr shape = moved_scales.shape, iteration = moved_scales.moved, bytes = t[1];
  if (scale_batch > 1) {
    b.s_and_b32(bytes, iteration, scale_batch - 1);
    b.s_cselect_b32(bytes, 0, scale_batch * scale_step());
  } else {
    b.s_mov_b32(bytes, scale_step());
  }
  b.s_min_u32(t[0], moved_scales.k_left, bytes);
  b.s_sub_u32(moved_scales.k_left, moved_scales.k_left, t[0]);
  b.s_lshl_b32(shape[1], t[0], 16);
  for (TileOperand* o : {&A, &B}) {
    const int of_half = o->rows / o->halves, rows = scale_rows(of_half);
    b.s_min_u32(t[0], o->rows_left, of_half);
    if (tiled_scales()) b.s_add_u32(t[0], t[0], 31), b.s_lshr_b32(t[0], t[0], 5);
    b.s_lshl_b32(shape[2], t[0], 16);
    b.s_mov_b32(shape[4], rows);
    if (clustered()) b.s_mov_b32(shape[0], o->scales.receivers);
    for (size_t half = 0; half < o->scales.place.size(); ++half) {
      const Sgpr place = o->scales.place[half];
      const int to = scale_place(*o) + static_cast<int>(half) * rows * scale_pitch(*o);
      if (scale_batch > 1) {
        b.s_cmp_lg_u32(bytes, 0);
        b.s_cselect_b32(place[0], o->tile.place[half][0], 0);
        b.s_mul_i32(place[1], iteration, scale_buffer(*o) / scale_batch);
        b.s_add_u32(place[1], place[1], to);
      } else {
        b.s_mov_b32(place[1], to + slot * scale_buffer(*o));
      }
      b.emit(Opcode::tensor_load_to_lds, {place.operand(), shape.operand()}, {}, Where::current()).buffer =
          static_cast<int16_t>(scale_tag(slot));
      b.s_add_u32(place[2], place[2], bytes);
      b.s_addc_u32(place[3], place[3], 0);
    }
    if (o->scales.lines.empty()) continue;
    const Sgpr next = t.slice(2, 2);
    b.s_mov_b32(next[0], o->scales.place[0][2]);
    b.s_xor_b32(next[1], o->scales.place[0][3], descriptor_type);
    for (const Vgpr line : o->scales.lines) request_lines(b, line, next);
  }
  if (scale_batch > 1) count_moved(b, iteration);
  return b;
}
void Gemm::count_moved(Block& b, Sgpr iteration) {
  b.s_add_u32(iteration, iteration, 1);
  b.s_and_b32(iteration, iteration, 2 * scale_batch - 1);
}
Block Gemm::read_scales(int slot, int k_slice) {
  Block b(k.arch(), "read_scales");
  const Sgpr iteration = moved_scales.read, of_row = t[0], buffer = t[1];
  if (scale_batch > 1) {
    b.s_and_b32(of_row, iteration, scale_batch - 1);
    b.s_lshl_b32(of_row, of_row, log2(scale_step()));
    b.s_lshr_b32(buffer, iteration, log2(scale_batch));
    if (k_slice != 0) count_moved(b, iteration);
  }
  const auto from_of = [&](const TileOperand& o) -> Vgpr {
    return scale_batch == 1 ? Vgpr(o.scales.address[0]) : o.is_a ? Vgpr(x) : Vgpr(y);
  };
  for (const TileOperand* o : {&A, &B}) {
    if (scale_batch == 1) continue;
    b.s_mul_i32(t[2], buffer, scale_buffer(*o));
    b.s_add_u32(t[2], t[2], of_row);
    b.v_add_u32(from_of(*o), t[2], o->scales.address[0]);
  }
  for (TileOperand* o : {&A, &B}) {
    const Vgpr from = from_of(*o);
    for (int tile = 0; tile < o->tiles(); tile += scale_tiles()) {
      const Vgpr to = o->scales.loaded[slot][static_cast<size_t>(tile / scale_tiles())];
      const isa::Mods at{.offset = scale_rows(scale_tile_row(*o, tile)) * scale_pitch(*o) +
                                   (scale_batch > 1 ? 0 : slot * scale_buffer(*o))};
      if (tiled_scales()) {
        for (int d = 0; d < to.dwords; ++d)
          if (d * scale_dword_k() / slice_k == k_slice)
            b.ds_read_b32(to[d], from, isa::Mods{.offset = at.offset + 128 * d}).buffer =
                static_cast<int16_t>(scale_tag(slot));
        continue;
      }
      Node& read = to.dwords == 1   ? b.ds_read_b32(to, from, at)
                   : to.dwords == 2 ? b.ds_read_b64(to, from, at)
                                    : b.ds_read_b128(to, from, at);
      read.buffer = static_cast<int16_t>(scale_tag(slot));
    }
  }
  return b;
}
Block Gemm::scale_reads(const Block& all, int i, int n) const {
  const auto reads = [](const Node& node) { return node.is_instruction() && node.inst.info().unit == isa::Unit::lds; };
  Block addresses(k.arch(), "read_scales"), those(k.arch(), "read_scales");
  for (const Node& node : all.nodes) (reads(node) ? those : addresses).nodes.push_back(node);
  return n == 1 ? all : i == 0 ? addresses : part(those, i - 1, n - 1);
}

// The scales of the next iteration. In the rest of K, dwords after its end are not read: they may be outside.
Block Gemm::load_scales(int set, bool rest) {
  Block b(k.arch(), "load_scales");
  for (TileOperand* o : {&A, &B}) {
    b.s_add_u32(o->scales.resource[0], o->scales.resource[0], scale_step());
    b.s_addc_u32(o->scales.resource[1], o->scales.resource[1], 0);
    const int apart = pairs_shuffled() || tiled_scales() ? 128 : shuffled() ? 256 : 4;  // bytes
    for (size_t i = 0; i < o->scales.address.size(); ++i) {
      const Vgpr to = o->scales.loaded[set][i], address = o->scales.address[i];
      if (to.dwords > 1 && !rest && !by_32_rows(cfg.block_scales)) {
        b.buffer(to.dwords == 2 ? Opcode::buffer_load_dwordx2 : Opcode::buffer_load_dwordx4, to, address,
                 o->scales.resource, 0, {.flags = isa::offen});
        continue;
      }
      for (int d = 0; d < to.dwords; ++d) {
        const bool may_be_outside = rest && first_k_of_dword(d);
        if (may_be_outside) {
          b.s_sub_u32(t[0], k_left, first_k_of_dword(d) + 1);
          b.s_ashr_i32(t[0], t[0], 31);
          b.v_add_u32(x, apart * d, address);
          b.v_or_b32(x, t[0], x);
        }
        b.buffer_load_dword(to[d], may_be_outside ? static_cast<Vgpr>(x) : address, o->scales.resource, 0,
                            {.offset = may_be_outside ? 0 : apart * d, .flags = isa::offen});
      }
    }
  }
  return b;
}
// Brings each lane's block to the bytes that the instructions select. In the rest of K, scales after its end become
// 2^-127: the elements there are zeros, and a scale that is NaN must not reach them.
Block Gemm::prepare_scales(int set, bool rest) {
  Block b(k.arch(), "prepare_scales");
  const auto all = [&](auto&& change) {
    for (TileOperand* o : {&A, &B})
      for (const Vgpr scales : o->scales.loaded[set])
        for (int d = 0; d < scales.dwords; ++d) change(scales[d], d);
  };
  b.wait_for(B.scales.loaded[set].back());
  for (int d = 0; rest && d < scale_dwords_loaded(); ++d) {
    b.s_sub_u32(t[0], k_left, first_k_of_dword(d));
    b.s_max_i32(t[0], t[0], 0);
    if (shuffled()) {  // bytes 0 and 1: the lane's block of the first 128 k; 2 and 3: of the others
      b.v_lshrrev_b32(x, log2(atom.extent), lane);
      b.s_lshr_b32(t[0], t[0], 5);
      if (pairs_shuffled() && d % 2) b.s_sub_u32(t[0], t[0], 2);
      b.v_subrev_u32(x, t[0], x);
      b.v_add_u32(y, 4, x);
      b.v_ashrrev_i32(x, 31, x);
      b.v_ashrrev_i32(y, 31, y);
      b.s_mov_b32(t[0], 0xffff);
      b.v_bfi_b32(x, t[0], x, y);
    } else {
      b.s_lshr_b32(t[0], t[0], 2);
      b.s_min_u32(t[0], t[0], 32);
      b.s_bfm_b64(t.slice(2, 2), t[0], 0);
      b.v_mov_b32(x, t[2]);
    }
    all([&](Vgpr scales, int of) {
      if (of == d) b.v_and_b32(scales, x, scales);
    });
  }
  for (const TileOperand* o : {&A, &B})
    for (const Vgpr scales : o->scales.loaded[set])
      for (int d = 0; shifts_scales() && d < scales.dwords; ++d)
        b.v_lshrrev_b32(scales[d], o->is_a || !pairs_shuffled() ? scale_shift : scale_shift_b, scales[d]);
  b.s_nop(1);  // results of VALU instructions are late for matrix instructions
  return b;
}
// Part i of n.
Pipeline::Stages Gemm::scale_loads(int i, int n) {
  const auto loads = [=, this](bool rest) { return [=, this](int set) { return part(load_scales(set, rest), i, n); }; };
  return {{ahead(1).over(2).in_segment(whole_blocks), loads(false)},
          {ahead(1).over(2).in_segment(rest_of_k), loads(true)}};
}
void Gemm::prepare_scales(Pipeline& p) {
  if (shifts_scales())
    p.at(ahead(0).over(2).in_segment(whole_blocks), [this](int set) { return prepare_scales(set, false); });
  if (moves_scales && tiled_scales())  // before they are masked
    p.at(ahead(0).over(2).in_segment(rest_of_k), [this](int slot) { return read_scales(slot, 1); });
  if (!one_segment())
    p.at(ahead(0).over(2).in_segment(rest_of_k), [this](int set) { return prepare_scales(set, true); });
}

// Of one instruction.
Atom::Scale Gemm::scale_of(const TileOperand& o, int tile, int k_slice, int of_slice) const {
  if (fetches_scales) return {o.scales.loaded[k_slice % 2][static_cast<size_t>(tile)], of_slice};
  const auto& set = o.scales.loaded[k_slice / 2 % 2];
  const int first = (k_slice % 2 * slice_k + of_slice * atom.depth) / 32,
            shared = tile % scale_tiles();  // first: block
  const Vgpr in = set[static_cast<size_t>(tile / scale_tiles())];
  if (pairs_shuffled()) return {in[first / 8 * 2 + first % 4 / 2], first % 8 / 4 * 2};
  if (shuffled()) return {in[first / 8], first % 8 / 4 * 2 + shared};
  return {in[first / 4], atom.scales.block_per_lane ? first % 4 : shared};
}

}  // namespace wavesmith::gemm
