// Persistent workgroups: right in every schedule and for every kind of tile, whole or at an edge of D; the same bits as
// with a workgroup for every tile; and faster where a CU holds one workgroup.
#include "choice/plan_gemm.h"
#include "isa_tables/timing/peaks.h"
#include "kernels/gemm/gemm_kernel.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith::gemm_bench {
namespace {

void verifies(const std::string& options) {
  const clitest::Ran r = clitest::run_program("verify gemm " + options);
  INFO(options << "\n" << r.out << r.err);
  CHECK(r.status == 0);
}
}  // namespace

TEST_CASE("persistent workgroups verify by the command line in every schedule", "[gemm][persistent][cli]") {
  const char* const kernels[] = {"gfx908 --a f16",
                                 "gfx90a --a f64 --tile 64x64x16",
                                 "gfx90a --a bf16 --schedule interleaved --order random:3",
                                 "gfx942 --a fp8 --transa t --scale-a block --scale-b block",
                                 "gfx942 --a i4 --b f16 --transa t",
                                 "gfx942 --a f16 --epilogue gated,silu",
                                 "gfx950 --a bf16 --transa t --schedule refill --tile 128x128x64 --order late",
                                 "gfx950 --a bf16 --transa t --schedule direct --work-order xcds8_bands4",
                                 "gfx950 --a mxfp4 --transa t --schedule refill",
                                 "gfx950 --a bf16 --transa t --schedule stream --tile 16x64x128 --waves 1x4",
                                 "gfx950 --a f32 --f32-as bf16x3",
                                 "gfx950 --a bf16 --d fp8 --epilogue quant128",
                                 "gfx1100 --a f32 --batch-count 2",
                                 "gfx1151 --a f16",
                                 "gfx1201 --a fp8 --transa t",
                                 "gfx1250 --a bf16 --schedule staged"};
  size_t next = 0;
  for (const char* kernel : kernels) {
    const char* const sizes[] = {"-m 256 -n 256 -k 256", "-m 200 -n 136 -k 288", "-m 257 -n 129 -k 64",
                                 "-m 33 -n 65 -k 96"};
    verifies(fmt::format("--arch {} --persistent {} {}", kernel, 1 + next % 3, sizes[next % 4]));
    ++next;
  }
}

TEST_CASE("persistent workgroups verify by the command line with every epilogue", "[gemm][persistent][cli]") {
  std::vector<std::string> words{"gated,silu", "clamp:-1:2"};
  for (const EpiloguePartInfo& p : epilogue_parts()) words.push_back(Epilogue{}.add(p.part).words().front());
  for (const ActivationInfo& a : activations()) words.emplace_back(a.name);
  for (const std::string& word : words)
    for (const char* kernel : {"gfx942 --a f16", "gfx1201 --a bf16", "gfx1250 --a bf16 --schedule tensor"})
      for (const char* size : {"-m 256 -n 130 -k 384", "-m 200 -n 130 -k 96 --beta 0.5"}) {
        if (word == "gated,silu" && std::string_view(size).ends_with("0.5")) continue;  // has no C
        verifies(fmt::format("--arch {} --tile 64x64x64 --persistent 2 --epilogue {} {}", kernel, word, size));
      }
}

