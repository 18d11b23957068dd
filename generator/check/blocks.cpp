// Basic blocks over lines, and the lines of a kernel that is still a list of nodes.
#include "generator/cfg.h"
#include "generator/check/code.h"
#include "isa_tables/names.h"

namespace wavesmith::checker {

// A block ends where execution may go elsewhere, where another line may come in, and where what follows is not the next
// line.
void find_blocks(Code& code) {
  const int size = static_cast<int>(code.lines.size());
  std::vector<char> leads(static_cast<size_t>(size) + 1, 0);
  const auto lead = [&](int line) {
    if (line >= 0) leads[static_cast<size_t>(line)] = 1;
  };
  lead(0);
  for (int i = 0; i < size; ++i) {
    const Line& l = code.lines[static_cast<size_t>(i)];
    lead(l.target);
    if (l.next != i + 1 || l.target >= 0 || l.item->flow != Flow::next) lead(i + 1), lead(l.next);
  }
  std::vector<int> block_of(static_cast<size_t>(size), -1);
  for (int i = 0; i < size; ++i) {
    if (leads[static_cast<size_t>(i)]) code.blocks.push_back({i, i, {}});
    code.blocks.back().end = i + 1;
    block_of[static_cast<size_t>(i)] = static_cast<int>(code.blocks.size()) - 1;
  }
  for (Span& b : code.blocks) {
    const Line& l = code.lines[static_cast<size_t>(b.end - 1)];
    for (const int to : {l.next, l.target})
      if (to >= 0) b.to.push_back(block_of[static_cast<size_t>(to)]);
    if (b.to.size() == 2 && b.to[0] == b.to[1]) b.to.pop_back();
  }
}

FieldWrite field_write(const Item& item, HardwareField field, Arch arch) {
  const Inst& i = item.inst;
  if (!item.refusal.empty() || i.info().operands[0].kind != isa::Kind::hwreg || !(i.info().implicit & isa::mode_w))
    return {};
  const uint32_t where = i.operands[0].bits, offset = where >> 6 & 31, size = (where >> 11 & 31) + 1;
  if (isa::number_name(isa::hwreg_names(), static_cast<int>(where & 63), arch) != field.name ||
      field.bit + field.bits <= offset || field.bit >= offset + size)
    return {};
  const bool whole = field.bit >= offset && field.bit + field.bits <= offset + size;
  if (!whole || i.operands[1].file != File::imm) return {true, {}};
  return {true, i.operands[1].bits >> (field.bit - offset) & ((1u << field.bits) - 1)};
}

bool asks_for_replay_groups(const Code& code) {
  return std::any_of(code.lines.begin(), code.lines.end(), [&](const Line& l) {
    const FieldWrite w = field_write(*l.item, {"HW_REG_WAVE_MODE", 25, 1}, code.arch);  // REPLAY_MODE (CDNA5 ISA 3.4)
    return w.any && w.value != 0u;
  });
}

namespace {

uint64_t hash(const Inst& i) {
  uint64_t h = static_cast<uint64_t>(i.op) << 32 | static_cast<uint64_t>(i.second) << 16 |
               static_cast<uint32_t>(i.mods.offset) << 1 | i.dual;
  for (const Operand& o : i.operands)
    if (o.file != File::none)
      h = (h ^ (o.bits | static_cast<uint64_t>(o.index) << 32 | static_cast<uint64_t>(o.file) << 48 |
                static_cast<uint64_t>(o.dwords) << 56)) *
          0x9e3779b97f4a7c15,
      h ^= h >> 31;
  return h;
}

}  // namespace

Code code_of(const Program& p, std::deque<Item>& items) {
  Code code;
  code.arch = p.arch;
  code.lanes = isa::target(p.arch).wave_size;
  std::vector<int> line_of_label(p.labels.size(), -1);
  std::unordered_map<uint64_t, const Item*> known;
  uint8_t indexed = 0;  // gfx9, in the order of the nodes; of gfx1250 a node names the register it means
  known.reserve(p.nodes.size() / 2), code.lines.reserve(p.nodes.size());
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    if (n.directive == Directive::label)
      line_of_label.at(static_cast<size_t>(n.number)) = static_cast<int>(code.lines.size());
    if (n.directive != Directive::none) continue;
    const Item* own = nullptr;
    const Item*& item = indexed ? own : known[hash(n.inst)];  // one of two of one hash is made anew each time
    if (!item || !(item->inst == n.inst))
      items.push_back(make_item(n.inst, p.arch, code.lanes, indexed)), item = &items.back();
    if (n.inst.op != Opcode::s_set_vgpr_msb) indexed = mode_behind(n.inst, indexed);
    code.lines.push_back({item, i, -1, -1, nullptr});
  }
  const int size = static_cast<int>(code.lines.size());
  for (int i = 0; i < size; ++i) {
    Line& l = code.lines[static_cast<size_t>(i)];
    const Flow flow = l.item->flow;
    if (flow != Flow::branch && flow != Flow::ends && flow != Flow::jump) {
      if (i + 1 < size) l.next = i + 1;
      else l.lost = "the end of the code";
    }
    if (flow == Flow::jump) code.indirect = true, code.jumps.push_back(i);
    if (flow != Flow::branch && flow != Flow::conditional) continue;
    const Operand& to = l.item->inst.operands[0];
    if (to.file != File::label || to.index >= line_of_label.size() || line_of_label[to.index] < 0 ||
        line_of_label[to.index] >= size)
      throw isa::IsaError(fmt::format("{}: {}: the target is no instruction of this kernel", place(p.nodes[l.pc]),
                                      l.item->inst.info().mnemonic));
    l.target = line_of_label[to.index];
  }
  find_blocks(code);
  if (!asks_for_replay_groups(code)) code.replays = in_flight::Streams::Replays::grouped;
  return code;
}

}  // namespace wavesmith::checker
