// What is the schedule decode's own. A tile of S^T has the queries of all heads of a K/V head as its columns: row r is
// query r / heads, head r % heads. Each wave of each of the workgroups that share a head (splits) has a contiguous part
// of the keys. At the end the waves add their sums through LDS, each for its tiles of O^T; with more than one split
// each wave leaves these in memory and counts itself, and the last one of those with the same tiles combines them,
// in the order of the splits, so that the result does not depend on the order in which they end. Where keys are latent,
// these results are many, and a second launch combines them on all compute units.
#include "kernels/attention/attention_combine.h"
#include "kernels/parts/device_scope.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith::attention {

struct Attention::Partial {
  Vgpr total, top;                // of the lane's row: sum of P, maximum
  std::vector<Vgpr> value;        // O^T of the wave's tiles, not divided by the sum; latent: scratch for four columns
  Sgpr first_tile, first_column;  // of the wave; the columns from there on
};

int Attention::wave_lds() const { return plan.wave_lds(); }

void Attention::declare_part() {
  part_sizes = args.registers(&Args::kv_heads, &Args::splits);
  row_count = r.s.alloc(1, "rows"), part_begin = r.s.alloc(1, "first key of the wave"),
  part_end = r.s.alloc(1, "one past its last");
  lane_id = r.v.alloc(1, "lane of the wave"), row_query = r.v.alloc(1, "query of the row"),
  row_head = r.v.alloc(1, "head of the row");
  kernel.lds_bytes = plan.part_lds();
}

void Attention::take_part() {
  k.comment("batch and K/V head; first row");
  kernel.load(part_sizes), kernel.load(t.slice(0, 2), args[&Args::row_tiles]);
  const Sgpr kv_heads = part_sizes[&Args::kv_heads], of_all = head;
  k.s_mov_b32(of_all, kernel.workgroup[0]);
  k.s_mov_b32(q0, 0);
  k.s_cmp_eq_u32(t[0], 1);
  k.when_scc(false, "one_tile_of_rows", [&] {
    k.s_lshl_b32(t[2], t[0], t[1]);
    divide(kernel, of_all, kernel.workgroup[0], t[2]);
    k.s_mul_i32(t[2], of_all, t[2]);
    k.s_sub_u32(t[2], kernel.workgroup[0], t[2]);
    k.s_lshr_b32(t[3], t[2], t[1]);  // tile of rows
    k.s_lshl_b32(q0, t[3], log2(block_rows));
    k.s_lshl_b32(t[3], t[3], t[1]);
    k.s_sub_u32(t[2], t[2], t[3]);
    k.s_lshl_b32(of_all, of_all, t[1]);
    k.s_add_u32(of_all, of_all, t[2]);
    k.s_cmp_lt_u32(of_all, part_sizes[&Args::all_kv_heads]);
    k.when_scc(false, "has_head", [&] { k.s_endpgm(); });
  });
  divide(kernel, batch, of_all, kv_heads);
  k.s_mul_i32(t[0], batch, kv_heads);
  k.s_sub_u32(kv_head, of_all, t[0]);
  k.s_mul_i32(head, kv_head, part_sizes[&Args::group_heads]);
}

