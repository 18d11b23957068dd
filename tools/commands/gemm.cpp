// wavesmith gemm: a matrix multiplication kernel as .co, .s and the description a host needs to launch it.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "isa_tables/names.h"
#include "tools/commands/commands.h"
#include "tools/options/gemm_options.h"
#include "tools/options/matrices.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Gemm {
  GemmOptions options;
  OutputFiles files;
  GemmProblem size;
  bool json = false, explain = false;
};

// The kernel is chosen for a size if there is one.
GemmOptions with_size(const Gemm& o) {
  GemmProblem p = o.size;
  GemmOptions g = o.options;
  if (!g.group_sizes.empty()) g.add_groups(p);
  if (!p.m && !p.n && !p.k) return g;
  for (const auto& [name, extent] : {std::pair("-m", p.m), {"-n", p.n}, {"-k", p.k}})
    if (!extent) throw InputError(fmt::format("gemm: {} is missing, legal: -m, -n and -k, or none of them", name));
  g.size = p;
  return g;
}

ordered_json metadata(const BuiltGemm& g) {
  const GemmConfig& c = g.config;
  ordered_json j = launch_facts(g);
  const auto tiles = [](const char* extent, int size, int clustered) {
    return clustered == 1 ? fmt::format("ceil({} / {})", extent, size)
                          : fmt::format("{} * ceil({} / {})", clustered, extent, size * clustered);
  };
  j["grid"] = {tiles("m", rows_of_d(c), c.cluster.m), tiles("n", c.block.n, c.cluster.n),
               c.split_k > 1 ? fmt::format("batch * {}", c.split_k) : "batch"};
  if (c.split_k > 1)
    j["formulas"] = {{"k_per_split", fmt::format("{0} * ceil(ceil(k / {0}) / {1})", c.block.k, c.split_k)},
                     {"D", "zero before the launch; the partial sums are added to it"}};
  if (c.ragged == Ragged::m)
    j["grid"][0] = fmt::format("floor((m + groups * {0}) / {1})", rows_of_d(c) - 1, rows_of_d(c));
  if (c.ragged == Ragged::n) j["grid"][1] = fmt::format("floor((n + groups * {0}) / {1})", c.block.n - 1, c.block.n);
  if (c.ragged == Ragged::k) j["grid"][2] = c.split_k > 1 ? fmt::format("groups * {}", c.split_k) : "groups";
  if (c.stream_k) {
    j["grid"][1] =
        fmt::format("ceil(n / {}) + ceil(shared * {} / ceil(m / {}))", c.block.n, c.split_k - 1, rows_of_d(c));
    j["grid"][2] = "batch";
    j["formulas"]["whole_tiles"] = fmt::format("{0} * floor(tiles_m * tiles_n / {0})", c.stream_k);
    j["formulas"]["shared"] = "tiles_m * tiles_n - whole_tiles";
  }
  if (c.persistent) {
    const auto [m, n] = c.cluster;
    j["formulas"]["tiles"] = fmt::format("ceil(m / {}) * ceil(n / {})", rows_of_d(c) * m, c.block.n * n) +
                             (m * n > 1 ? ", of clusters" : "");
    j["formulas"]["tiles_at_once"] = fmt::format("min({}, tiles)", c.persistent / (m * n));
    j["grid"][0] = m > 1 ? fmt::format("{} * tiles_at_once", m) : "tiles_at_once", j["grid"][1] = fmt::format("{}", n);
  }
  if (has_workspace(c)) {
    const int waves = c.waves_m * c.waves_n, sum = isa::bits(accumulated(c)) / 8;
    const std::string tiles = fmt::format("{} * {}", c.stream_k ? "shared" : "tiles_m * tiles_n",
                                          c.ragged == Ragged::k ? "groups" : "batch"),
                      counters = fmt::format("256 * ceil({} * {} / 256)", 4 * waves, tiles);
    j["formulas"].erase("D");
    j["formulas"]["workspace"] =
        fmt::format("{} + {} * {}", counters, static_cast<int64_t>(c.block.m) * c.block.n * sum * c.split_k, tiles);
    j["formulas"]["arrivals"] = "workspace, zero before the first launch; launches leave it zero";
    j["formulas"]["tiles_m"] = "the grid's x",
    j["formulas"]["tiles_n"] = c.stream_k ? fmt::format("ceil(n / {})", c.block.n) : "the grid's y";
    j["formulas"]["partial_sums"] = "workspace + " + counters;
  }
  j["config"] = {{"a", isa::type_name(c.input)},
                 {"b", isa::type_name(type_of_b(c))},
                 {"c", isa::type_name(c.output)},
                 {"d", isa::type_name(c.output)},
                 {"transa", c.trans_a ? "t" : "n"},
                 {"transb", c.trans_b ? "t" : "n"},
                 {"tile", {c.block.m, c.block.n, c.block.k}},
                 {"waves", {c.waves_m, c.waves_n}},
                 {"mma", isa::mnemonic(instruction_of(c, g.program.arch), g.program.arch)},
                 {"stages", c.stages},
                 {"schedule", name_of(c.schedule)},
                 {"prefetch", c.prefetch},
                 {"cluster", {c.cluster.m, c.cluster.n}},
                 {"epilogue", c.epilogue.words()},
                 {"split_k", c.split_k},
                 {"reduction", name_of(c.reduction)},
                 {"stream_k", c.stream_k},
                 {"persistent", c.persistent},
                 {"grouped", name_of(c.ragged)},
                 {"order", name_of(c.order)}};
  for (const auto& [name, order] : {std::pair("order_a", c.order_a), {"order_b", c.order_b}})
    if (order == MatrixOrder::tiles) j["config"][name] = "tiles";
  if (c.split_f32) j["config"]["f32_as"] = "bf16x3";
  if (has_weights(c))
    j["config"]["groups"] = {{"size", c.groups.size},
                             {"zero_points", c.groups.zero_points},
                             {"layout", c.groups.transposed ? "transposed" : "plain"}};
  for (const auto& [name, how] : {std::pair("scale_a", c.sum_scales_a), {"scale_b", c.sum_scales_b}})
    if (how.rows) j["config"][name] = name_of(how);
  return j;
}

