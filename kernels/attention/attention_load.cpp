// Q, K and V on their way: Q from global memory straight into fragments, K and V into LDS, where nothing conflicts:
// through registers, or directly, lanes then fetching what belongs where the hardware puts theirs.
//
// K in LDS is as in memory, [key][column], the 16-byte chunks of a row exchanged by the key (swizzle). V lies the same
// way where reads transpose (ds_read_b64_tr_b16). Elsewhere a lane loads two columns of four keys, and v_perm puts the
// four keys of a column together: LDS then holds [column][half wave][8-key block][4 keys], 8 bytes the last two, so
// that 128 bits are two blocks of one half wave. Their place within 128 bytes, in units of 8: bit 0 ^= column bit 5,
// bit 1 ^= bit 1, bit 2 ^= bit 2, bit 3 ^= bits 0 and 3. Writes of 16 lanes run over column bits 1, 2, 3, 5, reads of 8
// lanes over bits 0, 1 and one of 2, and each covers all 32 banks once. Column bit 5 is the same for all lanes of a
// read: in every other tile of O^T the two blocks of a read come in the other order.
#include "generator/dsl/lds_dma.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// The head's base and its bound: rows beyond the last read as zero and are not written. Q and O start at q0.
void Attention::tensor(Sgpr resource, const Tensor& x, Sgpr head) {
  const auto& [base_arg, batch_arg, head_arg, row_arg, width, of_queries] = x;
  const Sgpr base = pointers[base_arg], row = sizes[row_arg];
  at.add_strided(base, strides[batch_arg], kernel.workgroup[2]);
  at.add_strided(base, strides[head_arg], head);
  if (cfg.sequences == Sequences::packed) at.add_product(base, (of_queries ? q_rows : k_rows)[0], row);
  if (of_queries) {
    at.add_product(base, q0, row);
    k.s_sub_u32(t[3], queries, q0);
    k.s_min_u32(t[3], t[3], block_rows);
  }
  const Sgpr rows = of_queries ? t[3] : key_count;
  k.s_sub_u32(t[0], rows, 1);
  k.s_mul_i32(t[0], t[0], row);
  k.s_add_u32(t[0], t[0], 2 * width);
  k.s_cmp_eq_u32(rows, 0);
  k.s_cselect_b32(t[0], 0, t[0]);
  raw_buffer(k, resource, base, t[0]);
}

// The right operand of K Q^T: lane l has query l % 32 and in chunk number c columns 16c + 8 (l / 32) to 16c + 8 (l /
// 32) + 7.
void Attention::load_queries() {
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.v_add_u32(x, t[0], column);
  k.v_mul_lo_u32(x, x, q_row);
  k.v_lshl_add_u32(x, half, log2(chunk_bytes), x);
  for (int c = 0; c < chunks; ++c)
    k.buffer_load_dwordx4(q[c], x, q_resource, 0, {.offset = 2 * chunk_bytes * c, .flags = isa::offen});
}

// What is exchanged with the chunk's number within a row. Without transposing reads the banks are 32 and the low bits
// of the key tell the lanes of a read apart; with them 64, and four rows of a transposed block have to fall into
// different quarters of all banks.
void Attention::swizzle(Vgpr dst, Vgpr key, int dim) {
  if (!direct) return void(k.v_and_b32(dst, 7, key));
  k.v_bfe_u32(y, key, 2, 2);
  if (dim == 128) k.v_and_b32(dst, 3, key);
  else k.v_bfe_u32(dst, key, 1, 1);
  k.v_lshl_or_b32(dst, dst, 2, y);
}

// A lane whose key is none of the tile's, as the tensor is narrower than the other one, is out of range and brings
// zeros, to the rest of the LDS buffer.
void Attention::only_in_tile(Vgpr address, Vgpr key, int dim) {
  if (keys * 2 * dim == tile_bytes) return;
  k.v_cmp_gt_u32(vcc, keys, key);
  k.v_cndmask_b32(address, out_of_range, address, vcc);
}

