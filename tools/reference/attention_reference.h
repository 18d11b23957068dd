// The reference of `wavesmith verify attention`: softmax(scale Q K^T + mask) V and the log-sum-exp in f64, with error
// bounds. Batches are concatenated in the tensors, with equal or different lengths.
#pragma once
#include <string>
#include <vector>

#include "kernels/attention/attention.h"
#include "tools/options/matrices.h"

namespace wavesmith::tools {

struct Sequence {
  uint64_t first_query, queries, first_key, keys;  // rows
  uint64_t lse;                                    // position of head 0's first query
};
struct AttentionTensors {
  HostMatrix o, q, k, v;   // [row][head][column]: column-major, as `columns` x `heads * rows`
  std::vector<float> lse;  // empty: not computed
  uint64_t lse_head = 0;   // stride between heads
  std::vector<Sequence> sequences;
  // Of fp8: one, or one per K/V head, or by rows (ScaleRows) [batch][head][block]; empty: 1.
  std::vector<float> q_scale, k_scale, v_scale;
  std::vector<uint8_t> q_mx, k_mx, v_mx;                // MX; AttentionPointers
  std::vector<float> sinks;                             // by head; empty: none
  HostMatrix bias;                                      // [batch * heads + head][query][key]: column-major
  std::vector<int32_t> query_documents, key_documents;  // by row; empty: none
  std::vector<int32_t> prefix;                          // by sequence; empty: none
};
// Does dropout drop this element of P? `head`: batch * heads + head.
bool dropped(const AttentionProblem&, uint32_t head, uint64_t query, uint64_t key);

struct AttentionVerdict {
  double worst_share = 0, worst_lse_share = 0,
         worst_error = 0;  // fractions of the bound; error relative to sum P|V| / sum P
  uint64_t wrong = 0, checked = 0;
  uint64_t open = 0;  // not compared: an infinity or NaN of V with negligible or zero weight
  std::string first_wrong;
};
AttentionVerdict compare(const AttentionTensors&, const AttentionConfig&, const AttentionProblem&, const isa::Target&);

}  // namespace wavesmith::tools
