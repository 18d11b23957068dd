// GEMMs with A or B of i4, packed here: beside 16-bit floats, with scales and zero points of groups, and beside i4,
// against products of decoded elements. Values are chosen such that every sum is exact.
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith {
namespace {

using namespace gemm_bench;

// Columns of k elements, eight in a word; what lies behind a column in its words is set too.
struct Nibbles {
  uint32_t k, cols, ld, batch;
  std::vector<uint8_t> bytes;
  Nibbles(std::mt19937& g, uint32_t of_k, uint32_t of_cols, uint32_t pad, uint32_t batches)
      : k(of_k), cols(of_cols), ld((of_k + 7) / 8 * 8 + pad), batch(batches), bytes(stride() * batches / 2) {
    for (uint8_t& x : bytes) x = static_cast<uint8_t>(g());
  }
  uint64_t stride() const { return uint64_t{ld} * cols; }
  int code(uint32_t z, uint32_t col, uint32_t x) const {
    const uint64_t at = z * stride() + uint64_t{col} * ld + x;
    return bytes[at / 2] >> at % 2 * 4 & 15;
  }
};
int with_sign(int code) { return code < 8 ? code : code - 16; }

struct Place {
  sim::Memory memory;
  template <class T>
  uint64_t operator()(const std::vector<T>& data, const char* name) {
    const uint64_t at = memory.allocate(data.size() * sizeof(T), name);
    const auto* first = reinterpret_cast<const uint8_t*>(data.data());
    memory.write(at, std::vector<uint8_t>(first, first + data.size() * sizeof(T)));
    return at;
  }
};
template <class T>
std::vector<T> run_into(const GemmConfig& c, Arch arch, const GemmProblem& p, GemmPointers at, Place& place) {
  std::vector<T> d(uint64_t{p.m} * p.n * p.batch);
  at.d = place(d, "D");
  const KernelLaunch l = launch(c, arch, p, at);
  const auto co = sim::CodeObject::load(assemble(build_gemm(c, arch)).bytes);
  const sim::Result result =
      sim::run(co, co.kernel(""), place.memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
  INFO((result.fault ? result.fault->message() : "no fault"));
  REQUIRE_FALSE(result.fault);
  CHECK_FALSE(result.warning);
  CHECK(result.lds_conflict_cycles == 0);
  std::vector<uint8_t> bytes(d.size() * sizeof(T));
  place.memory.read(at.d, bytes);
  std::memcpy(d.data(), bytes.data(), bytes.size());
  return d;
}

// Weights are op(B), or op(A). The other operand is of multiples of 1/64, scales have two significant bits.
void check_weights(const GemmConfig& c, Arch arch, uint32_t m, uint32_t n, uint32_t k, uint32_t pad = 0,
                   uint32_t batch = 1) {
  std::mt19937 g(m + n + k);
  const bool of_a = c.input == Type::i4, transposed = of_a ? c.trans_b : c.trans_a;
  const Type type = of_a ? type_of_b(c) : c.input;
  const uint32_t rows = of_a ? m : n, others = of_a ? n : m, groups = (k + c.groups.size - 1) / c.groups.size;
  const bool k_first = of_a ? !transposed : transposed;  // of the other operand in memory
  const Matrix other = random_matrix(g, type, k_first ? k : others, k_first ? others : k, pad, batch, false);
  const Nibbles weights(g, k, rows, 8 * pad, batch);
  std::vector<uint16_t> scales(uint64_t{rows} * groups * batch);
  std::vector<uint8_t> zeros(scales.size());
  std::vector<double> scale_values(scales.size());
  const Format f = format_of(type, false);
  for (size_t i = 0; i < scales.size(); ++i) {
    const uint32_t exponent = static_cast<uint32_t>(f.bias) - g() % 3, half = g() % 2;
    scales[i] = static_cast<uint16_t>(exponent << f.mantissa_bits | half << (f.mantissa_bits - 1));
    scale_values[i] = std::ldexp(1 + 0.5 * half, static_cast<int>(exponent) - f.bias);
    zeros[i] = g() % 16;
  }
  Place place;
  const uint64_t at_weights = place(weights.bytes, "weights"), at_other = place(other.bytes, "other");
  const GemmProblem p{.m = m,
                      .n = n,
                      .k = k,
                      .lda = of_a ? weights.ld : other.ld,
                      .ldb = of_a ? other.ld : weights.ld,
                      .ldc = m,
                      .ldd = m,
                      .stride_a = of_a ? weights.stride() : other.stride() + pad,
                      .stride_b = of_a ? other.stride() + pad : weights.stride(),
                      .stride_d = uint64_t{m} * n,
                      .batch = batch};
  REQUIRE((batch == 1 || pad == 0));
  INFO(kernel_name(c) << " " << isa::target(arch).name << " " << m << "x" << n << "x" << k);
  const auto d = run_into<float>(c, arch, p,
                                 {.a = of_a ? at_weights : at_other,
                                  .b = of_a ? at_other : at_weights,
                                  .group_scales = place(scales, "scales"),
                                  .zero_points = c.groups.zero_points ? place(zeros, "zero points") : 0},
                                 place);
  // gfx11's matrix unit truncates sums that f32 holds (docs/reference/numerics.md).
  const double inexact = isa::target(arch).family == isa::Family::rdna3 ? 0x1p-23 : 0;
  uint64_t wrong = 0;
  for (uint32_t z = 0; z < batch; ++z) {
    const auto factors = vectors(other, !k_first, z);
    for (uint32_t row = 0; row < rows; ++row) {
      std::vector<double> w(k);
      for (uint32_t x = 0; x < k; ++x) {
        const uint32_t group = x / c.groups.size;
        const uint64_t at = uint64_t{z} * rows * groups +
                            (c.groups.transposed ? uint64_t{group} * rows + row : uint64_t{row} * groups + group);
        const int code = weights.code(z, row, x);
        w[x] = (c.groups.zero_points ? code - zeros[at] : with_sign(code)) * scale_values[at];
      }
      for (uint32_t i = 0; i < others; ++i) {
        double sum = 0, size = 0;
        for (uint32_t x = 0; x < k; ++x) sum += w[x] * factors[i][x], size += std::abs(w[x] * factors[i][x]);
        const uint64_t at = of_a ? (uint64_t{z} * n + i) * m + row : (uint64_t{z} * n + row) * m + i;
        wrong += std::abs(d[at] - sum) > inexact * k * size;
      }
    }
  }
  CHECK(wrong == 0);
}
void check_i4(const GemmConfig& c, Arch arch, uint32_t m, uint32_t n, uint32_t k, uint32_t pad = 0,
              uint32_t batch = 1) {
  std::mt19937 g(m + n + k);
  const Nibbles a(g, k, m, 8 * pad, batch), b(g, k, n, 16 * pad, batch);
  Place place;
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
  INFO(kernel_name(c) << " " << isa::target(arch).name << " " << m << "x" << n << "x" << k);
  const auto d = run_into<int32_t>(c, arch, p, {.a = place(a.bytes, "A"), .b = place(b.bytes, "B")}, place);
  uint64_t wrong = 0;
  for (uint32_t z = 0; z < batch; ++z)
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t i = 0; i < m; ++i) {
        int sum = 0;
        for (uint32_t x = 0; x < k; ++x) sum += with_sign(a.code(z, i, x)) * with_sign(b.code(z, j, x));
        wrong += d[(uint64_t{z} * n + j) * m + i] != sum;
      }
  CHECK(wrong == 0);
}
GemmConfig weights_config(Type type, bool of_a, bool transposed) {
  GemmConfig c{.input = of_a ? Type::i4 : type, .output = Type::f32, .block = {64, 64, 64}};
  c.input_b = of_a ? type : Type::i4;
  c.trans_a = of_a || transposed, c.trans_b = of_a && transposed;
  return c;
}

}  // namespace

TEST_CASE("weights of 4 bits are made 16-bit floats by their groups' scales and zero points, on every target",
          "[gemm][weights]") {
  const Arch arch =
      GENERATE(Arch::gfx908, Arch::gfx90a, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250);
  uint32_t next = 0;
  for (const Type type : {Type::f16, Type::bf16})
    for (const bool of_a : {false, true})
      for (const bool zeros : {false, true})
        for (const bool transposed : {false, true}) {
          GemmConfig c = weights_config(type, of_a, next & 1);
          c.groups = {weight_group_sizes[next % 3], zeros, transposed};
          check_weights(c, arch, 67, 70, 64 * (next % 4) + 37, next % 2 * 4, 1);
          check_weights(c, arch, 33, 3, 96, 0, 2);
          ++next;
        }
}

TEST_CASE("weights of 4 bits go with tiles whose lanes load 4, 8 and 16 bytes, stages, schedules and a split K",
          "[gemm][weights]") {
  int tried = 0;
  for (const Arch arch : {Arch::gfx942, Arch::gfx1201})
    for (const auto& [m, n, waves_m, waves_n] :
         {std::tuple(32, 32, 1, 1), {64, 128, 2, 2}, {128, 128, 4, 2}, {256, 64, 8, 1}, {64, 256, 1, 4}})
      for (const int block_k : {32, 64, 128})
        for (const GemmSchedule schedule : {GemmSchedule::staged, GemmSchedule::interleaved}) {
          GemmConfig c = weights_config(Type::bf16, tried % 2, tried % 3 == 0);
          c.block = {m, n, block_k}, c.waves_m = waves_m, c.waves_n = waves_n, c.schedule = schedule;
          c.stages = 2 + tried % 2, c.split_k = 1 + tried % 3 / 2,
          c.groups = {weight_group_sizes[tried % 3], true, true};
          if (!is_legal(c, arch)) continue;
          check_weights(c, arch, static_cast<uint32_t>(m + 5), 45, 299);
          ++tried;
        }
  CHECK(tried >= 20);
}

TEST_CASE("i4 multiplies i4 exactly, at sizes that fill no tile", "[gemm][weights][i4]") {
  for (const Arch arch : {Arch::gfx1100, Arch::gfx1201})
    for (const auto& [m, n, block_k] : {std::tuple(64, 64, 256), {128, 64, 128}, {64, 128, 512}}) {
      GemmConfig c{.input = Type::i4, .output = Type::i32, .trans_a = true, .block = {m, n, block_k}};
      for (const Opcode op : matrix_instructions(c, arch)) {
        c.mma = op;
        if (!is_legal(c, arch)) continue;
        check_i4(c, arch, 77, 69, static_cast<uint32_t>(block_k + 91), 3, 1);
        check_i4(c, arch, 33, 65, 1000, 0, 2);
        check_i4(c, arch, 1, 3, 5);
      }
    }
}

TEST_CASE("kernels with i4 verify by the command line on every target, or are refused in one line",
          "[gemm][weights][cli]") {
  for (const auto& target : isa::all_targets())
    for (const std::string options :
         {"--a f16 --b i4 --group-size 32 --transa t --init special",
          "--a i4 --b bf16 --transa t --zero-points --beta 0.5",
          "--a bf16 --b i4 --d f32 --scale-layout transposed --zero-points --epilogue gelu,bias", "--a i4 --transa t",
          "--a i4 --transa t --d f32 --epilogue scale-a-row,relu"}) {
      const bool both = options.starts_with("--a i4 --transa");
      const std::string command = fmt::format("verify gemm --arch {} --tile 64x64x{} -m 70 -n 90 -k 317 {}",
                                              target.name, both ? 256 : 64, options);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      const bool can = !both || target.family == isa::Family::rdna3 || target.family == isa::Family::rdna35 ||
                       target.family == isa::Family::rdna4;
      CHECK(r.status == (can ? 0 : 2));
      if (!can) CHECK(std::ranges::count(r.err, '\n') == 1);
    }
}

TEST_CASE("A and B in tiles of 16 rows and 16 bytes verify with every type, schedule and scales",
          "[gemm][tiles][cli]") {
  for (const char* options :
       {"--arch gfx942 --a fp8 --tile 64x64x128 --shuffle-b --scale-a block --scale-b block",
        "--arch gfx950 --a fp8 --tile 64x64x256 --shuffle-b --schedule refill --scale-a 128x128 --scale-b 1x128-t",
        "--arch gfx950 --a bf16 --tile 64x64x64 --shuffle-a --schedule direct --batch-count 2",
        "--arch gfx1201 --a i8 --tile 64x64x128 --shuffle-a --shuffle-b",
        "--arch gfx90a --a f64 --tile 64x64x16 --shuffle-a",
        "--arch gfx942 --a bf16 --b i4 --tile 64x64x64 --shuffle-b --zero-points",
        "--arch gfx1100 --a i4 --tile 64x64x256 --shuffle-b",
        "--arch gfx1250 --a f16 --tile 128x64x64 --shuffle-a --epilogue silu,gated --split-k 1",
        "--arch gfx942 --a fp8 --d f32 --tile 64x64x128 --shuffle-b --split-k 2"}) {
    const std::string command = fmt::format("verify gemm --transa t -m 80 -n 96 -k 416 {}", options);
    const clitest::Ran r = clitest::run_program(command);
    INFO(command << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}

TEST_CASE("tiles are in the order of aiter's shuffle_weight", "[gemm][tiles]") {
  // (n / 16, 16, k / 32, 2, 16 bytes) permuted to (n / 16, k / 32, 2, 16, 16 bytes), run by a kernel that reads them:
  // B is all zeros but one element, which one row of D must show.
  const GemmConfig plain{
      .input = Type::fp8, .output = Type::f32, .trans_a = true, .block = {32, 32, 128}, .waves_m = 1, .waves_n = 1};
  GemmConfig c = plain;
  c.order_b = MatrixOrder::tiles;
  constexpr uint32_t n = 48, k = 160, m = 1;
  constexpr uint8_t one = 0x40;  // FNUZ
  uint64_t at = 0;
  for (uint32_t n16 = 0; n16 < n / 16; ++n16)
    for (uint32_t k32 = 0; k32 < k / 32; ++k32)
      for (uint32_t half = 0; half < 2; ++half)
        for (uint32_t row = 0; row < 16; ++row, at += 16) {
          if ((at / 16) % 37) continue;
          const uint32_t col = n16 * 16 + row, of_k = k32 * 32 + half * 16 + row % 16;
          std::vector<uint8_t> a(k), b(n * k);
          a[of_k] = b[at + row % 16] = one;
          Place place;
          const GemmProblem p{.m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = m, .ldd = m};
          const auto d = run_into<float>(c, Arch::gfx942, p, {.a = place(a, "A"), .b = place(b, "B")}, place);
          for (uint32_t j = 0; j < n; ++j) CHECK(d[j] == (j == col ? 1.0f : 0.0f));
        }
}

TEST_CASE("what kernels with i4 do not take is refused in one line", "[gemm][weights][cli]") {
  const auto refused = [](const std::string& options, const char* says) {
    const clitest::Ran r = clitest::run_program("verify gemm -m 64 -n 64 -k 64 " + options);
    INFO(options << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK_THAT(r.err, Catch::Contains(says));
    CHECK(std::ranges::count(r.err, '\n') == 1);
  };
  refused("--a bf16 --b i4 --transb t", "B of i4 not contiguous along k; legal: transa t, transb n");
  refused("--a i4 --b f16", "A of i4 not contiguous along k; legal: transa t, transb n");
  refused("--a fp8 --b i4", "legal: the same type, or fp8 and bf8, or i4 and f16 or bf16");
  refused("--a bf16 --b i4 --group-size 48", "groups of 48 k; legal: 32 64 128");
  refused("--a bf16 --group-size 32", "legal: one of them i4, the other f16 or bf16");
  refused("--a bf16 --b i4 --ldb 68 --tile 64x64x64", "legal: multiples of 8");
  refused("--a bf16 --b i4 --scale-layout shuffled", "legal: plain transposed");
  refused("--arch gfx950 --a bf16 --b i4 --transa t --schedule refill", "legal: staged interleaved");
  refused("--a f16 --shuffle-a", "A in tiles of 16 rows, not contiguous along k; legal: transa t, transb n");
  refused("--a f16 --shuffle-b --ldb 68 --tile 64x64x64", "legal: multiples of 16, 8 and 8");
  refused("--arch gfx950 --a mxfp6 --transa t --shuffle-b", "legal: types of 4, 8 and more bits");
  refused("--a i4 --transa t", "no matrix instruction for it");
}

}  // namespace wavesmith
