// The memory sanitizers, barriers that not all work-items come to, and that a result does not depend on the number of
// host threads.
#include <algorithm>

#include "runtime/device.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;
using Uninitialized = sim::Checks::Uninitialized;

namespace {

const std::string copy_kernel =
    pointers + "global_load_dword v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n";

}  // namespace

TEST_CASE("reads of device memory that nobody wrote are a warning that names the buffer, or a fault if asked for",
          "[sim][sanitize]") {
  Bench b(256, 256);
  auto r = b.run(copy_kernel);
  CHECK_FALSE(r.fault);
  REQUIRE(r.warning);
  CHECK(r.warning->kind == Kind::uninitialized);
  CHECK(r.warning->why.find("byte 0 of 'in'") != std::string::npos);
  CHECK(r.warnings == 64);
  b.options.checks.uninitialized = Uninitialized::fault;
  CHECK(kind_of(b.run(copy_kernel)) == Kind::uninitialized);
  b.options.checks.uninitialized = Uninitialized::ignore;
  r = b.run(copy_kernel);
  CHECK_FALSE(r.fault);
  CHECK_FALSE(r.warning);
}

TEST_CASE("bytes that the host or an earlier kernel wrote are known, single ones too", "[sim][sanitize]") {
  Bench b(256, 256);
  b.options.checks.uninitialized = Uninitialized::fault;
  b.memory.write(b.in, std::vector<uint8_t>(253, 1));  // all but the last three
  const auto r = b.run(copy_kernel);
  CHECK(kind_of(r) == Kind::uninitialized);
  CHECK(r.fault->lane == 63);
  b.memory.write(b.in + 253, std::vector<uint8_t>(3, 1));
  CHECK(fault_of(b.run(copy_kernel)) == "none");
  Bench chain(256, 256);  // what a kernel wrote, the next one reads
  chain.options.checks.uninitialized = Uninitialized::fault;
  const std::string write = pointers + "global_store_dword v1, v0, s[4:5]\n s_endpgm\n";
  CHECK(fault_of(chain.run(write)) == "none");
  CHECK(fault_of(chain.run(copy_kernel)) == "none");
}

TEST_CASE("every kind of access keeps the account of written bytes", "[sim][sanitize]") {
  const char* v = "s_mov_b32 s8, s4\n s_mov_b32 s9, s5\n s_mov_b32 s10, 256\n s_mov_b32 s11, 0x20000\n";
  const struct {
    const char *load, *store;
  } kinds[] = {
      {"global_load_dword v2, v1, s[4:5]", "global_store_dword v1, v0, s[4:5]"},
      {"buffer_load_dword v2, v1, s[8:11], 0 offen", "buffer_store_dword v0, v1, s[8:11], 0 offen"},
      {"flat_load_dword v2, v[4:5]", "flat_store_dword v[4:5], v0"},
      {"s_load_dword s12, s[4:5], 0x0", "global_store_dword v1, v0, s[4:5]"},
      {"s_buffer_load_dword s12, s[8:11], 0x0", "global_store_dword v1, v0, s[4:5]"},
      {"global_atomic_add v2, v1, v0, s[4:5] sc0", "global_store_dword v1, v0, s[4:5]"},
  };
  for (const auto& k : kinds) {
    CAPTURE(k.load);
    const std::string address =
                          "v_mov_b32 v4, s4\n v_mov_b32 v5, s5\n v_add_co_u32 v4, vcc, v4, v1\n s_nop 4\n "
                          "v_addc_co_u32 v5, vcc, 0, v5, vcc\n s_nop 4\n",
                      wait = "\n s_waitcnt vmcnt(0) lgkmcnt(0)\n";
    for (const bool stored : {false, true}) {
      Bench b(256, 256);
      b.options.checks.uninitialized = Uninitialized::fault;
      const auto r = b.run(pointers + v + address + (stored ? k.store + wait : "") + k.load + wait + "s_endpgm\n");
      CHECK(r.fault.has_value() == !stored);
      if (r.fault) CHECK(r.fault->kind == Kind::uninitialized);
    }
  }
}

