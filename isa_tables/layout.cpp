// The layout rules. A and B: lanes run over m (n), then blocks, then groups of k. Within a lane, consecutive k form
// pieces of limited width; after each piece, k continues in the next group of lanes. C and D: lanes run over n,
// registers down m in groups of rows.
// Sources. CDNA: AMD CDNA3 and CDNA4 ISA guides 7.1.4 and 7.1.5 (general input and output layout), AMD matrix
// instruction calculator; pieces of 128 bits (f8f6f4; B of gfx950's longer SMFMAC): Composable Kernel's layout
// parameters and FPSan's probes of an MI350. gfx11: RDNA3 ISA guide 7.9, the same calculator. gfx12: RDNA4 ISA guide
// 7.12.2 and 7.12.3, the same calculator. gfx1250: CDNA5 ISA guide 7.12.2 to 7.12.6.
#include "isa_tables/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::isa {
namespace {

constexpr std::string_view operand_names[] = {"a", "b", "c", "d", "index", "scale_a", "scale_b"};

// The length of the run of consecutive k that a lane holds of A or B before the next group of lanes continues: in bits
// or in elements.
struct Piece {
  int bits, elements;
};
constexpr Piece whole{0, 0};
struct FamilyRule {
  Piece dense, sparse_b;       // plain types; B of a sparse instruction, which has twice as many k as A
  bool mfma_blocks;            // C and D in groups of four rows, operands may have blocks
  int k_groups;                // groups of 16 lanes of a wave32 that divide k; 1: both groups hold the same elements
  bool unclear_index = false;  // the guide names the lane of a sparse A's index both ways (CDNA5 ISA 7.12.4)
};
constexpr FamilyRule rule(Family f) {
  switch (f) {
    case Family::rdna3:
    case Family::rdna35: return {whole, whole, false, 1};
    case Family::rdna4: return {{64, 0}, {128, 0}, false, 2};
    case Family::gfx1250: return {{0, 8}, {0, 16}, false, 2, true};
    default: return {{128, 0}, {128, 0}, true, 0};
  }
}
// Formats with block scales share one rule on gfx950 and gfx1250; 32 elements of 6 bits fill six registers.
constexpr bool is_block_format(Type t) { return t == Type::f8f6f4 || t == Type::fp4; }
constexpr Piece block_format_piece(int bits) { return bits == 6 ? Piece{0, 32} : Piece{128, 0}; }

enum class Dim : uint8_t { none, block, row, col };
constexpr const char* axis_names[] = {"", "block", "row", "col"};

// Assigns the next bits of a dimension to lanes or items, from the lowest bit up.
class Stack {
 public:
  explicit Stack(const OperandLayout& of) : extent_{1, of.blocks, of.rows, of.cols} {}
  Stack& lanes(Dim d, int count) { return add(lanes_, d, count); }
  Stack& items(Dim d, int count) { return add(items_, d, count); }
  int left(Dim d) const { return extent_[static_cast<int>(d)] / given_[static_cast<int>(d)]; }
  Stack& rest(Dim d) { return items(d, left(d)); }
  int item_count() const { return 1 << items_.size(); }
  void highest_item_to_lanes() { lanes_.push_back(items_.back()), items_.pop_back(); }
  LinearLayout map() const {
    LinearLayout l({{"lane", static_cast<int>(lanes_.size())}, {"item", static_cast<int>(items_.size())}},
                   {{"block", log2(extent_[1])}, {"row", log2(extent_[2])}, {"col", log2(extent_[3])}});
    for (const auto& [input, bits] : {std::pair("lane", &lanes_), {"item", &items_}})
      for (size_t i = 0; i < bits->size(); ++i)
        if (const auto& [d, value] = (*bits)[i]; d != Dim::none)
          l.move(input, static_cast<int>(i), axis_names[static_cast<int>(d)], static_cast<uint32_t>(value));
    return l;
  }

