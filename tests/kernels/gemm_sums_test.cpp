// GEMMs of fp8 and bf8 with scales of f32 for 128 k, against products of decoded elements, summed block by block.
// Values and scales are chosen such that every sum is exact in f32.
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith {
namespace {

using namespace gemm_bench;

// Magnitudes 0.5 to 3, of two significant bits.
Matrix few_bits(std::mt19937& g, Type type, uint32_t rows, uint32_t cols, uint32_t batch, bool fnuz) {
  Matrix m{type, rows, cols, rows, batch, {}, fnuz};
  m.bytes.resize(m.stride() * batch);
  const Format f = format_of(type, fnuz);
  for (uint8_t& code : m.bytes)
    code = static_cast<uint8_t>((g() % 2) << 7 | (static_cast<uint32_t>(f.bias - 1) + g() % 3) << f.mantissa_bits |
                                (g() % 2) << (f.mantissa_bits - 1));
  return m;
}
// Of rows x blocks, as the header says that they lie.
struct Scales {
  SumScales how;
  uint32_t rows, blocks;
  std::vector<float> all;
  Scales(std::mt19937& g, SumScales s, uint32_t extent, uint32_t k, uint32_t batch)
      : how(s), rows(s.rows ? (extent + s.rows - 1) / s.rows : 0), blocks((k + 127) / 128), all(rows * blocks * batch) {
    for (float& x : all) x = std::ldexp(g() % 2 ? 1.0f : -1.0f, static_cast<int>(g() % 5) - 2);
  }
  double of(uint32_t batch, uint32_t row, uint32_t k) const {
    if (!how.rows) return 1;
    const uint32_t r = row / how.rows, b = k / 128;
    return all[batch * rows * blocks + (how.transposed ? b * rows + r : r * blocks + b)];
  }
};

void check_sums(const GemmConfig& c, Arch arch, uint32_t m, uint32_t n, uint32_t k, uint32_t batch = 1) {
  std::mt19937 g(m + n + k);
  const bool fnuz = isa::target(arch).fnuz_fp8();
  const Matrix a = few_bits(g, c.input, c.trans_a ? k : m, c.trans_a ? m : k, batch, fnuz),
               b = few_bits(g, type_of_b(c), c.trans_b ? n : k, c.trans_b ? k : n, batch, fnuz);
  const Scales of_a(g, c.sum_scales_a, m, k, batch), of_b(g, c.sum_scales_b, n, k, batch);
  sim::Memory memory;
  const auto place = [&](const void* data, size_t bytes, const char* name) {
    if (!bytes) return uint64_t{0};
    const uint64_t at = memory.allocate(bytes, name);
    const auto* first = static_cast<const uint8_t*>(data);
    memory.write(at, std::vector<uint8_t>(first, first + bytes));
    return at;
  };
  std::vector<float> d(uint64_t{m} * n * batch);
  const uint64_t at_d = place(d.data(), d.size() * 4, "D");
  const GemmProblem p{.m = m,
                      .n = n,
                      .k = k,
                      .lda = a.ld,
                      .ldb = b.ld,
                      .ldc = m,
                      .ldd = m,
                      .stride_a = a.stride(),
                      .stride_b = b.stride(),
                      .stride_d = uint64_t{m} * n,
                      .batch = batch};
  const KernelLaunch l = launch(c, arch, p,
                                {.a = place(a.bytes.data(), a.bytes.size(), "A"),
                                 .b = place(b.bytes.data(), b.bytes.size(), "B"),
                                 .d = at_d,
                                 .block_scales_a = place(of_a.all.data(), of_a.all.size() * 4, "scales of A"),
                                 .block_scales_b = place(of_b.all.data(), of_b.all.size() * 4, "scales of B")});
  const auto co = sim::CodeObject::load(assemble(build_gemm(c, arch)).bytes);
  const sim::Result result =
      sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
  INFO(kernel_name(c) << " " << isa::target(arch).name << " " << m << "x" << n << "x" << k << "\n"
                      << (result.fault ? result.fault->message() : ""));
  REQUIRE_FALSE(result.fault);
  CHECK_FALSE(result.warning);
  std::vector<uint8_t> bytes(d.size() * 4);
  memory.read(at_d, bytes);
  std::memcpy(d.data(), bytes.data(), bytes.size());
  uint64_t wrong = 0;
  for (uint32_t z = 0; z < batch; ++z) {
    const auto rows = vectors(a, !c.trans_a, z), columns = vectors(b, c.trans_b, z);
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t i = 0; i < m; ++i) {
        double sum = 0;
        for (uint32_t x = 0; x < k; ++x) sum += of_a.of(z, i, x) * of_b.of(z, j, x) * rows[i][x] * columns[j][x];
        wrong += d[(uint64_t{z} * n + j) * m + i] != sum;
      }
  }
  CHECK(wrong == 0);
}
constexpr Arch with_fp8[] = {Arch::gfx942, Arch::gfx950, Arch::gfx1201, Arch::gfx1250};
GemmConfig scaled_config(SumScales a, SumScales b, bool ta, bool tb) {
  GemmConfig c{.input = Type::fp8, .output = Type::f32, .trans_a = ta, .trans_b = tb, .block = {64, 64, 128}};
  c.sum_scales_a = a, c.sum_scales_b = b;
  return c;
}

}  // namespace

