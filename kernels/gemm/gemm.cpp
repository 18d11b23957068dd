// D = alpha op(A) op(B) + beta C. One workgroup computes block.m x block.n; A and B pass through two or more LDS
// stages; the accumulators, in AGPRs where there are some, pass through LDS too on their way to D. Behind the whole
// blocks of K comes a segment of the same pipeline for the rest, which loads element by element with bounds.
#include "kernels/gemm/gemm.h"

#include "generator/schedule/interleave.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith {
namespace gemm {
namespace {
// The sides after the anchors, whose registers they overwrite.
Block one_after_other(const Block& anchors, const std::vector<Block>& sides) {
  Block all = anchors;
  for (const Block& b : sides) all << b;
  return all;
}
void append(Pipeline::Stages& to, const Pipeline::Stages& more) { to.insert(to.end(), more.begin(), more.end()); }
}  // namespace

void Gemm::declare() {
  if (tensor && !one_segment()) rest = r.s.alloc(1, rest_blocks), k_left = r.s.alloc(1, k_of_rest);
  if (parts_of_k()) first_k = r.s.alloc(1, "first k of this workgroup");
  if (cfg.split_k > 1) own_batch = r.s.alloc(1, "batch");
  if (by_tiles()) own_group = r.s.alloc(1, "group"), no_batch = r.s.alloc(1, "0");
  if (cfg.stream_k) own_tile = r.s.alloc(1, "number of the tile"), is_whole = r.s.alloc(1, "1: the tile is not split");
  if (clustered()) {
    loaded_m = r.s.alloc(1, "first row that is loaded"), loaded_n = r.s.alloc(1, "first column that is loaded");
    kernel.cluster = {cfg.cluster.m, cfg.cluster.n, 1};
  }
  if (has_workspace(cfg)) own_part = r.s.alloc(1, "part of K");
  if (cfg.persistent) tile_number = r.s.alloc(1, "number of the tile");
  if (goes_on()) {
    stored_m = r.s.alloc(1, "first row of the tile before"), stored_n = r.s.alloc(1, "first column of the tile before");
    is_last = r.s.alloc(1, "1: the tile before is the last one");
  }
  if (loads_output_late()) pointers.free(), strides.free();
  if (!tensor && (!A.k_contiguous || !B.k_contiguous)) {
    if (A.element_bytes() == 2) halves_of_rows.emplace(constants);
    if (has_bytes()) bytes_of_rows.emplace(constants);
  }
  epilogue_code.request(constants, has_short_nans() ? Nans::quiet_16 : Nans::any);
  for (TileOperand* o : {&A, &B}) declare_operand(*o);
  for (TileOperand* o : {&A, &B})
    if (o->groups.used) declare_groups(*o);
  if (cfg.split_f32) high_halves = half_selector(constants, Half::high);
  if (scaled()) declare_scales();
  if (scales_sums()) declare_sum_scales();
  // Many accumulators are in banks of VGPRs of their own: then banks change twice for a matrix instruction at most.
  Owned<File::v> rest_of_bank;
  if (const auto begin = r.v.next_free(1); behind_first_bank() && begin && *begin < isa::vgpr_bank)
    rest_of_bank = r.v.alloc(isa::vgpr_bank - *begin, "(the rest of the first bank)", 1);
  acc = Accumulators(r, kernel.arch, tiles(), atom.items * atom.item_dwords, fmt::format("C tile {0}x{0}", atom.extent),
                     scales_sums() || atom.multiplies_by_lanes() ? SumsIn::vgprs : SumsIn::agprs);
  kernel.lds_bytes = std::max(streams          ? 0
                              : moves_scales   ? scale_place(B) + 2 * scale_buffer(B)
                              : fetches_scales ? scales_offset + 2 * fetched_batch_bytes(fetched_batch)
                                               : scales_offset,
                              waves * result_bytes());
}
// NaNs that are products of bf16 or 8-bit floats, and what follows from them, have a low half of 0, as the scalar
// factors are made to have. Scales of sums may be any.
bool Gemm::has_short_nans() const {
  const auto is_short = [](Type t) { return t == Type::bf16 || is_float8(t); };
  return is_short(cfg.input) && is_short(type_of_b(cfg)) && cfg.output == Type::bf16 && !scales_sums();
}
// The main loop's registers. Allocated last: the prologue uses the same ones as scratch before.
void Gemm::declare_loop() {
  if (!tensor && (!scaled() || !A.k_contiguous || !B.k_contiguous))
    packed = r.v.alloc(cfg.split_f32 ? 4 : has_bytes() ? 9 : 8, "transposed runs of k, elements of the rest of K", 2);
  if (scaled()) declare_scale_loop();
  B.ring = ring_of_b();
  for (TileOperand* o : {&A, &B}) declare_loop(*o);
  for (TileOperand* o : {&A, &B})
    if (o->groups.used) declare_group_loop(*o);
  if (scales_sums()) declare_sums();
  for (const TileOperand* o : {&A, &B})
    for (const auto& set : o->scales.loaded)
      for (const Vgpr scales : set)
        if (scales.index + scales.dwords > isa::vgpr_bank)  // no mode extends this operand
          throw OutOfRegisters("scales beyond the first bank of registers");
}

isa::Resources Gemm::needs() const {
  return {.vgprs = r.v.high_water(),
          .agprs = r.a.high_water(),
          .sgprs = r.s.high_water(),
          .lds_bytes = kernel.lds_bytes,
          .waves_per_group = cfg.waves_m * cfg.waves_n};
}
void Gemm::check_room() const {
  if (r.v.high_water() > isa::vgpr_bank && atom.multiplies_by_lanes())  // no mode extends operands of dual instructions
    throw OutOfRegisters("multiplications by lanes beyond the first bank of registers");
  if (!isa::occupancy(kernel.arch, needs()).groups) throw OutOfRegisters("no workgroup fits on a CU");
}

void Gemm::prologue() {
  k.comment("arguments");
  if (!loads_output_late()) kernel.load(pointers), kernel.load(strides);
  if (tensor) kernel.load(operands), kernel.load(operand_strides);
  for (const auto* group : {&sizes, &more, &last}) kernel.load(*group);
  load_factors();
  if ((scaled() && !moves_scales) || scales_sums()) kernel.load(block_scales);
  k.v_and_b32(lane, wave - 1, kernel.workitem);
  wave_number(kernel, t[0]);
  k.s_lshr_b32(wave_n, t[0], log2(cfg.waves_m));
  k.s_and_b32(wave_m, t[0], cfg.waves_m - 1);
  take_block();
  if (by_tiles()) {
    take_group_of_tiles(cfg.ragged == Ragged::m ? m0_ : n0);
    k.s_mov_b32(no_batch, 0);
  }
  if (moves_scales) declare_moved_scales();
  if (scaled()) scale_strides();
  if (scales_sums()) sum_scale_strides();
  if (has_weights(cfg)) kernel.load(group_pointers);
  for (TileOperand* o : {&A, &B})
    if (o->groups.used) group_strides(*o);
  if (cfg.stream_k) take_streamed_part();
  else if (cfg.split_k > 1) split();
  else if (cfg.ragged == Ragged::k) take_group_of_k(kernel.workgroup[2]);
  test_zero(alpha);  // A and B are not read then
  k.s_cselect_b32(K, 0, K);
  plain_factors();
  constants.load();
  begin_block();
}
// The workgroup's block of D, and of A and B that it loads.
void Gemm::take_block() {
  TileRegisters tile{kernel.workgroup[0], kernel.workgroup[1]};
  if (cfg.stream_k) take_streamed_tile();
  if (!cfg.order.plain() || cfg.stream_k || cfg.persistent) {
    TileGrid grid{
        .rows = M, .columns = N, .tile_rows = rows_of_d(cfg) * cfg.cluster.m, .tile_cols = cfg.block.n * cfg.cluster.n};
    if (cfg.stream_k) grid.number = own_tile;
    if (cfg.persistent) grid.number = tile_number;
    take_tile(kernel, cfg.order, grid, tile = {m0_, n0});
    if (cfg.persistent && clustered()) take_tile_of_cluster();
  }
  if (clustered()) take_loaded_tile(tile);
  if (cfg.ragged == Ragged::m) k.s_mov_b32(m0_, tile.m);
  else k.s_mul_i32(m0_, tile.m, rows_of_d(cfg));
  if (cfg.ragged == Ragged::n) k.s_mov_b32(n0, tile.n);
  else k.s_mul_i32(n0, tile.n, cfg.block.n);
  if (clustered()) load_inside();
}
void Gemm::begin_block() {
  count_blocks();
  for (TileOperand* o : {&A, &B}) {
    const bool is_a = o == &A;
    if (!is_a && direct) beside_from = k.nodes.size();
    const Sgpr first = first_row(*o);
    operand_base(*o);
    if (direct) fetch_addresses(*o);
    if (streams) stream_addresses(*o, is_a ? wave_m : wave_n);
    if (scaled()) scale_addresses(*o, first, is_a ? M : N, is_a ? wave_m : wave_n);
    if (o->groups.used) group_addresses(*o, first);
    if (o->sum_scales.how.rows) sum_scale_addresses(*o, first, is_a ? wave_m : wave_n);
  }
  if (fetches_scales) fetched_scale_addresses();
  if (!direct) beside_from = k.nodes.size();
  free_prologue();
}
// Of the operand's block. Its strides are set.
Sgpr Gemm::block_pointer(TileOperand& o) {
  const Sgpr pointer = (tensor ? operands : pointers)[o.is_a ? &Args::a : &Args::b], ld = o.is_a ? lda : ldb;
  k.comment(fmt::format("{}: strides, block base, lane addresses", o.name));
  operand_addresses(o, ld);
  const Sgpr stride = (tensor ? operand_strides : strides)[o.is_a ? &Args::stride_a : &Args::stride_b];
  if (o.memory_bits >= 8) {
    at.add_strided(pointer, stride, batch(), log2(o.memory_bits / 8));
  } else if (o.memory_bits == 4) {
    k.s_lshr_b64(stride, stride, 1);
    at.add_strided(pointer, stride, batch());
  } else {  // multiples of 32 elements
    k.s_lshr_b64(stride, stride, 5);
    k.s_mul_i32(t[3], batch(), 4 * o.memory_bits);
    at.add_strided(pointer, stride, t[3]);
  }
  at.add_product(pointer, first_row(o), o.row_stride);
  if (parts_of_k()) {
    if (o.memory_bits < 8) k.s_lshr_b32(t[3], first_k, 5);
    at.add_product(pointer, o.memory_bits < 8 ? t[3] : static_cast<Sgpr>(first_k), o.k_stride);
  }
  return pointer;
}
// What loads of an operand begin with.
void Gemm::operand_base(TileOperand& o) {
  const Sgpr pointer = block_pointer(o);
  if (tensor) {
    tile_descriptor(o, pointer, o.is_a ? lda : ldb);
    if (cfg.prefetch && !took_next) prefetch_addresses(o, pointer, o.rows_left, blocks_before_prefetch());
  } else {
    raw_buffer(k, o.resource, pointer, no_bound);
    if (direct) k.s_sub_u32(o.resource[0], o.resource[0], before_base);
    else k.s_sub_u32(o.resource[0], o.resource[0], o.block_step);
    k.s_subb_u32(o.resource[1], o.resource[1], 0);
  }
}
// What nothing behind the prologue needs.
void Gemm::free_prologue() {
  if (!tensor) return;
  operands.free(), operand_strides.free();
  for (TileOperand* o : {&A, &B}) {
    if (o->k_contiguous) o->row_stride.free(), o->k_stride.free();
    if (!moves_scales) o->rows_left.free();
  }
}
void Gemm::plain_factors() {
  if (scale == Type::f32)
    for (const Sgpr factor : {alpha, beta}) plain_nan(k, factor, t[0]);
}
// By value both at once.
void Gemm::load_factors() {
  const auto argument = [&](bool on_device, auto at, auto f32, auto i32, auto f64) {
    return on_device ? args[at] : scale == Type::f64 ? args[f64] : scale == Type::i32 ? args[i32] : args[f32];
  };
  const auto load = [&](Sgpr to, const Argument& from, bool on_device) {
    if (!on_device) return void(kernel.load(to, from));
    kernel.load(t.slice(0, 2), from);
    if (to.dwords == 2) k.s_load_dwordx2(to, t.slice(0, 2), 0);
    else k.s_load_dword(to, t.slice(0, 2), 0);
  };
  const Epilogue& e = cfg.epilogue;
  const Argument of_alpha =
      argument(e.alpha_on_device, &Args::alpha_at, &Args::alpha, &Args::alpha_i32, &Args::alpha_f64);
  if (!e.alpha_on_device && !e.beta_on_device) return load(factors, of_alpha, false);
  load(alpha, of_alpha, e.alpha_on_device);
  load(beta, argument(e.beta_on_device, &Args::beta_at, &Args::beta, &Args::beta_i32, &Args::beta_f64),
       e.beta_on_device);
}
// SCC = 1 if it is 0, of either sign.
void Gemm::test_zero(Sgpr factor) {
  if (scale == Type::i32) return void(k.s_cmp_eq_u32(factor, 0));
  k.s_lshl_b32(t[0], factor[scale_dwords - 1], 1);
  if (scale == Type::f64) k.s_or_b32(t[0], t[0], factor[0]);
  k.s_cmp_eq_u32(t[0], 0);
}

// The grid's z is batch * split_k + split. Each split has its part of K; of those that add to D only split 0 adds beta
// C.
void Gemm::split() {
  k.comment("this workgroup's part of K");
  if (cfg.ragged != Ragged::k) kernel.load(t.slice(1, 1), args[&Args::k_per_split]);
  const auto reciprocal = static_cast<uint32_t>((UINT64_C(0xffffffff) + static_cast<uint64_t>(cfg.split_k)) /
                                                static_cast<uint64_t>(cfg.split_k));
  k.s_mul_hi_u32(own_batch, kernel.workgroup[2], reciprocal);  // exact below 2^32 / split_k
  k.s_mul_i32(t[0], own_batch, cfg.split_k);
  k.s_sub_u32(t[0], kernel.workgroup[2], t[0]);
  if (cfg.ragged == Ragged::k) split_group();
  else take_part(t[0], t[1]);
  if (has_workspace(cfg)) return void(k.s_mov_b32(own_part, t[0]));
  k.s_cmp_eq_u32(t[0], 0);
  for (int i = 0; i < scale_dwords; ++i) k.s_cselect_b32(beta[i], beta[i], 0);
}

// Part number `part`, of `of_each` k.
void Gemm::take_part(Sgpr part, Sgpr of_each) {
  k.s_mul_i32(first_k, part, of_each);
  k.s_min_u32(first_k, first_k, K);
  k.s_sub_u32(K, K, first_k);
  k.s_min_u32(K, K, of_each);
}
// Of a group's k; t[0]: the part.
void Gemm::split_group() {
  Scratch s(r);
  const Sgpr part = s.s("part"), of_each = s.s("k of a part"), begin = s.s("first k of the group");
  k.s_mov_b32(part, t[0]);
  take_group_of_k(own_batch);
  k.s_mov_b32(begin, first_k);
  k.s_add_u32(of_each, K, block_k * cfg.split_k - 1);
  k.s_lshr_b32(of_each, of_each, log2(block_k));
  divide(kernel, of_each, of_each, cfg.split_k);
  k.s_lshl_b32(of_each, of_each, log2(block_k));
  take_part(part, of_each);
  k.s_add_u32(first_k, first_k, begin);
  k.s_mov_b32(t[0], part);
}

// Counts the rows of A and B from the block's first on, the blocks of K that are loaded whole, and the rest. Where a
// row-contiguous operand ends inside the block, lanes read up to row_run - 1 rows past its end: these elements belong
// to the matrix as long as row_run more k follow.
void Gemm::count_blocks() {
  for (const TileOperand* o : {&A, &B}) k.s_sub_u32(o->rows_left, o->is_a ? M : N, first_row(*o));
  if (one_segment()) {
    k.s_add_u32(trips, K, block_k - 1);
    k.s_cselect_b32(t[0], 1 << (32 - log2(block_k)), 0);  // the carry
    k.s_lshr_b32(trips, trips, log2(block_k));
    k.s_or_b32(trips, trips, t[0]);
    return;
  }
  int past_end = 0;
  for (const TileOperand* o : {&A, &B})
    if (!tensor && !o->k_contiguous) past_end = std::max(past_end, o->row_run());
  if (past_end) {
    k.s_sub_u32(t[0], K, past_end);
    k.s_cselect_b32(t[0], 0, t[0]);
  }
  k.s_mov_b32(trips, K);
  for (const TileOperand* o : {&A, &B})
    if (!tensor && !o->k_contiguous) {
      k.s_cmp_ge_u32(o->rows_left, o->is_a ? o->rows / halves : o->rows);
      k.s_cselect_b32(trips, trips, t[0]);
    }
  k.s_lshr_b32(trips, trips, log2(block_k));
  k.s_lshl_b32(t[0], trips, log2(block_k));
  k.s_sub_u32(k_left, K, t[0]);
  k.s_add_u32(rest, k_left, block_k - 1);
  k.s_lshr_b32(rest, rest, log2(block_k));
}

// -- Phases -- Multiplies one set of fragments.
Block Gemm::multiply(int k_slice, int of_slice) {
  if (scales_sums()) return multiply_sums(k_slice, of_slice);
  if (cfg.split_f32) return multiply_split(k_slice, of_slice);
  Block b(k.arch(), "multiply");
  const int from = set(k_slice, of_slice);
  const auto product = [&](int tn, int tm, int part) {
    multiply_tile(b, tn, tm, A.fragment_of(from, tm), B.fragment_of(from, tn), k_slice, of_slice, part);
  };
  for (int part = 0; part < atom.parts(); ++part)
    if (tensor && !B.ring) {
      for (int d = 0; d < std::max(A.tiles(), B.tiles()); ++d) {
        if (d < B.tiles())
          for (int tm = 0; tm < std::min(d, A.tiles()); ++tm) product(d, tm, part);
        if (d < A.tiles())
          for (int tn = 0; tn <= std::min(d, B.tiles() - 1); ++tn) product(tn, d, part);
      }
    } else
      for (int tn = 0; tn < B.tiles(); ++tn)
        for (int tm = 0; tm < A.tiles(); ++tm) product(tn, tm, part);
  return b;
}
void Gemm::multiply_tile(Block& to, int tn, int tm, VAArg a, VAArg b, int k_slice, int of_slice, int part) {
  const isa::Operand d = acc(product_of(tn, tm));
  if (scaled()) atom.multiply(to, d, a, b, scale_of(A, tm, k_slice, of_slice), scale_of(B, tn, k_slice, of_slice));
  else atom.multiply(to, d, a, b, part);
}

// Advances the resource by a block of k. It starts one block before the first.
Block Gemm::next_block(TileOperand& o) {
  Block b(k.arch(), "next_block");
  b.s_add_u32(o.resource[0], o.resource[0], o.block_step);
  b.s_addc_u32(o.resource[1], o.resource[1], 0);
  if (o.groups.used) advance_groups(b, o);
  return b;
}
Block Gemm::count_rest() {
  Block b(k.arch(), "count_rest");
  b.s_sub_u32(k_left, k_left, block_k);
  return b;
}
// For the reads of all fragments of a k-slice.
void Gemm::wait_for_fragments(Block& b, int k_slice) {
  for (const TileOperand* o : {&A, &B})
    b.wait_for(o->fragment_of(set(k_slice, fragments - 1), o->tiles() * o->parts - 1));
}
// After this barrier the k-slice is in LDS, and no wave still reads the data that it replaced.
Block Gemm::stage_barrier(int k_slice) {
  Block b(k.arch(), "stage_barrier");
  wait_for_fragments(b, k_slice + sets() - 1);  // of the k-slice before
  for (TileOperand* o : {&A, &B}) b.wait_for_lds(o->tag(k_slice));
  if (moves_scales) {  // read behind the barrier before an iteration, replaced behind the one in its middle
    const int slot = k_slice / 2 % 2;
    if (k_slice % 2 == 0) b.wait_for_lds(scale_tag(slot));
    else
      for (const TileOperand* o : {&A, &B}) b.wait_for(o->scales.loaded[slot].back());
  }
  if (fetches_scales && k_slice % 2 == 0) b.wait_for_lds(fetched_tag());
  b.barrier();
  return b;
}

// After this barrier every wave has the k-slice in registers.
Block Gemm::read_barrier(int k_slice) {
  Block b(k.arch(), "read_barrier");
  wait_for_fragments(b, k_slice);
  b.barrier();
  return b;
}

// -- Schedule -- A phase for k-slice `k_slice`, counted from the first of the iteration's two; in one segment or in
// all.
Pipeline::Stage Gemm::of_k_slice(int k_slice, std::function<Block(int k_slice)> phase, std::optional<int> segment) {
  return {ahead(k_slice / 2).over(iterations()).in_segment(segment),
          [=](int slot) { return phase(2 * slot + k_slice % 2); }};
}
std::function<Block(int k_slice)> Gemm::products(int of_slice, int from, int of) {
  return [=, this](int n) { return part(multiply(n, of_slice), from, of); };
}
// Until LDS stages and sets of scales repeat.
int Gemm::iterations() const {
  return std::lcm(std::lcm(A.iterations(), B.iterations()), scaled() ? 2 : scales_sums() ? sum_scale_sets() : 1);
}
std::function<Block(int k_slice)> Gemm::read(int of_slice) {
  return [=, this](int n) { return read_fragments(n, of_slice); };
}
// While one k-slice is multiplied, the LDS stage that is free is filled and the one after that loaded. Loads of lines
// take the registers of two k-slices: they begin once the second one is stored, which has been there for long, and
// are spread over the whole k-slice; the first one is stored as late in the next k-slice as the barrier allows.
void Gemm::staged_step(Pipeline& p, int k_slice) {
  Pipeline::Stages early, late, after_barrier;
  const int next = k_slice + cfg.stages;
  for (TileOperand* o : {&A, &B}) {
    const Pipeline::Stage stores = of_k_slice(next - 1, [this, o](int n) { return store(*o, n); }),
                          advance{ahead(next / 2).over(1), [this, o](int) { return next_block(*o); }};
    if (!o->by_lines()) {
      early.push_back(stores);
      if (next % 2 == 0) late.push_back(advance);
      late.push_back(of_k_slice(next, [this, o](int n) { return load(*o, n); }, whole_blocks));
      late.push_back(of_k_slice(next, [this, o](int n) { return load_rest(*o, n); }, rest_of_k));
    } else if (next % 2 == 0) {
      early.insert(early.end(), {stores, advance});
      int third = 0;
      for (Pipeline::Stages* to : {&early, &late, &after_barrier}) {
        to->push_back(of_k_slice(next, [=, this](int n) { return part(load_line(*o, n), third, 3); }, whole_blocks));
        ++third;
      }
      late.push_back(
          of_k_slice(next, [this, o](int n) { return load_rest(*o, n) << load_rest(*o, n + 1); }, rest_of_k));
    } else {
      late.push_back(stores);
    }
  }
  if (scaled() && k_slice == 0) append(early, scale_loads());
  const Pipeline::Merge beside = cfg.schedule == GemmSchedule::interleaved ? evenly : spread;
  const Pipeline::Merge by_reads = sets() == 1 ? one_after_other : beside;
  const int last = fragments - 1;
  for (int i = 0; i < last; ++i)
    p.merge(by_reads, {of_k_slice(k_slice, products(i, 0, 1))},
            {{of_k_slice(k_slice, read(i + 1))}, std::exchange(early, {})});
  append(early, late);
  p.merge(beside, {of_k_slice(k_slice, products(last, 0, 2))}, {early});
  p.at(of_k_slice(k_slice + 1, [this](int n) { return stage_barrier(n); }));
  if (scales_sums() && k_slice == 1) append(after_barrier, sum_scale_loads());
  p.merge(by_reads, {of_k_slice(k_slice, products(last, 1, 2))}, {{of_k_slice(k_slice + 1, read(0))}, after_barrier});
}
// Direct loads of a k-slice; the rest of K goes through registers, or like the whole blocks by the tensor data mover.
Pipeline::Stages Gemm::fetches(TileOperand& o, int fetched) {
  if (tensor) {
    Pipeline::Stage s = of_k_slice(fetched, [this, &o](int n) { return move_tile(o, n); });
    s.begins = tiles_of_next;
    return {s};
  }
  return {of_k_slice(
              fetched, [this, &o](int n) { return fetch(o, n); }, whole_blocks),
          of_k_slice(fetched, [this, &o](int n) { return rest_to_lds(o, n); }, rest_of_k)};
}
// While one k-slice is multiplied, the LDS stage that is free is filled directly. Scales that the data
// mover does not bring are loaded before its tiles: XCNT counts both, and the scales' next addresses would wait until
// the tiles' are translated.
void Gemm::direct_step(Pipeline& p, int k_slice) {
  Pipeline::Stages loads;
  if (moves_scales && tiled_scales() && k_slice == 0)
    loads.push_back({ahead(0).over(2).in_segment(whole_blocks), [this](int slot) { return read_scales(slot, 1); }});
  if (loads_scales() && tensor && k_slice == 0) append(loads, scale_loads());
  append(loads, fetched_scale_loads(k_slice));
  for (TileOperand* o : {&A, &B}) append(loads, fetches(*o, k_slice + cfg.stages - 1));
  if (cfg.prefetch && k_slice == 0) loads.push_back(prefetched());
  if (loads_scales() && !tensor && k_slice == 0) append(loads, scale_loads());
  if (moves_scales && k_slice == 1)
    loads.push_back({ahead(2).over(2), [this](int slot) { return move_scales(slot); }, scales_of_next});
  const int last = fragments - 1;
  for (int i = 0; i < last; ++i)
    p.merge(spread, {of_k_slice(k_slice, products(i, 0, 1))},
            {{of_k_slice(k_slice, read(i + 1))}, std::exchange(loads, {})});
  // Tiles that were requested ahead arrive long before: an early barrier leaves more products beside the reads behind
  // it. Not where it was slower by the timing model: short k-slices, transposing loads, scales.
  const bool early = cfg.prefetch && cfg.stages > 2 && !scales_sums() && A.row_bytes() >= line_bytes &&
                     A.k_contiguous && B.k_contiguous;
  const int parts = early ? 4 : 2;
  p.merge(spread, {of_k_slice(k_slice, products(last, 0, parts))}, {loads});
  p.at(of_k_slice(k_slice + 1, [this](int n) { return stage_barrier(n); }));
  Pipeline::Stages others, next{of_k_slice(k_slice + 1, read(0))};
  if (moves_scales && k_slice == 1)
    next.insert(next.begin(),
                {ahead(1).over(2), [this](int slot) { return read_scales(slot, tiled_scales() ? 0 : absent); }});
  if (fetches_scales) next.insert(next.begin(), scale_read(k_slice + 1));
  for (int i = 1; i < parts; ++i) others.push_back(of_k_slice(k_slice, products(last, i, parts)));
  p.merge(spread, others, {next, scales_sums() && k_slice == 1 ? sum_scale_loads() : Pipeline::Stages{}});
}
// While the products of a tile of B are under way, a further one is read, and one of A's tiles of the next k-slice. So
// that one must be in LDS before the first products of this: waves say so once they have read the last of B's tiles,
// and wait for each other some products later. Loads and reads of scales are beside products of different tiles.
void Gemm::ring_step(Pipeline& p, int k_slice) {
  std::vector<Pipeline::Stages> beside(static_cast<size_t>(B.tiles()));
  size_t next = 0;
  const auto add = [&](const Pipeline::Stage& s) { beside[next++ % beside.size()].push_back(s); };
  if (loads_scales() && k_slice == 0)
    for (const Pipeline::Stage& s : scale_loads()) beside[next].push_back(s);
  next += loads_scales() && k_slice == 0;
  // Scales beside the products of some tiles, for more reads at once would wait for the LDS; but where a k-slice is
  // one fragment, tiles that are moved later would come too late.
  const int parts = fragments > 1 ? 3 : 1;
  for (int i = 0; i < parts; ++i) {
    if (moves_scales && k_slice == 1)
      add({ahead(1).over(2),
           [=, this](int slot) { return scale_reads(read_scales(slot, tiled_scales() ? 0 : absent), i, parts); }});
    if (moves_scales && k_slice == 0 && tiled_scales())
      add({ahead(0).over(2).in_segment(whole_blocks),
           [=, this](int slot) { return scale_reads(read_scales(slot, 1), i, parts); }});
  }
  for (TileOperand* o : {&A, &B})
    for (const Pipeline::Stage& s : fetches(*o, k_slice + cfg.stages - 1)) add(s);
  if (cfg.prefetch && k_slice == 0) add(prefetched());
  if (moves_scales && k_slice == 1)
    add({ahead(2).over(2), [this](int slot) { return move_scales(slot); }, scales_of_next});
  const auto read_one = [this](TileOperand& o, int tile, int fragment) {
    return [this, &o, tile, fragment](int n) {
      Block b(k.arch(), "read_fragment");
      read_fragment(b, o, n, fragment, tile, o.fragment_of(set(n, fragment), tile));
      return b;
    };
  };
  const int last = fragments - 1, signal_at = B.tiles() - 2;
  const auto first_a = [this](int tile) {  // none beside the last products, which would not hide the latency
    return std::min(A.tiles(), (tile * A.tiles() + B.tiles() - 3) / (B.tiles() - 2));
  };
  const auto wait = [this](int) {
    Block b(k.arch(), "ring_wait");
    b.s_barrier_wait(workgroup_barrier);
    return b;
  };
  for (int fragment = 0; fragment <= last; ++fragment) {
    if (fragment == last) p.at(of_k_slice(k_slice + 1, wait));
    for (int tile = 0; tile < B.tiles(); ++tile) {
      if (tile == signal_at && fragment == std::max(0, last - 1))
        p.at(of_k_slice(k_slice + (last ? 1 : 2), [this](int n) { return ring_signal(n); }));
      const int of_b = tile + B.ring - 1, next_fragment = fragment + of_b / B.tiles();
      Pipeline::Stages reads{
          of_k_slice(k_slice + next_fragment / fragments, read_one(B, of_b % B.tiles(), next_fragment % fragments))};
      for (int of_a = first_a(tile); of_a < first_a(tile + 1); ++of_a)
        reads.push_back(
            of_k_slice(k_slice + (fragment + 1) / fragments, read_one(A, of_a, (fragment + 1) % fragments)));
      const auto one = [=, this](int n) { return part(multiply(n, fragment), tile, B.tiles()); };
      p.merge(spread, {of_k_slice(k_slice, one)},
              {reads, fragment == last ? beside[static_cast<size_t>(tile)] : Pipeline::Stages{}});
    }
  }
}
// The wave's loads of the k-slice are in LDS, and it does not read the one before the last any more, which is replaced.
Block Gemm::ring_signal(int k_slice) {
  Block b(k.arch(), "ring_signal");
  b.wait_for(B.fragment_of(0, B.tiles() - 1));
  for (TileOperand* o : {&A, &B}) b.wait_for_lds(o->tag(k_slice));
  if (moves_scales && k_slice % 2 == 0) {
    b.wait_for_lds(scale_tag(k_slice / 2 % 2));
    for (const TileOperand* o : {&A, &B}) b.wait_for(o->scales.loaded[(k_slice / 2 + 1) % 2].back());
  }
  b.s_barrier_signal(workgroup_barrier);
  return b;
}
// Every fragment of a k-slice is read beside its first products. Then its LDS stage is free, and loads fill it; they
// have the longer to arrive the earlier that is.
void Gemm::refill_step(Pipeline& p, int k_slice) {
  Pipeline::Stages first = fetched_scale_loads(k_slice), second = fetches(B, k_slice + cfg.stages);
  append(first, fetches(A, k_slice + cfg.stages));
  // In pieces of a k-slice's products. The best by the timing model for large tiles of every type: reads end as early
  // as LDS brings them, a piece before the barrier, which hides their latency; the next k-slice's begin in the last
  // piece.
  const int pieces = std::max(16, fragments), each = pieces / fragments;
  const bool several = fragments > 1;
  const int read = several ? pieces * 3 / 16 : 0, all_read = several ? pieces / 4 : 0,
            stage_at = several ? pieces * 15 / 16 : pieces * 3 / 4;
  const auto products_of = [=, this](int from, int to) {
    Pipeline::Stages all;
    for (int i = from; i < to; ++i) all.push_back(of_k_slice(k_slice, products(i / each, i % each, each)));
    return all;
  };
  const bool loads = loads_scales() && k_slice == 0;
  if (loads && !several) append(second, scale_loads());
  for (int i = 0; i < read; ++i) {
    const Pipeline::Stage reads = of_k_slice(k_slice, [=, this](int n) {
      Block all(k.arch());
      for (int fragment = 1; fragment < fragments; ++fragment) all << read_fragments(n, fragment);
      return part(all, i, read);
    });
    p.merge(spread, products_of(i, i + 1), {{reads}, loads ? scale_loads(i, read) : Pipeline::Stages{}});
  }
  for (const Pipeline::Stage& s : products_of(read, all_read)) p.at(s);
  p.at(of_k_slice(k_slice, [this](int n) { return read_barrier(n); }));
  const int middle = (all_read + stage_at) / 2;
  p.merge(spread, products_of(all_read, middle), {first});
  p.merge(spread, products_of(middle, stage_at), {second});
  p.at(of_k_slice(k_slice + 1, [this](int n) { return stage_barrier(n); }));
  Pipeline::Stages next{of_k_slice(k_slice + 1, this->read(0))};
  if (fetches_scales) next.insert(next.begin(), scale_read(k_slice + 1));
  p.merge(spread, products_of(stage_at, pieces),
          {next, scales_sums() && k_slice == 1 ? sum_scale_loads() : Pipeline::Stages{}});
}

void Gemm::build() {
  declare();
  wait_for_xcnt_alone(kernel);
  if (cfg.persistent) first_tile();
  prologue();
  declare_loop();
  if (scales_sums()) clear_sums();
  if (!streams) later_addresses();
  acc.clear(k);
  Pipeline p;
  p.beside_first_loads = k.cut(beside_from, "beside first loads");
  std::optional<int> last;
  const int results = results_beside_products();
  if (results)
    p.before_drain = [this, label = last.emplace(k.new_label("last_products"))](int slot) {
      return test_last_products(slot, label);
    };
  if (loads_scales() || moves_scales) prepare_scales(p);
  for (int k_slice : {0, 1}) {
    if (fetches_scales) p.at(of_k_slice(k_slice, [this](int n) { return clear_beyond(n); }, rest_of_k));
    if (streams) stream_step(p, k_slice);
    else if (refill) refill_step(p, k_slice);
    else if (B.ring) ring_step(p, k_slice);
    else if (direct || tensor) direct_step(p, k_slice);
    else staged_step(p, k_slice);
  }
  if (goes_on() && held_beside_loop() != absent)
    p.next.emplace([this](int label, int least_trips) { test_next_tile(label, least_trips); },
                   [this](int what) { return begin_next_tile(what); }, [this] { return prepare_stores(); },
                   [this] { store_tile_before(); }, [this](const Block& step) { return first_products(step); },
                   most_first_steps, std::vector<isa::Operand>{t.operand(), x.operand(), y.operand()});
  if (one_segment()) {
    p.emit(k, {{.trips = trips, .hot = true}});
  } else {
    p.at(ahead(0).in_segment(rest_of_k), [this](int) { return count_rest(); });
    p.emit(k, {{.trips = trips, .hot = !scales_sums()}, {.trips = rest, .tail = true}});
  }
  if (scales_sums())
    for (int i = tiles() - late_tiles(); i < tiles(); ++i) k << add_sum(i);
  if (fetches_scales) k << loaded_scales();
  if (last) last_products(*last, results);
  epilogue();
}

}  // namespace gemm

