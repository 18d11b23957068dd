// The documentation's code: it runs, and what the pages show is what runs.
#include <catch2/catch.hpp>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"

using namespace clitest;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == '\n') out.emplace_back();
    else out.back() += c;
  return out;
}

// README, then every page of docs/ in the order of their paths.
std::vector<fs::path> pages() {
  const fs::path root = WAVESMITH_SOURCE;
  std::vector<fs::path> out;
  for (const auto& file : fs::recursive_directory_iterator(root / "docs"))
    if (file.path().extension() == ".md") out.push_back(file.path());
  std::ranges::sort(out);
  out.insert(out.begin(), root / "README.md");
  return out;
}

// clang-format breaks lines where a page does not.
std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

}  // namespace

TEST_CASE("every example of the tour computes the right result", "[docs]") {
  for (const char* example : {"vector_add", "matrix_tile", "matrix_schedule"}) {
    INFO(example);
    CHECK(std::system(
              (fs::path(WAVESMITH_TOOL).parent_path() / ("example_" + std::string(example) + " >/dev/null")).c_str()) ==
          0);
  }
}

TEST_CASE("every line of C++ that the documentation shows is a line of an example", "[docs]") {
  const fs::path root = WAVESMITH_SOURCE;
  std::string code;
  for (const auto& file : fs::directory_iterator(root / "docs/examples")) code += without_spaces(text(file.path()));
  for (const auto& semantics : fs::directory_iterator(root / "simulator/semantics"))
    code += without_spaces(text(semantics.path()));
  for (const auto& page : pages()) {
    if (page.filename() == "schedules.md") continue;  // its phases stand for the reader's
    bool inside = false;
    for (const auto& line : split_lines(text(page))) {
      if (line.starts_with("```")) {
        inside = line == "```cpp";
        continue;
      }
      const bool remark =
          line.find_first_not_of(' ') != line.npos && line.substr(line.find_first_not_of(' ')).starts_with("//");
      INFO(page << ": " << line);
      if (inside && !remark) CHECK(code.find(without_spaces(line)) != code.npos);
    }
  }
}

TEST_CASE("every command line that README and the documentation show runs", "[docs][cli]") {
  const Directory folder;  // README first: pages use the files that its commands make
  int count = 0;
  for (const auto& page : pages())
    for (std::string line : split_lines(text(page))) {
      const size_t remark = line.find("  #");
      line.resize(std::min(line.size(), remark));
      if (!line.starts_with("    wavesmith ")) continue;
      INFO(page.string() << ": " << line);
      const std::string command =
          fmt::format("cd {} && {}{} >out 2>err", folder.path(), WAVESMITH_TOOL, line.substr(13));
      const int status = std::system(command.c_str());
      INFO(text(folder / "err"));
      CHECK(status == 0);
      ++count;
    }
  CHECK(count >= 25);
}

TEST_CASE("the times that the GEMM guide quotes are what the timing model says", "[docs][cli]") {
  int checked = 0;
  for (const auto& line : split_lines(text(fs::path(WAVESMITH_SOURCE) / "docs/guide/gemm.md"))) {
    int m = 0, n = 0, tile_m = 0, tile_n = 0, tile_k = 0;
    double whole = 0, chosen = 0, smaller = 0;
    if (std::sscanf(line.c_str(), "| %dx%d | %lf us | %lf us (%dx%dx%d) | %lf us", &m, &n, &whole, &chosen, &tile_m,
                    &tile_n, &tile_k, &smaller) != 8)
      continue;
    for (const auto& [options, quoted] : {std::pair<std::string, double>{"", whole},
                                          {"--cus 304", chosen},
                                          {fmt::format("--tile {}x{}x{}", tile_m, tile_n, tile_k), chosen},
                                          {"--tile 128x128x64", smaller}}) {
      const Ran r =
          run_program(fmt::format("time gemm --transa t -m {} -n {} -k 1024 --gpu MI300X --json {}", m, n, options));
      INFO(line << "  " << options << r.err);
      REQUIRE(r.status == 0);
      CHECK(nlohmann::json::parse(r.out)["seconds"].get<double>() * 1e6 == Approx(quoted).margin(0.06));
      ++checked;
    }
  }
  CHECK(checked == 12);
}
