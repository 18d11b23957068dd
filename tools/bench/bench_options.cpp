#include "tools/bench/bench_options.h"

#include "tools/bench/bench_loop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>

#include "tools/bench/flush.h"
#include "tools/options/needs.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {

void BenchOptions::declare_iterations(CLI::App& app) {
  app.add_option("-i,--iters,--repeat", count.hot, "timed iterations of a round (10)")->check(CLI::Range(1, 1'000'000));
  app.add_option("-j,--cold_iters,--warmup", count.cold, "iterations before them, not timed (2)")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--rounds", count.rounds, "rounds; each is a sample of every implementation, in turn (5)")
      ->check(CLI::Range(1, 1000));
  app.add_option(
         "--rotating", rotating,
         "MiB of copies of the operands that iterations use in turn; predicted: nothing is in the memory-side cache")
      ->check(CLI::Range(0, 1 << 20));
  app.add_flag("--flush", flush, "empty the instruction cache before each timed iteration");
}

void BenchOptions::declare_output(CLI::App& app) {
  app.add_option("-o,--output", output, "write FILE.csv or FILE.json, or add to the data base FILE.db")
      ->expected(1)
      ->take_all();
  app.add_flag("--csv", csv, "CSV on standard output, columns as rocblas-bench and hipblaslt-bench name them");
  app.add_flag("--json", json, "one JSON document on standard output");
}

void BenchOptions::declare(CLI::App& app) {
  declare_iterations(app);
  app.add_option("--device", device, "sim (default: predicted by the timing model), hip or hip:N");
  model.declare(app);
  app.add_option("--problems,--yaml", problems,
                 "a list of problems: YAML or CSV as other benchmarks have them, or their logged command lines; "
                 "options beside it are its defaults");
  app.add_option("--against", against, "rocblas, hipblaslt or both, on the same buffers in turn (--device hip)")
      ->delimiter(',');
  app.add_option("--against-co", against_co, "a code object to compare with, launched as its --meta says")
      ->expected(1)
      ->take_all();
  app.add_option("--meta", metadata,
                 "of --against-co: kernel, workgroup size, grid and arguments, as `gemm --meta` writes them")
      ->expected(1)
      ->take_all();
  app.add_flag("-v,--verify", verify, "check the result, and those of the others against ours");
  declare_output(app);
}

void BenchOptions::check() const {
  if (csv && json) throw InputError("bench: --csv with --json, legal: one of them");
  if (against_co.size() != metadata.size())
    throw InputError(fmt::format("bench: {} of --against-co and {} of --meta, legal: one --meta for each",
                                 against_co.size(), metadata.size()));
  for (const std::string& name : against) {
    if (name != "rocblas" && name != "hipblaslt")
      throw InputError(fmt::format("--against: '{}' is unknown, legal: rocblas hipblaslt", name));
    if (device == "sim")
      throw InputError(
          fmt::format("--against {}: with --device sim, legal: --device hip, or --against-co FILE --meta FILE", name));
  }
  for (const std::string& file : output) check_result_name(file);
}

BenchDevice open_device(const BenchOptions& o) {
  BenchDevice made;
  if (o.device == "sim") {
    timing::Options t = o.model.options();
    t.warm = o.rotating == 0, t.warm_code = !o.flush;
    auto model = std::make_unique<runtime::TimingDevice>(t);
    made.model = model.get();
    made.device = std::move(model);
  } else made.device = runtime::Device::open(o.device);
  return made;
}

BenchTarget target_of(const BenchOptions& o, const BenchDevice& on) {
  if (on.model) {
    if (o.model.gpu.empty()) return {"gfx942", "", "time", o.rotating > 0};
    const isa::Gpu* gpu = find_gpu_option(o.model.gpu);
    return {isa::target(gpu->arch).name, gpu->name, "time", o.rotating > 0};
  }
  const runtime::DeviceInfo info = on.device->info();
  BenchTarget t{target_name(info.target), "", o.device, o.rotating > 0};
  for (const isa::Gpu& gpu : isa::gpus())
    if (info.name.ends_with(gpu.name) && isa::target(gpu.arch).name == t.arch) t.gpu = gpu.name;
  return t;
}