int gemm(const Gemm& o) {
  o.files.check(o.json || o.explain);
  const BuiltGemm g = build(with_size(o));
  ordered_json facts = metadata(g);
  if (!o.explain) return deliver(g, std::move(facts), o.files, o.json);
  explain(g, facts);
  if (!o.json) fmt::print(out(), "{}\n", choices_text(g));
  return deliver(g, std::move(facts), o.files, o.json);
}

}  // namespace

Command add_gemm(CLI::App& app) {
  auto o = std::make_shared<Gemm>();
  o->options.declare(app);
  app.add_option("-m,--m", o->size.m, "rows of D: with -n and -k the kernel is chosen for this size");
  app.add_option("-n,--n", o->size.n, "columns of D");
  app.add_option("-k,--k", o->size.k, "columns of op(A)");
  app.add_option("--batch-count,--batch_count", o->size.batch, "default 1")->check(CLI::Range(1, 65535));
  app.add_option("--gpu", o->options.gpu, "GPU for which the kernel is chosen; default: the first of the target");
  o->files.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.add_flag("--explain", o->explain, "print the choices for options that are not given, and their reasons");
  app.footer(
      "Matrices are column-major: D = alpha op(A) op(B) + beta C, op(A) is M x K, op(B) is K x N.\n"
      "Example:\n  wavesmith gemm --arch gfx942 --a bf16 --d f32 --transa t --tile 128x128x64 -o gemm.co --asm gemm.s\n"
      "  wavesmith gemm --stages 3 --mma v_mfma_f32_16x16x16_f16 --epilogue bias,gelu --explain\n"
      "  wavesmith gemm --a bf16 --transa t -m 4096 -n 4096 -k 4096 --gpu MI300X --explain");
  return [o] { return gemm(*o); };
}

}  // namespace wavesmith::tools
