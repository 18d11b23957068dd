// Loads of Q, K and V. Q is loaded from global memory into fragments; K and V go to LDS, in layouts without bank
// conflicts, either through registers or directly. Direct loads write LDS in lane order, so each lane loads the element
// that belongs at its position. The layouts are in layouts.cpp.
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "isa_tables/counters.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

Sgpr Attention::head_of(const Tensor& x, Sgpr head) {
  const Sgpr base = pointers[x.base], row = sizes[x.row];
  const bool of_pages = paged && !x.of_queries;
  if (!of_pages) at.add_strided(base, strides[x.batch], batch);
  at.add_strided(base, strides[x.head], head);
  if (cfg.sequences == Sequences::packed && !of_pages) at.add_product(base, (x.of_queries ? q_rows : k_rows)[0], row);
  return base;
}

// Buffer resource of one head. The bound makes rows past the last read as zero and drops writes to them. Q and O start
// at row q0.
void Attention::tensor(Sgpr resource, const Tensor& x, Sgpr head) {
  const auto& [base_arg, batch_arg, head_arg, row_arg, width, of_queries, bytes] = x;
  const Sgpr base = head_of(x, head), row = sizes[row_arg];
  const bool of_pages = paged && !of_queries;
  if (of_queries && !decode) {
    at.add_product(base, q0, row);
    k.s_sub_u32(t[3], queries, q0);
    k.s_min_u32(t[3], t[3], block_rows);
  }
  const Sgpr rows = !of_queries ? decode ? Sgpr(part_end) : key_count : decode ? queries : t[3];
  if (of_pages) {  // to the end of the last page
    kernel.load(t.slice(0, 1), args[&Args::pages]);
    k.s_sub_u32(t[0], t[0], 1);
    k.s_mul_i32(t[0], t[0], strides[batch_arg].slice(0));
    k.s_mul_i32(t[1], row, cfg.page_size - 1);
    k.s_add_u32(t[0], t[0], t[1]);
  } else {
    k.s_sub_u32(t[0], rows, 1);
    k.s_mul_i32(t[0], t[0], row);
  }
  k.s_add_u32(t[0], t[0], bytes * width);
  if (of_queries && decode) {  // to the last of the heads
    k.s_sub_u32(t[1], part_sizes[&Args::group_heads], 1);
    k.s_mul_i32(t[1], t[1], strides[head_arg].slice(0));
    k.s_add_u32(t[0], t[0], t[1]);
  }
  k.s_cmp_eq_u32(rows, 0);
  k.s_cselect_b32(t[0], 0, t[0]);
  raw_buffer(k, resource, base, t[0]);
  if (!of_queries) k.s_mov_b32(&x == &K ? k_end : v_end, t[0]);
}

// Clobber x and y.
void Attention::from_lane(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) {
  const AxisValue values[] = {{"query", column}, {"group", half}};
  const Vgpr scratch[] = {y, x};
  emit_offset(k, dst, layout, output, values, scratch);
}
void Attention::from_workitem(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) {
  const AxisValue values[] = {{"lane", loader()}};
  const Vgpr scratch[] = {y, x};
  emit_offset(k, dst, layout, output, values, scratch);
}

void Attention::row_address(Vgpr to, int c, const Tensor& of) {
  if (!decode) {
    k.s_lshl_b32(t[0], wave, log2(wave_rows));
    if (c) k.s_add_u32(t[0], t[0], c * atom.extent);
    k.v_add_u32(to, t[0], column);
    return void(k.v_mul_lo_u32(to, to, sizes[of.row]));
  }
  k.v_mul_lo_u32(to, row_query, sizes[of.row]);
  k.v_mul_lo_u32(other, row_head, strides[of.head].slice(0));
  k.v_add_u32(to, to, other);
  only_rows(to);
}

