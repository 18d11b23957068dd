// wavesmith bench: problems timed on a GPU or by the timing model, beside other libraries; results kept and compared.
#include <fmt/format.h>

#include "tools/bench/bench_attention.h"
#include "tools/bench/bench_gemm.h"
#include "tools/bench/compare.h"
#include "tools/bench/kit.h"
#include "tools/commands/commands.h"

namespace wavesmith::tools {
namespace {

Command add_bench_gemm(CLI::App& app) {
  auto o = std::make_shared<BenchOptions>();
  auto q = std::make_shared<GemmQuestion>();
  o->declare(app);
  declare_gemm_question(app, *q);
  app.footer(
      "Example:\n  wavesmith bench gemm -m 4096 -n 4096 -k 4096 --transA T --a_type bf16_r --gpu MI300X\n"
      "  wavesmith bench gemm --problems problems.yaml --gpu MI355X -o results.db --csv\n"
      "  wavesmith bench gemm -m 4096 -n 4096 -k 4096 --device hip --against rocblas,hipblaslt -i 20 -j 5 --rotating "
      "512 -v");
  return [o, q] { return bench_gemm(*o, *q); };
}

Command add_bench_attention(CLI::App& app) {
  auto o = std::make_shared<BenchOptions>();
  auto q = std::make_shared<AttentionQuestion>();
  o->declare(app);
  declare_attention_question(app, *q);
  app.footer(
      "Example:\n  wavesmith bench attention -b=1 -h=16 -h_k=4 -s=4096 -d=128 -prec=bf16 -mask=b --gpu MI300X\n"
      "  wavesmith bench attention --problems shapes.csv --gpu MI355X -o results.db");
  return [o, q] { return bench_attention(*o, *q); };
}

Command add_bench_kit(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  auto o = std::make_shared<BenchOptions>();
  auto gemm = std::make_shared<GemmQuestion>();
  auto attention = std::make_shared<AttentionQuestion>();
  app.add_option("folder", *folder, "folder to write, new or empty")->required();
  app.require_subcommand(1);
  auto* g = app.add_subcommand("gemm", "Problems as in `bench gemm`");
  auto* a = app.add_subcommand("attention", "Problems as in `bench attention`");
  for (CLI::App* both : {g, a}) o->declare(*both);
  declare_gemm_question(*g, *gemm);
  declare_attention_question(*a, *attention);
  app.footer("Example:\n  wavesmith bench kit kit gemm --problems problems.yaml --gpu MI300X");
  return [g, folder, o, gemm, attention] {
    return g->parsed() ? write_kit(*folder, *o, *gemm) : write_kit(*folder, *o, *attention);
  };
}

Command add_bench_import(CLI::App& app) {
  auto folder = std::make_shared<std::string>(), results = std::make_shared<std::string>();
  auto o = std::make_shared<BenchOptions>();
  app.add_option("folder", *folder, "the kit's folder")->required();
  app.add_option("--results", *results, "file that run.sh wrote; default: results.csv in the folder");
  o->declare_output(app);
  app.footer("Example:\n  wavesmith bench import kit -o results.db");
  return [folder, results, o] { return import_kit(*folder, *results, *o); };
}

Command add_bench_compare(CLI::App& app) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  app.add_option("files", *files, "two results: .csv (also of rocblas-bench and hipblaslt-bench), .json or .db[:RUN]")
      ->required()
      ->expected(2);
  app.add_flag("--json", *json, "one JSON document on standard output");
  app.footer(
      "Example:\n  wavesmith bench compare before.csv after.csv\nExits with status 1 if B is slower anywhere by more "
      "than the spread.");
  return [files, json] { return compare_results(files->at(0), files->at(1), *json); };
}

}  // namespace

Command add_bench(CLI::App& app) {
  app.require_subcommand(1);
  const std::pair<CLI::App*, Command> commands[] = {
      [&] {
        auto* c = app.add_subcommand("gemm", "D = alpha op(A) op(B) + beta C");
        return std::pair{c, add_bench_gemm(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("attention", "O = softmax(scale Q K^T + mask) V");
        return std::pair{c, add_bench_attention(*c)};
      }(),
      [&] {
        auto* c =
            app.add_subcommand("kit", "Write a bundle to benchmark on a machine with a GPU and without wavesmith");
        return std::pair{c, add_bench_kit(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("import", "Read the results of a kit");
        return std::pair{c, add_bench_import(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("compare", "Ratios of two results, with their spread");
        return std::pair{c, add_bench_compare(*c)};
      }(),
  };
  app.footer("Example:\n  wavesmith bench gemm -m 512 -n 512 -k 512 --transA T --a_type bf16_r --gpu MI300X");
  return [all = std::vector(std::begin(commands), std::end(commands))] {
    for (const auto& [command, execute] : all)
      if (command->parsed()) return execute();
    return static_cast<int>(bad_input);
  };
}

}  // namespace wavesmith::tools
