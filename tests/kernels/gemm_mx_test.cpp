// GEMMs of OCP MX types against products of decoded elements and scales (OCP Microscaling Formats 1.0, sections 5.3 and
// 6.3), packed and decoded here. Values are chosen such that every sum is exact in f32.
#include "kernels/plan/scales.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith {
namespace {

using namespace gemm_bench;
constexpr Type mx_types[] = {Type::fp8, Type::bf8, Type::fp6, Type::bf6, Type::fp4};

struct MxOperand {  // rows along m or n, k contiguous
  Type type;
  uint32_t rows, k, ld, batch;
  std::vector<uint8_t> elements, scales;
  std::vector<double> values;  // scaled
};
// Codes of at most 3 significant bits, of magnitude 2^-2 to 1.75; scales 2^-1 to 2.
MxOperand random_operand(std::mt19937& g, Type type, BlockScales how, uint32_t rows, uint32_t k, uint32_t ld,
                         uint32_t batch) {
  const int bits = isa::bits(type), mantissa = type == Type::fp8 || type == Type::fp6 ? 3 : type == Type::fp4 ? 1 : 2;
  const int bias = type == Type::fp8 ? 7 : type == Type::bf8 ? 15 : type == Type::bf6 ? 3 : 1;
  const uint64_t stride = uint64_t{ld} * rows;
  MxOperand o{type, rows, k, ld, batch, {}, {}, {}};
  o.elements.assign((stride * batch * static_cast<uint64_t>(bits) + 7) / 8, 0xff);  // padding: NaN where there is one
  o.scales.assign(block_scale_bytes(how, rows, k, batch), 0xff);                    // NaN
  o.values.resize(uint64_t{rows} * k * batch);
  for (uint32_t z = 0; z < batch; ++z)
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t x = 0; x < k; ++x) {
        const auto exponent = static_cast<uint32_t>(std::max(1, bias - static_cast<int>(g() % 3)));
        const uint32_t top = g() % 2;
        const uint32_t negative = g() % 2, code = negative << (bits - 1) | exponent << mantissa | top << (mantissa - 1);
        double value = std::ldexp(1 + top * 0.5, static_cast<int>(exponent) - bias) * (negative ? -1 : 1);
        const uint64_t first_bit = (z * stride + uint64_t{r} * ld + x) * static_cast<uint64_t>(bits);
        for (int i = 0; i < bits; ++i) {
          uint8_t& byte = o.elements[(first_bit + i) / 8];
          const int bit = static_cast<int>((first_bit + i) % 8);
          byte = static_cast<uint8_t>((byte & ~(1 << bit)) | (code >> i & 1) << bit);
        }
        uint8_t& scale = o.scales[block_scale_at(how, rows, k, z, r, x / 32)];
        if (x % 32 == 0) scale = static_cast<uint8_t>(126 + g() % 3);
        o.values[(uint64_t{z} * rows + r) * k + x] = value * std::ldexp(1.0, scale - 127);
      }
  return o;
}

