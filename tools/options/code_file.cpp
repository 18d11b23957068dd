#include "tools/options/code_file.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>

#include "isa_tables/mc/source.h"
#include "runtime/files.h"
#include "simulator/offload_bundle.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

constexpr uint64_t largest_text = uint64_t{64} << 20;
constexpr rlim_t most_listing_seconds = 60;  // of processor time

// Macros that call themselves twice, and repetitions, can keep LLVM busy for ever: a child assembles, for so long.
std::vector<uint8_t> assemble_in_child(std::string_view text, const std::string& name, const std::string& target) {
  enum Exit { assembled, refused, no_memory };
  const std::unique_ptr<FILE, int (*)(FILE*)> answer(std::tmpfile(), std::fclose);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min(limit.rlim_cur, most_listing_seconds);
  std::fflush(nullptr);
  const pid_t child = answer ? fork() : -1;
  if (child < 0) throw runtime::MachineError(name + ": no process to assemble it in");
  if (child == 0) {
    const rlimit no_core{};  // which the signal at the end of that time would leave
    setrlimit(RLIMIT_CORE, &no_core), setrlimit(RLIMIT_CPU, &limit);
    const auto say = [&](const void* bytes, size_t n, Exit how) {
      _exit(std::fwrite(bytes, 1, n, answer.get()) == n && std::fflush(answer.get()) == 0 ? how : no_memory);
    };
    try {
      const auto object = isa::assemble_source(text, name, target);
      say(object.data(), object.size(), assembled);
    } catch (const isa::SourceError& e) {
      const std::string why = e.what();
      say(why.data(), why.size(), refused);
    } catch (const std::exception&) { _exit(no_memory); }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFSIGNALED(status))
    throw isa::SourceError(WTERMSIG(status) == SIGXCPU
                               ? fmt::format("{}: is not assembled after {} s, legal: macros and repetitions that end",
                                             name, limit.rlim_cur)
                               : fmt::format("{}: LLVM's assembler ends with signal {}", name, WTERMSIG(status)));
  if (WEXITSTATUS(status) == no_memory) throw std::bad_alloc();
  std::fseek(answer.get(), 0, SEEK_END);
  std::vector<uint8_t> said(static_cast<size_t>(std::ftell(answer.get())));
  std::rewind(answer.get());
  if (std::fread(said.data(), 1, said.size(), answer.get()) != said.size()) throw std::bad_alloc();
  if (WEXITSTATUS(status) != assembled) throw isa::SourceError(std::string(said.begin(), said.end()));
  return said;
}

std::vector<uint8_t> assemble(const std::string& path, const std::string& arch) {
  const auto bytes = runtime::read_file(path, largest_text);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string target = arch.empty() ? isa::target_in(text) : lower_case(arch);
  if (target.empty())
    throw InputError(
        fmt::format("{}: the text names no target, legal: --arch gfx942, or .amdgcn_target in the text", path));
  return assemble_in_child(text, path.substr(path.rfind('/') + 1), target);
}

// The code object for a target ("gfx942", "gfx942:xnack-"), or the only one.
std::vector<uint8_t> unbundle(std::span<const uint8_t> bytes, const std::string& path, const std::string& arch) {
  const sim::OffloadBundle bundle(bytes);
  std::vector<const sim::OffloadBundle::Entry*> fits;
  for (const auto& e : bundle.entries) {
    if (e.target == arch) return {e.code.begin(), e.code.end()};
    if (arch.empty() || sim::processor_of(e.target) == arch) fits.push_back(&e);
  }
  if (fits.size() == 1) return {fits[0]->code.begin(), fits[0]->code.end()};
  if (bundle.entries.empty()) throw InputError(fmt::format("{}: the offload bundle has no code for AMD's GPUs", path));
  throw InputError(
      fmt::format("{}: an offload bundle with code for {}, legal: --arch with one of them", path, bundle.targets()));
}

}  // namespace

void CodeOptions::declare(CLI::App& app) {
  app.add_option(
      "--arch", arch,
      "target of assembly text (.s), default: the one that its .amdgcn_target names; or which code object of "
      "an offload bundle (hipcc --genco)");
}

CodeFile CodeOptions::read(const std::string& path) const {
  auto bytes = path.ends_with(".s") ? assemble(path, arch) : runtime::read_file(path);
  try {
    if (sim::OffloadBundle::is_one(bytes)) bytes = unbundle(bytes, path, lower_case(arch));
    auto object = sim::CodeObject::load(bytes);
    return {std::move(bytes), std::move(object)};
  } catch (const sim::LoadError& e) { throw InputError(fmt::format("{}: {}", path, e.what())); }
}

}  // namespace wavesmith::tools
