// The rows of hazards.def as values and the tracker over them. Most instructions leave with one mask test: what is in flight,
// against what the opcode could ever collide with; both masks are precomputed for every target and opcode.
#include "isa_tables/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <vector>

#include "isa_tables/arch_sets.h"
#include "isa_tables/dpp.h"

namespace wavesmith::isa {
namespace {

using hazard::Classes;
using hazard::Fix;
using hazard::Link;

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
#include "isa_tables/hazards.def"
#undef HAZARD
#undef ADVICE
#undef WAVE64
  });
}
constexpr auto rules = make_rules();

// Classes that hang on single opcodes. Names, because not every target set has a row for each.
struct Named { Classes classes; std::vector<const char*> opcodes; };
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
      {permlane, {"v_permlane16_b32", "v_permlanex16_b32", "v_permlane64_b32", "v_permlane16_var_b32", "v_permlanex16_var_b32", "v_permlane_bcast_b32", "v_permlane_up_b32", "v_permlane_down_b32",
                  "v_permlane_xor_b32", "v_permlane16_swap_b32"}},
      {dot, {"v_dot2_f32_f16", "v_dot2c_f32_f16", "v_dot2_f32_bf16", "v_dot2c_f32_bf16", "v_dot2_i32_i16", "v_dot2_u32_u16", "v_dot2c_i32_i16", "v_dot4_i32_i8", "v_dot4_u32_u8", "v_dot4c_i32_i8",
             "v_dot8_i32_i4", "v_dot8_u32_u4", "v_dot8c_i32_i4"}},
      {setreg, {"s_setreg_b32", "s_setreg_imm32_b32"}},
      {getreg, {"s_getreg_b32"}},
      {vgpr_msb, {"s_set_vgpr_msb"}},
      {priority, {"s_setprio", "s_sethalt"}},
  };
  return all;
}

// What the opcode alone says; operands and modifiers add or take away in consumer_classes() and produced().
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
  for (const Named& n : named_classes())
    for (const char* name : n.opcodes)
      for (const Opcode named : find_opcodes(name)) if (named == opcode) c |= n.classes;
  return c;
}

int column(int passes) { return passes >= 16 ? 3 : passes >= 8 ? 2 : passes >= 4 ? 1 : 0; }

// A field of s_waitcnt_depctr and s_wait_alu (LLVM: AMDGPU depctr encodings): mask of its bits, all ones for no wait.
struct DepctrField { Fix fix; uint32_t mask; };
constexpr DepctrField depctr_fields[] = {{Fix::va_vdst, 0xf000}, {Fix::va_sdst, 0x0e00}, {Fix::sa_sdst, 0x0001}};
constexpr uint32_t depctr_none = 0xff9f, depctr_va_vcc = 0x0002;

}  // namespace

std::span<const HazardRule> hazard_rules() { return rules; }

// Rows of one target as a bit set, so that a pair of instructions visits only the rows that name both.
struct RowSet {
  std::array<uint64_t, 2> bits{};
  void add(size_t row) { bits[row >> 6] |= uint64_t{1} << (row & 63); }
  RowSet& operator|=(const RowSet& o) { bits[0] |= o.bits[0], bits[1] |= o.bits[1]; return *this; }
};

// Per target: the rows by class bit, and for every opcode its classes and the producers it could wait for.
struct HazardIndex {
  struct Op { Classes classes, cares; uint8_t reads, writes, passes; };   // reads, writes: a bit an operand
  Arch arch;
  std::vector<Op> ops;
  std::array<Classes, 64> producers_of{};                  // consumer class bit -> producer classes
  std::array<RowSet, 64> consumed_by{}, produced_by{};     // class bit -> rows that name it
  std::vector<const HazardRule*> rows;
  std::array<std::array<std::array<uint8_t, 4>, 3>, 64> life{};   // producer class bit, clock, passes -> most wait states
  Classes produced = 0;                                    // classes that some row of the target names as producer
  const HazardRule* by_salu = nullptr;                     // the reuse rows
  const HazardRule* by_valu = nullptr;
  const HazardRule* forwarding = nullptr;
  bool nops_only = true, same_op = false;                  // same_op: some row asks for the producer's opcode
  Opcode alu_wait{}, v_nop{};
  bool has_alu_wait = false;
  HazardIndex(Arch, bool wave64);
  static RowSet all_of(const std::array<RowSet, 64>& sets, Classes classes) {
    RowSet out;
    for (Classes c = classes; c; c &= c - 1) out |= sets[std::countr_zero(c)];
    return out;
  }
  Classes cares(Classes classes) const {
    Classes out = 0;
    for (Classes c = classes & hazard::consumers; c; c &= c - 1) out |= producers_of[std::countr_zero(c)];
    return out;
  }
};

