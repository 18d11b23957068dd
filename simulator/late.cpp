#include "simulator/late.h"

#include <algorithm>
#include <bit>

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

void put(Wave& w, const Late::Operation& o) {
  if (w.deferred && !o.rows.empty()) w.deferred->settle(w), w.deferred->written();
  for (const Late::Row& r : o.rows) put(w, r, o.lanes);
  for (const Late::Bytes& b : o.lds) put(w, b);
}
template <class Which>
void land_lds(Wave& w, Which&& which) {
  for (Late::Operation& o : w.late.operations) {
    if (!which(o)) continue;
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

}  // namespace

void before_operation(Wave& w, const Step& st) {
  auto& before = w.late.registers;
  before.clear(), w.late.lds.clear();
  if (follows_stores(st)) land_lds(w, [](const Late::Operation& o) { return o.lds_store; });
  rows(w, st, before);
  for (const Late::Operation& o :
       w.late.operations)  // a load of half a register keeps the half that an earlier load delivers
    for (const Late::Row& r : o.rows)
      if (std::ranges::any_of(before, [&](const Late::Row& b) { return b.reg == r.reg; })) put(w, r, o.lanes);
}

void put_back(Wave& w, const Step& st, u32 id) {
  if (id == w.async.newest() || !waited_for(st, w.arch)) return;  // the step started no access
  if (is_flat(st)) w.late.lds.clear();
  Late::Operation o{id, w.late.turn, w.issued, w.written_lanes, is_lds_store(st), {}, w.late.lds};
  rows(w, st, o.rows);
  for (const Late::Row& r : w.late.registers) put(w, r, w.all);
  for (Late::Bytes& b : o.lds) std::copy_n(w.group->lds.begin() + b.address, b.count, b.value.begin());
  std::for_each(w.late.lds.rbegin(), w.late.lds.rend(), [&](const Late::Bytes& b) { put(w, b); });
  w.late.lds.clear();
  if (!o.rows.empty() || !o.lds.empty()) w.late.operations.push_back(std::move(o));
}

void land(Wave& w) {
  auto& all = w.late.operations;
  for (const u32 id : w.late.completed)
    if (const auto o = std::ranges::find(all, id, &Late::Operation::id); o != all.end()) put(w, *o), all.erase(o);
  w.late.completed.clear();
  if (const u64 latency = w.group->options->latency)
    while (!all.empty() && w.issued - all.front().issued >= latency) put(w, all.front()), all.erase(all.begin());
}

void land_lds(Wave& w) {
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
  land_lds(w, [&](const Late::Operation& o) { return now - o.turn > patience; });
}

}  // namespace wavesmith::sim
