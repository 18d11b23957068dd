// A and B on their way: global memory, registers, LDS, fragments. LDS keeps k together whichever way memory runs. Where
// a k-slice's elements lie is a layout solved for the accesses below (isa_tables/lds_swizzle.h): nothing conflicts.
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "isa_tables/layout.h"
#include "isa_tables/lds_swizzle.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
namespace {
constexpr int four_rows = 4 * row_bytes;  // bytes between rows j and j + 4
}  // namespace

void Gemm::declare_operand(Operand& o) {
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
  for (int i = 0; i < o.tiles(); ++i)
    for (int half = 0; half < halves; ++half) o.pattern(i, half);
  for (size_t i = 0; i < o.patterns.size(); ++i) o.read_address.push_back(r.v.alloc(1, name + " LDS read address"));
}
void Gemm::declare_loop(Operand& o) {
  const std::string name = o.name;
  o.stage = r.v.alloc(4 * o.loads(), name + " on its way to LDS", 4);
  for (auto& set : o.fragment)
    for (int n = 0; n < o.tiles(); ++n) set.push_back(r.v.alloc(4, name + " fragment", 4));
}

// What a wave does with a k-slice in one instruction: rows and 16-byte chunks, 8 k each, of its lanes.
std::vector<isa::LdsTileAccess> Gemm::accesses(const Operand& o) const {
  using Access = isa::LdsTileAccess;
  const auto lanes_to = [&] {
    return isa::LinearLayout({{"lane", 6}}, {{"row", log2(o.rows)}, {"chunk", 2}, {"within", 4}});
  };
  std::vector<Access> all;
  // A lane's k of a fragment are a chunk: as many k groups as the instruction's lanes have.
  const auto fragment = isa::layout(isa::info(mma), kernel.arch, isa::MatrixOperand::a).map();
  Access read{"fragment read", isa::LdsAccess::read, chunk_bytes, lanes_to()};
  for (int i = 0; i < 6; ++i)
    read.lanes.move("lane", i, "row", fragment.basis("lane", i, "row"))
        .move("lane", i, "chunk", fragment.basis("lane", i, "col") >> fragment.inputs()[1].bits);
  all.push_back(read);
  if (direct) return all;
  Access store{"store", isa::LdsAccess::write, o.k_contiguous ? chunk_bytes : 2 * o.k_run(), lanes_to()};
  if (o.k_contiguous) {
    for (int i = 0; i < 6; ++i)
      if (i < 2) store.lanes.move("lane", i, "chunk", 1u << i);
      else store.lanes.move("lane", i, "row", 1u << (i - 2));
  } else {  // row_contiguous_addresses()
    const int run_bits = log2(8 / o.k_run()), octet_bits = log2(o.rows / 64);
    for (int i = 0; i < 6; ++i)
      if (i < 3) store.lanes.move("lane", i, "row", 8u << i);
      else if (i < 3 + run_bits) store.lanes.move("lane", i, "within", static_cast<uint32_t>(2 * o.k_run()) << (i - 3));
      else if (i < 3 + run_bits + octet_bits) store.lanes.move("lane", i, "row", 64u << (i - 3 - run_bits));
      else store.lanes.move("lane", i, "chunk", 1u << (i - 3 - run_bits - octet_bits));
  }
  all.push_back(store);
  return all;
}
// "row", "chunk", "within" -> "byte" of a k-slice, row after row.
isa::LinearLayout Gemm::plain_k_slice(const Operand& o) const {
  isa::LinearLayout rows({{"row", log2(o.rows)}, {"chunk", 2}, {"within", 4}}, {{"byte", log2(o.k_slice_bytes())}});
  for (int i = 0; i < 4; ++i) rows.move("within", i, "byte", 1u << i);
  for (int i = 0; i < 2; ++i) rows.move("chunk", i, "byte", static_cast<uint32_t>(chunk_bytes) << i);
  for (int i = 0; i < log2(o.rows); ++i) rows.move("row", i, "byte", static_cast<uint32_t>(row_bytes) << i);
  return rows;
}
// The same, swizzled. Rows from the 64th on, and row j + 4 of an octet where one
// instruction writes both, are at immediate offsets: their bits take no part in the swizzle.
isa::LinearLayout Gemm::k_slice_layout(const Operand& o) const {
  const isa::LinearLayout rows = plain_k_slice(o);
  const uint32_t row_bits = o.k_contiguous ? 0b111111 : 0b111011;
  const auto all = accesses(o);
  const auto swizzled = isa::swizzled_for(rows, isa::target(kernel.arch).family, all,
                                          {.sources = row_bits * static_cast<uint32_t>(row_bytes)});
  if (!swizzled) throw ConfigError(fmt::format("gemm: no swizzle of {}'s LDS tile is free of bank conflicts", o.name));
  return *swizzled;
}

