// Emission and its checks: what the types could not say (availability, widths, alignment, offset ranges) is said here,
// once.
#include "generator/block.h"

#include <cstring>

namespace wavesmith {
namespace {

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

[[noreturn]] void refuse(const isa::Info& row, Where w, const std::string& why) {
  throw isa::IsaError(fmt::format("{}:{}: {}: {}", base_name(w.file_name()), w.line(), row.mnemonic, why));
}

void check_operand(const Inst& inst, int i, const Operand& o, Arch arch, Where w) {
  const isa::Info& row = inst.info();
  const auto& spec = row.operands[i];
  if (o.file == File::imm && o.dwords == 1 && spec.constant == isa::Constant::f64 && !isa::inline_constant(o.bits))
    refuse(row, w,
           fmt::format("operand {} is an f64, which 0x{:x} is no inline constant of; legal: immd(number)", i, o.bits));
  if (!o.is_reg()) return;
  const char* role = spec.access == isa::Access::read ? "source" : "dst";
  const int want = isa::dwords(inst, i, arch);
  const bool address =
      spec.kind == isa::Kind::vaddr;  // 1 or 2: base offset, index, or both; 64-bit or 32-bit with an SGPR base
  if (o.dwords != want && !(address && (o.dwords == 1 || o.dwords == 2)))
    refuse(row, w, fmt::format("{} (operand {}) takes {} dwords, got {} ({})", role, i, want, o.dwords, print(o)));
  const int align = o.file == File::s ? std::min(4, static_cast<int>(o.dwords)) : isa::target(arch).tuple_align;
  if (o.dwords > 1 && o.index < isa::sreg::vcc && o.index % align)
    refuse(row, w, fmt::format("{} has to start at a multiple of {} on {}", print(o), align, isa::target(arch).name));
}

// Offset fields: MUBUF 12 bits, DS 16 bits, FLAT/GLOBAL 13 bits signed (gfx9; gfx12 widens them, LLVM then refuses what
// does not fit).
void check_offset(const isa::Info& row, const Mods& m, Where w) {
  const auto within = [&](int low, int high) {
    if (m.offset < low || m.offset > high)
      refuse(row, w, fmt::format("offset {} does not fit, legal is {} to {}", m.offset, low, high));
  };
  if (row.format == isa::Format::mubuf) within(0, 4095);
  if (row.format == isa::Format::ds) within(0, 65535);
  if (row.format == isa::Format::global) within(-4096, 4095);
}

}  // namespace

Node& Block::emit(Opcode op, std::initializer_list<Operand> operands, const Mods& mods, Where w) {
  const isa::Info& row = isa::info(op);
  if (!row.on(arch_))
    refuse(row, w, fmt::format("not available on {} ({} has it)", isa::target(arch_).name, isa::archs_with(row)));
  Node n;
  n.inst.op = op;
  n.inst.mods = mods;
  int i = 0;
  for (const Operand& o : operands) {
    check_operand(n.inst, i, o, arch_, w);
    n.inst.operands[i++] = o;
  }
  check_offset(row, mods, w);
  if (const auto why = isa::undefined_broadcast(n.inst); !why.empty()) refuse(row, w, why);
  n.block = name_;
  n.where = w;
  n.note = std::exchange(pending_note_, {});
  nodes.push_back(std::move(n));
  return nodes.back();
}

Node& Block::dual(const Block& two, Where w) {
  if (two.nodes.size() != 2)
    throw isa::IsaError(fmt::format("{}:{}: a pair has two instructions, got {}", base_name(w.file_name()), w.line(),
                                    two.nodes.size()));
  const Opcode first = two.nodes[0].inst.op, second = two.nodes[1].inst.op;
  if (isa::pair_form(first, second, arch_) == isa::PairForm::none)
    refuse(isa::info(first), w,
           fmt::format("{} does not pair it with {}", isa::target(arch_).name, isa::info(second).mnemonic));
  Node n = two.nodes[0];
  n.inst = isa::paired(two.nodes[0].inst, two.nodes[1].inst);
  n.where = w;
  nodes.push_back(std::move(n));
  return nodes.back();
}

void Block::directive(Directive d, Operand o, int number, Where w) {
  Node n;
  n.directive = d;
  n.inst.operands[0] = o;
  n.number = number;
  n.block = name_;
  n.where = w;
  nodes.push_back(std::move(n));
}

void Block::sched_group_barrier(int mask, int count, int sync, Where w) {
  directive(Directive::sched_group, {}, mask, w);
  nodes.back().count = count;
  nodes.back().sync = sync;
}

}  // namespace wavesmith
