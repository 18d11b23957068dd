// wavesmith time: the timing model's cycles of a launch, what limits it, and where in the code they are spent.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/files.h"
#include "runtime/sim_device.h"
#include "simulator/timing/timing.h"
#include "tools/commands/commands.h"
#include "tools/commands/verify.h"
#include "tools/options/launch.h"
#include "tools/options/model_options.h"
#include "tools/print/console.h"
#include "tools/print/report.h"
#include "tools/print/text.h"
#include "tools/print/time_report.h"

namespace wavesmith::tools {
namespace {

struct Time {
  std::string file, trace, report;
  ModelOptions model;
  LaunchOptions launch;
  bool json = false, cold = false;
};

timing::Options options(const Time& o) {
  timing::Options t = o.model.options();
  t.timeline = !o.trace.empty() || !o.report.empty(), t.warm = t.warm_code = !o.cold;
  return t;
}

// What the last launch on `device` took.
int show(const Time& o, const runtime::TimingDevice& device, const std::string& file) {
  if (!device.last()) throw InputError(fmt::format("time {}: the problem is empty, and launches nothing", file));
  const auto& [object, kernel, r] = *device.last();
  if (r.fault) throw AnswerIsNo(runtime::fault_line(*r.fault));
  if (!o.trace.empty()) write_trace(o.trace, r);
  if (!o.report.empty()) write_report(o.report, {file, object, object.kernel(kernel), r.occupancy}, &r);
  if (o.json) fmt::print("{}\n", time_json(r));
  else fmt::print("{}", time_text(r));
  return good;
}

int time_file(const Time& o) {
  if (o.file.empty())
    throw InputError("time: no code object, legal: time FILE.co ..., time gemm ..., time attention ...");
  if (o.launch.grid.empty()) throw InputError("time: --grid is missing, legal: --grid X[,Y[,Z]]");
  const auto bytes = runtime::read_file(o.file);
  const auto co = [&] {
    try {
      return sim::CodeObject::load(bytes);
    } catch (const sim::LoadError& e) { throw InputError(fmt::format("{}: {}", o.file, e.what())); }
  }();
  runtime::TimingDevice device(options(o));
  const Prepared p = prepare(o.launch, co.kernel(o.launch.kernel), device);
  device.launch(bytes, p.kernel, p.launch);
  return show(o, device, o.file);
}

}  // namespace

Command add_time(CLI::App& app) {
  auto o = std::make_shared<Time>();
  app.add_option("file", o->file, "code object (.co)");
  o->launch.declare(app);
  app.get_option("--grid")->required(false);
  o->model.declare(app);
  app.add_flag("--cold", o->cold, "a first launch: the memory-side cache and the instruction cache are empty");
  app.add_option("--trace", o->trace, "write the timeline of one CU for chrome://tracing or Perfetto");
  app.add_option("--report", o->report,
                 "write an HTML page: summary, roofline, timeline of one CU, registers, annotated listing");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  const std::pair<CLI::App*, LaunchOn> generated[] = {
      [&] {
        auto* c = app.add_subcommand("gemm", "Generate (or choose) a matrix multiplication kernel and time it");
        return std::pair{c, add_gemm_launch(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("attention", "Generate an attention kernel and time it");
        return std::pair{c, add_attention_launch(*c)};
      }()};
  for (const auto& [command, launch] : generated) command->fallthrough();
  app.require_subcommand(0, 1);
  app.footer(
      "Example:\n  wavesmith time add.co --grid 4096 --block 256 --buffer a=zeros:4194304 --buffer b=zeros:4194304 "
      "--buffer c=zeros:4194304 \\\n"
      "                 --arg ptr:a --arg ptr:b --arg ptr:c --arg u32:1048576 --gpu MI300X --clock boost\n"
      "  wavesmith time gemm --a bf16 --transa t -m 4096 -n 4096 -k 4096 --gpu MI300X\n"
      "  wavesmith time attention --arch gfx950 --h 16 --sq 4096 --causal");
  return [o, generated = std::vector(std::begin(generated), std::end(generated))] {
    for (const auto& [command, launch] : generated) {
      if (!command->parsed()) continue;
      runtime::TimingDevice device(options(*o));
      launch(device, o->model.gpu);
      return show(*o, device, command->get_name());
    }
    return time_file(*o);
  };
}

}  // namespace wavesmith::tools
