// Kernels as any program has them, for agreement_ordinary.cpp.
#pragma once
#include <cstdint>
#include <vector>

namespace wavesmith::tools {

// A code object for gfx942. Empty: no clang of LLVM 22. Error: InputError with what the compiler said.
std::vector<uint8_t> ordinary_kernels();

}  // namespace wavesmith::tools
