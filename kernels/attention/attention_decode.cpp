// What is the schedule decode's own. A tile of S^T has the queries of all heads of a K/V head as its columns: row r is
// query r / heads, head r % heads. Each wave of each of the workgroups that share a head (splits) has a contiguous part
// of the keys. At the end the waves add their sums through LDS, each for its tiles of O^T; with more than one split
// each wave leaves these in memory and counts itself, and the last one of those with the same tiles combines them,
// split by split, so that the result does not depend on the order in which they end.
#include "kernels/attention/attention_kernel.h"
#include "kernels/parts/device_scope.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith::attention {

struct Attention::Partial {
  Vgpr total, top;                // of the lane's row: sum of P, maximum
  std::vector<Vgpr> value;        // O^T of the wave's tiles, not divided by the sum
  Sgpr first_tile, first_column;  // of the wave
  // Where the wave has more tiles than these registers hold, which are then the tiles of one group after the other.
  std::function<void(int group)> combined = {};
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
  kernel.load(part_sizes);
  const Sgpr kv_heads = part_sizes[&Args::kv_heads];
  divide(kernel, batch, kernel.workgroup[0], kv_heads);
  k.s_mul_i32(t[0], batch, kv_heads);
  k.s_sub_u32(kv_head, kernel.workgroup[0], t[0]);
  k.s_mul_i32(head, kv_head, part_sizes[&Args::group_heads]);
  k.s_lshl_b32(q0, kernel.workgroup[2], log2(block_rows));
}

// Tiles of keys up to the last that the last query sees are divided among all waves of all splits.
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
  k.s_lshr_b32(t[1], t[1], log2(keys));
  k.s_lshl_b32(t[2], splits, log2(plan.key_waves()));
  k.s_add_u32(t[3], t[1], t[2]);
  k.s_sub_u32(t[3], t[3], 1);
  divide(kernel, part_end, t[3], t[2]);  // tiles of a part
  k.s_lshl_b32(t[2], kernel.workgroup[1], log2(plan.key_waves()));
  if (!plan.latent) k.s_add_u32(t[2], t[2], wave);
  k.s_mul_i32(part_begin, t[2], part_end);
  k.s_min_u32(part_begin, part_begin, t[1]);
  k.s_add_u32(part_end, part_end, part_begin);
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
  if (plan.latent) return;
  k.s_mul_i32(t[0], wave, wave_lds());
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
  k.s_sub_u32(masked_tiles, part_end, part_begin);
  k.s_add_u32(masked_tiles, masked_tiles, keys - 1);
  k.s_lshr_b32(masked_tiles, masked_tiles, log2(keys));
  k.s_sub_u32(masked_tiles, masked_tiles, pairs);
  k.s_lshl_b32(t[0], pairs, log2(keys));
  k.s_add_u32(t[0], t[0], part_begin);
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
  k.v_mov_b32(own[0], p.total);
  k.v_mov_b32(own[1], maximum[0]);
  k.s_mul_i32(t[0], wave, wave_lds());
  k.v_lshlrev_b32(at_lane, 3, lane_id);
  k.v_add_u32(at_wave, t[0], at_lane);
  k.ds_write_b64(at_wave, own);
  k << stage_barrier();
  std::vector<Vgpr> each;
  for (int w = 0; w < waves; ++w) {
    each.push_back(scratch.v("sum, maximum", 2));
    k.ds_read_b64(each.back(), at_lane, {.offset = w * wave_lds()});
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
  for (int i = 0; i < plan.wave_tiles(); ++i) {
    k.s_add_u32(t[0], p.first_tile, i);
    k.s_min_u32(t[0], t[0], d_tiles - 1);
    k.s_lshl_b32(t[0], t[0], log2(chunks * chunk));
    k.v_add_u32(at_wave, t[0], at_lane);
    for (int j = 0; j < chunks; ++j) {
      const Vgpr to = p.value[i].slice(4 * j, 4);
      k.ds_read_b128(to, at_wave, {.offset = j * chunk});
      for (int w = 1; w < waves; ++w) {
        k.ds_read_b128(four, at_wave, {.offset = w * wave_lds() + j * chunk});
        for (int n = 0; n < 4; ++n) k.v_add_f32(to[n], to[n], four[n]);
      }
    }
  }
}

