// Groups of rows, columns or k whose sizes are on the device: each is a product of its own, also empty ones; the
// reference of `verify` multiplies them one by one.
#include "checker/check.h"
#include "generator/passes/check_program.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith::gemm_bench {
namespace {

using Catch::Contains;

void groups_are_right(const std::string& options) {
  const clitest::Ran r = clitest::run_program("verify gemm " + options);
  INFO(options << "\n" << r.out << r.err);
  CHECK(r.status == 0);
}

}  // namespace

TEST_CASE("groups of rows, columns and k are right on every target, empty ones too", "[gemm][groups]") {
  const char* sizes[] = {"--grouped m --groups 40,0,33,1,70 -n 67 -k 100",
                         "--grouped n --groups 0,40,33,0,65,0 -m 70 -k 90",
                         "--grouped k --groups 64,0,33,200,1 -m 65 -n 40"};
  size_t next = 0;
  for (const auto& target : isa::all_targets())
    for (const char* size : sizes) {
      ++next;
      groups_are_right(
          fmt::format("--arch {} --transa {} --transb {} --tile 32x64x64 --beta 0.5 --alpha 1.5 --offsets {} {}",
                      target.name, next % 2 ? "t" : "n", next % 5 < 2 ? "t" : "n", next % 4 ? "i32" : "i64", size));
    }
}

TEST_CASE("more groups than a wave has lanes, of one row or none", "[gemm][groups]") {
  for (const char* arch : {"gfx942", "gfx1201"}) {
    groups_are_right(fmt::format(
        "--arch {} --tile 32x32x64 --transa t --grouped n --groups 60x0,70x1,3x0,1x37,40x2 -m 33 -k 65", arch));
    groups_are_right(
        fmt::format("--arch {} --tile 32x32x64 --transa t --grouped m --groups 1,128x0,5 -n 33 -k 65", arch));
    groups_are_right(fmt::format("--arch {} --tile 32x32x64 --grouped n --groups 64x1 -m 9 -k 7", arch));
  }
}

TEST_CASE("groups combine with epilogues, types, schedules and parts of K", "[gemm][groups]") {
  for (const char* options :
       {"--grouped n --groups 40,0,90 -m 100 -k 300 --epilogue bias,bias-col,gelu,residual --transa t --tile 64x64x64",
        "--grouped n --groups 40,0,90 -m 100 -k 300 --epilogue silu,gated --a bf16 --transa t --tile 128x64x64",
        "--grouped n --groups 40,0,90 -m 200 -k 300 --a fp8 --d fp8 --epilogue scale-a,scale-b-col,quant128 --transa t "
        "--tile 256x64x128 --waves 2x2",
        "--arch gfx950 --grouped n --groups 40,0,90 -m 100 -k 544 --a mxfp4 --transa t --tile 128x64x256",
        "--arch gfx950 --grouped m --groups 40,0,90 -n 100 -k 544 --a mxfp8 --transa t --tile 64x64x128",
        "--arch gfx950 --grouped n --groups 33,0,90 -m 100 -k 300 --transa t --tile 64x64x128 --schedule refill",
        "--grouped n --groups 40,0,90 -m 100 -k 500 --a fp8 --transa t --tile 64x64x128 --scale-a 128x128 --scale-b "
        "1x128",
        "--grouped m --groups 40,0,90 -n 100 -k 300 --epilogue bias,scale-a-row,absmax --tile 64x64x64 --transb t",
        "--grouped k --groups 40,0,290 -m 100 -n 33 --epilogue bias,relu --tile 64x64x64 --work-order bands2",
        "--grouped k --groups 400,0,90 -m 100 -n 33 --epilogue bias,relu --tile 64x64x64 --split-k 3",
        "--grouped k --groups 400,0,90 -m 100 -n 33 --d f32 --tile 64x64x64 --split-k 3 --reduction atomic",
        "--grouped n --groups 40,0,90 -m 100 -k 300 --epilogue bias --tile 64x64x64 --split-k 4 --transa t",
        "--grouped m --groups 40,0,90 -n 100 -k 300 --tile 64x64x64 --split-k 2 --init special",
        "--grouped n --groups 8x30 -m 100 -k 300", "--grouped k --groups 3x100 -m 100 -n 70",
        "--grouped m --groups 3x100 -n 100 -k 70 --gpu MI308X"})
    groups_are_right(options);
}

