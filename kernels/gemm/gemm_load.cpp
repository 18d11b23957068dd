// Loads of A and B: global memory to registers to LDS to fragments. In LDS k is contiguous, whatever the order in
// memory. The layout of a k-slice is solved for the accesses below and free of bank conflicts
// (isa_tables/lds_swizzle.h).
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "isa_tables/lds_swizzle.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
namespace {
constexpr int four_rows = 4 * row_bytes;  // bytes between rows j and j + 4
}  // namespace

void Gemm::declare_operand(TileOperand& o) {
  const std::string name = o.name;
  o.resource = r.s.alloc(4, name + " buffer resource", 4);
  o.row_stride = r.s.alloc(1, name + " bytes per row");
  o.k_stride = r.s.alloc(1, name + " bytes per k");
  o.block_step = r.s.alloc(1, name + " bytes per 64 k");
  o.rows_left = r.s.alloc(1, name + " rows left");
  const int addresses = o.k_contiguous ? o.loads() : o.loads() * 2 / o.k_slices(), pairs = o.k_contiguous ? 1 : 4;
  for (int i = 0; i < addresses; ++i) o.load_address.push_back(r.v.alloc(1, name + " load address"));
  o.store_address.resize(o.k_contiguous ? 1 : o.stages);
  for (auto& of_stage : o.store_address)
    for (int i = 0; i < pairs; ++i) of_stage.push_back(r.v.alloc(1, name + " LDS store address"));
  if (direct) {
    o.k_bytes = r.s.alloc(1, name + " bytes along k"), o.lds_wave = r.s.alloc(1, name + " LDS bytes before this wave");
    for (int i = 0; i < o.loads(); ++i) o.fetch_address.push_back(r.v.alloc(1, name + " fetch address"));
  }
  o.k_slice = k_slice_layout(o);
  // A wave's first row is a multiple of its number of rows.
  isa::LinearLayout first =
      fragment_lanes() * isa::LinearLayout({{"wave", log2(o.rows / o.wave_rows)}}, {{"row", log2(o.rows / mma_mn)}});
  for (int i = 0; i < log2(o.rows / o.wave_rows); ++i)
    first.move("wave", i, "row", static_cast<uint32_t>(o.wave_rows) << i);
  o.reads = AddressSet(first.then(o.k_slice), chunk_bytes);
  for (int i = 0; i < o.tiles(); ++i)
    for (int half = 0; half < halves; ++half) o.fragment_at(i, half * groups);
  for (size_t i = 0; i < o.reads.patterns().size(); ++i)
    o.read_address.push_back(r.v.alloc(1, name + " LDS read address"));
}
void Gemm::declare_loop(TileOperand& o) {
  const std::string name = o.name;
  for (int i = 0; i < (o.k_contiguous && !direct ? 2 : 1); ++i)
    o.on_the_way.push_back(r.v.alloc(4 * o.loads(), name + " on its way to LDS", 4));
  for (auto& set : o.fragment)
    for (int n = 0; n < o.tiles(); ++n) set.push_back(r.v.alloc(4, name + " fragment", 4));
}

// The first load of each work-item: "lane" -> "row", "chunk", "within". Where k is contiguous, a lane loads 8 k of a
// row, and lanes go through the rows in order. Otherwise it loads 8 rows (an octet) at k_run consecutive k; the bits of
// the lane are then, from the lowest: octet % 8 (eight lanes read 128 consecutive bytes), run within a chunk, octet /
// 8, chunk, "k_slice".
isa::LinearLayout Gemm::load_lanes(const TileOperand& o) const {
  if (o.k_contiguous) return lanes_in_order(rows_of_chunks(lanes * chunk_bytes / row_bytes, row_bytes), log2(lanes));
  const auto at = [](const char* axis, int bits, int first) {
    isa::LinearLayout l({{"lane", bits}}, {{axis, log2(first) + bits}});
    for (int i = 0; i < bits; ++i) l.move("lane", i, axis, static_cast<uint32_t>(first) << i);
    return l;
  };
  const int run = log2(8 / o.k_run()), octets = log2(o.rows / 64);
  return at("row", 3, 8) * at("within", run, 2 * o.k_run()) * at("row", octets, 1) * at("chunk", 2, 1) *
         at("k_slice", log2(lanes) - 5 - run - octets, 1);
}
isa::LinearLayout Gemm::fragment_lanes() const { return chunk_lanes(mma, kernel.arch, isa::MatrixOperand::a); }

