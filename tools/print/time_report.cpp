// Text, JSON and trace of a timing result.
#include "tools/print/time_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/files.h"
#include "simulator/timing/limit.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;
using timing::Loop, timing::Result, timing::Stall;

std::string percent(double x) { return fmt::format("{:.1f} %", 100 * x); }
std::string bytes(double n) {  // traffic, in decimal units as bandwidths are; sizes of memories are in KiB and MiB
  const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  int u = 0;
  while (n >= 1000 && u < 4) n /= 1000, ++u;
  return fmt::format("{:.3g} {}", n, units[u]);
}

// The stalls of a trip, worst first, as "barrier 18 %, valu busy 7 %".
std::string worst_stalls(const Loop& l) {
  std::vector<std::pair<double, int>> all;
  for (int i = 0; i < timing::stalls; ++i)
    if (l.stalled[static_cast<size_t>(i)] > 0.01 * l.clocks) all.emplace_back(l.stalled[static_cast<size_t>(i)], i);
  std::sort(all.rbegin(), all.rend());
  std::string s;
  for (size_t i = 0; i < std::min<size_t>(4, all.size()); ++i)
    s += fmt::format("{}{} {:.0f} %", s.empty() ? "" : ", ", timing::name(static_cast<Stall>(all[i].second)),
                     100 * all[i].first / l.clocks);
  return s.empty() ? "none" : s;
}

// Breaks text into indented lines of at most 100 columns.
std::string wrapped(std::string text) {
  constexpr size_t width = 98;
  std::string out;
  while (text.size() > width) {
    const size_t space = text.rfind(' ', width), cut = space == std::string::npos || space == 0 ? width : space;
    out += fmt::format("  {}\n", text.substr(0, cut));
    text.erase(0, cut + (space == cut));
  }
  return out + fmt::format("  {}\n", text);
}

std::string loops_text(const Result& r) {
  std::string out = fmt::format("\n{:<17} {:>6} {:>7} {:>8} {:>8} {:>8} {:>6} {:>10}\n", "loop", "share", "trips",
                                "clk/trip", "matrix", "VALU", "LDS", "slots/mat");
  int shown = 0;
  for (const Loop& l : r.loops) {
    if (l.share < 0.02 || shown++ == 6) break;
    out += fmt::format("{:#08x}-{:#08x} {:>5.1f}% {:>7} {:>8.0f} {:>8.0f} {:>8.0f} {:>6.0f} {:>10.3f}\n", l.first,
                       l.last, 100 * l.share, l.trips, l.clocks, l.matrix_clocks, l.valu_clocks, l.lds_clocks,
                       l.slots_per_matrix_clock());
    if (!l.where.empty()) out += fmt::format("    {}{}{}\n", l.label, l.label.empty() ? "" : " at ", l.where);
    out += fmt::format("    stalls: {}\n    {}\n", worst_stalls(l), advice(r, l));
  }
  return shown ? out : "";
}

// What the clock follows from.
std::string clock_reason(const Result& r) {
  using Kind = timing::Clock::Kind;
  switch (r.clock.kind) {
    case Kind::load:
      return fmt::format("power under load: {:.0f} MHz with all matrix pipes in use, {:.0f} MHz with {}", r.clock.mhz,
                         r.clock_mhz, percent(r.matrix_utilisation));
    case Kind::boost: return "boost";
    case Kind::sustained: return "sustained, as measured under matrix load";
    default: return "as given";
  }
}
const char* clock_kind(timing::Clock::Kind k) {
  constexpr const char* names[] = {"load", "boost", "sustained", "fixed"};
  return names[static_cast<int>(k)];
}

}  // namespace

