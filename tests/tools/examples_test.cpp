// The documentation's code: it runs, and what the pages show is what runs.
#include <catch2/catch.hpp>

#include <cctype>
#include <cstdlib>
#include <filesystem>

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
  for (const char* page : {"README.md", "docs/guide/first_kernel.md"}) {
    bool inside = false;
    for (const auto& line : split_lines(text(root / page))) {
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

TEST_CASE("every command line that README shows runs", "[docs][cli]") {
  const fs::path root = WAVESMITH_SOURCE;
  std::string name = (fs::temp_directory_path() / "wavesmith-readme-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  int count = 0;
  for (const auto& line : split_lines(text(root / "README.md"))) {
    if (!line.starts_with("    wavesmith ")) continue;
    const std::string command = "cd " + folder.string() + " && " + WAVESMITH_TOOL + line.substr(13) + " >out 2>err";
    INFO(line);
    CHECK(std::system(command.c_str()) == 0);
    ++count;
  }
  CHECK(count > 15);
  fs::remove_all(folder);
}
