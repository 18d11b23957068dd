// wavesmith inspect: a code object's resources, arguments and code.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "isa_tables/mc/mc.h"
#include "simulator/decoded_kernel.h"
#include "simulator/occupancy.h"
#include "simulator/simulator.h"
#include "tools/commands/commands.h"
#include "tools/options/code_file.h"
#include "tools/print/console.h"
#include "tools/print/live_registers.h"
#include "tools/print/loops.h"
#include "tools/print/report.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Inspect {
  CodeOptions code;
  std::string file, kernel, report;
  bool listing = false, loops = false, registers = false, json = false;
};

struct Line {
  uint64_t pc;
  int bytes;
  std::string text;
  std::string_view label;
  std::optional<sim::SourceLine> source;
  std::optional<Live> live;  // --registers
};

std::vector<Line> listing(const sim::CodeObject& co, const sim::KernelInfo& k, const LiveRegisters* live) {
  isa::Mc mc(co.arch(), k.wave_size);
  std::vector<Line> lines;
  for (uint64_t pc = k.entry; pc < k.code_end;) {
    const auto code = co.code(pc);
    auto d = mc.disassemble(code, pc);
    const int size = d.size ? d.size : 4;
    try {
      const auto target =
          d.size ? sim::branch_target(mc.instruction(d, code), pc + static_cast<uint64_t>(d.size)) : std::nullopt;
      if (target) d.text = sim::with_label(d.text, co.name_at(*target));
    } catch (const isa::IsaError&) {}  // not in our tables: as LLVM prints it
    const std::string_view name = co.name_at(pc);
    lines.push_back(
        {pc, size, d.size ? d.text : ".long  (not an instruction)", name == k.name ? "" : name, co.source(pc), {}});
    if (live)
      if (const auto at = live->at.find(pc); at != live->at.end()) lines.back().live = at->second;
    pc += static_cast<uint64_t>(size);
  }
  return lines;
}

ordered_json to_json(const Live& l) { return {{"vgprs", l.vgprs}, {"agprs", l.agprs}, {"sgprs", l.sgprs}}; }
ordered_json to_json(const Line& l) {
  ordered_json j{{"pc", l.pc}, {"bytes", l.bytes}, {"instruction", l.text}};
  if (!l.label.empty()) j["label"] = l.label;
  if (l.live) j["live"] = to_json(*l.live);
  if (!l.source) return j;
  j["where"] = l.source->text();
  if (!l.source->note.empty()) j["note"] = l.source->note;
  return j;
}
// As llvm-objdump -l does: a line where the source changes, then its instructions.
void print(const std::vector<Line>& lines) {
  std::string last;
  for (const Line& l : lines) {
    if (!l.label.empty()) fmt::print(out(), "{}:\n", l.label);
    const std::string where = l.source ? l.source->text() : "";
    if (where != last) fmt::print(out(), "; {}\n", where.empty() ? "(no source line)" : where);
    last = where;
    const std::string note = l.source && !l.source->note.empty() ? fmt::format("  ; {}", l.source->note) : "";
    const std::string live =
        l.live ? fmt::format("v{:<3} a{:<3} s{:<3}  ", l.live->vgprs, l.live->agprs, l.live->sgprs) : "";
    fmt::print(out(), "{:8x}  {}{}{}\n", l.pc, live, l.text, note);
  }
}

// Resources of the largest workgroup that the metadata allows, without dynamic LDS, which a launch decides.
isa::Resources resources_of(const sim::CodeObject& co, const sim::KernelInfo& k) {
  return sim::resources(co.arch(), k, static_cast<uint64_t>(std::max(1, k.max_workgroup_size)));
}
isa::Occupancy occupancy_of(const sim::CodeObject& co, const sim::KernelInfo& k) {
  return isa::occupancy(co.arch(), resources_of(co, k));
}

std::string occupancy_text(const sim::CodeObject& co, const sim::KernelInfo& k) {
  const auto held = [](const isa::Occupancy& o, int size) {
    return fmt::format("{} of {} waves a SIMD in workgroups of {}, limited by {}", o.waves_per_simd, o.max_waves, size,
                       isa::name(o.limited_by));
  };
  isa::Resources r = resources_of(co, k);
  isa::Occupancy o = isa::occupancy(co.arch(), r);
  if (o.groups) return held(o, k.max_workgroup_size);
  const std::string none =
      fmt::format("none in workgroups of {}: {} of a CU are too few", k.max_workgroup_size, isa::name(o.limited_by));
  while (!o.groups && r.waves_per_group > 1) --r.waves_per_group, o = isa::occupancy(co.arch(), r);
  return o.groups ? fmt::format("{}; {}", none, held(o, r.waves_per_group * k.wave_size)) : none;
}

