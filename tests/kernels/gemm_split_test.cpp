// Parts of K that are added in order: right on every target with every kind of epilogue, the same bits whichever
// workgroup comes last, a workspace that serves launch after launch.
#include "checker/check.h"
#include "choice/plan_gemm.h"
#include "generator/passes/check_program.h"
#include "isa_tables/opcodes.h"
#include "simulator/observer.h"
#include "simulator/timing/timing.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"

namespace wavesmith::gemm_bench {
namespace {

using Catch::Contains;

struct Watch : sim::Observer {
  void executed(const sim::Wave&, const sim::Step&) override {}
  void lds(const sim::Wave&, const sim::Step&, uint32_t, int, bool, int) override {}
  void memory(const sim::Wave&, const sim::Step&, std::span<const uint64_t>, uint64_t, int) override {}
};
struct Only : sim::Observers {  // one workgroup
  explicit Only(uint64_t number) : numbers{number} {}
  sim::Observer* workgroup(const std::array<uint32_t, 3>&) override { return &watch; }
  std::optional<std::span<const uint64_t>> chosen() const override { return numbers; }
  Watch watch;
  std::array<uint64_t, 1> numbers;
};

// A problem in memory, launched as often as one likes.
struct Problem {
  GemmConfig config;
  Arch arch;
  GemmProblem size;
  sim::Memory memory;
  GemmPointers at{};
  uint64_t d_bytes, workspace;
  Problem(const GemmConfig& c, Arch target, uint32_t m, uint32_t n, uint32_t k) : config(c), arch(target) {
    std::mt19937 g(7);
    const bool fnuz = isa::target(arch).fnuz_fp8();
    const auto put = [&](Type type, uint32_t rows, uint32_t cols, const char* name) {
      const Matrix x = random_matrix(g, type, rows, cols, 0, 1, fnuz);
      const uint64_t to = memory.allocate(x.bytes.size(), name);
      memory.write(to, x.bytes);
      return std::pair(to, x.bytes.size());
    };
    at.a = put(c.input, c.trans_a ? k : m, c.trans_a ? m : k, "A").first;
    at.b = put(type_of_b(c), c.trans_b ? n : k, c.trans_b ? k : n, "B").first;
    std::tie(at.d, d_bytes) = put(c.output, m, n, "D");
    at.c = put(c.output, m, n, "C").first;
    for (const EpiloguePartInfo& p : epilogue_parts())
      if (c.epilogue.has(p.part)) at.epilogue[p.part] = put(type_of(p, c.output), m, n, p.name).first;
    size = {.m = m,
            .n = n,
            .k = k,
            .lda = c.trans_a ? k : m,
            .ldb = c.trans_b ? n : k,
            .ldc = m,
            .ldd = m,
            .beta = 0.5,
            .ld_residual = m};
    workspace = workspace_bytes(c, size);
    at.workspace = memory.allocate(std::max<uint64_t>(workspace, 4), "workspace");
    memory.write(at.workspace, std::vector<uint8_t>(workspace));
  }
  sim::Result run(const sim::Options& o = {}) {
    const KernelLaunch l = launch(config, arch, size, at);
    const auto co = sim::CodeObject::load(assemble(build_gemm(config, arch)).bytes);
    return sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs}, o);
  }
  uint64_t workgroups() {
    const auto grid = launch(config, arch, size, at).grid;
    return uint64_t{grid[0]} * grid[1] * grid[2];
  }
  std::vector<uint8_t> d() const {
    std::vector<uint8_t> bytes(d_bytes);
    memory.read(at.d, bytes);
    return bytes;
  }
  std::vector<uint8_t> counters() const {  // one of each wave, before the sums
    const auto& c = config;
    const uint32_t rows = static_cast<uint32_t>(rows_of_d(c)), cols = static_cast<uint32_t>(c.block.n);
    std::vector<uint8_t> bytes(size_t{4} * c.waves_m * c.waves_n * ((size.m + rows - 1) / rows) *
                               ((size.n + cols - 1) / cols));
    memory.read(at.workspace, bytes);
    return bytes;
  }
};

const GemmConfig split_by_3{
    .output = Type::f16, .trans_a = true, .block = small, .split_k = 3, .reduction = Reduction::ordered};

}  // namespace

TEST_CASE("parts of K added in order are right on every target, with every tail", "[gemm][split]") {
  size_t next = 0;
  for (const auto& target : isa::all_targets()) {
    const Arch arch = *isa::find_arch(target.name);
    const bool ta = ++next % 2, tb = next % 3 == 0;
    const GemmConfig config{.output = next % 4 ? Type::f16 : Type::f32,
                            .trans_a = ta,
                            .trans_b = tb,
                            .block = small,
                            .split_k = std::array{2, 5, 17}[next % 3],
                            .reduction = Reduction::ordered};
    const uint32_t k = next % 5 ? 313 : 1;  // parts without k
    check_right(
        {.config = config, .m = 65, .n = 34, .k = k, .pad = 1, .batch = 2, .alpha = 1.5f, .beta = 2, .arch = arch});
  }
}

