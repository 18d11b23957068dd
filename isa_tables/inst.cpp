// What an instruction reads and writes. Derived from table rows; the exceptions to "operand as the
// row says" are the fixed registers behind the implicit bits and the operands that modifiers switch off.
#include "isa_tables/inst.h"

namespace wavesmith::isa {

Effects effects(const Inst& inst, Arch arch) {
  Effects e;
  const Info& row = inst.info();
  for (int i = 0; i < max_operands && row.operands[i].kind != Kind::none; ++i) {
    const Operand& o = inst.operands[i];
    if (!o.is_reg() || (o.file == File::s && o.index == sreg::null)) continue;
    if (row.operands[i].access != Access::write) e.reads.push_back(o);
    if (row.operands[i].access != Access::read && !inst.mods.has(lds)) e.writes.push_back(o);
    if (inst.mods.sdwa && inst.mods.dst_unused == 2 && row.operands[i].access == Access::write) e.reads.push_back(o);
    if (inst.mods.dpp && !inst.mods.bound_ctrl && row.operands[i].access == Access::write) e.reads.push_back(o);
  }
  const auto lane_mask = [&](int index) { return reg(File::s, index, target(arch).wave_size == 64 ? 2 : 1); };
  const auto add = [&](uint16_t bit, bool write, const Operand& o) {
    if (!(row.implicit & bit)) return;
    if (write) e.writes.push_back(o); else e.reads.push_back(o);
  };
  add(scc_r, false, reg(File::s, sreg::scc));
  add(scc_w, true, reg(File::s, sreg::scc));
  add(vcc_r, false, lane_mask(sreg::vcc));
  add(vcc_w, true, lane_mask(sreg::vcc));
  add(exec_w, true, lane_mask(sreg::exec));
  add(m0_r, false, reg(File::s, sreg::m0));
  if (inst.mods.has(lds)) e.reads.push_back(reg(File::s, sreg::m0));
  const bool masked = row.is_vector() || row.unit == Unit::lds || row.unit == Unit::vmem;
  if (masked || (row.implicit & exec_r)) e.reads.push_back(lane_mask(sreg::exec));
  return e;
}

}  // namespace wavesmith::isa