HazardTracker::Clock HazardTracker::clock(Fix f) { return f == Fix::s_nop ? states : f == Fix::valu_op ? real_valus : valus; }

HazardIndex::HazardIndex(Arch a, bool wave64) : arch(a) {
  constexpr int clock_of[] = {0, 1, 2, 1, 1, 1};           // by Fix: states, valus, real_valus
  for (const auto& r : rules) {
    if (!(r.archs & bit(arch)) || (r.wave64 && !wave64)) continue;
    nops_only &= r.fix == Fix::s_nop;
    if (r.link == Link::reuse || r.link == Link::mask_reuse) {
      (r.fix == Fix::sa_sdst ? by_salu : by_valu) = &r;
      continue;
    }
    same_op |= r.link == Link::reads_other_op || r.link == Link::writes_other_op;
    if (r.link == Link::forwarded) forwarding = &r;
    else rows.push_back(&r);
    if (rows.size() > 128) throw IsaError("hazards.def: more than 128 rows for one target");
    produced |= r.producer;
    for (int b = 0; b < 64; ++b) {
      if (r.link != Link::forwarded) {
        if (r.consumer >> b & 1) consumed_by[b].add(rows.size() - 1), producers_of[b] |= r.producer;
        if (r.producer >> b & 1) produced_by[b].add(rows.size() - 1);
      }
      if (r.producer >> b & 1)
        for (int p = 0; p < 4; ++p) life[b][clock_of[static_cast<int>(r.fix)]][p] = std::max(life[b][clock_of[static_cast<int>(r.fix)]][p], r.wait_states[p]);
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
    if (op.classes & hazard::vmem) possible |= hazard::lds_dma;
    op.cares = cares(possible);
    ops.push_back(op);
  }
  v_nop = *find_opcode("v_nop");
  for (const char* name : {"s_waitcnt_depctr", "s_wait_alu"})   // one row or two
    if (const auto op = find_opcode(name); op && info(*op).on(arch)) alu_wait = *op, has_alu_wait = true;
}

namespace {

// Made when first asked for: few programs need more than one.
const HazardIndex& index_of(Arch arch, int lanes = 0) {
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
  if (i.mods.has(lds)) classes |= hazard::lds_dma;
  return classes;
}

bool wide_store_data(const Inst& i, int& data) {           // CDNA3 ISA 4.5: beyond 64 bits, and no SGPR as offset
  data = i.info().format == Format::mubuf ? 0 : 1;
  return i.operands[data].dwords > 2 && !(i.info().format == Format::mubuf && i.operands[3].is_reg());
}

int hwreg_of(const Inst& i) {                              // the hwreg immediate's number field; -1: none
  for (const auto& o : i.operands) if (o.file == File::imm) return static_cast<int>(o.bits & 63);
  return -1;
}

}  // namespace

bool can_consume(const HazardRule& r, const Info& row, Arch arch) {
  const auto op = static_cast<size_t>(&row - table().data());
  const HazardIndex& index = index_of(arch);
  Classes c = index.ops[op].classes;
  if (c & hazard::valu) c |= row.format == Format::vop1 || row.format == Format::vop2 || row.format == Format::vopc ? hazard::dpp | hazard::zero_flag : hazard::zero_flag;
  return (r.archs & bit(arch)) && (r.consumer & c & hazard::consumers);
}

bool can_produce(const HazardRule& r, const Info& row, Arch arch) {
  const auto op = static_cast<size_t>(&row - table().data());
  Classes c = index_of(arch).ops[op].classes & (hazard::matrix | hazard::acc_read | hazard::acc_write | hazard::dot | hazard::setreg | hazard::trans | hazard::priority);
  if (row.is_matrix() && row.matrix.a == Type::f8f6f4) c |= hazard::wmma_8bit;
  const bool valu = row.is_vector() && !row.is_matrix();
  for (const auto& o : row.operands) {
    if (o.kind == Kind::none || o.access == Access::read) continue;
    if (valu && (o.kind == Kind::v || o.kind == Kind::va)) c |= hazard::valu_vgpr | (c & hazard::dot ? 0 : hazard::valu_not_dot) | hazard::valu_v | hazard::valu_then_acc | hazard::partial;
    if (valu && o.kind == Kind::a) c |= hazard::valu_vgpr | hazard::valu_not_dot | hazard::valu_a;
    if (valu && (o.kind == Kind::s || o.kind == Kind::mask)) c |= hazard::valu_sgpr | hazard::valu_mask | hazard::reused_valu;
    if (row.unit == Unit::salu && o.kind == Kind::s) c |= hazard::salu_m0 | hazard::reused_salu;
  }
  if (valu && (row.implicit & (vcc_w | exec_w))) c |= hazard::valu_sgpr | hazard::valu_mask;
  if (valu && (row.implicit & exec_w)) c |= hazard::valu_exec;
  if (row.unit == Unit::vmem && row.counter == Counter::store && row.operands[row.format == Format::mubuf ? 0 : 1].dwords > 2) c |= hazard::wide_store;
  return (r.archs & bit(arch)) && (r.producer & c);
}

// Registers of one instruction as the links see them: explicit operands, and VCC or M0 where a row reads them silently. EXEC is
// left out: every vector instruction reads it and only the `always` rows care.
struct HazardTracker::Uses {
  std::array<Span, 9> reads;
  std::array<Span, 3> writes;
  int read_count = 0, write_count = 0;
  Span a, b, c, index, scales[2], select, mask, permuted;  // index: of sparse A; permuted: what DPP moves
  uint8_t passes = 0;
  Opcode op{};
  int hwreg = -1;
};

// One number line for all files, so that two tuples meet exactly if their intervals do.
constexpr int scalar_span = 2048;
HazardTracker::Span HazardTracker::span(const Operand& o) {
  if (!o.is_reg()) return {};
  const int base = o.file == File::v ? 0 : o.file == File::a ? 1024 : scalar_span;
  return {static_cast<uint16_t>(base + o.index), static_cast<uint16_t>(base + o.index + o.dwords - 1)};
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
    const Operand& o = i.operands[k];
    if (!o.is_reg()) continue;
    const Span s = span(o);
    const Access access = row.operands[k].access;
    if (row.operands[k].kind == Kind::mask && access == Access::read) u.mask = s;
    else if (access != Access::write || keeps) u.reads[u.read_count++] = s;
    if (access != Access::read && u.write_count < 3) u.writes[u.write_count++] = s;
  }
  if (row.implicit & vcc_r) u.reads[u.read_count++] = span(reg(File::s, sreg::vcc, 2));
  if (classes & (hazard::reads_m0 | hazard::lds_dma)) u.reads[u.read_count++] = span(reg(File::s, sreg::m0));
  if (classes & hazard::matrix) {
    u.a = span(i.operands[1]), u.b = span(i.operands[2]);
    if (row.matrix.sparse()) u.c = span(i.operands[0]), u.index = span(i.operands[3]);
    else u.c = span(i.operands[3]);
    if (row.matrix.scale_block) u.scales[0] = span(i.operands[4]), u.scales[1] = span(i.operands[5]);
    u.passes = passes_of(i);
  }
  if (classes & hazard::dpp) u.permuted = span(i.operands[1]);
  if (classes & hazard::lane_select) u.select = span(i.operands[2]);
  if (classes & hazard::dot) u.a = span(i.operands[1]), u.b = span(i.operands[2]), u.c = row.count() > 3 ? span(i.operands[3]) : span(i.operands[0]), u.op = i.op;
  if (classes & (hazard::getreg | hazard::setreg)) u.hwreg = hwreg_of(i);
  return u;
}

