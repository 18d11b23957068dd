// K and V by the tensor data mover (gfx1250): each wave moves a part of each tile, two waves K, the others V, which
// runs two tiles after K. Descriptors in SGPRs say where the part is and how many rows are left: those past the last
// become zeros. A descriptor belongs to an LDS buffer, so that none changes while its load may still be replayed.
#include <limits>

#include "generator/dsl/emit_offset.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// S, fragments and what the softmax computes with are in the first bank of VGPRs, Q and O after it: then banks change
// twice for a matrix instruction at most.
Owned<File::v> Attention::declare_moved() {
  for (auto* unused : {&q_resource, &k_resource, &v_resource, &k_next, &v_next, &k_end, &v_end, &k_step, &v_step})
    unused->free();
  for (int c = 0; c < columns; ++c) {
    negated.push_back(r.v.alloc(2, "-m, twice", 2));
    growth.push_back(r.v.alloc(1, "what O is to be multiplied by"));
  }
  minus_infinity = r.v.alloc(1, "-inf");
  const int reach = isa::reach(isa::Format::ds, kernel.arch),
            windows = (plan.slots() * std::max(layouts.k.bytes, layouts.v.bytes) - 1 + reach) / reach;
  for (int i = 0; i < windows; ++i) {
    k_read.push_back(r.v.alloc(1, "K LDS read address"));
    v_read.push_back(r.v.alloc(1, "V LDS read address"));
  }
  ring = r.v.alloc(8 * atom.a.fragment_dwords(), "fragments of K, then V", 8);
  for (int i = 0; i < 2 * parts * columns; ++i) s.push_back(r.v.alloc(atom.items, "S, then P", 8));
  const int used = r.v.high_water();
  return used < isa::vgpr_bank ? r.v.alloc(isa::vgpr_bank - used, "(the rest of the first bank)") : Owned<File::v>{};
}

// Of `rows` rows as in the LDS tile, `row` bytes apart in memory; how many are left is written later.
void Attention::describe(Sgpr shape, const LdsTile& tile, int width, int rows, Sgpr row) {
  k.s_mov_b32(shape[0], static_cast<int>(padded_shape(plan.bytes, width * plan.bytes, tile.padding)));
  k.s_mov_b32(shape[1], width << 16);
  k.s_mov_b32(shape[3], width << 16);
  k.s_mov_b32(shape[4], rows);
  k.s_lshr_b32(shape[5], row, log2(plan.bytes));
  k.s_mov_b64(shape.slice(6, 2), 0);
}

// Each wave moves its own rows.
void Attention::move_queries() {
  k.comment("Q");
  q_descriptor = r.s.alloc(12, "Q's place in LDS and memory, shape", 4);
  const Sgpr place = q_descriptor.slice(0, 4), shape = q_descriptor.slice(4, 8), base = head_of(Q, head);
  k.s_lshl_b32(t[3], wave, log2(wave_rows));
  k.s_add_u32(t[3], t[3], q0);
  at.add_product(base, t[3], q_row);
  k.s_mov_b64(place.slice(2, 2), base);
  k.s_or_b32(place[3], place[3], static_cast<int>(descriptor_type));
  k.s_mov_b32(place[0], 1);
  k.s_mul_i32(place[1], wave, wave_rows * layouts.k.pitch);
  k.s_add_u32(place[1], place[1], queries_offset());
  describe(shape, layouts.k, dim, wave_rows, q_row);
  k.s_sub_u32(t[3], queries, t[3]);
  k.s_max_i32(t[3], t[3], 0);
  k.s_min_u32(t[3], t[3], wave_rows);
  k.s_lshl_b32(shape[2], t[3], 16);
  k.emit(Opcode::tensor_load_to_lds, {place.operand(), shape.operand()}, {}, Where::current()).buffer =
      static_cast<int16_t>(queries_tag());
}
void Attention::read_queries() {
  k.comment("fragments of Q");
  Scratch scratch(r);
  const Vgpr from = scratch.v("LDS address of the lane's query");
  k.s_mul_i32(t[0], wave, wave_rows * layouts.k.pitch);
  k.s_add_u32(t[0], t[0], queries_offset());
  k.v_add_u32(from, t[0], k_read[0]);
  k.wait_for_lds(queries_tag());
  for (int c = 0; c < columns; ++c)
    for (int step = 0; step < steps; ++step)
      for (int j = 0; j < atom.a.chunks(); ++j)
        k.ds_read_b128(q[c * steps + step].slice(4 * j, 4), from,
                       {.offset = c * atom.extent * layouts.k.pitch +
                                  (step * atom.a.chunks() + j) * atom.a.groups() * chunk_bytes})
            .buffer = static_cast<int16_t>(queries_tag());
  q_descriptor.free();
}