// Tiles of each kind come before and after whole ones; D that is not aligned, C and few trips of the loop are never
// stored behind the next tile's first loads.
TEST_CASE("tiles stored behind the next one's first loads verify by the command line", "[gemm][persistent][cli]") {
  for (const char* options :
       {"--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 512 --persistent 3 --order late",
        "--a bf16 --transa t --tile 64x64x64 -m 250 -n 190 -k 530 --persistent 2 --order random:5 --quantum 64",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 50 --persistent 1",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 0 --persistent 1",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 512 --persistent 2 --beta 2",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 512 --persistent 2 --alpha 0",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 512 --ldd 257 --persistent 2",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 512 --batch-count 3 --persistent 2 --init special",
        "--a f16 --transb t --tile 128x64x128 --stages 3 -m 384 -n 192 -k 640 --persistent 2 --work-order bands2",
        "--a bf16 --transa t --tile 64x64x64 --stages 4 -m 256 -n 192 -k 520 --persistent 2 --epilogue "
        "scale-a,scale-b,relu,scale-d",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 520 --persistent 2 --epilogue bias,gelu",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 200 -k 512 --persistent 4 --cluster 2x2 --order late",
        "--a bf16 --transa t --tile 64x64x64 -m 512 -n 130 -k 512 --persistent 8 --cluster 4x2 --prefetch 2",
        "--a i8 --d i32 --tile 64x64x128 -m 256 -n 192 -k 512 --persistent 2",
        "--a i8 --d f16 --tile 64x64x128 -m 256 -n 192 -k 1536 --persistent 2 --prefetch 1",
        "--a bf16 --transa t --tile 64x64x64 -m 256 -n 192 -k 768 --persistent 2 --prefetch 1 --order late",
        "--a bf16 --transa t --tile 64x96x64 -m 320 -n 200 -k 640 --persistent 3 --prefetch 3 --epilogue relu",
        "--a f16 --transb t --tile 128x64x64 --stages 4 -m 512 -n 130 -k 512 --persistent 4 --prefetch 2 --cluster 2x2",
        "--a mxfp4 --transa t --tile 256x256x512 --waves 2x2 --stages 4 -m 512 -n 600 -k 4096 --persistent 2 "
        "--cluster 1x2 --prefetch 3 --scale-layout tiles",
        "--a mxfp4 --b mxfp8 --transa t --tile 128x128x256 --stages 4 -m 384 -n 300 -k 2048 --persistent 2 --prefetch "
        "1",
        "--a fp8 --transa t --d bf16 --scale-a 128x128 --scale-b 1x128-t --tile 128x128x256 -m 256 -n 256 -k 1024 "
        "--persistent 1",
        "--a mxfp4 --transa t --tile 256x256x512 --waves 2x2 --stages 4 -m 512 -n 512 -k 2048 --persistent 1 "
        "--scale-layout tiles --order late-lds",
        "--a mxfp8 --transa t --tile 128x128x256 -m 256 -n 300 -k 1056 --persistent 2",
        "--a mxfp8 --transa t --tile 64x128x256 --waves 1x2 --stages 3 -m 130 -n 128 -k 544 --persistent 2 "
        "--scale-layout tiles",
        "--a bf16 --transa t --tile 128x128x64 -m 256 -n 384 -k 512 --persistent 2 --epilogue "
        "bias,bias-col,scale-a-row,scale-b-col,gelu-erf,scale-d-row",
        "--a fp8 --transa t --tile 256x256x256 --waves 2x2 --stages 4 -m 512 -n 512 -k 2048 --persistent 1 --epilogue "
        "bias,silu",
        "--a mxfp8 --b mxfp4 --transa t --tile 128x128x256 --stages 4 --cluster 2x2 -m 512 -n 512 -k 2080 "
        "--persistent 4 --scale-layout tiles --init special"})
    verifies(std::string("--arch gfx1250 --schedule tensor ") + options);
}

namespace {
GemmConfig in_turn(int stages) {
  GemmConfig c{.input = Type::bf16, .output = Type::bf16, .trans_a = true, .block = {64, 64, 64}};
  c.stages = stages, c.schedule = GemmSchedule::tensor, c.persistent = 2;
  return c;
}
}  // namespace

TEST_CASE("persistent workgroups give the bits of workgroups of a tile each", "[gemm][persistent]") {
  for (const int stages : {2, 4}) {
    const auto bits = [](const GemmConfig& c) {
      const Outcome o = run({.config = c, .m = 256, .n = 200, .k = 768, .pad = 4, .batch = 2, .arch = Arch::gfx1250},
                            assemble(build_gemm(c, Arch::gfx1250)).bytes);
      REQUIRE_FALSE(o.result.fault);
      CHECK(o.error <= o.bound);
      CHECK(o.padding_kept);
      return o.d;
    };
    GemmConfig alone = in_turn(stages);
    alone.persistent = 0;
    CHECK(bits(in_turn(stages)) == bits(alone));
  }
}

