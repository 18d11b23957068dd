// Weights of 4 bits (A or B of i4 beside 16-bit floats): loaded like any operand that is contiguous along k, with the
// scales and zero points of their groups, and made 16-bit floats between global memory and LDS, once for a workgroup. A
// load of a lane has 8 to 32 elements of one group, which become one to four chunks of LDS.
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

void Gemm::declare_groups(TileOperand& o) {
  auto& g = o.groups;
  const std::string name = o.name;
  group_pointers = args.registers(&Args::group_scales, &Args::zero_points);
  g.resource = r.s.alloc(4, name + " scales' buffer resource", 4);
  if (zero_points()) g.zeros_resource = r.s.alloc(4, name + " zero points' buffer resource", 4);
  g.stride = r.s.alloc(1, name + " scales between groups");
  // A pair: no VALU instruction may read the other half of k's, whose change a wait would then have to follow (gfx12).
  g.place = r.s.alloc(2, name + " k of the block that is loaded, scales' bytes before its first group", 2);
  g.k = g.place.slice(0, 1), g.offset = g.place.slice(1, 1);
  if (zero_points()) g.zeros_offset = r.s.alloc(1, name + " zero points' bytes before its first group");
  for (int i = 0; i < 2 * o.loads(); ++i) {
    g.address.push_back(r.v.alloc(1, name + " scales' load address"));
    if (zero_points()) g.zeros_address.push_back(r.v.alloc(1, name + " zero points' load address"));
  }
  dequantiser.emplace(constants, kernel.arch, of(o).type,
                      zero_points() ? Dequantiser::Range::with_zero_points : Dequantiser::Range::with_sign);
}
void Gemm::declare_group_loop(TileOperand& o) {
  auto& g = o.groups;
  for (size_t set = 0; set < o.on_the_way.size(); ++set) {
    g.scales.emplace_back(), g.zeros.emplace_back();
    for (int i = 0; i < o.loads(); ++i) {
      g.scales.back().push_back(r.v.alloc(1, std::string(o.name) + " scale of a group"));
      if (zero_points()) g.zeros.back().push_back(r.v.alloc(1, std::string(o.name) + " zero point of a group"));
    }
  }
  g.factors = r.v.alloc(Dequantiser::factor_dwords, "factors of a group");
  for (int i : {0, 1}) g.converted[i] = r.v.alloc(4, fmt::format("{} on its way to LDS, as {}", o.name, i), 4);
  dequantiser->declare(r);
  dequantiser->begin(k);
}

// K and the batch: of the problem, before K is divided among workgroups.
void Gemm::group_strides(TileOperand& o) {
  auto& g = o.groups;
  k.s_add_u32(g.k, K, cfg.groups.size - 1);  // groups of a row, until group_addresses()
  k.s_lshr_b32(g.k, g.k, log2(cfg.groups.size));
  if (o.is_a) k.s_mul_i32(g.offset, M, halves);
  else k.s_mov_b32(g.offset, N);
}
void Gemm::group_addresses(TileOperand& o, Sgpr first) {
  auto& g = o.groups;
  const bool transposed = cfg.groups.transposed;
  const Sgpr scales = group_pointers[&Args::group_scales], zeros = group_pointers[&Args::zero_points];
  k.s_mul_i32(t[3], g.k, batch());  // less than 2^32 groups in all rows and batches
  at.add_product(scales, t[3], g.offset, 1);
  if (zero_points()) at.add_product(zeros, t[3], g.offset);
  k.s_mov_b32(t[2], g.k);  // groups of a row
  if (transposed) k.s_mov_b32(g.stride, g.offset);
  else k.s_mov_b32(g.stride, 1);
  raw_buffer(k, g.resource, scales, no_bound);
  if (zero_points()) raw_buffer(k, g.zeros_resource, zeros, no_bound);
  if (parts_of_k()) k.s_sub_u32(g.k, first_k, block_k);
  else k.s_mov_b32(g.k, -block_k);
  Scratch s(r);
  const Vgpr row = s.v("row"), first_of_lane = s.v("first k of the lane");
  const isa::LinearLayout loads = load_lanes(o);
  from_workitem(row, loads, "row");
  from_workitem(first_of_lane, loads, "chunk");
  k.v_lshlrev_b32(first_of_lane, log2(chunk_k(of(o).type)), first_of_lane);
  k.s_sub_u32(t[1], o.rows_left, 1);
  for (int i = 0; i < 2 * o.loads(); ++i) {
    const Vgpr to = g.address[i];
    k.v_add_u32(x, i % o.loads() * o.rows_of_load(), row);
    memory_row(o, x, x, t[1]);
    k.v_add_u32(x, first, x);
    if (!transposed) k.v_mul_lo_u32(x, x, t[2]);
    k.v_add_u32(y, i / o.loads() * slice_k, first_of_lane);
    k.v_lshrrev_b32(y, log2(cfg.groups.size), y);
    if (transposed) k.v_mul_lo_u32(y, y, g.stride);
    k.v_add_u32(x, x, y);
    k.v_lshlrev_b32(to, 1, x);
    if (zero_points()) k.v_mov_b32(g.zeros_address[i], x);
  }
}
// With the block's first k: the groups before it.
void Gemm::advance_groups(Block& b, TileOperand& o) {
  auto& g = o.groups;
  b.s_add_u32(g.k, g.k, block_k);
  b.s_lshr_b32(g.offset, g.k, log2(cfg.groups.size));
  b.s_mul_i32(g.offset, g.offset, g.stride);
  if (zero_points()) b.s_mov_b32(g.zeros_offset, g.offset);
  b.s_lshl_b32(g.offset, g.offset, 1);
}

