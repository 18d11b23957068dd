// Tiles of which the rows of a wave are no power of two, and tiles with fewer rows than all lanes load at once: right
// on every target, schedule and transpose, and free of LDS conflicts where others are.
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith::gemm_bench {
namespace {

struct Divided {
  int m, n, waves_m, waves_n;
};
constexpr Divided divided[] = {{96, 160, 2, 2}, {48, 80, 1, 1},  {224, 96, 2, 2}, {16, 192, 1, 4},
                               {112, 48, 1, 1}, {192, 64, 2, 1}, {16, 64, 1, 2}};

}  // namespace

TEST_CASE("tiles of any multiple of 16 are right and free of LDS conflicts, on every target, by every schedule",
          "[gemm][tiles]") {
  const Arch arch =
      GENERATE(Arch::gfx908, Arch::gfx90a, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250);
  int tried = 0;
  size_t next = 0;
  for (const GemmSchedule schedule : all_schedules)
    for (const auto& [ta, tb] : {std::pair(true, false), {false, true}, {true, true}, {false, false}})
      for (int i = 0; i < 3; ++i) {
        const Divided& d = divided[next++ % std::size(divided)];
        GemmConfig c{.input = next % 2 ? Type::bf16 : Type::f16, .output = Type::f32, .trans_a = ta, .trans_b = tb};
        c.block = {d.m, d.n, schedule == GemmSchedule::refill ? 128 : 64}, c.waves_m = d.waves_m, c.waves_n = d.waves_n;
        c.schedule = schedule;
        if (!is_legal(c, arch)) continue;
        ++tried;
        const auto m = static_cast<uint32_t>(d.m), n = static_cast<uint32_t>(d.n);
        const Case t{c, m + 7, n - 3, 201, 1, 1, 1.5f, -0.5f, arch};
        const Outcome o = run(t, assemble(build_gemm(c, arch)).bytes);
        INFO(kernel_name(c) << " " << isa::target(arch).name << "\n"
                            << (o.result.fault ? o.result.fault->message() : "")
                            << (o.result.warning ? o.result.warning->message() : ""));
        REQUIRE_FALSE(o.result.fault);
        CHECK_FALSE(o.result.warning);
        CHECK(o.error <= o.bound);
        CHECK(o.padding_kept);
        CHECK(o.result.lds_conflict_cycles == 0);
      }
  CHECK(tried >= 3);
}

// Eight waves with 64 rows each: 32 columns of their sums would take twice what the loop takes.
TEST_CASE("results take no more LDS than the loop does, in half as many columns, right and without conflicts",
          "[gemm][tiles]") {
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx1100, Arch::gfx1151, Arch::gfx1201);
  for (const auto& [output, beta] : {std::pair(Type::f16, -0.5f), {Type::f32, 0.0f}}) {
    GemmConfig c{.input = Type::f16, .output = output, .trans_b = true};
    c.block = {128, 128, 64}, c.waves_m = 2, c.waves_n = 4;
    if (arch == Arch::gfx942) c.mma = matrix_instructions(c, arch).back();
    const auto bytes = assemble(build_gemm(c, arch)).bytes;
    const Outcome o = run({c, 131, 250, 200, 1, 1, 1.5f, beta, arch}, bytes);
    INFO(kernel_name(c) << " " << isa::target(arch).name << "\n" << (o.result.fault ? o.result.fault->message() : ""));
    REQUIRE_FALSE(o.result.fault);
    CHECK(o.error <= o.bound);
    CHECK(o.padding_kept);
    CHECK(o.result.lds_conflict_cycles == 0);
    CHECK(sim::CodeObject::load(bytes).kernels().front().lds_bytes == 32768);
  }
  const auto verified = clitest::run_program(
      fmt::format("verify gemm --arch {} --transb t --tile 128x128x64 --waves 2x4 --epilogue bias-col,residual,gelu "
                  "-m 131 -n 250 -k 90",
                  isa::target(arch).name));
  CHECK_THAT(verified.out, Catch::Contains("verdict    right"));
}

