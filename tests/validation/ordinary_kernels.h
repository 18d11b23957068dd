// Kernels as any program has them, for ordinary.cpp.
#pragma once
#include <cstdint>
#include <vector>

namespace wavesmith::validation {

// A code object for gfx942. Empty: no clang of LLVM 22. Error: std::runtime_error with what the compiler said.
std::vector<uint8_t> ordinary_kernels();

}  // namespace wavesmith::validation
