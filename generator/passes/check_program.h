// Runs the checker on a kernel that is not encoded yet.
#pragma once
#include "checker/check.h"
#include "generator/dsl/program.h"

namespace wavesmith::checker {

// `pc` of a finding is the number of the node. Error: IsaError, as for lower().
Result check(const Program&, const Options& = {});

}  // namespace wavesmith::checker
