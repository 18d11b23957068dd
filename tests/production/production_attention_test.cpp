// Flash attention of ROCm/aiter, forward, bf16: O = softmax(scale Q K^T) V and the logarithm of the sum. P is rounded
// to bf16 before it meets V, and O once more: each moves an element by at most 2^-8 (to nearest) of sum |p v| / l.
#include "tests/production/production_attention.h"

namespace production {

namespace {

struct Attention {
  const char* file;
  uint32_t batch, heads, kv_heads, q, kv;
  bool causal;
  uint32_t opt = 0;
  uint64_t seed = 0;  // of the order of waves
  int quantum = 64;
};
constexpr uint32_t head_dim = 128;
constexpr double score_scale = 0.08838834764831845;  // 1 / sqrt(128)

struct Tensors {
  Values q, k, v;                                      // [batch][row][head][dim]
  std::vector<double> o, lse, o_allowed, lse_allowed;  // o as q; lse [batch][head][row]
};

void one_row(Tensors& t, const Attention& a, uint32_t b, uint32_t h, uint32_t i) {
  const size_t row = (static_cast<size_t>(b) * a.q + i) * a.heads + h, kv_head = h / (a.heads / a.kv_heads);
  const auto kv_row = [&](uint32_t j) {
    return ((static_cast<size_t>(b) * a.kv + j) * a.kv_heads + kv_head) * head_dim;
  };
  const int64_t keys =
      a.causal ? static_cast<int64_t>(i) + a.kv - a.q + 1 : a.kv;  // the mask's lower right corner is the last key
  const auto wanted = attend(
      t.q.values.data() + row * head_dim, static_cast<size_t>(std::max<int64_t>(keys, 0)), head_dim, head_dim,
      score_scale, {}, [&](size_t j, uint32_t d) { return t.k.values[kv_row(j) + d]; },
      [&](size_t j, uint32_t d) { return t.v.values[kv_row(j) + d]; });
  std::copy(wanted.o.begin(), wanted.o.end(), t.o.begin() + row * head_dim),
      std::copy(wanted.o_allowed.begin(), wanted.o_allowed.end(), t.o_allowed.begin() + row * head_dim);
  const size_t at = (static_cast<size_t>(b) * a.heads + h) * a.q + i;
  t.lse[at] = wanted.lse, t.lse_allowed[at] = wanted.lse_allowed;
}

Tensors tensors(const Attention& a) {
  Random r{std::mt19937(1)};
  Tensors t;
  const auto bf16 = sim::format::bf16;
  const size_t q = static_cast<size_t>(a.batch) * a.q * a.heads * head_dim,
               kv = static_cast<size_t>(a.batch) * a.kv * a.kv_heads * head_dim;
  t.q = random_values(q, bf16, r), t.k = random_values(kv, bf16, r), t.v = random_values(kv, bf16, r);
  t.o.resize(q), t.o_allowed.resize(q), t.lse.resize(q / head_dim), t.lse_allowed.resize(q / head_dim);
  for (uint32_t b = 0; b < a.batch; ++b)
    for (uint32_t h = 0; h < a.heads; ++h)
      for (uint32_t i = 0; i < a.q; ++i) one_row(t, a, b, h, i);
  return t;
}

// Arguments of gfx942 and gfx950: a slot of 16 bytes each.
void arguments(Run& run, const Attention& a, const std::array<uint64_t, 5>& p) {
  const uint32_t q_row = a.heads * head_dim * 2, kv_row = a.kv_heads * head_dim * 2, head = head_dim * 2;
  for (size_t i = 0; i < 5; ++i) run.put<uint64_t>(16 * i, p[i]);
  run.put<float>(0x50, static_cast<float>(score_scale));
  run.slots(0x60, {a.q, q_row, 256 * q_row, head, a.q * q_row, a.heads / a.kv_heads, kv_row, head, a.kv * kv_row, a.opt,
                   1, a.kv, head_dim, head_dim, a.heads});
  run.slots(0x150, {kv_row, head, a.kv * kv_row, q_row, head, a.q * q_row});
  run.slots(0x1d0, {a.q * 4});
  const uint32_t tiles = (a.q + 255) / 256;
  run.launch.grid = {a.causal ? (tiles + 1) / 2 : tiles, a.heads, a.batch}, run.launch.block = {512, 1, 1};
}

// gfx1250: 132 bytes, packed, the first 30 dwords preloaded; opt 7 as the host passes it.
void packed_arguments(Run& run, const Attention& a, const std::array<uint64_t, 5>& p) {
  const uint32_t q_row = a.heads * head_dim * 2, kv_row = a.kv_heads * head_dim * 2, head = head_dim * 2;
  for (size_t i = 0; i < 5; ++i) run.put<uint64_t>(8 * i, p[i]);
  run.put<float>(0x28, static_cast<float>(score_scale));
  const uint32_t rest[] = {
      a.q, q_row, 128 * q_row, head,   a.q * q_row, a.heads / a.kv_heads, kv_row, head, a.kv * kv_row, 7,
      1,   a.kv,  a.heads,     kv_row, head,        a.kv * kv_row,        q_row,  head, a.q * q_row,   a.q * 4};
  for (size_t i = 0; i < std::size(rest); ++i) run.put(0x2c + 4 * i, rest[i]);
  run.put<uint64_t>(0x7c, 0);
  run.launch.grid = {a.heads, ((a.q + 127) / 128 + 1) / 2, a.batch}, run.launch.block = {128, 1, 1};
}

void check_attention(const Attention& a) {
  const auto object = code_object(a.file);
  if (object.empty()) return;
  const Tensors t = tensors(a);
  Run run;
  run.options.seed = a.seed, run.options.quantum = a.quantum;
  const uint64_t o = run.output("O", t.o.size() * 2), q = run.buffer("Q", t.q.codes), k = run.buffer("K", t.k.codes),
                 v = run.buffer("V", t.v.codes);
  const uint64_t lse = run.output("LSE", t.lse.size() * 4);
  (std::string(a.file).starts_with("gfx1250") ? packed_arguments : arguments)(run, a, {o, q, k, v, lse});
  run.run(object,
          fmt::format("{} | {}heads {}/{}, {} x {}{}", a.file, a.batch > 1 ? fmt::format("batch {}, ", a.batch) : "",
                      a.heads, a.kv_heads, a.q, a.kv, a.opt ? fmt::format(", opt {}", a.opt) : ""));
  const auto got = run.read(o, t.o.size() * 2), got_lse = run.read(lse, t.lse.size() * 4);
  Errors eo, el;
  for (size_t i = 0; i < t.o.size(); ++i) eo.add(bf16_at(got, i), t.o[i], t.o_allowed[i]);
  for (size_t i = 0; i < t.lse.size(); ++i) el.add(f32_at(got_lse, i), t.lse[i], t.lse_allowed[i]);
  run.compare({{"O", eo}, {"LSE", el}});
}

}  // namespace

TEST_CASE("production flash attention of gfx942 gives the reference's numbers", "[.][production]") {
  const char *full = "gfx942/fmha_v3_fwd/MI300/fwd_hd128_bf16_rtne.co",
             *causal = "gfx942/fmha_v3_fwd/MI300/fwd_hd128_bf16_causal_rtne.co";
  check_attention({full, 1, 1, 1, 256, 64, false});
  check_attention({full, 2, 2, 1, 301, 173, false});
  check_attention({causal, 1, 2, 1, 515, 333, true});
  check_attention({causal, 1, 8, 2, 300, 517, true, 5, 7, 400});
  check_attention({causal, 1, 2, 2, 257, 257, true, 3, 3, 1});
}

TEST_CASE("production flash attention of gfx950 gives the reference's numbers", "[.][production]") {
  const char *full = "gfx950/fmha_v3_fwd/fwd_hd128_bf16.co", *causal = "gfx950/fmha_v3_fwd/fwd_hd128_bf16_causal.co";
  check_attention({full, 1, 1, 1, 256, 64, false});
  check_attention({full, 2, 2, 1, 301, 173, false});
  check_attention({causal, 1, 2, 1, 515, 333, true, 0, 0, 64});
  check_attention({causal, 1, 8, 2, 300, 517, true, 5, 7, 16});
  check_attention({causal, 1, 2, 2, 257, 257, true, 3, 0, 1});
}

TEST_CASE("production flash attention of gfx1250 gives the reference's numbers", "[.][production]") {
  const char *full = "gfx1250/fmha_fwd_bf16/fmha_bf16_pertokenBf16_hd128_128x256.co",
             *mask = "gfx1250/fmha_fwd_bf16/fmha_bf16_pertokenBf16_hd128_128x256_mask.co";
  check_attention({full, 1, 1, 1, 128, 256, false});
  check_attention({full, 2, 2, 1, 301, 173, false});
  check_attention({mask, 1, 2, 1, 515, 333, true, 7, 0, 64});
  check_attention({mask, 1, 8, 2, 300, 517, true, 7, 7, 16});
  check_attention({mask, 1, 2, 2, 257, 257, true, 7, 0, 1});
}

}  // namespace production