std::vector<isa::LdsTileAccess> Gemm::lds_accesses(const TileOperand& o) const {
  std::vector<isa::LdsTileAccess> all{{"fragment read", isa::LdsAccess::read, chunk_bytes, fragment_lanes()}};
  if (!direct)
    all.push_back({"store", isa::LdsAccess::write, o.k_contiguous ? chunk_bytes : 2 * o.k_run(),
                   isa::LinearLayout::identity("lane", "lane", 6).then(load_lanes(o))});
  return all;
}
// "row", "chunk", "within" -> "byte" of a k-slice: row-major, swizzled. Rows from 64 on, and row j + 4 of an octet
// where one instruction writes both, are reached by immediate offsets, so the swizzle must not use their bits.
isa::LinearLayout Gemm::k_slice_layout(const TileOperand& o) const {
  const uint32_t row_bits = o.k_contiguous ? 0b111111 : 0b111011;
  const auto swizzled = isa::swizzled_for(rows_of_chunks(o.rows, row_bytes), isa::target(kernel.arch).family,
                                          lds_accesses(o), {.sources = row_bits * static_cast<uint32_t>(row_bytes)});
  if (!swizzled) throw ConfigError(fmt::format("gemm: no swizzle of {}'s LDS tile is free of bank conflicts", o.name));
  return *swizzled;
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
  k.s_lshl_b32(o.k_contiguous ? o.row_stride : o.k_stride, ld, 1);
  k.s_mov_b32(o.k_contiguous ? o.k_stride : o.row_stride, 2);
  k.s_lshl_b32(o.block_step, o.k_stride, log2(block_k));
  k.s_sub_u32(o.rows_left, extent, first);
  if (o.k_contiguous) k_contiguous_addresses(o);
  else row_contiguous_addresses(o);
}
// Load i is 64 i rows further. Rows past the edge are clamped to the last one; their results are not stored.
void Gemm::k_contiguous_addresses(TileOperand& o) {
  Scratch s(r);
  const Vgpr to = o.store_address[0][0], row = s.v("row"), chunk = s.v("chunk");
  const isa::LinearLayout loads = load_lanes(o);
  from_workitem(row, loads, "row");
  from_workitem(chunk, loads, "chunk");
  lds_address(o, to, row, chunk);
  k.v_add_u32(to, o.lds_offset, to);
  k.s_sub_u32(t[0], o.rows_left, 1);
  for (int i = 0; i < o.loads(); ++i) {
    k.v_add_u32(x, i * lanes / 4, row);
    k.v_min_u32(x, t[0], x);
    k.v_mul_lo_u32(x, x, o.row_stride);
    k.v_lshl_add_u32(o.load_address[i], chunk, 4, x);
    if (direct) k.v_add_u32(o.load_address[i], before_base, o.load_address[i]);
  }
}
// Direct loads write LDS in lane order, so a lane loads the row and chunk that belong at its 16 bytes. Load i of a wave
// is 1024 i bytes further in LDS by its immediate offset; the offset applies to the memory address too and is
// subtracted there.
void Gemm::fetch_addresses(TileOperand& o) {
  const int rows = 16 * o.loads();  // of a wave
  const isa::LinearLayout plain = rows_of_chunks(o.rows, row_bytes), from_place = plain.then(o.k_slice.inverse());
  const isa::LinearLayout in_wave = in_every_wave(lanes_in_order(plain, log2(wave_lanes)), lanes / wave_lanes);
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"row", row}, {"chunk", chunk}};
  const Vgpr scratch[] = {x, y};
  wave_number(kernel, t[0]);
  k.s_mul_i32(o.lds_wave, t[0], o.loads() * load_bytes);
  k.s_add_u32(o.lds_wave, o.lds_wave, o.lds_offset);
  k.s_mov_b32(o.k_bytes, -row_bytes);
  k.s_sub_u32(t[1], o.rows_left, 1);
  k.s_mul_i32(t[0], t[0], rows);
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr to = o.fetch_address[i];
    from_workitem(row, in_wave, "row");
    k.v_add3_u32(row, row, 16 * i, t[0]);
    from_workitem(chunk, in_wave, "chunk");
    emit_offset(k, to, from_place, "chunk", values, scratch);
    emit_offset(k, row, from_place, "row", values, scratch);
    k.v_min_u32(row, t[1], row);
    k.v_mul_lo_u32(x, row, o.row_stride);
    k.v_lshl_add_u32(to, to, 4, x);
    k.v_add_u32(to, before_base - load_bytes * i, to);
  }
}
// Octets past the edge are clamped to the last one.
void Gemm::row_contiguous_addresses(TileOperand& o) {
  const isa::LinearLayout loads = load_lanes(o);
  Scratch s(r);
  const Vgpr row = s.v("first row"), k0 = s.v("first k"), clamped = s.v("first row that is loaded"),
             first = o.store_address[0][0];
  from_workitem(row, loads, "row");
  isa::LinearLayout to_k = isa::LinearLayout({{"within", 4}}, {{"k", 3}}) *
                           isa::LinearLayout::identity("chunk", "k", 2) *
                           isa::LinearLayout::identity("k_slice", "k", loads.output_bits("k_slice"));
  for (int i = 1; i < 4; ++i) to_k.move("within", i, "k", 1u << (i - 1));
  from_workitem(k0, loads.then(to_k), "k");
  k.s_sub_u32(t[0], o.rows_left, 1);
  k.s_and_b32(t[0], t[0], -8);
  k.v_min_u32(clamped, t[0], row);
  for (size_t i = 0; i < o.load_address.size(); ++i) {
    const int n = static_cast<int>(i), ahead = n / o.loads() * k_slice_depth + n % o.loads();
    k.v_add_u32(x, ahead, k0);
    k.v_mul_lo_u32(x, x, o.k_stride);
    k.v_lshl_add_u32(o.load_address[i], clamped, 1, x);
  }
  // The k-slices of a stage are consecutive. One address for each of rows 0 to 3; the same instruction stores row i +
  // 4.
  const isa::LinearLayout stage = o.k_slice * isa::LinearLayout::identity("k_slice", "byte", log2(o.k_slices()));
  from_workitem(first, loads.then(stage), "byte");
  for (int i = 0; i < 4; ++i) {
    const Vgpr to = o.store_address[0][i];
    if (i) k.v_xor_b32(to, static_cast<int>(o.k_slice.at({{"row", static_cast<uint32_t>(i)}}, "byte")), first);
  }
  for (int i = 0; i < 4; ++i) {
    const Vgpr to = o.store_address[0][i];
    k.v_add_u32(to, o.lds_offset, to);
    for (int n = 1; n < o.stages; ++n) k.v_add_u32(o.store_address[n][i], n * o.k_slices() * o.k_slice_bytes(), to);
  }
}
// Addresses of a lane's part of a fragment. Further tiles and halves differ by an XOR pattern, one address register
// each, and an immediate offset.
void Gemm::read_addresses(TileOperand& o, Sgpr wave) {
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  const AxisValue values[] = {{"lane", lane}};
  emit_offset(k, row, fragment_lanes(), "row", values, {});
  k.s_mul_i32(t[0], wave, o.wave_rows);
  k.v_add_u32(row, t[0], row);
  emit_offset(k, chunk, fragment_lanes(), "chunk", values, {});
  lds_address(o, o.read_address[0], row, chunk);
  k.v_add_u32(o.read_address[0], o.lds_offset, o.read_address[0]);
  for (size_t i = 1; i < o.reads.patterns().size(); ++i)
    k.v_xor_b32(o.read_address[i], static_cast<int>(o.reads.patterns()[i]), o.read_address[0]);
}