// Only lanes whose rows there are take part; EXEC is restored at the end. Waves that are not the last one end here.
void Attention::combine_splits(Partial& p) {
  const Sgpr splits = part_sizes[&Args::splits];
  const int chunks = atom.items / 4, chunk = atom.lanes * chunk_bytes, tile_bytes = chunks * chunk,
            wave_bytes = plan.wave_block(),
            depth = std::max(2, std::min(8, 96 / (static_cast<int>(p.value.size()) * atom.items + 2)));
  Scratch scratch(r);
  const Sgpr resource = scratch.s("partial results", 4), base = scratch.s("workspace", 2),
             step = scratch.s("bytes of a split"), next = scratch.s("bytes to the next split"),
             counter = scratch.s("counter", 2), tile = scratch.s("tile"),
             active = scratch.s("lanes with rows", atom.lanes / 32);
  const Vgpr at_lane = scratch.v("address of the lane"), at_sums = scratch.v("address of its sum"),
             sums = scratch.v("sum, maximum", 2), one = scratch.v("count");
  k.comment("the wave's results in the workspace");
  kernel.load(base, args[&Args::partials]);
  kernel.load(counter, args[&Args::counters]);
  k.s_mul_i32(tile, kernel.workgroup[2], part_sizes[&Args::all_kv_heads]);
  k.s_add_u32(tile, tile, kernel.workgroup[0]);
  k.s_lshl_b32(tile, tile, log2(plan.waves));
  k.s_add_u32(tile, tile, wave);
  k.s_mov_b32(step, wave_bytes);
  k.s_mul_i32(t[3], splits, step);
  at.add_product(base, tile, t[3]);
  k.s_mov_b32(next, 4);
  at.add_product(counter, tile, next);
  raw_buffer(k, resource, base, t[3]);
  rows_left(t[0]);
  k.v_cmp_gt_u32(vcc, t[0], column);
  k.mask_mov(active, vcc);
  k.mask_mov(exec, vcc);
  k.v_lshlrev_b32(at_lane, log2(chunk_bytes), lane_id);
  k.v_lshlrev_b32(at_sums, 3, lane_id);
  k.v_mov_b32(sums[0], p.total);
  k.v_mov_b32(sums[1], p.top);
  k.s_mul_i32(next, kernel.workgroup[1], step);
  k.buffer_store_dwordx2(sums, at_sums, resource, next, device_store(kernel.arch));
  k.s_add_u32(next, next, sums_bytes());
  const int in_group = static_cast<int>(p.value.size()), groups = plan.wave_tiles() / in_group;
  for (int i = 0; i < plan.wave_tiles(); ++i) {
    for (int j = 0; j < chunks; ++j) {
      const Vgpr four = p.value[i % in_group].slice(4 * j, 4);
      for (int n = 0; n < 4 && plan.latent; ++n) o.read(k, four[n], i, 4 * j + n);
      k.buffer_store_dwordx4(four, at_lane, resource, next, device_store(kernel.arch, j * chunk));
    }
    k.s_add_u32(next, next, tile_bytes);
  }
  wait_for_stores(k);
  k.comment("the last one combines");
  k.mask_mov(exec, 1);
  k.v_mov_b32(x, 0);
  k.v_mov_b32(one, 1);
  k.global_atomic_add_rtn(y, x, one, counter, device_atomic(kernel.arch));
  k.v_readfirstlane_b32(t[0], y);
  k.s_sub_u32(t[1], splits, 1);
  k.s_cmp_eq_u32(t[0], t[1]);
  k.when_scc(false, "is_last", [&] { k.s_endpgm(); });
  k.global_store_dword(x, x, counter);
  k.mask_mov(exec, active);

  struct Loaded {
    Vgpr sums;
    std::vector<Vgpr> value;
  };
  std::vector<Loaded> loaded(depth);
  for (Loaded& l : loaded) {
    l.sums = scratch.v("sum, maximum", 2);
    for (int i = 0; i < in_group; ++i) l.value.push_back(scratch.v("partial O", atom.items));
  }
  for (int group = 0; group < groups; ++group) {
    k.mask_mov(exec, -1);  // lanes without rows have zeros
    k.s_mul_i32(t[3], splits, step);
    for (const Vgpr& value : p.value)
      for (int i = 0; i < atom.items; ++i) k.v_mov_b32(value[i], 0);
    k.v_mov_b32(p.total, 0);
    k.v_mov_b32(p.top, -0x1p100f);
    k.mask_mov(exec, active);
    k.s_mov_b32(next, 0);
    Pipeline pipeline{.slots = depth, .past_end = true};
    pipeline.at(ahead(depth - 1), [&](int slot) {
      Block b(k.arch(), "load_partial");
      b.buffer_load_dwordx2(loaded[slot].sums, at_sums, resource, next, device_load(kernel.arch));
      b.s_add_u32(t[0], next, sums_bytes() + group * in_group * tile_bytes);
      for (int i = 0; i < in_group; ++i) {
        for (int j = 0; j < chunks; ++j)
          b.buffer_load_dwordx4(loaded[slot].value[i].slice(4 * j, 4), at_lane, resource, t[0],
                                device_load(kernel.arch, j * chunk));
        if (i + 1 < in_group) b.s_add_u32(t[0], t[0], tile_bytes);
      }
      b.s_add_u32(next, next, step);
      b.s_min_u32(next, next, t[3]);
      return b;
    });
    pipeline.at(ahead(0), [&](int slot) {
      Block b(k.arch(), "add_partial");
      const Loaded& l = loaded[slot];
      b.v_max_f32(other, p.top, l.sums[1]);
      b.v_sub_f32(x, p.top, other);
      b.v_sub_f32(y, l.sums[1], other);
      b.v_mov_b32(p.top, other);
      b.v_exp_f32(x, x);
      b.v_exp_f32(y, y);
      b.v_mul_f32(p.total, x, p.total);
      b.v_fma_f32(p.total, y, l.sums[0], p.total);
      for (size_t i = 0; i < p.value.size(); ++i)
        for (int n = 0; n < atom.items; ++n) {
          b.v_mul_f32(p.value[i][n], x, p.value[i][n]);
          b.v_fma_f32(p.value[i][n], y, l.value[i][n], p.value[i][n]);
        }
      return b;
    });
    k.s_mov_b32(tile, splits);
    pipeline.emit(k, tile);
    k.mask_mov(exec, -1);
    if (p.combined) p.combined(group);
  }
}