// Of a tensor that lies in LDS as in memory: where a lane loads its 16 bytes, and where it puts them. Loads that go to
// LDS directly fetch the chunk that belongs where theirs come to be. Clobbers x and y.
void Attention::row_addresses(Vgpr load, std::optional<Vgpr> store, int dim, Sgpr row) {
  const int log2_row = log2(2 * dim);
  Scratch scratch(r);
  const Vgpr key = scratch.v("key"), chunk = scratch.v("chunk in memory"), exchanged = scratch.v("chunk in LDS");
  k.v_lshrrev_b32(key, log2_row - log2(chunk_bytes), kernel.workitem);
  k.v_and_b32(chunk, 2 * dim / chunk_bytes - 1, kernel.workitem);
  swizzle(exchanged, key, dim);
  k.v_xor_b32(exchanged, exchanged, chunk);
  k.v_mul_lo_u32(x, key, row);
  k.v_lshl_add_u32(load, direct ? exchanged : chunk, log2(chunk_bytes), x);
  only_in_tile(load, key, dim);
  if (!store) return;
  k.v_lshlrev_b32(exchanged, log2(chunk_bytes), exchanged);
  k.v_lshl_add_u32(*store, key, log2_row, exchanged);
}

void Attention::key_addresses() {
  row_addresses(k_load, direct ? std::nullopt : std::optional<Vgpr>(k_store), dim, k_row);
  k.s_lshl_b32(lds_wave, wave, log2(wave_lanes * chunk_bytes));
  // Reads: key l % 32, chunk 2c + l / 32. As many addresses as chunk numbers the swizzle can change.
  const int addresses = direct && dim == 128 ? 8 : 4;
  for (int c = 0; c < std::min(chunks, addresses); ++c) {
    k_read.push_back(r.v.alloc(1, "K LDS read address"));
    swizzle(x, column, dim);
    k.v_xor_b32(x, x, half);
    k.v_xor_b32(x, 2 * c, x);
    k.v_lshlrev_b32(x, log2(chunk_bytes), x);
    k.v_lshl_add_u32(k_read[c], column, log2(2 * dim), x);
  }
  k.v_xor_b32(partner, 32, kernel.workitem);
  k.v_and_b32(partner, wave_lanes - 1, partner);
  k.v_lshlrev_b32(partner, 2, partner);
  for (const auto& [next, step_of, row] :
       {std::tuple<Sgpr, Sgpr, Sgpr>{k_next, k_step, k_row}, {v_next, v_step, v_row}}) {
    k.s_mov_b32(next, 0);
    k.s_lshl_b32(step_of, row, log2(keys));
  }
}

void Attention::value_addresses() {
  if (!direct) return transposed_value_addresses();
  v_load.push_back(r.v.alloc(1, "V load address"));
  row_addresses(v_load[0], std::nullopt, dim_v, v_row);
  // Lane l of a read: key 4 (l / 32) + l % 16 / 4, four columns from 16 (l / 16 % 2) + 4 (l % 4) on: chunk 4d + 2 (l /
  // 16 % 2) + l / 2 % 2, its half l % 2. [d tile][block's half of 8 keys]
  for (int i = 0; i < 2 * d_tiles; ++i) v_read.push_back(r.v.alloc(1, "V LDS read address"));
  Scratch scratch(r);
  const Vgpr key = scratch.v("key"), chunk = scratch.v("chunk");
  k.v_bfe_u32(key, kernel.workitem, 2, 2);
  k.v_lshl_or_b32(key, half, 2, key);
  k.v_bfe_u32(x, kernel.workitem, 4, 1);
  k.v_bfe_u32(chunk, kernel.workitem, 1, 1);
  k.v_lshl_or_b32(chunk, x, 1, chunk);
  for (int d = 0; d < d_tiles; ++d)
    for (int eight : {0, 8}) {
      const Vgpr to = v_read[2 * d + eight / 8];
      k.v_add_u32(to, eight, key);
      swizzle(x, to, dim_v);
      k.v_xor_b32(x, x, chunk);
      k.v_xor_b32(x, 4 * d, x);
      k.v_lshlrev_b32(x, log2(chunk_bytes), x);
      k.v_lshl_add_u32(to, to, log2(2 * dim_v), x);
      k.v_and_b32(x, 1, kernel.workitem);
      k.v_lshl_add_u32(to, x, 3, to);
    }
}