 private:
  using Bits = std::vector<std::pair<Dim, int>>;  // of an input, from the lowest bit: the dimension and step of each
  int extent_[4], given_[4] = {1, 1, 1, 1};
  Bits lanes_, items_;
  Stack& add(Bits& to, Dim d, int count) {
    int& given = given_[static_cast<int>(d)];
    for (; count > 1; count /= 2, given *= 2) to.emplace_back(d, given);
    return *this;
  }
};

Type element_type(const Matrix& x, MatrixOperand o, const LayoutChoice& choice) {
  const Type t = o == MatrixOperand::a || o == MatrixOperand::index ? x.a
                 : o == MatrixOperand::b                            ? x.b
                 : o == MatrixOperand::c                            ? x.c
                                                                    : x.d;
  return t == Type::f8f6f4 ? (o == MatrixOperand::b ? choice.b_format : choice.a_format) : t;
}

// A (side a: rows of m, columns of k) or B (rows of k, columns of n).
void stack_input(Stack& s, const OperandLayout& l, const Matrix& x, const FamilyRule& f, bool is_a, Type declared) {
  const Dim along = is_a ? Dim::row : Dim::col, k = is_a ? Dim::col : Dim::row;
  const int side = is_a ? l.rows : l.cols, depth = is_a ? l.cols : l.rows;
  const int width = f.mfma_blocks ? side : 16;  // lanes that run over m (n)
  const int groups = f.mfma_blocks ? l.lanes / (side * l.blocks) : f.k_groups;
  const Piece p = is_block_format(declared) ? block_format_piece(l.item_bits)
                  : x.sparse() && !is_a     ? f.sparse_b
                                            : f.dense;
  const int longest = p.bits ? p.bits / l.item_bits : p.elements ? p.elements : depth;
  s.items(k, std::min(longest, depth / groups))
      .lanes(along, width)
      .lanes(Dim::block, l.blocks)
      .lanes(k, groups)
      .rest(k)
      .rest(along);
  if (groups == 1 && !f.mfma_blocks) s.lanes(Dim::none, l.lanes / width);
}

// Rows H = 4 at a time (1 for f64); blocks share a register when one does not fill 64 lanes: CDNA3 ISA 7.1.4.2. For f64
// 4x4x4 that section's lane formula puts the rows before the blocks; AMD's calculator and probes of an MI350 put the
// blocks first, as here.
void stack_mfma_result(Stack& s, const OperandLayout& l) {
  const int run = l.item_bits == 64 ? 1 : 4, m = l.rows, n = l.cols;
  const int blocks = std::max(1, 64 * run / (n * m)), rows = 64 / blocks / n;
  s.items(Dim::row, run)
      .lanes(Dim::col, n)
      .lanes(Dim::block, blocks)
      .lanes(Dim::row, rows)
      .rest(Dim::row)
      .rest(Dim::block);
}

void stack_wmma_result(Stack& s, const OperandLayout& l, const FamilyRule& f) {
  s.lanes(Dim::col, 16);
  if (f.k_groups == 1)
    s.lanes(Dim::row, l.lanes / 16).rest(Dim::row);  // gfx11: neighbouring rows lie in neighbouring groups of lanes
  else s.items(Dim::row, 8).lanes(Dim::row, 2).rest(Dim::row);
}

void stack_scale(Stack& s, const OperandLayout& l, const FamilyRule& f, bool is_a) {
  const Dim along = is_a ? Dim::row : Dim::col, k = is_a ? Dim::col : Dim::row;
  const int side = is_a ? l.rows : l.cols;
  s.lanes(along, side);
  if (f.mfma_blocks) s.lanes(k, 64 / side);  // CDNA4 ISA 7.2.1; which k a lane has: Triton's scale layout, MI350 probes
  else s.rest(k);
}

// An element as map's packed output: block lowest, then row and column.
uint64_t pack(const LinearLayout& map, const Element& e) {
  const int row_at = map.outputs()[0].bits, col_at = row_at + map.outputs()[1].bits;
  return static_cast<uint64_t>(e.block) | static_cast<uint64_t>(e.row) << row_at |
         static_cast<uint64_t>(e.col) << col_at;
}
Element unpack(const LinearLayout& map, uint64_t packed) {
  const int row_at = map.outputs()[0].bits, col_at = row_at + map.outputs()[1].bits;
  const auto field = [&](int from, int to) {
    return static_cast<int>(packed >> from & ((uint64_t{1} << (to - from)) - 1));
  };
  return {field(0, row_at), field(row_at, col_at), static_cast<int>(packed >> col_at)};
}

void require(bool holds, const std::string& what) {
  if (!holds) throw IsaError(what);
}

// The instruction's name on the target: a row of table().
const char* spelling(const Info& row, Arch arch) { return mnemonic(static_cast<Opcode>(&row - table().data()), arch); }

template <class Range, class Name>
std::string list(const Range& range, Name name) {
  std::string out;
  for (const auto& x : range) out += (out.empty() ? "" : " ") + std::string(name(x));
  return out;
}

// Moves the layout to the chosen part of the registers or lanes. `parts`: how many there are.
void select(OperandLayout& l, int parts, int bits_apart, int chosen, const char* mnemonic) {
  require(chosen >= 0 && chosen < parts,
          fmt::format("{}: operand {} has no part {}, legal: 0{}", mnemonic, name(l.operand), chosen,
                      parts > 1 ? fmt::format(" to {}", parts - 1) : ""));
  l.offset_bits = chosen * bits_apart;
}

void check(const Info& row, Arch arch, MatrixOperand o, const LayoutChoice& choice) {
  require(row.is_matrix(), fmt::format("{} is not a matrix instruction", spelling(row, arch)));
  require(row.on(arch),
          fmt::format("{} is not on {}, legal: {}", spelling(row, arch), target(arch).name, archs_with(row)));
  const auto legal = operands_of(row.matrix);
  require(std::find(legal.begin(), legal.end(), o) != legal.end(),
          fmt::format("{} has no operand {}, legal: {}", spelling(row, arch), name(o),
                      list(legal, [](MatrixOperand x) { return name(x); })));
  const Target& t = target(arch);
  const bool both = t.wave_size == 32 && t.wave64();
  require(choice.wave_size == 0 || choice.wave_size == t.wave_size || (both && choice.wave_size == 64),
          fmt::format("wave size {} on {}, legal: {}", choice.wave_size, t.name,
                      both ? "32 64" : std::to_string(t.wave_size)));
  for (const Type format : {choice.a_format, choice.b_format})
    require(format >= Type::fp8 && format <= Type::fp4,
            fmt::format("{}: an f8f6f4 operand is fp8, bf8, fp6, bf6 or fp4", spelling(row, arch)));
}

}  // namespace

