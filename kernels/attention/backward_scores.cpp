// Changes of the scores in the backward kernels, and their derivatives, which multiply dS. Scores are then in natural
// units, and -LSE is added after the changes. The rows that pass through LDS are those that a lane's elements count: of
// queries keys, of keys queries, downwards.
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {

void Backward::declare_scores() {
  for (const ScoreMod& mod : cfg.scores) kept.push_back(mod.keeps ? r.v.alloc(1, mod.name) : Owned<File::v>{});
  for (int o = 0; o < owned; ++o) distance.push_back(r.v.alloc(1, "key minus query, from their ends"));
  of_change = r.v.alloc(slopes ? 3 : 2, "scratch of changes");
}
void Backward::declare_score_tiles() {
  for (int n = 0; n < parts && part.of_keys; ++n) row_lse.push_back(r.v.alloc(atom.items, "-LSE", 4));
  for (int n = 0; n < owned * parts && slopes; ++n) slope.push_back(r.v.alloc(atom.items, "derivatives"));
}

// From the lane's rows of x, in `distance`, with the first row of its elements in x_.
void Backward::find_distances() {
  k.s_sub_u32(t[0], keys, queries);
  for (const auto& each : distance) {
    if (part.of_keys) k.v_sub_u32(each, each, x_);
    else k.v_sub_u32(each, x_, each);
    k.v_subrev_u32(each, t[0], each);
    if (part.of_keys) k.v_subrev_u32(each, first_row, each);
    else k.v_add_u32(each, first_row, each);
  }
}

void Backward::prepare_scores() {
  k.s_mov_b32(t[0], of_rows[&Args::heads]);
  k.s_mov_b32(t[1], head);
  if (part.of_keys) {
    const Sgpr group = sizes[&Args::group];
    k.s_mul_i32(t[0], t[0], group);
    k.s_mul_i32(t[1], t[1], group);
    k.s_add_u32(t[1], t[1], group);
    k.s_sub_u32(t[1], t[1], heads_left);
  }
  k.v_mov_b32(of_change[1], t[1]);
  for (size_t m = 0; m < kept.size(); ++m) cfg.scores[m].prepare(k, {kept[m], of_change[1], t[0], of_change[0]});
}

void Backward::rewind_distances() {
  k.s_add_u32(t[0], whole_tiles, masked_tiles);
  k.s_lshl_b32(t[0], t[0], log2(tile));
  for (const auto& each : distance) k.v_subrev_u32(each, t[0], each);
}
void Backward::next_distances(Block& b) {
  for (const auto& each : distance) b.v_add_u32(each, tile, each);
}

void Backward::change_scores(Block& b, int o, int i, Vgpr p) {
  b.v_mul_f32(p, sizes[&Args::scale], p);
  const int key = layouts.key(i);
  bool first = true;
  for (size_t m = 0; m < kept.size(); ++m) {
    const ScoreMod::Element e{
        p, distance[static_cast<size_t>(o)], part.of_keys ? -key : key, kept[m], of_change[0], of_change[1]};
    cfg.scores[m].change(b, e);
    if (!slopes || !cfg.scores[m].derivative) continue;
    const Vgpr all = element(slope, o, i);
    cfg.scores[m].derivative->code(b, e, first ? all : of_change[2]);
    if (!std::exchange(first, false)) b.v_mul_f32(all, of_change[2], all);
  }
  if (part.of_keys) {
    b.v_add_f32(p, p, element(row_lse, 0, i));
    b.v_mul_f32(p, scale_log2, p);
  } else {
    b.v_fma_f32(p, p, scale_log2, lse);
  }
}

}  // namespace wavesmith::attention
