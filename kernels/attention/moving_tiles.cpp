#include "kernels/attention/moving_tiles.h"

#include "generator/dsl/emit_offset.h"
#include "generator/dsl/lds_dma.h"
#include "generator/dsl/scratch.h"

namespace wavesmith::attention {
namespace {

// One register per XOR pattern; `first` computes the first of them.
std::vector<Owned<File::v>> lds_addresses(Kernel& kernel, const char* name, const AddressSet& set,
                                          const std::function<void(Vgpr)>& first) {
  std::vector<Owned<File::v>> out;
  for (const uint32_t pattern : set.patterns()) {
    out.push_back(kernel.r.v.alloc(1, name));
    if (out.size() == 1) first(out[0]);
    else kernel.k.v_xor_b32(out.back(), static_cast<int>(pattern), out[0]);
  }
  return out;
}

}  // namespace

void LaneAddresses::from_lane(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) const {
  const AxisValue values[] = {{"query", column}, {"group", half}};
  const Vgpr scratch[] = {y, x};
  emit_offset(kernel.k, dst, layout, output, values, scratch);
}
void LaneAddresses::from_workitem(Vgpr dst, const isa::LinearLayout& layout, std::string_view output) const {
  const AxisValue values[] = {{"lane", kernel.workitem}};
  const Vgpr scratch[] = {y, x};
  emit_offset(kernel.k, dst, layout, output, values, scratch);
}

void TileAddresses::compute(const LaneAddresses& lane, bool rows, bool columns) {
  const LdsTile &by_rows = layouts.k, &by_columns = layouts.v;
  if (rows && row_read.empty()) {
    if (!direct)
      row_store = lds_addresses(lane.kernel, "LDS store address, rows", by_rows.stores,
                                [&](Vgpr to) { lane.from_workitem(to, by_rows.loads.then(by_rows.layout), "byte"); });
    row_read = lds_addresses(lane.kernel, "LDS read address, rows", by_rows.fragments,
                             [&](Vgpr to) { lane.from_lane(to, by_rows.reads, "byte"); });
  }
  if (columns && column_read.empty()) {
    if (!direct)
      column_store = lds_addresses(lane.kernel, "LDS store address, columns", by_columns.stores, [&](Vgpr to) {
        lane.from_workitem(to, by_columns.loads.then(by_columns.layout), "byte");
      });
    column_read = lds_addresses(lane.kernel, "LDS read address, columns", by_columns.fragments,
                                [&](Vgpr to) { lane.from_lane(to, by_columns.reads, "byte"); });
  }
}

MovingTiles::MovingTiles(const Shapes& s, const char* name, int width, Uses uses, int lds, int tag)
    : shapes_(s), name_(name), width_(width), uses_(uses), rows_at_(lds), columns_at_(lds), tag_(tag) {
  const Layouts layouts(s);
  if (s.direct) {
    if (!uses.rows && !uses.columns) return;
    row_rounds_ = layouts.k.rounds, slot_bytes_ = layouts.k.bytes, lds_bytes_ = slots * slot_bytes_;
    return;
  }
  row_rounds_ = uses.rows ? layouts.k.rounds : 0, column_rounds_ = uses.columns ? layouts.v.rounds : 0;
  if (uses.rows) columns_at_ += layouts.k.bytes;
  lds_bytes_ = (uses.rows ? layouts.k.bytes : 0) + (uses.columns ? layouts.v.bytes : 0);
}
int MovingTiles::row_key(int i) const {
  return static_cast<int>(at_->layouts.weights.at({{"element", static_cast<uint32_t>(i)}}, "key"));
}

// True if some of the tile's columns are past the tensor's.
bool MovingTiles::pads(const LdsTile& tile) const {
  const int blocks = tile.loads.outputs().back().name == "block" ? 1 << tile.loads.output_bits("block") : 1;
  return blocks * tile.block_columns > width_;
}
// Lanes that would load columns past the tensor's get an address out of range, and zeros. Clobbers x.
void MovingTiles::only_columns(const LaneAddresses& lane, Vgpr address, Vgpr of_lane, const LdsTile& tile) const {
  if (!pads(tile)) return;
  Stream& k = lane.kernel.k;
  k.v_cmp_gt_u32(vcc, width_, of_lane);
  k.v_mov_b32(lane.x, out_of_range);
  k.v_cndmask_b32(address, lane.x, address, vcc);
}

void MovingTiles::addresses(const LaneAddresses& lane, TileAddresses& at, Sgpr row, Sgpr wave) {
  at_ = &at, row_ = row;
  Registers& r = lane.kernel.r;
  at.compute(lane, uses_.rows, uses_.columns);
  resource_ = r.s.alloc(4, name_ + " buffer resource", 4);
  end_ = r.s.alloc(1, name_ + " bytes"), step_ = r.s.alloc(1, name_ + " bytes a tile");
  lane.kernel.k.s_lshl_b32(step_, row, log2(shapes_.keys));
  if (shapes_.direct) {
    lds_wave_ = r.s.alloc(1, name_ + ": LDS address of the wave's first load");
    lane.kernel.k.s_lshl_b32(lds_wave_, wave, log2(shapes_.atom.lanes * chunk_bytes));
    if (rows_at_) lane.kernel.k.s_add_u32(lds_wave_, lds_wave_, rows_at_);
  }
  if (uses_.rows || shapes_.direct) row_addresses(lane, row);
  if (uses_.columns && !shapes_.direct) column_addresses(lane, row);
}

// True if lanes do not change the bits of what this load begins with: it is then added to the first one's address.
bool MovingTiles::adds(const isa::LinearLayout& loads, const isa::LinearLayout::Point& here) const {
  for (const char* axis : {"row", "place"})
    for (int i = 0; i < log2(shapes_.lanes); ++i)
      if (loads.basis("lane", i, axis) & loads.at(here, axis)) return false;
  return true;
}

void MovingTiles::row_addresses(const LaneAddresses& lane, Sgpr row) {
  Kernel& kernel = lane.kernel;
  Stream& k = kernel.k;
  const LdsTile& tile = at_->layouts.k;
  next_rows_ = kernel.r.s.alloc(1, name_ + ": bytes to the next rows");
  Scratch scratch(kernel.r);
  const Vgpr key = scratch.v("row"), first = scratch.v("first column");
  const isa::LinearLayout loads = tile.loads.then(columns_of(tile, "chunk", fragment_elements));
  for (int round = 0; round < tile.rounds; ++round) {
    const isa::LinearLayout::Point here = {{"lane", static_cast<uint32_t>(round * shapes_.lanes)}};
    const uint32_t rows = loads.at(here, "row"), columns = loads.at(here, "place");
    if (shapes_.direct && round && adds(loads, here) && !pads(tile)) {
      rounds_.push_back({row_load_[0], kernel.r.s.alloc(1, name_ + ": bytes to what a further load takes")});
      const Sgpr further = rounds_.back().further;
      k.s_mul_i32(further, row, static_cast<int>(rows));
      if (columns) k.s_add_u32(further, further, static_cast<int>(columns * element_bytes));
      continue;
    }
    row_load_.push_back(kernel.r.v.alloc(1, name_ + " load address, rows"));
    lane.from_workitem(key, loads, "row");
    lane.from_workitem(first, loads, "place");
    if (rows) k.v_xor_b32(key, static_cast<int>(rows), key);
    if (columns) k.v_xor_b32(first, static_cast<int>(columns), first);
    k.v_mul_lo_u32(lane.x, key, row);
    k.v_lshl_add_u32(row_load_.back(), first, log2(element_bytes), lane.x);
    only_columns(lane, row_load_.back(), first, tile);
    rounds_.push_back({row_load_.back(), {}});
  }
}

// A lane loads `run` rows of two columns: one address, the distances of the rows are scalars.
void MovingTiles::column_addresses(const LaneAddresses& lane, Sgpr row) {
  Kernel& kernel = lane.kernel;
  Stream& k = kernel.k;
  const LdsTile& tile = at_->layouts.v;
  next_columns_ = kernel.r.s.alloc(1, name_ + ": bytes to the next columns");
  Scratch scratch(kernel.r);
  const Vgpr pair = scratch.v("pair of columns"), first_row = scratch.v("a lane's first row");
  const isa::LinearLayout loads = tile.loads.then(columns_of(tile, "column", 1));
  for (int round = 0; round < tile.rounds; ++round) {
    lane.from_workitem(pair, loads, "place");
    lane.from_workitem(first_row, loads, "key");
    const isa::LinearLayout::Point from = {{"lane", static_cast<uint32_t>(round * shapes_.lanes)}};
    if (const uint32_t by = round ? loads.at(from, "place") : 0) k.v_add_u32(pair, static_cast<int>(by), pair);
    if (const uint32_t by = round ? loads.at(from, "key") : 0) k.v_add_u32(first_row, static_cast<int>(by), first_row);
    column_load_.push_back(kernel.r.v.alloc(1, name_ + " load address, columns"));
    k.v_mul_lo_u32(lane.x, first_row, row);
    k.v_lshl_add_u32(column_load_.back(), pair, log2(element_bytes), lane.x);
    only_columns(lane, column_load_.back(), pair, tile);
  }
}

void MovingTiles::stages(Kernel& kernel, const HalfPermutes& halves, Vgpr packed) {
  halves_ = &halves, packed_ = packed;
  if (shapes_.direct) return;
  const int of_rows = 4 * row_rounds_, of_columns = run() * column_rounds_;
  if (shared_) {
    row_stage_ = kernel.r.v.alloc(std::max(of_rows, of_columns), name_ + " on its way to LDS", 4);
    return;
  }
  if (of_rows) row_stage_ = kernel.r.v.alloc(of_rows, name_ + " on its way to LDS, rows", 4);
  if (of_columns) column_stage_ = kernel.r.v.alloc(of_columns, name_ + " on its way to LDS, columns", 4);
}

void MovingTiles::clear_columns(Stream& k) {
  const Vgpr stage = shared_ ? row_stage_ : column_stage_;
  for (int i = 0; i < stage.dwords; ++i) k.v_mov_b32(stage[i], 0);
}

void MovingTiles::begin(Kernel& kernel, Sgpr base, Sgpr rows, Sgpr first_row, Sgpr t) {
  Stream& k = kernel.k;
  k.s_sub_u32(t[0], rows, 1);
  k.s_mul_i32(t[0], t[0], row_);
  k.s_add_u32(t[0], t[0], element_bytes * width_);
  k.s_cmp_eq_u32(rows, 0);
  k.s_cselect_b32(end_, 0, t[0]);
  raw_buffer(k, resource_, base, end_);
  k.s_mul_i32(t[0], first_row, row_);
  k.s_min_u32(t[0], t[0], end_);
  if (row_rounds_) k.s_mov_b32(next_rows_, t[0]);
  if (column_rounds_) k.s_mov_b32(next_columns_, t[0]);
}

// -- Phases --
// Before the first row, as past the last one, the offset is the end of the tensor: such loads return zeros.
void MovingTiles::advance(Block& b, Sgpr next) const {
  if (uses_.last_first) b.s_sub_u32(next, next, step_);
  else b.s_add_u32(next, next, step_);
  b.s_min_u32(next, next, end_);
}
Block MovingTiles::load_rows(Arch arch) {
  Block b(arch, "load_rows");
  for (int i = 0; i < row_rounds_; ++i)
    b.buffer_load_dwordx4(row_stage_.slice(4 * i, 4), row_load_[static_cast<size_t>(i)], resource_, next_rows_,
                          {.flags = isa::offen});
  if (uses_.rows) advance(b, next_rows_);
  return b;
}
Block MovingTiles::load_columns(Arch arch, Sgpr t) {
  Block b(arch, "load_columns");
  if (!uses_.columns) return b;
  const Vgpr stage = shared_ ? row_stage_ : column_stage_;
  for (int i = 0; i < run(); ++i) {
    const int rows = i ? row_key(i) - row_key(i - 1) : 0;
    if (rows > 1) b.s_mul_i32(t[1], row_, rows);
    if (rows) b.s_add_u32(t[0], i == 1 ? static_cast<Sgpr>(next_columns_) : t[0], rows > 1 ? t[1] : row_);
    for (int round = 0; round < column_rounds_; ++round)
      b.buffer_load_dword(stage[round * run() + i], column_load_[static_cast<size_t>(round)], resource_,
                          i ? t[0] : static_cast<Sgpr>(next_columns_), {.flags = isa::offen});
  }
  advance(b, next_columns_);
  return b;
}
Block MovingTiles::store_rows(Arch arch) {
  Block b(arch, "store_rows");
  for (int i = 0; i < row_rounds_; ++i) {
    const auto to = at_->layouts.key_store(i);
    b.ds_write_b128(at_->row_store[to.address], row_stage_.slice(4 * i, 4), {.offset = rows_at_ + to.offset}).buffer =
        static_cast<int16_t>(tag_);
  }
  return b;
}
// The low halves of the rows are one column, the high halves the other.
Block MovingTiles::store_columns(Arch arch) {
  Block b(arch, "store_columns");
  for (int round = 0; round < column_rounds_; ++round) {
    const Vgpr stage = (shared_ ? row_stage_ : column_stage_).slice(round * run(), run());
    b.wait_for(stage);  // one wait for all of it
    for (int odd : {0, 1}) {
      const Vgpr packed = odd ? stage.slice(0, run() / 2) : packed_.slice(0, run() / 2);
      for (int i = 0; i < run() / 2; ++i)
        halves_->column(b, packed[i], stage[2 * i], stage[2 * i + 1], odd ? Half::high : Half::low);
      const auto to = at_->layouts.value_store(round, odd);
      const isa::Mods at_offset{.offset = columns_at_ + to.offset};
      (run() == 8 ? b.ds_write_b128(at_->column_store[to.address], packed, at_offset)
                  : b.ds_write_b64(at_->column_store[to.address], packed, at_offset))
          .buffer = static_cast<int16_t>(tag_ + 1);
    }
  }
  return b;
}
// Lanes out of range write zeros to LDS, as in forward.
Block MovingTiles::fetch(Arch arch, int slot, Sgpr t) {
  Block b(arch, "fetch");
  for (int round = 0; round < row_rounds_; ++round) {
    const Round& from = rounds_[static_cast<size_t>(round)];
    b.s_add_u32(m0, lds_wave_, slot * slot_bytes_ + round * shapes_.lanes * chunk_bytes);
    if (from.further.dwords) b.s_add_u32(t[0], next_rows_, from.further);
    load_to_lds(b, {Opcode::buffer_load_dwordx4, from.address, resource_,
                    from.further.dwords ? t[0] : static_cast<Sgpr>(next_rows_), 0, tag_ + slot});
  }
  if (row_rounds_) advance(b, next_rows_);
  return b;
}
void MovingTiles::read_row(Block& b, Vgpr to, int part, int step, int slot) const {
  const AtomOperand& a = shapes_.atom.a;
  for (int j = 0; j < a.chunks(); ++j) {
    const auto from = at_->layouts.key_read(part, (step * a.chunks() + j) * a.groups());
    b.ds_read_b128(to.slice(4 * j, 4), at_->row_read[from.address],
                   {.offset = rows_at_ + slot * slot_bytes_ + from.offset})
        .buffer = static_cast<int16_t>(tag_ + slot);
  }
}
void MovingTiles::read_column(Block& b, Vgpr to, int fragment, int d, int slot) const {
  const int elements = shapes_.atom.a.chunks() * fragment_elements;
  for (int e = 0; e < elements; e += at_->layouts.value_elements()) {
    const auto from = at_->layouts.value_read(elements * fragment + e, d);
    const Vgpr address = at_->column_read[from.address];
    const isa::Mods at{.offset = columns_at_ + slot * slot_bytes_ + from.offset};
    (shapes_.direct ? b.ds_read_b64_tr_b16(to.slice(e / 2, 2), address, at)
                    : b.ds_read_b128(to.slice(e / 2, 4), address, at))
        .buffer = static_cast<int16_t>(tag_ + (shapes_.direct ? slot : 1));
  }
}
int MovingTiles::column_part(int block, int d) const {
  const Atom& atom = shapes_.atom;
  const int element = block / atom.parts() * atom.a.chunks() * fragment_elements;
  return block % atom.parts() ^ at_->layouts.value_read(element, d).first / (4 * atom.a.registers);
}

}  // namespace wavesmith::attention
