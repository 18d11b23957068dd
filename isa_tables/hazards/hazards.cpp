// The tracker over the rows of hazards.def. For most instructions one mask test suffices: classes in flight against
// classes that conflict with the opcode.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "isa_tables/dpp.h"
#include "isa_tables/hazards/hazards_index.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/reg_set.h"

namespace wavesmith::isa {

HazardTracker::Clock HazardTracker::clock(Fix f) {
  return f == Fix::s_nop ? states : f == Fix::valu_op ? real_valus : valus;
}

// Registers of one instruction as used by the links: explicit operands, and VCC or M0 where a row reads them
// implicitly. EXEC is omitted: every vector instruction reads it, and only the `always` rows concern it.
struct HazardTracker::Uses {
  std::array<Span, 9> reads;
  std::array<Span, 3> writes;
  int read_count = 0, write_count = 0;
  Span a, b, c, index, scales[2], select, mask, permuted;  // index: of sparse A; permuted: what DPP moves
  uint8_t passes = 0;
  Opcode op{};
  std::optional<int> hwreg;
  Near registers() const {
    Near all;
    for (int k = 0; k < read_count; ++k) all.add(reads[k]);
    for (int k = 0; k < write_count; ++k) all.add(writes[k]);
    for (const Span& s : {a, b, c, index, scales[0], scales[1], select, mask, permuted}) all.add(s);
    return all;
  }
};

// Registers by number (reg_set.h), in halves: two tuples overlap exactly if their intervals do. v0.l and v0.h do not
// (LLVM 22, probed).
constexpr int scalar_span = 2 * scalar_base;
HazardTracker::Span HazardTracker::span(const Operand& o) {
  if (!o.is_reg()) return {};
  const int first = 2 * number_of(o);
  return {static_cast<uint16_t>(first + (o.part == 2)),
          static_cast<uint16_t>(first + (o.part ? o.part : 2 * o.dwords) - 1)};
}

void HazardTracker::Near::add(Span s) {
  if (s.first > s.last) return;
  const int low = s.first / 8, high = s.last / 8;
  if (low / 64 != high / 64) bits = {~uint64_t{0}, ~uint64_t{0}};
  else bits[low / 64 % 2] |= (~uint64_t{0} >> (63 - (high - low))) << low % 64;
}

HazardTracker::Near HazardTracker::named_by(const Inst& i, Classes classes) {
  Near all;
  for (const Operand& o : i.operands) all.add(span(o));
  if (i.info().implicit & vcc_r) all.add(span(reg(File::s, sreg::vcc, 2)));
  if (classes & (hazard::reads_m0 | hazard::lds_dma | hazard::buffer_to_lds)) all.add(span(reg(File::s, sreg::m0)));
  return all;
}

uint8_t HazardTracker::passes_of(const Inst& i) const {
  const Info& row = i.info();
  if (row.matrix.a != Type::f8f6f4) return index_->ops[static_cast<size_t>(i.op)].passes;
  return static_cast<uint8_t>(column(isa::clocks(i, index_->arch) / 4));
}

HazardTracker::Uses HazardTracker::uses(const Inst& i, Classes classes) const {
  Uses u;
  const Info& row = i.info();
  const bool keeps = (i.mods.sdwa && i.mods.dst_unused == 2) || keeps_lanes(i.mods) || writes_part(i);
  for (int k = 0; k < max_operands && row.operands[k].kind != Kind::none; ++k) {
    const Operand o = read_from(i, k, index_->arch);
    if (!o.is_reg()) continue;
    const Span s = span(o);
    const Access access = isa::access(row, k, index_->arch);
    if (row.operands[k].kind == Kind::mask && access == Access::read) u.mask = s;
    else if (access != Access::write || (keeps && !o.part))
      u.reads[u.read_count++] = s;  // v0.h: only that half is accessed
    if (access != Access::read && u.write_count < 3) u.writes[u.write_count++] = s;
  }
  if (row.implicit & vcc_r) u.reads[u.read_count++] = span(reg(File::s, sreg::vcc, 2));
  if (classes & (hazard::reads_m0 | hazard::lds_dma | hazard::buffer_to_lds))
    u.reads[u.read_count++] = span(reg(File::s, sreg::m0));
  if (classes & hazard::matrix) {
    u.a = span(i.operands[1]), u.b = span(i.operands[2]);
    if (row.matrix.sparse()) u.c = span(i.operands[0]), u.index = span(i.operands[3]);
    else u.c = span(i.operands[3]);
    if (row.matrix.scale_block) u.scales[0] = span(i.operands[4]), u.scales[1] = span(i.operands[5]);
    u.passes = passes_of(i), u.op = i.op;
  }
  if (classes & hazard::dpp) u.permuted = span(i.operands[1]);
  if (classes & hazard::lane_select) u.select = span(i.operands[2]);
  if (classes & hazard::dot)
    u.a = span(i.operands[1]), u.b = span(i.operands[2]),
    u.c = row.count() > 3 ? span(i.operands[3]) : span(i.operands[0]), u.op = i.op;
  if (classes & (hazard::getreg | hazard::setreg)) u.hwreg = hwreg_of(i);
  return u;
}

bool HazardTracker::meets(const HazardRule& rule, const Entry& e, const Uses& u) {
  const auto touch = [](Span a, Span b) { return a.first <= b.last && b.first <= a.last; };
  // A row that names its producer by the kind of result means that result only: v_addc_co_u32 writes an SGPR and a
  // VGPR.
  const bool scalar = rule.producer & hazard::valu_sgpr,
             vector = rule.producer & (hazard::valu_vgpr | hazard::valu_v | hazard::valu_a | hazard::valu_not_dot);
  const auto meant = [&](Span w) { return scalar == vector || scalar == (w.first >= scalar_span); };
  const auto result = [&](Span s) {
    return (touch(s, e.writes[0]) && meant(e.writes[0])) || (touch(s, e.writes[1]) && meant(e.writes[1]));
  };
  const auto any_read = [&] { return std::any_of(u.reads.begin(), u.reads.begin() + u.read_count, result); };
  const auto any_write = [&](auto&& meets_it) {
    return std::any_of(u.writes.begin(), u.writes.begin() + u.write_count, meets_it);
  };
  const bool chain =
      u.op == e.op && u.op != Opcode{} && u.c == e.writes[0];  // an accumulation by one opcode forwards its result
  switch (rule.link) {
    case Link::always: return true;
    case Link::reads: return any_read() || result(u.mask);
    case Link::reads_value: return any_read();
    case Link::reads_mask: return result(u.mask);
    case Link::writes: return any_write(result);
    case Link::srcab:
      return result(u.a) || result(u.b) || result(u.index) || result(u.scales[0]) || result(u.scales[1]);
    case Link::srcc: return result(u.c);
    case Link::srcc_same: return u.c == e.writes[0];
    case Link::srcc_overlap: return result(u.c) && !(u.c == e.writes[0] && u.passes == e.passes);
    case Link::srcc_other_op: return u.c == e.writes[0] && u.passes == e.passes && u.op != e.op;
    case Link::srcc_partial: return result(u.c) && !(u.c == e.writes[0]);
    case Link::select: return result(u.select);
    case Link::dpp_source: return result(u.permuted);
    case Link::over_srcc:
    case Link::over_data: return any_write([&](Span s) { return touch(s, e.used); });
    case Link::over_first_data:
    case Link::over_other_data: {
      Span data = e.used;  // in halves of dwords
      const auto second = static_cast<uint16_t>(data.first + 2);
      if (rule.link == Link::over_first_data) data.last = static_cast<uint16_t>(second - 1);
      else data.first = second;
      return any_write([&](Span s) { return touch(s, data); });
    }
    case Link::over_sources:
      return any_write([&](Span s) {
        return touch(s, e.used) || std::any_of(e.sources, e.sources + 3, [&](Span x) { return touch(s, x); });
      });
    case Link::reads_other_op: return chain ? result(u.a) || result(u.b) : any_read();
    case Link::writes_other_op: return !chain && any_write(result);
    case Link::same_hwreg: return u.hwreg == e.used.first;
    case Link::reuse:
    case Link::mask_reuse:
    case Link::forwarded: return false;  // handled separately, see find_reuse and find_forwarded
  }
  return false;
}

HazardTracker::HazardTracker(Arch arch, int lanes) : index_(&index_of(arch, lanes)) {}
bool HazardTracker::resolved_by_wait_states() const { return index_->nops_only; }

HazardTracker::Found HazardTracker::find(const Inst& next) const {
  if (next.dual) {
    const Found first = find(half(next, 0)), second = find(half(next, 1));
    return second.wait_states > first.wait_states ? second : first;
  }
  Found found;
  const auto& op = index_->ops[static_cast<size_t>(next.op)];
  if (reuse_.any()) found = find_reuse(next, op.classes);
  if (index_->forwarding && !found.wait_states) found = find_forwarded(next, op.classes);
  if (!index_->until_wait.empty() && !found.wait_states) found = find_until_wait(next, op.classes);
  if (!(live_ & op.cares)) return found;
  const Classes classes = consumer_classes(op.classes, next), cares = index_->cares(classes);
  if (!(live_ & cares)) return found;
  const auto concern = [&](const Near& registers) {
    return [&](const Entry& e) {
      return (e.classes & cares) && (e.registers.meets(registers) || (e.classes & index_->anywhere));
    };
  };
  const Near named = named_by(next, classes);
  if (std::ranges::none_of(entries_, concern(named))) return found;
  const Uses u = uses(next, classes);
  const RowSet mine = HazardIndex::all_of(index_->consumed_by, classes);
  const Near registers = u.registers();
  const auto concerns = concern(registers);
  for (const Entry& e : entries_) {
    if (!concerns(e)) continue;
    const RowSet theirs = HazardIndex::all_of(index_->produced_by, e.classes);
    for (size_t w = 0; w < 2; ++w)
      for (uint64_t both = mine.bits[w] & theirs.bits[w]; both; both &= both - 1) {
        const HazardRule* r = index_->rows[64 * w + static_cast<size_t>(std::countr_zero(both))];
        const int c = clock(r->fix), missing = r->wait_states[e.passes] - (times_[c] - e.start[c]);
        if (missing <= 0 || (r->fix == Fix::va_vdst && e.trans_since >= 2)) continue;
        // An ALU wait resolves a hazard at once; among wait states the longest count decides.
        const int shown = r->fix == Fix::va_vdst ? 1 : missing;
        const bool stronger =
            shown > found.wait_states || (shown == found.wait_states && found.rule->advice && !r->advice);
        if (stronger && meets(*r, e, u)) found = {shown, r, e.inst};
      }
  }
  return found;
}

HazardTracker::Found HazardTracker::find_until_wait(const Inst& next, Classes classes) const {
  classes = consumer_classes(classes, next);
  for (size_t r = 0; r < index_->until_wait.size(); ++r)
    if (until_wait_[r] && (classes & index_->until_wait[r]->consumer))
      return {1, index_->until_wait[r], until_wait_[r]};
  return {};
}

HazardTracker::Need HazardTracker::check(const Inst& next) const {
  const Found f = find(next);
  if (!f.rule) return {};
  return {f.wait_states, f.rule, *f.producer};
}

void HazardTracker::end_rules(Fix fix) {
  for (const HazardRule* r : index_->rows)
    if (r->fix == fix)
      for (Entry& e : entries_)
        if (e.classes & r->producer) e.classes &= ~r->producer, e.life[clock(fix)] = 0;
  if (index_->forwarding && fix == Fix::va_vdst)
    for (Entry& e : entries_) e.classes &= ~index_->forwarding->producer, e.life[valus] = 0;
}

void HazardTracker::alu_wait(const Inst& i) {
  const uint32_t bits = i.operands[i.info().count() - 1].bits;
  const Sgprs vcc = sgprs(reg(File::s, sreg::vcc, 2));
  for (const AluWaitField& f : alu_wait_fields) {
    if (bits & f.mask) continue;
    if (f.fix == Fix::sa_sdst) reuse_.by_salu = {};
    if (f.fix == Fix::va_sdst) reuse_.by_valu = reuse_.by_valu & vcc;
    end_rules(f.fix);
    for (size_t r = 0; r < index_->until_wait.size(); ++r)
      if (index_->until_wait[r]->fix == f.fix) until_wait_[r] = nullptr;
  }
  if (!(bits & depctr_va_vcc)) reuse_.by_valu = reuse_.by_valu.without(vcc);
  if (!entries_.empty()) expire();
}

Few<Inst, 24> HazardTracker::resolve(const Inst& next) {
  Few<Inst, 24> out;
  constexpr int nop_limit = 8;  // wait states of one s_nop: the maximum that LLVM emits on gfx9
  // Producers are kept by reference: those among the inserted instructions are static.
  static const Inst nop{*find_opcode("v_nop")};
  static const Inst move = [] {
    Inst m{*find_opcode("v_mov_b32")};
    m.operands[0] = m.operands[1] = reg(File::v, 0);
    return m;
  }();
  for (Found f = find(next); f.wait_states > 0; f = find(next)) {
    Inst i;
    switch (f.rule->fix) {
      case Fix::s_nop: i.op = Opcode::s_nop, i.operands[0] = imm(std::min(f.wait_states, nop_limit) - 1); break;
      case Fix::v_nop: i = nop; break;
      case Fix::valu_op: i = move; break;
      default: {
        if (!index_->has_alu_wait)
          throw IsaError(fmt::format("{} on {}: {} needs an ALU wait, which has no row in the instruction tables",
                                     f.rule->name, target(index_->arch).name, next.info().mnemonic));
        uint32_t mask = 0;
        for (const AluWaitField& d : alu_wait_fields)
          if (d.fix == f.rule->fix) mask = d.mask;
        if (f.rule->fix == Fix::va_sdst &&
            (sgprs(next, false) & reuse_.by_valu & sgprs(reg(File::s, sreg::vcc, 2))).any())
          mask |= depctr_va_vcc;
        i.op = index_->alu_wait, i.operands[i.info().count() - 1] = imm(static_cast<int32_t>(depctr_none & ~mask));
      }
    }
    out.push_back(i);
    issue(f.rule->fix == Fix::valu_op ? move : f.rule->fix == Fix::v_nop ? nop : i);
  }
  return out;
}

void HazardTracker::expire() {
  live_ = 0;
  next_expiry_ = times_[states] + 1000;
  size_t kept = 0;
  for (const Entry& e : entries_) {
    const int end = e.start[states] + e.life[states];
    if (end <= times_[states] && e.start[valus] + e.life[valus] <= times_[valus] &&
        e.start[real_valus] + e.life[real_valus] <= times_[real_valus])
      continue;
    next_expiry_ =
        std::min(next_expiry_,
                 e.life[valus] || e.life[real_valus] ? times_[states] + 1 : end);  // other clocks: look again at once
    live_ |= e.classes;
    if (&entries_[kept] != &e) entries_[kept] = e;
    ++kept;
  }
  entries_.resize(kept);
}

void HazardTracker::advance(int wait_states) {
  times_[states] += wait_states;
  if (!entries_.empty() && times_[states] >= next_expiry_) expire();
}

// The entry that an instruction makes; no classes: none.
HazardTracker::Entry HazardTracker::produced(const Inst& i) const {
  using namespace hazard;
  const Info& row = i.info();
  const auto& op = index_->ops[static_cast<size_t>(i.op)];
  Entry e;
  e.start = times_, e.since_exec = since_exec_, e.until_exec = 0;
  if (op.classes & matrix) {
    e.classes = op.classes & matrix;
    e.passes = passes_of(i);
    if (index_->same_op) e.op = i.op;
    const bool sparse = row.matrix.sparse();
    e.writes[0] = span(i.operands[0]);
    e.used = span(i.operands[sparse ? 0 : 3]);
    if (!(e.classes & (xdl | sgemm | dgemm))) {  // an MFMA has read SrcA and SrcB when it starts
      e.sources[0] = span(i.operands[1]), e.sources[1] = span(i.operands[2]);
      if (sparse) e.sources[2] = span(i.operands[3]);
      if (row.matrix.a == Type::f8f6f4 &&
          (bits(narrow_format(i.mods.cbsz)) == 8 || bits(narrow_format(i.mods.blgp)) == 8))
        e.classes |= wmma_8bit;
    }
  } else if (op.classes & valu) {
    int n = 0, sources = 0;
    for (int k = 0; k < 2; ++k) {
      if (!(op.writes >> k & 1) || !i.operands[k].is_reg()) continue;
      const Operand& o = i.operands[k];
      e.writes[n++] = span(o);
      e.classes |= o.file == File::s ? valu_sgpr : o.file == File::a ? valu_vgpr | valu_a : valu_vgpr | valu_v;
      if (o.file == File::s && (o.index | 1) == (sreg::vcc | 1)) e.classes |= valu_mask;
      if (o.file == File::s && (o.index | 1) == (sreg::exec | 1)) e.classes |= valu_mask | valu_exec;
    }
    if (row.implicit & vcc_w) e.writes[1] = span(reg(File::s, sreg::vcc, 2)), e.classes |= valu_sgpr | valu_mask;
    if (row.implicit & exec_w)
      e.writes[1] = span(reg(File::s, sreg::exec, 2)), e.classes |= valu_sgpr | valu_mask | valu_exec;
    e.classes |= op.classes & (hazard::trans | acc_read | acc_write | dot);
    if (e.classes & valu_vgpr && !(op.classes & dot)) e.classes |= valu_not_dot;
    if (op.classes & index_->produced & hazard::trans)
      for (int k = 0; k < row.count() && sources < 3; ++k)
        if (op.reads >> k & 1) e.sources[sources++] = span(i.operands[k]);
    if (e.classes & dot && index_->same_op) e.op = i.op;
    if (writes_part(i)) e.classes |= partial;
  } else if (op.classes & (setreg | priority | set_vskip)) {
    e.classes = op.classes & (setreg | priority | set_vskip);
    if ((op.classes & setreg) && (index_->produced & setreg_vskip) && writes_vskip(i)) e.classes |= setreg_vskip;
    const std::optional<int> number = op.classes & set_vskip ? mode_hwreg : hwreg_of(i);
    e.used = {static_cast<uint16_t>(*number), static_cast<uint16_t>(*number)};
  } else if (row.unit == Unit::salu) {
    if (!(op.writes & 1) || !i.operands[0].covers(File::s, sreg::m0)) return e;
    e.classes = salu_m0;
    e.writes[0] = span(i.operands[0]);
  } else if (op.classes & vmem && row.counter != Counter::load && !op.writes) {
    int data = 0;
    e.classes = wide_store_data(i, data);
    if (!e.classes) return e;
    e.used = span(i.operands[data]);
  }
  return e;
}

void HazardTracker::add(Entry e, const Inst& i) {
  e.classes &= index_->produced;
  for (Classes c = e.classes; c; c &= c - 1)
    for (int k = 0; k < clocks; ++k) e.life[k] = std::max(e.life[k], index_->life[std::countr_zero(c)][k][e.passes]);
  if (!e.life[states] && !e.life[valus] && !e.life[real_valus]) return;
  const int end = e.life[valus] || e.life[real_valus] ? times_[states] + 1 : times_[states] + e.life[states];
  next_expiry_ = entries_.empty() ? end : std::min(next_expiry_, end);
  live_ |= e.classes;
  e.inst = &i;
  e.registers = {};
  for (const Span& s : {e.writes[0], e.writes[1], e.used, e.sources[0], e.sources[1], e.sources[2]}) e.registers.add(s);
  entries_.push_back(e);
}

// gfx908: a v_accvgpr_* right after a VALU instruction delays that one's result for memory.
void HazardTracker::acc_after_valu(const Inst&) {
  for (size_t k = 0, n = entries_.size(); k < n; ++k) {
    if (!(entries_[k].classes & hazard::valu_v) || (entries_[k].classes & hazard::acc_read) ||
        times_[states] - entries_[k].start[states] > 1)
      continue;  // nothing between (LLVM, probed)
    Entry e = entries_[k];
    e.classes = hazard::valu_then_acc, e.start = times_, e.life = {};
    add(e, *e.inst);
  }
}

void HazardTracker::issue(const Inst& i) {
  if (i.op == Opcode::s_nop) return advance(static_cast<int>(i.operands[0].bits & 15) + 1);
  const auto& op = index_->ops[static_cast<size_t>(i.op)];
  if (!index_->nops_only) {
    if (i.info().is_vector()) ++times_[valus], times_[real_valus] += i.op != index_->v_nop;
    if (op.classes & hazard::memory)
      for (Entry& e : entries_) e.trans_since = 2;  // waits for the VALU itself (LLVM, probed)
    if (op.classes & hazard::trans)
      for (Entry& e : entries_) e.trans_since = static_cast<uint8_t>(std::min(e.trans_since + 1, 2));
    if (index_->has_alu_wait && i.op == index_->alu_wait) alu_wait(i);
    for (size_t r = 0; r < index_->until_wait.size(); ++r)
      if (!until_wait_[r] && (op.classes & index_->until_wait[r]->producer)) until_wait_[r] = &i;
    if (index_->by_salu && index_->by_salu->link == Link::mask_reuse) mask_issue(i);
    else if (index_->by_salu || index_->by_valu) reuse_issue(i);
    if (!entries_.empty() && (op.classes & hazard::memory))
      end_rules(Fix::va_vdst);  // it waits for the VALU itself (LLVM 22, probed)
  }
  advance(1);
  if (index_->produced & hazard::valu_then_acc && op.classes & (hazard::acc_read | hazard::acc_write))
    acc_after_valu(i);
  constexpr Classes produce =
      hazard::matrix | hazard::valu | hazard::setreg | hazard::priority | hazard::set_vskip | hazard::vmem;
  if ((op.classes & produce) || i.info().unit == Unit::salu)
    if (const Entry e = produced(i); e.classes & index_->produced) add(e, i);
  if (index_->forwarding) forwarding_issue(i);
}

void HazardTracker::merge(const HazardTracker& o) {
  for (Entry e : o.entries_) {
    for (int c = 0; c < clocks; ++c) e.start[c] += times_[c] - o.times_[c];
    const auto twin = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& x) { return x.same(e); });
    if (twin == entries_.end()) entries_.push_back(e);
    else
      for (int c = 0; c < clocks; ++c) twin->start[c] = std::max(twin->start[c], e.start[c]);
  }
  since_exec_ = std::min(since_exec_, o.since_exec_);
  reuse_.read |= o.reuse_.read;
  for (size_t r = 0; r < until_wait_.size(); ++r)
    if (!until_wait_[r]) until_wait_[r] = o.until_wait_[r];
  if (o.reuse_.by_salu.without(reuse_.by_salu).any()) reuse_.by_salu |= o.reuse_.by_salu, reuse_.salu = o.reuse_.salu;
  if (o.reuse_.by_valu.without(reuse_.by_valu).any()) reuse_.by_valu |= o.reuse_.by_valu, reuse_.valu = o.reuse_.valu;
  expire();
}

bool HazardTracker::operator==(const HazardTracker& o) const {
  const auto same_row = [](const Inst* a, const Inst* b) { return !a == !b; };
  if (entries_.size() != o.entries_.size() || live_ != o.live_ || since_exec_ != o.since_exec_ ||
      !(reuse_ == o.reuse_) || !std::ranges::equal(until_wait_, o.until_wait_, same_row))
    return false;
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return std::any_of(o.entries_.begin(), o.entries_.end(), [&](const Entry& x) {
      for (int c = 0; c < clocks; ++c)
        if (e.life[c] && times_[c] - e.start[c] != o.times_[c] - x.start[c]) return false;
      return x.same(e);
    });
  });
}
bool HazardTracker::identical(const HazardTracker& o) const {
  return *this == o && reuse_.salu == o.reuse_.salu && reuse_.valu == o.reuse_.valu && until_wait_ == o.until_wait_ &&
         std::ranges::equal(entries_, o.entries_, {}, &Entry::inst, &Entry::inst);
}

}  // namespace wavesmith::isa
