// Arguments that the hardware brings into SGPRs before a wave begins, behind the address of all (AMDGPUUsage,
// "Preloaded Kernel Arguments"): scalar loads of arguments at a kernel's beginning become moves of these. A load from
// memory takes about as long as the first ones of A and B.
#include <algorithm>

#include "generator/dsl/kernel.h"
#include "generator/passes/passes.h"

namespace wavesmith {
namespace {

constexpr int user_sgprs = 32, first_argument = 2;  // of gfx1250; before it kernels need a prologue for old firmware

bool is_load(Opcode op) {
  return op == Opcode::s_load_dword || op == Opcode::s_load_dwordx2 || op == Opcode::s_load_dwordx4 ||
         op == Opcode::s_load_dwordx8 || op == Opcode::s_load_dwordx16;
}

struct Move {
  int to, from;
};
// As if all at once. `spare`: a register that is none of them.
void move_together(Block& b, std::vector<Move> moves, Sgpr spare) {
  std::erase_if(moves, [](const Move& m) { return m.to == m.from; });
  const auto sgpr = [](int index, int dwords = 1) {
    return Sgpr{static_cast<uint16_t>(index), static_cast<uint8_t>(dwords)};
  };
  while (!moves.empty()) {
    const auto is_source = [&](int reg) { return std::ranges::find(moves, reg, &Move::from) != moves.end(); };
    const auto free = std::ranges::find_if(moves, [&](const Move& m) { return !is_source(m.to); });
    if (free == moves.end()) {  // a cycle
      b.s_mov_b32(spare, sgpr(moves[0].from));
      const int from = moves[0].from;
      for (Move& m : moves)
        if (m.from == from) m.from = spare.index;
      continue;
    }
    const Move m = *free;
    moves.erase(free);
    const auto next =
        std::ranges::find_if(moves, [&](const Move& n) { return n.to == m.to + 1 && n.from == m.from + 1; });
    if (m.to % 2 == 0 && m.from % 2 == 0 && next != moves.end() && !is_source(m.to + 1)) {
      moves.erase(next);
      b.s_mov_b64(sgpr(m.to, 2), sgpr(m.from, 2));
    } else {
      b.s_mov_b32(sgpr(m.to), sgpr(m.from));
    }
  }
}

}  // namespace

int preload_arguments(Kernel& k) {
  if (!isa::target(k.arch).preloads_arguments() || !isa::target(k.arch).has_vgpr_msb()) return 0;
  auto& nodes = k.k.nodes;
  std::vector<Move> moves;
  std::vector<bool> used(isa::reg_numbers);  // by instructions before
  std::vector<size_t> moved;
  int preloaded = 0;
  for (size_t i = 0; i < nodes.size() && !nodes[i].as<directive::Label>(); ++i) {
    if (!nodes[i].is_instruction()) continue;
    const Inst& inst = nodes[i].inst;
    if (inst.info().unit == isa::Unit::branch) break;
    const auto number = [](const Operand& o, int n) { return static_cast<size_t>(isa::number_of(o) + n); };
    if (is_load(inst.op) && inst.operands[1] == k.kernargs.operand() && inst.operands[2].file == File::imm) {
      const Operand& to = inst.operands[0];
      const int first = static_cast<int>(inst.operands[2].bits) / 4, end = first + to.dwords;
      bool is_free = end <= std::min(user_sgprs - first_argument, k.kernarg_bytes() / 4);
      for (int n = 0; n < to.dwords; ++n) is_free &= !used[number(to, n)];
      if (is_free) {
        for (int n = 0; n < to.dwords; ++n)
          moves.push_back({to.index + n, first_argument + first + n}), used[number(to, n)] = true;
        moved.push_back(i), preloaded = std::max(preloaded, end);
        continue;
      }
    }
    const isa::Effects e = isa::effects(inst, k.arch);
    const auto use = [&](const auto& operands) {
      for (const Operand& o : operands)
        for (int n = 0; o.is_reg() && n < o.dwords; ++n) used[number(o, n)] = true;
    };
    use(e.reads), use(e.writes);
  }
  if (moves.empty()) return 0;
  Block b(k.arch, "preloaded arguments");
  move_together(b, std::move(moves), vcc[0]);
  name_caller(b.nodes, 0, k.where);
  for (size_t i = moved.size(); i-- > 0;) nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(moved[i]));
  nodes.insert(nodes.begin(), b.nodes.begin(), b.nodes.end());
  return preloaded;
}

}  // namespace wavesmith
