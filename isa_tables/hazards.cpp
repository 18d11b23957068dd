// The rows of hazards.def as values and the tracker over them. Most instructions leave with one mask test: what is in flight,
// against what the opcode could ever collide with; both masks are precomputed for every target and opcode.
#include "isa_tables/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace wavesmith::isa {
namespace {

using hazard::Link;
constexpr ArchSet cdna2 = bit(Arch::gfx90a), cdna3 = bit(Arch::gfx942), cdna4 = bit(Arch::gfx950);
constexpr ArchSet cdna34 = cdna3 | cdna4, gfx90a_up = cdna2 | cdna34;

constexpr auto make_rules() {
  using namespace hazard;
  return std::to_array<HazardRule>({
#define HAZARD(name, archs, producer, consumer, link, p2, p4, p8, p16, source) \
  {name, archs, producer, consumer, Link::link, {p2, p4, p8, p16}, source},
#include "isa_tables/hazards.def"
#undef HAZARD
  });
}
constexpr auto rules = make_rules();

// What the opcode alone says; operands and modifiers add or take away in classes_of().
uint32_t opcode_classes(const Info& row) {
  using namespace hazard;
  uint32_t c = 0;
  if (row.is_matrix()) return row.matrix.a == Type::f64 ? dgemm : row.matrix.a == Type::f32 ? sgemm : xdl;
  if (row.is_vector()) c |= valu | (row.unit == Unit::trans ? hazard::trans : non_trans);
  if (row.unit == Unit::vmem) c |= vmem;
  if (row.unit == Unit::lds) c |= lds_access;
  if (row.implicit & m0_r) c |= reads_m0;
  return c;
}

}  // namespace

std::span<const HazardRule> hazard_rules() { return rules; }

// Per target: the rows by producer class bit, and for every opcode its classes and the producers it could wait for.
struct HazardIndex {
  struct Op { uint32_t classes, cares; uint8_t reads, writes, passes; };   // reads, writes: a bit an operand
  std::vector<Op> ops;
  std::array<uint32_t, 32> producers_of{};                 // consumer class bit -> producer classes
  std::vector<const HazardRule*> rows;
  std::array<std::array<uint8_t, 4>, 32> life{};           // producer class bit, passes -> most wait states
  explicit HazardIndex(Arch);
  uint32_t cares(uint32_t classes) const {
    uint32_t out = 0;
    for (uint32_t c = classes & hazard::consumers; c; c &= c - 1) out |= producers_of[std::countr_zero(c)];
    return out;
  }
};

HazardIndex::HazardIndex(Arch arch) {
  for (const auto& r : rules) {
    if (!(r.archs & bit(arch))) continue;
    rows.push_back(&r);
    for (int b = 0; b < 32; ++b) {
      if (r.consumer >> b & 1) producers_of[b] |= r.producer;
      if (r.producer >> b & 1)
        for (int p = 0; p < 4; ++p) life[b][p] = std::max(life[b][p], r.wait_states[p]);
    }
  }
  for (const auto& row : table()) {
    const auto is = [&](Opcode o) { return &row == &info(o); };
    Op op{opcode_classes(row), 0, 0, 0, 0};
    if (is(Opcode::v_readlane_b32)) op.classes |= hazard::lane_read | hazard::lane_select | hazard::lane_access;
    if (is(Opcode::v_readfirstlane_b32)) op.classes |= hazard::lane_read | hazard::lane_access;
    if (is(Opcode::v_writelane_b32)) op.classes |= hazard::lane_select | hazard::lane_access;
    if (is(Opcode::v_div_fmas_f32)) op.classes |= hazard::div_fmas;
    for (int i = 0; i < row.count(); ++i) {
      if (row.operands[i].access != Access::write) op.reads |= 1 << i;
      if (row.operands[i].access != Access::read) op.writes |= 1 << i;
    }
    const int passes = row.passes(arch);
    op.passes = passes >= 16 ? 3 : passes >= 8 ? 2 : passes >= 4 ? 1 : 0;
    // What modifiers and operands can add to the opcode's own consumer classes.
    uint32_t possible = op.classes;
    if (op.classes & hazard::valu) possible |= hazard::dpp | hazard::zero_flag;
    if (op.classes & hazard::vmem) possible |= hazard::reads_m0;
    op.cares = cares(possible);
    ops.push_back(op);
  }
}

