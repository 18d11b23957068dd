// The beginning of the backward kernels: registers, the workgroup's tile, sequence and tensors, the numbers of
// tiles; then what each head of a group begins with.
#include "kernels/attention/backward_kernel.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith {
namespace attention {

void Backward::declare() {
  if (packed) {
    q_rows = r.s.alloc(2, "first query of the sequence, one past its last"),
    k_rows = r.s.alloc(2, "first key, one past the last");
    from_end = r.s.alloc(1, "-1 where the diagonal ends at the last key");
  }
  if (layouts.exchanged) {
    other = r.v.alloc(1, "the other half wave's");
    lanes_low = constants(0x76543210, "v_permlanex16 selector: lanes 0 to 7"),
    lanes_high = constants(0xfedcba98, "v_permlanex16 selector: lanes 8 to 15");
    upper_half = r.s.alloc(1, "lanes of the upper half wave");
  }
  if (part.of_keys) {
    heads_left = r.s.alloc(1, "heads of the group left");
    rows_resource = r.s.alloc(4, "buffer resource of the queries' values", 4);
    rows_next = r.s.alloc(1, "bytes to the next queries' values"), rows_end = r.s.alloc(1, "bytes of them");
    row_load = r.v.alloc(1, "load address of the queries' values");
    if (!shape.direct) row_store = r.v.alloc(1, "LDS store address of the queries' values");
  } else {
    lse = r.v.alloc(1, "-LSE log2(e) of the lane's query");
    if (part.dx) delta = r.v.alloc(1, "delta of the lane's query");
  }
  if (!shape.direct) first_limit = r.v.alloc(owned, "limit in the first masked tile, by tile of the wave", 1);
  if (changes) declare_scores();
  if (cfg.dropout) declare_dropout();
  for (int i = 0; i < owned * steps_x; ++i) x.push_back(r.v.alloc(atom.b.fragment_dwords(), "fragment of x", 4));
  for (int i = 0; i < owned * steps_y && part.dx && !shape.y_in_lds; ++i)
    y.push_back(r.v.alloc(atom.b.fragment_dwords(), "fragment of y", 4));
  if (part.dx) dx = Accumulators(r, kernel.arch, owned * tiles_x, atom.items, "dx");
  if (part.dy) dy = Accumulators(r, kernel.arch, owned * tiles_y, atom.items, "dy");
  if (shape.y_in_lds) y_address = r.v.alloc(1, "LDS address of y");
  kernel.lds_bytes = ds_at + (part.adds_dq ? dq.lds_bytes() : 0);
  if (by_lines()) kernel.lds_bytes = std::max(kernel.lds_bytes, shape.waves * 2 * line_tile_bytes());
  // dQ has addresses of its own.
  if (const int most = isa::target(kernel.arch).lds_bytes,
      reach = std::min(most, isa::reach(isa::Format::ds, kernel.arch));
      kernel.lds_bytes > most || ds_at > reach || dq.farthest() > reach)
    throw OutOfRegisters(fmt::format("{} bytes of LDS; legal: {}", kernel.lds_bytes, most));
}

void Backward::find_lane() {
  const isa::LinearLayout of_lane = in_every_wave(layouts.lane.inverse(), shape.waves);
  lane.from_workitem(column, of_lane, "query");
  lane.from_workitem(half, of_lane, "group");
}

void Backward::prologue() {
  wait_for_xcnt_alone(kernel);
  k.comment("arguments");
  for (const auto* group : {&pointers, &row_strides, &of_rows, &sizes}) kernel.load(*group);
  wave_number(kernel, wave);
  find_lane();
  if (layouts.exchanged) k.v_cmp_ne_u32(upper_half, 0, half);
  constants.load();
  take_tile();
  if (packed) find_sequence();
  base_addresses();
  const size_t beside_loads = k.nodes.size();
  k.comment("tiles: addresses, counts");
  X.addresses(lane, at_x, row_strides[&Args::X_row], wave);
  const bool alike = shapes_x.dim == shapes_y.dim;
  if (Y.has_rows() || Y.has_columns()) Y.addresses(lane, alike ? at_x : at_y, row_strides[&Args::Y_row], wave);
  if (part.of_keys) {
    const int values = 2 * tile, tile_bits = log2(tile);
    k.v_lshrrev_b32(x_, tile_bits, kernel.workitem);
    k.v_and_b32(y_, tile - 1, kernel.workitem);
    k.v_lshlrev_b32(y_, 3, y_);
    k.v_lshl_add_u32(row_load, x_, 2, y_);
    k.v_mov_b32(y_, out_of_range);
    k.v_cmp_gt_u32(vcc, values, kernel.workitem);
    k.v_cndmask_b32(row_load, y_, row_load, vcc);
    if (shape.direct) {
      rows_wave = r.s.alloc(1, "LDS address of the wave's values of queries");
      k.s_lshl_b32(rows_wave, wave, log2(4 * atom.lanes));
      k.s_add_u32(rows_wave, rows_wave, rows_at);
    } else {
      k.v_lshlrev_b32(row_store, 2, kernel.workitem);
    }
    k.v_lshlrev_b32(row_read, log2(4 * layouts.group_rows()), half);
  }
  count_tiles();
  load_owned(k.cut(beside_loads, "tiles"));
  if (part.adds_dq) {
    buffer_of_owned(pointers[&Args::x], row_strides[&Args::x_row], dim_x, t[0]);
    dq.begin(kernel, lane, wave, x, resource, row_strides[&Args::x_row], t);
  }
  if (shape.direct)  // the loop needs their registers
    for (auto* each : {&x_, &y_, &column, &half}) each->free();
  // The loop's registers. Allocated last: address computation uses the same ones as scratch before.
  for (int i = 0; i < owned * parts; ++i) s.push_back(r.v.alloc(atom.items, "S, P", 4));
  for (int i = 0; i < owned * parts && part.dx; ++i) dp.push_back(r.v.alloc(atom.items, "dP, dS", 4));
  if (changes) declare_score_tiles();
  for (int n = 0; n < parts && part.of_keys && part.dx && cfg.dropout; ++n)
    row_delta.push_back(r.v.alloc(atom.items, "-delta", 4));
  for (int o = 0; o < owned && shape.overlapped; ++o) {
    const auto add = [&](std::vector<Owned<File::v>>& to, const char* name) {
      to.push_back(r.v.alloc(blocks * atom.a.registers, name, 4));
    };
    if (part.dy) add(p_next, "P");
    if (part.dx) add(ds_next, "dS");
  }
  const auto of_before = [&](const char* name) {
    return Accumulators(r, kernel.arch, owned * blocks, atom.a.registers, name,
                        shape.waves_on_simd == 1 ? SumsIn::agprs : SumsIn::vgprs);
  };
  if (shape.overlapped && part.dy) p_now = of_before("P of the tile before");
  if (shape.overlapped && part.dx) ds_now = of_before("dS of the tile before");
  if (scores_in_agprs) {
    s_acc = Accumulators(r, kernel.arch, owned * parts, atom.items, "S");
    if (part.dx) dp_acc = Accumulators(r, kernel.arch, owned * parts, atom.items, "dP");
    if (!part.of_keys || changes || cfg.dropout)
      zeros = Accumulators(r, kernel.arch, 1, atom.items, "zeros"), zeros.clear(k);
  }
  ring = r.v.alloc(shape.ring * atom.a.fragment_dwords(), "fragments of X and Y", 4);
  for (int i = 0; i < shape.ring && shape.direct && part.adds_dq; ++i)
    dq_ring.push_back(r.v.alloc(atom.a.fragment_dwords(), "fragment of dS, or of K^T"));
  if (shape.y_in_lds) y_ring = r.v.alloc(shape.ring * owned * atom.b.fragment_dwords(), "fragments of y", 4);
  if (!shape.direct) packed_pairs = r.v.alloc(shapes_x.run() / 2, "columns on their way to LDS, packed", 4);
  if (part.of_keys && !shape.direct) row_stage = r.v.alloc(1, "queries' values on their way to LDS");
  for (MovingTiles* tensor : {&X, &Y}) {
    if (shape.one_stage) tensor->share_stage();
    tensor->stages(kernel, halves, packed_pairs);
    if (shape.overlapped) tensor->clear_columns(k);
  }
}

// Head, batch and first row of the workgroup, the heaviest tiles first: the first keys, the last queries.
void Backward::take_tile() {
  k.comment("head and batch; the heaviest tile first");
  const Sgpr heads = of_rows[&Args::heads], all_heads = of_rows[&Args::all_heads],
             in_turn = sizes[&Args::heads_in_turn];
  k.s_mul_i32(head, kernel.workgroup[2], in_turn);
  k.s_add_u32(head, head, kernel.workgroup[0]);
  k.s_cmp_lt_u32(head, all_heads);
  k.when_scc(false, "has_head", [&] { k.s_endpgm(); });
  divide(kernel, batch, head, heads);
  k.s_mul_i32(t[0], batch, heads);
  k.s_sub_u32(head, head, t[0]);
  if (part.of_keys) {
    k.s_lshl_b32(row0, kernel.workgroup[1], log2(block_rows));
  } else {
    k.s_sub_u32(row0, queries, 1);
    k.s_lshr_b32(row0, row0, log2(block_rows));
    k.s_sub_u32(row0, row0, kernel.workgroup[1]);
    k.s_lshl_b32(row0, row0, log2(block_rows));
  }
}

// Packed sequences: first rows, lengths and diagonal of this batch's sequence. The grid fits the longest sequence;
// workgroups beyond the end of a shorter one exit here.
void Backward::find_sequence() {
  k.comment("the batch's sequence");
  kernel.load(t, args[&Args::cu_seqlens_q]);
  kernel.load(from_end, args[&Args::from_end]);
  k.s_lshl_b32(queries, batch, 2);
  for (int i : {0, 2}) {
    k.s_add_u32(t[i], t[i], queries);
    k.s_addc_u32(t[i + 1], t[i + 1], 0);
  }
  k.s_load_dwordx2(q_rows, t.slice(0, 2), 0);
  k.s_load_dwordx2(k_rows, t.slice(2, 2), 0);
  k.s_sub_u32(queries, q_rows[1], q_rows[0]);
  k.s_sub_u32(keys, k_rows[1], k_rows[0]);
  k.s_sub_u32(t[0], keys, queries);
  k.s_and_b32(t[0], t[0], from_end);
  k.s_add_u32(diagonal, diagonal, t[0]);
  from_end.free();
  k.s_cmp_lt_u32(row0, owned_rows);
  k.when_scc(false, "has_rows", [&] { k.s_endpgm(); });
}

// x and y: of this head, from the workgroup's first row on. X, Y and the values of queries: of the first head that goes
// with it.
void Backward::base_addresses() {
  k.comment("tensors: batch, head, first row");
  const auto strides = args.registers(&Args::x_batch, &Args::Y_head);
  kernel.load(strides);
  Scratch scratch(r);
  const Sgpr moving_head = scratch.s("head of X and Y");
  if (part.of_keys) {
    k.s_mul_i32(moving_head, head, sizes[&Args::group]);
  } else {
    k.s_lshl_b32(t[0], head, 1);
    k.s_mul_hi_u32(moving_head, t[0], sizes[&Args::kv_group]);  // head / heads per K/V head
  }
  const Owned<File::s>&owned_first = part.of_keys ? k_rows : q_rows, &moving_first = part.of_keys ? q_rows : k_rows;
  const auto add = [&](Sgpr base, Sgpr by_batch, Sgpr by_head, Sgpr row, bool owned) {
    at.add_strided(base, by_batch, batch);
    at.add_strided(base, by_head, owned ? static_cast<Sgpr>(head) : moving_head);
    if (packed) at.add_product(base, (owned ? owned_first : moving_first)[0], row);
    if (owned) at.add_product(base, row0, row);
  };
  add(pointers[&Args::x], strides[&Args::x_batch], strides[&Args::x_head], row_strides[&Args::x_row], true);
  add(pointers[&Args::y], strides[&Args::y_batch], strides[&Args::y_head], row_strides[&Args::y_row], true);
  add(pointers[&Args::X], strides[&Args::X_batch], strides[&Args::X_head], row_strides[&Args::X_row], false);
  add(pointers[&Args::Y], strides[&Args::Y_batch], strides[&Args::Y_head], row_strides[&Args::Y_row], false);
  if (part.adds_dq) {
    const auto of_dq = args.registers(&Args::dq_batch, &Args::dq_head);
    dq_base = r.s.alloc(2, "sums of dQ", 2);
    kernel.load(of_dq), kernel.load(dq_base, args[&Args::dq_sums]);
    at.add_strided(dq_base, of_dq[&Args::dq_batch], batch);
    at.add_strided(dq_base, of_dq[&Args::dq_head], moving_head);
    k.s_mov_b32(t[3], DqSums::bytes_of(dim_x));
    if (packed) at.add_product(dq_base, q_rows[0], t[3]);
  }
  at.add_strided(rows_base, of_rows[&Args::rows_batch], batch);
  at.add_strided(rows_base, of_rows[&Args::rows_head], part.of_keys ? moving_head : static_cast<Sgpr>(head));
  for (const Sgpr first : {packed ? static_cast<Sgpr>(q_rows)[0] : Sgpr{}, part.of_keys ? Sgpr{} : row0}) {
    if (!first.dwords) continue;
    k.s_mov_b32(t[0], first);
    k.s_mov_b32(t[1], 0);
    k.s_lshl_b64(t.slice(0, 2), t.slice(0, 2), 3);
    k.s_add_u32(rows_base[0], rows_base[0], t[0]);
    k.s_addc_u32(rows_base[1], rows_base[1], t[1]);
  }
}

// Counts tiles. Of queries: those that the workgroup's first query sees completely are whole, the others, up to the
// last key that its last query sees, masked. Of keys: from the last query on those that see the last key are whole, the
// others, down to the first one that sees the first key, masked. Of both, those within the band. Counts of whole tiles
// are of the slots' cycles.
void Backward::count_tiles() {
  const Vgpr to = shape.direct ? limit : first_limit;
  constexpr int no_row = 1 << 30;  // beyond every tile's rows
  const int tile_bits = log2(tile);
  const auto clamp = [&](Sgpr row, int by) {  // max(0, min(moving_rows, row + by))
    if (by) k.s_add_i32(row, row, by);
    k.s_min_i32(row, row, moving_rows);
    k.s_max_i32(row, row, 0);
  };
  const auto tiles_of = [&](Sgpr tiles, Sgpr rows) {
    k.s_add_u32(tiles, rows, tile - 1);
    k.s_lshr_b32(tiles, tiles, tile_bits);
  };
  lane.from_lane(x_, layouts.lane.then(layouts.scores), "row");
  k.s_lshl_b32(t[1], wave, log2(wave_rows));
  k.s_add_u32(t[1], t[1], row0);
  for (int o = 0; o < owned; ++o) {  // the lane's rows of x
    k.v_add_u32(to[o], t[1], column);
    if (o) k.v_add_u32(to[o], o * atom.extent, to[o]);
  }
  for (int o = 0; o < owned && cfg.dropout; ++o) k.v_mov_b32(drop_own[static_cast<size_t>(o)], to[o]);
  if (part.of_keys) {
    k.s_sub_i32(t[0], row0, diagonal);
    k.s_mov_b32(first_row, t[0]);
    clamp(first_row, 0);
    k.s_lshr_b32(first_row, first_row, tile_bits);
    clamp(t[0], block_rows - 1);
    tiles_of(masked_tiles, t[0]);
    tiles_of(whole_tiles, moving_rows);
    if (banded()) skip_tiles();
    k.s_sub_u32(whole_tiles, whole_tiles, masked_tiles);
    k.s_sub_u32(masked_tiles, masked_tiles, first_row);
    if (part.adds_dq) {  // keys past the last one would add to dQ: all tiles of the workgroup that has them are masked
      k.s_sub_u32(t[0], owned_rows, row0);
      k.s_cmp_lt_u32(t[0], block_rows);
      k.s_cselect_b32(t[0], whole_tiles, 0);
      k.s_add_u32(masked_tiles, masked_tiles, t[0]);
      k.s_sub_u32(whole_tiles, whole_tiles, t[0]);
    }
    if (slots > 1) {  // whole tiles in pairs
      k.s_and_b32(t[0], whole_tiles, slots - 1);
      k.s_add_u32(masked_tiles, masked_tiles, t[0]);
      k.s_lshr_b32(whole_tiles, whole_tiles, log2(slots));
    }
    k.s_add_u32(t[1], first_row, masked_tiles);
    if (slots > 1) k.s_lshl_b32(t[0], whole_tiles, log2(slots));
    k.s_add_u32(first_row, t[1], slots > 1 ? t[0] : static_cast<Sgpr>(whole_tiles));
    for (const Sgpr row : {t[1], static_cast<Sgpr>(first_row)}) {
      k.s_sub_u32(row, row, 1);
      k.s_lshl_b32(row, row, tile_bits);
    }
    k.s_add_i32(t[0], diagonal, t[1]);
    for (int o = 0; o < owned; ++o) {
      if (part.adds_dq) k.v_cmp_gt_u32(vcc, owned_rows, to[o]);
      k.v_subrev_u32(to[o], t[0], to[o]);
      if (!part.adds_dq) continue;
      k.v_mov_b32(y_, no_row);
      k.v_cndmask_b32(to[o], y_, to[o], vcc);
    }
  } else {
    k.s_add_i32(t[0], row0, diagonal);
    k.s_mov_b32(whole_tiles, t[0]);
    clamp(whole_tiles, 1);
    k.s_lshr_b32(whole_tiles, whole_tiles, tile_bits);
    clamp(t[0], block_rows);
    tiles_of(masked_tiles, t[0]);
    k.s_mov_b32(first_row, 0);
    if (banded()) skip_tiles();
    k.s_sub_u32(masked_tiles, masked_tiles, whole_tiles);
    k.s_add_i32(t[0], diagonal, 1);
    k.s_lshl_b32(t[1], whole_tiles, tile_bits);
    if (banded()) {
      k.s_sub_u32(whole_tiles, whole_tiles, first_row);
      k.s_lshl_b32(first_row, first_row, tile_bits);
    }
    for (int o = 0; o < owned; ++o) {
      k.v_add_u32(to[o], t[0], to[o]);
      k.v_min_i32(to[o], moving_rows, to[o]);
      k.v_subrev_u32(to[o], t[1], to[o]);
    }
  }
  for (int o = 0; o < owned; ++o) k.v_sub_u32(to[o], to[o], x_);
  if (changes) find_distances();
  if (cfg.dropout) find_dropped_rows();
}

void Backward::begin_head() {
  X.begin(kernel, pointers[&Args::X], moving_rows, first_row, t);
  if (Y.has_rows() || Y.has_columns()) Y.begin(kernel, pointers[&Args::Y], moving_rows, first_row, t);
  if (part.of_keys) {
    k.s_lshl_b32(rows_end, queries, 3);
    raw_buffer(k, rows_resource, rows_base, rows_end);
    k.s_lshl_b32(rows_next, first_row, 3);
  }
  if (part.adds_dq) dq.begin_head(kernel, dq_base, queries, first_row, t);
  if (changes) prepare_scores();
  if (cfg.dropout) prepare_dropout();
  if (shape.overlapped) clear_weights();
  if (shape.direct) clear_products();
  k.s_mov_b32(masked_left, masked_tiles);
  k.s_mov_b32(whole_left, whole_tiles);
  for (int o = 0; o < owned && !shape.direct; ++o) k.v_mov_b32(limit[o], first_limit[o]);
}
// Direct: the limit of the first masked tile is found again from that of the one after the last.
void Backward::next_head() {
  const auto advance = [&](Sgpr base, Sgpr by) {
    k.s_add_u32(base[0], base[0], by[0]);
    k.s_addc_u32(base[1], base[1], by[1]);
  };
  kernel.load(t.slice(0, 2), args[&Args::X_head]);
  kernel.load(t.slice(2, 2), args[&Args::Y_head]);
  advance(pointers[&Args::X], t.slice(0, 2));
  advance(pointers[&Args::Y], t.slice(2, 2));
  advance(rows_base, of_rows[&Args::rows_head]);
  if (shape.direct) {
    k.s_lshl_b32(t[0], masked_tiles, log2(tile));
    for (int o = 0; o < owned; ++o) k.v_subrev_u32(limit[o], t[0], limit[o]);
  }
  if (changes) rewind_distances();
  if (cfg.dropout) rewind_dropped();
  if (part.adds_dq) {
    kernel.load(t.slice(0, 2), args[&Args::dq_head]);
    advance(dq_base, t.slice(0, 2));
  }
}

}  // namespace attention
}  // namespace wavesmith
