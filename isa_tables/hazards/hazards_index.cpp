// The rows of hazards.def as values, and for each opcode the rows it can produce or consume.
#include "isa_tables/hazards/hazards_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "isa_tables/arch_sets.h"
#include "isa_tables/hazards/hazard_policy.h"

namespace wavesmith::isa {
namespace {

constexpr auto make_rules() {
  using namespace hazard;
  using namespace sets;
  using enum Fix;
  return std::to_array<HazardRule>({
#define HAZARD(name, archs, producer, consumer, link, p2, p4, p8, p16, fix, source) \
  {name, archs, producer, consumer, Link::link, {p2, p4, p8, p16}, fix, source},
#define ADVICE(name, archs, producer, consumer, link, p2, p4, p8, p16, fix, source) \
  {name, archs, producer, consumer, Link::link, {p2, p4, p8, p16}, fix, source, true},
#define WAVE64(name, archs, producer, consumer, link, p2, p4, p8, p16, fix, source) \
  {name, archs, producer, consumer, Link::link, {p2, p4, p8, p16}, fix, source, false, true},
#define LENIENT(name, archs, producer, consumer, link, p2, p4, p8, p16, fix, source, fewest, evidence) \
  {name, archs, producer, consumer, Link::link, {p2, p4, p8, p16}, fix, source},
#include "isa_tables/hazards/hazards.def"
#undef HAZARD
#undef ADVICE
#undef WAVE64
#undef LENIENT
  });
}
constexpr auto rules = make_rules();

constexpr HazardPolicy policies[] = {
// of each row
#define HAZARD(...) {},
#define ADVICE(...) {Standing::advice, 0, ""},
#define WAVE64(...) {},
#define LENIENT(name, archs, producer, consumer, link, p2, p4, p8, p16, fix, source, fewest, evidence) \
  {Standing::warning, fewest, evidence},
#include "isa_tables/hazards/hazards.def"
#include "isa_tables/opcodes.h"
#undef HAZARD
#undef ADVICE
#undef WAVE64
#undef LENIENT
};
static_assert(std::size(policies) == rules.size());

// Classes of single opcodes, by name because not every target has a row for each.
struct Named {
  Classes classes;
  std::vector<const char*> opcodes;
};
const std::vector<Named>& named_classes() {
  using namespace hazard;
  static const std::vector<Named> all = {
      {lane_read | lane_select | lane_access, {"v_readlane_b32"}},
      {lane_read | lane_access, {"v_readfirstlane_b32"}},
      {lane_select | lane_access, {"v_writelane_b32"}},
      {div_fmas, {"v_div_fmas_f32", "v_div_fmas_f64"}},
      {acc_read, {"v_accvgpr_read_b32"}},
      {acc_write, {"v_accvgpr_write_b32"}},
      {permlane_swap, {"v_permlane16_swap_b32", "v_permlane32_swap_b32"}},
      {permlane,
       {"v_permlane16_b32", "v_permlanex16_b32", "v_permlane64_b32", "v_permlane16_var_b32", "v_permlanex16_var_b32",
        "v_permlane_bcast_b32", "v_permlane_up_b32", "v_permlane_down_b32", "v_permlane_xor_b32",
        "v_permlane16_swap_b32"}},
      {dot,
       {"v_dot2_f32_f16", "v_dot2c_f32_f16", "v_dot2_f32_bf16", "v_dot2c_f32_bf16", "v_dot2_i32_i16", "v_dot2_u32_u16",
        "v_dot2c_i32_i16", "v_dot4_i32_i8", "v_dot4_u32_u8", "v_dot4c_i32_i8", "v_dot8_i32_i4", "v_dot8_u32_u4",
        "v_dot8c_i32_i4"}},
      {setreg, {"s_setreg_b32", "s_setreg_imm32_b32"}},
      {getreg, {"s_getreg_b32"}},
      {async_arrive, {"ds_atomic_async_barrier_arrive_b64"}},
      {set_vskip, {"s_setvskip"}},
      {vgpr_msb, {"s_set_vgpr_msb"}},
      {priority, {"s_setprio", "s_sethalt"}},
  };
  return all;
}

// Of the opcode's name.
Classes named(Opcode opcode) {
  static const std::vector<Classes> all = [] {
    std::vector<Classes> classes(table().size());
    for (const Named& n : named_classes())
      for (const char* name : n.opcodes)
        for (const Opcode op : find_opcodes(name)) classes[static_cast<size_t>(op)] |= n.classes;
    return classes;
  }();
  return all[static_cast<size_t>(opcode)];
}

// The classes that follow from the opcode; consumer_classes() and produced() adjust them by operands and modifiers.
Classes opcode_classes(Opcode opcode) {
  const Info& row = info(opcode);
  Classes c = 0;
  if (row.is_matrix()) {
    const bool f32 = row.matrix.a == Type::f32, f64 = row.matrix.a == Type::f64;
    const bool mfma = row.matrix.kind == MatrixKind::mfma || row.matrix.kind == MatrixKind::smfmac;
    if (mfma) return f64 ? hazard::dgemm : f32 ? hazard::sgemm : hazard::xdl;
    return f32 || f64 ? hazard::wmma_valu : row.matrix.sparse() ? hazard::swmmac : hazard::wmma;
  }
  if (row.is_vector()) c |= hazard::valu | (row.unit == Unit::trans ? hazard::trans : hazard::non_trans);
  if (row.unit == Unit::vmem) c |= hazard::vmem;
  if (row.unit == Unit::lds) c |= hazard::lds_access;
  if (row.unit == Unit::salu || row.unit == Unit::branch) c |= hazard::scalar;
  if (row.implicit & m0_r) c |= row.unit == Unit::vmem ? hazard::lds_dma : hazard::reads_m0;
  return c | named(opcode);
}

}  // namespace

std::span<const HazardRule> hazard_rules() { return rules; }

const char* hazard::alu_wait_text(Fix fix) {
  switch (fix) {
    case Fix::s_nop:
    case Fix::v_nop:
    case Fix::valu_op: return "";
    case Fix::va_vdst: return "va_vdst(0)";
    case Fix::sa_sdst: return "sa_sdst(0)";
    case Fix::va_sdst: return "va_sdst(0)";
    case Fix::vm_vsrc: return "vm_vsrc(0)";
    case Fix::idle: return "all fields 0";
  }
  return "";
}

std::string HazardTracker::Need::missing() const {
  if (const std::string wait = hazard::alu_wait_text(rule->fix); !wait.empty()) return "an ALU wait with " + wait;
  return fmt::format("{} more {}{}", wait_states, rule->fix == Fix::s_nop ? "wait state" : "VALU instruction",
                     wait_states == 1 ? "" : "s");
}

const HazardPolicy& policy(const HazardRule& r) { return policies[&r - rules.data()]; }

Standing standing(const HazardTracker::Need& need, Arch arch) {
  const HazardPolicy& p = policy(*need.rule);
  if (p.standing != Standing::warning || !p.fewest) return p.standing;
  const Info& row = need.producer.info();
  const int passes = !row.is_matrix()               ? 0
                     : row.matrix.a == Type::f8f6f4 ? clocks(need.producer, arch) / 4
                                                    : row.passes(arch);
  const int left = need.rule->wait_states[static_cast<size_t>(column(passes))] - need.wait_states;
  return left < p.fewest ? Standing::fault : Standing::warning;
}

StaleExec stale_exec(const HazardTracker::Need& need, Opcode consumer) {
  if (!(need.rule->producer & hazard::valu_exec) || !(need.rule->consumer & hazard::lane_access))
    return StaleExec::counts;
  if (consumer == Opcode::v_readlane_b32 || consumer == Opcode::v_writelane_b32) return StaleExec::harmless;
  return consumer == Opcode::v_readfirstlane_b32 ? StaleExec::by_value : StaleExec::counts;
}

HazardIndex::HazardIndex(Arch a, bool wave64) : arch(a) {
  constexpr int clock_of[] = {0, 1, 2, 1, 1, 1};  // by Fix: states, valus, real_valus
  for (const auto& r : rules) {
    if (!(r.archs & bit(arch)) || (r.wave64 && !wave64)) continue;
    nops_only &= r.fix == Fix::s_nop;
    if (r.link == Link::reuse || r.link == Link::mask_reuse) {
      (r.fix == Fix::sa_sdst ? by_salu : by_valu) = &r;
      continue;
    }
    if (r.fix == Fix::vm_vsrc || r.fix == Fix::idle) {
      until_wait.push_back(&r);
      if (until_wait.size() > 3) throw IsaError("hazards.def: more than 3 rows of one target that last until a wait");
      continue;
    }
    same_op |= r.link == Link::reads_other_op || r.link == Link::writes_other_op || r.link == Link::srcc_other_op;
    if (r.link == Link::forwarded) forwarding = &r;
    else rows.push_back(&r);
    if (rows.size() > 128) throw IsaError("hazards.def: more than 128 rows for one target");
    produced |= r.producer;
    if (r.link == Link::always || r.link == Link::same_hwreg) anywhere |= r.producer;
    for (int b = 0; b < 64; ++b) {
      if (r.link != Link::forwarded) {
        if (r.consumer >> b & 1) consumed_by[b].add(rows.size() - 1), producers_of[b] |= r.producer;
        if (r.producer >> b & 1) produced_by[b].add(rows.size() - 1);
      }
      if (r.producer >> b & 1)
        for (int p = 0; p < 4; ++p)
          life[b][clock_of[static_cast<int>(r.fix)]][p] =
              std::max(life[b][clock_of[static_cast<int>(r.fix)]][p], r.wait_states[p]);
    }
  }
  for (size_t o = 0; o < table().size(); ++o) {
    const Info& row = table()[o];
    Op op{opcode_classes(static_cast<Opcode>(o)), 0, 0, 0, 0};
    for (int i = 0; i < row.count(); ++i) {
      if (row.operands[i].access != Access::write) op.reads |= 1 << i;
      if (row.operands[i].access != Access::read) op.writes |= 1 << i;
    }
    op.passes = static_cast<uint8_t>(column(row.is_matrix() ? row.passes(arch) : 0));
    // What modifiers and operands can add to the opcode's own consumer classes.
    Classes possible = op.classes;
    if (op.classes & hazard::valu) possible |= hazard::dpp | hazard::zero_flag;
    if (op.classes & hazard::vmem) possible |= hazard::buffer_to_lds;
    op.cares = cares(possible);
    ops.push_back(op);
  }
  v_nop = *find_opcode("v_nop");
  for (const char* name : {"s_waitcnt_depctr", "s_wait_alu"})  // one row or two
    if (const auto op = find_opcode(name); op && info(*op).on(arch)) alu_wait = *op, has_alu_wait = true;
}

// Few programs need more than one.
const HazardIndex& index_of(Arch arch, int lanes) {
  static std::array<std::atomic<const HazardIndex*>, 64> made;
  static std::mutex making;
  const bool wave64 = (lanes ? lanes : target(arch).wave_size) == 64;
  auto& slot = made.at(2 * static_cast<size_t>(arch) + wave64);
  if (const HazardIndex* index = slot.load(std::memory_order_acquire)) return *index;
  const std::lock_guard lock(making);
  if (!slot.load()) slot.store(new HazardIndex(arch, wave64), std::memory_order_release);
  return *slot.load();
}

bool writes_part(const Inst& i) {
  return (i.mods.sdwa && i.mods.dst_sel != Sdwa::dword && i.info().format != Format::vopc) || (i.mods.op_sel & 8);
}

Classes consumer_classes(Classes classes, const Inst& i) {
  if (classes & hazard::valu) {
    if (i.mods.dpp) classes |= hazard::dpp;
    for (const auto& o : i.operands)
      if (o.file == File::s && (o.index == sreg::vccz || o.index == sreg::execz)) classes |= hazard::zero_flag;
  }
  if (i.mods.has(lds)) classes |= hazard::buffer_to_lds;
  if ((classes & hazard::getreg) && reads_wave_state(i)) classes |= hazard::getreg_state;
  return classes;
}

Classes wide_store_data(const Inst& i, int& data) {  // CDNA3 ISA 4.5: beyond 64 bits
  const bool buffer = i.info().format == Format::mubuf;
  data = buffer ? 0 : 1;
  return i.operands[data].dwords <= 2       ? 0
         : buffer && i.operands[3].is_reg() ? hazard::wide_store_sgpr
                                            : hazard::wide_store;
}

bool writes_vskip(const Inst& i) {
  const auto immediate = std::ranges::find(i.operands, File::imm, &Operand::file);
  if (immediate == std::end(i.operands)) return false;
  const HwregField written = HwregField::of(immediate->bits);
  return written.number == mode_vskip.number && written.first_bit <= mode_vskip.first_bit &&
         written.first_bit + written.bits > mode_vskip.first_bit;
}

std::optional<int> hwreg_of(const Inst& i) {
  for (const auto& o : i.operands)
    if (o.file == File::imm) return HwregField::of(o.bits).number;
  return {};
}

bool reads_wave_state(const Inst& i) {
  constexpr std::array state{2, 4, 17, 18};  // STATUS, STATE_PRIV, EXCP_FLAG_PRIV, EXCP_FLAG_USER on gfx12
  const std::optional<int> number = hwreg_of(i);
  return number && std::ranges::find(state, *number) != state.end();
}

bool can_consume(const HazardRule& r, const Info& row, Arch arch) {
  const auto op = static_cast<size_t>(&row - table().data());
  const HazardIndex& index = index_of(arch);
  Classes c = index.ops[op].classes;
  if (c & hazard::valu)
    c |= row.format == Format::vop1 || row.format == Format::vop2 || row.format == Format::vopc
             ? hazard::dpp | hazard::zero_flag
             : hazard::zero_flag;
  if (c & hazard::getreg) c |= hazard::getreg_state;
  return (r.archs & bit(arch)) && (r.consumer & c & hazard::consumers);
}

bool can_produce(const HazardRule& r, const Info& row, Arch arch) {
  const auto op = static_cast<size_t>(&row - table().data());
  Classes c = index_of(arch).ops[op].classes &
              (hazard::matrix | hazard::acc_read | hazard::acc_write | hazard::dot | hazard::setreg | hazard::trans |
               hazard::priority | hazard::set_vskip | hazard::valu | hazard::memory | hazard::async_arrive);
  if (c & hazard::setreg) c |= hazard::setreg_vskip;
  if (row.is_matrix() && row.matrix.a == Type::f8f6f4) c |= hazard::wmma_8bit;
  const bool valu = row.is_vector() && !row.is_matrix();
  for (const auto& o : row.operands) {
    if (o.kind == Kind::none || o.access == Access::read) continue;
    if (valu && (o.kind == Kind::v || o.kind == Kind::va))
      c |= hazard::valu_vgpr | (c & hazard::dot ? 0 : hazard::valu_not_dot) | hazard::valu_v | hazard::valu_then_acc |
           hazard::partial;
    if (valu && o.kind == Kind::a) c |= hazard::valu_vgpr | hazard::valu_not_dot | hazard::valu_a;
    if (valu && (o.kind == Kind::s || o.kind == Kind::mask))
      c |= hazard::valu_sgpr | hazard::valu_mask | hazard::reused_valu;
    if (row.unit == Unit::salu && o.kind == Kind::s) c |= hazard::salu_m0 | hazard::reused_salu;
  }
  if (valu && (row.implicit & (vcc_w | exec_w))) c |= hazard::valu_sgpr | hazard::valu_mask;
  if (valu && (row.implicit & exec_w)) c |= hazard::valu_exec;
  if (row.unit == Unit::vmem && row.counter == Counter::store &&
      row.operands[row.format == Format::mubuf ? 0 : 1].dwords > 2)
    c |= hazard::wide_store | (row.format == Format::mubuf ? hazard::wide_store_sgpr : 0);
  return (r.archs & bit(arch)) && (r.producer & c);
}

}  // namespace wavesmith::isa
