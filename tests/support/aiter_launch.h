// How code objects of ROCm/aiter are launched: the arguments of each family, and its grid. Layouts are those of its
// host code (csrc/py_itfs_cu/asm_*.cu at commit e4048607; tests/facts/peer_launch.md): fields stand 16 bytes apart.
// Tests of their results and the timing model's validation both launch through these functions.
#pragma once
#include <cstring>
#include <initializer_list>

#include "simulator/simulator.h"

namespace wavesmith::aiter {

struct Arguments {
  std::vector<uint8_t> bytes;
  template <class T>
  void put(size_t offset, T value) {
    if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }
  template <class T>
  void slots(size_t offset, std::initializer_list<T> values) {
    for (const T x : values) put(offset, x), offset += 16;
  }
};
inline uint32_t tiles(uint32_t size, uint32_t tile) { return (size + tile - 1) / tile; }
inline sim::Launch launch(Arguments&& a, uint32_t x, uint32_t y, uint32_t z) {
  sim::Launch l;
  l.grid = {x, y, z}, l.block = {256, 1, 1}, l.kernargs = std::move(a.bytes);
  return l;
}

// D[M,N] = A[M,K] B[N,K]^T in tiles of D; K in `split` parts, which add to D.
struct Gemm {
  uint32_t m, n, k, tile_m, tile_n, split = 1;
};
struct GemmBuffers {
  uint64_t d, a, b, a_scales = 0, b_scales = 0;
  uint64_t bias = 0;        // one for each column
  uint64_t semaphores = 0;  // of the kernels that clear D themselves: u32[1024], zeros
};

inline sim::Launch bf16_gemm(const Gemm& g, const GemmBuffers& p, bool to_bf16) {
  Arguments a;
  a.slots<uint64_t>(0, {p.d, 0, p.a, p.b});
  a.slots<float>(0x40, {1, 0});
  a.put<uint32_t>(0x80, g.n * (to_bf16 ? 2 : 4)), a.put<uint32_t>(0xa0, g.k * 2), a.put<uint32_t>(0xc0, g.k * 2);
  a.slots<uint32_t>(0xe0, {g.m, g.n, g.k, g.split, to_bf16});
  a.put(0x130, p.bias), a.put<uint32_t>(0x140, p.bias != 0), a.put(0x150, p.semaphores);
  return launch(std::move(a), tiles(g.n, g.tile_n), tiles(g.m, g.tile_m), g.split);
}

// int8 with a scale for each row of A and of B. B is shuffled, here and below.
inline sim::Launch int8_gemm(const Gemm& g, const GemmBuffers& p) {
  Arguments a;
  a.slots<uint64_t>(0, {p.d, p.a, p.b, p.a_scales, p.b_scales, p.bias});
  a.slots<uint32_t>(0x60, {g.m, g.n, g.k, g.k, g.k, g.n * 2, g.split});
  return launch(std::move(a), g.n / g.tile_n * g.split, tiles(g.m, g.tile_m), 1);
}
// fp8 with a scale for each row of A and 128 of k, and for each 128 x 128 of B.
inline sim::Launch fp8_gemm(const Gemm& g, const GemmBuffers& p) {
  sim::Launch l = int8_gemm(g, p);
  Arguments a{std::move(l.kernargs)};
  a.slots<uint32_t>(0xd0, {g.m, tiles(g.n, 128), tiles(g.k, 128)});
  l.kernargs = std::move(a.bytes);
  return l;
}

// MX fp4, an E8M0 scale for each 32 of k; rows of scales are padded to 8. The split of K is a power of two.
inline uint32_t fp4_scale_row(uint32_t k) { return (k / 32 + 7) / 8 * 8; }
inline sim::Launch fp4_gemm(const Gemm& g, const GemmBuffers& p) {
  Arguments a;
  a.slots<uint64_t>(0, {p.d, 0, p.a, p.b});
  a.slots<float>(0x40, {1, 0});
  a.slots<uint32_t>(0x60, {0, 0, g.n, 0, g.k, 0, g.k, 0, g.m, g.n, g.k});
  a.slots<uint64_t>(0x110, {p.a_scales, p.b_scales});
  uint32_t log2 = 0;
  while (2u << log2 <= g.split) ++log2;
  a.slots<uint32_t>(0x130, {fp4_scale_row(g.k), 0, fp4_scale_row(g.k), 0, log2});
  return launch(std::move(a), tiles(g.n, g.tile_n), tiles(g.m, g.tile_m), tiles(g.k, tiles(g.k / g.split, 256) * 256));
}

// gfx1250: MX fp8 by MX fp8 or fp4, whose columns have `column_bytes`, and MX fp4 by MX fp4. 256 workgroups in clusters
// stay until all tiles are done. A is in tiles of 2 rows by 128 bytes, B in tiles of 16 by 16, scales in tiles of 32
// rows by 4.
struct Cluster {
  uint32_t x, y;
};
inline Arguments mx_arguments(const Gemm& g, const GemmBuffers& p, uint32_t row_bytes, uint32_t column_bytes) {
  Arguments a;
  const uint32_t scales = g.k / 32;
  size_t at = 0;
  for (const uint64_t pointer : {p.d, p.a, p.b, p.a_scales, p.b_scales}) a.put(at, pointer), at += 8;
  for (const uint32_t value : {g.n * 2, row_bytes, column_bytes, scales, scales, g.m, g.n, g.k})
    a.put(at, value), at += 4;
  return a;
}
inline sim::Launch mx_gemm(const Gemm& g, const GemmBuffers& p, uint32_t column_bytes, Cluster c) {
  constexpr uint32_t workgroups = 256;
  Arguments a = mx_arguments(g, p, g.k, column_bytes);
  a.put<uint32_t>(0x48, 1);
  sim::Launch l = launch(std::move(a), workgroups / c.y, c.y, 1);
  l.block = {128, 1, 1}, l.cluster = {c.x, c.y, 1};
  return l;
}
// In a grid of four rows of clusters, of which the kernel takes the logarithms.
inline sim::Launch mxfp4_gemm(const Gemm& g, const GemmBuffers& p, Cluster c) {
  constexpr uint32_t workgroups = 256, rows = 4;
  const uint32_t clusters = workgroups / (c.x * c.y), of_row = clusters / rows;
  Arguments a = mx_arguments(g, p, g.k / 2, g.k / 2);
  uint32_t x = 0, y = 0;
  while (1u << x < of_row) ++x;
  while (1u << y < rows) ++y;
  a.put(0x48, x), a.put(0x4c, y);
  sim::Launch l = launch(std::move(a), of_row * c.x, rows * c.y, 1);
  l.block = {128, 1, 1}, l.cluster = {c.x, c.y, 1};
  return l;
}

// Decoding with latent keys: all heads share a row of 576 values a key, the first 512 of them its value. O of each
// split in f32, to be merged with its LSE; of one split in bf16 if `bf16_out`.
struct Latent {
  uint32_t batch, heads, queries, splits, tile;  // tile: rows (queries times heads) of a workgroup
  uint32_t element = 2;                          // bytes, of Q and keys
  uint32_t rows = 0;                             // MQA, if it is not heads times queries
  bool bf16_out = false;
  uint32_t flag = 0x120;  // where bf16_out is
};
struct LatentBuffers {
  uint64_t o, lse, q, keys;
  uint64_t key_starts, pages, last_pages, q_starts, split_starts;  // u32, see tests/production/production_mla_test.cpp
  uint64_t q_scale = 0, key_scale = 0;                             // of 8 bits
};
inline sim::Launch latent(const Latent& l, const LatentBuffers& p, float scale) {
  constexpr uint32_t dim = 576;
  Arguments a;
  a.slots<uint64_t>(0, {p.o, p.lse, p.q, p.keys, p.key_starts, p.pages, p.last_pages});
  a.put(0x70, scale);
  a.slots<uint32_t>(0x80, {l.rows ? l.rows : l.heads * l.queries, l.splits, l.heads * dim * l.element * l.queries,
                           dim * l.element, 0});
  a.slots<uint64_t>(0xd0, {p.q_starts, p.split_starts, 0});
  if (p.q_scale) a.slots<uint64_t>(0x100, {p.q_scale, p.key_scale});
  a.put<uint32_t>(l.flag, l.bf16_out);
  a.slots<uint64_t>(0x130, {0, 0});
  a.slots<uint32_t>(0x150, {1, 0});
  return launch(std::move(a), tiles(l.queries * l.heads, l.tile), l.batch, l.splits);
}

// A mixture of experts. Tokens stand sorted by expert, each expert's padded to the rows of a workgroup; the upper byte
// of a sorted index is the place among the token's experts.
struct Sorted {
  std::vector<uint32_t> tokens, experts;  // by row; by block of `tile_m` rows
};
inline Sorted sort_tokens(const std::vector<std::vector<uint32_t>>& of_expert, uint32_t tile_m, uint32_t padding) {
  Sorted s;
  for (uint32_t e = 0; e < of_expert.size(); ++e)
    for (size_t i = 0; i < of_expert[e].size() || s.tokens.size() % tile_m; ++i) {
      if (s.tokens.size() % tile_m == 0) s.experts.push_back(e);
      s.tokens.push_back(i < of_expert[e].size() ? of_expert[e][i] : padding);
    }
  return s;
}
struct Moe {
  uint32_t tokens, dim, inter, experts, topk, tile_m, tile_n;
  uint32_t blocks;                            // of sorted rows, with those that are not used
  uint32_t gate_scales = 0, down_scales = 0;  // bytes, of an expert
  uint32_t row = 0;                           // bytes of a token's input; 0: `dim`
  bool fp4 = false;                           // weights
  uint32_t persistent = 0;                    // workgroups that stay; 0: none do
  bool flat = false;                          // a workgroup for each token and expert, in the router's order
  uint32_t weights(uint32_t n) const { return fp4 ? n / 2 : n; }  // bytes
};
struct MoeBuffers {
  uint64_t out, input, gate_up, valid_rows;  // valid_rows: u32, of the sorted rows; then the number of tokens
  uint64_t input_scales, gate_scales;
  uint64_t sorted_tokens, sorted_experts, sorted_weights = 0;
  uint64_t down = 0, down_scales = 0;  // of both stages in one kernel
};

// First stage: silu(x gate^T) * (x up^T), for each token and each of its experts.
inline sim::Launch moe_stage1(const Moe& m, const MoeBuffers& p, uint32_t output_bytes) {
  Arguments a;
  a.slots<uint64_t>(0, {p.out, p.input, p.gate_up, p.valid_rows, p.input_scales, p.gate_scales, 0, p.sorted_tokens,
                        p.sorted_experts});
  a.slots<uint32_t>(0x90, {m.dim, m.inter, m.tokens, m.experts, m.dim, m.dim, m.topk * m.inter * output_bytes,
                           2 * m.inter * m.dim, m.gate_scales, m.inter * 4, m.topk, 0, 0});
  a.put(0x160, p.sorted_weights);
  return launch(std::move(a), m.inter / m.tile_n, m.blocks, 1);
}

// Both stages: each workgroup adds its part of the sum over `inter` and over the experts to the output.
inline sim::Launch moe(const Moe& m, const MoeBuffers& p) {
  Arguments a;
  a.slots<uint64_t>(0, {p.out, p.input, p.gate_up, p.valid_rows, p.down, p.input_scales, p.gate_scales, p.down_scales,
                        0, p.sorted_tokens, p.sorted_weights, p.sorted_experts});
  const uint32_t parts = tiles(m.inter, m.tile_n);
  a.slots<uint32_t>(0xc0, {m.dim, m.inter, m.tokens, m.experts, m.row ? m.row : m.dim, m.weights(m.dim),
                           m.weights(m.inter), m.dim * 2, 2 * m.inter * m.weights(m.dim), m.dim * m.weights(m.inter),
                           m.gate_scales, m.down_scales, m.inter * 4, m.topk, m.persistent / parts * parts, parts});
  if (m.flat) return launch(std::move(a), parts, m.topk, m.tokens);
  if (m.persistent >= parts) return launch(std::move(a), m.persistent, 1, 1);
  return launch(std::move(a), parts, m.blocks, 1);
}

}  // namespace wavesmith::aiter
