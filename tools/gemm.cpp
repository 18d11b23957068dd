// wavesmith gemm: a matrix multiplication kernel as .co, .s and the description a host needs to launch it.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/commands.h"
#include "tools/gemm_options.h"
#include "tools/matrices.h"
#include "tools/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Gemm {
  GemmOptions options;
  OutputFiles files;
  bool json = false;
};

ordered_json metadata(const BuiltGemm& g) {
  const GemmConfig& c = g.config;
  ordered_json j = launch_facts(g);
  j["grid"] = {fmt::format("ceil(m / {})", c.block.m), fmt::format("ceil(n / {})", c.block.n), "batch"};
  j["config"] = {{"a", type_name(c.input)}, {"b", type_name(c.input)}, {"c", type_name(c.output)}, {"d", type_name(c.output)}, {"transa", c.trans_a ? "t" : "n"},
                 {"transb", c.trans_b ? "t" : "n"}, {"tile", {c.block.m, c.block.n, c.block.k}}, {"waves", {c.waves_m, c.waves_n}}};
  return j;
}

int gemm(const Gemm& o) {
  const BuiltGemm g = build(o.options);
  return deliver(g, metadata(g), o.files, o.json);
}

}  // namespace

Command add_gemm(CLI::App& app) {
  auto o = std::make_shared<Gemm>();
  o->options.declare(app);
  o->files.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Matrices are column-major: D = alpha op(A) op(B) + beta C, op(A) is M x K, op(B) is K x N.\n"
             "Example:\n  wavesmith gemm --arch gfx942 --a bf16 --d f32 --transa t --tile 128x128x64 -o gemm.co --asm gemm.s");
  return [o] { return gemm(*o); };
}

}  // namespace wavesmith::tools
