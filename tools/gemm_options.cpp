// From words to a GemmConfig, and the facts of what was built.
#include "tools/gemm_options.h"

#include <fmt/format.h>

#include <chrono>

#include "tools/commands.h"
#include "tools/self_check.h"
#include "tools/text.h"

namespace wavesmith::tools {
namespace {

isa::Type type_of(std::string text, const char* option) {
  if (text.ends_with("_r")) text.resize(text.size() - 2);  // hipblaslt-bench: f16_r
  const std::pair<const char*, isa::Type> known[] = {{"f16", isa::Type::f16}, {"bf16", isa::Type::bf16}, {"f32", isa::Type::f32}};
  for (const auto& [name, type] : known)
    if (text == name) return type;
  throw InputError(fmt::format("{}: type '{}' is not available, legal: f16 bf16 (A and B), f16 bf16 f32 (C and D)", option, text));
}

bool transposed(const std::string& text, const char* option) {
  if (text == "n" || text == "N") return false;
  if (text == "t" || text == "T") return true;
  throw InputError(fmt::format("{}: '{}' is unknown, legal: n t", option, text));
}

int positive(const std::string& text, const char* option, const std::string& whole, const char* form) {
  try {
    const uint64_t n = parse_number(text, option);
    if (n >= 1 && n <= 4096) return static_cast<int>(n);
  } catch (const InputError&) {
  }
  throw InputError(fmt::format("{}: '{}' is not understood, legal: {}", option, whole, form));
}

}  // namespace

void GemmOptions::declare(CLI::App& app) {
  app.add_option("--arch", arch, "target, as gfx942 (default)");
  app.add_option("--a,--a_type", a, "type of A: f16 (default) or bf16");
  app.add_option("--b,--b_type", b, "type of B; default: as A");
  app.add_option("--c,--c_type", c, "type of C; default: as D");
  app.add_option("--d,--d_type", d, "type of D: f16, bf16 or f32; default: as A");
  app.add_option("--transa,--transA", transa, "op(A): n (default) or t");
  app.add_option("--transb,--transB", transb, "op(B): n (default) or t");
  app.add_option("--tile", tile, "per workgroup, MxNxK; default 256x256x64");
  app.add_option("--waves", waves, "how waves divide the tile, MxN; default 2x2");
  app.add_option("--kernel", kernel, "name of the kernel; default: from the configuration");
  app.add_flag("--no-check", no_check, "write the kernel without having checked it");
}

isa::Arch GemmOptions::target() const {
  if (const auto found = isa::find_arch(arch)) return *found;
  throw InputError(fmt::format("--arch: target '{}' is unknown, legal: {}", arch, isa::arch_names()));
}

GemmConfig GemmOptions::config() const {
  GemmConfig g;
  g.input = type_of(a, "--a");
  if (!b.empty() && type_of(b, "--b") != g.input) throw InputError(fmt::format("--b: {} with A of {}, legal: the same type for both", b, a));
  g.output = type_of(d.empty() ? a : d, "--d");
  if (!c.empty() && type_of(c, "--c") != g.output) throw InputError(fmt::format("--c: {} with D of {}, legal: the same type for both", c, d.empty() ? a : d));
  g.trans_a = transposed(transa, "--transa");
  g.trans_b = transposed(transb, "--transb");
  const auto t = split(tile, 'x'), w = split(waves, 'x');
  if (t.size() != 3) throw InputError(fmt::format("--tile: '{}' is not understood, legal: MxNxK as in 256x256x64", tile));
  if (w.size() != 2) throw InputError(fmt::format("--waves: '{}' is not understood, legal: MxN as in 2x2", waves));
  const auto size = [&](const std::string& s) { return positive(s, "--tile", tile, "MxNxK as in 256x256x64"); };
  const auto count = [&](const std::string& s) { return positive(s, "--waves", waves, "MxN as in 2x2"); };
  g.block = {size(t[0]), size(t[1]), size(t[2])};
  g.waves_m = count(w[0]), g.waves_n = count(w[1]);
  return g;
}

BuiltGemm build(const GemmOptions& o) {
  const auto start = std::chrono::steady_clock::now();
  BuiltGemm g{.config = o.config(), .arch = o.target(), .program = {}, .object = {}, .times = {}, .checked = false};
  g.program = build_gemm(g.config, g.arch, o.kernel);
  g.times.generate = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  SelfCheck own(g.program, o.no_check);
  g.object = assemble(g.program);
  g.times.check = own.finish();
  g.checked = !o.no_check;
  g.times.assemble = g.object.encode_seconds, g.times.link = g.object.link_seconds;
  return g;
}

void describe(const BuiltGemm& g, Table& t) {
  const Program& p = g.program;
  const LoopReport loop = report(p);
  t.add("kernel", fmt::format("{} ({})", p.name, isa::target(p.arch).name));
  t.add("registers", fmt::format("{} VGPRs, {} AGPRs, {} SGPRs", p.vgprs, p.agprs, p.sgprs));
  t.add("LDS", fmt::format("{} bytes", p.lds_bytes));
  t.add("code", fmt::format("{} bytes, {} instructions", g.object.code_bytes, std::count_if(p.nodes.begin(), p.nodes.end(), [](const Node& n) { return n.directive == Directive::none; })));
  t.add("main loop", fmt::format("{:.4f} other instructions per matrix cycle ({} / {})", loop.slots_per_matrix_cycle(), loop.other_instructions, loop.matrix_cycles));
  t.add("generate", milliseconds(g.times.generate));
  t.add("assemble", milliseconds(g.times.assemble));
  t.add("link", milliseconds(g.times.link));
  t.add("check", g.checked ? milliseconds(g.times.check) : "none (--no-check)");
}

}  // namespace wavesmith::tools
