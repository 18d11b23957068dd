// Operations in flight: how an instruction becomes one, and the instructions that wait for them.
#include "simulator/waits.h"

#include <fmt/format.h>

#include <utility>

#include "simulator/access.h"

namespace wavesmith::sim {
namespace {

void complete(Wave& w, const Pending& p) {
  if (w.group->options->reorders()) w.late.completed.push_back(p.id);
  if (!p.dma) return;
  for (const LdsSpan& s : p.lds)
    if (s.use == LdsUse::write)
      for (uint32_t i = s.address / 4; i < s.dwords_end(); ++i) --w.group->dma_dwords[i];
  --w.group->dma_in_flight;
}

void wait_counters(Wave& w, const Step& st) {
  if (w.group->follows_operations())
    w.async.wait(isa::waits_of(st.inst, w.arch), [&](const Pending& p) { complete(w, p); });
}
constexpr Semantics waits[] = {
    {"s_waitcnt", wait_counters},
    {"s_waitcnt_vmcnt", wait_counters},
    {"s_waitcnt_vscnt", wait_counters},
    {"s_waitcnt_lgkmcnt", wait_counters},
    {"s_waitcnt_expcnt", wait_counters},
    {"s_wait_loadcnt", wait_counters},
    {"s_wait_storecnt", wait_counters},
    {"s_wait_dscnt", wait_counters},
    {"s_wait_kmcnt", wait_counters},
    {"s_wait_samplecnt", wait_counters},
    {"s_wait_bvhcnt", wait_counters},
    {"s_wait_expcnt", wait_counters},
    {"s_wait_asynccnt", wait_counters},
    {"s_wait_tensorcnt", wait_counters},
    {"s_wait_xcnt", wait_counters},
    {"s_wait_loadcnt_dscnt", wait_counters},
    {"s_wait_storecnt_dscnt", wait_counters},
    {"s_wait_idle", wait_counters},
};

}  // namespace

std::span<const Semantics> wait_semantics() { return waits; }

void follow(Wave& w, Pending p) {
  w.async.issue(std::move(p), w.arch, [&](const Pending& done) { complete(w, done); });
}

std::string wait_names(isa::Counter cls, isa::Arch arch) {
  std::string s;
  for (const isa::CounterEvent& e : isa::counter_events(cls, arch))
    if (e.counter != isa::WaitCounter::x)
      s += fmt::format("{}{}{}", s.empty() ? "" : " ", isa::counter(e.counter, arch).name,
                       isa::tells_by_count(e.order) ? "" : "(0)");
  return s;
}
std::string wait_hint(isa::Counter cls, isa::Arch arch) {
  const std::string names = wait_names(cls, arch);
  return names.empty() ? "" : fmt::format(" (no {} wait covers it)", names);
}

}  // namespace wavesmith::sim
