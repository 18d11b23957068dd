// build/wavesmith_validate: what it says when a table, a folder or the compiler is missing, that the ordinary kernels
// run, and that the pages quote what it prints.
#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <sstream>

#include "runtime/files.h"
#include "tests/support/command.h"

using namespace wavesmith;
using namespace clitest;
namespace fs = std::filesystem;
using Catch::Contains;

namespace {

Ran validate(const std::string& options, const std::string& environment = "") {
  return run_command(fmt::format("{} {} {}", environment, WAVESMITH_VALIDATE, options));
}

// The ratio of predicted and published in the line that begins so.
double ratio_of(const std::string& out, const std::string& name) {
  const size_t line = out.find("\n" + name);
  REQUIRE(line != std::string::npos);
  double predicted = 0, published = 0, ratio = 0;
  REQUIRE(std::sscanf(out.c_str() + line + 1 + 58, "%lf %lf %lf", &predicted, &published, &ratio) == 3);
  return ratio;
}

// One size of each ordinary kernel, most with times of no meaning.
constexpr const char* one_size_each =
    "device,gfx,category,test,config,metric,value,min,max,unit,source,confidence,note\n"
    "MI300A,gfx942,kernel_time,vectoradd,size=4096 iters=1,t,1,1,1,ms,,,\n"
    "MI300A,gfx942,kernel_time,relu,size=4096 iters=1,t,1,1,1,ms,,,\n"
    "MI300A,gfx942,kernel_time,fir,size=4096_taps16 iters=1,t,1,1,1,ms,,,\n"
    "MI300A,gfx942,kernel_time,simpleconvolution,size=64x64_mask3 iters=1,t,1,1,1,ms,,,\n"
    "MI300A,gfx942,kernel_time,nbody,size=1024_particles iters=51,avg kernel time,0.1807,0.1792,0.1827,ms,,,\n"  // this
                                                                                                                 // one
                                                                                                                 // as
                                                                                                                 // measured
    "MI300A,gfx942,kernel_time,floydwarshall,size=1024_nodes iters=51,avg kernel time,10.2873,1,1,ms,,,\n"
    "MI300A,gfx942,kernel_time,matrixtranspose,size=128x128 iters=1,t,1,1,1,ms,,,\n"
    "MI300A,gfx942,kernel_time,matrixmultiplication,size=64x64 iters=1,t,1,1,1,ms,,,\n";

}  // namespace

TEST_CASE("validation says which table is missing and exits with status 1", "[time][cli]") {
  const Directory nothing;
  const std::string facts = " --facts " + nothing.path();
  for (const auto& [part, what] : {std::pair("attention", "perf.csv"),
                                   {"gemm", "perf.csv"},
                                   {"hipblaslt", "perf.csv"},
                                   {"ablations", "--peers"},
                                   {"traces", "sqtt_timing.csv"},
                                   {"ordinary", "mi300_hw_measurements.csv"},
                                   {"aiter", "aiter_measured.csv"},
                                   {"competition", "--peers"}}) {
    const Ran s = validate(fmt::format("--part {}{}", part, facts));
    CAPTURE(part, s.err);
    CHECK(s.status == 1);
    CHECK_THAT(s.err, Contains(what));
  }
  CHECK(validate("--part traces,ordinary" + facts).status == 1);
  const Ran micro = validate("--part micro" + facts);  // needs no table
  CHECK(micro.status == 0);
  CHECK_THAT(micro.out, Contains("within 10 %"));
  const Ran unknown = validate("--part macro");
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("macro"));
}

TEST_CASE("every family of aiter's measured launches can be launched, and its rows fall into the classes of size",
          "[time][cli]") {
  const Ran s = validate("--part aiter");  // without the kernels
  CHECK(s.status == 1);
  CHECK_THAT(s.err, Contains("--production"));
  std::istringstream lines(s.out);
  int rows = 0, left_out = 0, groups = 0;
  for (std::string line; std::getline(lines, line);) {
    int n = 0, launches = 0, small = 0, middle = 0, large = 0, out = 0;
    if (line.size() < 32 ||
        std::sscanf(line.c_str() + 32, "%d %d %d %d %d %d", &n, &launches, &small, &middle, &large, &out) != 6)
      continue;
    CAPTURE(line);
    CHECK(launches == n);
    CHECK(small + middle + large == n);
    rows += n, left_out += out, ++groups;
  }
  CHECK(rows == 2183);
  CHECK(left_out == 145);
  CHECK(groups == 13);
}

