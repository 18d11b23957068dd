// Results of the backward kernels through LDS, where products are beside the softmax: an instruction stores whole lines
// of eight rows. As lanes have the results, it would touch 32 rows, and lines take their turn in the L1.
#include "kernels/attention/backward_kernel.h"

namespace wavesmith::attention {

// `row_columns` columns of a tile of the wave at a time, in two places of the wave's own in turn, over the LDS of X and
// Y.
void Backward::store_lines(const Result& result) {
  using isa::LinearLayout;
  const RowTile tile = layouts.row_tile();
  const int tile_bytes = line_tile_bytes(), loads = tile_bytes / (atom.lanes * chunk_bytes);
  const auto in_waves = [&](const LinearLayout& of_wave) {
    return in_every_wave(LinearLayout::identity("lane", "lane", log2(atom.lanes)).then(of_wave), shape.waves);
  };
  const LinearLayout lines = in_waves(tile.lines), places = in_waves(tile.lines.then(tile.layout));
  Scratch scratch(r);
  const Sgpr row = scratch.s("row stride");
  buffer_of_result(result, row);
  const Vgpr address = scratch.v("address of a line"), chunk = scratch.v("column of a line"),
             line = scratch.v("LDS address of a line"), cell = scratch.v("LDS address of results"),
             value = scratch.v("rounded", atom.run), stored = scratch.v("lines", 4 * loads), moved = scratch.v("moved");
  lane.from_workitem(address, lines, "row");
  k.s_lshl_b32(t[0], wave, log2(wave_rows));
  k.v_add_u32(address, t[0], address);
  k.v_mul_lo_u32(address, address, row);
  lane.from_workitem(chunk, lines, "chunk");
  k.v_lshl_add_u32(address, chunk, log2(chunk_bytes), address);
  k.v_lshlrev_b32(chunk, log2(fragment_elements), chunk);
  lane.from_workitem(line, places, "byte");
  lane.from_lane(cell, tile.writes, "byte");
  k.s_mul_i32(t[0], wave, 2 * tile_bytes);
  for (const Vgpr at_lds : {line, cell}) k.v_add_u32(at_lds, t[0], at_lds);
  const auto place = [&](Vgpr base, uint32_t displacement) {
    if (displacement) k.v_xor_b32(moved, static_cast<int>(displacement), base);
    return displacement ? moved : base;
  };
  const auto write = [&](int o, int first, int slot) {
    for (int column = 0; column < row_columns && first + column < result.tiles * atom.extent; column += atom.extent)
      for (int item = 0; item < atom.items; item += atom.run) {
        for (int j = 0; j < atom.run; ++j) {
          result.of.read(k, value[j], o * result.tiles + (first + column) / atom.extent, item + j);
          if (result.factor.dwords) k.v_mul_f32(value[j], result.factor, value[j]);
        }
        for (int j = 0; j < atom.run; j += 2) narrow.pack(k, value[j / 2], value[j], value[j + 1], {x_, y_});
        const auto byte = static_cast<uint32_t>((column + layouts.key(item)) * element_bytes);
        k.ds_write_b64(
            place(cell, tile.layout.at({{"chunk", byte / chunk_bytes}, {"within", byte % chunk_bytes}}, "byte")),
            value.slice(0, 2), {.offset = slot * tile_bytes});
      }
  };
  const auto read = [&](int o, int first, int slot) {
    const auto of_load = [&](int i, const LinearLayout& l, const char* axis) {
      return l.at({{"lane", static_cast<uint32_t>(i * atom.lanes)}}, axis);
    };
    for (int i = 0; i < loads; ++i)
      k.ds_read_b128(stored.slice(4 * i, 4), place(line, of_load(i, tile.lines.then(tile.layout), "byte")),
                     {.offset = slot * tile_bytes});
    Vgpr to = address;
    if (first + row_columns > result.width) {
      k.v_cmp_gt_u32(vcc, result.width - first, chunk);
      k.v_mov_b32(x_, out_of_range);
      k.v_cndmask_b32(x_, x_, address, vcc);
      to = x_;
    }
    for (int i = 0; i < loads; ++i) {
      k.s_mul_i32(t[0], row, o * atom.extent + static_cast<int>(of_load(i, tile.lines, "row")));
      k.buffer_store_dwordx4(stored.slice(4 * i, 4), to, resource, t[0],
                             {.offset = first * element_bytes, .flags = isa::offen});
    }
  };
  std::vector<std::pair<int, int>> all;
  for (int o = 0; o < owned; ++o)
    for (int first = 0; first < result.width; first += row_columns) all.emplace_back(o, first);
  for (size_t i = 0; i <= all.size(); ++i) {
    if (i < all.size()) write(all[i].first, all[i].second, static_cast<int>(i % 2));
    if (i) read(all[i - 1].first, all[i - 1].second, static_cast<int>((i - 1) % 2));
  }
}

}  // namespace wavesmith::attention
