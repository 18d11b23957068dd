// One workgroup: 256 queries of one head, a wave 32 of them. K and V pass through two LDS buffers each, one tile of 8
// KiB a step, by way of registers or, on gfx950, directly; O^T stays in AGPRs. A step multiplies P V of the tile before
// while it rounds P and looks for the maximum of its own tile, then K Q^T of the tile behind while it takes the
// exponentials of its own.
//
// P is 2^(S - m) with an m that only has to be near the maximum: it follows, as a whole number, when a score is 2^8
// above it. So in most steps O is not rescaled at all, and when it is, by a power of two, without a rounding error.
#include "kernels/attention/attention.h"

#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith {
namespace attention {
namespace {

// Beside the matrix instructions as much as they hide, the rest behind them.
Block beside(const Block& matrix, const std::vector<Block>& sides) {
  FillReport rest;
  return fill(matrix, sides, &rest);
}

}  // namespace

void Attention::declare() {
  if (cfg.sequences == Sequences::packed) {
    q_rows = r.s.alloc(2, "first query of the sequence and behind its last"),
    k_rows = r.s.alloc(2, "first key and behind the last");
    from_end = r.s.alloc(1, "-1 where the diagonal ends at the last key");
  }

  if (!direct) halves.emplace(constants), k_store = r.v.alloc(1, "K LDS store address");
  for (int i = 0; i < chunks; ++i) q.push_back(r.v.alloc(4, "Q fragment", 4));
  for (int i = 0; i < d_tiles; ++i) o.push_back(r.a.alloc(16, "O", 4));
  kernel.lds_bytes = 4 * tile_bytes;
}
// The loop's registers, of which the addresses' scratch is taken before.
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

// Of packed sequences this batch's: its first rows, its lengths and its diagonal. The grid is made for the longest:
// others end here.
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

// Tiles that the workgroup's first query sees whole run unmasked, in pairs so that LDS buffers are known; up to the
// last key that its last query sees, masked.
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
  k.s_lshl_b32(t[0], pairs, log2_keys + 1);  // keys in them
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
  b.wait_for(k_fragment.back());  // the last one read: one wait for all
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
// The layout of V may have exchanged the parts of a 128-bit read.
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

Block Attention::stage_barrier() {  // K and V that were stored are there, and nobody reads any more what they replaced
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

// -- Schedule --
// S of tile t is there when step t begins. Beyond the last key everything reads as zero; P and V are zero before the
// first tile. `early` begins a step, when what was read in the one before has made room in LDS; `late` ends it.
Pipeline Attention::tiles(const Pipeline::Stages& early, const Pipeline::Stages& late) {
  Pipeline p{.slots = 2, .past_end = true};
  p.at(ahead(1), [this](int) { return stage_barrier(); });
  p.at(ahead(0).in_segment(1), [this](int slot) { return apply_mask(slot); });
  // 1 where matrix instructions take so long that the last scores are still being written under the first product: the
  // maximum begins a block later, and the first block has more of the reads.
  const int later = isa::info(mma).passes(kernel.arch) >= 16 ? 1 : 0;
  for (int b = 0; b < blocks;
       ++b) {  // P of a block is ready one block before; the reads behind it keep it from the next product
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
       [this](int) { return priority(1); });  // of two waves on a SIMD the one with exponentials to take goes first
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

}  // namespace wavesmith
