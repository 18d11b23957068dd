// The documentation's code: it runs, and what the pages show is what runs.
#include <catch2/catch.hpp>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/support/command.h"
#include "tools/commands/commands.h"

using namespace clitest;
using wavesmith::tools::Commands;
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

std::string without_remark(const std::string& line) { return line.substr(0, line.find("//")); }

// clang-format breaks lines where a page does not.
std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

// `wavesmith` and these words end well in the folder.
void runs_in(const Directory& folder, const std::string& words) {
  const std::string command = fmt::format("cd {} && {} {} >out 2>err", folder.path(), WAVESMITH_TOOL, words);
  const int status = std::system(command.c_str());
  INFO(text(folder / "err"));
  CHECK(status == 0);
}
void make_add_co(const Directory& folder) {
  REQUIRE(status_of(fmt::format("{}/example_vector_add {} >/dev/null", fs::path(WAVESMITH_TOOL).parent_path().string(),
                                folder / "add.co")) == 0);
}

}  // namespace

TEST_CASE("every example computes the right result", "[docs]") {
  for (const char* example : {"vector_add", "matrix_tile", "matrix_schedule", "matrix_pipeline", "gemm_library"}) {
    INFO(example);
    CHECK(std::system(
              (fs::path(WAVESMITH_TOOL).parent_path() / ("example_" + std::string(example) + " >/dev/null")).c_str()) ==
          0);
  }
}

TEST_CASE("every line of code that the documentation shows is a line of an example", "[docs]") {
  const fs::path root = WAVESMITH_SOURCE;
  std::string code;
  for (const auto& file : fs::directory_iterator(root / "docs/examples")) code += without_spaces(text(file.path()));
  for (const auto& semantics : fs::directory_iterator(root / "simulator/semantics"))
    code += without_spaces(text(semantics.path()));
  for (const auto& rows : fs::directory_iterator(root / "isa_tables/rows")) code += without_spaces(text(rows.path()));
  for (const auto& page : pages()) {
    bool inside = false;
    for (const auto& line : split_lines(text(page))) {
      if (const size_t fence = line.find("```"); fence != line.npos && fence == line.find_first_not_of(' ')) {
        inside = line.ends_with("```cpp") || line.ends_with("```c") || line.ends_with("```python");
        continue;
      }
      INFO(page << ": " << line);
      if (inside) CHECK(code.find(without_spaces(without_remark(line))) != code.npos);
    }
  }
}

TEST_CASE("indented lines of the documentation are commands that a test or a script runs", "[docs]") {
  // Those other than wavesmith's: ./dev is CI's, cmake --install the package test's; the rest have tests below, as far
  // as other projects allow.
  const char* const known[] = {"wavesmith ",
                               "./dev ",
                               "export PATH=$PWD/build:$PATH",
                               "ninja -C build example_",
                               "cmake --install build ",
                               "build/wavesmith_random ",
                               "build/example_vector_add add.co",
                               "WAVESMITH_BLAS=",
                               "git archive ",
                               "python3 -m pip install --no-build-isolation ./tools/python",
                               "python3 tests/production/blas/generate.py ",
                               "node tests/report/browse.mjs "};
  for (const auto& page : pages()) {
    bool fenced = false, code = false;
    std::string before;
    for (const auto& line : split_lines(text(page))) {
      if (line.find("```") == line.find_first_not_of(' ') && line.find("```") != line.npos) fenced = !fenced;
      code = !fenced && line.starts_with("    ") && (code || before.empty());
      INFO(page << ": " << line);
      CHECK(!(fenced && line.starts_with("wavesmith ")));  // indented it would be run
      if (code)
        CHECK(std::ranges::any_of(known, [&](const char* command) { return line.substr(4).starts_with(command); }));
      before = line;
    }
  }
}

TEST_CASE("every command line that README and the documentation show runs", "[docs][cli]") {
  const Directory folder;  // README first: pages use the files that its commands make
  int count = 0;
  make_add_co(folder);
  for (const auto& page : pages())
    for (std::string line : split_lines(text(page))) {
      const size_t remark = line.find("  #");
      line.resize(std::min(line.size(), remark));
      if (!line.starts_with("    wavesmith ")) continue;
      INFO(page.string() << ": " << line);
      runs_in(folder, line.substr(14));
      ++count;
    }
  CHECK(count >= 25);
}

