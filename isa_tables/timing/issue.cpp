// Classifies instructions by their rows: unit, format, operands written and implicit registers. The few opcodes that
// the row does not classify are named.
#include "isa_tables/timing/issue.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "isa_tables/arch_sets.h"
#include "isa_tables/timing/timing.h"

namespace wavesmith::isa {
namespace {

enum class Class : uint8_t {
  valu,
  half_rate,
  packed_f32,
  trans,
  scalar_trans,
  matrix,
  salu,
  branch,
  internal,
  smem,
  lds_read,
  lds_write,
  vmem_load,
  vmem_store
};
struct IssueRow {
  Class what;
  ArchSet archs;
  double (*busy)(const Timing&);
  int busy_per_dword;
  double (*ready)(const Timing&);
  int ready_per_dword, beside;
  const char* source;
};

using namespace sets;
constexpr ArchSet own_pipe = gfx9 | gfx1250;  // targets whose matrix instructions have a pipe beside the VALU
constexpr int yes = -1;
constexpr IssueRow issue_rows[] = {
#define ISSUE(what, archs, busy, busy_dw, ready, ready_dw, beside, source) \
  {Class::what, \
   archs, \
   []([[maybe_unused]] const Timing& t) -> double { return busy; }, \
   busy_dw, \
   []([[maybe_unused]] const Timing& t) -> double { return ready; }, \
   ready_dw, \
   beside, \
   source},
#define SHADOW(...)
#define WINDOW(...)
#include "isa_tables/timing/issue.def"
#undef ISSUE
#undef SHADOW
};
struct Shadow {
  Type multiplies;
  ArchSet archs;
  int slots;
};
constexpr Shadow shadows[] = {
#define ISSUE(...)
#define SHADOW(type, archs, slots) {Type::type, archs, slots},
#include "isa_tables/timing/issue.def"
#undef SHADOW
#undef WINDOW
};
struct Window {
  MatrixKind kind;
  Type multiplies;
  int clocks;
  ArchSet archs;
  std::string_view by_clock;
};
constexpr Window windows[] = {
#define SHADOW(...)
#define WINDOW(kind, type, clocks, archs, by_clock) {MatrixKind::kind, Type::type, clocks, archs, by_clock},
#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.def"
#undef ISSUE
#undef SHADOW
#undef WINDOW
};

bool writes_register(const Info& row) {
  return std::ranges::any_of(row.operands,
                             [](const OperandSpec& o) { return o.kind != Kind::none && o.access != Access::read; });
}
bool names_register(const Inst& i) { return std::ranges::any_of(i.operands, &Operand::is_reg); }

// Dwords of data a lane moves: those written, else all registers read after the address; one where no register is
// named (LDS-DMA).
int data_dwords(const Info& row) {
  int written = 0, widest = 0;
  for (int i = 0; i < row.count(); ++i) {
    const auto& o = row.operands[i];
    const bool vector = o.kind == Kind::v || o.kind == Kind::a || o.kind == Kind::va;
    if (o.access != Access::read) written += o.dwords;
    else if (vector) widest = std::max<int>(widest, o.dwords);
  }
  return written ? written : std::max(widest, 1);
}

Class class_of(const Inst& i) {
  const Info& row = i.info();
  if (row.is_matrix()) return Class::matrix;
  switch (row.unit) {
    case Unit::trans: return row.operands[0].kind == Kind::s ? Class::scalar_trans : Class::trans;
    case Unit::salu: return Class::salu;
    case Unit::branch: return Class::branch;
    case Unit::message: return Class::internal;
    case Unit::smem: return Class::smem;
    case Unit::lds: return writes_register(row) ? Class::lds_read : Class::lds_write;
    case Unit::vmem: return writes_register(row) ? Class::vmem_load : Class::vmem_store;
    default: break;
  }
  if (row.format == Format::vop3p && row.operands[0].dwords == 2) return Class::packed_f32;
  const bool half_rate = i.op == Opcode::v_mul_lo_u32 || i.op == Opcode::v_mul_hi_u32 || i.op == Opcode::v_mul_hi_i32;
  return half_rate ? Class::half_rate : Class::valu;
}

}  // namespace

bool is_crossbar(Opcode op) {
  return op == Opcode::ds_permute_b32 || op == Opcode::ds_bpermute_b32 || op == Opcode::ds_bpermute_fi_b32 ||
         op == Opcode::ds_swizzle_b32;
}

uint8_t memory_of(const Inst& i) {
  const Info& row = i.info();
  const bool loads = writes_register(row);
  const bool addressed =
      row.unit == Unit::lds || row.count() > (row.unit == Unit::smem ? 1 : 0);  // false: cache control, s_memtime
  if (!addressed || row.counter == Counter::none) return no_memory;
  const bool reads = loads, writes = !loads || (row.implicit & atomic);  // an atomic without result counts as a write
  if (row.unit == Unit::smem) return (reads ? global_read : 0) | (writes ? global_write : 0);
  if (row.unit == Unit::lds) return is_crossbar(i.op) ? no_memory : (reads ? lds_read : 0) | (writes ? lds_write : 0);
  if (row.unit != Unit::vmem) return no_memory;
  if (row.counter == Counter::flat)
    return (reads ? lds_read | global_read : 0) | (writes ? lds_write | global_write : 0);
  const bool to_lds = i.mods.has(lds) ||
                      (!loads && (row.counter == Counter::load || row.counter == Counter::async_load)) ||
                      (row.counter == Counter::tensor && !(row.implicit & stores));
  if (to_lds) return global_read | lds_write;
  if (row.counter == Counter::async_store || row.counter == Counter::tensor) return lds_read | global_write;
  return (reads ? global_read : 0) | (writes ? global_write : 0);
}

bool is_fence(const Inst& i) {
  const Info& row = i.info();
  if (row.unit == Unit::branch || row.unit == Unit::message || (row.implicit & (pc_w | ends))) return true;
  if (row.unit == Unit::smem)
    return !writes_register(row) || i.operands[1].file == File::none;  // stores, cache control, s_memtime
  if (row.unit == Unit::vmem) return !names_register(i);               // cache control
  if (row.unit == Unit::lds) return !is_crossbar(i.op) && (!names_register(i) || i.mods.has(gds));
  const bool silent =
      !writes_register(row) && !(row.implicit & (scc_w | vcc_w | exec_w));  // MODE and the like; s_nop, v_nop
  return silent || (row.implicit & m0_r);
}

int sched_classes(const Inst& i) {
  const Info& row = i.info();
  const uint8_t m = memory_of(i);
  if (row.is_matrix()) return sched::alu | sched::matrix;
  switch (row.unit) {
    case Unit::trans: return sched::alu | sched::trans;
    case Unit::valu: return sched::alu | sched::valu;
    case Unit::salu: return sched::alu | sched::salu;
    case Unit::vmem:
      return sched::vmem | (m & (global_read | lds_read) ? sched::vmem_read : 0) |
             (m & (global_write | lds_write) ? sched::vmem_write : 0);
    case Unit::lds: return sched::ds | (m & lds_read ? sched::ds_read : 0) | (m & lds_write ? sched::ds_write : 0);
    default: return 0;
  }
}

bool may_cross(int mask, const Inst& i) {
  using namespace sched;
  const int kinds[][2] = {
      {alu, valu | salu | matrix | trans}, {vmem, vmem_read | vmem_write}, {ds, ds_read | ds_write}};
  int barred = sched::all & ~mask;
  for (const auto& [whole, parts] : kinds) {
    if (mask & whole) barred &= ~parts;
    else if (mask & parts) barred &= ~whole;
  }
  const int classes = sched_classes(i);
  return classes && !(classes & barred);
}

Issue issue_of(const Inst& i, Arch arch) {
  const Class c = class_of(i);
  const Info& row = i.info();
  for (const IssueRow& r : issue_rows) {
    if (r.what != c || !(r.archs & bit(arch))) continue;
    if (c == Class::matrix)
      return {clocks(i, arch), clocks(i, arch)};  // on gfx9 the hazard rows state when the result may be read
    const int dwords = data_dwords(row);
    const Timing& t = timing(arch);
    return {static_cast<int>(r.busy(t)) + r.busy_per_dword * dwords,
            static_cast<int>(r.ready(t)) + r.ready_per_dword * dwords, r.beside == yes, std::max(0, r.beside)};
  }
  throw IsaError(fmt::format("{} has no issue costs for {}; legal: what isa_tables/timing/issue.def has rows for",
                             target(arch).name, row.mnemonic));
}

bool awaits_matrix_results(Arch arch) { return !target(arch).gfx9(); }
int slot_clocks(Arch arch) { return static_cast<int>(timing(arch).wave_interval); }

int hidden_slots(const Inst& i, Arch arch) {
  const Matrix& m = i.info().matrix;
  for (const Shadow& s : shadows)
    if ((s.archs & bit(arch)) && (s.multiplies == Type::none || s.multiplies == m.a))
      return s.slots < 0 ? 0 : std::max(0, clocks(i, arch) / slot_clocks(arch) - s.slots);
  for (const Window& w : windows)
    if ((w.archs & bit(arch)) && w.kind == m.kind && w.multiplies == m.a && w.clocks == clocks(i, arch))
      return static_cast<int>(std::ranges::count_if(w.by_clock, [](char c) { return c == 'I' || c == 'S'; }));
  return 0;
}

}  // namespace wavesmith::isa
