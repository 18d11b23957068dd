// Latent keys: V is the first columns of K, and both products read the one tile in LDS, which the waves of the
// workgroup load together; each wave has rows of its own. Where LDS reads do not transpose, a lane reads two columns of
// a key at a time; the keys of each column are put together in registers, and are rows of two tiles of O^T, one of the
// even columns, one of the odd ones.
#include "generator/schedule/interleave.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// The ring's registers for the pair of columns and the keys of read number i: as many keys as a fragment has.
Vgpr Attention::raw_values(int i) const {
  const int dwords = 2 * atom.a.fragment_dwords();
  return ring.slice(i % (ring.dwords / dwords) * dwords, dwords);
}
void Attention::read_raw_values(Block& b, int slot, int i) {
  if (i >= v_fragments * pairs_of_tiles()) return;
  const Vgpr to = raw_values(i);
  for (int e = 0; e < to.dwords; ++e) {
    const auto from = layouts.value_read(i / pairs_of_tiles() * to.dwords + e, i % pairs_of_tiles());
    b.ds_read_b32(to[e], v_read[from.address], {.offset = slot * layouts.k.bytes + from.offset}).buffer =
        static_cast<int16_t>(k_tag + slot);
  }
}
Block Attention::read_first_raw_values(int slot) {
  Block b(k.arch(), "read_first_raw_values");
  for (int i = 0; i < ring_fragments() / 2; ++i) read_raw_values(b, slot, i);
  return b;
}

// As all_products(). The columns of a pair of tiles are put together beside the products of the pair before, where
// registers suffice for both.
Block Attention::latent_products(int slot) {
  const int fragment_dwords = atom.a.fragment_dwords(), sets = v_packed.dwords / (2 * fragment_dwords);
  const auto column = [&](int i, int odd) {
    return v_packed.slice((i % sets * 2 + odd) * fragment_dwords, fragment_dwords);
  };
  const auto columns_of_pair = [&](int i) {
    Block b(k.arch(), "columns");
    if (i >= v_fragments * pairs_of_tiles()) return b;
    const Vgpr raw = raw_values(i);
    b.wait_for(raw);  // one wait for all of it
    for (int odd : {0, 1})
      for (int j = 0; j < fragment_dwords; ++j)
        halves->column(b, column(i, odd)[j], raw[2 * j], raw[2 * j + 1], odd ? Half::high : Half::low);
    return b;
  };
  Block all = packed_weights(0);
  if (sets > 1) all << columns_of_pair(0);
  for (int n = 0; n < v_fragments; ++n) {
    Block b(k.arch(), "latent_products");
    for (int pair = 0; pair < pairs_of_tiles(); ++pair) {
      const int i = n * pairs_of_tiles() + pair;
      if (sets == 1) b << columns_of_pair(i);
      Block products(k.arch(), "products"), reads(k.arch(), "reads");
      for (int odd : {0, 1})
        for (int part = 0; part < atom.parts(); ++part)
          atom.multiply(products, o(2 * pair + odd), column(i, odd).slice(part * atom.a.registers, atom.a.registers),
                        weights(0, n * atom.parts() + part), 0);
      read_raw_values(reads, slot, i + ring_fragments() / 2);
      if (sets > 1) b << spread(products, {reads, columns_of_pair(i + 1)});
      else b << spread(products, {reads});
    }
    all << spread(b, {packed_weights(n + 1)});
  }
  return all;
}

// Of the alternating places of LDS, the next tile goes to the one that the last tile leaves free.
Block Attention::store_latent_keys(int set) {
  Block b = store_keys(plan.alternates ? 1 : 0, 0, set);
  if (plan.alternates) b << to_other_place(k_store);
  return b;
}
// Each register is loaded again as soon as it is stored.
Block Attention::refilled(const Block& stores, const Block& loads) {
  Block b(k.arch(), "refilled");
  auto next = loads.nodes.begin();
  for (const Node& n : stores.nodes) {
    b.nodes.push_back(n);
    const bool stored = n.is_instruction() && n.inst.info().unit == isa::Unit::lds;
    for (bool loaded = !stored; !loaded && next != loads.nodes.end(); ++next) {
      b.nodes.push_back(*next);
      loaded = next->is_instruction() && next->inst.info().unit == isa::Unit::vmem;
    }
  }
  b.nodes.insert(b.nodes.end(), next, loads.nodes.end());
  return b;
}
Block Attention::to_other_place(const std::vector<Owned<File::v>>& addresses) {
  Block b(k.arch(), "to_other_place");
  for (const auto& address : addresses) b.v_xor_b32(address, plan.other_place(), address);
  return b;
}

