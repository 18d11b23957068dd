// wavesmith gemm: a matrix multiplication kernel as .co, .s and the description a host needs to launch it.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "runtime/files.h"
#include "tools/commands.h"
#include "tools/gemm_options.h"
#include "tools/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Gemm {
  GemmOptions options;
  std::string out, assembly, meta;
  bool json = false;
};

const char* name_of(isa::Type t) { return t == isa::Type::f16 ? "f16" : t == isa::Type::bf16 ? "bf16" : "f32"; }

ordered_json metadata(const BuiltGemm& g) {
  const Program& p = g.program;
  const GemmConfig& c = g.config;
  ordered_json args = ordered_json::array();
  for (const auto& a : p.arguments) args.push_back({{"name", a.name}, {"type", a.type + (a.pointer ? "*" : "")}, {"offset", a.offset}, {"size", a.size}});
  return {{"kernel", p.name},
          {"target", isa::target(p.arch).name},
          {"workgroup_size", p.workgroup_size},
          {"grid", {fmt::format("ceil(m / {})", c.block.m), fmt::format("ceil(n / {})", c.block.n), "batch"}},
          {"kernarg_bytes", p.kernarg_bytes},
          {"arguments", args},
          {"lds_bytes", p.lds_bytes},
          {"registers", {{"vgprs", p.vgprs}, {"agprs", p.agprs}, {"sgprs", p.sgprs}}},
          {"code_bytes", g.object.code_bytes},
          {"checked", g.checked},
          {"config", {{"a", name_of(c.input)}, {"b", name_of(c.input)}, {"c", name_of(c.output)}, {"d", name_of(c.output)}, {"transa", c.trans_a ? "t" : "n"},
                      {"transb", c.trans_b ? "t" : "n"}, {"tile", {c.block.m, c.block.n, c.block.k}}, {"waves", {c.waves_m, c.waves_n}}}}};
}

int gemm(const Gemm& o) {
  const BuiltGemm g = build(o.options);
  if (!o.out.empty()) runtime::write_file(o.out, g.object.bytes);
  if (!o.assembly.empty()) runtime::write_file(o.assembly, assembly(g.program));
  if (!o.meta.empty()) runtime::write_file(o.meta, metadata(g).dump(2) + "\n");
  if (o.json) {
    auto j = metadata(g);
    const LoopReport loop = report(g.program);
    j["main_loop"] = {{"matrix_cycles", loop.matrix_cycles}, {"other_instructions", loop.other_instructions}, {"slots_per_matrix_cycle", loop.slots_per_matrix_cycle()}};
    j["seconds"] = {{"generate", g.times.generate}, {"assemble", g.times.assemble}, {"link", g.times.link}, {"check", g.times.check}};
    fmt::print("{}\n", j.dump(2));
    return good;
  }
  Table t;
  describe(g, t);
  if (!o.out.empty()) t.add("code object", o.out);
  if (!o.assembly.empty()) t.add("assembly", o.assembly);
  if (!o.meta.empty()) t.add("metadata", o.meta);
  fmt::print("{}", t.text());
  return good;
}

}  // namespace

Command add_gemm(CLI::App& app) {
  auto o = std::make_shared<Gemm>();
  o->options.declare(app);
  app.add_option("-o,--output", o->out, "the code object (.co)");
  app.add_option("--asm", o->assembly, "the assembly (.s)");
  app.add_option("--meta", o->meta, "what a host needs to launch it (.json)");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Matrices are column-major: D = alpha op(A) op(B) + beta C, op(A) is M x K, op(B) is K x N.\n"
             "Example:\n  wavesmith gemm --arch gfx942 --a bf16 --d f32 --transa t --tile 128x128x64 -o gemm.co --asm gemm.s");
  return [o] { return gemm(*o); };
}

}  // namespace wavesmith::tools
