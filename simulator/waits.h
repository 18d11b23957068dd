// Which waits cover an operation in flight, for messages.
#pragma once
#include "isa_tables/counters.h"

namespace wavesmith::sim {

std::string wait_names(isa::Counter, isa::Arch);  // the waits that would cover it: "vmcnt", "vmcnt(0) lgkmcnt(0)"
std::string wait_hint(isa::Counter, isa::Arch);   // " (no vmcnt wait covers it)"; empty if no wait does

}  // namespace wavesmith::sim
