// The Block an instruction was written in, as the .s and the code object name it: "load", "load, iteration 2", "load
// +2" (two ahead of the loop's own iteration).
#pragma once
#include "generator/dsl/node.h"

namespace wavesmith {

struct Origin {
  std::string_view block;
  std::optional<Iteration> iteration;
  explicit Origin(const Node& n) : block(n.block), iteration(n.iteration) {}
  Origin() = default;
  bool operator==(const Origin&) const = default;
  std::string text() const {
    if (!iteration) return std::string(block);
    const auto [number, relative] = *iteration;
    if (relative) return number ? fmt::format("{} {:+}", block, number) : std::string(block);
    return number < 0 ? std::string(block) : fmt::format("{}, iteration {}", block, number);
  }
};

}  // namespace wavesmith
