// The simulator on small kernels: right answers, and a fault for each thing that silicon would not forgive.
#include <cmath>
#include <numeric>

#include "simulator/numerics/numerics.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

const std::string add_one_kernel = pointers +
                                   "global_load_dword v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v2, 1, v2\n "
                                   "global_store_dword v1, v2, s[6:7]\n s_endpgm\n";

std::string without(std::string text, const std::string& line) {
  const auto at = text.find(line);
  REQUIRE(at != std::string::npos);
  return text.erase(at, line.size());
}

std::vector<uint32_t> iota(size_t n) {
  std::vector<uint32_t> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

// What the OpenCL library would define: -nogpulib leaves it out.
const std::string opencl = R"(
#define local_id __builtin_amdgcn_workitem_id_x()
#define group_id __builtin_amdgcn_workgroup_id_x()
#define global_id (group_id * __builtin_amdgcn_workgroup_size_x() + local_id)
#define local_barrier() (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
)";
const char* cl_flags = "-x cl -cl-std=CL2.0 -O2";

const std::string mirror_kernel = pointers + R"(
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_u32 v3, 508, v1
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm
)";

}  // namespace

TEST_CASE("a kernel loads, adds and stores one dword a lane", "[sim]") {
  Bench b;
  b.fill(iota(64));
  const auto r = b.run(add_one_kernel);
  CHECK(fault_of(r) == "none");
  CHECK(b.result<uint32_t>(64)[63] == 64);
  CHECK(r.instructions == 8);
}

TEST_CASE("a value used before its wait is a fault that names register and load", "[sim][fault]") {
  Bench b;
  const auto r = b.run(without(add_one_kernel, "s_waitcnt vmcnt(0)\n"));
  CHECK(kind_of(r) == Kind::in_flight);
  CHECK(r.fault->message().find("v2") != std::string::npos);
  CHECK(kind_of(b.run(without(add_one_kernel, "s_waitcnt lgkmcnt(0)\n"))) == Kind::in_flight);
}

TEST_CASE("a register with a load under way may not be overwritten", "[sim][fault]") {
  Bench b;
  CHECK(kind_of(b.run(pointers + "global_load_dword v2, v1, s[4:5]\n v_mov_b32 v2, 0\n s_endpgm\n")) ==
        Kind::in_flight);
}

TEST_CASE("vmcnt counts stores and completes in order", "[sim]") {
  Bench b;
  const std::string two = pointers +
                          "global_load_dword v2, v1, s[4:5]\n global_load_dword v3, v1, s[4:5]\n s_waitcnt vmcnt({})\n "
                          "global_store_dword v1, v2, s[6:7]\n s_endpgm\n";
  CHECK(fault_of(b.run(fmt::format(fmt::runtime(two), 1))) == "none");
  CHECK(kind_of(b.run(fmt::format(fmt::runtime(two), 2))) == Kind::in_flight);
}

TEST_CASE("a scalar load is complete only at lgkmcnt(0)", "[sim][fault]") {
  Bench b;
  CHECK(kind_of(b.run("s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_load_dwordx2 s[6:7], s[0:1], 0x8\n s_waitcnt "
                      "lgkmcnt(2)\n s_mov_b32 s8, s4\n s_endpgm\n")) == Kind::in_flight);
}

TEST_CASE("accesses outside of an allocation fault with lane and neighbour", "[sim][fault]") {
  Bench b(64 * 4, 4096);
  const auto r = b.run(pointers + "global_load_dword v2, v1, s[4:5] offset:4\n s_endpgm\n");
  CHECK(kind_of(r) == Kind::out_of_bounds);
  CHECK(r.fault->lane == 63);
  CHECK(r.fault->address == b.in + 256);
  CHECK(r.fault->why.find("0 bytes past the end of 'in'") != std::string::npos);
  CHECK(kind_of(b.run("v_lshlrev_b32 v1, 2, v0\n ds_write_b32 v1, v0\n s_endpgm\n", 252)) == Kind::out_of_bounds);
}

