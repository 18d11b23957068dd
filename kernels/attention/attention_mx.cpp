// Scales of Q, K and V in MX formats: from memory to the registers that the scaled matrix instructions read, those of K
// and V a tile ahead, without LDS. A row of Q or K has a dword for 128 columns. A column of V has one for 128 keys;
// where a lane supplies the scale of its own block, it loads that byte.
#include "generator/dsl/emit_offset.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

void Attention::declare_mx() {
  mx.k_resource = r.s.alloc(4, "scales of K", 4), mx.v_resource = r.s.alloc(4, "scales of V", 4);
  mx.key = r.s.alloc(1, "first key of the tile whose scales of V are loaded next");
  mx.k_next = r.s.alloc(1, "scales of K: bytes to the next tile"),
  mx.k_step = r.s.alloc(1, "scales of K: bytes a tile");
  const auto take = [&](std::vector<Owned<File::v>>& of, int tiles, int dwords, const char* name) {
    for (int i = 0; i < mx_registers(tiles); ++i) of.push_back(r.v.alloc(dwords, name));
  };
  take(mx.k_at, parts, 1, "place of the scales of K");
  take(mx.q, columns, mx_dwords(), "scales of Q");
  take(mx.k, parts, mx_dwords(), "scales of K");
  take(mx.v, d_tiles, 1, "scales of V");
  mx.v_at = r.v.alloc(1, "place of the scales of V"), mx.v_from = r.v.alloc(1, "likewise in the first block of keys");
  mx.one = r.v.alloc(1, "scale of P: 1");
}

void Attention::find_mx() {
  k.comment("scales of Q, K and V");
  Scratch scratch(r);
  const Sgpr base = scratch.s("scales", 2), stride = scratch.s("bytes between them");
  const int waves = lanes / atom.lanes, of_row = static_cast<int>(mx_scale_bytes(cfg));
  const bool packed = cfg.sequences == Sequences::packed;
  k.v_mov_b32(mx.one, 0x7f7f7f7f);
  // Of all rows of a head; decode, of Q: of all heads of the K/V head.
  const auto find = [&](DevicePointer Args::* pointer, uint32_t Args::* row, const Owned<File::s>& first, Sgpr rows,
                        Sgpr of_head, Sgpr resource) {
    kernel.load(base, args[pointer]);
    kernel.load(stride, args[row]);
    if (!packed) k.s_mul_i32(t[3], batch, rows);
    at.add_product(base, packed ? first[0] : t[3], stride);
    k.s_mul_i32(t[3], of_head, of_row);
    k.s_add_u32(base[0], base[0], t[3]);
    k.s_addc_u32(base[1], base[1], 0);
    k.s_sub_u32(t[3], rows, 1);
    k.s_mul_i32(t[3], t[3], stride);
    k.s_add_u32(t[3], t[3], of_row);
    if (decode && pointer == &Args::q_scale) {
      k.s_sub_u32(t[0], part_sizes[&Args::group_heads], 1);
      k.s_mul_i32(t[0], t[0], of_row);
      k.s_add_u32(t[3], t[3], t[0]);
    }
    k.s_cmp_eq_u32(rows, 0);
    k.s_cselect_b32(t[3], 0, t[3]);
    raw_buffer(k, resource, base, t[3]);
  };
  find(&Args::k_scale, &Args::k_scale_row, k_rows, key_count, kv_head, mx.k_resource);
  from_workitem(mx.k_at[0], in_every_wave(score_atom.scales.a, waves), "row");
  for (size_t i = 1; i < mx.k_at.size(); ++i)
    k.v_add_u32(mx.k_at[i], static_cast<int>(i) * mx_shared() * atom.extent, mx.k_at[0]);
  for (const auto& address : mx.k_at) k.v_mul_lo_u32(address, address, stride);
  k.s_lshl_b32(mx.k_step, stride, log2(keys));
  if (decode) k.s_mul_i32(mx.k_next, part_begin, stride);
  else if (banded()) k.s_mul_i32(mx.k_next, skipped, stride);
  else k.s_mov_b32(mx.k_next, 0);

  {
    Scratch of_queries(r);
    const Sgpr resource = of_queries.s("scales of Q", 4);
    find(&Args::q_scale, &Args::q_scale_row, q_rows, queries, head, resource);
    if (!decode) {
      from_workitem(x, in_every_wave(score_atom.scales.b, waves), "row");
      k.s_lshl_b32(t[0], wave, log2(wave_rows));
      k.s_add_u32(t[0], t[0], q0);
    }
    for (size_t i = 0; i < mx.q.size(); ++i) {
      if (decode) {
        k.v_mul_lo_u32(x, row_query, stride);
        k.v_mul_u32_u24(y, of_row, row_head);
        k.v_add_u32(x, x, y);
        only_rows(x);
        k.v_mov_b32(other, x);
      } else {
        k.v_add_u32(other, t[0], x);
        if (i) k.v_add_u32(other, static_cast<int>(i) * mx_shared() * atom.extent, other);
        k.v_mul_lo_u32(other, other, stride);
      }
      for (int j = 0; j < mx_dwords(); ++j)
        k.buffer_load_dword(mx.q[i][j], other, resource, 0, {.offset = 4 * j, .flags = isa::offen});
    }
    for (const auto& scales : mx.q) complete_mx(k, scales);
  }

  kernel.load(base, args[&Args::v_scale]);
  kernel.load(stride, args[&Args::v_scale_batch]);
  at.add_product(base, batch, stride);
  kernel.load(stride, args[&Args::v_scale_head]);
  at.add_product(base, kv_head, stride);
  raw_buffer(k, mx.v_resource, base, stride);
  from_workitem(mx.v_from, in_every_wave(atom.scales.a, waves), "row");
  k.v_lshlrev_b32(mx.v_from, 2, mx.v_from);
  if (atom.scales.block_per_lane) k.v_add_u32(mx.v_from, half, mx.v_from);
  if (decode) k.s_mov_b32(mx.key, part_begin);
  else if (banded()) k.s_mov_b32(mx.key, skipped);
  else k.s_mov_b32(mx.key, 0);
}

