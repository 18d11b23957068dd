// docs/reference/check.md's account of the findings in ROCm/aiter's code objects (WAVESMITH_AITER: its folder hsa).
#include <catch2/catch.hpp>

#include <cstdlib>
#include <regex>
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
}
