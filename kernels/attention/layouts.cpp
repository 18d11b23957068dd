// K, and V where reads transpose it (ds_read_b64_tr_b16), have the order of memory in LDS: rows of 16-byte chunks.
// Elsewhere a lane loads two columns of four keys and packs the four keys of each column. LDS then has one row per
// column: the keys that one group of lanes has in P, followed by those of the other group, so that a 128-bit read
// returns consecutive elements of a lane. All tiles are swizzled for their accesses.
#include "kernels/attention/layouts.h"

#include <fmt/format.h>

#include "isa_tables/transpose.h"
#include "kernels/parts/config_error.h"

namespace wavesmith::attention {
namespace {
using isa::LinearLayout, isa::MatrixOperand;

constexpr int element_bytes = 2, lane_bits = 6;
uint32_t unsigned_of(int x) { return static_cast<uint32_t>(x); }

LinearLayout renamed(const LinearLayout& l, const char* output, const char* to) {
  return l.then(LinearLayout::identity(output, to, l.output_bits(output)));
}
// Restricted to the lanes of the first wave, all other inputs being 0.
LinearLayout of_lanes(const LinearLayout& l) { return LinearLayout::identity("lane", "lane", lane_bits).then(l); }

LinearLayout swizzled(const LinearLayout& plain, isa::Arch arch, const char* name,
                      std::span<const isa::LdsTileAccess> accesses, int lowest) {
  const auto found = isa::swizzled_for(plain, isa::target(arch).family, accesses, {.lowest = lowest});
  if (!found) throw ConfigError(fmt::format("attention: no swizzle of {}'s LDS tile is free of bank conflicts", name));
  return *found;
}
}  // namespace

Layouts::Layouts(const Shapes& s) : s_(s) {
  const int mn = isa::info(s.mma).matrix.m;
  lane = renamed(chunk_lanes(s.mma, s.arch, MatrixOperand::b), "row", "query").inverse();
  scores = isa::layout(isa::info(s.mma), s.arch, MatrixOperand::d).map;
  const int items = scores.input_bits("item"), elements = log2(s.keys / 2);
  weights = LinearLayout({{"element", elements}, {"chunk", 1}}, {{"key", log2(s.keys)}});
  for (int i = 0; i < elements; ++i)
    weights.move("element", i, "key", i < items ? scores.basis("item", i, "row") : unsigned_of(mn) << (i - items));
  weights.move("chunk", 0, "key", unsigned_of(chunk_rows()));

  const isa::LdsTileAccess keys{"K read", isa::LdsAccess::read, chunk_bytes,
                                chunk_lanes(s.mma, s.arch, MatrixOperand::a)};
  k = rows_as_in_memory(s.dim, keys);
  v = s.direct ? rows_as_in_memory(s.dim_v, transposing_read()) : transposed_values();
  if (!s.direct) value_store(1);
  const int steps = s.dim * element_bytes / chunk_bytes >> lane.input_bits("chunk");
  for (int step = 0; step < steps; ++step)
    for (int part = 0; part < s.keys / mn; ++part) key_read(part, step);
  for (int d = 0; d < s.dim_v / mn; ++d)
    for (int e = 0; e < s.keys / 2; e += value_elements()) value_read(e, d);
}

int Layouts::key(int element) const { return static_cast<int>(weights.at({{"element", unsigned_of(element)}}, "key")); }
int Layouts::chunk_rows() const { return static_cast<int>(lane.then(scores).basis("chunk", 0, "row")); }
int Layouts::partner() const { return static_cast<int>(lane.basis("chunk", 0, "lane")); }
int Layouts::value_elements() const {
  return s_.direct ? isa::transposing_load(transposing).elements() : chunk_bytes / element_bytes;
}

AddressSet::At Layouts::key_read(int part, int step) {
  const int mn = isa::info(s_.mma).matrix.m;
  return k.fragments.at(
      k.layout.at({{"row", unsigned_of(part * mn)}, {"chunk", unsigned_of(step) << lane.input_bits("chunk")}}, "byte"));
}
AddressSet::At Layouts::value_read(int element, int d) {
  const uint32_t column = unsigned_of(d * isa::info(s_.mma).matrix.m), at = unsigned_of(key(element));
  return v.fragments.at(s_.direct ? v.layout.at({{"row", at}, {"chunk", column * element_bytes / chunk_bytes}}, "byte")
                                  : v.layout.at({{"key", at}, {"column", column}}, "byte"));
}
AddressSet::At Layouts::value_store(int column) {
  return v.stores.at(v.layout.at({{"column", unsigned_of(column)}}, "byte"));
}

// V^T as the left operand: "lane", "item" -> "column" of a tile of O^T, "key". The order of k follows from P, the right
// operand: P has the keys where S had them.
LinearLayout Layouts::values() const {
  const auto a = isa::layout(isa::info(s_.mma), s_.arch, MatrixOperand::a).map,
             b = isa::layout(isa::info(s_.mma), s_.arch, MatrixOperand::b).map;
  const LinearLayout by_k = renamed(renamed(a, "row", "column"), "col", "row");
  return renamed(by_k.then(b.inverse()).then(scores), "row", "key");
}

// The addresses of a transposing read: each lane reads consecutive columns of one key, which the hardware distributes
// to the lanes that hold the fragment.
isa::LdsTileAccess Layouts::transposing_read() const {
  const isa::TransposingLoad load = isa::transposing_load(transposing);
  const LinearLayout supplied = renamed(isa::transposed(load, lane_bits).inverse().then(values()), "key",
                                        "row");  // "from", "part" -> "column", "row"
  for (int i = 0; i < supplied.input_bits("part"); ++i)
    if (supplied.basis("part", i, "column") != 1u << i || supplied.basis("part", i, "row"))
      throw ConfigError("attention: a lane of a transposing read supplies no consecutive columns of V");
  LinearLayout columns({{"column", supplied.output_bits("column")}},
                       {{"within", log2(chunk_bytes)}, {"chunk", supplied.output_bits("column")}});
  for (int i = 0; i < supplied.output_bits("column"); ++i)
    if (const int byte = element_bytes << i; byte < chunk_bytes) columns.move("column", i, "within", unsigned_of(byte));
    else columns.move("column", i, "chunk", unsigned_of(byte / chunk_bytes));
  const LinearLayout lanes = LinearLayout::identity("lane", "from", lane_bits).then(supplied).then(columns);
  return {"V read", isa::LdsAccess::read, load.bytes, lanes};
}

LdsTile Layouts::rows_as_in_memory(int dim, const isa::LdsTileAccess& read) const {
  LdsTile t;
  const LinearLayout plain = rows_of_chunks(tile_bytes / (element_bytes * dim), element_bytes * dim);
  const LinearLayout in_order = lanes_in_order(plain, log2(lanes));
  const std::string name = read.name.substr(0, 1);
  t.plain = plain, t.accesses = {read};
  if (!s_.direct) t.accesses.push_back({name + " store", isa::LdsAccess::write, chunk_bytes, of_lanes(in_order)});
  t.layout = swizzled(plain, s_.arch, name.c_str(), t.accesses, log2(chunk_bytes));
  t.loads = s_.direct ? lanes_in_order(t.layout, log2(lanes)) : in_order;
  t.reads = lane.then(read.lanes).then(t.layout);
  t.fragments = AddressSet(t.reads, read.bytes);
  return t;
}

LdsTile Layouts::transposed_values() const {
  LdsTile t;
  const int mn = isa::info(s_.mma).matrix.m, columns = log2(s_.dim_v);
  const int keys = log2(tile_bytes / (element_bytes * s_.dim_v));  // includes the surplus keys of a V narrower than K
  LinearLayout plain({{"column", columns}, {"key", keys}}, {{"byte", log2(tile_bytes)}});
  const LinearLayout place = weights.inverse();  // key -> element, then group of lanes
  for (int i = 0; i < keys; ++i)
    plain.move("key", i, "byte",
               1 << i < s_.keys ? static_cast<uint32_t>(place.packed(uint64_t{1} << i)) * element_bytes
                                : unsigned_of(element_bytes * s_.dim_v) << i);
  for (int i = 0; i < columns; ++i) plain.move("column", i, "byte", unsigned_of(element_bytes * s_.keys) << i);

  // Each lane loads four keys of a pair of columns. A store of 8 bytes by 16 lanes covers all banks, so one column bit
  // of these lanes selects the half of a 16-byte chunk; all lanes of a fragment read must agree in that bit. Therefore
  // the 16 lanes have the lowest column bit above those of a fragment instead of the highest one within it.
  std::vector<int> order;
  for (int i = 1; i < columns; ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(log2(mn) - 2)], order[static_cast<size_t>(log2(mn) - 1)]);
  t.loads = LinearLayout({{"lane", log2(lanes)}}, {{"column", columns}, {"key", keys}});
  for (int i = 0; i < log2(lanes); ++i)
    if (i < columns - 1) t.loads.move("lane", i, "column", 1u << order[static_cast<size_t>(i)]);
    else t.loads.move("lane", i, "key", 4u << (i - (columns - 1)));
  const LinearLayout read = renamed(chunk_lanes(s_.mma, s_.arch, MatrixOperand::a), "row", "column").then(weights);
  t.plain = plain;
  t.accesses = {{"V store", isa::LdsAccess::write, 4 * element_bytes, of_lanes(t.loads)},
                {"V read", isa::LdsAccess::read, chunk_bytes, read}};
  t.layout = swizzled(plain, s_.arch, "V", t.accesses, log2(4 * element_bytes));
  t.reads = lane.then(read).then(t.layout);
  t.stores = AddressSet(t.loads.then(t.layout), 4 * element_bytes);
  t.fragments = AddressSet(t.reads, chunk_bytes);
  return t;
}

}  // namespace wavesmith::attention