TEST_CASE("a pointer into a released buffer is known as one, with the buffer's name", "[sim][sanitize][fault]") {
  Bench b(256, 256);
  b.fill(std::vector<uint32_t>(64, 1));
  b.memory.release(b.in);
  const auto r = b.run(copy_kernel);
  CHECK(kind_of(r) == Kind::out_of_bounds);
  CHECK(r.fault->why.find("byte 0 of the freed buffer 'in'") != std::string::npos);
  const auto after = b.run(pointers + "global_load_dword v2, v1, s[4:5] offset:260\n s_endpgm\n");
  CHECK(after.fault->why.find("4 bytes past the end of the freed buffer 'in'") != std::string::npos);
  CHECK(b.memory.allocate(256, "new") != b.in);  // addresses are not used twice
}

TEST_CASE("a device frees its buffers", "[runtime][sanitize]") {
  const auto device = runtime::Device::open("sim");
  const auto b = device->allocate(64, "gone");
  device->release(b);
  std::vector<uint8_t> bytes(64);
  CHECK_THROWS_WITH(device->read(b, bytes), Catch::Contains("freed buffer 'gone'"));
}

TEST_CASE("the arguments end where the kernel's do, for vector loads too, and preloading reads nothing after them",
          "[sim][sanitize][fault]") {
  Bench b;
  const auto vector =
      b.run("v_mov_b32 v4, s0\n v_mov_b32 v5, s1\n flat_load_dwordx2 v[6:7], v[4:5] offset:12\n s_endpgm\n");
  CHECK(kind_of(vector) == Kind::out_of_bounds);
  CHECK(vector.fault->why.find("kernel arguments") != std::string::npos);
  const std::string prologue = "s_trap 2\n.fill 63, 4, 0xbf800000\n";  // stepped over by firmware that preloads
  Assembly a{prologue + "s_mov_b32 s12, s5\n s_endpgm\n"};
  a.directives = "  .amdhsa_user_sgpr_kernarg_preload_length 4\n", a.preload = 4;
  CHECK(fault_of(b.run(a.build())) == "none");              // s[2:5] hold the two pointers
  a.body = prologue + "v_add_u32 v1, s6, v0\n s_endpgm\n";  // a fifth dword, which LLVM would not let us ask for
  const auto co = sim::CodeObject::load(a.build());
  sim::KernelInfo more = co.kernel("k");
  more.preload_length = 5, more.user_sgprs = 7, b.options.checks.undefined_reads = true;
  CHECK(kind_of(sim::run(co, more, b.memory, b.launch, b.options)) == Kind::undefined_read);
}

TEST_CASE("with the divergence check a barrier is one place that all work-items come to", "[sim][sanitize][barrier]") {
  const std::string wave = "v_readfirstlane_b32 s4, v0\n s_cmp_eq_u32 s4, 0\n";
  const struct {
    std::string body;
    const char* why;
  } cases[] = {
      {"s_mov_b32 exec_lo, 0\n s_barrier\n s_endpgm\n", "with lanes 0xffffffff00000000"},
      {wave + "s_cbranch_scc1 .Lother\n s_barrier\n s_endpgm\n.Lother: s_barrier\n s_endpgm\n", "while wave"},
      {wave + "s_cbranch_scc1 .Lquit\n s_barrier\n.Lquit: s_endpgm\n", "wave"},
  };
  for (const auto& c : cases) {
    Bench b;
    b.launch.block = {128, 1, 1};
    CHECK(fault_of(b.run(c.body)) == "none");  // as silicon does it
    b.options.checks.divergence = true;
    const auto r = b.run(c.body);
    CHECK(kind_of(r) == Kind::divergence);
    CHECK(r.fault->why.find(c.why) != std::string::npos);
  }
  Bench b;
  b.options.checks.divergence = true;
  b.launch.block = {100, 1, 1};  // the second wave has 36 work-items
  CHECK(fault_of(b.run("s_barrier\n s_barrier\n s_endpgm\n")) == "none");
}

// -- The number of host threads --
namespace {
// Workgroups 7, 11 and 12 read outside, every other doubles its number; the odd ones read something unwritten.
const std::string some_wrong =
    pointers +
    "s_lshl_b32 s8, s2, 8\n v_add_u32 v3, s8, v1\n s_cmp_eq_u32 s2, 7\n s_cbranch_scc1 .Lbad\n s_cmp_eq_u32 s2, 11\n "
    "s_cbranch_scc1 .Lbad\n s_cmp_eq_u32 s2, 12\n s_cbranch_scc1 .Lbad\n"
    "s_bitcmp1_b32 s2, 0\n s_cbranch_scc0 .Lgood\n global_load_dword v4, v3, s[4:5]\n s_waitcnt vmcnt(0)\n.Lgood: "
    "s_lshl_b32 s9, s2, 1\n v_mov_b32 v2, s9\n global_store_dword v3, v2, s[6:7]\n s_endpgm\n"
    ".Lbad: global_load_dword v2, v3, s[6:7] offset:-4096\n s_endpgm\n";
}  // namespace