// The offset in a k-slice of chunk `chunk_v` of row `row_v`. Clobbers x and y.
void Gemm::lds_address(const Operand& o, Vgpr dst, Vgpr row_v, Vgpr chunk_v) {
  const Vgpr scratch[] = {x, y};
  const AxisValue values[] = {{"row", row_v}, {"chunk", chunk_v}};
  emit_offset(k, dst, o.k_slice, "byte", values, scratch);
}

void Gemm::operand_addresses(Operand& o, Sgpr extent, Sgpr first, Sgpr ld) {
  k.s_lshl_b32(o.k_contiguous ? o.row_stride : o.k_stride, ld, 1);
  k.s_mov_b32(o.k_contiguous ? o.k_stride : o.row_stride, 2);
  k.s_lshl_b32(o.block_step, o.k_stride, log2(block_k));
  k.s_sub_u32(o.rows_left, extent, first);
  if (o.k_contiguous) k_contiguous_addresses(o);
  else row_contiguous_addresses(o);
}
// A lane loads 8 k of one row: rows lane/4 and every 64 after it. Rows past the edge repeat the last one; nothing of
// them is stored.
void Gemm::k_contiguous_addresses(Operand& o) {
  Scratch s(r);
  const Vgpr to = o.store_address[0][0], row = s.v("row"), chunk = s.v("chunk");
  k.v_lshrrev_b32(row, 2, kernel.workitem);
  k.v_and_b32(chunk, 3, kernel.workitem);
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
// LDS is filled in the order of the lanes: a lane fetches the row and chunk that belong where its 16 bytes come to be.
// Load i of a wave is 1024 i further in LDS, by its offset, which counts in memory too and is taken off there.
void Gemm::fetch_addresses(Operand& o) {
  const int rows = 16 * o.loads();  // of a wave
  const isa::LinearLayout from_place = plain_k_slice(o).then(o.k_slice.inverse());
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
    k.v_bfe_u32(row, kernel.workitem, 2, 4);
    k.v_add3_u32(row, row, 16 * i, t[0]);
    k.v_and_b32(chunk, 3, kernel.workitem);
    emit_offset(k, to, from_place, "chunk", values, scratch);
    emit_offset(k, row, from_place, "row", values, scratch);
    k.v_min_u32(row, t[1], row);
    k.v_mul_lo_u32(x, row, o.row_stride);
    k.v_lshl_add_u32(to, to, 4, x);
    k.v_add_u32(to, before_base - load_bytes * i, to);
  }
}
// A lane loads 8 rows (an octet) at k_run consecutive k. Bits of the lane's number, from the low end: octet % 8 (eight
// lanes read 128 consecutive bytes), run within a chunk, octet / 8, chunk, k-slice. Octets past the edge repeat the
// last one.
void Gemm::row_contiguous_addresses(Operand& o) {
  const int run_bits = log2(8 / o.k_run()), octet_bits = log2(o.rows / 64);
  Scratch s(r);
  const Vgpr row = s.v("first row"), run = s.v("run"), chunks = s.v("chunk and k-slice"), chunk = s.v("chunk"),
             k0 = s.v("first k"), clamped = s.v("first row that is loaded"), k_slice = s.v("k-slice"), r_i = s.v("row");
  k.v_bfe_u32(run, kernel.workitem, 3, run_bits);
  k.v_and_b32(row, 7, kernel.workitem);
  if (octet_bits) {
    k.v_bfe_u32(x, kernel.workitem, 3 + run_bits, octet_bits);
    k.v_lshl_or_b32(row, x, 3, row);
  }
  k.v_lshlrev_b32(row, 3, row);
  k.v_lshrrev_b32(chunks, 3 + run_bits + octet_bits, kernel.workitem);
  k.v_lshlrev_b32(k0, log2(o.k_run()), run);
  k.v_lshl_add_u32(k0, chunks, 3, k0);
  k.s_sub_u32(t[0], o.rows_left, 1);
  k.s_and_b32(t[0], t[0], -8);
  k.v_min_u32(clamped, t[0], row);
  for (size_t i = 0; i < o.load_address.size(); ++i) {
    const int n = static_cast<int>(i), ahead = n / o.loads() * k_slice_depth + n % o.loads();
    k.v_add_u32(x, ahead, k0);
    k.v_mul_lo_u32(x, x, o.k_stride);
    k.v_lshl_add_u32(o.load_address[i], clamped, 1, x);
  }
  k.v_lshrrev_b32(k_slice, 2, chunks);
  k.v_mul_u32_u24(k_slice, o.k_slice_bytes(), k_slice);
  k.v_lshl_add_u32(k_slice, run, log2(2 * o.k_run()), k_slice);
  k.v_and_b32(chunk, 3, chunks);
  k.s_mov_b32(t[1], o.lds_offset);
  for (int i = 0; i < 4; ++i) {
    k.v_add_u32(r_i, i, row);
    lds_address(o, o.store_address[0][i], r_i, chunk);
    k.v_add3_u32(o.store_address[0][i], o.store_address[0][i], k_slice, t[1]);
    for (int n = 1; n < o.stages; ++n)
      k.v_add_u32(o.store_address[n][i], n * o.k_slices() * o.k_slice_bytes(), o.store_address[0][i]);
  }
}
// A lane's part of a fragment; tiles and halves differ from it by an exclusive or, of which there are as many as
// addresses, and an offset.
void Gemm::read_addresses(Operand& o, Sgpr wave) {
  Scratch s(r);
  const Vgpr row = s.v("row"), chunk = s.v("chunk");
  k.v_and_b32(row, mma_mn - 1, lane);
  k.s_mul_i32(t[0], wave, o.wave_rows);
  k.v_add_u32(row, t[0], row);
  k.v_lshrrev_b32(chunk, log2(mma_mn), lane);
  lds_address(o, o.read_address[0], row, chunk);
  k.v_add_u32(o.read_address[0], o.lds_offset, o.read_address[0]);
  for (size_t i = 1; i < o.patterns.size(); ++i)
    k.v_xor_b32(o.read_address[i], static_cast<int>(o.patterns[i]), o.read_address[0]);
}

