// Kernels that poll for ever are told from those that wait long, whatever their host threads do at the same time.
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Catch::Contains;

namespace {

// s[6:7] the output, v1 an offset in it, v2 1.
const std::string output_pointer =
    "s_load_dwordx2 s[6:7], s[0:1], 0x8\n v_mov_b32 v1, 0\n v_mov_b32 v2, 1\n s_waitcnt lgkmcnt(0)\n";
const std::string load_word = "global_load_dword v3, v1, s[6:7]\n s_waitcnt vmcnt(0)\n", end = "s_endpgm\n";

Launched run_polling(const std::string& body, uint32_t groups = 1, int jobs = 1,
                     uint64_t most = sim::default_max_instructions, uint32_t items = 64) {
  Bench b;
  b.memory.write(b.out, std::vector<uint8_t>(4096));
  b.launch.grid = {groups, 1, 1}, b.launch.block = {items, 1, 1};
  b.options.checks = sim::Checks::none(), b.options.jobs = jobs, b.options.max_instructions = most;
  sim::Result r = b.run(body);
  return {std::move(r), b.result<uint32_t>(4)};
}
// Workgroup 2 counts, workgroup 1 polls its word, workgroup 0 that of 1: with three host threads.
std::string chain(const std::string& last) {
  return output_pointer +
         "s_lshl_b32 s9, s2, 2\n v_mov_b32 v1, s9\n s_cmp_eq_u32 s2, 2\n s_cbranch_scc1 .Llast\n.Lpoll:\n" +
         "global_load_dword v3, v1, s[6:7] offset:4\n s_waitcnt vmcnt(0)\n v_readfirstlane_b32 s8, v3\n"
         "s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Lpoll\n s_branch .Lset\n.Llast:\n" +
         last + ".Lset: global_store_dword v1, v2, s[6:7]\n" + end;
}
void stands_still(const Launched& r) {
  REQUIRE(r.result.fault);
  CHECK(r.result.fault->kind == sim::Fault::Kind::deadlock);
  CHECK_THAT(r.result.fault->message(), Contains("repeats endlessly"));
}

}  // namespace

TEST_CASE("waves that poll what nobody will write are a deadlock, found long before their budget ends",
          "[sim][standstill]") {
  const std::string poll = output_pointer + ".Lx: " + load_word +
                           "v_readfirstlane_b32 s8, v3\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 " + ".Lx\n" + end;
  for (const uint32_t groups : {1, 5})
    for (const int jobs : {1, 3}) {
      CAPTURE(groups, jobs);
      stands_still(run_polling(poll, groups, jobs, uint64_t{1} << 40, 128));
    }
  // A lock that is never given back: each try is an atomic operation, which changes nothing.
  stands_still(run_polling(output_pointer +
                           "v_mov_b32 v4, 1\n v_mov_b32 v5, 2\n.Lx: global_atomic_cmpswap v3, v1, v[4:5], s[6:7] sc0\n "
                           "s_waitcnt vmcnt(0)\n s_branch .Lx\n" +
                           end));
  // What changes memory there and back.
  stands_still(run_polling(output_pointer + ".Lx: " + load_word +
                           "v_xor_b32 v3, 1, v3\n global_store_dword v1, v3, s[6:7]\n s_branch .Lx\n"));
  stands_still(run_polling(chain(".Lx: s_branch .Lx\n"), 3, 3));
}

TEST_CASE("waves that poll what others write at last, or that count in memory or by the clock, run to their end",
          "[sim][standstill]") {
  const Launched others = run_polling(chain("s_mov_b32 s8, 2000000\n.Ldown: s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n "
                                            "s_cbranch_scc1 .Ldown\n"),
                                      3, 3);
  CHECK(fault_of(others.result) == "none");
  CHECK(others.out == std::vector<uint32_t>{1, 1, 1, 0});
  const Launched counts =
      run_polling(output_pointer + ".Lx: " + load_word +
                  "v_add_u32 v3, 1, v3\n global_store_dword v1, v3, s[6:7]\n v_readfirstlane_b32 s8, v3\n "
                  "v_mov_b32 v3, 0\n s_cmp_lt_u32 s8, 300000\n s_mov_b32 s8, 0\n s_cbranch_scc1 .Lx\n" +
                  end);
  CHECK(fault_of(counts.result) == "none");
  CHECK(counts.out[0] == 300000);
  CHECK(fault_of(
            run_polling(".Lx: s_memtime s[4:5]\n s_waitcnt lgkmcnt(0)\n s_cmp_lt_u32 s4, 3000000\n s_mov_b32 s4, 0\n "
                        "s_cbranch_scc1 .Lx\n" +
                        end)
                .result) == "none");
}

namespace {
// Each workgroup counts itself in and polls until all of the grid have.
std::string grid_barrier(uint32_t groups) {
  return output_pointer +
         fmt::format(
             "s_mov_b32 exec_lo, 1\n global_atomic_add v1, v2, s[6:7]\n.Lx: {}"
             "v_readfirstlane_b32 s8, v3\n s_cmp_lt_u32 s8, {}\n s_cbranch_scc1 .Lx\n"
             "global_atomic_add v1, v2, s[6:7] offset:4\n",
             load_word, groups) +
         end;
}
}  // namespace

TEST_CASE("workgroups that wait for later ones of the grid run at once, as far as the device holds them",
          "[sim][standstill]") {
  for (const int jobs : {1, 2})
    for (const uint32_t groups : {5u, 40u}) {
      CAPTURE(jobs, groups);
      const Launched all = run_polling(grid_barrier(groups), groups, jobs, sim::default_max_instructions, 32);
      CHECK(fault_of(all.result) == "none");
      CHECK(all.out[0] == groups);
      CHECK(all.out[1] == groups);
      stands_still(run_polling(grid_barrier(groups + 1), groups, jobs, sim::default_max_instructions, 32));
    }
  // Two workgroups with 64 KiB of LDS fill a WGP: 40 of 20.
  Bench b;
  b.memory.write(b.out, std::vector<uint8_t>(4096));
  b.launch.grid = {41, 1, 1}, b.launch.block = {32, 1, 1}, b.options.checks = sim::Checks::none();
  Assembly a{grid_barrier(41)};
  a.lds = 65536, a.target = "gfx1151";
  const Launched more{b.run(a.build()), {}};
  stands_still(more);
  CHECK_THAT(more.result.fault->message(),
             Contains("not all of the grid has started: Radeon 8060S (Strix Halo) holds 40 workgroups of this kernel"));
}
