// Latent keys: V is the first columns of K, and both products read the one tile in LDS, which the waves of the
// workgroup load together; each wave has rows of its own. A lane reads two columns of a key at a time; the keys of each
// column are put together in registers, and are rows of two tiles of O^T, one of the even columns, one of the odd ones.
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

// As all_products().
Block Attention::latent_products(int slot) {
  const auto packed_weights = [&](int fragment) {
    Block b(k.arch(), "pack");
    for (int part = 0; part < atom.parts() && fragment < v_fragments; ++part) b << pack(fragment * atom.parts() + part);
    return b;
  };
  const int fragment_dwords = atom.a.fragment_dwords();
  Block all = packed_weights(0);
  for (int n = 0; n < v_fragments; ++n) {
    Block b(k.arch(), "latent_products");
    for (int pair = 0; pair < pairs_of_tiles(); ++pair) {
      const int i = n * pairs_of_tiles() + pair;
      const Vgpr raw = raw_values(i);
      b.wait_for(raw);  // one wait for all of it
      for (int odd : {0, 1})
        for (int j = 0; j < fragment_dwords; ++j)
          halves->column(b, v_packed[odd * fragment_dwords + j], raw[2 * j], raw[2 * j + 1],
                         odd ? Half::high : Half::low);
      Block products(k.arch(), "products"), reads(k.arch(), "reads");
      for (int odd : {0, 1})
        for (int part = 0; part < atom.parts(); ++part)
          atom.multiply(
              products, o(2 * pair + odd),
              v_packed.slice(odd * fragment_dwords, fragment_dwords).slice(part * atom.a.registers, atom.a.registers),
              weights(0, n * atom.parts() + part), 0);
      read_raw_values(reads, slot, i + ring_fragments() / 2);
      b << spread(products, {reads});
    }
    all << spread(b, {packed_weights(n + 1)});
  }
  return all;
}

// One tile in LDS: it is replaced when all waves have read it.
Pipeline Attention::latent_tiles() {
  Pipeline p{.slots = 1, .past_end = true};
  p.at(ahead(0), [this](int) { return stage_barrier(); });
  p.at(ahead(0), [this](int slot) { return read_first_keys(slot); });
  p.at(ahead(0), [this](int slot) { return all_scores(slot); });
  p.at(ahead(0), [this](int slot) { return read_first_raw_values(slot); });
  if (changes_scores(cfg)) p.at(ahead(0), [this](int) { return change_scores(); });
  if (cfg.bias || cfg.documents) p.at(ahead(1).over(1), [this](int) { return load_scores(); });
  p.at(ahead(0).in_segment(1), [this](int) { return apply_mask(); });
  p.at(ahead(0), [this](int) { return find_maximum() << rescale_if_grown() << exponentials(); });
  p.at(ahead(0), [this](int slot) { return latent_products(slot); });
  p.at(ahead(0), [this](int) { return stage_barrier(); });
  p.at(ahead(1).over(1), [this](int slot) { return store_keys(slot); });
  p.at(ahead(2).over(1), [this](int) { return load_keys(); });
  return p;
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
