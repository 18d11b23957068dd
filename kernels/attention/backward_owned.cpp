// The rows that a workgroup owns: fragments of x and y before the first step, dx and dy after the last.
#include "generator/dsl/scratch.h"
#include "generator/schedule/interleave.h"
#include "kernels/attention/backward_kernel.h"

namespace wavesmith {
namespace attention {

// Of a tensor at `base`, which starts at the workgroup's first row.
void Backward::buffer_of_owned(Sgpr base, Sgpr row, int width, Sgpr bytes) {
  k.s_sub_u32(bytes, owned_rows, row0);
  k.s_min_u32(bytes, bytes, block_rows);
  k.s_sub_u32(bytes, bytes, 1);
  k.s_mul_i32(bytes, bytes, row);
  k.s_add_u32(bytes, bytes, element_bytes * width);
  raw_buffer(k, resource, base, bytes);
}

// Fragments of x or y. Chunks past the head dimension are zero. With registers of its own: code may pass these loads.
void Backward::load_fragments(const std::vector<Owned<File::v>>& to, DevicePointer Args::* base, uint32_t Args::* row,
                              int width) {
  Scratch scratch(r);
  const Sgpr first = scratch.s("first row of the wave");
  const Vgpr address = scratch.v("load address"), upper = scratch.v("that of lanes whose chunk can be past the end");
  const int last = width / fragment_elements;  // the first chunk past it
  buffer_of_owned(pointers[base], row_strides[row], width, first);
  const size_t steps_of = to.size() / static_cast<size_t>(owned);
  for (size_t i = 0; i < to.size(); ++i) {
    if (i % steps_of == 0) {
      k.s_lshl_b32(first, wave, log2(wave_rows));
      k.v_add_u32(address, first, column);
      if (i) k.v_add_u32(address, static_cast<int>(i / steps_of) * atom.extent, address);
      k.v_mul_lo_u32(address, address, row_strides[row]);
      if (atom.b.groups() > 1) {
        k.v_lshl_add_u32(address, half, log2(chunk_bytes), address);
        if (last % atom.b.groups()) {  // of one chunk, the upper group is past it
          k.v_cmp_eq_u32(vcc, 0, half);
          k.v_mov_b32(upper, out_of_range);
          k.v_cndmask_b32(upper, upper, address, vcc);
        }
      }
    }
    for (int j = 0; j < atom.b.chunks(); ++j) {
      const int chunk = (static_cast<int>(i % steps_of) * atom.b.chunks() + j) * atom.b.groups();
      const Vgpr part_of = to[i].slice(4 * j, 4);
      if (chunk >= last)
        for (int n = 0; n < 4; ++n) k.v_mov_b32(part_of[n], 0);
      else
        k.buffer_load_dwordx4(part_of, chunk + atom.b.groups() > last ? upper : address, resource, 0,
                              {.offset = chunk * chunk_bytes, .flags = isa::offen});
    }
  }
}

// Fragments of x and y, beside the rest of the prologue and the zeros of the sums.
void Backward::load_owned(Block prologue) {
  const auto beside = [&](Block aside, const auto&... of) {
    const size_t from = k.nodes.size();
    load_fragments(of...);
    k << between_loads(aside, k.cut(from, "owned rows"),
                       [](const Node& n) { return n.is_instruction() && n.inst.info().unit == isa::Unit::vmem; });
  };
  const auto zeros = [&](const Accumulators& sums) {
    Block b(k.arch(), "zeros");
    sums.clear(b);
    return b;
  };
  if (part.dx) prologue << zeros(dx);
  beside(std::move(prologue), x, &Args::x, &Args::x_row, dim_x);
  // K of all waves first: K^T of a wave has columns of all of them.
  if (part.adds_dq && shape.direct) k.s_barrier();
  Block of_dy = part.dy ? zeros(dy) : Block(k.arch());
  if (part.dx && !shape.y_in_lds) beside(std::move(of_dy), y, &Args::y, &Args::y_row, dim_y);
  else k << of_dy;
  if (shape.y_in_lds) {  // each lane keeps its own fragments there
    std::vector<Owned<File::v>> loaded;
    for (int i = 0; i < owned * steps_y; ++i) loaded.push_back(r.v.alloc(atom.b.fragment_dwords(), "fragment of y", 4));
    load_fragments(loaded, &Args::y, &Args::y_row, dim_y);
    k.v_lshlrev_b32(y_address, log2(chunk_bytes), kernel.workitem);
    for (int i = 0; i < owned * steps_y; ++i)
      for (int j = 0; j < atom.b.chunks(); ++j)
        k.ds_write_b128(y_address, loaded[static_cast<size_t>(i)].slice(4 * j, 4), y_place(i / steps_y, i % steps_y, j))
            .buffer = static_cast<int16_t>(y_tag);
  }
  if (part.of_keys) return;
  k.comment("values of the lane's query");
  k.s_sub_u32(t[0], queries, row0);
  k.s_min_u32(t[0], t[0], block_rows);
  k.s_lshl_b32(t[0], t[0], 3);
  raw_buffer(k, resource, rows_base, t[0]);
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.v_add_u32(x_, t[0], column);
  k.v_lshlrev_b32(x_, 3, x_);
  k.buffer_load_dword(lse, x_, resource, 0, {.flags = isa::offen});
  if (part.dx) k.buffer_load_dword(delta, x_, resource, 0, {.offset = 4, .flags = isa::offen});
  k.v_mul_f32(lse, scale_log2, lse);
  if (part.dx) k.v_xor_b32(delta, 0x80000000, delta);
}

void Backward::buffer_of_result(const Result& result, Sgpr row) {
  Scratch scratch(r);
  const Sgpr base = scratch.s("result", 2), stride = scratch.s("strides", 2);
  kernel.load(base, args[result.base]);
  for (const auto& [by, n] : {std::pair{result.batch, static_cast<Sgpr>(batch)}, {result.head, head}}) {
    kernel.load(stride, args[by]);
    at.add_strided(base, stride, n);
  }
  kernel.load(row, args[result.row]);
  if (packed) at.add_product(base, (part.of_keys ? k_rows : q_rows)[0], row);
  at.add_product(base, row0, row);
  buffer_of_owned(base, row, result.width, t[0]);
}

// A lane has `run` consecutive columns of its row, several times. Those past the head dimension are padding.
void Backward::store(const Result& result) {
  Scratch scratch(r);
  const Vgpr address = scratch.v("address"), value = scratch.v("rounded", std::max(4, atom.run));
  const Sgpr row = scratch.s("row stride");
  buffer_of_result(result, row);
  for (int o = 0; o < owned; ++o) {
    k.s_lshl_b32(t[0], wave, log2(wave_rows));
    if (o) k.s_add_u32(t[0], t[0], o * atom.extent);
    k.v_add_u32(address, t[0], column);
    k.v_mul_lo_u32(address, address, row);
    k.v_lshl_add_u32(address, half, log2(element_bytes * layouts.group_rows()), address);
    for (int d = 0; d < result.tiles; ++d)
      for (int i = 0; i < atom.items; i += atom.run) {
        const int first = atom.extent * d + layouts.key(i), second = first + layouts.group_rows();
        if (first >= result.width) continue;
        for (int j = 0; j < atom.run; ++j) {
          result.of.read(k, value[j], o * result.tiles + d, i + j);
          if (result.factor.dwords) k.v_mul_f32(value[j], result.factor, value[j]);
        }
        for (int j = 0; j < atom.run; j += 2) narrow.pack(k, value[j / 2], value[j], value[j + 1], {x_, y_});
        Vgpr to = address;
        if (second >= result.width) {
          k.v_cmp_eq_u32(vcc, 0, half);
          k.v_mov_b32(x_, out_of_range);
          k.v_cndmask_b32(x_, x_, address, vcc);
          to = x_;
        }
        const isa::Mods at_column{.offset = element_bytes * first, .flags = isa::offen};
        if (atom.run == 8) k.buffer_store_dwordx4(value.slice(0, 4), to, resource, 0, at_column);
        else k.buffer_store_dwordx2(value.slice(0, 2), to, resource, 0, at_column);
      }
  }
}

}  // namespace attention
}  // namespace wavesmith
