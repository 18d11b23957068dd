// GEMMs of f32 whose factors are split into three bf16, against integer products. All sums of absolute values are below
// 2^24, so that f32 is exact, and factors of up to 18 bits need all three parts.
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith {
namespace {

using namespace gemm_bench;

// Columns of `of_k` or of rows, as op(X) has it transposed or not.
std::vector<float> integers(std::mt19937& g, size_t count, int largest, int nonzero_of_16) {
  std::vector<float> all(count);
  for (float& x : all)
    if (static_cast<int>(g() % 16) < nonzero_of_16)
      x = static_cast<float>(static_cast<int>(g() % (2 * largest + 1)) - largest);
  return all;
}

void check_split(const GemmConfig& c, Arch arch, uint32_t m, uint32_t n, uint32_t k, bool long_a, uint32_t batch = 1) {
  std::mt19937 g(m + n + k);
  constexpr int long_factor = 1 << 18, short_factor = 3;
  const int sparse = k <= 20 ? 16 : 1;  // of 16: about 20 products
  const auto a = integers(g, uint64_t{m} * k * batch, long_a ? long_factor : short_factor, long_a ? 16 : sparse),
             b = integers(g, uint64_t{n} * k * batch, long_a ? short_factor : long_factor, long_a ? sparse : 16);
  sim::Memory memory;
  const auto place = [&](const std::vector<float>& data, const char* name) {
    const uint64_t at = memory.allocate(4 * data.size(), name);
    const auto* first = reinterpret_cast<const uint8_t*>(data.data());
    memory.write(at, std::vector<uint8_t>(first, first + 4 * data.size()));
    return at;
  };
  std::vector<float> d(uint64_t{m} * n * batch);
  const uint64_t at_d = place(d, "D");
  const GemmProblem p{.m = m,
                      .n = n,
                      .k = k,
                      .lda = c.trans_a ? k : m,
                      .ldb = c.trans_b ? n : k,
                      .ldc = m,
                      .ldd = m,
                      .stride_a = uint64_t{m} * k,
                      .stride_b = uint64_t{n} * k,
                      .stride_d = uint64_t{m} * n,
                      .batch = batch};
  const KernelLaunch l = launch(c, arch, p, {.a = place(a, "A"), .b = place(b, "B"), .d = at_d});
  const auto co = sim::CodeObject::load(assemble(build_gemm(c, arch)).bytes);
  const sim::Result result =
      sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
  INFO(kernel_name(c) << " " << isa::target(arch).name << " " << m << "x" << n << "x" << k << "\n"
                      << (result.fault ? result.fault->message() : ""));
  REQUIRE_FALSE(result.fault);
  CHECK_FALSE(result.warning);
  CHECK(result.lds_conflict_cycles == 0);
  std::vector<uint8_t> bytes(4 * d.size());
  memory.read(at_d, bytes);
  std::memcpy(d.data(), bytes.data(), bytes.size());
  // gfx11's matrix unit truncates sums that f32 holds (docs/reference/numerics.md).
  const double inexact = isa::target(arch).family == isa::Family::rdna3 ? split_products * 0x1p-23 : 0;
  uint64_t wrong = 0;
  double largest = 0;
  for (uint32_t z = 0; z < batch; ++z)
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t i = 0; i < m; ++i) {
        double sum = 0, size = 0;
        for (uint32_t x = 0; x < k; ++x) {
          const double product = double{a[z * p.stride_a + (c.trans_a ? uint64_t{i} * k + x : uint64_t{x} * m + i)]} *
                                 b[z * p.stride_b + (c.trans_b ? uint64_t{x} * n + j : uint64_t{j} * k + x)];
          sum += product, size += std::abs(product);
        }
        largest = std::max(largest, size);
        wrong += std::abs(d[z * p.stride_d + uint64_t{j} * m + i] - sum) > inexact * k * size;
      }
  CHECK(largest < 0x1p24);
  CHECK(wrong == 0);
}
GemmConfig split_config(bool ta, bool tb) {
  GemmConfig c{.input = Type::f32, .output = Type::f32, .trans_a = ta, .trans_b = tb, .block = {64, 64, 32}};
  c.split_f32 = true;
  return c;
}

}  // namespace

TEST_CASE("f32 as three bf16 multiplies all bits, with every transpose", "[gemm][bf16x3]") {
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250})
    for (const bool ta : {false, true})
      for (const bool tb : {false, true}) {
        GemmConfig c = split_config(ta, tb);
        c.block.k = block_k(c, arch);
        check_split(c, arch, 67, 70, 19, ta, 1);
        check_split(c, arch, 33, 65, 177, tb, 2);
      }
}

TEST_CASE("f32 as three bf16 goes with tiles, stages, instructions and a split K", "[gemm][bf16x3]") {
  int tried = 0;
  for (const Arch arch : {Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201})
    for (const auto& [m, n, waves_m, waves_n] :
         {std::tuple(32, 32, 1, 1), {64, 128, 2, 2}, {128, 128, 4, 2}, {128, 64, 4, 2}, {64, 64, 2, 2}})
      for (const int block_k : {32, 64}) {
        GemmConfig c = split_config(tried % 2, tried % 3);
        c.block = {m, n, block_k}, c.waves_m = waves_m, c.waves_n = waves_n;
        c.stages = 2 + tried % 2, c.split_k = 1 + tried % 3 / 2;
        for (const Opcode op : matrix_instructions(c, arch)) {
          c.mma = op;
          if (!is_legal(c, arch)) continue;
          check_split(c, arch, static_cast<uint32_t>(m + 5), 45, 150, tried % 2);
          ++tried;
        }
      }
  CHECK(tried >= 15);
}

TEST_CASE("f32 verifies by the command line on every target, as three bf16 where it must or may",
          "[gemm][bf16x3][cli]") {
  for (const auto& target : isa::all_targets())
    for (const char* options : {"--f32-as bf16x3", "--f32-as bf16x3 --init special --transa t", "--epilogue bias,silu",
                                "--f32-as bf16x3 --transb t --d bf16 --epilogue gelu,gated"}) {
      const bool named = std::string_view(options).starts_with("--f32-as");
      const std::string command = fmt::format("verify gemm --arch {} --a f32 --tile 64x64x{} -m 70 -n 90 -k 77 {}",
                                              target.name, named ? 64 : 32, options);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
    }
}

TEST_CASE("what f32 as three bf16 does not take is refused in one line", "[gemm][bf16x3][cli]") {
  const auto refused = [](const std::string& options, const char* says) {
    const clitest::Ran r = clitest::run_program("verify gemm -m 64 -n 64 -k 64 " + options);
    INFO(options << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK_THAT(r.err, Catch::Contains(says));
    CHECK(std::ranges::count(r.err, '\n') == 1);
  };
  refused("--a f16 --f32-as bf16x3", "legal: f32");
  refused("--a f32 --f32-as bf16x2", "legal: f32 bf16x3");
  refused("--arch gfx950 --a f32 --f32-as bf16x3 --transa t --schedule direct --tile 64x64x64",
          "legal: staged interleaved");
}

}  // namespace wavesmith