namespace {

const HazardIndex& index_of(Arch arch) {
  static const auto* all = [] {
    auto* v = new std::vector<HazardIndex>;
    for (size_t a = 0; a < all_targets().size(); ++a) v->emplace_back(static_cast<Arch>(a));
    return v;
  }();
  return (*all)[static_cast<size_t>(arch)];
}

bool writes_part(const Inst& i) {
  return (i.mods.sdwa && i.mods.dst_sel != Sdwa::dword && i.info().format != Format::vopc) || (i.mods.op_sel & 8);
}

uint32_t consumer_classes(uint32_t classes, const Inst& i) {
  if (classes & hazard::valu) {
    if (i.mods.dpp) classes |= hazard::dpp;
    for (const auto& o : i.operands)
      if (o.file == File::s && (o.index == sreg::vccz || o.index == sreg::execz)) classes |= hazard::zero_flag;
  }
  if (i.mods.has(lds)) classes |= hazard::reads_m0;
  return classes;
}

}  // namespace

// Registers of one instruction as the links see them: explicit operands, and VCC or M0 where a row reads them silently. EXEC is
// left out: every vector instruction reads it and only the `always` rows care.
struct HazardTracker::Uses {
  std::array<Span, 8> reads;
  std::array<Span, 3> writes;
  int read_count = 0, write_count = 0;
  Span a, b, c, select;
  uint8_t passes = 0;
};

// One number line for all files, so that two tuples meet exactly if their intervals do.
HazardTracker::Span HazardTracker::span(const Operand& o) {
  if (!o.is_reg()) return {};
  const int base = o.file == File::v ? 0 : o.file == File::a ? 1024 : 2048;
  return {static_cast<uint16_t>(base + o.index), static_cast<uint16_t>(base + o.index + o.dwords - 1)};
}

HazardTracker::Uses HazardTracker::uses(const Inst& i, uint32_t classes) {
  Uses u;
  const Info& row = i.info();
  const bool keeps = (i.mods.sdwa && i.mods.dst_unused == 2) || (i.mods.dpp && !i.mods.bound_ctrl) || writes_part(i);
  for (int k = 0; k < max_operands && row.operands[k].kind != Kind::none; ++k) {
    const Operand& o = i.operands[k];
    if (!o.is_reg()) continue;
    const Span s = span(o);
    const Access access = row.operands[k].access;
    if (access != Access::write || keeps) u.reads[u.read_count++] = s;
    if (access != Access::read && u.write_count < 3) u.writes[u.write_count++] = s;
  }
  if (row.implicit & vcc_r) u.reads[u.read_count++] = span(reg(File::s, sreg::vcc, 2));
  if (classes & hazard::reads_m0) u.reads[u.read_count++] = span(reg(File::s, sreg::m0));
  if (classes & hazard::matrix) u.a = span(i.operands[1]), u.b = span(i.operands[2]), u.c = span(i.operands[3]);
  if (classes & hazard::lane_select) u.select = span(i.operands[2]);
  return u;
}

bool HazardTracker::meets(const HazardRule& rule, const Entry& e, const Uses& u) {
  const auto touch = [](Span a, Span b) { return a.first <= b.last && b.first <= a.last; };
  const auto result = [&](Span s) { return touch(s, e.writes[0]) || touch(s, e.writes[1]); };
  switch (rule.link) {
    case Link::always: return true;
    case Link::reads: return std::any_of(u.reads.begin(), u.reads.begin() + u.read_count, result);
    case Link::writes: return std::any_of(u.writes.begin(), u.writes.begin() + u.write_count, result);
    case Link::srcab: return result(u.a) || result(u.b);
    case Link::srcc_same: return u.c == e.writes[0];
    case Link::srcc_overlap: return result(u.c) && !(u.c == e.writes[0] && u.passes == e.passes);
    case Link::select: return result(u.select);
    case Link::over_srcc:
    case Link::over_data: return std::any_of(u.writes.begin(), u.writes.begin() + u.write_count, [&](Span s) { return touch(s, e.used); });
  }
  return false;
}

HazardTracker::HazardTracker(Arch arch) : index_(&index_of(arch)) {}

HazardTracker& HazardTracker::operator=(const HazardTracker& o) {
  if (this == &o) return *this;
  index_ = o.index_, time_ = o.time_, next_expiry_ = o.next_expiry_, size_ = o.size_, live_ = o.live_;
  std::copy_n(o.entries_.begin(), size_, entries_.begin());
  std::copy_n(o.producers_.begin(), size_, producers_.begin());
  return *this;
}

HazardTracker::Found HazardTracker::find(const Inst& next) const {
  Found found;
  const auto& op = index_->ops[static_cast<size_t>(next.op)];
  if (!(live_ & op.cares)) return found;
  const uint32_t classes = consumer_classes(op.classes, next), cares = index_->cares(classes);
  if (!(live_ & cares)) return found;
  Uses u = uses(next, classes);
  u.passes = op.passes;
  for (int k = 0; k < size_; ++k) {
    const Entry& e = entries_[k];
    if (!(e.classes & cares)) continue;
    const int elapsed = time_ - e.start;
    if (elapsed >= e.life) continue;
    for (const HazardRule* r : index_->rows) {
      if (!(r->producer & e.classes) || !(r->consumer & classes)) continue;
      const int missing = r->wait_states[e.passes] - elapsed;
      if (missing > found.wait_states && meets(*r, e, u)) found = {missing, r, k};
    }
  }
  return found;
}

