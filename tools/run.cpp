// wavesmith run: any AMDHSA code object, on the simulator or on a GPU.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "isa_tables/mc.h"
#include "runtime/files.h"
#include "simulator/semantics.h"
#include "tools/commands.h"
#include "tools/launch.h"
#include "tools/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Run {
  std::vector<std::string> files;
  LaunchOptions launch;
  DeviceOptions device;
  bool json = false, coverage = false;
};

ordered_json to_json(const sim::Fault& f) {
  return {{"kind", sim::name(f.kind)}, {"kernel", f.kernel}, {"pc", f.pc}, {"instruction", f.text}, {"workgroup", f.workgroup}, {"wave", f.wave},
          {"lane", f.lane}, {"address", f.address}, {"why", f.why}};
}

int launch(const Run& o) {
  const auto bytes = runtime::read_file(o.files[0]);
  const auto co = [&] {
    try { return sim::CodeObject::load(bytes); } catch (const sim::LoadError& e) { throw InputError(fmt::format("{}: {}", o.files[0], e.what())); }
  }();
  const auto& kernel = co.kernel(o.launch.kernel);
  const auto device = o.device.open();
  const Prepared p = prepare(o.launch, kernel, *device);
  const runtime::Outcome result = device->launch(bytes, p.dispatch);
  if (!result.fault) save_outputs(p, *device);

  if (o.json) {
    ordered_json j{{"kernel", kernel.name}, {"target", isa::target(co.arch()).name}, {"device", o.device.device}, {"grid", p.dispatch.grid}, {"block", p.dispatch.block},
                   {"seconds", result.seconds}, {"instructions", result.counts.instructions}, {"mfma_flops", result.counts.mfma_flops},
                   {"lds_accesses", result.counts.lds_accesses}, {"lds_conflict_cycles", result.counts.lds_conflict_cycles}};
    j["fault"] = result.fault ? to_json(*result.fault) : ordered_json(nullptr);
    fmt::print("{}\n", j.dump(2));
    return result.fault ? answer_is_no : good;
  }
  if (result.fault) {
    fmt::print(stderr, "wavesmith: {}\n", fault_line(*result.fault));
    return answer_is_no;
  }
  Table t;
  t.add("kernel", fmt::format("{} ({})", kernel.name, isa::target(co.arch()).name));
  t.add("time", fmt::format("{} on {}", milliseconds(result.seconds), o.device.device));
  if (o.device.device == "sim") {
    t.add("instructions", fmt::format("{} issued by all waves", result.counts.instructions));
    t.add("matrix flops", fmt::format("{}", result.counts.mfma_flops));
    t.add("LDS", fmt::format("{} accesses, {} conflict cycles", result.counts.lds_accesses, result.counts.lds_conflict_cycles));
  }
  for (const auto& b : p.buffers)
    if (!b.save_to.empty()) t.add(b.name, fmt::format("{} {}", b.save_to, b.array.describe()));
  fmt::print("{}", t.text());
  return good;
}

// Instructions the simulator would stop at, one a line: file, kernel, pc, text.
int coverage(const Run& o) {
  ordered_json findings = ordered_json::array();
  for (const auto& file : o.files) {
    const auto co = sim::CodeObject::load(runtime::read_file(file));
    isa::Mc mc(co.arch());
    for (const auto& kernel : co.kernels()) {
      for (uint64_t pc = kernel.entry; pc < kernel.code_end;) {
        const auto d = mc.disassemble(co.code(pc), pc);
        bool runs = false;
        if (d.size) {
          try { runs = sim::semantics(isa::parse(d.text, co.arch()).op) != nullptr; } catch (const isa::IsaError&) {}
        }
        if (!runs) findings.push_back({{"file", file}, {"kernel", kernel.name}, {"pc", pc}, {"instruction", d.size ? d.text : "no instruction"}});
        pc += d.size ? static_cast<uint64_t>(d.size) : 4;
      }
    }
  }
  if (o.json) fmt::print("{}\n", findings.dump(2));
  else for (const auto& f : findings) fmt::print("{}: {}: {:#x}: {}\n", f["file"].get<std::string>(), f["kernel"].get<std::string>(), f["pc"].get<uint64_t>(), f["instruction"].get<std::string>());
  return findings.empty() ? good : answer_is_no;
}

}  // namespace

Command add_run(CLI::App& app) {
  auto o = std::make_shared<Run>();
  app.add_option("file", o->files, "code object (.co)")->required();
  o->launch.declare(app);
  o->device.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.add_flag("--coverage", o->coverage, "list the instructions of the files that would not run, run nothing");
  app.get_option("--grid")->required(false);
  app.get_option("--block")->required(false);
  app.footer("Example:\n  wavesmith run add.co --grid 4 --block 256 --buffer a=in:a.npy --buffer b=in:b.npy --buffer c=out:f32:1000:c.npy \\\n"
             "                --arg ptr:a --arg ptr:b --arg ptr:c --arg u32:1000");
  return [o] {
    if (o->coverage) return coverage(*o);
    if (o->files.size() != 1) throw InputError(fmt::format("run: {} files, legal: one (or --coverage)", o->files.size()));
    for (const auto& [name, value] : {std::pair("--grid", &o->launch.grid), {"--block", &o->launch.block}})
      if (value->empty()) throw InputError(fmt::format("run: {} is missing, legal: {} X[,Y[,Z]]", name, name));
    return launch(*o);
  };
}

}  // namespace wavesmith::tools