bool HazardTracker::meets(const HazardRule& rule, const Entry& e, const Uses& u) {
  const auto touch = [](Span a, Span b) { return a.first <= b.last && b.first <= a.last; };
  // A row that names its producer by what it writes means that result: v_addc_co_u32 writes an SGPR and a VGPR.
  const bool scalar = rule.producer & hazard::valu_sgpr, vector = rule.producer & (hazard::valu_vgpr | hazard::valu_v | hazard::valu_a | hazard::valu_not_dot);
  const auto meant = [&](Span w) { return scalar == vector || scalar == (w.first >= scalar_span); };
  const auto result = [&](Span s) { return (touch(s, e.writes[0]) && meant(e.writes[0])) || (touch(s, e.writes[1]) && meant(e.writes[1])); };
  const auto any_read = [&] { return std::any_of(u.reads.begin(), u.reads.begin() + u.read_count, result); };
  const auto any_write = [&](auto&& meets_it) { return std::any_of(u.writes.begin(), u.writes.begin() + u.write_count, meets_it); };
  const bool chain = u.op == e.op && u.op != Opcode{} && u.c == e.writes[0];   // an accumulation by one opcode forwards its result
  switch (rule.link) {
    case Link::always: return true;
    case Link::reads: return any_read() || result(u.mask);
    case Link::reads_value: return any_read();
    case Link::reads_mask: return result(u.mask);
    case Link::writes: return any_write(result);
    case Link::srcab: return result(u.a) || result(u.b) || result(u.index) || result(u.scales[0]) || result(u.scales[1]);
    case Link::srcc: return result(u.c);
    case Link::srcc_same: return u.c == e.writes[0];
    case Link::srcc_overlap: return result(u.c) && !(u.c == e.writes[0] && u.passes == e.passes);
    case Link::srcc_partial: return result(u.c) && !(u.c == e.writes[0]);
    case Link::select: return result(u.select);
    case Link::dpp_source: return result(u.permuted);
    case Link::over_srcc:
    case Link::over_data: return any_write([&](Span s) { return touch(s, e.used); });
    case Link::over_sources: return any_write([&](Span s) { return touch(s, e.used) || std::any_of(e.sources, e.sources + 3, [&](Span x) { return touch(s, x); }); });
    case Link::reads_other_op: return chain ? result(u.a) || result(u.b) : any_read();
    case Link::writes_other_op: return !chain && any_write(result);
    case Link::same_hwreg: return u.hwreg == e.used.first;
    case Link::reuse: case Link::mask_reuse: case Link::forwarded: return false;   // kept apart, see find_reuse and find_forwarded
  }
  return false;
}

