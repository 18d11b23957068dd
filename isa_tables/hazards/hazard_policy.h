// What it means that a kernel breaks a row of hazards.def: columns of that table which the tracker has no use for. Our
// own kernels keep every row.
#pragma once
#include "isa_tables/hazards/hazards.h"

namespace wavesmith::isa {

// fault: LLVM or a manual asks for the wait states and no kernel in use that we know does with less, or silicon was
// seen to go wrong. warning: kernels in use break the row where their results depend on it, those are right, and
// nothing shows silicon going wrong: interlocked, or right by time alone. advice: LLVM alone asks for it.
enum class Standing : uint8_t { fault, warning, advice };

struct HazardPolicy {
  Standing standing = Standing::fault;
  int fewest = 0;             // of a warning: the wait states that all those kernels leave; fewer are a fault
  const char* evidence = "";  // of a warning: which kernels
};
const HazardPolicy& policy(const HazardRule&);        // one of hazard_rules()
Standing standing(const HazardTracker::Need&, Arch);  // of what HazardTracker::check() has found

// What a lane read gets that goes by the EXEC before a V_CMPX, where wait states between the two are missing.
// V_READLANE and V_WRITELANE name their lane and ignore EXEC (CDNA3 ISA 3.3); V_READFIRSTLANE gets the same if the
// condition is uniform.
enum class StaleExec : uint8_t { counts, by_value, harmless };
StaleExec stale_exec(const HazardTracker::Need&, Opcode consumer);

}  // namespace wavesmith::isa
