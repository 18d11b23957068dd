// The example operands of a row. Every operand kind has one legal form; tuples are aligned as gfx90a and later demand.
#include "isa_tables/sample.h"

namespace wavesmith::isa {

Inst sample(Opcode op, Arch arch) {
  Inst inst{op};
  const Info& row = info(op);
  const bool accumulators = target(arch).agprs > 0;
  for (int i = 0; i < row.count(); ++i) {
    const OperandSpec& spec = row.operands[i];
    const int place = 32 * (i + 1);
    Operand& o = inst.operands[i];
    switch (spec.kind) {
      case Kind::none: break;
      case Kind::v: case Kind::any: o = reg(File::v, place, spec.dwords); break;
      case Kind::va: o = reg(row.is_matrix() && i == 0 && accumulators && !target(arch).unified ? File::a : File::v, place, spec.dwords); break;   // gfx908: D and C are AGPRs
      case Kind::a: o = reg(File::a, place, spec.dwords); break;
      case Kind::vac: o = reg(accumulators ? inst.operands[0].file : File::v, place, spec.dwords); break;
      case Kind::s: o = reg(File::s, 16 * (i + 1), spec.dwords); break;
      case Kind::ssrc: o = row.is_vector() && i == 2 ? imm(8) : reg(File::s, 16 * (i + 1), spec.dwords); break;  // one SGPR is what VOP3 may read
      case Kind::mask: o = reg(File::s, sreg::vcc, target(arch).wave_size == 64 ? 2 : 1); break;
      case Kind::vaddr: o = spec.dwords == 2 ? reg(File::v, place, 2) : off(); break;
      case Kind::saddr: o = off(); break;
      case Kind::imm: o = imm(16); break;
      case Kind::waits: o = waitcnt({.vm = 3}).operands[0]; break;
      case Kind::label: o = imm(1); break;
    }
  }
  return inst;
}

}  // namespace wavesmith::isa