TEST_CASE("a load into LDS is in flight until vmcnt covers it", "[sim][fault]") {
  Bench b;
  b.fill(iota(64));
  const std::string dma = pointers + R"(
    s_mov_b32 s8, s6
    s_mov_b32 s9, s7
    s_mov_b32 s6, 4096
    s_mov_b32 s7, 0x20000
    s_mov_b32 m0, 0
    s_nop 0
    buffer_load_dword v1, s[4:7], 0 offen lds
    s_waitcnt vmcnt(0)
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[8:9]
    s_endpgm
)";
  Assembly a{dma};
  a.lds = 256;
  REQUIRE(fault_of(b.run(a.build())) == "none");
  CHECK(b.result<uint32_t>(64)[63] == 63);
  CHECK(kind_of(b.run(without(dma, "s_waitcnt vmcnt(0)\n"), 256)) == Kind::in_flight);
}

TEST_CASE("DPP takes its source from other lanes and leaves lanes without one", "[sim]") {
  Bench b;
  REQUIRE(fault_of(b.run(pointers + "v_mov_b32 v2, 99\n s_nop 1\n v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf "
                                    "bank_mask:0xf\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n")) == "none");
  const auto out = b.result<uint32_t>(64);
  CHECK(out[0] == 99);
  CHECK(out[1] == 0);
  CHECK(out[16] == 99);
  CHECK(out[63] == 62);
}

TEST_CASE(
    "misaligned atomics fault; loads and stores may start at any byte of memory and of LDS, as HSA sets the hardware "
    "up",
    "[sim][fault]") {
  Bench b;
  CHECK_FALSE(b.run(pointers + "global_load_dword v2, v1, s[4:5] offset:2\n s_waitcnt vmcnt(0)\n s_endpgm\n").fault);
  CHECK(kind_of(b.run(pointers + "v_mov_b32 v2, 1\n global_atomic_add v1, v2, s[4:5] offset:2\n s_endpgm\n")) ==
        Kind::misaligned);
  CHECK(kind_of(b.run("v_lshlrev_b32 v1, 4, v0\n ds_add_u32 v1, v0 offset:2\n s_endpgm\n", 4096)) == Kind::misaligned);
  CHECK(kind_of(b.run("v_lshlrev_b32 v1, 4, v0\n ds_add_u64 v1, v[0:1] offset:4\n s_endpgm\n", 4096)) ==
        Kind::misaligned);
  CHECK(fault_of(b.run("v_lshlrev_b32 v1, 4, v0\n ds_wrxchg2_rtn_b32 v[2:3], v1, v0, v0 offset1:1\n s_endpgm\n",
                       4096)) == "none");
  CHECK(
      kind_of(b.run(
          "v_lshlrev_b32 v1, 4, v0\n v_or_b32 v1, 1, v1\n ds_wrxchg2_rtn_b32 v[2:3], v1, v0, v0 offset1:1\n s_endpgm\n",
          4096)) == Kind::misaligned);
}

