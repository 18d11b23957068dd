#include "kernels/parts/atom.h"

#include <map>
#include <mutex>
#include <tuple>

#include "isa_tables/opcodes.h"
#include "isa_tables/timing/peaks.h"
#include "isa_tables/timing/vector_peak.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith {

using isa::LinearLayout;
using isa::MatrixOperand;
using isa::Type;

namespace {

bool is_format(Type t) { return t >= Type::fp8 && t <= Type::fp4; }
bool takes(Type of_row, Type t) {
  return of_row == t || (of_row == Type::iu8 && t == Type::i8) || (of_row == Type::iu4 && t == Type::i4) ||
         (of_row == Type::f8f6f4 && is_format(t));
}

int consecutive_rows(const LinearLayout& product) {
  int bits = 0;
  while (bits < product.input_bits("item") && product.basis("item", bits, "row") == 1u << bits) ++bits;
  return 1 << bits;
}
// Where each bit of the row goes. Unless a lane's consecutive rows fill 16 bytes already, its items have the lowest.
std::vector<uint32_t> row_order(const LinearLayout& product, int item_bytes) {
  std::vector<uint32_t> to(static_cast<size_t>(product.output_bits("row")));
  if (consecutive_rows(product) * item_bytes >= chunk_bytes) {
    for (size_t i = 0; i < to.size(); ++i) to[i] = 1u << i;
    return to;
  }
  uint32_t next = 1;
  for (const char* input : {"item", "lane"})
    for (int i = 0; i < product.input_bits(input); ++i)
      if (const uint32_t row = product.basis(input, i, "row"))
        to[static_cast<size_t>(log2(static_cast<int>(row)))] = next, next *= 2;
  return to;
}
LinearLayout reordered(const LinearLayout& of, const std::vector<uint32_t>& order) {
  const auto ordered = [&](uint32_t row) {
    const auto bit = static_cast<size_t>(log2(static_cast<int>(row)));
    return bit < order.size() ? order[bit] : row;  // beyond: of further tiles
  };
  LinearLayout out(of.inputs(), of.outputs());
  for (const auto& input : of.inputs())
    for (int i = 0; i < input.bits; ++i)
      for (const auto& output : of.outputs())
        if (const uint32_t to = of.basis(input.name, i, output.name))
          out.move(input.name, i, output.name, output.name == "row" ? ordered(to) : to);
  return out;
}

}  // namespace

int AtomOperand::groups() const {
  int count = 1;
  for (int i = 0; i < fragment.input_bits("lane"); ++i)
    if (fragment.basis("lane", i, "chunk")) count *= 2;
  return count;
}
int AtomOperand::group_chunks() const {
  for (int i = 0; i < fragment.input_bits("lane"); ++i)
    if (const uint32_t chunk = fragment.basis("lane", i, "chunk")) return static_cast<int>(chunk);
  return 0;
}

// Block b of the instruction is block b * fragments + step of the row.
AtomOperand AtomOperand::by_blocks(int blocks, int fragments) const {
  const auto block = static_cast<uint32_t>(row_chunks / blocks);  // chunks
  const auto place = [&](uint32_t chunk) {
    return chunk % block + chunk / block * block * static_cast<uint32_t>(fragments);
  };
  AtomOperand o = *this;
  o.step_chunks = static_cast<int>(block);
  o.fragment =
      LinearLayout(fragment.inputs(), {{"row", fragment.output_bits("row")}, {"chunk", log2(row_chunks * fragments)}});
  for (int i = 0; i < fragment.input_bits("lane"); ++i)
    o.fragment.move("lane", i, "row", fragment.basis("lane", i, "row"))
        .move("lane", i, "chunk", place(fragment.basis("lane", i, "chunk")));
  for (FragmentPart& part : o.parts) part.chunk = static_cast<int>(place(static_cast<uint32_t>(part.chunk)));
  return o;
}

bool multiplies(const isa::Matrix& x, Type a, Type b) { return takes(x.a, a) && takes(x.b, b); }
int chunk_k(Type t) { return isa::bits(t) == 6 ? 16 : chunk_bytes * 8 / isa::bits(t); }