TEST_CASE("aiter's kernels take about the time that was measured", "[.][production]") {
  const char* folder = std::getenv("WAVESMITH_AITER");
  if (!folder) {
    WARN("not run: WAVESMITH_AITER does not name the folder hsa of ROCm/aiter");
    return;
  }
  const Ran s = validate(fmt::format("--part aiter --rows 8 --production {}", folder));
  INFO(s.out << s.err);
  CHECK(s.status == 0);
  std::istringstream lines(s.out);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    double predicted = 0, measured = 0, ratio = 0;
    if (!line.starts_with("MI3") || std::sscanf(line.c_str() + 58, "%lf %lf %lf", &predicted, &measured, &ratio) != 3)
      continue;
    CAPTURE(line);
    CHECK(ratio == Approx(1).margin(0.6));
    ++rows;
  }
  CHECK(rows == 8);
  CHECK_THAT(s.out, Contains("20 us and more, held-out rows"));
}

TEST_CASE("the competition times attention, and names problems without a kernel of others", "[time][cli]") {
  const Directory nothing;
  const Ran s =
      validate(fmt::format("--part attention_competition --rows 0 --peers {0} --production {0} --problem \"attention "
                           "d64 16/16 heads 1k causal\"",
                           nothing.path()));
  CHECK(s.status == 1);
  for (const char* gpu : {"MI300X", "MI355X"})
    CHECK_THAT(s.out, Contains(fmt::format("{} attention d64 16/16 heads 1k causal", gpu)));
  CHECK_THAT(s.out, Contains("no kernel of others") && !Contains("2k") && !Contains("d128"));
  CHECK_THAT(s.err, Contains("competition: no kernel of others was run"));
}

TEST_CASE("aiter's attention takes the time that the guide has beside ours", "[.][production]") {
  const char* folder = std::getenv("WAVESMITH_AITER");
  if (!folder) {
    WARN("not run: WAVESMITH_AITER does not name the folder hsa of ROCm/aiter");
    return;
  }
  const Directory nothing;
  const Ran s =
      validate(fmt::format("--part attention_competition --rows 0 --peers {} --production {} --problem \"attention "
                           "d128 16/16 heads 1k causal\"",
                           nothing.path(), folder));
  INFO(s.out << s.err);
  CHECK(s.status == 0);
  std::istringstream lines(s.out);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    double theirs = 0, ours = 0, ratio = 0;
    if (!line.starts_with("MI3") || line.find("; attention_forward_bf16_d128") == std::string::npos) continue;
    REQUIRE(std::sscanf(line.c_str() + 44, "%lf %lf %lf", &theirs, &ours, &ratio) == 3);
    CAPTURE(line);
    CHECK(ratio > 0.95);
    ++rows;
  }
  CHECK(rows == 2);
}

TEST_CASE("kernels of a folder that are not there are named", "[time][cli]") {
  const Directory nothing;
  const Ran s = validate(fmt::format("--part ablations --peers {}", nothing.path()));
  CHECK(s.status == 1);
  CHECK_THAT(s.err, Contains("kernel8.co is not there") && Contains("hipkittens/"));
}

TEST_CASE("the ordinary kernels compile, and one size of each is timed", "[time][cli]") {
  if (std::system("clang-22 --version >/dev/null 2>&1") != 0 &&
      std::system("/usr/lib/llvm-22/bin/clang --version >/dev/null 2>&1") != 0) {
    WARN("no clang: skipped");
    return;
  }
  const Directory d;
  runtime::write_file(d / "mi300_hw_measurements.csv", std::string_view(one_size_each));
  const Ran s = validate(fmt::format("--part ordinary --facts {}", d.path()));
  INFO(s.err);
  REQUIRE(s.status == 0);
  CHECK_THAT(s.out, !Contains("FAULT"));
  for (const char* test :
       {"vectoradd", "relu", "fir", "simpleconvolution", "nbody", "matrixtranspose", "matrixmultiplication"})
    CHECK_THAT(s.out, Contains(std::string(test) + " size="));
  CHECK(ratio_of(s.out, "nbody size=1024") == Approx(1).margin(0.05));
  CHECK(ratio_of(s.out, "floydwarshall size=1024") == Approx(1).margin(0.25));
}

