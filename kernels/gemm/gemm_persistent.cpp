// Persistent workgroups: each takes tiles one after the other, every one as if a new workgroup had begun. Where the
// tensor data mover loads A and B and results go from registers to D, a whole tile is stored while the first loads of
// the next one are under way: it takes neither LDS nor what describes the loads.
#include "generator/dsl/scratch.h"
#include "isa_tables/occupancy.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

void Gemm::first_tile() {
  k.s_lshr_b32(tile_number, kernel.workgroup[0], log2(cfg.cluster.m));
  tile_ends = k.new_label("tile_ends");
  k.bind(tile_begins.emplace(k.new_label("tile_begins")));
}
// Behind the last instruction of a tile.
void Gemm::next_tile() {
  k.bind(*tile_ends);
  k.barrier();                                     // other waves may have results in LDS
  kernel.load(t.slice(0, 2), args[&Args::tiles]);  // and tiles_at_once
  k.s_add_u32(tile_number, tile_number, t[1]);
  k.s_cmp_lt_u32(tile_number, t[0]);
  k.s_cbranch_scc1(LabelArg{isa::label(tile_again.value_or(*tile_begins))});
}
// The wave has stored its part.
void Gemm::end_tile() {
  if (cfg.persistent) k.s_branch(LabelArg{isa::label(*tile_ends)});
  else k.s_endpgm();
}

// Tuples of results that the loop leaves registers for, in pairs: without a wave less on a SIMD.
int Gemm::stored_beside_loop() const {
  const int most = r.v.high_water() + isa::occupancy(kernel.arch, needs()).vgprs_free;
  for (int tuples = most_results; tuples > 0; tuples -= 2) {
    std::vector<int> all(static_cast<size_t>(tuples), result_dwords());
    all.push_back(1);  // the byte offset in D
    if (const auto registers = r.v.high_water_with(all); registers && *registers <= most) return tuples;
  }
  return 0;
}

// Where the loop ends: goes on if this tile can be stored without LDS; behind the last one without loads, so that all
// tiles run the same code, which the instruction cache holds once. All waves decide alike.
void Gemm::test_next_tile(int none) {
  Scratch s(r);
  const Sgpr not_zero = s.s("0: goes on"), left = s.s("what is left"), tiles = s.s("tiles, at once", 2),
             output = s.s("D", 2), stride = s.s("stride of D", 2);
  kernel.load(tiles, args[&Args::tiles]);  // and tiles_at_once
  kernel.load(output, args[&Args::d]);
  kernel.load(stride, args[&Args::stride_d]);
  test_zero(beta);
  k.s_cselect_b32(not_zero, 0, 1);
  add_misaligned(not_zero, output, stride);
  if (!one_segment()) k.s_or_b32(not_zero, not_zero, rest);
  if (scale_batch > 1) {  // the loop's iterations are whole turns of both batches
    k.s_sub_u32(left, K, 1);
    k.s_lshr_b32(left, left, log2(block_k));
    k.s_add_u32(left, left, 1);
    k.s_and_b32(left, left, 2 * scale_batch - 1);
    k.s_or_b32(not_zero, not_zero, left);
  }
  const auto has = [&](int least, Sgpr extent, Sgpr from) {
    k.s_sub_u32(left, extent, from);
    k.s_cselect_b32(left, 0, left);
    k.s_min_u32(left, left, least);
    k.s_sub_u32(left, left, least);
    k.s_or_b32(not_zero, not_zero, left);
  };
  has(rows_of_d(cfg), M, m0_);
  has(cfg.block.n, N, n0);
  k.s_cmp_lg_u32(not_zero, 0);
  k.s_cbranch_scc1(LabelArg{isa::label(none)});
  k.s_add_u32(tile_number, tile_number, tiles[1]);
  k.s_cmp_ge_u32(tile_number, tiles[0]);
  k.s_cselect_b32(is_last, 1, 0);
}
// Scales may be moved further ahead than tiles. There is nothing to move behind the last tile.
void Gemm::begin_next_tile(int what) {
  const bool scales = what == scales_of_next, first = !std::exchange(took_next, true);
  k.comment(scales ? "scales of the next tile" : "the next tile");
  if (first) k.s_mov_b32(stored_m, m0_), k.s_mov_b32(stored_n, n0);
  k.s_cmp_lg_u32(is_last, 0);
  k.when_scc(true, "not_last", [&] {
    if (scales && scale_batch > 1) k.s_mov_b32(moved_scales.moved, 1);  // no batch begins
    for (const TileOperand* o : {&A, &B})
      for (const Sgpr place : scales ? o->scales.place : o->tile.place) k.s_mov_b32(place[0], 0);
  });
  k.s_cmp_eq_u32(is_last, 0);
  k.when_scc(true, "last", [&] {
    if (first) {
      take_block();
      for (TileOperand* o : {&A, &B})
        if (!moves_scales) o->rows_left = r.s.alloc(1, o->name + std::string(" rows left"));
      count_blocks();
    }
    if (scales) move_next_scales();
    else move_next_tiles();
  });
}
void Gemm::move_next_scales() {
  moves_on = true;
  for (TileOperand* o : {&A, &B}) {
    kernel.load(o->scales.place[0].slice(2, 2), args[o->is_a ? &Args::block_scales_a : &Args::block_scales_b]);
    scale_addresses(*o, first_row(*o), o->is_a ? M : N, o->is_a ? wave_m : wave_n);
  }
  moves_on = false;
}
void Gemm::move_next_tiles() {
  operands = args.registers(&Args::a, &Args::b), operand_strides = args.registers(&Args::stride_a, &Args::stride_b);
  kernel.load(operands), kernel.load(operand_strides);
  for (TileOperand* o : {&A, &B}) {
    if (o->k_contiguous) declare_strides(*o);
    operand_base(*o);
  }
  free_prologue();
}
// Beside stores under way the accumulators are made ready for the next tile.
void Gemm::store_tile_before() {
  pointers = args.registers(&Args::d), strides = args.registers(&Args::stride_d);
  kernel.load(pointers), kernel.load(strides);
  out = {.m = stored_m,
         .n = stored_n,
         .d = r.s.alloc(4, "D buffer resource", 4),
         .passes = r.s.alloc(1, "of the stores"),
         .first_column = r.s.alloc(1, "of the stores"),
         .alpha = r.s.alloc(2, "alpha, of f32 twice", 2),
         .row_mask = r.s.alloc(1, "lanes with rows of D"),
         .d_step = r.s.alloc(1, "bytes of D between columns")};
  std::vector<Vgpr> results;
  for (int i = stored_beside_loop(); i > 0; --i)
    results.push_back(out.further.emplace_back(r.v.alloc(result_dwords(), "results")));
  out.d_at = r.v.alloc(1, "byte offset in D");
  load_factors(), plain_factors();
  place_part(stored_m, stored_n);
  begin_results();
  epilogue_code.declare(0, 1, d_rows());  // scalar operands
  epilogue_code.begin(epilogue_pointers(), {});
  store_from_registers(results, [&](const DirectStep& s) {
    if (s.first + stored_rows >= atom.items) acc.clear(k, product_of(s.tn, s.tm));
  });
  out = {}, pointers.free(), strides.free(), took_next = false;
  k.s_cmp_eq_u32(is_last, 0);
  k.when_scc(false, "goes_on", [&] {
    k.s_endpgm();
    k.bind(tile_again.emplace(k.new_label("tile_again")));  // next_tile() may be too far away
    k.s_branch(LabelArg{isa::label(*tile_begins)});
  });
}

}  // namespace wavesmith::gemm
