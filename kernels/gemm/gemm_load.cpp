// Loads of A and B: global memory to registers to LDS to fragments. In LDS k is contiguous, whatever the order in
// memory. The layout of a k-slice is solved for the accesses below and free of bank conflicts
// (isa_tables/lds_swizzle.h).
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "isa_tables/lds_swizzle.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
void Gemm::declare_operand(TileOperand& o) {
  const std::string name = o.name;
  o.resource = r.s.alloc(4, name + " buffer resource", 4);
  o.row_stride = r.s.alloc(1, name + " bytes per row");
  o.k_stride = r.s.alloc(1, name + " bytes per k");
  o.block_step = r.s.alloc(1, name + " bytes per iteration");
  o.rows_left = r.s.alloc(1, name + " rows left");
  o.k_slice = k_slice_layout(o);
  for (int i = 0; i < (o.k_contiguous ? 1 : 2) * o.loads(); ++i)
    o.load_address.push_back(r.v.alloc(1, name + " load address"));
  o.stores = AddressSet(load_lanes(o).then(o.k_slice), o.k_contiguous ? chunk_bytes : o.stored_bytes());
  if (o.k_contiguous)
    for (int i = 0; i < o.loads(); ++i) o.stored_at(i * lanes / o.row_chunks, 0);
  else
    for (int row = 0; row < o.row_run(); ++row)
      for (int byte = 0; byte < o.run_bytes(); byte += o.store_step()) o.stored_at(row, byte);
  o.store_address.resize(o.k_contiguous ? 1 : static_cast<size_t>(o.stages));
  for (auto& of_stage : o.store_address)
    for (size_t i = 0; i < o.stores.patterns().size(); ++i)
      of_stage.push_back(r.v.alloc(1, name + " LDS store address"));
  if (direct) {
    o.k_bytes = r.s.alloc(1, name + " bytes along k"), o.lds_wave = r.s.alloc(1, name + " LDS bytes before this wave");
    for (int i = 0; i < o.loads(); ++i) o.fetch_address.push_back(r.v.alloc(1, name + " fetch address"));
  }
  // A wave's first row is a multiple of its number of rows.
  isa::LinearLayout first =
      fragment_lanes(o) * isa::LinearLayout({{"wave", log2(o.rows / o.wave_rows)}}, {{"row", log2(o.rows / o.extent)}});
  for (int i = 0; i < log2(o.rows / o.wave_rows); ++i)
    first.move("wave", i, "row", static_cast<uint32_t>(o.wave_rows) << i);
  o.reads = AddressSet(first.then(o.k_slice), chunk_bytes);
  for (int i = 0; i < o.tiles(); ++i)
    for (int chunk = 0; chunk < o.row_chunks; chunk += of(o).row_chunks)
      for (const FragmentPart& part : of(o).parts) o.fragment_at(i, chunk + part.chunk);
  for (size_t i = 0; i < o.reads.patterns().size(); ++i)
    o.read_address.push_back(r.v.alloc(1, name + " LDS read address"));
}
void Gemm::declare_loop(TileOperand& o) {
  const std::string name = o.name;
  for (int i = 0; i < (o.by_lines() && !direct ? 2 : 1); ++i)
    o.on_the_way.push_back(
        r.v.alloc((direct && scaled() ? std::min(rest_loads, o.loads()) : o.loads()) * o.load_dwords(),
                  name + " on its way to LDS", 4));
  o.fragment.resize(static_cast<size_t>(sets()));
  for (auto& set : o.fragment)
    for (int n = 0; n < o.tiles(); ++n) set.push_back(r.v.alloc(of(o).fragment_dwords(), name + " fragment", 4));
}