HazardTracker::HazardTracker(Arch arch, int lanes) : index_(&index_of(arch, lanes)) {}
bool HazardTracker::cured_by_wait_states() const { return index_->nops_only; }

HazardTracker::Found HazardTracker::find(const Inst& next) const {
  if (next.dual) {
    const Found first = find(half(next, 0)), second = find(half(next, 1));
    return second.wait_states > first.wait_states ? second : first;
  }
  Found found;
  const auto& op = index_->ops[static_cast<size_t>(next.op)];
  if (reuse_.any()) found = find_reuse(next, op.classes);
  if (index_->forwarding && !found.wait_states) found = find_forwarded(next, op.classes);
  if (!(live_ & op.cares)) return found;
  const Classes classes = consumer_classes(op.classes, next), cares = index_->cares(classes);
  if (!(live_ & cares)) return found;
  const Uses u = uses(next, classes);
  const RowSet mine = HazardIndex::all_of(index_->consumed_by, classes);
  for (const Entry& e : entries_) {
    if (!(e.classes & cares)) continue;
    const RowSet theirs = HazardIndex::all_of(index_->produced_by, e.classes);
    for (size_t w = 0; w < 2; ++w)
      for (uint64_t both = mine.bits[w] & theirs.bits[w]; both; both &= both - 1) {
        const HazardRule* r = index_->rows[64 * w + static_cast<size_t>(std::countr_zero(both))];
        const int c = clock(r->fix), missing = r->wait_states[e.passes] - (times_[c] - e.start[c]);
        if (missing <= 0 || (r->fix == Fix::va_vdst && e.trans_behind >= 2)) continue;
        // An ALU wait cures in one go; among counted ones the longest decides.
        const int shown = r->fix == Fix::va_vdst ? 1 : missing;
        const bool stronger = shown > found.wait_states || (shown == found.wait_states && found.rule->advice && !r->advice);
        if (stronger && meets(*r, e, u)) found = {shown, r, e.inst};
      }
  }
  return found;
}