std::string_view name(MatrixOperand o) { return operand_names[static_cast<int>(o)]; }
std::optional<MatrixOperand> find_matrix_operand(std::string_view text) {
  const auto found = std::find(std::begin(operand_names), std::end(operand_names), text);
  return found == std::end(operand_names)
             ? std::nullopt
             : std::optional(static_cast<MatrixOperand>(found - std::begin(operand_names)));
}

std::vector<MatrixOperand> operands_of(const Matrix& x) {
  using enum MatrixOperand;
  std::vector<MatrixOperand> out{a, b, c, d};
  if (x.sparse()) out.push_back(index);
  if (x.scale_block) out.insert(out.end(), {scale_a, scale_b});
  return out;
}

OperandLayout layout(const Info& row, Arch arch, MatrixOperand o, const LayoutChoice& choice) {
  check(row, arch, o, choice);
  using enum MatrixOperand;
  const Matrix& x = row.matrix;
  const FamilyRule f = rule(target(arch).family);
  const int wave = choice.wave_size ? choice.wave_size : target(arch).wave_size;
  const bool input = o == a || o == b || o == index, scale = o == scale_a || o == scale_b,
             widen = wave == 64 && f.k_groups == 2;
  OperandLayout l{.operand = o, .type = scale ? Type::none : element_type(x, o, choice), .blocks = x.blocks};
  const int k = scale ? x.k / x.scale_block : x.sparse() && o != b ? x.k / 2 : x.k;
  l.rows = o == b || o == scale_b ? k : x.m;
  l.cols = o == a || o == index || o == scale_a ? k : x.n;
  l.kept_k = x.sparse() && (o == a || o == index);
  l.lanes = widen ? 32 : wave;
  l.item_bits = l.stride_bits = scale ? 8 : bits(l.type);
  Stack s(l);
  if (input) stack_input(s, l, x, f, o != b, o == b ? x.b : x.a);
  else if (scale) stack_scale(s, l, f, o == scale_a);
  else if (f.mfma_blocks) stack_mfma_result(s, l);
  else stack_wmma_result(s, l, f);
  // gfx12 as wave64: the contents of the upper half of a wave32's registers are in the upper 32 lanes; with one
  // register they are unused.
  if (widen && s.item_count() * l.item_bits > 32) s.highest_item_to_lanes();
  l.lanes = wave, l.map = s.map();

  const bool long_sparse_b =
      f.mfma_blocks && x.sparse() && o == b && l.items() * l.item_bits > 128;  // gfx950; not in its guide
  const bool narrowed_d =
      x.sparse() && o == d && bits(x.d) < bits(x.c);  // bf16f32: which half of C's registers D fills
  l.inferred = long_sparse_b || narrowed_d;
  if (o == index) {  // two bits per kept element of A, in A's lane and order
    l.type = Type::none, l.item_bits = l.stride_bits = 2;
    const int set = 2 * l.items();
    select(l, std::max(1, 32 / set), set, choice.select, spelling(row, arch));
    l.inferred = f.unclear_index;  // 7.12.3 and the 8-bit form say beside A
  } else if (scale && f.mfma_blocks) {
    select(l, 4, 8, choice.select, spelling(row, arch));
  } else if (scale) {  // 16 lanes: one of the two rows of lanes; 32: all of them
    select(l, 32 / l.used_lanes(), 0, choice.select, spelling(row, arch));
    l.first_lane = 16 * choice.select;
  } else if ((o == c || o == d) && f.k_groups == 1 && l.item_bits == 16) {
    l.stride_bits = 32;  // one half of each register; op_sel picks it
    select(l, 2, 16, choice.select, spelling(row, arch));
  } else {
    select(l, 1, 0, choice.select, spelling(row, arch));
  }
  return l;
}