namespace {
GemmConfig checked(GemmConfig cfg, Arch arch) {
  check(cfg, arch);
  cfg.mma = instruction_of(cfg, arch);
  return cfg;
}
}  // namespace

Program build_gemm(const GemmConfig& given, Arch arch, std::string name, const LowerOptions& options) {
  gemm::check_config(given, arch);
  GemmConfig cfg = given;
  cfg.mma = instruction_of(cfg, arch);
  const auto build = [&](int most_first_steps) {
    Kernel kernel(name.empty() ? kernel_name(given) : name, arch, gemm::lanes_of(cfg, arch));
    gemm::Gemm kernel_of{kernel, cfg};
    kernel_of.most_first_steps = most_first_steps;
    kernel_of.build();
    kernel_of.check_room();
    return lower(std::move(kernel), options);
  };
  const auto refusal = [&](std::string_view what) {
    return ConfigError(
        fmt::format("gemm: tile {}x{} over {}x{} waves on {}: {}; legal: a smaller tile, or another number of waves",
                    cfg.block.m, cfg.block.n, cfg.waves_m, cfg.waves_n, isa::target(arch).name, what));
  };
  const auto too_long = [&](const Program& p) {
    try {
      return gemm::bytes_of_tile(p) > isa::timing(arch).icache_kib * 1024;
    } catch (const BranchOutOfRange&) { return true; }
  };
  const auto that_fits = [&] {  // the instruction cache and the registers
    for (int steps = cfg.persistent ? 2 : 0;; --steps) try {
        Program p = build(steps);
        if (!steps || !too_long(p)) return p;
      } catch (const OutOfRegisters&) {
        if (!steps) throw;
      }
  };
  try {
    Program p = that_fits();
    constexpr size_t sure_to_reach = INT16_MAX / 4;  // instructions, of up to four dwords
    if (p.nodes.size() > sure_to_reach) encode(p);
    return p;
  } catch (const OutOfRegisters& e) {
    check(given, arch);  // says so, but near the limit, where it does not see all scratch
    const std::string_view map = e.what();
    throw refusal(map.substr(0, map.find('\n')));
  } catch (const BranchOutOfRange&) { throw refusal("code beyond the reach of branches, 128 KiB"); }
}

std::vector<LdsTileInfo> lds_tiles(const GemmConfig& given, Arch arch) {
  const GemmConfig cfg = checked(given, arch);
  if (cfg.schedule == GemmSchedule::stream)
    throw ConfigError("gemm: schedule stream has A and B in registers, not in LDS; legal: another schedule");
  if (cfg.schedule == GemmSchedule::tensor)
    throw ConfigError("gemm: schedule tensor has padded rows in LDS, no swizzle; legal: another schedule");
  Kernel kernel(kernel_name(cfg), arch, gemm::lanes_of(cfg, arch));
  gemm::Gemm gemm{kernel, cfg};
  std::vector<LdsTileInfo> out;
  for (gemm::TileOperand* o : {&gemm.A, &gemm.B}) {
    const isa::LinearLayout layout = gemm.k_slice_layout(*o);
    out.push_back({.name = o->name,
                   .plain = rows_of_chunks(o->row_span(), o->row_bytes()),
                   .layout = layout,
                   .accesses = gemm.lds_accesses(*o),
                   .offsets = {}});
    for (int i = 0; i < o->stages; ++i) out.back().offsets.push_back(o->lds_offset + o->read_offset(i));
  }
  return out;
}

}  // namespace wavesmith