HazardTracker::Need HazardTracker::check(const Inst& next) const {
  const Found f = find(next);
  if (!f.rule) return {};
  return {f.wait_states, f.rule, *f.producer};
}

// SGPRs and VCC; M0, EXEC and the rest do not take part (LLVM 22, AMDGPUWaitSGPRHazards).
HazardTracker::Sgprs HazardTracker::sgprs(const Operand& o) {
  Sgprs s;
  if (o.file != File::s || o.index > sreg::vcc + 1) return s;
  for (int r = o.index; r < o.index + o.dwords && r <= sreg::vcc + 1; ++r) s.bits[static_cast<size_t>(r / 64)] |= uint64_t{1} << r % 64;
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
  if (index_->by_salu && (classes & index_->by_salu->consumer) && (read & reuse_.by_salu).any()) return {1, index_->by_salu, reuse_.salu};
  if (index_->by_valu && (classes & index_->by_valu->consumer) && (read & reuse_.by_valu).any()) return {1, index_->by_valu, reuse_.valu};
  return {};
}

// RDNA3 in waves of 64 lanes (LLVM 22, VALUPartialForwardingHazard): of two registers read, the younger was written behind SALU's write of
// EXEC and the older before it, with at most two VALU instructions between the three and four behind.
HazardTracker::Found HazardTracker::find_forwarded(const Inst& next, Classes classes) const {
  const HazardRule& rule = *index_->forwarding;
  if (!(classes & rule.consumer)) return {};
  std::array<const Entry*, max_operands> written{};        // the last producer of each register read
  std::array<Span, max_operands> read;
  int n = 0;
  for (int k = 0; k < next.info().count(); ++k) {
    const Operand& o = next.operands[k];
    if (next.info().operands[k].access == Access::write || o.file != File::v) continue;
    const Span s = span(o);
    if (std::find(read.begin(), read.begin() + n, s) != read.begin() + n) continue;
    for (const Entry& e : entries_)
      if ((e.classes & rule.producer) && std::any_of(e.writes, e.writes + 2, [&](Span w) { return s.first <= w.last && w.first <= s.last; }) &&
          (!written[n] || e.start[valus] > written[n]->start[valus])) written[n] = &e;
    read[n++] = s;
  }
  const Entry* last = nullptr;
  for (const Entry* e : written) if (e && (!last || e->start[valus] > last->start[valus])) last = e;
  if (!last || last->since_exec > 2 || times_[valus] - last->start[valus] > 4) return {};
  const int exec = last->start[valus] - 1 - last->since_exec;   // when EXEC was written
  int before = 100;
  for (const Entry* e : written)
    if (const int distance = e ? exec - e->start[valus] : -1; distance >= 0 && distance <= 2 && e->until_exec >> distance & 1) before = std::min(before, distance);
  return before + last->since_exec <= 2 ? Found{1, &rule, last->inst} : Found{};
}

