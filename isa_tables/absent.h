// In place of a number (of a register, lane, line, step, bit, of events to wait for): there is none.
#pragma once

namespace wavesmith {

inline constexpr int absent = -1;

}  // namespace wavesmith