TEST_CASE("parts of K in order: sums of f64 and i32, tiles of many registers", "[gemm][split]") {
  for (const GemmConfig& c : {GemmConfig{.input = Type::f64, .output = Type::f64, .block = {64, 64, 16}},
                              GemmConfig{.input = Type::i8, .output = Type::i32, .block = {64, 64, 128}},
                              GemmConfig{.input = Type::i8, .output = Type::i8, .block = {64, 64, 128}},
                              GemmConfig{.trans_a = true, .block = {256, 256, 64}}}) {
    if (c.output == Type::i8) continue;  // saturates: tests/tools
    for (const Arch arch : {Arch::gfx908, Arch::gfx942}) {
      GemmConfig of = c;
      of.split_k = 3, of.reduction = Reduction::ordered;
      if (is_legal(of, arch)) check_right({.config = of, .m = 70, .n = 65, .k = 400, .pad = 1, .arch = arch});
    }
  }
}

TEST_CASE("parts of K in order have the same bits whichever workgroup comes last", "[gemm][split]") {
  GemmConfig c = split_by_3;
  c.epilogue = epilogue_of({EpiloguePart::residual}, Activation::gelu);
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx1201);
  Problem p(c, arch, 70, 67, 500);
  REQUIRE_FALSE(p.run().fault);
  const auto want = p.d();
  for (const bool late : {false, true}) {  // stores complete as late as the waits allow
    REQUIRE_FALSE(p.run({.quantum = 5, .late = late, .seed = 11}).fault);
    CHECK(p.d() == want);
  }
  p.memory.write(p.at.d, std::vector<uint8_t>(p.d_bytes, 0xa5));
  for (uint64_t i = p.workgroups(); i-- > 0;) {
    Only one(i);
    REQUIRE_FALSE(p.run({.observers = &one}).fault);
  }
  CHECK(p.d() == want);
  CHECK(std::ranges::count(p.counters(), 0) == static_cast<long>(p.counters().size()));
}

TEST_CASE("stream-K splits the tiles of the last round only, and is right with any round", "[gemm][split][stream]") {
  size_t next = 0;
  for (const Arch arch : {Arch::gfx908, Arch::gfx942, Arch::gfx1201})
    for (const int round : {1, 4, 7, 15, 16}) {  // of 3 x 5 tiles: 15, 12, 14, 15, none are whole
      GemmConfig c = split_by_3;
      c.stream_k = round, c.split_k = 2 + static_cast<int>(next++ % 4);
      if (next % 3 == 0) c.order = {2, next % 2 ? 1 : 8};
      check_right({.config = c,
                   .m = 130,
                   .n = 260,
                   .k = 333,
                   .pad = 1,
                   .batch = next % 5 ? 1u : 2u,
                   .beta = 0.5f,
                   .arch = arch});
      if (arch == Arch::gfx942) CHECK(checker::check(build_gemm(c, arch), {.advice = false}).good());
    }
  GemmConfig c = split_by_3;
  c.stream_k = 4;
  const GemmProblem p{.m = 130, .n = 260, .k = 333, .lda = 333, .ldb = 333, .ldc = 130, .ldd = 130};
  CHECK(workspace_bytes(c, p) == 256 + uint64_t{3 * 3} * 64 * 64 * 4);  // of three tiles
  CHECK((launch(c, Arch::gfx942, p, {.workspace = 4096}).grid == std::array<uint32_t, 3>{3, 5 + 2, 1}));
  c.reduction = Reduction::atomic, c.output = Type::f32;
  CHECK_THROWS_WITH(check(c, Arch::gfx942), Contains("stream_k is 4") && Contains("legal: split_k 2 to 64"));
  c = split_by_3, c.stream_k = 4, c.ragged = Ragged::n;
  CHECK_THROWS_WITH(check(c, Arch::gfx942), Contains("stream_k with groups of n"));
}

TEST_CASE("stream-K has the same bits whichever workgroup comes last", "[gemm][split][stream]") {
  GemmConfig c = split_by_3;
  c.stream_k = 2;
  Problem p(c, Arch::gfx942, 70, 140, 500);
  REQUIRE_FALSE(p.run().fault);
  const auto want = p.d();
  p.memory.write(p.at.d, std::vector<uint8_t>(p.d_bytes, 0xa5));
  for (uint64_t i = p.workgroups(); i-- > 0;) {
    Only one(i);
    REQUIRE_FALSE(p.run({.observers = &one}).fault);
  }
  CHECK(p.d() == want);
}