namespace {
// In the instruction's order of k.
AtomOperand in_order(const isa::OperandLayout& of, bool is_a, Type type) {
  const char *row = is_a ? "row" : "col", *k = is_a ? "col" : "row";
  const auto in_chunk = static_cast<uint32_t>(chunk_k(type));
  AtomOperand o{.type = type, .registers = of.registers(), .fragment = {}, .parts = {}, .row_chunks = 0};
  const int lanes = of.map.input_bits("lane"), items = of.map.input_bits("item");
  o.row_chunks = (1 << of.map.output_bits(k)) / chunk_k(type);
  o.fragment = LinearLayout({{"lane", lanes}}, {{"row", of.map.output_bits(row)}, {"chunk", log2(o.row_chunks)}});
  for (int i = 0; i < lanes; ++i)
    o.fragment.move("lane", i, "row", of.map.basis("lane", i, row))
        .move("lane", i, "chunk", of.map.basis("lane", i, k) / in_chunk);
  // Whole chunks of 16 bytes, or two chunks of 24.
  const int step = isa::bits(type) == 6 ? 32 : chunk_k(type);
  for (int item = 0; item < 1 << items; item += step) {
    const auto chunk = static_cast<int>(of.map.at({{"item", static_cast<uint32_t>(item)}}, k) / in_chunk);
    const int first = item * isa::bits(type) / 32;
    o.parts.push_back({chunk, 0, first, 4});
    if (step == 32 && isa::bits(type) == 6) o.parts.push_back({chunk + 1, 8, first + 4, 2});
  }
  return o;
}
// In an order that suits chunks: chunk j of group g of lanes is chunk j * groups + g of the row.
AtomOperand by_groups(isa::Opcode op, isa::Arch arch, const isa::OperandLayout& of, isa::MatrixOperand which,
                      Type type) {
  AtomOperand o{.type = type,
                .registers = of.registers(),
                .fragment = chunk_lanes(op, arch, which),
                .parts = {},
                .row_chunks = 0};
  const int groups = 1 << o.fragment.output_bits("chunk"), chunks = std::max(1, o.registers * 4 / chunk_bytes);
  for (int j = 0; j < chunks; ++j) o.parts.push_back({j * groups, 0, 4 * j, 4});
  o.row_chunks = groups * chunks;
  return o;
}
}  // namespace

std::optional<isa::Opcode> multiply_add(Type t) {
  if (t == Type::f64) return isa::Opcode::v_fma_f64;
  if (t == Type::f32) return isa::Opcode::v_fmac_f32;
  return {};
}
double flops_per_clock(isa::Opcode op, isa::Arch arch, Type a, Type b) {
  if (isa::info(op).is_matrix()) {
    isa::Inst i{op};
    i.mods = Atom::of(op, arch, a, b).mods;
    return isa::flops_per_clock(i, arch);
  }
  return isa::vector_peak(arch, op == isa::Opcode::v_fma_f64 ? isa::VectorType::f64 : isa::VectorType::f32)
      .flops_per_clock;
}

namespace {
constexpr int lane_rows = 4, lane_row_bits = 3;  // a lane's consecutive rows of D; lane bits that count them
}  // namespace

// Lanes along the rows first, then along the columns.
void Atom::take_lanes(Type type) {
  lanes = isa::target(arch).wave_size;
  extent = lane_rows << lane_row_bits;
  depth = chunk_k(type);
  const int lane_bits = log2(lanes), column_bits = lane_bits - lane_row_bits, lane_columns = extent >> column_bits;
  const auto own = [&](int rows, int first_bit, int bits) {
    AtomOperand o{.type = type, .registers = 4 * rows, .fragment = {}, .parts = {}, .row_chunks = 1};
    o.fragment = LinearLayout({{"lane", lane_bits}}, {{"row", log2(extent)}, {"chunk", 0}});
    for (int i = 0; i < bits; ++i) o.fragment.move("lane", first_bit + i, "row", static_cast<uint32_t>(rows) << i);
    for (int row = 0; row < rows; ++row) o.parts.push_back({0, 0, 4 * row, 4, row});
    return o;
  };
  a = own(lane_rows, 0, lane_row_bits), b = own(lane_columns, lane_row_bits, column_bits);
  items = lane_rows * lane_columns;
  item_dwords = isa::bits(type) / 32;
  run = lane_rows;
  product = LinearLayout({{"lane", lane_bits}, {"item", log2(items)}}, {{"row", log2(extent)}, {"col", log2(extent)}});
  for (int i = 0; i < lane_bits; ++i)
    if (i < lane_row_bits) product.move("lane", i, "row", static_cast<uint32_t>(lane_rows) << i);
    else product.move("lane", i, "col", static_cast<uint32_t>(lane_columns) << (i - lane_row_bits));
  for (int i = 0; i < log2(items); ++i)
    if (i < log2(lane_rows)) product.move("item", i, "row", 1u << i);
    else product.move("item", i, "col", 1u << (i - log2(lane_rows)));
}

