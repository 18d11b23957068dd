// The effect of instructions on the known values of registers.
#include "checker/machine.h"

namespace wavesmith::checker {
namespace {

// Possible contents of a VGPR after a narrow load; 0: not computed yet.
uint32_t loaded_bits(Opcode op) {
  switch (op) {
    case Opcode::global_load_ubyte: return 0xff;
    case Opcode::global_load_ushort: return 0xffff;
    case Opcode::global_load_dword: return 0xffffffff;
    default: return 0;
  }
}

}  // namespace

// The result is known if all inputs are, and uniform if no input may differ between waves.
Value Evaluator::Machine::inputs(const Item& item, const Values& st, Inputs& in) const {
  Value worst = 1;
  item.reads.each([&](int reg) {
    const Value v = reg == scalar_base + sreg::mode ? uniform : st.of[static_cast<size_t>(reg)];
    if (v == unknown) worst = unknown;
    else if (v == uniform && worst != unknown && reg != scalar_base + sreg::mode && reg != scalar_base + sreg::null)
      worst = uniform;
    in.emplace_back(static_cast<uint16_t>(reg), v);
  });
  return worst;
}

bool Evaluator::Machine::all_same(const Inputs& in) const {
  return std::all_of(in.begin(), in.end(), [&](const auto& i) {
    return i.second == uniform || (i.second > 0 && same[static_cast<size_t>(i.second)]);
  });
}

void Evaluator::Machine::forget(const Item& item, Values& st, Value what) {
  const auto by_lane = [&] {
    const isa::Info& row = item.inst.info();
    return row.unit == isa::Unit::vmem || (row.is_vector() && !row.is_matrix() && !reads_other_lanes(item.inst) &&
                                           item.inst.op != Opcode::v_writelane_b32);
  };
  const bool others_stay =
      first_group && item.refusal.empty() && exec(st) > 0 && exec(st) != start.of[exec_lo] && by_lane();
  item.writes.each([&](int reg) {
    const Value v = st.of[static_cast<size_t>(reg)];
    st.of.set(static_cast<size_t>(reg), !is_vector_number(reg) ? what
                                        : others_stay && v > 0 ? in_other_lanes(st, reg)
                                                               : unknown);
  });
}

// The value of a register in the lanes that EXEC disables.
Value Evaluator::Machine::in_other_lanes(const Values& st, int reg) {
  Inputs in{{static_cast<uint16_t>(reg), st.of[static_cast<size_t>(reg)]}};
  for (int k = 0; k < exec_words; ++k)
    in.emplace_back(static_cast<uint16_t>(exec_lo + k), st.of[static_cast<size_t>(exec_lo + k)]);
  Value& v = known[{nullptr, in}];
  if (!v)
    expressions.push_back({nullptr, in}),
        v = make_later(static_cast<int>(expressions.size()) - 1, static_cast<uint16_t>(reg), false),
        expressions.back().first = v;
  return v;
}

// A product with zero (positions in workgroup 0 are zero) is known whatever the other factor is.
// True: the upper half of the result is unknown, because that of the 64-bit addend is.
bool Evaluator::Machine::drop_factor(const Inst& i, const Values& st, Inputs& in) {
  switch (i.op) {
    case Opcode::s_mul_i32:
    case Opcode::v_mul_lo_u32:
    case Opcode::v_mul_u32_u24:
    case Opcode::v_mad_u32_u24:
    case Opcode::v_mad_u64_u32:
    case Opcode::v_mad_u32: break;
    default: return false;
  }
  const isa::Info& row = i.info();
  int first = 0;
  while (row.operands[first].access != isa::Access::read) ++first;
  const auto value = [&](const Operand& o) {
    return o.is_reg() && o.dwords == 1 ? st.of[static_cast<size_t>(number_of(o))] : unknown;
  };
  for (const auto& [a, b] : {std::pair{first, first + 1}, {first + 1, first}}) {
    const Operand &zero = i.operands[a], &other = i.operands[b];
    const Data* d =
        value(zero) > 0 && other.is_reg() && other.file == zero.file && value(other) <= 0 ? get(value(zero)) : nullptr;
    if (!d || std::ranges::any_of(d->bits, [](uint32_t x) { return x != 0; })) continue;
    for (auto& [reg, v] : in)
      if (reg == number_of(other)) v = value(zero);
  }
  if (i.op != Opcode::v_mad_u64_u32 || !i.operands[4].is_reg()) return false;
  const int low = number_of(i.operands[4]);
  const Value known_half = st.of[static_cast<size_t>(low)];
  bool lost = false;
  for (auto& [reg, v] : in)
    if (reg == low + 1 && v <= 0 && known_half > 0) v = known_half, lost = true;
  return lost;
}

// Both halves of a pair read before either writes, so they run one after the other, first the one that reads a register
// the other writes. If each reads the other's result, nothing is known.
void Evaluator::Machine::step(const Item& item, Values& st) {
  const bool writes_only = item.flow == Flow::next && item.refusal.empty() && item.bases.empty();
  if (writes_only && !item.writes.meets(asked_registers)) return;  // nobody asks for its results
  if (!item.refusal.empty() || !item.inst.dual) return single(item, st);
  auto& [a, b] = halves[&item];
  if (!a) a = items.make(items.keep(isa::half(item.inst, 0))), b = items.make(items.keep(isa::half(item.inst, 1)));
  const auto feeds = [](const Item& from, const Item& to) {
    bool any = false;
    from.writes.each([&](int reg) { any |= has(to.reads, reg); });
    return any;
  };
  const bool second_first = feeds(*a, *b);
  if (second_first && feeds(*b, *a)) return single(item, st);
  single(second_first ? *b : *a, st);
  single(second_first ? *a : *b, st);
}

void Evaluator::Machine::single(const Item& item, Values& st) {
  if (!item.refusal.empty() || item.flow != Flow::next || !writes_scalars(item)) return effect(item, st);
  find_parts(item, st, parts);
  const bool compares = item.inst.info().is_vector() && (item.inst.info().implicit & isa::exec_w);
  const auto outer =
      exec(st) > 0 ? std::array<Value, 2>{st.of[exec_lo], exec_words > 1 ? st.of[exec_lo + 1] : unknown} : st.within;
  effect(item, st);
  if (compares && exec(st) <= 0) st.within = outer;  // v_cmpx only disables lanes
  for (const auto& [reg, v] : parts) st.part[static_cast<size_t>(reg)] = v;
  if (has(item.writes, exec_lo) && !takes_lanes_away(item.inst)) widen(st);
}

bool Evaluator::Machine::writes_scalars(const Item& item) {
  for (int k = 0; k < item.writes.count; ++k)
    if (item.writes.parts[static_cast<size_t>(k)].word >= scalar_base / 64) return true;
  return false;
}

void Evaluator::Machine::effect(const Item& item, Values& st) {
  if (!item.refusal.empty() || item.flow == Flow::call)
    return void(st = Values{.of = nothing.of, .waves_split = st.waves_split, .here = st.here});
  const Inst& i = item.inst;
  for (const Base& b : item.bases)  // an indexed access may touch any register of the file from its base on
    for (int reg = number_of(b.reg), end = b.reg.file == File::s ? scalar_base + sreg::vcc : scalar_base;
         b.writes && reg < end; ++reg)
      st.of.set(static_cast<size_t>(reg), unknown);
  if (item.flow == Flow::conditional) return taken(item, st) ? void() : branch(item, st);
  if (!item.writes.count) return;
  const bool vector = i.info().is_vector();
  if (!vector && mask_step(item, st)) return;
  if (is_move(i) && item.bases.empty() && (!vector || exec(st) == start.of[exec_lo])) {
    std::array<Value, 2> from{};
    for (int k = 0; k < i.operands[1].dwords && k < 2; ++k)
      from[static_cast<size_t>(k)] = st.of[static_cast<size_t>(number_of(i.operands[1]) + k)];
    for (int k = 0; k < i.operands[0].dwords && k < 2; ++k)
      st.of.set(static_cast<size_t>(number_of(i.operands[0]) + k),
                vector && from[static_cast<size_t>(k)] < 0 ? unknown : from[static_cast<size_t>(k)]);
    return;
  }
  if (i.info().format == isa::Format::global && i.info().counter == isa::Counter::load && !in_flight::loads_into_lds(i))
    return first_group ? forget(item, st, unknown) : load(item, st);
  asked.item = &item, asked.in.clear();
  Inputs& in = asked.in;
  const bool loads = i.info().counter == isa::Counter::smem,
             inner = vector && (exec(st) <= 0 || any_inner(item.reads, st));
  Value worst = item.pure || loads ? inputs(item, st, in) : unknown;
  bool low_only = false;
  if (worst <= 0 && item.pure && first_group) {
    low_only = drop_factor(i, st, in);
    worst = 1;
    for (const auto& [reg, v] : in)
      if (v <= 0 && reg != scalar_base + sreg::mode && reg != scalar_base + sreg::null)
        worst = v == unknown || worst == unknown ? unknown : uniform;
  }
  if (worst <= 0 && item.pure && vector && exec(st) <= 0 && !writes_scalars(item) && !reads_other_lanes(i))
    worst = in_most_lanes(st, in);
  if (worst == unknown || !item.pure || (vector && worst == uniform))
    return forget(item, st, loads && worst != unknown && all_same(in) ? uniform : unknown);
  if (worst == uniform) return forget(item, st, all_same(in) ? uniform : unknown);
  const bool of_data = std::any_of(
      in.begin(), in.end(), [&](const auto& x) { return x.second > 0 && sampled[static_cast<size_t>(x.second)]; });
  if (of_data && !only_data(item, in)) return forget(item, st, unknown);
  if (vector && exec(st) > 0 && !is_full(st))  // inactive lanes keep their value
    item.writes.each([&](int reg) {
      if (is_vector_number(reg) && !has(item.reads, reg))
        in.emplace_back(static_cast<uint16_t>(reg), std::max(st.of[static_cast<size_t>(reg)], 0));
    });
  const bool keeps_inner =
      vector && (inner || (exec(st) != start.of[exec_lo] && (of_data || any_inner(item.writes, st))));
  Value& first = known[asked];
  if (!first) {
    expressions.push_back({&item, in});
    const bool is_same = all_same(in);
    bool any = false;
    item.writes.each([&](int reg) {
      const Value v = make_later(static_cast<int>(expressions.size()) - 1, static_cast<uint16_t>(reg), is_same);
      sampled[static_cast<size_t>(v)] = of_data;
      if (!std::exchange(any, true)) first = v;
    });
    expressions.back().first = first;
  }
  Value v = first;
  item.writes.each([&](int reg) {
    if (is_vector_number(reg)) set_inner(st, reg, keeps_inner);
    st.of.set(static_cast<size_t>(reg), reg == scalar_base + sreg::null ? uniform : v);
    ++v;
  });
  if (low_only) st.of.set(static_cast<size_t>(number_of(i.operands[0]) + 1), unknown);
}

// If EXEC is unknown: in all lanes of the mask it is a subset of. This holds until lanes become active again.
Value Evaluator::Machine::in_most_lanes(const Values& st, Inputs& in) const {
  Value worst = 1;
  for (auto& [reg, v] : in) {
    if (reg >= exec_lo && reg < exec_lo + exec_words) v = most_lanes(st, reg - exec_lo);
    if (v <= 0) worst = v == unknown || worst == unknown ? unknown : uniform;
  }
  return worst;
}

// A value computed lane by lane from data alone counts as data.
bool Evaluator::Machine::only_data(const Item& item, const Inputs& in) const {
  return !writes_scalars(item) && !reads_other_lanes(item.inst) &&
         std::all_of(in.begin(), in.end(), [&](const auto& x) {
           return x.second == uniform || (x.first >= exec_lo && x.first < exec_lo + exec_words) ||
                  same[static_cast<size_t>(x.second)] || sampled[static_cast<size_t>(x.second)];
         });
}

// Sample contents of global memory: some numbers of the loaded width, zero among them. Unknown if only a part of the
// register is loaded.
void Evaluator::Machine::load(const Item& item, Values& st) {
  forget(item, st, unknown);
  const uint32_t bits = loaded_bits(item.inst.op);
  if (!bits || item.inst.operands[0].file != File::v) return;
  Value& v = loaded[&item];
  if (!v) {
    v = make_later(-1, 0, false);
    sampled[static_cast<size_t>(v)] = true;
    auto d = std::make_unique<Data>();
    for (size_t k = 0; k < waves.size() * 64; ++k)
      d->bits.push_back(static_cast<uint32_t>(k & 255) * 0x01010101 & bits);
    d->valid.assign(waves.size(), ~uint64_t{0});
    data[static_cast<size_t>(v)] = std::move(d);
  }
  const int reg = number_of(item.inst.operands[0]);
  st.of.set(static_cast<size_t>(reg), v);
  set_inner(st, reg, exec(st) != start.of[exec_lo]);
}

Evaluator::Evaluator(const Code& c, const Entry& e, const sim::KernelInfo& k, const RegBits& asked, Shape shape,
                     Assume assume)
    : machine_(std::make_unique<Machine>(c, e, k, asked, shape, assume)) {}
Evaluator::~Evaluator() = default;
int Evaluator::waves() const { return machine_->usable ? static_cast<int>(machine_->waves.size()) : 0; }
bool Evaluator::lanes_known(const Values& st) const { return machine_->exec(st) > 0; }
Values Evaluator::entry() const { return machine_->start; }
Values Evaluator::nothing() const { return machine_->nothing; }
bool Evaluator::narrow(const Item& item, Values& st, bool taken) const { return machine_->narrow(item, st, taken); }
std::optional<bool> Evaluator::taken(const Item& item, const Values& st) { return machine_->taken(item, st); }
void Evaluator::step(const Item& item, Values& st) { machine_->step(item, st); }
const LdsTouch* Evaluator::touch(const Item& item, const Values& st) { return machine_->touch(item, st); }

// A join of different values is uniform only if all waves took the same path.
bool Evaluator::join(Values& into, const Values& from) {
  bool changed = false;
  const auto set = [&](auto& x, auto v) {
    if (x != v) x = v, changed = true;
  };
  set(into.lanes_split, into.lanes_split || from.lanes_split);
  set(into.here, into.here && from.here ? into.here | from.here : 0);
  if (from.waves_split)
    set(into.waves_split,
        into.waves_split && into.waves_split != from.waves_split ? Values::for_good : from.waves_split);
  for (size_t w = 0; w < into.inner.size(); ++w) set(into.inner[w], into.inner[w] | from.inner[w]);
  const bool apart = into.lanes_split || into.waves_split;
  const auto alike = [&](Value v) { return v == uniform || (v > 0 && machine_->same[static_cast<size_t>(v)]); };
  for (size_t r = 0; r < into.part.size(); ++r)
    if (into.part[r] != from.part[r]) {
      const auto more = [&](const Values& x) {
        const Value v = x.of[scalar_base + r];
        return v > 0 ? v : x.part[r];
      };
      set(into.part[r], more(into) == more(from) ? more(into) : unknown);
    }
  changed |= into.of.join(from.of, [&](int reg, Value a, Value b) {
    const bool grown = a == uniform || b == uniform;  // the value is no longer known
    return !is_vector_number(reg) && (!apart || grown) && alike(a) && alike(b) ? uniform : unknown;
  });
  if (into.within != from.within) set(into.within, std::array<Value, 2>{});
  return changed;
}

}  // namespace wavesmith::checker