void check_mx(const GemmConfig& c, Arch arch, uint32_t m, uint32_t n, uint32_t k, uint32_t pad = 0,
              uint32_t batch = 1) {
  std::mt19937 g(m + n + k);
  const MxOperand a = random_operand(g, c.input, c.block_scales, m, k, k + pad, batch),
                  b = random_operand(g, type_of_b(c), c.block_scales, n, k, k + pad, batch);
  sim::Memory memory;
  const auto place = [&](const std::vector<uint8_t>& bytes, const char* name) {
    const uint64_t at = memory.allocate(bytes.size(), name);
    memory.write(at, bytes);
    return at;
  };
  std::vector<float> d(uint64_t{m} * n * batch);
  const uint64_t at_d = memory.allocate(d.size() * 4, "D");
  if (c.split_k > 1) memory.write(at_d, std::vector<uint8_t>(d.size() * 4));
  const GemmProblem p{.m = m,
                      .n = n,
                      .k = k,
                      .lda = a.ld,
                      .ldb = b.ld,
                      .ldc = m,
                      .ldd = m,
                      .stride_a = uint64_t{a.ld} * m,
                      .stride_b = uint64_t{b.ld} * n,
                      .stride_d = uint64_t{m} * n,
                      .batch = batch};
  const KernelLaunch l = launch(c, arch, p,
                                {.a = place(a.elements, "A"),
                                 .b = place(b.elements, "B"),
                                 .d = at_d,
                                 .block_scales_a = place(a.scales, "scales of A"),
                                 .block_scales_b = place(b.scales, "scales of B")});
  const auto co = sim::CodeObject::load(assemble(build_gemm(c, arch)).bytes);
  const sim::Result result =
      sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
  INFO(kernel_name(c) << " " << isa::target(arch).name << " " << m << "x" << n << "x" << k << "\n"
                      << (result.fault ? result.fault->message() : ""));
  REQUIRE_FALSE(result.fault);
  CHECK_FALSE(result.warning);
  // These read halves of chunks; 32 rows of fetched scales are 32 times four bytes in 16 pieces.
  const bool six_bits = isa::bits(c.input) == 6 || isa::bits(type_of_b(c)) == 6,
             fetched = c.block_scales == BlockScales::plain && needed_by(c.schedule) && arch == Arch::gfx950,
             rows_32 = isa::info(instruction_of(c, arch)).matrix.m == 32;
  CHECK((six_bits || (fetched && rows_32) || result.lds_conflict_cycles == 0));
  std::vector<uint8_t> bytes(d.size() * 4);
  memory.read(at_d, bytes);
  std::memcpy(d.data(), bytes.data(), bytes.size());
  uint64_t wrong = 0;
  for (uint32_t z = 0; z < batch; ++z)
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t i = 0; i < m; ++i) {
        double sum = 0;
        for (uint32_t x = 0; x < k; ++x)
          sum += a.values[(uint64_t{z} * m + i) * k + x] * b.values[(uint64_t{z} * n + j) * k + x];
        wrong += d[(uint64_t{z} * n + j) * m + i] != sum;
      }
  CHECK(wrong == 0);
}
GemmConfig mx_config(Type a, Type b, Arch arch, int m, int n) {
  GemmConfig c{.input = a, .output = Type::f32, .trans_a = true, .block = {m, n, 0}};
  c.input_b = b, c.block_scales = BlockScales::plain;
  if (isa::target(arch).wave_size == 64) c.waves_n = 1;  // 128 lanes
  c.block.k = block_k(c, arch);
  return c;
}

}  // namespace

TEST_CASE("any MX type multiplies any other, exactly, at sizes that fill no tile", "[gemm][mx]") {
  const Arch arch = GENERATE(Arch::gfx950, Arch::gfx1250);
  for (const Type a : mx_types)
    for (const Type b : mx_types) {
      const GemmConfig c = mx_config(a, b, arch, 64, 64);
      check_mx(c, arch, 77, 69, static_cast<uint32_t>(c.block.k + 96), 32, 2);
      check_mx(c, arch, 1, 3, 32);
    }
}

TEST_CASE("MX kernels have every schedule, tile and instruction", "[gemm][mx]") {
  uint32_t tried = 0;
  for (const Arch arch : {Arch::gfx950, Arch::gfx1250})
    for (const auto& [a, b] : {std::pair(Type::fp4, Type::fp4), {Type::fp8, Type::fp4}, {Type::fp6, Type::bf8}}) {
      GemmConfig c = mx_config(a, b, arch, 64, 64);
      for (const Opcode op : matrix_instructions(c, arch))
        for (const auto& [m, n, waves_m, waves_n] : {std::tuple(64, 32, 1, 1), {128, 128, 2, 2}, {256, 64, 4, 1}})
          for (const GemmSchedule schedule :
               {GemmSchedule::staged, GemmSchedule::direct, GemmSchedule::refill, GemmSchedule::tensor})
            for (const BlockScales scales : block_scale_layouts)
              for (const int stages : {2, 3}) {
                GemmConfig tried_one = c;
                tried_one.mma = op, tried_one.block = {m, n, 0}, tried_one.waves_m = waves_m;
                tried_one.waves_n = waves_n, tried_one.schedule = schedule, tried_one.stages = stages;
                tried_one.block_scales = scales, tried_one.split_k = stages == 3 ? 2 : 1;
                tried_one.block.k = block_k(tried_one, arch);
                if (!is_legal(tried_one, arch) || !in_sample(tried++)) continue;
                check_mx(tried_one, arch, static_cast<uint32_t>(m + 5), 45, 1056);
              }
    }
  CHECK(tried >= 50);
}

