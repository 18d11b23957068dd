// Phases of the backward kernels on one tile of X and Y.
#include "generator/dsl/lds_dma.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {

// -- Fragments take turns in a ring of registers: each is read as soon as the one before it there is multiplied --
Block Backward::reads(const Steps& steps, size_t first, size_t end) {
  Block b(k.arch(), "reads");
  for (size_t i = first; i < end; ++i) steps[i].read(b, static_cast<int>(i));
  return b;
}
Block Backward::first_reads(const Steps& steps) {
  return reads(steps, 0, std::min(steps.size(), static_cast<size_t>(ring_fragments())));
}
Block Backward::through_ring(const Steps& steps) { return through_ring(steps, 0, steps.size(), ring_fragments()); }
Block Backward::through_ring(const Steps& steps, size_t first, size_t end, int fragments_in_ring) {
  Block b(k.arch(), "through_ring");
  for (size_t i = first; i < end; ++i) {
    steps[i].use(b, static_cast<int>(i), {0, owned - 1});
    const size_t next = i + static_cast<size_t>(fragments_in_ring);
    if (next < steps.size()) steps[next].read(b, static_cast<int>(next));
  }
  return b;
}

// The first accumulators are the negative values of the queries where these are rows of S; else zero. Those of the
// wave's first tile are there for all its tiles, and the last to be overwritten.
void Backward::multiply_score(Block& b, bool of_x, int o, int n, int i, int step, int part_of) {
  const auto to = [&](int of) {
    const int at = of * parts + n;
    return scores_in_agprs ? (of_x ? s_acc : dp_acc)(at) : (of_x ? s : dp)[static_cast<size_t>(at)].operand();
  };
  const Vgpr own_rows = of_x ? x[static_cast<size_t>(o * steps_x + step)] : y_fragment(i, o, step);
  const bool first = !step && !part_of, from_values = part.of_keys && !(of_x ? changes : cfg.dropout);
  const isa::Operand c = !first ? to(o) : from_values ? to(0) : scores_in_agprs ? zeros(0) : isa::imm(0);
  const auto slice = [&](Vgpr v) { return v.slice(part_of * atom.a.registers, atom.a.registers).operand(); };
  b.emit(atom.op, {to(o), slice(fragment(i)), slice(own_rows), c}, atom.mods, Where::current());
}
Backward::Steps Backward::score_steps(int slot, Of of) {
  Steps all;
  const auto add = [&](bool of_x, int n, int step) {
    all.push_back({[=, this](Block& b, int i) {
                     (of_x ? X : Y).read_row(b, fragment(i), n, step, slot);
                     for (int o = 0; o < owned && !of_x && shape.y_in_lds; ++o)
                       for (int j = 0; j < atom.b.chunks(); ++j)
                         b.ds_read_b128(y_fragment(i, o, step).slice(4 * j, 4), y_address, y_place(o, step, j)).buffer =
                             static_cast<int16_t>(y_tag);
                   },
                   [=, this](Block& b, int i, OfWave tiles) {
                     for (int p = 0; p < atom.parts(); ++p)
                       for (int o = tiles.last; o >= tiles.first; --o) multiply_score(b, of_x, o, n, i, step, p);
                   }});
  };
  // S and dP in turn: neighbouring instructions have different accumulators.
  for (int step = 0; step < std::max(steps_x, steps_y); ++step)
    for (int n = 0; n < parts; ++n) {
      if (of != Of::y && step < steps_x) add(true, n, step);
      if (of != Of::x && part.dx && step < steps_y) add(false, n, step);
    }
  return all;
}
Backward::Steps Backward::product_steps(int slot, Of of) {
  Steps all;
  const auto add = [&](bool of_x, int n, int d) {
    all.push_back({[=, this](Block& b, int i) { (of_x ? X : Y).read_column(b, fragment(i), n, d, slot); },
                   [=, this](Block& b, int at_i, OfWave tiles) {
                     const Vgpr from = fragment(at_i);
                     for (int i = 0; i < atom.parts(); ++i)
                       for (int o = tiles.last; o >= tiles.first; --o) {
                         const int block = n * atom.parts() + i, at_part = (of_x ? X : Y).column_part(block, d);
                         const isa::Operand to = (of_x ? dx : dy)(o * (of_x ? tiles_x : tiles_y) + d);
                         const Vgpr left = from.slice(at_part * atom.a.registers, atom.a.registers);
                         if (shape.overlapped)
                           b.emit(atom.op, {to, left.operand(), (of_x ? ds_now : p_now)(o * blocks + block), to},
                                  atom.mods, Where::current());
                         else atom.multiply(b, to, left, block_of(!of_x, o, block), 0);
                       }
                   }});
  };
  for (int n = 0; n < fragments; ++n) {
    for (int d = 0; d < tiles_y && part.dy && of != Of::x; ++d) add(false, n, d);
    for (int d = 0; d < tiles_x && part.dx && of != Of::y; ++d) add(true, n, d);
  }
  return all;
}
Backward::Steps Backward::dq_steps(int slot) {
  Steps all;
  for (int step = 0; step < dq.steps(); ++step)
    all.push_back({[=, this](Block& b, int i) { dq.read_step(b, step, dq_fragment(i), slot); },
                   [=, this](Block& b, int i, OfWave) { dq.multiply_step(b, step, dq_fragment(i)); }});
  return all;
}

