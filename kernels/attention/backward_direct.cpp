// The schedule of workgroups of keys whose tiles of Q and dO are loaded directly to LDS, once, and read along rows and,
// transposed, along columns. A wave is alone on its SIMD and owns twice the atom's extent of keys, so that each
// fragment is multiplied twice; S becomes P, and dP becomes dS, in the registers where they were computed.
//
// A step, in the order of its matrix instructions: S; dP, beside the exponentials; dV, beside dS and its stores; dK. dQ
// of the tile before is spread over S, dP and the first half of dV, its sums are added beside dK. Of the wave's two
// tiles of keys, S and dP of tile 1 are complete first: its exponentials and its dS stand beside the last products of
// tile 0. One barrier: it stands before the last products of dK, whose fragments have been read, so that these run
// beside the first reads of the next tile.
#include "generator/schedule/interleave.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {
namespace {

// The stages of a step. Fragments of all its products take turns in one ring of registers, in their order; so do those
// of dQ in another.
struct Direct {
  Backward& of;
  const Arch arch = of.k.arch();
  const int ring = of.ring_fragments();
  // Steps: where dP, dV and dK begin; the end; from `last` on the fragments have been read when the barrier is reached.
  const size_t dp = of.score_steps(0, Backward::Of::x).size(), dv = dp + of.score_steps(0, Backward::Of::y).size(),
               dk = dv + of.product_steps(0, Backward::Of::y).size(),
               end = dk + of.product_steps(0, Backward::Of::x).size(), last = end - static_cast<size_t>(ring) + 1;

  Backward::Steps steps(int slot) const {
    using Of = Backward::Of;
    Backward::Steps all;
    for (const auto& some : {of.score_steps(slot, Of::x), of.score_steps(slot, Of::y), of.product_steps(slot, Of::y),
                             of.product_steps(slot, Of::x)})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }
  Pipeline::Stage at(Ahead by, std::function<void(Block&, int slot)> what) const {
    return {by, [this_arch = arch, what](int slot) {
              Block b(this_arch, "direct");
              what(b, slot);
              return b;
            }};
  }
  Pipeline::Stage products(Ahead by, size_t from, size_t to) const {
    return at(by, [=, *this](Block& b, int slot) { b << of.through_ring(steps(slot), from, to, ring); });
  }
  Pipeline::Stage first_reads(size_t from, size_t to) const {
    return at(ahead(0), [=, *this](Block& b, int slot) { b << of.reads(steps(slot), from, to); });
  }
  // Of the tile before, in sixteenths.
  Pipeline::Stage dq(int from, int to) const {
    return at(delayed(1), [=, *this](Block& b, int slot) {
      const auto all = of.dq_steps(slot);
      const auto step = [&](int i) { return all.size() * static_cast<size_t>(i) / 16; };
      b << of.through_ring(all, step(from), step(to), of.dq_fragments());
    });
  }
  Pipeline::Stage first_reads_of_dq() const {
    return at(delayed(1), [*this](Block& b, int slot) {
      b << of.reads(of.dq_steps(slot), 0, static_cast<size_t>(of.dq_fragments()));
    });
  }
  Pipeline::Stage begin_scores(Backward::Of which) const {
    return at(ahead(0), [=, *this](Block& b, int slot) { b << of.begin_scores(slot, which); });
  }
  Pipeline::Stage exponentials(int o) const {
    return at(ahead(0), [=, *this](Block& b, int) {
      for (int block = 0; block < of.blocks; ++block) of.exponentials(b, block, o);
    });
  }
  Pipeline::Stages weights(int block, int o) const {
    Pipeline::Stages stages;
    for (const bool masked : {false, true})
      stages.push_back(at(ahead(0).in_segment(masked), [=, *this](Block& b, int) {
        of.weights(b, block, o, masked);
        if (masked && block + 1 == of.blocks && !o) of.next_limit(b);
      }));
    return stages;
  }
  Pipeline::Stage pack_ds(int block, int o) const {
    return at(ahead(0), [=, *this](Block& b, int) { of.pack_weights(b, false, block, o); });
  }
  // Of one tile of the wave: the other's work begins while these run. Tile 0 is the last to use the fragments.
  Pipeline::Stage products_of(int o, size_t from, size_t to) const {
    return at(ahead(0), [=, *this](Block& b, int slot) {
      const auto all = steps(slot);
      for (size_t i = from; i < to; ++i) {
        all[i].use(b, static_cast<int>(i), {o, o});
        const size_t next = i + static_cast<size_t>(ring);
        if (!o && next < all.size()) all[next].read(b, static_cast<int>(next));
      }
    });
  }
  Pipeline::Stage write_ds(int block) const {
    return at(ahead(0), [=, *this](Block& b, int slot) { of.write_ds(b, block, slot); });
  }
  Pipeline::Stage fetch(bool of_x) const {
    return at(ahead(1), [=, *this](Block& b, int slot) {
      if (of_x) b << of.X.fetch(arch, slot, of.t);
      else b << of.Y.fetch(arch, slot, of.t) << of.fetch_values(slot);
    });
  }
  Pipeline::Stage wait_for_fetch() const {
    return at(ahead(1), [*this](Block& b, int slot) {
      of.X.wait_for_fetch(b, slot), of.Y.wait_for_fetch(b, slot), b.wait_for_lds(of.rows_tag + slot);
    });
  }
};

}  // namespace

