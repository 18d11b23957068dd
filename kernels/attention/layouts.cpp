// K, and V where reads transpose it (ds_read_b64_tr_b16), have the order of memory in LDS: rows of 16-byte chunks.
// Elsewhere a lane loads two columns of four or eight keys and packs the keys of each column. LDS then has one row per
// column: the keys that one group of lanes has in P, followed by those of the other group, so that a 128-bit read
// returns consecutive elements of a lane. All tiles are swizzled for their accesses.
#include "kernels/attention/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa_tables/transpose.h"
#include "kernels/parts/config_error.h"

namespace wavesmith::attention {
namespace {
using isa::LinearLayout;

uint32_t unsigned_of(int x) { return static_cast<uint32_t>(x); }

LinearLayout renamed(const LinearLayout& l, const char* output, const char* to) {
  return l.then(LinearLayout::identity(output, to, l.output_bits(output)));
}
// Restricted to the lanes of the first wave, all other inputs being 0.
LinearLayout of_lanes(const LinearLayout& l, int lanes) {
  return LinearLayout::identity("lane", "lane", std::min(log2(lanes), l.input_bits("lane"))).then(l);
}
int lowest_power(int x) { return x & -x; }

// `block`, and the room for more of them: the bits of `input` above its own.
LinearLayout with_blocks(const LinearLayout& block, const char* input, const char* output, int bits) {
  return bits ? block * LinearLayout::identity(input, output, bits) : block;
}
uint32_t at_block(const LinearLayout& l, LinearLayout::Point point, int block) {
  if (block) point.emplace_back("block", unsigned_of(block));
  return l.at(point, "byte");
}
// What a lane's load number `round` is away from its first one, in LDS.
uint32_t round_displacement(const LdsTile& t, int round, int lanes) {
  return round ? t.loads.then(t.layout).at({{"lane", unsigned_of(round * lanes)}}, "byte") : 0;
}

// What a bit of a lane's number adds to its first element.
struct Step {
  const char* axis;
  uint32_t by;
  bool operator==(const Step& o) const { return by == o.by && std::string_view(axis) == o.axis; }
};
// Orders in which lanes may go through a transposed tile, the last one `in_order`. A store of 8 bytes by 16 lanes
// covers all banks, so one bit of these lanes selects the half of a 16-byte chunk. That is a column bit in which all
// lanes of a fragment read agree, if there is one: the 16 lanes have the lowest column bit above those of a fragment
// instead of the highest one within it. Or it is the bit of the next run of keys.
std::vector<std::vector<Step>> lane_orders(const std::vector<Step>& in_order, const Step& next_run, int fragment_bits,
                                           int column_bits) {
  std::vector<std::vector<Step>> all;
  if (column_bits > fragment_bits) {
    all.push_back(in_order);
    std::swap(all.back()[static_cast<size_t>(fragment_bits - 2)], all.back()[static_cast<size_t>(fragment_bits - 1)]);
  }
  for (const int at : {3, 2, 1}) {
    all.push_back(in_order);
    std::erase(all.back(), next_run);
    all.back().insert(all.back().begin() + at, next_run);
  }
  all.push_back(in_order);
  return all;
}

LinearLayout swizzled(const LinearLayout& plain, isa::Arch arch, const char* name,
                      std::span<const isa::LdsTileAccess> accesses, int lowest) {
  const auto found = isa::swizzled_for(plain, isa::target(arch).family, accesses, {.lowest = lowest});
  if (!found) throw ConfigError(fmt::format("attention: no swizzle of {}'s LDS tile is free of bank conflicts", name));
  return *found;
}
}  // namespace

LinearLayout columns_of(const LdsTile& tile, const char* axis, int width) {
  const int in_block = log2(tile.block_columns), bits = tile.loads.output_bits(axis);
  const bool blocks = tile.loads.outputs().back().name == "block";
  const int more = blocks ? tile.loads.output_bits("block") : 0;
  LinearLayout l({{axis, bits}}, {{"place", in_block + more}});
  if (blocks) l = LinearLayout({{axis, bits}, {"block", more}}, {{"place", in_block + more}});
  for (int i = 0; i < bits; ++i) l.move(axis, i, "place", static_cast<uint32_t>(width) << i);
  for (int i = 0; i < more; ++i) l.move("block", i, "place", 1u << (in_block + i));
  return l;
}

Layouts::Layouts(const Shapes& s) : s_(s) {
  const Atom& atom = s.atom;
  scores = atom.product;
  const int items = scores.input_bits("item"), elements = log2(s.parts()) + items;
  // Lane bits that move the row count the groups.
  std::vector<uint32_t> group_row;
  for (int i = 0; i < scores.input_bits("lane"); ++i)
    if (const uint32_t row = scores.basis("lane", i, "row")) group_row.push_back(row);
  const int group_bits = static_cast<int>(group_row.size());
  of_lane = LinearLayout({{"lane", scores.input_bits("lane")}},
                         {{"query", scores.output_bits("col")}, {"group", group_bits}});
  for (int i = 0, group = 0; i < scores.input_bits("lane"); ++i) {
    of_lane.move("lane", i, "query", scores.basis("lane", i, "col"));
    if (scores.basis("lane", i, "row")) of_lane.move("lane", i, "group", 1u << group++);
  }
  lane = of_lane.inverse();
  held = LinearLayout({{"element", elements}, {"group", group_bits}}, {{"key", log2(s.keys)}});
  for (int i = 0; i < elements; ++i)
    held.move("element", i, "key",
              i < items ? scores.basis("item", i, "row") : unsigned_of(atom.extent) << (i - items));
  for (int i = 0; i < group_bits; ++i) held.move("group", i, "key", group_row[static_cast<size_t>(i)]);
  exchanged = atom.a.groups() == 1;
  weights = exchanged ? LinearLayout::identity("element", "key", log2(s.keys)) : held;

  if (s.moved) {
    k = moved_rows("K", s.dim, row_reads(atom.a));
    v = moved_rows("V", s.dim_v, column_reads(atom.a, 8 * s.bytes, group_rows()));
    return;
  }
  const AtomOperand& of_keys = s.of_scores().a;
  const isa::LdsTileAccess keys{"K read", isa::LdsAccess::read, chunk_bytes, of_keys.fragment};
  if (s.both) {
    k = v = rows_as_in_memory(s.dim, {keys, transposing_read()});
    v.reads = lane.then(v.accesses[1].lanes).then(v.layout), v.fragments = AddressSet(v.reads, v.accesses[1].bytes);
    if (!s.direct) v.rounds = v.bytes = 0, v.stores = {};
  } else {
    k = rows_as_in_memory(s.dim, {keys});
    v = s.latent         ? columns_of_keys()
        : s.transposes() ? rows_as_in_memory(s.dim_v, {transposing_read()})
                         : transposed_values();
  }
  for (int round = 0; round < k.rounds; ++round) key_store(round);
  for (int round = 0; round < v.rounds && !s.direct; ++round)
    if (s.rows) value_store(round);
    else
      for (int column : {0, 1}) value_store(round, column);
  for (int step = 0; step < s.dim / s.chunk_elements() / of_keys.row_chunks; ++step)
    for (int j = 0; j < of_keys.chunks(); ++j)
      for (int part = 0; part < s.parts(); ++part) key_read(part, of_keys.chunk(step, j));
  for (int d = 0; d < s.dim_v / (s.latent ? 2 * atom.extent : atom.extent); ++d)
    for (int e = 0; e < weight_elements(); e += value_elements()) value_read(e, d);
}

int Layouts::key(int element) const { return static_cast<int>(held.at({{"element", unsigned_of(element)}}, "key")); }
int Layouts::group_rows() const { return static_cast<int>(held.basis("group", 0, "key")); }
int Layouts::groups() const { return 1 << lane.input_bits("group"); }
int Layouts::partner() const { return static_cast<int>(lane.basis("group", lane.input_bits("group") - 1, "lane")); }
int Layouts::weight_elements() const { return 1 << weights.input_bits("element"); }
int Layouts::value_elements() const {
  if (s_.latent) return 1;
  return s_.transposes() ? isa::transposing_load(*transposing_on(s_.atom.arch)).elements() : s_.chunk_elements();
}

AddressSet::At Layouts::key_read(int part, int chunk) {
  const int chunks = k.block_columns / s_.chunk_elements();
  return k.fragments.at(at_block(
      k.layout, {{"row", unsigned_of(part * s_.atom.extent)}, {"chunk", unsigned_of(chunk % chunks)}}, chunk / chunks));
}
AddressSet::At Layouts::value_read(int element, int d) {
  const int column = d * (s_.latent ? 2 * s_.atom.extent : s_.atom.extent), in_block = column % v.block_columns,
            block = column / v.block_columns;
  const uint32_t at = weights.at({{"element", unsigned_of(element)}}, "key");
  return v.fragments.at(
      s_.transposes() || s_.latent
          ? at_block(v.layout, {{"row", at}, {"chunk", unsigned_of(in_block * s_.bytes / chunk_bytes)}}, block)
          : at_block(v.layout, {{"key", at}, {"column", unsigned_of(in_block)}}, block));
}
AddressSet::At Layouts::key_store(int round) { return k.stores.at(round_displacement(k, round, s_.lanes)); }
AddressSet::At Layouts::value_store(int round) { return v.stores.at(round_displacement(v, round, s_.lanes)); }
AddressSet::At Layouts::value_store(int round, int column) {
  return v.stores.at(round_displacement(v, round, s_.lanes) ^ v.layout.at({{"column", unsigned_of(column)}}, "byte"));
}

// V^T as the left operand: "lane", "item" -> "column" of a tile of O^T, "key". Lanes and items have the same k in both
// operands, and P has the keys where S had them.
LinearLayout Layouts::values() const {
  const int items = log2(s_.atom.a.registers * 4 / s_.bytes);
  LinearLayout l({{"lane", log2(s_.atom.lanes)}, {"item", items}},
                 {{"column", log2(s_.atom.extent)}, {"key", weights.output_bits("key")}});
  for (int i = 0; i < log2(s_.atom.lanes); ++i) {
    l.move("lane", i, "column", s_.atom.a.fragment.basis("lane", i, "row"));
    if (!exchanged && s_.atom.a.fragment.basis("lane", i, "chunk"))
      l.move("lane", i, "key", weights.at({{"group", of_lane.basis("lane", i, "group")}}, "key"));
  }
  for (int i = 0; i < items; ++i) l.move("item", i, "key", weights.basis("element", i, "key"));
  return l;
}

// The addresses of a transposing read: each lane reads consecutive columns of one key, which the hardware distributes
// to the lanes that hold the fragment.
isa::LdsTileAccess Layouts::transposing_read() const {
  const isa::TransposingLoad load = isa::transposing_load(*transposing_on(s_.atom.arch));
  const int lane_bits = log2(s_.atom.lanes);
  const LinearLayout supplied = renamed(isa::transposed(load, lane_bits).inverse().then(values()), "key",
                                        "row");  // "from", "part" -> "column", "row"
  for (int i = 0; i < supplied.input_bits("part"); ++i)
    if (supplied.basis("part", i, "column") != 1u << i || supplied.basis("part", i, "row"))
      throw ConfigError("attention: a lane of a transposing read supplies no consecutive columns of V");
  LinearLayout columns({{"column", supplied.output_bits("column")}},
                       {{"within", log2(chunk_bytes)}, {"chunk", supplied.output_bits("column")}});
  for (int i = 0; i < supplied.output_bits("column"); ++i)
    if (const int byte = s_.bytes << i; byte < chunk_bytes) columns.move("column", i, "within", unsigned_of(byte));
    else columns.move("column", i, "chunk", unsigned_of(byte / chunk_bytes));
  const LinearLayout lanes = LinearLayout::identity("lane", "from", lane_bits).then(supplied).then(columns);
  return {"V read", isa::LdsAccess::read, load.bytes, lanes};
}

// Addresses are those of the first read.
LdsTile Layouts::rows_as_in_memory(int dim, std::vector<isa::LdsTileAccess> reads) const {
  LdsTile t;
  // Further blocks are reached by offsets alone: few address registers.
  t.block_columns = s_.block_bytes ? s_.block_bytes / s_.bytes : s_.both ? s_.atom.extent : lowest_power(dim);
  const int block_bytes = s_.keys * t.block_columns * s_.bytes, load_bytes = s_.lanes * chunk_bytes;
  t.rounds = (s_.keys * dim * s_.bytes + load_bytes - 1) / load_bytes, t.bytes = t.rounds * load_bytes;
  const int blocks = std::max(0, log2(static_cast<int>(std::bit_ceil(unsigned_of(t.bytes)))) - log2(block_bytes));
  const LinearLayout plain = rows_of_chunks(s_.keys, s_.bytes * t.block_columns);
  const LinearLayout in_order = lanes_in_order(plain, log2(block_bytes / chunk_bytes));
  const isa::LdsTileAccess read = reads[0];
  const std::string name = read.name.substr(0, 1);
  t.accesses = std::move(reads);
  if (!s_.direct)
    t.accesses.push_back({name + " store", isa::LdsAccess::write, chunk_bytes, of_lanes(in_order, s_.atom.lanes)});
  const LinearLayout layout = swizzled(plain, s_.atom.arch, name.c_str(), t.accesses, log2(chunk_bytes));
  t.plain = with_blocks(plain, "block", "byte", blocks);
  t.layout = with_blocks(layout, "block", "byte", blocks);
  t.loads = with_blocks(s_.direct ? lanes_in_order(layout, log2(block_bytes / chunk_bytes)) : in_order, "lane", "block",
                        blocks);
  t.reads = lane.then(read.lanes).then(layout);
  t.stores = AddressSet(of_lanes(t.loads, s_.lanes).then(t.layout), chunk_bytes);
  t.fragments = AddressSet(t.reads, read.bytes);
  return t;
}

LdsTile Layouts::moved_rows(const char* name, int dim, const TileReads& reads) const {
  LdsTile t;
  const int row = dim * s_.bytes;
  t.padding = row_padding(row, reads, s_.atom.arch, fmt::format("attention: rows of {} bytes of {} in LDS", row, name));
  t.pitch = row + t.padding;
  t.bytes = s_.keys * t.pitch;
  t.moved = reads;
  return t;
}

// O is written in halves of chunks, by the lanes that read fragments of Q: two of them share a bank at most.
RowTile Layouts::row_tile() const {
  const Atom& atom = s_.atom;
  const LinearLayout plain = rows_of_chunks(atom.extent, row_columns * element_bytes),
                     lines = lanes_in_order(plain, plain.output_bits("byte") - log2(chunk_bytes)),
                     of_wave = of_lanes(lines, atom.lanes);
  const isa::LdsTileAccess accesses[] = {{"Q store", isa::LdsAccess::write, chunk_bytes, of_wave},
                                         {"O read", isa::LdsAccess::read, chunk_bytes, of_wave},
                                         {"Q read", isa::LdsAccess::read, chunk_bytes, atom.a.fragment}};
  const LinearLayout layout = swizzled(plain, atom.arch, "Q", accesses, log2(chunk_bytes));
  LinearLayout results({{"query", scores.output_bits("col")}, {"group", lane.input_bits("group")}},
                       {{"row", plain.input_bits("row")}, {"within", log2(chunk_bytes)}});
  for (int i = 0; i < scores.output_bits("col"); ++i) results.move("query", i, "row", 1u << i);
  results.move("group", 0, "within", unsigned_of(group_rows() * element_bytes));
  return {layout, lines, lane.then(atom.a.fragment).then(layout), results.then(layout)};
}

// Nothing is stored. A lane reads four bytes of its row of V^T.
LdsTile Layouts::columns_of_keys() const {
  constexpr int pair_bytes = 2 * element_bytes;
  const LinearLayout of_values = values();
  LinearLayout read({{"lane", log2(s_.atom.lanes)}},
                    {{"row", log2(s_.keys)}, {"chunk", k.layout.input_bits("chunk")}, {"within", log2(chunk_bytes)}});
  for (int i = 0; i < log2(s_.atom.lanes); ++i) {
    const uint32_t byte = of_values.basis("lane", i, "column") * pair_bytes;
    read.move("lane", i, "row", of_values.basis("lane", i, "key"));
    read.move("lane", i, "within", byte % chunk_bytes);
    read.move("lane", i, "chunk", byte / chunk_bytes);
  }
  LdsTile t = k;
  t.rounds = t.bytes = 0;
  t.stores = {};
  t.reads = lane.then(read).then(k.layout);
  t.fragments = AddressSet(t.reads, pair_bytes);
  t.accesses = {{"V read", isa::LdsAccess::read, pair_bytes, read}};
  return t;
}

LdsTile Layouts::transposed_values() const {
  LdsTile t;
  t.block_columns = lowest_power(s_.dim_v);
  const int extent = s_.atom.extent, columns = log2(t.block_columns), keys = log2(s_.keys), run = s_.run(),
            row_bytes = s_.keys * s_.bytes, block_bytes = t.block_columns * row_bytes, lane_bytes = 2 * run * s_.bytes,
            load_bytes = s_.lanes * lane_bytes;
  t.rounds = (s_.dim_v * row_bytes + load_bytes - 1) / load_bytes, t.bytes = t.rounds * load_bytes;
  const int blocks = std::max(0, log2(static_cast<int>(std::bit_ceil(unsigned_of(t.bytes)))) - log2(block_bytes));
  LinearLayout plain({{"column", columns}, {"key", keys}}, {{"byte", log2(block_bytes)}});
  const LinearLayout place = weights.inverse();  // key -> element, then group of lanes
  for (int i = 0; i < keys; ++i)
    plain.move("key", i, "byte", static_cast<uint32_t>(place.packed(uint64_t{1} << i)) * s_.bytes);
  for (int i = 0; i < columns; ++i) plain.move("column", i, "byte", unsigned_of(row_bytes) << i);

  const LinearLayout of_values = values();
  LinearLayout read({{"lane", log2(s_.atom.lanes)}}, {{"column", log2(extent)}, {"key", keys}});
  for (int i = 0; i < log2(s_.atom.lanes); ++i) {
    read.move("lane", i, "column", s_.atom.a.fragment.basis("lane", i, "row"));
    read.move("lane", i, "key", of_values.basis("lane", i, "key"));
  }
  const int store_bytes = run * s_.bytes;
  // A lane loads the keys of `run` consecutive elements of a pair of columns.
  std::vector<Step> in_order;
  for (int i = 1; i < columns; ++i) in_order.push_back({"column", 1u << i});
  std::vector<uint32_t> further;  // keys of the position bits above a run
  for (int i = log2(run); i < keys; ++i) further.push_back(static_cast<uint32_t>(weights.packed(uint64_t{1} << i)));
  const Step next_run{"key", further[0]};
  std::ranges::sort(further);
  for (const uint32_t key : further) in_order.push_back({"key", key});
  LinearLayout loads, layout = plain;
  for (const auto& order : lane_orders(in_order, next_run, log2(extent), columns)) {
    loads = LinearLayout({{"lane", static_cast<int>(order.size())}}, {{"column", columns}, {"key", keys}});
    for (size_t i = 0; i < order.size(); ++i) loads.move("lane", static_cast<int>(i), order[i].axis, order[i].by);
    t.accesses = {{"V store", isa::LdsAccess::write, store_bytes, of_lanes(loads, s_.atom.lanes)},
                  {"V read", isa::LdsAccess::read, chunk_bytes, read}};
    const auto family = isa::target(s_.atom.arch).family;
    auto found = isa::swizzled_for(plain, family, t.accesses, {.lowest = log2(store_bytes)});
    if (!found && order == in_order)  // the last one: reads alone, of which there are more
      found = isa::swizzled_for(plain, family, std::span(t.accesses).subspan(1), {.lowest = log2(store_bytes)});
    if (!found) continue;
    layout = *found;
    break;
  }
  t.plain = with_blocks(plain, "block", "byte", blocks);
  t.layout = with_blocks(layout, "block", "byte", blocks);
  t.loads = with_blocks(loads, "lane", "block", blocks);
  t.reads = lane.then(read).then(layout);
  t.stores = AddressSet(of_lanes(t.loads, s_.lanes).then(t.layout), store_bytes);
  t.fragments = AddressSet(t.reads, chunk_bytes);
  return t;
}

}  // namespace wavesmith::attention
