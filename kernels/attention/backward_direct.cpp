// The schedule of workgroups of keys whose tiles of Q and dO are loaded directly to LDS, once, and read along rows and,
// transposed, along columns. A wave is alone on its SIMD and owns twice the atom's extent of keys, so that each
// fragment is multiplied twice; S becomes P, and dP becomes dS, in the registers where they were computed.
//
// A step, in the order of its matrix instructions: S; dP, beside the exponentials; a part of the dQ of the tile before,
// beside the first dS; dV, beside the rest of dS; dK. The other parts of dQ are spread over S, dP and dV, its sums are
// added beside dK. One barrier: it stands before the last products of dK, whose fragments have been read, so that
// these run beside the first reads of the next tile.
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
  Pipeline::Stage exponentials() const {
    return at(ahead(0), [*this](Block& b, int) {
      for (int block = 0; block < of.blocks; ++block) of.exponentials(b, block);
    });
  }
  Pipeline::Stages weights(int block) const {
    Pipeline::Stages stages;
    for (const bool masked : {false, true})
      stages.push_back(at(ahead(0).in_segment(masked), [=, *this](Block& b, int) {
        of.weights(b, block, masked);
        if (masked && block + 1 == of.blocks) of.next_limit(b);
      }));
    return stages;
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
  if (d.end % static_cast<size_t>(d.ring) || d.last <= d.dk)
    throw OutOfRegisters(fmt::format("{} fragments in turn of {} steps of dK", d.ring, d.end - d.dk));
  const bool adds = part.adds_dq;
  const auto beside = [&](Pipeline::Stages side, std::optional<Pipeline::Stage> dq) {
    std::vector<Pipeline::Stages> sides{std::move(side)};
    if (adds && dq) sides.push_back({*dq});
    return sides;
  };
  Pipeline p{.slots = slots, .past_end = true};
  p.at(delayed(1), [this](int) { return stage_barrier(); });
  // A fragment is read when the one before it in its registers is multiplied.
  p.at(d.first_reads(0, 1));
  std::vector<Pipeline::Stages> first{{d.begin_scores(Of::x)}, {d.first_reads(1, static_cast<size_t>(d.ring))}};
  if (adds) first.push_back({d.first_reads_of_dq()});
  p.merge(
      [this](const Block& anchors, const std::vector<Block>& sides) {
        std::vector<Side> all{{sides[0], {.count = 2}}, {sides[1], {.every = owned}}};
        if (sides.size() > 2) all.push_back({sides[2], {.after = 2}});
        return interleave(anchors, all);
      },
      {d.products(delayed(1), d.last, d.end)}, first);
  p.at(d.begin_scores(Of::y));
  p.merge(level, {d.products(ahead(0), 0, d.dp)}, beside({d.fetch(true)}, d.dq(0, 3)));
  p.at(d.products(ahead(0), d.dp, d.dp + 1));  // while the last S is completed
  auto beside_dp = beside({d.exponentials()}, d.dq(3, 7));
  beside_dp.push_back({d.fetch(false)});
  p.merge(level, {d.products(ahead(0), d.dp + 1, d.dv)}, beside_dp);
  if (adds) p.merge(level, {d.dq(7, 13)}, {d.weights(0)});
  else
    for (const auto& each : d.weights(0)) p.at(each);
  for (int block = 0; block < blocks; ++block) {
    const size_t each = (d.dk - d.dv) / static_cast<size_t>(blocks), from = d.dv + static_cast<size_t>(block) * each;
    auto sides = beside(block + 1 < blocks ? d.weights(block + 1) : Pipeline::Stages{}, d.dq(block ? 16 : 13, 16));
    if (adds && block) sides.push_back({d.write_ds(block - 1)});
    p.merge(level, {d.products(ahead(0), from, from + each)}, sides);
  }
  p.at(d.wait_for_fetch());  // memory completes in order: the barrier need not wait for the additions
  std::vector<Pipeline::Stages> of_dq;
  if (adds) of_dq = {{d.write_ds(blocks - 1)}, {{delayed(1), [this](int) { return dq.add(k.arch(), t.slice(2, 1)); }}}};
  p.merge(level, {d.products(ahead(0), d.dk, d.last)}, of_dq);
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
