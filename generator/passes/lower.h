// From what the author wrote to what is assembled: waits, hazards, delays.
#pragma once
#include "generator/dsl/kernel.h"

namespace wavesmith {

// Work-group ids where they belong, then the passes: waits, hazards. Error: HazardError, IsaError.
Program lower(Kernel&&);

}  // namespace wavesmith
