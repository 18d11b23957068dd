// wavesmith check: the static checker over code objects, one kernel per thread.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <tuple>

#include "checker/check.h"
#include "runtime/files.h"
#include "tools/commands/commands.h"
#include "tools/options/code_file.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Check {
  CodeOptions code;
  std::vector<std::string> files;
  std::string kernel;
  int jobs = 0;
  bool no_advice = false, json = false, summary = false;
};

// The results of one file: its kernels, then its other functions.
struct Checked {
  std::string file, target;
  checker::Result result;
  std::string error;
  bool out_of_memory = false;
  size_t kernels = 0;
};

checker::Decoder& decoder_for(isa::Arch arch, int lanes) {
  thread_local std::map<std::pair<isa::Arch, int>, checker::Decoder> all;
  return all.try_emplace({arch, lanes}, arch, lanes).first->second;
}

// Calls work(i) for i in [0, count) on up to so many threads.
template <class F>
void parallel(size_t count, size_t jobs, F&& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::jthread> threads;
  for (size_t j = 1; j < std::min(count, jobs); ++j) threads.emplace_back(run);
  run();
}

// The entries to check in a file: kernels, then the other functions of the symbol table.
struct Subjects {
  std::vector<const sim::KernelInfo*> kernels;
  std::vector<const sim::Symbol*> functions;
};
Subjects subjects(const sim::CodeObject& co, const std::string& only) {
  Subjects s;
  if (!only.empty()) return {{&co.kernel(only)}, {}};  // LoadError lists the kernels
  for (const auto& k : co.kernels()) s.kernels.push_back(&k);
  for (const auto& f : co.symbols())
    if (f.function && f.size &&
        std::none_of(s.kernels.begin(), s.kernels.end(), [&](const auto* k) { return k->name == f.name; }))
      s.functions.push_back(&f);
  return s;
}

// A finding inside a function is made once with the function as the entry and again for every kernel that calls it:
// only the function's is kept, or the last kernel's.
void leave_one_each(std::vector<checker::Result>& results) {
  std::set<std::pair<uint64_t, std::string>> seen;
  for (auto r = results.rbegin(); r != results.rend(); ++r)
    std::erase_if(r->findings, [&](const auto& f) { return !f.advice && !seen.emplace(f.pc, f.rule).second; });
}

// `files`: where the calling thread finds them.
Checked check_file(const Check& o, const std::string& file, size_t jobs, runtime::Files* files) {
  Checked c{file, {}, {}, {}, false, 0};
  try {
    const runtime::FilesInMemory here(files);
    const auto co = o.code.read(file).object;
    c.target = isa::target(co.arch()).name;
    const checker::Options options{.advice = !o.no_advice};
    const Subjects s = subjects(co, o.kernel);
    c.kernels = s.kernels.size();
    std::vector<checker::Result> results(s.kernels.size() + s.functions.size());
    std::vector<std::exception_ptr> errors(results.size());
    parallel(results.size(), jobs, [&](size_t i) {
      try {
        results[i] = i < s.kernels.size()
                         ? checker::check(co, *s.kernels[i], decoder_for(co.arch(), s.kernels[i]->wave_size), options)
                         : checker::check(co, *s.functions[i - s.kernels.size()],
                                          decoder_for(co.arch(), co.kernels()[0].wave_size), options);
      } catch (...) { errors[i] = std::current_exception(); }
    });
    for (const auto& e : errors)
      if (e) std::rethrow_exception(e);
    leave_one_each(results);
    for (auto& r : results) c.result.add(std::move(r));
  } catch (const std::bad_alloc&) {
    c.out_of_memory = true;
  } catch (const std::exception& e) {  // InputError, SourceError, FileError, IsaError
    const std::string_view why = e.what();
    c.error = why.starts_with(file + ":") ? std::string(why) : fmt::format("{}: {}", file, why);
  }
  return c;
}

// Threads over files, or over the kernels of a single one.
std::vector<Checked> check_all(const Check& o) {
  std::vector<Checked> all(o.files.size());
  const size_t jobs = o.jobs > 0 ? static_cast<size_t>(o.jobs) : std::max(1u, std::thread::hardware_concurrency());
  auto* const files = runtime::FilesInMemory::current();
  parallel(all.size(), jobs, [&](size_t i) { all[i] = check_file(o, o.files[i], all.size() == 1 ? jobs : 1, files); });
  return all;
}