TEST_CASE("a workspace of the stated size is required, and no byte beyond it", "[gemm][split]") {
  Problem p(split_by_3, Arch::gfx942, 200, 130, 300);
  CHECK(p.workspace == 256 + uint64_t{4 * 3} * 3 * 64 * 64 * 4);
  CHECK_FALSE(p.run().fault);  // unmapped beyond
  p.at.workspace = 0;
  CHECK_THROWS_WITH(launch(p.config, p.arch, p.size, p.at), Contains("no workspace; legal: one of 590080 bytes"));
  CHECK(workspace_bytes({.block = small}, p.size) == 0);
  CHECK(workspace_bytes({.output = Type::f32, .block = small, .split_k = 4}, p.size) == 0);
  CHECK_THROWS_WITH(workspace_bytes(split_by_3, {.m = 1u << 31, .n = 1u << 31, .k = 64}), Contains("legal: less than"));
}

TEST_CASE("kernels with parts of K pass both checks", "[gemm][split][check]") {
  for (const Arch arch :
       {Arch::gfx908, Arch::gfx90a, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250}) {
    GemmConfig c = split_by_3;
    c.split_k = 6, c.epilogue = epilogue_of({EpiloguePart::bias}, Activation::silu);
    const Program p = build_gemm(c, arch);
    INFO(p.name << " " << isa::target(arch).name);
    CHECK(checker::check(p, {.advice = false}).good());
  }
}

TEST_CASE("the timing model sees the workgroup that comes last, and leaves the counters as they were",
          "[gemm][split][timing]") {
  GemmConfig c = split_by_3;
  c.split_k = 4;
  Problem p(c, Arch::gfx942, 64, 64 * 64, 1024);
  const KernelLaunch l = launch(c, p.arch, p.size, p.at);
  const auto co = sim::CodeObject::load(assemble(build_gemm(c, p.arch)).bytes);
  for (const uint64_t detail : {uint64_t{1}, uint64_t{6'000'000}}) {
    const auto r = timing::time(co, co.kernel(""), p.memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs},
                                {.detail = detail});
    REQUIRE_FALSE(r.fault);
    std::string said;
    for (const std::string& s : r.assumptions) said += s;
    if (detail == 1) CHECK_THAT(said, Contains("workgroups differ: 2 kinds"));
    uint64_t read = 0;  // sums of other parts: only the last one loads 16 bytes by an address of lanes after its loop
    for (const auto& i : r.list) read += i.text.find("sc1") != i.text.npos && i.issued ? 1 : 0;
    CHECK(read > 10);
    CHECK(std::ranges::count(p.counters(), 0) == static_cast<long>(p.counters().size()));
  }
}

TEST_CASE("skinny problems by way of LDS are split and much faster for it; streamed, they need no split",
          "[gemm][split][choice]") {
  GemmRequest bf16{.input = Type::bf16, .output = Type::bf16, .trans_a = true};
  const GemmProblem p{.m = 16, .n = 8192, .k = 8192};
  const GemmRequest any = bf16;
  bf16.schedule = GemmSchedule::staged;
  GemmRequest whole = bf16;
  whole.split_k = 1;
  const PlanOptions o{.gpu = isa::find_gpu("MI300X"), .cache = ""};
  const GemmPlan split = plan_gemm(bf16, Arch::gfx942, p, o), one = plan_gemm(whole, Arch::gfx942, p, o);
  CHECK(split.timed.front().seconds < 0.8 * one.timed.front().seconds);
  CHECK(has_workspace(split.config));
  CHECK(one.config.split_k == 1);
  const GemmPlan best = plan_gemm(any, Arch::gfx942, p, o);
  CHECK(best.config.schedule == GemmSchedule::stream);
  CHECK(best.timed.front().seconds < 0.9 * split.timed.front().seconds);
}

TEST_CASE("--split-k and --reduction by the command line", "[gemm][split][cli]") {
  for (const char* options :
       {"--arch gfx942 --a fp8 --d fp8 --transa t --tile 64x64x128 --epilogue scale-a,relu,absmax,scale-d --split-k 3",
        "--arch gfx950 --a bf16 --transa t --tile 128x64x64 --epilogue bias,silu,gated --split-k 2",
        "--arch gfx950 --a mxfp4 --transa t --tile 128x64x256 --d fp8 --epilogue mx --split-k 2 --init special",
        "--arch gfx1100 --a i8 --d i8 --alpha 0.001 --tile 64x64x128 --epilogue bias,scale-b-col --split-k 4",
        "--arch gfx90a --tile 64x64x64 --d f32 --reduction ordered --split-k 64 --init special --beta 1",
        "--arch gfx942 --tile 64x64x64 --d f32 --split-k 3",
        "--arch gfx950 --tile 32x32x64 --epilogue bias,gelu --split-k 3 --stream-k 5 --work-order bands2"}) {
    const clitest::Ran r = clitest::run_program(fmt::format("verify gemm {} -m 100 -n 77 -k 544", options));
    INFO(options << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
  clitest::refuses("verify gemm -m 9 -n 9 -k 9 --reduction tree", {"--reduction: 'tree' is unknown", "atomic ordered"});
  clitest::refuses("verify gemm -m 9 -n 9 -k 9 --split-k 2 --reduction atomic --tile 64x64x64",
                   {"D of f16", "legal: f32, or the ordered reduction"});
}

}  // namespace wavesmith::gemm_bench
