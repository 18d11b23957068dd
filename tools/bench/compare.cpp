// A ratio's spread follows from the samples: B's fastest round to A's slowest, up to B's slowest to A's fastest. A
// difference exceeds it if 1 is not in between, that is, if the samples do not overlap. Tables have six digits: so much
// is added on both sides.
#include "tools/bench/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tools/bench/results.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

// How often something was run is no part of the problem.
const std::set<std::string, std::less<>> about_the_run = {"iters",           "cold_iters", "rounds",        "rotating",
                                                          "rotating_buffer", "flush",      "use_gpu_timer", "gpu"};

std::map<std::string, std::string> named(const BenchRow& r) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : r.problem)
    if (!about_the_run.contains(name)) out[lower_case(name)] = lower_case(without_suffix(value));
  return out;
}
std::string key(const BenchRow& r, const std::set<std::string>& columns) {
  std::string text;
  for (const auto& [name, value] : named(r))
    if (columns.contains(name)) text += fmt::format("{}={} ", name, value);
  return text;
}
std::set<std::string> columns_of_all(const BenchRun& run) {
  std::set<std::string> names;
  for (const auto& [name, _] : named(run.rows[0])) names.insert(name);
  for (const BenchRow& r : run.rows) {
    const auto own = named(r);
    std::erase_if(names, [&](const std::string& name) { return !own.contains(name); });
  }
  return names;
}

struct Pair {
  const BenchRow *a, *b;
  double ratio, low, high;
  bool faster() const { return high < 1; }
  bool slower() const { return low > 1; }
  const char* verdict() const { return slower() ? "slower" : faster() ? "faster" : "within the spread"; }
};
Pair pair_of(const BenchRow& a, const BenchRow& b) {
  const Measured &x = a.measured.front(), &y = b.measured.front();
  const auto over = [](double p, double q) { return q > 0 ? p / q : p > 0 ? INFINITY : 1; };
  constexpr double rounding = 1e-5;  // of a quotient of two numbers of six digits
  return {&a, &b, over(y.median(), x.median()), over(y.low(), x.high()) * (1 - rounding),
          over(y.high(), x.low()) * (1 + rounding)};
}

// In A's order; equal problems in the order of their rows.
std::vector<Pair> pairs(const BenchRun& a, const BenchRun& b) {
  std::set<std::string> both, of_b = columns_of_all(b);
  for (const std::string& name : columns_of_all(a))
    if (of_b.contains(name)) both.insert(name);
  if (both.empty()) return {};
  std::multimap<std::string, const BenchRow*> rows;
  for (const BenchRow& r : b.rows) rows.emplace(key(r, both), &r);
  std::vector<Pair> all;
  for (const BenchRow& r : a.rows)
    if (const auto found = rows.lower_bound(key(r, both)); found != rows.end() && found->first == key(r, both)) {
      all.push_back(pair_of(r, *found->second));
      rows.erase(found);
    }
  return all;
}

// The columns of A's problems in which any two of them differ; of one problem, its sizes.
std::vector<std::string> telling(const BenchRun& a) {
  std::vector<std::string> names;
  const std::set<std::string, std::less<>> sizes = {"M", "N", "K", "m", "n", "k", "b", "h", "s", "d"};
  for (const auto& [name, value] : a.rows[0].problem) {
    const bool differs = std::ranges::any_of(a.rows, [&](const BenchRow& r) {
      return std::ranges::find(r.problem, std::pair(name, value)) == r.problem.end();
    });
    if (!about_the_run.contains(name) && (differs || sizes.contains(name))) names.push_back(name);
  }
  return names;
}
std::string value_of(const BenchRow& r, const std::string& name) {
  for (const auto& [column, value] : r.problem)
    if (column == name) return value;
  return "";
}

}  // namespace

int compare_results(const std::string& file_a, const std::string& file_b, bool json) {
  const BenchRun a = load_results(file_a), b = load_results(file_b);
  const std::vector<Pair> all = pairs(a, b);
  if (all.empty()) throw InputError(fmt::format("bench compare: {} and {} have no problem in common", file_a, file_b));
  double logs = 0;
  for (const Pair& p : all) logs += std::log(p.ratio);
  const double mean = std::exp(logs / static_cast<double>(all.size()));
  const auto slower = std::ranges::count_if(all, &Pair::slower), faster = std::ranges::count_if(all, &Pair::faster);
  const int status = slower ? answer_is_no : good;
  if (json) {
    nlohmann::ordered_json j{
        {"geometric_mean", mean}, {"slower", slower}, {"faster", faster}, {"rows", nlohmann::ordered_json::array()}};
    for (const Pair& p : all) {
      nlohmann::ordered_json problem = nlohmann::ordered_json::object();
      for (const auto& [name, value] : p.a->problem) problem[name] = value;
      j["rows"].push_back({{"problem", problem},
                           {"a_us", p.a->measured.front().median()},
                           {"b_us", p.b->measured.front().median()},
                           {"ratio", p.ratio},
                           {"low", p.low},
                           {"high", p.high},
                           {"verdict", p.verdict()}});
    }
    print_json(j);
    return status;
  }
  const auto names = telling(a);
  std::vector<std::vector<std::string>> lines{names};
  for (const char* name : {"A us", "B us", "B/A", "spread", ""}) lines[0].emplace_back(name);
  for (const Pair& p : all) {
    auto& line = lines.emplace_back();
    for (const std::string& name : names) line.push_back(value_of(*p.a, name));
    line.push_back(fmt::format("{:.2f}", p.a->measured.front().median()));
    line.push_back(fmt::format("{:.2f}", p.b->measured.front().median()));
    line.push_back(fmt::format("{:.3f}", p.ratio));
    line.push_back(fmt::format("{:.3f} to {:.3f}", p.low, p.high));
    line.emplace_back(p.verdict());
  }
  fmt::print(out(), "{}", aligned(lines));
  fmt::print(out(), "{} of {}: geometric mean of B/A {:.3f}; beyond the spread {} slower, {} faster\n", all.size(),
             counted(std::max(a.rows.size(), b.rows.size()), "problem"), mean, slower, faster);
  return status;
}

}  // namespace wavesmith::tools
