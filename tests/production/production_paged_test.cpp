// Decoding with paged attention of ROCm/aiter: keys and values stand in blocks of a table, K as
// [block][head][dim/x][key][x], V as [block][head][key/x][dim][x], x being 16 bytes of elements; 8-bit ones with a
// scale for each key.
#include "tests/production/production_attention.h"

namespace production {

namespace {

enum class Kv : uint8_t { as_q, fp8, int8 };
struct Paged {
  std::string file;
  bool half;  // f16 rather than bf16
  Kv kv;
  uint32_t heads, kv_heads;
  std::vector<uint32_t> keys;  // of each sequence
  uint32_t queries = 1, block = 16;
  bool causal = false;
  Rounding rounding{};
  int quantum = 64;
};
constexpr uint32_t paged_dim = 128;

void check_paged(const Paged& a) {
  const auto object = code_object(a.file);
  if (object.empty()) return;
  Random r{std::mt19937(41)};
  const sim::FloatFormat f = a.half ? sim::format::f16 : sim::format::bf16,
                         f8 = a.file.starts_with("gfx942") ? sim::format::fp8_fnuz : sim::format::fp8;
  const uint32_t batch = static_cast<uint32_t>(a.keys.size()), most = *std::max_element(a.keys.begin(), a.keys.end()),
                 columns = (most + a.block - 1) / a.block + 1;
  const uint32_t blocks = batch * columns, bytes = a.kv == Kv::as_q ? 2 : 1, x = 16 / bytes;
  std::vector<uint32_t> table(blocks), q_start{0};
  for (uint32_t i = 0; i < blocks; ++i) table[i] = i;
  for (uint32_t b = 0; b < batch; ++b) q_start.push_back(q_start.back() + a.queries);
  std::shuffle(table.begin(), table.end(), r.bits);
  const size_t tokens = static_cast<size_t>(batch) * a.queries,
               kv_count = static_cast<size_t>(blocks) * a.kv_heads * a.block * paged_dim;
  const Values q = random_values(tokens * a.heads * paged_dim, f, r);
  const auto cache = [&] {
    return a.kv == Kv::as_q  ? random_values(kv_count, f, r)
           : a.kv == Kv::fp8 ? random_values(kv_count, f8, r, 50)
                             : random_bytes(kv_count, r);
  };
  const Values k = cache(), v = cache();
  const double most_scale = a.kv == Kv::fp8 ? 0.02 : 0.015;
  const Values k_scale = random_floats(kv_count / paged_dim, r, most_scale / 2, most_scale),
               v_scale = random_floats(kv_count / paged_dim, r, most_scale / 2, most_scale);
  // Where an element of key `j` of a sequence stands.
  const auto place = [&](uint32_t b, uint32_t head, size_t j) {
    return std::pair{table[b * columns + j / a.block] * static_cast<size_t>(a.kv_heads) + head, j % a.block};
  };
  const auto key = [&](uint32_t b, uint32_t head, size_t j, uint32_t d) {
    const auto [at, i] = place(b, head, j);
    return k.values[((at * (paged_dim / x) + d / x) * a.block + i) * x + d % x] *
           (a.kv == Kv::as_q ? 1 : k_scale.values[at * a.block + i]);
  };
  const auto value = [&](uint32_t b, uint32_t head, size_t j, uint32_t d) {
    const auto [at, i] = place(b, head, j);
    return v.values[((at * (a.block / x) + i / x) * paged_dim + d) * x + i % x] *
           (a.kv == Kv::as_q ? 1 : v_scale.values[at * a.block + i]);
  };
  Run run;
  run.options.quantum = a.quantum;
  const uint64_t o = run.output("O", q.codes.size());
  run.arguments<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>(
      0, 16, o, run.buffer("Q", q.codes), run.buffer("K", k.codes), run.buffer("V", v.codes),
      run.buffer("block_tables", table), run.buffer("context_lens", a.keys));
  if (a.kv != Kv::as_q)
    run.arguments<uint64_t, uint64_t>(0x60, 16, run.buffer("k_scale", k_scale.codes),
                                      run.buffer("v_scale", v_scale.codes));
  const double scale = 1 / std::sqrt(static_cast<double>(paged_dim));
  run.put(0x80, static_cast<float>(scale * 1.4426950408889634));
  run.slots(0x90, {columns, a.kv_heads, a.heads * paged_dim * 2, a.kv_heads * a.block * paged_dim * bytes,
                   a.block * paged_dim * bytes, a.queries - 1, a.heads / a.kv_heads});
  run.arguments<uint64_t>(0x100, 16, a.queries > 1 ? run.buffer("qo_indptr", q_start) : 0);
  run.launch.grid = {a.kv_heads, batch, 1}, run.launch.block = {256, 1, 1};
  run.run(object, fmt::format("{} | heads {}/{}, {} queries, keys {}", a.file, a.heads, a.kv_heads, a.queries,
                              fmt::join(a.keys, ", ")));
  const auto got = run.read(o, q.codes.size());
  Errors e;
  for (uint32_t b = 0; b < batch; ++b)
    for (uint32_t i = 0; i < a.queries; ++i)
      for (uint32_t h = 0; h < a.heads; ++h) {
        const size_t row = (static_cast<size_t>(b) * a.queries + i) * a.heads + h;
        const uint32_t head = h / (a.heads / a.kv_heads);
        const auto wanted = attend(
            q.values.data() + row * paged_dim, a.keys[b] - (a.causal ? a.queries - 1 - i : 0), paged_dim, paged_dim,
            scale, a.rounding, [&](size_t j, uint32_t d) { return key(b, head, j, d); },
            [&](size_t j, uint32_t d) { return value(b, head, j, d); });
        for (uint32_t d = 0; d < paged_dim; ++d)
          e.add(a.half ? f16_at(got, row * paged_dim + d) : bf16_at(got, row * paged_dim + d), wanted.o[d],
                wanted.o_allowed[d]);
      }
  run.compare({{"O", e}});
}

}  // namespace

TEST_CASE("production paged attention gives the reference's numbers", "[.][production]") {
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return arch + "/pa/" + name + ".co"; };
  const Rounding half{0x1p-10, 0x1p-25, 0x1p-10};
  check_paged({file("pa_bf16_noquant_gqa8_1tg_4w"), false, Kv::as_q, 16, 2, {77, 1300}});
  check_paged({file("pa_bf16_noquant_gqa16_1tg_4w"), false, Kv::as_q, 16, 1, {77, 1300}});
  check_paged({file("pa_fp16_noquant_gqa8_1tg_4w"), true, Kv::as_q, 16, 2, {77, 1300}, 1, 16, false, half});
  check_paged({file("pa_fp16_noquant_gqa16_1tg_4w"), true, Kv::as_q, 16, 1, {77, 1300}, 1, 16, false, half});
  check_paged({file("pa_bf16_noquant_gqa8_1tg_4w_mtp_msk0"), false, Kv::as_q, 16, 2, {77, 1300}, 2, 16, false});
  check_paged({file("pa_bf16_noquant_gqa8_1tg_4w_mtp_msk1"), false, Kv::as_q, 16, 2, {77, 1300}, 2, 16, true});
}

