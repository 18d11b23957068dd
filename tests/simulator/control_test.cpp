// Waves of a workgroup against each other (barriers of all kinds), and what the decoder follows: calls, register
// banks, relative registers, wave64 on RDNA. Kernels store what they saw.
#include <numeric>

#include "simulator/decoded_kernel.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

const char* wave_number = "s_bfe_u32 s8, ttmp8, 0x50019\n";  // gfx12
const char* pointers12 =
    "s_load_b128 s[4:7], s[0:1], 0x0\n v_and_b32 v0, 0x3ff, v0\n v_lshlrev_b32 v1, 2, v0\n s_wait_kmcnt 0x0\n";
const char* store12 = "global_store_b32 v1, v2, s[6:7]\n s_endpgm\n";

Launched run_kernel(const Assembly& kernel, int items, uint64_t seed = 0) {
  Bench b;
  b.launch.block = {static_cast<uint32_t>(items), 1, 1};
  b.options.seed = seed;
  b.options.quantum = seed ? 3 : 64;
  Launched r{b.run(kernel.build()), b.result<uint32_t>(1024)};
  return r;
}
Assembly on(const char* target, const std::string& body, int lds = 0, const std::string& directives = "") {
  Assembly a{body};
  a.target = target, a.lds = lds, a.directives = directives;
  return a;
}

// Every work-item leaves its number in LDS and reads its mirror image's, with `between` between signal and wait.
std::string split_exchange(const std::string& between, const std::string& wait = "s_barrier_wait -1\n") {
  return std::string(pointers12) + "ds_store_b32 v1, v0\n s_wait_dscnt 0x0\n s_barrier_signal -1\n" + between + wait +
         "v_sub_nc_u32 v3, 508, v1\n ds_load_b32 v2, v3\n s_wait_dscnt 0x0\n" + store12;
}

}  // namespace

TEST_CASE("a split barrier orders what comes before its signal and after its wait", "[sim][barrier]") {
  for (const char* target : {"gfx1201", "gfx1250"})
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const Launched r = run_kernel(on(target, split_exchange("v_mov_b32 v4, 0\n"), 512), 128, seed);
      CAPTURE(target, seed, fault_of(r.result));
      REQUIRE_FALSE(r.result.fault);
      for (uint32_t i = 0; i < 128; ++i) CHECK(r.out[i] == 127 - i);
    }
}

TEST_CASE("LDS accesses between signal and wait race with both sides of the barrier", "[sim][barrier]") {
  CHECK(kind_of(run_kernel(on("gfx1201", split_exchange("", ""), 512), 128)) == Kind::race);  // no wait at all
  CHECK(kind_of(run_kernel(
            on("gfx1201", split_exchange("v_sub_nc_u32 v3, 508, v1\n ds_load_b32 v2, v3\n s_wait_dscnt 0x0\n"), 512),
            128)) == Kind::race);  // with the writes before
  CHECK(kind_of(run_kernel(on("gfx1201", split_exchange("ds_store_b32 v1, v0\n s_wait_dscnt 0x0\n"), 512), 128)) ==
        Kind::race);  // with the reads after
  CHECK_FALSE(run_kernel(on("gfx1201", split_exchange("ds_load_b32 v2, v1\n s_wait_dscnt 0x0\n"), 512), 128)
                  .result.fault);  // one's own word is safe
}

TEST_CASE("a barrier that cannot complete is a deadlock, waves that ended count as arrived", "[sim][barrier]") {
  CHECK(kind_of(run_kernel(on("gfx1201", "s_barrier_signal -1\n s_barrier_wait -1\n s_barrier_wait -1\n s_endpgm\n"),
                           128)) == Kind::deadlock);
  CHECK(
      kind_of(run_kernel(
          on("gfx1201",
             std::string(wave_number) +
                 "s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Lw\n s_barrier_signal -1\n .Lw: s_barrier_wait -1\n s_endpgm\n"),
          128)) == Kind::deadlock);
  const Launched ended = run_kernel(
      on("gfx1201",
         std::string(wave_number) +
             "s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Le\n s_barrier_signal -1\n s_barrier_wait -1\n .Le: s_endpgm\n"),
      128);
  CHECK(fault_of(ended.result) == "none");
  const Launched single = run_kernel(
      on("gfx1201", "s_barrier_wait -1\n s_barrier_wait -3\n s_barrier_signal -2\n s_barrier_wait -2\n s_endpgm\n"),
      32);
  CHECK(fault_of(single.result) == "none");  // a workgroup of one wave has no barrier
}

