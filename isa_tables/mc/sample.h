// A legal instance of a table row: tests assemble it, and `wavesmith isa` shows it as an example.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

Inst sample(Opcode, Arch);

}  // namespace wavesmith::isa
