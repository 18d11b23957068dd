// wavesmith run: any AMDHSA code object, on the simulator or on a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "isa_tables/mc/mc.h"
#include "simulator/semantics.h"
#include "tools/commands/commands.h"
#include "tools/options/code_file.h"
#include "tools/options/launch.h"
#include "tools/options/look.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Run {
  std::vector<std::string> files;
  CodeOptions code;
  LaunchOptions launch;
  DeviceOptions device;
  LookOptions look;
  bool json = false, coverage = false;
};

ordered_json to_json(const sim::Fault& f) {
  return located({{"kind", sim::name(f.kind)},
                  {"kernel", f.kernel},
                  {"pc", f.pc},
                  {"instruction", f.text},
                  {"workgroup", f.workgroup},
                  {"wave", f.wave},
                  {"lane", f.lane ? ordered_json(*f.lane) : ordered_json()},
                  {"address", f.address},
                  {"why", f.why}},
                 f.where);
}

int launch(const Run& o) {
  const auto [bytes, co] = o.code.read(o.files[0]);
  const auto& kernel = co.kernel(o.launch.kernel);
  const auto look = o.look.any() ? std::make_unique<Look>(o.look, co, kernel) : nullptr;
  const auto device = o.device.open(look.get());
  const Prepared p = prepare(o.launch, kernel, *device);
  if (look) look->buffers(p.buffers);
  const runtime::Outcome result = device->launch(bytes, p.kernel, p.launch);
  const auto* simulator = dynamic_cast<const runtime::SimDevice*>(device.get());
  const sim::Result counts = simulator ? simulator->last() : sim::Result{};
  if (look && !look->finish(counts.fault)) say("nothing to show: --break was not reached, or --watch not accessed");
  if (!result.fault) save_outputs(p, *device);

  if (o.json) {
    ordered_json j{{"kernel", kernel.name},
                   {"target", isa::target(co.arch()).name},
                   {"device", o.device.device},
                   {"grid", p.launch.grid},
                   {"block", p.launch.block},
                   {"seconds", result.seconds},
                   {"instructions", counts.instructions},
                   {"mfma_flops", counts.mfma_flops},
                   {"lds_accesses", counts.lds_accesses},
                   {"lds_conflict_cycles", counts.lds_conflict_cycles}};
    j["fault"] = counts.fault   ? to_json(*counts.fault)
                 : result.fault ? ordered_json(*result.fault)
                                : ordered_json(nullptr);
    j["faults"] = ordered_json::array();
    for (const sim::Fault& f : counts.faults) j["faults"].push_back(to_json(f));
    print_json(j);
    return result.fault ? answer_is_no : good;
  }
  if (counts.warning)
    say(fmt::format("warning: {} ({} in all)", runtime::fault_line(*counts.warning), counts.warnings));
  if (result.fault) {
    for (const sim::Fault& f : counts.faults) say(runtime::fault_line(f));
    if (!simulator) say(*result.fault);
    return answer_is_no;
  }
  if (look) fmt::print(out(), "\n");
  Table t;
  t.add("kernel", fmt::format("{} ({})", kernel.name, isa::target(co.arch()).name));
  t.add("time", fmt::format("{} on {}", milliseconds(result.seconds), o.device.device));
  if (o.device.device == "sim") {
    t.add("instructions", fmt::format("{} issued by all waves", counts.instructions));
    t.add("matrix flops", fmt::format("{}", counts.mfma_flops));
    t.add("LDS", fmt::format("{} accesses, {} conflict cycles", counts.lds_accesses, counts.lds_conflict_cycles));
  }
  for (const auto& b : p.buffers)
    if (!b.save_to.empty()) t.add(b.name, fmt::format("{} {}", b.save_to, b.array.describe()));
  fmt::print(out(), "{}", t.text());
  return good;
}

struct Gap {
  uint64_t count = 0;
  std::string kernel, example;
  uint64_t pc = 0;
  std::set<std::string> kernels{};
};

bool is_kernel(const sim::CodeObject& co, const std::string& name) {
  return std::ranges::any_of(co.kernels(), [&](const sim::KernelInfo& k) { return k.name == name; });
}
// Ranges of code: kernels, and the other functions of the symbol table.
std::map<uint64_t, std::pair<uint64_t, std::string>> code_ranges(const sim::CodeObject& co) {
  std::map<uint64_t, std::pair<uint64_t, std::string>> ranges;  // start -> end, name
  for (const auto& k : co.kernels()) ranges[k.entry] = {k.code_end, k.name};
  for (const auto& f : co.symbols())
    if (f.function && f.size && !is_kernel(co, f.name)) ranges.try_emplace(f.address, f.address + f.size, f.name);
  return ranges;
}