TEST_CASE("shuffled scales of 8-bit types leave registers for the largest tile", "[gemm][mx]") {
  for (const auto& [a, b] : {std::pair(Type::fp8, Type::fp8), {Type::bf8, Type::fp4}, {Type::fp6, Type::fp6}}) {
    GemmConfig c = mx_config(a, b, Arch::gfx950, 256, 256);
    c.block = {256, 256, 256}, c.waves_m = c.waves_n = 2, c.schedule = GemmSchedule::refill;
    c.block_scales = BlockScales::shuffled;
    INFO(kernel_name(c));
    CHECK(isa::info(instruction_of(c, Arch::gfx950)).matrix.m == 32);
    for (const uint32_t k : {96u, 512u, 1056u}) check_mx(c, Arch::gfx950, 261, 253, k);
  }
  GemmConfig narrow = mx_config(Type::fp4, Type::fp4, Arch::gfx950, 256, 256);
  narrow.block_scales = BlockScales::shuffled;
  CHECK(isa::info(instruction_of(narrow, Arch::gfx950)).matrix.m == 16);
}

TEST_CASE("the data mover brings plain scales in batches of iterations where it can", "[gemm][mx][tensor]") {
  struct Tried {
    Type type;
    GemmTile block;
    int waves_m, waves_n, stages;
    bool moved;
  };
  for (const auto& [type, block, waves_m, waves_n, stages, moved] :
       {Tried{Type::fp4, {64, 64, 512}, 2, 2, 4, true}, Tried{Type::fp4, {256, 256, 512}, 4, 1, 4, true},
        Tried{Type::fp8, {128, 64, 256}, 4, 1, 3, true}, Tried{Type::fp4, {64, 32, 256}, 1, 1, 2, true},
        Tried{Type::fp8, {48, 64, 256}, 1, 2, 2, false}}) {  // a wave's three tiles are no whole loads
    GemmConfig c = mx_config(type, type, Arch::gfx1250, block.m, block.n);
    c.block = block, c.waves_m = waves_m, c.waves_n = waves_n, c.stages = stages, c.schedule = GemmSchedule::tensor;
    const Program p = build_gemm(c, Arch::gfx1250);
    const auto in_block = [&](std::string_view name) {
      return std::ranges::count_if(p.nodes, [&](const Node& n) { return n.block == name; });
    };
    INFO(kernel_name(c));
    CHECK((in_block("move_scales") > 0) == moved);
    CHECK((in_block("load_scales") > 0) == !moved);
    // The rest after up to nine iterations: of batches of one to eight.
    for (const int iterations : {0, 1, 2, 5, 8, 9}) {
      if (static uint32_t tried = 0; !in_sample(tried++, 2)) continue;
      check_mx(c, Arch::gfx1250, static_cast<uint32_t>(block.m + 5), static_cast<uint32_t>(block.n - 3),
               static_cast<uint32_t>(iterations * block.k + 96), 32, block.m > 64 ? 1 : 2);
    }
  }
}

