#include "kernels/parts/atom.h"

#include "isa_tables/opcodes.h"
#include "kernels/parts/lds_tile.h"

namespace wavesmith {

using isa::LinearLayout;
using isa::MatrixOperand;
using isa::Type;

namespace {

bool is_format(Type t) { return t >= Type::fp8 && t <= Type::fp4; }
bool takes(Type of_row, Type t) {
  return of_row == t || (of_row == Type::iu8 && t == Type::i8) ||
         (of_row == Type::f8f6f4 && (t == Type::fp8 || t == Type::bf8));
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
  LinearLayout out(of.inputs(), of.outputs());
  for (const auto& input : of.inputs())
    for (int i = 0; i < input.bits; ++i)
      for (const auto& output : of.outputs())
        if (const uint32_t to = of.basis(input.name, i, output.name))
          out.move(input.name, i, output.name,
                   output.name == "row" ? order[static_cast<size_t>(log2(static_cast<int>(to)))] : to);
  return out;
}

}  // namespace

bool multiplies(const isa::Matrix& x, Type a, Type b) { return takes(x.a, a) && takes(x.b, b); }

Atom::Atom(isa::Opcode opcode, isa::Arch target, Type a, Type b) : op(opcode), arch(target) {
  const isa::Info& row = isa::info(op);
  isa::LayoutChoice formats;
  if (is_format(a)) formats.a_format = a;
  if (is_format(b)) formats.b_format = b;
  const isa::OperandLayout of_a = isa::layout(row, arch, MatrixOperand::a, formats),
                           of_d = isa::layout(row, arch, MatrixOperand::d);
  lanes = isa::target(arch).wave_size;
  extent = row.matrix.m;
  operand = of_a.registers();
  fragment_b = chunk_lanes(op, arch, MatrixOperand::b);
  groups = 1 << fragment_b.output_bits("chunk");
  chunks = std::max(1, operand * 4 / chunk_bytes);
  const std::vector<uint32_t> order = row_order(of_d.map, of_d.item_bits / 8);
  fragment_a = reordered(chunk_lanes(op, arch, MatrixOperand::a), order);
  product = reordered(of_d.map, order);
  items = of_d.items();
  item_dwords = of_d.item_bits / 32;
  run = consecutive_rows(product);
  if (row.matrix.a == Type::f8f6f4) {
    mods.cbsz = static_cast<uint8_t>(static_cast<int>(a) - static_cast<int>(Type::fp8));
    mods.blgp = static_cast<uint8_t>(static_cast<int>(b) - static_cast<int>(Type::fp8));
  }
  if (row.matrix.a == Type::iu8) mods.neg_lo = 0b11;  // both signed
}

void Atom::multiply(Block& block, isa::Operand d, Vgpr a, Vgpr b, int part, Where w) const {
  block.emit(op, {d, a.slice(part * operand, operand, w).operand(), b.slice(part * operand, operand, w).operand(), d},
             mods, w);
}

Accumulators::Accumulators(Registers& r, isa::Arch arch, int count, int dwords, const std::string& name, Where w) {
  for (int i = 0; i < count; ++i)
    if (isa::target(arch).agprs) a_.push_back(r.a.alloc(dwords, name, 4, w));
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
void Accumulators::clear(Block& b) const {
  for (const auto& tile : a_)
    for (int i = 0; i < tile.dwords; ++i) b.v_accvgpr_write_b32(tile[i], 0);
  for (const auto& tile : v_)
    for (int i = 0; i < tile.dwords; ++i) b.v_mov_b32(tile[i], 0);
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
