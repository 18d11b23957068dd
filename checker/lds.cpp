// LDS between waves. Addresses that follow from lane and wave numbers are computed (values.h); an access is then a set
// of bytes per wave. Two accesses race if different waves access a common byte, one of them writes, and there is a path
// between them without a barrier preceded by a wait for the first access. Other accesses are not checked.
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

// The LDS accesses of a kernel whose addresses are known. A place is a line in one copy of its block.
struct LdsAccess {
  int line, place;
  const LdsTouch* touch;
  bool certain;
};  // certain: which lanes are active is known
struct LdsAccesses {
  std::vector<LdsAccess> accesses;
  std::vector<int> first;               // by block: the place of its first line
  std::vector<int> at;                  // by place; -1: none
  bool all = true;                      // every access is known
  std::vector<std::vector<int>> races;  // the accesses it races with if no barrier is between; may include itself
  std::vector<std::vector<int>> loads;  // the loads from memory by the same wave that write bytes it touches
  bool any() const {
    const auto some = [](const auto& lists) {
      return std::any_of(lists.begin(), lists.end(), [](const auto& l) { return !l.empty(); });
    };
    return some(races) || some(loads);
  }
};

bool concerns_lds(const Item& i, bool generic) { return uses_lds(i) || (generic && may_use_lds(i)); }

// all_or_nothing: ends at the first access that is not known.
LdsAccesses find_accesses(const Paths& paths, Evaluator& values, bool generic, bool all_or_nothing) {
  const Code& code = paths.code();
  std::vector<Values> in(code.blocks.size());
  std::vector<int> reconverge;  // post-dominators, computed when first needed
  fixpoint(
      code, values.entry(),
      [&](Values& st, const Span& b, bool) {
        const int number = paths.number(b);
        if (st.waves_split == number + 1) st.waves_split = 0, st.here = 0;
        in[static_cast<size_t>(&b - code.blocks.data())] = st;
        const bool together = !st.waves_split;
        for (const int i : paths.lines_of(b)) values.step(*code.lines[static_cast<size_t>(i)].item, st);
        if (together && st.waves_split) {
          if (reconverge.empty()) reconverge = post_dominators(paths.written);
          st.waves_split = barrier_before(paths.written, number, reconverge[static_cast<size_t>(number)])
                               ? Values::for_good
                               : reconverge[static_cast<size_t>(number)] + 1;
        }
        return true;
      },
      [&](Values& into, const Values& from) { return values.join(into, from); },
      [&, narrowed = Values()](const Values& st, size_t block, size_t target) mutable -> const Values* {
        const Span& b = code.blocks[block];
        const auto to = static_cast<int>(target);
        const Item& last = *code.lines[static_cast<size_t>(b.end - 1)].item;
        const auto taken = values.taken(last, st);  // a branch writes no registers
        if (b.to.size() < 2) return &st;
        if (taken && (to == b.to[1]) != *taken) return nullptr;
        if (!st.waves_split) return &st;
        narrowed = st;
        return values.narrow(last, narrowed, to == b.to[1]) ? &narrowed : nullptr;
      });
  LdsAccesses known;
  std::vector<int> lines;  // those to walk: up to the block's last access
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    Values& st = in[b];
    const Span& block = code.blocks[b];
    known.first.push_back(static_cast<int>(known.at.size()));
    known.at.resize(known.at.size() + static_cast<size_t>(block.end - block.begin), -1);
    lines = paths.lines_of(block);
    while (!lines.empty() && !concerns_lds(*code.lines[static_cast<size_t>(lines.back())].item, generic))
      lines.pop_back();
    for (const int i : lines) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (concerns_lds(item, generic)) {
        const int place = known.first.back() + i - block.begin;
        if (const LdsTouch* t = values.touch(item, st)) {
          known.at[static_cast<size_t>(place)] = static_cast<int>(known.accesses.size());
          known.accesses.push_back({i, place, t, values.lanes_known(st) && !t->sampled});
        } else {
          known.all = false;
          if (all_or_nothing) return known;
        }
      }
      values.step(item, st);
    }
  }
  return known;
}

// A race: different waves access one byte and at least one writes, except writes of equal values and pairs of atomics.
bool conflict(const LdsTouch& a, const LdsTouch& b) {
  return a.writes != b.writes || (a.writes && a.atomic != b.atomic);
}