TEST_CASE("direct loads bring plain scales in batches of iterations where LDS has room", "[gemm][mx]") {
  struct Tried {
    Type a, b;
    GemmTile block;
    int waves_m, waves_n, stages;
    GemmSchedule schedule;
    int lds_kib;  // 0: scales are loaded to registers
  };
  constexpr auto direct = GemmSchedule::direct, refill = GemmSchedule::refill;
  for (const auto& [a, b, block, waves_m, waves_n, stages, schedule, lds_kib] : {
           Tried{Type::fp4, Type::fp4, {256, 256, 512}, 2, 2, 2, refill, 160},  // batches of two iterations
           Tried{Type::fp8, Type::fp8, {256, 256, 256}, 2, 2, 2, refill, 160},  // of four
           Tried{Type::fp8, Type::fp4, {64, 128, 256}, 2, 2, 4, direct, 96},    // A's block half full
           Tried{Type::fp4, Type::fp4, {128, 256, 512}, 1, 4, 2, direct, 128},  // two loads for three
           Tried{Type::fp8, Type::fp8, {128, 128, 256}, 2, 4, 2, refill, 96},   // LDS for four times the rows
           Tried{Type::fp8, Type::fp8, {128, 192, 256}, 2, 2, 2, direct, 112},
           Tried{Type::fp4, Type::fp8, {96, 64, 128}, 1, 2, 3, direct, 0},  // more than half of what A and B have
           Tried{Type::fp4, Type::fp4, {32, 32, 256}, 1, 1, 2, direct, 0},
       }) {
    GemmConfig c = mx_config(a, b, Arch::gfx950, block.m, block.n);
    c.block = block, c.waves_m = waves_m, c.waves_n = waves_n, c.stages = stages, c.schedule = schedule;
    const Program p = build_gemm(c, Arch::gfx950);
    const auto in_block = [&](std::string_view name) {
      return std::ranges::count_if(p.nodes, [&](const Node& n) { return n.block == name; });
    };
    INFO(kernel_name(c));
    CHECK((in_block("fetch_scales") > 0) == (lds_kib > 0));
    CHECK((in_block("load_scales") > 0) == (lds_kib == 0));
    if (lds_kib) CHECK(p.lds_bytes == lds_kib * 1024);
    for (const int iterations : {0, 1, 2, 5, 8, 17}) {
      if (static uint32_t tried = 0; !in_sample(tried++, 3)) continue;
      check_mx(c, Arch::gfx950, static_cast<uint32_t>(block.m + 5), static_cast<uint32_t>(block.n - 3),
               static_cast<uint32_t>(iterations * block.k + 96), 32, block.m > 64 ? 1 : 2);
    }
  }
}

TEST_CASE("the planner's order of shuffled scales is the GEMM's", "[gemm][mx][plan]") {
  const int rows = 64, blocks = 16;
  const plan::View v = plan::shuffled_for(16, rows, blocks);
  for (int row = 0; row < rows; ++row)
    for (int block = 0; block < blocks; ++block) {
      std::vector<int> at(v.dims.size());  // of [row][block], in the order of memory
      int rest = row * blocks + block;
      for (size_t i = v.order.size(); i-- > 0;) {
        const auto dim = static_cast<size_t>(v.order[i]);
        at[dim] = rest % v.dims[dim], rest /= v.dims[dim];
      }
      uint64_t place = 0;
      for (size_t i = 0; i < at.size(); ++i)
        place = place * static_cast<uint64_t>(v.dims[i]) + static_cast<uint64_t>(at[i]);
      REQUIRE(block_scale_at(BlockScales::shuffled, rows, 32 * blocks, 0, static_cast<uint32_t>(row),
                             static_cast<uint32_t>(block)) == place);
    }
}

TEST_CASE("shuffled scales are where aiter's e8m0_shuffle puts them", "[gemm][mx]") {
  // (rows / 32, 2, 16, blocks / 8, 2, 4) permuted to (rows / 32, blocks / 8, 4, 16, 2, 2): the last axis is the row's
  // upper half, the one before that of the blocks.
  const uint32_t rows = 64, blocks = 24;
  uint64_t expected = 0;
  for (uint32_t r32 = 0; r32 < rows / 32; ++r32)
    for (uint32_t k8 = 0; k8 < blocks / 8; ++k8)
      for (uint32_t k4 = 0; k4 < 4; ++k4)
        for (uint32_t r16 = 0; r16 < 16; ++r16)
          for (uint32_t k2 = 0; k2 < 2; ++k2)
            for (uint32_t r2 = 0; r2 < 2; ++r2)
              REQUIRE(block_scale_at(BlockScales::shuffled, rows, 32 * blocks, 0, r32 * 32 + r2 * 16 + r16,
                                     k8 * 8 + k2 * 4 + k4) == expected++);
}

TEST_CASE("tiles of scales are rows of four bytes, one tile of 128 k after the other", "[gemm][mx]") {
  const uint32_t rows = 96, k = 384;
  uint64_t expected = 0;
  for (uint32_t tile = 0; tile < rows / 32; ++tile)
    for (uint32_t block = 0; block < k / 32; block += 4)
      for (uint32_t row = 0; row < 32; ++row)
        for (uint32_t i = 0; i < 4; ++i)
          REQUIRE(block_scale_at(BlockScales::tiles, rows, k, 0, tile * 32 + row, block + i) == expected++);
  CHECK(block_scale_bytes(BlockScales::tiles, rows, k, 1) == expected);
  CHECK(block_scale_at(BlockScales::tiles, 33, 32, 1, 0, 0) == 256);  // rows and k of a batch are padded
}