ordered_json to_json(const LiveRegisters& live) {
  ordered_json j{{"blocks", ordered_json::array()}, {"indirect_jumps", live.indirect}};
  for (const LiveBlock& b : live.blocks) {
    ordered_json block{
        {"pc", b.pc}, {"instructions", b.instructions}, {"live", to_json(b.most)}, {"fullest", b.fullest}};
    if (!b.label.empty()) block["label"] = b.label;
    if (!b.where.empty()) block["where"] = b.where;
    j["blocks"].push_back(std::move(block));
  }
  return j;
}
// One row a basic block: the most registers of each file that hold a value which is still needed.
void print(const LiveRegisters& live) {
  std::string text = fmt::format("\n{:>8}  {:>12}  {:>5} {:>5} {:>5}  {:<8}  {}\n", "pc", "instructions", "VGPRs",
                                 "AGPRs", "SGPRs", "most at", "block");
  for (const LiveBlock& b : live.blocks) {
    text += fmt::format("{:8x}  {:>12}  {:>5} {:>5} {:>5}  {:8x}", b.pc, b.instructions, b.most.vgprs, b.most.agprs,
                        b.most.sgprs, b.fullest);
    for (const std::string& name : {b.label, b.where})
      if (!name.empty()) text += "  " + name;
    text += "\n";
  }
  if (live.indirect)
    text += fmt::format("{} not followed\n", counted(static_cast<uint64_t>(live.indirect), "indirect jump"));
  fmt::print(out(), "{}", text);
}

double per_matrix_clock(const CodeLoop& l) { return static_cast<double>(l.others()) / l.matrix_clocks; }

ordered_json to_json(const CodeLoop& l) {
  using isa::Unit;
  ordered_json j{{"pc", l.pc}, {"last", l.last}, {"depth", l.depth}, {"instructions", l.instructions}};
  for (const auto& [name, n] : std::initializer_list<std::pair<const char*, int>>{
           {"matrix", l.of(Unit::xdl)},
           {"valu", l.of(Unit::valu)},
           {"transcendental", l.of(Unit::trans)},
           {"lds", l.of(Unit::lds)},
           {"vector_memory", l.of(Unit::vmem)},
           {"scalar_memory", l.of(Unit::smem)},
           {"salu", l.of(Unit::salu)},
           {"branches_and_messages", l.of(Unit::branch) + l.of(Unit::message)}})
    j[name] = n;
  j["matrix_clocks"] = l.matrix_clocks;
  if (l.matrix_clocks) j["others_per_matrix_clock"] = per_matrix_clock(l);
  if (!l.label.empty()) j["label"] = l.label;
  if (!l.where.empty()) j["where"] = l.where;
  return j;
}

