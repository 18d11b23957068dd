// What the choice of a GEMM decides, one row each: whether a request gives it, its words in the cache, and how a
// request gives what a configuration has. Candidates may differ in these only.
#pragma once
#include <span>
#include <string>

#include "kernels/gemm/choose.h"

namespace wavesmith::choice {

struct Tunable {
  const char* what;  // as Choice::what
  bool (*given)(const GemmRequest&);
  std::string (*word)(const GemmConfig&, Arch);              // without blanks
  bool (*read)(GemmConfig&, const std::string& word, Arch);  // false: not understood
  void (*give)(GemmRequest&, const GemmConfig&);
};
std::span<const Tunable> tunables();

}  // namespace wavesmith::choice
