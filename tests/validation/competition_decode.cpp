// Decoding with latent keys in bf16: one query of 16 or 128 heads, which share all keys, beside aiter's launches with
// the number of splits that is fastest. The second one, which merges several splits, is no code object: for it stands
// ours, of as many splits, whose results have the same size.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "kernels/attention/attention.h"
#include "tests/support/aiter_launch.h"
#include "tests/validation/competition.h"

namespace wavesmith::validation {
namespace {

constexpr uint32_t dim = 576, dim_v = 512, element = 2;

struct DecodeShape {
  uint32_t batch, heads, keys;
};

struct LatentDecode {
  AttentionConfig config;
  AttentionProblem problem;
  Program kernel;
  std::vector<KernelLaunch> launches;
};
LatentDecode latent_decode(const DecodeShape& d, const isa::Gpu& gpu, uint32_t splits, sim::Memory& memory) {
  LatentDecode o{
      .config = {.head_dim = dim, .head_dim_v = dim_v, .latent = true, .schedule = AttentionSchedule::decode},
      .problem = {.batch = d.batch,
                  .heads = d.heads,
                  .kv_heads = 1,
                  .queries = 1,
                  .keys = d.keys,
                  .splits = splits,
                  .compute_units = static_cast<uint32_t>(gpu.units)}};
  o.config.latent_rows = latent_rows_for(o.config, gpu.arch, d.heads);
  const uint64_t rows = uint64_t{d.batch} * d.heads;
  AttentionPointers to{.o = memory.allocate(rows * dim_v * element, "O"),
                       .q = memory.allocate(rows * dim * element, "Q"),
                       .k = memory.allocate(uint64_t{d.batch} * d.keys * dim * element, "K")};
  if (const uint64_t bytes = workspace_bytes(o.config, gpu.arch, o.problem))
    to.workspace = memory.allocate(bytes, "workspace");
  o.kernel = build_attention(o.config, gpu.arch);
  o.launches = launch(o.config, gpu.arch, o.problem, to);
  return o;
}

std::vector<Time> latent_of_peers(const DecodeShape& d, const isa::Gpu& gpu, const Sources& s) {
  std::vector<Time> times;
  const std::string kernel = fmt::format("mla_dec_stage1_bf16_a16w16_subQ{0}_mqa{0}", d.heads),
                    file = fmt::format("{}/{}/mla/{}.co", s.production, isa::target(gpu.arch).name, kernel);
  if (!std::filesystem::exists(file)) return times;
  for (uint32_t splits = 1; splits <= 32 && splits <= d.keys / 64; splits *= 2) {
    sim::Memory memory;
    const auto numbers = [&](const char* name, uint32_t count, auto value) {
      std::vector<uint32_t> all;
      for (uint32_t i = 0; i < count; ++i) all.push_back(value(i));
      const uint64_t at = memory.allocate(all.size() * sizeof(uint32_t), name);
      memory.write(at, {reinterpret_cast<const uint8_t*>(all.data()), all.size() * sizeof(uint32_t)});
      return at;
    };
    const uint64_t rows = uint64_t{d.batch} * d.heads;
    const aiter::LatentBuffers p{
        .o = memory.allocate(rows * splits * dim_v * sizeof(float), "O"),
        .lse = memory.allocate(rows * splits * sizeof(float), "LSE"),
        .q = memory.allocate(rows * dim * element, "Q"),
        .keys = memory.allocate(uint64_t{d.batch} * d.keys * dim * element, "K"),
        .key_starts = numbers("first pages", d.batch + 1, [&](uint32_t i) { return i * d.keys; }),
        .pages = numbers("pages", d.batch * d.keys, [](uint32_t i) { return i; }),
        .last_pages = numbers("keys of the last pages", d.batch, [](uint32_t) { return 1u; }),
        .q_starts = numbers("first queries", d.batch + 1, [](uint32_t i) { return i; }),
        .split_starts = numbers("first splits", d.batch + 1, [&](uint32_t i) { return i * splits; })};
    const sim::Launch l =
        aiter::latent({.batch = d.batch, .heads = d.heads, .queries = 1, .splits = splits, .tile = d.heads}, p,
                      static_cast<float>(1 / std::sqrt(static_cast<double>(dim))));
    double seconds = seconds_of(file, l, memory, gpu, 2.0 * static_cast<double>(rows) * d.keys * (dim + dim_v));
    if (seconds > 0 && splits > 1) {
      const LatentDecode o = latent_decode(d, gpu, splits, memory);
      seconds += seconds_of(o.kernel, o.launches.at(1), memory, gpu);
    }
    times.push_back({fmt::format("aiter {} / {}", kernel, splits), seconds});
  }
  return times;
}

Time latent_of_ours(const DecodeShape& d, const isa::Gpu& gpu) try {
  sim::Memory memory;
  const LatentDecode o = latent_decode(d, gpu, 0, memory);
  double seconds = 0;
  for (const KernelLaunch& l : o.launches) seconds += seconds_of(o.kernel, l, memory, gpu);
  return {kernel_name(o.config), seconds};
} catch (const std::exception& e) { return {e.what()}; }

}  // namespace

std::vector<Match> decode_matches(const Sources& s) {
  std::vector<Match> all;
  for (const char* name : {"MI300X", "MI355X"})
    for (const uint32_t heads : {16u, 128u})
      for (const uint32_t batch : {1u, 16u, 64u, 128u})
        for (const uint32_t keys : {4096u, 16384u}) {
          const isa::Gpu& gpu = *isa::find_gpu(name);
          const DecodeShape d{batch, heads, keys};
          all.push_back(
              {fmt::format("{} latent decode, {} heads", name, heads), fmt::format("batch {}, {}k", batch, keys / 1024),
               [d, &gpu, &s] { return latent_of_peers(d, gpu, s); }, [d, &gpu] { return latent_of_ours(d, gpu); }});
        }
  return all;
}

}  // namespace wavesmith::validation
