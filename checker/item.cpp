// Properties of a single instruction: how execution continues, which registers it accesses, which of them must be
// defined.
#include "checker/code.h"
#include "checker/paths.h"
#include "isa_tables/counters.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

using isa::Access, isa::Kind;

// Parts of an item before they are kept.
struct Draft {
  RegSet reads, writes;
  isa::Few<Base, 4> bases;
};

Flow flow_of(const Inst& i) {
  const isa::Info& row = i.info();
  if (row.implicit & isa::ends) return Flow::ends;
  if (i.op == Opcode::s_trap) return Flow::trap;
  if (!(row.implicit & isa::pc_w)) return Flow::next;
  const bool returns =
      row.operands[0].kind != Kind::none && row.operands[0].access == Access::write;  // stores the return address
  if (returns) return Flow::call;
  for (int k = 0, n = row.count(); k < n; ++k)
    if (row.operands[k].kind == Kind::label)
      return row.implicit & (isa::scc_r | isa::vcc_r | isa::exec_r) ? Flow::conditional : Flow::branch;
  return i.operands[0].file == File::imm ? Flow::branch : Flow::jump;
}

// Rows of `relative` add M0 to the registers they name, and do not access the named registers themselves.
// s_set_gpr_idx_on adds it to VGPRs of vector instructions, selected by operand position.
void add_bases(Draft& draft, const Inst& i, uint32_t indexed) {
  const isa::Info& row = i.info();
  if (!indexed && !(row.implicit & isa::relative)) return;
  int source = 0;
  for (int k = 0, n = row.count(); k < n; ++k) {
    const auto& spec = row.operands[k];
    const bool writes = spec.access != Access::read;
    if (row.implicit & isa::relative) {
      if ((spec.kind == Kind::v || spec.kind == Kind::s) && spec.access != Access::write)
        draft.bases.push_back({i.operands[k], k == 0 || writes});
    } else if (indexed && row.is_vector() && i.operands[k].file == File::v) {
      const int bit = writes ? 3 : source;
      if (bit <= 3 && (indexed >> bit & 1)) draft.bases.push_back({i.operands[k], writes});
    }
    source += !writes;
  }
}

// Of a packed f32 source in VGPRs or AGPRs, the dword that op_sel and op_sel_hi choose, if both choose the same.
// v_pk_mov_b32 takes one dword of each source, by op_sel.
Operand chosen(const Inst& i, int k, int source, Operand o) {
  if (i.spec(k).constant != isa::Constant::f32_pair || o.dwords != 2 || o.file == File::s || !o.is_reg()) return o;
  const int low = i.mods.op_sel >> source & 1,
            high = i.op == Opcode::v_pk_mov_b32 ? low : i.mods.op_sel_hi >> source & 1;
  if (low == high) o.index = static_cast<uint16_t>(o.index + low), o.dwords = 1;
  return o;
}

// The results depend on the inputs alone.
bool is_pure(const Inst& i) {
  const isa::Info& row = i.info();
  if (row.is_matrix() || i.dual || row.counter != isa::Counter::none ||
      (!row.is_vector() && row.unit != isa::Unit::salu))
    return false;
  if (row.implicit & (isa::pc_w | isa::ends | isa::relative | isa::mode_w | isa::stores | isa::atomic)) return false;
  for (int k = 0, n = row.count(); k < n; ++k)
    if (row.operands[k].kind == Kind::hwreg || row.operands[k].kind == Kind::message) return false;
  return i.op != Opcode::s_getpc_b64;
}

// The first VGPR among the sources, which is the address.
int lds_address_of(const Inst& i) {
  const isa::Info& row = i.info();
  if (row.unit != isa::Unit::lds || row.format == isa::Format::gws) return 0;
  for (int k = 0, n = row.count(); k < n; ++k)
    if (row.operands[k].kind == Kind::v && row.operands[k].access == Access::read) return number_of(i.operands[k]) + 1;
  return 0;
}

}  // namespace

// A source that does not affect the result may be undefined: the rest of a partially written register (compilers leave
// it so), the lanes that v_writelane keeps, the bases of relative addressing. Compilers also pass a one-register value
// where two registers are read if the other half has no effect, so scalar operands of several registers need only one
// defined register, and so do tuples that are stored to scratch (spills); other operands of lanes, addresses and data
// of memory instructions need all.
static void add_required(Required& all, const Inst& i, std::span<const Base> bases, Arch arch, int lanes) {
  RegSet& set = all.registers;
  const isa::Info& row = i.info();
  const bool memory = row.counter != isa::Counter::none, dma = i.mods.has(isa::lds);
  int source = 0;
  for (int k = 0; k < isa::max_operands && row.operands[k].kind != Kind::none; ++k) {
    const auto& spec = row.operands[k];
    if (spec.access == Access::write && !dma) continue;
    const int position = source++;
    const bool base = std::any_of(bases.begin(), bases.end(), [&](const Base& b) { return b.reg == i.operands[k]; });
    if ((row.implicit & isa::carries) && k + 1 == row.count()) continue;  // its undefined bits stay undefined
    if (base || (k == 0 && (row.implicit & isa::keeps)) || (spec.access == Access::both && memory && !dma)) continue;
    const bool vector = row.is_vector() && i.operands[k].file != File::s;
    const bool spilled = row.format == isa::Format::scratch && row.counter == isa::Counter::store;
    if (i.operands[k].dwords > 1 && (spilled || (!vector && !memory)) && i.operands[k].is_reg() && all.wide.size < 4)
      all.wide.push_back(i.operands[k]);
    else set.add(chosen(i, k, position, isa::read_from(i, k, arch)));
  }
  if (row.implicit & isa::scc_r) set.add(scalar_base + isa::sreg::scc);
  if (row.implicit & isa::vcc_r)
    for (int k = 0; k < lanes / 32; ++k) set.add(scalar_base + isa::sreg::vcc + k);
  const bool message = row.count() && row.operands[0].kind == Kind::message;  // few messages use M0
  if (((row.implicit & isa::m0_r) && !message) || dma) set.add(scalar_base + isa::sreg::m0);
}

