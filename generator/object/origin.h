// The Block an instruction was written in, as the .s and the code object name it: "load", "load, iteration 2", "load
// +2" (two ahead of the loop's own iteration).
#pragma once
#include "generator/dsl/block.h"

namespace wavesmith {

struct Origin {
  std::string_view block;
  int iteration = -1;
  bool ahead = false;
  explicit Origin(const Node& n) : block(n.block), iteration(n.iteration), ahead(n.ahead) {}
  Origin() = default;
  bool operator==(const Origin&) const = default;
  std::string text() const {
    if (ahead ? !iteration : iteration < 0) return std::string(block);
    return ahead ? fmt::format("{} {:+}", block, iteration) : fmt::format("{}, iteration {}", block, iteration);
  }
};

}  // namespace wavesmith
