// wavesmith check: the static checker over code objects, a kernel a thread.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "generator/check/check.h"
#include "runtime/files.h"
#include "tools/commands.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Check {
  std::vector<std::string> files;
  std::string kernel;
  int jobs = 0;
  bool advice = true, json = false, summary = false;
};

// One file: its kernels, then the functions that are none.
struct Checked { std::string file, target; check::Result result; std::string error; size_t kernels = 0; };

check::Decoder& decoder_for(isa::Arch arch, int lanes) {
  thread_local std::map<std::pair<isa::Arch, int>, check::Decoder> all;
  return all.try_emplace({arch, lanes}, arch, lanes).first->second;
}

Checked check_file(const Check& o, const std::string& file) {
  Checked c{file, {}, {}, {}, 0};
  try {
    const auto co = sim::CodeObject::load(runtime::read_file(file));
    c.target = isa::target(co.arch()).name;
    const check::Options options{.advice = o.advice};
    for (const auto& k : co.kernels()) {
      if (!o.kernel.empty() && k.name != o.kernel) continue;
      c.result.add(check::check(co, k, decoder_for(co.arch(), k.wave_size), options));
      ++c.kernels;
    }
    if (!o.kernel.empty()) {
      if (!c.kernels) co.kernel(o.kernel);                 // says which there are
      return c;
    }
    const auto is_kernel = [&](const sim::Symbol& s) { return std::any_of(co.kernels().begin(), co.kernels().end(), [&](const auto& k) { return k.entry == s.address; }); };
    for (const auto& s : co.symbols())
      if (s.function && s.size && !is_kernel(s)) c.result.add(check::check(co, s, decoder_for(co.arch(), co.kernels()[0].wave_size), options));
  } catch (const sim::LoadError& e) {
    c.error = fmt::format("{}: {}", file, e.what());
  } catch (const std::exception& e) {
    c.error = fmt::format("{}: {}", file, e.what());
  }
  return c;
}

std::vector<Checked> check_all(const Check& o) {
  std::vector<Checked> all(o.files.size());
  std::atomic<size_t> next{0};
  const auto work = [&] { for (size_t i; (i = next++) < all.size();) all[i] = check_file(o, o.files[i]); };
  const size_t jobs = std::min(all.size(), static_cast<size_t>(o.jobs > 0 ? o.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))));
  std::vector<std::jthread> threads;
  for (size_t j = 1; j < jobs; ++j) threads.emplace_back(work);
  work();
  threads.clear();
  return all;
}

ordered_json to_json(const Checked& c) {
  ordered_json j{{"file", c.file}, {"target", c.target}, {"kernels", c.kernels}, {"instructions", c.result.instructions}, {"findings", ordered_json::array()}, {"advice", ordered_json::array()}};
  for (const auto& f : c.result.findings)
    j[f.advice ? "advice" : "findings"].push_back({{"kernel", f.kernel}, {"pc", f.pc}, {"instruction", f.instruction}, {"rule", f.rule}, {"source", f.source}, {"what", f.what}, {"legal", f.legal}});
  return j;
}

void print(const Checked& c) {
  for (const auto& f : c.result.findings)
    fmt::print("{}: {}: {:#x}: {}: {}{} [{}]: {}; legal: {}\n", c.file, f.kernel, f.pc, f.instruction, f.advice ? "advice: " : "", f.rule, f.source, f.what, f.legal);
}

// Findings by rule, over all files.
void print_rules(const std::vector<Checked>& all) {
  struct Count { size_t findings = 0, files = 0; };
  std::map<std::pair<bool, std::string>, Count> rules;
  for (const Checked& c : all) {
    std::map<std::pair<bool, std::string>, size_t> here;
    for (const auto& f : c.result.findings) ++here[{f.advice, f.rule}];
    for (const auto& [rule, n] : here) rules[rule].findings += n, ++rules[rule].files;
  }
  for (const auto& [rule, n] : rules) fmt::print("{:8} in {:5} files  {}{}\n", n.findings, n.files, rule.first ? "advice: " : "", rule.second);
}

int check(const Check& o) {
  const auto start = std::chrono::steady_clock::now();
  const auto all = check_all(o);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  uint64_t instructions = 0, findings = 0, advice = 0;
  for (const Checked& c : all) {
    if (!c.error.empty()) throw InputError(c.error);
    instructions += c.result.instructions;
    for (const auto& f : c.result.findings) ++(f.advice ? advice : findings);
  }
  const double rate = static_cast<double>(instructions) / seconds;
  if (o.json) {
    ordered_json j{{"files", ordered_json::array()}, {"instructions", instructions}, {"seconds", seconds}, {"instructions_per_second", rate}};
    for (const Checked& c : all) j["files"].push_back(to_json(c));
    fmt::print("{}\n", j.dump(2));
  } else {
    if (!o.summary) for (const Checked& c : all) print(c);
    else print_rules(all);
    fmt::print("{} findings, {} advice; {} instructions in {} files, {:.2f} s, {:.0f} instructions/s\n", findings, advice, instructions, all.size(), seconds, rate);
  }
  return findings ? answer_is_no : good;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto o = std::make_shared<Check>();
  app.add_option("file", o->files, "code objects (.co)")->required();
  app.add_option("--kernel", o->kernel, "only this kernel");
  app.add_option("--jobs", o->jobs, "threads; default: all cores");
  app.add_flag("!--no-advice", o->advice, "findings only");
  app.add_flag("--summary", o->summary, "count findings by rule instead of listing them");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Example:\n  wavesmith check gemm.co");
  return [o] { return check(*o); };
}

}  // namespace wavesmith::tools
