// A fault as one line.
#include <fmt/format.h>

#include "simulator/simulator.h"

namespace wavesmith::sim {

const char* name(Fault::Kind k) {
  switch (k) {
    case Fault::Kind::undefined_read: return "undefined read";
    case Fault::Kind::in_flight: return "register in flight";
    case Fault::Kind::out_of_bounds: return "out of bounds";
    case Fault::Kind::misaligned: return "misaligned";
    case Fault::Kind::unknown_instruction: return "unknown instruction";
    case Fault::Kind::illegal: return "illegal";
    case Fault::Kind::hazard: return "hazard";
    case Fault::Kind::race: return "LDS race";
    case Fault::Kind::deadlock: return "deadlock";
    case Fault::Kind::budget: return "instruction budget";
    case Fault::Kind::uninitialized: return "uninitialized read";
    case Fault::Kind::divergence: return "divergent barrier";
  }
  return "fault";
}

std::string Fault::message() const {
  std::string s = fmt::format("{}: {}: pc {:#x} '{}'{}{}, workgroup ({},{},{}), wave {}", kernel, name(kind), pc, text,
                              where.empty() ? "" : " at ", where, workgroup[0], workgroup[1], workgroup[2], wave);
  if (lane) s += fmt::format(", lane {}", *lane);
  if (kind == Kind::out_of_bounds || kind == Kind::misaligned || kind == Kind::race || address)
    s += fmt::format(", address {:#x}", address);
  return s + ": " + why;
}

}  // namespace wavesmith::sim
