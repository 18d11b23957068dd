// Figures of the pages: a comment behind a table or a paragraph has the command that gives them.
//   <!-- us of "KEY": COMMAND -->              of `time`; us or ms: the unit where the page states none
//   <!-- /a/0/b of "KEY": COMMAND -->          this element of any command's answer, whatever unit the page states
//   <!-- /a/0/b / 1024 of "KEY": COMMAND -->   divided by that
// Behind a table, KEY is how a row begins, without its first bar; the figures are all numbers of its other cells.
// `{A,B}` in COMMAND is A for the first of these cells, B for the second, ...; where it is `-` the cell is left alone,
// as are those beyond. Behind a paragraph, KEY is a phrase in it, and the figure its last number. Units: us, ms (the
// time), % (of the matrix pipes), MB (from beyond the L2), TFLOP/s. Sizes in the cell of a figure (`16 us (64x64)`) are
// in the kernel's name. COMMAND may be several with `; ` between: the last one answers, and all run in one folder.
// WAVESMITH_UPDATE=1 writes the figures anew.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>

#include "tests/support/command.h"

using Catch::Contains;
using namespace clitest;
namespace fs = std::filesystem;

namespace {

struct Figure {
  size_t at, size;  // the number's characters in the page
  std::string unit, command, sizes;
};

bool is_pointer(const std::string& unit) { return unit.starts_with('/'); }

// Figures of text[begin, end): numbers with a unit, or one number alone (`27`, `27 (1)`), whose unit is `unit`.
std::vector<Figure> figures_in(const std::string& text, size_t begin, size_t end, const std::string& unit) {
  const std::string cell = text.substr(begin, end - begin);
  std::vector<Figure> out;
  std::smatch size;
  static const std::regex sizes("[0-9]+(x[0-9]+)+");
  const std::string first_size = std::regex_search(cell, size, sizes) ? size.str() : "";
  static const std::regex with_unit(R"(([0-9]+(?:\.[0-9]+)?) (us|ms|%|MB|TFLOP/s)(?![A-Za-z]))"),
      alone(R"( *([0-9]+(?:\.[0-9]+)?)(?: \(.*\))? *)");
  for (std::sregex_iterator m(cell.begin(), cell.end(), with_unit), none; m != none; ++m)
    out.push_back({begin + static_cast<size_t>(m->position(1)), static_cast<size_t>(m->length(1)),
                   is_pointer(unit) ? unit : m->str(2), "", first_size});
  if (std::smatch m; out.empty() && std::regex_match(cell, m, alone))
    out.push_back({begin + static_cast<size_t>(m.position(1)), static_cast<size_t>(m.length(1)), unit, "", first_size});
  return out;
}

// `command` for cell `n`: each {A,B} is its n-th alternative. None: the command has nothing for the cell.
std::optional<std::string> command_of_cell(std::string command, size_t n) {
  for (size_t open; (open = command.find('{')) != std::string::npos;) {
    const size_t close = command.find('}', open);
    REQUIRE(close != std::string::npos);
    size_t begin = open + 1;
    for (size_t i = 0; i < n && begin <= close; ++i) begin = std::min(command.find(',', begin), close) + 1;
    if (begin > close) return {};
    const std::string one = command.substr(begin, std::min(command.find(',', begin), close) - begin);
    if (one == "-") return {};
    command.replace(open, close + 1 - open, one);
  }
  return command;
}

std::vector<Figure> figures_of(const std::string& text, size_t block, size_t block_end, const std::string& unit,
                               const std::string& key, const std::string& command) {
  std::vector<Figure> out;
  if (text[block] != '|') {
    const size_t at = text.substr(block, block_end - block).find(key);
    REQUIRE(at != std::string::npos);
    const std::regex last(R"(([0-9]+(?:\.[0-9]+)?)[^0-9]*$)");
    std::smatch m;
    REQUIRE(std::regex_search(key, m, last));
    const size_t number = block + at + static_cast<size_t>(m.position(1));
    const size_t end = number + static_cast<size_t>(m.length(1));
    const size_t word = std::min(text.find_first_not_of("us%mMB", end + 1), text.size());
    const std::string stated = text[end] == ' ' ? text.substr(end + 1, word - end - 1) : "";
    out.push_back({number, end - number, stated.empty() || is_pointer(unit) ? unit : stated, command, ""});
    return out;
  }
  const size_t row = text.substr(0, block_end).find("\n| " + key + " |", block);
  REQUIRE(row != std::string::npos);
  size_t bar = row + 4 + key.size();
  for (size_t cell = 0; text[bar + 1] != '\n' && bar + 1 < text.size(); ++cell) {
    const size_t next = text.find('|', bar + 1);
    if (const auto one = command_of_cell(command, cell))
      for (Figure& f : figures_in(text, bar + 1, next, unit)) f.command = *one, out.push_back(f);
    bar = next;
  }
  return out;
}

// What the command says, in whatever time; null: it failed.
nlohmann::json said(const std::string& command) {
  const Directory d;
  const std::string each =
      std::regex_replace(command, std::regex("; "), fmt::format(" >/dev/null && {} ", WAVESMITH_TOOL));
  const int status = std::system(
      fmt::format("cd {} && {{ {} {} --json; }} >{} 2>{}", d.path(), WAVESMITH_TOOL, each, d / "out", d / "err")
          .c_str());
  INFO("wavesmith " << command << "\n" << text(d / "err"));
  CHECK(status == 0);
  return status ? nlohmann::json() : nlohmann::json::parse(text(d / "out"));
}

double value_of(const nlohmann::json& time, const std::string& unit) {
  if (is_pointer(unit)) {
    const size_t end = unit.find(' ');
    const double divisor = end == unit.npos ? 1 : std::stod(unit.substr(end + 3));
    return time.at(nlohmann::json::json_pointer(unit.substr(0, end))).get<double>() / divisor;
  }
  if (unit == "us") return time["seconds"].get<double>() * 1e6;
  if (unit == "ms") return time["seconds"].get<double>() * 1e3;
  if (unit == "TFLOP/s") return time["flops"].get<double>() * 1e-12 / time["seconds"].get<double>();
  if (unit == "%") return time["matrix_utilisation"].get<double>() * 1e2;
  return (time["bytes"]["mall"].get<double>() + time["bytes"]["memory"].get<double>()) * 1e-6;
}

}  // namespace

