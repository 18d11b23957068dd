// Operands A and B: their registers, the layout of a k-slice in LDS, and the addresses of a lane's loads, of its stores
// to LDS and of its fragments. In LDS k is contiguous, whatever the order in memory. The layout of a k-slice is solved
// for its accesses and free of bank conflicts (isa_tables/lds_swizzle.h).
#include "generator/dsl/emit_offset.h"
#include "isa_tables/lds_swizzle.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
void Gemm::declare_operand(TileOperand& o) {
  const std::string name = o.name;
  if (!tensor) o.resource = r.s.alloc(4, name + " buffer resource", 4);
  declare_strides(o);
  if (!tensor) o.block_step = r.s.alloc(1, name + " bytes per iteration");
  o.rows_left = r.s.alloc(1, name + " rows left");
  if (streams) {
    for (int i = 0; i < o.tiles(); ++i) o.load_address.push_back(r.v.alloc(1, name + " load address"));
    return;
  }
  if (tensor) return declare_tile(o);
  o.k_slice = k_slice_layout(o);
  for (int i = 0; i < (o.k_contiguous ? 1 : 2) * o.loads(); ++i)
    o.load_address.push_back(r.v.alloc(1, name + " load address"));
  o.stores = AddressSet(load_lanes(o).then(o.k_slice), o.k_contiguous ? chunk_bytes : o.stored_bytes());
  if (o.k_contiguous)
    for (int i = 0; i < o.loads(); ++i)
      for (int chunk = 0; chunk < o.chunks_of_load(); ++chunk) o.stored_at(i * o.rows_of_load(), chunk * chunk_bytes);
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
  const bool power = o.wave_rows == o.wave_unit();
  const int wave_bits = power ? log2(o.rows / o.wave_rows) : o.read_places > 1 ? log2(swizzled_rows / o.extent) : 0;
  isa::LinearLayout first =
      fragment_lanes(o) * isa::LinearLayout({{"wave", wave_bits}}, {{"row", log2(o.row_span() / o.extent)}});
  for (int i = 0; i < wave_bits; ++i)
    first.move("wave", i, "row", static_cast<uint32_t>(power ? o.wave_rows : o.extent) << i);
  o.reads = AddressSet(first.then(o.k_slice), chunk_bytes);
  for (int i = 0; i < o.tiles(); ++i)
    for (int step = 0; step < fragments; ++step)
      for (int j = 0; j < of(o).chunks(); ++j)
        o.fragment_at(i, of(o).chunk(step, j), of(o).parts[static_cast<size_t>(j)].row);
  for (size_t i = 0; i < o.reads.patterns().size() * static_cast<size_t>(o.read_places); ++i)
    o.read_address.push_back(r.v.alloc(1, name + " LDS read address"));
}
void Gemm::declare_strides(TileOperand& o) {
  o.row_stride = r.s.alloc(1, o.name + std::string(" bytes per row"));
  o.k_stride = r.s.alloc(1, o.name + std::string(" bytes per k"));
}
void Gemm::declare_loop(TileOperand& o) {
  const std::string name = o.name;
  for (int i = 0; i < (streams || tensor ? 0 : o.by_lines() && !direct ? 2 : 1); ++i)
    o.on_the_way.push_back(r.v.alloc(rest_loads(o) * o.load_dwords(), name + " on its way to LDS", 4));
  const auto allocate = [&](auto& all, auto& file) {
    all.resize(static_cast<size_t>(o.ring ? 1 : sets()));
    for (auto& set : all)
      for (int n = 0; n < (o.ring ? o.ring : o.tiles() * o.parts); ++n)
        set.push_back(file.alloc(of(o).fragment_dwords(), name + " fragment", 4));
  };
  if (fragments_in_agprs()) allocate(o.fragment_agprs, r.a);
  else allocate(o.fragment, r.v);
}

