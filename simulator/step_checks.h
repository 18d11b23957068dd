// What a step is checked for before it runs. False: the wave has a fault.
#pragma once
#include "simulator/hazard_states.h"
#include "simulator/wave.h"

namespace wavesmith::sim {

bool check_in_flight(Wave&, const Step&);  // registers of outstanding loads
bool check_replays(Wave&, const Step&);    // registers that a replayed access would read again
bool check_hazards(Wave&, const Step&, HazardStates&);
bool settle_doubts(Wave&);  // after a step: LDS writes to one place that may have been of one value

}  // namespace wavesmith::sim
