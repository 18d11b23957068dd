// A workgroup computes 256 queries of one head, 32 per wave. K and V are double-buffered in LDS in tiles of 8 KiB,
// loaded through registers or, on gfx950, directly to LDS; O^T stays in AGPRs. Step t multiplies P V of tile t - 1
// while it rounds P and finds the maximum of tile t, then multiplies K Q^T of tile t + 1 while it computes the
// exponentials of tile t.
//
// P is 2^(S - m), where m only has to be near the maximum: it is raised, to an integer, when a P would exceed 2^8. In
// most steps O is therefore not rescaled; when it is, the factor is a power of two and exact.
#include "kernels/attention/attention.h"

#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith {
namespace attention {
namespace {

// Places as many instructions between the matrix instructions as those hide, and the rest after them.
Block beside(const Block& matrix, const std::vector<Block>& sides) {
  FillReport rest;
  return fill(matrix, sides, &rest);
}

}  // namespace

void Attention::declare() {
  if (cfg.sequences == Sequences::packed) {
    q_rows = r.s.alloc(2, "first query of the sequence, one past its last"),
    k_rows = r.s.alloc(2, "first key, one past the last");
    from_end = r.s.alloc(1, "-1 where the diagonal ends at the last key");
  }

  if (!direct) halves.emplace(constants), k_store = r.v.alloc(1, "K LDS store address");
  for (int i = 0; i < chunks; ++i) q.push_back(r.v.alloc(4, "Q fragment", 4));
  for (int i = 0; i < d_tiles; ++i) o.push_back(r.a.alloc(16, "O", 4));
  kernel.lds_bytes = 4 * tile_bytes;
}
// The loop's registers. Allocated last: address computation uses the same ones as scratch before.
void Attention::declare_tiles() {
  for (int i = 0; i < parts * chunks; ++i) k_fragment.push_back(r.v.alloc(4, "K fragment", 4));
  for (int i = 0; i < d_tiles * keys / 16; ++i) v_fragment.push_back(r.v.alloc(4, "V fragment", 4));
  for (auto& slot : s)
    for (int i = 0; i < parts; ++i) slot.push_back(r.v.alloc(16, "S", 4));
  for (int i = 0; i < parts; ++i) p.push_back(r.v.alloc(16, "P", 4));
  if (direct) return;
  k_stage = r.v.alloc(4, "K on its way to LDS", 4), v_stage = r.v.alloc(4, "V on its way to LDS", 4);
  v_packed = r.v.alloc(4, "V, keys together", 4);
}

void Attention::prologue() {
  k.comment("arguments");
  for (const auto* group : {&pointers, &lse, &strides, &lse_strides, &sizes, &scale}) kernel.load(*group);
  wave_number(kernel, wave);
  const isa::LinearLayout of_lane = in_every_wave(layouts.lane.inverse(), waves);
  from_workitem(column, of_lane, "query");
  from_workitem(half, of_lane, "chunk");
  constants.load();
  k.s_mov_b32(headroom, top);
  k.s_lshl_b32(q0, kernel.workgroup[0], log2(block_rows));
  k.s_lshl_b32(t[0], kernel.workgroup[1], 1);
  k.s_mul_hi_u32(kv_head, t[0], group);  // head / heads per K/V head
  if (cfg.sequences == Sequences::packed) find_sequence();
  k.comment("tensors: head, bounds, lane addresses");
  tensor(q_resource, Q, kernel.workgroup[1]);
  tensor(k_resource, K, kv_head);
  tensor(v_resource, V, kv_head);
  load_queries();
  key_addresses();
  value_addresses();
  count_tiles();
  declare_tiles();
  k.comment("nothing seen yet");
  k.v_mov_b32(maximum, -0x1p100f);
  for (int i : {0, 1}) k.v_mov_b32(sum[i], 0);
  for (auto& part : p)
    for (int i = 0; i < 16; ++i) k.v_mov_b32(part[i], 0);
  for (auto& f : v_fragment)
    for (int i = 0; i < 4; ++i) k.v_mov_b32(f[i], 0);
  for (auto& tile : o)
    for (int i = 0; i < 16; ++i) k.v_accvgpr_write_b32(tile[i], 0);
}

// Packed sequences: first rows, lengths and diagonal of this batch's sequence. The grid fits the longest sequence;
// workgroups beyond the end of a shorter one exit here.
void Attention::find_sequence() {
  k.comment("the batch's sequence");
  kernel.load(t, args[&Args::cu_seqlens_q]);
  kernel.load(from_end, args[&Args::from_end]);
  k.s_lshl_b32(queries, kernel.workgroup[2], 2);
  for (int i : {0, 2}) {
    k.s_add_u32(t[i], t[i], queries);
    k.s_addc_u32(t[i + 1], t[i + 1], 0);
  }
  k.s_load_dwordx2(q_rows, t.slice(0, 2), 0);
  k.s_load_dwordx2(k_rows, t.slice(2, 2), 0);
  k.s_sub_u32(queries, q_rows[1], q_rows[0]);
  k.s_sub_u32(key_count, k_rows[1], k_rows[0]);
  k.s_sub_u32(t[0], key_count, queries);
  k.s_and_b32(t[0], t[0], from_end);
  k.s_add_u32(diagonal, diagonal, t[0]);
  k.s_cmp_lt_u32(q0, queries);
  k.when_scc(false, "has_queries", [&] { k.s_endpgm(); });
}

// Counts tiles: those that the workgroup's first query sees completely run unmasked, in pairs, so that LDS buffers are
// constants; the others, up to the last key that its last query sees, run with the mask.
void Attention::count_tiles() {
  const int log2_keys = log2(keys);
  const auto seen_by = [&](Sgpr count, int query) {  // max(0, min(keys, q0 + query + diagonal + 1))
    k.s_add_i32(count, q0, diagonal);
    k.s_add_i32(count, count, query + 1);
    k.s_min_i32(count, count, key_count);
    k.s_max_i32(count, count, 0);
  };
  seen_by(pairs, 0);
  k.s_lshr_b32(pairs, pairs, log2_keys + 1);
  seen_by(masked_tiles, block_rows - 1);
  k.s_add_u32(masked_tiles, masked_tiles, keys - 1);
  k.s_lshr_b32(masked_tiles, masked_tiles, log2_keys);
  k.s_lshl_b32(t[0], pairs, 1);
  k.s_sub_u32(masked_tiles, masked_tiles, t[0]);
  k.s_lshl_b32(t[0], pairs, log2_keys + 1);  // keys in those tiles
  k.s_lshl_b32(t[1], wave, log2(wave_rows));
  k.s_add_u32(t[1], t[1], q0);
  k.s_add_i32(t[1], t[1], diagonal);
  k.s_add_i32(t[1], t[1], 1);
  k.v_add_u32(limit, t[1], column);
  k.v_min_i32(limit, key_count, limit);
  from_lane(x, layouts.lane.then(layouts.scores), "row");
  k.v_sub_u32(limit, limit, x);
  k.v_subrev_u32(limit, t[0], limit);
}

// -- Phases --
Block Attention::scores(int slot) {
  Block b(k.arch(), "scores");
  b.wait_for(k_fragment.back());  // the fragment read last: one wait covers all
  for (int c = 0; c < chunks; ++c)
    for (int i = 0; i < 4; i += operand)
      for (int n = 0; n < parts; ++n) {
        const Vgpr to = s[slot][n], keys_of = k_fragment[n * chunks + c].slice(i, operand),
                   query = q[c].slice(i, operand);
        if (c == 0 && i == 0) b.mfma(mma, to, keys_of, query, 0);
        else b.mfma(mma, to, keys_of, query, to);
      }
  return b;
}
// The swizzle of V may have swapped the 64-bit halves of a 128-bit read.
Block Attention::products(int block) {
  Block b(k.arch(), "products");
  for (int d = 0; d < d_tiles; ++d) {
    const auto& f = v_fragment[d * keys / 16 + block * mma_k / 16];
    const int element = block * per_block, read = element / 8 * 8;
    const int from = element % 8 / 2 ^ layouts.value_read(read, d).first / 4;
    b.mfma(mma, o[d], f.slice(from, operand), weights(block), o[d]);
  }
  return b;
}

Block Attention::stage_barrier() {  // stored K and V are visible, and no wave still reads the tiles that they replaced
  Block b(k.arch(), "stage_barrier");
  b.wait_for_lds();
  b.barrier();
  return b;
}
Block Attention::priority(int p) {
  Block b(k.arch(), "priority");
  b.s_setprio(p);
  return b;
}

// -- Schedule -- S of tile t is complete when step t begins. Keys past the last read as zero; P and V are zero before
// the first tile. `early` stages run at the start of a step, when the buffers read in the previous step are free;
// `late` ones at its end.
Pipeline Attention::tiles(const Pipeline::Stages& early, const Pipeline::Stages& late) {
  Pipeline p{.slots = 2, .past_end = true};
  p.at(ahead(1), [this](int) { return stage_barrier(); });
  p.at(ahead(0).in_segment(1), [this](int slot) { return apply_mask(slot); });
  // 1 where matrix instructions take so long that the last scores are not yet written during the first block of
  // products: find_maximum then starts one block later, and the first blocks get more of the LDS reads.
  const int later = isa::info(mma).passes(kernel.arch) >= 16 ? 1 : 0;
  for (int b = 0; b < blocks; ++b) {  // P of a block is packed one block earlier; LDS reads separate it from its use
    Pipeline::Stages side;
    if (b + 1 < blocks) side.push_back({delayed(1), [this, b](int) { return pack(b + 1); }});
    if (b == 0) side.insert(side.end(), early.begin(), early.end());
    if (b < blocks - later)
      side.push_back({ahead(1), [=, this](int slot) { return part(read_keys(slot), b, blocks - later); }});
    if (b >= later)
      side.push_back({ahead(0), [=, this](int slot) { return part(find_maximum(slot), b - later, blocks - later); }});
    p.merge(spread, {{delayed(1), [this, b](int) { return products(b); }}}, {side});
  }
  p.at(ahead(0), [this](int slot) { return rescale_if_grown(slot); });
  p.at(ahead(0),
       [this](int) { return priority(1); });  // of two waves on a SIMD, the one in the exponentials issues first
  Pipeline::Stages moves = {{ahead(0), [this](int slot) { return read_values(slot); }}};
  moves.insert(moves.end(), late.begin(), late.end());
  p.merge(beside, {{ahead(1), [this](int slot) { return scores(slot); }}},
          {{{ahead(0), [this](int slot) { return exponentials(slot); }}}, moves});
  p.at(ahead(0), [this](int) { return priority(0); });
  return p;
}
Pipeline Attention::staged_tiles() {
  return tiles({}, {{ahead(2).over(2), [this](int slot) { return store_keys(slot); }},
                    {ahead(1), [this](int slot) { return store_values(slot); }},
                    {ahead(3).over(1), [this](int) { return load_keys(); }},
                    {ahead(2).over(1), [this](int) { return load_values(); }}});
}
Pipeline Attention::direct_tiles() {
  return tiles({{ahead(2).over(2), [this](int slot) { return fetch_keys(slot); }},
                {ahead(1), [this](int slot) { return fetch_values(slot); }}},
               {});
}

void Attention::build() {
  declare();
  prologue();
  (direct ? direct_tiles() : staged_tiles()).emit(k, {{.trips = pairs, .hot = true}, {.trips = masked_tiles}});
  epilogue();
  for (const SlowRescale& grown : slow_rescales) slow_rescale(grown);
}

}  // namespace attention

Program build_attention(const AttentionConfig& cfg, Arch arch, std::string name, const LowerOptions& options) {
  check(cfg, arch);
  Kernel kernel(name.empty() ? kernel_name(cfg) : std::move(name), arch, attention::lanes);
  attention::Attention{kernel, cfg}.build();
  return lower(std::move(kernel), options);
}

std::vector<LdsTileInfo> lds_tiles(const AttentionConfig& cfg, Arch arch) {
  check(cfg, arch);
  Kernel kernel(kernel_name(cfg), arch, attention::lanes);
  const attention::Attention a{kernel, cfg};
  std::vector<LdsTileInfo> out;
  for (const auto& [name, tile, tag] :
       {std::tuple("K", &a.layouts.k, attention::k_tag), {"V", &a.layouts.v, attention::v_tag}})
    out.push_back({.name = name,
                   .plain = tile->plain,
                   .layout = tile->layout,
                   .accesses = tile->accesses,
                   .offsets = {tag * attention::tile_bytes, (tag + 1) * attention::tile_bytes}});
  return out;
}

}  // namespace wavesmith
