// Attention forward: batch 16, tensors [batch][row][head][column], no log-sum-exp.
#include <fmt/format.h>

#include <filesystem>

#include "kernels/attention/attention.h"
#include "tests/validation/competition.h"
#include "tests/validation/peers.h"

namespace wavesmith::validation {
namespace {

std::vector<Time> times_of_peers(const AttentionShape& a, const isa::Gpu& gpu, const Sources& s) {
  std::vector<Time> times;
  const double flops = 2.0 * a.batch * a.heads * a.queries * a.keys * (a.dim + a.dim_v) * (a.causal ? 0.5 : 1);
  const auto run = [&](const char* name, const std::string& file, auto launch) {
    if (!std::filesystem::exists(file)) return;
    sim::Memory memory;
    const sim::Launch l = launch(memory);
    times.push_back({name, seconds_of(file, l, memory, gpu, flops)});
  };
  run("aiter", fmt::format("{}/{}", s.production, aiter_attention_file(a, gpu.arch)),
      [&](sim::Memory& m) { return aiter_attention_launch(a, gpu.arch, m); });
  if (gpu.arch == isa::Arch::gfx950 && !a.fp8)
    run("HipKittens", fmt::format("{}/hipkittens/{}", s.peers, kittens_attention_file(a)),
        [&](sim::Memory& m) { return kittens_attention_launch(a, m); });
  return times;
}

Time time_of_ours(const AttentionShape& a, const isa::Gpu& gpu) try {
  AttentionConfig c{.head_dim = static_cast<int>(a.dim), .head_dim_v = static_cast<int>(a.dim_v)};
  if (a.fp8) c.q_type = c.kv_type = isa::Type::fp8, c.fp8_products = true;
  const AttentionProblem p{.batch = a.batch,
                           .heads = a.heads,
                           .kv_heads = a.kv_heads,
                           .queries = a.queries,
                           .keys = a.keys,
                           .mask = a.causal ? Mask::bottom_right : Mask::none};
  sim::Memory memory;
  const auto tensor = [&](const char* name, uint32_t heads, uint32_t rows, uint32_t width) {
    return memory.allocate(uint64_t{a.batch} * heads * rows * width * 2, name);
  };
  const auto launches = launch(c, gpu.arch, p,
                               {.o = tensor("O", a.heads, a.queries, a.dim_v),
                                .q = tensor("Q", a.heads, a.queries, a.dim),
                                .k = tensor("K", a.kv_heads, a.keys, a.dim),
                                .v = tensor("V", a.kv_heads, a.keys, a.dim_v)});
  const KernelLaunch& k = launches.front();  // many queries: one launch
  return {kernel_name(c), seconds_of(build_attention(c, gpu.arch), k, memory, gpu)};
} catch (const std::exception& e) { return {e.what()}; }

}  // namespace

std::vector<Match> attention_matches(const Sources& s) {
  std::vector<Match> all;
  struct Dims {
    uint32_t qk, v;
    bool fp8 = false;
  };
  for (const char* name : {"MI300X", "MI355X", "MI455X / MI450"})
    for (const Dims d : {Dims{128, 128}, {64, 64}, {192, 128}, {128, 128, true}})
      for (const bool causal : {false, true})
        for (const uint32_t length : {1024u, 2048u, 4096u, 8192u, 16384u})
          for (const auto& [heads, kv_heads] : {std::pair(16u, 16u), {64u, 8u}}) {
            const isa::Gpu& gpu = *isa::find_gpu(name);
            AttentionShape a{16, heads, kv_heads, length, length, causal, d.qk, d.v};
            a.fp8 = d.fp8;
            if (gpu.arch == isa::Arch::gfx1250 && (d.fp8 || d.qk != d.v || length > 8192)) continue;
            all.push_back(
                {fmt::format("{} attention {}d{} {}/{}", gpu.arch == isa::Arch::gfx1250 ? "gfx1250" : name,
                             d.fp8 ? "fp8 " : "",
                             d.qk == d.v ? fmt::format("{}", d.qk) : fmt::format("{}/{}", d.qk, d.v), heads, kv_heads),
                 fmt::format("heads {}k{}", length / 1024, causal ? " causal" : ""),
                 [a, &gpu, &s] { return times_of_peers(a, gpu, s); }, [a, &gpu] { return time_of_ours(a, gpu); }});
          }
  return all;
}

}  // namespace wavesmith::validation
