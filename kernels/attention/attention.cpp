// A workgroup of four or eight waves computes queries of one head: of a wave, as many as the matrix instruction has
// columns, or twice as many. K and V are double-buffered in LDS, loaded through registers or, on gfx950, directly to
// LDS; O^T stays in accumulators. Pipelined: pipelined_tiles(). Sequential: attention_sequential.cpp.
//
// P is 2^(S - m), where m only has to be near the maximum: it is raised, to an integer, when a P would exceed 2^8. In
// most steps O is therefore not rescaled; when it is, the factor is a power of two and exact.
#include "kernels/attention/attention.h"

#include <algorithm>
#include <tuple>

#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith {
namespace attention {

void Attention::declare() {
  if (atom.lanes == 32)
    lanes_low = constants(0x76543210, "v_permlanex16 selector: lanes 0 to 7"),
    lanes_high = constants(0xfedcba98, "v_permlanex16 selector: lanes 8 to 15");
  if (cfg.sequences == Sequences::packed) {
    q_rows = r.s.alloc(2, "first query of the sequence, one past its last");
    if (!paged) k_rows = r.s.alloc(2, "first key, one past the last");
  }
  if (own_lengths(cfg)) from_end = r.s.alloc(1, "-1 where the diagonal ends at the last key");
  if (paged) declare_pages();
  if (cfg.fp8_products) narrow_p.emplace(constants, kernel.arch, Type::fp8);
  if (cfg.q_type && !cfg.fp8_products) widen_q.emplace(constants, kernel.arch, *cfg.q_type, cfg.type);
  if (cfg.kv_type && !cfg.fp8_products) widen_kv.emplace(constants, kernel.arch, *cfg.kv_type, cfg.type);
  if (widen_q || widen_kv) wide = r.v.alloc(2, "fp8 as f32", 2);
  if (cfg.q_type || cfg.kv_type || cfg.dropout) v_factor = r.s.alloc(1, "scale of V and of the weights kept");
  if (cfg.dropout) declare_dropout();
  if (cfg.prefix) prefix_keys = r.s.alloc(1, "keys of the prefix");
  if (banded()) skipped = r.s.alloc(1, "keys before the first tile");
  if (bands)
    low_pairs = r.s.alloc(1, "pairs of tiles at the beginning of the band"),
    mask_key = r.s.alloc(1, "the tile's first key");
  for (int c = 0; c < columns && bands; ++c) low.push_back(r.v.alloc(1, "first key that the lane sees"));

  if (!plan.transposes && !moved) halves.emplace(constants);
  if (cfg.fp8_products && !moved)
    byte_pairs = constants(0x05010400, "v_perm selector: two bytes of two registers in turn");
  if (layouts.exchanged) upper_half = r.s.alloc(1, "lanes of the upper half wave");
  for (int c = 0; c < columns; ++c) {
    maximum.push_back(r.v.alloc(1, "scaled maximum m: P is 2^(S - m)"));
    found.push_back(r.v.alloc(1, "maximum of this tile"));
    limit.push_back(r.v.alloc(1, "keys the lane may see, from this tile on"));
    sum.push_back(r.v.alloc(2, "sum of P, two parts", 2));
  }
  declare_scores();
  declare_block_scales();
  if (cfg.mx) declare_mx();
  if (direct) lds_wave = r.s.alloc(1, "LDS bytes of a tile before this wave");
  Owned<File::v> rest_of_bank;
  if (moved) rest_of_bank = declare_moved();
  for (int i = 0; i < columns * steps; ++i) q.push_back(r.v.alloc(score_atom.a.fragment_dwords(), "Q fragment", 4));
  o = Accumulators(r, kernel.arch, d_tiles * columns, atom.items, "O");
  kernel.lds_bytes = v_offset() + plan.slots() * layouts.v.bytes;
  if (moved) kernel.lds_bytes = std::max(kernel.lds_bytes, queries_offset() + block_rows * layouts.k.pitch);
  if (by_lines()) kernel.lds_bytes = std::max(kernel.lds_bytes, rows_offset() + plan.waves * row_tile_bytes());
  if (decode) declare_part();
}
// The loop's registers. Allocated last: address computation uses the same ones as scratch before.
void Attention::declare_tiles() {
  if (moved) return;
  if (pipelined) {
    const auto take = [&](std::vector<Vgpr>& of, int count, const char* name, const Atom& by) {
      const size_t first = plan.shared ? 0 : fragments.size();
      while (fragments.size() < first + static_cast<size_t>(count))
        fragments.push_back(r.v.alloc(by.a.fragment_dwords(), name, 4));
      for (int i = 0; i < count; ++i) of.push_back(fragments[first + static_cast<size_t>(i)]);
    };
    take(k_fragment, parts * steps, plan.shared ? "fragment of K, then of V" : "K fragment", score_atom);
    take(v_fragment, d_tiles * v_fragments, "V fragment", atom);
  } else {
    ring = r.v.alloc((frugal ? 2 : 4) * atom.a.fragment_dwords(), "fragments of K, then V", 4);
  }
  for (int i = 0; i < parts * columns; ++i) s.push_back(r.v.alloc(atom.items, "S", 4));
  for (int i = 0; i < blocks * columns && apart(); ++i) p.push_back(r.v.alloc(atom.a.registers, "P, packed", 4));
  if (scores_in_agprs) {
    s_acc = Accumulators(r, kernel.arch, parts * columns, atom.items, "S");
    zeros = Accumulators(r, kernel.arch, 1, atom.items, "zeros");
  }
  if (direct) return;
  const int of_load = plan.rows ? 4 : run, of_k = 4 * layouts.k.rounds, of_v = of_load * layouts.v.rounds;
  if (frugal) stages[0] = r.v.alloc(std::max(of_k, of_v), "K, then V on its way to LDS", 4);
  else stages[0] = r.v.alloc(of_k, "K on its way to LDS", 4);
  if (!frugal && of_v) stages[1] = r.v.alloc(of_v, "V on its way to LDS", 4);
  for (int i = 0; i < layouts.k.rounds; ++i) k_stage.push_back(stages[0].slice(4 * i, 4));
  if (plan.two_sets) {
    stages[1] = r.v.alloc(of_k, "K of the tile after it", 4);
    for (int i = 0; i < layouts.k.rounds; ++i) v_stage.push_back(stages[1].slice(4 * i, 4));
  }
  for (int i = 0; i < layouts.v.rounds; ++i) v_stage.push_back(stages[frugal ? 0 : 1].slice(of_load * i, of_load));
  if (pipelined) v_packed = r.v.alloc(2 * run_dwords, "V, keys together", 4);
  if (plan.paired()) {  // two pairs of columns where registers are left, see latent_products()
    const int pair = 2 * atom.a.fragment_dwords();
    v_packed = r.v.alloc(!frugal && r.v.next_free(2 * pair, 4) ? 2 * pair : pair, "V, keys together", 4);
  }
}

void Attention::prologue() {
  wait_for_xcnt_alone(kernel);
  k.comment("arguments");
  for (const auto* group : {&pointers, &lse, &strides, &lse_strides, &sizes, &scale}) kernel.load(*group);
  wave_number(kernel, wave);
  if (decode) k.v_and_b32(lane_id, atom.lanes - 1, kernel.workitem);
  const isa::LinearLayout of_lane = in_every_wave(layouts.lane.inverse(), lanes / atom.lanes);
  from_workitem(column, of_lane, "query");
  from_workitem(half, of_lane, "group");
  if (layouts.exchanged) k.v_cmp_ne_u32(upper_half, 0, half);
  constants.load();
  k.s_mov_b32(headroom, top);
  if (decode) take_part();
  else take_tile();
  if (own_lengths(cfg)) find_sequence();
  if (cfg.prefix) {
    Scratch scratch(r);
    const Sgpr base = scratch.s("prefixes", 2);
    kernel.load(base, args[&Args::prefix]);
    k.s_lshl_b32(t[0], batch, 2);
    k.s_add_u32(base[0], base[0], t[0]);
    k.s_addc_u32(base[1], base[1], 0);
    k.s_load_dword(prefix_keys, base, 0);
  }
  if (banded()) skip_tiles();
  if (decode) find_part();
  if (v_factor.dwords) apply_scales();
  if (plan.latent) {
    second_launch = k.new_label("second_launch");
    kernel.load(t.slice(0, 1), args[&Args::combines]);
    k.s_cmp_lg_u32(t[0], 0);
    k.s_cbranch_scc1(LabelArg{isa::label(*second_launch)});
  }
  if (paged) find_table();
  k.comment("tensors: head, bounds, lane addresses");
  if (moved) {
    move_queries();
    describe_tiles();
  } else {
    tensor(q_resource, Q, head);
    tensor(k_resource, K, kv_head);
    tensor(v_resource, V, kv_head);
  }
  if (query_lines()) load_query_lines();
  else if (!moved) load_queries();
  leave_arguments();
  if (moved) moved_read_addresses();
  else key_addresses(), value_addresses();
  if (decode) place_wave(), count_part_tiles();
  else count_tiles();
  prepare_scores();
  if (cfg.dropout) prepare_dropout();
  find_block_scales();
  if (cfg.mx) find_mx();
  if (query_lines()) read_query_fragments();
  if (moved) read_queries();
  declare_tiles();
  declare_score_tiles();
  declare_load_offsets();
  k.comment("nothing seen yet");
  begin_sums();
  if (moved) begin_moved();
  for (const Accumulators* a : {&o, &zeros}) a->clear(k);
}

void Attention::leave_arguments() {
  if (!reloads) return;
  for (auto* group : {&pointers, &lse, &lse_strides}) group->free();
  if (!paged) strides.free();
}
// Those of O and of the log-sum-exp, where there is room for what the loop had.
void Attention::reload_arguments() {
  if (!reloads && !banded() && !v_factor.dwords) return;
  for (auto* left : {&q_resource, &k_resource, &v_resource, &bias_resource, &documents_resource, &k_scales, &v_scales,
                     &mx.k_resource, &mx.v_resource, &seed, &philox_key, &philox_factor, &v_rows, &table})
    left->free();
  if (!reloads) return;
  descriptors = {};
  strides.free();
  pointers = args.registers(&Args::o), lse = args.registers(&Args::lse),
  strides = args.registers(&Args::o_batch, &Args::o_head),
  lse_strides = args.registers(&Args::lse_batch, &Args::lse_head);
  for (const auto* group : {&pointers, &lse, &strides, &lse_strides}) kernel.load(*group);
}

// Head, batch and first query of the workgroup. The last tile of queries comes first: with a mask it is the heaviest.
void Attention::take_tile() {
  k.comment("head and batch; the last tile of queries comes first");
  kernel.load(t.slice(0, 2), args[&Args::heads]);
  kernel.load(t.slice(2, 1), args[&Args::heads_in_turn]);
  k.s_mul_i32(head, kernel.workgroup[2], t[2]);
  k.s_add_u32(head, head, kernel.workgroup[0]);
  k.s_cmp_lt_u32(head, t[1]);
  k.when_scc(false, "has_head", [&] { k.s_endpgm(); });
  divide(kernel, batch, head, t[0]);
  k.s_mul_i32(t[0], batch, t[0]);
  k.s_sub_u32(head, head, t[0]);
  k.s_sub_u32(q0, queries, 1);
  k.s_lshr_b32(q0, q0, log2(block_rows));
  k.s_sub_u32(q0, q0, kernel.workgroup[1]);
  k.s_lshl_b32(q0, q0, log2(block_rows));
  k.s_lshl_b32(t[0], head, 1);
  k.s_mul_hi_u32(kv_head, t[0], group);  // head / heads per K/V head
}

// Packed sequences: first rows, lengths and diagonal of this batch's sequence. The grid fits the longest sequence;
// workgroups beyond the end of a shorter one exit here.
void Attention::find_sequence() {
  k.comment("the batch's sequence");
  const bool packed = cfg.sequences == Sequences::packed;
  Scratch scratch(r);
  const Sgpr base = scratch.s("its lengths", 2), of_batch = scratch.s("its place");
  k.s_lshl_b32(of_batch, batch, 2);
  kernel.load(from_end, args[&Args::from_end]);
  const auto find = [&](DevicePointer Args::* pointer) {
    kernel.load(base, args[pointer]);
    k.s_add_u32(base[0], base[0], of_batch);
    k.s_addc_u32(base[1], base[1], 0);
  };
  if (packed) {
    find(&Args::cu_seqlens_q);
    k.s_load_dwordx2(q_rows, base, 0);
    k.s_sub_u32(queries, q_rows[1], q_rows[0]);
  }
  find(paged ? &Args::seqlens_k : &Args::cu_seqlens_k);
  if (paged) k.s_load_dword(key_count, base, 0);
  else {
    k.s_load_dwordx2(k_rows, base, 0);
    k.s_sub_u32(key_count, k_rows[1], k_rows[0]);
  }
  k.s_sub_u32(t[0], key_count, queries);
  k.s_and_b32(t[0], t[0], from_end);
  k.s_add_u32(diagonal, diagonal, t[0]);
  if (decode || !packed) return;
  k.s_cmp_lt_u32(q0, queries);
  k.when_scc(false, "has_queries", [&] { k.s_endpgm(); });
}

// Keys before the first tile that the band of the workgroup's first query reaches.
void Attention::skip_tiles() {
  k.s_sub_i32(skipped, key_count, queries);
  if (!decode) k.s_add_i32(skipped, skipped, q0);
  k.s_sub_i32(skipped, skipped, band.before);
  k.s_min_i32(skipped, skipped, key_count);
  k.s_max_i32(skipped, skipped, 0);
  k.s_and_b32(skipped, skipped, -keys);
}
void Attention::see_prefix(Sgpr count) {
  if (cfg.prefix) k.s_max_i32(count, count, prefix_keys);
}

// Counts tiles: those that the workgroup's first query sees completely run unmasked, in pairs, so that LDS buffers are
// constants; the others, up to the last key that its last query sees, run with the mask.
void Attention::count_tiles() {
  const int log2_keys = log2(keys);
  const auto seen_by = [&](Sgpr count, int query) {  // max(0, min(keys, q0 + query + diagonal + 1))
    k.s_add_i32(count, q0, diagonal);
    k.s_add_i32(count, count, query + 1);
    see_prefix(count);
    if (banded() && (query || bands)) {  // the band of the query
      k.s_sub_i32(t[0], key_count, queries);
      k.s_add_i32(t[0], t[0], q0);
      k.s_add_i32(t[0], t[0], query + 1);
      k.s_add_i32(t[0], t[0], std::min(band.after, 1 << 29));
      k.s_min_i32(count, count, t[0]);
    }
    k.s_min_i32(count, count, key_count);
    if (banded()) k.s_sub_i32(count, count, skipped);
    k.s_max_i32(count, count, 0);
  };
  seen_by(masked_tiles, block_rows - 1);
  seen_by(pairs, 0);
  if (banded()) k.s_min_u32(pairs, pairs, masked_tiles);
  // moved: a step masks the tile after its own, of the first one the prologue does
  if (moved) {
    k.s_sub_u32(pairs, pairs, keys);
    k.s_max_i32(pairs, pairs, 0);
  }
  const int cycle = log2(plan.slots());  // tiles until buffers repeat
  k.s_lshr_b32(pairs, pairs, log2_keys + cycle);
  k.s_add_u32(masked_tiles, masked_tiles, keys - 1);
  k.s_lshr_b32(masked_tiles, masked_tiles, log2_keys);
  k.s_lshl_b32(t[0], pairs, cycle);
  k.s_sub_u32(masked_tiles, masked_tiles, t[0]);
  k.s_lshl_b32(t[0], pairs, log2_keys + cycle);  // keys in those tiles
  if (bands) return find_bands();
  if (moved) {
    k.s_add_u32(mask_step, t[0], keys);
    k.s_mov_b32(t[0], 0);
  }
  if (banded()) k.s_add_u32(t[0], t[0], skipped);
  k.s_lshl_b32(t[1], wave, log2(wave_rows));
  k.s_add_u32(t[1], t[1], q0);
  k.s_add_i32(t[1], t[1], diagonal);
  k.s_add_i32(t[1], t[1], 1);
  from_lane(x, layouts.lane.then(layouts.scores), "row");
  for (int c = 0; c < columns; ++c) {
    k.v_add_u32(limit[c], t[1], column);
    if (c) k.v_add_u32(limit[c], c * atom.extent, limit[c]);
    if (cfg.prefix) k.v_max_i32(limit[c], prefix_keys, limit[c]);
    k.v_min_i32(limit[c], key_count, limit[c]);
    k.v_sub_u32(limit[c], limit[c], x);
    k.v_subrev_u32(limit[c], t[0], limit[c]);
  }
}

// Of the tiles that the first query sees up to their ends, those before the last query's first key are masked as well.
void Attention::find_bands() {
  const int tiles = log2(keys) + log2(plan.slots()), before = std::min(band.before, 1 << 29),
            after = std::min(band.after, 1 << 29);
  k.s_sub_i32(t[1], key_count, queries);
  k.s_add_i32(t[1], t[1], q0);
  k.s_add_i32(low_pairs, t[1], block_rows - 1 - before + (1 << tiles) - 1);
  k.s_sub_i32(low_pairs, low_pairs, skipped);
  k.s_max_i32(low_pairs, low_pairs, 0);
  k.s_lshr_b32(low_pairs, low_pairs, tiles);
  k.s_min_u32(low_pairs, low_pairs, pairs);
  k.s_sub_u32(pairs, pairs, low_pairs);
  k.s_mov_b32(mask_key, skipped);
  from_lane(x, layouts.lane.then(layouts.scores), "row");
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.s_add_i32(t[1], t[1], t[0]);
  k.s_add_i32(t[0], t[0], q0);
  k.s_add_i32(t[0], t[0], diagonal);
  for (int c = 0; c < columns; ++c) {
    const auto limit_of = [&](Vgpr to, Sgpr first, int more) {
      k.s_add_i32(t[2], first, c * atom.extent + more);
      k.v_add_u32(to, t[2], column);
    };
    limit_of(low[c], t[1], after + 1);
    limit_of(limit[c], t[0], 1);
    k.v_min_i32(limit[c], low[c], limit[c]);
    k.v_min_i32(limit[c], key_count, limit[c]);
    k.v_sub_u32(limit[c], limit[c], x);
    k.v_subrev_u32(low[c], before + after + 1, low[c]);
    k.v_sub_u32(low[c], low[c], x);
  }
}

// -- Phases that all schedules have --
// The first instruction of a tile takes zero instead of what its registers hold.
void Attention::multiply_score(Block& b, isa::Operand to, Vgpr keys_of, int n, int c, int step, int part) {
  const Vgpr query = q[c * steps + step];
  const bool first = step == 0 && part == 0;
  if (cfg.mx)
    return score_atom.multiply(b, to, keys_of.slice(0, score_atom.a.fragment_dwords()), query,
                               mx_scale(mx.k[n / mx_shared()], n, step), mx_scale(mx.q[c / mx_shared()], c, step),
                               first ? isa::imm(0) : to);
  if (!first) return atom.multiply(b, to, keys_of, query, part);
  b.emit(atom.op,
         {to, keys_of.slice(part * atom.a.registers, atom.a.registers).operand(),
          query.slice(part * atom.a.registers, atom.a.registers).operand(), scores_in_agprs ? zeros(0) : isa::imm(0)},
         atom.mods, Where::current());
}
// The swizzle of V may have swapped the 64-bit halves of a 128-bit read.
int Attention::value_part(int block, int d) {
  const int fragment = block / atom.parts() * atom.a.chunks() * chunk_elements;
  return block % atom.parts() ^ layouts.value_read(fragment, d).first / (4 * atom.a.registers);
}

Block Attention::stage_barrier() {  // stored K and V are visible, and no wave still reads the tiles that they replaced
  Block b(k.arch(), "stage_barrier");
  b.wait_for_lds();
  b.barrier();
  return b;
}
// -- Schedule --
void Attention::build() {
  declare();
  prologue();
  const Pipeline loop = moved         ? moved_tiles()
                        : !pipelined  ? sequential_tiles()
                        : plan.shared ? shared_tiles()
                                      : pipelined_tiles();
  std::vector<Pipeline::Segment> segments{{.trips = pairs, .hot = pipelined}, {.trips = masked_tiles}};
  if (bands) segments.insert(segments.begin(), {.trips = low_pairs});
  if (plan.latent) {
    k.s_cmp_lt_u32(q0, row_count);
    k.when_scc(false, "wave_has_rows", [&] {
      latent_loads().emit(k, segments);
      for (const auto& stage : stages)
        if (stage.dwords) k.wait_for(stage);
      k.s_endpgm();
    });
  }
  loop.emit(k, segments);
  if (decode) decode_epilogue();
  else epilogue();
  for (const SlowRescale& grown : slow_rescales) slow_rescale(grown);
  for (const SlowRescale& grown : slow_growths) slow_growth(grown);
  for (const SlowRescale& late : late_rescales) late_rescale(late);
  for (const SlowRescale& grown : unit_growths) slow_growth_of_unit(grown);
}

}  // namespace attention