// Lane l has 24 bytes of its own from 24 l + 3 on: stored in four pieces, loaded whole and by ds_read2.
TEST_CASE("LDS loads and stores of every width move the bytes from any address on", "[sim][lds]") {
  Bench b;
  const auto r =
      b.run(pointers +
                "v_mul_u32_u24 v2, 24, v0\n v_add_u32 v2, 3, v2\n v_mul_u32_u24 v3, 0x01030507, v0\n v_add_u32 v4, "
                "0x11, v3\n v_add_u32 v5, 0x22, v3\n v_add_u32 v6, 0x33, v3\n"
                "v_add_u32 v7, 0x44, v3\n v_add_u32 v8, 0x55, v3\n v_add_u32 v9, 0x66, v3\n"
                "ds_write_b64 v2, v[4:5] offset:1\n ds_write_b96 v2, v[6:8] offset:9\n ds_write_b8 v2, v9\n "
                "ds_write_b16 v2, v9 offset:21\n ds_write_b8_d16_hi v2, v9 offset:23\n s_waitcnt lgkmcnt(0)\n"
                "ds_read_b128 v[12:15], v2 offset:1\n ds_read_b64 v[16:17], v2 offset:15\n ds_read2_b32 v[18:19], v2 "
                "offset0:1 offset1:3\n ds_read_u16 v20, v2\n s_waitcnt lgkmcnt(0)\n"
                "v_lshlrev_b32 v1, 6, v0\n global_store_dwordx4 v1, v[12:15], s[6:7]\n global_store_dwordx4 v1, "
                "v[16:19], s[6:7] offset:16\n global_store_dword v1, v20, s[6:7] offset:32\n s_endpgm\n",
            2048);
  REQUIRE(fault_of(r) == "none");
  const auto out = b.result<uint32_t>(64 * 16);
  for (uint32_t l = 0; l < 64; ++l) {
    uint32_t words[6];
    for (uint32_t i = 0; i < 6; ++i) words[i] = 0x11 * (i + 1) + 0x030507 * l;  // v_mul_u32_u24 drops the upper byte
    uint8_t bytes[24];
    std::memcpy(bytes + 1, words, 8), std::memcpy(bytes + 9, words + 2, 12);
    bytes[0] = static_cast<uint8_t>(words[5]), std::memcpy(bytes + 21, &words[5], 2),
    bytes[23] = static_cast<uint8_t>(words[5] >> 16);
    uint32_t want[9] = {};
    std::memcpy(want, bytes + 1, 16), std::memcpy(want + 4, bytes + 15, 8), std::memcpy(want + 6, bytes + 4, 4),
        std::memcpy(want + 7, bytes + 12, 4), std::memcpy(want + 8, bytes, 2);
    CAPTURE(l);
    CHECK(std::equal(want, want + 9, out.begin() + 16 * l));
  }
}

TEST_CASE("an instruction without semantics stops the run with its text", "[sim][fault]") {
  Bench b;
  const auto r = b.run("s_mov_b32 m0, 0\n s_nop 0\n ds_gws_sema_v gds\n s_endpgm\n");
  CHECK(kind_of(r) == Kind::unknown_instruction);
  CHECK(r.fault->text == "ds_gws_sema_v gds");
  CHECK(kind_of(b.run("v_mov_b32 v200, 0\n s_endpgm\n")) == Kind::illegal);
}

TEST_CASE("the barrier of global wave sync needs a cooperative launch, an initial value and a wait", "[sim][fault]") {
  Bench b;
  const std::string start = "s_mov_b32 m0, 0\n v_mov_b32 v0, 0\n s_nop 1\n", end = " s_waitcnt lgkmcnt(0)\n s_endpgm\n";
  CHECK(kind_of(b.run(start + "ds_gws_barrier v0 gds\n" + end)) == Kind::illegal);
  b.launch.cooperative = true;
  CHECK(fault_of(b.run(start + "ds_gws_barrier v0 gds\n" + end)) == "none");
  CHECK(kind_of(b.run(start + "ds_gws_barrier v0 gds\n s_endpgm\n")) == Kind::illegal);
  CHECK(kind_of(b.run(start + "ds_gws_barrier v0 offset:3 gds\n" + end)) == Kind::illegal);
  CHECK(kind_of(b.run(start + "s_mov_b64 exec, 0\n ds_gws_barrier v0 gds\n" + end)) == Kind::illegal);
  CHECK(fault_of(b.run(start + "ds_gws_init v0 offset:3 gds\n s_waitcnt lgkmcnt(0)\n ds_gws_barrier v0 offset:3 gds\n" +
                       end)) == "none");
  const auto waits = b.run(
      "s_mov_b32 m0, 0\n v_mov_b32 v0, 1\n s_nop 1\n ds_gws_init v0 gds\n s_waitcnt lgkmcnt(0)\n"
      " ds_gws_barrier v0 gds\n" +
      end);
  CHECK(kind_of(waits) == Kind::deadlock);
  CHECK_THAT(waits.fault->why, Catch::Contains("the barrier of GWS resource 0, where 1 of 2 waves have signaled"));
}