ordered_json to_json(const Checked& c) {
  ordered_json j{{"file", c.file},
                 {"target", c.target},
                 {"kernels", c.kernels},
                 {"instructions", c.result.instructions},
                 {"findings", ordered_json::array()},
                 {"advice", ordered_json::array()}};
  for (const auto& f : c.result.findings)
    j[f.advice ? "advice" : "findings"].push_back(located({{"kernel", f.kernel},
                                                           {"pc", f.pc},
                                                           {"instruction", f.instruction},
                                                           {"rule", f.rule},
                                                           {"source", f.source},
                                                           {"what", f.what},
                                                           {"legal", f.legal}},
                                                          f.where));
  return j;
}

// An unrolled loop has the same finding many times: a line for all of one rule and mnemonic in a kernel, with the
// first.
void print(const Checked& c) {
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto key = [](const checker::Finding& f) {
    return Key(f.kernel, f.rule, f.instruction.substr(0, f.instruction.find(' ')));
  };
  std::map<Key, std::vector<const checker::Finding*>> alike;
  for (const auto& f : c.result.findings) alike[key(f)].push_back(&f);
  for (const auto& f : c.result.findings) {
    const auto& all = alike[key(f)];
    if (all[0] != &f) continue;
    const size_t more = all.size() - 1;
    fmt::print(out(), "{}: {}: {:#x}: {}{}: {}{} [{}]: {}; legal: {}{}\n", c.file, f.kernel, f.pc,
               f.where.empty() ? "" : f.where + ": ", f.instruction, f.advice ? "advice: " : "", f.rule, f.source,
               f.what, f.legal,
               more ? fmt::format(" (and {} more like it, to {:#x}; --json lists them)", more, all.back()->pc) : "");
  }
}

// Findings by rule, over all files.
void print_rules(const std::vector<Checked>& all) {
  struct Count {
    size_t findings = 0, files = 0;
  };
  std::map<std::pair<bool, std::string>, Count> rules;
  for (const Checked& c : all) {
    std::map<std::pair<bool, std::string>, size_t> here;
    for (const auto& f : c.result.findings) ++here[{f.advice, f.rule}];
    for (const auto& [rule, n] : here) rules[rule].findings += n, ++rules[rule].files;
  }
  for (const auto& [rule, n] : rules)
    fmt::print(out(), "{:8} in {:>11}  {}{}\n", n.findings, counted(n.files, "file"), rule.first ? "advice: " : "",
               rule.second);
}

int check(const Check& o) {
  const auto start = std::chrono::steady_clock::now();
  const auto all = check_all(o);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  uint64_t instructions = 0, findings = 0, advice = 0;
  for (const Checked& c : all) {
    if (c.out_of_memory) throw std::bad_alloc();
    if (!c.error.empty()) throw InputError(c.error);
    instructions += c.result.instructions;
    for (const auto& f : c.result.findings) ++(f.advice ? advice : findings);
  }
  const double rate = static_cast<double>(instructions) / seconds;
  if (o.json) {
    ordered_json j{{"files", ordered_json::array()},
                   {"instructions", instructions},
                   {"seconds", seconds},
                   {"instructions_per_second", rate}};
    for (const Checked& c : all) j["files"].push_back(to_json(c));
    print_json(j);
  } else {
    if (!o.summary)
      for (const Checked& c : all) print(c);
    else print_rules(all);
    fmt::print(out(), "{}, {}; {} in {}, {:.2f} s, {:.0f} instructions/s\n", counted(findings, "finding"),
               counted(advice, "piece of advice", "pieces of advice"), counted(instructions, "instruction"),
               counted(all.size(), "file"), seconds, rate);
  }
  return findings ? answer_is_no : good;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto o = std::make_shared<Check>();
  app.add_option("file", o->files, "code objects (.co), or assembly texts (.s)")->required();
  o->code.declare(app);
  app.add_option("--kernel", o->kernel, "only this kernel");
  app.add_option("--jobs", o->jobs, "host threads; 0: all cores")->check(CLI::Range(0, INT_MAX));
  app.add_flag("--no-advice", o->no_advice, "findings only");
  app.add_flag("--summary", o->summary, "count findings by rule instead of listing them");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Example:\n  wavesmith check gemm.co");
  return [o] { return check(*o); };
}

}  // namespace wavesmith::tools
