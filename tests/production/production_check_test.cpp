// docs/reference/check.md's account of the findings in ROCm/aiter's code objects (WAVESMITH_AITER: its folder hsa), and
// production_kernels.md's of their launches.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/command.h"

namespace {

// What stands under the page's heading "Production", without the spaces in numbers ("45 242").
std::string account() {
  const std::string page = clitest::text(WAVESMITH_SOURCE "/docs/reference/check.md");
  return std::regex_replace(page.substr(page.find("## Production")), std::regex("(\\d) (?=\\d{3})"), "$1");
}
long number_before(const std::string& text, const std::string& words) {
  std::smatch found;
  REQUIRE(std::regex_search(text, found, std::regex("(\\d+) " + words)));
  return std::stol(found[1]);
}

}  // namespace

TEST_CASE("the findings that the checker's page lists by class are all of them", "[docs]") {
  std::istringstream lines(account());
  const std::regex row(R"(\| [^|]* \| (\d+) \| \d+ \| .*)");
  long sum = 0, rows = 0;
  std::smatch found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, found, row)) sum += std::stol(found[1]), ++rows;
  CHECK(rows >= 15);
  CHECK(sum == number_before(account(), "findings by class"));
}

TEST_CASE("ROCm/aiter's code objects have the findings that the checker's page counts", "[.][production]") {
  const char* folder = std::getenv("WAVESMITH_AITER");
  if (!folder) {
    WARN("not run: WAVESMITH_AITER does not name the folder hsa of ROCm/aiter");
    return;
  }
  const clitest::Directory d;
  const int status = std::system(
      fmt::format("{} check --summary $(find {} -name '*.co') >{}", WAVESMITH_TOOL, folder, d / "out").c_str());
  CHECK(WEXITSTATUS(status) == 1);
  const std::string out = clitest::text(d / "out"), last = out.substr(out.rfind('\n', out.size() - 2) + 1),
                    page = account();
  CHECK(number_before(last, "findings") == number_before(page, "findings by class"));
  CHECK(number_before(last, "instructions in") == number_before(page, "instructions\\."));
  CHECK(number_before(last, "files") == number_before(page, "code objects"));

  // "33274 in  2447 files  advice: nop ..."; classes that differ after a colon are one on the page.
  std::map<std::string, long> advice;
  const std::regex row(R"( *(\d+) in +\d+ files? +advice: ([^:]*).*)");
  std::istringstream lines(out);
  std::smatch found;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, found, row)) advice[found[2]] += std::stol(found[1]);
  std::istringstream words(
      page.substr(page.find("\nAdvice: "), page.find("\n\n", page.find("\nAdvice: ") + 1) - page.find("\nAdvice: ")));
  int counts = 0;
  for (std::string word; words >> word;) {
    if (word.find_first_not_of("0123456789") != word.npos || std::stol(word) < 2) continue;
    CAPTURE(word);
    CHECK(std::ranges::any_of(advice, [&](const auto& a) { return a.second == std::stol(word); }));
    ++counts;
  }
  CHECK(counts >= 9);
}

TEST_CASE("the page of production kernels counts the launches that are listed", "[docs]") {
  struct Family {
    long launches = 0, run = 0;
    std::map<std::string, long> stopped;  // by the classes of findings
  };
  std::map<std::string, Family> families;
  std::set<std::string> kernels;
  long launches = 0, run = 0, in_order = 0;
  std::smatch found;
  std::istringstream list(clitest::text(WAVESMITH_SOURCE "/docs/reference/production_launches.md"));
  const std::regex launch(R"(\| ((gfx\d+)/(\w+)/[^ ]*) \|[^|]*\|[^|]*\| ([^|]*) \|([^|]*)\|[^|]*\|)");
  for (std::string line; std::getline(list, line);) {
    if (!std::regex_match(line, found, launch)) continue;
    Family& f = families[fmt::format("{} `{}`", found[2].str(), found[3].str())];
    kernels.insert(found[1]), ++launches, ++f.launches;
    if (found[4] == "runs") ++f.run, ++run;
    else ++f.stopped[found[4]], in_order += found[5].str().find_first_not_of(' ') != std::string::npos;
  }
  const std::string page = clitest::text(WAVESMITH_SOURCE "/docs/reference/production_kernels.md");
  CHECK(number_before(page, "launches of") == launches);
  CHECK(number_before(page, "kernels give right results") == static_cast<long>(kernels.size()));
  CHECK(number_before(page, "of them run to") == run);
  CHECK(number_before(page, "are stopped by") == launches - run);
  CHECK(in_order == launches - run);
  std::istringstream rows(page);
  const std::regex row(R"(\| (gfx\d+ `\w+`) \| (\d+) \| (\d+) \| ([^|]*)\|)"), part(R"((\d+) ([^;]*[^; ]))");
  size_t counted = 0;
  for (std::string line; std::getline(rows, line);) {
    if (!std::regex_match(line, found, row)) continue;
    CAPTURE(line);
    const Family& f = families[found[1]];
    CHECK(f.launches == std::stol(found[2]));
    CHECK(f.run == std::stol(found[3]));
    const std::string classes = found[4];
    std::map<std::string, long> stopped;
    for (std::sregex_iterator p(classes.begin(), classes.end(), part), none; p != none; ++p)
      stopped[p->str(2)] = std::stol(p->str(1));
    CHECK(f.stopped == stopped);
    ++counted;
  }
  CHECK(counted == families.size());
}