// Tiles of keys up to the last that the last query sees are divided among all waves of all splits, which differ by one
// tile at most. Parts with one more are first those of the first waves, so that workgroups have about as many.
void Attention::find_part() {
  k.comment("rows, and the wave's keys");
  const Sgpr heads = part_sizes[&Args::group_heads], splits = part_sizes[&Args::splits];
  k.s_mul_i32(row_count, queries, heads);
  k.s_cmp_lt_u32(q0, row_count);
  k.when_scc(false, "has_rows", [&] { k.s_endpgm(); });
  k.s_add_i32(t[0], queries, diagonal);
  see_prefix(t[0]);
  k.s_min_i32(t[0], t[0], key_count);
  if (banded()) k.s_sub_i32(t[0], t[0], skipped);
  k.s_max_i32(t[0], t[0], 0);  // keys that are seen
  k.s_add_u32(t[1], t[0], keys - 1);
  k.s_lshr_b32(t[1], t[1], log2(keys));  // tiles
  k.s_lshl_b32(t[2], splits, log2(plan.key_waves()));
  divide(kernel, part_end, t[1], t[2]);
  k.s_mul_i32(t[3], part_end, t[2]);
  k.s_sub_u32(t[3], t[1], t[3]);  // so many parts have one more
  k.s_mov_b32(t[2], kernel.workgroup[1]);
  if (!plan.latent) {
    k.s_mul_i32(t[2], wave, splits);
    k.s_add_u32(t[2], t[2], kernel.workgroup[1]);
  }
  k.s_mul_i32(part_begin, t[2], part_end);
  k.s_min_u32(t[1], t[2], t[3]);
  k.s_add_u32(part_begin, part_begin, t[1]);
  k.s_cmp_lt_u32(t[2], t[3]);
  k.s_addc_u32(part_end, part_end, part_begin);
  for (const Sgpr end : {Sgpr(part_begin), Sgpr(part_end)}) {
    k.s_lshl_b32(end, end, log2(keys));
    k.s_min_u32(end, end, t[0]);
    if (banded()) k.s_add_u32(end, end, skipped);
  }
  if (plan.latent) {  // rows of the wave
    k.s_lshl_b32(t[0], wave, log2(wave_rows));
    k.s_add_u32(q0, q0, t[0]);
  }
  find_rows();
}
void Attention::rows_left(Sgpr to) {
  k.s_sub_u32(to, row_count, q0);
  if (plan.latent) k.s_max_i32(to, to, 0);
}
void Attention::find_rows() {
  k.v_add_u32(x, q0, column);
  k.v_lshlrev_b32(y, 1, x);
  k.v_mul_hi_u32(row_query, group, y);
  k.v_mul_lo_u32(y, row_query, part_sizes[&Args::group_heads]);
  k.v_sub_u32(row_head, x, y);
}

void Attention::only_rows(Vgpr address) {
  rows_left(t[0]);
  k.v_cmp_gt_u32(vcc, t[0], column);
  k.v_mov_b32(other, out_of_range);
  k.v_cndmask_b32(address, other, address, vcc);
}

void Attention::place_wave() {
  if (plan.latent && !plan.near_columns) return;
  if (plan.latent) k.s_mov_b32(t[0], plan.tile_begin());
  else k.s_mul_i32(t[0], wave, wave_lds());
  for (auto* addresses : {&k_store, &k_read, &v_store, &v_read})
    for (const auto& address : *addresses) k.v_add_u32(address, t[0], address);
}

void Attention::count_part_tiles() {
  k.s_add_i32(t[0], diagonal, 1);  // keys that query 0 sees
  see_prefix(t[0]);
  k.s_min_i32(t[0], t[0], part_end);
  k.s_sub_i32(t[0], t[0], part_begin);
  k.s_max_i32(t[0], t[0], 0);
  k.s_lshr_b32(pairs, t[0], log2(keys));
  if (plan.two_sets) k.s_and_b32(pairs, pairs, -2);
  k.s_sub_u32(masked_tiles, part_end, part_begin);
  k.s_add_u32(masked_tiles, masked_tiles, keys - 1);
  k.s_lshr_b32(masked_tiles, masked_tiles, log2(keys));
  k.s_sub_u32(masked_tiles, masked_tiles, pairs);
  k.s_lshl_b32(t[0], pairs, log2(keys));
  k.s_add_u32(t[0], t[0], part_begin);
  if (plan.two_sets) k.s_lshr_b32(pairs, pairs, 1);
  k.s_add_i32(t[1], diagonal, 1);
  from_lane(x, layouts.lane.then(layouts.scores), "row");
  k.v_add_u32(limit[0], t[1], row_query);
  if (cfg.prefix) k.v_max_i32(limit[0], prefix_keys, limit[0]);
  k.v_min_i32(limit[0], key_count, limit[0]);
  k.v_sub_u32(limit[0], limit[0], x);
  k.v_subrev_u32(limit[0], t[0], limit[0]);
}

