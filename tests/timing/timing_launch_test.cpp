// Whole launches through the timing model, and the command that shows them: generated GEMMs, whose work is known.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isa_tables/opcodes.h"
#include "isa_tables/timing/flops.h"
#include "kernels/gemm/gemm.h"
#include "runtime/files.h"
#include "simulator/timing/timing.h"
#include "simulator/timing/trace.h"
#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;
namespace fs = std::filesystem;
using Catch::Contains;

namespace {

struct GemmLaunch {
  GemmConfig config{.trans_a = true, .block = {128, 128, 64}};
  Arch arch = Arch::gfx942;
  sim::CodeObject object;
  sim::Memory memory;
  sim::Launch launch;
  GemmLaunch(uint32_t m, uint32_t n, uint32_t k) { build(m, n, k); }
  GemmLaunch(const GemmConfig& c, Arch on, uint32_t m, uint32_t n, uint32_t k) : config(c), arch(on) { build(m, n, k); }
  void build(uint32_t m, uint32_t n, uint32_t k) {
    object = sim::CodeObject::load(assemble(build_gemm(config, arch)).bytes);
    const uint64_t a = memory.allocate(uint64_t{m} * k * 2, "A"), b = memory.allocate(uint64_t{n} * k * 2, "B"),
                   d = memory.allocate(uint64_t{m} * n * 2, "D");
    const KernelLaunch l =
        wavesmith::launch(config, arch, {.m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = m, .ldd = m}, {a, b, d, d});
    launch.grid = l.grid, launch.block = l.block, launch.kernargs = l.kernargs;
  }
  timing::Result time(const timing::Options& o = {}) {
    return timing::time(object, object.kernel(""), memory, launch, o);
  }
};

}  // namespace

TEST_CASE("a trace holds every instruction that the workgroup executes, computed or not", "[time]") {
  GemmLaunch g(128, 128, 256);
  const auto t = timing::trace(g.object, g.object.kernel(""), g.memory, g.launch, {{{0, 0, 0}}});
  REQUIRE(!t.fault);
  CHECK(t.skipped > 0);  // the matrix instructions at least
  GemmLaunch same(128, 128, 256);
  sim::Options o;
  o.checks.uninitialized = sim::Checks::Uninitialized::ignore;
  CHECK(t.groups[0].instructions() ==
        sim::run(same.object, same.object.kernel(""), same.memory, same.launch, o).instructions);
}

TEST_CASE("a launch's operations are the product's, and no unit is busier than all the time", "[time]") {
  GemmLaunch g(1024, 1024, 512);
  const auto r = g.time();
  REQUIRE(!r.fault);
  CHECK(r.flops == Approx(2.0 * 1024 * 1024 * 512));
  CHECK(r.workgroups == 64);
  for (const double u : {r.matrix_utilisation, r.steady_matrix_utilisation, r.valu_utilisation, r.lds_utilisation})
    CHECK((u > 0 && u <= 1));
  CHECK(r.matrix_utilisation * 304 / 64 == Approx(r.steady_matrix_utilisation).epsilon(0.02));  // 64 of 304 CUs work
  CHECK(r.seconds == Approx(r.cycles / (r.clock_mhz * 1e6) + r.launch_seconds));
}

TEST_CASE("LDS accesses at odd bytes run, and take the time of their dwords one after the other", "[time][lds]") {
  const auto cycles = [](const std::string& access) {
    std::string body = "v_and_b32 v0, 63, v0\n v_lshlrev_b32 v1, 4, v0\n";
    for (int i = 0; i < 64; ++i) body += access + "\n";
    simtest::Assembly a{body + "s_waitcnt lgkmcnt(0)\n s_endpgm\n"};
    a.lds = 2048;
    const auto object = sim::CodeObject::load(a.build());
    sim::Memory memory;
    const auto r = timing::time(object, object.kernel(""), memory,
                                {.grid = {1, 1, 1}, .block = {64, 1, 1}, .kernargs = std::vector<uint8_t>(16)}, {});
    REQUIRE(!r.fault);
    return r.cycles;
  };
  // gfx942: 16 bytes of 64 lanes take 16 clocks of a port. At an odd byte a lane touches 5 dwords, and those of four
  // lanes share a bank: 5 * 2 * 4 clocks of the LDS.
  const double aligned = cycles("ds_read_b128 v[4:7], v1"), by_dword = cycles("ds_read_b128 v[4:7], v1 offset:4"),
               odd = cycles("ds_read_b128 v[4:7], v1 offset:1");
  CHECK(by_dword - aligned == Approx(0).margin(64 * 8));
  CHECK(odd - aligned == Approx(64 * (40 - 16)).epsilon(0.05));
  CHECK(cycles("ds_write_b64 v1, v[4:5] offset:3") > cycles("ds_write_b64 v1, v[4:5]") + 64 * 4);
  CHECK(cycles("ds_read_u16 v4, v1 offset:1") == Approx(cycles("ds_read_u16 v4, v1")).margin(64));  // within a dword
}

