// The sequential schedule: a step multiplies K Q^T of its tile, computes its softmax and multiplies P V, while the next
// tile is on its way from memory. Fragments of K and V take turns in a ring of registers: each is read as soon as the
// one before it there is multiplied; the first ones of V are read before the softmax. Schedule decode is the same by
// single waves: a wave's LDS accesses are in order, so one tile in LDS and no barrier suffice.
#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

void Attention::read_key_fragment(Block& b, int slot, int i) {
  if (i < steps * parts) read_key(b, fragment(i), slot, i % parts, step_in_turn(i / parts));
}
void Attention::read_value_fragment(Block& b, int slot, int i) {
  if (i < v_fragments * d_tiles) read_value(b, fragment(i), slot, i / d_tiles, tile_in_turn(i % d_tiles));
}
Block Attention::read_first_keys(int slot) {
  Block b(k.arch(), "read_first_keys");
  for (int i = 0; i < ring_fragments(); ++i) read_key_fragment(b, slot, i);
  return b;
}
Block Attention::read_first_values(int slot) {
  Block b(k.arch(), "read_first_values");
  for (int i = 0; i < ring_fragments(); ++i) read_value_fragment(b, slot, i);
  return b;
}

Block Attention::all_scores(int slot) {
  Block b(k.arch(), "all_scores");
  for (int i = 0; i < steps * parts; ++i) {
    const int step = step_in_turn(i / parts), n = i % parts;
    for (int part = 0; part < score_atom.parts(); ++part)
      for (int c = 0; c < columns; ++c) {
        const int tile = n * columns + c;
        multiply_score(b, scores_in_agprs ? s_acc(tile) : s[tile].operand(), fragment(i), n, c, step, part);
      }
    read_key_fragment(b, slot, i + ring_fragments());
  }
  if (scores_in_agprs)
    for (int tile = 0; tile < parts * columns; ++tile)
      for (int i = 0; i < atom.items; ++i) s_acc.read(b, s[tile][i], tile, i);
  return b;
}

Block Attention::packed_weights(int fragment) {
  Block b(k.arch(), "pack");
  if (fragment >= v_fragments) return b;
  if (plan.latent && fragment) b << exponentials(fragment * fragment_scores(), fragment_scores());
  for (int part = 0; part < atom.parts(); ++part) b << pack(fragment * atom.parts() + part);
  return b;
}
// P is packed one fragment of keys ahead of its product.
Block Attention::all_products(int slot) {
  Block all = packed_weights(0);
  for (int n = 0; n < v_fragments; ++n) {
    Block b(k.arch(), "all_products");
    for (int turn = 0; turn < d_tiles; ++turn) {
      const int i = n * d_tiles + turn, d = tile_in_turn(turn);
      for (int part = 0; part < atom.parts(); ++part) {
        const int block = n * atom.parts() + part;
        for (int c = 0; c < columns; ++c)
          multiply_value(b, d, c, block, fragment(i).slice(value_part(block, d) * atom.a.registers, atom.a.registers));
      }
      read_value_fragment(b, slot, i + ring_fragments());
    }
    all << spread(b, {packed_weights(n + 1)});
  }
  return all;
}

Pipeline Attention::sequential_tiles() {
  Pipeline p{.slots = plan.slots(), .past_end = true};
  const Ahead next = ahead(1).over(plan.slots());
  const Pipeline::Stage load_k{ahead(1).over(1), [this](int) { return load_keys(); }},
      load_v{ahead(1).over(1), [this](int) { return load_values(); }},
      store_k{next, [this](int slot) { return store_keys(slot); }},
      store_v{next, [this](int slot) { return store_values(slot); }};
  if (plan.latent) return latent_tiles();
  const auto until_read = [&] {  // by all waves, before the next tile takes the place
    if (plan.single) p.at(ahead(0), [this](int) { return stage_barrier(); });
  };
  if (!decode) p.at(ahead(0), [this](int) { return stage_barrier(); });
  p.at(ahead(0), [this](int slot) { return read_first_keys(slot); });
  if (frugal || !decode) p.at(load_k);
  if (!frugal && !decode) p.at(load_v);
  if (cfg.mx) p.at(ahead(0), [this](int) { return complete_key_mx(); });
  p.at(ahead(0), [this](int slot) { return all_scores(slot); });
  if (cfg.mx) p.at(ahead(1).over(1), [this](int) { return load_key_mx(); });
  p.at(ahead(0), [this](int slot) { return read_first_values(slot); });
  block_scale_phases(p);
  if (frugal) {
    until_read();
    p.at(store_k).at(load_v);
  }
  if (changes) p.at(ahead(0), [this](int) { return change_scores(); });
  if (cfg.bias || cfg.documents) p.at(ahead(1).over(1), [this](int) { return load_scores(); });
  p.at(ahead(0).in_segment(1), [this](int) { return apply_mask(); });
  p.at(ahead(0), [this](int) { return find_maximum() << rescale_if_grown() << exponentials(); });
  if (cfg.mx) p.at(ahead(0).in_segment(1), [this](int) { return complete_value_mx(); });
  p.at(ahead(0), [this](int slot) { return all_products(slot); });
  if (cfg.mx) p.at(ahead(1).over(1), [this](int) { return load_value_mx(); });
  until_read();
  if (!frugal) p.at(store_k);
  p.at(store_v);
  if (!frugal && decode)  // the tile after the one just stored, into the same registers
    p.at(ahead(2).over(1), load_k.phase).at(ahead(2).over(1), load_v.phase);
  return p;
}

}  // namespace wavesmith::attention
