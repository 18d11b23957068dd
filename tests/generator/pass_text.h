// Programs for pass tests, written as text: instructions as LLVM spells them, plus this project's directives.
#pragma once
#include <sstream>

#include "generator/passes/passes.h"

namespace wavesmith {

// Lines of assembly, labels `.L0:`, directives `wait_for v[0:3]` and `wait_lds 1`; `@1` after an access tags its LDS
// buffer.
inline std::vector<Node> read(const std::string& text, bool hot = false, Arch arch = Arch::gfx942) {
  std::vector<Node> nodes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto start = line.find_first_not_of(' ');
    if (start == line.npos) continue;
    line = line.substr(start);
    Node n;
    n.hot = hot;
    if (const auto at = line.find(" @"); at != line.npos) {
      n.buffer = std::stoi(line.substr(at + 2));
      line.resize(at);
    }
    if (line.starts_with(".L")) {
      n.directive = directive::Label{std::stoi(line.substr(2))};
    } else if (line.starts_with("wait_for ")) {
      n.directive = directive::WaitRegister{isa::parse("v_mov_b32 v0, " + line.substr(9), Arch::gfx942).operands[1]};
    } else if (line.starts_with("wait_lds ")) {
      n.directive = directive::WaitLds{std::stoi(line.substr(9))};
    } else if (line == "sched_barrier") {
      n.directive = directive::SchedBarrier{0};
    } else {
      n.inst = isa::parse(line, arch);
    }
    nodes.push_back(n);
  }
  return nodes;
}

}  // namespace wavesmith
