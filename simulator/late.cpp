#include "simulator/late.h"

#include <algorithm>
#include <bit>
#include <span>

#include "simulator/access.h"
#include "simulator/deferred.h"

namespace wavesmith::sim {
namespace {
using isa::Counter;

Late::Row row(Wave& w, int reg) {
  Late::Row r{reg, {}};
  if (reg >= scalar_base) r.lanes[0] = w.s[reg - scalar_base];
  else std::copy_n(w.vreg(reg), Wave::lanes, r.lanes.begin());
  return r;
}
void rows(Wave& w, const Step& st, std::vector<Late::Row>& all) {
  st.cold->writes.each([&](int r) { all.push_back(row(w, r)); });
}
void put(Wave& w, const Late::Row& r, u64 lanes) {
  if (r.reg >= scalar_base) w.s[r.reg - scalar_base] = r.lanes[0];
  else
    for (u64 m = lanes; m; m &= m - 1)
      w.vreg(r.reg)[std::countr_zero(m)] = r.lanes[static_cast<size_t>(std::countr_zero(m))];
}
void put(Wave& w, const Late::Bytes& b) { std::copy_n(b.value.begin(), b.count, w.group->lds.begin() + b.address); }

// Executes a step once more, or later than it was issued, without checks and counts.
void execute(Wave& w, const Step& st) {
  static const Options unchecked{.checks = Checks::none()};
  Workgroup& g = *w.group;
  Result counts;
  std::vector<LdsByte> written;
  std::swap(g.lds_written, written);
  const Options* options = std::exchange(g.options, &unchecked);
  Result* counted = std::exchange(g.counts, &counts);
  Observer* observer = std::exchange(g.observer, nullptr);
  const bool races = g.races.enable(false);
  w.trying = true;
  st.run(w, st);
  w.trying = false;
  g.races.enable(races);
  g.observer = observer, g.counts = counted, g.options = options;
  std::swap(g.lds_written, written);
}
// From its sources as they were at issue.
void execute(Wave& w, const Step& st, const std::vector<Late::Row>& sources) {
  if (w.deferred) w.deferred->settle(w), w.deferred->written();
  std::vector<Late::Row> before;
  for (const Late::Row& r : sources) before.push_back(row(w, r.reg));
  for (const Late::Row& r : sources) put(w, r, w.all);
  const u64 lanes = w.exec(), written_lanes = w.written_lanes;
  execute(w, st);
  RegBits results{};
  st.cold->writes.add_to(results);
  for (const Late::Row& r : before)
    put(w, r, results[static_cast<size_t>(r.reg / 64)] >> r.reg % 64 & 1 ? w.all & ~lanes : w.all);
  w.written_lanes = written_lanes;
}

void put(Wave& w, const Late::Operation& o) {
  if (o.step) return execute(w, *o.step, o.rows);
  if (w.deferred && !o.rows.empty()) w.deferred->settle(w), w.deferred->written();
  for (const Late::Row& r : o.rows) put(w, r, o.lanes);
  for (const Late::Bytes& b : o.lds) put(w, b);
}
template <class Which>
void land_lds(Wave& w, Which&& which) {
  for (Late::Operation& o : w.late.operations) {
    if (!which(o) || o.step) continue;
    for (const Late::Bytes& b : o.lds) put(w, b);
    o.lds.clear();
  }
}

bool waited_for(const Step& st, isa::Arch arch) {
  return std::ranges::any_of(isa::counter_events(*st.row, arch),
                             [](const isa::CounterEvent& e) { return e.counter != isa::WaitCounter::x; });
}
bool is_flat(const Step& st) {
  const Counter c = isa::counter_class(*st.row);
  return c == Counter::flat || c == Counter::flat_store;
}
bool is_lds_store(const Step& st) {
  return isa::counter_class(*st.row) == Counter::lds && st.cold->writes.count == 0 && !(st.row->implicit & isa::atomic);
}
// The wave's earlier stores are done. Stores from LDS to memory would need a wait; they are not modelled here.
bool follows_stores(const Step& st) {
  const Counter c = isa::counter_class(*st.row);
  return (c == Counter::lds && !is_lds_store(st)) || is_flat(st) || c == Counter::async_store ||
         c == Counter::async_barrier || c == Counter::tensor;
}

// Executes the LDS operations up to the last one of which `last` is true.
template <class Last>
void execute_lds(Wave& w, Last&& last) {
  auto& all = w.late.operations;
  const auto end = std::find_if(all.rbegin(), all.rend(), [&](const Late::Operation& o) { return o.step && last(o); });
  for (auto o = all.begin(); o != end.base(); ++o)
    if (o->step) execute(w, *o->step, o->rows);
  all.erase(std::remove_if(all.begin(), end.base(), [](const Late::Operation& o) { return o.step; }), end.base());
}
bool waits_in_lds(const Wave& w, const Step& st) {
  const bool ds = st.row->format == isa::Format::ds || st.row->format == isa::Format::ds2;
  return w.group->options->late_lds && ds && isa::counter_class(*st.row) == Counter::lds &&
         !(st.row->implicit & isa::atomic) && !w.indexed;
}
// The wave's earlier LDS operations are executed. Loads from memory into LDS may overtake them.
bool follows_lds(const Step& st) {
  const Counter c = isa::counter_class(*st.row);
  return c == Counter::lds || is_flat(st) || c == Counter::async_store || c == Counter::async_barrier ||
         c == Counter::tensor || c == Counter::exported;
}
// Without the half of a result that a load keeps (the last source): an earlier load may write it in between.
std::vector<Late::Row> sources(Wave& w, const Step& st) {
  std::vector<Late::Row> all{row(w, scalar_base + sreg::exec), row(w, scalar_base + sreg::exec + 1),
                             row(w, scalar_base + sreg::m0)};
  const int count = st.sources - (st.row->operands[0].access == isa::Access::both);
  for (const Source& s : std::span(st.src, static_cast<size_t>(count)))
    for (int i = 0; s.from == Source::From::vector && i < s.dwords; ++i) all.push_back(row(w, s.reg + i));
  return all;
}

}  // namespace

void before_operation(Wave& w, const Step& st) {
  auto& before = w.late.registers;
  before.clear(), w.late.lds.clear();
  if (!waits_in_lds(w, st) && follows_lds(st)) execute_lds(w, [](const Late::Operation&) { return true; });
  if (follows_stores(st)) land_lds(w, [](const Late::Operation& o) { return o.lds_store; });
  rows(w, st, before);
  for (const Late::Operation& o :
       w.late.operations)  // a load of half a register keeps the half that an earlier load delivers
    for (const Late::Row& r : o.rows)
      if (!o.step && std::ranges::any_of(before, [&](const Late::Row& b) { return b.reg == r.reg; }))
        put(w, r, o.lanes);
}

void put_back(Wave& w, const Step& st, u32 id) {
  if (id == w.async.newest() || !waited_for(st, w.arch)) return;  // the step started no access
  if (is_flat(st)) w.late.lds.clear();
  const bool in_lds = waits_in_lds(w, st);
  if (!in_lds && !w.group->options->late) return w.late.lds.clear();
  Late::Operation o{id, w.late.turn, w.issued, w.written_lanes, is_lds_store(st), {}, w.late.lds};
  rows(w, st, o.rows);
  for (const Late::Row& r : w.late.registers) put(w, r, w.all);
  for (Late::Bytes& b : o.lds) std::copy_n(w.group->lds.begin() + b.address, b.count, b.value.begin());
  std::for_each(w.late.lds.rbegin(), w.late.lds.rend(), [&](const Late::Bytes& b) { put(w, b); });
  w.late.lds.clear();
  if (in_lds) o.step = &st, o.rows = sources(w, st), o.lds.clear();
  if (!o.rows.empty() || !o.lds.empty()) w.late.operations.push_back(std::move(o));
}

void replay(Wave& w, const Step& again) {
  if (w.deferred) w.deferred->settle(w), w.deferred->written();
  const u64 written_lanes = w.written_lanes;
  const int at = std::exchange(w.at, static_cast<int>(again.number));
  execute(w, again);
  if (w.problem) return;  // of the access
  w.at = at, w.written_lanes = written_lanes;
}

void land(Wave& w) {
  auto& all = w.late.operations;
  for (const u32 id : w.late.completed)
    if (const auto o = std::ranges::find(all, id, &Late::Operation::id); o != all.end()) {
      if (o->step) execute_lds(w, [&](const Late::Operation& last) { return last.id == id; });
      else put(w, *o), all.erase(o);
    }
  w.late.completed.clear();
  if (const u64 latency = w.group->options->latency)
    while (!all.empty() && w.issued - all.front().issued >= latency) put(w, all.front()), all.erase(all.begin());
}

void land_lds(Wave& w) {
  execute_lds(w, [](const Late::Operation&) { return true; });
  land_lds(w, [](const Late::Operation&) { return true; });
  w.late.lds.clear();
}

void land_all(Wave& w) {
  for (const Late::Operation& o : w.late.operations) put(w, o);
  w.late.operations.clear();
}

void next_turn(Wave& w) {
  constexpr u64 patience = 256;
  const u64 now = ++w.late.turn;
  const auto old = [&](const Late::Operation& o) { return now - o.turn > patience; };
  execute_lds(w, old);
  land_lds(w, old);
}

}  // namespace wavesmith::sim