TEST_CASE("every example of the commands' --help runs", "[docs][cli]") {
  const Directory folder;  // examples use the files that those of commands before theirs make
  make_add_co(folder);
  wavesmith::runtime::write_file(folder / "problems.yaml", "- { M: 256, N: 256, K: 64, transA: T, a_type: bf16_r }\n");
  wavesmith::runtime::write_file(folder / "shapes.csv", "b,h,s,d,prec\n1,2,256,64,bf16\n");
  for (const char* file : {"before.csv", "after.csv"})
    runs_in(folder, fmt::format("bench gemm -m 256 -n 256 -k 64 --transA T --a_type bf16_r --gpu MI300X -o {}", file));
  int count = 0;
  const Commands commands;
  std::set<std::string> ran;
  std::vector<const CLI::App*> all;
  for (const auto& [command, _] : commands.all) {
    all.push_back(command);
    for (const CLI::App* below : command->get_subcommands([](const CLI::App*) { return true; })) all.push_back(below);
  }
  for (const CLI::App* command : all) {
    const std::string footer = std::regex_replace(command->get_footer(), std::regex(R"(\\\n *)"), "");
    std::string last;
    for (std::string line : split_lines(footer)) {
      if (line.starts_with("  wavesmith ")) last = line = line.substr(12);
      else if (line.starts_with("  ... ")) line = fmt::format("{} {}", last, line.substr(6, line.find("   ", 6) - 6));
      else continue;
      if (line.starts_with("serve ") || line.starts_with("bench import ") || line.find("--device hip") != line.npos)
        continue;                              // it waits; they need a GPU
      if (!ran.insert(line).second) continue;  // of a command and of one below it
      INFO(command->get_name() << " --help: " << line);
      runs_in(folder, line);
      ++count;
    }
  }
  CHECK(count >= 30);
}

TEST_CASE("the pages' commands for random programs run", "[docs][random]") {
  const Directory folder;
  int count = 0;
  for (const auto& page : pages())
    for (std::string line : split_lines(text(page))) {
      if (!line.starts_with("    build/wavesmith_random ")) continue;
      line.resize(std::min(line.size(), line.find("  #")));
      line = std::regex_replace(line.substr(4), std::regex("--count \\d+"), "--count 1");
      line = std::regex_replace(line, std::regex(" k\\.cl"), " " + (folder / "k.cl"));
      const std::string command = fmt::format("cd {} && {}/{} >{} 2>&1", WAVESMITH_SOURCE, WAVESMITH_BUILD,
                                              line.substr(line.find('/') + 1), folder / "out");
      const int status = std::system(command.c_str());
      INFO(line << "\n" << text(folder / "out"));
      if (WEXITSTATUS(status) == 3) {
        WARN("not run: " << text(folder / "out"));  // no compiler
        return;
      }
      CHECK(status == 0);
      ++count;
    }
  CHECK(count == 5);
}

TEST_CASE("the pages' command for a report in a browser takes its picture", "[docs][report]") {
  for (const char* program : {"node", "/usr/bin/chromium"})
    if (std::system(fmt::format("command -v {} >/dev/null", program).c_str())) {
      WARN("not run: " << program << " is not here");
      return;
    }
  const Directory folder;
  REQUIRE(run_program(fmt::format("gemm --arch gfx942 -o {}", folder / "gemm.co")).status == 0);
  REQUIRE(run_program(fmt::format("inspect {} --report {}", folder / "gemm.co", folder / "gemm.html")).status == 0);
  int count = 0;
  for (const auto& page : pages())
    for (const auto& line : split_lines(text(page))) {
      if (!line.starts_with("    node tests/")) continue;
      INFO(line);
      CHECK(std::system(
                fmt::format("cd {} && ln -sfn {}/tests . && {} >out", folder.path(), WAVESMITH_SOURCE, line).c_str()) ==
            0);
      CHECK(nlohmann::json::parse(text(folder / "out"))["errors"].empty());
      CHECK(text(folder / "gemm.png").starts_with("\x89PNG"));
      ++count;
    }
  CHECK(count == 1);
}

// TensileLite and its generated kernels are not part of the repository: [blas] tests run what WAVESMITH_BLAS names.
TEST_CASE("the pages' command for generated BLAS kernels has the options that its program takes", "[docs]") {
  const Directory folder;
  if (std::system(fmt::format("python3 {}/tests/production/blas/generate.py --help >{} 2>/dev/null", WAVESMITH_SOURCE,
                              folder / "help")
                      .c_str())) {
    WARN("not run: python3 is not here");
    return;
  }
  int count = 0;
  for (const auto& page : pages())
    for (const auto& line : split_lines(text(page))) {
      if (!line.starts_with("    python3 tests/production/blas/generate.py ")) continue;
      const std::regex option("--\\w+");
      for (std::sregex_iterator o(line.begin(), line.end(), option), end; o != end; ++o, ++count) {
        CAPTURE(o->str());
        CHECK(text(folder / "help").find(o->str() + " ") != std::string::npos);
      }
    }
  CHECK(count == 3);
}

TEST_CASE("16x16 instructions take the time of 32x32 ones within what the GEMM guide says", "[docs][cli]") {
  const std::string guide = text(fs::path(WAVESMITH_SOURCE) / "docs/guide/gemm.md"), said = "the same time within ";
  const double percent = std::strtod(guide.c_str() + guide.find(said) + said.size(), nullptr);
  REQUIRE(percent > 0);
  for (const char* tile : {"256x256x64", "128x128x64"}) {
    const auto seconds = [&](const char* mma) {
      const Ran r = run_program(fmt::format(
          "time gemm --transa t -m 4096 -n 4096 -k 1024 --gpu MI300X --json --tile {} --mma {}", tile, mma));
      REQUIRE(r.status == 0);
      return nlohmann::json::parse(r.out)["seconds"].get<double>();
    };
    CAPTURE(tile);
    CHECK(seconds("v_mfma_f32_16x16x16_f16") == Approx(seconds("v_mfma_f32_32x32x8_f16")).epsilon(percent / 100));
  }
}