TEST_CASE("figures of the pages that have a command are what it gives", "[docs][cli][.slow]") {
  std::map<std::string, nlohmann::json> times;
  int checked = 0;
  for (const auto& file : fs::recursive_directory_iterator(fs::path(WAVESMITH_SOURCE) / "docs")) {
    if (file.path().extension() != ".md") continue;
    std::string page = text(file.path());
    std::vector<std::pair<Figure, std::string>> anew;
    const std::regex comment(R"re(<!-- (us|ms|/[^ ]+(?: / [0-9.]+)?) of "([^"]+)": ([^\n]*) -->)re");
    for (std::sregex_iterator m(page.begin(), page.end(), comment), none; m != none; ++m) {
      INFO(file.path().string() << ": " << m->str());
      // The block before: comments of the same block stand together, with one empty line in front.
      const size_t gap = page.rfind("\n\n", static_cast<size_t>(m->position()));
      const size_t block = page.rfind("\n\n", gap - 1) + 2;
      const auto figures = figures_of(page, block, gap + 1, m->str(1), m->str(2), m->str(3));
      CHECK(!figures.empty());
      for (const Figure& f : figures) {
        auto known = times.find(f.command);
        if (known == times.end()) known = times.emplace(f.command, said(f.command)).first;
        if (known->second.is_null()) continue;
        INFO(f.command);
        if (!f.sizes.empty()) CHECK_THAT(known->second.value("kernel", ""), Contains("_" + f.sizes));
        const std::string quoted = page.substr(f.at, f.size);
        const size_t point = quoted.find('.');
        const int decimals = point == quoted.npos ? 0 : static_cast<int>(quoted.size() - point) - 1;
        const std::string now = fmt::format("{:.{}f}", value_of(known->second, f.unit), decimals);
        anew.emplace_back(f, now);
        if (page[block] != '|')  // the phrase has the number too
          anew.emplace_back(f, now),
              anew.back().first.at = static_cast<size_t>(m->position(2)) + m->str(2).rfind(quoted);
        if (std::getenv("WAVESMITH_UPDATE")) continue;
        CHECK(quoted + " " + f.unit == now + " " + f.unit);
        ++checked;
      }
    }
    if (!std::getenv("WAVESMITH_UPDATE") || anew.empty()) continue;
    std::ranges::sort(anew, std::greater{}, [](const auto& a) { return a.first.at; });
    for (const auto& [f, now] : anew) page.replace(f.at, f.size, now);
    std::ofstream(file.path()) << page;
  }
  if (!std::getenv("WAVESMITH_UPDATE")) CHECK(checked > 100);
}