TEST_CASE("what does not go with groups is refused in one line", "[gemm][groups][cli]") {
  using clitest::refuses;
  const std::string n = "verify gemm --transa t --grouped n --groups 4,5 -m 8 -k 8 ";
  refuses(n + "-n 10", {"-n: 10 with groups of 9 in all"});
  refuses(n + "--batch-count 2", {"--batch-count: 2 with --grouped"});
  refuses(n + "--work-order bands2 --tile 64x64x64", {"bands2 with groups of n; legal: order columns"});
  refuses("verify gemm --groups 3 -m 1 -n 1 -k 1", {"--groups: without --grouped"});
  refuses("verify gemm --grouped q -m 1 -n 1 -k 1", {"--grouped: 'q' is unknown, legal: m n k"});
  refuses("verify gemm --grouped n -m 1 -k 1", {"--groups 100,0,33"});
  refuses("verify gemm --grouped n --groups 1x2x3 -m 1 -k 1", {"'1x2x3' is not understood"});
  refuses("verify gemm --grouped n --groups 0,0 -m 1 -k 1", {"--groups: their sum"});
  refuses("verify gemm --grouped n --offsets u8 --groups 2 -m 1 -k 1", {"--offsets: 'u8' is unknown, legal: i32 i64"});
  refuses("verify gemm --transa t --grouped m --groups 4,5 -n 8 -k 8 --epilogue silu,gated --tile 128x64x64",
          {"a gated epilogue with groups of m; legal: groups of n or k"});
  refuses("verify gemm --arch gfx950 --a mxfp4 --transa t --grouped k --groups 32,64 -m 8 -n 8",
          {"block scales with groups of k"});
  GemmConfig c{.block = small};
  c.ragged = Ragged::n;
  const GemmProblem p{.m = 8, .n = 8, .k = 8, .lda = 8, .ldb = 8, .ldd = 8};
  CHECK_THROWS_WITH(launch(c, Arch::gfx942, p, {}), Contains("0 groups; legal: 1 to"));
  GemmProblem two = p;
  two.groups = 2;
  CHECK_THROWS_WITH(launch(c, Arch::gfx942, two, {}), Contains("no offsets; legal: 3 of i32"));
  two.batch = 2;
  CHECK_THROWS_WITH(launch(c, Arch::gfx942, two, {.offsets = 4096}), Contains("2 batches of groups"));
}

TEST_CASE("the grid of ragged groups has the most tiles that they can take", "[gemm][groups]") {
  GemmConfig c{.trans_a = true, .block = small};
  c.ragged = Ragged::n;
  const GemmPointers at{.offsets = 4096};
  const auto columns = [&](uint32_t n, uint32_t groups) {
    const GemmProblem p{.m = 65, .n = n, .k = 8, .lda = 8, .ldb = 8, .ldd = 65, .groups = groups};
    const auto grid = launch(c, Arch::gfx942, p, at).grid;
    CHECK((grid[0] == 2 && grid[2] == 1));
    return grid[1];
  };
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const uint32_t groups = 1 + random() % 9;
    uint32_t sum = 0, tiles = 0;
    for (uint32_t g = 0; g < groups; ++g) {
      const uint32_t size = random() % 3 ? random() % 200 : random() % 3;
      sum += size, tiles += (size + 63) / 64;
    }
    CHECK(columns(sum, groups) >= tiles);
  }
  CHECK(columns(3, 3) == 3);  // one column each
  CHECK(columns(128, 1) == 2);
}

TEST_CASE("kernels of groups pass the check", "[gemm][groups][check]") {
  for (const Arch arch : {Arch::gfx908, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250})
    for (const Ragged ragged : all_ragged)
      for (const int split : {1, 3}) {
        GemmConfig c{.trans_a = true, .block = small, .epilogue = epilogue_of({EpiloguePart::bias}, Activation::silu)};
        c.split_k = split, c.reduction = Reduction::ordered, c.ragged = ragged, c.offsets = Offsets::i64;
        const Program p = build_gemm(c, arch);
        INFO(p.name << " " << isa::target(arch).name);
        CHECK(checker::check(p, {.advice = false}).good());
      }
}

}  // namespace wavesmith::gemm_bench