std::string advice(const Result& r, const Loop& l) {
  const auto share = [&](std::initializer_list<Stall> of) {
    double n = 0;
    for (const Stall s : of) n += l.stalled[static_cast<size_t>(s)];
    return n / l.clocks;
  };
  const std::pair<double, const char*> causes[] = {
      {share({Stall::barrier}), "waves wait for each other: use fewer barriers, or balance the work between them"},
      {share({Stall::wait_vm, Stall::wait_async, Stall::wait_tensor}),
       "loads complete too late: issue them a stage earlier, or use more waves"},
      {share({Stall::wait_lgkm}),
       "LDS (or scalar) data arrive too late: read fragments earlier, look for bank conflicts"},
      {share({Stall::lds_queue}), "the LDS is saturated: use wider reads, fewer conflicts, operands kept in registers"},
      {share({Stall::vmem_queue}),
       "vector memory is saturated: use wider loads, better coalescing, loads spread over the loop"},
      {share({Stall::valu_busy}), "the VALU is saturated: use fewer or cheaper instructions (packed, no conversions)"},
      {share({Stall::nop}), "s_nop and s_sleep: put independent instructions there"},
      {share({Stall::dependency}), "results are used too early: interleave independent instructions"},
      {share({Stall::fetch, Stall::branch}), "fetch: align the loop and its 8-byte instructions, unroll"}};
  const auto limits = [&](timing::Limit by) { return r.limit == by && l.share > 0.5; };
  if (limits(timing::Limit::matrix)) return "the matrix pipe is saturated, as it should be";
  if (limits(timing::Limit::lds)) return causes[3].second;
  if (limits(timing::Limit::valu)) return causes[5].second;
  const auto* worst = std::max_element(std::begin(causes), std::end(causes),
                                       [](const auto& a, const auto& b) { return a.first < b.first; });
  const bool loads = worst == &causes[1] || worst == &causes[4];
  if (loads && r.limit == timing::Limit::memory)
    return "memory is the limit: move fewer bytes (larger tiles, reuse in the L2)";
  if (loads && r.limit == timing::Limit::mall)
    return "the memory-side cache is the limit: move fewer bytes (larger tiles, reuse in the L2)";
  if (loads && r.limit == timing::Limit::fabric)
    return "the fabric between L2 and memory is the limit: move fewer bytes (larger tiles, reuse in the L2)";
  if (loads && r.limit == timing::Limit::l2)
    return "the L2 is the limit: move fewer bytes from it (larger tiles, operands shared in the LDS)";
  return worst->first > 0.03                  ? worst->second
         : share({Stall::matrix_busy}) > 0.03 ? "waves wait for the matrix pipe, as they should"
                                              : "nothing stands out";
}

std::string time_text(const Result& r) {
  const char* unit = isa::target(*isa::find_arch(r.target)).cu();
  Table t;
  t.add("kernel", fmt::format("{} on {} ({})", r.kernel, r.gpu, r.target));
  t.add("cycles", fmt::format("{:.0f} (+- {} for the extrapolated part)", r.cycles, percent(r.error)));
  if (r.flops > 0)
    t.add("matrix pipes", fmt::format("{} busy, {} of a full {}", percent(r.matrix_utilisation),
                                      percent(r.steady_matrix_utilisation), unit));
  t.add("limited by", fmt::format("{}: {}", timing::name(r.limit), limit_reason(r)));
  t.add("VALU, LDS, issue", fmt::format("{}, {}, {} busy", percent(r.valu_utilisation), percent(r.lds_utilisation),
                                        percent(r.issue_utilisation)));
  t.add("clock", fmt::format("{:.0f} MHz: {}", r.clock_mhz, clock_reason(r)));
  t.add("time", fmt::format("{:.4g} ms at {:.0f} MHz, including {:.1f} us of launch", 1e3 * r.seconds, r.clock_mhz,
                            1e6 * r.launch_seconds));
  if (r.flops > 0) t.add("rate", fmt::format("{:.4g} TFLOP/s", r.tflops()));
  else if (r.vector_flops > 0)
    t.add("rate",
          fmt::format("{:.4g} TFLOP/s of VALU instructions, counting all lanes", r.vector_flops / r.seconds * 1e-12));
  t.add("moved", fmt::format("LDS {}, L1 {}, L2 {}, memory-side cache {}, memory {}", bytes(r.lds_bytes),
                             bytes(r.l1_bytes), bytes(r.l2_bytes), bytes(r.mall_bytes), bytes(r.memory_bytes)));
  t.add("occupancy", fmt::format("{} per SIMD, {} per {}, limited by {}",
                                 counted(static_cast<uint64_t>(r.occupancy.waves_per_simd), "wave"),
                                 counted(static_cast<uint64_t>(r.groups_per_unit), "workgroup"), unit,
                                 isa::name(r.occupancy.limited_by)));
  t.add("grid", fmt::format("{} on {}: {:.2f} rounds", counted(r.workgroups, "workgroup"),
                            counted(static_cast<uint64_t>(r.units), unit), r.rounds));
  t.add("simulated", fmt::format("{:.2f} of {:.2f} M instructions, {:.2f} s traced, {:.2f} s timed",
                                 static_cast<double>(r.simulated) * 1e-6, static_cast<double>(r.instructions) * 1e-6,
                                 r.trace_seconds, r.model_seconds));
  std::string out = t.text() + loops_text(r);
  if (!r.assumptions.empty()) out += "\nassumed\n";
  for (const auto& a : r.assumptions) out += wrapped(a);
  return out;
}

