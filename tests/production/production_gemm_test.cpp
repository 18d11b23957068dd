// Matrix products of ROCm/aiter, D[M,N] = A[M,K] B[N,K]^T: bf16, int8 and fp8 with scales, and MX fp4. Each element is
// held to the sum of the roundings the kernel states: f32 accumulation (sum |a b| times K 2^-24, twice: the bound for a
// matrix unit's cuts too) and bf16 at the end.
#include "tests/production/production_kernel.h"
#include "tests/support/aiter_launch.h"

namespace production {

namespace {

enum class Output : uint8_t { f32, bf16, bf16_cut };  // cut: rounded toward zero
struct AiterGemm {
  std::string file;
  uint32_t m, n, k, tile_m, tile_n;
  uint32_t split = 1;
  uint64_t seed = 0;
  int quantum = 64;
};
aiter::Gemm shape(const AiterGemm& g) { return {g.m, g.n, g.k, g.tile_m, g.tile_n, g.split}; }

struct Product {
  std::vector<double> sum, magnitude;
};  // [m][n], of a b and |a b|; factor(m, n, k) scales a product
template <class F>
Product product(const AiterGemm& g, const std::vector<double>& a, const std::vector<double>& b, F&& factor) {
  Product p;
  p.sum.resize(static_cast<size_t>(g.m) * g.n), p.magnitude.resize(p.sum.size());
  for (size_t i = 0; i < g.m; ++i)
    for (size_t j = 0; j < g.n; ++j)
      for (size_t k = 0; k < g.k; ++k) {
        const double x = a[i * g.k + k] * b[j * g.k + k] * factor(i, j, k);
        p.sum[i * g.n + j] += x, p.magnitude[i * g.n + j] += std::abs(x);
      }
  return p;
}
double one(size_t, size_t, size_t) { return 1; }

void finish(const AiterGemm& g, Run& run, const std::vector<uint8_t>& object, uint64_t d, const Product& p,
            Output output) {
  const bool bf16 = output != Output::f32;
  run.options.seed = g.seed, run.options.quantum = g.quantum;
  run.run(object, fmt::format("{} | {} x {} x {}{}", g.file, g.m, g.n, g.k,
                              g.split > 1 ? fmt::format(", {} splits", g.split) : ""));
  const auto got = run.read(d, p.sum.size() * (bf16 ? 2 : 4));
  Errors e;
  for (size_t i = 0; i < p.sum.size(); ++i)
    e.add(bf16 ? bf16_at(got, i) : f32_at(got, i), p.sum[i],
          (output == Output::bf16_cut ? 0x1p-7
           : bf16                     ? 0x1p-8
                                      : 0) *
                  std::abs(p.sum[i]) +
              2 * g.k * 0x1p-24 * p.magnitude[i] + 0x1p-133);
  run.compare({{"D", e}});
}

void bf16_gemm(const AiterGemm& g, Output output, bool bpreshuffle = false) {
  const bool to_bf16 = output == Output::bf16;
  const auto object = code_object(g.file);
  if (object.empty()) return;
  Random r{std::mt19937(2)};
  const auto a = random_values(static_cast<size_t>(g.m) * g.k, sim::format::bf16, r),
             b = random_values(static_cast<size_t>(g.n) * g.k, sim::format::bf16, r);
  Run run;
  const size_t bytes = static_cast<size_t>(g.m) * g.n * (to_bf16 ? 2 : 4);
  const bool cleans = g.file.find("_clean") != std::string::npos;  // D itself, with a semaphore for each of its tiles
  const uint64_t d = g.split > 1 && !cleans ? run.buffer("D", Bytes(bytes)) : run.output("D", bytes);
  run.launch = aiter::bf16_gemm(shape(g),
                                {.d = d,
                                 .a = run.buffer("A", a.codes),
                                 .b = run.buffer("B", bpreshuffle ? shuffled(b.codes, g.n, g.k * 2) : b.codes),
                                 .semaphores = cleans ? run.buffer("semaphores", std::vector<uint32_t>(1024)) : 0},
                                to_bf16);
  finish(g, run, object, d, product(g, a.values, b.values, one), output);
}

// A scale for each row of A and of B; a bias for each column.
void int8_gemm(const AiterGemm& g) {
  const auto object = code_object(g.file);
  if (object.empty()) return;
  Random r{std::mt19937(3)};
  const auto a = random_bytes(static_cast<size_t>(g.m) * g.k, r), b = random_bytes(static_cast<size_t>(g.n) * g.k, r);
  const auto sa = random_floats(g.m, r, 0.005, 0.015), sb = random_floats(g.n, r, 0.005, 0.015),
             bias = random_floats(g.n, r, 5, 15);
  Run run;
  const uint64_t d = run.output("D", static_cast<size_t>(g.m) * g.n * 2);
  run.launch = aiter::int8_gemm(shape(g), {.d = d,
                                           .a = run.buffer("A", a.codes),
                                           .b = run.buffer("B", shuffled(b.codes, g.n, g.k)),
                                           .a_scales = run.buffer("A scales", sa.codes),
                                           .b_scales = run.buffer("B scales", sb.codes),
                                           .bias = run.buffer("bias", bias.codes)});
  auto p = product(g, a.values, b.values, [&](size_t m, size_t n, size_t) { return sa.values[m] * sb.values[n]; });
  for (size_t i = 0; i < p.sum.size(); ++i) p.sum[i] += bias.values[i % g.n], p.magnitude[i] += bias.values[i % g.n];
  finish(g, run, object, d, p, Output::bf16_cut);
}

// A scale for each row of A and 128 of k, which stand in memory by k first; one for each 128 x 128 of B.
void fp8_gemm(const AiterGemm& g, const sim::FloatFormat& f) {
  const auto object = code_object(g.file);
  if (object.empty()) return;
  Random r{std::mt19937(4)};
  const auto a = random_values(static_cast<size_t>(g.m) * g.k, f, r),
             b = random_values(static_cast<size_t>(g.n) * g.k, f, r);
  const size_t blocks = g.k / 128;
  const auto sa = random_floats(g.m * blocks, r, 0.5, 1.5), sb = random_floats(g.n / 128 * blocks, r, 0.5, 1.5),
             bias = random_floats(g.n, r, 0.5, 1.5);
  Run run;
  const uint64_t d = run.output("D", static_cast<size_t>(g.m) * g.n * 2);
  run.launch = aiter::fp8_gemm(shape(g), {.d = d,
                                          .a = run.buffer("A", a.codes),
                                          .b = run.buffer("B", shuffled(b.codes, g.n, g.k)),
                                          .a_scales = run.buffer("A scales", sa.codes),
                                          .b_scales = run.buffer("B scales", sb.codes),
                                          .bias = run.buffer("bias", bias.codes)});
  auto p = product(g, a.values, b.values, [&](size_t m, size_t n, size_t k) {
    return sa.values[k / 128 * g.m + m] * sb.values[n / 128 * blocks + k / 128];
  });
  for (size_t i = 0; i < p.sum.size(); ++i) p.sum[i] += bias.values[i % g.n], p.magnitude[i] += bias.values[i % g.n];
  finish(g, run, object, d, p, Output::bf16_cut);
}

// MX: an E8M0 scale for each 32 of k. Scales stand as the matrix unit takes them: [rows/32][k/256][4][16][2][2], rows
// padded to 256.
struct Mx {
  std::vector<uint8_t> codes, scales;
  std::vector<double> values;
};
Mx random_mx(size_t rows, size_t k, Random& r) {
  Mx x;
  x.codes.resize(rows * k / 2), x.values.resize(rows * k);
  const size_t columns = k / 32, padded = (columns + 7) / 8 * 8;
  x.scales.resize((rows + 255) / 256 * 256 * padded);
  for (size_t i = 0; i < rows; ++i)
    for (size_t c = 0; c < columns; ++c) {
      const auto scale = static_cast<uint8_t>(120 + r.bits() % 8);
      x.scales[((((i / 32 * (padded / 8) + c / 8) * 4 + c % 4) * 16 + i % 16) * 2 + c / 4 % 2) * 2 + i / 16 % 2] =
          scale;
      for (size_t e = c * 32; e < c * 32 + 32; ++e) {
        const uint32_t code = r.bits() % 16;
        x.codes[(i * k + e) / 2] |= static_cast<uint8_t>(code << e % 2 * 4);
        x.values[i * k + e] = sim::decode(sim::format::fp4, code) * sim::decode_e8m0(scale);
      }
    }
  return x;
}
void fp4_gemm(const AiterGemm& g, bool shuffled_b = true) {
  const auto object = code_object(g.file);
  if (object.empty()) return;
  Random r{std::mt19937(5)};
  const Mx a = random_mx(g.m, g.k, r), b = random_mx(g.n, g.k, r);
  Run run;
  const uint64_t d = run.output("D", static_cast<size_t>(g.m + 31) / 32 * 32 * g.n * 2);
  run.launch = aiter::fp4_gemm(shape(g), {.d = d,
                                          .a = run.buffer("A", a.codes),
                                          .b = run.buffer("B", shuffled_b ? shuffled(b.codes, g.n, g.k / 2) : b.codes),
                                          .a_scales = run.buffer("A scales", a.scales),
                                          .b_scales = run.buffer("B scales", b.scales)});
  finish(g, run, object, d, product(g, a.values, b.values, one), Output::bf16);
}

// gfx1250: clusters of workgroups that stay until all tiles are done. A is fp8, B fp8 or fp4, each 32 of k with an
// E8M0 scale. Everything lies in tiles, one row of them after the other.
Bytes tiled(const Bytes& b, size_t rows, size_t columns, size_t tile_rows, size_t tile_columns) {
  Bytes out(b.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t x = 0; x < columns; ++x)
      out[((i / tile_rows * (columns / tile_columns) + x / tile_columns) * tile_rows + i % tile_rows) * tile_columns +
          x % tile_columns] = b[i * columns + x];
  return out;
}
Mx random_scaled(size_t rows, size_t k, size_t bits, Random& r) {
  Mx x;
  x.codes.resize(rows * k * bits / 8), x.values.resize(rows * k), x.scales.resize(rows * k / 32);
  for (uint8_t& s : x.scales) s = static_cast<uint8_t>(124 + r.bits() % 6);
  for (size_t i = 0; i < x.values.size(); ++i) {
    const uint32_t code = bits == 4 ? r.bits() % 16 : sim::encode(sim::format::fp8, r.normal());
    x.codes[i * bits / 8] |= static_cast<uint8_t>(code << i * bits % 8);
    x.values[i] =
        sim::decode(bits == 4 ? sim::format::fp4 : sim::format::fp8, code) * sim::decode_e8m0(x.scales[i / 32]);
  }
  return x;
}
void clustered_gemm(const AiterGemm& g, size_t b_bits, aiter::Cluster cluster) {
  const auto object = code_object(g.file);
  if (object.empty()) return;
  Random r{std::mt19937(6)};
  const Mx a = random_scaled(g.m, g.k, 8, r), b = random_scaled(g.n, g.k, b_bits, r);
  const size_t row = g.k * b_bits / 8, scales = g.k / 32;
  Run run;
  const uint64_t d = run.output("D", size_t{g.m} * g.n * 2);
  run.launch = aiter::mx_gemm(shape(g),
                              {.d = d,
                               .a = run.buffer("A", tiled(a.codes, g.m, g.k, 2, 128)),
                               .b = run.buffer("B", tiled(b.codes, g.n, row, 16, 16)),
                               .a_scales = run.buffer("A scales", tiled(a.scales, g.m, scales, 32, 4)),
                               .b_scales = run.buffer("B scales", tiled(b.scales, g.n, scales, 32, 4))},
                              static_cast<uint32_t>(row), cluster);
  finish(g, run, object, d, product(g, a.values, b.values, one), Output::bf16);
}

}  // namespace

TEST_CASE("production bf16 products give the reference's numbers", "[.][production]") {
  bf16_gemm({"gfx942/bf16gemm/bf16gemm_fp32bf16_tn_64x64_pf3_splitk.co", 129, 192, 448, 64, 64}, Output::f32);
  bf16_gemm({"gfx942/bf16gemm/bf16gemm_fp32bf16_tn_64x64_pf3_splitk.co", 64, 64, 512, 64, 64, 2, 5, 400}, Output::f32);
  bf16_gemm({"gfx942/bf16gemm/bf16gemm_fp32bf16_tn_96x64_pf3_splitk.co", 100, 128, 320, 96, 64, 1, 3, 1}, Output::bf16);
  bf16_gemm({"gfx942/bf16gemm/bf16gemm_fp32bf16_tn_64x64_bshuffle_splitk.co", 70, 128, 256, 64, 64}, Output::f32, true);
  bf16_gemm({"gfx950/bf16gemm/bf16gemm_bf16_tn_256x256.co", 300, 512, 320, 256, 256}, Output::bf16);
  bf16_gemm({"gfx950/bf16gemm/bf16gemm_bf16_tn_256x256_bpreshuffle.co", 300, 256, 320, 256, 256, 1, 5, 400},
            Output::bf16, true);
  // Each other tile, with a tail of rows.
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return fmt::format("{}/bf16gemm/bf16gemm_fp32bf16_tn_{}.co", arch, name); };
  for (const uint32_t m : {32, 48})
    bf16_gemm({file(fmt::format("{}x64_pf3_splitk", m).c_str()), m + 13, 64, 256, m, 64}, Output::f32);
  for (const uint32_t m : {32, 48, 96, 128, 160})
    bf16_gemm({file(fmt::format("{}x64_bshuffle_splitk", m).c_str()), m + 13, 64, 256, m, 64}, Output::f32, true);
  for (const uint32_t m : {32, 48, 64, 80, 96})
    bf16_gemm({file(fmt::format("{}x64_splitk_clean", m).c_str()), m + 13, 64, 512, m, 64, 2}, Output::f32);
  for (const uint32_t m : {32, 64, 128, 160})
    bf16_gemm({file(fmt::format("{}x64_bshuffle_splitk_clean", m).c_str()), m + 13, 64, 512, m, 64, 2}, Output::f32,
              true);
}

