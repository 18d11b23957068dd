#include "tools/bench/problem_list.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "runtime/files.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

constexpr size_t most_bytes = size_t{16} << 20, most_problems = 100'000, most_cells = 256,
                 most_in_memory = size_t{512} << 20;  // bytes of all problems' options

[[noreturn]] void refuse_line(const std::string& file, int line, const std::string& why) {
  throw InputError(line > 0 ? fmt::format("{}:{}: {}", file, line, why) : fmt::format("{}: {}", file, why));
}

// Keys of the libraries' logs that say nothing of a problem.
const std::set<std::string_view> keys_of_no_problem = {"atomics_mode", "call_count", "name", "category"};
// What other programs call by a name of their own.
constexpr std::pair<std::string_view, const char*> renamed[] = {
    {"M", "m"}, {"N", "n"}, {"K", "k"}, {"rocblas_function", "function"}, {"i", "iters"}, {"j", "cold_iters"}};

// `name`: as a column or key. Flags are true or false.
void add_option(std::vector<std::string>& to, std::string_view name, const std::string& value) {
  if (keys_of_no_problem.contains(name)) return;
  for (const auto& [theirs, ours] : renamed)
    if (name == theirs) name = ours;
  if (value == "true" || value == "True") to.push_back(fmt::format("--{}", name));
  else if (value != "false" && value != "False") to.push_back(fmt::format("--{}={}", name, value));
}

struct ProblemList {
  const std::string& file;
  std::vector<ListedProblem> all{};
  size_t bytes = 0;

  void add(ListedProblem p) {
    if (all.size() == most_problems) refuse_line(file, p.line, fmt::format("more than {} problems", most_problems));
    for (const std::string& o : p.options) bytes += sizeof(std::string) + o.size();
    if (bytes > most_in_memory)
      refuse_line(file, p.line, fmt::format("problems of more than {} MiB in memory", most_in_memory >> 20));
    all.push_back(std::move(p));
  }
};

// -- YAML --
// A sequence stands for each of its values: one problem for each combination.
void add_yaml_problem(ProblemList& to, const YAML::Node& node) {
  const std::string& file = to.file;
  const int line = node.Mark().line + 1;
  if (!node.IsMap()) refuse_line(file, line, "not a problem, legal: - { M: 1024, N: 1024, K: 1024, transA: T, ... }");
  std::vector<std::pair<std::string, std::vector<std::string>>> keys;  // and the values of each
  size_t combinations = 1;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) refuse_line(file, line, "a key that is not a word");
    auto& [key, values] = keys.emplace_back(entry.first.Scalar(), std::vector<std::string>{});
    const auto add = [&](const YAML::Node& value) {
      if (!value.IsScalar() && !value.IsNull())
        refuse_line(file, line, fmt::format("{}: legal: one value, or a list", key));
      values.push_back(value.IsNull() ? std::string() : value.Scalar());
    };
    if (entry.second.IsSequence())
      for (const auto& value : entry.second) add(value);
    else add(entry.second);
    combinations *= values.size();
    if (combinations > most_problems) refuse_line(file, line, fmt::format("more than {} problems", most_problems));
  }
  for (size_t i = 0; i < combinations; ++i) {  // the first key's values change fastest
    ListedProblem p{.options = {}, .line = line};
    size_t at = i;
    for (const auto& [key, values] : keys) {
      if (const std::string& value = values[at % values.size()]; !value.empty()) add_option(p.options, key, value);
      at /= values.size();
    }
    to.add(std::move(p));
  }
}

std::vector<ListedProblem> parse_yaml(std::string_view text, const std::string& file) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (!root.IsSequence())
      refuse_line(file, 0, "not a list of problems, legal: lines as - { M: 1024, N: 1024, K: 1024 }");
    ProblemList list{file};
    for (const auto& node : root) add_yaml_problem(list, node);
    return list.all;
  } catch (const YAML::Exception& e) { refuse_line(file, e.mark.line + 1, e.msg); }
}