// AMD's microbenchmark on MI450 (tests/facts/perf.csv, mi450-lds-optimization): four waves read 16 KiB each, from one
// partition of 64 KiB at 255.4 bytes a clock, from two at 509.8, where waves 0 and 2 share one and 1 and 3 the other.
TEST_CASE("waves of both pairs of SIMDs share the rate of one LDS partition, and have twice of it from two",
          "[time][lds]") {
  const auto cycles = [](const char* place, int reads) {
    std::string body =
        "v_lshrrev_b32 v2, 5, v0\n v_and_b32 v0, 31, v0\n v_lshlrev_b32 v1, 4, v0\n" + std::string(place);
    for (int i = 0; i < reads; ++i) body += fmt::format("ds_load_b128 v[4:7], v1 offset:{}\n", 512 * i);
    simtest::Assembly a{body + "s_wait_dscnt 0x0\n s_endpgm\n"};
    a.target = "gfx1250", a.vgprs = 16, a.agprs = 0, a.lds = 2 << 16;
    const auto object = sim::CodeObject::load(a.build());
    sim::Memory memory;
    timing::Options o;
    o.gpu = isa::find_gpu("MI455X");
    const auto r = timing::time(object, object.kernel(""), memory,
                                {.grid = {1, 1, 1}, .block = {128, 1, 1}, .kernargs = std::vector<uint8_t>(16)}, o);
    REQUIRE(!r.fault);
    return r.cycles;
  };
  const auto rate = [&](const char* place) {  // bytes a clock, without the beginning and the end
    return 4 * 512 * 16 / (cycles(place, 32) - cycles(place, 16));
  };
  const char *const one = "v_lshlrev_b32 v2, 14, v2\n v_add_nc_u32 v1, v1, v2\n",
                    *const two =
                        "v_and_b32 v3, 1, v2\n v_lshrrev_b32 v2, 1, v2\n v_lshlrev_b32 v3, 16, v3\n"
                        "v_lshlrev_b32 v2, 14, v2\n v_add3_u32 v1, v1, v2, v3\n";
  CHECK(rate(one) == Approx(255.4).epsilon(0.02));
  CHECK(rate(two) == Approx(509.8).epsilon(0.02));
}

// 64 x 8 tiles of D are two rounds of the WGPs. Each die needs a part of A and all of B, but what one has fetched is
// there for all, and after the first round.
TEST_CASE("the dies of MI455X share one L2: each operand comes from memory once", "[time]") {
  const isa::Gpu& gpu = *isa::find_gpu("MI455X");
  CHECK(isa::l2s(gpu) == 1);
  CHECK(isa::last_cache(gpu).bytes == 192 * 0x1p20);
  CHECK(isa::l2s(*isa::find_gpu("MI355X")) == 8);
  const uint32_t m = 16384, n = 2048, k = 2048;
  GemmLaunch g({.input = isa::Type::bf16,
                .output = isa::Type::bf16,
                .trans_a = true,
                .block = {256, 256, 128},
                .stages = 3,
                .schedule = GemmSchedule::tensor},
               Arch::gfx1250, m, n, k);
  timing::Options o;
  o.gpu = &gpu, o.warm = false;
  const timing::Result cold = g.time(o);
  REQUIRE(!cold.fault);
  const double once = 2.0 * (double{m} * k + double{n} * k + double{m} * n);
  CHECK(cold.memory_bytes > 0.5 * once);  // D may stay in the L2
  CHECK(cold.memory_bytes < 1.2 * once);
  CHECK(cold.l2_bytes > 4 * once);
}