// Afterwards a wave has its tiles, of all keys of the workgroup; every wave has the sums and maxima.
void Attention::combine_waves(Partial& p) {
  k.comment("sums and maxima of the waves");
  const int waves = plan.waves, chunks = atom.items / 4, chunk = atom.lanes * chunk_bytes;
  Scratch scratch(r);
  const Vgpr own = scratch.v("sum, maximum", 2), at_lane = scratch.v("LDS address of the lane"),
             at_wave = scratch.v("likewise in the wave's LDS"), scale_of = scratch.v("scale"), four = scratch.v("O", 4);
  // Immediate offsets reach a part of the waves; further ones have address registers of their own.
  const int reach = isa::reach(isa::Format::ds, kernel.arch);
  std::vector<Vgpr> windows{at_wave};
  while (static_cast<int>(windows.size()) * reach < waves * wave_lds())
    windows.push_back(scratch.v("likewise, further"));
  const auto address_windows = [&] {
    for (size_t i = 1; i < windows.size(); ++i) k.v_add_u32(windows[i], static_cast<int>(i) * reach, at_wave);
  };
  const auto window = [&](int offset) { return windows[static_cast<size_t>(offset / reach)]; };
  k.v_mov_b32(own[0], p.total);
  k.v_mov_b32(own[1], maximum[0]);
  k.s_mul_i32(t[0], wave, wave_lds());
  k.v_lshlrev_b32(at_lane, 3, lane_id);
  k.v_add_u32(at_wave, t[0], at_lane);
  k.ds_write_b64(at_wave, own);
  k << stage_barrier();
  k.v_mov_b32(at_wave, at_lane);
  address_windows();
  std::vector<Vgpr> each;
  for (int w = 0; w < waves; ++w) {
    each.push_back(scratch.v("sum, maximum", 2));
    k.ds_read_b64(each.back(), window(w * wave_lds()), {.offset = w * wave_lds() % reach});
  }
  k.v_mov_b32(p.top, each[0][1]);
  for (int w = 1; w < waves; ++w) k.v_max_f32(p.top, p.top, each[w][1]);
  k.v_mov_b32(p.total, 0);
  for (int w = 0; w < waves; ++w) {
    k.v_sub_f32(y, each[w][1], p.top);
    k.v_exp_f32(y, y);
    k.v_fma_f32(p.total, y, each[w][0], p.total);
  }
  k.v_sub_f32(scale_of, maximum[0], p.top);
  k.v_exp_f32(scale_of, scale_of);
  if (scaled_keys()) k.v_mul_f32(scale_of, value_unit, scale_of);
  k << stage_barrier();
  k.comment("O of the waves");
  k.v_lshlrev_b32(at_lane, log2(chunk_bytes), lane_id);
  k.v_add_u32(at_wave, t[0], at_lane);
  for (int d = 0; d < d_tiles; ++d)
    for (int j = 0; j < chunks; ++j) {
      for (int i = 0; i < 4; ++i) {
        o.read(k, four[i], d, 4 * j + i);
        k.v_mul_f32(four[i], scale_of, four[i]);
      }
      k.ds_write_b128(at_wave, four, {.offset = (d * chunks + j) * chunk});
    }
  k << stage_barrier();
  std::vector<Owned<File::v>> fours;  // of the waves, on their way
  const auto costs_nothing = [&](std::optional<int> first) { return first && *first + 4 <= r.v.high_water(); };
  while (fours.size() < 2 || (static_cast<int>(fours.size()) < 3 * waves && costs_nothing(r.v.next_free(4, 4))))
    fours.push_back(r.v.alloc(4, "O of a wave", 4));
  for (int i = 0; i < plan.wave_tiles(); ++i) {
    k.s_add_u32(t[0], p.first_tile, i);
    k.s_min_u32(t[0], t[0], d_tiles - 1);
    k.s_lshl_b32(t[0], t[0], log2(chunks * chunk));
    k.v_add_u32(at_wave, t[0], at_lane);
    address_windows();
    struct Read {
      int chunk, wave;
    };
    std::vector<Read> reads;  // of other waves than the first, added in this order
    for (int j = 0; j < chunks; ++j) {
      k.ds_read_b128(p.value[i].slice(4 * j, 4), at_wave, {.offset = j * chunk});
      for (int w = 1; w < waves; ++w) reads.push_back({j, w});
    }
    const size_t ahead = fours.size();
    for (size_t n = 0; n < reads.size() + ahead; ++n) {
      if (n >= ahead && n - ahead < reads.size()) {
        const Vgpr to = p.value[i].slice(4 * reads[n - ahead].chunk, 4);
        for (int e = 0; e < 4; ++e) k.v_add_f32(to[e], to[e], fours[n % ahead][e]);
      }
      if (n < reads.size()) {
        const int offset = reads[n].wave * wave_lds() + reads[n].chunk * chunk;
        k.ds_read_b128(fours[n % ahead], window(offset), {.offset = offset % reach});
      }
    }
  }
}

