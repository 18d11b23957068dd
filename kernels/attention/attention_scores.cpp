// Scores between K Q^T and the softmax: the changes of the configuration, a bias from memory before them, documents.
#include <limits>
#include <numbers>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// The lane's query, in its sequence.
void Attention::query_of_lane(Vgpr to, int c) {
  if (decode) return void(k.v_mov_b32(to, row_query));
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.s_add_u32(t[0], t[0], q0);
  if (c) k.s_add_u32(t[0], t[0], c * atom.extent);
  k.v_add_u32(to, t[0], column);
}

void Attention::declare_scores() {
  if (!changes) return;
  for (const ScoreMod& mod : cfg.scores) {
    kept.emplace_back();
    for (int c = 0; c < columns; ++c) kept.back().push_back(mod.keeps ? r.v.alloc(1, mod.name) : Owned<File::v>{});
  }
  for (int c = 0; c < columns; ++c) distances.emplace_back(r, cfg.scores);
  for (int c = 0; c < columns; ++c) {
    if (cfg.bias) bias_at.push_back(r.v.alloc(1, "bias of the lane's query and first key"));
    if (cfg.documents) document.push_back(r.v.alloc(1, "document of the lane's query"));
  }
  if (cfg.documents) document_at = r.v.alloc(1, "document of the lane's first key");
}
// Allocated last.
void Attention::declare_score_tiles() {
  if (cfg.bias) bias = r.v.alloc(columns * scores_held, "bias", 4);
  if (cfg.documents) key_documents = r.v.alloc(scores_held, "documents of the keys", 4);
}

// Loads what the changes need, and counts the distance of each query's first key.
void Attention::prepare_scores() {
  if (!changes) return;
  k.comment("scores are changed in natural units");
  natural = r.s.alloc(1, "scale");
  if (cfg.bias) bias_resource = r.s.alloc(4, "bias", 4);
  if (cfg.documents) documents_resource = r.s.alloc(4, "documents of the keys", 4);
  k.s_mov_b32(natural, scale);
  k.s_mov_b32(scale, std::numbers::log2e_v<float>);
  kernel.load(t.slice(0, 1), args[&Args::heads]);
  k.v_mov_b32(y, head);
  if (decode) k.v_add_u32(y, head, row_head);
  for (size_t i = 0; i < kept.size(); ++i)
    for (int c = 0; c < columns; ++c) cfg.scores[i].prepare(k, {kept[i][c], y, t[0], x});
  if (cfg.bias) find_bias();
  if (cfg.documents) find_documents();
  for (int c = 0; c < columns && !cfg.scores.empty(); ++c) {
    from_lane(y, layouts.lane.then(layouts.scores), "row");
    k.v_add_u32(y, first_key(), y);
    query_of_lane(x, c);
    k.v_sub_u32(y, y, x);
    k.s_sub_u32(t[0], key_count, queries);
    k.v_subrev_u32(y, t[0], y);
    distances[static_cast<size_t>(c)].begin(k, y);
  }
}