TEST_CASE("tiles of scales reach the tensor data mover's tiles, tails and clusters", "[gemm][mx][tensor]") {
  for (const auto& [a, b] : {std::pair(Type::fp8, Type::fp8), {Type::fp4, Type::fp4}, {Type::bf8, Type::fp4}}) {
    GemmConfig c = mx_config(a, b, Arch::gfx1250, 128, 64);
    c.schedule = GemmSchedule::tensor, c.stages = 3, c.block_scales = BlockScales::tiles, c.prefetch = 1;
    c.waves_m = c.waves_n = 2, c.block.k = block_k(c, Arch::gfx1250);
    for (const auto& [m, n, k] : {std::tuple(261u, 253u, 1056u), {128u, 64u, 2048u}, {1u, 3u, 32u}, {300u, 70u, 224u}})
      check_mx(c, Arch::gfx1250, m, n, k, 32, 2);
    c.cluster = {2, 2};
    check_mx(c, Arch::gfx1250, 261, 253, 1056);
  }
}

TEST_CASE("what MX kernels do not take is refused in one line", "[gemm][mx][cli]") {
  const auto refused = [](const std::string& options, const char* says) {
    const clitest::Ran r = clitest::run_program("verify gemm -m 64 -n 64 --a mxfp8 " + options);
    INFO(options << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK_THAT(r.err, Catch::Contains(says));
    CHECK(std::ranges::count(r.err, '\n') == 1);
  };
  for (const auto& t : isa::all_targets()) {
    const std::string arch = std::string("--arch ") + t.name;
    if (t.family == isa::Family::cdna4 || t.family == isa::Family::gfx1250) {
      refused(arch + " -k 64 --b mxfp4 --transb t", "B of mxfp4 not contiguous along k; legal: transa t, transb n");
      refused(arch + " --transa t -k 65", "K is 65 with block scales; legal: multiples of 32");
      refused(arch + " --transa t -k 64 --b fp8", "legal: both of them MX types, or none");
      refused(arch + " --transa t -k 64 --b mxfp4 --ldb 65", "ldb is 65 with block scales; legal: multiples of 32");
      refused(arch + " --transa t -k 64 --scale-layout rows", "legal: plain shuffled tiles");
    } else {
      refused(arch + " --transa t -k 64", "legal: gfx950 gfx1250");
    }
  }
  refused("--arch gfx1250 --transa t -k 64 --scale-layout shuffled",
          "shuffled block scales on gfx1250, which has no matrix instruction with them; legal: gfx950");
}

TEST_CASE("MX types of 8 bits have every transpose, and every MX type of 4 and 8 bits lies in tiles as well",
          "[gemm][mx][cli]") {
  for (const char* options :
       {"gfx950 --tile 64x64x256 --a mxfp8", "gfx950 --tile 64x64x256 --a mxbf8 --transb t",
        "gfx950 --tile 64x64x256 --a mxfp4 --b mxfp8 --transa t --transb t",
        "gfx950 --tile 64x64x256 --a mxfp8 --b mxfp4 --transa t --shuffle-a --shuffle-b",
        "gfx1250 --tile 64x128x256 --a mxfp8", "gfx1250 --tile 128x64x256 --a mxfp8 --transa t --transb t",
        "gfx1250 --tile 64x128x256 --a mxfp4 --transa t --shuffle-b"}) {
    const std::string command = fmt::format("verify gemm -m 80 -n 96 -k 416 --arch {}", options);
    const clitest::Ran r = clitest::run_program(command);
    INFO(command << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}

TEST_CASE("every MX type verifies by the command line, with special values and scales", "[gemm][mx][cli]") {
  uint32_t number = 0;
  for (const char* arch : {"gfx950", "gfx1250"})
    for (const char* type : {"mxfp8", "mxbf8", "mxfp6", "mxbf6", "mxfp4"})
      for (const char* more : {"--beta 0.5", "--init special", "--epilogue silu,gated,bias"}) {
        if (!in_sample(number++)) continue;
        const std::string command =
            fmt::format("verify gemm --arch {} --a {} --transa t -m 70 -n 90 -k 416 {}", arch, type, more);
        const clitest::Ran r = clitest::run_program(command);
        INFO(command << "\n" << r.out << r.err);
        CHECK(r.status == 0);
      }
}

}  // namespace wavesmith