// Whatever writes a mask first behind the VALU instruction that read it makes the hazard, SALU or VALU (LLVM 22, probed: neither waits nor
// other reads in between end it).
void HazardTracker::mask_issue(const Inst& i) {
  const Info& row = i.info();
  const bool vector = row.is_vector();
  if (i.op == Opcode::s_swappc_b64 || i.op == Opcode::s_setpc_b64 || i.op == Opcode::s_call_b64) reuse_.read = {};   // LLVM looks at functions one by one
  if (!vector && row.unit != Unit::salu) return;
  if (!(~reuse_.read.bits[0] | ~reuse_.read.bits[1])) reuse_.read = {};   // unknown code: LLVM counts on none of its masks
  const Sgprs written = sgprs(i, true), again = written & reuse_.read;
  reuse_.read = reuse_.read.without(written);
  reuse_.by_salu = reuse_.by_salu.without(written), reuse_.by_valu = reuse_.by_valu.without(written);
  if (again.any() && vector) reuse_.by_valu |= again, reuse_.valu = &i;
  else if (again.any()) reuse_.by_salu |= again, reuse_.salu = &i;
  if (!vector) return;
  if (row.implicit & vcc_r) reuse_.read |= sgprs(reg(File::s, sreg::vcc, 2));
  for (int k = 0; k < row.count(); ++k)
    if (row.operands[k].kind == Kind::mask && row.operands[k].access != Access::write) reuse_.read |= sgprs(i.operands[k]);
}