TEST_CASE("persistent workgroups with one wait or barrier taken out are caught", "[gemm][persistent][mutation]") {
  constexpr uint32_t ks[] = {576, 40, 104, 232};
  check_waits_needed({.config = in_turn(3), .m = 192, .n = 130, .k = 0, .arch = Arch::gfx1250}, ks);
}

TEST_CASE("what persistent workgroups execute for a tile fits into the instruction cache", "[gemm][persistent]") {
  for (const Epilogue& e : {Epilogue{}, epilogue_of({}, Activation::relu)}) {
    GemmConfig c{.input = Type::fp4, .output = Type::bf16, .trans_a = true, .block = {256, 256, 512}, .epilogue = e};
    c.waves_m = c.waves_n = 2, c.stages = 4, c.schedule = GemmSchedule::tensor, c.cluster = {2, 2}, c.prefetch = 1;
    c.block_scales = BlockScales::tiles, c.persistent = 256;
    const double bytes = gemm::bytes_of_tile(build_gemm(c, Arch::gfx1250));
    CHECK(bytes > 32 * 1024);
    CHECK(bytes <= 64 * 1024);
    c.persistent = 0;
    CHECK(gemm::bytes_of_tile(build_gemm(c, Arch::gfx1250)) == 0);
  }
}

TEST_CASE("persistent workgroups are refused where workgroups share tiles", "[gemm][persistent]") {
  const auto refused = [](auto&& change, const char* says) {
    GemmConfig c{.trans_a = true, .block = {64, 64, 64}};
    c.persistent = 6;
    change(c);
    CHECK_THROWS_WITH(check(c, Arch::gfx1250), Catch::Contains("persistent is") && Catch::Contains(says));
  };
  refused([](GemmConfig& c) { c.split_k = 2, c.reduction = Reduction::ordered; }, "with split_k 2; legal: split_k 1");
  refused([](GemmConfig& c) { c.ragged = Ragged::n; }, "with groups of n; legal: split_k 1, no groups");
  refused([](GemmConfig& c) { c.persistent = -1; }, "legal: 1 or more, or 0");
  refused([](GemmConfig& c) { c.schedule = GemmSchedule::tensor, c.cluster = {2, 2}; }, "legal: multiples of 4");
}

TEST_CASE("the metadata has the grids of clusters and of persistent workgroups", "[gemm][persistent][cli]") {
  const auto facts = [](const std::string& options) {
    const clitest::Ran r = clitest::run_program(
        "gemm --arch gfx1250 --a bf16 --transa t --schedule tensor --tile 64x64x64 --cluster 2x4 --json " + options);
    INFO(r.out << r.err);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.out);
  };
  CHECK(facts("")["grid"] == nlohmann::json{"2 * ceil(m / 128)", "4 * ceil(n / 256)", "batch"});
  const nlohmann::json persistent = facts("--persistent 16");
  CHECK(persistent["grid"] == nlohmann::json{"2 * tiles_at_once", "4", "batch"});
  CHECK(persistent["formulas"]["tiles_at_once"] == "min(2, tiles)");
  GemmConfig c{.input = Type::bf16, .output = Type::bf16, .trans_a = true, .block = {64, 64, 64}};
  c.schedule = GemmSchedule::tensor, c.cluster = {2, 4}, c.persistent = 16;
  const KernelLaunch l = launch(c, Arch::gfx1250, {.m = 300, .n = 300, .k = 64, .lda = 64, .ldb = 64, .ldd = 300}, {});
  CHECK(l.grid == decltype(l.grid){4, 4, 1});
}

TEST_CASE("large products of gfx1250 are chosen with persistent workgroups", "[gemm][persistent][choice]") {
  const GemmRequest fp8{.input = Type::fp8, .output = Type::bf16, .trans_a = true};
  const isa::Gpu* gpu = isa::find_gpu("MI455X");
  const auto chosen = [&](uint32_t n) {
    return plan_gemm(fp8, Arch::gfx1250, {.m = 8192, .n = n, .k = 8192}, {.gpu = gpu, .cache = ""}).config.persistent;
  };
  CHECK(chosen(8192) == gpu->units);
  CHECK(chosen(2048) == 0);  // a tile for each CU
}

}  // namespace wavesmith::gemm_bench