TEST_CASE("VGPRs may reach into the AGPRs' part of a unified file in a kernel that has no AGPRs", "[sim]") {
  Bench b;
  CHECK(fault_of(b.run("v_mov_b32 v150, 1\n v_add_u32 v151, v150, v150\n s_endpgm\n")) ==
        "none");  // 128 VGPRs, 64 AGPRs after them
  CHECK(kind_of(b.run("v_accvgpr_write_b32 a0, 0\n v_mov_b32 v150, 1\n s_endpgm\n")) == Kind::illegal);
}

TEST_CASE("waves exchange data through LDS and a barrier", "[sim]") {
  Bench b;
  b.launch.block = {128, 1, 1};
  REQUIRE(fault_of(b.run(mirror_kernel, 512)) == "none");
  const auto out = b.result<uint32_t>(128);
  for (uint32_t i = 0; i < 128; ++i) CHECK(out[i] == 127 - i);
}

TEST_CASE("LDS shared without a barrier is a race, and so is a write not waited for before it", "[sim][fault]") {
  Bench b;
  b.launch.block = {128, 1, 1};
  CHECK(kind_of(b.run(without(mirror_kernel, "s_barrier\n"), 512)) == Kind::race);
  CHECK(kind_of(b.run(without(mirror_kernel, "s_waitcnt lgkmcnt(0)\n  s_barrier\n  ")
                          .insert(mirror_kernel.find("s_waitcnt lgkmcnt(0)\n  s_barrier"), "s_barrier\n  "),
                      512)) == Kind::race);
}

TEST_CASE("a wave that loops while another waits at a barrier is a deadlock; alone it exceeds its budget",
          "[sim][fault]") {
  Bench b;
  b.options.max_instructions = 10'000;
  CHECK(kind_of(b.run(".Lx: s_branch .Lx\n s_endpgm\n")) == Kind::budget);
  b.launch.block = {128, 1, 1};
  CHECK(kind_of(b.run("v_readfirstlane_b32 s4, v0\n s_cmp_eq_u32 s4, 0\n s_cbranch_scc1 .Lx\n s_barrier\n "
                      "s_endpgm\n.Lx: s_branch .Lx\n s_endpgm\n")) == Kind::deadlock);
  CHECK(fault_of(b.run(
            "v_readfirstlane_b32 s4, v0\n s_cmp_eq_u32 s4, 0\n s_cbranch_scc1 .Lx\n s_barrier\n.Lx: s_endpgm\n")) ==
        "none");
}

// Without checks straight runs of steps are executed by a loop of their own.
TEST_CASE("without checks a program comes to the same results, counts and faults as with them", "[sim][fault]") {
  const std::string bodies[] = {
      mirror_kernel,  // a barrier within
      "s_load_dwordx2 s[4:5], s[0:1], 0x8\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v1, 0\n v_mov_b32 v2, 1\n "
      "global_store_dword v1, v2, s[4:5] offset:-4\n v_mov_b32 v3, 2\n s_endpgm\n",            // out of bounds
      "v_mov_b32 v1, 2\n v_mov_b32 v2, 1\n ds_add_u32 v1, v2\n v_mov_b32 v3, 2\n s_endpgm\n",  // misaligned
      "s_mov_b32 s4, 5\n.Lx: v_mov_b32 v1, s4\n v_mov_b32 v2, v1\n v_mov_b32 v3, v1\n s_sub_u32 s4, s4, 1\n "
      "s_cmp_eq_u32 s4, 0\n s_cbranch_scc0 .Lx\n s_endpgm\n",
      ".Lx: v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n s_branch .Lx\n s_endpgm\n",  // beyond its budget
      "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n",  // past the end of the code
  };
  for (const std::string& body : bodies)
    for (const int quantum : {1, 3, 64, 1000}) {
      CAPTURE(body, quantum);
      const auto run = [&](bool checks) {
        Bench b;
        b.launch.block = {128, 1, 1};
        b.options.max_instructions = 1001, b.options.quantum = quantum, b.options.jobs = 1;
        if (!checks)
          b.options.checks = {.undefined = false,
                              .in_flight = false,
                              .hazards = false,
                              .races = false,
                              .xcnt = false,
                              .uninitialized = sim::Checks::Uninitialized::ignore};
        const auto r = b.run(body, 512);
        return std::tuple(r.fault ? r.fault->message() : "none", r.instructions, b.result<uint32_t>(128));
      };
      const auto checked = run(true);
      CHECK(checked == run(false));
      CHECK((std::get<0>(checked) == "none") == (&body == &bodies[0] || &body == &bodies[3]));
    }
}