// Of one load; those of lanes whose `beyond` is all ones become 0.
void Gemm::load_group(Block& b, TileOperand& o, int k_slice, int load, std::optional<Vgpr> beyond) {
  auto& g = o.groups;
  const auto i = static_cast<size_t>(k_slice % 2 * o.loads() + load), n = static_cast<size_t>(load),
             set = static_cast<size_t>(k_slice) % o.on_the_way.size();
  const auto at_lane = [&](Vgpr address) {
    if (!beyond) return address;
    b.v_or_b32(x, *beyond, address);
    return static_cast<Vgpr>(x);
  };
  b.buffer(Opcode::buffer_load_ushort, g.scales[set][n], at_lane(g.address[i]), g.resource, g.offset,
           {.flags = isa::offen});
  if (zero_points())
    b.buffer(Opcode::buffer_load_ubyte, g.zeros[set][n], at_lane(g.zeros_address[i]), g.zeros_resource, g.zeros_offset,
             {.flags = isa::offen});
}
void Gemm::store_dequantised(Block& b, TileOperand& o, int k_slice) {
  auto& g = o.groups;
  const auto set = static_cast<size_t>(k_slice) % o.on_the_way.size();
  for (int i = 0, next = 0; i < o.loads(); ++i) {
    const auto n = static_cast<size_t>(i);
    dequantiser->prepare(b, g.factors, g.scales[set][n], zero_points() ? g.zeros[set][n] : g.scales[set][n]);
    for (int word = 0; word < o.load_dwords(); ++word) {
      const Vgpr to = g.converted[next++ % 2];
      dequantiser->convert(b, to, o.staged(k_slice, i)[word], g.factors);
      const auto place = o.stored_at(i * o.rows_of_load(), word * chunk_bytes);
      b.ds_write_b128(o.store_address[0][place.address], to, {.offset = o.read_offset(k_slice) + place.offset}).buffer =
          static_cast<int16_t>(o.tag(k_slice));
    }
  }
}

// Elements of 4 bits by words of eight: rows are whole words. Words after K become 0. Those of the last word do not,
// in weights: the other operand is 0 there.
void Gemm::load_words(Block& b, TileOperand& o, int k_slice) {
  const int second = k_slice % 2, word_k = 32 / o.memory_bits;
  const int before = direct ? 0 : second * o.k_slice_step();
  for (int i = 0; i < o.loads(); ++i) {
    const Vgpr to = o.staged(k_slice, i);
    for (int word = 0; word < to.dwords; ++word) {
      const int ahead = second * slice_k + word_k * word;
      const Vgpr address = within_k(b, o.load_address[i], ahead, before + 4 * word);
      b.buffer_load_dword(to[word], address, o.resource, direct ? SSrcArg(o.k_bytes) : SSrcArg(0),
                          {.flags = isa::offen});
      if (o.groups.used) continue;
      b.s_sub_u32(t[0], k_left, ahead);  // those that remain, 1 to 8, unless the word is 0
      b.v_sub_u32(y, t[0], lane_k);
      b.v_min_i32(y, word_k, y);
      b.v_lshlrev_b32(y, log2(o.memory_bits), y);
      b.v_sub_u32(y, 32, y);
      b.v_lshrrev_b32(y, y, -1);
      b.v_and_b32(to[word], y, to[word]);
    }
    if (!o.groups.used) continue;
    within_k(b, o.load_address[i], second * slice_k, 0);
    load_group(b, o, k_slice, i, y);
  }
}

}  // namespace wavesmith::gemm
