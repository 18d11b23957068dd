// Decoding with multi-head latent attention of ROCm/aiter: all heads share one row of 576 values a key, the first 512
// of them its value. Keys stand in pages of a table; splits over the keys are merged here.
#include "tests/production/production_attention.h"

namespace production {

namespace {

constexpr uint32_t latent_dim = 576, value_dim = 512;
const double latent_scale = 1 / std::sqrt(576.0);

struct Mla {
  std::string file;
  uint32_t heads, queries;     // of each sequence
  std::vector<uint32_t> keys;  // of each sequence
  uint32_t splits, tile;       // tile: rows (queries times heads) of a workgroup
  bool fp8 = false;
  bool bf16_out = false;  // one split: O is stored in bf16
  int quantum = 64;       // of the waves' turns: kernels that order LDS by time alone are right at 1
  uint32_t latency = 0;  // instructions that a load takes: kernels that read what a load overwrites are right with some
  uint32_t rows = 0;     // MQA, if it is not heads times queries
  uint32_t beyond = 0;   // bytes read after the last row of Q and of KV, to no effect
  uint32_t flag = 0x120;                // bf16_out's offset
  bool causal = true, scales_v = true;  // no: the kernel does not
};

struct Problem {
  Values q, kv;
  std::vector<uint32_t> q_start{0}, kv_start{0}, pages, last, split_start{0};
  uint32_t page = 1;  // keys of one
  size_t row(size_t sequence, size_t key) const {
    return static_cast<size_t>(pages[kv_start[sequence] + key / page]) * page + key % page;
  }
};

Problem problem(const Mla& a, const sim::FloatFormat& f, uint32_t page = 1) {
  Random r{std::mt19937(21)};
  Problem p;
  p.page = page;
  const uint32_t batch = static_cast<uint32_t>(a.keys.size());
  for (const uint32_t keys : a.keys) {
    p.q_start.push_back(p.q_start.back() + a.queries),
        p.kv_start.push_back(p.kv_start.back() + (keys + page - 1) / page);
    p.split_start.push_back(p.split_start.back() + a.splits), p.last.push_back((keys - 1) % page + 1);
  }
  for (uint32_t i = 0; i < p.kv_start.back(); ++i) p.pages.push_back(i);
  std::shuffle(p.pages.begin(), p.pages.end(), r.bits);
  p.q = random_values(static_cast<size_t>(batch) * a.queries * a.heads * latent_dim, f, r);
  p.kv = random_values(static_cast<size_t>(p.pages.size()) * page * latent_dim, f, r);
  return p;
}

void compare_mla(const Mla& a, const Problem& p, Run& run, uint64_t o, uint64_t lse, const Rounding& rounding,
                 double qk_descale, double v_descale) {
  const size_t tokens = a.keys.size() * a.queries, rows = tokens * a.splits * a.heads;
  const auto got = run.read(o, rows * value_dim * (a.bf16_out ? 2 : 4)), got_lse = run.read(lse, rows * 4);
  Errors eo, el;
  for (size_t b = 0; b < a.keys.size(); ++b)
    for (uint32_t i = 0; i < a.queries; ++i)
      for (uint32_t h = 0; h < a.heads; ++h) {
        const size_t token = b * a.queries + i;
        const auto kv = [&](size_t j, uint32_t d) { return p.kv.values[p.row(b, j) * latent_dim + d]; };
        const auto wanted =
            attend(p.q.values.data() + (token * a.heads + h) * latent_dim,
                   a.keys[b] - (a.causal ? a.queries - 1 - i : 0), latent_dim, value_dim, latent_scale * qk_descale,
                   rounding, kv, [&](size_t j, uint32_t d) { return kv(j, d) * v_descale; });
        const auto at = [&](size_t s) { return (token * a.splits + s) * a.heads + h; };
        std::vector<double> split_lse(a.splits);
        for (size_t s = 0; s < a.splits; ++s) split_lse[s] = f32_at(got_lse, at(s));
        if (a.splits == 1 && std::isnan(split_lse[0])) split_lse[0] = 0;  // one split may leave the logarithm out
        else {
          const auto m = merge(split_lse, 0, [](size_t, uint32_t) { return 0.0; });
          el.add(m.lse, wanted.lse, wanted.lse_allowed);
        }
        const auto m = merge(split_lse, value_dim, [&](size_t s, uint32_t d) {
          return a.bf16_out ? bf16_at(got, at(s) * value_dim + d) : f32_at(got, at(s) * value_dim + d);
        });
        for (uint32_t d = 0; d < value_dim; ++d) eo.add(m.o[d], wanted.o[d], wanted.o_allowed[d]);
      }
  if (el.count) run.compare({{"O", eo}, {"LSE", el}});
  else run.compare({{"O", eo}});
}

std::string title(const Mla& a) {
  std::string keys;
  for (const uint32_t k : a.keys) keys += fmt::format("{}{}", keys.empty() ? "" : ", ", k);
  return fmt::format("{} | {} heads, {} queries, keys {}, {} splits", a.file, a.heads, a.queries, keys, a.splits);
}

// gfx942 and gfx950, each workgroup with its place in the grid: a slot of 16 bytes an argument.
void check_mla(const Mla& a) {
  const auto object = code_object(a.file);
  if (object.empty()) return;
  const auto f = !a.fp8 ? sim::format::bf16 : a.file.starts_with("gfx942") ? sim::format::fp8_fnuz : sim::format::fp8;
  const Problem p = problem(a, f);
  Run run;
  run.options.quantum = a.quantum;
  run.options.late = a.latency != 0, run.options.latency = a.latency;
  const size_t tokens = a.keys.size() * a.queries, rows = tokens * a.splits * a.heads;
  const uint32_t element = a.fp8 ? 1 : 2;
  const uint64_t o = run.output("O", rows * value_dim * (a.bf16_out ? 2 : 4)), lse = run.output("LSE", rows * 4);
  Bytes q = p.q.codes, kv = p.kv.codes;
  q.resize(q.size() + a.beyond), kv.resize(kv.size() + a.beyond);
  constexpr double q_scale = 0.5, kv_scale = 0.25;
  aiter::LatentBuffers buffers{.o = o,
                               .lse = lse,
                               .q = run.buffer("Q", q),
                               .keys = run.buffer("KV", kv),
                               .key_starts = run.buffer("kv_indptr", p.kv_start),
                               .pages = run.buffer("kv_page_indices", p.pages),
                               .last_pages = run.buffer("kv_last_page_lens", p.last),
                               .q_starts = run.buffer("qo_indptr", p.q_start),
                               .split_starts = run.buffer("num_kv_splits_indptr", p.split_start)};
  if (a.fp8)
    buffers.q_scale = run.buffer("q_scale", std::vector<float>{q_scale}),
    buffers.key_scale = run.buffer("kv_scale", std::vector<float>{kv_scale});
  run.launch = aiter::latent(
      {static_cast<uint32_t>(a.keys.size()), a.heads, a.queries, a.splits, a.tile, element, a.rows, a.bf16_out, a.flag},
      buffers, static_cast<float>(latent_scale));
  run.run(object, title(a));
  compare_mla(a, p, run, o, lse, a.fp8 ? Rounding{0x1p-4, 0x1p-11} : Rounding{}, a.fp8 ? q_scale * kv_scale : 1,
              a.fp8 && a.scales_v ? kv_scale : 1);
}

// gfx1250: 120 bytes, packed and preloaded; 64 keys a page, their 512 bytes each in front of their last 64; rows of Q
// 768 bytes apart.
void check_packed(const Mla& a) {
  const auto object = code_object(a.file);
  if (object.empty()) return;
  const Problem p = problem(a, sim::format::fp8, 64);
  Run run;
  run.options.quantum = a.quantum;
  const size_t rows = a.keys.size() * a.queries * a.splits * a.heads;
  const uint64_t o = run.output("O", rows * value_dim * 4), lse = run.output("LSE", rows * 4);
  const float q_scale = 0.5, kv_scale = 0.25;
  Bytes q(p.q.codes.size() / latent_dim * 768), kv(p.kv.codes.size());
  for (size_t i = 0; i < p.q.codes.size(); ++i) q[i / latent_dim * 768 + i % latent_dim] = p.q.codes[i];
  for (size_t i = 0; i < kv.size(); ++i) {
    const size_t row = i / latent_dim, d = i % latent_dim, page = row / 64 * 64 * latent_dim;
    kv[page + (d < value_dim ? row % 64 * value_dim + d : 64 * value_dim + row % 64 * 64 + d - value_dim)] =
        p.kv.codes[i];
  }
  std::vector<uint32_t> pages = p.pages;
  pages.resize(pages.size() + 16);  // read beyond the last, as the kernel's prefetch does
  run.arguments<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                uint64_t>(0, 0, o, lse, run.buffer("Q", q), run.buffer("KV", kv), run.buffer("kv_indptr", p.kv_start),
                          run.buffer("kv_page_indices", pages), run.buffer("kv_last_page_lens", p.last),
                          run.buffer("qo_indptr", p.q_start), run.buffer("q_scale", std::vector<float>{q_scale}),
                          run.buffer("kv_scale", std::vector<float>{kv_scale}),
                          run.buffer("valid_split_count", std::vector<uint32_t>(a.keys.size())));
  run.arguments<uint32_t, float, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>(
      0x58, 0, 0, static_cast<float>(latent_scale), a.heads * a.queries, a.splits, 64 * latent_dim, 6,
      a.queries * a.heads * latent_dim, 1);
  run.launch.grid = {(a.queries * a.heads + a.tile - 1) / a.tile, static_cast<uint32_t>(a.keys.size()), a.splits},
  run.launch.block = {128, 1, 1};
  run.run(object, title(a));
  compare_mla(a, p, run, o, lse, Rounding{0x1p-4, 0x1p-10}, q_scale * kv_scale, kv_scale);
}

}  // namespace

TEST_CASE("production MLA decoding in bf16 gives the reference's numbers", "[.][production]") {
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return arch + "/mla/" + name + ".co"; };
  check_mla({file("mla_dec_stage1_bf16_a16w16_subQ16_mqa16"), 16, 1, {100, 900}, 2, 16});
  check_mla({file("mla_dec_stage1_bf16_a16w16_subQ128_mqa128"), 128, 1, {700}, 2, 128});
  check_mla({file("mla_a16w16_qh16_m16x4_n16x1_coex0_mask1"), 16, 4, {100, 33}, 2, 128});
  check_mla({file("mla_a16w16_qh16_m32x4_n16x1_coex0_mask1"), 16, 8, {100, 33}, 2, 128});
  check_mla({file("mla_a16w16_qh8_qseqlen1_gqaratio8_v3"), 8, 1, {100, 900}, 2, 8});
  check_mla({file("MLA_A16W16_1TG_4W_64mx1_16nx1_Coex0_Msk1_QH16"), 64, 1, {100, 65}, 2, 64});
  if (arch == "gfx942") check_mla({file("MLA_A16W16_1TG_4W_32mx1_16nx1_Coex0_Msk1_QH16"), 32, 1, {100, 65}, 2, 64});
  else {
    check_mla({file("MLA_A16W16_1TG_4W_16mx4_32nx1_Coex0_Msk1_QH16"), 32, 1, {100, 65}, 2, 64});
    check_mla({file("mla_a16w16_qh64_qseqlen1_gqaratio64_v3"), 64, 1, {100, 65}, 2, 64});
    // Two queries of 8 heads in the 16 rows of one wave; MQA counts one of them.
    for (const bool causal : {true, false}) {
      Mla a{file(causal ? "mla_a16w16_qh8_qseqlen2_gqaratio8_causal" : "mla_a16w16_qh8_qseqlen2_gqaratio8"),
            8,
            2,
            {100, 257},
            2,
            16};
      a.quantum = 1, a.rows = 8, a.beyond = 128, a.causal = causal;
      check_mla(a);
    }
  }
}

