// Programs for the checker, written as text of any target, and what it says of them.
#pragma once
#include <algorithm>
#include <sstream>

#include "generator/passes/check_program.h"

namespace wavesmith {

// Lines of assembly and labels `.L0:`; with 64 VGPRs, workgroups of `lanes` and `lds` bytes.
inline Program program_of(isa::Arch arch, const std::string& text, int lanes = 64, int lds = 0) {
  Program p;
  p.name = "test", p.arch = arch, p.workgroup_size = lanes, p.lds_bytes = lds;
  p.vgprs = 64, p.agprs = isa::target(arch).agprs ? 64 : 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto start = line.find_first_not_of(' ');
    if (start == line.npos) continue;
    line = line.substr(start);
    Node n;
    if (line.starts_with(".L")) {
      const int label = std::stoi(line.substr(2));
      n.directive = directive::Label{label};
      p.labels.resize(std::max<size_t>(p.labels.size(), static_cast<size_t>(label) + 1));
    } else {
      n.inst = isa::parse(line, arch);
    }
    p.nodes.push_back(n);
  }
  return p;
}

// "line: rule" of each finding (advice left out); lines count from 0, labels included.
inline std::vector<std::string> findings(const Program& p) {
  std::vector<std::string> out;
  for (const auto& f : checker::check(p, {.advice = false}).findings)
    if (!f.advice) out.push_back(std::to_string(f.pc) + ": " + f.rule);
  return out;
}

}  // namespace wavesmith
