// The pipelined schedules. A step is the softmax of its tile, vector instructions alone, then the matrix instructions
// of S of the next tile and of O with this one's P, beside the LDS accesses and loads. Two waves of a SIMD take turns:
// one's softmax runs beside the other's matrix instructions. Where both have matrix instructions, the one that is
// further in its step has the higher priority and finishes, so that they come to take turns.
#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

Block Attention::priority(int p) {
  Block b(k.arch(), "priority");
  b.s_setprio(p);
  return b;
}
Block Attention::softmax() {
  Block b = find_maximum() << rescale_if_grown() << exponentials();
  for (int i = 0; i < blocks; ++i) b << pack(i);
  return b;
}
Block Attention::scores(int first, int count) {
  Block b(k.arch(), "scores");
  for (int step = first; step < first + count; ++step)
    for (int part = 0; part < score_atom.parts(); ++part)
      for (int n = 0; n < parts; ++n) multiply_score(b, s[n].operand(), k_fragment[n * steps + step], n, 0, step, part);
  return b;
}
Block Attention::product(int block, int d) {
  Block b(k.arch(), "product");
  multiply_value(b, d, 0, block,
                 v_fragment[d * v_fragments + block / atom.parts()].slice(value_part(block, d) * atom.a.registers,
                                                                          atom.a.registers));
  return b;
}
Block Attention::products(int first, int count) {
  Block b(k.arch(), "products");
  for (int block = 0; block < blocks; ++block)
    for (int d = first; d < first + count; ++d) b << product(block, d);
  return b;
}
Block Attention::read_keys(int slot, int first, int count) {
  Block b(k.arch(), "read_keys");
  for (int step = first; step < first + count; ++step)
    for (int n = 0; n < parts; ++n) read_key(b, k_fragment[n * steps + step], slot, n, step);
  return b;
}
// In the order of the products.
Block Attention::read_values(int slot, int first, int count) {
  Block b(k.arch(), "read_values");
  for (int n = 0; n < v_fragments; ++n)
    for (int d = first; d < first + count; ++d) read_value(b, v_fragment[d * v_fragments + n], slot, n, d);
  return b;
}

void Attention::change_and_mask(Pipeline& p) {
  if (changes) p.at(ahead(0), [this](int) { return change_scores(); });
  if (bands) p.at(ahead(0).in_segment(0), [this](int) { return apply_mask(); });
  p.at(ahead(0).in_segment(masked_segment()), [this](int) { return apply_mask(); });
  if (bands) p.at(ahead(0), [this](int) { return next_mask_key(); });
}

// The barrier stands between the two halves, when a wave has used what it read in the step before. Behind it, tile t of
// V and tile t + 2 of K are in LDS, and those that precede them in their buffers are read. Keys past the last read as
// zero.
Pipeline Attention::pipelined_tiles() {
  Pipeline p{.slots = 2, .past_end = true};
  block_scale_phases(p);
  change_and_mask(p);
  p.at(ahead(0), [this](int) { return softmax(); });
  p.at(ahead(2).over(2), [this](int) { return stage_barrier(); });
  if (cfg.mx) p.at(ahead(1), [this](int) { return complete_key_mx(); });
  p.at(ahead(1), [this](int) { return priority(1); });
  Pipeline::Stages moves;
  if (direct)
    moves = {{ahead(3).over(2), [this](int slot) { return fetch_keys(slot); }},
             {ahead(1), [this](int slot) { return fetch_values(slot); }}};
  else
    moves = {{ahead(3).over(2), [this](int slot) { return store_keys(slot); }},
             {ahead(1), [this](int slot) { return store_values(slot); }},
             {ahead(4).over(1), [this](int) { return load_keys(); }},
             {ahead(2).over(1), [this](int) { return load_values(); }}};
  moves.push_back({ahead(0), [this](int slot) { return read_values(slot, 0, d_tiles); }});
  p.merge(spread, {{ahead(1), [this](int) { return scores(0, steps); }}}, {moves});
  if (cfg.mx) p.at(ahead(2).over(1), [this](int) { return load_key_mx(); });
  if (cfg.mx) p.at(ahead(0).in_segment(1), [this](int) { return complete_value_mx(); });
  p.at(ahead(0), [this](int) { return priority(2); });
  p.merge(spread, {{ahead(0), [this](int) { return products(0, d_tiles); }}},
          {{{ahead(2).over(2), [this](int slot) { return read_keys(slot, 0, steps); }}}});
  if (cfg.mx) p.at(ahead(1).over(1), [this](int) { return load_value_mx(); });
  p.at(ahead(0), [this](int) { return priority(0); });
  return p;
}

// Fewer registers and less LDS: fragments of V are read into registers of K whose products are done, and the other way
// round. K has one LDS buffer: tile t + 2 is stored after the first barrier, when tile t + 1 is read, and is read
// after the second one, beside the products of P V.
Pipeline Attention::shared_tiles() {
  const int values = d_tiles * v_fragments, d_half = d_tiles / 2, half = values / 2;
  Pipeline p{.slots = 2, .past_end = true};
  change_and_mask(p);
  p.at(ahead(0), [this](int) { return softmax(); });
  p.at(ahead(1), [this](int) { return stage_barrier(); });
  p.at(ahead(1), [this](int) { return priority(1); });
  p.merge(spread, {{ahead(1), [=, this](int) { return scores(0, half); }}},
          {{{ahead(2).over(1), [this](int slot) { return store_keys(slot); }},
            {ahead(1), [this](int slot) { return store_values(slot); }}}});
  p.merge(spread, {{ahead(1), [=, this](int) { return scores(half, half); }}},
          {{{ahead(0), [=, this](int slot) { return read_values(slot, 0, d_half); }},
            {ahead(3).over(1), [this](int) { return load_keys(); }}}});
  p.merge(spread, {{ahead(1), [=, this](int) { return scores(values, steps - values); }}},
          {{{ahead(0), [=, this](int slot) { return read_values(slot, d_half, d_tiles - d_half); }},
            {ahead(2).over(1), [this](int) { return load_values(); }}}});
  p.at(ahead(2).over(1), [this](int) { return stage_barrier(); });
  p.at(ahead(0), [this](int) { return priority(2); });
  p.merge(spread, {{ahead(0), [=, this](int) { return products(0, d_half); }}},
          {{{ahead(2).over(1), [=, this](int slot) { return read_keys(slot, values, steps - values); }}}});
  p.merge(spread, {{ahead(0), [=, this](int) { return products(d_half, d_tiles - d_half); }}},
          {{{ahead(2).over(1), [=, this](int slot) { return read_keys(slot, 0, half); }}}});
  p.at(ahead(2).over(1), [=, this](int slot) { return read_keys(slot, half, values - half); });
  p.at(ahead(0), [this](int) { return priority(0); });
  return p;
}

}  // namespace wavesmith::attention
