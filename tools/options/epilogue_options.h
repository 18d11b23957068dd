// The epilogue a user asks for, in this project's words (--epilogue bias,gelu) or hipblaslt-bench's (--scaleA 1
// --amaxD).
#pragma once
#include <CLI/CLI.hpp>

#include "kernels/parts/epilogue.h"

namespace wavesmith::tools {

struct EpilogueOptions {
  std::string words, activation, low, high;  // low, high: of hipblaslt-bench's clamp
  std::vector<std::string> more;             // words that other options stand for
  bool alpha_on_device = false, beta_on_device = false;
  void declare(CLI::App&);
  Epilogue epilogue() const;  // InputError naming what is legal
};

}  // namespace wavesmith::tools
