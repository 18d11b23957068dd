// Flash attention forward: O = softmax(scale Q K^T + mask) V for each batch and head, log-sum-exp beside it, in one pass over the keys.
// The header is what a host needs: the tuning surface, the problem, the launch. The kernel itself is attention.cpp.
#pragma once
#include <array>

#include "kernels/loop_report.h"

namespace wavesmith {

struct AttentionConfig {
  isa::Type type = isa::Type::bf16;                        // of Q, K, V and O; f16 or bf16. Sums are f32, P is rounded to this type
  int head_dim = 128;                                      // of Q, K, V and O: 64 or 128
};
// Error: ConfigError, one line a violated rule with the values and what would be legal.
void check(const AttentionConfig&, Arch);

// Error: ConfigError.
Program build_attention(const AttentionConfig&, Arch, std::string name = "");
std::string kernel_name(const AttentionConfig&);

// Element (batch, head, row, column) is at base + batch * batch_stride + head * head_stride + row * row_stride + column, in elements.
// Which keys query i sees: all; up to number i (top_left); up to i + keys - queries (bottom_right, what causal means to most).
enum class Mask : uint8_t { none, top_left, bottom_right };
struct AttentionStrides { uint64_t batch = 0, head = 0; uint32_t row = 0; };
struct AttentionProblem {
  uint32_t batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0;   // heads: a multiple of kv_heads (grouped-query attention)
  float scale = 0;                                         // of Q K^T, positive; 0: 1 / sqrt(head_dim)
  Mask mask = Mask::none;
  AttentionStrides o, q, k, v;                             // row 0: all of them as of contiguous [batch][row][head][column]
};
struct AttentionPointers { uint64_t o = 0, q = 0, k = 0, v = 0, lse = 0; };   // lse: f32 [batch][head][query], natural logarithm; 0: not wanted
struct AttentionLaunch {
  std::array<uint32_t, 3> grid{};                          // workgroups; a zero means there is nothing to launch
  uint32_t block = 0;                                      // lanes
  std::vector<uint8_t> kernargs;
};
// Fills in the strides that are left out. Error: ConfigError.
AttentionProblem complete(const AttentionConfig&, AttentionProblem);
// Error: ConfigError for heads that do not divide, a scale that is not positive, strides too small or heads beyond 4 GiB.
AttentionLaunch launch(const AttentionConfig&, const AttentionProblem&, const AttentionPointers&);

}  // namespace wavesmith
