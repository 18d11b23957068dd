// The combination of splits: by the wave that ends last, for its columns, or by a second launch on all compute units.
// In the order of the splits; a lane has chunks of four columns of a row, and several times four splits are on their
// way.
#include "kernels/attention/attention_combine.h"

#include "kernels/parts/device_scope.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith::attention {
namespace {

constexpr float nothing = -0x1p100f;  // maximum of no scores
// Of split number `i` of four on their way, after the values of all.
Vgpr sums_of(Vgpr four, int i) { return four.slice(quad * quad + 2 * i, 2); }

}  // namespace

// How a wave goes through the workspace: all of its chunks, `chunk_step` apart, each with `splits` splits, four at a
// time.
struct Attention::Combination {
  Combination(Registers& r, const Splits& in)
      : scratch(r),
        w(in),
        o(scratch.s("O buffer resource", 4)),
        first(scratch.s("first chunk")),
        first_column(scratch.s("first column")),
        limit(scratch.s("chunks that there are")),
        chunk_step(scratch.s("chunks to the lane's next")),
        o_step(scratch.s("bytes of O to its columns")),
        splits(scratch.s("splits of the wave")),
        begin(scratch.s("bytes to its first split")),
        end(scratch.s("bytes of all splits")),
        to_load(scratch.s("splits of the chunk to load")),
        left(scratch.s("splits of the chunk to add")),
        shared(scratch.s("-1 where other waves have further splits, else 0")),
        at(scratch.v("address of the chunk to load")),
        at_sums(scratch.v("address of its row's sum")),
        number(scratch.v("chunk")),
        to(scratch.v("address in O")),
        value(scratch.v("O", quad)),
        total(scratch.v("sum of P")),
        top(scratch.v("maximum")),
        row_total(scratch.v("sum of P of all splits")),
        row_top(scratch.v("maximum of all splits")) {}
  Scratch scratch;
  const Splits& w;
  Sgpr o, first, first_column, limit, chunk_step, o_step, splits, begin, end, to_load, left, shared;
  Vgpr at, at_sums, number, to, value, total, top, row_total, row_top;
  // `at`, or out of range, by fours on their way; bytes to splits, in turn. Where loads may be replayed, a register is
  // written again only when its load is translated (XCNT); else one of each is enough.
  std::vector<Vgpr> at_here;
  std::vector<Sgpr> places;
  void take_places(const Registers& r, int slots, bool replayed) {
    constexpr int others = 8;  // scalar registers that the rest of the kernel takes
    for (int i = 0; i < (replayed ? slots : 1); ++i) at_here.push_back(scratch.v("likewise, or out of range"));
    for (int i = 0; i < slots * quad && replayed && r.s.next_free(others, quad); ++i)
      places.push_back(scratch.s("bytes to a split"));
  }
  Vgpr here(int slot) const { return at_here[static_cast<size_t>(slot) % at_here.size()]; }
};

void Attention::begin_chunk(Block& b, const Combination& c) {
  for (int n = 0; n < quad; ++n) b.v_mov_b32(c.value[n], 0);
  b.v_mov_b32(c.total, 0);
  b.v_mov_b32(c.top, nothing);
  b.s_mov_b32(c.left, c.splits);
}
// Adds others of the same place, which begin with sum and maximum. Clobbers these.
void Attention::add_to_chunk(Block& b, const Combination& c, std::span<const Vgpr> sums, std::span<const Vgpr> values) {
  b.v_max_f32(other, c.top, sums[0][1]);
  for (const Vgpr& more : sums.subspan(1)) b.v_max_f32(other, other, more[1]);
  b.v_sub_f32(x, c.top, other);
  for (const Vgpr& more : sums) b.v_sub_f32(more[1], more[1], other);
  b.v_mov_b32(c.top, other);
  b.v_exp_f32(x, x);
  for (const Vgpr& more : sums) b.v_exp_f32(more[1], more[1]);
  b.v_mul_f32(c.total, x, c.total);
  for (int n = 0; n < quad; ++n) b.v_mul_f32(c.value[n], x, c.value[n]);
  for (size_t i = 0; i < sums.size(); ++i) {
    b.v_fma_f32(c.total, sums[i][1], sums[i][0], c.total);
    for (int n = 0; n < quad; ++n) b.v_fma_f32(c.value[n], sums[i][1], values[i][n], c.value[n]);
  }
}
// Divided by the sum, stored; goes on to the lane's next chunk.
void Attention::finish_chunk(Block& b, const Combination& c) {
  b.v_mov_b32(c.row_total, c.total);
  b.v_mov_b32(c.row_top, c.top);
  invert(b, other, c.total);
  for (int n = 0; n < quad; ++n) b.v_mul_f32(c.value[n], other, c.value[n]);
  for (int n = 0; n < quad; n += 2) round_pair(b, c.value[n / 2], c.value[n], c.value[n + 1]);
  b.v_cmp_gt_u32(vcc, c.limit, c.number);
  b.v_mov_b32(other, out_of_range);
  b.v_cndmask_b32(other, other, c.to, vcc);
  b.buffer_store_dwordx2(c.value.slice(0, 2), other, c.o, 0, {.flags = isa::offen});
  b.v_add_u32(c.number, c.chunk_step, c.number);
  b.v_add_u32(c.to, c.o_step, c.to);
}