void Attention::find_splits(const Splits& w, Sgpr of_wave) {
  if (!partials.dwords) {
    partials = r.s.alloc(2, "partial results");
    kernel.load(partials, args[&Args::partials]);
  }
  k.s_lshr_b32(w.tile, q0, log2(block_rows));
  k.s_mul_i32(w.tile, w.tile, part_sizes[&Args::all_kv_heads]);
  k.s_mul_i32(t[0], batch, part_sizes[&Args::kv_heads]);
  k.s_add_u32(w.tile, w.tile, t[0]);
  k.s_add_u32(w.tile, w.tile, kv_head);
  k.s_lshl_b32(w.tile, w.tile, log2(plan.waves));
  k.s_add_u32(w.tile, w.tile, of_wave);
  k.s_mov_b32(w.step, plan.wave_block());
  k.s_mul_i32(t[3], part_sizes[&Args::splits], w.step);
  at.add_product(partials, w.tile, t[3]);
  raw_buffer(k, w.resource, partials, t[3]);
  partials = {};
  rows_left(t[0]);
  k.s_mov_b32(w.log2_rows, 0);
  for (int rows = 1; rows < wave_rows; rows *= 2) {
    k.s_cmp_gt_u32(t[0], rows);
    k.s_addc_u32(w.log2_rows, w.log2_rows, 0);
  }
}

// `item`: puts a chunk's four columns into registers, where they are not there yet.
void Attention::store_results(const Partial& p, const Splits& w) {
  k.comment("the wave's results in the workspace");
  Scratch scratch(r);
  const Vgpr at_lane = scratch.v("address of the lane"), at_sums = scratch.v("address of its sum"),
             sums = scratch.v("sum, maximum", 2);
  const Sgpr chunk_shift = scratch.s("log2 of the bytes of four columns");
  std::vector<Sgpr> of_chunk{scratch.s("bytes before a chunk")};
  while (replays_loads() && of_chunk.size() < 8 && r.s.next_free(1)) of_chunk.push_back(scratch.s("of another"));
  const int at_once = plan.paired() ? 2 : 1;  // chunks of a lane that are next to each other
  const isa::Mods mods = plan.latent ? isa::Mods{.flags = isa::offen} : device_store(kernel.arch);
  k.v_lshlrev_b32(at_lane, log2(layouts.group_rows() / quad * at_once), half);
  k.v_lshlrev_b32(at_lane, w.log2_rows, at_lane);
  k.v_add_u32(at_lane, at_lane, column);
  k.v_lshlrev_b32(at_lane, log2(chunk_bytes), at_lane);
  k.v_lshlrev_b32(at_sums, 3, column);
  k.v_mov_b32(sums[0], p.total);
  k.v_mov_b32(sums[1], p.top);
  k.s_mul_i32(w.next, kernel.workgroup[1], w.step);
  k.s_add_u32(chunk_shift, w.log2_rows, log2(chunk_bytes));
  rows_left(t[0]);
  k.v_cmp_gt_u32(vcc, t[0], column);
  k.mask_mov(exec, vcc);
  k.buffer(Opcode::buffer_store_dwordx2, sums, at_sums, w.resource, w.next, mods);
  k.s_add_u32(w.next, w.next, sums_bytes());
  size_t stored = 0;
  const auto store = [&](Vgpr four, int first_column) {
    const Sgpr from = of_chunk[stored++ % of_chunk.size()];  // in turn: see places of Combination
    k.s_lshl_b32(from, first_column / quad, chunk_shift);
    k.s_add_u32(from, from, w.next);
    k.buffer(Opcode::buffer_store_dwordx4, four, at_lane, w.resource, from, mods);
  };
  for (int i = 0; i < plan.wave_tiles() && !plan.latent; ++i)
    for (int j = 0; j < atom.items; j += quad) store(p.value[i].slice(j, quad), atom.extent * i + layouts.key(j));
  for (int i = 0, n = 0; i < plan.wave_tiles() && plan.latent; i += at_once)
    for (int j = 0; j < atom.items; j += quad)
      for (int e = 0; e < at_once; ++e, ++n) {
        const Vgpr four = p.value[n % p.value.size()];
        for (int c = 0; c < quad; ++c) o.read(k, four[c], i + c % at_once, j + (quad * e + c) / at_once);
        store(four, at_once * (atom.extent * i / at_once + layouts.key(j)) + quad * e);
      }
  k.mask_mov(exec, -1);
}

