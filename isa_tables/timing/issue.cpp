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

enum class IssueClass : uint8_t {
  valu,
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
  IssueClass what;
  ArchSet archs;
  double (*busy)(const Timing&, double valu);
  int busy_per_dword;
  double (*ready)(const Timing&, double valu);
  int ready_per_dword, beside;
  const char* source;
};

using namespace sets;
constexpr ArchSet own_pipe = gfx9 | gfx1250;  // targets whose matrix instructions have a pipe beside the VALU
constexpr int yes = -1;
constexpr IssueRow issue_rows[] = {
#define ISSUE(what, archs, busy, busy_dw, ready, ready_dw, beside, source) \
  {IssueClass::what, \
   archs, \
   []([[maybe_unused]] const Timing& t, [[maybe_unused]] double valu) -> double { return busy; }, \
   busy_dw, \
   []([[maybe_unused]] const Timing& t, [[maybe_unused]] double valu) -> double { return ready; }, \
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

IssueClass class_of(const Inst& i) {
  const Info& row = i.info();
  if (row.is_matrix()) return IssueClass::matrix;
  switch (row.unit) {
    case Unit::trans: return row.operands[0].kind == Kind::s ? IssueClass::scalar_trans : IssueClass::trans;
    case Unit::salu: return IssueClass::salu;
    case Unit::branch: return IssueClass::branch;
    case Unit::message: return IssueClass::internal;
    case Unit::smem: return IssueClass::smem;
    case Unit::lds: return writes_register(row) ? IssueClass::lds_read : IssueClass::lds_write;
    case Unit::vmem: return writes_register(row) ? IssueClass::vmem_load : IssueClass::vmem_store;
    default: break;
  }
  return row.format == Format::vop3p && row.operands[0].dwords == 2 ? IssueClass::packed_f32 : IssueClass::valu;
}

bool one_of(Opcode op, std::initializer_list<Opcode> list) {
  return std::find(list.begin(), list.end(), op) != list.end();
}
bool is_multiply(Opcode op) {
  return one_of(op, {Opcode::v_mul_lo_u32, Opcode::v_mul_hi_u32, Opcode::v_mul_hi_i32, Opcode::v_mad_u64_u32,
                     Opcode::v_mad_i64_i32, Opcode::v_mad_nc_u64_u32, Opcode::v_mad_nc_i64_i32, Opcode::v_mad_u32});
}
// Conversions at a reduced rate, as in LLVM's model (the compiler part of the validation): between integers, f32, f16
// and fp8; not those of 16-bit integers, nor packed ones to f16 and bf16.
bool is_conversion(Opcode op) {
  return one_of(
      op, {Opcode::v_cvt_f32_u32, Opcode::v_cvt_f32_i32, Opcode::v_cvt_u32_f32, Opcode::v_cvt_i32_f32,
           Opcode::v_cvt_f16_f32, Opcode::v_cvt_f32_f16, Opcode::v_cvt_f32_fp8, Opcode::v_cvt_f32_bf8,
           Opcode::v_cvt_pk_f32_fp8, Opcode::v_cvt_pk_f32_bf8, Opcode::v_cvt_pk_fp8_f32, Opcode::v_cvt_pk_bf8_f32,
           Opcode::v_cvt_sr_fp8_f32, Opcode::v_cvt_sr_bf8_f32, Opcode::v_cvt_off_f32_i4, Opcode::v_cvt_flr_i32_f32,
           Opcode::v_cvt_rpi_i32_f32, Opcode::v_cvt_f32_bf16});
}
// Executed by the f64 unit: instructions that round and whose widest operand has two dwords. 64-bit integers: LLVM
// (gfx1250).
bool is_double(const Info& row, Opcode op) {
  if (one_of(op, {Opcode::v_mul_u64, Opcode::v_max_i64, Opcode::v_max_u64, Opcode::v_min_i64, Opcode::v_min_u64,
                  Opcode::v_cmp_class_f64, Opcode::v_cmpx_class_f64, Opcode::v_maximum_f64, Opcode::v_minimum_f64}))
    return true;
  int widest = 0;
  for (int i = 0; i < row.count(); ++i)
    if (const auto k = row.operands[i].kind; k == Kind::v || k == Kind::any)
      widest = std::max<int>(widest, row.operands[i].dwords);
  return (row.implicit & mode_r) && widest == 2;
}
bool is_swap(Opcode op) {
  return one_of(op, {Opcode::v_permlane32_swap_b32, Opcode::v_permlane16_swap_b32, Opcode::v_swap_b32});
}

}  // namespace

double valu_clocks(const Inst& i, const Timing& t) {
  const Info& row = i.info();
  if (row.unit == Unit::trans)  // of a scalar, one lane (sqtt gfx1200: v_rcp_f32 a clock after v_s_rcp_f32)
    return row.operands[0].kind == Kind::s ? t.valu_full : t.valu_trans;
  if (is_multiply(i.op)) return t.valu_half;
  if (is_conversion(i.op)) return t.valu_convert;
  if (is_swap(i.op)) return t.valu_swap;
  if (row.format == Format::vop3p) return row.operands[0].dwords == 2 ? t.valu_packed_f32 : t.valu_full;
  if (is_double(row, i.op)) return t.valu_f64;
  return row.operands[0].kind == Kind::v && row.operands[0].dwords == 2 ? t.valu_wide : t.valu_full;
}

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
  const IssueClass c = class_of(i);
  const Info& row = i.info();
  for (const IssueRow& r : issue_rows) {
    if (r.what != c || !(r.archs & bit(arch))) continue;
    if (c == IssueClass::matrix)
      return {clocks(i, arch), clocks(i, arch)};  // on gfx9 the hazard rows state when the result may be read
    const int dwords = data_dwords(row);
    const Timing& t = timing(arch);
    const double valu = valu_clocks(i, t);
    return {static_cast<int>(r.busy(t, valu)) + r.busy_per_dword * dwords,
            static_cast<int>(r.ready(t, valu)) + r.ready_per_dword * dwords, r.beside == yes, std::max(0, r.beside)};
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
