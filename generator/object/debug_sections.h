// The sections that say where each instruction was written: DWARF 5, which llvm-objdump -l, llvm-symbolizer and rocgdb
// read, and .debug_wavesmith, which maps a discriminator to the Block's name and the author's note, for which DWARF has
// no form (docs/design/source_lines.md).
#pragma once
#include <span>

#include "generator/dsl/program.h"

namespace wavesmith {

struct DebugSection {
  const char* name;
  std::string bytes;
  struct Address {
    uint64_t at;    // offset of an 8-byte field that takes the address of a kernel's code
    size_t kernel;  // its number
  };
  std::vector<Address> addresses;
};
std::vector<DebugSection> debug_sections(std::span<const Program>, std::span<const EncodedProgram>);

}  // namespace wavesmith