TEST_CASE("one wave of the workgroup signals first", "[sim][barrier]") {
  const std::string body =
      std::string(pointers12) +
      "s_barrier_signal_isfirst -1\n s_wait_kmcnt 0x0\n s_cselect_b32 s9, 1, 0\n s_barrier_wait -1\n v_mov_b32 v2, "
      "s9\n" +
      store12;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const Launched r = run_kernel(on("gfx1201", body), 128, seed);
    REQUIRE(fault_of(r.result) == "none");
    CHECK(std::accumulate(r.out.begin(), r.out.begin() + 128, 0u) == 32);
  }
}

TEST_CASE("SCC of a barrier's first signal is there after a wait for KMcnt or for that barrier, as LLVM waits",
          "[sim][barrier]") {
  const auto sim = [](const std::string& body) {
    return fault_of(run_kernel(on("gfx1201", body + "s_cselect_b32 s9, 1, 0\n s_endpgm\n"), 128).result);
  };
  CHECK(sim("s_barrier_signal_isfirst -1\n s_wait_kmcnt 0x0\n") == "none");
  CHECK(sim("s_barrier_signal_isfirst -1\n s_barrier_wait -1\n") == "none");
  CHECK(sim("s_barrier_signal_isfirst -1\n").find("in flight") != std::string::npos);
  CHECK(sim("s_mov_b32 m0, -1\n s_barrier_signal_isfirst -1\n s_cmp_eq_u32 s0, 0\n").find("in flight") !=
        std::string::npos);
}

TEST_CASE("a named barrier releases the wave that joined it after as many signals as it has members",
          "[sim][barrier]") {
  // Wave 0 listens; the others signal, wave `silent` does not.
  const auto kernel = [](int members, int silent) {
    return on(
        "gfx1250",
        fmt::format("s_bfe_u32 s8, ttmp8, 0x50019\n s_mov_b32 m0, {:#x}\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 "
                    ".Lstart\n s_barrier_init m0\n s_barrier_join 1\n"
                    ".Lstart: s_barrier_signal -1\n s_barrier_wait -1\n s_cmp_eq_u32 s8, {}\n s_cbranch_scc1 .Lquit\n "
                    "s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .Lsignal\n"
                    "s_barrier_wait 1\n s_barrier_leave\n s_endpgm\n .Lsignal: s_barrier_signal 1\n .Lquit: s_endpgm\n",
                    members << 16 | 1, silent),
        0, "  .amdhsa_named_barrier_count 1\n");
  };
  for (uint64_t seed = 0; seed < 4; ++seed) {
    CHECK(fault_of(run_kernel(kernel(3, 9), 128, seed).result) == "none");
    CHECK(fault_of(run_kernel(kernel(2, 3), 128, seed).result) == "none");
    CHECK(kind_of(run_kernel(kernel(3, 3), 128, seed)) == Kind::deadlock);
  }
  Assembly unallocated = kernel(3, 3);
  unallocated.directives.clear();  // no named barriers: their instructions do nothing
  CHECK(fault_of(run_kernel(unallocated, 128).result) == "none");
}

