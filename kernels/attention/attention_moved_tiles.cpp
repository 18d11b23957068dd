// The pipelined schedule of a wave that has its SIMD to itself: vector instructions run beside its own matrix
// instructions. A step multiplies S of the next tile beside the second half of its own softmax, then O beside the first
// half of the next tile's. When a maximum grows, the sum follows at once, O when this tile's P has been multiplied.
#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// -- Softmax, by parts of S --
Block Attention::mask_of(int first, int last) {
  Block b(k.arch(), "mask");
  const int masks = t.dwords, all = (last - first) * columns;  // a mask is read some instructions after it is made
  const auto element = [&](int n) { return first + n / columns; };
  for (int n = 0; n < all; n += masks) {
    for (int j = n; j < std::min(n + masks, all); ++j)
      b.v_cmp_lt_i32(t[j - n], layouts.key(element(j)), limit[j % columns]);
    for (int j = n; j < std::min(n + masks, all); ++j) {
      const Vgpr at = score(j % columns, element(j));
      b.v_cndmask_b32(at, minus_infinity, at, t[j - n]);
    }
  }
  return b;
}
Block Attention::next_mask() {
  Block b(k.arch(), "next_mask");
  for (int c = 0; c < columns; ++c) b.v_subrev_u32(limit[c], mask_step, limit[c]);
  b.s_mov_b32(mask_step, keys);
  return b;
}
// Of the first `last` elements, beginning with those that the call before left out. An element may be left over.
Block Attention::maximum_of(int first, int last) {
  Block b(k.arch(), "maximum");
  int i = first ? (first - 3) / 2 * 2 + 3 : 3;  // those before are compared
  for (int c = 0; c < columns && !first; ++c) b.v_max3_f32(found[c], score(c, 0), score(c, 1), score(c, 2));
  for (; i + 1 < last; i += 2)
    for (int c = 0; c < columns; ++c) b.v_max3_f32(found[c], found[c], score(c, i), score(c, i + 1));
  if (last == scores_held)
    for (int c = 0; c < columns; ++c) b.v_max_f32(found[c], found[c], score(c, last - 1));
  return b;
}
Block Attention::compare_maximum() {
  Block b(k.arch(), "compare_maximum");
  b.v_fma_f32(x, found[0], scale, neg(maximum[0]));
  for (int c = 1; c < columns; ++c) {
    b.v_fma_f32(y, found[c], scale, neg(maximum[c]));
    b.v_max_f32(x, x, y);
  }
  b.v_cmp_lt_f32(vcc, headroom, x);
  return b;
}
Block Attention::follow_maximum() {
  Block b(k.arch(), "follow_maximum");
  const SlowRescale grown{k.new_label("grown"), k.new_label("grown_back")};
  b.s_cbranch_vccnz(LabelArg{isa::label(grown.entry)});
  b.bind(grown.back);
  slow_growths.push_back(grown);
  return b;
}
Block Attention::late_o() {
  Block b(k.arch(), "late_o");
  const SlowRescale late{k.new_label("o_is_late"), k.new_label("o_is_late_back")};
  b.s_cmp_lg_u32(o_is_late, 0);
  b.s_cbranch_scc1(LabelArg{isa::label(late.entry)});
  b.bind(late.back);
  late_rescales.push_back(late);
  return b;
}
// As slow_rescale(), but for O.
void Attention::slow_growth(const SlowRescale& grown) {
  k.bind(grown.entry);
  for (int c = 0; c < columns; ++c) {
    raise_maximum(c);
    k.v_exp_f32(growth[c], y);
    for (int i : {0, 1}) k.v_sub_f32(negated[c][i], 0, maximum[c]);
    for (int i : {0, 1}) k.v_mul_f32(sum[c][i], growth[c], sum[c][i]);
  }
  k.s_mov_b32(o_is_late, 1);
  k.s_branch(LabelArg{isa::label(grown.back)});
}
void Attention::late_rescale(const SlowRescale& late) {
  k.bind(late.entry);
  for (int c = 0; c < columns; ++c)
    for (int d = 0; d < d_tiles; ++d) o.multiply(k, d * columns + c, growth[c], {x, other});
  k.s_mov_b32(o_is_late, 0);
  k.s_branch(LabelArg{isa::label(late.back)});
}

// P of a block of keys, by pairs: each is scaled while the one before it is raised and those before that are summed and
// packed, so that no instruction waits for the one before.
Block Attention::exponentials_of(int block) {
  Block b(k.arch(), "exponentials");
  constexpr int to_exp = 2, to_sum = 4;  // pairs from one to the next
  const int pairs_held = own / 2 * columns;
  const auto each = [&](int n, auto what) {
    if (n >= 0 && n < pairs_held) what(n % columns, n / columns * 2);
  };
  for (int n = 0; n < pairs_held + to_sum; ++n) {
    each(n, [&](int c, int i) {
      const Vgpr two = pair(c, block * own + i);
      b.v_pk_fma_f32(two, two, scale_pair, negated[c], {.op_sel_hi = 0b1101});  // one scalar for both
    });
    each(n - to_exp, [&](int c, int i) {
      for (int j : {0, 1}) b.v_exp_f32(score(c, block * own + i + j), score(c, block * own + i + j));
    });
    each(n - to_sum, [&](int c, int i) {
      const Vgpr two = pair(c, block * own + i);
      b.v_pk_add_f32(sum[c], sum[c], two);
      if (narrow_p) narrow_p->pack_bytes(b, weights(c, block)[i / 4], i % 4 ? Half::high : Half::low, two[0], two[1]);
      else narrow_weights.pack(b, weights(c, block)[i / 2], two[0], two[1]);
    });
  }
  return b;
}

