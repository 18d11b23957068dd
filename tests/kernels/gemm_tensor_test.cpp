// Schedule tensor: the tensor data mover brings A and B to LDS (gfx1250).
#include <map>
#include <mutex>
#include <set>

#include "isa_tables/opcodes.h"
#include "simulator/observer.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith::gemm_bench {
namespace {

GemmConfig tensor_config(Type input, Type output, bool ta, bool tb) {
  GemmConfig c{.input = input, .output = output, .trans_a = ta, .trans_b = tb, .schedule = GemmSchedule::tensor};
  c.block = {64, 64, block_k(c, Arch::gfx1250)};
  return c;
}

}  // namespace

TEST_CASE("the tensor data mover's tiles are right and free of LDS conflicts, by transposing reads too",
          "[gemm][tensor]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  for (const auto& [input, output] : {std::pair(Type::f16, Type::f32),
                                      {Type::bf16, Type::bf16},
                                      {Type::fp8, Type::f32},
                                      {Type::bf8, Type::f32},
                                      {Type::i8, Type::i32},
                                      {Type::f32, Type::f32}})
    for (const int stages : {2, 3, 4}) {
      GemmConfig c = tensor_config(input, output, ta, tb);
      c.stages = stages;
      if (isa::bits(input) > 16 && (!ta || tb)) {
        CHECK_THROWS_WITH(check(c, Arch::gfx1250), Catch::Contains("legal: transa t, transb n"));
        continue;
      }
      for (const uint32_t depth : {1u, 77u, 513u}) {
        if (static uint32_t tried = 0; !in_sample(tried++)) continue;
        const Case t{c, 67, 131, depth, 3, 2, 2, -1, Arch::gfx1250};
        const Program p = build_gemm(c, Arch::gfx1250);
        const Outcome o = run(t, assemble(p).bytes);
        INFO(kernel_name(c) << " k " << depth << "\n" << (o.result.fault ? o.result.fault->message() : ""));
        REQUIRE_FALSE(o.result.fault);
        CHECK_FALSE(o.result.warning);
        CHECK(o.error <= o.bound);
        CHECK(o.padding_kept);
        CHECK(o.result.lds_conflict_cycles == 0);
        CHECK(std::ranges::count_if(p.nodes, [](const Node& n) {
                return n.is_instruction() && n.inst.op == Opcode::tensor_load_to_lds;
              }) > 0);
      }
    }
}

