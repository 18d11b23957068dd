#include "generator/passes/check_program.h"

#include <cstring>

#include "generator/dsl/origin.h"
#include "generator/passes/cfg.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {

namespace {

uint64_t hash(const Inst& i) {
  uint64_t h = static_cast<uint64_t>(i.op) << 32 | static_cast<uint64_t>(i.second) << 16 |
               static_cast<uint32_t>(i.mods.offset) << 1 | i.dual;
  for (const Operand& o : i.operands) {
    if (o.file == File::none && !i.dual) break;  // operands after it, of a load into LDS: the comparison sees them
    h = (h ^ (o.bits | static_cast<uint64_t>(o.index) << 32)) * 0x9e3779b97f4a7c15, h ^= h >> 31;
  }
  return h;
}

// a == b. Operands have no padding, so their bytes are compared; modifiers of the same bytes are equal.
bool same(const Inst& a, const Inst& b) {
  using Words = std::array<uint64_t, sizeof(Inst::operands) / 8>;
  return a.op == b.op && std::bit_cast<Words>(a.operands) == std::bit_cast<Words>(b.operands) &&
         (!std::memcmp(&a.mods, &b.mods, sizeof a.mods) || a.mods == b.mods) && a.dual == b.dual &&
         a.second == b.second;
}

// The author's line in the form of the code object's line table.
std::string where(const Node& n) {
  const std::string block = Origin(n).text();
  return n.where.line() ? sim::SourceLine{author_file(n.where), n.where.line(), block, n.note}.text() : "";
}
// The label just before a node.
std::string label(const Program& p, size_t node) {
  const auto* found = node ? p.nodes[node - 1].as<directive::Label>() : nullptr;
  return found ? p.labels[static_cast<size_t>(found->id)] : "";
}

// The names under which a register was allocated, one after the other.
std::string names(const Program& p, const Operand& reg) {
  std::string all;
  for (const NamedRegisters& r : p.registers)
    if (r.registers.covers(reg.file, reg.index)) all += (all.empty() ? "" : "; ") + r.name;
  return all;
}

// Memory that a thread keeps for its next program.
struct Scratch {
  std::vector<std::byte> items;
  std::vector<const Item*> known;
  std::vector<CodeLine> lines;
};

Code code_of(const Program& p, Items& items, Scratch& scratch) {
  Code code;
  code.addresses = false;
  code.where = [&p](uint64_t node) { return where(p.nodes[node]); };
  code.label = [&p](uint64_t node) { return label(p, node); };
  code.register_names = [&p](const Operand& reg) { return names(p, reg); };
  code.arch = p.arch;
  code.lanes = isa::target(p.arch).wave_size;
  std::vector<int> line_of_label(p.labels.size(), absent);
  std::vector<const Item*>& known = scratch.known;  // a hash table, open addressing
  known.assign(std::bit_ceil(2 * p.nodes.size() + 1), nullptr);
  code.lines = std::move(scratch.lines), code.lines.clear();
  const auto item_of = [&](const Inst& inst) {
    size_t at = hash(inst) & (known.size() - 1);
    while (known[at] && !same(known[at]->inst, inst)) at = (at + 1) & (known.size() - 1);
    if (!known[at]) known[at] = items.make(inst);
    return known[at];
  };
  // state of gfx9's register indexing, in node order; on gfx1250 nodes name the full register number
  uint8_t indexed = 0;
  code.lines.reserve(p.nodes.size());
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    if (const auto* label = n.as<directive::Label>())
      line_of_label.at(static_cast<size_t>(label->id)) = static_cast<int>(code.lines.size());
    if (!n.is_instruction()) continue;
    const Item* item = indexed ? items.make(n.inst, indexed) : item_of(n.inst);
    if (n.inst.op != Opcode::s_set_vgpr_msb) indexed = mode_after(n.inst, indexed);
    code.lines.push_back({item, i, absent, absent, nullptr});
  }
  const int size = static_cast<int>(code.lines.size());
  for (int i = 0; i < size; ++i) {
    CodeLine& l = code.lines[static_cast<size_t>(i)];
    const Flow flow = l.item->flow;
    if (flow != Flow::branch && flow != Flow::ends && flow != Flow::jump) {
      if (i + 1 < size) l.next = i + 1;
      else l.lost = "the end of the code";
    }
    if (flow == Flow::jump) code.indirect = true, code.jumps.push_back(i);
    if (flow != Flow::branch && flow != Flow::conditional) continue;
    const Operand& to = l.item->inst.operands[0];
    if (to.file != File::label || to.index >= line_of_label.size() || line_of_label[to.index] == absent ||
        line_of_label[to.index] >= size)
      throw isa::IsaError(fmt::format("{}: {}: the branch target is not an instruction of this kernel",
                                      place(p.nodes[l.pc]), l.item->inst.info().mnemonic));
    l.target = line_of_label[to.index];
  }
  find_blocks(code);
  if (!asks_for_replay_groups(code)) code.replays = in_flight::Streams::Replays::grouped;
  return code;
}

}  // namespace

Result check(const Program& p, const Options& options) {
  static thread_local Scratch scratch;
  const isa::Target& t = isa::target(p.arch);
  if (const size_t bytes = 128 * p.nodes.size(); scratch.items.size() < bytes) scratch.items.resize(bytes);
  Items items(p.arch, t.wave_size, std::span(scratch.items));
  sim::KernelInfo kernel;
  kernel.name = p.name;
  kernel.wave_size = t.wave_size;
  kernel.vgprs = p.total_vgprs(), kernel.accum_offset = t.unified ? p.accum_offset() : kernel.vgprs;
  kernel.lds_bytes = static_cast<uint32_t>(p.lds_bytes);
  kernel.max_workgroup_size = p.workgroup_size;
  for (size_t i = 0; i < 3; ++i) kernel.cluster[i] = static_cast<uint32_t>(p.cluster[i]);
  kernel.preload_length = p.preloaded_dwords;
  kernel.user_sgprs = 2 + p.preloaded_dwords;  // what Kernel requests: kernarg address, workgroup ids, work-item id x
  kernel.workgroup_id[0] = kernel.workgroup_id[1] = kernel.workgroup_id[2] = true;
  kernel.workitem_id_dims = 1;
  Entry entry = entry_of(kernel, p.arch);
  entry.vgprs = p.vgprs, entry.agprs = p.agprs;  // as used by the instructions, not rounded to granules
  Code code = code_of(p, items, scratch);
  Result result = check(code, entry, kernel, options);
  scratch.lines = std::move(code.lines);
  return result;
}

}  // namespace wavesmith::checker