// Pair of columns: the low bits of the lane's number, bits 3 and 4 exchanged; four keys from 4g on, g: the bits above.
void Attention::transposed_value_addresses() {
  const int log2_pairs = log2(dim_v / 2);
  for (int i = 0; i < 4; ++i) v_load.push_back(r.v.alloc(1, "V load address"));
  for (int i = 0; i < 2; ++i) v_store.push_back(r.v.alloc(1, "V LDS store address"));
  for (int i = 0; i < keys / 16; ++i) v_read.push_back(r.v.alloc(1, "V LDS read address"));
  Scratch scratch(r);
  const Vgpr pair = scratch.v("pair of columns"), g = scratch.v("four keys"), place = scratch.v("place in 128 bytes");
  k.v_and_b32(pair, (dim_v / 2 - 1) & ~0x18, kernel.workitem);
  for (const auto& [from, to] : {std::pair(3, 4), {4, 3}}) {
    k.v_bfe_u32(x, kernel.workitem, from, 1);
    k.v_lshl_or_b32(pair, x, to, pair);
  }
  k.v_lshrrev_b32(g, log2_pairs, kernel.workitem);
  for (int i = 0; i < 4; ++i) {
    k.v_lshlrev_b32(x, 2, g);
    k.v_add_u32(y, i, x);
    k.v_mul_lo_u32(x, y, v_row);
    k.v_lshl_add_u32(v_load[i], pair, 2, x);
    only_in_tile(v_load[i], y, dim_v);
  }
  // g, from the low end: half wave, half of 16 bytes, which 16 bytes. place = bits 0 to 3 as the head of this file has
  // them.
  const auto add_bit = [&](Vgpr from, int bit, int at_bit) {
    k.v_bfe_u32(x, from, bit, 1);
    k.v_lshlrev_b32(x, at_bit, x);
    k.v_xor_b32(place, x, place);
  };
  const int half_at = keys == 32 ? 2 : 3, rows = keys == 32 ? 7 : 8;  // log2 of the bytes of a column pair
  const auto common = [&](Vgpr pair_of) {
    add_bit(pair_of, 0, 1);
    add_bit(pair_of, 1, 2);
    add_bit(pair_of, 2, 3);
  };
  k.v_mov_b32(place, 0);
  common(pair);
  add_bit(pair, 4, 0);
  add_bit(g, 0, half_at);
  add_bit(g, 1, 0);
  add_bit(g, 2, 1);
  if (keys == 64) add_bit(g, 3, 2);
  for (int odd : {0, 1}) {
    k.v_xor_b32(x, 8 * odd, place);
    k.v_lshlrev_b32(x, 3, x);
    k.v_lshl_add_u32(v_store[odd], pair, rows, x);
    if (odd && keys == 64) k.v_add_u32(v_store[odd], 128, v_store[odd]);
    if (keys * 2 * dim_v == tile_bytes) continue;  // the key groups that are none go to the buffer's other half
    k.v_lshrrev_b32(x, 3, g);
    k.v_lshl_add_u32(v_store[odd], x, log2(tile_bytes / 2), v_store[odd]);
  }
  // Reads: column l % 32, half wave l / 32, 16 bytes number n.
  k.v_lshrrev_b32(pair, 1, column);
  k.v_mov_b32(place, 0);
  common(pair);
  add_bit(column, 0, 3);
  add_bit(half, 0, half_at);
  for (int n = 0; n < keys / 16; ++n) {
    k.v_xor_b32(x, 2 * n, place);
    k.v_lshlrev_b32(x, 3, x);
    k.v_lshl_add_u32(v_read[n], keys == 32 ? pair : column, 7, x);
  }
}