std::string time_json(const Result& r) {
  ordered_json busy = ordered_json::object();
  for (const timing::Busy& b : r.busy) busy[timing::name(b.unit)] = b.share;
  ordered_json j{{"kernel", r.kernel},
                 {"target", r.target},
                 {"gpu", r.gpu},
                 {"cycles", r.cycles},
                 {"error", r.error},
                 {"clock_mhz", r.clock_mhz},
                 {"clock_kind", clock_kind(r.clock.kind)},
                 {"clock_reason", clock_reason(r)},
                 {"seconds", r.seconds},
                 {"launch_seconds", r.launch_seconds},
                 {"limited_by", timing::name(r.limit)},
                 {"limited_by_reason", limit_reason(r)},
                 {"busy", busy},
                 {"matrix_utilisation", r.matrix_utilisation},
                 {"steady_matrix_utilisation", r.steady_matrix_utilisation},
                 {"valu_utilisation", r.valu_utilisation},
                 {"lds_utilisation", r.lds_utilisation},
                 {"issue_utilisation", r.issue_utilisation},
                 {"flops", r.flops},
                 {"vector_flops", r.vector_flops},
                 {"tflops", r.tflops()},
                 {"bytes",
                  {{"lds", r.lds_bytes},
                   {"l1", r.l1_bytes},
                   {"l2", r.l2_bytes},
                   {"mall", r.mall_bytes},
                   {"memory", r.memory_bytes}}},
                 {"waves_per_simd", r.occupancy.waves_per_simd},
                 {"workgroups_per_cu", r.groups_per_unit},
                 {"occupancy_limited_by", isa::name(r.occupancy.limited_by)},
                 {"workgroups", r.workgroups},
                 {"cus", r.units},
                 {"rounds", r.rounds},
                 {"instructions", r.instructions},
                 {"simulated", r.simulated},
                 {"assumptions", r.assumptions}};
  const auto stalled = [](const auto& s) {
    ordered_json out = ordered_json::object();
    for (int i = 0; i < timing::stalls; ++i)
      if (s[static_cast<size_t>(i)] > 0) out[timing::name(static_cast<Stall>(i))] = s[static_cast<size_t>(i)];
    return out;
  };
  j["loops"] = ordered_json::array();
  for (const Loop& l : r.loops)
    j["loops"].push_back(located({{"first", l.first},
                                  {"last", l.last},
                                  {"label", l.label},
                                  {"share", l.share},
                                  {"trips", l.trips},
                                  {"clocks", l.clocks},
                                  {"matrix_clocks", l.matrix_clocks},
                                  {"valu_clocks", l.valu_clocks},
                                  {"lds_clocks", l.lds_clocks},
                                  {"slots_per_matrix_clock", l.slots_per_matrix_clock()},
                                  {"stalled", stalled(l.stalled)},
                                  {"advice", advice(r, l)}},
                                 l.where));
  j["instructions_timed"] = ordered_json::array();
  for (const auto& i : r.list)
    if (i.issued)
      j["instructions_timed"].push_back(located({{"pc", i.pc},
                                                 {"text", i.text},
                                                 {"unit", timing::name(i.unit)},
                                                 {"issued", i.issued},
                                                 {"cycles", i.cycles()},
                                                 {"conflict_clocks", i.conflict_clocks},
                                                 {"stalled", stalled(i.stalled)}},
                                                i.where));
  return json_text(j);
}

// Trace Event Format: a process for each SIMD, a thread for each wave; one clock is one microsecond there.
void write_trace(const std::string& path, const Result& r) {
  ordered_json events = ordered_json::array();
  for (size_t w = 0; w < r.waves.size(); ++w) {
    const auto& p = r.waves[w];
    events.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", p.simd}, {"args", {{"name", fmt::format("SIMD {}", p.simd)}}}});
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", p.simd},
                      {"tid", w},
                      {"args", {{"name", fmt::format("workgroup {} wave {}", p.workgroup, p.number)}}}});
  }
  for (const timing::Event& e : r.events) {
    const auto& i = r.list[e.step];
    events.push_back({{"ph", "X"},
                      {"name", e.stall ? timing::name(e.why) : i.text},
                      {"cat", e.stall ? "stall" : timing::name(e.unit)},
                      {"pid", r.waves[e.wave].simd},
                      {"tid", e.wave},
                      {"ts", e.start},
                      {"dur", e.end - e.start},
                      {"args", located(ordered_json::object({{"pc", fmt::format("{:#x}", i.pc)}}), i.where)}});
  }
  const std::string text = json_text({{"traceEvents", events}, {"displayTimeUnit", "ns"}}, -1);
  runtime::write_file(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace wavesmith::tools