// Loads the right operand of K Q^T. Chunks past the head dimension are zero.
void Attention::load_queries() {
  const int last = dim / chunk_elements;  // the first chunk past it
  for (int c = 0; c < columns; ++c) {
    row_address(x, c, Q);
    const int between = score_atom.a.group_chunks();
    if (between) {
      k.v_lshl_add_u32(x, half, log2(between * chunk_elements * q_bytes), x);
      if (last % (2 * between)) {  // of some chunks, the upper group is past it
        k.v_cmp_eq_u32(vcc, 0, half);
        k.v_mov_b32(y, out_of_range);
        k.v_cndmask_b32(y, y, x, vcc);
      }
    }
    for (int step = 0; step < steps; ++step)
      for (int j = 0; j < score_atom.a.chunks(); ++j) {
        const int chunk = score_atom.a.chunk(step, j);
        const Vgpr to = q[c * steps + step].slice(4 * j, 4);
        if (chunk >= last)
          for (int i = 0; i < 4; ++i) k.v_mov_b32(to[i], 0);
        else
          k.buffer(widen_q ? Opcode::buffer_load_dwordx2 : Opcode::buffer_load_dwordx4, widen_q ? to.slice(0, 2) : to,
                   chunk + between >= last ? y : x, q_resource, 0,
                   {.offset = chunk * chunk_elements * q_bytes, .flags = isa::offen});
      }
    for (int step = 0; step < steps && widen_q; ++step)
      for (int j = 0; j < atom.a.chunks(); ++j)
        if (atom.a.chunk(step, j) < last) widen_chunk(k, *widen_q, q[c * steps + step].slice(4 * j, 4));
  }
}
// Eight elements of fp8 in the first two registers become eight of `type` in all four. Clobbers x.
void Attention::widen_chunk(Block& b, const PairWidening& by, Vgpr chunk) {
  for (const int i : {1, 0}) {
    b.v_lshrrev_b32(x, 16, chunk[i]);
    by.widen(b, chunk[2 * i + 1], x, wide);
    by.widen(b, chunk[2 * i], chunk[i], wide);
  }
}

// Lanes that would load columns past the head dimension get an address out of range, and zeros. Clobbers x.
void Attention::only_columns(Vgpr address, Vgpr of_lane, const LdsTile& tile, int width) {
  const int blocks = tile.loads.outputs().back().name == "block" ? 1 << tile.loads.output_bits("block") : 1;
  if (blocks * tile.block_columns <= width) return;
  k.v_cmp_gt_u32(vcc, width, of_lane);
  k.v_mov_b32(x, out_of_range);
  k.v_cndmask_b32(address, x, address, vcc);
}

