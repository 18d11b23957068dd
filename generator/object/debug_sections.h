// The sections that say where each instruction was written: DWARF 5, which llvm-objdump -l, llvm-symbolizer and rocgdb
// read, and .debug_wavesmith, which maps a discriminator to the Block's name and the author's note, for which DWARF has
// no form (docs/design/source_lines.md).
#pragma once
#include <span>

#include "generator/object/program.h"

namespace wavesmith {

struct DebugSection {
  const char* name;
  std::string bytes;
  std::vector<uint64_t> addresses;  // offsets of 8-byte fields that take the address of the code
};
// `offsets`: of each node in the code; `code_bytes`: all of it.
std::vector<DebugSection> debug_sections(const Program&, std::span<const uint32_t> offsets, uint32_t code_bytes);

}  // namespace wavesmith