// The first load of each work-item: "lane" -> "row", "chunk", "within". Where k is contiguous, a lane loads 16 bytes of
// a row, and lanes go through the rows in order. Otherwise it loads `row_run` rows at k_run k; the bits of the lane are
// then, from the lowest: eight runs of rows, which a swizzle can tell apart; the place within a chunk; further rows;
// the chunk.
isa::LinearLayout Gemm::load_lanes(const TileOperand& o) const {
  if (o.k_contiguous) return lanes_in_order(rows_of_chunks(lanes / o.row_chunks, o.row_bytes()), log2(lanes));
  isa::LinearLayout l({{"lane", log2(lanes)}},
                      {{"row", log2(o.rows)}, {"chunk", log2(o.row_chunks)}, {"within", log2(chunk_bytes)}});
  int lane_bit = 0;
  const auto next = [&](const char* axis, int from, int to) {
    for (int step = from; step < to; step *= 2) l.move("lane", lane_bit++, axis, static_cast<uint32_t>(step));
  };
  const int far = std::min(8 * o.near_row, o.rows), within = o.element_bytes() >= 4 ? o.element_bytes() : o.run_bytes();
  next("row", o.near_row, far);
  next("within", within, chunk_bytes);
  next("row", o.row_run(), o.near_row);
  next("row", far, o.rows);
  next("chunk", std::max(1, o.run_bytes() / chunk_bytes), o.row_chunks);
  return l;
}

std::vector<isa::LdsTileAccess> Gemm::lds_accesses(const TileOperand& o) const {
  std::vector<isa::LdsTileAccess> all{{"fragment read", isa::LdsAccess::read, chunk_bytes, fragment_lanes(o)}};
  if (!direct)
    all.push_back({"store", isa::LdsAccess::write, o.k_contiguous ? chunk_bytes : o.stored_bytes(),
                   isa::LinearLayout::identity("lane", "lane", log2(wave)).then(load_lanes(o))});
  return all;
}
// "row", "chunk", "within" -> "byte" of a k-slice: row-major, swizzled. Rows from 64 on are reached by immediate
// offsets, so the swizzle must not use their bits; nor, where that is possible, the bit of rows that one instruction
// writes. The lanes' order, near_row, is the first that has such a swizzle.
isa::LinearLayout Gemm::k_slice_layout(TileOperand& o) const {
  const auto apart = static_cast<uint32_t>(o.k_contiguous ? 0 : o.row_run() / 2);
  for (const int near : {o.row_run(), std::max(o.row_run(), 4)})
    for (const uint32_t row_bits : {0b111111 & ~apart, 0b111111u}) {
      o.near_row = near;
      if (const auto swizzled =
              isa::swizzled_for(rows_of_chunks(o.rows, o.row_bytes()), isa::target(kernel.arch).family, lds_accesses(o),
                                {.sources = row_bits * static_cast<uint32_t>(o.row_bytes())}))
        return *swizzled;
    }
  throw ConfigError(
      fmt::format("gemm: no swizzle of {}'s LDS tile, {} bytes a row, is free of bank conflicts; legal: a tile with "
                  "k of 128 bytes",
                  o.name, o.row_bytes()));
}

// Clobbers x and y, as does lds_address().
void Gemm::from_workitem(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) {
  const AxisValue values[] = {{"lane", kernel.workitem}};
  const Vgpr scratch[] = {y, x};
  emit_offset(k, dst, layout, output, values, scratch);
}
// dst = byte offset of a chunk of a row in a k-slice.
void Gemm::lds_address(const TileOperand& o, Vgpr dst, Vgpr row_v, Vgpr chunk_v) {
  const Vgpr scratch[] = {x, y};
  const AxisValue values[] = {{"row", row_v}, {"chunk", chunk_v}};
  emit_offset(k, dst, o.k_slice, "byte", values, scratch);
}