Pipeline Backward::direct_tiles() {
  const Direct d{*this};
  if (d.end % static_cast<size_t>(d.ring) || d.last <= d.dk || blocks != 2 || owned != 2)
    throw OutOfRegisters(fmt::format("{} fragments in turn of {} steps of dK", d.ring, d.end - d.dk));
  const bool adds = part.adds_dq;
  using Sides = std::vector<Pipeline::Stages>;
  const auto beside = [&](Sides sides, int dq_from, int dq_to) {
    if (adds) sides.push_back({d.dq(dq_from, dq_to)});
    return sides;
  };
  const auto then = [](Pipeline::Stages all, const Pipeline::Stages& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  Pipeline p{.slots = slots, .past_end = true};
  p.at(delayed(1), [this](int) { return stage_barrier(); });
  // A fragment is read when the one before it in its registers is multiplied.
  p.at(d.first_reads(0, 1));
  Sides first{{d.begin_scores(Of::x)}, {d.first_reads(1, static_cast<size_t>(d.ring))}};
  if (adds) first.push_back({d.first_reads_of_dq()});
  p.merge(
      [this](const Block& anchors, const std::vector<Block>& sides) {
        std::vector<Side> all{{sides[0], {.count = 2}}, {sides[1], {.every = owned}}};
        if (sides.size() > 2) all.push_back({sides[2], {.after = 2}});
        return interleave(anchors, all);
      },
      {d.products(delayed(1), d.last, d.end)}, first);
  p.at(d.begin_scores(Of::y));
  // The last steps of S and of dP, as many as the ring has fragments: first all of tile 1, then all of tile 0. Results
  // are read when three or two products of the other tile have covered their latency.
  const auto of_both = [&](size_t from, size_t to) { return to - std::min(static_cast<size_t>(d.ring), to - from); };
  const size_t s = of_both(0, d.dp), dp = of_both(d.dp, d.dv), s_read = std::min(s + 3, d.dp),
               dp_read = std::min(dp + 2, d.dv), half = d.dp + (dp - d.dp) / 2;
  p.merge(level, {d.products(ahead(0), 0, s), d.products_of(1, s, d.dp), d.products_of(0, s, s_read)},
          beside({{d.fetch(true)}}, 0, 1));
  p.merge(level, {d.products_of(0, s_read, d.dp), d.products(ahead(0), d.dp, half)},
          beside({{d.exponentials(1)}}, 1, 5));
  p.merge(level, {d.products(ahead(0), half, dp), d.products_of(1, dp, d.dv), d.products_of(0, dp, dp_read)},
          beside({{d.exponentials(0)}, {d.fetch(false)}}, 5, 9));
  p.merge(level, {d.products_of(0, dp_read, d.dv)}, beside({then(d.weights(0, 1), {d.pack_ds(0, 1)})}, 9, 11));
  // Of dV, a product of tile 1 needs no P of tile 0.
  Pipeline::Stages before_dv{d.products_of(1, d.dv, d.dv + 1)};
  if (adds) before_dv.insert(before_dv.begin(), d.dq(11, 12));
  p.merge(level, before_dv, {d.weights(0, 0)});
  p.at(d.products_of(0, d.dv, d.dv + 1));
  const size_t others = d.dv + (d.dk - d.dv) / 2;
  const Pipeline::Stages weights =
      then(then({d.pack_ds(0, 0)}, then(d.weights(1, 1), {d.pack_ds(1, 1)})), then(d.weights(1, 0), {d.pack_ds(1, 0)}));
  p.merge(level, {d.products(ahead(0), d.dv + 1, others)}, beside({weights}, 12, 16));
  Sides store_ds;
  if (adds) store_ds.push_back({d.write_ds(0), d.write_ds(1)});
  p.merge(level, {d.products(ahead(0), others, d.dk)}, store_ds);
  p.at(d.wait_for_fetch());  // memory completes in order: the barrier need not wait for the additions
  Sides sums;
  if (adds) sums.push_back({{delayed(1), [this](int) { return dq.add(k.arch(), t.slice(2, 1)); }}});
  p.merge(level, {d.products(ahead(0), d.dk, d.last)}, sums);
  return p;
}

// Zeros: dS, and the fragments that are multiplied by it.
void Backward::clear_products() {
  for (int o = 0; o < owned; ++o)
    for (int block = 0; block < blocks; ++block)
      for (int i = 0; i < atom.a.registers; ++i) k.v_mov_b32(block_of(false, o, block)[i], 0);
  for (int i = 0; i < ring.dwords; ++i) k.v_mov_b32(ring[i], 0);
}

}  // namespace wavesmith::attention
