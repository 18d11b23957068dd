// The example operands of a row. Every operand kind has one legal form; tuples are aligned as gfx90a and later demand.
#include "isa_tables/mc/sample.h"

#include "isa_tables/opcodes.h"

namespace wavesmith::isa {

Inst sample(Opcode op, Arch arch) {
  Inst inst{op};
  const Info& row = info(op);
  const bool accumulators = target(arch).agprs > 0;
  for (int i = 0; i < row.count(); ++i) {
    const OperandSpec& spec = row.operands[i];
    const int place = i == 3 ? 120 : 32 * (i + 1);  // 16-bit operands of short encodings reach v127
    Operand& o = inst.operands[i];
    if (spec.optional) {
      o = off();
      continue;
    }
    switch (spec.kind) {
      case Kind::none: break;
      case Kind::v:
      case Kind::any: o = reg(File::v, place, spec.dwords); break;
      case Kind::va:
        o = reg(row.is_matrix() && i == 0 && accumulators && !target(arch).unified ? File::a : File::v, place,
                spec.dwords);
        break;  // on gfx908 D and C are AGPRs
      case Kind::a: o = reg(File::a, place, spec.dwords); break;
      case Kind::vac: o = reg(accumulators ? inst.operands[0].file : File::v, place, spec.dwords); break;
      case Kind::s: o = reg(File::s, 16 * (i + 1), spec.dwords); break;
      case Kind::ssrc:
        o = row.is_vector() && i == 2 ? imm(8) : reg(File::s, 16 * (i + 1), spec.dwords);
        break;  // VOP3 may read one SGPR
      case Kind::mask: o = reg(File::s, sreg::vcc, target(arch).wave_size == 64 ? 2 : 1); break;
      case Kind::vaddr:
        o = spec.dwords == 2 || row.format == Format::scratch ? reg(File::v, place, spec.dwords) : off();
        break;
      case Kind::saddr: o = off(); break;
      case Kind::soff:
      case Kind::imm: o = spec.constant == Constant::f64 ? immd(3) : imm(8); break;
      case Kind::barrier: o = imm(1); break;
      case Kind::null: o = reg(File::s, sreg::null); break;
      case Kind::hwreg: o = imm(1 | 4 << 6 | 3 << 11); break;  // MODE, four bits from bit 4
      case Kind::message: o = imm(row.operands[0].access == Access::write ? 131 : 1); break;  // realtime; interrupt
      case Kind::version: o = imm(0x2004); break;
      case Kind::gpr_index: o = imm(9); break;  // SRC0 and DST
      case Kind::delay: o = imm(1 | 1 << 4 | 5 << 7); break;
      case Kind::depctr: o = imm(0x0fff); break;
      case Kind::waits: o = row.on(arch) ? wait_instruction(op, {.vm = 3}, arch).operands[0] : imm(0); break;
      case Kind::label: o = imm(1); break;
    }
  }
  if (row.implicit & mix) inst.mods.op_sel_hi = 0;
  if (op == Opcode::v_mov_b16)
    for (int i : {0, 1}) inst.operands[i].part = 1;  // its text always names halves
  return inst;
}

}  // namespace wavesmith::isa
