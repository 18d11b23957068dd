#include "tools/bench/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/files.h"
#include "tools/bench/problem_list.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}
std::string six_digits(double x) { return fmt::format("{:.6g}", x); }
double gflops(const BenchRow& r, const Measured& m) { return m.median() > 0 ? r.flops / m.median() * 1e-3 : 0; }
double gbytes(const BenchRow& r, const Measured& m) { return m.median() > 0 ? r.bytes / m.median() * 1e-3 : 0; }

// The columns of one implementation. Ours are named as rocblas-bench names its own: wavesmith-Gflops, ..., us.
Columns columns_of(const BenchRow& r, const Measured& m, bool first) {
  const std::string prefix = first ? "" : m.by + "-";
  std::vector<std::string> rounds;
  for (const double us : m.us) rounds.push_back(six_digits(us));
  Columns c{{m.by + "-Gflops", six_digits(gflops(r, m))}};
  if (r.bytes > 0) c.emplace_back(m.by + "-GB/s", six_digits(gbytes(r, m)));
  c.emplace_back(prefix + "us", six_digits(m.median()));
  c.emplace_back(prefix + "us_rounds", fmt::format("{}", fmt::join(rounds, ";")));
  if (m.error) c.emplace_back(prefix + "norm_error", six_digits(*m.error));
  if (!m.kernel.empty()) c.emplace_back(prefix + "kernel", m.kernel);
  return c;
}
Columns all_columns(const BenchRun& run, const BenchRow& r) {
  Columns c = r.problem;
  for (const Measured& m : r.measured)
    for (auto& x : columns_of(r, m, &m == &r.measured.front())) c.push_back(std::move(x));
  c.insert(c.end(), r.config.begin(), r.config.end());
  c.insert(c.end(), run.made_with.begin(), run.made_with.end());
  return c;
}

ordered_json object(const Columns& columns) {
  ordered_json j = ordered_json::object();
  for (const auto& [name, value] : columns) j[name] = value;
  return j;
}
Columns columns(const ordered_json& j) {
  Columns out;
  for (const auto& [name, value] : j.items())
    out.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  return out;
}

// From a CSV file of ours, or of rocblas-bench or hipblaslt-bench.
BenchRun from_csv(const std::string& text, const std::string& file) {
  const auto rows = parse_csv(text, file);
  BenchRun run;
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto& names = rows[0].cells;
    if (rows[i].cells.size() != names.size())
      throw InputError(
          fmt::format("{}:{}: {} cells under {} column names", file, rows[i].line, rows[i].cells.size(), names.size()));
    BenchRow row;
    const auto where = [&](size_t c) { return fmt::format("{}:{}: {}", file, rows[i].line, names[c]); };
    for (size_t c = 0; c < names.size(); ++c) {
      const std::string &name = names[c], &value = rows[i].cells[c];
      const bool first = row.measured.size() < 2;
      if (name.ends_with("-Gflops") && !name.starts_with("CPU")) {
        row.measured.push_back({.by = name.substr(0, name.size() - 7), .kernel = "", .us = {}});
      } else if (!is_result_column(name)) row.problem.emplace_back(name, value);
      else if (row.measured.empty()) continue;
      else if (name == (first ? "us" : row.measured.back().by + "-us"))
        row.measured.back().us = {parse_time(value, where(c))};
      else if (name == (first ? "us_rounds" : row.measured.back().by + "-us_rounds")) {
        row.measured.back().us.clear();
        for (const std::string& us : split(value, ';')) row.measured.back().us.push_back(parse_time(us, where(c)));
      } else if (name == (first ? "kernel" : row.measured.back().by + "-kernel")) row.measured.back().kernel = value;
    }
    if (row.measured.empty() || row.measured.front().us.empty())
      throw InputError(fmt::format("{}: no columns of results, legal: NAME-Gflops and us", file));
    run.rows.push_back(std::move(row));
  }
  return run;
}

BenchRun from_json(const ordered_json& j) {
  BenchRun run{.operation = j.at("operation").get<std::string>(), .made_with = columns(j.at("run")), .rows = {}};
  for (const auto& r : j.at("results")) {
    BenchRow row{.problem = columns(r.at("problem")),
                 .config = columns(r.at("config")),
                 .flops = r.at("flops").get<double>(),
                 .bytes = r.at("bytes").get<double>(),
                 .measured = {}};
    for (const auto& m : r.at("measured")) {
      row.measured.push_back({.by = m.at("by").get<std::string>(),
                              .kernel = m.at("kernel").get<std::string>(),
                              .us = m.at("us").get<std::vector<double>>()});
      if (m.contains("norm_error")) row.measured.back().error = m.at("norm_error").get<double>();
    }
    run.rows.push_back(std::move(row));
  }
  return run;
}

enum class Kind { csv, json, database };
std::optional<Kind> kind_of(const std::string& file) {
  for (const auto& [suffix, kind] : {std::pair(".csv", Kind::csv),
                                     {".json", Kind::json},
                                     {".db", Kind::database},
                                     {".sqlite", Kind::database},
                                     {".sqlite3", Kind::database}})
    if (file.ends_with(suffix)) return kind;
  return {};
}

}  // namespace