// -- Products, by fragments in the order in which they are read --
Block Attention::score_fragments() {
  Block b(k.arch(), "scores");
  for (int i = 0; i < parts * steps; ++i)
    for (int c = 0; c < columns; ++c)
      multiply_score(b, score_tile(i / steps, c).operand(), fragment(i), i / steps, c, i % steps, 0);
  return b;
}
Block Attention::product_fragments(int first, int count) {
  Block b(k.arch(), "products");
  for (int i = first; i < first + count; ++i)
    for (int c = 0; c < columns; ++c)
      atom.multiply(b, o(i % d_tiles * columns + c), fragment(steps * parts + i), weights(c, i / d_tiles), 0);
  return b;
}

// Behind the wait, every wave has multiplied S of the next tile and O of the one before, whose buffers are free, and
// the tile after the next of K and the next one of V are in LDS.
Block Attention::tile_signal(int slot) {
  Block b(k.arch(), "tile_signal");
  b.wait_for_lds((slot + plan.slots() - 1) % plan.slots());
  b.s_barrier_signal(workgroup_barrier);
  return b;
}
Block Attention::tile_wait() {
  Block b(k.arch(), "tile_wait");
  b.s_barrier_wait(workgroup_barrier);
  return b;
}

Pipeline Attention::moved_tiles() {
  const int lead = ring_lead(), of_k = parts * steps, of_v = v_fragments * d_tiles, slots = plan.slots(),
            last_part = parts - 1;
  Pipeline p{.slots = slots, .past_end = true};
  const auto on = [this](auto phase) {  // on S of the slot's tile
    return [=, this](int slot) {
      s_set = slot % 2;
      return phase();
    };
  };
  // The reads of a fragment follow the products of the one whose registers it gets: the first two sides, of which the
  // second follows the fragments of the first. Vector instructions fill the gaps, those of a side from the products of
  // its part of S on.
  struct Reads {
    int of_fragment, fragments;
  };
  const Reads of_keys{atom.a.chunks(), of_k - lead}, of_values{value_reads(), of_v - lead - first_products};
  const auto beside = [this](Reads first, Reads second, bool by_parts) -> Pipeline::Merge {
    return [=, this](const Block& products, const std::vector<Block>& sides) {
      std::vector<Side> reads{
          {sides[0], {.every = columns, .count = first.of_fragment}},
          {sides[1], {.every = columns, .count = second.of_fragment, .after = first.fragments * columns}}};
      std::erase_if(reads, [](const Side& side) { return side.block.nodes.empty(); });
      std::vector<PacedSide> paced_sides;
      for (size_t i = 2; i < sides.size(); ++i)
        paced_sides.push_back({sides[i], by_parts ? static_cast<int>(i - 2) * steps * columns : 0});
      return paced(interleave(products, reads), paced_sides);
    };
  };
  const auto maximum = [&](int part) -> Pipeline::Stages {  // of the next tile, masked
    const int first = part * atom.items, last = first + atom.items;
    return {{ahead(1).in_segment(1),
             on([=, this] { return part == last_part ? mask_of(first, last) << next_mask() : mask_of(first, last); })},
            {ahead(1), on([=, this] { return maximum_of(first, last); })}};
  };
  std::vector<Pipeline::Stages> beside_scores = {
      {{ahead(1), [=, this](int slot) { return read_key_fragments(slot, lead, of_k - lead); }}},
      {{ahead(0), [=, this](int slot) { return read_value_fragments(slot, 0, lead); }}},
      {}};
  for (int block = 1; block < blocks; ++block)
    beside_scores.back().push_back({ahead(0), on([=, this] { return exponentials_of(block); })});
  for (int part = 0; part < last_part; ++part) beside_scores.push_back(maximum(part));
  p.merge(beside(of_keys, of_values, true), {{ahead(1), on([this] { return score_fragments(); })}}, beside_scores);
  p.at(ahead(2), [this](int slot) { return tile_signal(slot); });
  Pipeline::Stages last_maximum = maximum(last_part);
  last_maximum.push_back({ahead(1), [this](int) { return compare_maximum(); }});
  p.merge(beside(of_values, of_keys, false), {{ahead(0), on([this] { return product_fragments(0, first_products); })}},
          {{{ahead(0), [=, this](int slot) { return read_value_fragments(slot, lead, first_products); }}},
           {},
           last_maximum});
  p.at(ahead(2), [this](int) { return tile_wait(); });
  p.at(ahead(1), [=, this](int slot) { return fetch_tiles((slot + slots - 2) % slots); });
  p.at(ahead(1), [this](int) { return follow_maximum(); });
  p.merge(beside(of_values, of_keys, false),
          {{ahead(0), on([=, this] { return product_fragments(first_products, of_v - first_products); })}},
          {{{ahead(0),
             [=, this](int slot) {
               return read_value_fragments(slot, lead + first_products, of_v - lead - first_products);
             }}},
           {{ahead(2), [=, this](int slot) { return read_key_fragments(slot, 0, lead); }}},
           {{ahead(1), on([this] { return exponentials_of(0); })}}});
  p.at(ahead(1), [this](int) { return late_o(); });
  return p;
}

}  // namespace wavesmith::attention
