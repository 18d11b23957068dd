// Loads of Q, K and V. Q is loaded from global memory into fragments; K and V go to LDS, in layouts without bank
// conflicts, either through registers or directly. Direct loads write LDS in lane order, so each lane loads the element
// that belongs at its position. The layouts are in layouts.cpp.
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// Buffer resource of one head. The bound makes rows past the last read as zero and drops writes to them. Q and O start
// at row q0.
void Attention::tensor(Sgpr resource, const Tensor& x, Sgpr head) {
  const auto& [base_arg, batch_arg, head_arg, row_arg, width, of_queries] = x;
  const Sgpr base = pointers[base_arg], row = sizes[row_arg];
  at.add_strided(base, strides[batch_arg], kernel.workgroup[2]);
  at.add_strided(base, strides[head_arg], head);
  if (cfg.sequences == Sequences::packed) at.add_product(base, (of_queries ? q_rows : k_rows)[0], row);
  if (of_queries) {
    at.add_product(base, q0, row);
    k.s_sub_u32(t[3], queries, q0);
    k.s_min_u32(t[3], t[3], block_rows);
  }
  const Sgpr rows = of_queries ? t[3] : key_count;
  k.s_sub_u32(t[0], rows, 1);
  k.s_mul_i32(t[0], t[0], row);
  k.s_add_u32(t[0], t[0], 2 * width);
  k.s_cmp_eq_u32(rows, 0);
  k.s_cselect_b32(t[0], 0, t[0]);
  raw_buffer(k, resource, base, t[0]);
}

// Clobber x and y.
void Attention::from_lane(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) {
  const AxisValue values[] = {{"query", column}, {"chunk", half}};
  const Vgpr scratch[] = {y, x};
  emit_offset(k, dst, layout, output, values, scratch);
}
void Attention::from_workitem(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) {
  const AxisValue values[] = {{"lane", kernel.workitem}};
  const Vgpr scratch[] = {y, x};
  emit_offset(k, dst, layout, output, values, scratch);
}

// Loads the right operand of K Q^T: one chunk of the lane's query per step of K.
void Attention::load_queries() {
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.v_add_u32(x, t[0], column);
  k.v_mul_lo_u32(x, x, q_row);
  k.v_lshl_add_u32(x, half, log2(chunk_bytes), x);
  for (int c = 0; c < chunks; ++c)
    k.buffer_load_dwordx4(q[c], x, q_resource, 0, {.offset = 2 * chunk_bytes * c, .flags = isa::offen});
}

// Where the tensor is narrower than the other one, its tile has fewer keys than the lanes could load: surplus lanes get
// an address out of range and fill the rest of the LDS buffer with zeros.
void Attention::only_in_tile(Vgpr address, Vgpr key, int dim) {
  if (keys * 2 * dim == tile_bytes) return;
  k.v_cmp_gt_u32(vcc, keys, key);
  k.v_cndmask_b32(address, out_of_range, address, vcc);
}

// The global address of a lane's 16 bytes, for a tensor whose LDS tile has the order of memory. Clobbers x and y.
void Attention::load_address(Vgpr load, const LdsTile& tile, int dim, Sgpr row) {
  Scratch scratch(r);
  const Vgpr key = scratch.v("key"), chunk = scratch.v("chunk");
  from_workitem(key, tile.loads, "row");
  from_workitem(chunk, tile.loads, "chunk");
  k.v_mul_lo_u32(x, key, row);
  k.v_lshl_add_u32(load, chunk, log2(chunk_bytes), x);
  only_in_tile(load, key, dim);
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
  load_address(k_load, layouts.k, dim, k_row);
  if (!direct) from_workitem(k_store, layouts.k.loads.then(layouts.k.layout), "byte");
  k.s_lshl_b32(lds_wave, wave, log2(wave_lanes * chunk_bytes));
  k_read = lds_addresses("K LDS read address", layouts.k.fragments,
                         [&](Vgpr to) { from_lane(to, layouts.k.reads, "byte"); });
  k.v_xor_b32(partner, layouts.partner(), kernel.workitem);
  k.v_and_b32(partner, wave_lanes - 1, partner);
  k.v_lshlrev_b32(partner, 2, partner);
  for (const auto& [next, step_of, row] :
       {std::tuple<Sgpr, Sgpr, Sgpr>{k_next, k_step, k_row}, {v_next, v_step, v_row}}) {
    k.s_mov_b32(next, 0);
    k.s_lshl_b32(step_of, row, log2(keys));
  }
}

void Attention::value_addresses() {
  if (direct) {
    v_load.push_back(r.v.alloc(1, "V load address"));
    load_address(v_load[0], layouts.v, dim_v, v_row);
  } else {
    pairs_of_columns();
  }
  v_read = lds_addresses("V LDS read address", layouts.v.fragments,
                         [&](Vgpr to) { from_lane(to, layouts.v.reads, "byte"); });
}