double parse_time(const std::string& text, const std::string& where) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(x) || x < 0)
    throw InputError(fmt::format("{}: '{}' is not understood, legal: a number of 0 or more", where, text));
  return x;
}
double Measured::median() const {
  std::vector<double> sorted = us;
  std::ranges::sort(sorted);
  const size_t n = sorted.size();
  return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}
double Measured::low() const { return us.empty() ? 0 : std::ranges::min(us); }
double Measured::high() const { return us.empty() ? 0 : std::ranges::max(us); }

std::string to_csv(const BenchRun& run) {
  std::string text, header;
  for (const BenchRow& r : run.rows) {
    std::vector<std::string> names, values;
    for (const auto& [name, value] : all_columns(run, r))
      names.push_back(csv_cell(name)), values.push_back(csv_cell(value));
    const std::string own = fmt::format("{}\n", fmt::join(names, ","));
    if (own != header) text += header = own;  // as the other benchmarks do
    text += fmt::format("{}\n", fmt::join(values, ","));
  }
  return text;
}

ordered_json to_json(const BenchRun& run) {
  ordered_json j{{"operation", run.operation}, {"run", object(run.made_with)}, {"results", ordered_json::array()}};
  for (const BenchRow& r : run.rows) {
    ordered_json measured = ordered_json::array();
    for (const Measured& m : r.measured) {
      measured.push_back({{"by", m.by}, {"kernel", m.kernel}, {"us", m.us}, {"Gflops", gflops(r, m)}});
      if (m.error) measured.back()["norm_error"] = *m.error;
    }
    j["results"].push_back({{"problem", object(r.problem)},
                            {"config", object(r.config)},
                            {"flops", r.flops},
                            {"bytes", r.bytes},
                            {"measured", measured}});
  }
  return j;
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths;
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], line[i].size());
    }
  std::string text;
  for (const auto& line : lines) {
    for (size_t i = 0; i + 1 < line.size(); ++i) text += fmt::format("{:>{}}  ", line[i], widths[i]);
    text += line.empty() ? "\n" : line.back() + "\n";
  }
  return text;
}

std::string to_table(const BenchRun& run, const std::vector<std::string>& brief) {
  std::vector<std::vector<std::string>> lines;
  for (const BenchRow& r : run.rows) {
    std::vector<std::string> names, line;
    for (const std::string& name : brief)
      for (const auto& [column, value] : r.problem)
        if (column == name) names.push_back(name), line.push_back(value);
    for (const Measured& m : r.measured) {
      const bool first = &m == &r.measured.front();
      names.push_back(m.by + "-Gflops"), line.push_back(fmt::format("{:.1f}", gflops(r, m)));
      names.push_back(first ? "us" : m.by + "-us"), line.push_back(fmt::format("{:.2f}", m.median()));
      if (m.us.size() > 1)
        names.push_back("+-%"),
            line.push_back(fmt::format("{:.1f}", m.median() > 0 ? 50 * (m.high() - m.low()) / m.median() : 0));
      if (!first)
        names.push_back("ratio"),
            line.push_back(fmt::format("{:.3f}", m.median() > 0 ? r.measured.front().median() / m.median() : 0));
      if (m.error) names.push_back("norm_error"), line.push_back(fmt::format("{:.2g}", *m.error));
    }
    names.emplace_back("kernel"), line.push_back(r.measured.front().kernel);
    if (lines.empty()) lines.push_back(names);
    lines.push_back(line);
  }
  return aligned(lines);
}

void check_result_name(const std::string& file) {
  if (!kind_of(file)) throw InputError(fmt::format("-o {}: legal: FILE.csv, FILE.json or FILE.db", file));
}

void save(const BenchRun& run, const std::string& file) {
  check_result_name(file);
  switch (*kind_of(file)) {
    case Kind::csv: return runtime::write_file(file, to_csv(run));
    case Kind::json: return runtime::write_file(file, json_text(to_json(run)) + "\n");
    case Kind::database: return add_to_database(run, file);
  }
}

BenchRun results_from_json(const std::string& text, const std::string& file) {
  try {
    return from_json(ordered_json::parse(text));
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: not results of wavesmith bench: {}", file, e.what()));
  }
}

BenchRun load_results(const std::string& given) {
  std::string file = given;
  std::optional<int64_t> number;
  if (const size_t colon = given.rfind(':'); colon != given.npos && kind_of(given.substr(0, colon)) == Kind::database) {
    file = given.substr(0, colon);
    number = static_cast<int64_t>(parse_number(given.substr(colon + 1), given) & INT64_MAX);
  }
  const auto kind = kind_of(file);
  if (kind == Kind::database) return load_from_database(file, number);
  const auto bytes = runtime::read_file(file, uint64_t{256} << 20);
  const std::string text(bytes.begin(), bytes.end());
  BenchRun run = kind == Kind::json ? results_from_json(text, file) : from_csv(text, file);
  const auto timed = [](const BenchRow& r) { return !r.measured.empty() && !r.measured.front().us.empty(); };
  if (run.rows.empty() || !std::ranges::all_of(run.rows, timed)) throw InputError(fmt::format("{}: no results", file));
  return run;
}

}  // namespace wavesmith::tools