TEST_CASE("production int8 products give the reference's numbers", "[.][production]") {
  int8_gemm({"gfx942/i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_32x128.co", 45, 256, 384, 32, 128});
  int8_gemm({"gfx942/i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_128x128.co", 200, 256, 512, 128, 128, 1, 5, 400});
  int8_gemm({"gfx942/i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_112x256.co", 150, 256, 512, 112, 256, 1, 3, 7});
  int8_gemm({"gfx950/i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_128x128.co", 200, 256, 512, 128, 128});
  for (const uint32_t m : {16, 48, 64, 80, 96, 160})
    for (const char* arch : {"gfx942", "gfx950"})
      int8_gemm(
          {fmt::format("{}/i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_{}x128.co", arch, m), m + 13, 128, 256, m, 128});
}

TEST_CASE("production fp8 products with block scales give the reference's numbers", "[.][production]") {
  fp8_gemm({"gfx942/fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_32x128.co", 45, 256, 384, 32, 128},
           sim::format::fp8_fnuz);
  fp8_gemm(
      {"gfx942/fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_128x128.co", 200, 256, 512, 128, 128, 1, 5, 400},
      sim::format::fp8_fnuz);
  fp8_gemm({"gfx950/fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_128x128.co", 200, 256, 512, 128, 128},
           sim::format::fp8);
  for (const uint32_t m : {48, 64, 80, 96}) {
    const auto file = [&](const char* arch) {
      return fmt::format("{}/fp8gemm_blockscale/fp8gemm_bf16_blockscale_BpreShuffle_{}x128.co", arch, m);
    };
    fp8_gemm({file("gfx942"), m + 13, 128, 256, m, 128}, sim::format::fp8_fnuz);
    fp8_gemm({file("gfx950"), m + 13, 128, 256, m, 128}, sim::format::fp8);
  }
}

