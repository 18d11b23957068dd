// LDS between waves. Addresses that follow from lane and wave numbers are computed (values.h); an access is then a set
// of bytes per wave. Two accesses race if different waves access a common byte, one of them writes, and there is a path
// between them without a barrier preceded by a wait for the first access. Other accesses are not checked.
#include <optional>
#include <span>

#include "checker/in_flight.h"
#include "checker/paths.h"
#include "checker/rules.h"
#include "checker/values.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

using namespace in_flight;
constexpr const char* barrier_source = "ISA guide, Barriers; AMDGPUUsage, Memory Model";

// For each of some things a set of numbers.
class Sets {
 public:
  Sets() = default;
  Sets(size_t sets, size_t numbers) : words_((numbers + 63) / 64), bits_(sets * words_) {}
  std::span<uint64_t> of(size_t set) { return {bits_.data() + set * words_, words_}; }
  std::span<const uint64_t> of(size_t set) const { return {bits_.data() + set * words_, words_}; }
  void add(size_t set, size_t number) { of(set)[number / 64] |= uint64_t{1} << number % 64; }
  bool has(size_t set, size_t number) const { return of(set)[number / 64] >> number % 64 & 1; }
  bool any(size_t set) const {
    return std::ranges::any_of(of(set), [](uint64_t w) { return w != 0; });
  }
  bool any() const {
    return std::ranges::any_of(bits_, [](uint64_t w) { return w != 0; });
  }

 private:
  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};
// The first number of a set for which f(number) is true, in ascending order.
template <class F>
std::optional<int> first_of(std::span<const uint64_t> set, F&& f) {
  for (size_t w = 0; w < set.size(); ++w)
    for (uint64_t left = set[w]; left; left &= left - 1)
      if (const int n = static_cast<int>(w * 64) + std::countr_zero(left); f(n)) return n;
  return {};
}

// The LDS accesses of a kernel whose addresses are known. A place is a line in one copy of its block.
struct LdsAccess {
  int line, place;
  const LdsTouch* touch;
  bool certain;
};  // certain: which lanes are active is known
struct LdsAccesses {
  std::vector<LdsAccess> accesses;
  std::vector<int> first;  // by block: the place of its first line
  std::vector<int> at;     // by place; -1: none
  bool all = true;         // every access is known
  Sets races;              // by access: those it races with if no barrier is between; may include itself
  Sets loads;              // by access: the loads from memory by the same wave that write bytes it touches
  bool any() const { return races.any() || loads.any(); }
};

bool concerns_lds(const Item& i, bool generic) { return i.uses_lds || (generic && i.may_use_lds); }

// Each walk of a block notes its accesses; what the last one, with the final state, has noted counts. all_or_nothing:
// ends at the first access that is not known.
LdsAccesses find_accesses(Paths& paths, Evaluator& values, bool generic, bool all_or_nothing) {
  const Code& code = paths.written;
  const std::vector<Span>& blocks = paths.blocks();
  LdsAccesses known;
  for (int lines = 0; const Span& b : blocks) known.first.push_back(lines), lines += b.end - b.begin;
  struct Noted {
    bool reached = false;
    std::vector<LdsAccess> accesses{};  // touch nullptr: not known
  };
  std::vector<Noted> noted(blocks.size());
  fixpoint(
      blocks, values.entry(),
      [&](Values& st, const Span& b, bool) {
        if (!known.all) return false;
        const auto block = static_cast<size_t>(&b - blocks.data());
        noted[block].reached = true;
        auto& here = noted[block].accesses;
        here.clear(), here.reserve(paths.values_of(b).size());
        if (st.waves_split == paths.number(b) + 1) st.waves_split = 0, st.here = 0;
        const bool together = !st.waves_split;
        for (const int i : paths.values_of(b)) {
          const Item& item = *code.lines[static_cast<size_t>(i)].item;
          if (concerns_lds(item, generic)) {
            const LdsTouch* t = values.touch(item, st);
            here.push_back({i, known.first[block] + i - b.begin, t, t && values.lanes_known(st) && !t->sampled});
            if (!t && all_or_nothing) return known.all = false;
          }
          values.step(item, st);
        }
        if (together && st.waves_split) {
          const auto to = paths.reconverges_at(paths.number(b));
          st.waves_split = to ? *to + 1 : Values::for_good;
        }
        return true;
      },
      [&](Values& into, const Values& from) { return values.join(into, from); },
      [&, narrowed = Values()](const Values& st, size_t block, size_t target) mutable -> const Values* {
        if (!paths.leads(target)) return nullptr;
        const Span& b = blocks[block];
        const auto to = static_cast<int>(target);
        const Item& last = *code.lines[static_cast<size_t>(b.end - 1)].item;
        const auto taken = values.taken(last, st);  // a branch writes no registers
        if (b.to.size() < 2) return &st;
        if (taken && (to == b.to[1]) != *taken) return nullptr;
        if (!st.waves_split) return &st;
        narrowed = st;
        return values.narrow(last, narrowed, to == b.to[1]) ? &narrowed : nullptr;
      });
  if (!known.all) return known;
  known.at.resize(static_cast<size_t>(known.first.back() + blocks.back().end - blocks.back().begin), absent);
  for (size_t b = 0; b < noted.size(); ++b) {
    if (!noted[b].reached) {
      known.all &= std::ranges::none_of(paths.values_of(blocks[b]), [&](int i) {
        return concerns_lds(*code.lines[static_cast<size_t>(i)].item, generic);
      });
      continue;
    }
    for (const LdsAccess& a : noted[b].accesses) {
      known.all &= a.touch != nullptr;
      if (!a.touch) continue;
      known.at[static_cast<size_t>(a.place)] = static_cast<int>(known.accesses.size());
      known.accesses.push_back(a);
    }
  }
  return known;
}