TEST_CASE("production MLA decoding in fp8 gives the reference's numbers", "[.][production]") {
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return arch + "/mla/" + name + ".co"; };
  const bool gfx942 = arch == "gfx942";
  check_mla({file("mla_a8w8_qh16_qseqlen1_gqaratio16"), 16, 1, {100, 257}, 2, 128, true, false, 1});
  check_mla({file("mla_a8w8_qh16_qseqlen2_gqaratio16"), 16, 2, {100, 257}, 2, 128, true, false, 1});
  check_mla({file("mla_a8w8_qh128_m32x4_n16x2_msk1"), 128, 1, {700}, 2, 128, true});
  if (gfx942) {
    check_mla({file("mla_a8w8_qh64_qseqlen4_gqaratio16"), 16, 4, {100, 257}, 2, 64, true});
    check_mla({file("mla_a8w8_qh64_qseqlen4_gqaratio16"), 16, 4, {100, 257}, 1, 64, true, true});
    for (const uint32_t splits : {1, 2}) {
      Mla a{file("mla_a8w8_qh8_qseqlen1_gqaratio8_v1"), 8, 1, {100, 257}, splits, 8, true, splits == 1};
      a.beyond = 64, a.scales_v = false;
      check_mla(a);
    }
  } else {
    Mla a{file("mla_a8w8_qh64_qseqlen4_gqaratio16"), 16, 4, {100, 257}, 1, 64, true, true};
    a.latency = 12, a.beyond = 64, a.flag = 0xf0;
    check_mla(a);
    check_mla({file("mla_a8w8_qh8_qseqlen1_gqaratio8_v3"), 8, 1, {100, 257}, 2, 8, true, false, 1});
  }
}

TEST_CASE("production MLA decoding of gfx1250 gives the reference's numbers", "[.][production]") {
  const auto file = [&](const char* name) { return fmt::format("gfx1250/mla/{}.co", name); };
  check_packed({file("mla_a8w8_qh16_1tg_16mx1_32nx4_np_3p"), 16, 1, {100, 257}, 2, 16, true});
  check_packed({file("mla_a8w8_qh8_1tg_8mx1_32nx4_np_3p"), 8, 1, {100, 257}, 2, 8, true});
  check_packed({file("mla_a8w8_qh32_1tg_32mx1_32nx4_np_3p"), 32, 1, {100, 257}, 2, 32, true});
  check_packed({file("mla_a8w8_qh64_1tg_16mx4_64nx1_np"), 64, 1, {100, 257}, 2, 64, true});
}

}  // namespace production
