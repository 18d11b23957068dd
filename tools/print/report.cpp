// The page's data: columns instead of records, and the timeline as differences (200,000 bars are about 3 MB). The
// result is that of --json, unchanged, so that page and JSON cannot disagree.
#include "tools/print/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "isa_tables/absent.h"
#include "isa_tables/timing/timing.h"
#include "isa_tables/timing/vector_peak.h"
#include "runtime/files.h"
#include "simulator/occupancy.h"
#include "simulator/timing/decode.h"
#include "tools/print/console.h"
#include "tools/print/report_liveness.h"
#include "tools/print/time_report.h"

extern "C" const char wavesmith_report_page[], wavesmith_report_page_end[];  // page.S

namespace wavesmith::tools {
namespace {

using isa::Occupancy, timing::Result, timing::Stall, timing::IssueUnit;
using nlohmann::ordered_json;

template <class Enum>
ordered_json names(int count) {
  ordered_json out = ordered_json::array();
  for (int i = 0; i < count; ++i) out.push_back(timing::name(static_cast<Enum>(i)));
  return out;
}

ordered_json kernel_json(const ReportSubject& s, bool accumulators) {
  const isa::Target& t = isa::target(s.object.arch());
  const sim::KernelInfo& k = s.kernel;
  const bool split = t.unified && accumulators;  // a kernel without AGPRs uses the whole unified file as VGPRs
  ordered_json args = ordered_json::array();
  for (const auto& a : k.args)
    if (!a.hidden())
      args.push_back({{"name", a.name},
                      {"offset", a.offset},
                      {"size", a.size},
                      {"type", a.type_name.empty() ? a.value_kind : a.type_name}});
  const int vgprs = split ? std::min(k.accum_offset, k.vgprs) : std::min(k.vgprs, t.vgprs);
  const int agprs = split ? std::clamp(k.vgprs - k.accum_offset, 0, t.agprs) : t.agprs && accumulators ? k.vgprs : 0;
  const int sgprs = k.sgprs_counted ? sim::resources(s.object.arch(), k, 1).sgprs : k.sgprs;
  return {{"name", k.name},
          {"target", t.name},
          {"cu", t.cu()},
          {"wave_size", k.wave_size},
          {"vgprs", vgprs},
          {"most_vgprs", t.vgprs},
          {"agprs", agprs},
          {"most_agprs", t.agprs},
          {"sgprs", sgprs},
          {"most_sgprs", t.sgprs},
          {"lds_bytes", k.lds_bytes},
          {"most_lds_bytes", t.lds_bytes},
          {"private_bytes", k.private_bytes},
          {"kernarg_bytes", k.kernarg_bytes},
          {"max_workgroup_size", k.max_workgroup_size},
          {"code_bytes", k.code_end - k.entry},
          {"args", args}};
}

ordered_json occupancy_json(const Occupancy& o) {
  ordered_json limits = ordered_json::array();
  for (const Occupancy::Limit& l : o.limits)
    limits.push_back({{"by", isa::name(l.by)}, {"groups", l.groups}, {"waves_per_simd", l.waves_per_simd}});
  return {{"waves_per_simd", o.waves_per_simd},
          {"max_waves", o.max_waves},
          {"groups", o.groups},
          {"limited_by", isa::name(o.limited_by)},
          {"limits", limits},
          {"vgprs_granted", o.vgprs_granted},
          {"sgprs_granted", o.sgprs_granted},
          {"lds_granted", o.lds_granted},
          {"vgprs_free", o.vgprs_free}};
}

// The authors' lines: each text once, and of each row its number; -1: unknown.
struct Places {
  std::map<std::string, int> numbers;
  ordered_json texts = ordered_json::array(), rows = ordered_json::array();
  void add(const std::string& where) {
    if (where.empty()) return rows.push_back(-1);
    const auto [known, fresh] = numbers.try_emplace(where, static_cast<int>(numbers.size()));
    if (fresh) texts.push_back(where);
    rows.push_back(known->second);
  }
};

// One row an instruction, in the order of addresses, which is Result::list's too. `next`, `target`: the rows after it
// and where a branch goes; -1: none.
struct CodeRows {
  sim::DecodedKernel program;
  bool accumulators = false;  // some instruction touches an AGPR
  std::vector<size_t> order;
  ordered_json json;
};
CodeRows rows(const ReportSubject& s) {
  CodeRows r{sim::decode(s.object, s.kernel), false, {}, {}};
  const auto& steps = r.program.steps;
  const Pressure live = pressure(r.program, s.object.arch(), s.kernel.wave_size);
  const auto units = timing::decode(r.program, s.object.arch(), s.kernel.wave_size);
  r.order.resize(steps.size());
  std::iota(r.order.begin(), r.order.end(), size_t{0});
  std::stable_sort(r.order.begin(), r.order.end(), [&](size_t a, size_t b) { return steps[a].pc < steps[b].pc; });
  std::vector<int> place(steps.size());
  for (size_t i = 0; i < r.order.size(); ++i) place[r.order[i]] = static_cast<int>(i);
  Places places;
  ordered_json pc = ordered_json::array(), label = pc, text = pc, unit = pc, next = pc, target = pc, v = pc, a = pc,
               sg = pc;
  for (const size_t i : r.order) {
    places.add(s.object.where(steps[i].pc)), label.push_back(s.object.name_at(steps[i].pc));
    pc.push_back(steps[i].pc), text.push_back(steps[i].text()), unit.push_back(static_cast<int>(units[i].unit));
    const auto row = [&](int step) { return step < 0 ? absent : place[static_cast<size_t>(step)]; };
    next.push_back(row(steps[i].next)), target.push_back(row(steps[i].target));
    r.accumulators |= live.at[i].agprs > 0;
    v.push_back(live.at[i].vgprs), a.push_back(live.at[i].agprs), sg.push_back(live.at[i].sgprs);
  }
  r.json = {{"pc", pc},
            {"text", text},
            {"unit", unit},
            {"next", next},
            {"target", target},
            {"vgprs", v},
            {"agprs", a},
            {"sgprs", sg},
            {"entry", place[0]},
            {"indirect", live.indirect},
            {"label", label},
            {"places", places.texts},
            {"place", places.rows}};
  return r;
}

// Stalls of a row: reason, wave-clocks, reason, wave-clocks, ...
ordered_json spent(const Result& r) {
  ordered_json issued = ordered_json::array(), issue = issued, conflicts = issued, stalled = issued;
  for (const auto& i : r.list) {
    issued.push_back(i.issued), issue.push_back(i.issue_clocks), conflicts.push_back(i.conflict_clocks);
    ordered_json reasons = ordered_json::array();
    for (size_t k = 0; k < i.stalled.size(); ++k)
      if (i.stalled[k]) reasons.push_back(k), reasons.push_back(i.stalled[k]);
    stalled.push_back(reasons);
  }
  return {{"issued", issued}, {"issue", issue}, {"conflicts", conflicts}, {"stalled", stalled}};
}

// The events of each wave: start relative to the previous event's, length, row, reason (-1: not a stall, but the
// instruction at its unit).
ordered_json timeline(const Result& r) {
  ordered_json waves = ordered_json::array();
  std::vector<ordered_json> events(r.waves.size(), ordered_json::array());
  std::vector<uint64_t> last(r.waves.size());
  for (const timing::Event& e : r.events) {
    ordered_json& to = events[e.wave];
    to.push_back(static_cast<int64_t>(e.start - last[e.wave])), to.push_back(e.end - e.start), to.push_back(e.step),
        to.push_back(e.stall ? static_cast<int>(e.why) : absent);
    last[e.wave] = e.start;
  }
  for (size_t w = 0; w < r.waves.size(); ++w) {
    const timing::WavePlace& p = r.waves[w];
    waves.push_back({{"workgroup", p.workgroup},
                     {"number", p.number},
                     {"simd", p.simd},
                     {"start", p.start},
                     {"end", p.end},
                     {"events", std::move(events[w])}});
  }
  return {{"waves", waves}, {"whole", r.events.size() + 2 <= timing::Options{}.most_events}};
}

// The VALU's roof: the fused multiply-add of f32, or of f64 where the kernel computes in nothing narrower, unless an
// instruction of the kernel does more. So no rate of the kernel is above it.
isa::VectorPeak vector_roof(const Result& r, const CodeRows& rows, isa::Arch arch) {
  const isa::Target& t = isa::target(arch);
  isa::VectorPeak best;
  bool only_f64 = true;
  for (size_t i = 0; i < r.list.size(); ++i) {
    const timing::Instruction& x = r.list[i];
    const isa::Info* row = rows.program.steps[rows.order[i]].row;
    if (!row || x.unit == IssueUnit::matrix || !x.issued || x.flops <= 0) continue;
    only_f64 &= row->operands[0].dwords == 2 && row->format != isa::Format::vop3p;
    const double rate = x.flops / x.unit_clocks * t.simds_per_cu;
    if (rate > best.flops_per_clock) best = {row->mnemonic, rate};
  }
  if (best.flops_per_clock == 0) return best;
  const auto fma = isa::vector_peak(arch, only_f64 ? isa::VectorType::f64 : isa::VectorType::f32);
  return fma.flops_per_clock >= best.flops_per_clock ? fma : best;
}

// Peaks at the clock assumed: of the type whose products take most of the matrix time, of the VALU, and of the levels
// in bytes per second.
ordered_json peaks(const Result& r, const CodeRows& rows, isa::Arch arch) {
  const isa::Gpu& gpu = *isa::find_gpu(r.gpu);
  const isa::Timing& t = isa::timing(arch);
  const double hz = r.clock_mhz * 1e6, paths = gpu.units * t.vmem_paths, dies = isa::gpu_timing(gpu).dies;
  const isa::Info* most = nullptr;
  uint64_t clocks = 0;
  for (size_t i = 0; i < r.list.size(); ++i) {
    const isa::Info* row = rows.program.steps[rows.order[i]].row;
    const uint64_t taken = r.list[i].issued * static_cast<uint64_t>(r.list[i].unit_clocks);
    if (row && row->is_matrix() && taken > clocks) most = row, clocks = taken;
  }
  ordered_json out{{"memory", gpu.tb_per_s * 1e12},
                   {"mall", isa::gpu_timing(gpu).mall_tb_per_s * 1e12},
                   {"l2", std::min(paths * t.l2_port_bytes, dies * t.l2_bytes) * hz},
                   {"l1", paths * t.vmem_bytes * hz},
                   {"boost_mhz", gpu.mhz}};
  if (const isa::VectorPeak roof = vector_roof(r, rows, arch); roof.flops_per_clock > 0)
    out["vector"] = roof.flops_per_clock * gpu.units * hz, out["vector_instruction"] = roof.instruction;
  if (!most) return out;
  const double best = isa::flops_per_clock(most->matrix.a, arch);
  out["matrix"] = (best > 0 ? best : isa::flops_per_clock(*most, arch)) * gpu.units * hz;
  out["matrix_instruction"] = most->mnemonic;
  return out;
}

}  // namespace

std::string report_json(const ReportSubject& s, const Result* timed) {
  const CodeRows r = rows(s);
  ordered_json j{{"file", s.file},
                 {"kernel", kernel_json(s, r.accumulators)},
                 {"occupancy", occupancy_json(s.occupancy)},
                 {"units", names<IssueUnit>(timing::units)},
                 {"stalls", names<Stall>(timing::stalls)},
                 {"code", r.json}};
  if (timed) {
    ordered_json said = ordered_json::parse(time_json(*timed));
    said.erase("instructions_timed");  // `spent` has it as columns
    j["time"] = std::move(said), j["spent"] = spent(*timed), j["timeline"] = timeline(*timed),
    j["peaks"] = peaks(*timed, r, s.object.arch());
  }
  return json_text(j, -1);
}

void write_report(const std::string& path, const ReportSubject& s, const Result* timed) {
  const std::string_view page(wavesmith_report_page,
                              static_cast<size_t>(wavesmith_report_page_end - wavesmith_report_page)),
      mark = "{{report data}}";
  const std::string data = report_json(s, timed);
  const size_t at = page.find(mark);
  std::string out(page.substr(0, at));
  for (const char c : data)  // "</script>" in a name must not end the block
    if (c == '<') out += "\\u003c";
    else out += c;
  out += page.substr(at + mark.size());
  runtime::write_file(path, std::string_view(out));
}

}  // namespace wavesmith::tools