TEST_CASE("faults and warnings are the same whatever the number of host threads", "[sim][determinism]") {
  const auto object = Assembly{some_wrong}.build();
  for (const unsigned limit : {1u, 2u, 8u}) {
    std::vector<std::string> first;
    for (const int jobs : {1, 2, 3, 7}) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        Bench b(64 * 256, 64 * 256);
        b.launch.grid = {64, 1, 1};
        b.options.jobs = jobs, b.options.fault_limit = limit;
        const auto r = b.run(object);
        std::vector<std::string> all;
        for (const auto& f : r.faults) all.push_back(f.message());
        all.push_back(r.warning ? r.warning->message() : "no warning");
        all.push_back(fmt::format("{} {} {}", r.warnings, r.instructions, r.lds_accesses));
        if (first.empty()) first = all;
        CHECK(all == first);
      }
    }
    CHECK(first.size() == std::min(limit, 3u) + 2);
    CHECK(first[0].find("workgroup (7,0,0)") != std::string::npos);
    if (limit == 8) CHECK(first[2].find("workgroup (12,0,0)") != std::string::npos);
  }
}

TEST_CASE("output and counts are the same whatever the number of host threads and the order of waves",
          "[sim][determinism]") {
  const std::string body = pointers +
                           "s_lshl_b32 s8, s2, 9\n v_add_u32 v3, s8, v1\n ds_write_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n "
                           "s_barrier\n v_sub_u32 v4, 508, v1\n ds_read_b32 v2, v4\n s_waitcnt lgkmcnt(0)\n v_add_u32 "
                           "v2, s2, v2\n global_store_dword v3, v2, s[6:7]\n s_endpgm\n";
  std::vector<uint32_t> out;
  uint64_t instructions = 0;
  for (const int jobs : {1, 2, 5})
    for (const uint64_t seed : {0, 1, 2}) {
      Bench b(256, 64 * 512);
      b.launch.grid = {64, 1, 1}, b.launch.block = {128, 1, 1};
      b.options.jobs = jobs, b.options.seed = seed;
      const auto r = b.run(body, 512);
      REQUIRE(fault_of(r) == "none");
      if (out.empty()) out = b.result<uint32_t>(64 * 128), instructions = r.instructions;
      CHECK(b.result<uint32_t>(64 * 128) == out);
      CHECK(r.instructions == instructions);
    }
}

TEST_CASE("a named barrier orders its members' LDS accesses and nobody else's", "[sim][sanitize][barrier]") {
  // Wave 0 writes a word and signals; the waves that joined wait for it and read the word. `outsider` reads it without
  // having waited.
  const auto kernel = [](const char* outsider) {
    Assembly a{
        fmt::format("s_bfe_u32 s8, ttmp8, 0x50019\n v_mov_b32 v1, 0\n s_mov_b32 m0, 0x10001\n s_cmp_lg_u32 s8, 0\n "
                    "s_cbranch_scc1 .Ljoin\n s_barrier_init m0\n s_branch .Lgo\n.Ljoin: s_cmp_eq_u32 s8, {0}\n "
                    "s_cbranch_scc1 .Lgo\n s_barrier_join 1\n"
                    ".Lgo: s_barrier_signal -1\n s_barrier_wait -1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .Lread\n "
                    "ds_store_b32 v1, v1\n s_wait_dscnt 0x0\n s_barrier_signal 1\n s_endpgm\n"
                    ".Lread: s_cmp_eq_u32 s8, {0}\n s_cbranch_scc1 .Lnow\n s_barrier_wait 1\n.Lnow: ds_load_b32 v2, "
                    "v1\n s_wait_dscnt 0x0\n s_endpgm\n",
                    outsider)};
    a.target = "gfx1250", a.lds = 64, a.directives = "  .amdhsa_named_barrier_count 1\n";
    return a.build();
  };
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Bench b;
    b.launch.block = {128, 1, 1};
    b.options.seed = seed, b.options.quantum = seed ? 4 : 64;
    CHECK(fault_of(b.run(kernel("99"))) == "none");
    const auto r = b.run(kernel("3"));
    CHECK(kind_of(r) == Kind::race);
  }
}
