// Q and O between memory and fragments, through LDS of the wave's own: lanes load and store in the order of memory, so
// that an instruction covers whole lines of eight rows. As the fragments are, it would touch 32 rows, and lines take
// their turn in the L1. Where LDS has no room beside K and V, the waves use theirs, before they are loaded and after
// they are used.
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

// `row_columns` columns of the wave's rows: what its lanes load, and where in LDS.
struct Attention::Lines {
  Attention& of;
  Kernel& kernel = of.kernel;
  Stream& k = of.k;
  RowTile tile = of.layouts.row_tile();
  int loads = of.row_tile_bytes() / (of.atom.lanes * chunk_bytes);  // of a lane
  isa::LinearLayout first =
      in_every_wave(isa::LinearLayout::identity("lane", "lane", log2(of.atom.lanes)).then(tile.lines), of.plan.waves);
  isa::LinearLayout bytes = tile.lines.then(tile.layout);
  AddressSet in_order{first.then(tile.layout), chunk_bytes}, fragments{tile.reads, chunk_bytes},
      results{tile.writes, of.layouts.group_rows() * element_bytes};

  // What instruction `i` covers, from the first one's lane on.
  uint32_t of_load(int i, const isa::LinearLayout& layout, std::string_view output) const {
    return layout.at({{"lane", static_cast<uint32_t>(i * of.atom.lanes)}}, output);
  }
  // Memory addresses of the lane's 16 bytes, by load.
  std::vector<Owned<File::v>> addresses(const Tensor& x) {
    std::vector<Owned<File::v>> out;
    for (int i = 0; i < loads; ++i) out.push_back(of.r.v.alloc(1, "address of a line"));
    const Sgpr row = of.sizes[x.row], t = of.t;
    k.s_lshl_b32(t[0], of.wave, log2(of.wave_rows));
    of.from_workitem(out[0], first, "row");
    k.v_add_u32(out[0], t[0], out[0]);
    k.v_mul_lo_u32(out[0], out[0], row);
    of.from_workitem(of.other, first, "chunk");
    k.v_lshl_add_u32(out[0], of.other, log2(chunk_bytes), out[0]);
    for (int i = 1; i < loads; ++i) {
      k.s_mul_i32(t[0], row, static_cast<int>(of_load(i, tile.lines, "row")));
      k.v_add_u32(out[static_cast<size_t>(i)], t[0], out[0]);
    }
    return out;
  }
  // LDS address of the wave's tile, by workitem or by query and group.
  void in_lds(Vgpr to, const isa::LinearLayout& layout, bool by_workitem) {
    if (by_workitem) of.from_workitem(to, layout, "byte");
    else of.from_lane(to, layout, "byte");
    k.s_mul_i32(of.t[0], of.wave, of.row_tile_bytes());
    if (of.rows_offset()) k.s_add_u32(of.t[0], of.t[0], of.rows_offset());
    k.v_add_u32(to, of.t[0], to);
  }
  struct At {
    Vgpr address;
    int offset;
  };
  At at(AddressSet& set, Vgpr base, uint32_t displacement) {
    const auto moved = set.at(displacement);
    if (!moved.address) return {base, moved.offset};
    k.v_xor_b32(of.other, static_cast<int>(set.patterns()[moved.address]), base);
    return {of.other, moved.offset};
  }
};

// Into the registers of the fragments, in the order of memory.
void Attention::load_query_lines() {
  Lines lines{*this};
  const auto addresses = lines.addresses(Q);
  for (int i = 0; i < dim / row_columns * lines.loads; ++i)
    k.buffer_load_dwordx4(q[static_cast<size_t>(i)], addresses[static_cast<size_t>(i % lines.loads)], q_resource, 0,
                          {.offset = i / lines.loads * row_columns * element_bytes, .flags = isa::offen});
}
void Attention::read_query_fragments() {
  k.comment("Q: fragments through LDS");
  Lines lines{*this};
  Scratch scratch(r);
  const Vgpr line = scratch.v("LDS address of a line"), fragment = scratch.v("LDS address of a fragment");
  lines.in_lds(line, lines.first.then(lines.tile.layout), true);
  lines.in_lds(fragment, lines.tile.reads, false);
  const int pieces = dim / row_columns, of_piece = steps / pieces;
  for (int piece = 0; piece < pieces; ++piece) {
    for (int i = 0; i < lines.loads; ++i) {
      const auto to = lines.at(lines.in_order, line, lines.of_load(i, lines.bytes, "byte"));
      k.ds_write_b128(to.address, q[static_cast<size_t>(piece * lines.loads + i)], {.offset = to.offset});
    }
    for (int step = 0; step < of_piece; ++step) {
      const auto chunk = static_cast<uint32_t>(step * atom.a.groups());
      const auto from = lines.at(lines.fragments, fragment, lines.tile.layout.at({{"chunk", chunk}}, "byte"));
      k.ds_read_b128(q[static_cast<size_t>(piece * of_piece + step)], from.address, {.offset = from.offset});
    }
  }
  if (!rows_offset()) k << stage_barrier();
}

// O / sum, rounded.
void Attention::store_lines(Vgpr inverse, Sgpr resource) {
  if (!rows_offset()) k << stage_barrier();
  Lines lines{*this};
  Scratch scratch(r);
  const Vgpr line = scratch.v("LDS address of a line"), result = scratch.v("LDS address of O"),
             value = scratch.v("O, rounded", atom.run), row = scratch.v("lines of O", 4 * lines.loads);
  const auto addresses = lines.addresses(O);
  lines.in_lds(line, lines.first.then(lines.tile.layout), true);
  lines.in_lds(result, lines.tile.writes, false);
  for (int first = 0; first < dim_v; first += row_columns) {
    for (int column = 0; column < row_columns; column += atom.extent)
      for (int item = 0; item < atom.items; item += atom.run) {
        for (int j = 0; j < atom.run; ++j) {
          o.read(k, value[j], (first + column) / atom.extent, item + j);
          k.v_mul_f32(value[j], inverse, value[j]);
        }
        for (int j = 0; j < atom.run; j += 2) round_pair(k, value[j / 2], value[j], value[j + 1]);
        const auto byte = static_cast<uint32_t>((column + layouts.key(item)) * element_bytes);
        const auto to =
            lines.at(lines.results, result,
                     lines.tile.layout.at({{"chunk", byte / chunk_bytes}, {"within", byte % chunk_bytes}}, "byte"));
        k.ds_write_b64(to.address, value.slice(0, 2), {.offset = to.offset});
      }
    for (int i = 0; i < lines.loads; ++i) {
      const auto from = lines.at(lines.in_order, line, lines.of_load(i, lines.bytes, "byte"));
      k.ds_read_b128(row.slice(4 * i, 4), from.address, {.offset = from.offset});
    }
    for (int i = 0; i < lines.loads; ++i)
      k.buffer_store_dwordx4(row.slice(4 * i, 4), addresses[static_cast<size_t>(i)], resource, 0,
                             {.offset = first * element_bytes, .flags = isa::offen});
  }
}

}  // namespace wavesmith::attention