// Loads the stage that starts with k-slice `k_slice`, relative to the resource's base.
Block Gemm::load(TileOperand& o, int k_slice) {
  Block b(k.arch(), "load");
  const int second = k_slice % 2;  // the second k-slice of an iteration
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr address = o.load_address[o.k_contiguous ? i : second * o.loads() + i];
    b.buffer_load_dwordx4(o.stage(k_slice).slice(4 * i, 4), address, o.resource, 0,
                          {.offset = o.k_contiguous ? second * row_bytes : 0, .flags = isa::offen});
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
  b.s_add_u32(o.k_bytes, o.k_bytes, row_bytes);  // separates the write of M0 from its use
  for (int i = 0; i < o.loads(); ++i)
    load_to_lds(
        b, {Opcode::buffer_load_dwordx4, o.fetch_address[i], o.resource, o.k_bytes, load_bytes * i, o.tag(k_slice)});
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
    b.s_lshl_b32(t[1], o.rows_left, 1);
    b.s_add_u32(o.resource[2], t[0], t[1]);
  }
  if (direct) b.s_add_u32(o.k_bytes, o.k_bytes, row_bytes);
  b.v_and_b32(lane_k, 3, kernel.workitem);
  b.v_lshlrev_b32(lane_k, 3, lane_k);  // first k of the lane in a k-slice, where k is contiguous
  for (int i = 0; i < o.loads(); ++i) {
    for (int j = 0; j < 8; ++j) {
      const int k_of = second * k_slice_depth + j;
      const Vgpr address = o.k_contiguous ? within_k(b, o.load_address[i], k_of, direct ? 2 * j : 2 * k_of)
                                          : o.load_address[second * o.loads() + i];
      const SSrcArg from = direct ? SSrcArg(o.k_bytes) : SSrcArg(0);
      b.buffer_load_ushort(packed[j], address, o.resource, from,
                           {.offset = o.k_contiguous ? 0 : 2 * j, .flags = isa::offen});
    }
    for (int j = 0; j < 4; ++j) b.v_lshl_or_b32(o.stage(k_slice)[4 * i + j], packed[2 * j + 1], 16, packed[2 * j]);
  }
  return b;
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
  if (o.k_contiguous) store_rows(b, o, k_slice);
  else store_transposed(b, o, k_slice);
  return b;
}
void Gemm::store_rows(Block& b, TileOperand& o, int k_slice) {
  for (int i = 0; i < o.loads(); ++i)
    b.ds_write_b128(o.store_address[0][0], o.stage(k_slice).slice(4 * i, 4),
                    {.offset = o.read_offset(k_slice) + i * (lanes / 4) * row_bytes})
        .buffer = static_cast<int16_t>(o.tag(k_slice));
}
// `stage` holds k_run k x 8 rows, two rows per dword. One v_perm_b32 combines the same half of two k, the minimum of
// instructions.
void Gemm::store_transposed(Block& b, TileOperand& o, int k_slice) {
  const int dwords = o.k_run() / 2;
  for (int i = 0; i < 4; ++i) {  // rows i and i + 4
    const Vgpr out = packed.slice(i % 2 * 4, 4);
    for (int q = 0; q < 2 * dwords; ++q) {
      const int from = q % dwords * 8 + q / dwords * 2 + i / 2;
      halves_of_rows->column(b, out[q], o.stage(k_slice)[from], o.stage(k_slice)[from + 4],
                             i % 2 ? Half::high : Half::low);
    }
    const Vgpr to = o.store_address[o.lds_stage(k_slice)][i], row_i = out.slice(0, dwords),
               row_i4 = out.slice(dwords, dwords);
    Node& write = dwords == 2 ? b.ds_write2_b64(to, row_i, row_i4, {.offset1 = four_rows / 8})
                              : b.ds_write2_b32(to, row_i, row_i4, {.offset1 = four_rows / 4});
    write.buffer = static_cast<int16_t>(o.tag(k_slice));
  }
}
Block Gemm::read_fragments(int k_slice, int half) {
  Block b(k.arch(), "read_fragments");
  for (TileOperand* o : {&B, &A})
    for (int i = 0; i < o->tiles(); ++i) {
      const auto from = o->fragment_at(i, half * groups);
      b.ds_read_b128(o->fragment[set(k_slice, half)][i], o->read_address[from.address],
                     {.offset = o->read_offset(k_slice) + from.offset})
          .buffer = static_cast<int16_t>(o->tag(k_slice));
    }
  return b;
}

}  // namespace wavesmith::gemm
