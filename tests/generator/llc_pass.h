// Runs code through one of LLVM's own machine passes and returns what it inserts before each instruction.
#pragma once
#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace llvm_pass {

inline constexpr const char* llc = "/usr/lib/llvm-22/bin/llc";
inline bool here() { return std::filesystem::exists(llc); }

// The same instruction for LLVM's pass and for ours; or the beginning of a block, `mir` as "bb.1: %bb.1, %bb.2" with
// the blocks that follow it.
struct Line {
  std::string mir, text;
};
using Source = std::vector<Line>;

// `inserted`: the mnemonic of what the pass inserts. A program's list has one entry per line and one for the end: the
// operands of the instruction inserted before it, "" for none.
inline std::vector<std::vector<std::string>> run(const std::vector<Source>& programs, const std::string& options,
                                                 const char* pass, const std::string& inserted) {
  const auto stem = (std::filesystem::temp_directory_path() / fmt::format("wavesmith_llc_{}", getpid())).string();
  {
    std::ofstream mir(stem + ".mir");
    for (size_t p = 0; p < programs.size(); ++p) {
      mir << "---\nname: t" << p << "\ntracksRegLiveness: false\nbody: |\n  bb.0:\n";
      for (const Line& l : programs[p]) {
        const auto colon = l.mir.starts_with("bb.") ? l.mir.find(':') : l.mir.npos;
        if (colon == l.mir.npos) mir << "    " << l.mir << "\n";
        else mir << "\n  " << l.mir.substr(0, colon + 1) << "\n    successors:" << l.mir.substr(colon + 1) << "\n";
      }
      mir << "    S_ENDPGM 0\n...\n";
    }
  }
  REQUIRE(std::system(fmt::format("{} -mtriple=amdgcn-amd-amdhsa {} -run-pass={} -o {}.out {}.mir", llc, options, pass,
                                  stem, stem)
                          .c_str()) == 0);
  std::ifstream in(stem + ".out");
  std::vector<std::vector<std::string>> all;
  std::string before;
  bool body = false;
  for (std::string line; std::getline(in, line);) {
    if (line.find("bb.0:") != line.npos) all.emplace_back(), body = true;
    if (line.starts_with("...")) body = false;
    if (!body || !line.starts_with("    ") || line.starts_with("    successors:")) continue;
    if (line.starts_with("    " + inserted + " ")) before = line.substr(inserted.size() + 5);
    else all.back().push_back(std::exchange(before, ""));
  }
  std::filesystem::remove(stem + ".mir"), std::filesystem::remove(stem + ".out");
  return all;
}

}  // namespace llvm_pass
