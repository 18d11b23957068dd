// What `wavesmith verify attention` holds a run against: softmax(scale Q K^T + mask) V and the log-sum-exp in f64, and
// how far off a number may be. Batches lie one behind the other in the tensors, whether they have the same lengths or
// each its own.
#pragma once
#include <string>
#include <vector>

#include "kernels/attention/attention.h"
#include "tools/options/matrices.h"

namespace wavesmith::tools {

struct Sequence {
  uint64_t first_query, queries, first_key, keys;  // rows
  uint64_t lse;                                    // where head 0's first query is in it
};
struct AttentionTensors {
  Matrix o, q, k, v;       // [row][head][column]: column-major, as `columns` x `heads * rows`
  std::vector<float> lse;  // empty: not wanted
  uint64_t lse_head = 0;   // from one head to the next
  std::vector<Sequence> sequences;
};
struct AttentionVerdict {
  double worst_share = 0, worst_lse_share = 0,
         worst_error = 0;  // shares of what is allowed; error relative to sum P|V| / sum P
  uint64_t wrong = 0, checked = 0;
  uint64_t open = 0;  // not judged: an infinity or NaN of V with hardly any weight, or none
  std::string first_wrong;
};
AttentionVerdict compare(const AttentionTensors&, const AttentionConfig&, const AttentionProblem&, const isa::Target&);

}  // namespace wavesmith::tools
