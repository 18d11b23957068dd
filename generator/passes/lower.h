// From the author's instructions to those that are assembled: waits, hazards, delays.
#pragma once
#include "generator/dsl/program.h"

namespace wavesmith {

struct Kernel;

// The checker's first finding in a lowered kernel (docs/reference/check.md): the author's line, the instruction, the
// rule and what would be legal.
struct CheckError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct LowerOptions {
  bool check = true;  // the checker's rules; false for callers that make thousands of kernels, or wrong ones on purpose
  bool hot_nops = false;  // hazards of hot loops are resolved as elsewhere, not errors
  // For waves that hide latencies themselves, one or two on a SIMD: they get no s_delay_alu, by which the hardware
  // decides when another wave issues.
  bool lone_wave = false;
};
// Copies workgroup ids into place, runs the passes (waits, hazards, banks of VGPRs, delays), then the checker. Error:
// HazardError, IsaError, CheckError.
Program lower(Kernel&&, const LowerOptions& = {});

}  // namespace wavesmith
