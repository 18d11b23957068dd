// The reference of `wavesmith verify attention --backward`: the gradients of attention in f64 by their definition, with
// error bounds (backward_reference.cpp).
#pragma once
#include <vector>

#include "tools/reference/attention_reference.h"

namespace wavesmith::tools {

// One head of one sequence; matrices by rows. Query i sees the keys up to i + diagonal.
struct BackwardHead {
  uint64_t queries = 0, keys = 0, dim = 0, dim_v = 0;
  double scale = 1;
  int64_t diagonal = 0;
  std::vector<double> q, k, v, d_o;
  std::vector<ScoreMod> scores = {};  // of head `head` of `heads`
  uint32_t head = 0, heads = 1;
  double dropout = 0;              // probability
  std::vector<bool> dropped = {};  // by query and key; empty: none
  // What an element of P is multiplied by.
  double kept(uint64_t query, uint64_t key) const {
    return dropped.empty() ? 1 : dropped[query * keys + key] ? 0 : 1 / (1 - dropout);
  }
  uint64_t seen(uint64_t query) const;  // keys
  // A score that scale * q k becomes, its derivative, and how far a kernel's may be off where scale * q k is by `off`.
  struct Changed {
    double score, slope = 1, off, slope_off = 0;
  };
  Changed changed(double score, double off, uint64_t query, uint64_t key) const;
};
// O and the log-sum-exp of each query. A query without keys, or whose scores are all minus infinity, has zeros and
// minus infinity.
struct ForwardResult {
  std::vector<double> o, lse;
};
ForwardResult attention_forward(const BackwardHead&);

// The unit that multiplies: the type's precision, the smallest factor it distinguishes from zero (0: keeps denormals).
struct BackwardUnit {
  isa::Type type;
  double least;
};
// Gradients of sum(O * dO), and by how much a kernel that rounds P and dS to the type may be off. `sums`: terms of a
// sum of dK and dV, over all heads that share K and V.
struct Gradients {
  std::vector<double> dq, dk, dv, dq_allowed, dk_allowed, dv_allowed;
};
// `o`: as delta uses it, which may be rounded.
Gradients attention_gradients(const BackwardHead&, const std::vector<double>& o, const BackwardUnit&, uint64_t sums);

struct BackwardTensors {
  HostMatrix q, k, v, o, d_o, dq, dk, dv;  // [row][head][column]
  std::vector<float> lse;
  uint64_t lse_head = 0;  // stride between heads
  std::vector<Sequence> sequences;
};
// Computes O and the log-sum-exp, rounded.
void fill_forward(BackwardTensors&, const AttentionBackwardConfig&, const AttentionProblem&);

struct BackwardVerdict {
  double worst_share[3] = {};  // of the bound: dQ, dK, dV
  uint64_t wrong = 0, checked = 0;
  uint64_t open = 0;  // not compared: dS beyond the type's range
  std::string first_wrong;
};
BackwardVerdict compare(const BackwardTensors&, const AttentionBackwardConfig&, const AttentionProblem&,
                        const isa::Target&);

}  // namespace wavesmith::tools