Required required_by(const Item& item, Arch arch, int lanes) {
  Required all;
  if (!item.refusal.empty()) return all;
  if (!item.inst.dual) add_required(all, item.inst, item.bases, arch, lanes);
  else
    for (const int k : {0, 1}) add_required(all, isa::half(item.inst, k), {}, arch, lanes);
  return all;
}

RegView Items::put(const RegSet& set) {
  RegView view;
  view.parts = put(std::span(set.parts).first(static_cast<size_t>(set.count))), view.count = set.count;
  return view;
}
std::span<const CounterWait> Items::put(const isa::Waits& waits) {
  isa::Few<CounterWait, isa::wait_counters> all;
  for (int c = 0; c < isa::wait_counters; ++c)
    if (waits[c] != absent) all.push_back({c, waits[c]});
  return {put(std::span(all)), static_cast<size_t>(all.size)};
}
Item* Items::put(const Item& item) {
  ++count_;
  return new (memory_.allocate(sizeof(Item), alignof(Item))) Item(item);
}

Item* Items::refused(std::string_view reason) {
  static const Inst none;
  return put(Item{.inst = none, .refusal = {put(std::span(reason)), reason.size()}});
}

Item* Items::make(const Inst& inst, uint32_t indexed) {
  Item item{.inst = inst};
  Draft draft;
  const isa::Info& row = inst.info();
  item.flow = flow_of(inst);
  if (!inst.dual) add_bases(draft, inst, indexed);
  for (const Base& b : draft.bases) item.writes_indexed |= b.writes;
  item.counted = isa::counter_class(row) != isa::Counter::none;
  item.pure = is_pure(inst) && !draft.bases.size;
  item.lds_address = lds_address_of(inst);
  item.uses_lds = item.lds_address || in_flight::loads_into_lds(inst) || row.counter == isa::Counter::tensor;
  item.may_use_lds = row.format == isa::Format::flat && row.counter == isa::Counter::flat;
  item.sets_hardware = row.operands[0].kind == Kind::hwreg && (row.implicit & isa::mode_w);
  item.synchronizes = is_barrier(inst.op) || signals(inst.op) || row.format == isa::Format::gws;
  item.undefined_product = row.is_matrix() && !isa::undefined_product(inst).empty();
  if (isa::may_wait(inst.op, arch_)) item.waits = put(isa::waits_of(inst, arch_));
  const isa::Effects e = isa::effects(inst, arch_, lanes_);
  for (const auto& o : e.reads) draft.reads.add(o);
  for (const auto& o : e.writes) draft.writes.add(o);
  for (const Operand& o : inst.operands) {
    int* end = o.file == File::v                               ? &item.v_end
               : o.file == File::a                             ? &item.a_end
               : o.file == File::s && o.index < isa::sreg::vcc ? &item.s_end
                                                               : nullptr;
    if (end) *end = std::max(*end, o.index + o.dwords);
  }
  for (const auto& o : e.writes)
    item.writes_exec |= o.covers(File::s, isa::sreg::exec) || o.covers(File::s, isa::sreg::exec + 1);
  item.reads = put(draft.reads), item.writes = put(draft.writes);
  if (draft.bases.size) item.bases = {put(std::span(draft.bases)), static_cast<size_t>(draft.bases.size)};
  return put(item);
}

uint8_t mode_after(const Inst& i, uint8_t mode) {
  switch (i.op) {
    case Opcode::s_set_vgpr_msb: return static_cast<uint8_t>(i.operands[0].bits);
    case Opcode::s_set_gpr_idx_on: return static_cast<uint8_t>(i.operands[1].bits & 15);
    case Opcode::s_set_gpr_idx_mode: return static_cast<uint8_t>(i.operands[0].bits & 15);
    case Opcode::s_set_gpr_idx_off: return 0;
    default: return mode;
  }
}

std::string register_name(int number, Arch arch) {
  return number == scalar_base + isa::sreg::scc ? "SCC" : isa::print(isa::register_of(number, arch));
}

}  // namespace wavesmith::checker