void HazardTracker::reuse_issue(const Inst& i) {
  const Info& row = i.info();
  const bool vector = row.is_vector();
  if (row.format == Format::mubuf || row.format == Format::mtbuf || row.format == Format::smem) reuse_.by_salu = reuse_.by_valu = {};
  if (!vector && row.unit != Unit::salu) return;
  const Sgprs vcc = sgprs(reg(File::s, sreg::vcc, 2)), read = sgprs(i, false);
  if (vector) {
    constexpr uint64_t even = 0x5555555555555555;
    for (size_t w = 0; w < 2; ++w) {
      const uint64_t pairs = (read.bits[w] | read.bits[w] >> 1) & even;
      reuse_.read.bits[w] |= pairs | pairs << 1;
    }
  } else {                                                 // SALU waits for VALU's SGPRs as soon as it reads any of them
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

void HazardTracker::end_rules(Fix fix) {
  for (const HazardRule* r : index_->rows)
    if (r->fix == fix)
      for (Entry& e : entries_)
        if (e.classes & r->producer) e.classes &= ~r->producer, e.life[clock(fix)] = 0;
  if (index_->forwarding && fix == Fix::va_vdst) for (Entry& e : entries_) e.classes &= ~index_->forwarding->producer, e.life[valus] = 0;
}

void HazardTracker::alu_wait(const Inst& i) {
  const uint32_t bits = i.operands[i.info().count() - 1].bits;
  const Sgprs vcc = sgprs(reg(File::s, sreg::vcc, 2));
  for (const DepctrField& f : depctr_fields) {
    if (bits & f.mask) continue;
    if (f.fix == Fix::sa_sdst) reuse_.by_salu = {};
    if (f.fix == Fix::va_sdst) reuse_.by_valu = reuse_.by_valu & vcc;
    end_rules(f.fix);
  }
  if (!(bits & depctr_va_vcc)) reuse_.by_valu = reuse_.by_valu.without(vcc);
  if (!entries_.empty()) expire();
}

Few<Inst, 24> HazardTracker::cure(const Inst& next) {
  Few<Inst, 24> out;
  constexpr int nop_limit = 8;                             // wait states of one s_nop: what LLVM emits on every gfx9
  // Producers are kept by reference; none of these is one: they write nothing a row knows, the move excepted.
  static const Inst move = [] { Inst m{*find_opcode("v_mov_b32")}; m.operands[0] = m.operands[1] = reg(File::v, 0); return m; }();
  for (Found f = find(next); f.wait_states > 0; f = find(next)) {
    Inst i;
    switch (f.rule->fix) {
      case Fix::s_nop: i.op = Opcode::s_nop, i.operands[0] = imm(std::min(f.wait_states, nop_limit) - 1); break;
      case Fix::v_nop: i.op = index_->v_nop; break;
      case Fix::valu_op: i = move; break;
      default: {
        if (!index_->has_alu_wait) throw IsaError(fmt::format("{} on {}: {} needs an ALU wait, for which the instruction tables have no row", f.rule->name, target(index_->arch).name, next.info().mnemonic));
        uint32_t mask = 0;
        for (const DepctrField& d : depctr_fields) if (d.fix == f.rule->fix) mask = d.mask;
        if (f.rule->fix == Fix::va_sdst && (sgprs(next, false) & reuse_.by_valu & sgprs(reg(File::s, sreg::vcc, 2))).any()) mask |= depctr_va_vcc;
        i.op = index_->alu_wait, i.operands[i.info().count() - 1] = imm(static_cast<int32_t>(depctr_none & ~mask));
      }
    }
    out.push_back(i);
    issue(f.rule->fix == Fix::valu_op ? move : i);
  }
  return out;
}

void HazardTracker::expire() {
  live_ = 0;
  next_expiry_ = times_[states] + 1000;
  size_t kept = 0;
  for (const Entry& e : entries_) {
    const int end = e.start[states] + e.life[states];
    if (end <= times_[states] && e.start[valus] + e.life[valus] <= times_[valus] && e.start[real_valus] + e.life[real_valus] <= times_[real_valus]) continue;
    next_expiry_ = std::min(next_expiry_, e.life[valus] || e.life[real_valus] ? times_[states] + 1 : end);   // other clocks: look again at once
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

// The entry an instruction leaves behind; no classes: none.
HazardTracker::Entry HazardTracker::produced(const Inst& i) const {
  using namespace hazard;
  const Info& row = i.info();
  const auto& op = index_->ops[static_cast<size_t>(i.op)];
  Entry e;
  e.start = times_, e.since_exec = since_exec_, e.until_exec = 0;
  if (op.classes & matrix) {
    e.classes = op.classes & matrix;
    e.passes = passes_of(i);
    const bool sparse = row.matrix.sparse();
    e.writes[0] = span(i.operands[0]);
    e.used = span(i.operands[sparse ? 0 : 3]);
    if (!(e.classes & (xdl | sgemm | dgemm))) {            // MFMA's SrcA and SrcB are free once it runs
      e.sources[0] = span(i.operands[1]), e.sources[1] = span(i.operands[2]);
      if (sparse) e.sources[2] = span(i.operands[3]);
      if (row.matrix.a == Type::f8f6f4 && (bits(narrow_format(i.mods.cbsz)) == 8 || bits(narrow_format(i.mods.blgp)) == 8)) e.classes |= wmma_8bit;
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
    if (row.implicit & exec_w) e.writes[1] = span(reg(File::s, sreg::exec, 2)), e.classes |= valu_sgpr | valu_mask | valu_exec;
    e.classes |= op.classes & (hazard::trans | acc_read | acc_write | dot);
    if (e.classes & valu_vgpr && !(op.classes & dot)) e.classes |= valu_not_dot;
    if (op.classes & index_->produced & hazard::trans)
      for (int k = 0; k < row.count() && sources < 3; ++k) if (op.reads >> k & 1) e.sources[sources++] = span(i.operands[k]);
    if (e.classes & dot && index_->same_op) e.op = i.op;
    if (writes_part(i)) e.classes |= partial;
  } else if (op.classes & (setreg | priority)) {
    e.classes = op.classes & (setreg | priority);
    const int number = hwreg_of(i);
    e.used = {static_cast<uint16_t>(number), static_cast<uint16_t>(number)};
  } else if (row.unit == Unit::salu) {
    if (!(op.writes & 1) || !i.operands[0].covers(File::s, sreg::m0)) return e;
    e.classes = salu_m0;
    e.writes[0] = span(i.operands[0]);
  } else if (op.classes & vmem && row.counter != Counter::load && !op.writes) {
    int data = 0;
    if (!wide_store_data(i, data)) return e;
    e.classes = wide_store;
    e.used = span(i.operands[data]);
  }
  return e;
}

void HazardTracker::add(Entry e, const Inst& i) {
  e.classes &= index_->produced;
  for (Classes c = e.classes; c; c &= c - 1)
    for (int k = 0; k < clocks; ++k) e.life[k] = std::max(e.life[k], index_->life[std::countr_zero(c)][k][e.passes]);
  if (e.life == decltype(e.life){}) return;
  const int end = e.life[valus] || e.life[real_valus] ? times_[states] + 1 : times_[states] + e.life[states];
  next_expiry_ = entries_.empty() ? end : std::min(next_expiry_, end);
  live_ |= e.classes;
  e.inst = &i;
  entries_.push_back(e);
}

// gfx908: a v_accvgpr_* right behind a VALU instruction delays that one's result for memory.
void HazardTracker::acc_behind_valu(const Inst&) {
  for (size_t k = 0, n = entries_.size(); k < n; ++k) {
    if (!(entries_[k].classes & hazard::valu_v) || (entries_[k].classes & hazard::acc_read) || times_[states] - entries_[k].start[states] > 1) continue;   // nothing between (LLVM, probed)
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
    if (op.classes & hazard::memory) for (Entry& e : entries_) e.trans_behind = 2;   // waits for the VALU itself (LLVM, probed)
    if (op.classes & hazard::trans) for (Entry& e : entries_) e.trans_behind = static_cast<uint8_t>(std::min(e.trans_behind + 1, 2));
    if (index_->has_alu_wait && i.op == index_->alu_wait) alu_wait(i);
    if (index_->by_salu && index_->by_salu->link == Link::mask_reuse) mask_issue(i);
    else if (index_->by_salu || index_->by_valu) reuse_issue(i);
    if (!entries_.empty() && (op.classes & hazard::memory)) end_rules(Fix::va_vdst);   // it waits for the VALU itself (LLVM 22, probed)
  }
  advance(1);
  if (index_->produced & hazard::valu_then_acc && op.classes & (hazard::acc_read | hazard::acc_write)) acc_behind_valu(i);
  Entry e = produced(i);
  if (e.classes) add(e, i);
  if (index_->forwarding) forwarding_issue(i);
}

void HazardTracker::forwarding_issue(const Inst& i) {
  const Info& row = i.info();
  const Operand& d = i.operands[0];
  if (row.is_vector()) since_exec_ = std::min<uint8_t>(since_exec_ + 1, long_ago);
  const bool writes_exec = (row.implicit & exec_w) || (row.operands[0].access != Access::read && d.file == File::s && (d.index | 1) == (sreg::exec | 1));
  if (row.unit != Unit::salu || !writes_exec) return;
  since_exec_ = 0;
  for (Entry& e : entries_)
    if (const int distance = times_[valus] - e.start[valus]; distance <= 2) e.until_exec |= static_cast<uint8_t>(1 << distance);
}

void HazardTracker::merge(const HazardTracker& o) {
  for (Entry e : o.entries_) {
    for (int c = 0; c < clocks; ++c) e.start[c] += times_[c] - o.times_[c];
    const auto twin = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& x) { return x.same(e); });
    if (twin == entries_.end()) entries_.push_back(e);
    else for (int c = 0; c < clocks; ++c) twin->start[c] = std::max(twin->start[c], e.start[c]);
  }
  since_exec_ = std::min(since_exec_, o.since_exec_);
  reuse_.read |= o.reuse_.read;
  if (o.reuse_.by_salu.without(reuse_.by_salu).any()) reuse_.by_salu |= o.reuse_.by_salu, reuse_.salu = o.reuse_.salu;
  if (o.reuse_.by_valu.without(reuse_.by_valu).any()) reuse_.by_valu |= o.reuse_.by_valu, reuse_.valu = o.reuse_.valu;
  expire();
}

bool HazardTracker::operator==(const HazardTracker& o) const {
  if (entries_.size() != o.entries_.size() || live_ != o.live_ || since_exec_ != o.since_exec_ || !(reuse_ == o.reuse_)) return false;
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return std::any_of(o.entries_.begin(), o.entries_.end(), [&](const Entry& x) {
      for (int c = 0; c < clocks; ++c) if (e.life[c] && times_[c] - e.start[c] != o.times_[c] - x.start[c]) return false;
      return x.same(e);
    });
  });
}
bool HazardTracker::identical(const HazardTracker& o) const {
  return *this == o && reuse_.salu == o.reuse_.salu && reuse_.valu == o.reuse_.valu && std::ranges::equal(entries_, o.entries_, {}, &Entry::inst, &Entry::inst);
}

}  // namespace wavesmith::isa
