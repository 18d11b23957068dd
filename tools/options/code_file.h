// The kernels that a user names: a code object (.co), one of an offload bundle, or assembly text (.s), which is
// assembled.
#pragma once
#include <CLI/CLI.hpp>

#include "simulator/code_object.h"

namespace wavesmith::tools {

struct CodeFile {
  std::vector<uint8_t> bytes;
  sim::CodeObject object;
};
struct CodeOptions {
  std::string arch;
  void declare(CLI::App&);                       // --arch
  CodeFile read(const std::string& path) const;  // InputError, FileError
};

}  // namespace wavesmith::tools