// Of columns past the last, where the elements are zeros, a scale may be NaN: it becomes 2^-127.
void Attention::complete_mx(Block& b, Vgpr scales) {
  if (const int columns_of_last = cfg.head_dim % 128)
    b.v_and_b32(scales[mx_dwords() - 1], static_cast<int>((1u << columns_of_last / 4) - 1), scales[mx_dwords() - 1]);
  if (!atom.scales.block_per_lane) return;
  b.v_lshlrev_b32(y, 3, half);
  for (int j = 0; j < mx_dwords(); ++j) b.v_lshrrev_b32(scales[j], y, scales[j]);
}

// Those past the last key are 2^-127, as elements are zeros.
Block Attention::load_key_mx() {
  Block b(k.arch(), "load_key_mx");
  for (size_t i = 0; i < mx.k.size(); ++i)
    for (int j = 0; j < mx_dwords(); ++j)
      b.buffer_load_dword(mx.k[i][j], mx.k_at[i], mx.k_resource, mx.k_next, {.offset = 4 * j, .flags = isa::offen});
  b.s_add_u32(mx.k_next, mx.k_next, mx.k_step);
  return b;
}
Block Attention::complete_key_mx() {
  Block b(k.arch(), "complete_key_mx");
  for (const auto& scales : mx.k) complete_mx(b, scales);
  return b;
}
Block Attention::load_value_mx() {
  Block b(k.arch(), "load_value_mx");
  b.s_lshr_b32(t[0], mx.key, 7);
  b.s_mul_i32(t[0], t[0], 4 * dim_v);
  if (keys < 128) {
    b.s_lshr_b32(t[1], mx.key, 5);
    b.s_and_b32(t[1], t[1], 3);
    b.s_add_u32(t[0], t[0], t[1]);
  }
  b.s_add_u32(mx.key, mx.key, keys);
  b.v_add_u32(mx.v_at, t[0], mx.v_from);
  for (size_t i = 0; i < mx.v.size(); ++i) {
    const isa::Mods of_tile{.offset = 4 * static_cast<int>(i) * mx_shared() * atom.extent, .flags = isa::offen};
    if (atom.scales.block_per_lane) b.buffer_load_ubyte(mx.v[i], mx.v_at, mx.v_resource, 0, of_tile);
    else b.buffer_load_dword(mx.v[i], mx.v_at, mx.v_resource, 0, of_tile);
  }
  return b;
}

// Blocks of V without a key: likewise.
Block Attention::complete_value_mx() {
  Block b(k.arch(), "complete_value_mx");
  b.s_sub_u32(t[0], key_count, mx.key);
  b.s_add_u32(t[0], t[0], keys);  // from the tile's first key on
  if (atom.scales.block_per_lane) {
    b.v_lshlrev_b32(x, 5, half);
    b.v_cmp_gt_i32(vcc, t[0], x);
    for (const auto& scales : mx.v) b.v_cndmask_b32(scales, 0, scales, vcc);
    return b;
  }
  b.s_add_u32(t[0], t[0], 31);
  b.s_lshr_b32(t[0], t[0], 5);
  b.s_min_u32(t[0], t[0], 4);
  b.s_lshl_b32(t[0], t[0], 3);
  b.s_bfm_b64(t.slice(2, 2), t[0], 0);
  for (const auto& scales : mx.v) b.v_and_b32(scales, t[2], scales);
  return b;
}

Atom::Scale Attention::mx_scale(Vgpr scales, int tile, int step) const {
  const int block = step * score_atom.depth / 32;
  return {scales[block / 4], atom.scales.block_per_lane ? block % 4 : tile % mx_shared()};
}
void Attention::multiply_value(Block& b, int d, int c, int block, Vgpr values) {
  const isa::Operand to = o(d * columns + c);
  if (!cfg.mx) return atom.multiply(b, to, values, weights(c, block), 0);
  atom.multiply(b, to, values, weights(c, block),
                {mx.v[static_cast<size_t>(d / mx_shared())], atom.scales.block_per_lane ? 0 : d % mx_shared()},
                {mx.one, 0});
}

}  // namespace wavesmith::attention