TEST_CASE("a missing wait state is a fault, or a warning where kernels in use do without it", "[sim][fault][hazards]") {
  Bench b;
  const std::string good =
      "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n s_nop 1\n v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[2:3], 0\n s_nop 15\n "
      "s_nop 1\n v_accvgpr_read_b32 v4, a0\n s_endpgm\n";
  CHECK(fault_of(b.run(good)) == "none");
  CHECK(kind_of(b.run(without(good, "s_nop 15\n s_nop 1\n"))) == Kind::hazard);
  const auto lenient = b.run(without(good, "s_nop 1\n"));  // kernels in use do that: hazards.def
  CHECK(fault_of(lenient) == "none");
  REQUIRE(lenient.warning);
  CHECK(lenient.warning->kind == Kind::hazard);
  // Data of a store: of gfx950 it is known that the first dword was kept and the second one lost.
  const auto overwritten = [](const char* target, int reg, const char* between) {
    Bench one;
    Assembly a{fmt::format(
        "s_load_dwordx2 s[4:5], s[0:1], 0x8\ns_mov_b32 s6, 4096\ns_mov_b32 s7, 0x20000\ns_mov_b32 s9, 0\n"
        "v_mov_b32 v4, 1\nv_mov_b32 v5, 1\nv_mov_b32 v6, 1\nv_mov_b32 v7, 1\ns_waitcnt lgkmcnt(0)\ns_nop 4\n"
        "buffer_store_dwordx4 v[4:7], off, s[4:7], s9\n{}v_mov_b32 v{}, 0\ns_endpgm\n",
        between, reg)};
    a.target = target;
    const auto r = one.run(a.build());
    return r.fault ? name(r.fault->kind) : r.warning ? "warning" : "none";
  };
  CHECK(overwritten("gfx950", 4, "") == std::string_view("warning"));
  CHECK(overwritten("gfx942", 4, "") == std::string_view("hazard"));
  for (const char* target : {"gfx942", "gfx950"}) {
    CHECK(overwritten(target, 5, "") == std::string_view("hazard"));
    CHECK(overwritten(target, 5, "s_nop 0\n") == std::string_view("none"));
    CHECK(overwritten(target, 4, "s_nop 0\n") == std::string_view("none"));
  }
}

TEST_CASE("EXEC masks stores and results", "[sim]") {
  Bench b;
  b.fill(iota(64));
  REQUIRE(fault_of(b.run(pointers + "v_mov_b32 v2, 7\n s_mov_b32 exec_lo, 0xf0\n s_mov_b32 exec_hi, 0\n v_mov_b32 v2, "
                                    "9\n s_mov_b32 exec_lo, 0xff\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n")) ==
          "none");
  const auto out = b.result<uint32_t>(16);
  CHECK(out[0] == 7);
  CHECK(out[4] == 9);
  CHECK(out[8] == 0);
}

