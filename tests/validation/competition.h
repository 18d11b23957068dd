// What ours are timed against: one line of the table of competition.cpp.
#pragma once
#include "tests/validation/validation.h"

namespace wavesmith::validation {

struct Time {
  std::string name;
  double seconds = 0;  // 0: was not run, `name` says why
};
struct Match {
  std::string group, problem;
  std::string name() const { return group + " " + problem; }
  std::function<std::vector<Time>()> theirs;
  std::function<Time()> ours;
};
// Of a code object's only kernel, with nothing in a cache. 0 if it stops, or where what the model has followed stands
// for fewer matrix operations than the problem has: workgroups differ, and it was not the heavy ones.
double seconds_of(const std::string& file, const sim::Launch&, sim::Memory&, const isa::Gpu&, double flops = 0);
// Of ours, likewise. Error: std::runtime_error with what stopped it.
double seconds_of(const Program&, const KernelLaunch&, sim::Memory&, const isa::Gpu&);

std::vector<Match> attention_matches(const Sources&);
std::vector<Match> backward_matches(const Sources&);
std::vector<Match> decode_matches(const Sources&);
std::vector<Match> mx_matches(const Sources&);  // gfx1250

}  // namespace wavesmith::validation
