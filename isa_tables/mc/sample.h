// A legal instance of a table row: what tests assemble, and what `wavesmith isa` shows as an example.
#pragma once
#include "isa_tables/inst.h"

namespace wavesmith::isa {

Inst sample(Opcode, Arch);

}  // namespace wavesmith::isa