Block Attention::load_partials(const Combination& c, Vgpr four, int slot) {
  Block b(k.arch(), "load_partials");
  const isa::Mods mods = plan.latent ? isa::Mods{.flags = isa::offen} : device_load(kernel.arch);
  for (int i = 0; i < quad; ++i) {
    const Sgpr from = c.places.empty() ? c.w.next : c.places[static_cast<size_t>(slot * quad + i) % c.places.size()];
    if (!c.places.empty()) b.s_mov_b32(from, c.w.next);
    b.buffer(Opcode::buffer_load_dwordx2, sums_of(four, i), c.at_sums, c.w.resource, from, mods);
    b.buffer(Opcode::buffer_load_dwordx4, four.slice(quad * i, quad), c.here(slot), c.w.resource, from, mods);
    b.s_add_u32(c.w.next, c.w.next, c.w.step);
    b.s_min_u32(c.w.next, c.w.next, c.end);
  }
  b.s_sub_u32(c.to_load, c.to_load, quad);  // 0 or less: the next chunk
  b.s_cmp_gt_i32(c.to_load, 0);
  b.s_cselect_b32(c.w.next, c.w.next, c.begin);
  b.s_cselect_b32(c.to_load, c.to_load, c.splits);
  b.s_cselect_b32(t[0], 0, c.chunk_step);
  b.s_lshl_b32(t[0], t[0], log2(chunk_bytes));
  b.v_add_u32(c.at, t[0], c.at);
  b.s_lshl_b32(t[0], c.limit, log2(chunk_bytes));
  b.s_add_u32(t[0], t[0], sums_bytes());
  b.v_cmp_gt_u32(vcc, t[0], c.at);
  const Vgpr next = c.here(slot + 1);
  b.v_mov_b32(next, out_of_range);
  b.v_cndmask_b32(next, next, c.at, vcc);
  return b;
}
Block Attention::add_partials(const Combination& c, Vgpr four) {
  Block b(k.arch(), "add_partials");
  for (int i = 1; i < quad; ++i) {  // past the last one are zeros, which are no maxima
    b.s_cmp_gt_u32(c.left, i);
    b.s_cselect_b32(t[0], 0, nothing);
    b.v_add_f32(sums_of(four, i)[1], t[0], sums_of(four, i)[1]);
  }
  std::vector<Vgpr> sums, values;
  for (int i = 0; i < quad; ++i) sums.push_back(sums_of(four, i)), values.push_back(four.slice(quad * i, quad));
  add_to_chunk(b, c, sums, values);
  const int goes_on = k.new_label("chunk_goes_on");
  b.s_sub_u32(c.left, c.left, quad);
  b.s_max_i32(t[0], c.left, 0);
  b.s_or_b32(t[0], t[0], c.shared);  // SCC: not 0
  b.s_cbranch_scc1(LabelArg{isa::label(goes_on)});
  finish_chunk(b, c);
  begin_chunk(b, c);
  b.bind(goes_on);
  return b;
}

