// The schedule whose softmax is beside the products of the tile before. A step has two stages, each after a barrier:
// S and dP of its tile; then dQ, dV and dK of the tile before, beside the softmax. A barrier stands before the last
// products of a stage, whose fragments have been read: they run beside the first reads of the next one.
#include "generator/schedule/interleave.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {
namespace {

// After each of n parts of the anchors, a part of each side.
Pipeline::Merge in_turn(size_t n) {
  return [parts = static_cast<int>(n)](const Block& anchors, const std::vector<Block>& sides) {
    Block b(anchors.arch());
    for (int i = 0; i < parts; ++i) {
      b << wavesmith::part(anchors, i, parts);
      for (const Block& side : sides) b << wavesmith::part(side, i, parts);
    }
    return b;
  };
}

}  // namespace

Pipeline Backward::overlapped_tiles() {
  const Arch arch = k.arch();
  const auto joined = [](Steps first, const Steps& then) {
    first.insert(first.end(), then.begin(), then.end());
    return first;
  };
  const Steps dp_steps = part.dx ? score_steps(0, Of::y) : Steps{}, of_dq = part.adds_dq ? dq_steps() : Steps{};
  const Steps scores = joined(score_steps(0, Of::x), dp_steps), seconds = joined(of_dq, product_steps());
  const auto turn = static_cast<size_t>(ring_fragments());
  if (scores.size() % turn || seconds.size() % turn)
    throw OutOfRegisters(
        fmt::format("{} fragments in turn of {} and {} products", turn, scores.size(), seconds.size()));
  // Of the products that begin the softmax, only those of dP can wait.
  const size_t late_scores = std::min(turn / 2, dp_steps.size()), late_seconds = turn / 2,
               early_scores = scores.size() - late_scores, early_seconds = seconds.size() - late_seconds;

  const auto products = [this](Ahead by, const Steps& of, size_t from, size_t to) -> Pipeline::Stage {
    return {by, [=, this](int) { return through_ring(of, from, to, ring_fragments()); }};
  };
  const auto reads_of = [this](Ahead by, const Steps& of, size_t from, size_t to) -> Pipeline::Stage {
    return {by, [=, this](int) { return reads(of, from, to); }};
  };
  const auto both = [this](Ahead by, const std::function<Block(MovingTiles&)>& phase) -> Pipeline::Stage {
    return {by, [=, this](int) { return of_tiles(phase); }};
  };
  constexpr int softmax_parts = 16;
  const auto softmax_of = [this](int from, int to) {
    Pipeline::Stages stages;
    for (const bool masked : {false, true})
      stages.push_back({ahead(0).in_segment(masked), [=, this](int) {
                          const Block all = softmax(masked);
                          Block b(all.arch());
                          for (int i = from; i < to; ++i) b << wavesmith::part(all, i, softmax_parts);
                          return b;
                        }});
    return stages;
  };
  const Ahead next = ahead(1).over(1), before = delayed(1);
  const Pipeline::Stage barrier{before, [this](int) { return stage_barrier(); }};

  Pipeline p{.slots = 1, .past_end = true};
  p.at(barrier);
  p.at(ahead(0), [this](int) { return begin_scores(0, Of::x); });
  p.at(reads_of(ahead(0), scores, 0, turn - late_seconds));
  p.merge(in_turn(late_seconds), {products(delayed(2), seconds, early_seconds, seconds.size())},
          {{reads_of(ahead(0), scores, turn - late_seconds, turn)}});
  if (part.dx) p.at(ahead(0), [this](int) { return begin_scores(0, Of::y); });
  p.merge(evenly, {products(ahead(0), scores, 0, early_scores)},
          {{both(before, [=](MovingTiles& of) { return of.store_columns(arch); })},
           {{before, [this](int) { return keep_weights() << store_ds(); }}},
           {both(next, [=](MovingTiles& of) { return of.load_rows(arch); }),
            {next, [this](int) { return load_values(); }}}});
  p.at(barrier);
  p.at(reads_of(before, seconds, 0, turn - late_scores));
  if (late_scores)
    p.merge(in_turn(late_scores), {products(ahead(0), scores, early_scores, scores.size())},
            {{reads_of(before, seconds, turn - late_scores, turn)}});
  // Memory completes in order: a load does not wait for the sums of its own step.
  const auto load_columns = both(ahead(0), [=, this](MovingTiles& of) { return of.load_columns(arch, t.slice(0, 2)); });
  const int of_softmax = static_cast<int>(softmax_parts * of_dq.size() / early_seconds);
  Pipeline::Stages beside_seconds{load_columns};
  if (part.adds_dq) {
    p.merge(evenly, {products(before, seconds, 0, of_dq.size())}, {{load_columns}, softmax_of(0, of_softmax)});
    beside_seconds = {{before, [this, arch](int) { return dq.add(arch, t.slice(2, 1)); }}};
  }
  p.merge(evenly, {products(before, seconds, of_dq.size(), early_seconds)},
          {beside_seconds,
           softmax_of(of_softmax, softmax_parts),
           {both(next, [=](MovingTiles& of) { return of.store_rows(arch); }),
            {next, [this](int) { return store_values(); }}}});
  return p;
}

// Zeros: what the first steps multiply for the tiles before, and the last fragments.
void Backward::clear_weights() {
  for (const Accumulators* of : {&p_now, &ds_now}) of->clear(k);
  for (const auto* of : {&p_next, &ds_next})
    for (const auto& block : *of)
      for (int i = 0; i < block.dwords; ++i) k.v_mov_b32(block[i], 0);
  for (int i = 0; i < ring.dwords; ++i) k.v_mov_b32(ring[i], 0);
}
Block Backward::keep_weights() {
  Block b(k.arch(), "keep_weights");
  for (const auto& [to, from] : {std::pair{&p_now, &p_next}, {&ds_now, &ds_next}})
    for (size_t o = 0; o < from->size(); ++o)
      for (int i = 0; i < (*from)[o].dwords; ++i)
        to->write(b, static_cast<int>(o) * blocks + i / atom.a.registers, i % atom.a.registers, (*from)[o][i]);
  return b;
}
Block Backward::store_ds() {
  Block b(k.arch(), "store_ds");
  for (int block = 0; block < blocks; ++block) write_ds(b, block, 0);
  return b;
}

}  // namespace wavesmith::attention