// All k of a chunk. Where two multiply-adds make one instruction, those are of neighbouring rows and k: then their
// sources are in different banks of registers, as pairs require.
void Atom::multiply_by_lanes(Block& block, Vgpr d, Vgpr of_a, Vgpr of_b, Where w) const {
  const int columns = items / lane_rows;
  const auto one = [&](Block& to, int row, int column, int of_k) {
    const auto from = [&](Vgpr fragment, int i) { return fragment.slice(4 * i + of_k * item_dwords, item_dwords, w); };
    const Vgpr sum = d.slice((column * lane_rows + row) * item_dwords, item_dwords, w);
    if (op == isa::Opcode::v_fma_f64) to.v_fma_f64(sum, from(of_a, row), from(of_b, column), sum, {}, w);
    else to.v_fmac_f32(sum, from(of_a, row), from(of_b, column), {}, w);
  };
  const bool pairs = isa::pair_form(op, op, arch) != isa::PairForm::none && op == isa::Opcode::v_fmac_f32;
  for (int of_k = 0; of_k < depth; ++of_k)
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < lane_rows; row += pairs ? 2 : 1) {
        if (!pairs) {
          one(block, row, column, of_k);
          continue;
        }
        Block two(arch, "pair");
        one(two, row, column, of_k), one(two, row + 1, column, of_k ^ 1);
        block.dual(two, w);
      }
}

Atom::Atom(isa::Opcode opcode, isa::Arch target, Type type_a, Type type_b) : op(opcode), arch(target) {
  if (multiplies_by_lanes()) {
    take_lanes(type_a);
    return;
  }
  const isa::Info& row = isa::info(op);
  isa::LayoutChoice formats;
  if (is_format(type_a)) formats.a_format = type_a;
  if (is_format(type_b)) formats.b_format = type_b;
  const isa::OperandLayout of_a = isa::layout(row, arch, MatrixOperand::a, formats),
                           of_b = isa::layout(row, arch, MatrixOperand::b, formats),
                           of_d = isa::layout(row, arch, MatrixOperand::d);
  lanes = isa::target(arch).wave_size;
  extent = row.matrix.m;
  depth = row.matrix.k;
  if (row.matrix.scale_block) {
    a = in_order(of_a, true, type_a), b = in_order(of_b, false, type_b);
    const isa::OperandLayout scale = isa::layout(row, arch, MatrixOperand::scale_a, formats);
    scales.tiles = lanes / scale.used_lanes();
    scales.block_per_lane = scale.items() == 1;
    const auto width = static_cast<uint32_t>(scale.used_lanes());
    scales.b = LinearLayout({{"lane", log2(lanes)}},
                            {{"row", log2(extent * scales.tiles)}, {"block", log2(depth / row.matrix.scale_block)}});
    for (int i = 0; i < log2(lanes); ++i)
      if (1u << i >= width) scales.b.move("lane", i, "row", (static_cast<uint32_t>(extent) << i) / width);
      else
        scales.b.move("lane", i, "row", scale.map.basis("lane", i, "row"))
            .move("lane", i, "block", scale.map.basis("lane", i, "col"));
  } else {
    a = by_groups(op, arch, of_a, MatrixOperand::a, type_a), b = by_groups(op, arch, of_b, MatrixOperand::b, type_b);
  }
  const std::vector<uint32_t> order = row_order(of_d.map, of_d.item_bits / 8);
  a.fragment = reordered(a.fragment, order);
  if (scaled()) scales.a = reordered(scales.b, order);
  product = reordered(of_d.map, order);
  items = of_d.items();
  item_dwords = of_d.item_bits / 32;
  run = consecutive_rows(product);
  if (row.matrix.a == Type::f8f6f4) {
    mods.cbsz = static_cast<uint8_t>(static_cast<int>(type_a) - static_cast<int>(Type::fp8));
    mods.blgp = static_cast<uint8_t>(static_cast<int>(type_b) - static_cast<int>(Type::fp8));
  }
  if (row.matrix.a == Type::iu8 || row.matrix.a == Type::iu4) mods.neg_lo = 0b11;  // both signed
}

const Atom& Atom::of(isa::Opcode op, isa::Arch arch, Type a, Type b) {
  static std::mutex mutex;
  static std::map<std::tuple<isa::Opcode, isa::Arch, Type, Type>, Atom> known;
  const std::lock_guard lock(mutex);
  return known.try_emplace({op, arch, a, b}, op, arch, a, b).first->second;
}

