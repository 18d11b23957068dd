// docs/reference/inferred.md lists what the tables and the simulator hold that no document and no measurement says:
// every table row and comment with the word in it. WAVESMITH_UPDATE=1 writes it anew.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "tests/support/generated_page.h"

namespace fs = std::filesystem;

namespace {

const fs::path root = WAVESMITH_SOURCE;
const std::regex marked(R"((^|[^a-z_])([Ii]nferred|low)([^a-z_]|$))"), row(R"re(^([A-Z_]+)\((.*)"([^"]*)"[^"]*$)re"),
    bare_row(R"re(^([A-Z_]+)\(([^"]*)\).*$)re");

std::string cell(std::string s) {
  s = std::regex_replace(s, std::regex(R"(\s+)"), " ");
  s = std::regex_replace(s, std::regex(R"(\|)"), "\\|");
  std::erase(s, '"');
  const auto from = s.find_first_not_of(" ,"), to = s.find_last_not_of(" ,");
  return from == std::string::npos ? "" : s.substr(from, to - from + 1);
}
std::vector<std::string> lines_of(const fs::path& p) {
  std::ifstream in(p);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}
// The comment that a line is part of, from its first line on.
std::string comment_at(const std::vector<std::string>& lines, size_t i) {
  const auto only_comment = [&](size_t k) {
    const auto at = lines[k].find_first_not_of(' ');
    return at != std::string::npos && lines[k].compare(at, 2, "//") == 0;
  };
  const auto text = [&](size_t k) { return lines[k].substr(lines[k].find("//") + 2); };
  if (!only_comment(i)) return text(i);
  size_t from = i, to = i;
  while (from > 0 && only_comment(from - 1)) --from;
  while (to + 1 < lines.size() && only_comment(to + 1)) ++to;
  std::string all;
  for (size_t k = from; k <= to && text(k).find("clang-format") == std::string::npos; ++k) all += text(k);
  if (all.find("documented, compiler") != std::string::npos || all.find("measured: ") != std::string::npos)
    return "";  // what the words mean
  // The sentences from the one with the word on.
  const auto at = std::min(all.find("nferred"), all.size());
  const auto start = all.rfind(". ", at);
  return start == std::string::npos ? all : all.substr(start + 2);
}

struct Entry {
  std::string where, what, source;
  bool operator==(const Entry&) const = default;
};
std::vector<Entry> entries_of(const fs::path& file) {
  std::vector<Entry> out;
  const auto lines = lines_of(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.find("nferred") == std::string::npos && line.find("low") == std::string::npos) continue;  // regex is slow
    std::smatch m;
    if (file.extension() == ".def" && std::regex_search(line, marked) &&
        (std::regex_match(line, m, row) || std::regex_match(line, m, bare_row))) {
      out.push_back({m[1], cell(m[2]), m.size() > 3 ? cell(m[3]) : ""});
    } else if (const auto at = line.find("//");
               at != std::string::npos && std::regex_search(line.substr(at), std::regex("[Ii]nferred"))) {
      Entry e{"comment", cell(comment_at(lines, i)), ""};
      if (!e.what.empty() && (out.empty() || !(out.back() == e))) out.push_back(std::move(e));
    } else if (std::smatch s; std::regex_search(line, s, std::regex(R"re("([^"]*inferred[^"]*)")re"))) {
      out.push_back({"source", cell(line.substr(0, line.find('"'))), cell(s[1])});
    }
  }
  return out;
}

std::string document() {
  std::vector<fs::path> files;
  for (const char* room : {"isa_tables", "simulator", "checker", "generator", "kernels"})
    for (const auto& f : fs::recursive_directory_iterator(root / room)) {
      const auto e = f.path().extension();
      if (e == ".def" || e == ".cpp" || e == ".h") files.push_back(f.path());
    }
  std::ranges::sort(files);
  std::string body;
  size_t count = 0;
  for (const fs::path& f : files) {
    const auto entries = entries_of(f);
    if (entries.empty()) continue;
    count += entries.size();
    body += fmt::format("\n## `{}`\n| row | what | source |\n|---|---|---|\n", fs::relative(f, root).generic_string());
    for (const Entry& e : entries) body += fmt::format("| {} | {} | {} |\n", e.where, e.what, e.source);
  }
  return fmt::format(
      "# What is inferred\n\nEvery table row and every comment of the tables, the simulator, the generator and the "
      "kernels that says `inferred` or `low`: no document of AMD's, no\n"
      "compiler and no measurement states it, or one does for another target alone. Searched for second sources of "
      "numerics, semantics, hazards and counters: the ISA\n"
      "guides (CDNA1 to CDNA5, RDNA3, RDNA4), LLVM 22 by experiment and its sources, rocjitsu with its tests and "
      "threads, MMA-Sim, hip-fpsan's tests, comgr, MLIR and Triton;\n"
      "of time: LLVM 22's scheduling models and hazard recogniser, AMD's whitepapers, GPU specifications, profiler "
      "documentation, OpenCL guides, Composable Kernel, rocRoller, hipBLASLt,\n"
      "matrix instruction calculator and Triton threads, amd-shark-ai's LDS measurements, mt4g's results (MI100 to "
      "MI350P), CLRX and chips and cheese. Where those say nothing the\n"
      "row is listed here. Generated: `WAVESMITH_UPDATE=1 build/wavesmith_tests \"what is "
      "inferred*\"`. {} entries.\n{}",
      count, body);
}

}  // namespace

TEST_CASE("what is inferred is listed in docs/reference/inferred.md", "[docs]") {
  wavesmith::check_page("inferred.md", document(), 100);
}
