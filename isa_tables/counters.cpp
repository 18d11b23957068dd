// The rows of counters.def as values, and waits as instructions. Rows name mnemonics; a target has the waits that are
// in its instruction tables.
#include "isa_tables/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa_tables/arch_sets.h"

namespace wavesmith::isa {
namespace {

struct CounterRow {
  ArchSet archs;
  WaitCounter counter;
  CounterSpec spec;
};
struct WaitRow {
  ArchSet archs;
  const char* mnemonic;
  WaitCounter counter;
  int shift, bits, high;
};
struct DrainRow {
  ArchSet archs;
  const char* mnemonic;
};
struct SourceRow {
  ArchSet archs;
  const char* source;
};
struct EventRow {
  ArchSet archs;
  Counter kind;
  WaitCounter counter;
  Order order;
};

constexpr int understood = -1;  // in WAIT's last column: the bits are taken from the fields

// clang-format off
#define DRAIN(...)
#define SOURCE(...)
#define COUNTER(archs, counter, name, most) CounterRow{[] { using namespace sets; return archs; }(), WaitCounter::counter, {name, most}},
#define WAIT(...)
#define EVENT(...)
constexpr CounterRow counter_rows[] = {
#include "isa_tables/counters.def"
};
#undef COUNTER
#undef WAIT
#define COUNTER(...)
#define WAIT(archs, mnemonic, counter, shift, bits, high) WaitRow{[] { using namespace sets; return archs; }(), #mnemonic, WaitCounter::counter, shift, bits, high},
constexpr WaitRow wait_rows[] = {
#include "isa_tables/counters.def"
};
#undef WAIT
#undef EVENT
#define WAIT(...)
#define EVENT(archs, kind, counter, order) EventRow{[] { using namespace sets; return archs; }(), Counter::kind, WaitCounter::counter, Order::order},
constexpr EventRow event_rows[] = {
#include "isa_tables/counters.def"
};
#undef EVENT
#undef DRAIN
#define EVENT(...)
#define DRAIN(archs, mnemonic) DrainRow{[] { using namespace sets; return archs; }(), #mnemonic},
constexpr DrainRow drain_rows[] = {
#include "isa_tables/counters.def"
};
#undef DRAIN
#undef SOURCE
#define DRAIN(...)
#define SOURCE(archs, source) SourceRow{[] { using namespace sets; return archs; }(), source},
constexpr SourceRow source_rows[] = {
#include "isa_tables/counters.def"
};
#undef SOURCE
#undef COUNTER
#undef WAIT
#undef EVENT
#undef DRAIN
// clang-format on

constexpr int8_t drains = -2;
constexpr int counter_classes = static_cast<int>(Counter::tensor) + 1;

// A wait instruction of one target and its fields: at most two, three on gfx9.
struct WaitForm {
  Opcode op;
  Few<const WaitRow*, 3> fields;
  bool inserted() const { return fields.items[0]->high != understood; }
};
struct PerTarget {
  std::array<CounterSpec, wait_counters> counters{};
  std::array<CounterEvents, counter_classes> events{};
  std::vector<WaitForm> waits;
  std::vector<int8_t> form_of;  // by opcode: index into waits, absent or drains
};

PerTarget build(ArchSet a) {
  PerTarget t;
  for (const auto& r : counter_rows)
    if (r.archs & a) t.counters[static_cast<int>(r.counter)] = r.spec;
  for (const auto& r : event_rows)
    if (r.archs & a) t.events[static_cast<int>(r.kind)].push_back({r.counter, r.order});
  t.form_of.assign(table().size(), absent);
  for (const auto& r : wait_rows) {
    const auto op = find_opcode(r.mnemonic);
    if (!(r.archs & a) || !op || !(info(*op).archs & a)) continue;
    int8_t& form = t.form_of[static_cast<size_t>(*op)];
    if (form == absent) form = static_cast<int8_t>(t.waits.size()), t.waits.push_back({*op, {}});
    t.waits[form].fields.push_back(&r);
  }
  for (const auto& r : drain_rows)
    if (const auto op = find_opcode(r.mnemonic); (r.archs & a) && op) t.form_of[static_cast<size_t>(*op)] = drains;
  return t;
}

const PerTarget& of(Arch arch) {
  static const auto* all = [] {
    auto* v = new std::vector<PerTarget>;
    for (size_t a = 0; a < all_targets().size(); ++a) v->push_back(build(bit(static_cast<Arch>(a))));
    return v;
  }();
  return (*all)[static_cast<size_t>(arch)];
}

const WaitForm* form(const PerTarget& t, Opcode op) {
  const int f = t.form_of[static_cast<size_t>(op)];
  return f == absent || f == drains ? nullptr : &t.waits[f];
}

int most(const WaitRow& r) { return (1 << (r.bits + (r.high > 0 ? 2 : 0))) - 1; }

uint32_t put(const WaitRow& r, int count) {
  const auto n = static_cast<uint32_t>(count == absent ? most(r) : std::min(count, most(r)));
  return (n & ((1u << r.bits) - 1)) << r.shift | (r.high > 0 ? n >> r.bits << r.high : 0);
}

int take(const WaitRow& r, uint32_t bits) {
  return static_cast<int>((bits >> r.shift & ((1u << r.bits) - 1)) | (r.high > 0 ? (bits >> r.high & 3) << r.bits : 0));
}

Inst build_wait(const WaitForm& f, const Waits& w) {
  Inst i{f.op};
  const int last = i.info().count() - 1;  // s_waitcnt_vscnt has an SGPR operand before it, which is always null
  if (last == 1) i.operands[0] = reg(File::s, sreg::null);
  uint32_t bits = 0;
  for (const WaitRow* r : f.fields) bits |= put(*r, w[static_cast<int>(r->counter)]);
  i.operands[last] = imm(static_cast<int32_t>(bits));
  return i;
}

}  // namespace

int& Waits::operator[](int c) {
  static constexpr int Waits::* members[wait_counters] = {&Waits::vm,     &Waits::lgkm,   &Waits::exp, &Waits::vs,
                                                          &Waits::km,     &Waits::sample, &Waits::bvh, &Waits::async,
                                                          &Waits::tensor, &Waits::x};
  return this->*members[c];
}

const CounterSpec& counter(WaitCounter c, Arch arch) { return of(arch).counters[static_cast<int>(c)]; }
const char* counter_source(Arch arch) {
  for (const auto& r : source_rows)
    if (r.archs & bit(arch)) return r.source;
  return "";
}
const CounterEvents& counter_events(Counter c, Arch arch) { return of(arch).events[static_cast<int>(c)]; }

Counter counter_class(const Info& row) {
  if (row.counter != Counter::flat) return row.counter;
  return std::any_of(row.operands.begin(), row.operands.end(),
                     [](const OperandSpec& o) { return o.kind != Kind::none && o.access != Access::read; })
             ? Counter::flat
             : Counter::flat_store;
}

Few<Operand, 20> replay_sources(const Inst& i, Arch arch, int lanes) {
  Few<Operand, 20> sources;
  if (counter_class(i.info()) == Counter::tensor || !i.info().count()) return sources;
  for (const Operand& o : effects(i, arch, lanes).reads)
    if (o.file != File::s || o.index < sreg::exec + 2) sources.push_back(o);  // the registers above are constants
  return sources;
}

Drains drains_translations(const Inst& i) {
  const Info& row = i.info();
  if ((row.implicit & atomic) && row.unit == Unit::vmem) return Drains::others;
  if (row.format == Format::smem && row.counter == Counter::none)
    return Drains::all;  // on gfx12 only prefetches are of that kind
  static const std::optional<Opcode> sleep = find_opcode("s_sleep");
  constexpr uint32_t forever = 0x8000;
  return i.op == sleep && (i.operands[0].bits & forever) ? Drains::all : Drains::nothing;
}

Inst wait_instruction(Opcode op, const Waits& w, Arch arch) {
  const WaitForm* f = form(of(arch), op);
  if (!f) throw IsaError(fmt::format("{} waits for no counter on {}", info(op).mnemonic, target(arch).name));
  return build_wait(*f, w);
}

// Greedy: repeatedly takes the instruction that covers most of the remaining counters. Every counter also has an
// instruction of its own, so a combined one never costs more.
Few<Inst, wait_counters> wait_instructions(const Waits& w, Arch arch) {
  const PerTarget& t = of(arch);
  Few<Inst, wait_counters> out;
  for (Waits left = w; left.any();) {
    const auto covers = [&](const WaitForm& f) {
      return !f.inserted() ? 0 : std::count_if(f.fields.begin(), f.fields.end(), [&](const WaitRow* r) {
        return left[static_cast<int>(r->counter)] != absent;
      });
    };
    const auto exact = [&](const WaitForm& f) {
      return covers(f) * 8 - f.fields.size;
    };  // if equal, the one with fewer fields
    const auto best = std::max_element(t.waits.begin(), t.waits.end(),
                                       [&](const WaitForm& a, const WaitForm& b) { return exact(a) < exact(b); });
    if (best == t.waits.end() || !covers(*best)) {
      int c = 0;
      while (left[c] == absent) ++c;
      const CounterSpec& spec = t.counters[c];
      throw IsaError(spec.name
                         ? fmt::format("{} has {}, but no instruction row waits for it", target(arch).name, spec.name)
                         : fmt::format("wait for counter {} on {}, which has no such counter", c, target(arch).name));
    }
    out.push_back(build_wait(*best, left));
    for (const WaitRow* r : best->fields) left[static_cast<int>(r->counter)] = absent;
  }
  return out;
}

bool may_wait(Opcode op, Arch arch) { return of(arch).form_of[static_cast<size_t>(op)] != absent; }

Waits waits_of(const Inst& i, Arch arch) {
  Waits w;
  const PerTarget& t = of(arch);
  if (t.form_of[static_cast<size_t>(i.op)] == drains)
    for (int c = 0; c < wait_counters; ++c)
      if (t.counters[c].name) w[c] = 0;
  const WaitForm* f = form(t, i.op);
  if (!f) return w;
  const uint32_t bits = i.operands[i.info().count() - 1].bits;
  for (const WaitRow* r : f->fields) {
    const int n = take(*r, bits);
    if (n < most(*r)) w[static_cast<int>(r->counter)] = n;
  }
  return w;
}

}  // namespace wavesmith::isa