TEST_CASE("the state of a barrier can be read", "[sim][barrier]") {
  const std::string body = std::string(pointers12) +
                           "s_mov_b32 m0, 0x50002\n s_barrier_init m0\n s_barrier_signal 2\n s_get_barrier_state s9, "
                           "2\n s_wait_kmcnt 0x0\n s_barrier_signal -1\n s_barrier_wait -1\n"
                           "v_mov_b32 v2, s9\n" +
                           store12;
  const Launched r = run_kernel(on("gfx1250", body, 0, "  .amdhsa_named_barrier_count 2\n"), 64);
  REQUIRE(fault_of(r.result) == "none");
  CHECK((r.out[0] & ~0x00ff0000u) == (2u << 24 | 5u << 4 | 1));  // 8 allocated, 5 members, valid
  CHECK((r.out[0] >> 16 & 127) == 1);
}

TEST_CASE("calls return to the instruction after them, and jumps leave the known code only as a fault",
          "[sim][control]") {
  const std::string head = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n s_waitcnt lgkmcnt(0)\n",
                    tail = "global_store_dword v1, v2, s[6:7]\n s_endpgm\n";
  const Launched r = run_kernel(
      on("gfx942", head +
                       "v_mov_b32 v2, 1\n s_call_b64 s[8:9], .Lf\n v_add_u32 v2, 100, v2\n s_call_b64 s[8:9], .Lf\n" +
                       tail + ".Lf: v_lshlrev_b32 v2, 1, v2\n s_setpc_b64 s[8:9]\n"),
      64);
  REQUIRE(fault_of(r.result) == "none");
  CHECK(r.out[0] == 204);
  CHECK(kind_of(run_kernel(on("gfx942", "s_mov_b64 s[8:9], 0x40\n s_setpc_b64 s[8:9]\n"), 64)) == Kind::illegal);
}

TEST_CASE("a kernel whose calls are all known is decoded with its callees, and without other kernels' functions",
          "[sim][control]") {
  const std::string other =
                        "__attribute__((noinline)) static int g(int x) { return x % 77; }\n"
                        "kernel void other(global int* o) { *o = g(*o); }\n",
                    source =
                        "__attribute__((noinline)) static int f(int x) { return x / 33; }\n"
                        "kernel void k(global int* o) { *o = f(*o) + f(o[1]); }\n";
  const auto steps = [](const std::string& text) {
    const auto co = sim::CodeObject::load(compile(text, "-x cl -O1", ".cl"));
    return sim::decode(co, co.kernel("k")).steps.size();
  };
  CHECK(steps(source + other) == steps(source));
}

TEST_CASE("a jump to an address loaded from where a call stored it is followed", "[sim][control]") {
  const Launched r =
      run_kernel(on("gfx942",
                    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n s_waitcnt lgkmcnt(0)\n"
                    "s_call_b64 s[8:9], .Lf\n s_getpc_b64 s[10:11]\n.Lhere: s_add_u32 s10, s10, .Lg-.Lhere\n "
                    "s_addc_u32 s11, s11, 0\n v_mov_b32 v3, 0\n v_mov_b32 v4, s10\n v_mov_b32 v5, s11\n "
                    "global_store_dwordx2 v3, v[4:5], s[6:7]\n s_waitcnt vmcnt(0)\n"
                    "s_load_dwordx2 s[8:9], s[6:7], 0x0\n s_waitcnt lgkmcnt(0)\n s_setpc_b64 s[8:9]\n"
                    ".Lf: v_mov_b32 v2, 1\n s_setpc_b64 s[8:9]\n"
                    ".Lg: v_add_u32 v2, 41, v2\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n"),
                 64);
  REQUIRE(fault_of(r.result) == "none");
  CHECK(r.out[5] == 42);
}