// The first load of each work-item: "lane" -> "row", "chunk", "within". Where k is contiguous, a lane loads 16 bytes of
// a row, and lanes go through the rows in order. Otherwise it loads `row_run` rows at k_run k; the bits of the lane are
// then, from the lowest: eight runs of rows, which a swizzle can tell apart; the place within a chunk; further rows;
// the chunk.
isa::LinearLayout Gemm::load_lanes(const TileOperand& o) const {
  if (o.k_contiguous && o.chunks_of_load() == 1)
    return lanes_in_order(rows_of_chunks(o.rows_of_load(), o.row_bytes()), log2(lanes));
  isa::LinearLayout l({{"lane", log2(lanes)}},
                      {{"row", log2(o.row_span())}, {"chunk", log2(o.row_chunks)}, {"within", log2(chunk_bytes)}});
  int lane_bit = 0;
  const auto next = [&](const char* axis, int from, int to) {
    for (int step = from; step < to; step *= 2) l.move("lane", lane_bit++, axis, static_cast<uint32_t>(step));
  };
  if (o.k_contiguous) {
    next("chunk", o.chunks_of_load(), o.row_chunks);
    next("row", 1, o.rows_of_load());
    return l;
  }
  const int far = std::min(8 * o.near_row, o.lds_rows()),
            within = o.element_bytes() >= 4 ? o.element_bytes() : o.run_bytes();
  next("row", o.near_row, far);
  next("within", within, chunk_bytes);
  next("row", o.row_run(), o.near_row);
  next("row", far, o.lds_rows());
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
  constexpr uint32_t all_bits = swizzled_rows - 1;
  const bool power = o.wave_rows == o.wave_unit();
  for (const uint32_t below : {power ? all_bits : static_cast<uint32_t>(o.wave_unit() - 1) & all_bits, all_bits})
    for (const int near : {o.row_run(), std::max(o.row_run(), 4)})
      for (const uint32_t row_bits : {all_bits & ~apart, all_bits}) {
        o.near_row = near;
        o.read_places = !power && below == all_bits && o.wave_unit() < swizzled_rows
                            ? std::min(swizzled_rows / o.extent, o.tiles())
                            : 1;
        if (const auto swizzled = isa::swizzled_for(
                rows_of_chunks(o.row_span(), o.row_bytes()), isa::target(kernel.arch).family, lds_accesses(o),
                {.sources = (row_bits & below) * static_cast<uint32_t>(o.row_bytes())}))
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

void Gemm::operand_addresses(TileOperand& o, Sgpr ld) {
  if (o.memory_bits >= 8) {
    k.s_lshl_b32(o.k_contiguous ? o.row_stride : o.k_stride, ld, log2(o.memory_bits / 8));
    k.s_mov_b32(o.k_contiguous ? o.k_stride : o.row_stride, o.memory_bits / 8 * o.apart());
    if (!tensor) k.s_lshl_b32(o.block_step, o.k_stride, log2(block_k));
  } else {
    k.s_mov_b32(o.k_stride, 4 * o.memory_bits * o.apart());
    k.s_lshr_b32(o.row_stride, ld, o.memory_bits == 4 ? 1 : 5);
    if (o.memory_bits != 4) k.s_mul_i32(o.row_stride, o.row_stride, o.k_stride);
    if (!tensor) k.s_mov_b32(o.block_step, 2 * o.k_slice_step());
  }
  if (streams || tensor || direct) return;  // stream_addresses(), tile_descriptor(), fetch_addresses()
  if (o.k_contiguous) k_contiguous_addresses(o);
  else row_contiguous_addresses(o);
}
// What the first loads do not need. The registers of fragments, into which nothing is read yet, are scratch.
void Gemm::later_addresses() {
  const int fragment = A.fragment.empty() ? 0 : A.fragment[0][0].dwords;
  if (fragment) A.fragment[0][0].free();
  for (TileOperand* o : {&A, &B}) {
    if (direct) k_contiguous_addresses(*o);  // of the rest of K
    read_addresses(*o, o->is_a ? wave_m : wave_n);
  }
  if (fragment) A.fragment[0][0] = r.v.alloc(fragment, "A fragment", 4);
}
// Load i is rows_of_load() rows further. Rows past the edge are clamped to the last one; their results are not
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
  last_row(o, t[0]);
  for (int i = 0; i < o.loads(); ++i) {
    k.v_add_u32(x, i * o.rows_of_load(), row);
    memory_row(o, x, x, t[0]);
    memory_address(o, o.load_address[i], x, chunk);
    if (direct) k.v_add_u32(o.load_address[i], before_base, o.load_address[i]);
  }
}
// The last row of the tile that is in memory, from the block's first.
void Gemm::last_row(const TileOperand& o, Sgpr to) {
  k.s_sub_u32(to, o.rows_left, 1);
  if (o.has_copies()) k.s_min_u32(to, to, (o.is_a ? o.rows / halves : o.rows) - 1);
}
// The row of A or B in memory, from the block's first, of a row of the tile: at most `last`. Gated, a wave's rows are
// those of its part of D, first of the gate, then of what it gates, M rows further.
void Gemm::memory_row(const TileOperand& o, Vgpr to, Vgpr row, Sgpr last) {
  if (!o.is_a || halves == 1) return void(k.v_min_u32(to, last, row));
  Scratch s(r);
  const Vgpr half = s.v("0: gate");
  const int rows = o.wave_rows / 2;
  if (rows != power_of_two_from(rows)) {  // row / rows, exact for the rows of a tile
    k.v_mul_u32_u24(half, (1 << 16) / rows + 1, row);
    k.v_lshrrev_b32(half, 16, half);
    k.v_add_u32(y, 1, half);
    k.v_lshrrev_b32(y, 1, y);
    k.v_mul_u32_u24(y, rows, y);
    k.v_sub_u32(to, row, y);
    k.v_and_b32(half, 1, half);
    k.v_min_u32(to, last, to);
    k.v_mul_lo_u32(half, half, M);
    k.v_add_u32(to, half, to);
    return;
  }
  k.v_bfe_u32(half, row, log2(rows), 1);
  k.v_lshrrev_b32(y, 1, row);
  k.v_and_b32(y, -rows, y);
  k.v_and_b32(to, rows - 1, row);
  k.v_or_b32(to, y, to);
  k.v_min_u32(to, last, to);
  k.v_mul_lo_u32(half, half, M);
  k.v_add_u32(to, half, to);
}
// Of a chunk in memory, from the block's first. Clobbers x and y; `row` may be x, `to` may be `chunk`.
void Gemm::memory_address(const TileOperand& o, Vgpr to, Vgpr row, Vgpr chunk) {
  if (o.order == MatrixOrder::rows) {
    k.v_mul_lo_u32(x, row, o.row_stride);
    return add_chunk(o, to, chunk, x);
  }
  const int bytes = chunk_bytes * o.memory_bits / o.element_bits;  // of a chunk
  k.v_and_b32(y, tile_rows - 1, row);
  k.v_sub_u32(x, row, y);
  k.v_mul_lo_u32(x, x, o.row_stride);
  k.v_lshl_add_u32(x, y, log2(chunk_bytes), x);
  if (bytes < chunk_bytes) {
    k.v_and_b32(y, chunk_bytes / bytes - 1, chunk);
    k.v_lshl_add_u32(x, y, log2(bytes), x);
  }
  k.v_lshrrev_b32(to, log2(chunk_bytes / bytes), chunk);
  k.v_lshl_add_u32(to, to, log2(chunk_bytes * tile_rows), x);
}
// to = x + bytes of a row before a chunk. Chunks of 6-bit elements have their bytes from 24 (chunk / 2) + 8 (chunk % 2)
// on.
void Gemm::add_chunk(const TileOperand& o, Vgpr to, Vgpr chunk, Vgpr from) {
  if (o.element_bits != 6)
    return void(k.v_lshl_add_u32(to, chunk, log2(chunk_bytes * o.memory_bits / o.element_bits), from));
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
  const isa::LinearLayout plain = rows_of_chunks(o.row_span(), o.row_bytes()),
                          from_place = plain.then(o.k_slice.inverse());
  const isa::LinearLayout in_wave = in_every_wave(lanes_in_order(plain, log2(wave)), waves);
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"row", row}, {"chunk", chunk}};
  const Vgpr scratch[] = {x, y};
  wave_number(kernel, t[0]);
  k.s_mul_i32(o.lds_wave, t[0], o.loads() * wave_load_bytes);
  k.s_add_u32(o.lds_wave, o.lds_wave, o.lds_offset);
  k.s_mov_b32(o.k_bytes, -o.k_slice_step());
  last_row(o, t[1]);
  k.s_mul_i32(t[0], t[0], wave_rows);
  // Of the first load; the bits of further ones are others, unless a wave's rows are no power of two.
  const bool once = std::has_single_bit(static_cast<unsigned>(wave_rows));
  const Vgpr place_row = s.v("row in memory"), place_chunk = s.v("chunk in memory");
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr to = o.fetch_address[i];
    const int further = wave / o.row_chunks * i;
    if (i == 0 || !once) {
      from_workitem(row, in_wave, "row");
      if (further > 64) k.v_add_u32(row, further, row);  // no inline constant
      k.v_add3_u32(row, row, further > 64 ? 0 : further, t[0]);
      from_workitem(chunk, in_wave, "chunk");
      emit_offset(k, place_chunk, from_place, "chunk", values, scratch);
      emit_offset(k, place_row, from_place, "row", values, scratch);
    }
    const auto differs = [&](const char* output) {
      return once ? static_cast<int>(from_place.at({{"row", static_cast<uint32_t>(further)}}, output)) : 0;
    };
    const int rows = differs("row"), chunks = differs("chunk");
    if (chunks) k.v_xor_b32(to, chunks, place_chunk);
    if (rows) k.v_xor_b32(row, rows, place_row);
    memory_row(o, row, rows ? row : place_row, t[1]);
    memory_address(o, to, row, chunks ? to : place_chunk);
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
  last_row(o, t[0]);
  k.s_and_b32(t[0], t[0], -o.row_run());
  memory_row(o, clamped, row, t[0]);
  for (size_t i = 0; i < o.load_address.size(); ++i) {
    const int n = static_cast<int>(i), ahead = n / o.loads() * slice_k + n % o.loads() * o.k_step();
    k.v_add_u32(x, ahead, k0);
    k.v_mul_lo_u32(x, x, o.k_stride);
    k.v_lshl_add_u32(o.load_address[i], clamped, log2(o.memory_bytes()), x);
  }
  from_workitem(first, loads.then(o.k_slice), "byte");
  for (size_t i = 1; i < o.stores.patterns().size(); ++i)
    k.v_xor_b32(o.store_address[0][i], static_cast<int>(o.stores.patterns()[i]), first);
  for (size_t i = 0; i < o.stores.patterns().size(); ++i) {
    const Vgpr to = o.store_address[0][i];
    k.v_add_u32(to, o.lds_offset, to);
    for (int n = 1; n < o.stages; ++n) k.v_add_u32(o.store_address[n][i], n * o.stage_bytes(), to);
  }
}
// Addresses of a lane's part of a fragment. Further tiles and chunks differ by an XOR pattern, one address register
// each, and an immediate offset.
void Gemm::read_addresses(TileOperand& o, Sgpr wave) {
  if (tensor) return tile_read_addresses(o, wave);
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr scratch[] = {x, y};
  emit_offset(k, row, fragment_lanes(o), "row", values, scratch);
  k.s_mul_i32(t[0], wave, o.wave_rows);
  k.v_add_u32(row, t[0], row);
  emit_offset(k, chunk, fragment_lanes(o), "chunk", values, scratch);
  const auto places = static_cast<size_t>(o.read_places);
  for (size_t place = 0; place < places; ++place) {
    const Vgpr first = o.read_address[place];
    if (place) k.v_add_u32(row, o.extent, row);
    lds_address(o, first, row, chunk);
    k.v_add_u32(first, o.lds_offset, first);
    for (size_t i = 1; i < o.reads.patterns().size(); ++i)
      k.v_xor_b32(o.read_address[i * places + place], static_cast<int>(o.reads.patterns()[i]), first);
  }
}

}  // namespace wavesmith::gemm