// The global addresses of a lane's 16 bytes, for K or V whose LDS tile has the order of memory. Clobbers x and y.
void Attention::load_addresses(const Tensor& of) {
  const bool of_k = &of == &K;
  const LdsTile& tile = of_k ? layouts.k : layouts.v;
  auto& load = of_k ? k_load : v_load;
  RowLoads& each = of_k ? k_loads : v_loads;
  const Sgpr row = sizes[of.row];
  Scratch scratch(r);
  const Vgpr key = scratch.v("key"), first = scratch.v("first column");
  const isa::LinearLayout loads = tile.loads.then(columns_of(tile, "chunk", chunk_elements));
  const auto step_of = [&](int round, const char* axis) {
    return round ? loads.at({{"lane", static_cast<uint32_t>(round * plan.tile_lanes())}}, axis) : 0;
  };
  const bool whole_rows = (1 << loads.output_bits("place")) <= of.width;
  bool same_columns = decode && !plan.latent && !paged && whole_rows && tile.rounds > 1;
  for (int round = 1; round < tile.rounds; ++round)
    same_columns &=
        !step_of(round, "place") && step_of(round, "row") == static_cast<uint32_t>(round) * step_of(1, "row");
  // A register that a load may be replayed with is written again only when the load is translated (XCNT): then offsets
  // have one of their own, and each load an address.
  const bool same_address = same_columns && !replays_loads();
  if (replays_loads() && !paged) each.from = r.s.alloc(1, of_k ? "K: bytes to the tile on its way" : "V: likewise");
  if (same_address) {
    each.step = r.s.alloc(1, of_k ? "K: bytes from one of a lane's loads to the next" : "V: likewise");
    k.s_mul_i32(each.step, row, static_cast<int>(step_of(1, "row")));
    each.rounds.assign(static_cast<size_t>(tile.rounds), {0, 0});
  }
  for (int round = 0; round < (same_address ? 1 : tile.rounds); ++round) {
    if (same_columns && round) {
      if (round == 1) k.s_mul_i32(t[0], row, static_cast<int>(step_of(1, "row")));
      load.push_back(r.v.alloc(1, of_k ? "K load address" : "V load address"));
      k.v_add_u32(load.back(), t[0], load[static_cast<size_t>(round - 1)]);
      continue;
    }
    if (plan.latent) {  // no column is past the last one: rounds that differ in these alone share an address
      const int bytes = static_cast<int>(step_of(round, "place")) * kv_bytes;
      if (bytes < isa::reach(isa::Format::mubuf, kernel.arch) && !step_of(round, "row")) {
        each.rounds.push_back({0, bytes});
        if (paged) each.further.push_back(0);
        if (round) continue;
      } else {
        each.rounds.push_back({load.size(), 0});
      }
    }
    load.push_back(r.v.alloc(1, of_k ? "K load address" : "V load address"));
    from_workitem(key, loads, "row");
    from_workitem(first, loads, "place");
    const auto further = [&](Vgpr to, const char* axis) {
      if (const uint32_t by = loads.at({{"lane", static_cast<uint32_t>(round * plan.tile_lanes())}}, axis))
        k.v_add_u32(to, static_cast<int>(by), to);
    };
    further(key, "row"), further(first, "place");
    if (paged) {
      if (!plan.latent || round)
        each.further.push_back(static_cast<int>(
            round ? loads.at({{"lane", static_cast<uint32_t>(round * plan.tile_lanes())}}, "row") : 0));
      if (!round) k.v_lshlrev_b32(of_k ? k_lane_key : v_lane_key, 2, key);
      k.v_lshlrev_b32(load.back(), log2(kv_bytes), first);
    } else {
      k.v_mul_lo_u32(x, key, row);
      k.v_lshl_add_u32(load.back(), first, log2(kv_bytes), x);
    }
    only_columns(load.back(), first, tile, of.width);
  }
  if (each.rounds.empty())
    for (size_t i = 0; i < load.size(); ++i) each.rounds.push_back({i, 0});
}

// One address register per pattern; `first` computes the first of them.
std::vector<Owned<File::v>> Attention::lds_addresses(const char* name, const AddressSet& set,
                                                     const std::function<void(Vgpr)>& first) {
  std::vector<Owned<File::v>> out;
  for (const uint32_t pattern : set.patterns()) {
    out.push_back(r.v.alloc(1, name));
    if (out.size() == 1) first(out[0]);
    else k.v_xor_b32(out.back(), static_cast<int>(pattern), out[0]);
  }
  return out;
}

void Attention::key_addresses() {
  load_addresses(K);
  if (!direct)
    k_store = lds_addresses("K LDS store address", layouts.k.stores,
                            [&](Vgpr to) { from_workitem(to, layouts.k.loads.then(layouts.k.layout), "byte"); });
  if (direct) k.s_lshl_b32(lds_wave, wave, log2(atom.lanes * chunk_bytes));
  k_read = lds_addresses("K LDS read address", layouts.k.fragments,
                         [&](Vgpr to) { from_lane(to, layouts.k.reads, "byte"); });
  if (exchanges_by_address()) {
    partner = r.v.alloc(1, "the partner lane's address for ds_bpermute");
    k.v_xor_b32(partner, layouts.partner(), kernel.workitem);
    k.v_and_b32(partner, atom.lanes - 1, partner);
    k.v_lshlrev_b32(partner, 2, partner);
  }
  for (const auto& [next, step_of, row] :
       {std::tuple<Sgpr, Sgpr, Sgpr>{k_next, k_step, k_row}, {v_next, v_step, v_row}}) {
    k.s_mov_b32(next, 0);
    if (decode) k.s_mul_i32(next, part_begin, row);
    else if (banded()) k.s_mul_i32(next, skipped, row);
    k.s_lshl_b32(step_of, row, log2(keys));
  }
}

