// Persistent workgroups: each takes tiles one after the other, every one as if a new workgroup had begun. Where the
// tensor data mover loads A and B and results go from registers to D, a whole tile is stored while the first loads of
// the next one are under way: it takes neither LDS nor what describes the loads.
#include "generator/dsl/scratch.h"
#include "generator/schedule/interleave.h"
#include "isa_tables/occupancy.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

double bytes_of_tile(const Program& p) {
  std::optional<uint32_t> loop_ends, goes_on;
  const EncodedProgram encoded = encode(p);
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const auto* label = p.nodes[i].as<directive::Label>();
    if (!label) continue;
    const std::string& name = p.labels[static_cast<size_t>(label->id)];
    if (name.starts_with(pipeline_exit_label))
      loop_ends = loop_ends.value_or(encoded.offsets[i]), goes_on = encoded.offsets[i];
    if (name == pipeline_ends_label && goes_on) return *loop_ends + (encoded.offsets[i] - *goes_on);
  }
  return 0;
}

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
// Where no code falls through: branches to the next tile may be too far away from it.
void Gemm::relay_next_tile() {
  const int next = tile_again.value_or(*tile_begins);
  k.bind(tile_again.emplace(k.new_label("tile_again")));
  k.s_branch(LabelArg{isa::label(next)});
}
// The wave has stored its part.
void Gemm::end_tile() {
  if (cfg.persistent) k.s_branch(LabelArg{isa::label(*tile_ends)});
  else k.s_endpgm();
}

// Results of tiles, of 16 bytes, that the loop leaves registers for: without a wave less on a SIMD.
int Gemm::held_beside_loop() const {
  const int most = r.v.high_water() + isa::occupancy(kernel.arch, needs()).vgprs_free;
  for (int tuples = tiles() * 3 / 8 * 2; tuples >= 0; tuples -= 2) {
    std::vector<int> all(static_cast<size_t>(tuples), chunk_bytes / 4);
    all.push_back(1);  // the byte offset in D
    const std::vector<int> of_epilogue = epilogue_code.registers(B.tiles(), A.tiles());
    all.insert(all.end(), of_epilogue.begin(), of_epilogue.end());
    if (const auto registers = r.v.high_water_with(all); registers && *registers <= most) return tuples;
  }
  return absent;
}