TEST_CASE("buffers drop what is out of range, dword by dword", "[sim]") {
  Bench b;
  b.fill(std::vector<uint32_t>(1024, 5));
  const std::string body = pointers + R"(
    s_and_b32 s5, s5, 0xffff
    s_mov_b32 s8, s6
    s_and_b32 s9, s7, 0xffff
    s_mov_b32 s6, 24
    s_mov_b32 s7, 0x20000
    s_mov_b32 s10, 1024
    s_mov_b32 s11, 0x20000
    v_lshlrev_b32 v1, 4, v0
    s_mov_b32 s12, 4
    buffer_load_dwordx4 v[4:7], v1, s[4:7], s12 offen
    s_waitcnt vmcnt(0)
    buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 offen
    s_endpgm
)";
  REQUIRE(fault_of(b.run(body)) == "none");
  const auto out = b.result<uint32_t>(16);
  for (int i = 0; i < 16; ++i) CHECK(out[i] == (i < 5 ? 5u : 0u));  // 24 - 4 bytes of offset: five dwords
}

TEST_CASE("32x32x8 f16 and 16x16x16 bf16 multiply as a naive loop does", "[sim][matrix]") {
  struct Shape {
    const char* name;
    int m, k, registers;
    bool bf16;
  };
  const auto s =
      GENERATE(Shape{"v_mfma_f32_32x32x8_f16", 32, 8, 16, false}, Shape{"v_mfma_f32_16x16x16_bf16", 16, 16, 4, true});
  CAPTURE(s.name);
  Bench b(64 * 16, 64 * 16 * 4);
  std::vector<uint16_t> in(64 * 8);  // lane: four of A, four of B
  std::vector<float> a(s.m * s.k), bt(s.m * s.k);
  for (int lane = 0; lane < 64; ++lane)
    for (int j = 0; j < 4; ++j) {
      const int row = lane % s.m, k = lane / s.m * 4 + j;
      const float x = static_cast<float>((row * 7 + k * 3) % 11 - 5), y = static_cast<float>((row * 5 + k) % 13 - 6);
      a[row * s.k + k] = x, bt[row * s.k + k] = y;
      in[lane * 8 + j] = s.bf16 ? sim::to_bf16(x) : sim::to_f16(x);
      in[lane * 8 + 4 + j] = s.bf16 ? sim::to_bf16(y) : sim::to_f16(y);
    }
  b.fill(in);
  std::string body =
      pointers + "v_lshlrev_b32 v2, 4, v0\n global_load_dwordx4 v[4:7], v2, s[4:5]\n s_waitcnt vmcnt(0)\n";
  body += fmt::format("{} a[0:{}], v[4:5], v[6:7], 0\n s_nop 15\n s_nop 3\n", s.name, s.registers - 1);
  for (int r = 0; r < s.registers; ++r)
    body += fmt::format("global_store_dword v1, a{}, s[6:7] offset:{}\n", r, 256 * r);
  REQUIRE(fault_of(b.run(body + "s_endpgm\n")) == "none");
  const auto out = b.result<float>(64 * s.registers);
  for (int lane = 0; lane < 64; ++lane)
    for (int r = 0; r < s.registers; ++r) {
      const int col = lane % s.m, row = s.m == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4 : 4 * (lane / 16) + r;
      float want = 0;
      for (int k = 0; k < s.k; ++k) want += a[row * s.k + k] * bt[col * s.k + k];
      REQUIRE(out[r * 64 + lane] == want);
    }
}

TEST_CASE("somebody else's kernels run: a compiled vector add", "[sim][foreign]") {
  const auto object = compile(opencl + R"(
kernel void vadd(global const float* a, global float* c, int n, float s) {
  int i = global_id;
  if (i < n) c[i] = a[i] * s + 1.0f;
})",
                              cl_flags, ".cl");
  Bench b;
  std::vector<float> in(1024);
  std::iota(in.begin(), in.end(), 0.f);
  b.fill(in);
  b.append(1000);
  b.append(2.0f);
  b.launch.grid = {4, 1, 1};
  b.launch.block = {256, 1, 1};
  REQUIRE(fault_of(b.run(object, "vadd")) == "none");
  const auto out = b.result<float>(1024);
  CHECK(out[999] == 1999.f);
  CHECK(out[1000] == 0.f);
}