TEST_CASE("production MX fp4 products give the reference's numbers", "[.][production]") {
  fp4_gemm({"gfx950/f4gemm/f4gemm_bf16_per1x32Fp4_BpreShuffle_128x128.co", 128, 128, 512, 128, 128});
  fp4_gemm({"gfx950/f4gemm/f4gemm_bf16_per1x32Fp4_BpreShuffle_128x512.co", 200, 512, 768, 128, 512, 1, 5, 400});
  fp4_gemm({"gfx950/f4gemm/f4gemm_bf16_per1x32Fp4_noBpreShuffle_256x256.co", 256, 256, 512, 256, 256}, false);
  fp4_gemm({"gfx950/f4gemm/f4gemm_bf16_per1x32Fp4_noBpreShuffle_256x256.co", 256, 256, 1024, 256, 256}, false);
  const std::pair<uint32_t, uint32_t> tiles[] = {{32, 128}, {32, 512},  {32, 1024}, {64, 256},  {64, 640},
                                                 {96, 384}, {160, 256}, {192, 128}, {224, 256}, {256, 256}};
  for (const auto& [m, n] : tiles)
    fp4_gemm({fmt::format("gfx950/f4gemm/f4gemm_bf16_per1x32Fp4_BpreShuffle_{}x{}.co", m, n), m, n, 512, m, n});
}

TEST_CASE("production MX fp8 products in clusters give the reference's numbers", "[.][production]") {
  const auto file = [](const char* b, const char* tile) {
    return fmt::format("gfx1250/mxfp8fp4gemm/f8gemm_bf16_mxfp8{}_ABpreShuffle_{}_ps.co", b, tile);
  };
  clustered_gemm({file("fp8", "64x512_4x1"), 64, 2048, 512, 64, 512}, 8, {4, 1});
  clustered_gemm({file("fp8", "64x512_4x1"), 192, 2048, 1024, 64, 512, 1, 5, 400}, 8, {4, 1});
  clustered_gemm({file("fp4", "64x512_4x1"), 128, 2048, 1024, 64, 512}, 4, {4, 1});
  clustered_gemm({file("fp8", "256x256_4x4"), 1024, 1024, 512, 256, 256}, 8, {4, 4});
  clustered_gemm({file("fp4", "256x256_4x4"), 1024, 1024, 512, 256, 256}, 4, {4, 4});
}

}  // namespace production