TEST_CASE("LLVM's scheduling model has the matrix pipes of CDNA2 and 3 as ours are, and what differs is listed",
          "[time][cli]") {
  if (std::system("llvm-mca-22 --version >/dev/null 2>&1") != 0 &&
      std::system("/usr/lib/llvm-22/bin/llvm-mca --version >/dev/null 2>&1") != 0) {
    WARN("no llvm-mca: skipped");
    return;
  }
  const Ran s = validate("--part compiler");
  INFO(s.err);
  REQUIRE(s.status == 0);
  std::istringstream lines(s.out);
  int matrix = 0, most = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("gfx90a matrix") || line.starts_with("gfx942 matrix")) {
      CHECK_THAT(line, Contains(" 1.00 "));
      ++matrix;
    }
    double percent = 0;
    if (line.find(": within 15 %") == std::string::npos || std::sscanf(line.c_str() + 58, "%lf", &percent) != 1)
      continue;
    CHECK(percent > 75);
    ++most;
  }
  CHECK(matrix >= 14);
  CHECK(most == 7);
  CHECK_THAT(s.out, Contains("gfx1250 matrix interval"));
}

TEST_CASE("what the compiler has against the ordinary kernels is said, and the exit status is 1", "[time][cli]") {
  const Directory d;  // a compiler that is there and refuses
  const std::string clang = d / "clang-22";
  runtime::write_file(
      clang, std::string_view("#!/bin/sh\ntest \"$1\" = --version && exit 0\necho 'k.cl:1: not today' >&2\nexit 1\n"));
  fs::permissions(clang, fs::perms::owner_all);
  runtime::write_file(d / "mi300_hw_measurements.csv", std::string_view(one_size_each));
  const Ran s = validate(fmt::format("--part ordinary --facts {}", d.path()), fmt::format("PATH={}:$PATH", d.path()));
  CHECK(s.status == 1);
  CHECK_THAT(s.err, Contains("not today") && Contains("does not compile"));
}

// Tables of the pages whose rows the program prints: a comment behind the table says which of its lines have their
// numbers.
//   <!-- lines of "OPTIONS": "ROW" = "LINE" + "LINE", "ROW" = "LINE" -->
// ROW and LINE are how a row of the table and a line printed begin; OPTIONS may have `--production DIR` and
// `--peers DIR`, for which WAVESMITH_AITER and WAVESMITH_PEERS stand.
namespace {

// As they are written; not those that are part of a word or a size.
std::vector<std::string> numbers_in(const std::string& text) {
  std::vector<std::string> all;
  static const std::regex number(R"((?:^|[^A-Za-z0-9.])([0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?)(?![A-Za-z0-9]))");
  for (std::sregex_iterator m(text.begin(), text.end(), number), none; m != none; ++m) all.push_back(m->str(1));
  return all;
}

// The cells of the row but the first, and but those of prose.
std::string figures_of_row(const std::string& table, const std::string& row) {
  const size_t at = table.find("\n| " + row);
  REQUIRE(at != std::string::npos);
  const size_t cells = table.find('|', at + 3) + 1;
  std::istringstream in(table.substr(cells, table.find('\n', cells) - cells));
  std::string all;
  static const std::regex word("[A-Za-z]{2,}");
  for (std::string cell; std::getline(in, cell, '|');)
    if (std::distance(std::sregex_iterator(cell.begin(), cell.end(), word), {}) <= 2) all += cell + "|";
  return all;
}

std::string lines_that_begin(const std::string& out, const std::string& with) {
  std::string all;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(with)) all += line.substr(with.size()) + "\n";
  return all;
}