HazardTracker::Need HazardTracker::check(const Inst& next) const {
  const Found f = find(next);
  if (f.entry < 0) return {};
  return {f.wait_states, f.rule, producers_[f.entry]};
}

void HazardTracker::expire() {
  live_ = 0;
  next_expiry_ = time_ + 1000;
  int kept = 0;
  for (int k = 0; k < size_; ++k) {
    const int end = entries_[k].start + entries_[k].life;
    if (end <= time_) continue;
    next_expiry_ = std::min(next_expiry_, end);
    live_ |= entries_[k].classes;
    if (kept != k) entries_[kept] = entries_[k], producers_[kept] = producers_[k];
    ++kept;
  }
  size_ = kept;
}

void HazardTracker::advance(int wait_states) {
  time_ += wait_states;
  if (size_ && time_ >= next_expiry_) expire();
}

void HazardTracker::issue(const Inst& i) {
  if (i.op == Opcode::s_nop) return advance(static_cast<int>(i.operands[0].bits & 15) + 1);
  advance(1);
  using namespace hazard;
  const Info& row = i.info();
  const auto& op = index_->ops[static_cast<size_t>(i.op)];
  Entry e;
  e.start = time_;
  e.passes = op.passes;
  if (op.classes & matrix) {
    e.classes = op.classes & matrix;
    e.writes[0] = span(i.operands[0]);
    e.used = span(i.operands[3]);
  } else if (op.classes & valu) {
    int n = 0;
    for (int k = 0; k < 2; ++k) {
      if (!(op.writes >> k & 1) || !i.operands[k].is_reg()) continue;
      const Operand& o = i.operands[k];
      e.writes[n++] = span(o);
      e.classes |= o.file == File::s ? valu_sgpr : valu_vgpr;
      if (o.file == File::s && (o.index | 1) == (sreg::vcc | 1)) e.classes |= valu_mask;
      if (o.file == File::s && (o.index | 1) == (sreg::exec | 1)) e.classes |= valu_mask | valu_exec;
    }
    if (row.implicit & vcc_w) e.writes[1] = span(reg(File::s, sreg::vcc, 2)), e.classes |= valu_sgpr | valu_mask;
    if (row.implicit & exec_w) e.writes[1] = span(reg(File::s, sreg::exec, 2)), e.classes |= valu_sgpr | valu_mask | valu_exec;
    if (row.unit == Unit::trans) e.classes |= hazard::trans;
    if (writes_part(i)) e.classes |= partial;
  } else if (row.unit == Unit::salu) {
    if (!(op.writes & 1) || !i.operands[0].covers(File::s, sreg::m0)) return;
    e.classes = salu_m0;
    e.writes[0] = span(i.operands[0]);
  } else if (op.classes & vmem && row.counter != Counter::load && !op.writes) {
    const int data = row.format == Format::mubuf ? 0 : 1;
    if (i.operands[data].dwords <= 2 || (row.format == Format::mubuf && i.operands[3].is_reg())) return;
    e.classes = wide_store;
    e.used = span(i.operands[data]);
  }
  for (uint32_t c = e.classes; c; c &= c - 1) e.life = std::max(e.life, index_->life[std::countr_zero(c)][e.passes]);
  if (!e.life) return;                                     // room is certain: see join_limit
  next_expiry_ = size_ ? std::min(next_expiry_, time_ + e.life) : time_ + e.life;
  live_ |= e.classes;
  entries_[size_] = e;
  producers_[size_++] = i;
}

void HazardTracker::merge(const HazardTracker& o) {
  for (int k = 0; k < o.size_; ++k) {
    Entry e = o.entries_[k];
    e.start += time_ - o.time_;
    const auto end = entries_.begin() + size_;
    const auto twin = std::find_if(entries_.begin(), end, [&](const Entry& x) { return x.same(e); });
    if (twin != end) {
      twin->start = std::max(twin->start, e.start);
      continue;
    }
    if (size_ == join_limit) throw IsaError(fmt::format("hazards: more than {} producers in flight where branches join; legal is to end each branch with s_nop", join_limit));
    entries_[size_] = e;
    producers_[size_++] = o.producers_[k];
  }
  expire();
}

bool HazardTracker::operator==(const HazardTracker& o) const {
  if (size_ != o.size_ || live_ != o.live_) return false;
  return std::all_of(entries_.begin(), entries_.begin() + size_, [&](const Entry& e) {
    return std::any_of(o.entries_.begin(), o.entries_.begin() + o.size_, [&](const Entry& x) { return x.same(e) && time_ - e.start == o.time_ - x.start; });
  });
}

}  // namespace wavesmith::isa