std::vector<Measured> measure(const BenchOptions& o, const BenchDevice& on, const std::vector<Implementation>& all,
                              isa::Arch arch) {
  std::vector<runtime::Iteration> iterations;
  for (const Implementation& i : all) iterations.push_back(i.enqueue);
  const runtime::Iterations once{.cold = 0, .hot = 1, .rounds = 1};  // the model says the same each time
  const auto seconds = on.model  ? runtime::bench(*on.device, iterations, once)
                       : o.flush ? runtime::bench(*on.device, iterations, o.count, icache_flush(*on.device, arch))
                                 : runtime::bench(*on.device, iterations, o.count);
  std::vector<Measured> measured;
  for (size_t i = 0; i < all.size(); ++i) {
    measured.push_back({.by = all[i].by, .kernel = all[i].kernel, .us = {}});
    for (const double s : seconds[i]) measured.back().us.push_back(s * 1e6);
  }
  return measured;
}

Columns made_with(const BenchOptions& o, const BenchDevice& on) {
  const runtime::DeviceInfo info = on.device->info();
  Columns c{{"version", WAVESMITH_VERSION}, {"device", o.device}, {"predicted", on.model ? "true" : "false"}};
  if (!on.model) c.emplace_back("gpu", info.name), c.emplace_back("target", info.target);
  if (!on.model && info.mhz > 0) c.emplace_back("clock_MHz", fmt::format("{:.0f}", info.mhz));
  return c;
}

Columns measured_with(const BenchOptions& o, const BenchDevice& on) {
  Columns c;
  if (!on.model) {
    for (const auto& [name, n] :
         {std::pair("iters", o.count.hot), {"cold_iters", o.count.cold}, {"rounds", o.count.rounds}})
      c.emplace_back(name, fmt::format("{}", n));
  } else if (const auto* last = on.model->last()) {
    c.emplace_back("gpu", last->result.gpu), c.emplace_back("target", last->result.target);
    c.emplace_back("clock_MHz", fmt::format("{:.0f}", last->result.clock_mhz));
    c.emplace_back("limit", timing::name(last->result.limit));
  }
  c.emplace_back("rotating", fmt::format("{}", o.rotating));
  c.emplace_back("flush", o.flush ? "true" : "false");
  return c;
}

std::vector<PeerFile> load_peers(const BenchOptions& o) {
  std::vector<PeerFile> peers;
  for (size_t i = 0; i < o.against_co.size(); ++i) peers.push_back(load_peer(o.against_co[i], o.metadata[i]));
  return peers;
}

int deliver(const BenchOptions& o, const BenchRun& run, const std::vector<std::string>& brief,
            const std::string& wrong) {
  for (const std::string& file : o.output) save(run, file);
  if (o.json) print_json(to_json(run));
  else fmt::print(out(), "{}", o.csv ? to_csv(run) : to_table(run, brief));
  if (wrong.empty()) return good;
  say(wrong);
  return answer_is_no;
}

void parse_problem(CLI::App& app, const ListedProblem& problem, const std::string& file) {
  std::vector<std::string> reversed(problem.options.rbegin(), problem.options.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ExtrasError&) {
    throw InputError(fmt::format("{}:{}: not available here: {}, legal: the options of `wavesmith bench {} --help`",
                                 file, problem.line, fmt::join(app.remaining(), " "), app.get_name()));
  } catch (const CLI::ParseError& e) {
    throw InputError(fmt::format("{}:{}: {}", file, problem.line, e.what()));
  } catch (const InputError& e) { throw InputError(fmt::format("{}:{}: {}", file, problem.line, e.what())); }
}

}  // namespace wavesmith::tools