// Waves that are not the last of those with the same columns end here.
void Attention::count_split(const Splits& w) {
  Scratch scratch(r);
  const Vgpr one = scratch.v("count");
  wait_for_stores(k);
  k.comment("the last one combines");
  k.s_mov_b32(w.next, 4);
  at.add_product(counters, w.tile, w.next);
  k.mask_mov(exec, 1);
  k.v_mov_b32(x, 0);
  k.v_mov_b32(one, 1);
  k.global_atomic_add_rtn(y, x, one, counters, device_atomic(kernel.arch));
  k.v_readfirstlane_b32(t[0], y);
  k.s_sub_u32(t[1], part_sizes[&Args::splits], 1);
  k.s_cmp_eq_u32(t[0], t[1]);
  k.when_scc(false, "is_last", [&] { k.s_endpgm(); });
  k.global_store_dword(x, x, counters);
  counters = {};
  k.mask_mov(exec, -1);
}

void Attention::begin_epilogue() {
  k.wait_for(q.back());
  for (const auto& stage : stages)
    if (stage.dwords) k.wait_for(stage);
  for (auto* tiles : {&s, &q}) tiles->clear();
  for (auto& stage : stages) stage.free();
  ring.free();
  for (auto* scalars :
       {&q_resource, &k_resource, &v_resource, &v_rows,       &load_offsets, &table,        &k_next,      &v_next,
        &k_end,      &v_end,      &k_step,     &v_step,       &pairs,        &masked_tiles, &prefix_keys, &skipped,
        &part_begin, &part_end,   &headroom,   &k_loads.step, &v_loads.step, &k_loads.from, &v_loads.from})
    scalars->free();
  reload_arguments();
}

void Attention::decode_epilogue() {
  begin_epilogue();
  if (plan.latent) {
    latent_epilogue();
    return combine_launched();
  }
  // Early: their latency passes beside the combination of the waves.
  counters = r.s.alloc(2, "counters of the splits"), partials = r.s.alloc(2, "partial results");
  kernel.load(counters, args[&Args::counters]);
  kernel.load(partials, args[&Args::partials]);
  Scratch scratch(r);
  Partial p{.total = scratch.v("sum of P"), .top = scratch.v("maximum")};
  for (int i = 0; i < plan.wave_tiles(); ++i) p.value.push_back(scratch.v("O of the wave's tile", atom.items));
  p.first_tile = scratch.s("first tile of O of the wave"), p.first_column = scratch.s("columns from its first one on");
  k.s_mul_i32(p.first_tile, wave, plan.wave_tiles());
  total_of(p.total, 0);
  combine_waves(p);
  k.s_cmp_eq_u32(part_sizes[&Args::splits], 1);
  k.when_scc(false, "one_split", [&] {
    const Splits w(r);
    find_splits(w, wave);
    store_results(p, w);
    count_split(w);
    k.s_lshl_b32(p.first_tile, p.first_tile, log2(atom.extent));
    combine_here(w, p.first_tile);
  });
  store_partial(p);
  k.s_endpgm();
}