// A race: different waves access one byte and at least one writes, except writes of equal values and pairs of atomics.
bool conflict(const LdsTouch& a, const LdsTouch& b) {
  return a.writes != b.writes || (a.writes && a.atomic != b.atomic);
}

// Of two accesses: whether different waves touch a byte, and whether one wave does, as far as that matters.
struct Overlap {
  bool of_waves = false, of_one = false;
  void add(const Bytes& a, const Bytes& b) {
    if (!(a.mask & b.mask)) return;
    const uint32_t waves = a.waves | b.waves;
    of_waves |= (waves & (waves - 1)) != 0, of_one |= (a.waves & b.waves) != 0;
  }
};
// Both lists are in order, and so are the ends of their entries.
Overlap overlap(const LdsTouch& a, const LdsTouch& b) {
  Overlap m;
  const bool waves_matter = conflict(a, b), one_matters = a.from_memory != b.from_memory;
  auto from = b.bytes.begin();
  for (const Bytes& x : a.bytes) {
    while (from != b.bytes.end() && from->end() <= x.dword) ++from;
    for (auto y = from; y != b.bytes.end() && y->dword < x.end(); ++y) m.add(x, *y);
    if (from == b.bytes.end() || ((m.of_waves || !waves_matter) && (m.of_one || !one_matters))) break;
  }
  return m;
}

// Accesses that touch the same bytes are compared once. An address that depends on data belongs to the array that
// begins where it points with data zero.
void find_races(LdsAccesses& known) {
  std::vector<const LdsTouch*> touches;
  std::vector<size_t> place, touch_of;  // by number: one more than that in `touches`; by access
  for (const LdsAccess& a : known.accesses) {
    const auto number = static_cast<size_t>(a.touch->number);
    if (number >= place.size()) place.resize(number + 1);
    if (!place[number]) touches.push_back(a.touch), place[number] = touches.size();
    touch_of.push_back(place[number] - 1);
  }
  const size_t n = known.accesses.size();
  Sets with(touches.size(), n), races(touches.size(), n), loads(touches.size(), n);  // with: accesses that touch it
  for (size_t i = 0; i < n; ++i) with.add(touch_of[i], i);
  const auto unite = [](std::span<uint64_t> into, std::span<const uint64_t> from) {
    for (size_t w = 0; w < into.size(); ++w) into[w] |= from[w];
  };
  const auto bytes = [&](size_t t) -> const std::vector<Bytes>& { return touches[t]->bytes; };
  std::vector<size_t> by_begin;
  for (size_t t = 0; t < touches.size(); ++t)
    if (!bytes(t).empty()) by_begin.push_back(t);
  std::ranges::stable_sort(by_begin, {}, [&](size_t t) { return bytes(t).front().dword; });
  for (size_t first = 0; first < by_begin.size(); ++first)
    for (size_t second = first + 1; second < by_begin.size(); ++second) {
      const size_t i = by_begin[first], k = by_begin[second];
      const LdsTouch &a = *touches[i], &b = *touches[k];
      if (a.bytes.back().end() <= b.bytes.front().dword) break;
      if (!conflict(a, b) && a.from_memory == b.from_memory) continue;
      const Overlap m = overlap(a, b);
      const bool one_array = (!a.sampled && !b.sampled) || a.lowest == b.lowest;
      if (m.of_waves && one_array && conflict(a, b)) unite(races.of(i), with.of(k)), unite(races.of(k), with.of(i));
      if (m.of_one && b.from_memory && !a.from_memory) unite(loads.of(i), with.of(k));
      if (m.of_one && a.from_memory && !b.from_memory) unite(loads.of(k), with.of(i));
    }
  known.races = known.loads = Sets(n, n);
  for (size_t i = 0; i < n; ++i)
    unite(known.races.of(i), races.of(touch_of[i])), unite(known.loads.of(i), loads.of(touch_of[i]));
}

