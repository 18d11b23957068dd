#include "kernels/attention/dq_sums.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/scratch.h"
#include "isa_tables/offsets.h"

namespace wavesmith::attention {

// Columns first: each wave then reads all of dS, and K^T takes the fewest registers. The tiles of columns are padded to
// a power of two. Waves that are left take parts of the keys, and add each their own sums.
DqSums::DqSums(const Atom& atom, const Layouts& layouts, const Shape& s, const HalfPermutes& halves, int lds, int tag)
    : atom_(atom), layouts_(layouts), shape_(s), lds_(lds), tag_(tag), halves_(halves) {
  const int tiles = static_cast<int>(std::bit_ceil(static_cast<uint32_t>(s.dim / atom.extent))),
            parts = s.tile / atom.extent;
  by_columns_ = std::min(tiles, s.waves), sets_ = tiles / by_columns_;
  by_queries_ = std::min(s.waves / by_columns_, parts), per_wave_ = parts / by_queries_;
  by_keys_ = s.waves / by_columns_ / by_queries_;
  steps_ = keys() / by_keys_ * element_bytes / atom.a.row_bytes();
}

uint32_t DqSums::key_of(int place) const {
  const int key = place / shape_.owned;
  return static_cast<uint32_t>(key / atom_.extent * atom_.extent * shape_.owned + place % shape_.owned * atom_.extent +
                               key % atom_.extent);
}

void DqSums::begin(Kernel& kernel, const LaneAddresses& lane, Sgpr wave, std::span<const Owned<File::v>> fragments,
                   Sgpr k, Sgpr row, Sgpr t) {
  Stream& s = kernel.k;
  Registers& r = kernel.r;
  s.comment("dQ: the wave's columns, queries and keys");
  write_ = r.v.alloc(1, "LDS store address of dS"), read_ = r.v.alloc(1, "LDS read address of dS");
  if (shape_.owned > 1) cell_ = r.v.alloc(shape_.owned / 2, "dS of a query, for one key of each tile");
  for (int set = 0; set < (no_padding() ? 1 : sets_); ++set)
    sum_at_.push_back(r.v.alloc(1, "address of the sums of dQ"));
  column_at_ = r.s.alloc(1, "dQ: the wave's first column"), query_at_ = r.s.alloc(1, "dQ: the wave's first query"),
  key_at_ = r.s.alloc(1, "dQ: the wave's first key");
  const auto bits = [&](Sgpr to, int first, int count, int by) {
    s.s_lshr_b32(to, wave, log2(first));
    s.s_and_b32(to, to, count - 1);
    s.s_mul_i32(to, to, by);
  };
  bits(column_at_, 1, by_columns_, atom_.extent);
  bits(query_at_, by_columns_, by_queries_, atom_.extent);
  bits(key_at_, by_columns_ * by_queries_, by_keys_, keys() / by_keys_);
  resource_ = r.s.alloc(4, "buffer resource of the sums of dQ", 4);
  next_ = r.s.alloc(1, "bytes to the next queries' sums"), at_ = r.s.alloc(1, "bytes to the sums of the tile in LDS"),
  end_ = r.s.alloc(1, "bytes of the sums");
  if (shape_.keys_in_lds) transpose_keys(kernel, lane, fragments);
  compute_addresses(kernel, lane, wave, t);
  if (!shape_.keys_in_lds) load_keys(kernel, lane, k, row, t);
  sums_ = Accumulators(r, kernel.arch, per_wave_ * sets_, atom_.items, "sum of dQ", SumsIn::vgprs);
}

void DqSums::compute_addresses(Kernel& kernel, const LaneAddresses& lane, Sgpr wave, Sgpr t) {
  Stream& s = kernel.k;
  Scratch scratch(kernel.r);
  const Vgpr group_row = scratch.v("first row of the lane's group"), x = scratch.v("scratch");
  lane.from_lane(group_row, layouts_.lane.then(layouts_.scores), "row");
  s.s_movk_i32(t[1], row_bytes());
  s.v_mul_lo_u32(write_, group_row, t[1]);
  s.s_mul_i32(t[0], wave, atom_.extent);
  s.v_add_u32(x, t[0], lane.column);
  s.v_lshl_add_u32(write_, x, log2(shape_.owned * element_bytes), write_);
  if (lds_) s.v_add_u32(write_, lds_, write_);
  lane.from_lane(read_, layouts_.lane.then(atom_.a.fragment), "row");
  s.v_add_u32(read_, query_at_, read_);
  s.v_mul_lo_u32(read_, read_, t[1]);
  if (atom_.a.groups() > 1) s.v_lshl_add_u32(read_, lane.half, log2(chunk_bytes), read_);
  s.s_lshl_b32(t[0], key_at_, log2(element_bytes));
  if (lds_) s.s_add_u32(t[0], t[0], lds_);
  s.v_add_u32(read_, t[0], read_);

  s.v_add_u32(group_row, query_at_, group_row);
  s.v_mul_u32_u24(group_row, bytes_of(shape_.width), group_row);
  for (int set = 0; set < static_cast<int>(sum_at_.size()); ++set) {
    const Vgpr to = sum_at_[static_cast<size_t>(set)];
    s.v_add_u32(x, column_at_, lane.column);
    s.v_lshl_add_u32(to, x, 2, group_row);
    if (no_padding()) continue;
    s.v_cmp_gt_i32(vcc, shape_.width - set * by_columns_ * atom_.extent, x);
    s.v_mov_b32(x, out_of_range);
    s.v_cndmask_b32(to, x, to, vcc);
  }
  s.comment("zeros, before there is a dS");
  const Vgpr zeros = scratch.v("zeros", 4);
  for (int i = 0; i < 4; ++i) s.v_mov_b32(zeros[i], 0);
  if (shape_.keys_in_lds) s.v_subrev_u32(x, lds_ + dS_bytes(), key_read_);
  else s.v_lshlrev_b32(x, log2(chunk_bytes), kernel.workitem);
  const int lanes = shape_.waves * atom_.lanes, bytes = shape_.slots * slot_bytes();
  if (lds_) s.v_add_u32(x, lds_, x);
  for (int from = 0; from < bytes; from += lanes * chunk_bytes) {
    if (bytes - from < lanes * chunk_bytes) {  // the last of them end where the tile ends
      s.v_min_u32(x, lds_ + bytes - from - chunk_bytes, x);
    }
    s.ds_write_b128(x, zeros, {.offset = from}).buffer = static_cast<int16_t>(tag_);
  }
}
// After the last use of K^T.
void DqSums::restore(Stream& s, Vgpr workitem) const {
  if (!shape_.keys_in_lds) return;
  s.v_subrev_u32(workitem, lds_ + dS_bytes(), workitem);
  s.v_lshrrev_b32(workitem, log2(chunk_bytes), workitem);
}

// Each lane has a column; element by element, since neighbouring elements are of different keys.
void DqSums::load_keys(Kernel& kernel, const LaneAddresses& lane, Sgpr k, Sgpr row, Sgpr t) {
  Stream& s = kernel.k;
  Registers& r = kernel.r;
  s.comment("K^T of the wave's columns");
  const int dwords = atom_.b.fragment_dwords();
  keys_ = Accumulators(r, kernel.arch, sets_ * steps_, dwords, "fragment of K^T");
  Scratch scratch(r);
  const Vgpr address = scratch.v("address"), column = scratch.v("column"), x = scratch.v("scratch");
  constexpr int at_once = 32;
  const Vgpr pairs[] = {scratch.v("even keys of a column", at_once), scratch.v("odd keys of a column", at_once)};
  for (int set = 0; set < sets_; ++set) {
    const int further = set * by_columns_ * atom_.extent;
    s.v_add_u32(column, column_at_, lane.column);
    if (further) s.v_add_u32(column, further, column);
    if (atom_.b.groups() > 1) {
      s.v_mul_u32_u24(address, static_cast<int>(key_of(fragment_elements)), lane.half);
      s.v_add_u32(address, key_at_, address);
    } else {  // the halves of the wave hold copies
      s.v_mov_b32(address, key_at_);
    }
    s.v_mul_lo_u32(address, address, row);
    s.v_lshl_add_u32(address, column, log2(element_bytes), address);
    s.v_cmp_gt_u32(vcc, shape_.width, column);
    s.v_mov_b32(x, out_of_range);
    s.v_cndmask_b32(address, x, address, vcc);
    const int all = steps_ * dwords;
    for (int first = 0; first < all; first += at_once) {
      const int count = std::min(at_once, all - first);
      for (int i = 0; i < count; ++i)
        for (const int half : {0, 1}) {
          const int chunk = (first + i) / 4, within = (first + i) % 4 * 2 + half;
          s.s_mul_i32(t[0], row, static_cast<int>(key_of(chunk * atom_.b.groups() * fragment_elements + within)));
          s.buffer_load_ushort(pairs[half][i], address, k, t[0], {.flags = isa::offen});
        }
      for (int i = 0; i < count; ++i) {
        s.v_lshl_or_b32(pairs[0][i], pairs[1][i], 16, pairs[0][i]);
        const int at = set * all + first + i;
        keys_.write(s, at / dwords, at % dwords, pairs[0][i]);
      }
    }
  }
}

// Nothing is added for the tile before the first.
void DqSums::begin_head(Kernel& kernel, Sgpr base, Sgpr queries, Sgpr first_row, Sgpr t) {
  Stream& s = kernel.k;
  s.s_mul_i32(end_, queries, bytes_of(shape_.width));
  raw_buffer(s, resource_, base, end_);
  s.s_mul_i32(t[0], first_row, bytes_of(shape_.width));
  s.s_min_u32(next_, t[0], end_);
  s.s_mov_b32(at_, end_);
}

void DqSums::write(Block& b, int element, std::span<const Vgpr> pairs, int slot) const {
  for (const int i : {0, 1}) {
    const isa::Mods at{.offset = slot * slot_bytes() + layouts_.key(element + i) * row_bytes()};
    for (size_t j = 0; j + 1 < pairs.size(); j += 2)
      halves_.column(b, cell_[static_cast<int>(j / 2)], pairs[j], pairs[j + 1], i ? Half::high : Half::low);
    isa::Mods m = at;
    Node& node = pairs.size() == 4   ? b.ds_write_b64(write_, cell_.slice(0, 2), m)
                 : pairs.size() == 2 ? b.ds_write_b32(write_, cell_.slice(0, 1), m)
                 : i                 ? b.ds_write_b16_d16_hi(write_, pairs[0], m)
                                     : b.ds_write_b16(write_, pairs[0], m);
    node.buffer = static_cast<int16_t>(tag_ + slot);
  }
}

void DqSums::read_step(Block& b, int step, const Fragments& to, int slot) const {
  const int n = product_of(step) / sets_ * by_queries_ * atom_.extent;
  for (int j = 0; j < atom_.a.chunks(); ++j)
    b.ds_read_b128(to.ds.slice(4 * j, 4), read_,
                   {.offset = slot * slot_bytes() + n * row_bytes() +
                              (step % steps_ * atom_.a.chunks() + j) * atom_.a.groups() * chunk_bytes})
        .buffer = static_cast<int16_t>(tag_ + slot);
  for (int j = 0; j < atom_.b.chunks() && shape_.keys_in_lds; ++j)
    b.ds_read_b128(to.keys.slice(4 * j, 4), key_read_,
                   {.offset = key_fragment(step) * key_bytes() + j * key_bytes() / atom_.b.chunks()})
        .buffer = static_cast<int16_t>(tag_ + shape_.slots);
}
void DqSums::multiply_step(Block& b, int step, const Fragments& from) const {
  const isa::Operand to = sums_(product_of(step));
  for (int p = 0; p < atom_.parts(); ++p) {
    const int at = p * atom_.b.registers;
    const VAArg right = shape_.keys_in_lds ? from.keys.slice(at, atom_.b.registers)
                                           : keys_.part(key_fragment(step), at, atom_.b.registers);
    b.emit(atom_.op,
           {to, from.ds.slice(p * atom_.a.registers, atom_.a.registers).operand(), right.o,
            step % steps_ || p ? to : isa::imm(0)},
           atom_.mods, Where::current());
  }
}

Block DqSums::add(Arch arch, Sgpr t) const {
  Block b(arch, "add_dq");
  const int reach = isa::reach(isa::Format::mubuf, arch);
  const int row = bytes_of(shape_.width);
  for (int n = 0; n < per_wave_; ++n) {
    std::optional<int> base;
    for (int set = 0; set < sets_; ++set)
      for (int i = 0; i < atom_.items; ++i) {
        const int at = (n * by_queries_ * atom_.extent + layouts_.key(i)) * row + 4 * set * by_columns_ * atom_.extent,
                  from = at / reach * reach;
        if (from && from != base) b.s_add_u32(t[0], at_, from);
        base = from;
        b.buffer_atomic_add_f32(sums_.vgprs(n * sets_ + set)[i],
                                sum_at_[sum_at_.size() > 1 ? static_cast<size_t>(set) : 0], resource_,
                                from ? t[0] : static_cast<Sgpr>(at_), {.offset = at % reach, .flags = isa::offen});
      }
  }
  b.s_mov_b32(at_, next_);
  if (shape_.last_first) b.s_sub_u32(next_, next_, shape_.tile * row);
  else b.s_add_u32(next_, next_, shape_.tile * row);
  b.s_min_u32(next_, next_, end_);
  return b;
}

}  // namespace wavesmith::attention