void Atom::multiply(Block& block, isa::Operand d, VAArg of_a, VAArg of_b, int part, isa::Operand c, Where w) const {
  if (multiplies_by_lanes())  // c is d
    return multiply_by_lanes(block, {d.index, d.dwords}, {of_a.o.index, of_a.o.dwords}, {of_b.o.index, of_b.o.dwords},
                             w);
  block.emit(op,
             {d, of_a.slice(part * a.registers, a.registers, w).o, of_b.slice(part * b.registers, b.registers, w).o, c},
             mods, w);
}
void Atom::multiply(Block& block, isa::Operand d, VAArg of_a, VAArg of_b, Scale scale_a, Scale scale_b, isa::Operand c,
                    Where w) const {
  isa::Mods m = mods;
  const auto bits = [&](int bit) {
    return static_cast<uint8_t>((scale_a.select >> bit & 1) | (scale_b.select >> bit & 1) << 1);
  };
  if (scales.tiles == 1) m.op_sel = bits(0), m.op_sel_hi = bits(1);
  else m.scale = static_cast<uint8_t>(scale_a.select | scale_b.select << 4);
  block.emit(op, {d, of_a.o, of_b.o, c, scale_a.in.operand(), scale_b.in.operand()}, m, w);
}

Accumulators::Accumulators(Registers& r, isa::Arch arch, int count, int dwords, const std::string& name, SumsIn in,
                           Where w) {
  for (int i = 0; i < count; ++i)
    if (isa::target(arch).agprs && in == SumsIn::agprs) a_.push_back(r.a.alloc(dwords, name, 4, w));
    else v_.push_back(r.v.alloc(dwords, name, 0, w));
}
isa::Operand Accumulators::operator()(int i) const {
  const auto n = static_cast<size_t>(i);
  return agprs() ? a_[n].operand() : v_[n].operand();
}
VAArg Accumulators::part(int i, int first, int dwords) const {
  const auto n = static_cast<size_t>(i);
  return agprs() ? VAArg(a_[n].slice(first, dwords)) : VAArg(v_[n].slice(first, dwords));
}
void Accumulators::read(Block& b, Vgpr to, int product, int i) const {
  const auto n = static_cast<size_t>(product);
  if (agprs()) b.v_accvgpr_read_b32(to, a_[n][i]);
  else b.v_mov_b32(to, v_[n][i]);
}
void Accumulators::write(Block& b, int product, int i, Vgpr from) const {
  const auto n = static_cast<size_t>(product);
  if (agprs()) b.v_accvgpr_write_b32(a_[n][i], from);
  else b.v_mov_b32(v_[n][i], from);
}
void Accumulators::clear(Block& b) const {
  for (int i = 0; i < static_cast<int>(agprs() ? a_.size() : v_.size()); ++i) clear(b, i);
}
void Accumulators::clear(Block& b, int product) const {
  const auto n = static_cast<size_t>(product);
  if (agprs()) {
    for (int i = 0; i < a_[n].dwords; ++i) b.v_accvgpr_write_b32(a_[n][i], 0);
    return;
  }
  // Two registers at once are less code, on CDNA3 and CDNA4 also more time.
  const bool pairs = isa::info(isa::Opcode::v_mov_b64).on(b.arch()) && isa::target(b.arch()).wave_size == 32;
  const int step = pairs && v_[n].dwords % 2 == 0 ? 2 : 1;
  for (int i = 0; i < v_[n].dwords; i += step)
    if (step == 2) b.v_mov_b64(v_[n].slice(i, 2), 0);
    else b.v_mov_b32(v_[n][i], 0);
}

void Accumulators::multiply(Block& b, int product, Vgpr factor, std::array<Vgpr, 2> scratch) const {
  const auto n = static_cast<size_t>(product);
  if (!agprs()) {
    for (int i = 0; i < v_[n].dwords; ++i) b.v_mul_f32(v_[n][i], factor, v_[n][i]);
    return;
  }
  for (int i = 0; i < a_[n].dwords; ++i) {
    const Vgpr value = scratch[i % 2 ? 0 : 1];
    b.v_accvgpr_read_b32(value, a_[n][i]);
    b.v_mul_f32(value, factor, value);
    b.v_accvgpr_write_b32(a_[n][i], value);
  }
}

}  // namespace wavesmith
