// The kernels that wavesmith brings: GEMM and flash attention, as Programs (wavesmith/dsl.h).
//
//   choose_gemm(GemmRequest, Arch)             tile, waves, instruction and stages for a problem, by the planner
//   plan_gemm(GemmRequest, Arch, GemmProblem)  the same for one size: the fastest candidate by the timing model, cached
//   build_gemm(GemmConfig, Arch)               the Program; ConfigError names each rule that a configuration violates
//   build_attention(AttentionConfig, Arch)     likewise
//   build_attention_backward(AttentionBackwardConfig, Arch)   the kernels of dQ, dK and dV
//   launch(config, problem, pointers)          grid, workgroup and kernel arguments: KernelLaunch
//
// docs/guide/gemm.md and docs/guide/attention.md explain their options.
#pragma once
#include "choice/plan_gemm.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/backward.h"
#include "kernels/gemm/choose.h"
#include "kernels/gemm/gemm.h"
