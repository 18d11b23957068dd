// From the author's instructions to those that are assembled: waits, hazards, delays.
#pragma once
#include "generator/dsl/kernel.h"

namespace wavesmith {

// Copies workgroup ids into place, then runs the passes: waits, hazards. Error: HazardError, IsaError.
Program lower(Kernel&&);

}  // namespace wavesmith
