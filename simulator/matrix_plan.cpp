#include "simulator/matrix.h"

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace wavesmith::sim {
namespace {
using isa::MatrixOperand, isa::Type;

isa::LayoutChoice choice_of(int wave_size, const Step& st, MatrixOperand o) {
  const isa::Mods& m = st.inst.mods;
  const isa::Matrix& x = st.row->matrix;
  isa::LayoutChoice c{.wave_size = wave_size};
  if (x.a == Type::f8f6f4) c.a_format = isa::narrow_format(m.cbsz), c.b_format = isa::narrow_format(m.blgp);
  if (o == MatrixOperand::index)
    c.select = x.kind == isa::MatrixKind::smfmac
                   ? (m.cbsz ? 0 : m.abid)
                   : m.index_key | (m.op_sel & 3);  // CDNA3 ISA 7.1.6: CBSZ other than 0 takes the first set
  if (o == MatrixOperand::c || o == MatrixOperand::d)
    c.select = isa::bits(o == MatrixOperand::c ? x.c : x.d) == 16 && x.gfx11() ? m.op_sel >> 2 & 1 : 0;
  if (o == MatrixOperand::scale_a ||
      o == MatrixOperand::scale_b) {  // CDNA4 ISA 7.2.1: op_sel and op_sel_hi are the two bits of the byte
    const int bit = o == MatrixOperand::scale_b;
    if (st.row->format == isa::Format::mai)
      c.select = (m.op_sel >> bit & 1) | (m.op_sel_hi == 0xf ? 0 : m.op_sel_hi >> bit & 1) << 1;
    else c.select = m.scale >> 4 * bit & 15;  // CDNA5 ISA 7.12.6: the row of 16 lanes
  }
  return c;
}

// Where the index pairs or the scales of an operand are: [k][row of A or column of B].
std::vector<BitsAt> places(const isa::OperandLayout& l, bool along_rows) {
  std::vector<BitsAt> out;
  for (int k = 0; k < (along_rows ? l.cols : l.rows); ++k)
    for (int i = 0; i < (along_rows ? l.rows : l.cols); ++i) {
      const isa::Place p = l.find(along_rows ? isa::Element{0, i, k} : isa::Element{0, k, i}).front();
      const isa::RegisterBits at = l.where(p.item);
      out.push_back({static_cast<u8>(p.lane), static_cast<u8>(at.reg), static_cast<u8>(at.bit)});
    }
  return out;
}

void add_chunks(OperandPlan& s) {
  const int bits = isa::bits(s.type), parts = bits == 8 || bits == 16 ? 32 / bits : 0;
  constexpr int lanes = 16;
  if (parts == 0 || s.width % lanes) return;
  std::map<std::pair<u16, int>, std::map<int, u32>>
      found;  // by register and lane: place in the dword, and where it goes
  for (const Run& r : s.runs)
    for (int l = 0; l < s.width; l += lanes)
      found[{r.reg, r.lane + l}][r.bit / bits] = static_cast<u32>((r.block * s.depth + r.k) * s.extent + r.along + l);
  for (const auto& [at, places] : found) {
    if (static_cast<int>(places.size()) != parts) return s.chunks.clear();
    Chunk c{at.first, static_cast<u8>(at.second), {}};
    for (const auto& [part, to] : places) c.to[static_cast<size_t>(part)] = to;
    s.chunks.push_back(c);
  }
}

// The runs of an operand, each element once. `along`: the coordinate that lanes count.
OperandPlan side(const isa::OperandLayout& l, bool along_rows, bool input) {
  OperandPlan s{
      .layout = l, .type = l.type, .extent = along_rows ? l.rows : l.cols, .depth = along_rows ? l.cols : l.rows};
  const auto coordinate = [&](const isa::Element& e) { return along_rows ? e.row : e.col; };
  int bits = 0;
  const char* axis = along_rows ? "row" : "col";
  while (bits < l.map.inputs()[0].bits && l.map.basis("lane", bits, axis) == 1u << bits) ++bits;
  s.width = 1 << bits;
  std::vector<bool> seen(static_cast<size_t>(l.blocks * l.rows * l.cols));
  for (int item = 0; item < l.items(); ++item)
    for (int lane = l.first_lane; lane < l.first_lane + l.used_lanes(); lane += s.width) {
      const auto e = l.at({lane, item});
      if (!e) continue;
      const size_t number = static_cast<size_t>((e->block * l.rows + e->row) * l.cols + e->col);
      if (input && seen[number]) continue;  // results are written everywhere they are held
      seen[number] = true;
      s.runs.push_back({static_cast<u16>(item), static_cast<u8>(lane), static_cast<u8>(e->block),
                        static_cast<u16>(along_rows ? e->col : e->row), static_cast<u8>(coordinate(*e)),
                        static_cast<u8>(l.where(item).bit), static_cast<u16>(l.where(item).reg)});
    }
  s.items = l.items(), s.registers = l.registers();
  if (input) add_chunks(s);
  for (const Run& r : s.runs) s.lanes = std::max(s.lanes, (r.lane + s.width + 15) / 16 * 16);
  return s;
}

MatrixPlan make_plan(isa::Arch arch, int wave_size, const Step& st) {
  const isa::Info& row = *st.row;
  const isa::Target& t = isa::target(arch);
  if (const auto why = isa::undefined_product(st.inst); !why.empty()) throw isa::IsaError(why);
  const auto of = [&](MatrixOperand o) { return isa::layout(row, arch, o, choice_of(wave_size, st, o)); };
  MatrixPlan p;
  p.a = side(of(MatrixOperand::a), true, true);
  p.b = side(of(MatrixOperand::b), false, true);
  p.c = side(of(MatrixOperand::c), false, false);
  p.d = side(of(MatrixOperand::d), false, false);
  if (row.matrix.sparse()) p.index = places(of(MatrixOperand::index), true);
  if (row.matrix.scale_block)
    p.scale_a = places(of(MatrixOperand::scale_a), true), p.scale_b = places(of(MatrixOperand::scale_b), false);
  p.fnuz = t.fnuz_fp8();
  p.sum = summation(t.family, row.matrix, {p.a.type, p.a.depth, p.a.layout.items()});
  const int stride = p.d.layout.stride_bits / 32;  // registers an item takes; 0 for two in one
  for (const Run& r : p.d.runs)
    p.rows.push_back({r.block, r.k, static_cast<u32>(r.item * std::max(1, stride) * Wave::lanes + r.lane)});
  std::ranges::stable_sort(
      p.rows, {}, [](const Row& r) { return std::pair{r.block, r.row}; });  // kernels take consecutive rows together
  return p;
}

}  // namespace

const MatrixPlan& matrix_plan(isa::Arch arch, int wave_size, const Step& st) {
  static std::mutex lock;
  static std::unordered_map<u64, std::unique_ptr<MatrixPlan>> plans;
  const isa::Mods& m = st.inst.mods;
  const u64 key = static_cast<u64>(st.inst.op) | static_cast<u64>(arch) << 16 | u64{wave_size == 64} << 21 |
                  u64{m.cbsz} << 22 | u64{m.abid} << 25 | u64{m.blgp} << 29 | u64{m.op_sel} << 32 |
                  u64{m.op_sel_hi} << 36 | u64{m.scale} << 40 | u64{m.index_key} << 48;
  const std::lock_guard hold(lock);
  auto& p = plans[key];
  if (!p) {
    p = std::make_unique<MatrixPlan>();
    try {
      *p = make_plan(arch, wave_size, st);
    } catch (const isa::IsaError& e) { p->refusal = e.what(); }
  }
  return *p;
}

}  // namespace wavesmith::sim