// Accesses that may happen in the interval between two barriers. Signalled: issued before this wave's signal, so
// ordered before accesses after its barrier wait, but not before those in between.
struct Open {
  InFlightState flying;
  Sets sets;  // open, signalled
  std::span<uint64_t> open() { return sets.of(0); }
  std::span<uint64_t> signalled() { return sets.of(1); }
  std::span<const uint64_t> open() const { return sets.of(0); }
  std::span<const uint64_t> signalled() const { return sets.of(1); }
};

struct LdsWalk {
  const Paths& paths;
  const Code& code;
  const std::vector<Span>& blocks;
  const LdsAccesses& known;
  Scoreboard board;
  Report& report;

  bool in_flight(InFlightState& st, size_t access) const {
    Need need;
    board.slot(st, board.slots.lds_slot(static_cast<int>(access)), need);
    return need.any;
  }
  // A read that the same wave follows with an atomic operation on the same bytes, before a barrier, counts as part of
  // that operation.
  bool first_half(const LdsAccess& read) const {
    const auto covers = [&](const LdsTouch& t) {
      return t.atomic && std::ranges::all_of(read.touch->bytes, [&](const Bytes& r) {
               uint32_t at = r.dword;  // up to here
               for (const Bytes& b : t.bytes)
                 if (b.dword <= at && at < r.end() && (b.mask & r.mask) == r.mask && (b.waves & r.waves) == r.waves)
                   at = std::max(at, b.end());
               return at >= r.end();
             });
    };
    const auto end_of = [&](size_t b) { return known.first[b] + blocks[b].end - blocks[b].begin; };
    const auto home = static_cast<size_t>(std::upper_bound(known.first.begin(), known.first.end(), read.place) -
                                          known.first.begin()) -
                      1;
    std::vector<char> seen(blocks.size(), 0);
    std::vector<std::pair<size_t, int>> todo{{home, read.place + 1}};
    while (!todo.empty()) {
      const auto [b, start] = todo.back();
      todo.pop_back();
      bool ends = false;
      for (int place = start; place < end_of(b) && !ends; ++place) {
        if (const int k = known.at[static_cast<size_t>(place)];
            k != absent && covers(*known.accesses[static_cast<size_t>(k)].touch))
          return true;
        ends = is_barrier(code.lines[static_cast<size_t>(blocks[b].begin + place - known.first[b])].item->inst.op);
      }
      for (const int to : blocks[b].to)
        if (!ends && !std::exchange(seen[static_cast<size_t>(to)], 1))
          todo.emplace_back(to, known.first[static_cast<size_t>(to)]);
    }
    return false;
  }
  bool race(const LdsAccess& here, const LdsAccess& there) const {
    const auto plain = [](const LdsAccess& a) { return !a.touch->writes; };
    if (plain(here) && there.touch->atomic) return !first_half(here);
    if (plain(there) && here.touch->atomic) return !first_half(there);
    return true;
  }
  void describe(const LdsAccess& here, int other) const {
    const LdsAccess& there = known.accesses[static_cast<size_t>(other)];
    const auto writes = [](const LdsAccess& a) { return a.touch->writes; };
    Finding& f = report.at(here.line, "LDS order between waves");
    f.source = barrier_source;
    f.what = fmt::format(
        "{} LDS bytes that another wave {}{} with {} at {}, with no barrier between, or no wait for it before the "
        "barrier",
        writes(here) ? "writes" : "reads",
        here.touch->sampled || there.touch->sampled ? "may, depending on the data, " : "",
        writes(there) ? "writes" : "reads", instruction_of(code, there.line), place_of(code, there.line));
    f.legal = "a wait for it and a barrier between them";
  }
  void describe_load(const LdsAccess& here, int load) const {
    const int line = known.accesses[static_cast<size_t>(load)].line;
    Finding& f = report.at(here.line, "LDS bytes in flight");
    f.source = isa::counter_source(code.arch);
    f.what = fmt::format("{} LDS bytes that {} at {} is still to write", here.touch->writes ? "writes" : "reads",
                         instruction_of(code, line), place_of(code, line));
    f.legal = "a wait for it";
  }
  bool operator()(Open& st, const Span& b, bool) const {
    const int first = known.first[static_cast<size_t>(&b - blocks.data())] - b.begin;
    for (const int i : paths.order_of(b)) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || item.flow == Flow::call ||
          (item.synchronizes && item.inst.info().format == isa::Format::gws)) {
        st = {InFlightState(board.streams, board.slots.size), Sets(2, known.accesses.size())};
        continue;
      }
      const int k = known.at[static_cast<size_t>(first + i)];
      if (k != absent) access(st, static_cast<size_t>(k));
      if (item.counted) board.launch(st.flying, item.inst, k);
      for (const auto& [c, n] : item.waits) st.flying.waited(board.streams, c, n);
      if (item.synchronizes) barrier(st, item.inst.op);
    }
    st.flying.rebase(board.streams);
    return true;
  }
  void access(Open& st, size_t k) const {
    const LdsAccess& here = known.accesses[k];
    const auto races = known.races.of(k);
    for (size_t w = 0; w < races.size(); ++w) {
      const uint64_t some = races[w] & (st.open()[w] | st.signalled()[w]);
      const std::optional<int> other =
          first_of({&some, 1}, [&](int n) { return race(here, known.accesses[w * 64 + static_cast<size_t>(n)]); });
      if (!other) continue;
      describe(here, static_cast<int>(w * 64) + *other);
      break;
    }
    if (const auto load =
            first_of(known.loads.of(k), [&](int n) { return in_flight(st.flying, static_cast<size_t>(n)); }))
      describe_load(here, *load);
    if (known.races.any(k)) st.sets.add(0, k);
  }
  void barrier(Open& st, Opcode op) const {
    if (signals(op) || op == Opcode::s_barrier)
      for (size_t w = 0; w < st.open().size(); ++w)
        for (uint64_t left = st.open()[w]; left; left &= left - 1) {
          const uint64_t one = left & -left;
          if (in_flight(st.flying, w * 64 + static_cast<size_t>(std::countr_zero(left)))) continue;
          st.open()[w] &= ~one;
          st.signalled()[w] = signals(op) ? st.signalled()[w] | one : st.signalled()[w] & ~one;
        }
    if (is_barrier(op)) std::ranges::fill(st.signalled(), 0);
  }
};

