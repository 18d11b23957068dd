// Output of `wavesmith time`: text of at most 100 columns, one JSON document, a trace for Perfetto.
#pragma once
#include "simulator/timing/timing.h"

namespace wavesmith::tools {

std::string time_text(const timing::Result&);
std::string time_json(const timing::Result&);
std::string advice(const timing::Result&, const timing::Loop&);    // what to change in a loop, one sentence
void write_trace(const std::string& path, const timing::Result&);  // FileError

}  // namespace wavesmith::tools