void print(const std::vector<CodeLoop>& loops) {
  using isa::Unit;
  std::string text =
      fmt::format("\n{:>8} {:>8}  {:>12} {:>7} {:>7} {:>7} {:>5} {:>5} {:>7} {:>7}  {:<11}  {}\n", "loop", "last",
                  "instructions", "matrix", "clocks", "VALU", "exp", "LDS", "memory", "scalar", "per clock", "block");
  for (const CodeLoop& l : loops) {
    text += fmt::format("{:8x} {:8x}  {:>12} {:>7} {:>7} {:>7} {:>5} {:>5} {:>7} {:>7}  {:<11}", l.pc, l.last,
                        l.instructions, l.of(Unit::xdl), l.matrix_clocks, l.of(Unit::valu), l.of(Unit::trans),
                        l.of(Unit::lds), l.of(Unit::vmem),
                        l.of(Unit::salu) + l.of(Unit::smem) + l.of(Unit::branch) + l.of(Unit::message),
                        l.matrix_clocks ? fmt::format("{:.3f}", per_matrix_clock(l)) : "-");
    text += "  " + std::string(static_cast<size_t>(2 * (l.depth - 1)), ' ') + (l.label.empty() ? "" : l.label + "  ") +
            l.where;
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  fmt::print(out(), "{}", loops.empty() ? "\nno loops\n" : text);
}

ordered_json to_json(const sim::CodeObject& co, const sim::KernelInfo& k, const Inspect& o) {
  const isa::Occupancy occupancy = occupancy_of(co, k);
  const isa::Resources r = resources_of(co, k);
  ordered_json j{{"name", k.name},
                 {"vgprs", k.vgprs},
                 {"accum_offset", k.accum_offset},
                 {"sgprs", k.sgprs},
                 {"lds_bytes", k.lds_bytes},
                 {"private_bytes", k.private_bytes},
                 {"kernarg_bytes", k.kernarg_bytes},
                 {"wave_size", k.wave_size},
                 {"max_workgroup_size", k.max_workgroup_size},
                 {"code_bytes", k.code_end - k.entry},
                 {"resources",  // as options of `occupancy`
                  {{"vgprs", r.vgprs},
                   {"agprs", r.agprs},
                   {"sgprs", r.sgprs},
                   {"lds", r.lds_bytes},
                   {"waves", r.waves_per_group},
                   {"wave-size", r.wave_size}}},
                 {"waves_per_simd", occupancy.waves_per_simd},
                 {"occupancy_limited_by", isa::name(occupancy.limited_by)},
                 {"args", ordered_json::array()}};
  for (const auto& a : k.args)
    j["args"].push_back({{"name", a.name},
                         {"offset", a.offset},
                         {"size", a.size},
                         {"value_kind", a.value_kind},
                         {"type", a.type_name}});
  const auto live = o.registers ? std::optional(live_registers(co, k)) : std::nullopt;
  if (live) j["registers"] = to_json(*live);
  if (o.loops) {
    j["loops"] = ordered_json::array();
    for (const CodeLoop& l : loops_of(co, k)) j["loops"].push_back(to_json(l));
  }
  if (o.listing)
    for (const auto& l : listing(co, k, live ? &*live : nullptr)) j["listing"].push_back(to_json(l));
  return j;
}

void print(const sim::CodeObject& co, const sim::KernelInfo& k, const Inspect& o) {
  const isa::Target& t = isa::target(co.arch());
  Table table;
  table.add("kernel", k.name);
  const isa::Resources r = resources_of(co, k);
  table.add("registers",
            fmt::format("{} VGPRs{}, {} SGPRs", r.vgprs, t.unified ? fmt::format(" and {} AGPRs", r.agprs) : "",
                        k.sgprs_counted ? r.sgprs : k.sgprs));
  table.add("occupancy", occupancy_text(co, k));
  table.add("LDS", fmt::format("{} of {} bytes", k.lds_bytes, t.lds_bytes));
  table.add("scratch", fmt::format("{} bytes per lane", k.private_bytes));
  table.add("workgroup", fmt::format("up to {} work-items, waves of {}", k.max_workgroup_size, k.wave_size));
  table.add("code", fmt::format("{} bytes at {:#x}", k.code_end - k.entry, k.entry));
  table.add("kernargs", fmt::format("{} bytes", k.kernarg_bytes));
  for (const auto& a : k.args)
    table.add(fmt::format("  {}", a.offset),
              fmt::format("{:<24} {:>3} bytes  {} {}", a.name, a.size, a.value_kind, a.type_name));
  fmt::print(out(), "{}", table.text());
  const auto live = o.registers ? std::optional(live_registers(co, k)) : std::nullopt;
  if (live) print(*live);
  if (o.loops) print(loops_of(co, k));
  if (o.listing) print(listing(co, k, live ? &*live : nullptr));
}

int inspect(const Inspect& o) {
  const auto co = o.code.read(o.file).object;
  if (!o.report.empty()) {
    const sim::KernelInfo& k = co.kernel(o.kernel);
    write_report(o.report, {o.file, co, k, occupancy_of(co, k)});
  }
  std::vector<const sim::KernelInfo*> shown;
  if (!o.kernel.empty()) shown = {&co.kernel(o.kernel)};
  else
    for (const auto& k : co.kernels()) shown.push_back(&k);
  if (o.json) {
    ordered_json j{{"file", o.file}, {"target", isa::target(co.arch()).name}, {"kernels", ordered_json::array()}};
    for (const auto* k : shown) j["kernels"].push_back(to_json(co, *k, o));
    print_json(j);
    return good;
  }
  fmt::print(out(), "{}: {}, {} kernel{}\n", o.file, isa::target(co.arch()).name, co.kernels().size(),
             co.kernels().size() == 1 ? "" : "s");
  for (const auto* k : shown) fmt::print(out(), "\n"), print(co, *k, o);
  return good;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto o = std::make_shared<Inspect>();
  app.add_option("file", o->file, "code object (.co), or assembly text (.s)")->required();
  o->code.declare(app);
  app.add_option("--kernel", o->kernel, "only this kernel");
  app.add_flag("--listing", o->listing, "disassemble");
  app.add_flag("--loops", o->loops,
               "per loop: instructions by unit, clocks of the matrix pipe, and other instructions per matrix clock");
  app.add_flag("--registers", o->registers,
               "live registers by basic block; with --listing also at each instruction (v: VGPRs, a: AGPRs, s: SGPRs)");
  app.add_option("--report", o->report,
                 "write an HTML page for one kernel: resources, occupancy, live registers, listing");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Example:\n  wavesmith inspect gemm.co --listing\n  wavesmith inspect gemm.co --loops");
  return [o] { return inspect(*o); };
}

}  // namespace wavesmith::tools
