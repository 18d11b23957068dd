// Flash attention backward: dQ, dK and dV of O = softmax(scale Q K^T + mask) V from Q, K, V, O, dO and the forward
// log-sum-exp, for each batch and head. P is computed again, tile by tile:
//
//   P = exp(scale Q K^T - LSE)         delta = the sum of each row of dO * O
//   dV = P^T dO      dS = P * (dO V^T - delta)      dQ = scale dS K      dK = scale dS^T Q
//
// Where the configuration changes scores, P is that of the changed ones, and dS is multiplied by the derivative. With
// dropout, elements of P (in dV) and of dO V^T are zero or times 1 / (1 - probability).
//
// Ordered: each result is computed by workgroups that own its rows, so that no sum depends on the order of workgroups:
// results are the same bits in every run. S and dP are then computed twice. Atomic: once, by workgroups that own keys
// and add dQ to f32 sums in memory. This header has what a host needs; the kernels are in backward.cpp and
// backward_delta.cpp.
#pragma once
#include <string>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/parts/reduction.h"

namespace wavesmith {

struct AttentionBackwardConfig {
  isa::Type type = isa::Type::bf16;  // of all tensors but LSE; f16 or bf16. Sums are f32; P and dS are rounded to it
  int head_dim = 128;                // of Q and K: a multiple of 8 from 16 to 256
  int head_dim_v = 0;                // of V and O, likewise; 0: as of Q
  Sequences sequences = Sequences::equal;
  Reduction reduction = Reduction::ordered;  // of dQ
  // As of forward. Rows past the last query have scores of 0, whose changed value must be below 80.
  std::vector<ScoreMod> scores = {};
  bool dropout = false;  // of P, as in forward: the problem's probability, seed and offset
  int dim_v() const { return head_dim_v ? head_dim_v : head_dim; }
};
// Error: ConfigError, one line per violated rule with the values and what would be legal.
void check_backward(const AttentionBackwardConfig&);

// A kernel of the backward pass and what it computes. delta comes first. Ordered: then the others in any order: dK and
// dV together, or where registers or LDS do not suffice, one after the other; dQ. Atomic: all of them with sums of dQ,
// which delta sets to zero, then dQ from its sums.
enum class BackwardPart : uint8_t { delta, dk_dv, dk, dv, dq, dk_dv_dq, convert };
const char* name_of(BackwardPart);
struct BackwardKernel {
  BackwardPart part;
  int block_rows;  // of a workgroup: keys of dK and dV, queries of dQ, rows of delta
  Program program;
};
struct AttentionBackward {
  AttentionBackwardConfig config;
  Arch arch{};
  std::vector<BackwardKernel> kernels;  // in the order of their launches
};
// Names are `name`, or one from the configuration, and the part. Error: ConfigError, also where the registers of the
// target do not suffice.
AttentionBackward build_attention_backward(const AttentionBackwardConfig&, Arch, const std::string& name = "",
                                           const LowerOptions& = {});

struct AttentionBackwardProblem : AttentionProblem {
  AttentionStrides d_o, dq, dk, dv;  // row 0: contiguous, as those of O, Q, K and V
};
struct AttentionBackwardPointers {
  uint64_t o = 0, d_o = 0, q = 0, k = 0, v = 0;
  uint64_t lse = 0;  // as forward writes it
  uint64_t dq = 0, dk = 0, dv = 0;
  uint64_t rows = 0;     // row_bytes(): written by delta, read by the others
  uint64_t dq_sums = 0;  // dq_sum_bytes()
  uint64_t cu_seqlens_q = 0, cu_seqlens_k = 0;
};
// Bytes of the buffer between delta and the other kernels: two f32 for each query of each head.
uint64_t row_bytes(const AttentionBackwardConfig&, const AttentionProblem&);
// Bytes of the sums of dQ in f32; ordered: 0.
uint64_t dq_sum_bytes(const AttentionBackwardConfig&, const AttentionProblem&);
// Fills in strides that are 0. Error: ConfigError.
AttentionBackwardProblem complete(const AttentionBackwardConfig&, AttentionBackwardProblem);
// One launch a kernel, in their order; those that have nothing to do are empty(). Error: ConfigError as of forward.
std::vector<KernelLaunch> launch(const AttentionBackward&, const AttentionBackwardProblem&,
                                 const AttentionBackwardPointers&);

}  // namespace wavesmith
