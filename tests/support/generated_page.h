// Pages of docs/ that a test generates: WAVESMITH_UPDATE=1 writes them anew.
#pragma once
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace wavesmith {

// Requires that docs/reference/`name` is `now`, which has more than `least_lines` lines.
inline void check_page(const char* name, const std::string& now, int least_lines) {
  const auto file = std::filesystem::path(WAVESMITH_SOURCE) / "docs" / "reference" / name;
  if (std::getenv("WAVESMITH_UPDATE")) std::ofstream(file) << now;
  std::ifstream in(file);
  std::ostringstream held;
  held << in.rdbuf();
  CHECK(std::ranges::count(now, '\n') > least_lines);
  const bool current = held.str() == now;  // else: run it once with WAVESMITH_UPDATE=1
  CHECK(current);
}

}  // namespace wavesmith
