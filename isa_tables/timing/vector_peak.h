// The peak rate of vector arithmetic: what vendors publish as a GPU's vector FP32 or FP64 rate.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa {

// The fused multiply-add of the type that does most flops per clock: packed or in a pair (VOPD) where the target has
// that form. flops_per_clock: of one CU (WGP) whose SIMDs all issue nothing else.
struct VectorPeak {
  const char* instruction = "";
  double flops_per_clock = 0;
};
enum class VectorType : uint8_t { f32, f64 };
VectorPeak vector_peak(Arch, VectorType);

}  // namespace wavesmith::isa
