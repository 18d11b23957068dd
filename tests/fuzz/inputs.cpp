#include "tests/fuzz/inputs.h"

#ifdef WAVESMITH_HIP_INTERFACE
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "isa_tables/mc/mc.h"
#include "isa_tables/mc/source.h"
#include "kernels/plan/graph.h"
#include "runtime/files.h"
#include "runtime/npy.h"
#include "tests/fuzz/code_object.h"
#include "tools/bench/problem_list.h"
#include "tools/commands/answer.h"
#include "tools/options/plan_options.h"
#include "tools/serve/protocol.h"

using namespace wavesmith;

namespace fuzz {
namespace {

std::string_view text_of(std::span<const uint8_t> b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }
void must(bool holds) {
  if (!holds) std::abort();
}

void loader(std::span<const uint8_t> b) { simtest::run_hostile(b); }

// The first byte chooses the target; the rest is code. Every instruction lies within it.
void decoder(std::span<const uint8_t> b) {
  static std::array<std::unique_ptr<isa::Mc>, 32> made;
  if (b.empty()) return;
  const auto& target = isa::all_targets()[b[0] % isa::all_targets().size()];
  auto& mc = made[b[0] % isa::all_targets().size()];
  if (!mc) mc = std::make_unique<isa::Mc>(*isa::find_arch(target.name));
  for (auto code = b.subspan(1); code.size() >= 4;) {
    const auto d = mc->disassemble(code, 0x1000);
    must(d.size >= 0 && static_cast<size_t>(d.size) <= code.size() && d.size % 4 == 0);
    if (d.size != 0) try {
        (void)mc->instruction(d, code);
      } catch (const isa::IsaError&) {}
    code = code.subspan(static_cast<size_t>(std::max(d.size, 4)));
  }
}

// What is read is written and read as the same.
void npy(std::span<const uint8_t> b) {
  try {
    const auto a = runtime::parse_npy(b, "fuzz");
    const auto again = runtime::parse_npy(runtime::format_npy(a), "again");
    must(again.type == a.type && again.shape == a.shape && again.bytes == a.bytes);
  } catch (const runtime::FileError&) {}
}

// Tables of cases, and the graphs that stand beside them.
void csv(std::span<const uint8_t> b) {
  try {
    (void)tools::plan_csv(tools::parse_plan_cases(text_of(b), "fuzz"));
  } catch (const tools::InputError&) {}
  try {
    (void)plan::parse_graph(text_of(b));
  } catch (const std::runtime_error&) {}
}

// Lists of problems: YAML, CSV or command lines.
void problems(std::span<const uint8_t> b) {
  try {
    must(!tools::parse_problem_list(text_of(b), "fuzz").empty());
  } catch (const tools::InputError&) {}
}

#ifdef WAVESMITH_HIP_INTERFACE
// A module's file for libwavesmith_hip: an offload bundle, plain or compressed, or a code object. It comes by a name,
// as an image in memory has no size.
void bundle(std::span<const uint8_t> b) {
  static const int file = memfd_create("bundle", 0);
  must(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, b.data(), b.size(), 0) == static_cast<ssize_t>(b.size()));
  hipModule_t module = nullptr;
  if (hipModuleLoad(&module, ("/proc/self/fd/" + std::to_string(file)).c_str()) == hipSuccess)
    must(hipModuleUnload(module) == hipSuccess);
}
#endif

// Messages for `serve`, one a line. No call is started; each answer is one line.
void messages(std::span<const uint8_t> b) {
  tools::Protocol protocol({}, 0);
  for (std::string_view rest = text_of(b); !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    protocol.line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string answer = protocol.take_output();
    must(answer.empty() || answer.find('\n') == answer.size() - 1);
  }
}

// Assembly text: the first byte chooses the target. What is assembled is a code object that is loaded, or refused. Left
// out: repetitions, whose number LLVM does not bound.
void source(std::span<const uint8_t> b) {
  if (b.empty()) return;
  for (const char* repeats : {".rep", ".fill"})
    if (text_of(b).find(repeats) != std::string_view::npos) return;
  const auto& target = isa::all_targets()[b[0] % isa::all_targets().size()];
  try {
    simtest::run_hostile(isa::assemble_source(text_of(b.subspan(1)), "fuzz.s", std::string(target.name)));
  } catch (const isa::SourceError&) {}
}

// A line is an argument. Left out: paths out of the folder, and commands that take long because they are asked for much
// (`verify`, `array`, `bench`, `serve`).
void options(std::span<const uint8_t> b) {
  std::vector<std::string> words = {"wavesmith"};
  for (std::string_view rest = text_of(b); !rest.empty() && words.size() < 64;) {
    const auto end = std::min(rest.find('\n'), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.back().find_first_of(std::string_view("/\0", 2)) != std::string::npos) return;
  }
  if (words.size() > 1 && (words[1] == "verify" || words[1] == "array" || words[1] == "bench" || words[1] == "serve"))
    return;
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const int status = tools::answer(static_cast<int>(words.size()), argv.data());
  must(status >= 0 && status <= 3);
}

constexpr Input all[] = {
    {"loader", loader},     {"decoder", decoder}, {"npy", npy},           {"csv", csv},
    {"problems", problems}, {"options", options}, {"messages", messages}, {"source", source},
#ifdef WAVESMITH_HIP_INTERFACE
    {"bundle", bundle},
#endif
};

}  // namespace

std::span<const Input> inputs() { return all; }

}  // namespace fuzz