Block Backward::begin_scores(int slot, Of of) {
  Block b(k.arch(), "begin_scores");
  if (!part.of_keys) return b;
  for (const bool of_x : {true, false}) {
    if ((!of_x && !part.dx) || of == (of_x ? Of::y : Of::x)) continue;
    for (int n = 0; n < parts; ++n) {
      const bool apart = of_x ? changes : cfg.dropout;
      const Vgpr to = (of_x ? apart ? row_lse : s : apart ? row_delta : dp)[static_cast<size_t>(n)];
      for (int i = 0; i < atom.items; i += 4)  // four consecutive queries
        b.ds_read_b128(
             to.slice(i, 4), row_read,
             {.offset = rows_at + slot * rows_lds + 4 * (layouts.key(n * atom.items + i) + (of_x ? 0 : tile))})
            .buffer = static_cast<int16_t>(rows_tag + slot);
      for (int i = 0; i < atom.items && scores_in_agprs && !apart; ++i) (of_x ? s_acc : dp_acc).write(b, n, i, to[i]);
    }
  }
  return b;
}
Block Backward::end_scores() {
  Block b(k.arch(), "end_scores");
  for (int n = 0; n < owned * parts && scores_in_agprs; ++n)
    for (int i = 0; i < atom.items; ++i) {
      s_acc.read(b, s[static_cast<size_t>(n)][i], n, i);
      if (part.dx) dp_acc.read(b, dp[static_cast<size_t>(n)][i], n, i);
    }
  return b;
}