// Time is a start, trips at one pace, and an end. Start and end are not always the same: whether the first lines are in
// the L2 depends on who of the die has asked before. The loop fetches a trip ahead, so that this is hidden or seen
// once: it moves the whole by less than a trip.
TEST_CASE("more depth costs what the loop takes a trip, give or take one", "[time]") {
  const auto trips = [](uint32_t k) { return k / 64.0; };
  std::vector<timing::Result> r;
  for (const uint32_t k : {1024u, 2048u, 3072u, 5120u}) r.push_back(GemmLaunch(1024, 1024, k).time());
  const double pace = (r[3].cycles - r[0].cycles) / trips(4096);
  CHECK(pace == Approx(r[3].loops[0].clocks).epsilon(1 / trips(4096)));
  for (size_t i = 1; i + 1 < r.size(); ++i) CHECK(std::abs(r[i].cycles - r[i - 1].cycles - trips(1024) * pace) < pace);
  CHECK(r[2].steady_matrix_utilisation > r[0].steady_matrix_utilisation);  // prologue and epilogue weigh less
}

TEST_CASE("code stays in the instruction cache from launch to launch, if it fits", "[time]") {
  GemmLaunch g(256, 256, 256);
  const timing::Options first{.warm_code = false};
  CHECK(g.time(first).cycles > g.time().cycles + 1000);  // tens of lines, 96 clocks each where nothing hides them
  const auto nops = [](int n) {
    std::string body;
    for (int i = 0; i < n; ++i) body += "v_mov_b32 v1, v0\n";
    simtest::Assembly a{body + "s_endpgm\n"};
    const auto object = sim::CodeObject::load(a.build());
    sim::Memory memory;
    const sim::Launch l{.grid = {1, 1, 1}, .block = {64, 1, 1}, .kernargs = std::vector<uint8_t>(16)};
    return timing::time(object, object.kernel(""), memory, l, {}).cycles / n;
  };
  CHECK(nops(15'000) == Approx(4).epsilon(0.01));  // 60,000 bytes
  CHECK(nops(18'000) == Approx(4 + 96.0 / 16).epsilon(0.01));
}

TEST_CASE("the hot loop is found, with the trips its source has", "[time]") {
  const auto r = GemmLaunch(1024, 1024, 2048).time();
  REQUIRE(!r.loops.empty());
  CHECK(r.loops[0].share > 0.5);
  CHECK(r.loops[0].matrix_clocks > 0);
  CHECK(r.loops[0].matrix_clocks <= r.loops[0].clocks);
}

TEST_CASE("an extrapolated launch takes the simulated time within the stated error", "[time]") {
  const auto all = GemmLaunch(4864, 6144, 256).time({.detail = 40'000'000}),
             part = GemmLaunch(4864, 6144, 256).time({.detail = 1});
  CHECK(all.error == 0);
  REQUIRE(part.simulated < all.simulated);
  REQUIRE(part.error > 0);
  CHECK(std::abs(part.cycles / all.cycles - 1) <= part.error);
}

TEST_CASE("a launch takes the same time every time, whatever the number of host threads", "[time]") {
  const auto a = GemmLaunch(1024, 2048, 256).time({.jobs = 1}), b = GemmLaunch(1024, 2048, 256).time({.jobs = 2});
  CHECK(a.cycles == b.cycles);
  CHECK(a.memory_bytes == b.memory_bytes);
}

TEST_CASE("one workgroup more than fits costs another round", "[time]") {
  const auto full = GemmLaunch(128 * 16, 128 * 19, 512).time(), more = GemmLaunch(128 * 16, 128 * 38, 512).time(),
             over = GemmLaunch(128 * 61, 128 * 10, 512).time();
  CHECK(full.workgroups == 304);
  CHECK(more.workgroups == 608);
  CHECK(over.workgroups == 610);
  CHECK(over.cycles > more.cycles * 1.2);
}

TEST_CASE("workgroups that want the same lines at one time all wait for them", "[time]") {
  std::string body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n v_mov_b32 v1, 0\n s_waitcnt lgkmcnt(0)\n";
  for (int i = 0; i < 64; ++i)
    body +=
        " global_load_dword v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v1, 0x200, v1\n";  // a line after the other
  const auto object =
      sim::CodeObject::load(simtest::Assembly{.body = body + " s_endpgm\n", .target = "gfx942"}.build());
  const auto cycles = [&](uint32_t groups) {
    sim::Memory memory;
    sim::Launch l;
    const uint64_t in = memory.allocate(1 << 16, "in");
    l.grid = {groups, 1, 1}, l.block = {64, 1, 1}, l.kernargs.resize(16);
    std::memcpy(l.kernargs.data(), &in, 8);
    return timing::time(object, object.kernel("k"), memory, l, {.gpu = isa::find_gpu("MI300A")}).cycles;
  };
  CHECK(cycles(228) > 0.9 * cycles(1));  // one each CU: that of the others has not come yet either
}

TEST_CASE("a CU of MI300A holds sixteen workgroups of one wave, and as many larger ones as it has room for",
          "[time]") {  // its convolutions: 18 take twice one's time
  const auto object = sim::CodeObject::load(simtest::Assembly{.body = "s_endpgm\n", .vgprs = 32, .agprs = 0}.build());
  const auto held = [&](uint32_t lanes) {
    sim::Memory memory;
    sim::Launch l;
    l.grid = {4096, 1, 1}, l.block = {lanes, 1, 1}, l.kernargs.resize(16);
    return timing::time(object, object.kernel("k"), memory, l, {.gpu = isa::find_gpu("MI300A")}).groups_per_unit;
  };
  CHECK(held(64) == 16);
  CHECK(held(128) == 14);  // 7 waves a SIMD, by the SGPRs
  CHECK(held(256) == 7);
}

// Each byte of A and B comes from memory once at least, of D goes there once. A round's lines fit into the cache of 64
// MiB: what the next one fetches again is there. Those of a product with nothing to fetch again are not.
TEST_CASE("a memory-side cache behind one L2 has what a launch fetches again", "[time]") {
  const auto bytes = [](const char* size) {
    return clitest::run_json(fmt::format("time gemm --gpu \"RX 9070 XT\" --a f16 --transa t --tile 64x128x64 {}", size))
        .at("bytes");
  };
  const auto large = bytes("-m 4096 -n 4096 -k 4096"), once = bytes("-m 128 -n 65536 -k 1024");
  constexpr double operands = 3 * 4096.0 * 4096 * 2;
  CHECK(large["mall"].get<double>() > large["memory"].get<double>());
  CHECK(large["memory"].get<double>() > 0.9 * operands);
  CHECK(large["memory"].get<double>() < 2.5 * operands);
  CHECK(once["mall"].get<double>() < 0.2 * once["memory"].get<double>());
}

TEST_CASE("a GPU of another target is refused", "[time]") {
  GemmLaunch g(128, 128, 64);
  CHECK_THROWS_WITH(g.time({.gpu = isa::find_gpu("MI355X")}), Contains("MI355X") && Contains("gfx942"));
}

TEST_CASE("trips of a long loop that repeat are left out, and the launch takes what it takes with them", "[time]") {
  for (const uint32_t groups : {1u, 4u}) {
    GemmLaunch whole(128 * groups, 128, 64 * 400), cut(128 * groups, 128, 64 * 400);
    const auto a = whole.time({.gpu = isa::find_gpu("MI300X")}),
               b = cut.time({.gpu = isa::find_gpu("MI300X"), .longest = 10'000});
    CAPTURE(groups, a.cycles, b.cycles, b.error);
    CHECK(std::any_of(b.assumptions.begin(), b.assumptions.end(),
                      [](const std::string& s) { return s.find("loop at") == 0; }));
    CHECK(b.simulated < a.simulated / 4);
    CHECK(std::abs(b.cycles / a.cycles - 1) <= std::max(0.01, b.error));
    CHECK(b.flops == Approx(a.flops));
    CHECK(b.instructions == a.instructions);
    CHECK(b.matrix_utilisation == Approx(a.matrix_utilisation).epsilon(0.02));
    CHECK(b.lds_bytes == Approx(a.lds_bytes).epsilon(0.02));
    CHECK(b.l1_bytes == Approx(a.l1_bytes).epsilon(0.02));
    REQUIRE(!b.loops.empty());
    CHECK(b.loops[0].trips == a.loops[0].trips);
  }
}

TEST_CASE("a loop that is short, or whose trips differ, is simulated whole", "[time]") {
  GemmLaunch brief(128, 128, 64 * 20);
  const auto r = brief.time({.longest = 10});
  CHECK(std::none_of(r.assumptions.begin(), r.assumptions.end(),
                     [](const std::string& s) { return s.find("loop at") == 0; }));
}

TEST_CASE("work of vector instructions is additions and products, of every part and half", "[time]") {
  using isa::Opcode, isa::lane_flops;
  CHECK(lane_flops(Opcode::v_add_f32) == 1);
  CHECK(lane_flops(Opcode::v_pk_fma_f32) == 4);
  CHECK(lane_flops(Opcode::v_max_f32) == 0);
  CHECK(lane_flops(Opcode::v_add_u32) == 0);
  for (size_t i = 0; i < isa::table().size(); ++i) {
    const isa::Info& row = isa::table()[i];
    if (lane_flops(static_cast<Opcode>(i)) == 0) continue;
    CAPTURE(row.mnemonic);
    CHECK((row.unit == isa::Unit::valu || row.unit == isa::Unit::trans));
    CHECK(!row.is_matrix());
  }
  isa::Inst pair;
  pair.op = Opcode::v_fmac_f32, pair.second = Opcode::v_mul_f32, pair.dual = true;
  CHECK(lane_flops(pair) == 3);
}

TEST_CASE("a kernel's vector work is its instructions times their lanes", "[time]") {
  simtest::Assembly k{"v_mov_b32 v1, 1.0\n" + [] {
    std::string adds;
    for (int i = 0; i < 10; ++i) adds += "v_fma_f32 v2, v1, v1, v1\n";
    return adds;
  }() + "s_endpgm\n"};
  const auto object = sim::CodeObject::load(k.build());
  sim::Memory memory;
  sim::Launch l;
  l.grid = {100, 1, 1}, l.block = {256, 1, 1}, l.kernargs.resize(16);
  const auto r = timing::time(object, object.kernel("k"), memory, l);
  CHECK(r.vector_flops == Approx(100.0 * 256 * 10 * 2));
  CHECK(r.flops == 0);
}

TEST_CASE("wavesmith time shows, as text of 100 columns, as JSON and as a trace, what a launch takes", "[time][cli]") {
  const auto stem = (fs::temp_directory_path() / fmt::format("wavesmith_time_{}", getpid())).string();
  GemmLaunch g(256, 256, 256);
  const auto bytes = assemble(build_gemm(g.config, Arch::gfx942)).bytes;
  runtime::write_file(stem + ".co", bytes);
  std::string buffers;
  for (const char* name : {"a", "b", "c"}) buffers += fmt::format(" --buffer {}=zeros:131072", name);
  std::string hex;
  for (const uint8_t x : g.launch.kernargs) hex += fmt::format("{:02x}", x);
  const auto& k = g.object.kernel("");
  std::string arguments;  // the pointers replaced by the tool's own
  int pointer = 0;
  for (const auto& a : k.args) {
    if (a.hidden()) continue;
    arguments += a.value_kind == "global_buffer" ? fmt::format(" --arg ptr:{}", "abcc"[pointer++])
                                                 : fmt::format(" --arg hex:{}", hex.substr(2 * a.offset, 2 * a.size));
  }
  const std::string call =
      fmt::format("time {}.co --grid 2,2 --block {}{}{}", stem, g.launch.block[0], buffers, arguments);
  const clitest::Ran text = clitest::run_program(call + " --gpu MI300X --clock sustained");
  INFO(text.err);
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out, Contains("1207 MHz") && Contains("matrix pipes"));
  for (size_t at = 0; at < text.out.size();) {
    const size_t end = text.out.find('\n', at);
    CHECK(end - at <= 100);
    at = end + 1;
  }
  const clitest::Ran json = clitest::run_program(call + fmt::format(" --json --trace {}.json", stem));
  REQUIRE(json.status == 0);
  const auto j = nlohmann::json::parse(json.out);
  CHECK(j["flops"] == Approx(2.0 * 256 * 256 * 256));
  for (const auto& loop : j["loops"]) {
    const auto advice = loop["advice"].get<std::string>();
    CHECK((advice.size() > 10 && advice.size() <= 96));
  }
  const auto trace_bytes = runtime::read_file(stem + ".json");
  const auto trace = nlohmann::json::parse(trace_bytes.begin(), trace_bytes.end());
  CHECK(trace["traceEvents"].size() > 100);
  const clitest::Ran unknown = clitest::run_program(call + " --gpu MI1000"),
                     clock = clitest::run_program(call + " --clock fast");
  for (const clitest::Ran& r : {unknown, clock}) CHECK(r.status == 2);
  CHECK_THAT(unknown.err, Contains("MI1000") && Contains("'MI300X'"));
  for (const char* end : {".co", ".json"}) fs::remove(stem + end);
}