// Checks the tables whose program's options are `wanted`; their number.
int check_tables(const std::function<bool(const std::string& options)>& wanted) {
  int tables = 0;
  std::map<std::string, Ran> runs;  // several tables may be of one run
  static const std::regex comment(R"re(<!-- lines of "([^"]+)": ([^\n]*) -->)re"),
      pair(R"re("([^"]+)" = ("[^"]+"(?: \+ "[^"]+")*))re"), quoted(R"re("([^"]+)")re");
  for (const auto& file : fs::recursive_directory_iterator(fs::path(WAVESMITH_SOURCE) / "docs")) {
    if (file.path().extension() != ".md") continue;
    const std::string page = text(file.path());
    for (std::sregex_iterator m(page.begin(), page.end(), comment), none; m != none; ++m) {
      std::string options = m->str(1);
      if (!wanted(options)) continue;
      for (const auto& [option, variable] :
           {std::pair("--production", "WAVESMITH_AITER"), {"--peers", "WAVESMITH_PEERS"}})
        if (const char* folder = std::getenv(variable))
          options = std::regex_replace(options, std::regex(fmt::format("{} DIR", option)),
                                       fmt::format("{} {}", option, folder));
      const auto [run, fresh] = runs.try_emplace(options);
      if (fresh) run->second = validate(fmt::format("{} --facts {}/tests/facts", options, WAVESMITH_SOURCE));
      const Ran& printed = run->second;
      INFO(file.path().string() << ": " << m->str(1) << "\n" << printed.err);
      REQUIRE(printed.status == 0);
      const size_t end = page.rfind("\n\n", static_cast<size_t>(m->position())), begin = page.rfind("\n\n", end - 1);
      const std::string table = page.substr(begin + 1, end - begin), rows = m->str(2);
      for (std::sregex_iterator r(rows.begin(), rows.end(), pair); r != none; ++r) {
        std::string lines;
        const std::string keys = r->str(2);
        for (std::sregex_iterator k(keys.begin(), keys.end(), quoted); k != none; ++k) {
          const std::string found = lines_that_begin(printed.out, k->str(1));
          INFO(k->str(1));
          CHECK(!found.empty());
          lines += found;
        }
        const auto known = numbers_in(lines), stated = numbers_in(figures_of_row(table, r->str(1)));
        CHECK(!stated.empty());
        for (const std::string& number : stated) {
          const size_t point = number.find('.');
          const double unit = std::pow(10, point == number.npos ? 0 : -static_cast<double>(number.size() - point - 1));
          INFO(r->str(1) << ": " << number << "\n" << lines);
          CHECK(std::ranges::any_of(known, [&](const std::string& x) {
            return std::abs(std::stod(x) - std::stod(number)) <= 0.5001 * unit;  // both are rounded
          }));
        }
      }
      ++tables;
    }
  }
  return tables;
}

bool needs_folders(const std::string& options) { return options.find(" DIR") != std::string::npos; }
bool takes_long(const std::string& options) {
  return std::ranges::any_of(std::array{"ordinary", "attention_competition", "--part aiter"},
                             [&](const char* part) { return options.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("tables of the pages have the numbers that the validation prints", "[docs][cli]") {
  CHECK(check_tables([](const std::string& o) { return !needs_folders(o) && !takes_long(o); }) == 3);
}

TEST_CASE("tables of the pages have the numbers that long parts of the validation print", "[docs][cli][.slow]") {
  CHECK(check_tables([](const std::string& o) { return !needs_folders(o) && takes_long(o); }) == 1);
}

TEST_CASE("tables of the pages have the numbers that the validation prints for kernels of others", "[production][.]") {
  if (!std::getenv("WAVESMITH_AITER") || !std::getenv("WAVESMITH_PEERS")) {
    WARN("not run: WAVESMITH_AITER and WAVESMITH_PEERS name no folders");
    return;
  }
  CHECK(check_tables([](const std::string& o) { return needs_folders(o) && !takes_long(o); }) == 9);
}

TEST_CASE("tables of the pages have the numbers that the validation prints for others, in an hour", "[production][.]") {
  if (!std::getenv("WAVESMITH_AITER") || !std::getenv("WAVESMITH_PEERS")) {
    WARN("not run: WAVESMITH_AITER and WAVESMITH_PEERS name no folders");
    return;
  }
  CHECK(check_tables([](const std::string& o) { return needs_folders(o) && takes_long(o); }) == 7);
}