TEST_CASE("tiles of any multiple of 16 verify by the command line, with every part of a GEMM", "[gemm][tiles][cli]") {
  for (
      const char* options : {
          "--arch gfx942 --a bf16 --transa t --tile 256x224x64 --waves 2x2 -m 259 -n 230 -k 200 --beta 0.5",
          // more rows a wave than twice its lanes
          "--arch gfx1250 --a bf16 --transa t --tile 256x256x128 --waves 2x2 --schedule tensor --stages 4 "
          "-m 270 -n 300 -k 600 --beta 0.5 --epilogue bias,scale-a-row,residual,gelu",
          "--arch gfx1250 --a mxfp4 --transa t --tile 256x256x512 --waves 2x2 --schedule tensor --stages 4 "
          "--cluster 2x2 -m 600 -n 513 -k 1120 --epilogue bias-col,absmax",
          "--arch gfx1250 --a fp8 --d fp8 --transa t --tile 256x64x256 --waves 2x2 --schedule tensor --split-k 2 "
          "-m 230 -n 70 -k 900 --epilogue gated,silu,scale-d",
          "--arch gfx1201 --a fp8 --transa t --transb t --tile 192x64x128 --waves 2x4 -m 200 -n 60 -k 300 --beta 1",
          "--arch gfx1100 --a f16 --transa t --tile 80x32x64 --waves 1x2 -m 83 -n 33 -k 90 --epilogue "
          "bias,residual,relu",
          "--arch gfx1151 --a i8 --transa t --transb t --tile 160x16x128 --waves 2x1 -m 165 -n 15 -k 200 --beta 1",
          "--arch gfx942 --a bf16 --transa t --tile 224x192x64 --waves 2x2 -m 230 -n 190 -k 136 --order late",
          "--arch gfx950 --a bf16 --transa t --tile 192x256x128 --waves 2x2 --schedule refill -m 200 -n 300 -k 520",
          "--arch gfx950 --a fp8 --transa t --tile 160x96x256 --waves 2x2 --schedule direct -m 170 -n 99 -k 777",
          "--arch gfx90a --a f64 --tile 96x32x32 --waves 2x1 -m 100 -n 45 -k 70 --beta 1",
          "--arch gfx908 --a i8 --transa t --transb t --tile 96x48x128 --waves 2x1 -m 100 -n 45 -k 333",
          "--arch gfx942 --a fp8 --transa t --tile 96x64x128 --waves 2x2 -m 101 -n 180 -k 300 --scale-a 1x128 "
          "--scale-b 1x128",
          "--arch gfx950 --a mxfp8 --transa t --tile 96x96x256 --waves 2x2 -m 130 -n 91 -k 320",
          "--arch gfx942 --a bf16 --transa t --tile 96x96x64 --waves 1x2 -m 130 -n 91 -k 300 --epilogue "
          "bias,silu,gated",
          "--arch gfx942 --a f16 --tile 192x96x64 --waves 2x2 -m 130 -n 91 -k 300 --epilogue bias,gelu,residual,absmax",
          "--arch gfx950 --a bf16 --d fp8 --transa t --tile 96x64x64 --waves 1x2 -m 110 -n 70 -k 100 --epilogue mx",
          "--arch gfx942 --a bf16 --transa t --tile 96x48x64 --waves 2x1 -m 300 -n 200 -k 500 --split-k 3 --stream-k 7 "
          "--reduction ordered",
          "--arch gfx942 --a bf16 --transa t --tile 96x96x64 --waves 2x2 -k 200 --grouped n --groups 40,0,290,97 -m 99",
          "--arch gfx1100 --a f16 --tile 64x96x64 --waves 2x2 -m 100 -n 99 -k 130 --beta 2",
          "--arch gfx1201 --a bf16 --transa t --tile 96x96x64 --waves 2x2 -m 100 -n 99 -k 130 --order late",
          "--arch gfx1250 --a bf16 --transa t --tile 16x192x64 --waves 1x4 -m 9 -n 401 -k 500 --order late",
      }) {
    const clitest::Ran r = clitest::run_program(fmt::format("verify gemm {}", options));
    INFO(options << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}

TEST_CASE("a tile that does not divide among the waves is refused with the nearest ones", "[gemm][tiles]") {
  const auto tile = [](int m, int n, int waves_m, int waves_n) {
    return GemmConfig{.trans_a = true, .block = {m, n, 64}, .waves_m = waves_m, .waves_n = waves_n};
  };
  CHECK_THROWS_WITH(check(tile(250, 64, 2, 2), Arch::gfx942),
                    Catch::Contains("tile 250x64 over 2x2 waves") && Catch::Contains("nearest: m 224 or 256, n 64"));
  CHECK_THROWS_WITH(check(tile(96, 24, 1, 1), Arch::gfx942), Catch::Contains("nearest: m 96, n 16 or 32"));
  CHECK_THROWS_WITH(check(tile(288, 64, 2, 2), Arch::gfx942), Catch::Contains("nearest: m 256, n 64"));
  CHECK_THROWS_WITH(check(tile(48, 16, 1, 2), Arch::gfx942), Catch::Contains("nearest: m 48, n 32"));
  GemmConfig scaled = tile(96, 96, 1, 1);
  scaled.input = Type::fp8, scaled.block.k = 256, scaled.sum_scales_b = {128, false};
  CHECK_THROWS_WITH(check(scaled, Arch::gfx942), Catch::Contains("legal: 16, 32, 64 or 128"));
}

}  // namespace wavesmith::gemm_bench
