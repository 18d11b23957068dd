// What a host needs of the attention kernel beyond its code: which configurations there are, the name, the launch.
#include <cmath>
#include <numbers>

#include "kernels/attention_kernel.h"
#include "kernels/gemm.h"

namespace wavesmith {

using isa::Type;

namespace {
[[noreturn]] void refuse(const std::string& what) { throw ConfigError("attention: " + what); }
}  // namespace

void check(const AttentionConfig& c, Arch arch) {
  const auto& row = isa::info(Opcode::v_mfma_f32_32x32x8_bf16);
  if (!row.on(arch)) refuse(fmt::format("target {} has no kernel yet; legal are {}", isa::target(arch).name, isa::archs_with(row)));
  if (c.type != Type::f16 && c.type != Type::bf16) refuse("Q, K, V and O are f16 or bf16");
  if (c.head_dim != 64 && c.head_dim != 128) refuse(fmt::format("head dimension {}; legal are 64 and 128", c.head_dim));
}

std::string kernel_name(const AttentionConfig& c) { return fmt::format("attention_forward_{}_d{}", c.type == Type::f16 ? "f16" : "bf16", c.head_dim); }

AttentionProblem complete(const AttentionConfig& c, AttentionProblem p) {
  const auto dim = static_cast<uint32_t>(c.head_dim);
  const auto packed = [&](AttentionStrides& s, uint32_t rows, uint32_t heads) {
    if (!s.row) s = {uint64_t{rows} * heads * dim, dim, heads * dim};
  };
  packed(p.o, p.queries, p.heads);
  packed(p.q, p.queries, p.heads);
  packed(p.k, p.keys, p.kv_heads);
  packed(p.v, p.keys, p.kv_heads);
  if (p.scale == 0) p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)));
  return p;
}

AttentionLaunch launch(const AttentionConfig& c, const AttentionProblem& problem, const AttentionPointers& to) {
  const AttentionProblem p = complete(c, problem);
  if (!p.kv_heads || p.heads % p.kv_heads || p.heads >= 1u << 15)
    refuse(fmt::format("{} heads over {} K/V heads; legal are multiples, less than 32768", p.heads, p.kv_heads));
  if (!(p.scale > 0) || !std::isfinite(p.scale)) refuse(fmt::format("scale is {}, legal are positive numbers", p.scale));
  if (p.queries >= 1u << 29 || p.keys >= 1u << 29) refuse(fmt::format("{} queries, {} keys; legal are less than 2^29", p.queries, p.keys));
  for (const auto& [name, s, rows] : {std::tuple("O", p.o, p.queries), {"Q", p.q, p.queries}, {"K", p.k, p.keys}, {"V", p.v, p.keys}}) {
    // Lanes address a head of K or V with 32 bits, up to a tile beyond its end; a workgroup its queries.
    const uint64_t lines = name[0] == 'O' || name[0] == 'Q' ? attention::block_rows : uint64_t{rows} + 128, most = 0xffffffffu / (2 * lines);
    if (s.row < static_cast<uint32_t>(c.head_dim) || s.row > most) refuse(fmt::format("rows of {} are {} elements apart, legal are {} to {}", name, s.row, c.head_dim, most));
    if (s.row % 8 || s.head % 8 || s.batch % 8) refuse(fmt::format("strides of {} are {}, {}, {} elements; legal are multiples of 8", name, s.batch, s.head, s.row));
  }
  AttentionLaunch out;
  out.grid = {(p.queries + attention::block_rows - 1) / attention::block_rows, p.heads, p.batch};
  out.block = attention::lanes;
  const auto put = [&](auto value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out.kernargs.insert(out.kernargs.end(), bytes, bytes + sizeof value);
  };
  for (const uint64_t a : {to.o, to.q, to.k, to.v, to.lse}) put(a);
  for (const auto& s : {p.o, p.q, p.k, p.v}) put(2 * s.batch), put(2 * s.head);
  put(uint64_t{4} * p.heads * p.queries);
  put(uint64_t{4} * p.queries);
  for (const uint32_t row : {p.o.row, p.q.row, p.k.row, p.v.row}) put(2 * row);
  put(p.queries);
  put(p.keys);
  const uint32_t group = p.heads / p.kv_heads;
  put(static_cast<uint32_t>(((uint64_t{1} << 31) + group - 1) / group));
  put(p.mask == Mask::none ? int32_t{1} << 29 : p.mask == Mask::top_left ? 0 : static_cast<int32_t>(p.keys) - static_cast<int32_t>(p.queries));
  put(p.scale * std::numbers::log2e_v<float>);
  return out;
}

}  // namespace wavesmith