// The sums of the other waves, which end here.
void Attention::add_waves(const Combination& c) {
  k.comment("the splits of the other waves");
  Scratch scratch(r);
  const Vgpr at_sums = scratch.v("LDS address of sum and maximum"), at_values = scratch.v("of the columns"),
             own = scratch.v("sum, maximum", 2);
  const int of_sums = 8 * atom.lanes, of_values = chunk_bytes * atom.lanes;
  k.v_lshlrev_b32(at_sums, 3, lane_id);
  k.v_lshlrev_b32(at_values, log2(chunk_bytes), lane_id);
  k.v_mov_b32(own[0], c.total);
  k.v_mov_b32(own[1], c.top);
  k.s_mul_i32(t[0], wave, of_sums);
  k.v_add_u32(x, t[0], at_sums);
  k.ds_write_b64(x, own);
  k.s_mul_i32(t[0], wave, of_values);
  k.v_add_u32(x, t[0], at_values);
  k.ds_write_b128(x, c.value, {.offset = plan.waves * of_sums});
  k << stage_barrier();
  k.s_cmp_eq_u32(wave, 0);
  k.when_scc(false, "adds_waves", [&] { k.s_endpgm(); });
  std::vector<Vgpr> sums, values;
  for (int i = 1; i < plan.waves; ++i) {
    sums.push_back(scratch.v("sum, maximum", 2)), values.push_back(scratch.v("columns", quad));
    k.ds_read_b64(sums.back(), at_sums, {.offset = i * of_sums});
    k.ds_read_b128(values.back(), at_values, {.offset = plan.waves * of_sums + i * of_values});
  }
  add_to_chunk(k, c, sums, values);
}

// From `first`, `chunk_step`, `first_column`, `splits`, `begin` and `shared` on: the lane's row and columns, then four
// splits at a time, several times four on their way.
void Attention::combine(Combination& c) {
  Scratch scratch(r);
  const Sgpr trips = scratch.s("fours of splits"), chunks = scratch.s("chunks of the lane");
  k.comment("the lane's row and columns");
  k.s_sub_i32(t[0], dim_v, c.first_column);
  k.s_min_i32(t[0], t[0], plan.wave_tiles() * atom.extent);
  k.s_max_i32(t[0], t[0], 0);
  k.s_lshr_b32(t[0], t[0], log2(quad));
  k.s_lshl_b32(c.limit, t[0], c.w.log2_rows);
  k.s_cmp_lt_u32(c.first, c.limit);
  k.when_scc(false, "has_chunks", [&] { k.s_endpgm(); });
  k.s_sub_u32(trips, c.limit, c.first);
  k.s_add_u32(trips, trips, c.chunk_step);
  k.s_sub_u32(trips, trips, 1);
  divide(kernel, chunks, trips, c.chunk_step);
  k.s_add_u32(trips, c.splits, quad - 1);
  k.s_lshr_b32(trips, trips, log2(quad));
  k.s_mul_i32(trips, trips, chunks);
  k.s_mul_i32(c.end, part_sizes[&Args::splits], c.w.step);
  k.s_lshr_b32(c.o_step, c.chunk_step, c.w.log2_rows);
  k.s_lshl_b32(c.o_step, c.o_step, log2(quad * element_bytes));
  tensor(c.o, O, head);
  k.v_add_u32(c.number, c.first, lane_id);
  k.v_lshlrev_b32(c.at, log2(chunk_bytes), c.number);
  k.v_add_u32(c.at, sums_bytes(), c.at);
  k.v_lshrrev_b32(half, c.w.log2_rows, c.number);
  k.v_lshlrev_b32(x, c.w.log2_rows, half);
  k.v_sub_u32(column, c.number, x);
  k.v_lshlrev_b32(c.at_sums, 3, column);
  find_rows();
  row_address(c.to, 0, O);
  k.v_lshl_add_u32(c.to, half, log2(quad * element_bytes), c.to);
  k.s_lshl_b32(t[0], c.first_column, log2(element_bytes));
  k.v_add_u32(c.to, t[0], c.to);
  rows_left(t[0]);
  k.v_cmp_gt_u32(vcc, t[0], column);
  k.mask_mov(exec, vcc);
  k.s_mov_b32(c.w.next, c.begin);
  k.s_mov_b32(c.to_load, c.splits);
  begin_chunk(k, c);
  {
    std::vector<Owned<File::v>> fours;
    const int dwords = quad * (quad + 2), last = std::max(r.v.high_water(), 128);
    const auto fits = [&](std::optional<int> at) { return at && *at + dwords <= last; };
    while (fours.size() < 2 || (fours.size() < 5 && fits(r.v.next_free(dwords, quad))))
      fours.push_back(r.v.alloc(dwords, "partial results of four splits", quad));
    c.take_places(r, static_cast<int>(fours.size()), replays_loads());
    k.v_cmp_gt_u32(vcc, c.limit, c.number);
    k.v_mov_b32(c.here(0), out_of_range);
    k.v_cndmask_b32(c.here(0), c.here(0), c.at, vcc);
    Pipeline pipeline{.slots = static_cast<int>(fours.size()), .past_end = true};
    pipeline.at(ahead(pipeline.slots - 1),
                [&](int slot) { return load_partials(c, fours[static_cast<size_t>(slot)], slot); });
    pipeline.at(ahead(0), [&](int slot) { return add_partials(c, fours[static_cast<size_t>(slot)]); });
    pipeline.emit(k, trips);
  }
  if (plan.latent) {
    k.s_cmp_lg_u32(c.shared, 0);
    k.when_scc(true, "shared_splits", [&] {
      add_waves(c);
      finish_chunk(k, c);
    });
  }
  k.s_add_u32(t[0], c.first, c.first_column);
  k.s_cmp_eq_u32(t[0], 0);
  k.when_scc(true, "first_chunks", [&] { store_lse(0, c.row_total, c.row_top, c.to); });
  k.s_endpgm();
}

