// First stage of the fused mixture of experts of ROCm/aiter: for each token and each of its experts silu(x gate^T) * (x
// up^T), from fp8 or int8 with a scale for each token and each row of weights. Tokens stand sorted by expert, each
// expert's padded to the rows of a workgroup; the upper byte of a sorted index is the place among the token's experts.
#include "tests/production/production_kernel.h"
#include "tests/support/aiter_launch.h"

namespace production {

namespace {

struct Moe {
  std::string file;
  bool fp8;
  uint32_t tile_m, tile_n;
  uint32_t tokens, dim, inner, experts, topk;
  bool weighted = false;  // by the token's weight of the expert
  int quantum = 64;
};

void check_moe(const Moe& a) {
  const auto object = code_object(a.file);
  if (object.empty()) return;
  Random r{std::mt19937(51)};
  const sim::FloatFormat f = a.file.starts_with("gfx942") ? sim::format::fp8_fnuz : sim::format::fp8;
  const auto elements = [&](size_t n) { return a.fp8 ? random_values(n, f, r) : random_bytes(n, r); };
  const double unit = a.fp8 ? 0.3 : 0.004;
  const Values x = elements(static_cast<size_t>(a.tokens) * a.dim),
               w = elements(static_cast<size_t>(a.experts) * 2 * a.inner * a.dim);
  const Values x_scale = random_floats(a.tokens, r, unit / 2, unit),
               w_scale = random_floats(static_cast<size_t>(a.experts) * 2 * a.inner, r, unit / 2, unit);
  Bytes weights;
  for (uint32_t e = 0; e < a.experts; ++e) {
    const auto begin = w.codes.begin() + static_cast<ptrdiff_t>(e) * 2 * a.inner * a.dim;
    const auto part = shuffled(Bytes(begin, begin + 2 * a.inner * a.dim), 2 * a.inner, a.dim);
    weights.insert(weights.end(), part.begin(), part.end());
  }
  std::vector<std::vector<uint32_t>> of(a.experts);  // sorted indices of each expert
  for (uint32_t t = 0; t < a.tokens; ++t)
    for (uint32_t i = 0; i < a.topk; ++i) of[(t * 5 + i * 3 + t / 7) % a.experts].push_back(t | i << 24);
  const auto [sorted, expert] = aiter::sort_tokens(of, a.tile_m, a.tokens | a.topk << 24);
  std::vector<float> weight;
  for (size_t i = 0; i < sorted.size(); ++i) weight.push_back(static_cast<float>(r.uniform()));
  Run run;
  const size_t out = static_cast<size_t>(a.tokens) * a.topk * a.inner;
  const uint64_t o = run.output("O", out * 2);
  run.launch = aiter::moe_stage1(
      {.tokens = a.tokens,
       .dim = a.dim,
       .inter = a.inner,
       .experts = a.experts,
       .topk = a.topk,
       .tile_m = a.tile_m,
       .tile_n = a.tile_n,
       .blocks = static_cast<uint32_t>(expert.size()),
       .gate_scales = 2 * a.inner * 4},
      {.out = o,
       .input = run.buffer("X", x.codes),
       .gate_up = run.buffer("gate, up", weights),
       .valid_rows = run.buffer("num_valid_ids", std::vector<uint32_t>{static_cast<uint32_t>(sorted.size()), a.tokens}),
       .input_scales = run.buffer("X scales", x_scale.codes),
       .gate_scales = run.buffer("weight scales", w_scale.codes),
       .sorted_tokens = run.buffer("sorted_token_ids", sorted),
       .sorted_experts = run.buffer("sorted_expert_ids", expert),
       .sorted_weights = a.weighted ? run.buffer("sorted_weights", weight) : 0},
      2);
  run.options.quantum = a.quantum;
  run.run(object, fmt::format("{} | {} tokens, {} of {} experts, {} to {}", a.file, a.tokens, a.topk, a.experts, a.dim,
                              a.inner));
  const auto got = run.read(o, out * 2);
  Errors e;
  for (size_t s = 0; s < sorted.size(); ++s) {
    const uint32_t t = sorted[s] & 0xffffff, place = sorted[s] >> 24;
    if (t >= a.tokens) continue;
    for (uint32_t n = 0; n < a.inner; ++n) {
      double sum[2] = {}, magnitude[2] = {};
      for (const uint32_t up : {0, 1}) {
        const size_t row = (static_cast<size_t>(expert[s / a.tile_m]) * 2 + up) * a.inner + n;
        for (uint32_t k = 0; k < a.dim; ++k) {
          const double p = x.values[static_cast<size_t>(t) * a.dim + k] * w.values[row * a.dim + k];
          sum[up] += p, magnitude[up] += std::abs(p);
        }
        const double scale = x_scale.values[t] * w_scale.values[row] * (up && a.weighted ? weight[s] : 1);
        sum[up] *= scale, magnitude[up] *= scale;
      }
      const double gate_scale = a.weighted ? weight[s] : 1, gate = sum[0] * gate_scale;
      const double silu = gate / (1 + std::exp(-gate)), wanted = silu * sum[1], step = (2 * a.dim + 16) * 0x1p-24;
      // silu' is at most 1.1; bf16 is cut or rounded
      e.add(bf16_at(got, (static_cast<size_t>(t) * a.topk + place) * a.inner + n), wanted,
            std::abs(wanted) * 0x1p-7 +
                step * (1.1 * magnitude[0] * gate_scale * std::abs(sum[1]) +
                        std::abs(silu) * (magnitude[1] + std::abs(sum[1]) * std::abs(gate))) +
                0x1p-133);
    }
  }
  run.compare({{"O", e}});
}

}  // namespace

TEST_CASE("production first stages of the mixture of experts give the reference's numbers", "[.][production]") {
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return arch + "/fmoe_2stages/" + name + ".co"; };
  check_moe({file("fmoe_stage1_bf16_pertokenFp8_g1u1_16x128_4tg_pf2"), true, 16, 128, 21, 512, 256, 4, 2});
  check_moe({file("fmoe_stage1_bf16_pertokenFp8_g1u1_32x128_3tg_pf2"), true, 32, 128, 21, 512, 256, 4, 2});
  check_moe({file("fmoe_stage1_bf16_pertokenInt8_g1u1_16x128_4tg_pf2"), false, 16, 128, 21, 512, 256, 4, 2});
  check_moe(
      {file("fmoe_stage1_bf16_pertokenFp8_doweight_g1u1_16x128_4tg_pf2"), true, 16, 128, 21, 512, 256, 4, 2, true});
  struct Tile {
    uint32_t m, n;
    const char* rest;
  };
  for (const auto& t : {Tile{16, 256, "3tg_pf2"},
                        {16, 512, "2tg_pf2"},
                        {48, 128, "2tg_pf2"},
                        {64, 256, "pf2"},
                        {80, 128, "2tg_pf2"},
                        {112, 128, "pf2"},
                        {128, 128, "pf3"},
                        {160, 64, "pf2"}})
    check_moe({file(fmt::format("fmoe_stage1_bf16_pertokenFp8_g1u1_{}x{}_{}", t.m, t.n, t.rest).c_str()), true, t.m,
               t.n,
               t.m < 80    ? 21
               : t.m < 128 ? t.m
                           : t.m * 3 / 2,
               512, 512, 3, 2});  // rows of a tile that count
}

}  // namespace production
