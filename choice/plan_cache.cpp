#include "choice/plan_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "choice/tunables.h"
#include "runtime/files.h"

namespace wavesmith {

std::string default_cache() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const std::string own = variable("WAVESMITH_CACHE"); !own.empty()) return own == "off" ? "" : own;
  if (const std::string all = variable("XDG_CACHE_HOME"); !all.empty()) return all + "/wavesmith";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/wavesmith";
}

namespace choice {
namespace {

// Another build may choose otherwise: kernels, tables and model are part of the program.
std::string build_id() {
  struct stat s{};
  if (stat("/proc/self/exe", &s) != 0) return "unknown";
  return fmt::format("{}.{}.{}", static_cast<int64_t>(s.st_mtim.tv_sec), static_cast<int64_t>(s.st_mtim.tv_nsec),
                     static_cast<int64_t>(s.st_size));
}

uint64_t hash(std::string_view text) {  // FNV-1a
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return h;
}

// What is planned, a line of a file; the limit's words come last.
std::string line(const TimedGemm& t, Arch arch) {
  std::string text;
  for (const Tunable& d : tunables()) text += d.word(t.config, arch) + " ";
  return text + fmt::format("{} {} limit {}\n", t.seconds, t.least_seconds, t.limit);
}
std::optional<TimedGemm> parse(const std::string& text, const GemmConfig& base, Arch arch) {
  TimedGemm t{.config = base, .limit = {}};
  std::string word;
  std::istringstream in(text);
  for (const Tunable& d : tunables())
    if (!(in >> word) || !d.read(t.config, word, arch)) return {};
  in >> t.seconds >> t.least_seconds >> word;
  if (!in || word != "limit" || !std::getline(in >> std::ws, t.limit)) return {};
  return t;
}

constexpr const char* title = "wavesmith GEMM plan";

}  // namespace

PlanCache::PlanCache(const PlanOptions& options, const GemmRequest& asked, const GemmConfig& base, Arch arch,
                     const isa::Gpu& gpu, const GemmProblem& p)
    : folder_(options.cache), base_(base), arch_(arch) {
  std::string given;
  for (const Tunable& d : tunables())
    if (d.given(asked)) given += fmt::format("{},", d.what);
  question_ =
      fmt::format("{} {} {} given {} {}x{}x{} x{} ld {} {} {} {} strides {} {} {} {}{}{}", isa::target(arch).name,
                  gpu.name, kernel_name(base), given, p.m, p.n, p.k, p.batch, p.lda, p.ldb, p.ldc, p.ldd, p.stride_a,
                  p.stride_b, p.stride_c, p.stride_d, p.beta != 0 ? " beta" : "", options.warm ? "" : " cold");
  path_ = fmt::format("{}/gemm_{:016x}", folder_, hash(question_));
}

std::optional<GemmPlan> PlanCache::find() const try {
  if (folder_.empty()) return {};
  const runtime::FilesInMemory on_disk(nullptr);
  constexpr uint64_t largest = 1 << 16;
  const auto bytes = runtime::read_file(path_, largest);
  std::istringstream in(std::string(bytes.begin(), bytes.end()));
  GemmPlan plan;
  size_t lines = 0;
  std::string text;
  for (const std::string& expected : {std::string(title), build_id(), question_})
    if (!std::getline(in, text) || text != expected) return {};
  if (!(in >> plan.candidates >> lines) || !std::getline(in, text)) return {};
  while (plan.timed.size() < lines && std::getline(in, text)) {
    auto t = parse(text, base_, arch_);
    if (!t) return {};
    plan.timed.push_back(std::move(*t));
  }
  if (plan.timed.empty() || plan.timed.size() != lines || !std::getline(in, text) || text != "end") return {};
  check(plan.timed.front().config, arch_);
  return plan;
} catch (const std::runtime_error&) { return {}; }

void PlanCache::keep(const GemmPlan& plan) const try {
  if (folder_.empty()) return;
  const runtime::FilesInMemory on_disk(nullptr);
  std::string text =
      fmt::format("{}\n{}\n{}\n{} {}\n", title, build_id(), question_, plan.candidates, plan.timed.size());
  for (const TimedGemm& t : plan.timed) text += line(t, arch_);
  std::filesystem::create_directories(folder_);
  runtime::write_file(path_, text + "end\n");
} catch (const std::runtime_error&) {}

}  // namespace choice
}  // namespace wavesmith