void Attention::describe_tiles() {
  k.comment("descriptors of the wave's part of each tile");
  const int slots = plan.slots(), rows = moved_part_rows();
  // Scalar registers in a row are rare: the first descriptor takes those of the resources that are not used.
  const auto descriptor = [&] {
    descriptors.shape.push_back(r.s.alloc(8, "a part's shape and padding", 4));
    descriptors.place.push_back(r.s.alloc(4, "its place in LDS and memory", 4));
  };
  descriptor();
  Scratch scratch(r);
  const Sgpr first = scratch.s("K's part, then the wave's", 2), of_v = scratch.s("V's part", 2),
             row = scratch.s("bytes of its row"), tile = scratch.s("bytes of a tile"), half = scratch.s("its half"),
             lds = scratch.s("its place in the first buffer");
  k.s_mov_b64(first, head_of(K, kv_head));
  k.s_mov_b64(of_v, head_of(V, kv_head));
  leave_arguments();
  k_rows.free(), from_end.free();
  for (int i = 1; i < slots; ++i) descriptor();
  scale_pair = r.s.alloc(2, "scale, twice", 2);
  o_is_late = r.s.alloc(1, "1: O has yet to be multiplied");
  mask_step = r.s.alloc(1, "keys from the tile masked to the next one");
  descriptors.advance = r.s.alloc(2, "bytes to the tile after these", 2);
  descriptors.left = r.s.alloc(1, "rows left from the next part on");
  // Waves of the lower half move K.
  k.s_and_b32(half, wave, plan.waves / 2 - 1);
  k.s_lshl_b32(half, half, log2(rows));
  const auto of_wave = [&](Sgpr to, SSrcArg of_k, SSrcArg of_v) {
    k.s_mov_b32(to, of_k);
    k.s_cmp_lt_u32(wave, plan.waves / 2);
    k.s_cselect_b32(to, to, of_v);
  };
  of_wave(row, k_row, v_row);
  k.s_cselect_b32(first[0], first[0], of_v[0]);
  k.s_cselect_b32(first[1], first[1], of_v[1]);
  at.add_product(first, half, row);
  // Rows from the first part on: V begins two tiles before its first one, with descriptors that are not valid.
  of_wave(t[0], 0, 2 * keys);
  k.s_sub_u32(descriptors.left, key_count, half);
  k.s_add_u32(descriptors.left, descriptors.left, t[0]);
  k.s_lshl_b32(tile, row, log2(keys));
  k.s_mov_b32(descriptors.advance[0], tile);
  k.s_mov_b32(descriptors.advance[1], 0);
  k.s_lshl_b64(descriptors.advance, descriptors.advance, log2(slots));
  // A load begins with the advance: the descriptors of the first loads of K are a buffer's turn later than those of V.
  k.s_sub_u32(first[0], first[0], descriptors.advance[0]);
  k.s_subb_u32(first[1], first[1], descriptors.advance[1]);
  of_wave(t[0], tile, 0);
  for (int i = 0; i < 2; ++i) {
    k.s_add_u32(first[0], first[0], t[0]);
    k.s_addc_u32(first[1], first[1], 0);
  }
  of_wave(t[0], layouts.k.pitch, layouts.v.pitch);
  k.s_mul_i32(lds, half, t[0]);
  for (int i = 0; i < slots; ++i) {
    const Sgpr place = descriptors.place[i], shape = descriptors.shape[i];
    of_wave(place[0], 1, i < slots - 2 ? 1 : 0);
    of_wave(t[0], (i + 2) % slots * layouts.k.bytes, v_offset() + i * layouts.v.bytes);
    k.s_add_u32(place[1], lds, t[0]);
    k.s_mov_b32(place[2], first[0]);
    k.s_or_b32(place[3], first[1], static_cast<int>(descriptor_type));
    k.s_add_u32(first[0], first[0], tile);
    k.s_addc_u32(first[1], first[1], 0);
    const auto padded = [&](const LdsTile& of, int dim) {
      return static_cast<int>(padded_shape(plan.bytes, dim * plan.bytes, of.padding));
    };
    of_wave(shape[0], padded(layouts.k, dim), padded(layouts.v, dim_v));
    of_wave(shape[1], dim << 16, dim_v << 16);
    k.s_mov_b32(shape[3], shape[1]);
    k.s_mov_b32(shape[4], rows);
    k.s_lshr_b32(shape[5], row, log2(plan.bytes));
    k.s_mov_b64(shape.slice(6, 2), 0);
  }
  // The first two tiles of K; V joins with its first one.
  for (int i = slots - 2; i < slots; ++i) k << move_part(i);
  for (int i = 0; i < slots - 2; ++i) k << fetch_tiles(i);
}

