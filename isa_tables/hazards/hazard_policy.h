// How a violation of a row of hazards.def is reported; the tracker itself does not use these columns. The project's own
// kernels violate no row.
#pragma once
#include "isa_tables/hazards/hazards.h"

namespace wavesmith::isa {

// fault: LLVM or a manual requires the wait states and no known production kernel has fewer, or silicon is known to
// fail. warning: production kernels violate the row where results depend on it, and no failure on silicon is known: the
// hardware interlocks, or timing hides it. advice: only LLVM requires it.
enum class Standing : uint8_t { fault, warning, advice };

struct HazardPolicy {
  Standing standing = Standing::fault;
  int fewest = 0;             // for a warning: the fewest wait states in those kernels; fewer are a fault
  const char* evidence = "";  // for a warning: which kernels
};
const HazardPolicy& policy(const HazardRule&);        // one of hazard_rules()
Standing standing(const HazardTracker::Need&, Arch);  // for a result of HazardTracker::check()

// What a lane access reads if wait states after a V_CMPX are missing and it uses the EXEC before the V_CMPX. V_READLANE
// and V_WRITELANE name their lane and ignore EXEC (CDNA3 ISA 3.3); V_READFIRSTLANE reads the same value if the
// condition is uniform.
enum class StaleExec : uint8_t { counts, by_value, harmless };
StaleExec stale_exec(const HazardTracker::Need&, Opcode consumer);

}  // namespace wavesmith::isa