// A lane loads two columns of four keys.
void Attention::pairs_of_columns() {
  for (int i = 0; i < 4; ++i) v_load.push_back(r.v.alloc(1, "V load address"));
  v_store = lds_addresses("V LDS store address", layouts.v.stores,
                          [&](Vgpr to) { from_workitem(to, layouts.v.loads.then(layouts.v.layout), "byte"); });
  Scratch scratch(r);
  const Vgpr pair = scratch.v("pair of columns"), first_key = scratch.v("first of four keys");
  from_workitem(pair, layouts.v.loads, "column");
  from_workitem(first_key, layouts.v.loads, "key");
  for (int i = 0; i < 4; ++i) {
    k.v_add_u32(y, i, first_key);
    k.v_mul_lo_u32(x, y, v_row);
    k.v_lshl_add_u32(v_load[i], pair, 1, x);
    only_in_tile(v_load[i], y, dim_v);
  }
}

// -- Phases. Each load advances its tensor by a tile, at most to its end, where everything reads as zero --
Block Attention::load_keys() {
  Block b(k.arch(), "load_keys");
  b.buffer_load_dwordx4(k_stage, k_load, k_resource, k_next, {.flags = isa::offen});
  b.s_add_u32(k_next, k_next, k_step);
  b.s_min_u32(k_next, k_next, k_resource[2]);
  return b;
}
Block Attention::load_values() {
  Block b(k.arch(), "load_values");
  for (int i = 0; i < 4; ++i) b.buffer_load_dword(v_stage[i], v_load[i], v_resource, v_next, {.flags = isa::offen});
  b.s_add_u32(v_next, v_next, v_step);
  b.s_min_u32(v_next, v_next, v_resource[2]);
  return b;
}
// Loads directly into the LDS buffer of a slot. Out-of-range lanes write zeros to LDS, as they would to registers
// (CDNA4 ISA 9.1.5; observed for LDS on gfx950: ROCm/rocm-systems pull request 10928).
Block Attention::fetch(int slot, Fetch f) {
  Block b(k.arch(), "fetch");
  b.s_add_u32(m0, lds_wave, (f.tag + slot) * tile_bytes);
  b.s_add_u32(t[0], f.next, f.step);  // separates the write of M0 from its use
  load_to_lds(b, {Opcode::buffer_load_dwordx4, f.address, f.resource, f.next, 0, f.tag + slot});
  b.s_min_u32(f.next, t[0], f.resource[2]);
  return b;
}
Block Attention::fetch_keys(int slot) { return fetch(slot, {k_load, k_resource, k_next, k_step, k_tag}); }
Block Attention::fetch_values(int slot) { return fetch(slot, {v_load[0], v_resource, v_next, v_step, v_tag}); }
Block Attention::store_keys(int slot) {
  Block b(k.arch(), "store_keys");
  b.ds_write_b128(k_store, k_stage, {.offset = slot * tile_bytes}).buffer = static_cast<int16_t>(k_tag + slot);
  return b;
}
Block Attention::store_values(int slot) {
  Block b(k.arch(), "store_values");
  const int offset = (v_tag + slot) * tile_bytes;
  b.wait_for(v_stage);  // one wait for all four
  for (int odd : {0, 1}) {
    for (int i : {0, 1})
      halves->column(b, v_packed[2 * odd + i], v_stage[2 * i], v_stage[2 * i + 1], odd ? Half::high : Half::low);
    const auto to = layouts.value_store(odd);
    b.ds_write_b64(v_store[to.address], v_packed.slice(2 * odd, 2), {.offset = offset + to.offset}).buffer =
        static_cast<int16_t>(v_tag + slot);
  }
  return b;
}
Block Attention::read_keys(int slot) {
  Block b(k.arch(), "read_keys");
  for (int c = 0; c < chunks; ++c)
    for (int n = 0; n < parts; ++n) {
      const auto from = layouts.key_read(n, c);
      b.ds_read_b128(k_fragment[n * chunks + c], k_read[from.address], {.offset = slot * tile_bytes + from.offset})
          .buffer = static_cast<int16_t>(k_tag + slot);
    }
  return b;
}
Block Attention::read_values(int slot) {
  Block b(k.arch(), "read_values");
  const int offset = (v_tag + slot) * tile_bytes;
  for (int n = 0; n < keys / 16; ++n)
    for (int d = 0; d < d_tiles; ++d)
      for (int e = 0; e < 8; e += layouts.value_elements()) {
        const auto& to = v_fragment[d * keys / 16 + n];
        const auto from = layouts.value_read(8 * n + e, d);
        const isa::Mods at{.offset = offset + from.offset};
        (direct ? b.ds_read_b64_tr_b16(to.slice(e / 2, 2), v_read[from.address], at)
                : b.ds_read_b128(to, v_read[from.address], at))
            .buffer = static_cast<int16_t>(v_tag + slot);
      }
  return b;
}

}  // namespace wavesmith::attention