// -- CSV --
std::vector<ListedProblem> parse_table(std::string_view text, const std::string& file) {
  const std::vector<CsvRow> rows = parse_csv(text, file);
  ProblemList list{file};
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto& names = rows[0].cells;
    if (rows[i].cells.size() != names.size())
      refuse_line(file, rows[i].line,
                  fmt::format("{} cells under {} column names", rows[i].cells.size(), names.size()));
    ListedProblem p{.options = {}, .line = rows[i].line};
    for (size_t c = 0; c < names.size(); ++c)
      if (!rows[i].cells[c].empty() && !is_result_column(names[c])) add_option(p.options, names[c], rows[i].cells[c]);
    list.add(std::move(p));
  }
  return list.all;
}

// -- Logged command lines --
bool is_command(std::string_view line) {
  const std::string_view program = line.substr(0, line.find(' '));
  return program.ends_with("rocblas-bench") || program.ends_with("hipblaslt-bench") ||
         program.ends_with("tile_example_fmha_fwd");
}
std::vector<ListedProblem> parse_commands(std::string_view text, const std::string& file) {
  ProblemList list{file};
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (!is_command(line)) refuse_line(file, number, "not a command line of rocblas-bench or hipblaslt-bench");
    ListedProblem p{.options = {}, .line = number};
    for (const std::string& word : split(line.substr(std::min(line.find(' '), line.size() - 1) + 1), ' '))
      if (!word.empty() && word != "\r") p.options.push_back(word);
    list.add(std::move(p));
  }
  return list.all;
}

}  // namespace

bool is_result_column(std::string_view name) {
  constexpr std::string_view configuration[] = {"us",    "us_rounds", "norm_error", "atol",   "rtol",      "kernel",
                                                "tile",  "waves",     "mma",        "stages", "schedule",  "split_k",
                                                "order", "version",   "device",     "target", "clock_MHz", "predicted",
                                                "arch",  "gpu",       "limit"};
  return name.ends_with("-Gflops") || name.ends_with("-GB/s") || name.ends_with("-us") ||
         name.ends_with("-us_rounds") || name.ends_with("-norm_error") || name.ends_with("-kernel") ||
         std::ranges::find(configuration, name) != std::end(configuration);
}

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& file) {
  std::vector<CsvRow> rows;
  CsvRow row{.cells = {""}, .line = 1};
  bool quoted = false;
  int line = 1;
  const auto end_row = [&] {
    if (row.cells.size() > 1 || !row.cells[0].empty()) rows.push_back(std::move(row));
    row = {.cells = {""}, .line = line};
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    line += c == '\n';
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') row.cells.back() += text[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) {
      if (row.cells.size() == most_cells) refuse_line(file, line, fmt::format("more than {} cells", most_cells));
      row.cells.emplace_back();
    } else if (c == '\n' && !quoted) end_row();
    else if (c != '\r') row.cells.back() += c;
  }
  if (quoted) refuse_line(file, row.line, "a quotation mark that is not closed");
  end_row();
  return rows;
}

// By the name of the file, else by its first line that is no comment.
std::vector<ListedProblem> parse_problem_list(std::string_view text, const std::string& file) {
  std::string first;
  for (const std::string& line : split(text, '\n'))
    if (first = line.substr(std::min(line.find_first_not_of(" \t\r"), line.size())); !first.empty() && first[0] != '#')
      break;
  const bool yaml = file.ends_with(".yaml") || file.ends_with(".yml") || first.starts_with("-") ||
                    first.starts_with("[") || first.starts_with("{") || first.ends_with(":");
  auto all = is_command(first) ? parse_commands(text, file) : yaml ? parse_yaml(text, file) : parse_table(text, file);
  if (all.empty()) refuse_line(file, 0, "no problems");
  return all;
}

std::vector<ListedProblem> read_problem_list(const std::string& file) {
  const auto bytes = runtime::read_file(file, most_bytes);
  return parse_problem_list({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

}  // namespace wavesmith::tools
