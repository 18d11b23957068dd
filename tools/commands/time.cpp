// wavesmith time: the timing model's cycles of a launch, what limits it, and where in the code they are spent.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/sim_device.h"
#include "simulator/timing/timing.h"
#include "tools/commands/commands.h"
#include "tools/commands/verify.h"
#include "tools/options/code_file.h"
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
  CodeOptions code;
  LaunchOptions launch;
  bool json = false, cold = false;
};

timing::Options options(const Time& o) {
  timing::Options t = o.model.options();
  t.timeline = !o.trace.empty() || !o.report.empty(), t.warm = t.warm_code = !o.cold;
  return t;
}

// What the launches on `device` took. Trace and report are of the longest.
int show(const Time& o, const runtime::TimingDevice& device, const std::vector<timing::Result>& all,
         const std::string& file) {
  if (all.empty()) throw InputError(fmt::format("time {}: the problem is empty, and launches nothing", file));
  for (const timing::Result& r : all)
    if (r.fault) throw AnswerIsNo(runtime::fault_line(*r.fault));
  const timing::Result& longest = *std::ranges::max_element(all, {}, &timing::Result::seconds);
  const sim::CodeObject& object = device.last()->object;
  if (!o.trace.empty()) write_trace(o.trace, longest);
  if (!o.report.empty())
    write_report(o.report, {file, object, object.kernel(longest.kernel), longest.occupancy}, &longest);
  double seconds = 0, flops = 0;
  for (const timing::Result& r : all) seconds += r.seconds, flops += r.flops;
  if (o.json && all.size() > 1) {
    auto launches = nlohmann::ordered_json::array();
    for (const timing::Result& r : all) launches.push_back(nlohmann::ordered_json::parse(time_json(r)));
    print_json({{"seconds", seconds}, {"flops", flops}, {"launches", std::move(launches)}});
    return good;
  }
  for (const timing::Result& r : all)
    if (o.json) fmt::print(out(), "{}\n", time_json(r));
    else fmt::print(out(), "{}{}", &r == all.data() ? "" : "\n", time_text(r));
  if (all.size() > 1)
    fmt::print(out(), "\nall {} launches: {}, {:.1f} TFLOP/s of matrix instructions\n", all.size(),
               milliseconds(seconds), flops / seconds * 1e-12);
  return good;
}

int time_file(const Time& o) {
  if (o.file.empty())
    throw InputError("time: no code object, legal: time FILE.co ..., time gemm ..., time attention ...");
  if (o.launch.grid.empty()) throw InputError("time: --grid is missing, legal: --grid X[,Y[,Z]]");
  const auto [bytes, co] = o.code.read(o.file);
  runtime::TimingDevice device(options(o));
  std::vector<timing::Result> results;
  device.after_launch([&](const auto& last) { results.push_back(last.result); });
  const Prepared p = prepare(o.launch, co.kernel(o.launch.kernel), device);
  device.launch(bytes, p.kernel, p.launch);
  return show(o, device, results, o.file);
}

}  // namespace

Command add_time(CLI::App& app) {
  auto o = std::make_shared<Time>();
  app.add_option("file", o->file, "code object (.co), or assembly text (.s)");
  o->code.declare(app);
  o->launch.declare(app);
  app.get_option("--grid")->required(false);
  const size_t of_file = app.get_options().size();
  o->model.declare(app);
  app.add_flag(
      "--cold", o->cold,
      "a first launch: the memory-side cache and the instruction cache are empty; a GEMM is chosen for this state");
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
  std::string shared = "Options of wavesmith time, described there:";
  for (size_t i = of_file; i < app.get_options().size(); ++i) shared += " " + app.get_options()[i]->get_name();
  for (const auto& [command, launch] : generated) command->fallthrough();
  generated[0].first->footer(
      shared + "\n\nExample:\n  wavesmith time gemm --a bf16 --transa t -m 4096 -n 4096 -k 4096 --gpu MI300X");
  generated[1].first->footer(shared +
                             "\n\nExample:\n  wavesmith time attention --arch gfx950 --h 16 --sq 4096 --causal");
  app.require_subcommand(0, 1);
  app.footer(
      "Example (docs/guide/first_kernel.md makes add.co):\n  wavesmith time add.co --grid 4096 --block 256 --buffer "
      "a=zeros:4194304 --buffer b=zeros:4194304 "
      "--buffer c=zeros:4194304 \\\n"
      "                 --arg ptr:a --arg ptr:b --arg ptr:c --arg u32:1048576 --gpu MI300X --clock boost\n"
      "  wavesmith time gemm --a bf16 --transa t -m 4096 -n 4096 -k 4096 --gpu MI300X\n"
      "  wavesmith time attention --arch gfx950 --h 16 --sq 4096 --causal");
  return [o, generated = std::vector(std::begin(generated), std::end(generated))] {
    for (const auto& [command, launch] : generated) {
      if (!command->parsed()) continue;
      runtime::TimingDevice device(options(*o));
      std::vector<timing::Result> results;
      device.after_launch([&](const auto& last) { results.push_back(last.result); });
      launch(device, {o->model.gpu, o->cold});
      if (results.empty())
        throw InputError(
            fmt::format("time {}: nothing to launch, the result has no elements; legal: extents of 1 or more",
                        command->get_name()));
      return show(*o, device, results, command->get_name());
    }
    return time_file(*o);
  };
}

}  // namespace wavesmith::tools