// The wave's part of the next tile into the buffer of a slot.
Block Attention::move_part(int slot) {
  Block b(k.arch(), "move_part");
  const Sgpr place = descriptors.place[static_cast<size_t>(slot)], shape = descriptors.shape[static_cast<size_t>(slot)];
  b.s_max_i32(t[0], descriptors.left, 0);
  b.s_min_u32(t[0], t[0], moved_part_rows());
  b.s_lshl_b32(shape[2], t[0], 16);
  b.s_sub_u32(descriptors.left, descriptors.left, keys);
  b.emit(Opcode::tensor_load_to_lds, {place.operand(), shape.operand()}, {}, Where::current()).buffer =
      static_cast<int16_t>(slot);
  return b;
}
Block Attention::fetch_tiles(int slot) {
  Block b(k.arch(), "fetch_tiles");
  const Sgpr place = descriptors.place[static_cast<size_t>(slot)];
  if (slot >= plan.slots() - 2) b.s_mov_b32(place[0], 1);
  b.s_add_u32(place[2], place[2], descriptors.advance[0]);
  b.s_addc_u32(place[3], place[3], descriptors.advance[1]);
  return b << move_part(slot);
}

void Attention::moved_read_addresses() {
  k.comment("LDS addresses of fragments");
  Scratch scratch(r);
  const Vgpr row = scratch.v("row"), byte = scratch.v("byte");
  for (const LdsTile* tile : {&layouts.k, &layouts.v}) {
    auto& to = tile == &layouts.k ? k_read : v_read;
    const isa::LinearLayout of_lane = in_every_wave(tile->moved->lanes, plan.waves);
    from_workitem(row, of_lane, "row");
    from_workitem(byte, of_lane, "byte");
    k.v_mul_u32_u24(row, tile->pitch, row);
    k.v_add_u32(to[0], row, byte);
    if (tile == &layouts.v) k.v_add_u32(to[0], v_offset(), to[0]);
    for (size_t i = 1; i < to.size(); ++i) k.v_add_u32(to[i], static_cast<int>(i) << 16, to[0]);
  }
}

// What the loop needs besides; S has seen nothing yet.
void Attention::begin_moved() {
  for (int i : {0, 1}) k.s_mov_b32(scale_pair[i], scale);
  k.v_mov_b32(minus_infinity, -std::numeric_limits<float>::infinity());
  k.s_mov_b32(o_is_late, 0);
  for (int c = 0; c < columns; ++c)
    for (int i : {0, 1}) k.v_sub_f32(negated[c][i], 0, maximum[c]);
}

// A read is of two chunks further on K; of 16 keys further on V, of which each half of the wave gets eight.
Block Attention::read_key_fragments(int slot, int first, int count) {
  Block b(k.arch(), "read_key_fragments");
  for (int i = first; i < first + count; ++i)
    for (int j = 0; j < atom.a.chunks(); ++j) {
      const int offset = slot * layouts.k.bytes + i / steps * atom.extent * layouts.k.pitch +
                         (i % steps * atom.a.chunks() + j) * atom.a.groups() * chunk_bytes;
      b.ds_read_b128(fragment(i).slice(4 * j, 4), k_read[static_cast<size_t>(offset >> 16)],
                     {.offset = offset & 0xffff})
          .buffer = static_cast<int16_t>(slot);
    }
  return b;
}
Block Attention::read_value_fragments(int slot, int first, int count) {
  Block b(k.arch(), "read_value_fragments");
  for (int i = first; i < first + count; ++i)
    for (int j = 0; j < value_reads(); ++j) {
      const int row = (i / d_tiles * value_reads() + j) * 2 * layouts.group_rows(),
                offset = slot * layouts.v.bytes + row * layouts.v.pitch + i % d_tiles * atom.extent * plan.bytes;
      const int dwords = layouts.v.moved->bytes / 4;
      b.emit(layouts.v.moved->op,
             {fragment(steps * parts + i).slice(dwords * j, dwords).operand(),
              v_read[static_cast<size_t>(offset >> 16)].operand()},
             {.offset = offset & 0xffff}, Where::current())
          .buffer = static_cast<int16_t>(slot);
    }
  return b;
}

}  // namespace wavesmith::attention
