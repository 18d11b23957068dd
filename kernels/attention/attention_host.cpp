// The host's side of the attention kernel: checks of the configuration, the kernel's name, the launch.
#include <cmath>
#include <numbers>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith {

using isa::Type;

namespace {
[[noreturn]] void refuse(const std::string& what) { throw ConfigError("attention: " + what); }
}  // namespace

void check(const AttentionConfig& c, Arch arch) {
  const auto& row = isa::info(Opcode::v_mfma_f32_32x32x8_bf16);
  if (!row.on(arch))
    refuse(fmt::format("target {} is not supported; legal: {}", isa::target(arch).name, isa::archs_with(row)));
  if (c.type != Type::f16 && c.type != Type::bf16) refuse("Q, K, V and O are f16 or bf16");
  for (const auto& [dim, of] : {std::pair(c.head_dim, ""), {c.dim_v(), " of V"}})
    if (dim != 64 && dim != 128) refuse(fmt::format("head dimension {}{}; legal: 64 and 128", dim, of));
}

std::string kernel_name(const AttentionConfig& c) {
  const std::string v = c.dim_v() == c.head_dim ? "" : fmt::format("_dv{}", c.dim_v());
  return fmt::format("attention_forward_{}_d{}{}{}", c.type == Type::f16 ? "f16" : "bf16", c.head_dim, v,
                     c.sequences == Sequences::packed ? "_varlen" : "");
}

AttentionProblem complete(const AttentionConfig& c, AttentionProblem p) {
  const auto dim = static_cast<uint32_t>(c.head_dim), dim_v = static_cast<uint32_t>(c.dim_v());
  const auto contiguous = [&](AttentionStrides& s, uint32_t rows, uint32_t heads, uint32_t width) {
    if (!s.row) s = {c.sequences == Sequences::packed ? 0 : uint64_t{rows} * heads * width, width, heads * width};
  };
  contiguous(p.o, p.queries, p.heads, dim_v);
  contiguous(p.q, p.queries, p.heads, dim);
  contiguous(p.k, p.keys, p.kv_heads, dim);
  contiguous(p.v, p.keys, p.kv_heads, dim_v);
  if (p.scale == 0) p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)));
  return p;
}

KernelLaunch launch(const AttentionConfig& c, const AttentionProblem& problem, const AttentionPointers& to) {
  const AttentionProblem p = complete(c, problem);
  if (!p.kv_heads || p.heads % p.kv_heads || p.heads >= 1u << 15)
    refuse(fmt::format("{} heads for {} K/V heads; legal: a multiple, less than 32768", p.heads, p.kv_heads));
  if (!(p.scale > 0) || !std::isfinite(p.scale)) refuse(fmt::format("scale is {}; legal: positive numbers", p.scale));
  const bool packed = c.sequences == Sequences::packed;
  if (p.queries >= 1u << 29 || p.keys >= 1u << 29 || p.total_queries >= 1u << 29)
    refuse(fmt::format("{} queries, {} keys; legal: less than 2^29", std::max(p.queries, p.total_queries), p.keys));
  if (packed && p.total_queries < p.queries)
    refuse(fmt::format("{} queries in total, {} in the longest sequence; legal: a total of at least the longest",
                       p.total_queries, p.queries));
  for (const auto& [name, s, rows, width] : {std::tuple("O", p.o, p.queries, c.dim_v()),
                                             {"Q", p.q, p.queries, c.head_dim},
                                             {"K", p.k, p.keys, c.head_dim},
                                             {"V", p.v, p.keys, c.dim_v()}}) {
    // Lanes address a head of K or V, and a workgroup's queries, with 32-bit offsets, up to one tile past the end.
    const uint64_t lines = name[0] == 'O' || name[0] == 'Q' ? attention::block_rows : uint64_t{rows} + 128,
                   most = 0xffffffffu / (2 * lines);
    if (s.row < static_cast<uint32_t>(width) || s.row > most)
      refuse(fmt::format("row stride of {} is {} elements; legal: {} to {}", name, s.row, width, most));
    if (s.row % 8 || s.head % 8 || s.batch % 8)
      refuse(fmt::format("strides of {} are {}, {}, {} elements; legal: multiples of 8", name, s.batch, s.head, s.row));
  }
  KernelLaunch out;
  out.grid = {(p.queries + attention::block_rows - 1) / attention::block_rows, p.heads, p.batch};
  out.block[0] = attention::lanes;
  const uint32_t group = p.heads / p.kv_heads;
  out.kernargs = kernarg_bytes(
      attention::AttentionArguments{.o = {to.o},
                                    .q = {to.q},
                                    .k = {to.k},
                                    .v = {to.v},
                                    .lse = {to.lse},
                                    .o_batch = 2 * p.o.batch,
                                    .o_head = 2 * p.o.head,
                                    .q_batch = 2 * p.q.batch,
                                    .q_head = 2 * p.q.head,
                                    .k_batch = 2 * p.k.batch,
                                    .k_head = 2 * p.k.head,
                                    .v_batch = 2 * p.v.batch,
                                    .v_head = 2 * p.v.head,
                                    .lse_batch = packed ? 0 : uint64_t{4} * p.heads * p.queries,
                                    .lse_head = uint64_t{4} * (packed ? p.total_queries : p.queries),
                                    .o_row = 2 * p.o.row,
                                    .q_row = 2 * p.q.row,
                                    .k_row = 2 * p.k.row,
                                    .v_row = 2 * p.v.row,
                                    .queries = p.queries,
                                    .keys = p.keys,
                                    .kv_group = static_cast<uint32_t>(((uint64_t{1} << 31) + group - 1) / group),
                                    .diagonal = p.mask == Mask::none ? int32_t{1} << 29
                                                : p.mask == Mask::top_left || packed
                                                    ? 0
                                                    : static_cast<int32_t>(p.keys) - static_cast<int32_t>(p.queries),
                                    .scale_log2 = p.scale * std::numbers::log2e_v<float>,
                                    .cu_seqlens_q = {to.cu_seqlens_q},
                                    .cu_seqlens_k = {to.cu_seqlens_k},
                                    .from_end = p.mask == Mask::bottom_right ? -1 : 0},
      c);
  return out;
}

}  // namespace wavesmith
