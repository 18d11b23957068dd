// From words to a GemmConfig, and the facts of what was built.
#include "tools/gemm_options.h"

#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/matrices.h"
#include "tools/text.h"

namespace wavesmith::tools {
namespace {

isa::Type type_of(const std::string& text, const char* option) {
  for (const isa::Type t : {isa::Type::f16, isa::Type::bf16, isa::Type::f32})
    if (type_name(t) == without_suffix(text)) return t;
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

isa::Arch GemmOptions::target() const { return parse_target(arch); }

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
  const GemmConfig config = o.config();
  const isa::Arch arch = o.target();
  return {build_checked(o.no_check, [&] { return build_gemm(config, arch, o.kernel); }), config};
}

}  // namespace wavesmith::tools
