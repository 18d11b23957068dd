// VGPRs from v256 on (gfx1250): nodes name the full number; encodings hold eight bits, and two more for each operand's
// slot are a mode.
#include "generator/passes/passes.h"
#include "generator/passes/rewrite.h"
#include "isa_tables/opcodes.h"

namespace wavesmith {
namespace {

constexpr int slot_bits = 2;

// Of s_set_vgpr_msb: the bits that matter to an instruction, and their values.
struct Banks {
  uint32_t mask = 0, value = 0;
  bool agrees(uint32_t mode) const { return !((mode ^ value) & mask); }
  // Adds those of a later instruction, unless they contradict.
  bool add(const Banks& o) {
    if ((value ^ o.value) & mask & o.mask) return false;
    mask |= o.mask, value |= o.value;
    return true;
  }
};
Banks banks_of(const Inst& i) {
  Banks b;
  const auto slots = isa::register_slots(i.info());
  for (size_t k = 0; k < slots.size(); ++k) {
    const Operand& o = i.operands[k];
    if (o.file != isa::File::v) continue;
    const auto bank = static_cast<uint32_t>(o.index / isa::vgpr_bank);
    if (slots[k] == absent || i.dual) {
      if (bank)
        throw isa::IsaError(fmt::format("{}: v{}; legal: registers below v{}, as no mode extends this operand",
                                        i.info().mnemonic, o.index, isa::vgpr_bank));
      continue;
    }
    const int at = slot_bits * slots[k];
    b.mask |= 3u << at, b.value |= bank << at;
  }
  return b;
}

}  // namespace

Inst in_banks(Inst i) {
  for (Operand& o : i.operands)
    if (o.file == isa::File::v) o.index = static_cast<uint16_t>(o.index % isa::vgpr_bank);
  return i;
}

void select_banks(std::vector<Node>& nodes) {
  Rewrite rewrite(nodes);
  std::optional<uint32_t> mode = 0;  // at the start of a wave
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].as<directive::Label>()) mode.reset();
    if (!nodes[i].is_instruction()) continue;
    Banks needed = banks_of(nodes[i].inst);
    if (!needed.mask || (mode && needed.agrees(*mode))) continue;
    for (size_t next = i + 1; next < nodes.size() && !nodes[next].as<directive::Label>(); ++next)
      if (nodes[next].is_instruction() && !needed.add(banks_of(nodes[next].inst))) break;
    mode = (mode.value_or(0) & ~needed.mask) | needed.value;
    Inst set{Opcode::s_set_vgpr_msb};
    set.operands[0] = isa::imm(static_cast<int32_t>(*mode));
    rewrite.insert(i, nodes[i].beside(set));
  }
  rewrite.apply(is_instruction_or_label);
}

}  // namespace wavesmith
