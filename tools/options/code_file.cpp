#include "tools/options/code_file.h"

#include <fmt/format.h>

#include "isa_tables/mc/source.h"
#include "runtime/files.h"
#include "tools/commands/commands.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

constexpr uint64_t largest_text = uint64_t{64} << 20;

std::vector<uint8_t> assemble(const std::string& path, const std::string& arch) {
  const auto bytes = runtime::read_file(path, largest_text);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string target = arch.empty() ? isa::target_in(text) : lower_case(arch);
  if (target.empty())
    throw InputError(
        fmt::format("{}: the text names no target, legal: --arch gfx942, or .amdgcn_target in the text", path));
  return isa::assemble_source(text, path.substr(path.rfind('/') + 1), target);
}

}  // namespace

void CodeOptions::declare(CLI::App& app) {
  app.add_option("--arch", arch, "target of assembly text (.s); default: the one that its .amdgcn_target names");
}

CodeFile CodeOptions::read(const std::string& path) const {
  auto bytes = path.ends_with(".s") ? assemble(path, arch) : runtime::read_file(path);
  try {
    auto object = sim::CodeObject::load(bytes);
    return {std::move(bytes), std::move(object)};
  } catch (const sim::LoadError& e) { throw InputError(fmt::format("{}: {}", path, e.what())); }
}

}  // namespace wavesmith::tools
