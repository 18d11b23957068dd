// Changes of the scores in the backward kernels, and their derivatives, which multiply dS. Scores are then in natural
// units, and -LSE is added after the changes. The rows that pass through LDS are those that a lane's elements count: of
// queries keys, of keys queries, downwards.
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {

// Numbers of tiles: of keys, first_row <= masked_tiles <= whole_tiles, the ends of the masked and the whole ones; of
// queries, first_row <= whole_tiles <= masked_tiles.
void Backward::skip_tiles() {
  const int before = std::min(band.before, 1 << 29), after = std::min(band.after, 1 << 29);  // 2^29: all
  const Sgpr end = part.of_keys ? whole_tiles : masked_tiles, middle = part.of_keys ? masked_tiles : whole_tiles;
  // Row r sees rows from r + apart - first on, up to r + apart + last.
  const int first = part.of_keys ? after : before, last = part.of_keys ? before : after;
  if (part.of_keys) k.s_sub_i32(t[0], queries, keys);
  else k.s_sub_i32(t[0], keys, queries);
  k.s_add_i32(t[0], t[0], row0);
  k.s_add_i32(t[1], t[0], last + block_rows + tile - 1);
  k.s_sub_i32(t[0], t[0], first);
  for (const Sgpr row : {t[0], t[1]}) {
    k.s_max_i32(row, row, 0);
    k.s_lshr_b32(row, row, log2(tile));
  }
  k.s_min_u32(end, end, t[1]);
  k.s_max_u32(first_row, first_row, t[0]);
  k.s_min_u32(first_row, first_row, end);
  k.s_max_u32(middle, middle, first_row);
  k.s_min_u32(middle, middle, end);
}

void Backward::declare_scores() {
  for (const ScoreMod& mod : cfg.scores) kept.push_back(mod.keeps ? r.v.alloc(1, mod.name) : Owned<File::v>{});
  for (int o = 0; o < owned; ++o) distances.emplace_back(r, cfg.scores);
  if (!cfg.dropout) of_change = r.v.alloc(slopes ? 3 : 2, "scratch of changes");
}
void Backward::declare_score_tiles() {
  for (int n = 0; n < parts && part.of_keys; ++n) row_lse.push_back(r.v.alloc(atom.items, "-LSE", 4));
  for (int n = 0; n < owned * parts && slopes; ++n) slope.push_back(r.v.alloc(atom.items, "derivatives"));
}

// The first row of the lane's elements is in x_.
void Backward::find_distances() {
  k.s_sub_u32(t[0], keys, queries);
  k.s_lshl_b32(t[1], wave, log2(wave_rows));
  k.s_add_u32(t[1], t[1], row0);
  for (int o = 0; o < owned; ++o) {
    const Vgpr row = change_scratch(0);
    k.v_add_u32(row, t[1], column);
    if (o) k.v_add_u32(row, o * atom.extent, row);
    k.v_add_u32(y_, first_row, x_);
    if (part.of_keys) k.v_sub_u32(y_, row, y_);
    else k.v_sub_u32(y_, y_, row);
    k.v_subrev_u32(y_, t[0], y_);
    distances[static_cast<size_t>(o)].begin(k, y_);
  }
}

// From the number of an owned head that of its current head of queries.
void Backward::query_head(Sgpr of) {
  if (!part.of_keys) return;
  const Sgpr group = sizes[&Args::group];
  k.s_mul_i32(of, of, group);
  k.s_add_u32(of, of, group);
  k.s_sub_u32(of, of, heads_left);
}
void Backward::prepare_scores() {
  k.s_mov_b32(t[0], of_rows[&Args::heads]);
  k.s_mov_b32(t[1], head);
  if (part.of_keys) k.s_mul_i32(t[0], t[0], sizes[&Args::group]);
  query_head(t[1]);
  k.v_mov_b32(change_scratch(1), t[1]);
  for (size_t m = 0; m < kept.size(); ++m)
    cfg.scores[m].prepare(k, {kept[m], change_scratch(1), t[0], change_scratch(0)});
}

void Backward::rewind_distances() {
  k.s_add_u32(t[0], whole_tiles, masked_tiles);
  k.s_lshl_b32(t[0], t[0], log2(tile));
  for (const ScoreDistance& each : distances) each.take_off(k, t[0], change_scratch(0));
}
void Backward::next_distances(Block& b) {
  for (const ScoreDistance& each : distances) each.add(b, tile);
}

void Backward::change_scores(Block& b, int o, int i, Vgpr p) {
  b.v_mul_f32(p, sizes[&Args::scale], p);
  const int key = layouts.key(i);
  bool first = true;
  for (size_t m = 0; m < kept.size(); ++m) {
    const ScoreMod::Element e{p,
                              distances[static_cast<size_t>(o)].of(cfg.scores[m]),
                              part.of_keys ? -key : key,
                              kept[m],
                              change_scratch(0),
                              change_scratch(1)};
    cfg.scores[m].change(b, e);
    if (!slopes || !cfg.scores[m].derivative) continue;
    const Vgpr all = element(slope, o, i);
    cfg.scores[m].derivative->code(b, e, first ? all : change_scratch(2));
    if (!std::exchange(first, false)) b.v_mul_f32(all, change_scratch(2), all);
  }
  if (part.of_keys) {
    b.v_add_f32(p, p, element(row_lse, 0, i));
    b.v_mul_f32(p, scale_log2, p);
  } else {
    b.v_fma_f32(p, p, scale_log2, lse);
  }
}

}  // namespace wavesmith::attention
