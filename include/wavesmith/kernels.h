// The kernels that wavesmith brings: GEMM and flash attention forward, as Programs (wavesmith/dsl.h).
//
//   choose_gemm(...) -> GemmConfig           tile, waves, instruction and stages for a problem, by the planner
//   build_gemm(GemmConfig) -> Program        ConfigError names each rule that a configuration violates
//   build_attention(...) -> Program
//
// docs/guide/gemm.md and docs/guide/attention.md explain their options.
#pragma once
#include "kernels/attention/attention.h"
#include "kernels/gemm/choose.h"
#include "kernels/gemm/gemm.h"