// P = 2^(scale S - LSE), and dP - delta.
void Backward::exponentials(Block& b, int block, int o) {
  for (int i = block * own; i < (block + 1) * own; ++i) {
    const Vgpr p = element(s, o, i);
    if (changes) change_scores(b, o, i, p);
    else if (part.of_keys) b.v_mul_f32(p, scale_log2, p);
    else b.v_fma_f32(p, p, scale_log2, lse);
    b.v_exp_f32(p, p);
  }
}
// dS = P (dP - delta), both zero where masked, packed. The group's offset is already in `limit`.
void Backward::weights(Block& b, int block, int o, bool masked) {
  const int first = block * own, end = first + own;
  if (cfg.dropout) drop(b, o, first, end);
  const bool both = part.dx && !cfg.dropout;
  for (int i = first; i < end && both && !part.of_keys; ++i) b.v_sub_f32(element(dp, o, i), element(dp, o, i), delta);
  for (int i = first; i < end && both; ++i) b.v_mul_f32(element(dp, o, i), element(s, o, i), element(dp, o, i));
  for (int i = first; i < end && slopes; ++i) b.v_mul_f32(element(dp, o, i), element(slope, o, i), element(dp, o, i));
  for (int i = first; i < end && masked; ++i) {
    if (part.of_keys) b.v_cmp_ge_i32(vcc, layouts.key(i), limit[o]);
    else b.v_cmp_lt_i32(vcc, layouts.key(i), limit[o]);
    b.v_cndmask_b32(element(s, o, i), 0, element(s, o, i), vcc);
    if (part.dx) b.v_cndmask_b32(element(dp, o, i), 0, element(dp, o, i), vcc);
  }
  if (part.dy) pack_weights(b, true, block, o);
}
void Backward::pack_weights(Block& b, bool of_s, int block, int o) {
  const Vgpr to = block_of(of_s, o, block);
  for (int i = 0; i < own; i += 2)
    narrow_weights.pack(b, to[i / 2], element(of_s ? s : dp, o, block * own + i),
                        element(of_s ? s : dp, o, block * own + i + 1));
}
void Backward::write_ds(Block& b, int block, int slot) {
  for (int i = 0; i < own && part.adds_dq; i += 2) {
    std::vector<Vgpr> pairs;
    for (int o = 0; o < owned; ++o) pairs.push_back(block_of(false, o, block)[i / 2]);
    dq.write(b, block * own + i, pairs, slot);
  }
}
// Of the next masked tile.
void Backward::next_limit(Block& b) {
  for (int o = 0; o < owned; ++o)
    if (last_first) b.v_add_u32(limit[o], tile, limit[o]);
    else b.v_subrev_u32(limit[o], tile, limit[o]);
}
Block Backward::softmax(bool masked) {
  Block b(k.arch(), "softmax");
  for (int block = 0; block < blocks; ++block) {
    for (int o = owned - 1; o >= 0; --o) exponentials(b, block, o);  // in the order in which they are multiplied
    for (int o = owned - 1; o >= 0; --o) {
      weights(b, block, o, masked);
      if (part.dx) pack_weights(b, false, block, o);
    }
    if (!shape.overlapped) write_ds(b, block, 0);
    for (int o = 0; o < owned && layouts.exchanged; ++o) {
      if (part.dy) exchange(b, block_of(true, o, block));
      if (part.dx) exchange(b, block_of(false, o, block));
    }
  }
  if (masked) next_limit(b);
  if (changes) next_distances(b);
  if (cfg.dropout) next_dropped(b);
  return b;
}
// Each half wave has half of the rows; as the right operand both have all of them, those of the lower half first.
void Backward::exchange(Block& b, Vgpr block) {
  for (int i = 0; i < own / 2; ++i) {
    const Vgpr low = block[i], high = block[own / 2 + i];
    b.v_permlanex16_b32(other, low, lanes_low, lanes_high);
    b.v_cndmask_b32(high, other, low, upper_half);
    b.v_cndmask_b32(low, low, other, upper_half);
  }
}

Block Backward::stage_barrier() {
  Block b(k.arch(), "stage_barrier");
  b.wait_for_lds();
  b.barrier();
  return b;
}

// Each of the first lanes has one value of the tile; the others load zeros, and store them after it.
Block Backward::load_values() {
  Block b(k.arch(), "load_values");
  if (!part.of_keys) return b;
  b.buffer_load_dword(row_stage, row_load, rows_resource, rows_next, {.flags = isa::offen});
  next_values(b);
  return b;
}
void Backward::next_values(Block& b) {
  if (last_first) b.s_sub_u32(rows_next, rows_next, 8 * tile);
  else b.s_add_u32(rows_next, rows_next, 8 * tile);
  b.s_min_u32(rows_next, rows_next, rows_end);
}
Block Backward::fetch_values(int slot) {
  Block b(k.arch(), "fetch_values");
  if (!part.of_keys) return b;
  b.s_add_u32(m0, rows_wave, slot * rows_lds);
  load_to_lds(b, {Opcode::buffer_load_dword, row_load, rows_resource, rows_next, 0, rows_tag + slot});
  next_values(b);
  return b;
}
Block Backward::store_values() {
  Block b(k.arch(), "store_values");
  if (part.of_keys) b.ds_write_b32(row_store, row_stage, {.offset = rows_at}).buffer = static_cast<int16_t>(rows_tag);
  return b;
}

}  // namespace wavesmith::attention