// -- Phases: each load moves its tensor on by a tile, to its end at most, where everything reads as zero --
Block Attention::load_keys() {
  Block b(k.arch(), "load_keys");
  b.buffer_load_dwordx4(k_stage, k_load, k_resource, k_next, {.flags = isa::offen});
  b.s_add_u32(k_next, k_next, k_step);
  b.s_min_u32(k_next, k_next, k_resource[2]);
  return b;
}
Block Attention::load_values() {
  Block b(k.arch(), "load_values");
  for (int i = 0; i < 4; ++i) b.buffer_load_dword(v_stage[i], v_load[i], v_resource, v_next, {.flags = isa::offen});
  b.s_add_u32(v_next, v_next, v_step);
  b.s_min_u32(v_next, v_next, v_resource[2]);
  return b;
}
// Into the LDS buffer of a slot. Out of range, zeros come to LDS as they do to registers (CDNA4 ISA 9.1.5; to LDS seen
// on gfx950: ROCm/rocm-systems pull request 10928).
Block Attention::fetch(int slot, Fetch f) {
  Block b(k.arch(), "fetch");
  b.s_add_u32(m0, lds_wave, (f.tag + slot) * tile_bytes);
  b.s_add_u32(t[0], f.next, f.step);  // between M0 and who reads it
  load_to_lds(b, {Opcode::buffer_load_dwordx4, f.address, f.resource, f.next, 0, f.tag + slot});
  b.s_min_u32(f.next, t[0], f.resource[2]);
  return b;
}
Block Attention::fetch_keys(int slot) { return fetch(slot, {k_load, k_resource, k_next, k_step, k_tag}); }
Block Attention::fetch_values(int slot) { return fetch(slot, {v_load[0], v_resource, v_next, v_step, v_tag}); }
Block Attention::store_keys(int slot) {
  Block b(k.arch(), "store_keys");
  b.ds_write_b128(k_store, k_stage, {.offset = slot * tile_bytes}).buffer = static_cast<int16_t>(k_tag + slot);
  return b;
}
Block Attention::store_values(int slot) {
  Block b(k.arch(), "store_values");
  const int offset = (v_tag + slot) * tile_bytes;
  b.wait_for(v_stage);  // one wait for all four
  for (int odd : {0, 1}) {
    for (int i : {0, 1})
      halves->column(b, v_packed[2 * odd + i], v_stage[2 * i], v_stage[2 * i + 1], odd ? Half::high : Half::low);
    b.ds_write_b64(v_store[odd], v_packed.slice(2 * odd, 2), {.offset = offset}).buffer =
        static_cast<int16_t>(v_tag + slot);
  }
  return b;
}
Block Attention::read_keys(int slot) {
  Block b(k.arch(), "read_keys");
  const int addresses = static_cast<int>(k_read.size());
  for (int c = 0; c < chunks; ++c)
    for (int n = 0; n < parts; ++n)
      b.ds_read_b128(k_fragment[n * chunks + c], k_read[c % addresses],
                     {.offset = slot * tile_bytes + n * 32 * 2 * dim + c / addresses * addresses * 2 * chunk_bytes})
          .buffer = static_cast<int16_t>(k_tag + slot);
  return b;
}
Block Attention::read_values(int slot) {
  Block b(k.arch(), "read_values");
  const int offset = (v_tag + slot) * tile_bytes;
  for (int n = 0; n < keys / 16; ++n)
    for (int d = 0; d < d_tiles; ++d) {
      const auto& to = v_fragment[d * keys / 16 + n];
      if (direct)
        for (int i : {0, 1})
          b.ds_read_b64_tr_b16(to.slice(2 * i, 2), v_read[2 * d + i], {.offset = offset + n * 16 * 2 * dim_v}).buffer =
              static_cast<int16_t>(v_tag + slot);
      else
        b.ds_read_b128(to, v_read[n], {.offset = offset + d * 32 * keys * 2}).buffer =
            static_cast<int16_t>(v_tag + slot);
    }
  return b;
}

}  // namespace wavesmith::attention
