// Ordinary kernels compiled by somebody else's compiler: the sources in tests/compiled/clang/, and the builds of each
// that the tests use. A build is made once and kept beside the test program under a name that holds a hash of
// everything it is made of.
#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa_tables/isa.h"
#include "isa_tables/mc/mc.h"
#include "simulator/code_object.h"
#include "tests/support/sampling.h"

namespace corpus {

using wavesmith::isa::Family, wavesmith::isa::Target;

// A way to compile, beyond -O3 for the plain target.
struct Options {
  const char *name, *features, *flags;  // features: what follows the processor in the target id
  bool (*on)(const Target&);            // the targets that have it
};
inline bool has_xnack(const Target& t) { return t.unified; }
inline bool everywhere(const Target&) { return true; }
inline bool accumulators(const Target& t) { return t.agprs > 0; }
inline bool wave32(const Target& t) { return t.wave_size == 32; }
inline bool scheduling_mode(const Target& t) { return t.family == Family::rdna4 || t.family == Family::gfx1250; }
// clang-format off
inline constexpr Options option_sets[] = {
    {"O3",      "",                 "-O3",                                             everywhere},
    {"O0",      "",                 "-O0",                                             everywhere},
    {"Os",      "",                 "-Os",                                             everywhere},
    {"wave64",  "",                 "-O3 -mwavefrontsize64",                           [](const Target& t) { return wave32(t) && t.runs_wave(64); }},
    {"wave64O0", "",                "-O0 -mwavefrontsize64",                           [](const Target& t) { return wave32(t) && t.runs_wave(64); }},
    {"cumode",  "",                 "-O3 -mcumode",                                    [](const Target& t) { return wave32(t) && t.runs_wave(64); }},
    {"tgsplit", "",                 "-O3 -mtgsplit",                                   has_xnack},
    {"xnack",   ":xnack+",          "-O3",                                             has_xnack},
    {"noecc",   ":sramecc-:xnack-", "-O3",                                             has_xnack},
    {"v4",      "",                 "-O3 -mcode-object-version=4 -DV4",                    everywhere},
    {"v4O0",    "",                 "-O0 -mcode-object-version=4 -DV4",                    everywhere},
    {"expert",  "",                 "-O3 -mllvm -amdgpu-expert-scheduling-mode",       scheduling_mode},
    {"preload", "",                 "-O3 -mllvm -amdgpu-kernarg-preload-count=16",     [](const Target& t) { return t.family == Family::cdna3 || t.family == Family::cdna4 || t.family == Family::gfx1250; }},
};

struct Source {
  const char* name;                                        // tests/compiled/clang/NAME.cl
  bool (*on)(const Target&);                               // built with -O3 for all of these
  std::vector<const char*> also;                           // further option sets, for one target of each family
};
inline const std::vector<Source> sources = {
    {"reduce",    everywhere, {"O0", "wave64", "wave64O0", "v4", "preload", "cumode", "noecc", "expert"}},
    {"scan",      everywhere, {"O0", "wave64", "tgsplit", "preload", "expert"}},
    {"softmax",   everywhere, {"O0", "Os", "wave64", "xnack", "v4O0", "expert"}},
    {"transpose", everywhere, {"O0", "wave64", "cumode", "v4", "preload", "expert"}},
    {"gemm",      everywhere, {"O0", "wave64", "tgsplit", "preload", "expert"}},
    {"atomics",   everywhere, {"O0", "wave64", "tgsplit", "cumode", "xnack", "noecc", "expert"}},
    {"private",   everywhere, {"O0", "wave64", "v4", "xnack", "expert"}},
    {"unaligned", everywhere, {"O0", "wave64", "xnack", "expert"}},
    {"integer",   everywhere, {"O0", "Os", "wave64"}},
    {"real",      everywhere, {"O0", "wave64"}},
    {"narrow",    everywhere, {"O0", "wave64", "noecc"}},
    {"vectors",   everywhere, {"O0", "wave64", "preload", "expert"}},
    {"control",   everywhere, {"O0", "Os", "wave64", "expert"}},
    {"launch",    everywhere, {"O0", "wave64", "v4", "v4O0", "preload", "noecc"}},
    {"calls",     everywhere, {"O0", "wave64", "v4"}},
    {"mfma",      accumulators, {"O0", "tgsplit", "preload"}},
    {"wmma",      wave32,     {"O0", "cumode", "expert"}},
};
// clang-format on

struct Build {
  std::string source, target, features, options, flags;  // names; target without features
  std::string name() const { return fmt::format("{} {}{} {}", source, target, features, options); }
};

// Every target with -O3, then the first target of each family with each further option set it has: a sample of them
// (sampling.h), but all with expert scheduling, which are few.
inline std::vector<Build> builds_of(const Source& s) {
  std::vector<Build> all;
  const auto add = [&](const Target& t, const Options& o) {
    all.push_back({s.name, t.name, o.features, o.name, o.flags});
  };
  for (const Target& t : wavesmith::isa::all_targets())
    if (s.on(t)) add(t, option_sets[0]);
  for (const Options& o : option_sets) {
    std::vector<Family> done;
    for (const char* wanted : s.also) {
      if (std::string(o.name) != wanted) continue;
      for (const Target& t : wavesmith::isa::all_targets()) {
        bool first = s.on(t) && o.on(t);
        for (const Family f : done) first &= f != t.family;
        if (first) add(t, o), done.push_back(t.family);
      }
    }
  }
  auto number = static_cast<uint32_t>(&s - sources.data()) * 64;
  std::erase_if(all, [&](const Build& b) { return !in_sample(number++, 3) && b.options != "expert"; });
  return all;
}

inline std::string compiler() {  // empty: there is none
  for (const char* path : {"/usr/lib/llvm-22/bin/clang", "/usr/bin/clang-22"})
    if (std::filesystem::exists(path)) return path;
  return {};
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

// The code object of a build; made if it is not there. Safe to call from several threads and processes.
// std::runtime_error: the compiler failed.
inline std::filesystem::path compile(const Build& b) {
  namespace fs = std::filesystem;
  const fs::path in = fs::path(WAVESMITH_SOURCE) / "tests" / "compiled" / "clang",
                 dir = fs::path(WAVESMITH_TOOL).parent_path() / "clang_corpus";
  const fs::path source = in / (b.source + ".cl");
  const std::string command = fmt::format("{} -x cl -cl-std=CL2.0 -w -target amdgcn-amd-amdhsa -nogpulib -mcpu={}{} {}",
                                          compiler(), b.target, b.features, b.flags);
  const size_t hash = std::hash<std::string>{}(command + text_of(source) + text_of(in / "common.h"));
  const fs::path out = dir / fmt::format("{}_{}_{}_{:016x}.co", b.source, b.target, b.options, hash);
  if (fs::exists(out)) return out;
  fs::create_directories(dir);
  const std::string part = fmt::format("{}.{}", out.string(), getpid());
  const std::string whole = fmt::format("{} -c -o {} {}", command, part, source.string());
  if (std::system(whole.c_str()) != 0) throw std::runtime_error("failed: " + whole);
  const std::string object = text_of(part);
  const auto linked = wavesmith::isa::link({reinterpret_cast<const uint8_t*>(object.data()), object.size()});
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(linked.data()), static_cast<std::streamsize>(linked.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + part);
  fs::rename(part, out);
  return out;
}

// What to add to an address in the kernel's code to have its place in the file: found by the code itself.
inline size_t place_in_file(const std::vector<uint8_t>& file, const wavesmith::sim::CodeObject& object,
                            const wavesmith::sim::KernelInfo& k) {
  const auto code = object.code(k.entry).first(k.code_end - k.entry);
  const auto at = std::search(file.begin(), file.end(), code.begin(), code.end());
  if (at == file.end()) throw std::runtime_error(k.name + ": its code is not in the file");
  return static_cast<size_t>(at - file.begin()) - k.entry;
}

}  // namespace corpus