// Element (batch, head, query, key) of the bias; the bounds end with the last query.
void Attention::find_bias() {
  k.comment("bias");
  Scratch scratch(r);
  const Sgpr base = scratch.s("bias", 2), stride = scratch.s("its stride", 2), row = scratch.s("bytes of a query");
  const Vgpr first = scratch.v("first key of the lane");
  kernel.load(base, args[&Args::bias]);
  kernel.load(row, args[&Args::bias_row]);
  kernel.load(stride, args[&Args::bias_batch]);
  at.add_strided(base, stride, batch);
  kernel.load(stride, args[&Args::bias_head]);
  at.add_strided(base, stride, head);
  k.s_mul_i32(t[3], queries, row);
  if (decode) {
    k.s_sub_u32(t[0], part_sizes[&Args::group_heads], 1);
    k.s_mul_i32(t[0], t[0], stride[0]);
    k.s_add_u32(t[3], t[3], t[0]);
  }
  // The last row ends with the last key.
  k.s_lshl_b32(t[1], key_count, 1);
  k.s_add_u32(t[3], t[3], t[1]);
  k.s_sub_u32(t[3], t[3], row);
  k.s_cmp_eq_u32(queries, 0);
  k.s_cselect_b32(t[3], 0, t[3]);
  raw_buffer(k, bias_resource, base, t[3]);
  from_lane(first, layouts.lane.then(layouts.scores), "row");
  k.v_add_u32(first, first_key(), first);
  k.v_lshlrev_b32(first, 1, first);
  for (int c = 0; c < columns; ++c) {
    query_of_lane(x, c);
    k.v_mul_lo_u32(x, x, row);
    k.v_add_u32(bias_at[c], x, first);
    if (!decode) continue;
    k.v_mul_lo_u32(x, row_head, stride[0]);
    k.v_add_u32(bias_at[c], x, bias_at[c]);
  }
}
// Documents of the sequence's queries and keys.
void Attention::find_documents() {
  k.comment("documents");
  Scratch scratch(r);
  const Sgpr base = scratch.s("documents", 2), resource = scratch.s("of the queries", 4),
             four = scratch.s("bytes of a number");
  const bool packed = cfg.sequences == Sequences::packed;
  k.s_mov_b32(four, 4);
  const auto find = [&](DevicePointer Args::* pointer, Sgpr to, Sgpr rows, const Owned<File::s>& first) {
    kernel.load(base, args[pointer]);
    if (packed) at.add_product(base, first[0], four);
    else {
      k.s_lshl_b32(t[3], rows, 2);
      at.add_product(base, batch, t[3]);
    }
    k.s_lshl_b32(t[3], rows, 2);
    raw_buffer(k, to, base, t[3]);
  };
  find(&Args::query_documents, resource, queries, q_rows);
  for (int c = 0; c < columns; ++c) {
    query_of_lane(x, c);
    k.v_lshlrev_b32(x, 2, x);
    k.buffer_load_dword(document[c], x, resource, 0, {.flags = isa::offen});
  }
  k.wait_for(document.back());
  find(&Args::key_documents, documents_resource, key_count, k_rows);
  from_lane(document_at, layouts.lane.then(layouts.scores), "row");
  k.v_add_u32(document_at, first_key(), document_at);
  k.v_lshlrev_b32(document_at, 2, document_at);
}

// What the scores of the tile need from memory.
Block Attention::load_scores() {
  Block b(k.arch(), "load_scores");
  for (int c = 0; c < columns && cfg.bias; ++c) {
    for (int i = 0; i < scores_held; ++i)
      b.buffer_load_ushort(bias[c * scores_held + i], bias_at[c], bias_resource, 0,
                           {.offset = 2 * layouts.key(i), .flags = isa::offen});
    b.v_add_u32(bias_at[c], 2 * keys, bias_at[c]);
  }
  for (int i = 0; i < scores_held && cfg.documents; i += 4)
    b.buffer_load_dwordx4(key_documents.slice(i, 4), document_at, documents_resource, 0,
                          {.offset = 4 * layouts.key(i), .flags = isa::offen});
  if (cfg.documents) b.v_add_u32(document_at, 4 * keys, document_at);
  return b;
}

Block Attention::change_scores() {
  Block b(k.arch(), "change_scores");
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < scores_held; ++i) {
      const Vgpr s_i = score(c, i);
      if (cfg.bias) {
        const Vgpr added = bias[c * scores_held + i];
        widen_half(b, cfg.type, added, added, Half::low);
        b.v_fma_f32(s_i, score_factor(), s_i, added);
      } else {
        b.v_mul_f32(s_i, score_factor(), s_i);
      }
      for (size_t m = 0; m < cfg.scores.size(); ++m)
        cfg.scores[m].change(
            b, {s_i, distances[static_cast<size_t>(c)].of(cfg.scores[m]), layouts.key(i), kept[m][c], x, y});
      if (cfg.documents) {
        if (i == 0) b.v_mov_b32(y, -std::numeric_limits<float>::infinity());
        if (!cfg.scores.empty()) b.v_mov_b32(y, -std::numeric_limits<float>::infinity());
        b.v_cmp_eq_u32(vcc, document[c], key_documents[i]);
        b.v_cndmask_b32(s_i, y, s_i, vcc);
      }
    }
    if (!cfg.scores.empty()) distances[static_cast<size_t>(c)].add(b, keys);
  }
  return b;
}

}  // namespace wavesmith::attention