void Attention::begin_epilogue() {
  k.wait_for(q.back());
  for (const auto& stage : stages)
    if (stage.dwords) k.wait_for(stage);
  for (auto* tiles : {&s, &q}) tiles->clear();
  for (auto& stage : stages) stage.free();
  ring.free();
  for (auto* scalars : {&q_resource, &k_resource, &v_resource, &v_rows, &table}) scalars->free();
  reload_arguments();
}

void Attention::decode_epilogue() {
  begin_epilogue();
  if (plan.latent) return latent_epilogue();
  Scratch scratch(r);
  Partial p{.total = scratch.v("sum of P"), .top = scratch.v("maximum")};
  for (int i = 0; i < plan.wave_tiles(); ++i) p.value.push_back(scratch.v("O of the wave's tile", atom.items));
  p.first_tile = scratch.s("first tile of O of the wave"), p.first_column = scratch.s("columns from its first one on");
  k.s_mul_i32(p.first_tile, wave, plan.wave_tiles());
  k.v_add_f32(p.total, sum[0][0], sum[0][1]);
  exchange_halves(k, p.total);
  k.v_add_f32(p.total, p.total, other);
  combine_waves(p);
  k.s_cmp_eq_u32(part_sizes[&Args::splits], 1);
  k.when_scc(false, "one_split", [&] { combine_splits(p); });
  store_partial(p);
  k.s_endpgm();
}

// Where waves share keys, each has rows of its own and all tiles of O^T, in accumulators.
void Attention::latent_epilogue() {
  k.s_cmp_lt_u32(q0, row_count);
  k.when_scc(false, "wave_has_rows", [&] { k.s_endpgm(); });
  Scratch scratch(r);
  const int in_group = 4 * 16 / atom.items;
  Partial p{.total = scratch.v("sum of P"), .top = scratch.v("maximum")};
  for (int i = 0; i < std::min(in_group, plan.wave_tiles()); ++i) p.value.push_back(scratch.v("O", atom.items));
  while (plan.wave_tiles() % static_cast<int>(p.value.size())) p.value.resize(p.value.size() - 2);  // pairs
  const Vgpr inverse = scratch.v("1 / sum of P"), row = scratch.v("row address"), value = scratch.v("O, rounded", 4);
  const Sgpr resource = scratch.s("O buffer resource", 4);
  tensor(resource, O, head);
  row_address(row, 0, O);
  k.v_lshl_add_u32(row, half, log2(2 * 2 * layouts.group_rows()), row);
  k.v_add_f32(p.total, sum[0][0], sum[0][1]);
  exchange_halves(k, p.total);
  k.v_add_f32(p.total, p.total, other);
  k.v_mov_b32(p.top, maximum[0]);
  const auto finish = [&] {
    store_lse(0, p.total, p.top, row);
    k.s_endpgm();
  };
  k.s_cmp_eq_u32(part_sizes[&Args::splits], 1);
  k.when_scc(false, "one_split", [&] {
    const int pairs_held = static_cast<int>(p.value.size()) / 2;
    p.combined = [&](int group) {
      invert(inverse, p.total);
      for (int i = 0; i < pairs_held; ++i)
        store_pair(group * pairs_held + i, {inverse, row, value, resource}, [&](Vgpr to, int odd, int item) {
          k.v_mov_b32(to, p.value[static_cast<size_t>(2 * i + odd)][item]);
        });
    };
    combine_splits(p);
    finish();
  });
  invert(inverse, p.total);
  for (int pair = 0; pair < pairs_of_tiles(); ++pair)
    store_pair(pair, {inverse, row, value, resource},
               [&](Vgpr to, int odd, int item) { o.read(k, to, 2 * pair + odd, item); });
  finish();
}

void Attention::store_partial(const Partial& p) {
  Scratch scratch(r);
  const Vgpr inverse = scratch.v("1 / sum of P"), address = scratch.v("O address"), row = scratch.v("row address"),
             value = scratch.v("O, rounded", std::max(4, atom.run));
  const Sgpr resource = scratch.s("O buffer resource", 4);
  tensor(resource, O, head);
  invert(inverse, p.total);
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