TEST_CASE("scales of 128 k multiply the sums of their rows and columns, in every place and transpose", "[gemm][sums]") {
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950, Arch::gfx1201, Arch::gfx1250);
  size_t next = 0;
  for (const SumScales a : {SumScales{}, all_sum_scales[0], all_sum_scales[1], all_sum_scales[2], all_sum_scales[3]})
    for (const SumScales b :
         {SumScales{}, all_sum_scales[0], all_sum_scales[1], all_sum_scales[2], all_sum_scales[3]}) {
      if (!a.rows && !b.rows) continue;
      const size_t t = next++;
      check_sums(scaled_config(a, b, t & 1, t & 2), arch, 67, 70, 128 * static_cast<uint32_t>(t % 4) + 90, 1 + t % 2);
    }
}

TEST_CASE("scaled sums go with every schedule, tile, number of stages and instruction", "[gemm][sums]") {
  int tried = 0, tiles = 0;
  for (const Arch arch : with_fp8)
    for (const bool of_rows : {false, true})
      for (const auto& [m, n, waves_m, waves_n] :
           {std::tuple(32, 32, 1, 1), {128, 128, 2, 2}, {256, 64, 8, 1}, {16, 16, 1, 1}, {48, 16, 1, 1}})
        for (const GemmSchedule schedule : all_schedules) {
          const int block_k = ++tiles % 3 ? 128 : 256;
          GemmConfig c = scaled_config(all_sum_scales[of_rows ? 1 : 2], all_sum_scales[of_rows ? 2 : 1], true, false);
          c.input_b = Type::bf8, c.block = {m, n, block_k}, c.waves_m = waves_m, c.waves_n = waves_n;
          c.schedule = schedule, c.stages = 2 + tried % 2, c.split_k = 1 + tried % 3 / 2;
          for (const Opcode op : matrix_instructions(c, arch)) {
            c.mma = op;
            if (!is_legal(c, arch)) continue;
            check_sums(c, arch, static_cast<uint32_t>(m + 5), 45, tried % 2 ? 650 : 900);
            ++tried;
          }
        }
  CHECK(tried >= 30);
}

TEST_CASE("kernels with scaled sums verify by the command line, with special values and epilogues",
          "[gemm][sums][cli]") {
  for (const char* arch : {"gfx942", "gfx950", "gfx1200", "gfx1250"})
    for (const char* more : {"--scale-a block --scale-b block --d f32 --init special",
                             "--scale-a 128x128 --scale-b 1x128-t --epilogue silu,gated,bias",
                             "--scale-a 1x128 --scale-b 1x128 --epilogue gelu,gated --b bf8 --transb t",
                             "--scale-b 128x128-t --beta 0.5 --epilogue scale-a-row,residual"}) {
      const std::string command =
          fmt::format("verify gemm --arch {} --a fp8 --transa t --tile 64x64x128 -m 70 -n 90 -k 316 {}", arch, more);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
    }
  // Products of two scales that are zero in f32, times infinity: NaN, or infinity where they are factors one by one.
  const clitest::Ran r = clitest::run_program(
      "verify gemm --arch gfx950 --a bf8 --b fp8 --d bf16 --transa t --scale-a 1x128 --scale-b 1x128-t --tile "
      "64x96x256 "
      "--schedule direct --stages 4 -m 64 -n 96 -k 662 --beta 0.5 --init special");
  INFO(r.out << r.err);
  CHECK(r.status == 0);
}

TEST_CASE("what kernels with scaled sums do not take is refused in one line", "[gemm][sums][cli]") {
  const auto refused = [](const std::string& options, const char* says) {
    const clitest::Ran r = clitest::run_program("verify gemm -m 64 -n 64 -k 64 " + options);
    INFO(options << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK_THAT(r.err, Catch::Contains(says));
    CHECK(std::ranges::count(r.err, '\n') == 1);
  };
  refused("--a bf16 --scale-a block", "legal: A and B of fp8 or bf8");
  refused("--arch gfx950 --a mxfp8 --transa t --scale-b block", "legal: A and B of fp8 or bf8");
  refused("--a fp8 --scale-a 1x64", "legal: block 1x128 1x128-t 128x128 128x128-t");
  refused("--a fp8 --scale-a block --tile 64x64x64", "legal: 128 256 of fp8");
  refused("--arch gfx1100 --a fp8 --scale-a block", "no matrix instruction");
}

}  // namespace wavesmith
