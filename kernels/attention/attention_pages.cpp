// Keys and values in pages: a block table has the page of each `page_size` keys of a sequence. Lane l of each wave
// holds where key l of the next tile is in K and in V; the lanes that load that key get it by ds_bpermute. The table's
// entries of a tile are requested one tile before.
#include <bit>

#include "kernels/attention/attention_kernel.h"
#include "kernels/parts/take_tile.h"

namespace wavesmith::attention {
namespace {
bool power_of_two(int x) { return std::has_single_bit(static_cast<uint32_t>(x)); }
}  // namespace

void Attention::declare_pages() {
  table = r.s.alloc(4, "block table", 4);
  page_key = r.v.alloc(1, "key of the lane"), page = r.v.alloc(1, "its page in the sequence"),
  page_entry = r.v.alloc(1, "its page in memory"), k_place = r.v.alloc(1, "its row of K"),
  v_place = r.v.alloc(1, "its row of V"), k_lane_key = r.v.alloc(1, "lane that has the key of K to load"),
  v_lane_key = r.v.alloc(1, "lane that has the first key of V to load");
  if (power_of_two(cfg.page_size)) return;
  const auto size = static_cast<uint32_t>(cfg.page_size);
  const int l = std::bit_width(size) - 1;
  page_size = constants(size, "keys of a page");
  page_reciprocal = constants(static_cast<uint32_t>(((UINT64_C(1) << (32 + l)) + size - 1) / size), "its reciprocal");
}

void Attention::find_table() {
  k.comment("block table of the sequence");
  Scratch scratch(r);
  const Sgpr base = scratch.s("its address", 2), stride = scratch.s("bytes of a sequence's table");
  kernel.load(base, args[&Args::block_table]);
  kernel.load(stride, args[&Args::table_stride]);
  at.add_product(base, batch, stride);
  k.s_add_u32(t[0], key_end(), cfg.page_size - 1);
  divide(kernel, t[0], t[0], cfg.page_size);
  k.s_lshl_b32(t[0], t[0], 2);
  raw_buffer(k, table, base, t[0]);
  k.v_and_b32(page_key, keys - 1, kernel.workitem);
  k.v_add_u32(page_key, first_key(), page_key);
  k << request_pages();
}
Block Attention::request_pages() {
  Block b(k.arch(), "request_pages");
  if (power_of_two(cfg.page_size)) b.v_lshrrev_b32(page, log2(cfg.page_size), page_key);
  else {
    b.v_mul_hi_u32(page, page_reciprocal, page_key);
    b.v_lshrrev_b32(page, std::bit_width(static_cast<uint32_t>(cfg.page_size)) - 1, page);
  }
  b.v_lshlrev_b32(page_entry, 2, page);
  b.buffer_load_dword(page_entry, page_entry, table, 0, {.flags = isa::offen});
  return b;
}
// Keys past the last are out of range. Clobbers x and y.
Block Attention::locate_keys() {
  Block b(k.arch(), "locate_keys");
  if (power_of_two(cfg.page_size)) {
    b.v_lshlrev_b32(x, log2(cfg.page_size), page);
  } else {
    b.v_mul_lo_u32(x, page_size, page);
  }
  b.v_sub_u32(x, page_key, x);
  b.v_cmp_gt_u32(vcc, key_end(), page_key);
  for (const auto& [place, tensor] : {std::pair<Vgpr, const Tensor*>{k_place, &K}, {v_place, &V}}) {
    b.v_mul_lo_u32(place, x, sizes[tensor->row]);
    b.v_mul_lo_u32(y, page_entry, strides[tensor->batch].slice(0));
    b.v_add_u32(place, place, y);
    b.v_mov_b32(y, out_of_range);
    b.v_cndmask_b32(place, y, place, vcc);
  }
  b.v_add_u32(page_key, keys, page_key);
  return b << request_pages();
}
// `address` = where the row of the key is that lane `from` / 4 + `further` has, plus the column; saturated.
void Attention::row_in_page(Block& b, Vgpr address, Vgpr from, Vgpr place, int further) {
  b.ds_bpermute_b32(address, from, place, {.offset = 4 * further});
}
void Attention::add_column(Block& b, Vgpr address, Vgpr in_row) {
  b.v_add_u32(address, in_row, address, {.flags = isa::clamp});
}

}  // namespace wavesmith::attention