void check_order(const Paths& paths, const LdsAccesses& known, Report& report) {
  const Code& code = paths.written;
  Streams streams(code.arch, Streams::Replays::none);
  for (const CodeLine& l : code.lines)
    if (l.item->counted) streams.add(l.item->inst);
  const SlotMap slots{.size = 1 + static_cast<int>(known.accesses.size()), .registers = false};
  const size_t n = known.accesses.size();
  fixpoint(
      paths.blocks(), Open{InFlightState(streams, slots.size), Sets(2, n)},
      LdsWalk{paths, code, paths.blocks(), known, {streams, slots, true}, report},
      [&](Open& into, const Open& from) {
        bool changed = into.flying.join(from.flying, streams);
        for (const size_t set : {0, 1}) {
          auto to = into.sets.of(set);
          changed |= isa::unite(to, from.sets.of(set));
        }
        return changed;
      },
      [&](const Open& st, size_t, size_t to) { return paths.leads(to) ? &st : nullptr; });
}

void report_addresses(const LdsAccesses& known, const Entry& entry, int waves, Report& report, const Options& options) {
  for (const LdsAccess& a : known.accesses) {
    if (!a.certain) continue;
    if (!a.touch->fault.empty()) {
      Finding& f = report.at(a.line, "LDS beyond the descriptor");
      f.source = "AMDGPUUsage, Kernel Descriptor: GROUP_SEGMENT_FIXED_SIZE";
      f.what = a.touch->fault;
      f.legal = fmt::format("aligned addresses below {}", entry.lds_bytes);
    }
    if (options.advice && a.touch->conflict_cycles) {
      Finding& f = report.at(a.line, "LDS bank conflicts");
      f.advice = true;
      f.source = "isa_tables/lds.def";
      f.what = fmt::format("{:.1f} more cycles than without conflicts, each time a wave executes it",
                           static_cast<double>(a.touch->conflict_cycles) / waves);
      f.legal = "a padded or swizzled layout";
    }
  }
}