TEST_CASE("schedule tensor verifies by the command line, with every part of a GEMM", "[gemm][tensor][cli]") {
  for (const char* options :
       {"--a f16 --transb t --stages 3 -m 33 -n 70 -k 129 --lda 45 --batch-count 2 --order late",
        "--a bf16 --transa t --transb t --tile 128x64x128 --stages 4 -m 130 -n 65 -k 520 --order random:3 --quantum 64",
        "--a bf8 --b fp8 --tile 64x64x128 -m 65 -n 33 -k 77 --ldb 91 --order random:5 --quantum 64",
        "--a bf16 --transa t --tile 96x96x64 --waves 2x2 -m 150 -n 150 -k 130 --beta 2",
        "--a bf16 --transa t --tile 16x32x64 --waves 1x1 -m 20 -n 40 -k 130",
        "--a bf16 --transa t --tile 192x128x128 --waves 4x2 --stages 4 -m 200 -n 130 -k 900",
        "--a mxfp4 --transa t --tile 64x64x256 -m 65 -n 33 -k 544",
        "--a mxfp8 --tile 64x64x256 -m 65 -n 33 -k 288",
        "--a mxfp8 --b mxfp4 --transa t --tile 64x64x256 -m 65 -n 33 -k 288 --init special",
        "--a mxfp4 --transa t --tile 64x64x512 --waves 2x2 --stages 3 -m 65 -n 70 -k 4256 --order late",
        "--a mxfp8 --tile 128x64x256 --waves 2x2 --epilogue silu,gated -m 100 -n 77 -k 1056 --order late-lds",
        "--a mxfp8 --transa t --tile 64x64x256 --grouped n --groups 40,0,90 -m 100 -k 2080",
        "--a mxfp4 --transa t --tile 64x64x256 --split-k 3 -m 100 -n 77 -k 4256 --batch-count 2",
        "--a mxfp4 --transa t --tile 64x64x512 --cluster 2x2 --prefetch 2 -m 300 -n 270 -k 2080",
        "--a fp8 --d bf16 --transa t --scale-a 128x128 --scale-b 1x128-t --tile 64x64x128 -m 70 -n 77 -k 300",
        "--a bf16 --transa t --tile 128x64x64 --epilogue bias,silu,gated -m 100 -n 77 -k 70",
        "--a bf16 --tile 128x64x64 --epilogue bias,silu,gated -m 100 -n 77 -k 70 --order late",
        "--a bf16 --transa t --grouped n --groups 40,0,90 -m 100 -k 300",
        "--a bf16 --grouped m --groups 40,0,91 -n 50 -k 70",
        "--a bf16 --grouped k --groups 40,0,91 -m 100 -n 50",
        "--a bf16 --split-k 3 --reduction ordered -m 100 -n 50 -k 1000",
        "--a bf16 --transa t --split-k 5 --stream-k 12 --reduction ordered -m 200 -n 300 -k 700",
        "--a bf16 -m 0 -n 50 -k 10",
        "--a bf16 -m 50 -n 50 -k 0",
        "--a f16 --transa t -m 70 -n 70 -k 130 --init special"}) {
    const std::string tile =
        std::string_view(options).find("--tile") == std::string_view::npos ? " --tile 64x64x64" : "";
    const clitest::Ran r =
        clitest::run_program(fmt::format("verify gemm --arch gfx1250 --schedule tensor {}{}", options, tile));
    INFO(options << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}

// Tiles whose accumulators lie behind the first bank of VGPRs.
TEST_CASE("waves of gfx1250 with more than 256 VGPRs are right in every schedule", "[gemm][tensor][cli]") {
  for (const char* options :
       {"--a bf16 --transa t --tile 256x256x128 --waves 4x2 --schedule tensor --stages 4 -m 300 -n 270 -k 200 --beta 2",
        "--a f16 --transb t --tile 256x256x64 --waves 4x2 --schedule tensor -m 257 -n 250 -k 129 --order late",
        "--a fp8 --tile 256x256x256 --waves 4x2 --schedule tensor --stages 3 -m 250 -n 260 -k 300 --init special",
        "--a mxfp4 --transa t --tile 256x256x512 --waves 4x2 --schedule tensor -m 260 -n 250 -k 544",
        "--a mxfp8 --b mxfp4 --transa t --tile 256x128x256 --waves 4x1 --schedule tensor -m 260 -n 130 -k 288",
        "--a i8 --tile 128x256x128 --waves 2x4 --schedule staged -m 257 -n 255 -k 200",
        "--a f32 --transa t --tile 256x256x32 --waves 4x2 -m 250 -n 250 -k 50",
        "--a bf16 --transa t --tile 256x128x128 --waves 4x1 --schedule interleaved -m 257 -n 255 -k 200",
        "--a bf16 --transa t --tile 256x256x64 --waves 4x2 --schedule stream -m 257 -n 255 -k 200",
        "--a bf16 --tile 256x128x64 --waves 4x2 --epilogue bias,silu,gated,residual -m 200 -n 255 -k 70",
        "--a fp8 --d bf16 --transa t --scale-a 128x128 --scale-b 1x128-t --tile 256x128x128 --waves 4x1 -m 257 -n 100 "
        "-k 300",
        "--a bf16 --tile 256x128x64 --waves 4x2 --split-k 3 --reduction ordered -m 250 -n 250 -k 500",
        "--a bf16 --b i4 --group-size 32 --transa t --tile 256x128x64 --waves 4x1 -m 257 -n 120 -k 96"}) {
    const clitest::Ran r = clitest::run_program(fmt::format("verify gemm --arch gfx1250 {}", options));
    INFO(options << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}

namespace {

// Sectors of 64 bytes that prefetches request, and those that the data mover loads without such a request before.
struct Requests : sim::Observer {
  void executed(const sim::Wave&, const sim::Step&) override {}
  void lds(const sim::Wave&, const sim::Step&, uint32_t, int, bool, int) override {}
  void memory(const sim::Wave&, const sim::Step& st, std::span<const uint64_t> at, uint64_t lanes, int bytes) override {
    for (size_t l = 0; l < at.size() && l < 64; ++l) {
      if (!(lanes >> l & 1)) continue;
      for (uint64_t sector = at[l] / 64; sector * 64 < at[l] + static_cast<uint64_t>(bytes); ++sector)
        if (st.inst.op == Opcode::global_prefetch_b8) requested.insert(sector);
        else if (st.inst.op == Opcode::tensor_load_to_lds && !requested.contains(sector)) unexpected.insert(sector);
    }
  }
  std::set<uint64_t> requested, unexpected;
};
struct RequestsOfAll : sim::Observers {
  sim::Observer* workgroup(const std::array<uint32_t, 3>& id) override {
    const std::lock_guard lock(mutex);
    return &all[id];
  }
  std::mutex mutex;
  std::map<std::array<uint32_t, 3>, Requests> all;
};

}  // namespace

TEST_CASE("every line is requested before the data mover loads it, but for the first iteration's", "[gemm][tensor]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true), gated = GENERATE(false, true);
  for (const auto& [input, prefetch] : {std::pair(Type::bf16, 1), {Type::bf16, 3}, {Type::fp8, 2}}) {
    GemmConfig c = tensor_config(input, Type::f32, ta, tb);
    c.block.k = 2048 / isa::bits(input), c.epilogue.gated = gated, c.prefetch = prefetch;
    const auto k = static_cast<uint32_t>(7 * c.block.k);  // rows of whole requests
    const GemmProblem size{
        .m = gated ? 64u : 128u, .n = 128, .k = k, .lda = ta ? k : 128u, .ldb = tb ? 128u : k, .ldc = 128, .ldd = 128};
    sim::Memory memory;
    constexpr uint64_t line = 256;
    const auto matrix = [&](const char* name, uint64_t bytes) {
      const std::vector<uint8_t> zeros(bytes + line);
      const uint64_t at = memory.allocate(zeros.size(), name);
      memory.write(at, zeros);
      return (at + line - 1) / line * line;
    };
    const uint64_t bytes = uint64_t{128} * k * static_cast<uint64_t>(isa::bits(input)) / 8;
    const GemmPointers at{.a = matrix("A", bytes), .b = matrix("B", bytes), .c = 0, .d = matrix("D", 128 * 128 * 4)};
    const KernelLaunch l = launch(c, Arch::gfx1250, size, at);
    const auto object = sim::CodeObject::load(assemble(build_gemm(c, Arch::gfx1250)).bytes);
    RequestsOfAll seen;
    sim::Options o;
    o.observers = &seen;
    const sim::Result r = sim::run(object, object.kernel(object.kernels().front().name), memory,
                                   {.grid = l.grid, .block = l.block, .kernargs = l.kernargs}, o);
    INFO(kernel_name(c) << (r.fault ? r.fault->message() : ""));
    REQUIRE_FALSE(r.fault);
    for (auto& [id, of] : seen.all) {
      CHECK(of.requested.size() > 5 * of.unexpected.size());
      const auto of_k = [&](uint64_t sector) {  // the last k of it
        const bool in_a = sector * 64 >= at.a && sector * 64 < at.a + bytes;
        const uint64_t element =
            (sector * 64 + 63 - (in_a ? at.a : at.b)) * 8 / static_cast<uint64_t>(isa::bits(input));
        return (in_a ? ta : !tb) ? element % k : element / (in_a ? size.lda : size.ldb);
      };
      for (const uint64_t sector : of.unexpected) REQUIRE(of_k(sector) < static_cast<uint64_t>(c.block.k));
    }
  }
}

TEST_CASE("clusters are right at every edge, and what all have is read from the L2 once", "[gemm][tensor][cli]") {
  for (const char* options :
       {"--a bf16 --cluster 2x2 -m 300 -n 470 -k 520 --stages 4", "--a f16 --transa t --cluster 1x4 -m 65 -n 64 -k 77",
        "--a bf16 --transb t --cluster 8x1 -m 1 -n 200 -k 300 --order random:3",
        "--a fp8 --transa t --tile 64x64x128 --cluster 4x4 --prefetch 2 -m 65 -n 129 -k 500 --batch-count 2",
        "--a fp8 --d bf16 --transa t --scale-a 128x128 --scale-b 1x128-t --tile 64x64x128 --cluster 2x2 -m 70 -n 77 -k "
        "300",
        "--a mxfp8 --transa t --tile 64x64x256 --cluster 2x4 -m 65 -n 33 -k 288 --init special",
        "--a bf16 --cluster 2x2 --epilogue bias,silu,gated,absmax -m 100 -n 77 -k 70 --beta 0",
        "--a bf16 --cluster 2x2 --split-k 3 -m 130 -n 65 -k 520 --batch-count 2",
        "--a bf16 --transa t --cluster 4x1 --split-k 2 --reduction atomic --d f32 -m 300 -n 200 -k 70",
        "--a bf16 --transb t --cluster 2x4 --grouped k --groups 100,0,33,77 -m 130 -n 65",
        "--a bf16 --cluster 2x2 -m 0 -n 50 -k 10", "--a bf16 --cluster 2x2 -m 50 -n 70 -k 0 --order late"}) {
    const std::string tile =
        std::string_view(options).find("--tile") == std::string_view::npos ? " --tile 64x64x64" : "";
    const clitest::Ran r = clitest::run_program(fmt::format("verify gemm --arch gfx1250 {}{}", options, tile));
    INFO(options << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
  const auto from_l2 = [](const char* cluster) {
    const clitest::Ran r = clitest::run_program(
        fmt::format("time gemm --arch gfx1250 --a bf16 --transa t --tile 128x128x128 --schedule tensor --cluster {} "
                    "-m 1024 -n 1024 -k 1024 --json",
                    cluster));
    INFO(r.out << r.err);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.out)["bytes"]["l2"].get<double>();
  };
  const double alone = from_l2("1x1"), operand = 8 * 8 * 128 * 1024 * 2;  // bytes of A that tiles load, and of B
  CHECK(alone - from_l2("2x2") == Approx(operand / 2 + operand / 2));
  CHECK(alone - from_l2("4x1") == Approx(operand * 3 / 4));
}

TEST_CASE("schedule tensor is refused for what the data mover does not bring to LDS", "[gemm][tensor]") {
  const auto refused = [](GemmConfig c, const char* why, Arch arch = Arch::gfx1250) {
    CHECK_THROWS_WITH(check(c, arch), Catch::Contains("schedule tensor") && Catch::Contains(why));
  };
  GemmConfig c = tensor_config(Type::bf16, Type::bf16, true, false);
  refused(c, "legal: gfx1250", Arch::gfx1201);
  c.order_a = MatrixOrder::tiles;
  refused(c, "legal: matrices by rows");
  c = tensor_config(Type::bf16, Type::bf16, false, false), c.block.m = 96;
  refused(c, "legal: a power of two");
  refused(tensor_config(Type::f64, Type::f64, true, false), "legal: schedule staged");
  const auto no_cluster = [](GemmConfig with, GemmCluster cluster, const char* why) {
    with.cluster = cluster;
    CHECK_THROWS_WITH(check(with, Arch::gfx1250), Catch::Contains("clusters of") && Catch::Contains(why));
  };
  c = tensor_config(Type::bf16, Type::bf16, true, false);
  no_cluster(c, {2, 3}, "legal: powers of two, at most 16 together");
  no_cluster(c, {8, 4}, "legal: powers of two, at most 16 together");
  GemmConfig other = c;
  other.order = {4, 8};
  no_cluster(other, {2, 2}, "legal: order columns");
  other = c, other.split_k = 2, other.reduction = Reduction::ordered, other.stream_k = 7;
  no_cluster(other, {2, 2}, "legal: stream_k 0");
  other = c, other.ragged = Ragged::n;
  no_cluster(other, {2, 2}, "legal: groups of k, or none");
  other = c, other.schedule = GemmSchedule::staged;
  no_cluster(other, {2, 2}, "legal: schedule tensor");
  other.prefetch = 1;
  CHECK_THROWS_WITH(check(other, Arch::gfx1250), Catch::Contains("prefetch with schedule staged"));
  other = c, other.prefetch = 9;
  CHECK_THROWS_WITH(check(other, Arch::gfx1250), Catch::Contains("legal: 0 to 8"));
  c.epilogue.gated = true, c.waves_m = c.block.m / 16;
  refused(c, "16 rows of A per wave; legal: multiples of 32");
}

TEST_CASE("a kernel of the tensor data mover with one wait or barrier taken out is caught",
          "[gemm][tensor][mutation]") {
  constexpr uint32_t ks[] = {424, 40, 104, 232};
  const GemmConfig config = tensor_config(Type::f16, Type::f32, true, true);
  check_waits_needed({.config = config, .m = 64, .n = 64, .k = 0, .beta = 1, .arch = Arch::gfx1250}, ks);
}

}  // namespace wavesmith::gemm_bench
