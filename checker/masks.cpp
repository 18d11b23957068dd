// EXEC and the lane masks it is computed from. A mask that depends on data is known only as a subset of a known mask.
#include "checker/machine.h"

namespace wavesmith::checker {

bool is_move(const Inst& i) {
  if (i.op != Opcode::s_mov_b32 && i.op != Opcode::s_mov_b64 && i.op != Opcode::v_mov_b32) return false;
  if (i.op == Opcode::v_mov_b32 && i.operands[1].file == File::s) return false;  // copies a wave's value to all lanes
  if (i.operands[1].covers(File::s, std::clamp<int>(i.operands[1].index, sreg::shared_base, sreg::private_limit)))
    return false;  // 64 bits of an aperture are one register
  return !i.mods.dpp && !i.mods.dpp8 && !i.mods.sdwa && i.operands[1].is_reg() && !i.operands[1].neg &&
         !i.operands[1].abs;
}

Value Evaluator::Machine::exec(const Values& st) const {
  Value lowest = st.of[exec_lo];
  for (int k = 1; k < exec_words; ++k) lowest = st.of[static_cast<size_t>(exec_lo + k)] == unknown ? unknown : lowest;
  return lowest;
}

bool Evaluator::Machine::is_full(const Values& st) {
  for (int k = 0; k < exec_words; ++k) {
    const Value v = st.of[static_cast<size_t>(exec_lo + k)];
    const Data* d = get(v);
    if (!d || std::ranges::any_of(d->bits, [](uint32_t lanes) { return lanes != ~0u; })) return false;
  }
  return true;
}

void Evaluator::Machine::set_inner(Values& st, int reg, bool inner) {
  uint64_t& word = st.inner[static_cast<size_t>(reg / 64)];
  word = (word & ~(uint64_t{1} << reg % 64)) | uint64_t{inner} << reg % 64;
}

bool Evaluator::Machine::any_inner(const RegView& regs, const Values& st) {
  for (int k = 0; k < regs.count; ++k)
    if (const auto& p = regs.parts[static_cast<size_t>(k)];
        p.word < scalar_base / 64 && (p.mask & st.inner[static_cast<size_t>(p.word)]))
      return true;
  return false;
}

// Lanes become active again: values computed while they were inactive are unknown in them.
void Evaluator::Machine::widen(Values& st) {
  for (size_t w = 0; w < st.inner.size(); ++w)
    for (uint64_t left = std::exchange(st.inner[w], 0); left; left &= left - 1)
      st.of.set(w * 64 + static_cast<size_t>(std::countr_zero(left)), unknown);
}

bool Evaluator::Machine::takes_lanes_away(const Inst& i) const {
  return is_and_save(i.op) || i.info().is_vector() || ((is_and(i.op) || is_and_not(i.op)) && is_exec(i.operands[1])) ||
         (is_and(i.op) && is_exec(i.operands[2]));
}

// EXEC often depends on data: then only the mask it is a subset of is kept, until the code restores that mask.
bool Evaluator::Machine::mask_step(const Item& item, Values& st) {
  const Inst& i = item.inst;
  const auto lanes = [&](int from) {
    return std::array<Value, 2>{st.of[static_cast<size_t>(from)],
                                exec_words > 1 ? st.of[static_cast<size_t>(from + 1)] : unknown};
  };
  const bool exec_known = exec(st) > 0;
  if (is_and_save(i.op) ||
      (is_and(i.op) && is_exec(i.operands[0]) && (is_exec(i.operands[1]) || is_exec(i.operands[2])))) {
    asked.in.clear();
    if (inputs(item, st, asked.in) > 0) return false;
    const auto old = lanes(exec_lo);
    const auto outer = exec_known ? old : st.within;
    forget(item, st, unknown);
    if (is_and_save(i.op) && exec_known)
      for (int k = 0; k < exec_words; ++k)
        st.of.set(static_cast<size_t>(number_of(i.operands[0]) + k), old[static_cast<size_t>(k)]);
    st.within = outer;
    return true;
  }
  if (is_or(i.op) && is_exec(i.operands[0]) && is_exec(i.operands[1]) && i.operands[2].file == File::s && !exec_known) {
    const auto saved = lanes(number_of(i.operands[2]));
    if (saved[0] <= 0 || saved != st.within) return false;
    forget(item, st, unknown);
    for (int k = 0; k < exec_words; ++k) st.of.set(static_cast<size_t>(exec_lo + k), saved[static_cast<size_t>(k)]);
    st.within = {};
    st.lanes_split = false;
    return true;
  }
  return false;
}

Value Evaluator::Machine::mask_or_more(const Values& st, const Operand& o, int word) const {
  if (o.file != File::s || o.index + word >= static_cast<int>(st.part.size())) return unknown;
  const Value v = st.of[static_cast<size_t>(number_of(o) + word)];
  return v > 0 ? v : st.part[static_cast<size_t>(o.index + word)];
}

// Records the masks of which the scalars written by the instruction are subsets. By scalar register, in order: the
// later ones count.
void Evaluator::Machine::find_parts(const Item& item, const Values& st, Parts& part) const {
  part.clear();
  const Inst& i = item.inst;
  const Operand active = isa::reg(File::s, sreg::exec, exec_words), &d = i.operands[0];
  item.writes.each([&](int reg) {
    if (reg >= scalar_base && reg < scalar_base + 128) part.emplace_back(reg - scalar_base, unknown);
  });
  const bool vector = i.info().is_vector(), saves = is_and_save(i.op),
             copies = d.file == File::s && d.dwords == exec_words && (is_and(i.op) || is_and_not(i.op) || is_move(i));
  for (int k = 0; k < exec_words && (saves || copies || vector); ++k) {
    const auto set = [&](int index, Value v) {
      if (index + k < 128) part.emplace_back(index + k, v);
    };
    if (saves) {
      set(sreg::exec, tighter(mask_or_more(st, i.operands[1], k), mask_or_more(st, active, k), k));
      set(d.index, mask_or_more(st, active, k));
    } else if (copies) {
      set(d.index, is_and(i.op) ? tighter(mask_or_more(st, i.operands[1], k), mask_or_more(st, i.operands[2], k), k)
                                : mask_or_more(st, i.operands[1], k));
    } else {  // a comparison has no bits for inactive lanes
      for (int o = 0; o < 2; ++o)
        if (i.info().operands[o].kind == isa::Kind::mask && i.info().operands[o].access == isa::Access::write &&
            i.operands[o].file == File::s)
          set(i.operands[o].index, mask_or_more(st, active, k));
      if (i.info().implicit & isa::vcc_w) set(sreg::vcc, mask_or_more(st, active, k));
      if (i.info().implicit & isa::exec_w) set(sreg::exec, mask_or_more(st, active, k));
    }
  }
}

// EXEC if known, else the mask it is a subset of.
Value Evaluator::Machine::most_lanes(const Values& st, int word) const {
  const auto k = static_cast<size_t>(word);
  const Value part = st.part[sreg::exec + k];
  return exec(st) > 0 ? st.of[exec_lo + k] : part > 0 ? part : st.within[k] > 0 ? st.within[k] : start.of[exec_lo + k];
}

// Waves may diverge where the condition is neither uniform over the workgroup nor about lanes only.
void Evaluator::Machine::branch(const Item& item, Values& st) const {
  const uint32_t implicit = item.inst.info().implicit;
  if (implicit & isa::exec_r) return void(st.lanes_split = true);
  const int reg = implicit & isa::scc_r ? scalar_base + sreg::scc : scalar_base + sreg::vcc;
  for (int k = 0; k < (implicit & isa::scc_r ? 1 : exec_words); ++k) {
    const Value v = st.of[static_cast<size_t>(reg + k)];
    if (st.waves_split || (v != unknown && (v == uniform || same[static_cast<size_t>(v)]))) continue;
    st.waves_split = Values::for_good, st.here = all_waves();
  }
}

std::optional<std::vector<uint32_t>> Evaluator::Machine::condition(const Item& item, const Values& st) {
  const uint32_t implicit = item.inst.info().implicit;
  const int reg = scalar_base + (implicit & isa::scc_r ? sreg::scc : implicit & isa::vcc_r ? sreg::vcc : sreg::exec);
  std::vector<uint32_t> any(waves.size());
  for (int k = 0; k < (implicit & isa::scc_r ? 1 : exec_words); ++k) {
    const Value v = st.of[static_cast<size_t>(reg + k)];
    const Data* d = v > 0 ? get(v) : nullptr;
    if (!d) return {};
    for (size_t n = 0; n < any.size(); ++n) any[n] |= d->bits[n];
  }
  return any;
}

static bool on_zero(Opcode op) {
  return op == Opcode::s_cbranch_execz || op == Opcode::s_cbranch_vccz || op == Opcode::s_cbranch_scc0;
}

bool Evaluator::Machine::narrow(const Item& item, Values& st, bool taken) {
  if (!item.refusal.empty() || item.flow != Flow::conditional || !st.waves_split || !st.here ||
      (item.inst.info().implicit & isa::exec_r))
    return true;
  const int reg = scalar_base + (item.inst.info().implicit & isa::scc_r ? sreg::scc : sreg::vcc);
  if (st.of[static_cast<size_t>(reg)] == uniform) return true;
  const auto any = condition(item, st);
  if (!any) return st.here = 0, true;
  uint32_t some = 0;
  for (size_t n = 0; n < any->size(); ++n)
    if (((*any)[n] != 0) != (on_zero(item.inst.op) == taken)) some |= 1u << n;
  st.here &= some;
  return st.here != 0;
}

// A wave without active lanes that does not branch around code has no effect there, so it may be treated as following
// the other waves.
std::optional<bool> Evaluator::Machine::taken(const Item& item, const Values& st) {
  if (!first_group || item.flow != Flow::conditional) return {};
  const auto any = condition(item, st);
  if (!any) return {};
  const auto set = std::ranges::count_if(*any, [](uint32_t x) { return x != 0; });
  if (set && set < static_cast<int64_t>(any->size()) && !(item.inst.info().implicit & isa::exec_r)) return {};
  return (set != 0) != on_zero(item.inst.op);
}

}  // namespace wavesmith::checker