// The workgroup shapes to check: the one that the metadata requires, or the largest allowed size. The size 1024 is also
// the default of a kernel that states none, so then smaller powers of two are checked too. If the kernel uses several
// dimensions without stating the shape: all shapes of powers of two.
std::vector<Evaluator::Shape> shapes_of(const Code& code, const Entry& entry, const sim::KernelInfo& kernel) {
  const auto lanes = static_cast<uint32_t>(code.lanes),
             size = std::clamp(static_cast<uint32_t>(entry.workgroup_size), lanes, 1024u) / lanes * lanes;
  const auto& required = kernel.required_workgroup;
  if (required[0] && required[1] && required[2])
    return required[0] * required[1] * required[2] % lanes ? std::vector<Evaluator::Shape>{} : std::vector{required};
  std::vector<Evaluator::Shape> all;
  if (kernel.workitem_id_dims == 1) {
    all.push_back({size, 1, 1});
    for (uint32_t x = size / 2; size == 1024 && x > lanes; x /= 2) all.push_back({x, 1, 1});
    return all;
  }
  const bool third = kernel.workitem_id_dims == 3;
  for (uint32_t y = 2; y <= size / 2; y *= 2)
    for (uint32_t z = third ? 2 : 1; z <= (third ? size / y : 1); z *= 2)
      if (size % (y * z) == 0 && size / (y * z) > 1) all.push_back({size / (y * z), y, z});
  return all;
}

// Keeps the races that `other` has too, line by line.
void keep_common(LdsAccesses& known, const LdsAccesses& other) {
  const auto same = [&](size_t k) { return other.at[static_cast<size_t>(known.accesses[k].place)]; };
  const auto keep = [&](Sets& mine, const Sets& theirs) {
    for (size_t i = 0; i < known.accesses.size(); ++i) {
      const int here = same(i);
      for (size_t w = 0; w < mine.of(i).size(); ++w)
        for (uint64_t left = mine.of(i)[w]; left; left &= left - 1) {
          const int there = same(w * 64 + static_cast<size_t>(std::countr_zero(left)));
          if (here == absent || there == absent || !theirs.has(static_cast<size_t>(here), static_cast<size_t>(there)))
            mine.of(i)[w] &= ~(left & -left);
        }
    }
  };
  keep(known.races, other.races);
  keep(known.loads, other.loads);
}

// A race counts if it occurs in every shape in which all addresses are valid.
void check_shapes(Paths& paths, const Entry& entry, const sim::KernelInfo& kernel, Evaluator::Assume assume,
                  Report& report, const Options& options) {
  const Code& code = paths.written;
  const bool generic = assume == Evaluator::Assume::first_group;
  const auto shapes = shapes_of(code, entry, kernel);
  std::vector<std::unique_ptr<Evaluator>> evaluators;  // they own what `known` refers to
  std::optional<LdsAccesses> known;
  for (const auto& shape : shapes) {
    Evaluator& values =
        *evaluators.emplace_back(std::make_unique<Evaluator>(code, entry, kernel, paths.lines.asked, shape, assume));
    if (!values.waves()) return;
    const bool unrolls = !paths.turns && values.waves() > 1 && has_loops(code);
    LdsAccesses here = find_accesses(paths, values, generic, unrolls);
    if (unrolls && !here.all) paths.turns = unrolled(code), here = find_accesses(paths, values, generic, false);
    if (!generic && (shapes.size() == 1 || (&shape == &shapes[0] && shape[1] * shape[2] == 1)))
      report_addresses(here, entry, values.waves(), report, options);
    if (shapes.size() > 1 &&
        std::any_of(here.accesses.begin(), here.accesses.end(), [](const LdsAccess& a) { return a.touch->refused; }))
      continue;
    const bool loads = std::any_of(here.accesses.begin(), here.accesses.end(),
                                   [](const LdsAccess& a) { return a.touch->from_memory; });
    if (values.waves() < 2 && !loads) return;
    find_races(here);
    if (known) keep_common(*known, here);
    else known = std::move(here);
    if (!known->any()) return;
  }
  if (known) check_order(paths, *known, report);
}

}  // namespace

void check_lds(const Code& code, const Entry& entry, const sim::KernelInfo& kernel, Report& report,
               const Options& options) {
  if (entry.function || !code.some.uses_lds) return;
  Paths paths{code, lds_lines(code)};
  check_shapes(paths, entry, kernel, Evaluator::Assume::nothing, report, options);
  const auto reads_aperture = [](const CodeLine& l) {
    return l.item->refusal.empty() && has(l.item->reads, scalar_base + isa::sreg::shared_base);
  };
  if (!code.some.may_use_lds || std::ranges::none_of(code.lines, reads_aperture)) return;
  paths.turns.reset();
  check_shapes(paths, entry, kernel, Evaluator::Assume::first_group, report, options);
}

}  // namespace wavesmith::checker