// The instructions of a file that would not run, by mnemonic.
std::map<std::string, Gap> gaps(const sim::CodeObject& co) {
  std::map<std::string, Gap> found;
  isa::Mc mc(co.arch(), co.kernels()[0].wave_size);  // functions have the wave size of the file's kernels
  for (const auto& [start, range] : code_ranges(co)) {
    for (uint64_t pc = start; pc < range.first;) {
      const auto d = mc.disassemble(co.code(pc), pc);
      std::string mnemonic = "(not an instruction)";
      bool runs = false;
      if (d.size) {
        mnemonic = d.text.substr(d.text.find_first_not_of(" \t"));
        mnemonic = mnemonic.substr(0, mnemonic.find_first_of(" \t"));
        try {
          runs = sim::executes(isa::parse(d.text, co.arch()));
        } catch (const isa::IsaError&) {}
      }
      if (!runs) {
        Gap& g = found[mnemonic];
        g.kernels.insert(range.second);
        if (g.count++ == 0)
          g.kernel = range.second, g.pc = pc, g.example = d.size ? d.text.substr(d.text.find_first_not_of(" \t")) : "";
      }
      pc += d.size ? static_cast<uint64_t>(d.size) : 4;
    }
  }
  return found;
}

// Lists the instructions of the files that would not run, how often they occur, and where the first one is. Good if
// there are none.
int coverage(const Run& o) {
  ordered_json findings = ordered_json::array();
  size_t kernels = 0, incomplete = 0;
  for (const auto& file : o.files) {
    const auto co = o.code.read(file).object;
    std::set<std::string> stopped;
    for (const auto& [mnemonic, g] : gaps(co)) {
      stopped.insert(g.kernels.begin(), g.kernels.end());
      findings.push_back({{"file", file},
                          {"mnemonic", mnemonic},
                          {"count", g.count},
                          {"kernel", g.kernel},
                          {"pc", g.pc},
                          {"instruction", g.example}});
      if (!o.json)
        fmt::print(out(), "{}: {} {}: {} at {:#x}: {}\n", file, g.count, mnemonic, g.kernel, g.pc, g.example);
    }
    kernels += co.kernels().size();
    incomplete += static_cast<size_t>(
        std::ranges::count_if(co.kernels(), [&](const sim::KernelInfo& k) { return stopped.contains(k.name); }));
  }
  if (o.json) print_json(findings);
  else
    fmt::print(out(),
               "{} of {} kernels in {} files: every instruction has semantics (only a launch shows whether the kernels "
               "end and with what result)\n",
               kernels - incomplete, kernels, o.files.size());
  return findings.empty() ? good : answer_is_no;
}

}  // namespace

Command add_run(CLI::App& app) {
  auto o = std::make_shared<Run>();
  app.add_option("file", o->files, "code object (.co), or assembly text (.s)")->required();
  o->code.declare(app);
  o->launch.declare(app);
  o->device.declare(app);
  o->look.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.add_flag("--coverage", o->coverage, "only list the instructions of the files that have no semantics");
  app.get_option("--grid")->required(false);
  app.footer(
      "Example (docs/guide/first_kernel.md makes add.co):\n"
      "  wavesmith array --type f32 --shape 1000 a.npy\n"
      "  wavesmith array --type f32 --shape 1000 --seed 2 b.npy\n"
      "  wavesmith run add.co --grid 4 --block 256 --buffer a=in:a.npy --buffer b=in:b.npy --buffer "
      "c=out:f32:1000:c.npy \\\n"
      "                --arg ptr:a --arg ptr:b --arg ptr:c --arg u32:1000\n"
      "  ... --trace                                  the first wave's instructions and their results\n"
      "  ... --break 0x1548 --dump v0-v3,s0-s7,exec   registers before an instruction; also past_the_end, or "
      "vector_add.cpp:31\n"
      "  ... --watch c+16                             accesses to the fifth number of c; also lds:0x100");
  return [o] {
    if (o->coverage) return coverage(*o);
    if (o->json && o->look.any())
      throw InputError("run: --json with --trace, --break, --dump or --watch, legal: one of them");
    if (o->files.size() != 1)
      throw InputError(fmt::format("run: {} files, legal: one (or --coverage)", o->files.size()));
    if (o->launch.grid.empty()) throw InputError("run: --grid is missing, legal: --grid X[,Y[,Z]]");
    return launch(*o);
  };
}

}  // namespace wavesmith::tools