// By the last wave, for all of its columns.
void Attention::combine_here(const Splits& w, Sgpr first_column) {
  Combination c(r, w);
  k.s_mov_b32(c.first, 0);
  k.s_mov_b32(c.chunk_step, atom.lanes);
  k.s_mov_b32(c.first_column, first_column);
  k.s_mov_b32(c.splits, part_sizes[&Args::splits]);
  k.s_mov_b32(c.begin, 0);
  k.s_mov_b32(c.shared, 0);
  combine(c);
}

// The second launch has a workgroup for each K/V head, tile of rows, wave that had the rows, and chunks. Its waves have
// the same chunks and a part of the splits each (a multiple of four, except the last), or chunks of their own.
void Attention::combine_launched() {
  k.bind(*second_launch);
  if (reloads)
    for (const auto* group : {&pointers, &lse, &strides, &lse_strides}) kernel.load(*group);
  const Splits w(r);
  Combination c(r, w);
  Scratch scratch(r);
  const Sgpr splits = part_sizes[&Args::splits], of_wave = scratch.s("wave that had the rows");
  k.comment("the second launch");
  k.s_and_b32(of_wave, kernel.workgroup[1], plan.waves - 1);
  k.s_and_b32(q0, q0, -block_rows);
  k.s_lshl_b32(t[0], of_wave, log2(wave_rows));
  k.s_add_u32(q0, q0, t[0]);
  k.s_cmp_lt_u32(q0, row_count);
  k.when_scc(false, "rows_combine", [&] { k.s_endpgm(); });
  find_splits(w, of_wave);
  kernel.load(c.chunk_step, args[&Args::combines]);
  k.s_lshl_b32(c.chunk_step, c.chunk_step, log2(atom.lanes));
  k.s_mov_b32(c.first_column, 0);
  k.s_lshr_b32(c.first, kernel.workgroup[1], log2(plan.waves));
  k.s_mov_b32(c.splits, splits);
  k.s_mov_b32(c.begin, 0);
  k.s_mov_b32(c.shared, 0);
  kernel.load(t.slice(0, 1), args[&Args::split_waves]);
  k.s_cmp_lg_u32(t[0], 1);
  k.when_scc(true, "shares_splits", [&] {
    k.s_mov_b32(c.shared, -1);
    k.s_add_u32(t[0], splits, plan.waves * quad - 1);
    k.s_lshr_b32(t[0], t[0], log2(plan.waves * quad));
    k.s_lshl_b32(t[0], t[0], log2(quad));
    k.s_mul_i32(t[1], t[0], wave);
    k.s_min_u32(t[1], t[1], splits);
    k.s_sub_u32(c.splits, splits, t[1]);
    k.s_min_u32(c.splits, c.splits, t[0]);
    k.s_mul_i32(c.begin, t[1], w.step);
  });
  k.s_cmp_lg_u32(c.shared, 0);
  k.when_scc(false, "shares_chunks", [&] {
    k.s_lshl_b32(c.first, c.first, log2(plan.waves));
    k.s_add_u32(c.first, c.first, wave);
  });
  k.s_lshl_b32(c.first, c.first, log2(atom.lanes));
  combine(c);
}

}  // namespace wavesmith::attention
