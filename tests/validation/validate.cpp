// The timing model's predictions beside published figures, one line a row and a summary of each table: the program of
// which docs/reference/timing.md quotes the tables.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

struct Options {
  std::string facts = WAVESMITH_SOURCE "/tests/facts", production, peers, problem;
  std::vector<std::string> parts;
  int rows = 24, jobs = 0, problems = absent;
};

constexpr std::pair<const char*, decltype(&validate_micro)> parts[] = {
    {"micro", validate_micro},
    {"attention", validate_attention},
    {"gemm", validate_gemm},
    {"hipblaslt", validate_hipblaslt},
    {"rdna3", validate_rdna3},
    {"ablations", validate_ablations},
    {"traces", validate_traces},
    {"ordinary", validate_ordinary},
    {"compiler", validate_compiler},
    {"aiter", validate_aiter},
    {"competition", validate_competition},
    {"attention_competition", validate_attention_competition},
    {"backward_competition", validate_backward_competition},
    {"decode_competition", validate_decode_competition}};
std::string part_names() {
  std::string s;
  for (const auto& [name, part] : parts) s += (s.empty() ? "" : ", ") + std::string(name);
  return s;
}

// Prints every part that was asked for. The answer is no if something to compare with was not there.
int validate(const Options& o) {
  const Sources sources{o.facts, o.production, o.peers, o.rows, o.jobs, o.problems, o.problem};
  std::string group;
  std::vector<std::pair<std::string, std::vector<double>>> ratios;
  const Report report = [&](const Row& r) {
    if (r.group != group)
      fmt::print("\n{}\n{:<58} {:>10} {:>10} {:>6}\n", group = r.group, "", "predicted", "published", "ratio");
    if (r.published <= 0)
      fmt::print("{:<58} {:>10.4g} {:>17}  {} {}\n", r.name, r.predicted, "", r.unit,
                 r.note.empty() ? "" : "(" + r.note + ")");
    else
      fmt::print("{:<58} {:>10.4g} {:>10.4g} {:>6.2f}  {} {}{}\n", r.name, r.predicted, r.published, r.ratio(), r.unit,
                 r.note.empty() ? "" : "(" + r.note + ")", r.set.empty() ? "" : ", " + r.set);
    std::fflush(stdout);
    if (r.published <= 0) return;
    const std::string table = r.set.empty() ? r.group : fmt::format("{}: {}", r.group, r.set);
    auto at = std::ranges::find(ratios, table, [](const auto& t) { return t.first; });
    if (at == ratios.end()) at = ratios.insert(at, {table, {}});
    at->second.push_back(r.ratio());
  };
  bool complete = true;
  const Missing missing = [&](const std::string& what) {
    fmt::print(stderr, "wavesmith_validate: {}\n", what), complete = false;
  };
  for (const auto& [name, part] : parts)
    if (o.parts.empty() || std::find(o.parts.begin(), o.parts.end(), name) != o.parts.end())
      part(sources, report, missing);
  if (!ratios.empty())
    fmt::print("\n{:<42} {:>5} {:>8} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "", "rows", "median", "within 5 %",
               "within 10 %", "within 15 %", "mean error", "90th perc.");
  for (auto& [name, r] : ratios) {
    std::sort(r.begin(), r.end());
    const auto within = [&](double d) {
      return fmt::format("{:.0f} %", 100.0 *
                                         static_cast<double>(std::count_if(
                                             r.begin(), r.end(), [&](double x) { return std::abs(x - 1) <= d; })) /
                                         static_cast<double>(r.size()));
    };
    std::vector<double> errors;
    double sum = 0;
    for (const double x : r) errors.push_back(100 * std::abs(x - 1)), sum += errors.back();
    std::sort(errors.begin(), errors.end());
    fmt::print("{:<42} {:>5} {:>8.2f} {:>12} {:>12} {:>12} {:>10.1f} % {:>10.1f} %\n", name, r.size(), r[r.size() / 2],
               within(0.05), within(0.10), within(0.15), sum / static_cast<double>(r.size()),
               errors[errors.size() * 9 / 10]);
  }
  return complete ? 0 : 1;
}

}  // namespace
}  // namespace wavesmith::validation

// Status 0: every table was there; 1: something to compare with was missing; 2: the command line is at fault.
int main(int argc, char** argv) {
  namespace validation = wavesmith::validation;
  validation::Options o;
  CLI::App app("The timing model's predictions beside published figures.", "wavesmith_validate");
  app.add_option("--facts", o.facts, "folder of the published tables (tests/facts)");
  app.add_option("--production", o.production, "folder hsa of ROCm/aiter");
  app.add_option("--peers", o.peers,
                 "folder with hipblaslt/, hipkittens/, sgemm/ and wmma/, code objects of others (peers.sh)");
  std::vector<std::string> names;
  for (const auto& [name, part] : validation::parts) names.emplace_back(name);
  app.add_option("--part", o.parts, "these alone, of " + validation::part_names())
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--rows", o.rows, "about so many rows of a table of kernels (24); 0: all")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--problems", o.problems,
                 "so many problems whose candidates are all timed and ranked (aiter; a sixth of the rows, 60 of all)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--problem", o.problem, "aiter, competitions, ordinary: the problems alone whose names contain this");
  app.add_option("--jobs", o.jobs, "host threads; 0: all cores")->check(CLI::NonNegativeNumber);
  app.footer("Example:\n  build/wavesmith_validate --part micro,traces");
  try {
    app.parse(argc, argv);
    return validation::validate(o);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    fmt::print(stderr, "wavesmith_validate: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "wavesmith_validate: {}\n", e.what());
    return 1;
  }
}