// Uses are sorted into buckets by dword, so that only uses of the same dword are compared. Accesses that touch the same
// bytes are merged. An address that depends on data belongs to the array that begins where it points with data zero.
void find_races(LdsAccesses& known) {
  struct Use {
    int touch;
    uint32_t waves;
    uint8_t mask;
    bool operator==(const Use&) const = default;
  };
  std::vector<const LdsTouch*> touches;
  std::map<const LdsTouch*, int> number;
  for (const bool writes : {true, false})  // writes first: of a pair, the first writes or neither does
    for (const LdsAccess& a : known.accesses)
      if (a.touch->writes == writes && number.try_emplace(a.touch, static_cast<int>(touches.size())).second)
        touches.push_back(a.touch);
  std::vector<size_t> first(1, 0);  // by dword
  for (const LdsTouch* t : touches)
    for (const Bytes& b : t->bytes) {
      if (b.dword + 2 > first.size()) first.resize(b.dword + 2);
      ++first[b.dword + 1];
    }
  for (size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
  std::vector<Use> uses(first.back());
  std::vector<size_t> free(first.begin(), first.end());
  for (size_t t = 0; t < touches.size(); ++t)
    for (const Bytes& b : touches[t]->bytes) uses[free[b.dword]++] = {static_cast<int>(t), b.waves, b.mask};
  std::vector<char> race(touches.size() * touches.size(), 0), own = race;
  std::span<const Use> before;
  for (size_t d = 0; d + 1 < first.size(); ++d) {
    const std::span<const Use> here(uses.data() + first[d], uses.data() + first[d + 1]);
    if (std::ranges::equal(here, std::exchange(before, here))) continue;  // most often: accesses are of several dwords
    for (size_t i = 0; i < here.size() && touches[static_cast<size_t>(here[i].touch)]->writes; ++i)
      for (size_t k = i + 1; k < here.size(); ++k) {
        const Use &a = here[i], &b = here[k];
        const size_t pair = static_cast<size_t>(a.touch) * touches.size() + static_cast<size_t>(b.touch);
        if (!(a.mask & b.mask)) continue;
        const uint32_t waves = a.waves | b.waves;
        race[pair] |= (waves & (waves - 1)) != 0;  // more than one
        own[pair] |= (a.waves & b.waves) != 0;
      }
  }
  known.races.resize(known.accesses.size()), known.loads.resize(known.accesses.size());
  std::vector<size_t> touch_of;
  for (const LdsAccess& a : known.accesses) touch_of.push_back(static_cast<size_t>(number[a.touch]));
  struct Pair {
    bool race, load;
  };
  std::vector<std::vector<Pair>> pairs(touches.size());
  for (size_t a = 0; a < touches.size(); ++a)
    for (size_t b = 0; b < touches.size(); ++b) {
      const auto meet = [&](const std::vector<char>& found) {
        return found[a * touches.size() + b] || found[b * touches.size() + a];
      };
      const bool one_array = (!touches[a]->sampled && !touches[b]->sampled) || touches[a]->lowest == touches[b]->lowest;
      pairs[a].push_back({meet(race) && one_array && conflict(*touches[a], *touches[b]),
                          meet(own) && touches[b]->from_memory && !touches[a]->from_memory});
    }
  for (size_t i = 0; i < touch_of.size(); ++i)
    for (size_t k = 0; k < touch_of.size(); ++k) {
      const Pair& p = pairs[touch_of[i]][touch_of[k]];
      if (p.race) known.races[i].push_back(static_cast<int>(k));
      if (p.load) known.loads[i].push_back(static_cast<int>(k));
    }
}

// Accesses that may happen in the interval between two barriers. Signalled: issued before this wave's signal, so
// ordered before accesses after its barrier wait, but not before those in between.
struct Open {
  State flying;
  std::vector<char> open, signalled;
};

struct LdsWalk {
  const Paths& paths;
  const Code& code;
  const LdsAccesses& known;
  Scoreboard board;
  Report& report;

  bool in_flight(State& st, size_t access) const {
    Need need;
    board.slot(st, board.slots.lds_slot(static_cast<int>(access)), need);
    return need.any;
  }
  // A read that the same wave follows with an atomic operation on the same bytes, before a barrier, counts as part of
  // that operation.
  bool first_half(const LdsAccess& read) const {
    const auto covers = [&](const LdsTouch& t) {
      return t.atomic && std::ranges::all_of(read.touch->bytes, [&](const Bytes& r) {
               return std::ranges::any_of(t.bytes, [&](const Bytes& b) {
                 return b.dword == r.dword && (b.mask & r.mask) == r.mask && (b.waves & r.waves) == r.waves;
               });
             });
    };
    const auto end_of = [&](size_t b) { return known.first[b] + code.blocks[b].end - code.blocks[b].begin; };
    const auto home = static_cast<size_t>(std::upper_bound(known.first.begin(), known.first.end(), read.place) -
                                          known.first.begin()) -
                      1;
    std::vector<char> seen(code.blocks.size(), 0);
    std::vector<std::pair<size_t, int>> todo{{home, read.place + 1}};
    while (!todo.empty()) {
      const auto [b, start] = todo.back();
      todo.pop_back();
      bool ends = false;
      for (int place = start; place < end_of(b) && !ends; ++place) {
        if (const int k = known.at[static_cast<size_t>(place)];
            k >= 0 && covers(*known.accesses[static_cast<size_t>(k)].touch))
          return true;
        ends = is_barrier(code.lines[static_cast<size_t>(code.blocks[b].begin + place - known.first[b])].item->inst.op);
      }
      for (const int to : code.blocks[b].to)
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
    const int first = known.first[static_cast<size_t>(&b - code.blocks.data())] - b.begin;
    for (const int i : paths.lines_of(b)) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || item.flow == Flow::call || item.inst.info().format == isa::Format::gws) {
        st = {State(board.streams, board.slots.size), std::vector<char>(st.open.size(), 0),
              std::vector<char>(st.open.size(), 0)};
        continue;
      }
      const int k = known.at[static_cast<size_t>(first + i)];
      if (k >= 0) {
        const LdsAccess& here = known.accesses[static_cast<size_t>(k)];
        for (const int other : known.races[static_cast<size_t>(k)])
          if ((st.open[static_cast<size_t>(other)] || st.signalled[static_cast<size_t>(other)]) &&
              race(here, known.accesses[static_cast<size_t>(other)])) {
            describe(here, other);
            break;
          }
        for (const int load : known.loads[static_cast<size_t>(k)])
          if (in_flight(st.flying, static_cast<size_t>(load))) {
            describe_load(here, load);
            break;
          }
        if (!known.races[static_cast<size_t>(k)].empty()) st.open[static_cast<size_t>(k)] = 1;
      }
      if (item.counted) board.launch(st.flying, item.inst, k);
      else if (item.waits) {
        const isa::Waits w = isa::waits_of(item.inst, code.arch);
        for (int c = 0; c < wait_counters; ++c)
          if (w[c] >= 0) st.flying.waited(board.streams, c, w[c]);
      }
      barrier(st, item.inst.op);
    }
    st.flying.rebase(board.streams);
    return true;
  }
  void barrier(Open& st, Opcode op) const {
    if (signals(op) || op == Opcode::s_barrier)
      for (size_t k = 0; k < st.open.size(); ++k)
        if (st.open[k] && !in_flight(st.flying, k)) st.open[k] = 0, st.signalled[k] = signals(op);
    if (is_barrier(op)) std::ranges::fill(st.signalled, 0);
  }
};

