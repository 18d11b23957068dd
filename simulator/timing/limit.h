// What limits a launch. One rule, which text, JSON and pages share.
#pragma once
#include <string>

#include "simulator/timing/timing.h"

namespace wavesmith::timing {

// A unit is saturated if it is busy for this share of the simulated CU's time.
inline constexpr double saturated = 0.8;

// launch: starting the launch takes more than half of its time. Otherwise the busiest unit of Result::busy if it is
// saturated, else latency: waves wait for results, data and each other.
Limit limit_of(const Result&);
// The rule's reason in words, as "busy 91.2 % of the time".
std::string limit_reason(const Result&);

}  // namespace wavesmith::timing
