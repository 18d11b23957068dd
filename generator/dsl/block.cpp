// Emission and the checks that types cannot express: availability, widths, alignment, offset ranges.
#include "generator/dsl/block.h"

#include "isa_tables/offsets.h"

namespace wavesmith {
namespace {

[[noreturn]] void refuse(const isa::Info& row, Where w, const std::string& why) {
  throw isa::IsaError(fmt::format("{}: {}: {}", place(w), row.mnemonic, why));
}

void check_operand(const Inst& inst, int i, const Operand& o, Arch arch, Where w) {
  const isa::Info& row = inst.info();
  const auto& spec = row.operands[i];
  if (o.file == File::imm && o.dwords == 1 && spec.constant == isa::Constant::f64 && !isa::inline_constant(o.bits))
    refuse(row, w,
           fmt::format("operand {} is an f64, and 0x{:x} is not an inline constant of f64; legal: immd(number)", i,
                       o.bits));
  if (o.file == File::imm && spec.kind == isa::Kind::imm &&
      (row.format == isa::Format::sopk || row.format == isa::Format::sopp)) {
    const auto value = static_cast<int32_t>(o.bits);
    const bool is_signed = row.format == isa::Format::sopk && !std::string_view(row.mnemonic).ends_with("_u32");
    const int high = is_signed ? INT16_MAX : UINT16_MAX;
    if (value < INT16_MIN || value > high)
      refuse(row, w, fmt::format("operand {} is {}; legal: {} to {}", i, value, INT16_MIN, high));
  }
  if (o.file == File::imm && o.dwords == 2 && isa::dwords(inst, i, arch) == 1)
    refuse(row, w, fmt::format("operand {} has 32 bits, 0x{:x}{:08x} has more", i, o.high, o.bits));
  if (!o.is_reg()) return;
  if (o == exec.operand() && isa::target(arch).wave_size == 32)
    refuse(
        row, w,
        fmt::format("operand {} is exec, a register pair; {} has waves of 32 lanes; legal: mask_and() and the like, or "
                    "exec[0]",
                    i, isa::target(arch).name));
  const char* role = spec.access == isa::Access::read ? "source" : "dst";
  const int want = isa::dwords(inst, i, arch);
  const bool address =
      spec.kind == isa::Kind::vaddr;  // 1 or 2: base offset, index, or both; 64-bit or 32-bit with an SGPR base
  if (o.dwords != want && !(address && (o.dwords == 1 || o.dwords == 2)))
    refuse(row, w, fmt::format("{} (operand {}) takes {} dwords, got {} ({})", role, i, want, o.dwords, print(o)));
  const int align = o.file == File::s ? std::min(4, static_cast<int>(o.dwords)) : isa::tuple_align(row, i, arch);
  if (o.dwords > 1 && o.index < isa::sreg::vcc && o.index % align)
    refuse(row, w, fmt::format("{} must start at a multiple of {} on {}", print(o), align, isa::target(arch).name));
}

void check_offset(const Inst& inst, Arch arch, Where w) {
  const isa::Info& row = inst.info();
  auto legal = isa::offset_range(row.format, arch);
  if (!legal) return;
  int offset = inst.mods.offset;
  for (int i = 0; i < row.count(); ++i) {  // of a scalar load it is an operand
    const Operand& o = inst.operands[i];
    if (row.operands[i].kind != isa::Kind::soff) continue;
    if (o.file == File::imm) offset = static_cast<int32_t>(o.bits);
    if (row.operands[1].dwords == 4) legal->low = 0;  // after a buffer resource
  }
  if (offset < legal->low || offset > legal->high)
    refuse(row, w,
           fmt::format("offset {} does not fit; legal on {}: {} to {}", offset, isa::target(arch).name, legal->low,
                       legal->high));
}

// The scalar offset 0 of a buffer access, its last operand.
constexpr Operand null_register = isa::reg(File::s, isa::sreg::null, 1);
bool is_no_offset(const isa::Info& row, int i, const Operand& o) {
  return (row.format == isa::Format::mubuf || row.format == isa::Format::mtbuf) &&
         row.operands[i].kind == isa::Kind::ssrc && o.file == File::imm && o.bits == 0;
}

// vcc and exec stand for a lane mask of any wave.
Operand as_mask(Operand o, int dwords) {
  if (o == vcc.operand() || o == exec.operand()) o.dwords = static_cast<uint8_t>(dwords);
  return o;
}

}  // namespace

Node& Block::emit(Opcode op, std::initializer_list<Operand> operands, const Mods& mods, Where w) {
  const isa::Info& row = isa::info(op);
  if (!row.on(arch_))
    refuse(row, w, fmt::format("not available on {} ({} has it)", isa::target(arch_).name, isa::archs_with(row)));
  Node n;
  n.inst.op = op;
  n.inst.mods = mods;
  if (row.implicit & isa::mix && mods.op_sel_hi == Mods{}.op_sel_hi)
    n.inst.mods.op_sel_hi = 0;  // all sources are f32, as in the assembler
  int i = 0;
  for (Operand o : operands) {
    if (is_no_offset(row, i, o) && isa::target(arch_).scalar_offset_is_register()) o = null_register;
    if (row.operands[i].kind == isa::Kind::mask) o = as_mask(o, isa::dwords(n.inst, i, arch_));
    check_operand(n.inst, i, o, arch_, w);
    n.inst.operands[i++] = o;
  }
  check_offset(n.inst, arch_, w);
  if (const auto why = isa::undefined_product(n.inst); !why.empty()) refuse(row, w, why);
  n.block = name_;
  n.where = w;
  n.note = std::exchange(pending_note_, {});
  nodes.push_back(std::move(n));
  return nodes.back();
}

Node& Block::dual(const Block& two, Where w) {
  if (two.nodes.size() != 2)
    throw isa::IsaError(fmt::format("{}: a pair has two instructions, got {}", place(w), two.nodes.size()));
  const Opcode first = two.nodes[0].inst.op, second = two.nodes[1].inst.op;
  if (isa::pair_form(first, second, arch_) == isa::PairForm::none)
    refuse(isa::info(first), w,
           fmt::format("{} does not pair it with {}", isa::target(arch_).name, isa::info(second).mnemonic));
  for (const Node& half : two.nodes) {
    isa::Mods encodable;
    encodable.e64 = half.inst.mods.e64, encodable.bitop3 = half.inst.mods.bitop3;
    if (half.inst.mods != encodable)
      refuse(half.inst.info(), w, "a pair has no clamp, output modifier or op_sel; legal: two instructions");
  }
  Node n = two.nodes[0];
  n.inst = isa::paired(two.nodes[0].inst, two.nodes[1].inst);
  n.where = w;
  nodes.push_back(std::move(n));
  return nodes.back();
}

Node& Block::mask(Opcode narrow, Opcode wide, std::initializer_list<Operand> operands, Where w) {
  const int dwords = isa::target(arch_).wave_size / 32;
  const auto all = operands.begin();
  const Operand d = as_mask(all[0], dwords), a = as_mask(all[1], dwords);
  const Opcode op = dwords == 1 ? narrow : wide;
  return operands.size() == 2 ? emit(op, {d, a}, {}, w) : emit(op, {d, a, as_mask(all[2], dwords)}, {}, w);
}

void Block::barrier(Where w) {
  if (isa::info(Opcode::s_barrier).on(arch_)) return void(s_barrier({}, w));
  s_barrier_signal(workgroup_barrier, {}, w);
  s_barrier_wait(workgroup_barrier, {}, w);
}

void Block::append(Directive d, Where w) {
  Node n;
  n.directive = d;
  n.block = name_;
  n.where = w;
  nodes.push_back(std::move(n));
}

}  // namespace wavesmith