void check_order(const Paths& paths, const LdsAccesses& known, Report& report) {
  const Code& code = paths.code();
  Streams streams(code.arch, Streams::Replays::none);
  for (const Line& l : code.lines)
    if (l.item->counted) streams.add(l.item->inst);
  const Slots slots{.size = 1 + static_cast<int>(known.accesses.size()), .registers = false};
  const size_t n = known.accesses.size();
  fixpoint(code, Open{State(streams, slots.size), std::vector<char>(n, 0), std::vector<char>(n, 0)},
           LdsWalk{paths, code, known, {streams, slots}, report}, [&](Open& into, const Open& from) {
             bool changed = into.flying.join(from.flying, streams);
             for (size_t k = 0; k < n; ++k) {
               changed |= (from.open[k] && !into.open[k]) || (from.signalled[k] && !into.signalled[k]);
               into.open[k] |= from.open[k], into.signalled[k] |= from.signalled[k];
             }
             return changed;
           });
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
  const auto keep = [&](std::vector<std::vector<int>>& mine, const std::vector<std::vector<int>>& theirs) {
    const auto same = [&](int k) {
      return other.at[static_cast<size_t>(known.accesses[static_cast<size_t>(k)].place)];
    };
    for (size_t i = 0; i < mine.size(); ++i) {
      const int here = same(static_cast<int>(i));
      std::erase_if(mine[i], [&](int k) {
        return here < 0 ||
               std::ranges::find(theirs[static_cast<size_t>(here)], same(k)) == theirs[static_cast<size_t>(here)].end();
      });
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
    Evaluator& values = *evaluators.emplace_back(std::make_unique<Evaluator>(code, entry, kernel, shape, assume));
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
  const auto any = [&](auto&& holds) {
    return std::any_of(code.lines.begin(), code.lines.end(), [&](const Line& l) { return holds(*l.item); });
  };
  if (entry.function || !any(uses_lds)) return;
  Paths paths{code, lds_lines(code)};
  check_shapes(paths, entry, kernel, Evaluator::Assume::nothing, report, options);
  if (!any(may_use_lds) ||
      !any([](const Item& i) { return i.refusal.empty() && has(i.reads, scalar_base + isa::sreg::shared_base); }))
    return;
  paths.turns.reset();
  check_shapes(paths, entry, kernel, Evaluator::Assume::first_group, report, options);
}

}  // namespace wavesmith::checker