// Where the loop ends: goes on if this tile can be stored without LDS; behind the last one without loads, so that all
// tiles run the same code, which the instruction cache holds once. All waves decide alike.
void Gemm::test_next_tile(int none, int least_trips) {
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
  const auto at_least = [&](int least) {
    k.s_min_u32(left, left, least);
    k.s_sub_u32(left, left, least);
    k.s_or_b32(not_zero, not_zero, left);
  };
  const auto has = [&](int least, Sgpr extent, Sgpr from) {
    k.s_sub_u32(left, extent, from);
    k.s_cselect_b32(left, 0, left);
    at_least(least);
  };
  k.s_mov_b32(left, K);
  at_least((least_trips - 1) * block_k + 1);
  has(rows_of_d(cfg), M, m0_);
  has(cfg.block.n, N, n0);
  k.s_cmp_lg_u32(not_zero, 0);
  k.s_cbranch_scc1(LabelArg{isa::label(none)});
  k.s_add_u32(tiles[1], tile_number, tiles[1]);
  k.s_cmp_ge_u32(tiles[1], tiles[0]);
  k.s_cselect_b32(is_last, 1, 0);
  k.s_cselect_b32(tile_number, tile_number, tiles[1]);
}
// Scales may be moved further ahead than tiles. Behind the last tile nothing is moved, by descriptors of the same tile.
Block Gemm::begin_next_tile(int what) {
  const size_t from = k.nodes.size();
  const bool scales = what == scales_of_next;
  if (!std::exchange(took_next, true)) {
    k.s_mov_b32(stored_m, m0_), k.s_mov_b32(stored_n, n0);
    take_block();
  }
  if (what == lines_of_next) {
    prefetch_next_tiles();
    return k.cut(from, "lines of the next tile");
  }
  if (!std::exchange(counts_next, true)) {
    for (TileOperand* o : {&A, &B})
      if (!moves_scales) o->rows_left = r.s.alloc(1, o->name + std::string(" rows left"));
    count_blocks();
  }
  if (scales) move_next_scales();
  else move_next_tiles();
  k.s_cmp_eq_u32(is_last, 0);
  if (scales && scale_batch > 1) k.s_cselect_b32(moved_scales.moved, moved_scales.moved, 1);  // no batch begins
  for (const TileOperand* o : {&A, &B})
    for (const Sgpr place : scales ? o->scales.place : o->tile.place) k.s_cselect_b32(place[0], place[0], 0);
  return k.cut(from, scales ? "scales of the next tile" : "the next tile");
}
void Gemm::move_next_scales() {
  moves_on = true;
  for (TileOperand* o : {&A, &B}) {
    kernel.load(o->scales.place[0].slice(2, 2), args[o->is_a ? &Args::block_scales_a : &Args::block_scales_b]);
    scale_addresses(*o, first_row(*o), o->is_a ? M : N, o->is_a ? wave_m : wave_n);
  }
  moves_on = false;
}
void Gemm::load_operands() {
  operands = args.registers(&Args::a, &Args::b), operand_strides = args.registers(&Args::stride_a, &Args::stride_b);
  kernel.load(operands), kernel.load(operand_strides);
  for (TileOperand* o : {&A, &B})
    if (o->k_contiguous) declare_strides(*o);
}
void Gemm::prefetch_next_tiles() {
  load_operands();
  for (TileOperand* o : {&A, &B}) {
    Scratch s(r);
    const Sgpr rows_left = s.s("rows left");
    k.s_sub_u32(rows_left, o->is_a ? M : N, first_row(*o));
    prefetch_addresses(*o, block_pointer(*o), rows_left, 0);
    if (o->k_contiguous) o->row_stride.free(), o->k_stride.free();
    if (o->scales.lines.empty()) continue;
    const Sgpr scales = s.s("address of its scales", 2);
    kernel.load(scales, args[o->is_a ? &Args::block_scales_a : &Args::block_scales_b]);
    add_scale_rows(*o, scales, first_row(*o), o->is_a ? M : N);
    for (const Vgpr line : o->scales.lines) request_lines(k, line, scales);
  }
  operands.free(), operand_strides.free();
}
void Gemm::move_next_tiles() {
  load_operands();
  for (TileOperand* o : {&A, &B}) operand_base(*o);
  free_prologue();
}
Block Gemm::prepare_stores() {
  const size_t from = k.nodes.size();
  const int holds = held_beside_loop();
  load_factors(), plain_factors();
  place_part(stored_m, stored_n);
  {  // before the registers of the stores, for SGPRs are few
    Scratch left(r);
    const Sgpr rows = left.s("rows of the wave's part"), columns = left.s("columns of the wave's part");
    k.s_mov_b32(rows, d_rows()), k.s_mov_b32(columns, B.wave_rows);
    begin_direct_epilogue(stored_m, stored_n, rows, columns);
  }
  pointers = args.registers(&Args::d), strides = args.registers(&Args::stride_d);
  kernel.load(pointers), kernel.load(strides);
  out = {.m = stored_m,
         .n = stored_n,
         .d = r.s.alloc(4, "D buffer resource", 4),
         .rows_left = r.s.alloc(1, "of the stores"),
         .passes = r.s.alloc(1, "of the stores"),
         .first_column = r.s.alloc(1, "of the stores"),
         .alpha = r.s.alloc(2, "alpha, of f32 twice", 2),
         .row_mask = r.s.alloc(1, "lanes with rows of D"),
         .d_step = r.s.alloc(1, "bytes of D between columns")};
  for (int i = holds; i > 0; --i)
    out.held.push_back(r.v.alloc(chunk_bytes / 4, "results that are stored beside the next products"));
  out.d_at = r.v.alloc(1, "byte offset in D");
  begin_results();
  pointers.free(), strides.free(), took_next = counts_next = false;
  begin_direct_stores();
  if (pairs_tiles()) k.s_lshr_b32(out.d_step, out.d_step, 1);  // half of the columns
  return k.cut(from, "stores of the tile before");
}
// The last tiles' results are held, to be stored beside the next tile's first products; behind the last tile at once.
void Gemm::store_tile_before() {
  const Block held = convert_tile_before();
  k.s_cmp_eq_u32(is_last, 0);
  k.when_scc(false, "goes_on", [&] {
    k << held;
    k.s_endpgm();
    relay_next_tile();
  });
  held_stores = held;
}
// Converts tiles in the registers of their sums, and stores them but those that are held, whose stores it returns.
// These leave SCC alone.
Block Gemm::convert_tile_before() {
  const int columns = 1 + pairs_tiles(), first_held = tiles() - static_cast<int>(out.held.size());
  // Stores under way keep their registers. What the conversions use holds columns behind them.
  std::vector<Sgpr> columns_at{out.passes, out.first_column, out.rows_left, out.row_mask, stored_m, stored_n};
  Block held(k.arch(), "held_stores");
  size_t turn = 0;
  for (int tn = 0; tn < B.tiles(); ++tn) {
    std::vector<DirectStep> steps;
    for (int tm = 0; tm < A.tiles(); ++tm) {
      const Vgpr sums = acc.vgprs(product_of(tn, tm));
      steps.push_back(direct_step(tn, tm, 0, sums));
      if (const int i = product_of(tn, tm) - first_held; i >= 0) steps.back().stored = out.held[static_cast<size_t>(i)];
    }
    convert_directly(steps);
    if (tn + 1 == B.tiles()) columns_at.insert(columns_at.end(), {out.alpha[0], out.alpha[1]});
    for (const bool holds : {false, true})
      for (int odd = 0; odd < columns; ++odd) {
        std::vector<DirectStep> some;
        std::ranges::copy_if(steps, std::back_inserter(some), [&](const DirectStep& s) {
          return is_odd(s) == odd && (product_of(s.tn, s.tm) >= first_held) == holds;
        });
        if (some.empty()) continue;
        const size_t from = k.nodes.size();
        const Sgpr column = columns_at[turn++ % columns_at.size()];
        k.s_mul_i32(column, out.d_step, columns * tn + odd);
        for (const DirectStep& s : some) store_directly(s, column);
        if (holds) held << k.cut(from, "held_stores");
      }
  }
  return held;
}
// Each begins a sum anew.
Block Gemm::first_products(const Block& step) {
  Block all = spread(step, {*held_stores});
  std::vector<int> begun;
  for (Node& n : all.nodes) {
    if (!n.is_instruction() || !n.inst.info().is_matrix()) continue;
    const int sum = n.inst.operands[0].index;
    if (std::ranges::find(begun, sum) == begun.end()) n.inst.operands[3] = isa::imm(0), begun.push_back(sum);
  }
  out = {}, held_stores.reset(), epilogue_code.free();
  return all;
}

}  // namespace wavesmith::gemm