TEST_CASE("s_set_gpr_idx makes the registers of what follows relative to M0", "[sim][control]") {
  const std::string body =
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v10, 10\n v_mov_b32 v11, 11\n "
      "v_mov_b32 v13, 13\n s_mov_b32 s8, 3\n s_waitcnt lgkmcnt(0)\n"
      "s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_mov_b32 v2, v10\n s_set_gpr_idx_idx 1\n v_add_u32 v2, v10, v2\n "
      "s_set_gpr_idx_off\n v_add_u32 v2, v10, v2\n"
      "global_store_dword v1, v2, s[6:7]\n s_endpgm\n";
  const Launched r = run_kernel(on("gfx90a", body), 64);
  REQUIRE(fault_of(r.result) == "none");
  CHECK(r.out[5] == 13 + 11 + 10);
  // AGPRs too: aiter's f4gemm_bf16_per1x32Fp4_noBpreShuffle_256x256 stores its sums by such a loop.
  for (const char* target : {"gfx90a", "gfx942", "gfx950"}) {
    const Launched a = run_kernel(
        on(target,
           "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v2, 20\n v_mov_b32 v3, 23\n "
           "v_accvgpr_write_b32 a4, v2\n v_accvgpr_write_b32 a7, v3\n v_mov_b32 v2, 0\n s_mov_b32 s8, 3\n s_nop 4\n "
           "s_set_gpr_idx_on s8, gpr_idx(SRC0)\n v_accvgpr_read_b32 v2, a4\n s_set_gpr_idx_off\n "
           "s_waitcnt lgkmcnt(0)\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n"),
        64);
    CAPTURE(target);
    REQUIRE(fault_of(a.result) == "none");
    CHECK(a.out[5] == 23);
  }
  Assembly few =
      on("gfx90a",
         "v_mov_b32 v10, 1\n s_movk_i32 s8, 200\n s_set_gpr_idx_on s8, gpr_idx(DST)\n v_mov_b32 v10, 2\n s_endpgm\n");
  few.vgprs = 32, few.agprs = 32;
  CHECK(kind_of(run_kernel(few, 64)) == Kind::illegal);  // v210 of 32
}

TEST_CASE("s_set_vgpr_msb chooses the bank of each operand slot, on every path to an instruction", "[sim][control]") {
  Assembly a =
      on("gfx1250", std::string(pointers12) +
                        "v_mov_b32 v4, 10\n s_set_vgpr_msb 0x40\n v_mov_b32 v4, 20\n s_set_vgpr_msb 0x4000\n s_mov_b32 "
                        "s8, 0\n"  // v4 = 10, v260 = 20
                        ".Lagain: v_add_nc_u32 v4, 1, v4\n s_add_co_i32 s8, s8, 1\n s_cmp_eq_u32 s8, 2\n "
                        "s_cbranch_scc1 .Lout\n"
                        "s_set_vgpr_msb 0x44\n s_branch .Lagain\n"  // the second time with dst and src1 in bank 1
                        ".Lout: s_set_vgpr_msb 0x1\n v_lshlrev_b32 v2, 8, v4\n v_mov_b32 v5, v4\n s_set_vgpr_msb 0x0\n "
                        "v_lshl_add_u32 v2, v5, 8, v4\n" +
                        store12);
  a.vgprs = 512;
  const Launched r = run_kernel(a, 32);
  REQUIRE(fault_of(r.result) == "none");
  CHECK(r.out[7] == (21u << 8) + 11);
}

TEST_CASE("wave64 code of an RDNA target runs with 64 lanes", "[sim][control]") {
  Assembly a = on("gfx1100",
                  "s_load_b128 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n v_cmp_lt_u32_e64 s[8:9], 40, v0\n "
                  "v_mbcnt_lo_u32_b32 v2, s8, 0\n v_mbcnt_hi_u32_b32 v2, s9, v2\n"
                  "v_cndmask_b32_e64 v3, 0, 0x40, s[8:9]\n v_add_nc_u32 v2, v2, v3\n s_waitcnt lgkmcnt(0)\n "
                  "global_store_b32 v1, v2, s[6:7]\n s_endpgm\n",
                  0, "  .amdhsa_wavefront_size32 0\n");
  a.flags = "-mwavefrontsize64";
  const Launched r = run_kernel(a, 64);
  REQUIRE(fault_of(r.result) == "none");
  for (uint32_t i = 0; i < 64; ++i) CHECK(r.out[i] == (i > 40 ? 0x40 + i - 41 : 0));
}
