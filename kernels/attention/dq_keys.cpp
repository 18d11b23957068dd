// K^T in LDS, for dQ of workgroups whose registers do not suffice for it: each wave stores its fragments of K as rows,
// over the LDS of the tiles, and reads the columns of its part of dQ transposed. Each lane then has its fragments of
// K^T at its own address, where reads have no bank conflicts.
#include <bit>

#include "generator/dsl/scratch.h"
#include "isa_tables/transpose.h"
#include "kernels/attention/dq_sums.h"
#include "kernels/parts/config_error.h"

namespace wavesmith::attention {

// Bits of "lane" above those of a wave are its number: of rows when it stores; of columns, queries and keys when it
// reads, as begin() has them.
DqSums::KeyRows DqSums::key_rows() const {
  using isa::LinearLayout;
  const isa::TransposingLoad load = isa::transposing_load(transposing);
  const int lane_bits = log2(atom_.lanes), waves = log2(shape_.waves), rows = log2(keys()),
            row_bytes =
                std::max(256, element_bytes * static_cast<int>(std::bit_ceil(static_cast<uint32_t>(shape_.dim)))),
            chunks = log2(row_bytes / chunk_bytes), elements = log2(load.elements());
  const auto unsigned_of = [](int x) { return static_cast<uint32_t>(x); };
  LinearLayout stores({{"lane", lane_bits + waves}}, {{"row", rows}, {"chunk", chunks}, {"within", log2(chunk_bytes)}}),
      reads = stores;
  LinearLayout fragments({{"lane", lane_bits}, {"item", elements}}, {{"column", chunks + 3}, {"row", rows}});
  for (int i = 0; i < lane_bits; ++i) {
    const uint32_t row = atom_.b.fragment.basis("lane", i, "row"), chunk = atom_.b.fragment.basis("lane", i, "chunk");
    stores.move("lane", i, "row", row), stores.move("lane", i, "chunk", chunk);
    fragments.move("lane", i, "column", row);
    fragments.move("lane", i, "row", chunk ? key_of(fragment_elements) : 0);
  }
  for (int i = 0; i < elements; ++i) fragments.move("item", i, "row", key_of(1 << i));
  const LinearLayout supplied = isa::transposed(load, lane_bits).inverse().then(fragments);  // "from", "part"
  for (int i = 0; i < elements; ++i)
    if (supplied.basis("part", i, "column") != 1u << i || supplied.basis("part", i, "row"))
      throw ConfigError("attention: a lane of a transposing read supplies no consecutive columns of K");
  const auto at_column = [&](int bit, uint32_t column) {
    const uint32_t byte = column * element_bytes;
    reads.move("lane", bit, "within", byte % chunk_bytes), reads.move("lane", bit, "chunk", byte / chunk_bytes);
  };
  for (int i = 0; i < lane_bits; ++i) {
    at_column(i, supplied.basis("from", i, "column"));
    reads.move("lane", i, "row", supplied.basis("from", i, "row"));
  }
  for (int i = 0; i < waves; ++i) {
    const int bit = lane_bits + i, number = 1 << i, of_columns = by_columns_, of_queries = by_columns_ * by_queries_;
    stores.move("lane", bit, "row", unsigned_of(number * atom_.extent * shape_.owned));
    if (number < of_columns) at_column(bit, unsigned_of(number * atom_.extent));
    else if (number >= of_queries) reads.move("lane", bit, "row", key_of(number / of_queries * (keys() / by_keys_)));
  }
  const LinearLayout plain = rows_of_chunks(keys(), row_bytes),
                     wave = LinearLayout::identity("lane", "lane", lane_bits);
  const isa::LdsTileAccess accesses[] = {{"K store", isa::LdsAccess::write, chunk_bytes, wave.then(stores)},
                                         {"K read", isa::LdsAccess::read, load.bytes, wave.then(reads)}};
  const auto layout = isa::swizzled_for(plain, isa::target(atom_.arch).family, accesses, {.lowest = log2(chunk_bytes)});
  if (!layout) throw ConfigError("attention: no swizzle of K in LDS is free of bank conflicts");
  return {*layout, stores.then(*layout), reads.then(*layout)};
}

void DqSums::transpose_keys(Kernel& kernel, const LaneAddresses& lane, std::span<const Owned<File::v>> fragments) {
  Stream& s = kernel.k;
  s.comment("K^T of the wave's columns, through LDS");
  const KeyRows rows = key_rows();
  if ((1 << rows.layout.output_bits("byte")) > lds_ + dS_bytes())
    throw OutOfRegisters("K does not fit the LDS of the tiles; legal: fewer columns");
  Scratch scratch(kernel.r);
  const int dwords = atom_.b.fragment_dwords(), reads = sets_ * steps_ * dwords / 2;
  const Vgpr base = scratch.v("LDS address of K"), at = scratch.v("LDS address of a fragment"),
             of_keys = scratch.v("fragments of K^T", reads * 2);
  // The displacements of accesses are combined by XOR with the lane's address.
  const auto place = [&](uint32_t displacement) {
    if (displacement) s.v_xor_b32(at, static_cast<int>(displacement), base);
    return displacement ? at : base;
  };
  const auto displacement = [&](uint32_t row, int column) {
    return rows.layout.at({{"row", row}, {"chunk", static_cast<uint32_t>(column * element_bytes / chunk_bytes)}},
                          "byte");
  };
  lane.from_workitem(base, rows.stores, "byte");
  const int of_tile = static_cast<int>(fragments.size()) / shape_.owned;  // fragments of a row
  for (int i = 0; i < static_cast<int>(fragments.size()); ++i)
    for (int j = 0; j < atom_.b.chunks(); ++j)
      s.ds_write_b128(place(displacement(static_cast<uint32_t>(i / of_tile * atom_.extent),
                                         (i % of_tile * atom_.b.chunks() + j) * atom_.b.groups() * fragment_elements)),
                      fragments[static_cast<size_t>(i)].slice(4 * j, 4))
          .buffer = static_cast<int16_t>(tag_);
  const auto barrier = [&] { s.wait_for_lds(), s.barrier(); };
  barrier();
  lane.from_workitem(base, rows.reads, "byte");
  const int per_read = isa::transposing_load(transposing).elements();
  for (int i = 0; i < reads; ++i) {
    const int of_set = reads / sets_, fragment = i % of_set * per_read / (2 * dwords),
              element = i % of_set * per_read % (2 * dwords);
    const int chunk = element / fragment_elements, within = element % fragment_elements;
    const int first = (fragment * atom_.b.chunks() + chunk) * atom_.b.groups() * fragment_elements + within;
    s.ds_read_b64_tr_b16(of_keys.slice(2 * i, 2),
                         place(displacement(key_of(first), i / of_set * by_columns_ * atom_.extent)))
        .buffer = static_cast<int16_t>(tag_);
  }
  barrier();
  key_read_ = kernel.workitem;
  s.v_lshlrev_b32(key_read_, log2(chunk_bytes), key_read_);
  s.v_add_u32(key_read_, lds_ + dS_bytes(), key_read_);
  for (int i = 0; i < reads / 2; ++i)
    s.ds_write_b128(key_read_, of_keys.slice(4 * i, 4), {.offset = i * shape_.waves * atom_.lanes * chunk_bytes})
        .buffer = static_cast<int16_t>(tag_ + shape_.slots);
}

}  // namespace wavesmith::attention
