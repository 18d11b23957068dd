// The matrix multiplication a user asks for, in this project's words (--a f16 --transa t) or hipblaslt-bench's (--a_type f16_r
// --transA T).
#pragma once
#include <CLI/CLI.hpp>

#include "kernels/gemm.h"
#include "tools/built.h"

namespace wavesmith::tools {

struct GemmOptions {
  std::string arch = "gfx942", a = "f16", b, c, d, transa = "n", transb = "n", tile = "256x256x64", waves = "2x2", kernel;
  bool no_check = false;                                   // the kernel is not checked
  void declare(CLI::App&);
  isa::Arch target() const;                                // InputError naming the legal targets
  GemmConfig config() const;                               // InputError
};

struct BuiltGemm : Built { GemmConfig config; };
BuiltGemm build(const GemmOptions&);                       // InputError, ConfigError, OutOfRegisters

}  // namespace wavesmith::tools