void Attention::value_addresses() {
  if (direct || plan.rows) load_addresses(V);
  else if (!plan.latent) pairs_of_columns();
  if (plan.rows)
    v_store = lds_addresses("V LDS store address", layouts.v.stores,
                            [&](Vgpr to) { from_workitem(to, layouts.v.loads.then(layouts.v.layout), "byte"); });
  v_read = lds_addresses("V LDS read address", layouts.v.fragments,
                         [&](Vgpr to) { from_lane(to, layouts.v.reads, "byte"); });
  if (v_base())
    for (auto* addresses : {&v_store, &v_read})
      for (const auto& address : *addresses) k.v_add_u32(address, v_base(), address);
}

// A lane loads `run` keys of two columns: with an address each, or where these would take many registers, with one
// address and the distances of the keys in scalar registers.
void Attention::pairs_of_columns() {
  const LdsTile& tile = layouts.v;
  const isa::LinearLayout loads = tile.loads.then(columns_of(tile, "column", 1));
  const bool by_scalar = values_by_scalar();
  v_store = lds_addresses("V LDS store address", tile.stores,
                          [&](Vgpr to) { from_workitem(to, tile.loads.then(tile.layout), "byte"); });
  if (by_scalar && !paged) {
    v_rows = r.s.alloc(run, "V: bytes from a lane's first key to the others");
    for (int i = 0; i < run; ++i) k.s_mul_i32(v_rows[i], v_row, value_key(i));
  }
  Scratch scratch(r);
  const Vgpr pair = scratch.v("pair of columns"), first_key = scratch.v("a lane's first key");
  for (int round = 0; round < tile.rounds; ++round) {
    from_workitem(pair, loads, "place");
    from_workitem(first_key, loads, "key");
    const isa::LinearLayout::Point from = {{"lane", static_cast<uint32_t>(round * plan.tile_lanes())}};
    if (const uint32_t by = round ? loads.at(from, "place") : 0) k.v_add_u32(pair, static_cast<int>(by), pair);
    if (const uint32_t by = round ? loads.at(from, "key") : 0) k.v_add_u32(first_key, static_cast<int>(by), first_key);
    if (paged) {
      v_further.push_back(static_cast<int>(round ? loads.at(from, "key") : 0));
      if (!round) k.v_lshlrev_b32(v_lane_key, 2, first_key);
    }
    for (int i = 0; i < (by_scalar ? 1 : run); ++i) {
      v_load.push_back(r.v.alloc(1, "V load address"));
      if (paged) k.v_lshlrev_b32(v_load.back(), log2(kv_bytes), pair);
      else {
        k.v_add_u32(y, value_key(i), first_key);
        k.v_mul_lo_u32(x, y, v_row);
        k.v_lshl_add_u32(v_load.back(), pair, log2(kv_bytes), x);
      }
      only_columns(v_load.back(), pair, tile, dim_v);
    }
  }
}
int Attention::value_key(int i) const {
  return static_cast<int>(layouts.weights.at({{"element", static_cast<uint32_t>(i)}}, "key"));
}

void Attention::declare_load_offsets() {
  if (paged || !v_rows.dwords || !replays_loads()) return;
  constexpr int most = 8, scratch = 4;  // scratch: what begins and ends the kernel takes more
  for (int n = most; n > 1 && !load_offsets.dwords; n /= 2)
    if (r.s.next_free(n + scratch, 1)) load_offsets = r.s.alloc(n, "offsets of K's and V's loads");
}

