// Validated against the co-issue measurements of tests/facts/timing.csv (MFMA with N VALU, v_exp, packed f32).
#include "generator/schedule/issue_model.h"

#include <algorithm>

#include "generator/dsl/block.h"

namespace wavesmith {
IssueModel::UnitSlot IssueModel::slot(const isa::Info& row) {
  switch (row.unit) {
    case isa::Unit::valu:
    case isa::Unit::trans: return valu;
    case isa::Unit::xdl: return xdl;
    case isa::Unit::lds: return lds;
    case isa::Unit::vmem: return vmem;
    default: return scalar;
  }
}

int IssueModel::earliest(const Inst& i, const isa::Effects& e) const {
  const isa::Info& row = i.info();
  const UnitSlot unit = slot(row);
  int at = std::max(now_ + slot_clocks_ * hazards_.missing(i), free_[unit]);
  for (const auto* list : {e.reads.begin(), e.writes.begin()}) {
    const auto* end = list == e.reads.begin() ? e.reads.end() : e.writes.end();
    for (const Operand* o = list; o != end; ++o) {
      const int first = isa::number_of(*o);
      for (int k = 0; k < o->dwords; ++k)
        at = std::max({at, ready_[first + k], unit == xdl ? 0 : multiplied_[first + k]});
    }
  }
  if (unit == xdl) at = std::max({at, free_[valu], after_packed_});
  if (unit == valu) at = std::max(at, isa::issue_of(i, arch_).beside_matrix ? shadow_ : free_[xdl]);
  return at;
}

void IssueModel::issue(const Inst& i, const isa::Effects& e) {
  const isa::Info& row = i.info();
  const isa::Issue cost = isa::issue_of(i, arch_);
  const UnitSlot unit = slot(row);
  const int at = earliest(i, e);
  if (const int missing = hazards_.missing(i)) hazards_.advance(missing);
  hazards_.issue(i);
  now_ = at + slot_clocks_;
  free_[unit] = at + cost.busy;
  if (unit == xdl) {
    const int hidden = isa::hidden_slots(i, arch_);
    shadow_ = at + cost.busy - slot_clocks_ * hidden;
  }
  if (!cost.beside_matrix) after_packed_ = free_[unit] + cost.before_matrix;
  // A matrix result used as SrcC in the same registers is forwarded. Other uses wait as the hazard rows say on gfx9,
  // for the instruction's clocks elsewhere.
  const bool load = row.counter != isa::Counter::none;
  for (const Operand& o : e.writes)
    for (int k = 0, first = isa::number_of(o); k < o.dwords; ++k) {
      if (unit != xdl) ready_[first + k] = at + cost.ready;
      multiplied_[first + k] = unit == xdl && isa::awaits_matrix_results(arch_) ? at + cost.ready : 0;
    }
  finished_ = std::max({finished_, now_, free_[unit], load ? 0 : at + cost.ready});
}

int predicted_clocks(const Block& b) {
  IssueModel m(b.arch());
  for (const Node& n : b.nodes)
    if (n.is_instruction()) m.issue(n.inst, isa::effects(n.inst, b.arch()));
  return m.finished();
}

}  // namespace wavesmith
