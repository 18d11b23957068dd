// The backward kernels' schedule where nothing is beside the softmax. A step multiplies S = X x^T and dP = Y y^T of its
// tile, computes P and dS, and multiplies dx^T += X^T dS and dy^T += Y^T P. Each tile has one LDS buffer for fragments
// of rows, which S and dP read, and one for those of columns, which the second products read: while one is read, the
// other is filled. Rows of the next tile are loaded beside S and dP and stored beside the second products; columns are
// loaded beside the second products and stored beside the next S and dP.
#include "generator/schedule/interleave.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith {
namespace attention {

Pipeline Backward::tiles() {
  const Arch arch = k.arch();
  const auto next = ahead(1).over(1);
  const Pipeline::Stage load_rows{
      next, [=, this](int) { return of_tiles([&](MovingTiles& of) { return of.load_rows(arch); }) << load_values(); }},
      store_rows{
          next,
          [=, this](int) { return of_tiles([&](MovingTiles& of) { return of.store_rows(arch); }) << store_values(); }},
      load_columns{
          next,
          [=, this](int) { return of_tiles([&](MovingTiles& of) { return of.load_columns(arch, t.slice(0, 2)); }); }},
      store_columns{ahead(0),
                    [=, this](int) { return of_tiles([&](MovingTiles& of) { return of.store_columns(arch); }); }};
  const Ahead last = part.adds_dq ? delayed(1) : ahead(0);  // dQ of the tile before
  Pipeline p{.slots = 1, .past_end = true};
  p.at(last, [this](int) { return stage_barrier(); });
  if (part.adds_dq) p.at(last, [this](int) { return first_reads(dq_steps()); });
  if (shape.one_stage) p.at(store_columns);
  std::vector<Pipeline::Stages> at_once;
  if (!shape.one_stage) at_once.push_back({store_columns});
  if (part.adds_dq)
    p.merge(evenly, {{last, [this](int) { return through_ring(dq_steps()); }}}, std::exchange(at_once, {}));
  p.at(ahead(0), [this](int) { return first_reads(score_steps()) << begin_scores(); });
  at_once.push_back({load_rows});
  p.merge(evenly, {{ahead(0), [this](int) { return through_ring(score_steps()); }}}, at_once);
  p.at(ahead(0), [this](int) { return end_scores(); });
  p.at(last, [this](int) { return stage_barrier(); });
  p.at(ahead(0), [this](int) { return first_reads(product_steps()); });
  for (const bool masked : {true, false})  // segments
    p.at(ahead(0).in_segment(masked), [this, masked](int) { return softmax(masked); });
  if (shape.one_stage) p.at(store_rows);
  std::vector<Pipeline::Stages> sides{{load_columns}};
  // Memory completes in order: a load does not wait for the sums of its own step.
  if (part.adds_dq) sides[0].push_back({last, [this, arch](int) { return dq.add(arch, t.slice(2, 1)); }});
  if (!shape.one_stage) sides.push_back({store_rows});
  p.merge(evenly, {{ahead(0), [this](int) { return through_ring(product_steps()); }}}, sides);
  return p;
}

void Backward::build() {
  declare();
  prologue();
  const auto head_of_tiles = [&] {
    begin_head();
    (shape.direct       ? direct_tiles()
     : shape.overlapped ? overlapped_tiles()
                        : tiles())
        .emit(k, {{.trips = whole_left}, {.trips = masked_left}});
  };
  if (part.of_keys) {
    k.s_mov_b32(heads_left, sizes[&Args::group]);
    k.loop("heads", heads_left, [&] {
      head_of_tiles();
      next_head();
    });
  } else {
    head_of_tiles();
  }
  epilogue();
}

// S and P are no longer needed; the epilogue uses their registers.
void Backward::epilogue() {
  k.comment("results");
  for (auto* of : {&s, &dp, &p_next, &ds_next}) of->clear();
  for (auto* of : {&philox_factors, &philox_key, &seed, &drop_head}) of->free();
  if (shape.direct) {
    for (auto* each : {&x_, &y_, &column, &half}) *each = r.v.alloc(1, "of the lane, again");
    if (part.adds_dq) dq.restore(k, kernel.workitem);
    lane.column = column, lane.half = half, lane.x = x_, lane.y = y_;
    find_lane();
  }
  if (shape.overlapped) k << stage_barrier();  // lines pass through the LDS of tiles
  const auto store_result = [&](const Result& of) { by_lines() ? store_lines(of) : store(of); };
  if (part.dx)
    store_result({dx, tiles_x, dim_x, &Args::dx, &Args::dx_batch, &Args::dx_head, &Args::dx_row, sizes[&Args::scale]});
  if (part.dy)
    store_result({dy, tiles_y, dim_y, &Args::dy, &Args::dy_batch, &Args::dy_head, &Args::dy_row,
                  cfg.dropout ? keep_scale : Sgpr{}});
  k.s_endpgm();
}

}  // namespace attention
}  // namespace wavesmith