void Gemm::operand_addresses(TileOperand& o, Sgpr extent, Sgpr first, Sgpr ld) {
  if (o.element_bits >= 8) {
    k.s_lshl_b32(o.k_contiguous ? o.row_stride : o.k_stride, ld, log2(o.element_bytes()));
    k.s_mov_b32(o.k_contiguous ? o.k_stride : o.row_stride, o.element_bytes());
    k.s_lshl_b32(o.block_step, o.k_stride, log2(block_k));
  } else {
    k.s_mov_b32(o.k_stride, 4 * o.element_bits);
    k.s_lshr_b32(o.row_stride, ld, 5);
    k.s_mul_i32(o.row_stride, o.row_stride, o.k_stride);
    k.s_mov_b32(o.block_step, 2 * o.memory_row_bytes());
  }
  k.s_sub_u32(o.rows_left, extent, first);
  if (o.k_contiguous) k_contiguous_addresses(o);
  else row_contiguous_addresses(o);
}
// Load i is lanes / row_chunks rows further. Rows past the edge are clamped to the last one; their results are not
// stored.
void Gemm::k_contiguous_addresses(TileOperand& o) {
  Scratch s(r);
  const Vgpr to = o.store_address[0][0], row = s.v("row"), chunk = s.v("chunk");
  const isa::LinearLayout loads = load_lanes(o);
  from_workitem(row, loads, "row");
  from_workitem(chunk, loads, "chunk");
  lds_address(o, to, row, chunk);
  for (size_t i = 1; i < o.stores.patterns().size(); ++i)
    k.v_xor_b32(o.store_address[0][i], static_cast<int>(o.stores.patterns()[i]), to);
  for (const Vgpr address : o.store_address[0]) k.v_add_u32(address, o.lds_offset, address);
  k.s_sub_u32(t[0], o.rows_left, 1);
  for (int i = 0; i < o.loads(); ++i) {
    k.v_add_u32(x, i * lanes / o.row_chunks, row);
    memory_row(o, x, x, t[0]);
    k.v_mul_lo_u32(x, x, o.row_stride);
    add_chunk(o, o.load_address[i], chunk, x);
    if (direct) k.v_add_u32(o.load_address[i], before_base, o.load_address[i]);
  }
}
// The row of A or B in memory, from the block's first, of a row of the tile: at most `last`. Gated, a wave's rows are
// those of its part of D, first of the gate, then of what it gates, M rows further.
void Gemm::memory_row(const TileOperand& o, Vgpr to, Vgpr row, Sgpr last) {
  if (!o.is_a || halves == 1) return void(k.v_min_u32(to, last, row));
  Scratch s(r);
  const Vgpr half = s.v("0: gate");
  const int rows = o.wave_rows / 2;
  k.v_bfe_u32(half, row, log2(rows), 1);
  k.v_lshrrev_b32(y, 1, row);
  k.v_and_b32(y, -rows, y);
  k.v_and_b32(to, rows - 1, row);
  k.v_or_b32(to, y, to);
  k.v_min_u32(to, last, to);
  k.v_mul_lo_u32(half, half, M);
  k.v_add_u32(to, half, to);
}
// to = x + bytes of a row before a chunk. Chunks of 6-bit elements have their bytes from 24 (chunk / 2) + 8 (chunk % 2)
// on.
void Gemm::add_chunk(const TileOperand& o, Vgpr to, Vgpr chunk, Vgpr from) {
  if (o.element_bits != 6) return void(k.v_lshl_add_u32(to, chunk, 4, from));
  Scratch s(r);
  const Vgpr odd = s.v("4 if the chunk is odd");
  k.v_and_b32(odd, 1, chunk);
  k.v_lshlrev_b32(odd, 2, odd);
  k.v_mad_u32_u24(to, chunk, 12, from);
  k.v_sub_u32(to, to, odd);
}
// Direct loads write LDS in lane order, so a lane loads the row and chunk that belong at its 16 bytes. Load i of a wave
// is 1024 i bytes further in LDS, by its immediate offset and, from 4 on, by M0; the offset applies to the memory
// address too and is subtracted there.
void Gemm::fetch_addresses(TileOperand& o) {
  const int wave_rows = wave / o.row_chunks * o.loads();
  const isa::LinearLayout plain = rows_of_chunks(o.rows, o.row_bytes()), from_place = plain.then(o.k_slice.inverse());
  const isa::LinearLayout in_wave = in_every_wave(lanes_in_order(plain, log2(wave)), waves);
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"row", row}, {"chunk", chunk}};
  const Vgpr scratch[] = {x, y};
  wave_number(kernel, t[0]);
  k.s_mul_i32(o.lds_wave, t[0], o.loads() * wave_load_bytes);
  k.s_add_u32(o.lds_wave, o.lds_wave, o.lds_offset);
  k.s_mov_b32(o.k_bytes, -o.memory_row_bytes());
  k.s_sub_u32(t[1], o.rows_left, 1);
  k.s_mul_i32(t[0], t[0], wave_rows);
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr to = o.fetch_address[i];
    from_workitem(row, in_wave, "row");
    const int further = wave / o.row_chunks * i;
    if (further > 64) k.v_add_u32(row, further, row);  // no inline constant
    k.v_add3_u32(row, row, further > 64 ? 0 : further, t[0]);
    from_workitem(chunk, in_wave, "chunk");
    emit_offset(k, to, from_place, "chunk", values, scratch);
    emit_offset(k, row, from_place, "row", values, scratch);
    memory_row(o, row, row, t[1]);
    k.v_mul_lo_u32(x, row, o.row_stride);
    add_chunk(o, to, to, x);
    k.v_add_u32(to, before_base - wave_load_bytes * (i % direct_loads), to);
  }
}
// Runs of rows past the edge are clamped to the last one.
void Gemm::row_contiguous_addresses(TileOperand& o) {
  const isa::LinearLayout loads = load_lanes(o);
  Scratch s(r);
  const Vgpr row = s.v("first row"), k0 = s.v("first k"), clamped = s.v("first row that is loaded"),
             first = o.store_address[0][0];
  from_workitem(row, loads, "row");
  const int element = log2(o.element_bytes());
  isa::LinearLayout to_k = isa::LinearLayout({{"within", log2(chunk_bytes)}}, {{"k", log2(chunk_bytes) - element}}) *
                           isa::LinearLayout::identity("chunk", "k", log2(o.row_chunks));
  for (int i = element; i < log2(chunk_bytes); ++i) to_k.move("within", i, "k", 1u << (i - element));
  from_workitem(k0, loads.then(to_k), "k");
  k.s_sub_u32(t[0], o.rows_left, 1);
  k.s_and_b32(t[0], t[0], -o.row_run());
  memory_row(o, clamped, row, t[0]);
  for (size_t i = 0; i < o.load_address.size(); ++i) {
    const int n = static_cast<int>(i), ahead = n / o.loads() * slice_k + n % o.loads() * o.k_step();
    k.v_add_u32(x, ahead, k0);
    k.v_mul_lo_u32(x, x, o.k_stride);
    k.v_lshl_add_u32(o.load_address[i], clamped, element, x);
  }
  from_workitem(first, loads.then(o.k_slice), "byte");
  for (size_t i = 1; i < o.stores.patterns().size(); ++i)
    k.v_xor_b32(o.store_address[0][i], static_cast<int>(o.stores.patterns()[i]), first);
  for (size_t i = 0; i < o.stores.patterns().size(); ++i) {
    const Vgpr to = o.store_address[0][i];
    k.v_add_u32(to, o.lds_offset, to);
    for (int n = 1; n < o.stages; ++n) k.v_add_u32(o.store_address[n][i], n * o.k_slice_bytes(), to);
  }
}
// Addresses of a lane's part of a fragment. Further tiles and chunks differ by an XOR pattern, one address register
// each, and an immediate offset.
void Gemm::read_addresses(TileOperand& o, Sgpr wave) {
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr scratch[] = {x, y};
  emit_offset(k, row, fragment_lanes(o), "row", values, scratch);
  k.s_mul_i32(t[0], wave, o.wave_rows);
  k.v_add_u32(row, t[0], row);
  emit_offset(k, chunk, fragment_lanes(o), "chunk", values, scratch);
  lds_address(o, o.read_address[0], row, chunk);
  k.v_add_u32(o.read_address[0], o.lds_offset, o.read_address[0]);
  for (size_t i = 1; i < o.reads.patterns().size(); ++i)
    k.v_xor_b32(o.read_address[i], static_cast<int>(o.reads.patterns()[i]), o.read_address[0]);
}