// -- Phases. Each load advances its tensor by a tile, at most to its end, where everything reads as zero --
Block Attention::load_rows(const Tensor& of, int set) {
  const bool of_k = &of == &K;
  Block b(k.arch(), of_k ? "load_keys" : "load_values");
  const RowLoads& each = of_k ? k_loads : v_loads;
  const auto& addresses = of_k ? k_load : v_load;
  const std::vector<Vgpr>& stage = of_k && !set ? k_stage : v_stage;
  const Sgpr resource = of_k ? k_resource : v_resource, first = of_k ? k_next : v_next;
  const size_t loads = each.rounds.size();
  const auto load = [&](size_t i, Vgpr address, SSrcArg from) {
    b.buffer(widen_kv ? Opcode::buffer_load_dwordx2 : Opcode::buffer_load_dwordx4,
             widen_kv ? stage[i].slice(0, 2) : stage[i], address, resource, from,
             {.offset = each.rounds[i].offset, .flags = isa::offen});
  };
  if (paged) {
    const Vgpr lane_key = of_k ? k_lane_key : v_lane_key, place = of_k ? k_place : v_place;
    for (size_t i = 0; i < loads; ++i) row_in_page(b, stage[i][0], lane_key, place, each.further[i]);
    for (size_t i = 0; i < loads; ++i) add_column(b, stage[i][0], addresses[each.rounds[i].address]);
    for (size_t i = 0; i < loads; ++i) load(i, stage[i][0], 0);
    return b;
  }
  if (each.from.dwords) b.s_mov_b32(each.from, first);
  Sgpr from = each.from.dwords ? Sgpr(each.from) : first;
  for (size_t i = 0; i < loads; ++i) {
    if (i && each.step.dwords) {
      b.s_add_u32(t[0], from, each.step);
      from = t[0];
    }
    load(i, addresses[each.rounds[i].address], from);
  }
  b.s_add_u32(first, first, of_k ? k_step : v_step);
  b.s_min_u32(first, first, of_k ? k_end : v_end);
  return b;
}
Block Attention::load_keys(int set) {
  Block b(k.arch(), "load_keys");
  if (paged) b << locate_keys();
  return b << load_rows(K, set);
}
Block Attention::load_values() {
  if (plan.rows) return load_rows(V);
  Block b(k.arch(), "load_values");
  const bool by_scalar = values_by_scalar();
  const auto load = [&](int round, int i, Vgpr address, SSrcArg from) {
    b.buffer(cfg.kv_type ? Opcode::buffer_load_ushort : Opcode::buffer_load_dword, v_stage[round][i], address,
             v_resource, from, {.flags = isa::offen});
  };
  const auto address = [&](int round, int i) -> Vgpr { return v_load[by_scalar ? round : round * run + i]; };
  if (paged) {
    const auto each = [&](auto what) {
      for (int i = 0; i < run; ++i)
        for (int round = 0; round < layouts.v.rounds; ++round) what(round, i);
    };
    each([&](int round, int i) {
      row_in_page(b, v_stage[round][i], v_lane_key, v_place, v_further[round] + value_key(i));
    });
    each([&](int round, int i) { add_column(b, v_stage[round][i], address(round, i)); });
    each([&](int round, int i) { load(round, i, v_stage[round][i], 0); });
    return b;
  }
  for (int i = 0; i < run; ++i) {
    const Sgpr from = by_scalar && i ? load_offset() : Sgpr(v_next);
    if (by_scalar && i) b.s_add_u32(from, v_next, v_rows[i]);
    for (int round = 0; round < layouts.v.rounds; ++round) load(round, i, address(round, i), from);
  }
  b.s_add_u32(v_next, v_next, v_step);
  b.s_min_u32(v_next, v_next, v_end);
  return b;
}
// Loads directly into the LDS buffer of a slot. Out-of-range lanes write zeros to LDS, as they would to registers
// (CDNA4 ISA 9.1.5; observed for LDS on gfx950: ROCm/rocm-systems pull request 10928).
Block Attention::fetch(int slot, Fetch f) {
  Block b(k.arch(), "fetch");
  for (size_t round = 0; round < f.addresses.size(); ++round) {
    b.s_add_u32(m0, lds_wave, f.lds_offset + static_cast<int>(round) * lanes * chunk_bytes);
    if (round == 0) b.s_add_u32(t[0], f.next, f.step);
    load_to_lds(b, {Opcode::buffer_load_dwordx4, f.addresses[round], f.resource, f.next, 0, f.tag + slot});
  }
  b.s_min_u32(f.next, t[0], f.end);
  return b;
}
Block Attention::fetch_keys(int slot) {
  return fetch(slot, {k_load, k_resource, k_next, k_step, k_end, k_tag, slot * layouts.k.bytes});
}
Block Attention::fetch_values(int slot) {
  return fetch(slot, {v_load, v_resource, v_next, v_step, v_end, v_tag, v_offset() + slot * layouts.v.bytes});
}
Block Attention::store_keys(int slot) { return store_keys(slot, slot * layouts.k.bytes); }
Block Attention::store_keys(int tag, int offset, int set) {
  Block b(k.arch(), "store_keys");
  const std::vector<Vgpr>& stage = set ? v_stage : k_stage;
  for (int i = 0; i < layouts.k.rounds; ++i) {
    const auto to = layouts.key_store(i);
    if (widen_kv) widen_chunk(b, *widen_kv, stage[i]);
    b.ds_write_b128(k_store[to.address], stage[i], {.offset = offset + to.offset}).buffer =
        static_cast<int16_t>(k_tag + tag);
  }
  return b;
}
Block Attention::store_values(int slot) {
  Block b(k.arch(), "store_values");
  const int offset = v_offset() - v_base() + slot * layouts.v.bytes;
  for (int round = 0; round < layouts.v.rounds && plan.rows; ++round) {
    const auto to = layouts.value_store(round);
    if (widen_kv) widen_chunk(b, *widen_kv, v_stage[round]);
    b.ds_write_b128(v_store[to.address], v_stage[round], {.offset = offset + to.offset}).buffer =
        static_cast<int16_t>(v_tag + slot);
  }
  for (int round = 0; round < layouts.v.rounds && !plan.rows; ++round) {
    const Vgpr stage = v_stage[round];
    b.wait_for(stage);  // one wait for all of it
    for (int i = 0; i < run && widen_kv; ++i) widen_kv->widen(b, stage[i], stage[i], wide);
    // fp8: first pairs of keys, both columns
    for (int i = 0; i < run && plan.bytes == 1; i += 2) b.v_perm_b32(stage[i / 2], stage[i + 1], stage[i], byte_pairs);
    for (int odd : {0, 1}) {
      const Vgpr packed = (pipelined ? v_packed : ring).slice(odd * run_dwords, run_dwords);
      for (int i = 0; i < run_dwords; ++i)
        halves->column(b, packed[i], stage[2 * i], stage[2 * i + 1], odd ? Half::high : Half::low);
      const auto to = layouts.value_store(round, odd);
      const isa::Mods at_offset{.offset = offset + to.offset};
      (run_dwords == 4 ? b.ds_write_b128(v_store[to.address], packed, at_offset)
                       : b.ds_write_b64(v_store[to.address], packed, at_offset))
          .buffer = static_cast<int16_t>(v_tag + slot);
    }
  }
  return b;
}
void Attention::read_key(Block& b, Vgpr to, int slot, int part, int step) {
  for (int j = 0; j < score_atom.a.chunks(); ++j) {
    const auto from = layouts.key_read(part, score_atom.a.chunk(step, j));
    b.ds_read_b128(to.slice(4 * j, 4), k_read[from.address], {.offset = slot * layouts.k.bytes + from.offset}).buffer =
        static_cast<int16_t>(k_tag + slot);
  }
}
void Attention::read_value(Block& b, Vgpr to, int slot, int fragment, int d) {
  const int offset = v_offset() - v_base() + slot * layouts.v.bytes, elements = atom.a.chunks() * chunk_elements;
  for (int e = 0; e < elements; e += layouts.value_elements()) {
    const auto from = layouts.value_read(elements * fragment + e, d);
    const Opcode op = plan.transposes ? *transposing_on(kernel.arch) : Opcode::ds_read_b128;
    b.emit(op,
           {to.slice(e * plan.bytes / 4, layouts.value_elements() * plan.bytes / 4).operand(),
            v_read[from.address].operand()},
           {.offset = offset + from.offset}, Where::current())
        .buffer = static_cast<int16_t>((plan.latent ? k_tag : v_tag) + slot);
  }
}
}  // namespace wavesmith::attention