namespace {
Kernel kernel_of(const AttentionConfig& cfg, Arch arch, std::string name) {
  return {name.empty() ? kernel_name(cfg) : std::move(name), arch, attention::AttentionPlan(cfg, arch).lanes};
}
// Error: OutOfRegisters.
Program generate(const AttentionConfig& cfg, Arch arch, const std::string& name, const LowerOptions& options) {
  const auto with = [&](bool frugal) {
    Kernel kernel = kernel_of(cfg, arch, name);
    attention::Attention{kernel, cfg, frugal}.build();
    // Nops stand in the softmax, beside another wave's matrix instructions.
    return lower(std::move(kernel),
                 {.check = options.check, .hot_nops = true, .lone_wave = attention::AttentionPlan(cfg, arch).moved});
  };
  try {
    return with(false);
  } catch (const OutOfRegisters&) {
    if (schedule_of(cfg, arch) == AttentionSchedule::pipelined) throw;
  }
  return with(true);
}
bool fits(const AttentionConfig& cfg, Arch arch) {
  try {
    generate(cfg, arch, "", {.check = false});
    return true;
  } catch (const OutOfRegisters&) { return false; }
}
}  // namespace

Program build_attention(const AttentionConfig& cfg, Arch arch, std::string name, const LowerOptions& options) {
  check(cfg, arch);
  try {
    return generate(cfg, arch, name, options);
  } catch (const OutOfRegisters&) {}
  AttentionConfig less = cfg;
  less.head_dim_v = cfg.dim_v();
  const AttentionConfig plain{.type = cfg.type,
                              .head_dim = cfg.head_dim,
                              .head_dim_v = cfg.head_dim_v,
                              .sequences = cfg.sequences,
                              .kv_type = cfg.fp8_products ? cfg.kv_type : std::nullopt,
                              .q_type = cfg.fp8_products ? cfg.q_type : std::nullopt,
                              .fp8_products = cfg.fp8_products,
                              .mx = cfg.mx,
                              .latent = cfg.latent,
                              .schedule = cfg.schedule};
  if (kernel_name(plain) != kernel_name(cfg) && fits(plain, arch))
    throw ConfigError(
        fmt::format("attention: {} takes more registers than {} has; legal: fewer features, as {}, or "
                    "smaller head dimensions",
                    kernel_name(cfg), isa::target(arch).name, kernel_name(plain)));
  less = plain;
  less.head_dim_v = cfg.dim_v();
  // Smaller and smaller, the larger of both first: the first that fits, by halving.
  std::vector<std::pair<int, int>> dims{{less.head_dim, less.head_dim_v}};
  const int step = cfg.latent ? 64 : cfg.mx ? 32 : cfg.fp8_products ? 16 : 8;
  while (std::max(dims.back().first, dims.back().second) > step) {
    auto [dim, dim_v] = dims.back();
    (dim > dim_v ? dim : dim_v) -= step;
    dims.emplace_back(dim, dim_v);
  }
  const auto nearest = std::ranges::partition_point(dims, [&](const auto& both) {
    std::tie(less.head_dim, less.head_dim_v) = both;
    return !fits(less, arch);
  });
  if (nearest == dims.end())
    throw ConfigError(
        fmt::format("attention: {} takes more registers than {} has, with any head dimensions; legal: "
                    "fewer features, or another schedule",
                    kernel_name(cfg), isa::target(arch).name));
  std::tie(less.head_dim, less.head_dim_v) = *nearest;
  throw ConfigError(fmt::format(
      "attention: head dimensions {} and {} of V take more registers than {} has; legal, the nearest: {} and {}",
      cfg.head_dim, cfg.dim_v(), isa::target(arch).name, less.head_dim, less.head_dim_v));
}

std::vector<LdsTileInfo> lds_tiles(const AttentionConfig& cfg, Arch arch) {
  check(cfg, arch);
  Kernel kernel = kernel_of(cfg, arch, "");
  const attention::Attention a{kernel, cfg};
  if (a.moved)
    throw ConfigError(
        "attention: the tensor data mover has padded rows in LDS, no swizzle; legal: another schedule or target");
  std::vector<LdsTileInfo> out;
  int first = 0;
  for (const auto& [name, tile] : {std::pair("K", &a.layouts.k), {"V", &a.layouts.v}}) {
    if (a.plan.latent) first = 0;
    const int slots = tile == &a.layouts.k ? a.plan.key_slots() : a.plan.slots();
    out.push_back({.name = name,
                   .plain = tile->plain,
                   .layout = tile->layout,
                   .accesses = tile->accesses,
                   .offsets = slots == 1 ? std::vector{first} : std::vector{first, first + tile->bytes}});
    first += slots * tile->bytes;
  }
  return out;
}

}  // namespace wavesmith
