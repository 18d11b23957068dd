// RDNA hazards of more than one producer and one consumer: SGPRs that are read, written and read again, and results
// forwarded from before and after a write of EXEC.
#include <algorithm>

#include "isa_tables/absent.h"
#include "isa_tables/hazards/hazards_index.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::isa {

// SGPRs, VCC and TTMPs; M0, EXEC and the rest do not take part (LLVM 22, AMDGPUWaitSGPRHazards).
HazardTracker::Sgprs HazardTracker::sgprs(const Operand& o) {
  Sgprs s;
  if (o.file != File::s || o.index >= sreg::m0) return s;
  for (int r = o.index; r < o.index + o.dwords && r < sreg::m0; ++r)
    s.bits[static_cast<size_t>(r / 64)] |= uint64_t{1} << r % 64;
  return s;
}

HazardTracker::Sgprs HazardTracker::sgprs(const Inst& i, bool written) {
  if (i.dual) {
    Sgprs both = sgprs(half(i, 0), written);
    return both |= sgprs(half(i, 1), written);
  }
  const Info& row = i.info();
  Sgprs s;
  if (row.implicit & (written ? vcc_w : vcc_r)) s = sgprs(reg(File::s, sreg::vcc, 2));
  for (int k = 0; k < max_operands && row.operands[k].kind != Kind::none; ++k)
    if (row.operands[k].access != (written ? Access::read : Access::write)) s |= sgprs(i.operands[k]);
  return s;
}

HazardTracker::Found HazardTracker::find_reuse(const Inst& next, Classes classes) const {
  const Sgprs read = sgprs(next, false);
  if (index_->by_salu && (classes & index_->by_salu->consumer) && (read & reuse_.by_salu).any())
    return {1, index_->by_salu, reuse_.salu};
  if (index_->by_valu && (classes & index_->by_valu->consumer) && (read & reuse_.by_valu).any())
    return {1, index_->by_valu, reuse_.valu};
  return {};
}

// RDNA3 in waves of 64 lanes (LLVM 22, VALUPartialForwardingHazard): an instruction reads two VALU results, one written
// before and one after a SALU write of EXEC, with at most two VALU instructions between these three writes and four
// after them.
HazardTracker::Found HazardTracker::find_forwarded(const Inst& next, Classes classes) const {
  const HazardRule& rule = *index_->forwarding;
  if (!(classes & rule.consumer)) return {};
  std::array<const Entry*, max_operands> written{};  // the last producer of each register read
  std::array<Span, max_operands> read;
  int n = 0;
  for (int k = 0; k < next.info().count(); ++k) {
    const Operand& o = next.operands[k];
    if (next.info().operands[k].access == Access::write || o.file != File::v) continue;
    const Span s = span(o);
    if (std::find(read.begin(), read.begin() + n, s) != read.begin() + n) continue;
    for (const Entry& e : entries_)
      if ((e.classes & rule.producer) &&
          std::any_of(e.writes, e.writes + 2, [&](Span w) { return s.first <= w.last && w.first <= s.last; }) &&
          (!written[n] || e.start[valus] > written[n]->start[valus]))
        written[n] = &e;
    read[n++] = s;
  }
  const Entry* last = nullptr;
  for (const Entry* e : written)
    if (e && (!last || e->start[valus] > last->start[valus])) last = e;
  if (!last || last->since_exec > 2 || times_[valus] - last->start[valus] > 4) return {};
  const int exec = last->start[valus] - 1 - last->since_exec;  // when EXEC was written
  int before = 100;
  for (const Entry* e : written)
    if (const int distance = e ? exec - e->start[valus] : absent;
        distance >= 0 && distance <= 2 && e->until_exec >> distance & 1)
      before = std::min(before, distance);
  return before + last->since_exec <= 2 ? Found{1, &rule, last->inst} : Found{};
}

// The first write of a mask after a VALU instruction read it creates the hazard, by SALU or VALU (LLVM 22, probed:
// neither waits nor other reads in between prevent it).
void HazardTracker::mask_issue(const Inst& i) {
  const Info& row = i.info();
  const bool vector = row.is_vector();
  if (i.op == Opcode::s_swappc_b64 || i.op == Opcode::s_setpc_b64 || i.op == Opcode::s_call_b64)
    reuse_.read = {};                                                    // LLVM treats each function on its own
  if (!(~reuse_.read.bits[0] | ~reuse_.read.bits[1])) reuse_.read = {};  // LLVM ignores masks read by unknown code
  const Sgprs written = sgprs(i, true), again = written & reuse_.read;
  reuse_.read = reuse_.read.without(written);
  reuse_.by_salu = reuse_.by_salu.without(written), reuse_.by_valu = reuse_.by_valu.without(written);
  if (!vector && row.unit != Unit::salu) return;  // results of loads and messages have been waited for
  if (again.any() && vector) reuse_.by_valu |= again, reuse_.valu = &i;
  else if (again.any()) reuse_.by_salu |= again, reuse_.salu = &i;
  if (!vector) return;
  if (row.implicit & vcc_r) reuse_.read |= sgprs(reg(File::s, sreg::vcc, 2));
  for (int k = 0; k < row.count(); ++k)
    if (row.operands[k].kind == Kind::mask && row.operands[k].access != Access::write)
      reuse_.read |= sgprs(i.operands[k]);
}

void HazardTracker::reuse_issue(const Inst& i) {
  const Info& row = i.info();
  const bool vector = row.is_vector();
  if (row.format == Format::mubuf || row.format == Format::mtbuf || row.format == Format::smem)
    reuse_.by_salu = reuse_.by_valu = {};
  if (!vector && row.unit != Unit::salu) return;
  const Sgprs vcc = sgprs(reg(File::s, sreg::vcc, 2)), read = sgprs(i, false);
  if (vector) {
    constexpr uint64_t even = 0x5555555555555555;
    for (size_t w = 0; w < 2; ++w) {
      const uint64_t pairs = (read.bits[w] | read.bits[w] >> 1) & even;
      reuse_.read.bits[w] |= pairs | pairs << 1;
    }
  } else {  // SALU waits for VALU's SGPRs as soon as it reads any of them
    if ((read & vcc).any()) reuse_.by_valu = reuse_.by_valu.without(vcc);
    if (read.without(vcc).any()) reuse_.by_valu = reuse_.by_valu & vcc;
  }
  const Sgprs again = sgprs(i, true) & reuse_.read;
  if (!again.any()) return;
  Sgprs& other = vector ? reuse_.by_salu : reuse_.by_valu;
  if ((again & vcc).any()) other = other.without(vcc);
  if (vector) reuse_.by_valu |= again, reuse_.valu = &i;
  else reuse_.by_salu |= again, reuse_.salu = &i;
}

void HazardTracker::forwarding_issue(const Inst& i) {
  const Info& row = i.info();
  const Operand& d = i.operands[0];
  if (row.is_vector()) since_exec_ = std::min<uint8_t>(since_exec_ + 1, long_ago);
  const bool writes_exec = (row.implicit & exec_w) || (row.operands[0].access != Access::read && d.file == File::s &&
                                                       (d.index | 1) == (sreg::exec | 1));
  if (row.unit != Unit::salu || !writes_exec) return;
  since_exec_ = 0;
  for (Entry& e : entries_)
    if (const int distance = times_[valus] - e.start[valus]; distance <= 2)
      e.until_exec |= static_cast<uint8_t>(1 << distance);
}

}  // namespace wavesmith::isa