int OperandLayout::copies() const { return 1 << (map.input_bits() - map.rank()); }

std::optional<Element> OperandLayout::at(Place p) const {
  const int local = p.lane - first_lane;
  if (local < 0 || local >= used_lanes() || p.item < 0 || p.item >= items()) return {};
  return unpack(map,
                map.packed(static_cast<uint64_t>(p.item) << map.input_bits("lane") | static_cast<uint64_t>(local)));
}

// Every coordinate bit depends on one input bit, so the inverse is taken bit by bit.
std::vector<Place> OperandLayout::find(Element e) const {
  const auto inside = [](int x, int extent) { return x >= 0 && x < extent; };
  if (!inside(e.block, blocks) || !inside(e.row, rows) || !inside(e.col, cols))
    throw IsaError(fmt::format("operand {} has no element [{}, {}] in block {}, legal: {} blocks of {} x {}",
                               name(operand), e.row, e.col, e.block, blocks, rows, cols));
  const int lane_bits = map.input_bits("lane");
  const uint64_t wanted = pack(map, e);
  std::vector<Place> out{{first_lane, 0}};
  for (int i = 0; i < map.input_bits(); ++i) {
    const uint64_t moved = map.packed(uint64_t{1} << i);
    const int lane = i < lane_bits ? 1 << i : 0, item = i < lane_bits ? 0 : 1 << (i - lane_bits);
    if (moved & wanted)
      for (Place& p : out) p.lane += lane, p.item += item;
    if (moved == 0)
      for (size_t n = out.size(), j = 0; j < n; ++j) out.push_back({out[j].lane + lane, out[j].item + item});
  }
  return out;
}

}  // namespace wavesmith::isa