// Where LDS has one place, a tile is replaced when all waves have read it, and the one after it is loaded beside the
// first product (with pages, whose lanes exchange addresses, before). Where it has two, the next tile is stored beside
// the second product.
Pipeline Attention::latent_tiles() {
  Pipeline p{.slots = 1, .past_end = true};
  const bool early = loads_latent_early();
  const Pipeline::Stage products{
      ahead(0), [this](int slot) { return plan.paired() ? latent_products(slot) : all_products(slot); }},
      scores{ahead(0), [this](int slot) { return all_scores(slot); }}, store = stage_latent_store(),
                                                                       load = stage_latent_load();
  p.at(ahead(0), [this](int) { return stage_barrier(); });
  p.at(ahead(0), [this](int slot) { return read_first_keys(slot); });
  if (early) p.merge(spread, {scores}, {{load}});
  else p.at(scores);
  p.at(ahead(0), [this](int slot) { return plan.paired() ? read_first_raw_values(slot) : read_first_values(slot); });
  if (changes) p.at(ahead(0), [this](int) { return change_scores(); });
  if (cfg.bias || cfg.documents) p.at(ahead(1).over(1), [this](int) { return load_scores(); });
  p.at(ahead(0).in_segment(1), [this](int) { return apply_mask(); });
  p.at(ahead(0), [this](int) { return find_maximum() << rescale_if_grown() << exponentials(0, fragment_scores()); });
  if (!plan.alternates) {
    p.at(products).at(ahead(0), [this](int) { return stage_barrier(); }).at(store);
    return early ? p : p.at(load);
  }
  const auto beside = [this](const Block& anchors, const std::vector<Block>& sides) {
    return spread(anchors, {paged ? Block(sides.at(0)) << sides.at(1) : refilled(sides.at(0), sides.at(1))});
  };
  // Dropout, which is a part of the products, has the same scratch registers as pages and conversions.
  if (cfg.dropout && (paged || widen_kv)) p.at(products).at(store).at(load);
  else p.merge(beside, {products}, {{store}, {load}});
  return p.at(ahead(0), [this](int) { return to_other_place(k_read) << to_other_place(v_read); });
}

bool Attention::loads_latent_early() const { return !plan.alternates && !paged && !plan.two_sets; }
Pipeline::Stage Attention::stage_latent_store() {
  return {ahead(1).over(plan.two_sets ? 2 : 1), [this](int set) { return store_latent_keys(set); }};
}
Pipeline::Stage Attention::stage_latent_load() {
  if (plan.two_sets) return {ahead(3).over(2), [this](int set) { return load_keys(set); }};
  return {ahead(loads_latent_early() ? 1 : 2).over(1), [this](int) { return load_keys(); }};
}
// Of waves without rows: their part of the tiles alone, with the barriers of latent_tiles(). So the others have LDS and
// the matrix pipes' power to themselves.
Pipeline Attention::latent_loads() {
  Pipeline p{.slots = 1, .past_end = true};
  p.at(ahead(0), [this](int) { return stage_barrier(); });
  if (loads_latent_early()) p.at(stage_latent_load());
  if (!plan.alternates) p.at(ahead(0), [this](int) { return stage_barrier(); });
  p.at(stage_latent_store());
  return loads_latent_early() ? p : p.at(stage_latent_load());
}

// Eight columns of O at a time, of four rows of each of two tiles of O^T. `read`: an item of the even one or the odd.
void Attention::store_pair(int pair, const Results& to, const std::function<void(Vgpr, int, int)>& read) {
  for (int item = 0; item < atom.items; item += 4) {
    for (int j = 0; j < 4; ++j) {
      read(found[0], 0, item + j);
      read(limit[0], 1, item + j);
      k.v_mul_f32(found[0], to.inverse, found[0]);
      k.v_mul_f32(limit[0], to.inverse, limit[0]);
      round_pair(k, to.value[j], found[0], limit[0]);
    }
    k.buffer_store_dwordx4(to.value, to.address, to.resource, 0,
                           {.offset = 2 * 2 * (atom.extent * pair + layouts.key(item)), .flags = isa::offen});
  }
}

}  // namespace wavesmith::attention
