// Plain block scales by direct loads to LDS. A row of memory has 4 to 16 bytes of scales for an iteration, and a load
// of them takes a line of 128 bytes from the L2; so LDS holds batches of iterations, 16 to 64 bytes of each row, two of
// them: while one is read, each iteration loads some rows of the next. The rows of A and B are one after the other,
// divided among the waves. A piece of 16 bytes is in LDS where reads of 16 rows take different banks.
#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
namespace {
constexpr int most_row_bytes = 64;
int pieces(int row_bytes) { return row_bytes / chunk_bytes; }
}  // namespace

// The largest batch that LDS has room for, with at most half of what A and B have in it: more would cost workgroups of
// a CU. Rows of the gate and of what it gates are apart in memory: not these.
int Gemm::fetched_scale_batch() const {
  if (!direct || !scaled() || shuffled() || !atom.scales.block_per_lane || halves > 1) return 0;
  for (int row_bytes = most_row_bytes; row_bytes >= std::max(chunk_bytes, scale_step()); row_bytes /= 2) {
    const int batch = row_bytes / scale_step();
    const int bytes = 2 * fetched_batch_bytes(batch);
    if (2 * bytes <= scales_offset && scales_offset + bytes <= isa::target(kernel.arch).lds_bytes) return batch;
  }
  return 0;
}
void Gemm::declare_fetched_scales() {
  for (int i = 0; i < scale_fetches(); ++i)
    fetched_scales.resource.push_back(r.s.alloc(4, "buffer resource of scales", 4));
  fetched_scales.lds_wave = r.s.alloc(1, "LDS bytes before this wave's scales");
  fetched_scales.loaded = r.s.alloc(1, "iteration whose scales are loaded next");
  fetched_scales.read = r.s.alloc(1, "iteration whose scales are read next");
  fetched_scales.address = r.v.alloc(1, "scales' load address");
  for (TileOperand* o : {&A, &B})
    o->scales.address.push_back(r.v.alloc(1, std::string(o->name) + " scales' LDS address"));
}
// Behind scale_addresses() of both. Rows that are not there are out of the resource's range.
void Gemm::fetched_scale_addresses() {
  const Sgpr of_a = block_scales[&Args::block_scales_a], of_b = block_scales[&Args::block_scales_b];
  const int first_of_b = fetched_blocks(A);
  for (size_t i = 0; i < fetched_scales.resource.size(); ++i) {
    const Sgpr resource = fetched_scales.resource[i], base = resource.slice(0, 2), rows = resource[2], first = t[3];
    wave_number(kernel, first);
    if (i) k.s_add_u32(first, first, static_cast<int>(i) * waves);
    k.s_cmp_lt_u32(first, first_of_b);
    k.s_cselect_b64(base, of_a, of_b);
    k.s_cselect_b32(rows, A.rows_left, B.rows_left);
    k.s_movk_i32(t[0], A.rows);
    k.s_cselect_b32(t[0], t[0], B.rows);
    k.s_cselect_b32(t[1], 0, first_of_b);
    k.s_min_u32(rows, rows, t[0]);
    k.s_sub_u32(first, first, t[1]);
    k.s_mul_i32(first, first, fetched_rows());
    k.s_sub_u32(rows, rows, first);
    k.s_max_i32(rows, rows, 0);
    at.add_product(base, first, scale_stride);
    k.s_mul_i32(t[0], rows, scale_stride);
    if (cfg.split_k > 1) {
      k.s_lshr_b32(t[1], first_k, 5);
      k.s_sub_u32(t[0], t[0], t[1]);
      k.s_cselect_b32(t[0], 0, t[0]);
    }
    raw_buffer(k, resource, base, t[0]);
  }
  wave_number(kernel, t[0]);
  k.s_mul_i32(fetched_scales.lds_wave, t[0], fetched_batch * wave_load_bytes);
  k.s_add_u32(fetched_scales.lds_wave, fetched_scales.lds_wave, scales_offset);
  k.s_mov_b32(fetched_scales.loaded, 0);
  k.s_mov_b32(fetched_scales.read, 0);
  const int of_row = pieces(fetched_row_bytes()), bits = log2(of_row);
  k.v_lshrrev_b32(x, bits, lane);
  k.v_mul_lo_u32(fetched_scales.address, x, scale_stride);
  if (of_row > 1) {  // bits of the row on which the place of a piece depends
    k.v_lshrrev_b32(y, 4, lane);
    k.v_xor_b32(y, lane, y);
    k.v_and_b32(y, of_row - 1, y);
    k.v_lshl_add_u32(fetched_scales.address, y, log2(chunk_bytes), fetched_scales.address);
  }
  for (const TileOperand* o : {&A, &B}) {
    const isa::LinearLayout& lanes_of = o->is_a ? atom.scales.a : atom.scales.b;
    const AxisValue values[] = {{"lane", lane}};
    const Vgpr scratch[] = {y};
    const Vgpr to = o->scales.address[0];
    Scratch s(r);
    const Vgpr row = s.v("row");
    emit_offset(k, row, lanes_of, "row", values, scratch);
    emit_offset(k, to, lanes_of, "block", values, scratch);
    k.v_lshlrev_b32(to, log2(fragments), to);
    k.v_lshl_or_b32(to, row, log2(fetched_row_bytes()), to);
    if (of_row > 1) {
      k.v_bfe_u32(x, row, 4 - bits, bits);
      k.v_lshl_or_b32(to, x, log2(chunk_bytes), to);
    }
    k.s_mul_i32(t[0], o->is_a ? wave_m : wave_n, o->wave_rows * fetched_row_bytes());
    k.s_add_u32(t[0], t[0], scales_offset + (o->is_a ? 0 : first_of_b * fetched_rows() * fetched_row_bytes()));
    k.v_add_u32(to, t[0], to);
  }
  for (int i = 0; i < fetched_batch; ++i) k << fetch_scales();
}
// Of an iteration's part of the rows, the scales of a batch.
Block Gemm::fetch_scales() {
  Block b(k.arch(), "fetch_scales");
  const Sgpr iteration = fetched_scales.loaded, part = t[0], batch = t[1], from = t[2];
  const int rows_at_once = wave_load_bytes / fetched_row_bytes();
  b.s_lshr_b32(batch, iteration, log2(fetched_batch));
  b.s_and_b32(part, iteration, fetched_batch - 1);
  b.s_mul_i32(from, part, rows_at_once);
  b.s_mul_i32(from, from, scale_stride);
  b.s_lshl_b32(t[3], batch, log2(fetched_row_bytes()));
  b.s_add_u32(from, from, t[3]);
  b.s_and_b32(batch, batch, 1);
  b.s_mul_i32(batch, batch, fetched_batch_bytes(fetched_batch));
  b.s_lshl_b32(part, part, log2(wave_load_bytes));
  b.s_add_u32(part, part, batch);
  b.s_add_u32(m0, part, fetched_scales.lds_wave);
  b.s_add_u32(iteration, iteration, 1);  // separates the write of M0 from its use
  for (size_t i = 0; i < fetched_scales.resource.size(); ++i) {
    if (i) {
      b.s_add_u32(m0, m0, waves * fetched_batch * wave_load_bytes);
      b.s_nop(0);
    }
    load_to_lds(
        b, {Opcode::buffer_load_dwordx4, fetched_scales.address, fetched_scales.resource[i], from, 0, fetched_tag()});
  }
  return b;
}
Block Gemm::read_fetched_scales(int k_slice) {
  Block b(k.arch(), "read_scales");
  const Sgpr iteration = fetched_scales.read, of_row = t[0], batch = t[1];
  b.s_lshr_b32(batch, iteration, log2(fetched_batch));
  b.s_and_b32(batch, batch, 1);
  b.s_mul_i32(batch, batch, fetched_batch_bytes(fetched_batch));
  b.s_and_b32(of_row, iteration, fetched_batch - 1);
  b.s_lshl_b32(of_row, of_row, log2(scale_step()));
  if (k_slice % 2) b.s_add_u32(iteration, iteration, 1);
  for (TileOperand* o : {&A, &B}) {
    const Vgpr from = o->is_a ? x : y;
    b.v_xor_b32(from, of_row, o->scales.address[0]);
    b.v_add_u32(from, batch, from);
    for (int tile = 0; tile < o->tiles(); ++tile) {
      const Vgpr to = o->scales.loaded[k_slice % 2][static_cast<size_t>(tile)];
      const isa::Mods at{.offset = scale_tile_row(*o, tile) * fetched_row_bytes() + k_slice % 2 * scale_step() / 2};
      Node& read = fragments == 1   ? b.ds_read_u8(to, from, at)
                   : fragments == 2 ? b.ds_read_u16(to, from, at)
                                    : b.ds_read_b32(to, from, at);
      read.buffer = static_cast<int16_t>(fetched_tag());
    }
  }
  return b;
}
// Of a k-slice in the rest of K, scales after its end: as prepare_scales().
Block Gemm::clear_beyond(int k_slice) {
  Block b(k.arch(), "clear_beyond");
  b.wait_for(B.scales.loaded[k_slice % 2].back());
  b.s_lshr_b32(t[0], k_left, 5);
  b.s_sub_u32(t[0], t[0], k_slice % 2 * scale_step() / 2);
  b.v_lshrrev_b32(x, log2(atom.extent), lane);  // the lane's block
  b.v_lshlrev_b32(x, log2(fragments), x);
  b.v_sub_u32(x, t[0], x);
  b.v_med3_i32(x, x, 0, fragments);
  b.v_lshlrev_b32(x, 2, x);  // by half of the bits twice: they may be 32
  b.v_lshlrev_b32(y, x, -1);
  b.v_lshlrev_b32(y, x, y);
  for (TileOperand* o : {&A, &B})
    for (const Vgpr scales : o->scales.loaded[k_slice % 2]) b.v_bfi_b32(scales, y, 0, scales);
  b.s_nop(1);  // results of VALU instructions are late for matrix instructions
  return b;
}
// Beside the loads of the iteration's first k-slice. The barrier before, behind the reads of the last iteration, ends
// the batch that is replaced where one is.
Pipeline::Stages Gemm::fetched_scale_loads(int k_slice) {
  if (!fetches_scales || k_slice) return {};
  return {{ahead(0).over(1), [this](int) { return fetch_scales(); }}};
}
Pipeline::Stage Gemm::scale_read(int k_slice) {
  return of_k_slice(k_slice, [this](int n) { return read_fetched_scales(n); });
}
// Loads behind the last iteration may still write to LDS, which the results need.
Block Gemm::loaded_scales() {
  Block b(k.arch(), "loaded_scales");
  b.wait_for_lds(fetched_tag());
  return b;
}

}  // namespace wavesmith::gemm