// Where waves share keys, each has rows of its own and all tiles of O^T, in accumulators.
void Attention::latent_epilogue() {
  k.s_cmp_lt_u32(q0, row_count);
  k.when_scc(false, "wave_has_rows", [&] { k.s_endpgm(); });
  Scratch scratch(r);
  Partial p{.total = scratch.v("sum of P"), .top = scratch.v("maximum")};
  for (int i = 0; i < 8; ++i) p.value.push_back(scratch.v("O on its way", quad));
  const Vgpr inverse = scratch.v("1 / sum of P"), row = scratch.v("row address"),
             value = scratch.v("O, rounded", plan.paired() ? 4 : std::max(4, atom.run));
  total_of(p.total, 0);
  k.v_mov_b32(p.top, maximum[0]);
  k.s_cmp_eq_u32(part_sizes[&Args::splits], 1);
  k.when_scc(false, "one_split", [&] {
    const Splits w(r);
    find_splits(w, wave);
    store_results(p, w);
    k.s_endpgm();
  });
  const Sgpr resource = scratch.s("O buffer resource", 4);
  tensor(resource, O, head);
  row_address(row, 0, O);
  k.v_lshl_add_u32(row, half, log2((plan.paired() ? 2 : 1) * 2 * layouts.group_rows()), row);
  invert(k, inverse, p.total);
  for (int d = 0; d < plan.wave_tiles() && !plan.paired(); ++d)
    for (int i = 0; i < atom.items; i += atom.run) {
      for (int j = 0; j < atom.run; ++j) o.read(k, value[j], d, i + j);
      store_run(atom.extent * d + layouts.key(i), {inverse, row, value, resource});
    }
  for (int pair = 0; pair < pairs_of_tiles() && plan.paired(); ++pair)
    store_pair(pair, {inverse, row, value, resource},
               [&](Vgpr to, int odd, int item) { o.read(k, to, 2 * pair + odd, item); });
  store_lse(0, p.total, p.top, row);
  k.s_endpgm();
}

void Attention::store_partial(const Partial& p) {
  Scratch scratch(r);
  const Vgpr inverse = scratch.v("1 / sum of P"), address = scratch.v("O address"), row = scratch.v("row address"),
             value = scratch.v("O, rounded", std::max(4, atom.run));
  const Sgpr resource = scratch.s("O buffer resource", 4);
  tensor(resource, O, head);
  invert(k, inverse, p.total);
  row_address(row, 0, O);
  k.v_lshl_add_u32(row, half, log2(2 * layouts.group_rows()), row);
  k.s_lshl_b32(t[0], p.first_tile, log2(2 * atom.extent));
  k.v_add_u32(row, t[0], row);
  k.s_lshl_b32(t[0], p.first_tile, log2(atom.extent));
  k.s_sub_u32(p.first_column, dim_v, t[0]);
  for (int d = 0; d < plan.wave_tiles(); ++d)
    for (int i = 0; i < atom.items; i += atom.run) {
      const int first = atom.extent * d + layouts.key(i);
      for (int j = 0; j < atom.run; ++j) k.v_mov_b32(value[j], p.value[d][i + j]);
      Vgpr to = row;
      if (plan.waves * plan.wave_tiles() * atom.extent != dim_v) {  // none past the head dimension
        k.s_sub_i32(t[0], p.first_column, first);
        k.v_lshlrev_b32(y, log2(layouts.group_rows()), half);
        k.v_cmp_gt_i32(vcc, t[0], y);
        k.v_mov_b32(y, out_of_range);
        k.v_cndmask_b32(address, y, row, vcc);
        to = address;
      }
      store_run(first, {inverse, to, value, resource});
    }
  k.s_cmp_eq_u32(wave, 0);
  k.when_scc(true, "first_wave", [&] { store_lse(0, p.total, p.top, address); });
}

}  // namespace wavesmith::attention