// The stage that starts with k-slice number `k_slice`, counted from where the resource stands.
Block Gemm::load(Operand& o, int k_slice) {
  Block b(k.arch(), "load");
  const int second = k_slice % 2;  // of the two k_slices of an iteration
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr address = o.load_address[o.k_contiguous ? i : second * o.loads() + i];
    b.buffer_load_dwordx4(o.stage.slice(4 * i, 4), address, o.resource, 0,
                          {.offset = o.k_contiguous ? second * row_bytes : 0, .flags = isa::offen});
  }
  return b;
}
// The same of one k-slice, directly to LDS.
Block Gemm::fetch(Operand& o, int k_slice) {
  Block b(k.arch(), "fetch");
  b.s_add_u32(m0, o.lds_wave, o.read_offset(k_slice));
  b.s_add_u32(o.k_bytes, o.k_bytes, row_bytes);  // between M0 and who reads it
  for (int i = 0; i < o.loads(); ++i)
    load_to_lds(
        b, {Opcode::buffer_load_dwordx4, o.fetch_address[i], o.resource, o.k_bytes, load_bytes * i, o.tag(k_slice)});
  return b;
}
// The same, element by element; what lies beyond K is zero. Memory runs along k: every element's k is compared. It runs
// along rows: the bound is the last row's element at the last k, and rows beyond the last, nothing of which is stored,
// are other elements.
Block Gemm::load_rest(Operand& o, int k_slice) {
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
  b.v_lshlrev_b32(lane_k, 3, lane_k);  // of a k_slice, where memory runs along k
  for (int i = 0; i < o.loads(); ++i) {
    for (int j = 0; j < 8; ++j) {
      const int k_of = second * k_slice_depth + j;
      const Vgpr address = o.k_contiguous ? within_k(b, o.load_address[i], k_of, direct ? 2 * j : 2 * k_of)
                                          : o.load_address[second * o.loads() + i];
      const SSrcArg from = direct ? SSrcArg(o.k_bytes) : SSrcArg(0);
      b.buffer_load_ushort(packed[j], address, o.resource, from,
                           {.offset = o.k_contiguous ? 0 : 2 * j, .flags = isa::offen});
    }
    for (int j = 0; j < 4; ++j) b.v_lshl_or_b32(o.stage[4 * i + j], packed[2 * j + 1], 16, packed[2 * j]);
  }
  return b;
}
// In x: the address that is `bytes` on; where the k that is `ahead` is none of those left, all ones, from the sign of
// how many are left.
Vgpr Gemm::within_k(Block& b, Vgpr address, int ahead, int bytes) {
  b.s_sub_u32(t[0], k_left, ahead + 1);
  b.v_sub_u32(y, t[0], lane_k);
  b.v_ashrrev_i32(y, 31, y);
  b.v_add_u32(x, bytes, address);
  b.v_or_b32(x, x, y);
  return x;
}
Block Gemm::store(Operand& o, int k_slice) {
  Block b(k.arch(), "store");
  b.wait_for(o.stage);
  if (o.k_contiguous) store_rows(b, o, k_slice);
  else store_transposed(b, o, k_slice);
  return b;
}
void Gemm::store_rows(Block& b, Operand& o, int k_slice) {
  for (int i = 0; i < o.loads(); ++i)
    b.ds_write_b128(o.store_address[0][0], o.stage.slice(4 * i, 4),
                    {.offset = o.read_offset(k_slice) + i * (lanes / 4) * row_bytes})
        .buffer = static_cast<int16_t>(o.tag(k_slice));
}
// stage holds k_run k x 8 rows, two rows a dword. One instruction takes the same half of two k: the least there can be.
void Gemm::store_transposed(Block& b, Operand& o, int k_slice) {
  const int dwords = o.k_run() / 2;
  for (int i = 0; i < 4; ++i) {  // rows i and i + 4
    const Vgpr out = packed.slice(i % 2 * 4, 4);
    for (int q = 0; q < 2 * dwords; ++q) {
      const int from = q % dwords * 8 + q / dwords * 2 + i / 2;
      halves_of_rows->column(b, out[q], o.stage[from], o.stage[from + 4], i % 2 ? Half::high : Half::low);
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
  for (Operand* o : {&B, &A})
    for (int i = 0; i < o->tiles(); ++i) {
      const Vgpr from = o->read_address[o->pattern(i, half)];
      b.ds_read_b128(o->fragment[set(k_slice, half)][i], from,
                     {.offset = o->read_offset(k_slice) + i * mma_mn * row_bytes})
          .buffer = static_cast<int16_t>(o->tag(k_slice));
    }
  return b;
}

}  // namespace wavesmith::gemm