TEST_CASE("somebody else's kernels run: a compiled reduction through LDS", "[sim][foreign]") {
  const auto object = compile(opencl + R"(
kernel void sum(global const float* a, global float* c) {
  local float part[256];
  int l = local_id;
  part[l] = a[global_id];
  for (int n = 128; n > 0; n /= 2) {
    local_barrier();
    if (l < n) part[l] += part[l + n];
  }
  if (l == 0) c[group_id] = part[0];
})",
                              cl_flags, ".cl");
  Bench b;
  std::vector<float> in(1024);
  std::iota(in.begin(), in.end(), 0.f);
  b.fill(in);
  b.launch.grid = {4, 1, 1};
  b.launch.block = {256, 1, 1};
  const int jobs = GENERATE(1, 2);
  b.options.jobs = jobs;
  REQUIRE(fault_of(b.run(object, "sum")) == "none");
  const auto out = b.result<float>(4);
  CHECK(out[0] == 255 * 128.f);
  CHECK(out[3] == (768 + 1023) * 128.f);
}

TEST_CASE("files that are no code object end in one line", "[sim][load]") {
  auto bytes = Assembly{add_one_kernel}.build();
  CHECK_NOTHROW(sim::CodeObject::load(bytes));
  for (size_t n = 0; n < bytes.size(); n += 37) {
    CAPTURE(n);
    try {
      sim::CodeObject::load({bytes.begin(), bytes.begin() + static_cast<long>(n)});
    } catch (const sim::LoadError&) {}
  }
  CHECK_THROWS_AS(sim::CodeObject::load(std::vector<uint8_t>(100, 'x')), sim::LoadError);
  bytes[18] = 62;  // x86-64
  CHECK_THROWS_AS(sim::CodeObject::load(bytes), sim::LoadError);
  CHECK_THROWS_AS(sim::CodeObject::load(Assembly{add_one_kernel}.build()).kernel("nope"), sim::LoadError);
}

TEST_CASE("long branches and callees that the code makes of its own address are followed",
          "[sim]") {  // as hipBLASLt's kernels have them
  const std::string store =
      "s_load_dwordx2 s[4:5], s[0:1], 0x8\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v1, s8\n v_mov_b32 v2, 0\n "
      "global_store_dword v2, v1, s[4:5]\n s_endpgm\n";
  simtest::Bench forth, either;
  const auto a = forth.run(
      "s_mov_b32 s8, 7\n s_getpc_b64 s[10:11]\n.Lhere:\n s_add_i32 s12, .Lthere-.Lhere-4, 4\n s_add_u32 s10, s10, "
      "s12\n s_addc_u32 s11, s11, 0\n"
      " s_setpc_b64 s[10:11]\n s_mov_b32 s8, 9\n s_endpgm\n.Lthere:\n" +
      store);
  REQUIRE(simtest::fault_of(a) == "none");
  CHECK(forth.result<uint32_t>(1)[0] == 7);
  // Which of two callees is only known where the call is; their addresses were made before branches met.
  const auto b = either.run(
      "s_mov_b32 s8, 5\n s_cmp_eq_u32 s8, 5\n s_cbranch_scc0 .Lother\n s_getpc_b64 s[10:11]\n.La:\n s_add_u32 s10, "
      "s10, .Ldouble-.La\n"
      " s_addc_u32 s11, s11, 0\n s_branch .Lcall\n.Lother:\n s_getpc_b64 s[10:11]\n.Lb:\n s_add_u32 s10, s10, "
      ".Lzero-.Lb\n s_addc_u32 s11, s11, 0\n"
      ".Lcall:\n s_swappc_b64 s[14:15], s[10:11]\n" +
      store +
      ".Ldouble:\n s_lshl_b32 s8, s8, 1\n s_setpc_b64 s[14:15]\n.Lzero:\n s_mov_b32 s8, 0\n s_setpc_b64 s[14:15]\n");
  REQUIRE(simtest::fault_of(b) == "none");
  CHECK(either.result<uint32_t>(1)[0] == 10);
}
