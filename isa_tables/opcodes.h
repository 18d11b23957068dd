// The enumerators of Opcode. A file that names instructions includes this header (or the DSL, generator/dsl/block.h);
// all others pass Opcodes on without it, so that a new row recompiles only the files that name instructions.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

enum class Opcode : uint16_t {
#define OP(mnemonic, ...) mnemonic,
#define MATRIX(mnemonic, ...) mnemonic,
#include "isa_tables/rows/instructions.def"
#undef OP
#undef MATRIX
};

}  // namespace wavesmith::isa