TEST_CASE("production paged attention with 8-bit keys gives the reference's numbers", "[.][production]") {
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return arch + "/pa/" + name + ".co"; };
  // Q and P become 8-bit too: fp8, or a 127th of a row's largest (of P times its values' scales, which are within a
  // factor of two).
  const Rounding fp8{0x1p-4, 0x1p-10, 0x1p-8, 0x1p-4}, int8{0x1p-8, 1.0 / 127, 0x1p-8, 0, 0.5 / 127};
  check_paged({file("pa_bf16_pertokenFp8_gqa8_2tg_4w"), false, Kv::fp8, 16, 2, {77, 300}, 1, 16, false, fp8});
  check_paged({file("pa_bf16_pertokenInt8_gqa8_2tg_4w"), false, Kv::int8, 16, 2, {77, 300}, 1, 16, false, int8});
  check_paged({file("pa_bf16_pertokenFp8_gqa16_2tg_4w"), false, Kv::fp8, 16, 1, {77, 300}, 1, 16, false, fp8});
  check_paged({file("pa_bf16_pertokenInt8_gqa16_2tg_4w"), false, Kv::int8, 16, 1, {77, 300}, 1, 16, false, int8});
  check_paged({file("pa_bf16_pertokenFp8_gqa8_2tg_4w_hp"), false, Kv::fp8, 16, 2, {77, 300}, 1, 16, false, fp8});
  check_paged({file("pa_bf16_pertokenFp8_gqa8_1tg_4w_mtp_msk1"), false, Kv::fp8, 16, 2, {77, 300}, 2, 16, true, fp8});
}

}  // namespace production