// Loads k-slice `k_slice`, relative to the resource's base.
Block Gemm::load(TileOperand& o, int k_slice) {
  Block b(k.arch(), "load");
  const int second = k_slice % 2;  // the second k-slice of an iteration
  const Opcode op = o.load_bytes() == 16  ? Opcode::buffer_load_dwordx4
                    : o.load_bytes() == 8 ? Opcode::buffer_load_dwordx2
                                          : Opcode::buffer_load_dword;
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr address = o.load_address[o.k_contiguous ? i : second * o.loads() + i];
    b.buffer(op, o.staged(k_slice, i), address, o.resource, 0,
             {.offset = o.k_contiguous ? second * o.memory_row_bytes() : 0, .flags = isa::offen});
  }
  return b;
}
// Two k-slices, a line of 128 bytes by two loads that follow each other: the second one finds it in the L1.
Block Gemm::load_line(TileOperand& o, int k_slice) {
  const Block first = load(o, k_slice), second = load(o, k_slice + 1);
  Block b(k.arch(), "load_line");
  for (size_t i = 0; i < first.nodes.size(); ++i) b.nodes.insert(b.nodes.end(), {first.nodes[i], second.nodes[i]});
  return b;
}
// The same of one k-slice, directly to LDS.
Block Gemm::fetch(TileOperand& o, int k_slice) {
  Block b(k.arch(), "fetch");
  b.s_add_u32(m0, o.lds_wave, o.read_offset(k_slice));
  b.s_add_u32(o.k_bytes, o.k_bytes, o.memory_row_bytes());  // separates the write of M0 from its use
  for (int i = 0; i < o.loads(); ++i) {
    if (i && i % direct_loads == 0) {
      b.s_add_u32(m0, o.lds_wave, o.read_offset(k_slice) + i * wave_load_bytes);
      b.s_nop(0);
    }
    load_to_lds(b, {Opcode::buffer_load_dwordx4, o.fetch_address[i], o.resource, o.k_bytes,
                    wave_load_bytes * (i % direct_loads), o.tag(k_slice)});
  }
  return b;
}
// load() for the rest of K, one element at a time; elements past K are zero. Where k is contiguous, the k of each
// element is compared. Where rows are contiguous, the buffer's bound is the last row's element at the last k; rows past
// the last then read other elements, but their results are not stored.
Block Gemm::load_rest(TileOperand& o, int k_slice) {
  Block b(k.arch(), "load_rest");
  const int second = k_slice % 2;
  if (!o.k_contiguous) {
    b.s_min_u32(t[0], k_left, block_k);
    b.s_sub_u32(t[0], t[0], 1);
    b.s_mul_i32(t[0], t[0], o.k_stride);
    if (o.is_a && halves > 1) b.s_add_u32(t[1], o.rows_left, M);
    b.s_lshl_b32(t[1], o.is_a && halves > 1 ? t[1] : o.rows_left, log2(o.element_bytes()));
    b.s_add_u32(t[0], t[0], t[1]);
    set_bytes(b, o.resource, t[0]);
  }
  begin_rest(b, o);
  if (scaled()) {
    load_chunks(b, o, k_slice, 0, o.loads());
    return b;
  }
  static constexpr std::pair<int, Opcode> widths[] = {{1, Opcode::buffer_load_ubyte},
                                                      {2, Opcode::buffer_load_ushort},
                                                      {4, Opcode::buffer_load_dword},
                                                      {8, Opcode::buffer_load_dwordx2}};
  const Opcode op = std::ranges::find(widths, o.element_bytes(), &std::pair<int, Opcode>::first)->second;
  for (int i = 0; i < o.loads(); ++i)
    join(b, o.staged(k_slice, i), o.load_bytes() / o.element_bytes(), [&](int element, Vgpr to) {
      const int bytes = element * o.element_bytes(), k_of = second * slice_k + element;
      const Vgpr address = o.k_contiguous
                               ? within_k(b, o.load_address[i], k_of, bytes + (direct ? 0 : second * o.row_bytes()))
                               : static_cast<Vgpr>(o.load_address[second * o.loads() + i]);
      b.buffer(op, to, address, o.resource, direct ? SSrcArg(o.k_bytes) : SSrcArg(0),
               {.offset = o.k_contiguous ? 0 : bytes, .flags = isa::offen});
    });
  return b;
}
void Gemm::begin_rest(Block& b, TileOperand& o) {
  if (direct) b.s_add_u32(o.k_bytes, o.k_bytes, o.memory_row_bytes());
  if (o.k_contiguous) {  // first k of the lane in a k-slice
    b.v_and_b32(lane_k, o.row_chunks - 1, kernel.workitem);
    b.v_lshlrev_b32(lane_k, log2(chunk_k(of(o).type)), lane_k);
  }
}
// With block scales K is a multiple of 32, so that chunks are whole or past its end.
void Gemm::load_chunks(Block& b, TileOperand& o, int k_slice, int first, int count) {
  const int second = k_slice % 2;
  for (int i = first; i < first + count; ++i) {
    const Vgpr address = within_k(b, o.load_address[i], second * slice_k, direct ? 0 : second * o.memory_row_bytes());
    b.buffer_load_dwordx4(o.staged(k_slice, i), address, o.resource, direct ? SSrcArg(o.k_bytes) : SSrcArg(0),
                          {.flags = isa::offen});
  }
}
// Elements that are loaded one by one into whole registers; those of 8 and 16 bits by way of `packed`.
void Gemm::join(Block& b, Vgpr dst, int elements, const std::function<void(int element, Vgpr)>& load) {
  const int per_dword = elements / dst.dwords;
  if (per_dword <= 1) {
    for (int e = 0, dwords = dst.dwords / elements; e < elements; ++e) load(e, dst.slice(e * dwords, dwords));
    return;
  }
  for (int first = 0; first < elements; first += 8) {
    const int count = std::min(8, elements - first);
    for (int e = 0; e < count; ++e) load(first + e, packed[e]);
    for (int e = 0; e < count; e += per_dword) {
      const Vgpr to = dst[(first + e) / per_dword];
      if (per_dword == 4) {
        b.v_lshl_or_b32(packed[e], packed[e + 1], 8, packed[e]);
        b.v_lshl_or_b32(packed[e + 2], packed[e + 3], 8, packed[e + 2]);
      }
      b.v_lshl_or_b32(to, packed[e + per_dword / 2], 16, packed[e]);
    }
  }
}
// x = address + bytes, or all ones (out of range) if fewer than `ahead` + 1 k are left for the lane: the sign of the
// difference makes the mask.
Vgpr Gemm::within_k(Block& b, Vgpr address, int ahead, int bytes) {
  b.s_sub_u32(t[0], k_left, ahead + 1);
  b.v_sub_u32(y, t[0], lane_k);
  b.v_ashrrev_i32(y, 31, y);
  b.v_add_u32(x, bytes, address);
  b.v_or_b32(x, x, y);
  return x;
}
Block Gemm::store(TileOperand& o, int k_slice) {
  Block b(k.arch(), "store");
  b.wait_for(o.stage(k_slice));
  if (o.k_contiguous) store_rows(b, o, k_slice, 0, o.loads());
  else store_transposed(b, o, k_slice);
  return b;
}
// Direct: the rest of K, by way of few registers if its loads are wide.
Block Gemm::rest_to_lds(TileOperand& o, int k_slice) {
  if (!scaled()) return load_rest(o, k_slice) << store(o, k_slice);
  Block b(k.arch(), "rest_to_lds");
  begin_rest(b, o);
  for (int first = 0; first < o.loads(); first += rest_loads) {
    const int count = std::min(rest_loads, o.loads() - first);
    load_chunks(b, o, k_slice, first, count);
    b.wait_for(o.stage(k_slice));
    store_rows(b, o, k_slice, first, count);
  }
  return b;
}
void Gemm::store_rows(Block& b, TileOperand& o, int k_slice, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    const auto at = o.stored_at(i * lanes / o.row_chunks, 0);
    b.ds_write_b128(o.store_address[0][at.address], o.staged(k_slice, i),
                    {.offset = o.read_offset(k_slice) + at.offset})
        .buffer = static_cast<int16_t>(o.tag(k_slice));
  }
}
// `stage` holds k_run k of row_run rows, a load after the other. Elements of 8 and 16 bits are transposed by
// v_perm_b32, the minimum of instructions; wider ones are in registers of their own.
void Gemm::store_transposed(Block& b, TileOperand& o, int k_slice) {
  const int half = o.row_run() / 2, bytes = o.stored_bytes(), dwords = bytes / 4;
  const Vgpr from = o.stage(k_slice);
  const auto loaded = [&](int of_k, int row) { return from[of_k * o.load_dwords() + row * o.element_bytes() / 4]; };
  const auto tagged = [&](Node& n) { n.buffer = static_cast<int16_t>(o.tag(k_slice)); };
  const auto one = [&](const AddressSet::At& at, Vgpr data) {
    const Vgpr to = o.store_address[o.lds_stage(k_slice)][at.address];
    tagged(dwords == 2 ? b.ds_write_b64(to, data, {.offset = at.offset})
                       : b.ds_write_b32(to, data, {.offset = at.offset}));
  };
  // Rows `row` and `row` + half: by one instruction if one address reaches both.
  const auto write = [&](int row, int byte, Vgpr first, Vgpr second) {
    const auto at = o.stored_at(row, byte), other = o.stored_at(row + half, byte);
    const int offset0 = at.offset / bytes, offset1 = other.offset / bytes;
    if (at.address != other.address || offset0 > 255 || offset1 > 255) return one(at, first), one(other, second);
    const Vgpr to = o.store_address[o.lds_stage(k_slice)][at.address];
    const isa::Mods offsets{.offset0 = static_cast<uint8_t>(offset0), .offset1 = static_cast<uint8_t>(offset1)};
    tagged(dwords == 2 ? b.ds_write2_b64(to, first, second, offsets) : b.ds_write2_b32(to, first, second, offsets));
  };
  if (o.element_bytes() >= 4) {
    for (int row = 0; row < half; ++row)
      for (int of_k = 0; of_k < o.k_run(); ++of_k) {
        const auto element = [&](int of_row) { return from.slice(of_k * o.load_dwords() + of_row * dwords, dwords); };
        write(row, of_k * chunk_bytes, element(row), element(row + half));
      }
  } else if (o.element_bytes() == 2) {
    for (int row = 0; row < half; ++row)
      for (int byte = 0; byte < o.run_bytes(); byte += bytes) {
        const Vgpr to = packed.slice(row % 2 * 4, 2 * dwords);
        for (int q = 0; q < 2 * dwords; ++q) {
          const int of_k = byte / 2 + q % dwords * 2, of_row = row + q / dwords * half;
          halves_of_rows->column(b, to[q], loaded(of_k, of_row), loaded(of_k + 1, of_row),
                                 of_row % 2 ? Half::high : Half::low);
        }
        write(row, byte, to.slice(0, dwords), to.slice(dwords, dwords));
      }
  } else {
    // Four rows at four k at once; of two such groups, half the lane's rows apart, unless four rows are all.
    const int groups = o.row_run() > 4 ? 2 : 1;
    for (int row = 0; row < half; row += 4)
      for (int byte = 0; byte < o.run_bytes(); byte += 4) {
        for (int g = 0; g < groups; ++g) {
          std::array<Vgpr, 4> to, rows;
          for (int i = 0; i < 4; ++i) to[i] = packed[4 * g + i], rows[i] = loaded(byte + i, row + g * half);
          bytes_of_rows->transpose(b, to, rows, packed[8]);
        }
        for (int i = 0; i < std::min(4, half); ++i)
          write(row + i, byte, packed[i], packed[groups == 2 ? 4 + i : half + i]);
      }
  }
}
Block Gemm::read_fragments(int k_slice, int part) {
  Block b(k.arch(), "read_fragments");
  for (TileOperand* o : {&B, &A})
    for (int i = 0; i < o->tiles(); ++i)
      for (const FragmentPart& p : of(*o).parts) {
        const auto from = o->fragment_at(i, part * of(*o).row_chunks + p.chunk);
        const Vgpr to = o->fragment[set(k_slice, part)][i].slice(p.first, p.dwords),
                   address = o->read_address[from.address];
        const isa::Mods at{.offset = o->read_offset(k_slice) + from.offset + p.byte};
        (p.dwords == 4 ? b.ds_read_b128(to, address, at) : b.ds_read_b64(to, address, at)).buffer =
            static_cast<int16_t>(o->tag(k_slice));
      }
  return b;
}

}  // namespace wavesmith::gemm
