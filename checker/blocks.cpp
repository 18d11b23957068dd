// Basic blocks over lines, and what fields of hardware registers they write.
#include "checker/code.h"
#include "isa_tables/names.h"

namespace wavesmith::checker {

void Traits::add(const Traits& o) {
  refused |= o.refused, undefined_product |= o.undefined_product, lost |= o.lost;
  sets_hardware |= o.sets_hardware, uses_lds |= o.uses_lds, may_use_lds |= o.may_use_lds, indexed |= o.indexed;
  v_end = std::max(v_end, o.v_end), a_end = std::max(a_end, o.a_end), s_end = std::max(s_end, o.s_end);
}
void Traits::add(const CodeLine& l) {
  const Item& i = *l.item;
  refused |= !i.refusal.empty(), undefined_product |= i.undefined_product, lost |= l.lost != nullptr;
  sets_hardware |= i.sets_hardware, uses_lds |= i.uses_lds, may_use_lds |= i.may_use_lds, indexed |= !i.bases.empty();
  v_end = std::max(v_end, i.v_end), a_end = std::max(a_end, i.a_end), s_end = std::max(s_end, i.s_end);
}

// A block ends at a branch, before a branch target, and where execution does not continue with the next line.
void find_blocks(Code& code) {
  const int size = static_cast<int>(code.lines.size());
  std::vector<char> leads(static_cast<size_t>(size) + 1, 0);
  const auto lead = [&](int line) {
    if (line != absent) leads[static_cast<size_t>(line)] = 1;
  };
  lead(0);
  for (int i = 0; i < size; ++i) {
    const CodeLine& l = code.lines[static_cast<size_t>(i)];
    code.some.add(l);
    lead(l.target);
    if (l.next != i + 1 || l.target != absent || l.item->flow != Flow::next) lead(i + 1), lead(l.next);
  }
  std::vector<int> block_of(static_cast<size_t>(size), absent);
  for (int i = 0; i < size; ++i) {
    if (leads[static_cast<size_t>(i)]) code.blocks.push_back({i, i, {}});
    code.blocks.back().end = i + 1;
    block_of[static_cast<size_t>(i)] = static_cast<int>(code.blocks.size()) - 1;
  }
  for (Span& b : code.blocks) {
    const CodeLine& l = code.lines[static_cast<size_t>(b.end - 1)];
    for (const int to : {l.next, l.target})
      if (to != absent) b.to.push_back(block_of[static_cast<size_t>(to)]);
    if (b.to.size() == 2 && b.to[0] == b.to[1]) b.to.pop_back();
  }
}

FieldWrite hardware_write(const Item& item, HardwareField field, Arch arch) {
  const Inst& i = item.inst;
  const uint32_t where = i.operands[0].bits, offset = where >> 6 & 31, size = (where >> 11 & 31) + 1;
  if (isa::number_name(isa::hwreg_names(), static_cast<int>(where & 63), arch) != field.name ||
      field.bit + field.bits <= offset || field.bit >= offset + size)
    return {};
  const bool whole = field.bit >= offset && field.bit + field.bits <= offset + size;
  if (!whole || i.operands[1].file != File::imm) return {true, {}};
  return {true, i.operands[1].bits >> (field.bit - offset) & ((1u << field.bits) - 1)};
}

bool asks_for_replay_groups(const Code& code) {
  return code.some.sets_hardware && std::any_of(code.lines.begin(), code.lines.end(), [&](const CodeLine& l) {
           const FieldWrite w =
               field_write(*l.item, {"HW_REG_WAVE_MODE", 25, 1}, code.arch);  // REPLAY_MODE (CDNA5 ISA 3.4)
           return w.any && w.value != 0u;
         });
}

}  // namespace wavesmith::checker
